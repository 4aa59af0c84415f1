/* Huffman codes as deflate has them. Private to formats/. */
#ifndef GF_FORMATS_PNG_HUFFMAN_CODES_H
#define GF_FORMATS_PNG_HUFFMAN_CODES_H

#include <stdint.h>

enum { GF_MAX_SYMBOLS = 288 };

/* Lengths of at most `limit` bits of a complete code for the symbols whose count is not 0, which
 * are two or more; 0 for the others. n <= GF_MAX_SYMBOLS. */
void gf_huffman_lengths(const uint32_t *count, int n, int limit, uint8_t *length);
/* The codes for such lengths (RFC 1951, 3.2.2), their first bit lowest. */
void gf_huffman_codes(const uint8_t *length, int n, uint16_t *code);

#endif
