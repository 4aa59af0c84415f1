/* Keys of values for quantiles: positive numbers sort like their bits, of which the upper 22
 * suffice. */
#ifndef RANGE_KEY_H
#define RANGE_KEY_H

#include "sample.h"

#ifdef DOUBLE
#define KEY_SHIFT (63 - 2 * SAMPLE_DIGIT)
INLINE uint range_key_of(real v) {
    return (uint)(WIDE_BITS_OF(v) >> KEY_SHIFT);
}
INLINE real range_value(uint key) {
    return OF_WIDE_BITS((wide)key << KEY_SHIFT);
}
#else
#define KEY_SHIFT (31 - 2 * SAMPLE_DIGIT)
INLINE uint range_key_of(real v) {
    return BITS_OF(v) >> KEY_SHIFT;
}
INLINE real range_value(uint key) {
    return OF_BITS(key << KEY_SHIFT);
}
#endif

INLINE uint range_key(cplx v, const int kind) {
    return range_key_of(fabs(value_of(v, kind)));
}

#endif
