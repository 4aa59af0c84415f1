/* Deflate without a search for matches: Huffman codes of bytes and of runs. Private to formats/. */
#ifndef GF_FORMATS_PNG_HUFFMAN_H
#define GF_FORMATS_PNG_HUFFMAN_H

#include <stdbool.h>
#include <stddef.h>

/* Raw deflate of n bytes that ends on a whole byte, the final block with `last`; returns its bytes.
 * `out` has room for gf_huffman_bound(n). */
size_t gf_huffman_deflate(const unsigned char *in, size_t n, bool last, unsigned char *out);
/* No code is longer than 14 bits, and codes of 8 bits would do: the header of a block and the slack
 * of its writer come on top. */
size_t gf_huffman_bound(size_t n);

#endif
