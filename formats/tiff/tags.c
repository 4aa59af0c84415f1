/* The tags of a page that a picture made from it keeps, as bytes behind the description of its pages:
 * struct gf_metadata's header of a TIFF is that text, a zero, and entries. */
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "formats/image.h"
#include "formats/tiff/tiff.h"

enum { MOST_TAGS = 4096 /* libtiff's limit too */, MOST_BYTES = 1 << 20 /* of a tag */ };
/* An entry in the header: number, type, and count, as 2, 2 and 4 little-endian bytes; the values are
 * in the host's order. */
enum { ENTRY = 8 };

static int read_at(struct gf_tiff *t, uint64_t at, void *buffer, size_t n) {
    int rc = gf_source_seek(t->source, (int64_t)at);
    return rc ? rc : gf_source_read_exactly(t->source, buffer, n);
}

/* Bytes of a value; 0 for types of no kept tag. */
static size_t size_of(unsigned type) {
    static const unsigned char sizes[] = {
        [TIFF_BYTE] = 1,      [TIFF_ASCII] = 1, [TIFF_SHORT] = 2,  [TIFF_LONG] = 4,
        [TIFF_UNDEFINED] = 1, [TIFF_FLOAT] = 4, [TIFF_DOUBLE] = 8, [TIFF_LONG8] = 8};
    return type < sizeof sizes ? sizes[type] : 0;
}

int gf_tiff_directory(struct gf_tiff *t, struct gf_tiff_tag **tags, size_t *n) {
    const bool big_endian = gf_libtiff.TIFFIsBigEndian(t->tif);
    unsigned char start[8], entry[20];
    int rc = read_at(t, 0, start, 4);
    const bool big = !rc && gf_get_number(start + 2, 2, big_endian) == 43; /* BigTIFF */
    const int size = big ? 8 : 4; /* of a count or offset */
    uint64_t at = gf_libtiff.TIFFCurrentDirOffset(t->tif);
    *tags = NULL;
    if (!rc)
        rc = read_at(t, at, start, big ? 8 : 2);
    if (rc)
        return rc;
    at += big ? 8 : 2;
    *n = (size_t)gf_min((int64_t)(gf_get_number(start, big ? 8 : 2, big_endian) & INT64_MAX),
                        MOST_TAGS);
    *tags = calloc(*n + 1, sizeof **tags);
    if (!*tags)
        return gf_no_memory();
    for (size_t i = 0; i < *n && !rc; i++, at += 4 + 2 * (uint64_t)size) {
        struct gf_tiff_tag *tag = &(*tags)[i];
        rc = read_at(t, at, entry, 4 + 2 * (size_t)size);
        *tag = (struct gf_tiff_tag){.number = (uint16_t)gf_get_number(entry, 2, big_endian),
                                    .type = (uint16_t)gf_get_number(entry + 2, 2, big_endian),
                                    .count = gf_get_number(entry + 4, size, big_endian),
                                    .at = at + 4 + (uint64_t)size};
        const size_t bytes = size_of(tag->type);
        if (!bytes || tag->count > (uint64_t)size / bytes)
            tag->at = gf_get_number(entry + 4 + size, size, big_endian);
    }
    return rc;
}

int gf_tiff_find(struct gf_tiff *t, unsigned number, struct gf_tiff_tag *tag) {
    struct gf_tiff_tag *tags;
    size_t n = 0;
    int rc = gf_tiff_directory(t, &tags, &n);
    *tag = (struct gf_tiff_tag){0};
    for (size_t i = 0; i < n && !rc; i++)
        if (tags[i].number == number)
            *tag = tags[i];
    free(tags);
    return rc;
}

int gf_tiff_read_value(struct gf_tiff *t, const struct gf_tiff_tag *tag, size_t n, void *to) {
    return read_at(t, tag->at, to, n);
}
