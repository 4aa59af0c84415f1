/* A typed, strided block of numbers, its slowest axis first, as NumPy writes shapes.
 *
 *     struct gf_array a;
 *     int rc = gf_array_alloc(&a, GF_F32, 3, (int64_t[]){1080, 1920, 3});    y, x, channel
 *     struct gf_array red = gf_array_index(&a, 2, 0);                        a view: owns nothing
 *     gf_array_free(&a);
 *
 * Strides are in bytes and may be of any size and sign. Allocations return 0 or GF_ENOMEM. */
#ifndef GF_CORE_BASE_ARRAY_H
#define GF_CORE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gf_dtype {
    GF_U8,
    GF_I8,
    GF_U16,
    GF_I16,
    GF_U32,
    GF_I32,
    GF_F32,
    GF_F64,
    GF_C64,  /* two f32: real, imaginary */
    GF_C128, /* two f64 */
    GF_N_DTYPES
};

enum { GF_MAX_RANK = 4 }; /* z, y, x, channel */

struct gf_array {
    enum gf_dtype dtype;
    int rank;
    int64_t shape[GF_MAX_RANK];
    int64_t stride[GF_MAX_RANK]; /* bytes */
    void *data;                  /* element (0, …, 0) */
    void *base;                  /* freed by gf_array_free(); NULL in a view */
    /* NULL: host memory. Else the context of the backend that placed the array on its device: only
     * its plans take it, whole, and its data is no address (struct gf_on_device). */
    const void *place;
};

size_t gf_dtype_size(enum gf_dtype t);
extern const char *const gf_dtype_names[];                /* by enum gf_dtype, ending with NULL */
const char *gf_dtype_name(enum gf_dtype t);               /* "u8", "f32", "c64", … */
int gf_dtype_parse(const char *name, enum gf_dtype *out); /* GF_EUSAGE if unknown */
static inline bool gf_dtype_is_complex(enum gf_dtype t) {
    return t == GF_C64 || t == GF_C128;
}
static inline bool gf_dtype_is_integer(enum gf_dtype t) {
    return t < GF_F32;
}
/* The real type of a complex type's components: c64 -> f32. Real types are returned unchanged. */
static inline enum gf_dtype gf_dtype_real(enum gf_dtype t) {
    return t == GF_C64 ? GF_F32 : t == GF_C128 ? GF_F64 : t;
}
/* The range of an integer type; -inf..inf for other types. */
void gf_dtype_range(enum gf_dtype t, double *low, double *high);

static inline int64_t gf_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t gf_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}
static inline int64_t gf_divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

enum { GF_SHAPE_TEXT = 96 };
/* Writes n extents as "512x512"; returns `text`. gf_shape_mark() puts a mark behind those of other
 * axes than these bits. */
const char *gf_shape_text(const int64_t *extent, int n, char text[GF_SHAPE_TEXT]);
const char *gf_shape_mark(const int64_t *extent, int n, unsigned axes, const char *mark,
                          char text[GF_SHAPE_TEXT]);

/* The product of `n` extents that are known to fit. */
static inline int64_t gf_shape_count(const int64_t *shape, int n) {
    int64_t count = 1;
    for (int i = 0; i < n; i++)
        count *= shape[i];
    return count;
}

/* Product of `n` extents times `unit`; GF_EINVAL for an extent below 1, GF_ENOMEM above 2^62. */
int gf_size_product(const int64_t *extent, int n, int64_t unit, int64_t *out);

/* Sets the indices of element i, counted in C order. */
static inline void gf_array_unravel(const struct gf_array *a, int64_t i, int64_t *at) {
    for (int axis = a->rank - 1; axis >= 0; i /= a->shape[axis--])
        at[axis] = i % a->shape[axis];
}

/* Allocates a C-contiguous array, not zeroed, 64-byte aligned, in huge pages when large. The caller
 * frees it with gf_array_free(), which also takes a view or an all-zero struct. */
int gf_array_alloc(struct gf_array *a, enum gf_dtype t, int rank, const int64_t *shape);
void gf_array_free(struct gf_array *a);

/* A C-contiguous view of memory that the caller owns. */
struct gf_array gf_array_wrap(void *data, enum gf_dtype t, int rank, const int64_t *shape);
/* The view with axis `axis` cut to [start, start + count). */
struct gf_array gf_array_slice(const struct gf_array *a, int axis, int64_t start, int64_t count);
/* The view with axis `axis` fixed at `index` and removed. */
struct gf_array gf_array_index(const struct gf_array *a, int axis, int64_t index);
int64_t gf_array_count(const struct gf_array *a);
/* The address of element i, counted in C order. */
char *gf_array_at(const struct gf_array *a, int64_t i);
/* Bytes of its samples, without gaps. */
int64_t gf_array_bytes(const struct gf_array *a);
bool gf_array_is_contiguous(const struct gf_array *a);
/* True if its last two axes, a row of pixels, are contiguous. */
bool gf_array_has_dense_rows(const struct gf_array *a);
/* The arrays, of one shape, with the last two axes joined to rows if they are contiguous in all of
 * them, or without the last axis if its extent is 1. */
void gf_array_rows(const struct gf_array *const a[], int n, struct gf_array *rows);
/* The number of samples from number `at` on that are in one row, at most `most`. */
int64_t gf_array_run(const struct gf_array *a, int64_t at, int64_t most);
/* Copies src into dst: same shape and dtype, any strides. */
void gf_array_copy(struct gf_array *dst, const struct gf_array *src);

/* Counts NaN and Inf. Sets *first, unless it is NULL, to the number of the first in C order. */
int64_t gf_array_nonfinite(const struct gf_array *a, int64_t *first);
/* GF_EINVAL with their number and the place of the first, channels last; 0 if there are none. `more` ends the
 * message. */
int gf_array_refuse_nonfinite(const struct gf_array *a, int64_t n, int64_t first, const char *more);

/* Makes room for one more in *list, a list of n elements of malloc() that has grown by this alone.
 * GF_ENOMEM. */
int gf_list_grow(void *list, int64_t n, size_t element);

/* 64-byte aligned memory, in huge pages if large; NULL if memory is short. */
void *gf_alloc(size_t bytes);
void gf_free(void *p);

/* Lets a plan read an array whose rows are still being produced, such as a picture being decoded.
 * The format fills it in; a plan with `feeds` calls it. Both functions return false if the rows
 * cannot be completed; the array must not be used then. */
struct gf_feed {
    void *user;
    /* Produces all rows, once, in one thread. NULL: the rows are complete, or not available one by
     * one. */
    bool (*produce)(void *user);
    /* Called by any other thread: helps to produce rows, and returns when the first `rows` are
     * complete. */
    bool (*await)(void *user, int64_t rows);
    bool complete; /* result of produce(), set by its caller, */
    double ms;     /* and the time it took */
};

#endif
