/* Samples beyond a picture's edges: mirrored, faded, or the periodic-plus-smooth decomposition. */
#include "core/filter/edges.h"

#include <math.h>
#include <string.h>

#include "core/base/factor.h"

const char *gf_edges_name(enum gf_edges mode) {
    static const char *const name[] = {"periodic", "mirror", "taper", "smooth"};
    return name[mode];
}

int64_t gf_edges_length(enum gf_edges mode, int64_t n) {
    if (mode == GF_EDGES_PERIODIC || n == 1)
        return n;
    if (mode != GF_EDGES_TAPER)
        return 2 * n;
    int64_t length = n + (n < 8 ? 1 : n / 8);
    while (!gf_factor_is_smooth(length))
        length++;
    return length;
}

/* ---- one axis at a time ---- */

/* The blocks along one axis; a block holds all samples of one index. */
struct line {
    char *data;
    size_t block; /* bytes */
    int64_t n, length;
};

/* Computes `bytes` of taper's samples j of w. */
static void fade(int64_t j, int64_t w, const char *end, const char *start, char *to, size_t bytes,
                 bool wide) {
    double a = (1 + cos(M_PI * ((double)j + 0.5) / (double)w)) / 2;
    if (wide)
        for (size_t i = 0; i < bytes / sizeof(double); i++)
            ((double *)to)[i] = a * ((const double *)end)[i] + (1 - a) * ((const double *)start)[i];
    else
        for (size_t i = 0; i < bytes / sizeof(float); i++)
            ((float *)to)[i] = (float)(a * (double)((const float *)end)[i] +
                                       (1 - a) * (double)((const float *)start)[i]);
}

void gf_edges_fade(int64_t j, int64_t w, const struct gf_array *end, const struct gf_array *start,
                   struct gf_array *to) {
    fade(j, w, end->data, start->data, to->data, (size_t)gf_array_bytes(to), to->dtype == GF_F64);
}

static void fade_block(const struct line *l, int64_t j, bool wide) {
    const int64_t w = l->length - l->n;
    fade(j, w, l->data + (size_t)(l->n - 1 - j) * l->block,
         l->data + (size_t)(w - 1 - j) * l->block, l->data + (size_t)(l->n + j) * l->block,
         l->block, wide);
}

/* `size` bytes per block; inlined calls with a constant are faster. */
static inline void copy_blocks(bool mirrored, const struct line *l, int64_t from, int64_t to,
                               size_t size) {
    for (int64_t j = from; j < to; j++)
        memcpy(l->data + (size_t)(l->n + j) * size,
               l->data + (size_t)(mirrored ? l->n - 1 - j : j % l->n) * size, size);
}

static void fill_blocks(enum gf_edges mode, const struct line *l, int64_t from, int64_t to,
                        bool wide) {
    bool mirrored = mode != GF_EDGES_PERIODIC;
    if (mode == GF_EDGES_TAPER)
        for (int64_t j = from; j < to; j++)
            fade_block(l, j, wide);
    else if (l->block == 1)
        copy_blocks(mirrored, l, from, to, 1);
    else if (l->block == 2)
        copy_blocks(mirrored, l, from, to, 2);
    else if (l->block == 4)
        copy_blocks(mirrored, l, from, to, 4);
    else
        copy_blocks(mirrored, l, from, to, l->block);
}

/* Axes after `axis` are complete, axes before it have the picture's extents. If lines are few,
 * blocks are long and threads share the blocks of a line. */
static void fill_axis(enum gf_edges mode, const int64_t *shape, int axis, int threads,
                      struct gf_array *a) {
    const int64_t more = a->shape[axis] - shape[axis];
    struct gf_array starts = *a; /* of the lines */
    starts.rank = axis;
    memcpy(starts.shape, shape, (size_t)axis * sizeof *shape);
    const int64_t lines = gf_array_count(&starts);
    const bool wide = a->dtype == GF_F64;
    const int64_t parts = lines < 64 ? more : 1;
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t at = 0; at < lines * parts; at++) {
        const int64_t part = at % parts;
        const struct line l = {.data = gf_array_at(&starts, at / parts),
                               .block = (size_t)a->stride[axis],
                               .n = shape[axis],
                               .length = a->shape[axis]};
        fill_blocks(mode, &l, part * more / parts, (part + 1) * more / parts, wide);
    }
}

void gf_edges_fill(enum gf_edges mode, const int64_t *shape, int threads, struct gf_array *a) {
    for (int axis = a->rank - 2; axis >= 0; axis--)
        if (a->shape[axis] > shape[axis])
            fill_axis(mode, shape, axis, threads, a);
}
