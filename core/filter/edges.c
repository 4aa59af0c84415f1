/* Samples beyond a picture's edges: mirrored, faded, or the periodic-plus-smooth decomposition. */
#include "core/filter/edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter/filter.h"
#include "core/base/status.h"

static const double PI = 3.14159265358979323846;

const char *gf_edges_name(enum gf_edges mode) {
    static const char *const name[] = {"periodic", "mirror", "taper", "smooth"};
    return name[mode];
}

static bool is_smooth_number(int64_t n) {
    static const int primes[] = {2, 3, 5, 7};
    for (int i = 0; i < 4; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

int64_t gf_edges_length(enum gf_edges mode, int64_t n) {
    if (mode == GF_EDGES_PERIODIC || n == 1)
        return n;
    if (mode != GF_EDGES_TAPER)
        return 2 * n;
    int64_t length = n + (n < 8 ? 1 : n / 8);
    while (!is_smooth_number(length))
        length++;
    return length;
}

/* ---- one axis at a time ---- */

/* The blocks along one axis, each all the samples of one index of it. */
struct line {
    char *data;
    size_t block; /* bytes */
    int64_t n, length;
};

static void fade(const struct line *l, int64_t j, bool wide) {
    int64_t w = l->length - l->n;
    const char *end = l->data + (size_t)(l->n - 1 - j) * l->block;
    const char *start = l->data + (size_t)(w - 1 - j) * l->block;
    char *to = l->data + (size_t)(l->n + j) * l->block;
    double a = (1 + cos(PI * ((double)j + 0.5) / (double)w)) / 2;
    if (wide)
        for (size_t i = 0; i < l->block / sizeof(double); i++)
            ((double *)to)[i] = a * ((const double *)end)[i] + (1 - a) * ((const double *)start)[i];
    else
        for (size_t i = 0; i < l->block / sizeof(float); i++)
            ((float *)to)[i] = (float)(a * (double)((const float *)end)[i] +
                                       (1 - a) * (double)((const float *)start)[i]);
}

/* Blocks of `size` bytes, a constant where the call is inlined with one. */
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
            fade(l, j, wide);
    else if (l->block == 1)
        copy_blocks(mirrored, l, from, to, 1);
    else if (l->block == 2)
        copy_blocks(mirrored, l, from, to, 2);
    else if (l->block == 4)
        copy_blocks(mirrored, l, from, to, 4);
    else
        copy_blocks(mirrored, l, from, to, l->block);
}

/* Axes after `axis` are complete, axes before it have the picture's extent. When lines are few
 * their blocks are long, and the threads share the blocks of a line. */
static void fill_axis(enum gf_edges mode, const int64_t *shape, int axis, int threads,
                      struct gf_array *a) {
    int64_t lines = 1, more = a->shape[axis] - shape[axis];
    for (int i = 0; i < axis; i++)
        lines *= shape[i];
    const bool wide = a->dtype == GF_F64;
    const int64_t parts = lines < 64 ? more : 1;
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t at = 0; at < lines * parts; at++) {
        int64_t rest = at / parts, part = at % parts;
        struct line l = {.data = a->data,
                         .block = (size_t)a->stride[axis],
                         .n = shape[axis],
                         .length = a->shape[axis]};
        for (int i = axis - 1; i >= 0; i--) {
            l.data += rest % shape[i] * a->stride[i];
            rest /= shape[i];
        }
        fill_blocks(mode, &l, part * more / parts, (part + 1) * more / parts, wide);
    }
}

void gf_edges_fill(enum gf_edges mode, const int64_t *shape, int threads, struct gf_array *a) {
    for (int axis = a->rank - 2; axis >= 0; axis--)
        if (a->shape[axis] > shape[axis])
            fill_axis(mode, shape, axis, threads, a);
}

/* ---- periodic plus smooth ---- */

static double get(const struct gf_array *a, const char *p) {
    return a->dtype == GF_F64 ? *(const double *)p : (double)*(const float *)p;
}

static void add(const struct gf_array *a, char *p, double v) {
    if (a->dtype == GF_F64)
        *(double *)p += v;
    else
        *(float *)p = (float)((double)*(const float *)p + v);
}

/* Offset of element `at` (C order, without `axis`) of the slice at 0 along `axis`. */
static int64_t slice_offset(const struct gf_array *a, int axis, int64_t at) {
    int64_t offset = 0;
    for (int i = a->rank - 1; i >= 0; i--)
        if (i != axis) {
            offset += at % a->shape[i] * a->stride[i];
            at /= a->shape[i];
        }
    return offset;
}

void gf_edges_jumps(const struct gf_array *u, unsigned axes, struct gf_array *v) {
    memset(v->data, 0, (size_t)gf_array_count(v) * gf_dtype_size(v->dtype));
    for (int axis = 0; axis < u->rank - 1; axis++) {
        int64_t n = u->shape[axis];
        if (!(axes >> axis & 1) || n == 1)
            continue;
        for (int64_t at = 0; at < gf_array_count(u) / n; at++) {
            const char *from = (const char *)u->data + slice_offset(u, axis, at);
            char *to = (char *)v->data + slice_offset(v, axis, at);
            double jump = get(u, from + (n - 1) * u->stride[axis]) - get(u, from);
            add(v, to, jump);
            add(v, to + (n - 1) * v->stride[axis], -jump);
        }
    }
}

/* What each axis contributes to the periodic Laplacian at its bins, 2 cos(2 pi k / n) - 2: one
 * array, axis after axis; NULL when memory is short. The caller frees. */
static double *laplacian_values(const struct gf_job *job, const int64_t *shape) {
    int64_t count = 0, at = 0;
    for (int i = 0; i < job->ndim; i++)
        count += shape[i];
    double *v = malloc((size_t)count * sizeof *v);
    for (int i = 0; i < job->ndim && v; i++)
        for (int64_t k = 0; k < shape[i]; k++) {
            double s = sin(PI * (double)k / (double)job->shape[i]);
            v[at++] = job->axes >> i & 1 ? -4 * s * s : 0;
        }
    return v;
}

static void put_row(struct gf_array *t, int64_t row, const double *value) {
    const int last = t->rank - 1;
    const double *of_axis[GF_MAX_DIMS];
    double others = 0;
    int64_t rest = row;
    for (int i = 0; i <= last; i++) {
        of_axis[i] = value;
        value += t->shape[i];
    }
    for (int i = last - 1; i >= 0; i--) {
        others += of_axis[i][rest % t->shape[i]];
        rest /= t->shape[i];
    }
    for (int64_t k = 0; k < t->shape[last]; k++) {
        double sum = others + of_axis[last][k], v = sum < 0 ? 1 / sum : 0;
        if (t->dtype == GF_F64)
            ((double *)t->data)[row * t->shape[last] + k] = v;
        else
            ((float *)t->data)[row * t->shape[last] + k] = (float)v;
    }
}

int gf_edges_filter(const struct gf_job *job, int threads, struct gf_filter **out) {
    int64_t shape[GF_MAX_DIMS];
    int half = gf_job_half_axis(job);
    for (int i = 0; i < job->ndim; i++)
        shape[i] = i == half ? job->shape[i] / 2 + 1 : job->shape[i];
    int rc = gf_filter_new(out);
    if (rc)
        return rc;
    struct gf_array *t = &(*out)->table;
    double *value = laplacian_values(job, shape);
    rc = value ? gf_array_alloc(t, job->precision == GF_DOUBLE ? GF_F64 : GF_F32, job->ndim, shape)
               : gf_fail(GF_ENOMEM, "no memory for a filter");
    if (rc) {
        gf_filter_free(*out);
        *out = NULL;
        goto out;
    }
    const int64_t rows = gf_array_count(t) / shape[job->ndim - 1];
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t row = 0; row < rows; row++)
        put_row(t, row, value);
out:
    free(value);
    return rc;
}

/* to += sign * from, `n` blocks of `channels` reals; backwards: with the blocks of `from` in
 * reverse order. */
#define ADD_BLOCKS(type)                                                                           \
    for (int64_t k = 0; k < n; k++)                                                                \
        for (int64_t c = 0; c < channels; c++)                                                     \
            ((type *)to)[k * channels + c] +=                                                      \
                (type)sign * ((const type *)from)[(backwards ? n - 1 - k : k) * channels + c];

static void add_blocks(void *to, const void *from, int64_t n, int64_t channels, bool wide, int sign,
                       bool backwards) {
    if (wide)
        ADD_BLOCKS(double)
    else
        ADD_BLOCKS(float)
}

/* Adds sign * s to `a`; `mirrored`: and to the mirror images of s. */
static void add_all(const struct gf_array *s, int sign, bool mirrored, int threads,
                    struct gf_array *a) {
    const int64_t *extent = mirrored ? a->shape : s->shape;
    const int last = a->rank - 2;
    const int64_t n = s->shape[last], channels = s->shape[last + 1];
    const bool wide = s->dtype == GF_F64;
    int64_t rows = 1;
    for (int i = 0; i < last; i++)
        rows *= extent[i];
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t row = 0; row < rows; row++) {
        const char *from = s->data;
        char *to = a->data;
        int64_t rest = row;
        for (int i = last - 1; i >= 0; i--) {
            int64_t k = rest % extent[i], m = s->shape[i];
            rest /= extent[i];
            to += k * a->stride[i];
            from += (k < m ? k : 2 * m - 1 - k) * s->stride[i];
        }
        add_blocks(to, from, n, channels, wide, sign, false);
        if (extent[last] > n)
            add_blocks(to + n * a->stride[last], from, n, channels, wide, sign, true);
    }
}

void gf_edges_fill_smooth(const struct gf_array *s, int threads, struct gf_array *a) {
    add_all(s, -1, false, threads, a);
    gf_edges_fill(GF_EDGES_PERIODIC, s->shape, threads, a);
    add_all(s, 1, true, threads, a);
}
