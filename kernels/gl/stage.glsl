/* A stage of radix RADIX after DONE points, as functions BUTTERFLIES, PUT and TAKE. All five names
 * are given, and undefined at the end. */
#include "butterflies.glsl"

#undef TWIDDLES
#if DONE == 1
#define TWIDDLES(b)
#elif RADIX <= 5 || DONE <= MOST_DIRECT
#define TWIDDLES(b) \
    const int m = stage + int(p % uint(DONE)); \
    EACH_POINT(TURN, b)
#else
#define TWIDDLES(b) \
    const int m = stage + int(p % uint(DONE)); \
    const cplx low1 = GET(table, m), low2 = GET(table, m + DONE); \
    const cplx low3 = GET(table, m + 2 * DONE); \
    cplx high; \
    EACH_POINT(TURN_BY_TWO, b)
#endif

/* Twiddles and butterflies from `first` on; `stage`: the stage's table. */
void BUTTERFLIES(uint first, int stage) {
    EACH(BUTTERFLY)
}

/* Results to the tile; operands from it. */
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
