/* TIFF in: all pages of one shape as one picture or volume. */
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "formats/format.h"
#include "formats/image.h"
#include "formats/tiff.h"

static bool tiff_sniff(const unsigned char *head, size_t n) {
    return n >= 4 && (!memcmp(head, "II*\0", 4) || !memcmp(head, "MM\0*", 4) ||
                      !memcmp(head, "II+\0", 4) || !memcmp(head, "MM\0+", 4));
}

struct pages {
    struct gf_tiff_page first;
    uint64_t *offsets; /* of the directories to decode */
    size_t n, capacity;
    int64_t stored_bytes, buffer_bytes;
};

static int add_page(struct pages *pages, uint64_t offset) {
    if (pages->n == pages->capacity) {
        size_t capacity = pages->capacity ? 2 * pages->capacity : 16;
        uint64_t *more = realloc(pages->offsets, capacity * sizeof *more);
        if (!more)
            return gf_fail(GF_ENOMEM, "out of memory");
        pages->offsets = more;
        pages->capacity = capacity;
    }
    pages->offsets[pages->n++] = offset;
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

/* Walks all directories. Thumbnails and masks of the pictures beside them are passed over. */
static int survey(struct gf_tiff *t, struct pages *pages) {
    int number = 0;
    do {
        struct gf_tiff_page page;
        number++;
        int rc = gf_tiff_describe(t, &page);
        if (pages->n > 0 && page.reduced)
            continue;
        if (rc)
            return rc;
        if (pages->n == 0)
            pages->first = page;
        else if (page.width != pages->first.width || page.height != pages->first.height ||
                 page.channels != pages->first.channels || page.dtype != pages->first.dtype ||
                 page.alpha != pages->first.alpha || page.color != pages->first.color)
            return fail_differing(&pages->first, &page, number);
        if (__builtin_add_overflow(pages->stored_bytes, page.stored_bytes, &pages->stored_bytes))
            return gf_fail(GF_EFORMAT, "broken TIFF: more samples than 63 bits count");
        if (pages->buffer_bytes < page.buffer_bytes)
            pages->buffer_bytes = page.buffer_bytes;
        if ((rc = add_page(pages, TIFFCurrentDirOffset(t->tif))) != GF_OK)
            return rc;
    } while (TIFFReadDirectory(t->tif));
    if (t->failed || t->status)
        return gf_tiff_report(t, "broken TIFF: ");
    /* libtiff stops, with a warning only, at a directory that it has seen before. */
    if (!TIFFLastDirectory(t->tif))
        return gf_fail(GF_EFORMAT, "broken TIFF: its pages form a loop after page %d", number);
    return GF_OK;
}

/* The record, if the first page's description is one. */
static int read_record(struct gf_tiff *t, struct gf_image *image) {
    char *text = NULL;
    if (!TIFFGetField(t->tif, TIFFTAG_IMAGEDESCRIPTION, &text))
        return GF_OK;
    if (text && (text[0] != '{' || !strstr(text, "\"gpufft\"")))
        return GF_OK;
    t->no_memory |= !text; /* libtiff had no memory for it */
    image->record = text ? strdup(text) : NULL;
    return image->record ? GF_OK : gf_fail(GF_ENOMEM, "out of memory");
}

static int read_pages(struct gf_tiff *t, const struct pages *pages, struct gf_image *image) {
    for (size_t i = 0; i < pages->n; i++) {
        struct gf_tiff_page page;
        if (!TIFFSetSubDirectory(t->tif, pages->offsets[i]))
            return gf_tiff_report(t, "broken TIFF: ");
        int rc = gf_tiff_describe(t, &page);
        if (rc)
            return rc;
        if (page.width != pages->first.width || page.height != pages->first.height ||
            page.channels != pages->first.channels || page.dtype != pages->first.dtype)
            return gf_fail(GF_EFORMAT, "the file changed while it was read");
        unsigned char *to = image->px.data;
        if (image->ndim == 3)
            to += (int64_t)i * image->px.stride[0];
        if ((rc = gf_tiff_decode(t, &page, to)) != GF_OK)
            return rc;
    }
    return GF_OK;
}

static int tiff_read(struct gf_source *source, const struct gf_read_options *options,
                     struct gf_image *image) {
    enum { SLACK = 64 << 20 }; /* what libtiff may take at once besides the file's own bytes */
    struct gf_tiff t = {.source = source};
    struct pages pages = {0};
    int64_t size = gf_source_size(source);
    if (size < 0)
        return (int)size;
    int rc = gf_tiff_open(&t, "rm", size + SLACK);
    if (!rc && t.failed)
        rc = gf_tiff_report(&t, "not a TIFF: ");
    if (!rc)
        rc = survey(&t, &pages);
    if (rc)
        goto out;
    const struct gf_tiff_page *p = &pages.first;
    int64_t shape[3] = {(int64_t)pages.n, p->height, p->width};
    bool volume = pages.n > 1;
    image->color = p->color;
    image->alpha = p->alpha;
    image->depth = p->palette ? 8 * (int)gf_dtype_size(p->dtype) : p->bits;
    rc = gf_image_alloc(image, options, p->dtype, volume ? 3 : 2, volume ? shape : shape + 1,
                        p->channels, pages.buffer_bytes);
    if (!rc)
        rc = TIFFSetSubDirectory(t.tif, pages.offsets[0]) ? read_record(&t, image)
                                                          : gf_tiff_report(&t, "broken TIFF: ");
    if (!rc && !options->header_only)
        rc = read_pages(&t, &pages, image);
    if (!rc && (t.failed || t.status))
        rc = gf_tiff_report(&t, "broken TIFF: ");
out:
    gf_tiff_close(&t);
    free(pages.offsets);
    return rc;
}

const struct gf_format gf_format_tiff = {
    .name = "tiff",
    .suffixes = "tif tiff",
    .summary = "TIFF of any sample type, pages as planes, a spectrum's record inside",
    .sniff = tiff_sniff,
    .read = tiff_read,
    .write = gf_tiff_write,
    .dtypes = (1u << GF_N_DTYPES) - 1,
    .max_ndim = 3,
    .channels = 1,
    .alpha = true,
    .embeds_record = true,
};
