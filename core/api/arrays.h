/* Arrays of the caller's: their strides, their bytes, and elements that share memory. arrays.c
 *
 *     rc = gf_strides_take(rank, shape, GF_F32, given, stride);
 *     if (!rc) rc = gf_strides_bounds(rank, shape, stride, GF_F32, true, &bounds);
 *     if (!rc) rc = gf_bounds_check(&bounds, data, "output"); */
#ifndef GF_CORE_API_ARRAYS_H
#define GF_CORE_API_ARRAYS_H

#include "core/api/gpufft.h"
#include "core/base/value/array.h"

/* The bytes [low, high) around element (0, …, 0), and those of a real number, whose multiples are all
 * addresses. */
struct gf_bounds {
    int64_t low, high;
    int unit;
};

/* GF_EUSAGE for no such type. */
int gf_type_check(int type);
/* GF_EUSAGE for a rank that is not 1 to `most`, GF_EINVAL for an extent below 1, GF_ENOMEM for too many
 * elements. */
int gf_shape_check(int rank, int most, const int64_t *shape);
/* Sets the strides: those given or, if all are 0, those of C order. GF_EINVAL if they split numbers or
 * exceed the address space. */
int gf_strides_take(int rank, const int64_t *shape, enum gf_dtype type, const int64_t *given,
                    int64_t *stride);
/* GF_EINVAL if the array is to be written and its elements share memory. */
int gf_strides_bounds(int rank, const int64_t *shape, const int64_t *stride, enum gf_dtype type,
                      bool written, struct gf_bounds *out);
/* GF_EUSAGE for NULL, GF_EINVAL for data that is not aligned to its numbers. */
int gf_bounds_check(const struct gf_bounds *b, const void *data, const char *which);
/* Makes a view of a caller's array of one to three axes, channels last, and its bounds; without data
 * unless `data`. The same codes. */
int gf_array_take(const struct gpufft_array *from, bool data, bool written, struct gf_array *to,
                  struct gf_bounds *bounds);
bool gf_bounds_meet(const struct gf_bounds *a, const void *x, const struct gf_bounds *b,
                    const void *y);

#endif
