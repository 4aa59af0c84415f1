/* Bins of a few planes' spectra, taken plane by plane. */
#include "core/base/range_planes.h"

#include <stdlib.h>

#include "core/base/sample_run.h"
#include "core/base/status.h"

int gf_range_planes_make(const struct gf_job *job, struct gf_range_planes *r) {
    *r = (struct gf_range_planes){.job = *job};
    int rc = gf_range_sample_make(job, &r->sample);
    if (rc)
        return rc;
    r->value = malloc(2 * (size_t)r->sample.count * sizeof *r->value);
    if (r->value)
        return 0;
    gf_range_planes_free(r);
    return gf_fail(GF_ENOMEM, "no memory for the sample of a display range");
}

void gf_range_planes_free(struct gf_range_planes *r) {
    gf_range_sample_free(&r->sample);
    free(r->value);
    *r = (struct gf_range_planes){.value = NULL};
}

/* Which of the sample's planes it is, -1: none. */
static int sampled(const struct gf_range_planes *r, int64_t z) {
    const struct gf_range_axis *a = &r->sample.axis[0];
    const int i = gf_range_axis_find(a, z);
    return a->index[i] == z ? i : -1;
}

int64_t gf_range_planes_next(const struct gf_range_planes *r, int64_t z) {
    while (z < r->job.shape[0] && sampled(r, z) < 0 && !gf_range_energy_wants(&r->job, z))
        z++;
    return z < r->job.shape[0] ? z : -1;
}

int64_t gf_range_planes_count(const struct gf_range_planes *r) {
    int64_t n = 0;
    for (int64_t z = 0; (z = gf_range_planes_next(r, z)) >= 0; z++)
        n++;
    return n;
}

struct gf_job gf_range_planes_job(const struct gf_job *job) {
    struct gf_job one = *job;
    one.shape[0] = 1;
    one.norm = GF_NORM_BACKWARD; /* the sample is without the norm's factor */
    one.spend_input = false;
    one.n_out = 1;
    one.out[0] = (struct gf_output){.kind = GF_COMPLEX,
                                    .dtype = job->precision == GF_DOUBLE ? GF_C128 : GF_C64,
                                    .half = gf_job_is_real(job)};
    return one;
}

void gf_range_planes_add(struct gf_range_planes *r, int64_t z, const struct gf_array *in,
                         const struct gf_array *spectrum) {
    const struct gf_range_sample *s = &r->sample;
    const struct gf_range_axis *y = &s->axis[1], *x = &s->axis[2];
    const int64_t *stride = spectrum->stride;
    int plane = sampled(r, z);
    if (gf_range_energy_wants(&r->job, z))
        gf_range_energy_add(&r->job, in, &r->energy);
    for (int c = 0; c < s->axis[3].count && plane >= 0; c++)
        for (int b = 0; b < y->count; b++) {
            double *to =
                r->value + 2 * (((int64_t)c * s->axis[0].count + plane) * y->count + b) * x->count;
            const char *row = (const char *)spectrum->data + y->index[b] * stride[1] +
                              s->axis[3].index[c] * stride[3];
            for (int k = 0; k < x->count; k++, to += 2)
                gf_sample_run_read(row + x->index[k] * stride[2], spectrum->dtype, 0, 1, &to[0],
                                   &to[1]);
        }
}

void gf_range_planes_find(const struct gf_range_planes *r, int i, double range[2]) {
    const struct gf_range_sample *s = &r->sample;
    const double rms = gf_range_energy_rms(&r->job, &r->energy), unit = gf_sample_run_unit(rms);
    for (int64_t k = 0; k < s->count; k++)
        s->key[k] =
            gf_range_key(r->job.out[i].kind, unit * r->value[2 * k], unit * r->value[2 * k + 1]);
    gf_range_sample_find(s, &r->job, i, rms, range);
}
