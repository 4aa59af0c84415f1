/* Metadata of a picture: resolution, gamma, colour profile. It goes from picture to picture if the
 * output format can hold it. It is untrusted: readers drop invalid parts, writers drop what does
 * not suit the picture. */
#ifndef GF_FORMATS_METADATA_H
#define GF_FORMATS_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An unsigned number of so many bytes. */
static inline uint64_t gf_get_number(const unsigned char *p, int bytes, bool big_endian) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * (big_endian ? bytes - 1 - i : i);
    return v;
}
/* Four bytes of a number in big-endian order, as PNG and ICC profiles have them. */
static inline uint32_t gf_get_big_endian(const unsigned char *p) {
    return (uint32_t)gf_get_number(p, 4, true);
}
static inline void gf_put_big_endian(unsigned char *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> 8 * (3 - i));
}

enum gf_unit { GF_UNIT_NONE /* only x : y is known */, GF_INCH, GF_CENTIMETRE, GF_METRE };

/* Pixels per unit, as the file has them. */
struct gf_resolution {
    double x, y; /* 0: not told */
    enum gf_unit unit;
};

struct gf_metadata {
    struct gf_resolution resolution;
    /* PNG only, as its chunks store them. */
    uint32_t gamma; /* gAMA: 100000 times the exponent; 0: not told */
    bool srgb;      /* sRGB, with `intent` */
    uint8_t intent;
    bool has_primaries;
    unsigned char primaries[32]; /* cHRM */
    unsigned char *profile;      /* ICC; NULL: none. Owned */
    size_t profile_bytes;
    /* JPEG: EXIF, as a segment has it, for a picture that is made from this one. NULL: none. Owned */
    unsigned char *exif;
    size_t exif_bytes;
    bool exif_damaged; /* and left out */
};

enum { GF_MOST_PROFILE = 4 << 20 /* bytes; larger ones are left out */ };

void gf_metadata_free(struct gf_metadata *m);

/* Sets the resolution, unless it is not finite, not positive, or only 1 : 1. */
void gf_resolution_set(struct gf_resolution *r, double x, double y, enum gf_unit unit);
/* Converts to another unit than GF_UNIT_NONE; false if its own unit is unknown. */
bool gf_resolution_in(const struct gf_resolution *r, enum gf_unit unit, double *x, double *y);
/* Gives whole numbers up to `most` per `unit`, or without a unit if only x : y is known and whole.
 * False if that is impossible. */
bool gf_resolution_round(const struct gf_resolution *r, enum gf_unit unit, double most,
                         struct gf_resolution *out);

/* Copies a profile of n bytes, unless its header is not that of an ICC profile of this size (ICC.1,
 * 7.2) or it is too large. GF_ENOMEM at worst. */
int gf_profile_copy(struct gf_metadata *m, const void *profile, size_t n);
/* The four letters of its colour space, with a zero byte behind them: "RGB ", "GRAY", "CMYK". */
void gf_profile_space(const struct gf_metadata *m, char space[5]);
/* Whether there is a profile, and it is for samples of 1 or 3 colours. */
bool gf_profile_suits(const struct gf_metadata *m, int colors);
/* The profile's name, as far as it is ASCII; "" if it has none. Returns `text`. */
const char *gf_profile_name(const struct gf_metadata *m, char *text, size_t size);

#endif
