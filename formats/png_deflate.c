/* Deflate of a strip: zlib for a level or a strategy that was asked for, the quick coder otherwise. */
#include "formats/png_deflate.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "formats/png_huffman.h"

struct gf_deflate {
    bool quick;
    z_stream z;
};

struct gf_deflate *gf_deflate_new(const struct gf_deflate_options *options) {
    struct gf_deflate *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->quick = options->quick;
    if (d->quick ||
        deflateInit2(&d->z, options->level, Z_DEFLATED, -MAX_WBITS, 9, options->strategy) == Z_OK)
        return d;
    free(d);
    return NULL;
}

void gf_deflate_free(struct gf_deflate *d) {
    if (d && !d->quick)
        deflateEnd(&d->z);
    free(d);
}

size_t gf_deflate_bound(size_t n) {
    /* Of zlib's bounds the one that holds for every level and strategy, and room for the flush. */
    size_t by_zlib = n + n / 8 + n / 64 + 1024, quick = gf_huffman_bound(n);
    return by_zlib > quick ? by_zlib : quick;
}

size_t gf_deflate_strip(struct gf_deflate *d, const unsigned char *in, size_t n, bool last,
                        unsigned char *out) {
    if (d->quick)
        return gf_huffman_deflate(in, n, last, out);
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
