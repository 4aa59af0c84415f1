/* Shapes as they are typed for `plan` and `bench`, alone or as a range of sides:
 *
 *     struct gf_shapes list = {0};
 *     int rc = gf_shapes_add(&list, "64^2..8192^2", GF_STEP_DOUBLE);      64x64, 128x128, …
 *     gf_shapes_free(&list);                                                                  */
#ifndef GF_CLI_SHAPES_H
#define GF_CLI_SHAPES_H

#include "core/base/value/array.h"

enum { GF_MOST_SHAPES = 4096 };

/* The sizes of a range: doublings; four per doubling, rounded up to numbers without prime factors
 * above 7; the next prime after each doubling. */
enum gf_step { GF_STEP_DOUBLE, GF_STEP_SMOOTH, GF_STEP_PRIMES };
extern const char *const gf_steps[]; /* the values of --step */

struct gf_extents {
    int n;
    int64_t extent[GF_MAX_RANK];
    unsigned axes; /* chosen axes, as bits, for callers that use them */
};

struct gf_shapes {
    int n;
    struct gf_extents *shape; /* owned */
};

/* Parses "512x512", slowest axis first, up to GF_MAX_RANK extents. GF_EUSAGE. */
int gf_shape_parse(const char *text, int64_t extent[GF_MAX_RANK], int *n);
/* Appends `text`: 512x512, 2^10 (a length), 64^2 and 64^3 (a square and a cube of any side but 2),
 * or two of these last three with ".." between them. GF_EUSAGE. */
int gf_shapes_add(struct gf_shapes *list, const char *text, enum gf_step step);
void gf_shapes_free(struct gf_shapes *list);

#endif
