/* A page's tags: resolution, profile and the like between them and memory, and the samples that
 * they describe. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/tiff/tiff.h"
#include "formats/image.h"

static const struct {
    uint16_t number;
    const char *name;
} compressions[] = {
    {COMPRESSION_NONE, "none"},
    {COMPRESSION_CCITTRLE, "ccitt rle"},
    {COMPRESSION_CCITTFAX3, "ccitt group 3"},
    {COMPRESSION_CCITTFAX4, "ccitt group 4"},
    {COMPRESSION_LZW, "lzw"},
    {COMPRESSION_JPEG, "jpeg"},
    {COMPRESSION_PACKBITS, "packbits"},
    {COMPRESSION_DEFLATE, "deflate"},
    {COMPRESSION_ADOBE_DEFLATE, "deflate"},
    {COMPRESSION_LZMA, "lzma"},
    {COMPRESSION_ZSTD, "zstd"},
    {COMPRESSION_WEBP, "webp"},
    {COMPRESSION_LERC, "lerc"},
};

/* "lzw", …; "other". */
static const char *compression_name(uint16_t number) {
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++)
        if (compressions[i].number == number)
            return compressions[i].name;
    return "other";
}

int gf_tiff_get_metadata(struct gf_tiff *t, struct gf_image *image) {
    float x = 0, y = 0;
    uint16_t unit = RESUNIT_INCH, compression = COMPRESSION_NONE, orientation = 0;
    uint32_t n = 0;
    void *profile = NULL;
    struct gf_metadata *m = &image->metadata;
    gf_libtiff.TIFFGetFieldDefaulted(t->tif, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (gf_libtiff.TIFFGetField(t->tif, TIFFTAG_XRESOLUTION, &x) &&
        gf_libtiff.TIFFGetField(t->tif, TIFFTAG_YRESOLUTION, &y) && unit >= RESUNIT_NONE &&
        unit <= RESUNIT_CENTIMETER)
        gf_resolution_set(&m->resolution, x, y,
                          unit == RESUNIT_INCH         ? GF_INCH
                          : unit == RESUNIT_CENTIMETER ? GF_CENTIMETRE
                                                       : GF_UNIT_NONE);
    if (gf_libtiff.TIFFGetField(t->tif, TIFFTAG_ORIENTATION, &orientation) && orientation <= 8)
        image->orientation = orientation;
    gf_libtiff.TIFFGetFieldDefaulted(t->tif, TIFFTAG_COMPRESSION, &compression);
    image->compression = compression_name(compression);
    int rc = image->record ? GF_OK : gf_tiff_keep_tags(t, m);
    if (rc)
        return rc;
    if (!gf_libtiff.TIFFGetField(t->tif, TIFFTAG_ICCPROFILE, &n, &profile) || !n)
        return GF_OK;
    t->no_memory |= !profile; /* libtiff had no memory for it */
    return profile ? gf_profile_copy(m, profile, n) : gf_no_memory();
}

/* Returns the text behind "key =" at the start of a line, or NULL. */
static const char *value_of(const char *text, const char *key) {
    for (const char *at = text; (at = strstr(at, key)); at++) {
        const char *end = at + strlen(key);
        end += strspn(end, " ");
        if ((at == text || at[-1] == '\n') && *end == '=')
            return end + 1 + strspn(end + 1, " ");
    }
    return NULL;
}

int gf_tiff_get_scale(struct gf_tiff *t, struct gf_axes *axes) {
    enum { ZEISS = 34118, FEI_SFEG = 34680, FEI_HELIOS = 34682 };
    static const int tags[] = {FEI_HELIOS, FEI_SFEG, ZEISS};
    struct gf_axis *last = &axes->axis[axes->n - 1];
    char kind;
    for (int i = 0; i < 3 && !(last->spacing > 0); i++) {
        uint32_t n = 0;
        const char *data = NULL;
        if (!gf_libtiff.TIFFGetField(t->tif, (uint32_t)tags[i], &n, &data) || !data)
            continue;
        char *text = strndup(data, n);
        if (!text)
            return gf_no_memory();
        const char *scan = strstr(text, "[Scan]"), *size = value_of(text, "Image Pixel Size");
        size = size ? size : value_of(text, "Pixel Size");
        size = tags[i] == ZEISS ? size : NULL;
        const char *unit = size ? size + strcspn(size, " ") : "nm";
        for (int k = 0; k < 2; k++) {
            const char *const own = value_of(scan ? scan : text, k ? "PixelHeight" : "PixelWidth");
            struct gf_axis *a = last - k;
            gf_unit_copy(unit, '\r', a->unit);
            if (gf_unit_value(a->unit, &kind) > 0)
                a->spacing = size ? gf_positive(size) : gf_positive(own) * 1e9; /* metres */
        }
        free(text);
    }
    return GF_OK;
}

/* libtiff does not report that it has no memory for the bytes. */
static bool put_profile(TIFF *tif, const struct gf_metadata *m) {
    uint32_t n = 0;
    void *kept = NULL;
    return gf_libtiff.TIFFSetField(tif, TIFFTAG_ICCPROFILE, (uint32_t)m->profile_bytes,
                                   m->profile) &&
           gf_libtiff.TIFFGetField(tif, TIFFTAG_ICCPROFILE, &n, &kept) && kept;
}

bool gf_tiff_put_metadata(TIFF *tif, const struct gf_metadata *m, int colors, bool profile) {
    const struct gf_resolution *r = &m->resolution;
    double x = r->x, y = r->y;
    enum gf_resolution_unit unit = r->unit == GF_INCH ? GF_INCH : GF_CENTIMETRE;
    bool known = gf_resolution_in(r, unit, &x, &y);
    bool done = true;
    if (x > 0)
        done = gf_libtiff.TIFFSetField(tif, TIFFTAG_XRESOLUTION, x) &&
               gf_libtiff.TIFFSetField(tif, TIFFTAG_YRESOLUTION, y) &&
               gf_libtiff.TIFFSetField(tif, TIFFTAG_RESOLUTIONUNIT,
                                       !known            ? RESUNIT_NONE
                                       : unit == GF_INCH ? RESUNIT_INCH
                                                         : RESUNIT_CENTIMETER);
    return done && (!profile || !gf_profile_suits(m, colors) || put_profile(tif, m));
}

/* ---- samples ---- */

/* The largest factor that a compression can reach in a valid file. */
static int64_t ratio_of(uint16_t compression) {
    switch (compression) {
    case COMPRESSION_NONE:
        return 1;
    case COMPRESSION_PACKBITS: /* two bytes for 128 */
        return 64;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
        return 1032;
    case COMPRESSION_LZW: /* nine bits or more for at most 4096 bytes */
        return 4096;
    default:
        return 100000;
    }
}

static bool is_unsigned(const struct gf_tiff_page *p) {
    return p->format == SAMPLEFORMAT_UINT || p->format == SAMPLEFORMAT_VOID;
}

/* Makes samples of GDAL_NODATA's number NaN. One that no sample can have is ignored. */
static void set_nodata(const struct gf_tiff *t, struct gf_tiff_page *p) {
    struct gf_coding *c = &p->coding;
    const bool is_wide = c->type >= GF_STORED_I64, is_float = p->format == SAMPLEFORMAT_IEEEFP;
    double v = t->nodata;
    if (!(gf_tiff_nodata(t, &v) || t->has_nodata) || gf_dtype_is_complex(p->dtype) ||
        p->photometric == PHOTOMETRIC_PALETTE)
        return;
    const double low = is_unsigned(p) ? 0 : -ldexp(1, p->bits - 1);
    const double high = ldexp(1, p->bits - !is_unsigned(p)) - 1;
    if (!is_float && !(v >= low && v <= high && v <= floor(v) && fabs(v) <= ldexp(1, 53)))
        return;
    c->coded = c->has_blank = true;
    c->real_blank = c->type == (enum gf_stored)GF_F32 ? (double)(float)v : v;
    c->blank = is_float ? 0 : (int64_t)v;
    if (gf_dtype_is_integer(p->dtype) && !is_wide)
        p->dtype = p->bits <= 16 ? GF_F32 : GF_F64;
}

int gf_tiff_set_dtype(const struct gf_tiff *t, struct gf_tiff_page *p) {
    static const struct {
        int format, bits, type; /* enum gf_dtype or gf_stored */
    } types[] = {
        {SAMPLEFORMAT_INT, 8, GF_I8},
        {SAMPLEFORMAT_INT, 16, GF_I16},
        {SAMPLEFORMAT_INT, 32, GF_I32},
        {SAMPLEFORMAT_INT, 64, GF_STORED_I64},
        {SAMPLEFORMAT_UINT, 64, GF_STORED_U64},
        {SAMPLEFORMAT_IEEEFP, 16, GF_STORED_F16},
        {SAMPLEFORMAT_IEEEFP, 32, GF_F32},
        {SAMPLEFORMAT_IEEEFP, 64, GF_F64},
        {SAMPLEFORMAT_COMPLEXIEEEFP, 64, GF_C64},
        {SAMPLEFORMAT_COMPLEXIEEEFP, 128, GF_C128},
        {SAMPLEFORMAT_COMPLEXINT, 16, GF_I8}, /* of each part */
        {SAMPLEFORMAT_COMPLEXINT, 32, GF_I16},
        {SAMPLEFORMAT_COMPLEXINT, 64, GF_I32},
    };
    static const char *const names[] = {"unknown numbers", "unsigned integers", "integers",
                                        "floats",          "unknown numbers",   "complex integers",
                                        "complex floats"};
    const bool is_complex = p->format == SAMPLEFORMAT_COMPLEXINT;
    int type = -1;
    if (is_unsigned(p) && p->bits >= 1 && p->bits <= 32)
        type = p->bits <= 8 ? GF_U8 : p->bits <= 16 ? GF_U16 : GF_U32;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].format == p->format && types[i].bits == p->bits)
            type = types[i].type;
    if (type < 0)
        return gf_fail(GF_EUNSUPP, "a TIFF of %s of %d bits; save it as 32-bit floats",
                       names[p->format < 7 ? p->format : 0], p->bits);
    p->dtype = gf_coding_set(&p->coding, (enum gf_stored)type, 1, 0);
    p->packed = is_unsigned(p) && p->bits != 8 * gf_coding_bytes(&p->coding, p->dtype);
    if (is_complex)
        p->dtype = type == GF_I32 ? GF_C128 : GF_C64;
    else
        set_nodata(t, p);
    return GF_OK;
}

/* Sets alpha if it is the last of the samples beyond the colour's `base`. */
static void set_channels(TIFF *tif, struct gf_tiff_page *p, int base, enum gf_color color) {
    uint16_t n_extra = 0, *extra = NULL;
    gf_libtiff.TIFFGetFieldDefaulted(tif, TIFFTAG_EXTRASAMPLES, &n_extra, &extra);
    int beyond = p->samples - base;
    p->alpha = beyond > 0 && n_extra > 0 && extra &&
               (extra[n_extra - 1] == EXTRASAMPLE_ASSOCALPHA ||
                extra[n_extra - 1] == EXTRASAMPLE_UNASSALPHA);
    p->color = beyond == p->alpha ? color : GF_OTHER_COLOR;
    p->channels = p->samples;
}

static int set_palette(TIFF *tif, struct gf_tiff_page *p) {
    if (p->samples != 1 || p->bits > 16 || p->dtype > GF_U16 || p->dtype == GF_I8)
        return gf_fail(GF_EUNSUPP, "a TIFF palette with %d samples of %d bits", p->samples,
                       p->bits);
    if (!gf_libtiff.TIFFGetField(tif, TIFFTAG_COLORMAP, &p->map[0], &p->map[1], &p->map[2]))
        return gf_fail(GF_EFORMAT, "broken TIFF: a palette picture without its palette");
    /* A palette of 8-bit colours holds v * 257, v * 256 or, from old writers, v itself. */
    bool small = true, low_zero = true, doubled = true;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 1 << p->bits; i++) {
            uint16_t v = p->map[c][i];
            small &= v < 256;
            low_zero &= (v & 255) == 0;
            doubled &= (v & 255) == v >> 8;
        }
    p->palette = true;
    p->map_is_wide = !small && !low_zero && !doubled;
    p->dtype = p->map_is_wide ? GF_U16 : GF_U8;
    p->channels = 3;
    p->color = GF_RGB;
    return GF_OK;
}

/* Sets the colour from the photometric interpretation. */
static int set_color(struct gf_tiff *t, struct gf_tiff_page *p) {
    switch (p->photometric) {
    case PHOTOMETRIC_MINISWHITE:
        p->invert = !gf_dtype_is_complex(p->dtype);
        set_channels(t->tif, p, 1, GF_GRAY);
        return GF_OK;
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MASK:
    case PHOTOMETRIC_CFA:
        set_channels(t->tif, p, 1, GF_GRAY);
        return GF_OK;
    case PHOTOMETRIC_RGB:
        if (p->samples < 3)
            return gf_fail(GF_EFORMAT, "broken TIFF: RGB with %d samples", p->samples);
        set_channels(t->tif, p, 3, GF_RGB);
        return GF_OK;
    case PHOTOMETRIC_PALETTE:
        return set_palette(t->tif, p);
    case PHOTOMETRIC_YCBCR:
        if (p->compression != COMPRESSION_JPEG || p->samples != 3 || p->planar)
            return gf_fail(GF_EUNSUPP, "a TIFF in YCbCr without JPEG");
        gf_libtiff.TIFFSetField(t->tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        p->channels = 3;
        p->color = GF_RGB;
        return GF_OK;
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV:
        return gf_fail(GF_EUNSUPP, "a TIFF in LogLuv");
    default: /* CMYK, Lab, …: plain channels */
        p->channels = p->samples;
        p->color = p->samples == 1 ? GF_GRAY : GF_OTHER_COLOR;
        return GF_OK;
    }
}

/* Expands greys of 1, 2 and 4 bits; other widths keep their numbers and their white. */
static void set_white(const struct gf_tiff *t, struct gf_tiff_page *p) {
    const double most = is_unsigned(p) ? ldexp(1, p->bits) - 1 : 0;
    const bool expands = p->packed && p->color == GF_GRAY && !p->palette &&
                         (p->bits == 1 || p->bits == 2 || p->bits == 4);
    p->factor = expands ? 255 / (uint32_t)most : 1;
    if (!p->palette && (p->packed || p->coding.has_blank) && p->bits < 64)
        p->white = p->factor * most;
    if (p->factor > 1 && !p->coding.has_blank)
        p->white = 0; /* the type's */
    p->swapped = p->bits == 16 && p->format == SAMPLEFORMAT_COMPLEXINT &&
                 (bool)gf_libtiff.TIFFIsBigEndian(t->tif) != gf_host_is_big_endian();
}

/* Finds strips or tiles that are not stored. *need is set to the bytes that the file holds at least. */
static int find_holes(struct gf_tiff *t, struct gf_tiff_page *p, int64_t *need) {
    const uint32_t n =
        p->tiled ? gf_libtiff.TIFFNumberOfTiles(t->tif) : gf_libtiff.TIFFNumberOfStrips(t->tif);
    int64_t stored = 0;
    *need = p->stored_bytes;
    if (!gf_libtiff.TIFFGetField(t->tif, TIFFTAG_STRIPOFFSETS, &p->offset) ||
        !gf_libtiff.TIFFGetField(t->tif, TIFFTAG_STRIPBYTECOUNTS, &p->bytes) || !p->offset ||
        !p->bytes) {
        p->offset = NULL;
        return GF_OK;
    }
    for (uint32_t i = 0; i < n; i++) {
        stored += !gf_tiff_is_hole(p, i);
        if (!p->offset[i] && p->bytes[i])
            return gf_fail(GF_EFORMAT, "broken TIFF: a strip or tile at byte 0");
    }
    if (stored == n)
        p->offset = NULL;
    else /* all but perhaps the last are whole */
        *need = gf_min(*need, gf_max(stored - 1, 0) * p->buffer_bytes);
    for (int i = 0; i < 2 && p->offset; i++) { /* libtiff fills a short list up with zeros */
        const unsigned lists[2][2] = {{TIFFTAG_STRIPOFFSETS, TIFFTAG_STRIPBYTECOUNTS},
                                      {TIFFTAG_TILEOFFSETS, TIFFTAG_TILEBYTECOUNTS}};
        struct gf_tiff_tag list;
        int rc = gf_tiff_find(t, lists[p->tiled][i], &list);
        if (!rc && list.count && list.count < n)
            rc = gf_fail(GF_EFORMAT, "broken TIFF: places of %llu strips or tiles, of %u",
                         (unsigned long long)list.count, n);
        if (rc)
            return rc;
    }
    return GF_OK;
}

static int set_sizes(struct gf_tiff *t, struct gf_tiff_page *p) {
    int64_t extents[3] = {p->height, p->width, p->samples}, bits;
    int rc = gf_size_product(extents, 3, p->bits, &bits);
    if (rc)
        return rc;
    p->stored_bytes = bits / 8;
    p->columns = (uint32_t)p->width;
    if (p->tiled) {
        gf_libtiff.TIFFGetField(t->tif, TIFFTAG_TILEWIDTH, &p->columns);
        gf_libtiff.TIFFGetField(t->tif, TIFFTAG_TILELENGTH, &p->rows);
        if (p->columns == 0 || p->rows == 0)
            return gf_fail(GF_EFORMAT, "broken TIFF: tiles without a size");
    } else {
        gf_libtiff.TIFFGetFieldDefaulted(t->tif, TIFFTAG_ROWSPERSTRIP, &p->rows);
    }
    p->buffer_bytes = p->tiled ? (int64_t)gf_libtiff.TIFFTileSize(t->tif)
                               : (int64_t)gf_libtiff.TIFFStripSize(t->tif);
    if (t->failed)
        return gf_tiff_report(t, "broken TIFF: ");
    if (p->buffer_bytes <= 0)
        return gf_fail(GF_EFORMAT, "broken TIFF: strips or tiles without a size");
    /* A tile may be larger than a small picture, but not than the file could hold. */
    int64_t ratio = ratio_of(p->compression), need = 0;
    rc = find_holes(t, p, &need);
    if (!rc)
        rc = gf_image_plausible(t->source, need, ratio);
    if (!rc && p->tiled && need)
        rc = gf_image_plausible(t->source, p->buffer_bytes, ratio);
    return rc;
}

int gf_tiff_describe(struct gf_tiff *t, struct gf_tiff_page *p) {
    TIFF *tif = t->tif;
    uint32_t width = 0, height = 0, kind = 0;
    uint16_t planar = PLANARCONFIG_CONTIG;
    *p = (struct gf_tiff_page){0};
    gf_libtiff.TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &width);
    gf_libtiff.TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &height);
    gf_libtiff.TIFFGetFieldDefaulted(tif, TIFFTAG_SUBFILETYPE, &kind);
    gf_libtiff.TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLESPERPIXEL, &p->samples);
    gf_libtiff.TIFFGetFieldDefaulted(tif, TIFFTAG_BITSPERSAMPLE, &p->bits);
    gf_libtiff.TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLEFORMAT, &p->format);
    gf_libtiff.TIFFGetFieldDefaulted(tif, TIFFTAG_PLANARCONFIG, &planar);
    gf_libtiff.TIFFGetFieldDefaulted(tif, TIFFTAG_COMPRESSION, &p->compression);
    if (!gf_libtiff.TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &p->photometric))
        p->photometric = UINT16_MAX; /* plain channels, of which one is grey */
    if (width < 1 || height < 1 || p->samples < 1)
        return gf_fail(GF_EFORMAT, "broken TIFF: a page without a size");
    p->width = width;
    p->height = height;
    p->planar = planar == PLANARCONFIG_SEPARATE && p->samples > 1;
    p->tiled = gf_libtiff.TIFFIsTiled(tif);
    p->reduced = kind & FILETYPE_REDUCEDIMAGE;
    p->mask = kind & FILETYPE_MASK;
    if (p->compression == COMPRESSION_OJPEG)
        return gf_fail(GF_EUNSUPP, "a TIFF with old-style JPEG");
    const char *name = compression_name(p->compression);
    if (!gf_libtiff.TIFFIsCODECConfigured(p->compression))
        return gf_fail(GF_EUNSUPP, "a TIFF with compression %d (%s), which this libtiff lacks; %s",
                       p->compression, name,
                       strcmp(name, "other") ? "install one that has it, such as Debian's libtiff6"
                                             : "save it without compression");
    int rc = gf_tiff_set_dtype(t, p);
    if (!rc)
        rc = set_color(t, p);
    if (!rc)
        set_white(t, p);
    return rc ? rc : set_sizes(t, p);
}
