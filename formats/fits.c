/* Reads FITS (Pence et al., A&A 524, 2010, A42): cards of 80 characters in blocks of 2880 bytes, then
 * big-endian samples, padded to a block. The image is the first one of the file's header units. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/value/status.h"
#include "formats/fits.h"
#include "formats/image.h"

enum {
    CARD = GF_FITS_CARD,
    BLOCK = GF_FITS_BLOCK,
    VALUE = GF_FITS_VALUE,
    MOST_BLOCKS = GF_MOST_HEADER / BLOCK
};

/* ---- units ---- */

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

/* Returns where a unit's array ends, which begins at the source's position, or a negative status. */
static int64_t end_of(struct gf_source *source, const struct gf_fits_cards *c, int n,
                      const int64_t *extent) {
    const int64_t bits = gf_fits_integer(gf_fits_find(c, "BITPIX", 0), 8);
    int64_t size = n ? 1 : 0, end;
    const bool groups =
        gf_fits_is_true(gf_fits_find(c, "GROUPS", 0)) && n && extent[0] == 0; /* "random" ones */
    bool fits = bits >= -64 && bits <= 64;
    for (int i = groups; i < n; i++)
        fits = fits && !__builtin_mul_overflow(size, extent[i], &size);
    fits = fits &&
           !__builtin_add_overflow(size, gf_fits_integer(gf_fits_find(c, "PCOUNT", 0), 0), &size);
    fits = fits &&
           !__builtin_mul_overflow(size, gf_fits_integer(gf_fits_find(c, "GCOUNT", 0), 1), &size);
    fits = fits && !__builtin_mul_overflow(size, (bits < 0 ? -bits : bits) / 8, &size) && size >= 0;
    fits = fits && !__builtin_add_overflow(gf_source_tell(source), size, &end);
    if (!fits || end > INT64_MAX - BLOCK)
        return gf_fail(GF_EFORMAT, "broken FITS: more samples than 63 bits count");
    return gf_divide_up(end, BLOCK) * BLOCK;
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
        gf_fits_describe_axis(c, i + 1, extent[i], &image->axes);
    image->depth = abs((int)gf_fits_integer(gf_fits_find(c, "BITPIX", 0), 0));
    image->color = GF_GRAY;
    return !rc && n > 2 ? gf_fits_note_axis(c, extent[2], &image->note) : rc;
}

/* True if unit `number` is the one that the options name by its number, by EXTNAME or by EXTNAME and
 * EXTVER, or none is. */
static bool is_wanted(const struct gf_decoder *d, const struct gf_fits_cards *c, int number) {
    const char *part = d->options.part;
    char name[GF_FITS_TEXT], *end;
    if (!part)
        return true;
    const size_t n = strlen(gf_fits_text(gf_fits_find(c, "EXTNAME", 0), name));
    if (strtol(part, &end, 10) == number && *end == ']')
        return true;
    if (!n || strncasecmp(part, name, n) || (part[n] != ']' && part[n] != ','))
        return false;
    return part[n] == ']' ||
           (strtol(part + n + 1, &end, 10) == gf_fits_integer(gf_fits_find(c, "EXTVER", 0), 1) &&
            end > part + n + 1 && *end == ']');
}

/* Describes the wanted image of a unit whose array ends at `end`; in a table it is packed. */
static int describe_unit(struct gf_decoder *d, struct gf_image *image,
                         const struct gf_fits_cards *c, const struct gf_fits_cards *primary,
                         int64_t begin, int64_t end) {
    int64_t extent[GF_FITS_AXES];
    struct gf_fits_cards plain = {0};
    const bool packed = gf_fits_is_true(gf_fits_find(c, "ZIMAGE", 0));
    int rc = packed ? gf_fits_find_packed(d, c, end, &plain, &image->compression) : GF_OK;
    const struct gf_fits_cards *own = packed ? &plain : c;
    const int n = rc ? rc : gf_fits_extents(own, extent);
    rc = n < 0 ? n : describe(d, image, own, n, extent);
    if (packed) { /* libcfitsio returns the numbers that they become */
        d->coding = (struct gf_coding){.coded = false};
        d->unit = GF_PAGE;
    }
    if (!rc)
        rc = keep_cards(image, own, primary);
    if (!rc)
        rc = keep_rest(d, begin, end, &image->metadata);
    image->metadata.packed = packed;
    free(plain.text);
    return rc ? rc : 1;
}

/* Takes a unit if it is the image that is wanted, and returns 1; else skips it. */
static int take_unit(struct gf_decoder *d, struct gf_image *image, const struct gf_fits_cards *c,
                     const struct gf_fits_cards *primary, int unit) {
    int64_t extent[GF_FITS_AXES];
    char kind[GF_FITS_TEXT];
    const int64_t begin =
        gf_source_tell(d->source) - gf_divide_up((int64_t)c->n + 1, BLOCK) * BLOCK;
    const int n = gf_fits_extents(c, extent);
    bool is_image = n > 0 && is_wanted(d, c, unit) &&
                    (gf_fits_is_true(gf_fits_find(c, "SIMPLE", 0)) ||
                     gf_fits_is_true(gf_fits_find(c, "ZIMAGE", 0)) ||
                     !strcmp(gf_fits_text(gf_fits_find(c, "XTENSION", 0), kind), "IMAGE"));
    for (int i = 0; i < n; i++)
        is_image = is_image && extent[i] > 0;
    const int64_t end = n < 0 ? n : end_of(d->source, c, n, extent);
    return end < 0    ? (int)end
           : is_image ? describe_unit(d, image, c, primary, begin, end)
                      : gf_source_seek(d->source, end);
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

static int check_suffix(const char *suffix, const struct gf_image *image) {
    (void)image;
    return strcasecmp(suffix, "fz")
               ? GF_OK
               : gf_fail(GF_EINVAL, "compressed images are only read; write .fits or .fits.gz");
}

const struct gf_format gf_format_fits = {
    .name = "fits",
    .suffixes = "fits fit fts fits.gz fz",
    .summary = "FITS images of astronomy, with their cards",
    .sniff = fits_sniff,
    .header = fits_header,
    .state_bytes = sizeof(struct gf_fits_packed),
    .read_part = gf_fits_read,
    .close = gf_fits_close,
    .check_suffix = check_suffix,
    .place = gf_fits_place,
    .skip = gf_fits_skip,
    .scale = gf_fits_scale,
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
    .keeps_texts = true,
};
