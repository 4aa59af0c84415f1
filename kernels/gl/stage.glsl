/* A stage of radix RADIX after stages whose radices multiply to DONE, as functions whose names are given
 * too: BUTTERFLIES, PUT and TAKE. All five are undefined at the end. */
#include "butterflies.glsl"

#undef TWIDDLES
#if DONE == 1
#define TWIDDLES(b)
#elif RADIX <= 5 || DONE <= MOST_DIRECT
#define TWIDDLES(b)                                                                                \
    const int m = stage + int(p % uint(DONE));                                                     \
    EACH_POINT(TURN, b)
#else
#define TWIDDLES(b)                                                                                \
    const int m = stage + int(p % uint(DONE));                                                     \
    const cplx low1 = table[m], low2 = table[m + DONE], low3 = table[m + 2 * DONE];                \
    cplx high;                                                                                     \
    EACH_POINT(TURN_BY_TWO, b)
#endif

/* Twiddles, then butterflies, from butterfly `first` on; the stage's table begins at `stage`. */
void BUTTERFLIES(uint first, int stage) {
    EACH(BUTTERFLY)
}

/* The stage's results to the tile, and its operands out of it. */
void PUT(const share s, const int part) {
    EACH(PUT_RESULTS)
}
void TAKE(const share s, const int part) {
    EACH(TAKE_OPERANDS)
}

#undef RADIX
#undef DONE
#undef BUTTERFLIES
#undef PUT
#undef TAKE
