/* The store step of a pass: the STORE endpoints of kernels/codes.h, as in kernels/sink.h,
 * sink_pairs.h and sink_rows.h. */

#include "range_key.h"

#define SYMMETRIC    (KIND != KIND_PHASE && KIND != KIND_IMAG) /* alike for v and conj v */
#define PAIRED       (STORE == STORE_TANGLE || STORE == STORE_TWO_HALVES || STORE == STORE_ROW_HALVES)
#define COORD_OUT(j) (WHOLE_OUT != 0 ? (j) : to_line.at_out + (j)*args.step_out)
#define SIZE_OUT     (WHOLE_OUT != 0 ? LENGTH : args.axis_size)
#define ALONG_OUT(k) (UNIT_AXIS_OUT != 0 ? (k) : (k)*args.axis_out)
#define POINT_OUT(j) (UNIT_OUT != 0 ? (j) : (j)*args.out_point)

PRIVATE pass_line to_line;

#if SAMPLES_OUT
bool counts(int k, const int second) {
#if COUNTED
    return (second != 0 ? to_line.second_counts : to_line.counts) && k < args.counted[second];
#else
    return true;
#endif
}

#include "samples_out.glsl"
#endif

#if STORE == STORE_SAMPLE
PRIVATE shade shades; /* of displayed samples */

uint as_sample(cplx v, out int outside) {
    const real number = value_of(v, KIND);
#if DISPLAY
    outside = 0;
    return uint(displayed(number, KIND, SCALE, shades) * real(OUT_HIGH) + 0.5);
#else
    return as_number(number, outside);
#endif
}

/* The sample at coordinate k and, with MIRROR, at its mirror image. */
void store_sample(int k, cplx v) {
    const int n = SIZE_OUT, centre = SHIFTED != 0 ? n / 2 : 0, to = k + centre;
    cplx value = v;
    int outside;
#if MIRROR
    if (to_line.self && (k == 0 || 2 * k == n))
        value.y = 0.0;
#endif
    uint bits = as_sample(value, outside);
    clipped += counts(k, 0) ? outside : 0;
    write_sample(to_line.out_at + ALONG_OUT(to >= n ? to - n : to), bits);
#if MIRROR
    if (!to_line.own) {
        const int m = negated(k, n) + centre;
        if (!SYMMETRIC)
            bits = as_sample(conj_of(value), outside);
        clipped += outside;
        write_sample(to_line.out_mirror + ALONG_OUT(m >= n ? m - n : m), bits);
    }
#endif
}
#endif

#if !PAIRED
/* Result j; element `at` if points have equal strides. */
void store_point(int j, int at, cplx result) {
    const int k = COORD_OUT(j);
    cplx v = result;
#if SPLIT && SPLIT != SPLIT_BY_LINE
    v = turn(v, split_twiddle(to_line.turn * j), DIR);
#endif
#if SCALED
    v *= GET(params, args.params + PARAM_SCALE);
#endif
#if STORE == STORE_COMPLEX
    SET(dst, at, v);
#elif STORE == STORE_PAIR
    int outside = 0, second_outside = 0;
    write_sample(at, as_number(v.x, outside));
    if (NEAR_OUT != 0)
        write_sample(at + 1, as_number(v.y, second_outside));
    else if (!to_line.lone)
        write_sample(at + args.pair_out, as_number(v.y, second_outside));
    clipped += (counts(k, 0) ? outside : 0) + (counts(k, 1) ? second_outside : 0);
#elif STORE == STORE_HALVES
    const int n = SIZE_OUT;
    if (to_line.self && (k == 0 || 2 * k == n))
        v.y = 0.0;
    if (2 * k <= n)
        SET(dst, to_line.out_at + ALONG_OUT(k), v);
    if (!to_line.own && !to_line.self && (2 * k >= n || k == 0))
        SET(dst, to_line.out_mirror + ALONG_OUT(negated(k, n)), conj_of(v));
#elif STORE == STORE_SAMPLE
    store_sample(k, v);
#endif
}
#endif

#if PAIRED
/* Results that are written in pairs pass through the tile in natural order. */
#if STORE == STORE_TANGLE
#define PARTNERS     ((LENGTH + 1) / 2)
#define FIRST_OF(i)  (2 * (i))
#define SECOND_OF(i) (2 * (i) + 1)
#else
#define PARTNERS     (LENGTH / 2 + 1)
#define FIRST_OF(i)  (i)
#define SECOND_OF(i) ((i) == 0 ? 0 : LENGTH - (i))
#endif
#define PAIRS_HELD ((PARTNERS + PER_LINE - 1) / PER_LINE)

void store_pair(int at, cplx f, cplx g) {
#if STORE == STORE_TANGLE
    SET(dst, to_line.out_at + POINT_OUT(at), cplx(f.x - g.y, f.y + g.x));
    if (!to_line.own)
        SET(dst, to_line.out_mirror + POINT_OUT(at), cplx(f.x + g.y, g.x - f.y));
#else
    /* The factor multiplies sums and differences, so that the difference of equal numbers is 0 even
     * where a compiler fuses a product with a subtraction. */
    real factor = 0.5;
#if SCALED
    factor *= GET(params, args.params + PARAM_SCALE);
#endif
    const cplx even = factor * cplx(f.x + g.x, f.y - g.y), odd = factor * cplx(f.y + g.y, g.x - f.x);
#if STORE == STORE_ROW_HALVES
    /* X(k) = E(k) + w^k O(k), E and O of even and odd samples; X(n/2 - k) = conj(E - w^k O). */
    const cplx turned = turn(odd, GET(table, args.table_split + at), DIR);
    SET(dst, to_line.out_at + POINT_OUT(at), even + turned);
    SET(dst, to_line.out_at + POINT_OUT(LENGTH - at), conj_of(even - turned));
#else
    SET(dst, to_line.out_at + POINT_OUT(at), even);
    if (!to_line.lone)
        SET(dst, to_line.out_at + args.pair_out + POINT_OUT(at), odd);
#endif
#endif
}

#define COUNT PAIRS_HELD
#include "each.glsl"

PRIVATE cplx first[PAIRS_HELD], second[PAIRS_HELD];

#define TAKE_PAIR(i) \
    { \
        const int at = int(s.first) + i * PER_LINE; \
        if (at < PARTNERS) { \
            first[i] = got(SLOT(uint(FIRST_OF(at)), s.line), first[i], part); \
            second[i] = SECOND_OF(at) < LENGTH \
                            ? got(SLOT(uint(SECOND_OF(at)), s.line), second[i], part) \
                            : cplx(0, 0); \
        } \
    }
#define WRITE_PAIR(i) \
    if (int(s.first) + i * PER_LINE < PARTNERS) \
        store_pair(int(s.first) + i * PER_LINE, first[i], second[i]);

void take_pairs(const share s, const int part) {
    EACH(TAKE_PAIR)
}

void store_line(const share s) {
    EXCHANGE(PUT_LAST, s, take_pairs, s)
    if (!to_line.there)
        return;
    EACH(WRITE_PAIR)
}
#else
/* Writes result j, v, in one of these ways; element `at`. */
#if SAMPLED
/* Keys of the value and its mirror image, if the sample has bins there. */
void store_result(const share s, int j, int at, cplx v) {
    const int k = COORD_OUT(j), n = SIZE_OUT, bin = GET(order, args.sampled.bins + k);
    const int mirror = to_line.own ? -1 : GET(order, args.sampled.bins + negated(k, n));
#if SCALED
    v *= GET(params, args.params + PARAM_SCALE);
#endif
    if (to_line.self && (k == 0 || 2 * k == n))
        v.y = 0.0;
    const uint key = range_key(v, KIND);
    if (bin >= 0)
        SET(dst, to_line.keys + bin * args.sampled.stride_along, key);
    if (mirror >= 0)
        SET(dst, to_line.keys_mirror + mirror * args.sampled.stride_along, key);
}
#elif ROW_ACCESS
/* First word of the invocation's line in the tile: a row, then its mirror image. */
#define ROW (int(s.line) * (MIRROR + 1) * ROW_WORDS)

void put_sample(int row, int at, uint bits) {
    const int each = 32 / BITS_OF_TYPE(OUT_T);
    atomicOr(tile[row + at / each], bits << at % each * BITS_OF_TYPE(OUT_T));
}

void store_result(const share s, int k, int at, cplx v) {
    const int centre = SHIFTED != 0 ? LENGTH / 2 : 0, to = k + centre, from = centre - k;
    int outside;
#if SCALED
    v *= GET(params, args.params + PARAM_SCALE);
#endif
    if (MIRROR != 0 && to_line.self && (k == 0 || 2 * k == LENGTH))
        v.y = 0.0;
    put_sample(ROW, to >= LENGTH ? to - LENGTH : to, as_sample(v, outside));
    if (MIRROR != 0)
        put_sample(ROW + ROW_WORDS, from < 0 ? from + LENGTH : from,
                   as_sample(SYMMETRIC ? v : conj_of(v), outside));
}
#else
void store_result(const share s, int k, int at, cplx v) {
    store_point(k, at, v);
}
#endif

#define RADIX LAST
#include "butterflies.glsl"
#undef RADIX

#if SPLIT == SPLIT_BY_LINE
#define SPLIT_TURNED(v, p, q) turn(v, line_twiddle(to_line.number, p, q), DIR)
#else
#define SPLIT_TURNED(v, p, q) v
#endif
#define STORE_RESULT(b, q) \
    store_result(s, int(p) + q * (POINTS / LAST), at, SPLIT_TURNED(x[b * LAST + q], p, q)); \
    at += step;
#define STORE_RESULTS(b) \
    { \
        const uint p = s.first + uint(b * PER_LINE); \
        if (INSIDE(p, LAST)) { \
            int at = to_line.out_at + int(p) * stride; \
            EACH_POINT(STORE_RESULT, b) \
        } \
    }

#if ROW_ACCESS
/* Assembles rows of samples in the tile. */
void store_line(const share s) {
    const int stride = 0, step = 0; /* rows are written whole */
    BARRIER();
    for (int i = LOCAL_ID; i < ROWS_WORDS; i += THREADS)
        tile[i] = 0u;
    BARRIER();
    EACH(STORE_RESULTS)
    BARRIER();
    if (!to_line.there)
        return;
    const int per_word = 32 / BITS_OF_TYPE(OUT_T);
    for (int i = int(s.first); i < ROW_WORDS; i += PER_LINE) {
        SET(dst, to_line.out_at / per_word + i, tile[ROW + i]);
        if (MIRROR != 0 && !to_line.own)
            SET(dst, to_line.out_mirror / per_word + i, tile[ROW + ROW_WORDS + i]);
    }
}
#else
void store_line(const share s) {
    const int stride = UNIT_OUT != 0 ? 1 : args.out_point, step = POINTS / LAST * stride;
    if (!to_line.there)
        return;
    EACH(STORE_RESULTS)
}
#endif
#endif
