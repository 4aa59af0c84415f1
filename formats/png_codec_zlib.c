/* The codec of zlib: any level and strategy, and what there is without ISA-L. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "formats/png_codec.h"

const struct gf_codec *gf_codec_best(void) {
#ifdef GF_WITH_ISAL
    return &gf_codec_isal;
#else
    return &gf_codec_zlib;
#endif
}

static uint32_t crc(uint32_t sum, const void *data, size_t n) {
    return (uint32_t)crc32_z(sum, data, n);
}

static uint32_t adler(uint32_t sum, const void *data, size_t n) {
    return (uint32_t)adler32_z(sum, data, n);
}

static bool inflate_start(struct gf_inflate *s) {
    z_stream *z = calloc(1, sizeof *z);
    if (z && inflateInit(z) != Z_OK) {
        free(z);
        z = NULL;
    }
    s->state = z;
    return z;
}

static int64_t inflate_some(struct gf_inflate *s, unsigned char *out, size_t room) {
    z_stream *z = s->state;
    uInt in = s->n < 1 << 30 ? (uInt)s->n : 1 << 30;
    uInt most = room < 1 << 30 ? (uInt)room : 1 << 30;
    z->next_in = (unsigned char *)(uintptr_t)s->in;
    z->avail_in = in;
    z->next_out = out;
    z->avail_out = most;
    int rc = inflate(z, Z_NO_FLUSH);
    s->in += in - z->avail_in;
    s->n -= in - z->avail_in;
    s->ended = rc == Z_STREAM_END;
    /* Z_BUF_ERROR: nothing to do yet */
    return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? (int64_t)(most - z->avail_out)
                                                                 : -1;
}

static void inflate_end(struct gf_inflate *s) {
    if (s->state)
        inflateEnd(s->state);
    free(s->state);
}

struct deflater {
    z_stream z;
    bool ready; /* z is set up, for this strategy */
    int strategy;
    struct gf_deflate_options options;
};

static void *deflate_start(const struct gf_deflate_options *options) {
    struct deflater *d = calloc(1, sizeof *d);
    if (d)
        d->options = *options;
    return d;
}

/* One word in 64 that is four equal bytes is worth looking for runs; Huffman codes alone take a
 * sixth less time. */
static bool has_runs(const unsigned char *p, size_t n) {
    size_t words = 0;
    for (size_t i = 0; i + 4 <= n; i += 4) {
        uint32_t w;
        memcpy(&w, p + i, 4);
        words += w == (w >> 8 | w << 24);
    }
    return words * 4 * 64 > n;
}

/* Readies zlib for a strip. Setting up takes its memory anew, a reset does not. */
static int ready(struct deflater *d, const unsigned char *in, size_t n) {
    int strategy = d->options.strategy;
    if (d->options.adapts && !has_runs(in, n))
        strategy = Z_HUFFMAN_ONLY;
    if (d->ready && d->strategy == strategy)
        return deflateReset(&d->z);
    if (d->ready)
        deflateEnd(&d->z);
    d->z = (z_stream){0};
    d->strategy = strategy;
    int rc = deflateInit2(&d->z, d->options.level, Z_DEFLATED, -MAX_WBITS, 9, strategy);
    d->ready = rc == Z_OK;
    return rc;
}

static size_t deflate_strip(void *state, const unsigned char *in, size_t n, bool last,
                            unsigned char *out, size_t room) {
    struct deflater *d = state;
    z_stream *z = &d->z;
    if (ready(d, in, n) != Z_OK)
        return 0;
    z->next_in = (unsigned char *)(uintptr_t)in;
    z->avail_in = (uInt)n;
    z->next_out = out;
    z->avail_out = (uInt)room;
    int rc = deflate(z, last ? Z_FINISH : Z_SYNC_FLUSH);
    bool whole = rc == (last ? Z_STREAM_END : Z_OK) && !z->avail_in && z->avail_out;
    return whole ? z->total_out : 0;
}

static void deflate_end(void *state) {
    struct deflater *d = state;
    if (d && d->ready)
        deflateEnd(&d->z);
    free(d);
}

const struct gf_codec gf_codec_zlib = {
    .name = "zlib",
    .crc32 = crc,
    .adler32 = adler,
    .inflate_start = inflate_start,
    .inflate = inflate_some,
    .inflate_end = inflate_end,
    .deflate_start = deflate_start,
    .deflate = deflate_strip,
    .deflate_end = deflate_end,
};
