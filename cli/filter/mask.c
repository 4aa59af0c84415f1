/* Filters as pictures. --mask-out: tabulates half the filter's spectrum, and mirrors that. --paint:
 * removes the frequencies that were painted black in a spectrum's picture. */
#include "cli/filter/filtering.h"
#include "core/base/sample_value.h"
#include "cli/log.h"

/* The job at the picture's size, with one sample along axes that are not transformed. */
static struct gf_job mask_job(const struct gf_task *t) {
    struct gf_job job = t->job;
    for (int i = 0; i < job.ndim; i++)
        job.shape[i] = job.axes >> i & 1 ? t->filtering->frame.shape[i] : 1;
    job.channels = 1;
    return job;
}

int gf_filter_describe_mask(struct gf_task *t, struct gf_product *p) {
    int64_t shape[GF_MAX_RANK];
    int ndim = 0;
    enum gf_dtype dtype;
    for (int i = 0; i < t->job.ndim; i++)
        if (t->job.axes >> i & 1)
            shape[ndim++] = t->filtering->frame.shape[i];
    shape[ndim] = 1;
    int rc = gf_target_dtype(t->s, p->target, p->kind, p->format, GF_SINGLE, &dtype);
    if (rc)
        return rc;
    p->image.px = gf_array_wrap(NULL, dtype, ndim + 1, shape);
    p->image.ndim = ndim;
    p->image.color = GF_GRAY;
    memcpy(p->shape, shape, sizeof p->shape);
    return gf_product_accepts(p);
}

int64_t gf_filter_mask_bytes(const struct gf_task *t) {
    const struct gf_job job = mask_job(t);
    /* Half a spectrum of complex doubles, and the table that it is made from. */
    return t->s->filter.mask_out ? 16 * gf_shape_count(job.shape, job.ndim) : 0;
}

/* The index in half a spectrum of the centred position `at` (C order), or of its mirror image. */
static int64_t half_index(const struct gf_job *job, const struct gf_array *half, int64_t at) {
    int64_t k[GF_MAX_DIMS], where = 0;
    const int folded = gf_job_half_axis(job);
    for (int i = job->ndim - 1; i >= 0; i--) {
        int64_t n = job->shape[i];
        k[i] = (at % n + n - n / 2) % n;
        at /= n;
    }
    bool mirrored = k[folded] > job->shape[folded] / 2;
    for (int i = 0; i < job->ndim; i++) {
        int64_t n = job->shape[i];
        where = where * half->shape[i] + (mirrored ? gf_half_negative(k[i], n) : k[i]);
    }
    return where;
}

/* The value, or a complex one's magnitude, at the picture's centred position `at` (C order). */
static double value(const struct gf_job *job, const struct gf_array *half, int64_t at) {
    const struct gf_number y = gf_filter_number(half, half_index(job, half, at));
    return gf_dtype_is_complex(half->dtype) ? hypot(y.re, y.im) : y.re;
}

int gf_filter_draw_mask(struct gf_task *t, struct gf_product *p) {
    struct gf_job job = mask_job(t);
    struct gf_filter *filter;
    struct gf_array half = {0}, like = p->image.px;
    job.precision = GF_DOUBLE;
    int rc = gf_filter_make(t->s, &job, &t->filtering->frame, &t->filtering->peaks, &filter);
    if (rc)
        return rc;
    job.filter = filter;
    rc = gf_filter_tabulate(&job, gf_settings_threads(t->s), &half);
    if (!rc)
        rc = gf_array_alloc(&p->image.px, like.dtype, like.rank, like.shape);
    double white = like.dtype == GF_U8 ? 255 : 1;
    for (int64_t at = 0; at < gf_array_count(&like) && !rc; at++)
        gf_sample_put((char *)p->image.px.data + at * (int64_t)gf_dtype_size(like.dtype),
                      like.dtype, white * value(&job, &half, at));
    gf_array_free(&half);
    gf_filter_free(filter);
    return rc;
}

/* ---- --paint ---- */

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
        mask[half_index(job, &t->filtering->peaks.mask, i)] = 0;
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
