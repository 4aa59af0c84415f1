/* JSON text whose numbers read back as exactly what they were, in as few digits as that takes. */
#ifndef GF_CLI_JSON_H
#define GF_CLI_JSON_H

#include <jansson.h>

/* The "version" in every line of --json. 2: places are slowest axis first. */
enum { GF_JSON_VERSION = 2, GF_REAL_TEXT = 32 };

/* The shortest text that strtod() takes back to `v`, which is finite; returns `text`. */
const char *gf_real_text(double v, char text[GF_REAL_TEXT]);
/* One line without the newline, on the heap; NULL without memory or for NULL. */
char *gf_json_line(const json_t *value);

#endif
