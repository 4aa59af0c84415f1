/* What the commands' prepare() share: channels, alpha, shapes of outputs. */
#include "cli/batch/describe.h"

#include <string.h>

#include "cli/batch/store.h"
#include "core/base/status.h"

void gf_task_split(struct gf_task *t, const struct gf_array *px, int64_t channels) {
    const int axis = t->job.ndim;
    t->in = *px;
    t->in.base = NULL;
    t->in.shape[axis] = channels;
    t->has_alpha = px->shape[axis] > channels;
}

int gf_task_take_recorded(struct gf_task *t, bool alpha) {
    struct gf_array px = t->image.px;
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(&t->job, shape);
    shape[t->job.ndim] += alpha;
    int rc = gf_image_match(&px, t->job.ndim + 1, shape);
    if (!rc)
        gf_task_split(t, &px, t->job.channels);
    return rc;
}

void gf_task_take_metadata(struct gf_task *t, const struct gf_record *r) {
    struct gf_metadata *m = &t->image.metadata;
    unsigned char *profile = m->profile;
    size_t bytes = m->profile_bytes;
    if (!r)
        return;
    *m = r->metadata;
    m->profile = profile;
    m->profile_bytes = bytes;
}

int gf_task_take_channels(struct gf_task *t) {
    const struct gf_image *image = &t->image;
    int64_t channels = image->px.shape[image->ndim] - image->alpha;
    if (channels < 1)
        return gf_fail(GF_EINVAL, "nothing but an alpha channel");
    t->job.channels = channels;
    t->job.luma = t->s->color && channels > 1;
    if (t->job.luma && image->color != GF_RGB)
        return gf_fail(GF_EINVAL,
                       "--color=luma needs red, green and blue, and these are %lld "
                       "plain channels",
                       (long long)channels);
    gf_task_split(t, &image->px, channels);
    return 0;
}

enum gf_precision gf_task_precision(const struct gf_settings *s, enum gf_dtype dtype) {
    if (s->precision != GF_UNSET)
        return (enum gf_precision)s->precision;
    bool wide = dtype == GF_F64 || dtype == GF_C128 || dtype == GF_U32 || dtype == GF_I32;
    return wide ? GF_DOUBLE : GF_SINGLE;
}

int gf_task_describe(struct gf_task *t, int i, enum gf_color color) {
    struct gf_product *p = &t->product[i];
    int64_t shape[GF_MAX_RANK], bytes;
    gf_job_out_shape(&t->job, i, shape);
    shape[t->job.ndim] += p->alpha_plane;
    int rc = gf_size_product(shape, t->job.ndim + 1, (int64_t)gf_dtype_size(t->job.out[i].dtype),
                             &bytes);
    if (rc)
        return rc;
    p->image.px = gf_array_wrap(NULL, t->job.out[i].dtype, t->job.ndim + 1, shape);
    memcpy(p->shape, shape, sizeof p->shape);
    p->image.ndim = t->job.ndim;
    p->image.color = color;
    p->image.channel_axis = p->image.channel_axis || t->image.channel_axis;
    return t->s->plan_only ? 0 : gf_product_accepts(p);
}
