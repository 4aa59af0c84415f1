/* --mask-out: tabulates half the filter's spectrum, and mirrors that. */
#include "cli/filter/filtering.h"
#include "core/base/value/sample_value.h"

/* The job at the picture's size, with one sample along axes that are not transformed. */
static struct gf_job mask_job(const struct gf_task *t) {
    struct gf_job job = t->op.job;
    for (int i = 0; i < job.ndim; i++)
        job.shape[i] = job.axes >> i & 1 ? gf_filtering_of(&t->op)->frame.shape[i] : 1;
    job.channels = 1;
    return job;
}

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
    const struct gf_job job = mask_job(t);
    /* Half a spectrum of complex doubles, and the table that it is made from. */
    return t->s->mask_out ? 16 * gf_shape_count(job.shape, job.ndim) : 0;
}

/* The value, or a complex one's magnitude, at the picture's centred position `at` (C order). */
static double value(const struct gf_job *job, const struct gf_array *half, int64_t at) {
    int64_t where[2];
    gf_filter_find_bin(job, half, (struct gf_layout){.centred = true}, at, where);
    const struct gf_number y = gf_filter_number(half, where[0]);
    return gf_dtype_is_complex(half->dtype) ? hypot(y.re, y.im) : y.re;
}

int gf_filter_draw_mask(struct gf_task *t, struct gf_product *p) {
    struct gf_job job = mask_job(t);
    struct gf_filter *filter;
    const struct gf_filtering *f = gf_filtering_of(&t->op);
    struct gf_array half = {0}, like = p->image.px;
    job.precision = GF_DOUBLE;
    int rc =
        gf_filter_make(t->s->maker, &job, gf_settings_threads(t->s), &f->frame, &f->peaks, &filter);
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
