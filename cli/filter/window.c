/* The options --window and --edges of fwd and stats. */
#include "cli/filter/filtering.h"

static int parse_window(const struct gf_opt *o, const char *value, void *field) {
    return gf_window_parse(value, field)
               ? 0
               : gf_opt_refuse(o, value,
                               "it is none, hann, hamming, blackman, tukey:A with A from 0 to 1 or "
                               "kaiser:B with B from 0 to 500");
}

static bool print_window(const struct gf_opt *o, const void *field, int i,
                         char text[GF_OPT_TEXT_SIZE]) {
    const struct gf_window *w = field;
    (void)o;
    gf_window_text(w, text);
    const size_t n = strcspn(text, ":");
    if (text[n])
        snprintf(text + n, GF_OPT_TEXT_SIZE - n, ":%.17g", w->parameter);
    return !i && w->shape != GF_WINDOW_UNSET;
}

static const char *const names[] = {"none",   "hann",    "hamming", "blackman",
                                    "tukey:", "kaiser:", NULL};
static const char *const edges[] = {"periodic", "smooth", NULL};

const struct gf_opt_group gf_opts_window = GF_GROUP(
    "Edges",
    GF_PARSED(
        "window", GF_AT(windowing.window), "NAME", parse_window,
        "multiply the samples by a window: none, hann, hamming, blackman, tukey:A or kaiser:B",
        .choices = names, .print = print_window),
    GF_CHOICE("edges", windowing.smooth, "periodic|smooth", edges,
              "smooth: subtract the smooth part, so that opposite edges meet (default: periodic)"));
