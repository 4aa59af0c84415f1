/* TIFF in: pages of one shape as a picture or volume. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "formats/image.h"
#include "formats/record.h"
#include "formats/tiff/tiff.h"

static bool tiff_sniff(const unsigned char *head, size_t n) {
    return n >= 4 && (!memcmp(head, "II*\0", 4) || !memcmp(head, "MM\0*", 4) ||
                      !memcmp(head, "II+\0", 4) || !memcmp(head, "MM\0+", 4));
}

struct reader {
    struct gf_tiff t;
    struct gf_tiff_page first;
    uint64_t *offsets; /* of the directories to decode */
    size_t n, capacity;
    size_t pages; /* n, or more that follow the listed one without a directory */
    int64_t stored_bytes, buffer_bytes;
};

static int add_page(struct reader *r, uint64_t offset) {
    if (r->n == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 16;
        uint64_t *more = realloc(r->offsets, capacity * sizeof *more);
        if (!more)
            return gf_no_memory();
        r->offsets = more;
        r->capacity = capacity;
    }
    r->offsets[r->n++] = offset;
    return GF_OK;
}

static int fail_differing(const struct gf_tiff_page *a, const struct gf_tiff_page *b, int page) {
    return gf_fail(
        GF_EINVAL,
        "its pages differ: page 1 is %lldx%lld, %d channels of %s, page %d is %lldx%lld, "
        "%d of %s",
        (long long)a->height, (long long)a->width, (int)a->channels, gf_dtype_name(a->dtype), page,
        (long long)b->height, (long long)b->width, (int)b->channels, gf_dtype_name(b->dtype));
}

static bool same_samples(const struct gf_tiff_page *a, const struct gf_tiff_page *b) {
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->dtype == b->dtype;
}

/* Walks all directories; skips masks, and thumbnails of other pages. */
static int survey(struct reader *r) {
    struct gf_tiff *t = &r->t;
    int number = 0;
    do {
        struct gf_tiff_page page;
        number++;
        int rc = gf_tiff_describe(t, &page);
        if (r->n > 0 && page.reduced)
            continue;
        if (rc)
            return rc;
        if (r->n == 0)
            r->first = page;
        else if (!same_samples(&page, &r->first) || page.alpha != r->first.alpha ||
                 page.color != r->first.color)
            return fail_differing(&r->first, &page, number);
        if (__builtin_add_overflow(r->stored_bytes, page.stored_bytes, &r->stored_bytes))
            return gf_fail(GF_EFORMAT, "broken TIFF: more samples than 63 bits count");
        if (r->buffer_bytes < page.buffer_bytes)
            r->buffer_bytes = page.buffer_bytes;
        if ((rc = add_page(r, gf_libtiff.TIFFCurrentDirOffset(t->tif))) != GF_OK)
            return rc;
    } while (gf_libtiff.TIFFReadDirectory(t->tif));
    int rc = gf_tiff_check(t);
    /* libtiff stops, with a warning only, at a directory that it has seen before. */
    if (!rc && !gf_libtiff.TIFFLastDirectory(t->tif))
        rc = gf_fail(GF_EFORMAT, "broken TIFF: its pages form a loop after page %d", number);
    return rc;
}

static int read_at(struct gf_tiff *t, uint64_t at, void *buffer, size_t n) {
    int rc = gf_source_seek(t->source, (int64_t)at);
    return rc ? rc : gf_source_read_exactly(t->source, buffer, n);
}

/* Finds offset and length of the current page's description in the file; the length is 0 if there
 * is none or if it is inside the directory entry. */
static int find_description(struct gf_tiff *t, uint64_t *at, uint64_t *n) {
    const bool big_endian = gf_libtiff.TIFFIsBigEndian(t->tif);
    unsigned char start[8], entry[20] = {0};
    *n = 0;
    int rc = read_at(t, 0, start, 4);
    const bool wide = !rc && gf_get_number(start + 2, 2, big_endian) == 43; /* BigTIFF */
    const int size = wide ? 8 : 4; /* of a count or offset */
    uint64_t next = gf_libtiff.TIFFCurrentDirOffset(t->tif);
    if (!rc)
        rc = read_at(t, next, start, wide ? 8 : 2);
    if (rc)
        return rc;
    next += wide ? 8 : 2;
    for (uint64_t left = gf_get_number(start, wide ? 8 : 2, big_endian); left > 0; left--) {
        rc = read_at(t, next, entry, 4 + 2 * (size_t)size);
        if (rc || gf_get_number(entry, 2, big_endian) == TIFFTAG_IMAGEDESCRIPTION)
            break;
        next += 4 + 2 * (uint64_t)size;
    }
    if (rc || gf_get_number(entry, 2, big_endian) != TIFFTAG_IMAGEDESCRIPTION)
        return rc;
    *n = gf_get_number(entry + 4, size, big_endian);
    *at = gf_get_number(entry + 4 + size, size, big_endian);
    *n = *n <= (uint64_t)size ? 0 : *n;
    return GF_OK;
}

/* Checks if the current page's description is a record, whole or damaged. libtiff ends its text at
 * the first NUL, which may be the damage, so the rest is read from the file. */
static int is_record(struct gf_tiff *t, const char *text, bool *is) {
    uint64_t at, n;
    *is = gf_record_is_ours(text, strlen(text));
    if (*is)
        return GF_OK;
    int rc = find_description(t, &at, &n);
    if (rc || n <= strlen(text) + 1)
        return rc;
    enum { ENOUGH = 64 << 10 };
    const size_t most = n < ENOUGH ? (size_t)n : ENOUGH;
    char *whole = malloc(most);
    rc = whole ? read_at(t, at, whole, most) : gf_no_memory();
    *is = !rc && gf_record_is_ours(whole, most);
    free(whole);
    return rc;
}

/* Takes the record if the first page's description is one; if it is damaged, whoever needs it
 * refuses it. */
static int read_record(struct gf_tiff *t, struct gf_image *image) {
    char *text = NULL;
    bool is = true;
    if (!gf_libtiff.TIFFGetField(t->tif, TIFFTAG_IMAGEDESCRIPTION, &text))
        return GF_OK;
    int rc = text ? is_record(t, text, &is) : GF_OK;
    if (rc || !is)
        return rc;
    t->no_memory |= !text; /* libtiff had no memory for it */
    image->record = text ? strdup(text) : NULL;
    return image->record ? GF_OK : gf_no_memory();
}

/* For stacks too large for its TIFFs, ImageJ lists one page and writes all samples in a row. */
static int take_unlisted(struct gf_decoder *d, const struct gf_axes *axes) {
    struct reader *r = d->state;
    const struct gf_tiff_page *p = &r->first;
    const bool plain =
        p->compression == COMPRESSION_NONE && !p->tiled && !p->planar && gf_tiff_is_direct(p);
    int64_t extents[2] = {gf_axes_pages(axes), p->stored_bytes}, bytes;
    uint64_t *at = NULL;
    if (plain && r->n == 1 && gf_libtiff.TIFFGetField(r->t.tif, TIFFTAG_STRIPOFFSETS, &at) && at)
        d->layout.offset = (int64_t)at[0];
    if (d->layout.offset <= 0 || gf_size_product(extents, 2, 1, &bytes) ||
        d->layout.offset > gf_source_size(r->t.source) - bytes)
        return gf_fail(
            GF_EUNSUPP,
            "its %s description has %lld pages, and the file lists %zu; save it with a page "
            "for each",
            axes->by, (long long)extents[0], r->n);
    d->layout.big_endian = gf_libtiff.TIFFIsBigEndian(r->t.tif);
    d->coding.tail = true;
    r->pages = (size_t)extents[0];
    return GF_OK;
}

/* Reads the first page's description of all pages. */
static int read_axes(struct gf_decoder *d, struct gf_image *image) {
    struct reader *r = d->state;
    struct gf_axes *axes = &image->axes;
    float per_unit[2] = {0, 0}; /* ImageJ's: pixels per unit of its text */
    uint16_t unit = RESUNIT_INCH;
    char *text = NULL, other[64];
    if (!gf_libtiff.TIFFGetField(r->t.tif, TIFFTAG_IMAGEDESCRIPTION, &text) || !text)
        return GF_OK;
    gf_axes_parse(text, r->first.samples, r->first.height, r->first.width, axes);
    const int64_t pages = gf_axes_pages(axes);
    const bool more = axes->n && pages > (int64_t)r->n;
    const bool elsewhere = (more || r->n > 1) && gf_axes_other_file(text, d->options.path, other);
    if (elsewhere && d->options.volumes && !d->options.lists && (more || !axes->n))
        return gf_fail(GF_EUNSUPP,
                       "OME's description of its pages is about other files too ('%s'), which are "
                       "not read; --dims=2 takes its own pages, one by one",
                       other);
    if (!axes->n)
        return GF_OK;
    gf_libtiff.TIFFGetFieldDefaulted(r->t.tif, TIFFTAG_RESOLUTIONUNIT, &unit);
    gf_libtiff.TIFFGetField(r->t.tif, TIFFTAG_XRESOLUTION, &per_unit[0]);
    gf_libtiff.TIFFGetField(r->t.tif, TIFFTAG_YRESOLUTION, &per_unit[1]);
    for (int i = 0; i < 2 && unit == RESUNIT_NONE; i++) {
        struct gf_axis *a = &axes->axis[axes->n - 1 - i];
        if (!(a->spacing > 0) && per_unit[i] > 0 && per_unit[i] <= FLT_MAX)
            a->spacing = 1 / (double)per_unit[i];
    }
    int rc = more && !elsewhere ? take_unlisted(d, axes) : GF_OK;
    if (rc && d->options.lists) /* only `info` shows what is missing */
        return GF_OK;
    if (pages != (int64_t)r->pages)
        axes->n = 0;
    return rc ? rc : gf_header_copy(&image->metadata, gf_format_tiff.name, text, strlen(text));
}

/* Makes page i the current one. */
static int select_page(struct reader *r, int64_t i, struct gf_tiff_page *page) {
    struct gf_tiff *t = &r->t;
    if (!gf_libtiff.TIFFSetSubDirectory(t->tif, r->offsets[i]))
        return gf_tiff_report(t, "broken TIFF: ");
    int rc = gf_tiff_describe(t, page);
    if (!rc && !same_samples(page, &r->first))
        rc = gf_fail(GF_EFORMAT, "the file changed while it was read");
    return rc;
}

static int tiff_read_pages(struct gf_decoder *d, const struct gf_image *image, int64_t from,
                           int64_t n, void *to) {
    struct reader *r = d->state;
    struct gf_tiff *t = &r->t;
    const int64_t bytes = image->ndim == 3 ? image->px.stride[0] : 0;
    if (r->pages > r->n)
        return gf_plain_read_pages(d, image, from, n, to);
    for (int64_t i = 0; i < n; i++) {
        struct gf_tiff_page page;
        int rc = select_page(r, from + i, &page);
        if (!rc)
            rc = gf_tiff_decode(t, &page, 0, page.height, (unsigned char *)to + i * bytes);
        if (rc)
            return rc;
    }
    return gf_tiff_check(t);
}

static int tiff_read_rows(struct gf_decoder *d, int64_t page, int64_t row, int64_t n, void *to) {
    struct reader *r = d->state;
    struct gf_tiff_page p;
    const int64_t height = r->first.height;
    if (r->pages > r->n) { /* rows are the pages of another image */
        const int64_t shape[] = {(int64_t)r->pages * height, r->first.width * r->first.channels};
        struct gf_image rows = {.ndim = 1, .px = gf_array_wrap(NULL, r->first.dtype, 2, shape)};
        return gf_plain_read_pages(d, &rows, page * height + row, n, to);
    }
    int rc = select_page(r, page, &p);
    if (!rc && (p.tiled || p.planar))
        rc = gf_fail(GF_EUNSUPP, "only the first of its pages is in strips");
    if (!rc)
        rc = gf_tiff_decode(&r->t, &p, row, n, to);
    return rc ? rc : gf_tiff_check(&r->t);
}

static int tiff_open(struct gf_decoder *d, struct gf_image *image) {
    enum { SLACK = 64 << 20 }; /* libtiff may allocate this much beyond the file's size */
    struct reader *r = d->state;
    struct gf_tiff *t = &r->t;
    t->source = d->source;
    int64_t size = gf_source_size(d->source);
    if (size < 0)
        return (int)size;
    int rc = gf_tiff_open(t, "rm", size + SLACK);
    if (!rc && t->failed)
        rc = gf_tiff_report(t, "not a TIFF: ");
    if (!rc)
        rc = survey(r);
    if (rc)
        return rc;
    const struct gf_tiff_page *p = &r->first;
    r->pages = r->n;
    image->color = p->color;
    image->alpha = p->alpha;
    image->depth = p->palette ? 8 * (int)gf_dtype_size(p->dtype) : p->bits;
    if (!gf_libtiff.TIFFSetSubDirectory(t->tif, r->offsets[0]))
        rc = gf_tiff_report(t, "broken TIFF: ");
    if (!rc)
        rc = gf_tiff_get_metadata(t, image);
    if (!rc)
        rc = read_record(t, image);
    if (!rc && !image->record)
        rc = read_axes(d, image);
    if (rc)
        return rc;
    const int64_t shape[3] = {(int64_t)r->pages, p->height, p->width};
    const bool volume = r->pages > 1;
    d->whole = !volume; /* its rows are in strips or tiles */
    d->rows = !p->tiled && !p->planar && p->compression == COMPRESSION_NONE;
    d->extra = r->buffer_bytes;
    rc =
        gf_image_describe(image, p->dtype, volume ? 3 : 2, volume ? shape : shape + 1, p->channels);
    return rc ? rc : gf_tiff_check(t);
}

static void tiff_close(struct gf_decoder *d) {
    struct reader *r = d->state;
    gf_tiff_close(&r->t);
    free(r->offsets);
}

/* The size of a compressed strip, and so the place of the next, is unknown before it is written. */
static bool compresses(const struct gf_write_options *options) {
    return options->tiff_compression[0] && strcmp(options->tiff_compression, "none");
}

const struct gf_format gf_format_tiff = {
    .name = "tiff",
    .suffixes = "tif tiff",
    .summary = "TIFF of any sample type, pages as planes, a spectrum's record inside",
    .load = gf_tiff_load,
    .sniff = tiff_sniff,
    .state_bytes = sizeof(struct reader),
    .open = tiff_open,
    .read_pages = tiff_read_pages,
    .read_rows = tiff_read_rows,
    .close = tiff_close,
    .begin = gf_tiff_begin,
    .put_pages = gf_tiff_put_pages,
    .end = gf_tiff_end,
    .write_frame = gf_tiff_write_frame,
    .compresses = compresses,
    .dtypes = (1u << GF_N_DTYPES) - 1,
    .max_ndim = 3,
    .channels = 1,
    .alpha = true,
    .alpha_plane = true,
    .embeds_record = true,
};
