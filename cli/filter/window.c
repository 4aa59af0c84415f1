/* The options --window and --edges of fwd and stats. */
#include "cli/filter/filtering.h"

static int parse_window(const struct gf_opt *o, const char *value, void *field) {
    return gf_window_parse(value, field)
               ? 0
               : gf_opt_refuse(o, value,
                               "it is none, hann, hamming, blackman, tukey:A with A from 0 to 1 or "
                               "kaiser:B with B from 0 to 500");
}

static const char *const names[] = {"none",   "hann",    "hamming", "blackman",
                                    "tukey:", "kaiser:", NULL};
static const char *const edges[] = {"periodic", "smooth", NULL};

const struct gf_opt_group gf_opts_window = GF_GROUP(
    "Edges",
    GF_PARSED(
        "window", GF_AT(windowing.window), "NAME", parse_window,
        "multiply the samples by a window: none, hann, hamming, blackman, tukey:A or kaiser:B",
        .choices = names),
    GF_CHOICE("edges", windowing.smooth, "periodic|smooth", edges,
              "smooth: subtract the smooth part, so that opposite edges meet (default: periodic)"));
