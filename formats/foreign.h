/* Recognises picture types that gpufft does not read, by their first bytes, so that a refusal can name them. */
#ifndef GF_FORMATS_FOREIGN_H
#define GF_FORMATS_FOREIGN_H

#include <stddef.h>

enum { GF_FOREIGN_SNIFF = 132 }; /* bytes that are examined; fewer in a shorter file */

struct gf_foreign {
    const char *name;    /* "a WebP file" */
    const char *convert; /* a type that keeps its samples: "PNG" */
};

/* Returns NULL for an unknown type. */
const struct gf_foreign *gf_foreign_find(const unsigned char *head, size_t n);

#endif
