/* Objects as lines of JSON, and lists of integers. */
#ifndef GF_FORMATS_JSON_H
#define GF_FORMATS_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Sets *text to an object, which it takes over (NULL: memory was short), and `end`; the caller frees it.
 * Fails if the text does not read back: out of memory, the library may silently omit a field. */
int gf_json_text(json_t *root, const char *end, char **text);
/* Reads 1 to `most` integers of low .. high; returns their number, 0 for anything else. */
int gf_json_list(const json_t *list, int most, int64_t low, int64_t high, int64_t *out);

#endif
