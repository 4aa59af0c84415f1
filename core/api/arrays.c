/* Checks the arrays that callers describe. */
#include "core/api/arrays.h"

#include <stdlib.h>

#include "core/api/library.h"

int gf_type_check(int type) {
    return type < 0 || type >= GF_N_DTYPES ? gf_fail(GF_EUSAGE, "no such type: %d", type) : 0;
}

int gf_shape_check(int rank, int most, const int64_t *shape) {
    int64_t bytes;
    if (rank < 1 || rank > most)
        return gf_fail(GF_EUSAGE, "a rank of %d, where 1 to %d are possible", rank, most);
    /* twice c128, as half a spectrum of few samples is longer than they are */
    return gf_size_product(shape, rank, 32, &bytes);
}

static int64_t unit_of(enum gf_dtype type) {
    return (int64_t)gf_dtype_size(gf_dtype_real(type));
}

int gf_strides_take(int rank, const int64_t *shape, enum gf_dtype type, const int64_t *given,
                    int64_t *stride) {
    const int64_t most = INT64_C(1) << 58;
    int64_t next = (int64_t)gf_dtype_size(type);
    bool any = false;
    for (int i = 0; i < rank; i++)
        any = any || given[i];
    for (int i = rank - 1; i >= 0; i--) {
        stride[i] = any ? given[i] : next;
        next *= shape[i];
        if (stride[i] % unit_of(type))
            return gf_fail(GF_EINVAL, "a stride of %lld bytes is no multiple of %lld",
                           (long long)stride[i], (long long)unit_of(type));
        if (stride[i] > most / shape[i] || stride[i] < -most / shape[i])
            return gf_fail(GF_EINVAL, "a stride of %lld bytes over %lld elements",
                           (long long)stride[i], (long long)shape[i]);
    }
    return 0;
}

int gf_strides_bounds(int rank, const int64_t *shape, const int64_t *stride, enum gf_dtype type,
                      bool written, struct gf_bounds *out) {
    const int64_t size = (int64_t)gf_dtype_size(type);
    *out = (struct gf_bounds){.high = size, .unit = (int)unit_of(type)};
    for (int i = 0; i < rank; i++) {
        int64_t inner = size; /* bytes that the faster axes span */
        for (int k = 0; k < rank; k++)
            if (llabs(stride[k]) < llabs(stride[i]) || (stride[k] == stride[i] && k > i))
                inner += (shape[k] - 1) * llabs(stride[k]);
        if (written && shape[i] > 1 && llabs(stride[i]) < inner)
            return gf_fail(GF_EINVAL, "elements of the output share memory");
        *(stride[i] > 0 ? &out->high : &out->low) += (shape[i] - 1) * stride[i];
    }
    return 0;
}

int gf_bounds_check(const struct gf_bounds *b, const void *data, const char *which) {
    if (!data)
        return gf_fail(GF_EUSAGE, "no %s array", which);
    return (intptr_t)data % b->unit
               ? gf_fail(GF_EINVAL, "the %s array is not aligned to its numbers", which)
               : 0;
}

int gf_array_take(const struct gpufft_array *from, bool data, bool written, struct gf_array *to,
                  struct gf_bounds *bounds) {
    struct gpufft_array a;
    int rc = gf_struct_take(&a, sizeof a, from, written ? "output array" : "array");
    if (!rc)
        rc = gf_type_check(a.type);
    if (!rc && (a.channels < 0 || a.channels > 2))
        rc = gf_fail(GF_EUSAGE, "channels is 0, 1 or 2");
    if (!rc)
        rc = gf_shape_check(a.rank, GF_MAX_RANK, a.shape);
    if (!rc)
        rc = gf_shape_check(a.rank - !!a.channels, GF_MAX_DIMS, a.shape);
    if (rc)
        return rc;
    if (a.channels == 2 && a.shape[a.rank - 1] < 2)
        return gf_fail(GF_EINVAL, "nothing but an alpha channel");
    const enum gf_dtype type = (enum gf_dtype)a.type;
    *to = gf_array_wrap(data ? a.data : NULL, type, a.rank, a.shape);
    rc = gf_strides_take(a.rank, a.shape, type, a.stride, to->stride);
    if (!rc)
        rc = gf_strides_bounds(a.rank, a.shape, to->stride, type, written, bounds);
    if (!rc && data)
        rc = gf_bounds_check(bounds, a.data, written ? "output" : "input");
    if (!a.channels) {
        to->shape[to->rank] = 1;
        to->stride[to->rank++] = (int64_t)gf_dtype_size(type);
    }
    return rc;
}

bool gf_bounds_meet(const struct gf_bounds *a, const void *x, const struct gf_bounds *b,
                    const void *y) {
    const intptr_t p = (intptr_t)x, q = (intptr_t)y;
    return p + a->low < q + b->high && q + b->low < p + a->high;
}

size_t gpufft_array_bytes(const struct gpufft_array *array) {
    struct gpufft_array a;
    if (gf_struct_take(&a, sizeof a, array, "array") || gf_type_check(a.type) ||
        gf_shape_check(a.rank, GPUFFT_MAX_RANK, a.shape))
        return 0;
    return (size_t)gf_shape_count(a.shape, a.rank) * gf_dtype_size((enum gf_dtype)a.type);
}
