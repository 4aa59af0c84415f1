/* Rows of pages and runs of bins, shifted and mirrored, on all threads. */
#include "core/gpu/slab_copy.h"

#include <string.h>

/* ---- mirror images ---- */

/* Of n samples from `from` on, `step` bytes apart, to `to` and backwards. */
typedef void mirror_fn(char *to, int64_t to_step, const char *from, int64_t step, int64_t n);

#define MIRROR(name, type, expression)                                                             \
    static void name(char *to, int64_t to_step, const char *from, int64_t step, int64_t n) {       \
        for (int64_t i = 0; i < n; i++, to -= to_step, from += step) {                             \
            type v;                                                                                \
            memcpy(&v, from, sizeof v);                                                            \
            v = (type)(expression);                                                                \
            memcpy(to, &v, sizeof v);                                                              \
        }                                                                                          \
    }
MIRROR(same_8, uint8_t, v)
MIRROR(same_16, uint16_t, v)
MIRROR(same_32, uint32_t, v)
MIRROR(same_64, uint64_t, v)
MIRROR(opposite_8, uint8_t, UINT8_MAX - v) /* about mid-grey */
MIRROR(opposite_16, uint16_t, UINT16_MAX - v)
MIRROR(opposite_32, float, -v)
MIRROR(opposite_64, double, -v)

struct single {
    float re, im;
};
struct wide {
    double re, im;
};
MIRROR(conjugate_64, struct single, ((struct single){v.re, -v.im}))
MIRROR(conjugate_128, struct wide, ((struct wide){v.re, -v.im}))

static mirror_fn *mirror_of(enum gf_kind kind, enum gf_dtype t) {
    const bool opposite = kind == GF_PHASE || kind == GF_IMAG;
    switch (t) {
    case GF_U8:
        return opposite ? opposite_8 : same_8;
    case GF_U16:
        return opposite ? opposite_16 : same_16;
    case GF_F32:
        return opposite ? opposite_32 : same_32;
    case GF_F64:
        return opposite ? opposite_64 : same_64;
    case GF_C64:
        return conjugate_64;
    case GF_C128:
        return conjugate_128;
    case GF_I8:
        return opposite ? NULL : same_8;
    case GF_I16:
        return opposite ? NULL : same_16;
    case GF_U32:
    case GF_I32:
        return opposite ? NULL : same_32;
    default:
        return NULL;
    }
}

bool gf_gpu_slab_mirrors(const struct gf_output *o) {
    const bool opposite = o->kind == GF_PHASE || o->kind == GF_IMAG;
    if (opposite && gf_dtype_is_integer(o->dtype) && o->map != GF_MAP_DISPLAY)
        return false;
    return mirror_of(o->kind, o->dtype) != NULL;
}

/* ---- runs of one row ---- */

/* Columns x .. x + n - 1 of a row. */
struct row_run {
    int64_t z, y, x, n;
};

static char *at(const struct gf_array *a, int64_t z, int64_t y, int64_t x) {
    return (char *)a->data + z * a->stride[0] + y * a->stride[1] + x * a->stride[2];
}

/* Bytes of all channels of a column. */
static int64_t unit_of(const struct gf_array *a) {
    return a->shape[3] * (int64_t)gf_dtype_size(a->dtype);
}

static bool has_dense_rows(const struct gf_array *a) {
    return a->stride[3] == (int64_t)gf_dtype_size(a->dtype) && a->stride[2] == unit_of(a);
}

static void copy_run(const struct gf_array *a, struct row_run r, char *packed, bool unpack) {
    char *there = at(a, r.z, r.y, r.x);
    if (has_dense_rows(a)) {
        memcpy(unpack ? there : packed, unpack ? packed : there, (size_t)(r.n * unit_of(a)));
        return;
    }
    const int64_t shape[2] = {r.n, a->shape[3]};
    struct gf_array dense = gf_array_wrap(packed, a->dtype, 2, shape), run = dense;
    run.data = there;
    run.stride[0] = a->stride[2];
    run.stride[1] = a->stride[3];
    gf_array_copy(unpack ? &run : &dense, unpack ? &dense : &run);
}

static int64_t shifted(int64_t i, int64_t n, bool shift) {
    i += shift ? n / 2 : 0;
    return i < n ? i : i - n;
}

static int64_t negative(int64_t i, int64_t n, bool transformed) {
    return transformed && i ? n - i : i;
}

static void copy_shifted(const struct gf_gpu_slab_bins *b, struct row_run r, char *packed,
                         bool unpack) {
    const struct gf_array *a = &b->array;
    r.z = shifted(r.z, a->shape[0], b->shift[0]);
    r.y = shifted(r.y, a->shape[1], b->shift[1]);
    if (!b->shift[2]) {
        copy_run(a, r, packed, unpack);
        return;
    }
    const int64_t n = a->shape[2], half = n / 2, before = n - half; /* columns that do not wrap */
    struct row_run low = {r.z, r.y, r.x + half, r.x < before ? before - r.x : 0};
    low.n = low.n < r.n ? low.n : r.n;
    const struct row_run high = {r.z, r.y, r.x + low.n + half - n, r.n - low.n};
    if (low.n)
        copy_run(a, low, packed, unpack);
    if (high.n)
        copy_run(a, high, packed + low.n * unit_of(a), unpack);
}

/* The mirror images of columns 1 .. (n - 1) / 2, each at n - x of the row of the negative page and
 * the negative row. */
static void mirror_run(const struct gf_gpu_slab_bins *b, struct row_run r, const char *packed) {
    const struct gf_array *a = &b->array;
    const int64_t n = a->shape[2], size = (int64_t)gf_dtype_size(a->dtype), unit = unit_of(a);
    const int64_t first = r.x ? r.x : 1, last = r.x + r.n - 1;
    const int64_t count = (last < (n - 1) / 2 ? last : (n - 1) / 2) - first + 1;
    if (count <= 0)
        return;
    const int64_t z = shifted(negative(r.z, a->shape[0], b->axes & 1), a->shape[0], b->shift[0]);
    const int64_t y =
        shifted(negative(r.y, a->shape[1], b->axes >> 1 & 1), a->shape[1], b->shift[1]);
    char *to = at(a, z, y, shifted(n - first, n, b->shift[2]));
    for (int64_t c = 0; c < a->shape[3]; c++)
        mirror_of(b->kind, a->dtype)(to + c * a->stride[3], a->stride[2],
                                     packed + (first - r.x) * unit + c * size, unit, count);
}

/* ---- parts ---- */

void gf_gpu_slab_copy_pages(const struct gf_array *pages, char *packed, bool unpack, int threads) {
    const int64_t rows = pages->shape[1], bytes = pages->shape[2] * unit_of(pages);
    const int64_t all = pages->shape[0] * rows;
    const bool dense = gf_array_is_contiguous(pages);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        const int64_t first = all * t / threads, end = all * (t + 1) / threads;
        if (dense)
            memcpy(unpack ? (char *)pages->data + first * bytes : packed + first * bytes,
                   unpack ? packed + first * bytes : (char *)pages->data + first * bytes,
                   (size_t)((end - first) * bytes));
        for (int64_t k = first; k < end && !dense; k++)
            copy_run(pages, (struct row_run){k / rows, k % rows, 0, pages->shape[2]},
                     packed + k * bytes, unpack);
    }
}

static void copy_page(const struct gf_gpu_slab_bins *b, int64_t z, char *packed, bool unpack) {
    const struct gf_array *a = &b->array;
    const int64_t unit = unit_of(a), end = b->first + b->count;
    const bool flat = !b->mirrors && !b->shift[1] && !b->shift[2] && has_dense_rows(a) &&
                      a->stride[1] == a->shape[2] * unit;
    if (flat) {
        char *there = at(a, shifted(z, a->shape[0], b->shift[0]), 0, b->first);
        memcpy(unpack ? there : packed, unpack ? packed : there, (size_t)(b->count * unit));
        return;
    }
    for (int64_t i = b->first; i < end;) {
        struct row_run r = {.z = z, .y = i / b->columns, .x = i % b->columns};
        r.n = b->columns - r.x < end - i ? b->columns - r.x : end - i;
        copy_shifted(b, r, packed, unpack);
        if (b->mirrors && unpack)
            mirror_run(b, r, packed);
        packed += r.n * unit;
        i += r.n;
    }
}

void gf_gpu_slab_copy_bins(const struct gf_gpu_slab_bins *b, char *packed, bool unpack) {
    const int64_t bytes = b->count * unit_of(&b->array);
#pragma omp parallel for num_threads(b->threads) schedule(static) if (b->threads > 1)
    for (int64_t z = 0; z < b->array.shape[0]; z++)
        copy_page(b, z, packed + z * bytes, unpack);
}
