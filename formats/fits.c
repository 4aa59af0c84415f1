/* FITS (Pence et al., A&A 524, 2010, A42): cards of 80 characters in blocks of 2880 bytes, then
 * big-endian samples, padded to a block. The image is the first one of the file's header units. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/status.h"
#include "formats/image.h"

enum { CARD = 80, BLOCK = 2880, MOST_BLOCKS = GF_MOST_HEADER / BLOCK, MOST_AXES = 8, VALUE = 10 };

/* The cards of a header unit, without END, and a zero behind them. */
struct cards {
    char *text;
    size_t n;
};

/* ---- cards ---- */

/* "NAXIS2" for NAXIS and 2, "NAXIS" for 0. */
static const char *numbered(const char *key, int i, char text[24]) {
    snprintf(text, 24, i ? "%.7s%d" : "%.8s", key, i);
    return text;
}

/* The value of a keyword, numbered unless i is 0, or NULL; it ends with the card or a comment behind a
 * slash. */
static const char *find(const struct cards *c, const char *key, int i) {
    char start[VALUE + 1], name[24];
    snprintf(start, sizeof start, "%-8.8s= ", numbered(key, i, name));
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
static int read_cards(struct gf_source *source, struct cards *c) {
    *c = (struct cards){0};
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

/* The extents of a unit's array, fastest first; returns how many, or a negative status. */
static int get_extents(const struct cards *c, int64_t extent[MOST_AXES]) {
    const int64_t n = integer(find(c, "NAXIS", 0), -1);
    if (n < 0 || n > 999)
        return gf_fail(GF_EFORMAT, "broken FITS: no NAXIS");
    for (int i = 0; i < n; i++) {
        const int64_t e = integer(find(c, "NAXIS", i + 1), -1);
        if (e < 0)
            return gf_fail(GF_EFORMAT, "broken FITS: no NAXIS%d", i + 1);
        if (i >= MOST_AXES && e != 1)
            return gf_fail(GF_EUNSUPP, "a FITS image of more than %d axes", MOST_AXES);
        if (i < MOST_AXES)
            extent[i] = e;
    }
    return n < MOST_AXES ? (int)n : MOST_AXES;
}

/* Skips a unit's array. */
static int skip(struct gf_source *source, const struct cards *c, int n, const int64_t *extent) {
    const int64_t bits = integer(find(c, "BITPIX", 0), 8);
    int64_t size = n ? 1 : 0, end;
    const bool groups = is_true(find(c, "GROUPS", 0)) && n && extent[0] == 0; /* "random" ones */
    bool fits = bits >= -64 && bits <= 64;
    for (int i = groups; i < n; i++)
        fits = fits && !__builtin_mul_overflow(size, extent[i], &size);
    fits = fits && !__builtin_add_overflow(size, integer(find(c, "PCOUNT", 0), 0), &size);
    fits = fits && !__builtin_mul_overflow(size, integer(find(c, "GCOUNT", 0), 1), &size);
    fits = fits && !__builtin_mul_overflow(size, (bits < 0 ? -bits : bits) / 8, &size) && size >= 0;
    fits = fits && !__builtin_add_overflow(gf_source_tell(source), size, &end);
    if (!fits || end > INT64_MAX - BLOCK)
        return gf_fail(GF_EFORMAT, "broken FITS: more samples than 63 bits count");
    return gf_source_seek(source, gf_divide_up(end, BLOCK) * BLOCK);
}

/* How the unit stores numbers; sets the type that they become. BZERO of half of an integer's range
 * makes it unsigned, or one of 8 bits signed. */
static int take_coding(const struct cards *c, struct gf_coding *coding, enum gf_dtype *dtype) {
    static const struct {
        int bits, plain, flipped; /* enum gf_dtype or gf_stored */
    } types[] = {{8, GF_U8, GF_I8},     {16, GF_I16, GF_U16},
                 {32, GF_I32, GF_U32},  {64, GF_STORED_I64, GF_STORED_U64},
                 {-32, GF_F32, GF_F32}, {-64, GF_F64, GF_F64}};
    enum { N = sizeof types / sizeof *types };
    const int64_t bits = integer(find(c, "BITPIX", 0), 0), blank = integer(find(c, "BLANK", 0), 0);
    const double slope = needed_number(find(c, "BSCALE", 0), 1);
    const double zero = needed_number(find(c, "BZERO", 0), 0);
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
    const bool blank_is_known = integer(find(c, "BLANK", 0), 1) == blank;
    if (bits > 0 && find(c, "BLANK", 0) && !blank_is_known)
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
static void describe_axis(const struct cards *c, int i, int64_t extent, struct gf_axes *axes) {
    char type[24], unit[24], key[40], name[12], short_unit[12];
    double spacing = fabs(number(find(c, "CDELT", i), 0)), squares = 0;
    text_of(find(c, "CTYPE", i), type);
    text_of(find(c, "CUNIT", i), unit);
    for (int k = 1; k <= 3; k++) {
        snprintf(key, sizeof key, "CD%d_%d", k, i);
        squares += pow(number(find(c, key, 0), 0), 2);
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
static int note_axis(const struct cards *c, int64_t extent, char **note) {
    char type[24];
    if (extent < 2 || strcmp(name_of(text_of(find(c, "CTYPE", 3), type), 3), "n"))
        return GF_OK;
    return asprintf(
               note,
               "CTYPE3 is '%s', an unknown type: the planes are pages; --dims=3 transforms them "
               "as depth",
               type) < 0
               ? gf_no_memory()
               : GF_OK;
}

static int describe(struct gf_decoder *d, struct gf_image *image, const struct cards *c, int n,
                    const int64_t *extent) {
    struct gf_raw_layout *l = &d->layout;
    *l = (struct gf_raw_layout){
        .channels = 1, .big_endian = true, .offset = gf_source_tell(d->source)};
    n = gf_layout_extents(l, n, extent);
    int rc = n < 0 ? n : take_coding(c, &d->coding, &l->dtype);
    for (int i = 0; i < n; i++)
        describe_axis(c, i + 1, extent[i], &image->axes);
    image->depth = abs((int)integer(find(c, "BITPIX", 0), 0));
    image->color = GF_GRAY;
    if (!rc && n > 2)
        rc = note_axis(c, extent[2], &image->note);
    return rc ? rc : gf_header_copy(&image->metadata, gf_format_fits.name, c->text, c->n);
}

/* True if unit `number` is the one that the options name by its number, by EXTNAME or by EXTNAME and
 * EXTVER, or none is. */
static bool is_wanted(const struct gf_decoder *d, const struct cards *c, int number) {
    const char *part = d->options.part;
    char name[24], *end;
    if (!part)
        return true;
    const size_t n = strlen(text_of(find(c, "EXTNAME", 0), name));
    if (strtol(part, &end, 10) == number && *end == ']' && end > part)
        return true;
    if (!n || strncasecmp(part, name, n) || (part[n] != ']' && part[n] != ','))
        return false;
    return part[n] == ']' || (strtol(part + n + 1, &end, 10) == integer(find(c, "EXTVER", 0), 1) &&
                              end > part + n + 1 && *end == ']');
}

static int fits_header(struct gf_decoder *d, struct gf_image *image) {
    for (int unit = 0;; unit++) {
        struct cards c;
        int64_t extent[MOST_AXES];
        char kind[24];
        int rc = read_cards(d->source, &c), n = 0;
        const bool more = rc == 1;
        rc = more ? 0 : rc;
        if (!rc && !more)
            rc = gf_fail(GF_EUNSUPP, d->options.part ? "no image of that number or name in the file"
                                                     : "a FITS file without an image");
        if (!rc)
            rc = n = get_extents(&c, extent);
        bool is_image = rc > 0 && (is_true(find(&c, "SIMPLE", 0)) ||
                                   !strcmp(text_of(find(&c, "XTENSION", 0), kind), "IMAGE"));
        for (int i = 0; i < n; i++)
            is_image = is_image && extent[i] > 0;
        is_image = is_image && is_wanted(d, &c, unit);
        if (rc >= 0 && is_true(find(&c, "ZIMAGE", 0)) && is_wanted(d, &c, unit))
            rc = gf_fail(GF_EUNSUPP, "a FITS file of compressed images; funpack unpacks them");
        if (rc >= 0)
            rc = is_image ? describe(d, image, &c, n, extent) : skip(d->source, &c, n, extent);
        free(c.text);
        if (rc || is_image)
            return rc;
    }
}

/* ---- writing ---- */

/* Writes a card whose value is formatted. The sink keeps its first failure, so the block with END
 * reports all. */
__attribute__((format(printf, 3, 4))) static void put(struct gf_encoder *e, const char *key,
                                                      const char *format, ...) {
    char value[CARD - VALUE + 1], card[3 * CARD];
    va_list list;
    va_start(list, format);
    vsnprintf(value, sizeof value, format, list);
    va_end(list);
    snprintf(card, sizeof card, "%-8s= %20s%*s", key, value, CARD, "");
    (void)gf_sink_write(e->sink, card, CARD);
}

/* A number in the fewest digits from which it is read again. */
static void put_number(struct gf_encoder *e, const char *key, double v) {
    char text[32];
    int digits = 15;
    while (snprintf(text, sizeof text, "%.*G", digits, v), strtod(text, NULL) != v && digits < 17)
        digits++;
    put(e, key, "%s", text);
}

/* Cards that follow from the array are made anew; sums and extremes of the old one are dropped. */
static bool is_own(const char *card) {
    static const char *const keys[] = {"SIMPLE",  "XTENSION", "BITPIX",   "NAXIS",   "PCOUNT",
                                       "GCOUNT",  "EXTEND",   "BSCALE",   "BZERO",   "BLANK",
                                       "DATAMIN", "DATAMAX",  "CHECKSUM", "DATASUM", "GROUPS"};
    const size_t n = strcspn(card, " =");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if ((strlen(keys[i]) == n && !strncmp(card, keys[i], n)) ||
            (!strcmp(keys[i], "NAXIS") && n > 5 && !strncmp(card, "NAXIS", 5)))
            return true;
    return false;
}

/* The picture's own cards, or the spacing of its axes. */
static void put_kept(struct gf_encoder *e, const struct cards *kept) {
    const struct gf_image *image = e->image;
    for (size_t at = 0; at + CARD <= kept->n; at += CARD)
        if (!is_own(kept->text + at))
            (void)gf_sink_write(e->sink, kept->text + at, CARD);
    for (int i = 1; i <= image->ndim && !kept->n; i++) {
        const struct gf_axis *a = gf_axes_spatial(&image->axes, image->ndim, image->ndim - i);
        char key[24], unit[24];
        const bool angle = a && !strcmp(a->unit, "arcsec");
        if (!a || !(a->spacing > 0))
            continue;
        put_number(e, numbered("CDELT", i, key), angle ? a->spacing / 3600 : a->spacing);
        const char *name = angle ? "deg" : strcmp(a->unit, "A") ? a->unit : "Angstrom";
        snprintf(unit, sizeof unit, "'%-8s'", name);
        if (!strchr(a->unit, '\''))
            put(e, numbered("CUNIT", i, key), "%-20s", unit);
    }
}

static int fits_begin(struct gf_encoder *e) {
    const struct gf_image *image = e->image;
    const unsigned char *own = gf_header_of(image, e->format, 0);
    const struct cards kept = {(char *)(uintptr_t)own, own ? image->metadata.header_bytes : 0};
    const enum gf_dtype dtype = image->px.dtype;
    struct gf_coding *c = &e->coding;
    enum gf_dtype was;
    *c = (struct gf_coding){0};
    if (own && image->restores && !take_coding(&kept, c, &was))
        c->coded = c->coded && was == dtype;
    const bool is_float =
        c->coded ? c->type == (enum gf_stored)GF_F32 || c->type == (enum gf_stored)GF_F64
                 : !gf_dtype_is_integer(dtype);
    const int bits = 8 * (int)gf_coding_bytes(c, dtype);
    put(e, "SIMPLE", "T");
    put(e, "BITPIX", "%d", is_float ? -bits : bits);
    put(e, "NAXIS", "%d", image->ndim);
    for (int i = 1; i <= image->ndim; i++) {
        char key[24];
        put(e, numbered("NAXIS", i, key), "%lld", (long long)image->px.shape[image->ndim - i]);
    }
    if (c->coded || gf_format_fits.flips >> dtype & 1) {
        put_number(e, "BSCALE", c->coded ? c->slope : 1);
        put_number(e, "BZERO",
                   c->coded && !c->flips ? c->offset
                   : dtype == GF_I8      ? -128
                                         : ldexp(1, bits - 1));
    }
    if (c->coded && c->has_blank)
        put(e, "BLANK", "%lld", (long long)(c->flips ? c->blank ^ INT64_MIN : c->blank));
    put_kept(e, &kept);
    char end[BLOCK];
    memset(end, ' ', sizeof end);
    memcpy(end, "END", 3);
    return gf_sink_write(e->sink, end, (size_t)(BLOCK - gf_sink_tell(e->sink) % BLOCK));
}

static int fits_put_pages(struct gf_encoder *e, const struct gf_image *pages) {
    e->state = e; /* so that end() is called */
    return gf_planes_write(e, pages);
}

static int fits_end(struct gf_encoder *e) {
    static const char zeros[BLOCK];
    const int64_t over = gf_sink_tell(e->sink) % BLOCK;
    e->state = NULL;
    return over ? gf_sink_write(e->sink, zeros, (size_t)(BLOCK - over)) : GF_OK;
}

const struct gf_format gf_format_fits = {
    .name = "fits",
    .suffixes = "fits fit fts fits.gz",
    .summary = "FITS images of astronomy, with their cards",
    .sniff = fits_sniff,
    .header = fits_header,
    .read_pages = gf_plain_read_pages,
    .begin = fits_begin,
    .put_pages = fits_put_pages,
    .end = fits_end,
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
