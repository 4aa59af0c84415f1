/* The job of a part of each walk. */
#include "core/gpu/slab_job.h"

#include <string.h>

#include "core/filter/filter.h"

static struct gf_job slab_job(const struct gf_gpu_slabs *s, const struct gf_gpu_walk *w,
                              int64_t pages) {
    struct gf_job job = s->job;
    job.shape[0] = pages;
    job.counted[0] = 0;
    job.lean = job.spend_input = false;
    job.axes &= ~1u;
    job.op = s->job.op == GF_DWT ? GF_DWT : GF_FFT;
    job.filter = NULL;
    job.direction = w->direction;
    if (w->direction == GF_INVERSE && s->filter) {
        job.channels = s->job.luma ? 1 : s->job.channels;
        job.luma = false;
        job.real = job.in_half = true;
        job.norm = GF_NORM_BACKWARD;
    }
    if (!w->from_input) {
        job.in_dtype = gf_gpu_work_type(&job);
        job.in_shift = false;
    }
    if (gf_gpu_job_walks_twice(&s->job))
        job.elsewhere = s->plan.pages;
    if (!w->to_output) {
        job.norm = job.direction == GF_FORWARD ? GF_NORM_BACKWARD : GF_NORM_FORWARD;
        job.n_out = 1;
        job.out[0] = (struct gf_output){
            .kind = GF_COMPLEX, .dtype = gf_gpu_work_type(&job), .half = s->plan.real};
    }
    return job;
}

/* Some columns of a line's matrix. */
static struct gf_job columns_job(const struct gf_gpu_slabs *s, const struct gf_gpu_walk *w,
                                 int64_t columns) {
    struct gf_job job = slab_job(s, w, columns);
    job.ndim = 2;
    job.shape[0] = s->job.shape[2];
    job.shape[1] = columns;
    job.axes = 1;
    job.line = s->asked.shape[0];
    return job;
}

/* Filters some columns of a picture, or rows of all pages of a volume. */
static struct gf_job filter_job(const struct gf_gpu_slabs *s, int64_t bins) {
    const int64_t channels = s->unit / s->plan.number, columns = s->plan.width / channels;
    struct gf_job job = {.op = GF_FILTER,
                         .ndim = s->picture ? 2 : 3,
                         .shape = {s->plan.pages, s->picture ? bins : bins / columns, columns},
                         .channels = channels,
                         .axes = 1,
                         .in_dtype = gf_gpu_work_type(&s->job),
                         .precision = s->job.precision,
                         .n_out = 1,
                         .out = {{.kind = GF_COMPLEX, .dtype = gf_gpu_work_type(&s->job)}},
                         .filter = s->filter,
                         .filter_serial = s->filter->serial,
                         .line = gf_gpu_slabs_are_line(s) ? s->asked.shape[0] : 0,
                         .whole = {.axes = s->asked.axes}};
    memcpy(job.whole.shape, s->asked.shape, sizeof job.whole.shape);
    return job;
}

static struct gf_job block_job(const struct gf_gpu_slabs *s, const struct gf_gpu_walk *w,
                               int64_t bins) {
    const int64_t numbers = bins * (s->unit / s->plan.number);
    struct gf_job job = {.direction = s->job.direction,
                         .ndim = 2,
                         .shape = {s->plan.pages, numbers},
                         .channels = 1,
                         .axes = 1,
                         .in_dtype = w->from_input ? s->job.in_dtype : gf_gpu_work_type(&s->job),
                         .precision = s->job.precision,
                         .norm = s->job.norm,
                         .elsewhere = gf_job_points(&s->job) / s->plan.pages,
                         .n_out = 1};
    if (w->to_output) {
        job.n_out = s->job.n_out;
        memcpy(job.out, s->job.out, sizeof job.out);
        for (int i = 0; i < job.n_out; i++)
            job.out[i].shift = job.out[i].half = false;
        return job;
    }
    job.norm = job.direction == GF_FORWARD ? GF_NORM_BACKWARD : GF_NORM_FORWARD;
    job.out[0] = (struct gf_output){.kind = GF_COMPLEX, .dtype = gf_gpu_work_type(&s->job)};
    return job;
}

struct gf_job gf_gpu_part_job(const struct gf_gpu_slabs *s, struct gf_gpu_walk *w, int64_t count) {
    struct gf_job job = w->filters   ? filter_job(s, count)
                        : w->blocks  ? block_job(s, w, count)
                        : w->columns ? columns_job(s, w, count)
                                     : slab_job(s, w, count);
    int n = 0;
    for (int i = 0; i < job.n_out && w->to_output; i++) {
        if (w->scans && !gf_gpu_slabs_scans(s, i))
            continue;
        w->output[n] = i;
        job.out[n] = job.out[i];
        if (!w->scans && job.out[n].range != GF_RANGE_GIVEN) {
            job.out[n].range = GF_RANGE_GIVEN;
            job.out[n].low = 0;
            job.out[n].high = 1; /* until it is known */
        }
        n++;
    }
    job.n_out = w->to_output ? n : job.n_out;
    if (s->role.in_place) {
        const int64_t pitch = s->pitch * (s->unit / s->plan.number);
        job.out_pitch = gf_gpu_walk_leaves(w) ? 0 : pitch;
        job.in_pitch = w->from_input ? 0 : pitch;
    }
    return job;
}
