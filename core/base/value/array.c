/* The table of sample types; arrays, views and copies; memory in huge pages. */
#include "core/base/value/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/value/blocks.h"
#include "core/base/value/pages.h"
#include "core/base/value/status.h"

const char *const gf_dtype_names[] = {"u8",  "i8",  "u16", "i16",  "u32", "i32",
                                      "f32", "f64", "c64", "c128", NULL};

static const struct dtype {
    size_t size;
    double low, high;
} dtypes[GF_N_DTYPES] = {
    [GF_U8] = {1, 0, UINT8_MAX},         [GF_I8] = {1, INT8_MIN, INT8_MAX},
    [GF_U16] = {2, 0, UINT16_MAX},       [GF_I16] = {2, INT16_MIN, INT16_MAX},
    [GF_U32] = {4, 0, UINT32_MAX},       [GF_I32] = {4, INT32_MIN, INT32_MAX},
    [GF_F32] = {4, -INFINITY, INFINITY}, [GF_F64] = {8, -INFINITY, INFINITY},
    [GF_C64] = {8, -INFINITY, INFINITY}, [GF_C128] = {16, -INFINITY, INFINITY},
};

size_t gf_dtype_size(enum gf_dtype t) {
    return dtypes[t].size;
}
const char *gf_dtype_name(enum gf_dtype t) {
    return gf_dtype_names[t];
}

int gf_dtype_parse(const char *name, enum gf_dtype *out) {
    for (int t = 0; t < GF_N_DTYPES; t++)
        if (!strcmp(name, gf_dtype_names[t])) {
            *out = (enum gf_dtype)t;
            return 0;
        }
    return gf_fail(GF_EUSAGE, "unknown type '%.20s' (u8 i8 u16 i16 u32 i32 f32 f64 c64 c128)",
                   name);
}

void gf_dtype_range(enum gf_dtype t, double *low, double *high) {
    *low = dtypes[t].low;
    *high = dtypes[t].high;
}

int gf_size_product(const int64_t *extent, int n, int64_t unit, int64_t *out) {
    const int64_t limit = INT64_C(1) << 62;
    int64_t product = unit;
    for (int i = 0; i < n; i++) {
        if (extent[i] < 1)
            return gf_fail(GF_EINVAL, "an extent of %lld", (long long)extent[i]);
        if (product > limit / extent[i])
            return gf_fail(GF_ENOMEM, "the size does not fit 62 bits");
        product *= extent[i];
    }
    *out = product;
    return 0;
}

/* Clearing a huge page takes a quarter of the time of faulting in half as many bytes of small
 * pages. So up to half a huge page may be wasted, also at the end of a large block; smaller blocks
 * may share one. */
enum { ALONE = GF_HUGE_PAGE / 2, SHARED = 32 << 10, WORTH_A_PAGE = 128 << 10 };

/* `opens`: the whole block will be used, so it may open a huge page for later blocks to share. */
static void *allocate(size_t bytes, bool opens) {
    if (bytes >= SHARED && bytes < ALONE) {
        void *p = gf_huge_page_take(bytes, opens && bytes >= WORTH_A_PAGE);
        if (p)
            return p;
    }
    size_t align = bytes >= ALONE ? GF_HUGE_PAGE : 64;
    size_t rounded = (bytes + align - 1) / align * align;
    if (rounded < bytes)
        return NULL;
    void *p = bytes >= GF_BLOCK_LEAST ? gf_block_take(rounded) : NULL;
    if (p)
        return p;
    p = aligned_alloc(align, rounded ? rounded : align);
#ifdef MADV_HUGEPAGE
    if (p && align == GF_HUGE_PAGE)
        madvise(p, (bytes + GF_HUGE_PAGE - ALONE) / GF_HUGE_PAGE * GF_HUGE_PAGE, MADV_HUGEPAGE);
#endif
    if (p && bytes >= GF_BLOCK_LEAST)
        gf_block_add(p, rounded);
    return p;
}

void *gf_alloc(size_t bytes) {
    return allocate(bytes, false);
}

int gf_list_grow(void *list, int64_t n, size_t element) {
    void *old, *more;
    if (n & (n - 1)) /* grows at powers of two */
        return 0;
    memcpy(&old, list, sizeof old);
    if (!(more = realloc(old, (size_t)(n ? 2 * n : 1) * element)))
        return gf_no_memory();
    memcpy(list, &more, sizeof more);
    return 0;
}

void gf_free(void *p) {
    if (!gf_huge_page_give(p) && !gf_block_give(p))
        free(p);
}

struct gf_array gf_array_wrap(void *data, enum gf_dtype t, int rank, const int64_t *shape) {
    struct gf_array a = {.dtype = t, .rank = rank, .data = data};
    int64_t stride = (int64_t)gf_dtype_size(t);
    for (int i = rank - 1; i >= 0; i--) {
        a.shape[i] = shape[i];
        a.stride[i] = stride;
        stride *= shape[i];
    }
    return a;
}

int gf_array_alloc(struct gf_array *a, enum gf_dtype t, int rank, const int64_t *shape) {
    int64_t bytes;
    int rc = gf_size_product(shape, rank, (int64_t)gf_dtype_size(t), &bytes);
    if (rc)
        return rc;
    void *p = allocate((size_t)bytes, true);
    if (!p)
        return gf_fail(GF_ENOMEM, "no memory for %lld bytes", (long long)bytes);
    *a = gf_array_wrap(p, t, rank, shape);
    a->base = p;
    return 0;
}

void gf_array_free(struct gf_array *a) {
    gf_free(a->base);
    *a = (struct gf_array){0};
}

struct gf_array gf_array_slice(const struct gf_array *a, int axis, int64_t start, int64_t count) {
    struct gf_array v = *a;
    v.base = NULL;
    v.data = (char *)a->data + start * a->stride[axis];
    v.shape[axis] = count;
    return v;
}

struct gf_array gf_array_index(const struct gf_array *a, int axis, int64_t index) {
    struct gf_array v = gf_array_slice(a, axis, index, 1);
    v.rank--;
    for (int i = axis; i < v.rank; i++) {
        v.shape[i] = v.shape[i + 1];
        v.stride[i] = v.stride[i + 1];
    }
    return v;
}

int64_t gf_array_count(const struct gf_array *a) {
    return gf_shape_count(a->shape, a->rank);
}

const char *gf_shape_mark(const int64_t *extent, int n, unsigned axes, const char *mark,
                          char text[GF_SHAPE_TEXT]) {
    int used = 0;
    *text = 0;
    for (int i = 0; i < n; i++)
        used += snprintf(text + used, (size_t)(GF_SHAPE_TEXT - used), "%s%lld%s", i ? "x" : "",
                         (long long)extent[i], axes >> i & 1 ? "" : mark);
    return text;
}

const char *gf_shape_text(const int64_t *extent, int n, char text[GF_SHAPE_TEXT]) {
    return gf_shape_mark(extent, n, ~0u, "", text);
}

char *gf_array_at(const struct gf_array *a, int64_t i) {
    char *p = a->data;
    for (int axis = a->rank - 1; axis >= 0; axis--) {
        p += i % a->shape[axis] * a->stride[axis];
        i /= a->shape[axis];
    }
    return p;
}

int64_t gf_array_bytes(const struct gf_array *a) {
    return gf_array_count(a) * (int64_t)gf_dtype_size(a->dtype);
}

/* True if the axes from `axis` on are contiguous. */
static bool are_dense(const struct gf_array *a, int axis) {
    int64_t stride = (int64_t)gf_dtype_size(a->dtype);
    for (int i = a->rank - 1; i >= axis; i--) {
        if (a->shape[i] != 1 && a->stride[i] != stride)
            return false;
        stride *= a->shape[i];
    }
    return true;
}

bool gf_array_is_contiguous(const struct gf_array *a) {
    return are_dense(a, 0);
}

bool gf_array_has_dense_rows(const struct gf_array *a) {
    return are_dense(a, a->rank - 2);
}

void gf_array_rows(const struct gf_array *const a[], int n, struct gf_array *rows) {
    const int last = a[0]->rank - 1;
    const int64_t extent = a[0]->shape[last];
    bool joins = last > 0;
    for (int i = 0; i < n; i++)
        joins = joins && (extent == 1 || a[i]->stride[last - 1] == extent * a[i]->stride[last]);
    for (int i = 0; i < n; i++) {
        rows[i] = *a[i];
        rows[i].rank -= joins;
        if (!joins || extent == 1)
            continue;
        rows[i].shape[last - 1] *= extent;
        rows[i].stride[last - 1] = a[i]->stride[last];
    }
}

int64_t gf_array_run(const struct gf_array *a, int64_t at, int64_t most) {
    const int64_t n = a->shape[a->rank - 1];
    return gf_min(n - at % n, most);
}

/* Copies the axes from `axis` on. Those from `run` on are contiguous on both sides: `bytes`. */
static void copy_axes(char *dst, const struct gf_array *d, const char *src,
                      const struct gf_array *s, int axis, int run, size_t bytes) {
    if (axis == run) {
        memcpy(dst, src, bytes);
        return;
    }
    for (int64_t i = 0; i < d->shape[axis]; i++)
        copy_axes(dst + i * d->stride[axis], d, src + i * s->stride[axis], s, axis + 1, run, bytes);
}

void gf_array_copy(struct gf_array *dst, const struct gf_array *src) {
    int run = dst->rank;
    while (run && are_dense(dst, run - 1) && are_dense(src, run - 1))
        run--;
    const int64_t samples = gf_shape_count(dst->shape + run, dst->rank - run);
    copy_axes(dst->data, dst, src->data, src, 0, run, (size_t)samples * gf_dtype_size(dst->dtype));
}

/* True if n adjacent reals are finite: NaN and Inf have an exponent of all ones. Integer
 * comparisons are fast, and correct even with -ffast-math; a constant block length lets the loop be
 * vectorised. */
#define ARE_FINITE(bits, ones) \
    static void are_finite_##bits(const char *p, int64_t n, bool *finite) { \
        enum { BLOCK = 64 }; \
        uint##bits##_t v[BLOCK], bad = 0; \
        for (; n >= BLOCK && !bad; n -= BLOCK, p += sizeof v) { \
            memcpy(v, p, sizeof v); \
            for (int i = 0; i < BLOCK; i++) \
                bad |= (v[i] & ones) == ones; \
        } \
        for (; n > 0 && !bad; n--, p += sizeof *v) { \
            memcpy(v, p, sizeof *v); \
            bad = (*v & ones) == ones; \
        } \
        *finite = !bad; \
    }
ARE_FINITE(32, 0x7f800000u)
ARE_FINITE(64, UINT64_C(0x7ff0000000000000))

/* n samples of a floating-point type. */
static bool are_finite(const char *p, enum gf_dtype t, int64_t n) {
    const int64_t reals = gf_dtype_is_complex(t) ? 2 * n : n;
    bool finite;
    if (gf_dtype_real(t) == GF_F32)
        are_finite_32(p, reals, &finite);
    else
        are_finite_64(p, reals, &finite);
    return finite;
}

int64_t gf_array_nonfinite(const struct gf_array *a, int64_t *first) {
    const int64_t n = gf_array_count(a), size = (int64_t)gf_dtype_size(a->dtype);
    const bool dense = gf_array_is_contiguous(a);
    int64_t bad = 0;
    if (gf_dtype_is_integer(a->dtype) || (dense && are_finite(a->data, a->dtype, n)))
        return 0;
    for (int64_t i = 0; i < n; i++) {
        const char *p = dense ? (const char *)a->data + i * size : gf_array_at(a, i);
        if (!are_finite(p, a->dtype, 1) && !bad++ && first)
            *first = i;
    }
    return bad;
}

int gf_array_refuse_nonfinite(const struct gf_array *a, int64_t n, int64_t first,
                              const char *more) {
    const int channel = a->rank - 1;
    char where[128] = "";
    int64_t at[GF_MAX_RANK];
    if (!n)
        return 0;
    gf_array_unravel(a, first, at);
    for (int i = 0; i < channel + (a->shape[channel] > 1); i++) {
        const size_t used = strlen(where);
        snprintf(where + used, sizeof where - used, "%s%lld", i ? ", " : "", (long long)at[i]);
    }
    return gf_fail(GF_EINVAL, "%lld sample%s NaN or Inf, the first at [%s]%s", (long long)n,
                   n == 1 ? " is" : "s are", where, more);
}
