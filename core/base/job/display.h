/* Numbers as integer samples to look at: a display range becomes black to white.
 *
 *     struct gf_display d = gf_display_make(&job.out[0], report.low[0], report.high[0]);
 *     gf_display_run(&d, 256, v);
 *     gf_sample_run_write(to, job.out[0].dtype, 1, 256, v, NULL);
 *
 * No function fails. */
#ifndef GF_CORE_BASE_DISPLAY_H
#define GF_CORE_BASE_DISPLAY_H

#include "core/base/job/job.h"

/* Maps values to 0..the maximum of an integer type; see struct gf_output. If the range is empty (a
 * picture of zeros), magnitude and power are black, real and imaginary parts mid-grey. */
struct gf_display {
    enum gf_kind kind;
    enum gf_scale scale;
    double low, high; /* magnitude and power: scaled; real and imaginary: unscaled */
    double white;
};
struct gf_display gf_display_make(const struct gf_output *out, double low, double high);
void gf_display_run(const struct gf_display *d, int64_t count, double *v);

#endif
