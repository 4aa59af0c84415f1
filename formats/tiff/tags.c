/* The tags of a page that a picture made from it keeps, as bytes behind the description of its pages:
 * struct gf_metadata's header of a TIFF is that text, a zero, and entries. */
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "formats/image.h"
#include "formats/tiff/tiff.h"

enum { MOST_TAGS = 4096 /* libtiff's limit too */, MOST_BYTES = 4 << 20 /* of a tag */ };
/* An entry in the header begins with its number, its bytes, and zero, as 2, 4 and 2 little-endian
 * bytes; its values are in the host's order. */
enum { ENTRY = 8 };

/* Texts, which a spectrum has too; where the picture is on the Earth; what samples mean; their type,
 * which is kept beside GDAL_NODATA but not written. */
enum { TEXTS, PLACE, SAMPLES, TYPE };

static const struct kept {
    uint16_t number, type; /* TIFF_UNDEFINED: bytes of any type */
    uint16_t what;
    const char *added; /* the name of a tag that libtiff does not know */
} kept_tags[] = {
    {TIFFTAG_DOCUMENTNAME, TIFF_ASCII, TEXTS, NULL},
    {TIFFTAG_MAKE, TIFF_ASCII, TEXTS, NULL},
    {TIFFTAG_MODEL, TIFF_ASCII, TEXTS, NULL},
    {TIFFTAG_PAGENAME, TIFF_ASCII, TEXTS, NULL},
    {TIFFTAG_SOFTWARE, TIFF_ASCII, TEXTS, NULL},
    {TIFFTAG_DATETIME, TIFF_ASCII, TEXTS, NULL},
    {TIFFTAG_ARTIST, TIFF_ASCII, TEXTS, NULL},
    {TIFFTAG_HOSTCOMPUTER, TIFF_ASCII, TEXTS, NULL},
    {TIFFTAG_COPYRIGHT, TIFF_ASCII, TEXTS, NULL},
    {TIFFTAG_XMLPACKET, TIFF_UNDEFINED, TEXTS, NULL},
    {TIFFTAG_RICHTIFFIPTC, TIFF_UNDEFINED, TEXTS, NULL},
    {TIFFTAG_PHOTOSHOP, TIFF_UNDEFINED, TEXTS, NULL},
    {33550, TIFF_DOUBLE, PLACE, "ModelPixelScale"},
    {33922, TIFF_DOUBLE, PLACE, "ModelTiepoint"},
    {34264, TIFF_DOUBLE, PLACE, "ModelTransformation"},
    {34735, TIFF_SHORT, PLACE, "GeoKeyDirectory"},
    {34736, TIFF_DOUBLE, PLACE, "GeoDoubleParams"},
    {34737, TIFF_ASCII, PLACE, "GeoAsciiParams"},
    {42112, TIFF_ASCII, SAMPLES, "GDAL_METADATA"},
    {GF_TIFF_NODATA, TIFF_ASCII, SAMPLES, "GDAL_NODATA"},
    {TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, TYPE, NULL},
    {TIFFTAG_SAMPLEFORMAT, TIFF_SHORT, TYPE, NULL},
};
enum { N_KEPT = sizeof kept_tags / sizeof *kept_tags };

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

/* Reads the current directory's entries, which the caller frees. */
static int read_directory(struct gf_tiff *t, struct gf_tiff_tag **tags, size_t *n) {
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
    int rc = read_directory(t, &tags, &n);
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

/* ---- kept ones ---- */

bool gf_tiff_parse_nodata(const char *text, double *v) {
    char *end;
    *v = strtod(text, &end);
    return end > text && !end[strspn(end, " \n")];
}

bool gf_tiff_nodata(const struct gf_tiff *t, double *v) {
    char text[64] = "";
    uint32_t n = 0;
    const void *data = NULL;
    if (!t->tif || !gf_libtiff.TIFFGetField(t->tif, GF_TIFF_NODATA, &n, &data) || !data)
        return false;
    memcpy(text, data, n < sizeof text ? n : sizeof text - 1);
    return gf_tiff_parse_nodata(text, v);
}

static const struct kept *find_kept(unsigned number) {
    for (const struct kept *k = kept_tags; k < kept_tags + N_KEPT; k++)
        if (k->number == number)
            return k;
    return NULL;
}

static int append(struct gf_metadata *m, const void *bytes, size_t n) {
    return gf_header_append(m, gf_format_tiff.name, bytes, n);
}

/* Appends an entry, unless its tag is not kept, has another type or is too large. */
static int keep_tag(struct gf_tiff *t, const struct gf_tiff_tag *tag, struct gf_metadata *m) {
    const struct kept *k = find_kept(tag->number);
    const size_t size = size_of(tag->type);
    double nodata;
    if (!k || !size || !tag->count || tag->count > MOST_BYTES / size ||
        (k->type != TIFF_UNDEFINED && k->type != tag->type) ||
        (k->what == TYPE && !gf_tiff_nodata(t, &nodata)))
        return GF_OK;
    const size_t bytes = size * (size_t)tag->count;
    const size_t all = k->type == TIFF_ASCII               ? bytes + 1
                       : k->number == TIFFTAG_RICHTIFFIPTC ? (bytes + 3) / 4 * 4
                                                           : bytes;
    unsigned char *entry = calloc(1, ENTRY + all);
    if (!entry)
        return gf_no_memory();
    gf_put_integer(entry, 2, tag->number);
    gf_put_integer(entry + 2, 4, (int64_t)all);
    int rc = gf_tiff_read_value(t, tag, bytes, entry + ENTRY);
    if (!rc && k->type == tag->type && size > 1 &&
        (bool)gf_libtiff.TIFFIsBigEndian(t->tif) != gf_host_is_big_endian())
        gf_swap_bytes(entry + ENTRY, (size_t)tag->count, size);
    rc = rc == GF_ENOMEM ? rc : rc ? GF_OK : append(m, entry, ENTRY + all);
    free(entry);
    return rc;
}

/* True for a text about the file's pages, which the samples may belie: ImageJ's, OME's, tifffile's. */
static bool is_about_pages(const char *text) {
    const char *start = text + strspn(text, " \t\r\n\xef\xbb\xbf");
    return !strncmp(text, "ImageJ=", 7) || !strncmp(text, "{\"shape\":", 9) ||
           (*start == '<' && strstr(text, "OME"));
}

const char *gf_tiff_kept_text(const struct gf_metadata *m, bool about_pages) {
    const char *text = m->header_format == gf_format_tiff.name ? (const char *)m->header : NULL;
    return text && *text && is_about_pages(text) == about_pages ? text : NULL;
}

int gf_tiff_keep_tags(struct gf_tiff *t, struct gf_metadata *m) {
    const char *text = NULL;
    struct gf_tiff_tag *tags = NULL;
    size_t n = 0;
    int rc = GF_OK;
    gf_libtiff.TIFFGetField(t->tif, TIFFTAG_IMAGEDESCRIPTION, &text);
    if (!m->header && text && strlen(text) < MOST_BYTES && !is_about_pages(text))
        rc = append(m, text, strlen(text));
    const size_t before = m->header_bytes;
    if (!rc)
        rc = append(m, "", 1);
    if (!rc)
        rc = read_directory(t, &tags, &n);
    for (size_t i = 0; i < n && !rc; i++)
        rc = keep_tag(t, &tags[i], m);
    free(tags);
    if (before || m->header_bytes > 1 || rc)
        return rc;
    free(m->header); /* nothing is in it */
    m->header = NULL;
    m->header_bytes = 0;
    return GF_OK;
}

/* The entry behind this one, or for NULL the first; NULL at the end. Headers of records may be
 * damaged. */
static const unsigned char *next_entry(const struct gf_metadata *m, const unsigned char *entry) {
    if (!m->header || m->header_format != gf_format_tiff.name)
        return NULL;
    const size_t at = entry
                          ? (size_t)(entry - m->header) + ENTRY + gf_get_number(entry + 2, 4, false)
                          : strlen((const char *)m->header) + 1;
    const bool whole = at + ENTRY <= m->header_bytes &&
                       gf_get_number(m->header + at + 2, 4, false) <= m->header_bytes - at - ENTRY;
    return whole ? m->header + at : NULL;
}

static const struct kept *kept_of(const unsigned char *entry) {
    return find_kept((unsigned)gf_get_number(entry, 2, false));
}

const unsigned char *gf_tiff_kept_tag(const struct gf_metadata *m, unsigned number) {
    for (const unsigned char *e = NULL; (e = next_entry(m, e));)
        if (gf_get_number(e, 2, false) == number)
            return e + ENTRY;
    return NULL;
}

/* False if memory is short or libtiff refuses the tag. */
static bool put_tag(TIFF *tif, const struct kept *k, const unsigned char *value, size_t bytes) {
    const bool text = k->type == TIFF_ASCII;
    const TIFFFieldInfo info = {.field_tag = k->number,
                                .field_readcount = text ? -1 : TIFF_VARIABLE2,
                                .field_writecount = text ? -1 : TIFF_VARIABLE2,
                                .field_type = (TIFFDataType)k->type,
                                .field_bit = FIELD_CUSTOM,
                                .field_oktochange = 1,
                                .field_passcount = !text,
                                .field_name = (char *)(uintptr_t)k->added};
    if (!bytes || (text && value[bytes - 1])) /* a record's, damaged */
        return true;
    if (k->added && gf_libtiff.TIFFMergeFieldInfo(tif, &info, 1))
        return false;
    /* libtiff does not report that it has no memory for the values */
    const void *kept = NULL;
    uint32_t n = 0;
    if (text)
        return gf_libtiff.TIFFSetField(tif, k->number, (const char *)value) &&
               gf_libtiff.TIFFGetField(tif, k->number, &kept) && kept;
    const size_t size = k->number == TIFFTAG_RICHTIFFIPTC ? 4 : size_of(k->type);
    return gf_libtiff.TIFFSetField(tif, k->number, (uint32_t)(bytes / size), value) &&
           gf_libtiff.TIFFGetField(tif, k->number, &n, &kept) && kept;
}

bool gf_tiff_put_tags(TIFF *tif, const struct gf_metadata *m, bool spectrum) {
    bool done = true;
    for (const unsigned char *e = NULL; (e = next_entry(m, e)) && done;) {
        const struct kept *k = kept_of(e);
        if (k && k->what != TYPE && (k->what == TEXTS || !spectrum))
            done = put_tag(tif, k, e + ENTRY, gf_get_number(e + 2, 4, false));
    }
    return done;
}

void gf_tiff_name_header(const struct gf_metadata *m, char text[GF_HEADER_NAMES]) {
    static const char *const names[] = {"texts", "GeoTIFF tags", "GDAL's tags"};
    if (gf_tiff_kept_text(m, false))
        gf_header_name(names[TEXTS], text);
    for (const unsigned char *e = NULL; (e = next_entry(m, e));) {
        const struct kept *k = kept_of(e);
        if (k && k->what != TYPE && k->number != TIFFTAG_SOFTWARE)
            gf_header_name(names[k->what], text);
    }
}

/* Appends the entries that are, or are not, about the place. */
static int append_entries(struct gf_metadata *to, const struct gf_metadata *from, bool place) {
    int rc = GF_OK;
    for (const unsigned char *e = NULL; (e = next_entry(from, e)) && !rc;) {
        const struct kept *k = kept_of(e);
        if (k && (k->what == PLACE) == place)
            rc = append(to, e, ENTRY + gf_get_number(e + 2, 4, false));
    }
    return rc;
}

int gf_tiff_place(struct gf_metadata *m, const struct gf_metadata *reference) {
    struct gf_metadata made = {0}, was = {0};
    const bool is_tiff = m->header && m->header_format == gf_format_tiff.name;
    const char *text = is_tiff ? (const char *)m->header : "";
    int rc = append(&made, text, strlen(text) + 1);
    if (!rc)
        rc = append_entries(&made, m, false);
    const size_t others = made.header_bytes;
    if (!rc)
        rc = append_entries(&made, reference, true);
    const bool gains = made.header_bytes > others;
    if (!rc)
        rc = append_entries(&was, m, true);
    if (!rc && (is_tiff || gains))
        rc = gf_header_copy(m, gf_format_tiff.name, made.header, made.header_bytes);
    const bool loses = was.header_bytes && !gains;
    gf_metadata_free(&made);
    gf_metadata_free(&was);
    return rc ? rc : loses;
}
