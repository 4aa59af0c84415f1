/* PNG's inflate, quick deflate and checksums behind one table, so that ISA-L and zlib are
 * interchangeable; and the deflate of independent strips. Private to formats/. */
#ifndef GF_FORMATS_PNG_CODEC_H
#define GF_FORMATS_PNG_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stream being inflated. `in` and `n` advance as bytes are consumed. */
struct gf_inflate {
    const unsigned char *in;
    size_t n;
    bool ended;  /* the stream's checksum was read and is correct */
    void *state; /* the codec's */
};

struct gf_codec {
    const char *name;
    /* As zlib's: continue from a sum that starts as 0 (crc32) or 1 (adler32). */
    uint32_t (*crc32)(uint32_t crc, const void *data, size_t n);
    uint32_t (*adler32)(uint32_t adler, const void *data, size_t n);

    /* A zlib stream. inflate_start() returns false if memory is short. inflate() stores up to
     * `room` bytes and returns their number, or -1 for a damaged stream. It stores fewer than
     * `room` only if the input is used up or the stream has ended. */
    bool (*inflate_start)(struct gf_inflate *s);
    int64_t (*inflate)(struct gf_inflate *s, unsigned char *out, size_t room);
    void (*inflate_end)(struct gf_inflate *s);

    /* The default deflate, as gf_deflate_strip(), with `room` bytes at `out` and deflate_bytes of
     * working memory at `state`. NULL: the default is zlib's run-length coding at level 1. */
    size_t deflate_bytes;
    size_t (*deflate)(void *state, const unsigned char *in, size_t n, bool last, unsigned char *out,
                      size_t room);
};

/* For tests. */
extern const struct gf_codec gf_codec_zlib;
#ifdef GF_WITH_ISAL
extern const struct gf_codec gf_codec_isal;
#endif

/* The fastest codec that this program was built with. */
const struct gf_codec *gf_codec_best(void);

struct gf_deflate_options {
    const struct gf_codec *quick; /* its deflate instead of zlib's; NULL: none */
    int level, strategy;          /* zlib's */
};

struct gf_deflate;                                                           /* a thread's */
struct gf_deflate *gf_deflate_new(const struct gf_deflate_options *options); /* NULL: no memory */
void gf_deflate_free(struct gf_deflate *d);

/* Raw deflate of n < 2 GiB bytes that ends on a whole byte, with `last` as the final block. Returns
 * the bytes written to `out`, which has room for gf_deflate_bound(n); 0 after a failure. The output
 * depends on `in` and the options only. */
size_t gf_deflate_strip(struct gf_deflate *d, const unsigned char *in, size_t n, bool last,
                        unsigned char *out);
size_t gf_deflate_bound(size_t n);

#endif
