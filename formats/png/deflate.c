/* Deflate of a strip: by zlib for a level or a strategy that was asked for, else the codec's quick
 * one. */
#include "formats/png/deflate.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "core/base/array.h"
#include "formats/png/codec.h"

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
    /* A bound for all levels and strategies, and for ISA-L, with room for the flush. */
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
