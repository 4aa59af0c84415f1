/* Bytes as text: deflated (zlib's format), then in base64 (RFC 4648). Objects as lines of JSON. */
#ifndef GF_FORMATS_PACKED_H
#define GF_FORMATS_PACKED_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* The caller frees the text; NULL if memory is short. */
char *gf_packed_encode(const unsigned char *data, size_t n);
/* Sets *out to the n bytes that the text must decode to; the caller frees them. GF_EFORMAT for
 * anything else, before more than n bytes are made. */
int gf_packed_decode(const char *text, size_t n, unsigned char **out);

/* Sets *text to an object, which it takes over (NULL: memory was short), and `end`; the caller frees it.
 * Fails if the text does not read back: out of memory, the library may silently omit a field. */
int gf_json_text(json_t *root, const char *end, char **text);
/* Reads 1 to `most` integers of low .. high; returns their number, 0 for anything else. */
int gf_json_list(const json_t *list, int most, int64_t low, int64_t high, int64_t *out);

#endif
