/* Writes FITS files: the cards of the picture's own file, samples, and what else that file has. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/real.h"
#include "core/base/value/status.h"
#include "formats/fits.h"
#include "formats/image.h"

enum { CARD = GF_FITS_CARD, BLOCK = GF_FITS_BLOCK, VALUE = GF_FITS_VALUE };

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

static const char *number_text(double v, char text[GF_REAL_TEXT]) {
    char *exponent = strchr(gf_real_text(v, text), 'e');
    if (exponent)
        *exponent = 'E'; /* the standard has no other */
    return text;
}

static void put_number(struct gf_encoder *e, const char *key, double v) {
    char text[GF_REAL_TEXT];
    put(e, key, "%s", number_text(v, text));
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

/* World coordinates, which describe the picture's axes. */
static bool is_wcs(const char *card) {
    static const char *const patterns[] = {
        "CTYPE#",  "CUNIT#",  "CRVAL#",  "CRPIX#",  "CDELT#",   "CROTA#",   "CD#_#",
        "PC#_#",   "PV#_#",   "PS#_#",   "CNAME#",  "CRDER#",   "CSYER#",   "A_#_#",
        "B_#_#",   "AP_#_#",  "BP_#_#",  "A_ORDER", "B_ORDER",  "AP_ORDER", "BP_ORDER",
        "LONPOLE", "LATPOLE", "EQUINOX", "RADESYS", "RADECSYS", "WCSAXES",  "WCSNAME",
        "VELREF",  "RESTFRQ", "RESTWAV", "SPECSYS", NULL};
    return gf_fits_matches(card, patterns);
}

static bool has_card(const struct gf_fits_cards *c, const char *key) {
    for (size_t at = 0; at + CARD <= c->n; at += CARD)
        if (!strncmp(c->text + at, key, 8))
            return true;
    return false;
}

static bool is_comment(const char *card) {
    return !strncmp(card, "COMMENT ", 8) || !strncmp(card, "HISTORY ", 8) ||
           !strncmp(card, "        ", 8);
}

/* A comment or a text, but for the unit of samples. */
static bool is_text(const char *card) {
    const char *value = memchr(card, '=', CARD);
    return is_comment(card) || (value && value[1 + strspn(value + 1, " ")] == '\'' &&
                                !is_wcs(card) && strncmp(card, "BUNIT ", 6));
}

/* True for a card with the spacing of an axis whose bit is set. */
static bool is_anew(const char *card, unsigned anew) {
    static const char *const spacings[][3] = {
        {"CDELT1", "CUNIT1"}, {"CDELT2", "CUNIT2"}, {"CDELT3", "CUNIT3"}};
    bool is = false;
    for (int i = 0; i < 3 && !is; i++)
        is = anew >> i & 1 && gf_fits_matches(card, spacings[i]);
    return is;
}

/* Writes the cards that describe the picture but not its samples, or texts alone; of the primary unit's
 * only those that the image's own cards leave open. */
static void put_cards(struct gf_encoder *e, const struct gf_fits_cards *c,
                      const struct gf_fits_cards *own, unsigned anew) {
    bool skips = false;
    for (size_t at = 0; at + CARD <= c->n; at += CARD) {
        const char *card = c->text + at;
        if (strncmp(card, "CONTINUE", 8)) /* which belongs to the card before it */
            skips = is_own(card) || (e->image->texts && !is_text(card)) || is_anew(card, anew) ||
                    (own &&
                     (is_wcs(card) || !strncmp(card, "NEXTEND", 7) ||
                      (!is_comment(card) && strncmp(card, "HIERARCH", 8) && has_card(own, card))));
        if (!skips)
            (void)gf_sink_write(e->sink, card, CARD);
    }
}

/* The image's axes, fastest first; times and channels are axes of their own. Returns how many, of which those of
 * one page are left out unless `all`, or 0 if its pages have no such names. */
static int list_axes(const struct gf_image *image, bool all,
                     const struct gf_axis *list[GF_FITS_AXES]) {
    const struct gf_axes *axes = &image->axes;
    const bool fits = axes->named && image->ndim == 3 && axes->n <= GF_FITS_AXES &&
                      gf_axes_pages(axes) == image->px.shape[0];
    int n = 0;
    for (int i = axes->n - 1; i >= 0 && fits; i--)
        if (all || i >= axes->n - 2 || axes->axis[i].extent > 1)
            list[n++] = &axes->axis[i];
    return n;
}

/* The type of axis i, behind the second, by which it is no depth where it is none. */
static const char *type_of(const struct gf_axis *a, int i) {
    return a->role == GF_TIME      ? "'TIME    '"
           : a->role == GF_CHANNEL ? "'CHANNEL '"
           : a->role != GF_SPACE   ? "'PAGE    '"
           : i > 3                 ? "'DEPTH   '"
                                   : NULL;
}

/* Axis i of the image's, from 1; NULL: none. */
static const struct gf_axis *axis_of(const struct gf_image *image, int i) {
    return i <= image->ndim ? gf_axes_spatial(&image->axes, image->ndim, image->ndim - i) : NULL;
}

/* The axes, a bit each, of which --pixel, say, gives a spacing that the cards do not have. */
static unsigned find_anew(const struct gf_image *image, const struct gf_fits_cards *own) {
    unsigned anew = 0;
    for (int i = 1; i <= 3 && own->n; i++) {
        const struct gf_axis *a = axis_of(image, i);
        struct gf_axes was = {0};
        gf_fits_describe_axis(own, i, 1, &was);
        if (a && a->role == GF_SPACE && a->spacing > 0 && !(was.axis[0].spacing > 0))
            anew |= 1u << (i - 1);
    }
    return anew;
}

/* The types of its n axes, and the spacing of those whose bit is set. */
static void put_axes(struct gf_encoder *e, int n, bool types, unsigned which) {
    const struct gf_image *image = e->image;
    const struct gf_axis *list[GF_FITS_AXES];
    const bool named = list_axes(image, image->axes.n == n, list) == n;
    for (int i = 1; i <= n; i++) {
        const struct gf_axis *a = named ? list[i - 1] : axis_of(image, i);
        char key[24], unit[24];
        const bool angle = a && !strcmp(a->unit, "arcsec");
        const char *type = types && named && i > 2 ? type_of(a, i) : NULL;
        if (type)
            put(e, gf_fits_numbered("CTYPE", i, key), "%-20s", type);
        if (!a || !(a->spacing > 0) || !(which >> (i - 1) & 1))
            continue;
        put_number(e, gf_fits_numbered("CDELT", i, key), angle ? a->spacing / 3600 : a->spacing);
        const char *name = angle ? "deg" : strcmp(a->unit, "A") ? a->unit : "Angstrom";
        snprintf(unit, sizeof unit, "'%-8s'", name);
        if (!strchr(a->unit, '\''))
            put(e, gf_fits_numbered("CUNIT", i, key), "%-20s", unit);
    }
}

/* Copies bytes `from` to `to`, or to the end, of the file that the picture came from. */
static int put_rest(struct gf_encoder *e, int64_t from, int64_t to) {
    struct gf_source *source = NULL;
    char piece[4 * BLOCK];
    int64_t got = 1;
    int rc = from < to ? gf_source_keep(e->image->metadata.rest->file, &source) : GF_OK;
    if (!rc && source)
        rc = gf_source_seek(source, from);
    for (; !rc && source && from < to && got > 0; from += got) {
        got = gf_source_read(source, piece, (size_t)gf_min(to - from, sizeof piece));
        rc = got < 0 ? (int)got : gf_sink_write(e->sink, piece, (size_t)got);
    }
    gf_source_close(source);
    return rc;
}

/* The extents that are written, fastest first: its own file's, if their pages are the image's. */
static int choose_extents(const struct gf_image *image, const struct gf_fits_cards *own,
                          int64_t extent[GF_FITS_AXES]) {
    struct gf_raw_layout l;
    const int n = own->n ? gf_fits_extents(own, extent) : 0;
    const bool same = n > 0 && gf_layout_extents(&l, n, extent) > 0 && l.ndim == image->ndim &&
                      !memcmp(l.shape, image->px.shape, (size_t)l.ndim * sizeof *l.shape);
    const struct gf_axis *list[GF_FITS_AXES];
    const int named = same ? 0 : list_axes(image, false, list);
    for (int i = 0; i < image->ndim && !same; i++)
        extent[i] = image->px.shape[image->ndim - 1 - i];
    for (int i = 0; i < named; i++)
        extent[i] = list[i]->extent;
    return same ? n : named ? named : image->ndim;
}

/* Writes the cards that follow from the array, and returns its axes; a file with other units keeps their order. */
static int put_array(struct gf_encoder *e, const struct gf_fits_cards *own, int bits) {
    int64_t extent[GF_FITS_AXES];
    const struct gf_image *image = e->image;
    const int n = choose_extents(image, own, extent);
    const struct gf_rest *rest = image->metadata.rest;
    const bool extends = rest && rest->begin > 0;
    put(e, extends ? "XTENSION" : "SIMPLE", extends ? "%-20s" : "%s", extends ? "'IMAGE   '" : "T");
    put(e, "BITPIX", "%d", bits);
    put(e, "NAXIS", "%d", n);
    for (int i = 1; i <= n; i++) {
        char key[24];
        put(e, gf_fits_numbered("NAXIS", i, key), "%lld", (long long)extent[i - 1]);
    }
    if (extends) {
        put(e, "PCOUNT", "0");
        put(e, "GCOUNT", "1");
    } else if (rest) {
        put(e, "EXTEND", "T");
    }
    return n;
}

/* The cards that a picture's metadata keep: the image's own, and an extension's primary unit's. */
static void split_cards(const struct gf_metadata *m, struct gf_fits_cards *own,
                        struct gf_fits_cards *primary) {
    const bool is_fits = m->header_format && !strcmp(m->header_format, "fits");
    *own = (struct gf_fits_cards){(char *)m->header, is_fits ? m->header_bytes : 0};
    *primary = (struct gf_fits_cards){0};
    for (size_t at = CARD; at + CARD <= own->n && !primary->text; at += CARD)
        if (!strncmp(own->text + at, "SIMPLE  = ", VALUE))
            *primary = (struct gf_fits_cards){own->text + at, own->n - at};
    own->n -= primary->n;
}

/* Appends the cards that are world coordinates, or those that are not. */
static void append_cards(const struct gf_fits_cards *c, bool wcs, struct gf_fits_cards *to) {
    bool takes = false;
    for (size_t at = 0; at + CARD <= c->n; at += CARD) {
        if (strncmp(c->text + at, "CONTINUE", 8))
            takes = is_wcs(c->text + at) == wcs;
        if (takes)
            memcpy(to->text + to->n, c->text + at, CARD);
        to->n += takes ? CARD : 0;
    }
}

int gf_fits_place(struct gf_metadata *m, const struct gf_metadata *reference) {
    struct gf_fits_cards own, primary, place, none, all;
    split_cards(m, &own, &primary);
    split_cards(reference, &place, &none);
    if (!own.n)
        return GF_OK;
    all = (struct gf_fits_cards){malloc(m->header_bytes + place.n + 1), 0};
    if (!all.text)
        return gf_no_memory();
    append_cards(&own, false, &all);
    const bool had = all.n < own.n;
    append_cards(&place, true, &all);
    if (primary.n)
        memcpy(all.text + all.n, primary.text, primary.n);
    int rc = gf_header_copy(m, m->header_format, all.text, all.n + primary.n);
    free(all.text);
    return rc ? rc : had && !place.n;
}

/* Writes a number in place of a card, of whichever system of coordinates (CRPIX3A), or of blanks. */
static void put_reference(char *card, const char *key, double v) {
    char text[2 * CARD], digits[GF_REAL_TEXT];
    const int name = (int)strcspn(card, " =");
    snprintf(text, sizeof text, "%-8.*s= %20s%*s", name ? name : 8, name ? card : key,
             number_text(v, digits), CARD, "");
    memcpy(card, text, CARD);
}

int gf_fits_skip(struct gf_metadata *m, int i, int64_t first) {
    struct gf_fits_cards own, primary, all;
    char key[24];
    const char *const pixel[] = {gf_fits_numbered("CRPIX", i + 1, key), NULL};
    split_cards(m, &own, &primary);
    all = (struct gf_fits_cards){malloc(m->header_bytes + CARD + 1), own.n};
    if (!all.text)
        return gf_no_memory();
    memcpy(all.text, own.text, own.n);
    all.text[own.n] = 0; /* which ends the search for a comment */
    for (char *card = all.text; card < all.text + own.n; card += CARD) {
        const double v = gf_fits_number(card + VALUE, NAN);
        if (gf_fits_matches(card, pixel) && isfinite(v))
            put_reference(card, key, v - (double)first);
    }
    if (!gf_fits_find(&own, "CRPIX", i + 1) &&
        (gf_fits_find(&own, "CRVAL", i + 1) || gf_fits_find(&own, "CDELT", i + 1))) {
        memset(all.text + all.n, ' ', CARD);
        put_reference(all.text + all.n, key, -(double)first);
        all.n += CARD;
    }
    memcpy(all.text + all.n, own.text + own.n, primary.n);
    int rc = gf_header_copy(m, m->header_format, all.text, all.n + primary.n);
    free(all.text);
    return rc;
}

/* Multiplies the first of these that the axis has, as they are read: a column of CD, one of PC, CDELT. */
void gf_fits_scale(struct gf_metadata *m, int i, double by) {
    struct gf_fits_cards own, primary;
    char keys[3][24];
    bool has = false;
    snprintf(keys[0], sizeof keys[0], "CD#_%d", i + 1);
    snprintf(keys[1], sizeof keys[1], "PC#_%d", i + 1);
    gf_fits_numbered("CDELT", i + 1, keys[2]);
    split_cards(m, &own, &primary);
    for (int k = 0; k < 3 && !has; k++)
        for (char *card = own.text; card < own.text + own.n; card += CARD) {
            const double v = gf_fits_number(card + VALUE, NAN);
            if (!gf_fits_matches(card, (const char *const[]){keys[k], NULL}) || !isfinite(v))
                continue;
            put_reference(card, keys[k], by * v);
            has = true;
        }
}

int gf_fits_begin(struct gf_encoder *e) {
    const struct gf_image *image = e->image;
    const struct gf_metadata *m = &image->metadata;
    const bool text = gf_header_of(image, e->format, 0);
    struct gf_fits_cards own, primary;
    split_cards(m, &own, &primary);
    const enum gf_dtype dtype = image->px.dtype;
    struct gf_coding *c = &e->coding;
    enum gf_dtype was;
    *c = (struct gf_coding){0};
    if (text && image->restores && !gf_fits_coding(&own, c, &was))
        c->coded = c->coded && was == dtype;
    const bool is_float =
        c->coded ? c->type == (enum gf_stored)GF_F32 || c->type == (enum gf_stored)GF_F64
                 : !gf_dtype_is_integer(dtype);
    const int bits = 8 * (int)gf_coding_bytes(c, dtype);
    int rc = put_rest(e, 0, m->rest ? m->rest->begin : 0);
    const int n = put_array(e, &own, is_float ? -bits : bits);
    if (c->coded || e->format->flips >> dtype & 1) {
        put_number(e, "BSCALE", c->coded ? c->slope : 1);
        put_number(e, "BZERO",
                   c->coded && !c->flips ? c->offset
                   : dtype == GF_I8      ? -128
                                         : ldexp(1, bits - 1));
    }
    if (c->coded && c->has_blank)
        put(e, "BLANK", "%lld", (long long)(c->flips ? c->blank ^ INT64_MIN : c->blank));
    const bool fresh = !text || image->texts;
    const unsigned anew = fresh ? 0 : find_anew(image, &own);
    put_cards(e, &own, NULL, anew);
    if (!m->rest)
        put_cards(e, &primary, &own, 0);
    put_axes(e, n, fresh, fresh ? ~0u : anew);
    char end[BLOCK];
    memset(end, ' ', sizeof end);
    memcpy(end, "END", 3);
    return rc ? rc : gf_sink_write(e->sink, end, (size_t)(BLOCK - gf_sink_tell(e->sink) % BLOCK));
}

int gf_fits_put_pages(struct gf_encoder *e, const struct gf_image *pages) {
    e->state = e; /* so that end() is called */
    return gf_planes_write(e, pages);
}

int gf_fits_end(struct gf_encoder *e) {
    static const char zeros[BLOCK];
    const int64_t over = gf_sink_tell(e->sink) % BLOCK;
    e->state = NULL;
    int rc = over ? gf_sink_write(e->sink, zeros, (size_t)(BLOCK - over)) : GF_OK;
    const struct gf_rest *rest = e->image->metadata.rest;
    return rc ? rc : put_rest(e, rest ? rest->end : INT64_MAX, INT64_MAX);
}
