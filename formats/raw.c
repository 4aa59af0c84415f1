/* Samples without a header: the options give the layout. */
#include "core/base/value/status.h"
#include "formats/image.h"

/* Separates the layout's channels from its spatial axes. */
static int raw_header(struct gf_decoder *d, struct gf_image *image) {
    const struct gf_read_options *options = &d->options;
    struct gf_raw_layout *l = &d->layout;
    *l = options->raw;
    if (l->ndim < 1 || l->ndim > 3)
        return gf_fail(GF_EUSAGE, "a raw file needs a shape and a type");
    if (l->channels == 0 && options->channels_last) {
        if (--l->ndim < 1)
            return gf_fail(GF_EUSAGE, "a raw file needs a shape and a type");
        l->channels = l->shape[l->ndim];
        image->channel_axis = l->channels == 1;
    } else if (l->channels == 0) {
        l->channels = 1;
    }
    return l->offset < 0 ? gf_fail(GF_EUSAGE, "an offset before the start of the file") : GF_OK;
}

const struct gf_format gf_format_raw = {
    .name = "raw",
    .suffixes = "raw bin",
    .summary = "samples alone, a spectrum's record beside them",
    .header = raw_header,
    .read_part = gf_plain_read,
    .put_pages = gf_planes_write,
    .dtypes = (1u << GF_N_DTYPES) - 1,
    .max_ndim = 3,
    .lines = true,
    .channels = 1,
    .alpha = true,
    .byte_order = true,
    .record_beside = true,
    .needs_layout = true,
};
