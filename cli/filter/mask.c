/* --mask-out: draws half the filter's spectrum, and mirrors that. */
#include "cli/batch/shared_output.h"
#include "cli/filter/filtering.h"
#include "core/base/value/sample_value.h"

int gf_filter_describe_mask(struct gf_task *t, struct gf_product *p) {
    int64_t shape[GF_MAX_RANK];
    int ndim = 0;
    enum gf_dtype dtype;
    for (int i = 0; i < t->op.job.ndim; i++)
        if (t->op.job.axes >> i & 1)
            shape[ndim++] = gf_filtering_of(&t->op)->frame.shape[i];
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
    int64_t samples = 1;
    for (int i = 0; i < t->op.job.ndim; i++)
        samples *= t->op.job.axes >> i & 1 ? gf_filtering_of(&t->op)->frame.shape[i] : 1;
    /* Half a spectrum of complex doubles, and the table that it is made from. */
    return t->s->mask_out ? 16 * samples : 0;
}

/* The picture, in memory or in a file. */
struct drawing {
    struct gf_array px;
    struct gf_volume *volume; /* NULL: px has data */
};

/* Writes n samples along the last axis from `at` on. */
static int put_run(const struct drawing *d, const int64_t *at, int64_t n, const char *samples) {
    const int x = d->px.rank - 2;
    const int64_t size = (int64_t)gf_dtype_size(d->px.dtype);
    const struct gf_volume_box box = {x > 1 ? at[x - 2] : 0, x > 0 ? at[x - 1] : 0, at[x], 1, n};
    char *to = (char *)d->px.data;
    if (d->volume)
        return n ? gf_volume_write(d->volume, &box, samples, n * size) : 0;
    for (int i = 0; i <= x; i++)
        to += at[i] * d->px.stride[i];
    memcpy(to, samples, (size_t)(n * size));
    return 0;
}

/* Draws a row of half the spectrum at index `k` of the other axes, and its mirror image at -k, with the
 * zero frequency in the middle. */
static int draw_row(const struct drawing *d, const int64_t *k, const char *row, char *mirror) {
    const int x = d->px.rank - 2;
    const int64_t *n = d->px.shape, size = (int64_t)gf_dtype_size(d->px.dtype), half = n[x] / 2;
    int64_t at[GF_MAX_DIMS], away[GF_MAX_DIMS];
    for (int i = 0; i < x; i++) {
        at[i] = (k[i] + n[i] / 2) % n[i];
        away[i] = ((n[i] - k[i]) % n[i] + n[i] / 2) % n[i];
    }
    const int64_t right = (n[x] + 1) / 2, left = right - 1; /* from 0 on; mirrored 1 .. left */
    at[x] = half;
    int rc = put_run(d, at, right, row);
    at[x] = 0;
    if (!rc && n[x] % 2 == 0)
        rc = put_run(d, at, 1, row + half * size);
    for (int64_t i = 1; i <= left; i++)
        memcpy(mirror + (left - i) * size, row + i * size, (size_t)size);
    away[x] = half - left;
    return rc ? rc : put_run(d, away, left, mirror);
}

/* A gf_filter_take_values: the values, or the magnitudes of complex ones. */
static int draw(void *user, const struct gf_job *job, const struct gf_array *values) {
    const struct drawing *d = user;
    const unsigned axes = job->whole.axes ? job->whole.axes : job->axes;
    const enum gf_dtype type = d->px.dtype;
    int last = job->ndim - 1;
    while (last && !(axes >> last & 1)) /* axes that are not transformed have one sample */
        last--;
    const int64_t size = (int64_t)gf_dtype_size(type), n = values->shape[last];
    const double white = type == GF_U8 ? 255 : 1;
    char *row = gf_alloc((size_t)(2 * n * size));
    int rc = row ? 0 : gf_no_memory();
    for (int64_t r = 0; r < gf_array_count(values) / n && !rc; r++) {
        int64_t k[GF_MAX_DIMS] = {0}, rest = r;
        int count = d->px.rank - 2;
        for (int i = last - 1; i >= 0; i--) {
            const int64_t index = job->whole.first[i] + rest % values->shape[i];
            rest /= values->shape[i];
            if (axes >> i & 1)
                k[--count] = index;
        }
        for (int64_t x = 0; x < n; x++) {
            const struct gf_number y = gf_filter_number(values, r * n + x);
            const bool is_complex = gf_dtype_is_complex(values->dtype);
            gf_sample_put(row + x * size, type, white * (is_complex ? hypot(y.re, y.im) : y.re));
        }
        rc = draw_row(d, k, row, row + n * size);
    }
    gf_free(row);
    return rc;
}

int gf_filter_draw_mask(struct gf_task *t, struct gf_volume *volume) {
    enum { SHARE = 4 };
    struct gf_product *p = &t->product[t->op.job.n_out];
    const struct gf_array like = p->image.px;
    int rc = volume ? 0 : gf_array_alloc(&p->image.px, like.dtype, like.rank, like.shape);
    struct drawing d = {p->image.px, volume};
    return rc ? rc : gf_filter_values(&t->op, gf_runner_limit(t->op.crew.runner) / SHARE, draw, &d);
}
