/* The steps of decoding and of encoding, which all formats share. */
#include <stdlib.h>

#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "formats/image.h"

void gf_image_free(struct gf_image *image) {
    gf_array_free(&image->px);
    free(image->record);
    free(image->note);
    gf_metadata_free(&image->metadata);
    *image = (struct gf_image){0};
}

/* Describes an image whose samples follow a header, and compares their bytes with the file's. */
static int open_plain(struct gf_decoder *d, struct gf_image *image) {
    const struct gf_raw_layout *l = &d->layout;
    int64_t end;
    gf_source_forward(d->source);
    int rc = d->format->header(d, image);
    if (!rc)
        rc = gf_image_describe(image, l->dtype, l->ndim, l->shape, l->channels);
    if (rc)
        return rc;
    const int64_t size = gf_source_known_size(d->data ? d->data : d->source);
    const int64_t bytes =
        gf_array_count(&image->px) * (int64_t)gf_coding_bytes(&d->coding, l->dtype);
    if (__builtin_add_overflow(bytes, l->offset, &end))
        return gf_fail(GF_EUSAGE, "an offset that does not fit 63 bits");
    d->extra +=
        d->unit == GF_WHOLE || d->extra ? gf_array_bytes(&image->px) : 0; /* decoded beside them */
    if (d->unit == GF_PAGE) /* stored in a way that only header() knows, and has checked */
        return GF_OK;
    if (size < 0 || size == end || (d->coding.tail && size > end))
        return GF_OK;
    if (d->format->needs_layout)
        return gf_fail(GF_EFORMAT,
                       "the file has %lld bytes; its shape, type and --skip come to %lld",
                       (long long)size, (long long)end);
    return gf_fail(GF_EFORMAT, "the file holds %lld bytes of data, its header promises %lld",
                   (long long)(size - l->offset), (long long)bytes);
}

double gf_image_spacing(const struct gf_image *image, int i, char *kind) {
    const struct gf_axis *a = gf_axes_spatial(&image->axes, image->ndim, i);
    double x, y;
    if (image->axes.oblique)
        return 0;
    if (a && a->spacing > 0)
        return a->spacing * gf_unit_value(a->unit, kind);
    if (i < image->ndim - 2 || !gf_resolution_in(&image->metadata.resolution, GF_INCH, &x, &y))
        return 0;
    *kind = x <= 12000 && y <= 12000 ? 'p' : 'm';
    return 0.0254 / (i == image->ndim - 1 ? x : y);
}

int gf_decoder_open(struct gf_decoder *d, const struct gf_format *format, struct gf_source *source,
                    const struct gf_read_options *options, struct gf_image *image) {
    *d = (struct gf_decoder){.format = format, .source = source, .options = *options};
    d->unit = format->header ? GF_SAMPLE : format->read_part ? GF_PAGE : GF_WHOLE;
    *image = (struct gf_image){0};
    int rc = format->load ? format->load() : GF_OK;
    if (!rc && format->state_bytes && !(d->state = calloc(1, format->state_bytes)))
        rc = gf_no_memory();
    if (!rc)
        rc = format->header ? open_plain(d, image) : format->open(d, image);
    if (rc) {
        gf_decoder_close(d);
        gf_image_free(image);
    }
    return rc;
}

int gf_decoder_allocate(const struct gf_decoder *d, struct gf_image *image) {
    const struct gf_array like = image->px;
    const int64_t limit = d->options.max_memory;
    int64_t bytes;
    if (like.data)
        return GF_OK;
    int rc = gf_size_product(like.shape, like.rank, (int64_t)gf_dtype_size(like.dtype), &bytes);
    if (!rc && limit > 0)
        rc = gf_memory_check(bytes + d->extra + (int64_t)image->metadata.profile_bytes, limit);
    return rc ? rc : gf_array_alloc(&image->px, like.dtype, like.rank, like.shape);
}

int gf_decoder_read(struct gf_decoder *d, struct gf_image *image, struct gf_feed *feed) {
    int rc = gf_decoder_allocate(d, image);
    if (!rc && feed && d->format->feed)
        d->format->feed(d, image, feed);
    if (rc || (feed && feed->produce))
        return rc;
    if (d->format->read)
        return d->format->read(d, image);
    const bool whole = d->unit == GF_WHOLE;
    return d->format->read_part(d, image, whole ? GF_WHOLE : GF_PAGE, 0,
                                whole ? 1 : image->px.shape[0], image->px.data);
}

void gf_decoder_close(struct gf_decoder *d) {
    if (d->state && d->format->close)
        d->format->close(d);
    free(d->state);
    *d = (struct gf_decoder){0};
}

int gf_encoder_begin(struct gf_encoder *e) {
    return e->format->begin ? e->format->begin(e) : GF_OK;
}

int gf_encoder_end(struct gf_encoder *e, int rc) {
    int last = e->state && e->format->end ? e->format->end(e) : GF_OK;
    return rc ? rc : last;
}

int gf_encoder_write(struct gf_encoder *e) {
    const struct gf_format *f = e->format;
    if (f->write)
        return f->write(e);
    int rc = gf_encoder_begin(e);
    if (!rc)
        rc = f->put_pages(e, e->image);
    return gf_encoder_end(e, rc);
}
