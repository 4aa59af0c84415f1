/* Metadata of a picture: resolution, gamma, colour profile. It is copied from input to output if
 * the format can hold it. It is untrusted: readers drop invalid parts, writers drop parts that do
 * not suit the picture. */
#ifndef GF_FORMATS_METADATA_H
#define GF_FORMATS_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gf_source;

/* FITS: the whole file, of which outputs of that format copy what is before `begin` and from `end` on:
 * its other images and tables. */
struct gf_rest {
    struct gf_source *file;
    int64_t begin, end;
};
/* Reads an unsigned number of 1 to 8 bytes. */
static inline uint64_t gf_get_number(const unsigned char *p, int bytes, bool big_endian) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * (big_endian ? bytes - 1 - i : i);
    return v;
}
/* The same with its sign, and a float of 4 or 8 bytes. */
int64_t gf_get_integer(const unsigned char *p, int bytes, bool big_endian);
double gf_get_real(const unsigned char *p, int bytes, bool big_endian);
/* Little-endian. */
void gf_put_integer(unsigned char *p, int bytes, int64_t v);
void gf_put_real(unsigned char *p, int bytes, double v);
/* 32-bit big-endian numbers, as in PNG and ICC profiles. */
static inline uint32_t gf_get_big_endian(const unsigned char *p) {
    return (uint32_t)gf_get_number(p, 4, true);
}
static inline void gf_put_big_endian(unsigned char *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> 8 * (3 - i));
}

enum gf_resolution_unit {
    GF_UNIT_NONE /* only x : y is known */,
    GF_INCH,
    GF_CENTIMETRE,
    GF_METRE
};

/* Pixels per unit, as stored in the file. */
struct gf_resolution {
    double x, y; /* 0: unknown */
    enum gf_resolution_unit unit;
};

struct gf_metadata {
    struct gf_resolution resolution;
    /* PNG only, as its chunks store them. */
    uint32_t gamma; /* gAMA: 100000 times the exponent; 0: unknown */
    bool srgb;      /* sRGB, with `intent` */
    uint8_t intent;
    bool has_primaries;
    unsigned char primaries[32]; /* cHRM */
    unsigned char *profile;      /* ICC; NULL: none. Owned */
    size_t profile_bytes;
    bool exif_damaged; /* JPEG: EXIF was left out */
    bool more;         /* FITS: the file has other images or tables, */
    bool packed;       /* and the image is compressed in one */
    uint16_t lost[4];  /* TIFF: numbers of tags that no copy has, the first of them; 0: none */
    /* The header as its format stores it, which that format's files made from this one get again:
     * an MRC header, FITS cards, OME's XML and other tags, text chunks, EXIF. NULL: none. Owned */
    const char *header_format;
    unsigned char *header;
    size_t header_bytes;
    struct gf_rest *rest; /* NULL: there is none that can be copied. Owned */
};

enum { GF_MOST_PROFILE = 4 << 20, GF_MOST_HEADER = 16 << 20 /* bytes; larger ones are left out */ };

/* Its colour profile alone, which stays owned by `m`. */
static inline struct gf_metadata gf_metadata_profile(const struct gf_metadata *m) {
    return (struct gf_metadata){.profile = m->profile, .profile_bytes = m->profile_bytes};
}
void gf_metadata_free(struct gf_metadata *m);
/* Copies all of it. Fails only with GF_ENOMEM, and then `to` is empty. */
int gf_metadata_copy(struct gf_metadata *to, const struct gf_metadata *from);

/* Sets *out to that part of a file; NULL for a pipe, which cannot be read again. */
int gf_rest_make(const struct gf_source *file, int64_t begin, int64_t end, struct gf_rest **out);
void gf_rest_free(struct gf_rest *r); /* takes NULL */

/* Sets the resolution, unless it is not finite, not positive, or only 1 : 1. */
void gf_resolution_set(struct gf_resolution *r, double x, double y, enum gf_resolution_unit unit);
/* Converts to a unit other than GF_UNIT_NONE; false if the resolution has no unit. */
bool gf_resolution_in(const struct gf_resolution *r, enum gf_resolution_unit unit, double *x,
                      double *y);
/* Rounds to whole numbers up to `most` per `unit`, without a unit if only x : y is known and whole.
 * False if impossible. */
bool gf_resolution_round(const struct gf_resolution *r, enum gf_resolution_unit unit, double most,
                         struct gf_resolution *out);

/* Copies a profile of n bytes, unless its header is not that of an ICC profile of this size (ICC.1,
 * 7.2) or it is too large. Fails only with GF_ENOMEM. */
int gf_profile_copy(struct gf_metadata *m, const void *profile, size_t n);
/* Copies a header of n bytes, unless it is too large; `format` is a static string. Fails only with
 * GF_ENOMEM. */
int gf_header_copy(struct gf_metadata *m, const char *format, const void *header, size_t n);
/* Adds n bytes to the header, unless it becomes too large. */
int gf_header_append(struct gf_metadata *m, const char *format, const void *bytes, size_t n);
/* Adds a name to a list such as "EXIF, comments", unless it is there. */
enum { GF_HEADER_NAMES = 80 };
void gf_header_name(const char *name, char list[GF_HEADER_NAMES]);
/* The colour space's four letters, zero-terminated: "RGB ", "GRAY", "CMYK". */
void gf_profile_space(const struct gf_metadata *m, char space[5]);
/* True if there is a profile for 1 or 3 colours, as given. */
bool gf_profile_suits(const struct gf_metadata *m, int colors);
/* The profile's name with '?' for characters outside ASCII; "" if it has none. Returns `text`. */
const char *gf_profile_name(const struct gf_metadata *m, char *text, size_t size);

#endif
