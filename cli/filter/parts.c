/* Makes tables of masks and kernels, for a whole spectrum or a part of it. */

#include <stdlib.h>

#include "cli/filter/filtering.h"
#include "core/slab/plan.h"

int gf_filter_run_once(void *settings, const struct gf_job *job, const struct gf_array *in,
                       struct gf_array *out) {
    const struct gf_settings *s = settings;
    struct gf_backend_options options = {.threads = gf_settings_threads(s)};
    const struct gf_backend *b;
    void *context;
    int rc = gf_backend_find("openmp", &b);
    if (!rc)
        rc = b->open(b, &options, &context);
    if (rc)
        return rc;
    rc = gf_backend_run(b, context, job, in, out, NULL);
    b->close(context);
    return rc;
}

bool gf_filter_spread(const struct gf_job *job, const struct gf_filter_part *p, int64_t *extent) {
    const unsigned axes = job->whole.axes ? job->whole.axes : job->axes;
    int from = p->ndim - 1;
    for (int axis = job->ndim - 1; axis >= 0; axis--)
        extent[axis] = axes >> axis & 1 && from >= 0 ? p->file.extent[from--] : 1;
    for (; from >= 0; from--)
        if (p->file.extent[from] != 1)
            return false;
    return true;
}

/* Appends n samples of a mask as doubles to *to; with `held` only samples i with held[i] >= 0. */
static int take(const struct gf_filter_part *p, const char *samples, int64_t n, const int64_t *held,
                double **to) {
    const struct gf_array *px = &p->header->px;
    const double white = gf_filter_mask_white(p->header);
    const int64_t shape[] = {n, px->shape[p->header->ndim]};
    const struct gf_array a = gf_array_wrap((char *)samples, px->dtype, 2, shape);
    if (gf_array_nonfinite(&a, NULL))
        return gf_fail(GF_EINVAL, "--mask=%s: NaN or Inf among the samples", p->text);
    for (int64_t i = 0; i < n; i++)
        if (!held || held[i] >= 0)
            *(*to)++ = gf_filter_sample(p->header, samples + i * a.stride[0]) / white;
    return 0;
}

/* Numbers the marked indices in order, sets the others to -1, and returns how many are marked. */
static int64_t number(int64_t *held, int64_t n) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        held[i] = held[i] ? count++ : -1;
    return count;
}

/* Reads the mask's samples on which the part's values depend. */
static int read_mask(struct gf_filter_part *p, const struct gf_job *part,
                     struct gf_filter_samples *mask, int64_t *held) {
    const int64_t *n = mask->extent;
    const struct gf_array *px = &p->header->px;
    mask->axis = n[1] > 1 ? 1 : 2; /* x for a picture, or if y is not transformed */
    gf_filter_mark_mask(part, mask->axis, n[mask->axis], held);
    mask->n_held = number(held, n[mask->axis]);
    mask->held = held;
    const int64_t count = n[0] * n[1] * n[2] / n[mask->axis] * mask->n_held;
    mask->value = gf_alloc((size_t)count * sizeof *mask->value);
    const bool by_x = mask->axis == 2;
    double *to = mask->value;
    char *row = gf_alloc((size_t)px->stride[p->ndim - 2]);
    int rc = to && row ? 0 : gf_no_memory();
    for (int64_t z = 0; z < n[0] && !rc; z++)
        for (int64_t y = 0; y < n[1] && !rc; y++) {
            if (!by_x && held[y] < 0)
                continue;
            rc = gf_file_read_part(p->source, p->header, GF_ROW, by_x ? z : z * n[1] + y, 1, row);
            if (!rc)
                rc = take(p, row, px->shape[p->header->ndim - 1], by_x ? held : NULL, &to);
        }
    gf_free(row);
    return rc;
}

/* ---- lines ---- */

enum { SPAN = 1 << 14 };

static int64_t span_bytes(const struct gf_filter_part *p) {
    return SPAN * (p->header->px.stride[p->ndim - 1] + (int64_t)sizeof(double));
}

/* Reads the whole mask, and adds up the part's values. */
static int times_line_mask(const struct gf_settings *s, const struct gf_filter_part *p,
                           const struct gf_job *part, struct gf_filter *filter) {
    const int64_t extent = p->file.extent[p->ndim - 1];
    const int threads = gf_settings_threads(s);
    double *value = gf_alloc((size_t)part->shape[0] * sizeof *value);
    char *room = gf_alloc((size_t)span_bytes(p));
    int rc = value && room ? 0 : gf_no_memory();
    if (!rc && gf_file_unit(p->source) < GF_SAMPLE)
        rc = gf_fail(GF_EUNSUPP, "--mask=%s: a line's mask of that size is a raw or .npy file",
                     p->text);
    if (!rc)
        memset(value, 0, (size_t)part->shape[0] * sizeof *value);
    for (int64_t at = 0; at < extent && !rc; at += SPAN) {
        char *samples = room + SPAN * sizeof(double);
        double *to = (double *)room;
        const struct gf_filter_samples span = {
            .extent = {extent}, .value = to, .first = at, .count = gf_min(extent - at, SPAN)};
        rc = gf_file_read_part(p->source, p->header, GF_SAMPLE, span.first, span.count, samples);
        if (!rc)
            rc = take(p, samples, span.count, NULL, &to);
        if (!rc)
            gf_filter_add_span(part, &span, threads, value);
    }
    if (!rc)
        rc = gf_filter_times_values(filter, part, threads, value);
    gf_free(value);
    gf_free(room);
    return rc;
}

static int times_mask(const struct gf_settings *s, struct gf_filter_part *p,
                      const struct gf_job *part, struct gf_filter *filter) {
    struct gf_filter_samples mask = {.value = p->file.value};
    const int threads = gf_settings_threads(s);
    gf_filter_spread(part, p, mask.extent);
    if (p->source && part->whole.step)
        return times_line_mask(s, p, part, filter);
    if (!p->source)
        return gf_filter_times_mask(filter, part, threads, &mask);
    const int64_t n = mask.extent[1] > mask.extent[2] ? mask.extent[1] : mask.extent[2];
    int64_t *held = malloc((size_t)n * sizeof *held);
    int rc = held ? read_mask(p, part, &mask, held) : gf_no_memory();
    if (!rc)
        rc = gf_filter_times_mask(filter, part, threads, &mask);
    gf_free(mask.value);
    free(held);
    return rc;
}

int64_t gf_filter_parts_bytes(const struct gf_task *t, int64_t *kernel) {
    const struct gf_job *job = &t->op.job;
    int64_t bytes = 0;
    *kernel = 0;
    for (int i = 0; i < t->s->filter.n_parts; i++) {
        const struct gf_filter_part *p = &t->s->filter.part[i];
        if (p->file.value)
            bytes += gf_shape_count(p->file.extent, p->ndim) * (int64_t)sizeof *p->file.value;
        if (p->source && gf_slab_is_line(job))
            bytes += span_bytes(p);
        if (p->file.value && !gf_filter_is_shown(p) &&
            !gf_slab_is_line(job)) /* a line's plan counts it */
            *kernel = gf_filter_kernel_bytes(job);
    }
    return bytes;
}

int gf_filter_times_part(const struct gf_settings *s, const struct gf_filter_part *p,
                         const struct gf_job *job, struct gf_filter *filter) {
    const struct gf_filter_transform transform = {gf_filter_run_once, (void *)s};
    struct gf_filter_samples kernel = {.value = p->file.value};
    gf_filter_spread(job, p, kernel.extent);
    return gf_filter_times_kernel(filter, job, gf_settings_threads(s), &kernel, &transform);
}

int gf_filter_make_table(const void *settings, const struct gf_job *part,
                         struct gf_filter *filter) {
    const struct gf_settings *s = settings;
    int rc = 0;
    for (int i = 0; i < s->filter.n_parts && !rc; i++) {
        struct gf_filter_part *p = (struct gf_filter_part *)&s->filter.part[i];
        if (p->what == GF_MASK)
            rc = times_mask(s, p, part, filter);
        else if (p->what == GF_KERNEL || p->what == GF_KERNEL_MADE)
            rc = gf_filter_times_part(s, p, part, filter);
    }
    return rc;
}
