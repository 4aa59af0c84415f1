/* The load step of a pass: the LOAD endpoints of kernels/codes.h, as in kernels/source.h. */

#define COORD_IN(j) (WHOLE_IN != 0 ? (j) : from_line.at_in + (j)*args.step_in)
#define SIZE_IN     (WHOLE_IN != 0 ? LENGTH : args.axis_size)
#define ALONG_IN(k) (UNIT_AXIS_IN != 0 ? (k) : (k)*args.axis_in)

PRIVATE pass_line from_line;

#if SAMPLES_IN
#include "samples_in.glsl"

/* A pair of neighbours, from an even offset. */
cplx two_at(int at) {
#if IN_T == TYPE_float
    return cplx(sample_of(GET(src, at)), sample_of(GET(src, at + 1)));
#elif IN_T == TYPE_ushort || IN_T == TYPE_short
    const uint two = GET(src, at >> 1);
    return cplx(sample_of(two & 0xffffu), sample_of(two >> 16));
#else
    const uint two = GET(src, at >> 2) >> 8 * (at & 2);
    return cplx(sample_of(two & 0xffu), sample_of(two >> 8 & 0xffu));
#endif
}
#endif

/* Point j of the line; element `at` of the source if points have equal strides. */
cplx load_point(int j, int at) {
    const int k = COORD_IN(j);
#if LOAD == LOAD_COMPLEX
    return GET(src, at);
#elif LOAD == LOAD_PAIR && NEAR_IN
    return two_at(at);
#elif LOAD == LOAD_PAIR
    return cplx(sample_at(at), from_line.lone ? 0.0 : sample_at(at + args.pair_in));
#elif LOAD == LOAD_REAL
    return cplx(sample_at(at), 0);
#elif LOAD == LOAD_UNTANGLE
    /* Z = E + i O, spectra of reals: E = (Z(k) + conj Z(-k)) / 2, O likewise. */
    const int m = ALONG_IN(k >> 1);
    const cplx a = GET(src, from_line.in_at + m), b = GET(src, from_line.in_mirror + m);
    return (k & 1) != 0 ? 0.5 * cplx(a.y + b.y, b.x - a.x) : 0.5 * cplx(a.x + b.x, a.y - b.y);
#elif LOAD == LOAD_HERMITIAN
    const int n = SIZE_IN;
    if (k == 0 || 2 * k == n) {
        const cplx a = GET(src, from_line.in_at + ALONG_IN(k));
        const cplx b = GET(src, from_line.in_mirror + ALONG_IN(k));
        return 0.5 * cplx(a.x + b.x, a.y - b.y);
    }
    return 2 * k < n ? GET(src, from_line.in_at + ALONG_IN(k))
                     : conj_of(GET(src, from_line.in_mirror + ALONG_IN(n - k)));
#elif LOAD == LOAD_TWO_HALVES
    const int n = SIZE_IN;
    const bool folded = 2 * k > n;
    const int m = from_line.in_at + ALONG_IN(folded ? n - k : k);
    cplx f = GET(src, m), g = from_line.lone ? cplx(0, 0) : GET(src, m + args.pair_in);
    if (k == 0 || 2 * k == n)
        f.y = g.y = 0.0;
    return folded ? cplx(f.x + g.y, g.x - f.y) : cplx(f.x - g.y, f.y + g.x);
#else /* LOAD_ROW_HALVES */
    /* The way back has points 2 (E + i O): X(k) = E(k) + w^k O(k), X(m - k) = conj(E(k) - w^k
     * O(k)), m = LENGTH. */
    const bool folded = 2 * k > LENGTH;
    const int m = folded ? LENGTH - k : k;
    cplx f = GET(src, from_line.in_at + ALONG_IN(m));
    cplx g = GET(src, from_line.in_at + ALONG_IN(LENGTH - m));
    if (m == 0)
        f.y = g.y = 0.0;
    const cplx e = cplx(f.x + g.x, f.y - g.y);
    const cplx o = turn(cplx(f.x - g.x, f.y + g.y), GET(table, args.table_split + m), -1);
    return folded ? cplx(e.x + o.y, o.x - e.y) : cplx(e.x - o.y, e.y + o.x);
#endif
}

#define RADIX RADIX0
#include "butterflies.glsl"
#undef RADIX

#define LOAD_POINT(b, q) \
    x[b * RADIX0 + q] = load_point(int(p) + q * (POINTS / RADIX0), at); \
    at += step;
#define LOAD_BUTTERFLY(b) \
    { \
        const uint p = first + uint(b * PER_LINE); \
        if (INSIDE(p, RADIX0)) { \
            int at = from_line.in_at + int(p) * stride; \
            EACH_POINT(LOAD_POINT, b) \
        } \
    }

void load_line(uint first) {
    const int stride = UNIT_IN != 0 ? 1 : args.in_point, step = POINTS / RADIX0 * stride;
    EACH(LOAD_BUTTERFLY)
}
