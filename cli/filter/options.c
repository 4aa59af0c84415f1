/* The groups of options of gpufft filter (core/op/filter/options.c has their rows). */
#include <unistd.h>

#include "cli/filter/filtering.h"
#include "cli/log.h"

void gf_filter_note_radii(const struct gf_settings *s) {
    for (int i = 0; i < s->filter.n_parts; i++) {
        const struct gf_filter_part *p = &s->filter.part[i];
        const struct gf_radius *r = &p->radius[0]; /* the smaller one of a band */
        if (p->what > GF_NOTCH || r->unit != GF_BINS || r->value >= 1)
            continue;
        if (r->value <= GF_MOST_CYCLES)
            gf_log_note("--%s=%.60s: the radius is %g bins; %gc or %g%% meant?", p->option, p->text,
                        r->value, r->value, 100 * r->value);
        else
            gf_log_note("--%s=%.60s: the radius is %g bins; %g%% meant?", p->option, p->text,
                        r->value, 100 * r->value);
    }
}

int gf_filter_check_settings(struct gf_settings *s) {
    for (const struct gf_filter_part *p = s->filter.part; p < s->filter.part + s->filter.n_parts;
         p++)
        if ((p->what == GF_KERNEL || p->what == GF_PSF) && strchr(p->text, ':') &&
            !strchr(p->text, '/') && access(p->text, F_OK))
            return gf_filter_refuse_kernel(p->option, p->text); /* rather a shape than a file */
    return gf_filter_check(&s->filter, s->mask_out || s->color == 1 || s->precision == GF_DOUBLE);
}

const struct gf_opt_group gf_opts_filter = GF_GROUP(
    "Filter (R: 20px, 0.05c cycles a sample, bins, 50% of Nyquist, 10A or 0.3/mm)",
    GF_ROWS(
        "lowpass highpass bandpass bandreject notch auto-notch descreen destripe dpi mask paint "
        "convolve deconvolve noise regularize iterations edges",
        filter, gf_filter_rows));

const struct gf_opt_group gf_opts_filter_result =
    GF_GROUP(NULL, GF_ROWS("offset", filter, gf_filter_rows),
             GF_TEXT("mask-out", mask_out, "OUT",
                     "also write the filter, as a picture of the centred spectrum", .inert = true));
