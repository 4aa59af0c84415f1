/* Samples without a header: the options give the layout. */
#include "core/base/status.h"
#include "formats/image.h"

/* Separates the layout's channels from its spatial axes. */
static int complete_layout(const struct gf_read_options *options, struct gf_raw_layout *l) {
    *l = options->raw;
    if (l->ndim < 1 || l->ndim > 3)
        return gf_fail(GF_EUSAGE, "a raw file needs a shape and a type");
    if (l->channels == 0 && options->channels_last) {
        if (--l->ndim < 1)
            return gf_fail(GF_EUSAGE, "a raw file needs a shape and a type");
        l->channels = l->shape[l->ndim];
    } else if (l->channels == 0) {
        l->channels = 1;
    }
    return l->offset < 0 ? gf_fail(GF_EUSAGE, "an offset before the start of the file") : GF_OK;
}

static int raw_open(struct gf_decoder *d, struct gf_image *image) {
    struct gf_raw_layout *l = d->state;
    int64_t end;
    gf_source_forward(d->source);
    int rc = complete_layout(&d->options, l);
    if (!rc)
        rc = gf_image_describe(image, l->dtype, l->ndim, l->shape, l->channels);
    if (rc)
        return rc;
    if (__builtin_add_overflow(gf_array_bytes(&image->px), l->offset, &end))
        return gf_fail(GF_EUSAGE, "an offset that does not fit 63 bits");
    int64_t size = gf_source_known_size(d->source);
    if (size >= 0 && size != end)
        return gf_fail(GF_EFORMAT,
                       "the file has %lld bytes; its shape, type and --skip come to %lld",
                       (long long)size, (long long)end);
    image->channel_axis =
        d->options.raw.channels == 0 && l->ndim < d->options.raw.ndim && l->channels == 1;
    return GF_OK;
}

static int put_pages(struct gf_encoder *e, const struct gf_image *pages) {
    return gf_planes_write(e->sink, pages, e->options->big_endian);
}

const struct gf_format gf_format_raw = {
    .name = "raw",
    .suffixes = "raw bin",
    .summary = "samples alone, a spectrum's record beside them",
    .state_bytes = sizeof(struct gf_raw_layout),
    .open = raw_open,
    .read_pages = gf_plain_read_pages,
    .plain_rows = true,
    .put_pages = put_pages,
    .dtypes = (1u << GF_N_DTYPES) - 1,
    .max_ndim = 3,
    .lines = true,
    .channels = 1,
    .alpha = true,
    .byte_order = true,
    .record_beside = true,
    .needs_layout = true,
};
