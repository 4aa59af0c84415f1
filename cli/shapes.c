/* Parses shapes and ranges of shapes. */
#include "cli/shapes.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/factor.h"
#include "core/base/value/status.h"

const char *const gf_steps[] = {"2x", "7smooth", "primes", NULL};

static const int64_t longest_side = INT64_C(1) << 40;

/* A line, a square or a cube. */
struct regular {
    int ndim;
    int64_t side;
};

static int append(struct gf_shapes *list, const struct gf_extents *shape) {
    int rc = list->n == GF_MOST_SHAPES ? gf_fail(GF_EUSAGE, "more than %d shapes", GF_MOST_SHAPES)
                                       : gf_list_grow(&list->shape, list->n, sizeof *shape);
    if (!rc)
        list->shape[list->n++] = *shape;
    return rc;
}

static int append_regular(struct gf_shapes *list, struct regular r) {
    struct gf_extents shape = {.n = r.ndim};
    for (int i = 0; i < r.ndim; i++)
        shape.extent[i] = r.side;
    return append(list, &shape);
}

/* Reads a number from 1 to 2^40 at *at and advances *at; returns 0 if there is none. */
static int64_t read_number(const char **at) {
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)**at))
        return 0;
    long long v = strtoll(*at, &end, 10);
    *at = end;
    return errno || v > longest_side ? 0 : v;
}

int gf_shape_parse(const char *text, int64_t extent[GF_MAX_RANK], int *n) {
    const char *p = text;
    for (*n = 0; *n < GF_MAX_RANK && isdigit((unsigned char)*p); p++) {
        const int64_t v = extent[(*n)++] = read_number(&p);
        if (!v)
            return gf_fail(GF_EUSAGE, "shape '%.60s': an extent must be from 1 to 2^40", text);
        if (!*p)
            return 0;
        if (*p != 'x')
            break;
    }
    return gf_fail(GF_EUSAGE,
                   "'%.60s' is not a shape; write DEPTHxHEIGHTxWIDTH, HEIGHTxWIDTH or WIDTH", text);
}

/* Reads N, 2^N, N^2 or N^3 up to `end`. */
static bool read_regular(const char *at, const char *end, struct regular *r) {
    *r = (struct regular){.ndim = 1, .side = read_number(&at)};
    if (r->side && at < end && *at == '^') {
        bool length = r->side == 2;
        at++;
        int64_t power = read_number(&at);
        if (length && power > 40)
            return false;
        if (length)
            r->side = INT64_C(1) << power;
        else if (power == 2 || power == 3)
            r->ndim = (int)power;
        else
            return false;
    }
    return r->side && at == end;
}

/* Returns the i-th side of a range; 0: beyond `last`. */
static int64_t side_at(int64_t first, int64_t last, int i, enum gf_step step) {
    int64_t side;
    if (step == GF_STEP_SMOOTH)
        side = (int64_t)ceil((double)first * exp2(i / 4.0) - 1e-9);
    else
        side = i < 41 ? first << i : 0;
    if (side <= 0 || side > last)
        return 0;
    while ((step == GF_STEP_SMOOTH && !gf_factor_is_smooth(side)) ||
           (step == GF_STEP_PRIMES && !gf_is_prime(side)))
        side++;
    return side > last ? 0 : side;
}

static int add_range(struct gf_shapes *list, const char *text, const char *dots,
                     enum gf_step step) {
    struct regular first, last;
    if (!read_regular(text, dots, &first) ||
        !read_regular(dots + 2, dots + 2 + strlen(dots + 2), &last) || first.ndim != last.ndim)
        return gf_fail(GF_EUSAGE,
                       "'%.60s' is not a range; write 2^4..2^20, 64^2..8192^2, 32^3..512^3 or "
                       "100..1000",
                       text);
    if (first.side > last.side)
        return gf_fail(GF_EUSAGE, "'%.60s': a range begins with its smaller end", text);
    int before = list->n, rc = 0;
    int64_t side, previous = 0;
    for (int i = 0; !rc && (side = side_at(first.side, last.side, i, step)); i++) {
        if (side != previous)
            rc = append_regular(list, (struct regular){first.ndim, side});
        previous = side;
    }
    if (!rc && list->n == before)
        rc = gf_fail(GF_EUSAGE, "'%.60s' has no size for --step=%s", text, gf_steps[step]);
    return rc;
}

int gf_shapes_add(struct gf_shapes *list, const char *text, enum gf_step step) {
    const char *dots = strstr(text, "..");
    struct regular r;
    struct gf_extents shape = {.n = 0};
    if (dots)
        return add_range(list, text, dots, step);
    if (strchr(text, '^')) {
        if (read_regular(text, text + strlen(text), &r))
            return append_regular(list, r);
        return gf_fail(GF_EUSAGE,
                       "'%.60s' is not a shape; 2^N is a length, N^2 and N^3 are a square and a "
                       "cube of another N",
                       text);
    }
    int rc = gf_shape_parse(text, shape.extent, &shape.n);
    return rc ? rc : append(list, &shape);
}

void gf_shapes_free(struct gf_shapes *list) {
    free(list->shape);
    *list = (struct gf_shapes){0};
}
