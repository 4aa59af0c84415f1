/* Cards of FITS headers, and what those of an array mean; see fits.h. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/value/status.h"
#include "formats/fits.h"
#include "formats/image.h"

enum { CARD = GF_FITS_CARD, VALUE = GF_FITS_VALUE };

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

double gf_fits_number(const char *value, double none) {
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
    return text[strspn(text, "0123456789+-.E ")] ? NAN : gf_fits_number(value, NAN);
}

int64_t gf_fits_integer(const char *value, int64_t none) {
    char text[CARD - VALUE + 1], *end;
    errno = 0;
    const long long v = strtoll(copy_number(value, text), &end, 10);
    return end > text && !errno && !end[strspn(end, " ")] ? v : none;
}

const char *gf_fits_text(const char *value, char text[GF_FITS_TEXT]) {
    memset(text, 0, GF_FITS_TEXT);
    while (value && *value == ' ')
        value++;
    if (!value || *value != '\'')
        return text;
    size_t n = strcspn(value + 1, "'");
    while (n && value[n] == ' ')
        n--;
    snprintf(text, GF_FITS_TEXT, "%.*s", (int)gf_min((int64_t)n, CARD - VALUE - 1), value + 1);
    return text;
}

bool gf_fits_is_true(const char *value) {
    return value && value[strspn(value, " ")] == 'T';
}

bool gf_fits_matches(const char *card, const char *const *patterns) {
    for (; *patterns; patterns++) {
        const char *p = *patterns, *key = card, *digits = key;
        while (*p && (*p == '#' ? (digits = key + strspn(key, "0123456789")) > key : *p == *key)) {
            key = *p == '#' ? digits : key + 1;
            p++;
        }
        key += !*p && *key >= 'A' && *key <= 'Z';
        if (!*p && (key == card + 8 || strchr(" =", *key)))
            return true;
    }
    return false;
}

int gf_fits_extents(const struct gf_fits_cards *c, int64_t extent[GF_FITS_AXES]) {
    const int64_t n = gf_fits_integer(gf_fits_find(c, "NAXIS", 0), -1);
    if (n < 0 || n > 999)
        return gf_fail(GF_EFORMAT, "broken FITS: no NAXIS");
    for (int i = 0; i < n; i++) {
        const int64_t e = gf_fits_integer(gf_fits_find(c, "NAXIS", i + 1), -1);
        if (e < 0)
            return gf_fail(GF_EFORMAT, "broken FITS: no NAXIS%d", i + 1);
        if (i >= GF_FITS_AXES && e != 1)
            return gf_fail(GF_EUNSUPP, "a FITS image of more than %d axes", GF_FITS_AXES);
        if (i < GF_FITS_AXES)
            extent[i] = e;
    }
    return n < GF_FITS_AXES ? (int)n : GF_FITS_AXES;
}

int gf_fits_coding(const struct gf_fits_cards *c, struct gf_coding *coding, enum gf_dtype *dtype) {
    static const struct {
        int bits, plain, flipped; /* enum gf_dtype or gf_stored */
    } types[] = {{8, GF_U8, GF_I8},     {16, GF_I16, GF_U16},
                 {32, GF_I32, GF_U32},  {64, GF_STORED_I64, GF_STORED_U64},
                 {-32, GF_F32, GF_F32}, {-64, GF_F64, GF_F64}};
    enum { N = sizeof types / sizeof *types };
    const int64_t bits = gf_fits_integer(gf_fits_find(c, "BITPIX", 0), 0),
                  blank = gf_fits_integer(gf_fits_find(c, "BLANK", 0), 0);
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
    const bool blank_is_known = gf_fits_integer(gf_fits_find(c, "BLANK", 0), 1) == blank;
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

/* ---- axes ---- */

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
    if (!strcmp(type, "DEPTH"))
        return "z";
    return !strncmp(type, "TIME", 4) || !strcmp(type, "UTC")         ? "t"
           : !strncmp(type, "STOKES", 6) || !strcmp(type, "CHANNEL") ? "c"
                                                                     : "n";
}

/* Copies a unit as axes have it. Words are known in capitals too, as wcslib reads them. */
static void copy_unit(const char *unit, char to[12]) {
    char lower[GF_FITS_TEXT] = "", kind;
    for (int i = 0; strlen(unit) > 2 && unit[i]; i++)
        lower[i] = (char)tolower((unsigned char)unit[i]);
    gf_unit_copy(lower, 0, to);
    if (!(gf_unit_value(to, &kind) > 0))
        gf_unit_copy(unit, 0, to);
}

/* The card's number, NAN if it has another value, or `none` if there is no such card. A card sets *has,
 * which may be NULL. */
static double number_of(const struct gf_fits_cards *c, const char *key, double none, bool *has) {
    const char *value = gf_fits_find(c, key, 0);
    if (has && value)
        *has = true;
    return value ? gf_fits_number(value, NAN) : none;
}

/* The distance of samples along axis i: the length of its column in the matrix CD, or CDELT times PC (Greisen
 * and Calabretta, A&A 395, 2002, 1061), which is 1 on the diagonal by default. No finite number if a card has none. */
static double spacing_of(const struct gf_fits_cards *c, int i) {
    double cd = 0, pc[GF_FITS_AXES], steps = 0;
    bool has_cd = false, has_pc = false;
    char key[40];
    for (int k = 0; k < GF_FITS_AXES; k++) {
        snprintf(key, sizeof key, "CD%d_%d", k + 1, i);
        cd = hypot(cd, number_of(c, key, 0, &has_cd));
        snprintf(key, sizeof key, "PC%d_%d", k + 1, i);
        pc[k] = number_of(c, key, k + 1 == i, &has_pc);
    }
    for (int k = 0; k < GF_FITS_AXES; k++) {
        snprintf(key, sizeof key, "CDELT%d", k + 1);
        const double step = number_of(c, key, has_pc, NULL);
        steps = hypot(steps, pc[k] > 0 || pc[k] < 0 || isnan(pc[k]) ? step * pc[k] : 0);
    }
    return has_cd ? cd : steps;
}

void gf_fits_describe_axis(const struct gf_fits_cards *c, int i, int64_t extent,
                           struct gf_axes *axes) {
    char type[GF_FITS_TEXT], unit[GF_FITS_TEXT], name[12], short_unit[12];
    const double spacing = spacing_of(c, i);
    gf_fits_text(gf_fits_find(c, "CTYPE", i), type);
    gf_fits_text(gf_fits_find(c, "CUNIT", i), unit);
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

int gf_fits_note_axis(const struct gf_fits_cards *c, int64_t extent, char **note) {
    char type[GF_FITS_TEXT];
    if (extent < 2 || strcmp(name_of(gf_fits_text(gf_fits_find(c, "CTYPE", 3), type), 3), "n") ||
        !strcmp(type, "PAGE"))
        return GF_OK;
    return gf_image_note(note,
                         "CTYPE3 is '%s', an unknown type: the planes are pages; --dims=3 "
                         "transforms them as depth",
                         type);
}
