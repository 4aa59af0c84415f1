/* The tags of a page that a picture made from it keeps, as bytes behind the description of its pages:
 * struct gf_metadata's header of a TIFF is that text, a zero, and entries. */
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/tiff/tiff.h"

enum { MOST_TAGS = 4096 /* libtiff's limit too */, MOST_BYTES = 4 << 20 /* of a tag */ };
/* An entry in the header begins with its number, its bytes, and its type if it is one of a directory, as
 * 2, 4 and 2 little-endian bytes; its values are in the host's order. A directory's are such a header without a text. */
enum { ENTRY = 8 };

/* Texts, which a spectrum has too; where the picture is on the Earth; what samples mean; directories of
 * EXIF; an orientation that is not the usual one; the samples' type, which is kept beside GDAL_NODATA but not
 * written. */
enum { TEXTS, PLACE, SAMPLES, EXIF, TURN, TYPE };

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
    {TIFFTAG_EXIFIFD, TIFF_UNDEFINED, EXIF, NULL},
    {TIFFTAG_GPSIFD, TIFF_UNDEFINED, EXIF, NULL},
    {TIFFTAG_ORIENTATION, TIFF_SHORT, TURN, NULL},
    {TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, TYPE, NULL},
    {TIFFTAG_SAMPLEFORMAT, TIFF_SHORT, TYPE, NULL},
};
enum { N_KEPT = sizeof kept_tags / sizeof *kept_tags };

static int read_at(struct gf_tiff *t, uint64_t at, void *buffer, size_t n) {
    int rc = gf_source_seek(t->source, (int64_t)at);
    return rc ? rc : gf_source_read_exactly(t->source, buffer, n);
}

size_t gf_tiff_type_size(unsigned type) {
    static const unsigned char sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type < sizeof sizes ? sizes[type] : 0;
}

/* Reads the entries of a directory, which the caller frees. */
static int read_directory(struct gf_tiff *t, uint64_t at, struct gf_tiff_tag **tags, size_t *n) {
    const bool big_endian = gf_libtiff.TIFFIsBigEndian(t->tif);
    unsigned char start[8], entry[20];
    int rc = read_at(t, 0, start, 4);
    const bool big = !rc && gf_get_number(start + 2, 2, big_endian) == 43; /* BigTIFF */
    const int size = big ? 8 : 4; /* of a count or offset */
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
        const size_t bytes = gf_tiff_type_size(tag->type);
        if (!bytes || tag->count > (uint64_t)size / bytes)
            tag->at = gf_get_number(entry + 4 + size, size, big_endian);
    }
    return rc;
}

int gf_tiff_find(struct gf_tiff *t, unsigned number, struct gf_tiff_tag *tag) {
    struct gf_tiff_tag *tags;
    size_t n = 0;
    int rc = read_directory(t, gf_libtiff.TIFFCurrentDirOffset(t->tif), &tags, &n);
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

/* Appends an entry with `all` bytes, of which the tag's values that can be read are the first. */
static int append_entry(struct gf_tiff *t, const struct gf_tiff_tag *tag, bool swaps, size_t all,
                        struct gf_metadata *m) {
    const size_t size = gf_tiff_type_size(tag->type), count = (size_t)tag->count;
    const bool pairs = tag->type == TIFF_RATIONAL || tag->type == TIFF_SRATIONAL;
    unsigned char *entry = calloc(1, ENTRY + all);
    if (!entry)
        return gf_no_memory();
    gf_put_integer(entry, 2, tag->number);
    gf_put_integer(entry + 2, 4, (int64_t)all);
    gf_put_integer(entry + 6, 2, swaps ? tag->type : 0);
    int rc = gf_tiff_read_value(t, tag, size * count, entry + ENTRY);
    if (!rc && swaps && size > 1 &&
        (bool)gf_libtiff.TIFFIsBigEndian(t->tif) != gf_host_is_big_endian())
        gf_swap_bytes(entry + ENTRY, count << pairs, size >> pairs);
    rc = rc == GF_ENOMEM ? rc : rc ? GF_OK : append(m, entry, ENTRY + all);
    free(entry);
    return rc;
}

/* Appends a directory, but not those that it points to. */
static int keep_directory(struct gf_tiff *t, const struct gf_tiff_tag *tag, struct gf_metadata *m) {
    enum { INTEROPERABILITY = 40965 };
    struct gf_metadata inside = {0};
    struct gf_tiff_tag *tags = NULL;
    unsigned char at[8], head[ENTRY] = {0};
    size_t n = 0, size = gf_tiff_type_size(tag->type);
    int rc = gf_tiff_read_value(t, tag, size, at);
    if (!rc)
        rc = read_directory(t, gf_get_number(at, (int)size, gf_libtiff.TIFFIsBigEndian(t->tif)),
                            &tags, &n);
    if (!rc)
        rc = append(&inside, "", 1);
    for (size_t i = 0; i < n && !rc; i++) {
        size = gf_tiff_type_size(tags[i].type);
        if (size && tags[i].count <= MOST_BYTES / size && tags[i].number != INTEROPERABILITY)
            rc = append_entry(t, &tags[i], true, size * (size_t)tags[i].count, &inside);
    }
    gf_put_integer(head, 2, tag->number);
    gf_put_integer(head + 2, 4, (int64_t)inside.header_bytes);
    if (!rc && inside.header_bytes > 1 && !(rc = append(m, head, ENTRY)))
        rc = append(m, inside.header, inside.header_bytes);
    gf_metadata_free(&inside);
    free(tags);
    return rc == GF_ENOMEM ? rc : GF_OK;
}

/* True for a tag that is about more than the samples' type and layout: TransferFunction, the colours of
 * primaries, SubIFDs, InkNames, or one that TIFF 6.0 does not have. */
static bool informs(unsigned number) {
    return number == 301 || number == 318 || number == 319 || number == TIFFTAG_SUBIFD ||
           number == 333 || (number > TIFFTAG_REFERENCEBLACKWHITE && number != TIFFTAG_ICCPROFILE);
}

/* Appends an entry, unless its tag is not kept, has another type or is too large. */
static int keep_tag(struct gf_tiff *t, const struct gf_tiff_tag *tag, struct gf_metadata *m) {
    const struct kept *k = find_kept(tag->number);
    const size_t size = gf_tiff_type_size(tag->type);
    double nodata;
    uint16_t turn = 0;
    int next = 0;
    while (next < 3 && m->lost[next])
        next++;
    if (!k && informs(tag->number) && !m->lost[next])
        m->lost[next] = tag->number;
    if (!k || !size || !tag->count || tag->count > MOST_BYTES / size ||
        (k->type != TIFF_UNDEFINED && k->type != tag->type) ||
        (k->what == TYPE && !gf_tiff_nodata(t, &nodata)) ||
        (k->what == TURN && (!gf_libtiff.TIFFGetField(t->tif, tag->number, &turn) || turn < 2)))
        return GF_OK;
    if (k->what == EXIF)
        return keep_directory(t, tag, m);
    const size_t bytes = size * (size_t)tag->count;
    const size_t all = k->type == TIFF_ASCII               ? bytes + 1
                       : k->number == TIFFTAG_RICHTIFFIPTC ? (bytes + 3) / 4 * 4
                                                           : bytes;
    return append_entry(t, tag, k->type == tag->type, all, m);
}

/* True for a text about the file's pages, which the samples may belie: ImageJ's, OME's, tifffile's. */
static bool is_about_pages(const char *text) {
    const char *start = text + strspn(text, " \t\r\n\xef\xbb\xbf");
    return !strncmp(text, "ImageJ=", 7) || (*text == '{' && strstr(text, "\"shape\":")) ||
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
        rc = read_directory(t, gf_libtiff.TIFFCurrentDirOffset(t->tif), &tags, &n);
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
    const size_t size = k->number == TIFFTAG_RICHTIFFIPTC ? 4 : gf_tiff_type_size(k->type);
    return gf_libtiff.TIFFSetField(tif, k->number, (uint32_t)(bytes / size), value) &&
           gf_libtiff.TIFFGetField(tif, k->number, &n, &kept) && kept;
}

/* Sets a number in the host's order, as libtiff writes files. */
static unsigned char *put_number(unsigned char *to, size_t size, uint64_t v) {
    gf_put_integer(to, (int)size, (int64_t)v);
    if (gf_host_is_big_endian())
        gf_swap_bytes(to, 1, size);
    return to + size;
}

/* Writes a directory behind all that is written, and sets the tag that points to it. */
static bool put_directory(struct gf_tiff *t, unsigned tag, const unsigned char *list,
                          size_t n_list) {
    const struct gf_metadata m = {.header_format = gf_format_tiff.name,
                                  .header = (unsigned char *)(uintptr_t)list,
                                  .header_bytes = n_list};
    const size_t size = t->big ? 8 : 4; /* of a count or offset */
    size_t n = 0, all = 0, bytes;
    for (const unsigned char *e = NULL; (e = next_entry(&m, e)); n++)
        all += (gf_get_number(e + 2, 4, false) + 1) / 2 * 2;
    const size_t head = (t->big ? 8 : 2) + n * (4 + 2 * size) + size;
    const uint64_t at = gf_tiff_end_of(t);
    unsigned char *made = calloc(1, head + all), *values = made + head;
    if (!made)
        return false;
    unsigned char *to = put_number(made, t->big ? 8 : 2, n);
    for (const unsigned char *e = NULL; (e = next_entry(&m, e)); to += size) {
        bytes = gf_get_number(e + 2, 4, false);
        to = put_number(to, 2, gf_get_number(e, 2, false));
        to = put_number(to, 2, e[6]);
        to = put_number(to, size, bytes / (size_t)gf_max((int64_t)gf_tiff_type_size(e[6]), 1));
        memcpy(bytes > size ? values : to, e + ENTRY, bytes);
        if (bytes > size)
            put_number(to, size, at + (uint64_t)(values - made));
        values += bytes > size ? (bytes + 1) / 2 * 2 : 0;
    }
    if (!gf_sink_seek(t->sink, (int64_t)at)) /* which keeps its first failure */
        (void)gf_sink_write(t->sink, made, (size_t)(values - made));
    free(made);
    return gf_libtiff.TIFFSetField(t->tif, tag, at);
}

int gf_tiff_orientation(const struct gf_metadata *m) {
    uint16_t turn = ORIENTATION_TOPLEFT;
    for (const unsigned char *e = NULL; (e = next_entry(m, e));)
        if (gf_get_number(e, 2, false) == TIFFTAG_ORIENTATION &&
            gf_get_number(e + 2, 4, false) == 2)
            memcpy(&turn, e + ENTRY, sizeof turn);
    return turn >= 1 && turn <= 8 ? turn : ORIENTATION_TOPLEFT;
}

bool gf_tiff_put_tags(struct gf_tiff *t, const struct gf_metadata *m, bool spectrum) {
    bool done = true;
    for (const unsigned char *e = NULL; (e = next_entry(m, e)) && done;) {
        const struct kept *k = kept_of(e);
        const size_t n = gf_get_number(e + 2, 4, false);
        if (!k || k->what >= TURN || (k->what != TEXTS && spectrum))
            continue;
        done = k->what == EXIF ? put_directory(t, k->number, e + ENTRY, n)
                               : put_tag(t->tif, k, e + ENTRY, n);
    }
    return done;
}

void gf_tiff_name_header(const struct gf_metadata *m, char text[GF_HEADER_NAMES]) {
    static const char *const names[] = {"texts", "GeoTIFF tags", "GDAL's tags", "EXIF",
                                        "orientation"};
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
