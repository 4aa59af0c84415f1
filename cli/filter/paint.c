/* --paint: removes the frequencies that were painted black in a spectrum's picture. */
#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "core/base/sample_value.h"

static const double BLACK = 0.5 / 255;

/* Zeroes the mask where the file is black and the picture is not. */
static void compare(const struct gf_task *t, const struct gf_job *job,
                    const struct gf_filter_part *file, const struct gf_array *picture) {
    float *mask = t->filtering->peaks.mask.data;
    const int64_t n = gf_shape_count(job->shape, job->ndim), channels = picture->shape[job->ndim];
    const unsigned char *px = picture->data;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        double grey = 0;
        for (int64_t c = 0; c < channels; c++)
            grey += (channels == 3 ? gf_luma_weight[c] : 1) * *px++;
        if (grey < 3 * 255 * BLACK || file->file.value[i] > BLACK)
            continue;
        mask[gf_filter_half_index(job, &t->filtering->peaks.mask, i)] = 0;
        count++;
    }
    gf_log_note("'%s': --paint=%s removes %lld painted frequencies", gf_log_name(t->read[0]),
                file->text, (long long)count);
}

int gf_filter_paint(struct gf_task *t) {
    const struct gf_output shown = {.kind = GF_MAGNITUDE,
                                    .dtype = GF_U8,
                                    .map = GF_MAP_DISPLAY,
                                    .range = GF_RANGE_AUTO,
                                    .shift = true};
    struct gf_array picture, *mask = &t->filtering->peaks.mask;
    struct gf_report report;
    struct gf_job job = gf_filter_look_job(t, &shown, &picture);
    int64_t half[GF_MAX_DIMS];
    memcpy(half, job.shape, sizeof half);
    half[job.ndim - 1] = half[job.ndim - 1] / 2 + 1;
    const int64_t n = gf_shape_count(half, job.ndim);
    if (job.axes != (1u << job.ndim) - 1)
        return gf_fail(GF_EINVAL, "--paint needs the whole spectrum, without --axes and --dims");
    job.norm = GF_NORM_BACKWARD;
    int rc = gf_runner_plan(t->runner, &job);
    if (!rc)
        rc = gf_filter_check_memory(t, gf_array_bytes(&picture) + 4 * n + t->runner->workspace);
    if (!rc)
        rc = gf_array_alloc(&picture, picture.dtype, picture.rank, picture.shape);
    if (!rc)
        rc = gf_runner_run(t->runner, &t->in, &picture, &report);
    const bool fresh = !rc && !mask->data;
    rc = fresh ? gf_array_alloc(mask, GF_F32, job.ndim, half) : rc;
    for (int64_t i = 0; i < n && !rc && fresh; i++)
        ((float *)mask->data)[i] = 1;
    for (int i = 0; i < t->s->filter.n_parts && !rc; i++)
        if (t->s->filter.part[i].what == GF_PAINT)
            compare(t, &job, &t->s->filter.part[i], &picture);
    gf_array_free(&picture);
    gf_runner_forget(t->runner);
    return rc;
}
