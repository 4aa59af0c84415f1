/* The job of a part of each walk. */
#include "core/gpu/slab_walk.h"

#include <string.h>

#include "core/filter/filter.h"

static struct gf_job slab_job(const struct gf_gpu_slabs *s, const struct gf_gpu_walk *w,
                              int64_t pages) {
    struct gf_job job = gf_part_pages(&s->job, w->direction == GF_INVERSE, pages);
    job.lean = job.spend_input = false;
    if (!w->from_input) {
        job.in_dtype = gf_job_number(&job);
        job.in_shift = false;
    }
    if (!w->to_output)
        gf_part_numbers(&job, s->plan.real);
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
    struct gf_job job = gf_part_lines(&s->job, s->plan.pages, bins / columns, columns);
    if (s->picture) {
        job.ndim = 2;
        job.shape[1] = bins;
    }
    job.op = GF_FILTER;
    job.channels = channels;
    job.lean = false;
    job.filter = s->filter;
    job.filter_serial = s->filter->serial;
    job.line = gf_gpu_slabs_are_line(s) ? s->asked.shape[0] : 0;
    job.whole.axes = s->asked.axes;
    memcpy(job.whole.shape, s->asked.shape, sizeof job.whole.shape);
    return job;
}

static struct gf_job block_job(const struct gf_gpu_slabs *s, const struct gf_gpu_walk *w,
                               int64_t bins) {
    struct gf_job job = gf_part_lines(&s->job, s->plan.pages, 1, bins * (s->unit / s->plan.number));
    job.lean = false;
    if (w->from_input)
        job.in_dtype = s->job.in_dtype;
    if (w->to_output)
        gf_part_outputs(&job, &s->job);
    return job;
}

/* In two walks some are found in the exchange. */
bool gf_gpu_slabs_scans(const struct gf_gpu_slabs *s, int i) {
    return gf_gpu_job_walks_twice(&s->job) ? gf_slab_range_scans(&s->job, i)
                                           : gf_output_is_full(&s->job.out[i]);
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
        if (!w->scans && job.out[n].range != GF_RANGE_GIVEN)
            gf_part_range(&job.out[n], (double[]){0, 0}); /* until it is known */
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
