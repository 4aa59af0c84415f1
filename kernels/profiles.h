/* The profiles of a filter's low passes, a row each, for the host and the kernels on CPU and GPU
 * (Gonzalez and Woods 2018, Digital Image Processing, 4.8):
 *
 *     ROW(NAME, text, JOINED, axis, value)
 *
 * text    as the user types it, with ":N" if it has an order
 * JOINED  SUM or PRODUCT: how the axes' values become one
 * axis    an axis's value, in double on the host; square: (d / R)^2
 * value   the low pass at joined value v; a sum's limit is R^2 or 1, and ratio v / limit.
 *         + - * / work on a number or a vector, and so do power(x, order) and up_to(a, b), which
 *         is 1 where a <= b and else 0. */
#ifndef PROFILES_H
#define PROFILES_H

#define PROFILES(ROW) \
    ROW(GAUSSIAN, "gaussian", PRODUCT, exp(-square / 2), v) \
    ROW(IDEAL, "ideal", SUM, square, up_to(v, limit)) \
    ROW(BUTTERWORTH, "butterworth:N", SUM, square, one / (one + power(ratio, order)))

#define PROFILE_SUM                                     0
#define PROFILE_PRODUCT                                 1
#define PROFILE_NUMBER(NAME, text, JOINED, axis, value) PROFILE_##NAME,
#define PROFILE_JOINED(NAME, text, JOINED, axis, value) | PROFILE_##JOINED << PROFILE_##NAME

enum profile {
    PROFILES(PROFILE_NUMBER) /* PROFILE_GAUSSIAN and so on */
    PROFILE_MIXED,           /* several of them in one filter */
    PROFILE_PRODUCTS = 0 PROFILES(PROFILE_JOINED)
};

#define PROFILE_IS_PRODUCT(profile) (PROFILE_PRODUCTS >> (profile)&1)

#endif
