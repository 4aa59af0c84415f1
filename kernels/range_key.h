/* The keys of values whose quantiles are looked for: a positive number's bits sort as the number
 * does, and the upper 22 of them are enough. */
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

/* A real from 0 up in words that are not 0, so that each tells by itself whether it is there: of a
 * double the last bit is lost. */
#ifdef DOUBLE
#define REAL_WORDS 2
INLINE real real_of_words(const uint *p) {
    return OF_WIDE_BITS((wide)(p[1] - 1) << 32 | (wide)p[0]);
}
INLINE void words_of_real(uint *p, real v) {
    p[0] = (uint)WIDE_BITS_OF(v) | 1u;
    p[1] = (uint)(WIDE_BITS_OF(v) >> 32) + 1;
}
#else
#define REAL_WORDS 1
INLINE real real_of_words(const uint *p) {
    return OF_BITS(p[0] - 1);
}
INLINE void words_of_real(uint *p, real v) {
    p[0] = BITS_OF(v) + 1;
}
#endif

/* The key of the value's size. */
INLINE uint range_key(cplx v, const int kind) {
    return range_key_of(fabs(value_of(v, kind)));
}

#endif
