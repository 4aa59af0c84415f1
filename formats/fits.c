/* FITS (Pence et al., A&A 524, 2010, A42): cards of 80 characters in blocks of 2880 bytes, then
 * big-endian samples, padded to a block. The image is the first one of the file's header units. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/status.h"
#include "formats/fits.h"
#include "formats/image.h"

enum {
    CARD = GF_FITS_CARD,
    BLOCK = GF_FITS_BLOCK,
    VALUE = GF_FITS_VALUE,
    MOST_BLOCKS = GF_MOST_HEADER / BLOCK
};

/* ---- cards ---- */

const char *gf_fits_numbered(const char *key, int i, char text[24]) {
    snprintf(text, 24, i ? "%.7s%d" : "%.8s", key, i);
    return text;
}

const char *gf_fits_find(const struct gf_fits_cards *c, const char *key, int i) {
    char start[VALUE + 1], name[24];
    snprintf(start, sizeof start, "%-8.8s= ", gf_fits_numbered(key, i, name));
    for (const char *p = c->text; p < c->text + c->n; p += CARD)
        if (!strncmp(p, start, VALUE))
            return p + VALUE;
    return NULL;
}

/* Copies a value without its comment, and with E for Fortran's exponent, D; "" if the card is
 * absent. */
static char *copy_number(const char *value, char text[CARD - VALUE + 1]) {
    snprintf(text, CARD - VALUE + 1, "%.*s", value ? (int)strcspn(value, "/'") : 0, value);
    for (char *p = text; *p; p++)
        *p = *p == 'D' ? 'E' : *p;
    return text;
}

/* Returns `none` if the card is absent or has no number. */
static double number(const char *value, double none) {
    char text[CARD - VALUE + 1], *end;
    const double v = strtod(copy_number(value, text), &end);
    return end > text && isfinite(v) ? v : none;
}

/* The same, but NAN for a value that is no finite number. Unlike other fields it cannot be left out. */
static double needed_number(const char *value, double none) {
    char text[CARD - VALUE + 1];
    const bool quoted = value && value[strspn(value, " ")] == '\'';
    copy_number(value, text);
    if (!quoted && !text[strspn(text, " ")])
        return none;
    return text[strspn(text, "0123456789+-.E ")] ? NAN : number(value, NAN);
}

static int64_t integer(const char *value, int64_t none) {
    char text[CARD - VALUE + 1], *end;
    errno = 0;
    const long long v = strtoll(copy_number(value, text), &end, 10);
    return end > text && !errno && !end[strspn(end, " ")] ? v : none;
}

/* A quoted text without the blanks at its end; zeros fill it up. */
static const char *text_of(const char *value, char text[24]) {
    memset(text, 0, 24);
    while (value && *value == ' ')
        value++;
    if (!value || *value != '\'')
        return text;
    size_t n = strcspn(value + 1, "'");
    while (n && value[n] == ' ')
        n--;
    snprintf(text, 24, "%.*s", (int)gf_min((int64_t)n, CARD - VALUE - 1), value + 1);
    return text;
}

static bool is_true(const char *value) {
    return value && value[strspn(value, " ")] == 'T';
}

/* ---- reading ---- */

static bool fits_sniff(const unsigned char *head, size_t n) {
    return n >= VALUE && !memcmp(head, "SIMPLE  = ", VALUE);
}

/* Reads the blocks of a header unit; returns 1, or 0 at the end of the file. The caller frees the
 * text. */
static int read_cards(struct gf_source *source, struct gf_fits_cards *c) {
    *c = (struct gf_fits_cards){0};
    for (int blocks = 0; blocks < MOST_BLOCKS; blocks++) {
        char *more = realloc(c->text, c->n + BLOCK + 1);
        if (!more)
            return gf_no_memory();
        c->text = more;
        const int64_t got = gf_source_read(source, c->text + c->n, BLOCK);
        if (got < 0 || (got == 0 && !blocks))
            return (int)got;
        if (got < BLOCK)
            return gf_fail(GF_EFORMAT, "broken FITS: it ends within a header");
        c->text[c->n + BLOCK] = 0;
        for (int i = 0; i < BLOCK; i += CARD, c->n += CARD) {
            const char *card = c->text + c->n;
            if (!strncmp(card, "END     ", 8)) {
                c->text[c->n] = 0;
                return 1;
            }
            for (int k = 0; k < CARD; k++)
                if (card[k] < 32 || card[k] > 126)
                    return gf_fail(GF_EFORMAT, "broken FITS: a header with bytes that are no text");
        }
    }
    return gf_fail(GF_EFORMAT, "broken FITS: a header without an end");
}

int gf_fits_extents(const struct gf_fits_cards *c, int64_t extent[GF_FITS_AXES]) {
    const int64_t n = integer(gf_fits_find(c, "NAXIS", 0), -1);
    if (n < 0 || n > 999)
        return gf_fail(GF_EFORMAT, "broken FITS: no NAXIS");
    for (int i = 0; i < n; i++) {
        const int64_t e = integer(gf_fits_find(c, "NAXIS", i + 1), -1);
        if (e < 0)
            return gf_fail(GF_EFORMAT, "broken FITS: no NAXIS%d", i + 1);
        if (i >= GF_FITS_AXES && e != 1)
            return gf_fail(GF_EUNSUPP, "a FITS image of more than %d axes", GF_FITS_AXES);
        if (i < GF_FITS_AXES)
            extent[i] = e;
    }
    return n < GF_FITS_AXES ? (int)n : GF_FITS_AXES;
}

/* Returns where a unit's array ends, which begins at the source's position, or a negative status. */
static int64_t end_of(struct gf_source *source, const struct gf_fits_cards *c, int n,
                      const int64_t *extent) {
    const int64_t bits = integer(gf_fits_find(c, "BITPIX", 0), 8);
    int64_t size = n ? 1 : 0, end;
    const bool groups =
        is_true(gf_fits_find(c, "GROUPS", 0)) && n && extent[0] == 0; /* "random" ones */
    bool fits = bits >= -64 && bits <= 64;
    for (int i = groups; i < n; i++)
        fits = fits && !__builtin_mul_overflow(size, extent[i], &size);
    fits = fits && !__builtin_add_overflow(size, integer(gf_fits_find(c, "PCOUNT", 0), 0), &size);
    fits = fits && !__builtin_mul_overflow(size, integer(gf_fits_find(c, "GCOUNT", 0), 1), &size);
    fits = fits && !__builtin_mul_overflow(size, (bits < 0 ? -bits : bits) / 8, &size) && size >= 0;
    fits = fits && !__builtin_add_overflow(gf_source_tell(source), size, &end);
    if (!fits || end > INT64_MAX - BLOCK)
        return gf_fail(GF_EFORMAT, "broken FITS: more samples than 63 bits count");
    return gf_divide_up(end, BLOCK) * BLOCK;
}

int gf_fits_coding(const struct gf_fits_cards *c, struct gf_coding *coding, enum gf_dtype *dtype) {
    static const struct {
        int bits, plain, flipped; /* enum gf_dtype or gf_stored */
    } types[] = {{8, GF_U8, GF_I8},     {16, GF_I16, GF_U16},
                 {32, GF_I32, GF_U32},  {64, GF_STORED_I64, GF_STORED_U64},
                 {-32, GF_F32, GF_F32}, {-64, GF_F64, GF_F64}};
    enum { N = sizeof types / sizeof *types };
    const int64_t bits = integer(gf_fits_find(c, "BITPIX", 0), 0),
                  blank = integer(gf_fits_find(c, "BLANK", 0), 0);
    const double slope = needed_number(gf_fits_find(c, "BSCALE", 0), 1);
    const double zero = needed_number(gf_fits_find(c, "BZERO", 0), 0);
    int i = 0;
    while (i < N && types[i].bits != bits)
        i++;
    if (i == N)
        return gf_fail(GF_EFORMAT, "broken FITS: no BITPIX of 8, 16, 32, 64, -32 or -64");
    if (!isfinite(slope) || !isfinite(zero))
        return gf_fail(GF_EFORMAT, "broken FITS: %s is not a finite number",
                       isfinite(slope) ? "BZERO" : "BSCALE");
    if (!(slope > 0 || slope < 0))
        return gf_fail(GF_EFORMAT, "broken FITS: BSCALE is 0");
    const bool blank_is_known = integer(gf_fits_find(c, "BLANK", 0), 1) == blank;
    if (bits > 0 && gf_fits_find(c, "BLANK", 0) && !blank_is_known)
        return gf_fail(GF_EFORMAT, "broken FITS: BLANK is not an integer");
    const int unused = bits > 0 ? 64 - (int)bits : 0;
    const int64_t held =
        bits == 8 ? (uint8_t)blank : (int64_t)((uint64_t)blank << unused) >> unused;
    const bool has_blank = bits > 0 && held == blank && blank_is_known;
    const bool unit = slope <= 1 && slope >= 1;
    const double half = bits == 8 ? -128 : bits > 0 ? ldexp(1, (int)bits - 1) : NAN;
    const bool flips = unit && zero <= half && zero >= half && (bits == 64 || !has_blank);
    const int type = flips ? types[i].flipped : types[i].plain;
    *dtype = gf_coding_set(coding, (enum gf_stored)type, slope, flips ? 0 : zero);
    if (has_blank && !coding->coded) {
        coding->coded = true; /* so that blanks become NaN */
        *dtype = bits < 32 ? GF_F32 : GF_F64;
    }
    coding->has_blank = has_blank;
    coding->blank = flips ? blank ^ INT64_MIN : blank;
    coding->flips = flips;
    coding->tail = true;
    return GF_OK;
}

/* Types of angles, which are in degrees unless a unit is given: RA---TAN, GLAT, HPLN. */
static bool is_angle(const char *type) {
    const size_t n = strcspn(type, "-");
    return (n == 2 && !strncmp(type, "RA", 2)) || (n == 3 && !strncmp(type, "DEC", 3)) ||
           (n == 4 && (!strncmp(type + 1, "LON", 3) || !strncmp(type + 1, "LAT", 3) ||
                       !strncmp(type + 2, "LN", 2) || !strncmp(type + 2, "LT", 2)));
}

/* The name of axis i, behind the second: of a spectrum, of time, of polarisation, of depth, else n. */
static const char *name_of(const char *type, int i) {
    static const char *const spectral[] = {"FREQ", "VELO", "VRAD", "VOPT", "WAVE", "AWAV",
                                           "ENER", "WAVN", "ZOPT", "BETA", "FELO"};
    static const char *const depth[] = {"", "LINEAR", "PIXEL", "X", "Y", "Z", "DEPTH"};
    for (size_t k = 0; k < sizeof spectral / sizeof *spectral; k++)
        if (!strncmp(type, spectral[k], 4))
            return "f";
    for (size_t k = 0; k < sizeof depth / sizeof *depth; k++)
        if (i == 3 && (!strcasecmp(type, depth[k]) || is_angle(type)))
            return "z";
    return !strncmp(type, "TIME", 4) || !strcmp(type, "UTC") ? "t"
           : !strncmp(type, "STOKES", 6)                     ? "c"
                                                             : "n";
}

/* Copies a unit as axes have it. Words are known in capitals too, as wcslib reads them. */
static void copy_unit(const char *unit, char to[12]) {
    char lower[24] = "", kind;
    for (int i = 0; strlen(unit) > 2 && unit[i]; i++)
        lower[i] = (char)tolower((unsigned char)unit[i]);
    gf_unit_copy(lower, 0, to);
    if (!(gf_unit_value(to, &kind) > 0))
        gf_unit_copy(unit, 0, to);
}

/* Angles become seconds of arc. */
static void describe_axis(const struct gf_fits_cards *c, int i, int64_t extent,
                          struct gf_axes *axes) {
    char type[24], unit[24], key[40], name[12], short_unit[12];
    double spacing = fabs(number(gf_fits_find(c, "CDELT", i), 0)), squares = 0;
    text_of(gf_fits_find(c, "CTYPE", i), type);
    text_of(gf_fits_find(c, "CUNIT", i), unit);
    for (int k = 1; k <= 3; k++) {
        snprintf(key, sizeof key, "CD%d_%d", k, i);
        squares += pow(number(gf_fits_find(c, key, 0), 0), 2);
    }
    spacing = squares > 0 ? sqrt(squares) : spacing;
    copy_unit(unit, short_unit);
    const bool degrees = !strcmp(short_unit, "deg") || (is_angle(type) && !*unit);
    if (degrees)
        strcpy(short_unit, "arcsec");
    snprintf(name, sizeof name, "%s", i == 1 ? "x" : i == 2 ? "y" : name_of(type, i));
    for (int k = 0; k < axes->n && i > 2; k++)
        if (!strcmp(axes->axis[k].name, name))
            snprintf(name + 1, sizeof name - 1, "%d", i);
    gf_axes_add(axes, name, extent, degrees ? 3600 * spacing : spacing, short_unit);
    if (!*short_unit) /* pixels of no unit */
        axes->axis[0].spacing = 0;
    axes->named = axes->named || (i > 2 && extent > 1 && axes->axis[0].role != GF_SPACE);
}

/* Notes that the planes along a third axis of unknown type are pages. */
static int note_axis(const struct gf_fits_cards *c, int64_t extent, char **note) {
    char type[24];
    if (extent < 2 || strcmp(name_of(text_of(gf_fits_find(c, "CTYPE", 3), type), 3), "n"))
        return GF_OK;
    return asprintf(
               note,
               "CTYPE3 is '%s', an unknown type: the planes are pages; --dims=3 transforms them "
               "as depth",
               type) < 0
               ? gf_no_memory()
               : GF_OK;
}

/* Keeps the cards, and behind those of an extension the primary unit's. */
static int keep_cards(struct gf_image *image, const struct gf_fits_cards *c,
                      const struct gf_fits_cards *primary) {
    char *all = malloc(c->n + primary->n + 1);
    if (!all)
        return gf_no_memory();
    memcpy(all, c->text, c->n);
    if (primary->n)
        memcpy(all + c->n, primary->text, primary->n);
    int rc = gf_header_copy(&image->metadata, gf_format_fits.name, all, c->n + primary->n);
    free(all);
    return rc;
}

/* Keeps the file for its other units, if it has some. */
static int keep_rest(const struct gf_decoder *d, int64_t begin, int64_t end,
                     struct gf_metadata *m) {
    const int64_t size = gf_source_known_size(d->source);
    m->more = begin > 0 || size >= end + BLOCK;
    return m->more || size < 0 ? gf_rest_make(d->source, begin, end, &m->rest) : GF_OK;
}

static int describe(struct gf_decoder *d, struct gf_image *image, const struct gf_fits_cards *c,
                    int n, const int64_t *extent) {
    struct gf_raw_layout *l = &d->layout;
    *l = (struct gf_raw_layout){
        .channels = 1, .big_endian = true, .offset = gf_source_tell(d->source)};
    n = gf_layout_extents(l, n, extent);
    int rc = n < 0 ? n : gf_fits_coding(c, &d->coding, &l->dtype);
    for (int i = 0; i < n; i++)
        describe_axis(c, i + 1, extent[i], &image->axes);
    image->depth = abs((int)integer(gf_fits_find(c, "BITPIX", 0), 0));
    image->color = GF_GRAY;
    return !rc && n > 2 ? note_axis(c, extent[2], &image->note) : rc;
}

/* True if unit `number` is the one that the options name by its number, by EXTNAME or by EXTNAME and
 * EXTVER, or none is. */
static bool is_wanted(const struct gf_decoder *d, const struct gf_fits_cards *c, int number) {
    const char *part = d->options.part;
    char name[24], *end;
    if (!part)
        return true;
    const size_t n = strlen(text_of(gf_fits_find(c, "EXTNAME", 0), name));
    if (strtol(part, &end, 10) == number && *end == ']' && end > part)
        return true;
    if (!n || strncasecmp(part, name, n) || (part[n] != ']' && part[n] != ','))
        return false;
    return part[n] == ']' ||
           (strtol(part + n + 1, &end, 10) == integer(gf_fits_find(c, "EXTVER", 0), 1) &&
            end > part + n + 1 && *end == ']');
}

/* Takes a unit if it is the image that is wanted, and returns 1; else skips it. */
static int take_unit(struct gf_decoder *d, struct gf_image *image, const struct gf_fits_cards *c,
                     const struct gf_fits_cards *primary, int unit) {
    int64_t extent[GF_FITS_AXES];
    char kind[24];
    const int64_t begin =
        gf_source_tell(d->source) - gf_divide_up((int64_t)c->n + 1, BLOCK) * BLOCK;
    const int n = gf_fits_extents(c, extent);
    bool is_image = n > 0 && is_wanted(d, c, unit) &&
                    (is_true(gf_fits_find(c, "SIMPLE", 0)) ||
                     !strcmp(text_of(gf_fits_find(c, "XTENSION", 0), kind), "IMAGE"));
    for (int i = 0; i < n; i++)
        is_image = is_image && extent[i] > 0;
    if (n >= 0 && is_true(gf_fits_find(c, "ZIMAGE", 0)) && is_wanted(d, c, unit))
        return gf_fail(GF_EUNSUPP, "a FITS file of compressed images; funpack unpacks them");
    int rc = n < 0 ? n : is_image ? describe(d, image, c, n, extent) : GF_OK;
    const int64_t end = rc ? rc : end_of(d->source, c, n, extent);
    if (!is_image || end < 0)
        return end < 0 ? (int)end : gf_source_seek(d->source, end);
    rc = keep_cards(image, c, primary);
    if (!rc)
        rc = keep_rest(d, begin, end, &image->metadata);
    return rc ? rc : 1;
}

static int fits_header(struct gf_decoder *d, struct gf_image *image) {
    struct gf_fits_cards primary = {0};
    int rc = GF_OK;
    for (int unit = 0; !rc; unit++) {
        struct gf_fits_cards c;
        rc = read_cards(d->source, &c);
        if (rc == 1)
            rc = take_unit(d, image, &c, &primary, unit);
        else if (!rc)
            rc = gf_fail(GF_EUNSUPP, d->options.part ? "no image of that number or name in the file"
                                                     : "a FITS file without an image");
        if (!unit)
            primary = c;
        else
            free(c.text);
    }
    free(primary.text);
    return rc < 0 ? rc : GF_OK;
}

const struct gf_format gf_format_fits = {
    .name = "fits",
    .suffixes = "fits fit fts fits.gz",
    .summary = "FITS images of astronomy, with their cards",
    .sniff = fits_sniff,
    .header = fits_header,
    .read_pages = gf_plain_read_pages,
    .place = gf_fits_place,
    .begin = gf_fits_begin,
    .put_pages = gf_fits_put_pages,
    .end = gf_fits_end,
    .dtypes = 1u << GF_U8 | 1u << GF_I8 | 1u << GF_U16 | 1u << GF_I16 | 1u << GF_U32 |
              1u << GF_I32 | 1u << GF_F32 | 1u << GF_F64,
    .max_ndim = 3,
    .lines = true,
    .channels = 1u << 1,
    .big_endian = true,
    .flips = 1u << GF_I8 | 1u << GF_U16 | 1u << GF_U32,
    .block = BLOCK,
    .parts = true,
    .record_beside = true,
};
