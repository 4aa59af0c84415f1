/* The codec of zlib: what there is without ISA-L. */
#include <stdlib.h>
#include <zlib.h>

#include "formats/png/codec.h"

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

const struct gf_codec gf_codec_zlib = {
    .name = "zlib",
    .crc32 = crc,
    .adler32 = adler,
    .inflate_start = inflate_start,
    .inflate = inflate_some,
    .inflate_end = inflate_end,
};
