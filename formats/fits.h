/* Header units of FITS files: cards of 80 characters, of which the first ten are the keyword and "= ", in
 * blocks of 2880 bytes. Private to fits*.c. */
#ifndef GF_FORMATS_FITS_H
#define GF_FORMATS_FITS_H

#include "formats/format.h"

enum {
    GF_FITS_CARD = 80,
    GF_FITS_BLOCK = 2880,
    GF_FITS_VALUE = 10,
    GF_FITS_TEXT = 72,
    GF_FITS_AXES = 8
};

/* The cards of a header unit, without END, and a zero behind them. */
struct gf_fits_cards {
    char *text;
    size_t n;
};

/* "NAXIS2" for NAXIS and 2, "NAXIS" for 0. */
const char *gf_fits_numbered(const char *key, int i, char text[24]);
/* The value of a keyword, numbered unless i is 0, or NULL; it ends with the card or a comment behind a
 * slash. */
const char *gf_fits_find(const struct gf_fits_cards *c, const char *key, int i);
/* The extents of a unit's array, fastest first; returns how many, or a negative status. */
int gf_fits_extents(const struct gf_fits_cards *c, int64_t extent[GF_FITS_AXES]);
/* Adds axis i, from 1, with its spacing, of which angles become seconds of arc. */
void gf_fits_describe_axis(const struct gf_fits_cards *c, int i, int64_t extent,
                           struct gf_axes *axes);
/* Notes that the planes along a third axis of unknown type are pages. */
int gf_fits_note_axis(const struct gf_fits_cards *c, int64_t extent, char **note);
/* How the unit stores numbers; sets the type that they become. BZERO of half of an integer's range
 * makes it unsigned, or one of 8 bits signed. */
int gf_fits_coding(const struct gf_fits_cards *c, struct gf_coding *coding, enum gf_dtype *dtype);

/* Copies a quoted text without the blanks at its end; zeros fill it up. */
const char *gf_fits_text(const char *value, char text[GF_FITS_TEXT]);
/* The numbers of values; `none` if the card is absent or has none. */
double gf_fits_number(const char *value, double none);
int64_t gf_fits_integer(const char *value, int64_t none);
bool gf_fits_is_true(const char *value);
/* True if a card's keyword is one of the patterns, a list that ends with NULL: # is a number, and a
 * letter, which names one of several systems of coordinates, may follow. */
bool gf_fits_matches(const char *card, const char *const *patterns);

/* A decoder's state: an image that is packed in the rows of a table, unless `memory` is NULL. */
struct gf_fits_packed {
    int64_t begin, end; /* the rows in the file, unless they are loaded */
    char *memory;       /* the table as a file of its own */
    size_t bytes;
    const struct gf_image *image; /* of which n pages are asked for; NULL: cards */
    int64_t from, n;
};
/* Makes the cards that the image would have unpacked, and the state. The caller frees plain->text. */
int gf_fits_find_packed(struct gf_decoder *d, const struct gf_fits_cards *table, int64_t end,
                        struct gf_fits_cards *plain, const char **how);
int gf_fits_read(struct gf_decoder *d, const struct gf_image *image, enum gf_unit unit,
                 int64_t from, int64_t n, void *to);
void gf_fits_close(struct gf_decoder *d);

int gf_fits_place(struct gf_metadata *m, const struct gf_metadata *reference);
int gf_fits_skip(struct gf_metadata *m, int i, int64_t first);
void gf_fits_scale(struct gf_metadata *m, int i, double by);
int gf_fits_begin(struct gf_encoder *e);
int gf_fits_put_pages(struct gf_encoder *e, const struct gf_image *pages);
int gf_fits_end(struct gf_encoder *e);

#endif
