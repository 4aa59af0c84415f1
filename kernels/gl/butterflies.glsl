/* The butterflies of radix RADIX that an invocation holds: EACH(M) is M(b) for each, EACH_POINT(M,
 * b) M(b, q) for each point of one; DFT(o) transforms the points from x[o] on. */
#define COUNT HOLDS(RADIX)
#include "each.glsl"

#undef EACH_POINT
#undef DFT
#if RADIX == 2
#define EACH_POINT(M, b) POINTS_2(M, b)
#define DFT(o)           dft2(x[o], x[o + 1]);
#elif RADIX == 3
#define EACH_POINT(M, b) POINTS_3(M, b)
#define DFT(o)           dft3(x[o], x[o + 1], x[o + 2]);
#elif RADIX == 4
#define EACH_POINT(M, b) POINTS_4(M, b)
#define DFT(o)           dft4(FOUR(o));
#elif RADIX == 5
#define EACH_POINT(M, b) POINTS_5(M, b)
#define DFT(o)           dft5(FIVE(o));
#elif RADIX == 6
#define EACH_POINT(M, b) POINTS_6(M, b)
#define DFT(o)           dft6(FOUR(o), x[o + 4], x[o + 5]);
#elif RADIX == 7
#define EACH_POINT(M, b) POINTS_7(M, b)
#define DFT(o)           dft7(FOUR(o), x[o + 4], x[o + 5], x[o + 6]);
#elif RADIX == 8
#define EACH_POINT(M, b) POINTS_8(M, b)
#define DFT(o)           dft8(FOUR(o), FOUR(o + 4));
#elif RADIX == 9
#define EACH_POINT(M, b) POINTS_9(M, b)
#define DFT(o)           dft9(FOUR(o), FOUR(o + 4), x[o + 8]);
#elif RADIX == 10
#define EACH_POINT(M, b) POINTS_10(M, b)
#define DFT(o)           dft10(FIVE(o), FIVE(o + 5));
#elif RADIX == 12
#define EACH_POINT(M, b) POINTS_12(M, b)
#define DFT(o)           dft12(FOUR(o), FOUR(o + 4), FOUR(o + 8));
#elif RADIX == 15
#define EACH_POINT(M, b) POINTS_15(M, b)
#define DFT(o)           dft15(FIVE(o), FIVE(o + 5), FIVE(o + 10));
#elif RADIX == 16
#define EACH_POINT(M, b) POINTS_16(M, b)
#define DFT(o)           dft16(FOUR(o), FOUR(o + 4), FOUR(o + 8), FOUR(o + 12));
#elif RADIX == 20
#define EACH_POINT(M, b) POINTS_20(M, b)
#define DFT(o)           dft20(FIVE(o), FIVE(o + 5), FIVE(o + 10), FIVE(o + 15));
#elif RADIX == 25
#define EACH_POINT(M, b) POINTS_25(M, b)
#define DFT(o)           dft25(FIVE(o), FIVE(o + 5), FIVE(o + 10), FIVE(o + 15), FIVE(o + 20));
#else
#error no such radix
#endif
