/* Inflate, the quick deflate and the checksums of PNG behind one table, so that ISA-L and zlib are
 * interchangeable; and the deflate of strips, each on its own. Private to formats/. */
#ifndef GF_FORMATS_PNG_CODEC_H
#define GF_FORMATS_PNG_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stream that is being inflated. `in` and `n` move on as bytes are taken. */
struct gf_inflate {
    const unsigned char *in;
    size_t n;
    bool ended;  /* the checksum at the end of the stream was read and is right */
    void *state; /* the codec's */
};

struct gf_codec {
    const char *name;
    /* Both as zlib's: they continue from a sum, which begins as 0 and as 1. */
    uint32_t (*crc32)(uint32_t crc, const void *data, size_t n);
    uint32_t (*adler32)(uint32_t adler, const void *data, size_t n);

    /* A zlib stream. inflate_start() returns false without memory; inflate() stores up to `room`
     * bytes and returns how many, or -1 for anything that is not a clean stream. It stores fewer
     * than `room` only when the input is used up or the stream has ended. */
    bool (*inflate_start)(struct gf_inflate *s);
    int64_t (*inflate)(struct gf_inflate *s, unsigned char *out, size_t room);
    void (*inflate_end)(struct gf_inflate *s);

    /* The quick deflate that is the default: as gf_deflate_strip(), with `room` bytes at `out` and
     * deflate_bytes of memory at `state` to work in. NULL: zlib's runs at level 1 are the default. */
    size_t deflate_bytes;
    size_t (*deflate)(void *state, const unsigned char *in, size_t n, bool last, unsigned char *out,
                      size_t room);
};

extern const struct gf_codec gf_codec_zlib;
#ifdef GF_WITH_ISAL
extern const struct gf_codec gf_codec_isal;
#endif

/* The faster one that this program was built with. */
const struct gf_codec *gf_codec_best(void);

struct gf_deflate_options {
    const struct gf_codec *quick; /* its deflate instead of zlib's; NULL: none */
    int level, strategy;          /* zlib's */
};

struct gf_deflate;                                                           /* a thread's */
struct gf_deflate *gf_deflate_new(const struct gf_deflate_options *options); /* NULL: no memory */
void gf_deflate_free(struct gf_deflate *d);

/* Raw deflate of n < 2 GiB bytes that ends on a whole byte, the final block with `last`; returns
 * its bytes, 0 when it fails. `out` has room for gf_deflate_bound(n). The bytes depend on `in` and
 * the options only. */
size_t gf_deflate_strip(struct gf_deflate *d, const unsigned char *in, size_t n, bool last,
                        unsigned char *out);
size_t gf_deflate_bound(size_t n);

#endif
