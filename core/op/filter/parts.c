/* Makes tables of masks and kernels, for a whole spectrum or a part of it. */

#include <stdlib.h>

#include "core/op/filter/filtering.h"
#include "core/schedule/plan.h"

int gf_filter_run_here(void *threads, const struct gf_job *job, const struct gf_array *in,
                       struct gf_array *out) {
    return gf_engine_run_here(*(const int *)threads, job, in, out);
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

/* Numbers the marked indices in order, sets the others to -1, and returns how many are marked. */
static int64_t number(int64_t *held, int64_t n) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        held[i] = held[i] ? count++ : -1;
    return count;
}

/* Reads the mask's samples on which the part's values depend. */
static int read_mask(const struct gf_filter_part *p, const struct gf_job *part,
                     struct gf_filter_samples *mask, int64_t *held) {
    const int64_t *n = mask->extent, width = p->file.extent[p->ndim - 1];
    mask->axis = n[1] > 1 ? 1 : 2; /* x for a picture, or if y is not transformed */
    gf_filter_mark_mask(part, mask->axis, n[mask->axis], held);
    mask->n_held = number(held, n[mask->axis]);
    mask->held = held;
    const int64_t count = n[0] * n[1] * n[2] / n[mask->axis] * mask->n_held;
    mask->value = gf_alloc((size_t)count * sizeof *mask->value);
    const bool by_x = mask->axis == 2;
    double *to = mask->value, *row = gf_alloc((size_t)width * sizeof *row);
    int rc = to && row ? 0 : gf_no_memory();
    for (int64_t z = 0; z < n[0] && !rc; z++)
        for (int64_t y = 0; y < n[1] && !rc; y++) {
            if (!by_x && held[y] < 0)
                continue;
            rc = p->read(p, by_x ? z : z * n[1] + y, 1, row);
            for (int64_t x = 0; x < width && !rc; x++)
                if (!by_x || held[x] >= 0)
                    *to++ = row[x];
        }
    gf_free(row);
    return rc;
}

/* ---- lines ---- */

enum { SPAN = 1 << 14 };

static int64_t span_bytes(const struct gf_filter_part *p) {
    return SPAN * (p->sample_bytes + (int64_t)sizeof(double));
}

/* Reads the whole mask, and adds up the part's values. */
static int times_line_mask(const struct gf_filter_part *p, const struct gf_job *part, int threads,
                           struct gf_filter *filter) {
    const int64_t extent = p->file.extent[p->ndim - 1];
    double *value = gf_alloc((size_t)part->shape[0] * sizeof *value);
    double *room = gf_alloc(SPAN * sizeof *room);
    int rc = value && room ? 0 : gf_no_memory();
    if (!rc)
        memset(value, 0, (size_t)part->shape[0] * sizeof *value);
    for (int64_t at = 0; at < extent && !rc; at += SPAN) {
        const struct gf_filter_samples span = {
            .extent = {extent}, .value = room, .first = at, .count = gf_min(extent - at, SPAN)};
        rc = p->read(p, span.first, span.count, room);
        if (!rc)
            gf_filter_add_span(part, &span, threads, value);
    }
    if (!rc)
        rc = gf_filter_times_values(filter, part, threads, value);
    gf_free(value);
    gf_free(room);
    return rc;
}

static int times_mask(const struct gf_filter_part *p, const struct gf_job *part, int threads,
                      struct gf_filter *filter) {
    struct gf_filter_samples mask = {.value = p->file.value};
    gf_filter_spread(part, p, mask.extent);
    if (p->read && part->whole.step)
        return times_line_mask(p, part, threads, filter);
    if (!p->read)
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

int64_t gf_filter_parts_bytes(const struct gf_operation *op, int64_t *kernel) {
    const struct gf_filter_options *o = gf_filter_options_of(op);
    const struct gf_job *job = &op->job;
    int64_t bytes = 0;
    *kernel = 0;
    for (int i = 0; i < o->n_parts; i++) {
        const struct gf_filter_part *p = &o->part[i];
        if (p->file.value)
            bytes += gf_shape_count(p->file.extent, p->ndim) * (int64_t)sizeof *p->file.value;
        if (p->read && gf_slab_is_line(job))
            bytes += span_bytes(p);
        if (p->file.value && !gf_filter_is_shown(p) &&
            !gf_slab_is_line(job)) /* a line's plan counts it */
            *kernel = gf_filter_kernel_bytes(job);
    }
    return bytes;
}

/* Multiplies by a kernel, or a point-spread function, centred at extent / 2. */
static int times_part(const struct gf_filter_part *p, const struct gf_job *job, int threads,
                      struct gf_filter *filter) {
    const struct gf_filter_transform transform = {gf_filter_run_here, &threads};
    struct gf_filter_samples kernel = {.value = p->file.value};
    gf_filter_spread(job, p, kernel.extent);
    return gf_filter_times_kernel(filter, job, threads, &kernel, &transform);
}

/* ---- blurs ---- */

/* exp(-2 pi^2 S^2 f^2), with f = k / P. */
int gf_filter_add_blur(struct gf_filter *f, const struct gf_job *job, double pixels) {
    struct gf_lowpass l = {.profile = GF_GAUSSIAN};
    for (int i = 0; i < job->ndim; i++)
        l.radius[i] = fmin(fmax((double)job->shape[i] / (2 * M_PI * pixels), 1e-60), 1e60);
    return gf_filter_add_lowpass(f, &l);
}

int gf_filter_add_psf(const struct gf_filter_options *o, const struct gf_job *job, int threads,
                      struct gf_filter *f) {
    const struct gf_filter_part *p = gf_filter_psf(o);
    const struct gf_job whole = gf_filter_whole(job);
    return p->file.value ? times_part(p, job, threads, f)
                         : gf_filter_add_blur(f, &whole, p->psf.size);
}

int gf_filter_take_psf(const struct gf_filter_options *o, const struct gf_job *job, int threads,
                       struct gf_filter *f) {
    struct gf_job blur = *job;
    struct gf_array h = {0};
    struct gf_filter *own;
    int rc = gf_filter_new(&own);
    if (rc)
        return rc;
    blur.filter = own;
    rc = gf_filter_add_psf(o, job, threads, own);
    if (!rc)
        rc = gf_filter_tabulate(&blur, threads, &h);
    if (!rc && !h.base) { /* a view of the table */
        h = own->table;
        own->table = (struct gf_array){0};
    }
    f->table = h;
    gf_filter_free(own);
    return rc;
}

int gf_filter_make_table(const void *options, const struct gf_job *part, int threads,
                         struct gf_filter *filter) {
    const struct gf_filter_options *o = options;
    int rc = 0;
    if (filter->in_parts && gf_filter_psf(o)) {
        rc = gf_filter_take_psf(o, part, threads, filter);
        if (!rc)
            rc = gf_wiener_invert(part, NULL, o->restore.regularize, threads, &filter->table);
    }
    for (int i = 0; i < o->n_parts && !rc; i++) {
        const struct gf_filter_part *p = &o->part[i];
        if (p->what == GF_MASK)
            rc = times_mask(p, part, threads, filter);
        else if (p->what == GF_KERNEL || p->what == GF_KERNEL_MADE)
            rc = times_part(p, part, threads, filter);
    }
    return rc;
}
