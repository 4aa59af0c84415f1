/* Samples beyond a picture's edges: mirrored, faded, or the periodic-plus-smooth decomposition. */
#include "core/filter/edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/factor.h"
#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"

const char *gf_edges_name(enum gf_edges mode) {
    static const char *const name[] = {"periodic", "mirror", "taper", "smooth", "screen"};
    return name[mode];
}

int64_t gf_edges_length(enum gf_edges mode, int64_t n) {
    if (mode == GF_EDGES_PERIODIC || n == 1)
        return n;
    if (mode != GF_EDGES_TAPER && mode != GF_EDGES_SCREEN)
        return 2 * n;
    int64_t length = n + (n < 8 ? 1 : n / 8);
    if (mode == GF_EDGES_SCREEN)
        length = n + (n < GF_EDGES_SCREEN_MOST ? n : GF_EDGES_SCREEN_MOST);
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
                 bool is_double) {
    double a = (1 + cos(M_PI * ((double)j + 0.5) / (double)w)) / 2;
    if (is_double)
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

static void fade_block(const struct line *l, int64_t j, bool is_double) {
    const int64_t w = l->length - l->n;
    fade(j, w, l->data + (size_t)(l->n - 1 - j) * l->block,
         l->data + (size_t)(w - 1 - j) * l->block, l->data + (size_t)(l->n + j) * l->block,
         l->block, is_double);
}

/* `size` bytes per block; inlined calls with a constant are faster. */
static inline void copy_blocks(bool mirrored, const struct line *l, int64_t from, int64_t to,
                               size_t size) {
    for (int64_t j = from; j < to; j++)
        memcpy(l->data + (size_t)(l->n + j) * size,
               l->data + (size_t)(mirrored ? l->n - 1 - j : j % l->n) * size, size);
}

static void fill_blocks(enum gf_edges mode, const struct line *l, int64_t from, int64_t to,
                        bool is_double) {
    bool mirrored = mode != GF_EDGES_PERIODIC;
    if (mode == GF_EDGES_TAPER)
        for (int64_t j = from; j < to; j++)
            fade_block(l, j, is_double);
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
    const bool is_double = a->dtype == GF_F64;
    const int64_t parts = lines < 64 ? more : 1;
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t at = 0; at < lines * parts; at++) {
        const int64_t part = at % parts;
        const struct line l = {.data = gf_array_at(&starts, at / parts),
                               .block = (size_t)a->stride[axis],
                               .n = shape[axis],
                               .length = a->shape[axis]};
        fill_blocks(mode, &l, part * more / parts, (part + 1) * more / parts, is_double);
    }
}

void gf_edges_fill(enum gf_edges mode, const int64_t *shape, int threads, struct gf_array *a) {
    for (int axis = a->rank - 2; axis >= 0; axis--)
        if (a->shape[axis] > shape[axis])
            fill_axis(mode, shape, axis, threads, a);
}

/* ---- a screen's phase ---- */

enum { REACH = 96, MIDDLE = 256 };   /* samples that a displacement may have to each side */
static const double NEARNESS = 1e-5; /* of two displacements as exact, the shorter one is taken */

struct hop {
    int y, x;
    double error; /* weighted sum of sin^2(pi e), where e is the distance from whole periods */
};

static int compare_hops(const void *a, const void *b) {
    const double x = ((const struct hop *)a)->error, y = ((const struct hop *)b)->error;
    return (x > y) - (x < y);
}

/* The power of each wave in the middle of one channel, over that of the strongest. */
static void weigh(const struct gf_array *a, const int64_t *shape, const double (*wave)[2], int n,
                  double *weight) {
    const int64_t h = gf_min(shape[0], MIDDLE), w = gf_min(shape[1], MIDDLE);
    double most = 0;
    for (int i = 0; i < n; i++) {
        double re = 0, im = 0;
        for (int64_t y = 0; y < h; y++)
            for (int64_t x = 0; x < w; x++) {
                const char *p = (const char *)a->data + ((shape[0] - h) / 2 + y) * a->stride[0] +
                                ((shape[1] - w) / 2 + x) * a->stride[1];
                const double phase = 2 * M_PI * (wave[i][0] * (double)y + wave[i][1] * (double)x);
                const double hann = pow(sin(M_PI * ((double)y + 0.5) / (double)h) *
                                            sin(M_PI * ((double)x + 0.5) / (double)w),
                                        2);
                const double v = gf_sample_get(p, a->dtype) * hann;
                re += v * cos(phase);
                im += v * sin(phase);
            }
        weight[i] = re * re + im * im;
        most = fmax(most, weight[i]);
    }
    for (int i = 0; i < n; i++)
        weight[i] = most > 0 ? weight[i] / most : 1;
}

/* Lists displacements that are positive along `axis`, the most exact first. */
static void list_hops(const double (*wave)[2], const double *weight, int n, int axis,
                      struct hop *hop) {
    int count = 0;
    for (int along = 1; along <= REACH; along++)
        for (int across = -REACH; across <= REACH; across++) {
            struct hop h = {.y = axis ? across : along, .x = axis ? along : across};
            h.error = NEARNESS * (h.y * h.y + h.x * h.x);
            for (int i = 0; i < n; i++)
                h.error += weight[i] * pow(sin(M_PI * (wave[i][0] * h.y + wave[i][1] * h.x)), 2);
            hop[count++] = h;
        }
    qsort(hop, (size_t)count, sizeof *hop, compare_hops);
}

/* Copies a sample from `sign` times the most exact displacement that stays `inside` what is
 * filled. `at` is negative before the picture. */
static void copy_hop(struct gf_array *a, const struct hop *hop, int axis, const int64_t inside[2],
                     const int64_t at[2], int sign) {
    int64_t from[2], i = 0;
    do {
        from[0] = at[0] - sign * hop[i].y;
        from[1] = at[1] - sign * hop[i++].x;
    } while (from[0] < 0 || from[0] >= inside[0] || from[1] < 0 || from[1] >= inside[1]);
    const int64_t length = a->shape[axis];
    int64_t to[2] = {at[0], at[1]};
    to[axis] = (at[axis] + length) % length;
    memcpy((char *)a->data + to[0] * a->stride[0] + to[1] * a->stride[1],
           (char *)a->data + from[0] * a->stride[0] + from[1] * a->stride[1],
           gf_dtype_size(a->dtype));
}

/* Continues one channel. `hop` has room for all displacements. */
static void continue_channel(const double (*wave)[2], int n, const int64_t *shape,
                             struct gf_array *a, struct hop *hop) {
    double weight[GF_EDGES_MOST_WAVES];
    weigh(a, shape, wave, n, weight);
    for (int axis = 1; axis >= 0; axis--) {
        const int64_t more = a->shape[axis] - shape[axis];
        const int64_t inside[2] = {shape[0], axis ? shape[1] : a->shape[1]};
        list_hops(wave, weight, n, axis, hop);
        for (int64_t j = 0; j < more; j++)
            for (int64_t k = 0; k < inside[!axis]; k++) {
                const int sign = j % 2 ? -1 : 1; /* both ends in turn */
                const int64_t i = j % 2 ? -1 - j / 2 : shape[axis] + j / 2;
                copy_hop(a, hop, axis, inside, (int64_t[]){axis ? k : i, axis ? i : k}, sign);
            }
    }
}

int gf_edges_continue(const double (*wave)[2], int n, const int64_t *shape, struct gf_array *a) {
    struct hop *hop = malloc((size_t)REACH * (2 * REACH + 1) * sizeof *hop);
    if (!hop)
        return gf_no_memory();
    for (int64_t c = 0; c < a->shape[2]; c++) {
        struct gf_array channel = gf_array_index(a, 2, c);
        continue_channel(wave, n, shape, &channel, hop);
    }
    free(hop);
    return 0;
}
