/* zlib's codec, the only one without ISA-L, and the deflate of strips, also at a given level or
 * strategy. */
#include <stdlib.h>
#include <zlib.h>

#include "core/base/value/array.h"
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
    /* Z_BUF_ERROR: no progress is possible yet */
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

/* ---- strips ---- */

struct gf_deflate {
    const struct gf_codec *quick;
    void *state; /* of the quick one */
    z_stream z;
};

struct gf_deflate *gf_deflate_new(const struct gf_deflate_options *options) {
    struct gf_deflate *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->quick = options->quick;
    if (d->quick)
        d->state = gf_alloc(d->quick->deflate_bytes);
    if (d->quick ? d->state != NULL
                 : deflateInit2(&d->z, options->level, Z_DEFLATED, -MAX_WBITS, 9,
                                options->strategy) == Z_OK)
        return d;
    free(d);
    return NULL;
}

void gf_deflate_free(struct gf_deflate *d) {
    if (d && !d->quick)
        deflateEnd(&d->z);
    if (d)
        gf_free(d->state);
    free(d);
}

size_t gf_deflate_bound(size_t n) {
    /* Holds for all levels and strategies, and for ISA-L, flush included. */
    return n + n / 8 + n / 64 + 1024;
}

size_t gf_deflate_strip(struct gf_deflate *d, const unsigned char *in, size_t n, bool last,
                        unsigned char *out) {
    if (d->quick)
        return d->quick->deflate(d->state, in, n, last, out, gf_deflate_bound(n));
    z_stream *z = &d->z;
    if (deflateReset(z) != Z_OK)
        return 0;
    z->next_in = (unsigned char *)(uintptr_t)in;
    z->avail_in = (uInt)n;
    z->next_out = out;
    z->avail_out = (uInt)gf_deflate_bound(n);
    int rc = deflate(z, last ? Z_FINISH : Z_SYNC_FLUSH);
    bool whole = rc == (last ? Z_STREAM_END : Z_OK) && !z->avail_in && z->avail_out;
    return whole ? z->total_out : 0;
}
