/* The sizes that `gpufft bench` measures: those typed, or one of two lists. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/shapes.h"
#include "core/base/status.h"

struct listed {
    const char *text;
    bool rows; /* only its last axis is transformed */
};

/* A line, a picture that fits in cache and one that does not, a film frame, primes, two volumes. */
static const struct listed quick[] = {
    {"2^18", false},      {"512^2", false}, {"2048^2", false}, {"1080x1920", false},
    {"1009x1013", false}, {"64^3", false},  {"256^3", false},  {NULL, false},
};
static const struct listed all[] = {
    {"2^1..2^26", false}, {"64^2..8192^2", false}, {"1080x1920", false},   {"3000x4000", false},
    {"4001^2", false},    {"65536x256", true},     {"64^3..512^3", false}, {NULL, false},
};

static int append(struct gf_bench_sizes *sizes, const struct gf_bench_size *size) {
    struct gf_bench_size *grown = realloc(sizes->size, ((size_t)sizes->n + 1) * sizeof *grown);
    if (!grown)
        return gf_fail(GF_ENOMEM, "out of memory");
    sizes->size = grown;
    grown[sizes->n++] = *size;
    return 0;
}

/* Adds a shape, listed or typed, after checking it. */
static int add_shape(const struct gf_settings *s, const struct listed *from,
                     const struct gf_extents *e, bool typed, struct gf_bench_sizes *sizes) {
    const char *text = from->text;
    const unsigned pictures = 1u << GF_BENCH_PICTURE | 1u << GF_BENCH_PICTURE_FULL;
    struct gf_bench_size size = {.shape = *e};
    if (e->n > GF_MAX_DIMS)
        return gf_fail(GF_EUSAGE, "shape '%.60s': %d axes, where 1 to %d are possible", text, e->n,
                       GF_MAX_DIMS);
    if (typed && s->bench.kinds && !(s->bench.kinds & ~pictures) && e->n != 2)
        return gf_fail(GF_EUSAGE, "shape '%.60s': a picture has two axes", text);
    if (gf_settings_axes(s, e->n, &size.axes))
        return gf_fail(GF_EUSAGE, "shape '%.60s': %s", text, gf_message());
    if (from->rows)
        size.axes = 1u << (e->n - 1);
    return append(sizes, &size);
}

/* Adds the shapes of an operand or a list's entry, which may be a range. */
static int add(const struct gf_settings *s, const struct listed *from, bool typed,
               struct gf_bench_sizes *sizes) {
    struct gf_shapes shapes = {0};
    int rc = gf_shapes_add(&shapes, from->text, (enum gf_step)s->step);
    for (int i = 0; i < shapes.n && !rc; i++)
        rc = add_shape(s, from, &shapes.shape[i], typed, sizes);
    gf_shapes_free(&shapes);
    return rc;
}

int gf_bench_sizes_make(const struct gf_settings *s, char *const *operands, int n,
                        struct gf_bench_sizes *sizes) {
    *sizes = (struct gf_bench_sizes){0};
    if (n && s->bench.all)
        return gf_fail(GF_EUSAGE, "--all and a shape exclude each other");
    if (!n && s->axes.n)
        return gf_fail(GF_EUSAGE, "--axes needs a shape");
    int rc = 0;
    for (int i = 0; i < n && !rc; i++)
        rc = add(s, &(struct listed){operands[i], false}, true, sizes);
    for (const struct listed *l = s->bench.all ? all : quick; !n && l->text && !rc; l++)
        rc = add(s, l, false, sizes);
    return rc;
}

void gf_bench_sizes_free(struct gf_bench_sizes *sizes) {
    free(sizes->size);
    *sizes = (struct gf_bench_sizes){0};
}
