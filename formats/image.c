/* Helpers that the formats share, see image.h. */
#include "formats/image.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"

int gf_image_note(char **note, const char *format, ...) {
    va_list values;
    if (*note)
        return GF_OK;
    va_start(values, format);
    const int n = vasprintf(note, format, values);
    va_end(values);
    if (n >= 0)
        return GF_OK;
    *note = NULL;
    return gf_no_memory();
}

int gf_image_describe(struct gf_image *image, enum gf_dtype dtype, int ndim, const int64_t *shape,
                      int64_t channels) {
    int64_t full[GF_MAX_RANK], bytes;
    if (channels < 1 || channels > GF_MAX_CHANNELS)
        return gf_fail(GF_EUNSUPP, "%lld channels (1 to %d can be read)", (long long)channels,
                       GF_MAX_CHANNELS);
    for (int i = 0; i < ndim; i++)
        full[i] = shape[i];
    full[ndim] = channels;
    int rc = gf_size_product(full, ndim + 1, (int64_t)gf_dtype_size(dtype), &bytes);
    if (rc)
        return rc;
    image->ndim = ndim;
    image->px = gf_array_wrap(NULL, dtype, ndim + 1, full);
    if (image->depth == 0) {
        image->depth = 8 * (int)gf_dtype_size(dtype);
        image->color = gf_color_of(channels);
    }
    return GF_OK;
}

int gf_layout_extents(struct gf_raw_layout *l, int n, const int64_t *extent) {
    while (n > 2 && extent[n - 1] == 1)
        n--;
    l->ndim = n < 3 ? n : 3;
    for (int i = 0; i < n; i++) {
        int64_t *to = &l->shape[l->ndim - 1 - (i < 2 ? i : 2)];
        if (__builtin_mul_overflow(i > 2 ? *to : 1, extent[i], to))
            return gf_fail(GF_EFORMAT, "broken header: more samples than 63 bits count");
    }
    return n;
}

int gf_image_plausible(struct gf_source *source, int64_t need, int64_t ratio) {
    int64_t size = gf_source_known_size(source);
    if (size < 0 || need / ratio <= size)
        return GF_OK;
    return gf_fail(GF_EFORMAT, "a file of %lld bytes cannot hold the %lld that it claims",
                   (long long)size, (long long)need);
}

int gf_header_keep(struct gf_decoder *d, struct gf_image *image, const void *h, size_t n,
                   int64_t all) {
    const int64_t size = gf_source_known_size(d->source);
    if (size >= 0 && size < all)
        return gf_fail(GF_EFORMAT, "it ends before its samples");
    if (all > GF_MOST_HEADER) /* left out */
        return GF_OK;
    unsigned char *text = malloc((size_t)all);
    if (!text)
        return gf_no_memory();
    memcpy(text, h, n);
    int rc = gf_source_read_exactly(d->source, text + n, (size_t)all - n);
    if (!rc)
        rc = gf_header_copy(&image->metadata, d->format->name, text, (size_t)all);
    free(text);
    return rc;
}

const unsigned char *gf_header_of(const struct gf_image *image, const struct gf_format *format,
                                  size_t least) {
    const struct gf_metadata *m = &image->metadata;
    return m->header_format == format->name && m->header_bytes >= least ? m->header : NULL;
}

void gf_planes_view(struct gf_planes *p, const struct gf_image *image) {
    const struct gf_array *a = &image->px;
    p->px = *a;
    p->px.base = NULL;
    p->px.rank = 4;
    int missing = 4 - a->rank;
    for (int i = 3; i >= 0; i--) {
        p->px.shape[i] = i < missing ? 1 : a->shape[i - missing];
        p->px.stride[i] = i < missing ? 0 : a->stride[i - missing];
    }
    p->depth = p->px.shape[0];
    p->height = p->px.shape[1];
    p->width = p->px.shape[2];
    p->channels = p->px.shape[3];
    p->sample = gf_dtype_size(a->dtype);
    p->row_bytes = (size_t)(p->width * p->channels) * p->sample;
    p->dense_rows = gf_array_has_dense_rows(&p->px);
}

bool gf_planes_in_place(const struct gf_planes *p) {
    return p->dense_rows && (p->height == 1 || p->px.stride[1] == (int64_t)p->row_bytes);
}

const void *gf_planes_rows(const struct gf_planes *p, int64_t z, int64_t y, int64_t n,
                           void *buffer) {
    if (p->dense_rows && (n == 1 || gf_planes_in_place(p)))
        return (const char *)p->px.data + z * p->px.stride[0] + y * p->px.stride[1];
    struct gf_array plane = gf_array_index(&p->px, 0, z);
    struct gf_array rows = gf_array_slice(&plane, 0, y, n);
    struct gf_array copy = gf_array_wrap(buffer, rows.dtype, rows.rank, rows.shape);
    gf_array_copy(&copy, &rows);
    return buffer;
}

bool gf_plain_encode(const struct gf_format *format, bool big_endian, enum gf_dtype dtype, size_t n,
                     void *data) {
    const size_t size = gf_dtype_size(dtype), unit = gf_dtype_size(gf_dtype_real(dtype));
    const bool flips = format->flips >> dtype & 1;
    const bool swaps = unit > 1 && (format->big_endian || big_endian) != gf_host_is_big_endian();
    if (flips && data)
        gf_flip_signs(data, n, size);
    if (swaps && data)
        gf_swap_bytes(data, n * (size / unit), unit);
    return flips || swaps;
}

/* Encodes n numbers into `to`, which may be `from` without a coding. */
static void encode(const struct gf_encoder *e, const void *from, size_t n, enum gf_dtype dtype,
                   void *to) {
    const struct gf_format *f = e->format;
    const size_t stored = gf_coding_bytes(&e->coding, dtype);
    if (e->coding.coded) {
        gf_coding_encode(&e->coding, from, (int64_t)n, dtype, to);
        if (e->coding.flips)
            gf_flip_signs(to, n, stored);
        if (f->big_endian != gf_host_is_big_endian())
            gf_swap_bytes(to, n, stored);
        return;
    }
    if (from != to)
        memcpy(to, from, n * stored);
    gf_plain_encode(f, f->byte_order && e->options->big_endian, dtype, n, to);
}

int gf_planes_write(struct gf_encoder *e, const struct gf_image *image) {
    struct gf_planes p;
    gf_planes_view(&p, image);
    const enum gf_dtype dtype = image->px.dtype;
    const size_t row = (size_t)(p.width * p.channels), stored = gf_coding_bytes(&e->coding, dtype);
    const bool big_endian = e->format->byte_order && e->options->big_endian;
    const bool codes = e->coding.coded || gf_plain_encode(e->format, big_endian, dtype, 0, NULL);
    const bool copies = codes || !gf_planes_in_place(&p);
    const int64_t step = copies ? (int64_t)(1024 * 1024 / p.row_bytes) + 1 : p.height;
    const size_t most = stored > p.sample ? stored : p.sample;
    char *buffer = copies ? malloc((size_t)step * row * (p.sample + (codes ? most : 0))) : NULL;
    if (copies && !buffer)
        return gf_no_memory();
    char *coded = codes ? buffer + (size_t)step * p.row_bytes : NULL;
    int rc = GF_OK;
    for (int64_t z = 0; z < p.depth && !rc; z++)
        for (int64_t y = 0; y < p.height && !rc; y += step) {
            const int64_t n = gf_min(p.height - y, step);
            const void *rows = gf_planes_rows(&p, z, y, n, buffer);
            if (codes)
                encode(e, rows, (size_t)n * row, dtype, coded);
            rc = gf_sink_write(e->sink, codes ? coded : rows, (size_t)n * row * stored);
        }
    free(buffer);
    return rc;
}

/* Reads up to n numbers at the source's position in the host's byte order; returns how many. */
static int64_t read_numbers(struct gf_decoder *d, enum gf_dtype dtype, int64_t n, void *to) {
    const struct gf_coding *c = &d->coding;
    const size_t stored = gf_coding_bytes(c, dtype);
    const size_t unit = c->coded ? stored : gf_dtype_size(gf_dtype_real(dtype));
    const int64_t got = gf_source_read(d->data ? d->data : d->source, to, (size_t)n * stored);
    if (got < 0)
        return got;
    if (unit > 1 && d->layout.big_endian != gf_host_is_big_endian())
        gf_swap_bytes(to, (size_t)got / unit, unit);
    if (c->flips)
        gf_flip_signs(to, (size_t)got / stored, stored);
    return got / (int64_t)stored;
}

/* The same for numbers in another type, in pieces. */
static int64_t read_coded(struct gf_decoder *d, enum gf_dtype dtype, int64_t n, char *to) {
    enum { PIECE = 1 << 15 };
    unsigned char piece[PIECE];
    const int64_t most = PIECE / (int64_t)gf_coding_bytes(&d->coding, dtype);
    int64_t done = 0, got = most;
    while (done < n && got == most) {
        got = read_numbers(d, dtype, gf_min(n - done, most), piece);
        if (got < 0)
            return got;
        int rc = gf_coding_decode(&d->coding, piece, got, dtype,
                                  to + (size_t)done * gf_dtype_size(dtype));
        if (rc)
            return rc;
        done += got;
    }
    return done;
}

int64_t gf_image_numbers(const struct gf_image *image, enum gf_unit unit) {
    const struct gf_array *px = &image->px;
    const int axis = unit == GF_WHOLE  ? 0
                     : unit == GF_PAGE ? 1
                     : unit == GF_ROW  ? image->ndim - 1
                                       : image->ndim;
    return gf_shape_count(px->shape + axis, px->rank - axis);
}

int gf_plain_read(struct gf_decoder *d, const struct gf_image *image, enum gf_unit unit,
                  int64_t first, int64_t n, void *to) {
    const enum gf_dtype dtype = image->px.dtype;
    struct gf_source *source = d->data ? d->data : d->source;
    const int64_t stored = (int64_t)gf_coding_bytes(&d->coding, dtype), offset = d->layout.offset;
    const int64_t count = n * gf_image_numbers(image, unit), from = n ? count / n * first : 0;
    const int64_t all = gf_array_count(&image->px) * stored;
    int rc = gf_source_seek(source, offset + from * stored);
    if (rc)
        return rc;
    const int64_t got =
        d->coding.coded ? read_coded(d, dtype, count, to) : read_numbers(d, dtype, count, to);
    if (got < 0)
        return (int)got;
    if (got < count)
        return gf_fail(GF_EFORMAT, "the data has %lld bytes, its shape and type make %lld",
                       (long long)(gf_source_tell(source) - offset), (long long)all);
    unsigned char more;
    const bool last = (from + count) * stored == all;
    const int64_t rest = last ? gf_source_peek(source, &more, 1) : 0; /* or a checksum's failure */
    if (rest < 0)
        return (int)rest;
    if (rest && !d->coding.tail)
        return gf_fail(GF_EFORMAT, "more data than the %lld bytes of its shape, type and offset",
                       (long long)(all + offset));
    return GF_OK;
}

int gf_fail_text(int code, const char *prefix, const char *text) {
    char clean[160];
    while (*text == ' ')
        text++;
    gf_clean_text(clean, sizeof clean, text);
    size_t n = strlen(clean);
    while (n && (clean[n - 1] == '.' || clean[n - 1] == ' ' || clean[n - 1] == '?'))
        clean[--n] = 0;
    if (clean[0] >= 'A' && clean[0] <= 'Z' && clean[1] >= 'a' && clean[1] <= 'z')
        clean[0] = (char)(clean[0] + 'a' - 'A');
    return gf_fail(code, "%s%s", prefix, clean);
}
