/* Jobs of pages, and of lines through all pages. */
#include "core/base/job/part_job.h"

#include <string.h>

struct gf_job gf_job_volume(const struct gf_job *job) {
    struct gf_job v = *job;
    if (job->ndim != 2)
        return v;
    v.ndim = 3;
    v.shape[1] = 1;
    v.shape[2] = job->shape[1];
    v.counted[1] = 0;
    v.counted[2] = job->counted[1];
    v.axes = (job->axes & 1) | (job->axes >> 1 & 1) << 2;
    return v;
}

int gf_job_drop_single(struct gf_job *job) {
    int n = 0;
    for (; job->ndim > 1 && job->shape[0] == 1 && job->axes >> 1; n++) {
        job->ndim--;
        job->axes >>= 1;
        memmove(job->shape, job->shape + 1, (size_t)job->ndim * sizeof *job->shape);
        memmove(job->counted, job->counted + 1, (size_t)job->ndim * sizeof *job->counted);
    }
    return n;
}

void gf_filter_split(const struct gf_job *job, struct gf_job *forward, struct gf_job *inverse) {
    *forward = *inverse = *job;
    forward->op = inverse->op = GF_FFT;
    forward->filter = inverse->filter = NULL;
    forward->norm = inverse->norm = GF_NORM_BACKWARD;
    forward->lean = inverse->lean = false;
    memset(forward->counted, 0, sizeof forward->counted);
    gf_part_numbers(forward, !job->whole.axes);
    if (job->whole.axes) { /* in place */
        forward->lean = job->lean;
        forward->whole.axes = 0;
    }
    inverse->direction = GF_INVERSE;
    inverse->channels = gf_job_lanes(job);
    inverse->luma = false;
    inverse->in_dtype = gf_job_number(job);
    inverse->in_half = inverse->real = inverse->spend_input = true;
}

struct gf_job gf_part_pages(const struct gf_job *volume, bool back, int64_t pages) {
    struct gf_job job = *volume, other;
    if (volume->op == GF_FILTER)
        gf_filter_split(volume, back ? &other : &job, back ? &job : &other);
    job.filter = volume->filter; /* computed as the filter's parts */
    job.shape[0] = pages;
    job.counted[0] = 0;
    job.axes &= ~1u;
    job.elsewhere = volume->axes & 1 ? volume->shape[0] : 0;
    return job;
}

struct gf_job gf_part_lines(const struct gf_job *volume, int64_t pages, int64_t rows,
                            int64_t columns) {
    struct gf_job job = {.direction = volume->direction,
                         .ndim = 3,
                         .shape = {pages, rows, columns},
                         .channels = 1,
                         .axes = 1,
                         .in_dtype = gf_job_number(volume),
                         .lean = true,
                         .precision = volume->precision,
                         .elsewhere = 1};
    gf_part_numbers(&job, false);
    return job;
}

void gf_part_numbers(struct gf_job *part, bool half) {
    part->norm = part->direction == GF_FORWARD ? GF_NORM_BACKWARD : GF_NORM_FORWARD;
    part->n_out = 1;
    part->out[0] =
        (struct gf_output){.kind = GF_COMPLEX, .dtype = gf_job_number(part), .half = half};
}

void gf_part_outputs(struct gf_job *part, const struct gf_job *volume) {
    part->lean = false;
    part->norm = volume->norm;
    part->elsewhere = gf_job_points(volume) / part->shape[0];
    part->n_out = volume->n_out;
    memcpy(part->out, volume->out, sizeof part->out);
    for (int i = 0; i < part->n_out; i++)
        part->out[i].shift = part->out[i].half = false;
}

void gf_part_range(struct gf_output *out, const double range[2]) {
    out->range = GF_RANGE_GIVEN;
    out->low = range[1] > 0 ? range[0] : 0;
    out->high = range[1] > 0 ? range[1] : 1; /* all is zero */
}
