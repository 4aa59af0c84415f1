/* Deflate of strips, each on its own. Private to formats/. */
#ifndef GF_FORMATS_PNG_DEFLATE_H
#define GF_FORMATS_PNG_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>

struct gf_codec;

struct gf_deflate_options {
    const struct gf_codec *quick; /* its deflate instead of zlib's; NULL: none */
    int level, strategy;          /* zlib's */
};

struct gf_deflate;                                                           /* a thread's */
struct gf_deflate *gf_deflate_new(const struct gf_deflate_options *options); /* NULL: no memory */
void gf_deflate_free(struct gf_deflate *d);

/* Raw deflate of n < 2 GiB bytes that ends on a whole byte, the final block with `last`; returns its
 * bytes, 0 when it fails. `out` has room for gf_deflate_bound(n). The bytes depend on `in` and the
 * options only. */
size_t gf_deflate_strip(struct gf_deflate *d, const unsigned char *in, size_t n, bool last,
                        unsigned char *out);
size_t gf_deflate_bound(size_t n);

#endif
