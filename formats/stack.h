/* The meaning of a TIFF's pages by its description: ImageJ's "ImageJ=…" lines or OME's XML. Other
 * texts are ignored. */
#ifndef GF_FORMATS_STACK_H
#define GF_FORMATS_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct gf_stack {
    const char *by;    /* "ImageJ", "OME"; NULL: the file does not tell */
    int64_t pages;     /* z * channels * times, unless the description says otherwise */
    int64_t z, c, t;   /* 1 or more; channels that are pages of their own */
    char order[4];     /* of z, c and t, slowest first: "tzc" */
    double spacing[3]; /* z, y, x; 0: unknown */
    char unit[16];     /* of the spacing, in ASCII; "": unknown */
    bool elsewhere;    /* OME: pages are in other files too */
};

/* Parses the description of pages with `samples` per pixel. Ignores an invalid one. */
void gf_stack_parse(const char *text, int samples, struct gf_stack *out);

#endif
