/* Samples and nothing else: the layout comes from the options. */
#include "core/base/status.h"
#include "formats/format.h"
#include "formats/image.h"

int gf_raw_read(struct gf_source *source, const struct gf_read_options *options,
                const struct gf_raw_layout *layout, struct gf_image *image) {
    int64_t full[4], bytes, end;
    int ndim = layout->ndim;
    for (int i = 0; i < ndim; i++)
        full[i] = layout->shape[i];
    full[ndim] = layout->channels;
    int rc = gf_size_product(full, ndim + 1, (int64_t)gf_dtype_size(layout->dtype), &bytes);
    if (rc)
        return rc;
    if (__builtin_add_overflow(bytes, layout->offset, &end))
        return gf_fail(GF_EUSAGE, "an offset that does not fit 63 bits");
    int64_t size = gf_source_known_size(source);
    if (size >= 0 && size != end)
        return gf_fail(GF_EFORMAT, "the file has %lld bytes, its shape, type and offset make %lld",
                       (long long)size, (long long)end);
    rc = gf_image_alloc(image, options, layout->dtype, ndim, layout->shape, layout->channels, 0);
    if (rc)
        return rc;
    image->depth = 8 * (int)gf_dtype_size(layout->dtype);
    image->color = layout->channels == 1   ? GF_GRAY
                   : layout->channels == 3 ? GF_RGB
                                           : GF_OTHER_COLOR;
    if (options->header_only)
        return GF_OK;
    gf_source_forward(source);
    if ((rc = gf_source_seek(source, layout->offset)) != GF_OK)
        return rc;
    int64_t got = gf_source_read(source, image->px.data, (size_t)bytes);
    if (got < 0)
        return (int)got;
    unsigned char more;
    if (got < bytes)
        return gf_fail(GF_EFORMAT, "the data has %lld bytes, its shape and type make %lld",
                       (long long)got, (long long)bytes);
    if (gf_source_peek(source, &more, 1) != 0)
        return gf_fail(GF_EFORMAT, "more data than the %lld bytes of its shape, type and offset",
                       (long long)end);
    size_t unit = gf_dtype_unit(layout->dtype);
    if (layout->big_endian != gf_host_is_big_endian() && unit > 1)
        gf_swap_bytes(image->px.data, (size_t)bytes / unit, unit);
    return GF_OK;
}

static int raw_read(struct gf_source *source, const struct gf_read_options *options,
                    struct gf_image *image) {
    struct gf_raw_layout layout = {.ndim = options->raw.ndim - options->channels_last,
                                   .channels = 1,
                                   .dtype = options->raw.dtype,
                                   .big_endian = options->raw.big_endian,
                                   .offset = options->raw.offset};
    if (options->raw.ndim < 1 || options->raw.ndim > 3 || layout.ndim < 1)
        return gf_fail(GF_EUSAGE, "a raw file needs a shape and a type");
    if (layout.offset < 0)
        return gf_fail(GF_EUSAGE, "an offset before the start of the file");
    for (int i = 0; i < layout.ndim; i++)
        layout.shape[i] = options->raw.shape[i];
    if (options->channels_last)
        layout.channels = options->raw.shape[layout.ndim];
    return gf_raw_read(source, options, &layout, image);
}

static int raw_write(struct gf_sink *sink, const struct gf_image *image,
                     const struct gf_write_options *options) {
    return gf_planes_write(sink, image, options->big_endian);
}

const struct gf_format gf_format_raw = {
    .name = "raw",
    .suffixes = "raw bin",
    .summary = "samples alone, a spectrum's record beside them",
    .read = raw_read,
    .write = raw_write,
    .dtypes = (1u << GF_N_DTYPES) - 1,
    .max_ndim = 3,
    .channels = 1,
    .alpha = true,
    .record_beside = true,
};
