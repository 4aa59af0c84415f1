/* One pass of a Fourier transform: LINES lines of LENGTH points are read into a tile, transformed
 * and written, by a work group of THREADS items.
 *
 * A Stockham autosort FFT of POINTS points with radices RADIX0, RADIX1, …: each work item holds the
 * operands of its butterflies in registers, and the tile (local memory) only carries them from one
 * stage's owners to the next's. POINTS is LENGTH; or, for lengths with large prime factors, that of
 * a convolution: Bluestein's (1970) chirp, POINTS >= 2 LENGTH - 1, or Rader's (1968), LENGTH - 1.
 *
 * Given by -D:
 *   LENGTH POINTS LINES THREADS STAGES RADIX0..5  sizes
 *   RESIDENT       groups that share a compute unit
 *   DIR            1 forward, -1 inverse
 *   ALGORITHM      0 plain, 1 Bluestein, 2 Rader
 *   ROWS_IN        neighbouring work items take neighbouring points (1) or lines (0) on the way in,
 *   ROWS_OUT       and on the way out
 *   UNIT_IN UNIT_OUT   points are neighbours in memory
 *   PAD_EVERY IDX_STRIDE LINE_STRIDE   layout of the tile, in words
 *   WHOLE          the tile holds complex words: one exchange instead of two, twice the space
 *   LOAD STORE     one of the ends below; IN_T, OUT_T the samples' types
 *   WHOLE_IN WHOLE_OUT   the points are the axis' own, from its first to its last
 *   UNIT_AXIS_IN UNIT_AXIS_OUT   coordinates are neighbours in memory
 *   SPLIT          four-step twiddles (Gentleman and Sande 1966) on the way out
 *   MULTIPLY_IN MULTIPLY_OUT   tables multiplied in by coordinate, zero past their end
 *   NEAR_IN NEAR_OUT   a pair's samples are neighbours, and read or written as one IN_T2, OUT_T2
 *   KIND SCALE DISPLAY SHIFTED OUT_LOW OUT_HIGH MIRROR   of a sample that is written
 *   INDICES        of the line's five that are in use
 *   HELD           points a work item holds
 *   SCALED         the norm's factor is multiplied in on the way out
 */
#include "ends.h"
#include "radix.h"
#include "sample.h"

#if WHOLE
typedef cplx word;
#else
typedef real word;
#endif

#define PER_LINE (THREADS / LINES) /* work items that share a line */
#define HOLDS(r) ((POINTS / (r) + PER_LINE - 1) / PER_LINE) /* butterflies of a work item */
#define EVEN(r) (POINTS / (r) % PER_LINE == 0)
#define INSIDE(p, r) (EVEN(r) || (p) < (uint)(POINTS / (r))) /* is there a butterfly p? */
/* Where point i of line l stands in the tile; and the distance of two points that are `step` apart,
 * for steps where that is the same everywhere, so that one address serves all of an item's. */
#define SLOT(i, l) (((i) + (i) / PAD_EVERY) * IDX_STRIDE + (l) * LINE_STRIDE)
#define APART(step) (((step) + (step) / PAD_EVERY) * IDX_STRIDE)
#define DIVIDES(a, b) ((b) % (a) == 0 || (a) % (b) == 0)
#define UNPADDED (PAD_EVERY > POINTS)
#define EVEN_PUTS(r, done)                                                                         \
    (UNPADDED || (DIVIDES(done, PAD_EVERY) && DIVIDES((done) * (r), PAD_EVERY)))
#define EVEN_GETS(step) (UNPADDED || (step) % PAD_EVERY == 0)

#if STAGES == 1
#define LAST RADIX0
#elif STAGES == 2
#define LAST RADIX1
#elif STAGES == 3
#define LAST RADIX2
#elif STAGES == 4
#define LAST RADIX3
#elif STAGES == 5
#define LAST RADIX4
#else
#define LAST RADIX5
#endif

/* Entries of a stage's twiddle table a butterfly: w^1 to w^(r-1) are made of w^1, w^2, w^3 and
 * w^4, w^8, w^12, each rounded once, so that the tables stay in the first-level cache. */
#define BASE(r) ((r) > 5 ? 4 : (r))
#define ROOTS(r) ((r) > 5 ? 3 + ((r)-1) / 4 : (r)-1)

/* The stage of radix r after stages whose radices multiply to `done`: twiddles, then butterflies. */
INLINE void butterflies(cplx *x, GLOBAL const cplx *table, uint p0, const int r, const int done,
                        const int dir) {
    UNROLL for (int b = 0; b < HOLDS(r); b++) {
        const uint p = p0 + b * PER_LINE;
        if (INSIDE(p, r)) {
            if (done > 1) {
                const uint m = p % done;
                cplx low[5];
                UNROLL for (int q = 1; q < BASE(r); q++) {
                    low[q] = table[(q - 1) * done + m];
                    x[b * r + q] = turn(x[b * r + q], low[q], dir);
                }
                UNROLL for (int a = 1; a * BASE(r) < r; a++) {
                    const cplx high = table[(BASE(r) - 2 + a) * done + m];
                    const int q = a * BASE(r);
                    x[b * r + q] = turn(x[b * r + q], high, dir);
                    UNROLL for (int c = 1; c < BASE(r); c++) {
                        if (q + c < r)
                            x[b * r + q + c] = turn(x[b * r + q + c], mul(high, low[c]), dir);
                    }
                }
            }
            dft(x + b * r, r, dir);
        }
    }
}

INLINE void put(LOCAL word *tile, uint slot, cplx v, const int part) {
#if WHOLE
    (void)part;
    tile[slot] = v;
#else
    tile[slot] = part ? v.y : v.x;
#endif
}
INLINE cplx got(LOCAL const word *tile, uint slot, cplx v, const int part) {
#if WHOLE
    (void)part;
    (void)v;
    return tile[slot];
#else
    return part ? CPLX(v.x, tile[slot]) : CPLX(tile[slot], v.y);
#endif
}

/* Results of the stage of radix r to the tile, operands of the stage of radix `next` from it. */
INLINE void exchange(cplx *x, LOCAL word *tile, uint p0, uint l0, uint p1, uint l1, const int r,
                     const int done, const int next) {
    const int step = POINTS / next;
    UNROLL for (int part = 0; part < (WHOLE ? 1 : 2); part++) {
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(r); b++) {
            const uint p = p0 + b * PER_LINE;
            if (INSIDE(p, r)) {
                const uint to = p / done * (done * r) + p % done, slot = SLOT(to, l0);
                UNROLL for (int q = 0; q < r; q++) put(
                    tile, EVEN_PUTS(r, done) ? slot + APART(q * done) : SLOT(to + q * done, l0),
                    x[b * r + q], part);
            }
        }
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(next); b++) {
            const uint p = p1 + b * PER_LINE, slot = SLOT(p, l1);
            if (INSIDE(p, next)) {
                UNROLL for (int q = 0; q < next; q++) x[b * next + q] =
                    got(tile, EVEN_GETS(step) ? slot + APART(q * step) : SLOT(p + q * step, l1),
                        x[b * next + q], part);
            }
        }
    }
}

/* All stages. Work item (p0, l0) has the first one's operands, (p1, l1) the later ones'. */
INLINE void transform(cplx *x, LOCAL word *tile, GLOBAL const cplx *table, uint p0, uint l0,
                      uint p1, uint l1, const int dir) {
    butterflies(x, table, p0, RADIX0, 1, dir);
#if STAGES > 1
#define DONE1 RADIX0
    exchange(x, tile, p0, l0, p1, l1, RADIX0, 1, RADIX1);
    butterflies(x, table, p1, RADIX1, DONE1, dir);
#endif
#if STAGES > 2
#define DONE2 (DONE1 * RADIX1)
    table += ROOTS(RADIX1) * DONE1;
    exchange(x, tile, p1, l1, p1, l1, RADIX1, DONE1, RADIX2);
    butterflies(x, table, p1, RADIX2, DONE2, dir);
#endif
#if STAGES > 3
#define DONE3 (DONE2 * RADIX2)
    table += ROOTS(RADIX2) * DONE2;
    exchange(x, tile, p1, l1, p1, l1, RADIX2, DONE2, RADIX3);
    butterflies(x, table, p1, RADIX3, DONE3, dir);
#endif
#if STAGES > 4
#define DONE4 (DONE3 * RADIX3)
    table += ROOTS(RADIX3) * DONE3;
    exchange(x, tile, p1, l1, p1, l1, RADIX3, DONE3, RADIX4);
    butterflies(x, table, p1, RADIX4, DONE4, dir);
#endif
#if STAGES > 5
#define DONE5 (DONE4 * RADIX4)
    table += ROOTS(RADIX4) * DONE4;
    exchange(x, tile, p1, l1, p1, l1, RADIX4, DONE4, RADIX5);
    butterflies(x, table, p1, RADIX5, DONE5, dir);
#endif
}

/* ---- ends ---- */

#if LOAD == LOAD_PAIR || LOAD == LOAD_REAL
typedef IN_T source;
#else
typedef cplx source;
#endif
#if STORE == STORE_PAIR || STORE == STORE_SAMPLE
typedef OUT_T sink;
#else
typedef cplx sink;
#endif

#define SYMMETRIC (KIND != KIND_PHASE && KIND != KIND_IMAG) /* the same of v and conj v */
#define PAIRED (STORE == STORE_TANGLE || STORE == STORE_TWO_HALVES)

#if SPLIT
/* exp(-2 pi i k / n) of a split axis, k < n, out of two tables of about sqrt(n) entries. */
INLINE cplx split_twiddle(const struct pass_args *a, GLOBAL const cplx *table, wide k) {
    cplx high = table[a->table_split + (k >> a->split_bits)];
    if (a->split_bits == 0)
        return high;
    return mul(high, table[a->table_split_low + (k & (((wide)1 << a->split_bits) - 1))]);
}
#endif

#if UNIT_IN
#define POINT_IN(j) (wide)(j)
#else
#define POINT_IN(j) ((wide)(j)*a->in_point)
#endif
#if UNIT_OUT
#define POINT_OUT(j) (wide)(j)
#else
#define POINT_OUT(j) ((wide)(j)*a->out_point)
#endif

/* Coordinates along the axis: small numbers where the points are the whole axis. */
#if WHOLE_IN
typedef int place_in;
#define PLACE_IN(j) (int)(j)
#define SIZE_IN LENGTH
#else
typedef wide place_in;
#define PLACE_IN(j) (l->at_in + (j)*a->step_in)
#define SIZE_IN (a->axis_size)
#endif
#if WHOLE_OUT
typedef int place_out;
#define PLACE_OUT(j) (int)(j)
#define SIZE_OUT LENGTH
#else
typedef wide place_out;
#define PLACE_OUT(j) (l->at_out + (j)*a->step_out)
#define SIZE_OUT (a->axis_size)
#endif
#if UNIT_AXIS_IN
#define ALONG_IN(k) (k)
#else
#define ALONG_IN(k) ((k)*a->axis_in)
#endif
#if UNIT_AXIS_OUT
#define ALONG_OUT(k) (k)
#else
#define ALONG_OUT(k) ((k)*a->axis_out)
#endif
#define CENTRE (SHIFTED ? SIZE_OUT / 2 : 0)
#define NEGATED(k, n) ((k) ? (n) - (k) : 0)

/* Rows whose points are not wanted in the order in which they stand go through the tile first, so
 * that memory is read from end to end: halves to be untangled, each used for two points, and Rader's
 * permuted points. */
#define UNTANGLES (LOAD == LOAD_UNTANGLE && WHOLE_IN && !MULTIPLY_IN)
#define STAGED_IN (ROWS_IN && (UNTANGLES || ALGORITHM == 2))
#define STAGED_OUT (ROWS_OUT && ALGORITHM == 2 && !PAIRED)

#if !STAGED_IN || !UNTANGLES || ALGORITHM == 2
/* Point j of a line, element `at` of the source where points are at equal strides. */
INLINE cplx load_point(const struct pass_args *a, GLOBAL const source *src,
                       GLOBAL const cplx *table, const struct line *l, uint j, wide at) {
    cplx v = CPLX(R(0), R(0));
    const place_in k = PLACE_IN(j);
    if (!l->there)
        return v;
#if MULTIPLY_IN
    if (k >= a->limit)
        return v;
#endif
#if LOAD == LOAD_COMPLEX
    v = src[at];
#elif LOAD == LOAD_PAIR && NEAR_IN
    const IN_T2 two = ((GLOBAL const IN_T2 *)src)[at >> 1];
    v = CPLX((real)two.x, (real)two.y);
#elif LOAD == LOAD_PAIR
    v = CPLX((real)src[at], l->lone ? R(0) : (real)src[at + a->pair_in]);
#elif LOAD == LOAD_REAL
    v = CPLX((real)src[at], R(0));
#elif LOAD == LOAD_UNTANGLE
    /* Z = E + i O, both spectra of reals: E = (Z(k) + conj Z(-k)) / 2, O likewise. */
    const wide m = ALONG_IN(k >> 1);
    cplx z = src[l->in + m], y = src[l->in_mirror + m];
    v = (k & 1) ? CPLX(R(0.5) * (z.y + y.y), R(0.5) * (y.x - z.x))
                : CPLX(R(0.5) * (z.x + y.x), R(0.5) * (z.y - y.y));
#elif LOAD == LOAD_HERMITIAN
    if (k == 0 || 2 * k == SIZE_IN) {
        cplx z = src[l->in + ALONG_IN(k)], y = src[l->in_mirror + ALONG_IN(k)];
        v = CPLX(R(0.5) * (z.x + y.x), R(0.5) * (z.y - y.y));
    } else if (2 * k < SIZE_IN) {
        v = src[l->in + ALONG_IN(k)];
    } else {
        v = conj_of(src[l->in_mirror + ALONG_IN(SIZE_IN - k)]);
    }
#elif LOAD == LOAD_TWO_HALVES
    int folded = 2 * k > SIZE_IN;
    const wide m = ALONG_IN(folded ? SIZE_IN - k : k);
    cplx f = src[l->in + m], g = CPLX(R(0), R(0));
    if (!l->lone)
        g = src[l->in + a->pair_in + m];
    if (k == 0 || 2 * k == SIZE_IN)
        f.y = g.y = R(0);
    v = folded ? CPLX(f.x + g.y, g.x - f.y) : CPLX(f.x - g.y, f.y + g.x);
#endif
#if MULTIPLY_IN
    v = mul(v, table[a->table_in + k]);
#endif
    (void)a;
    (void)k;
    (void)at;
    (void)table;
    return v;
}
#endif

#if STORE == STORE_PAIR || (STORE == STORE_SAMPLE && !DISPLAY)
/* Rounds half away from zero and saturates where the type is one of integers. */
INLINE sink as_number(real v, int *clipped) {
#if OUT_INTEGER
    v = round(v);
    if (!(v >= R(OUT_LOW))) {
        (*clipped)++;
        return (sink)(OUT_LOW);
    }
    if (v > R(OUT_HIGH)) {
        (*clipped)++;
        return (sink)(OUT_HIGH);
    }
#endif
    (void)clipped;
    return (sink)v;
}
#endif

#if STORE == STORE_SAMPLE
INLINE sink as_sample(cplx v, const struct shade *shade, int *clipped) {
    const real number = value_of(v, KIND);
#if DISPLAY
    (void)clipped;
    return (sink)(displayed(number, KIND, SCALE, shade) * R(OUT_HIGH) + R(0.5));
#else
    (void)shade;
    return as_number(number, clipped);
#endif
}
#endif

#if !PAIRED
/* Point j, the transform's j-th result. */
INLINE void store_point(const struct pass_args *a, GLOBAL sink *dst, GLOBAL const cplx *table,
                        GLOBAL const real *params, const struct shade *shade,
                        const struct line *l, uint j, wide at, cplx v, int *clipped) {
    const place_out k = PLACE_OUT(j);
    if (!l->there)
        return;
#if MULTIPLY_OUT
    if (k >= a->limit)
        return;
    v = mul(v, table[a->table_out + k]);
#endif
#if SPLIT
    v = turn(v, split_twiddle(a, table, l->turn * j), DIR);
#endif
#if SCALED
    v = scaled_by(v, params[a->params + PARAM_SCALE]);
#endif
#if STORE == STORE_COMPLEX
    dst[at] = v;
#elif STORE == STORE_PAIR && NEAR_OUT
    OUT_T2 two;
    two.x = as_number(v.x, clipped);
    two.y = as_number(v.y, clipped);
    ((GLOBAL OUT_T2 *)dst)[at >> 1] = two;
#elif STORE == STORE_PAIR
    dst[at] = as_number(v.x, clipped);
    if (!l->lone)
        dst[at + a->pair_out] = as_number(v.y, clipped);
#elif STORE == STORE_HALVES
    if (l->self && (k == 0 || 2 * k == SIZE_OUT))
        v.y = R(0);
    if (2 * k <= SIZE_OUT)
        dst[l->out + ALONG_OUT(k)] = v;
    if (!l->own && (2 * k >= SIZE_OUT || k == 0))
        dst[l->out_mirror + ALONG_OUT(NEGATED(k, SIZE_OUT))] = conj_of(v);
#elif STORE == STORE_SAMPLE
#if MIRROR
    if (l->self && (k == 0 || 2 * k == SIZE_OUT))
        v.y = R(0);
#endif
    const place_out to = k + CENTRE;
    sink sample = as_sample(v, shade, clipped);
    dst[l->out + ALONG_OUT(to >= SIZE_OUT ? to - SIZE_OUT : to)] = sample;
#if MIRROR
    if (!l->own) {
        const place_out m = NEGATED(k, SIZE_OUT) + CENTRE;
        if (!SYMMETRIC)
            sample = as_sample(conj_of(v), shade, clipped);
        dst[l->out_mirror + ALONG_OUT(m >= SIZE_OUT ? m - SIZE_OUT : m)] = sample;
    }
#endif
#endif
    (void)a;
    (void)k;
    (void)at;
    (void)table;
    (void)params;
    (void)shade;
    (void)clipped;
}
#endif

/* Results that are written two by two: through the tile in natural order. */
#if PAIRED
#if STORE == STORE_TANGLE
#define PARTNERS ((LENGTH + 1) / 2)
#else
#define PARTNERS (LENGTH / 2 + 1)
#endif
#define PAIRS_HELD ((PARTNERS + PER_LINE - 1) / PER_LINE)

INLINE uint first_of(uint i) {
    return STORE == STORE_TANGLE ? 2 * i : i;
}
INLINE uint second_of(uint i) {
    return STORE == STORE_TANGLE ? 2 * i + 1 : (i ? LENGTH - i : 0);
}

INLINE void store_pairs(const struct pass_args *a, GLOBAL cplx *dst, GLOBAL const real *params,
                        const struct line *l, cplx *x, cplx dc, GLOBAL const int *order,
                        LOCAL word *tile, uint p0, uint l0, const int done) {
    cplx first[PAIRS_HELD], second[PAIRS_HELD];
    UNROLL for (int part = 0; part < (WHOLE ? 1 : 2); part++) {
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
            const uint p = p0 + b * PER_LINE;
            if (INSIDE(p, LAST)) {
                UNROLL for (int q = 0; q < LAST; q++) {
                    uint k = p + q * done;
                    if (ALGORITHM == 2)
                        k = (uint)order[POINTS + k];
                    if (POINTS <= LENGTH || k < LENGTH)
                        put(tile, SLOT(k, l0), x[b * LAST + q], part);
                }
            }
        }
        if (ALGORITHM == 2 && p0 == 0)
            put(tile, SLOT(0, l0), dc, part);
        BARRIER();
        UNROLL for (int i = 0; i < PAIRS_HELD; i++) {
            const uint at = p0 + i * PER_LINE;
            if (at < PARTNERS) {
                const uint other = second_of(at);
                first[i] = got(tile, SLOT(first_of(at), l0), first[i], part);
                second[i] =
                    other < LENGTH ? got(tile, SLOT(other, l0), second[i], part) : CPLX(R(0), R(0));
            }
        }
    }
    if (!l->there)
        return;
    UNROLL for (int i = 0; i < PAIRS_HELD; i++) {
        const uint at = p0 + i * PER_LINE;
        if (at >= PARTNERS)
            continue;
        cplx f = first[i], g = second[i];
#if SCALED
        f = scaled_by(f, params[a->params + PARAM_SCALE]);
        g = scaled_by(g, params[a->params + PARAM_SCALE]);
#endif
#if STORE == STORE_TANGLE
        dst[l->out + at * a->out_point] = CPLX(f.x - g.y, f.y + g.x);
        if (!l->own)
            dst[l->out_mirror + at * a->out_point] = CPLX(f.x + g.y, g.x - f.y);
#else
        cplx one = CPLX(R(0.5) * (f.x + g.x), R(0.5) * (f.y - g.y));
        cplx two = CPLX(R(0.5) * (f.y + g.y), R(0.5) * (g.x - f.x));
        dst[l->out + at * a->out_point] = one;
        if (!l->lone)
            dst[l->out + a->pair_out + at * a->out_point] = two;
#endif
    }
    (void)params;
    (void)order;
    (void)dc;
}
#endif

#if STAGED_IN
#define FETCHED (((LENGTH + 1) / 2 + PER_LINE - 1) / PER_LINE) /* pairs of points of a work item */

/* Point n's place among the transform's inputs; the zeroth of Rader's has none. */
INLINE uint place_of(GLOBAL const int *order, uint n) {
    return ALGORITHM == 2 ? (uint)order[2 * POINTS + n - 1] : n;
}

INLINE void load_staged(const struct pass_args *a, GLOBAL const source *src,
                        GLOBAL const cplx *table, GLOBAL const int *order, const struct line *l,
                        cplx *x, LOCAL word *tile, uint p0, uint l0) {
    cplx v[2 * FETCHED];
    const int step = POINTS / RADIX0;
    UNROLL for (int i = 0; i < FETCHED; i++) {
#if UNTANGLES
        const uint m = p0 + i * PER_LINE;
        cplx z = CPLX(R(0), R(0)), y = z;
        if (l->there && 2 * m < LENGTH) {
            z = src[l->in + ALONG_IN(m)];
            y = src[l->in_mirror + ALONG_IN(m)];
        }
        v[2 * i] = CPLX(R(0.5) * (z.x + y.x), R(0.5) * (z.y - y.y));
        v[2 * i + 1] = CPLX(R(0.5) * (z.y + y.y), R(0.5) * (y.x - z.x));
#else
        UNROLL for (int c = 0; c < 2; c++) {
            const uint n = p0 + (2 * i + c) * PER_LINE;
            if (n < LENGTH)
                v[2 * i + c] = load_point(a, src, table, l, n, l->in + POINT_IN(n));
        }
#endif
    }
    UNROLL for (int part = 0; part < (WHOLE ? 1 : 2); part++) {
        BARRIER();
        UNROLL for (int i = 0; i < 2 * FETCHED; i++) {
            const uint n = UNTANGLES ? 2 * (p0 + i / 2 * PER_LINE) + i % 2 : p0 + i * PER_LINE;
            const uint first = ALGORITHM == 2; /* Rader's zeroth point is not among them */
            if (n >= first && n < LENGTH) {
                cplx w = v[i];
                if (ALGORITHM == 1)
                    w = turn(w, table[a->table_chirp + n], DIR);
                put(tile, SLOT(place_of(order, n), l0), w, part);
            }
        }
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(RADIX0); b++) {
            const uint p = p0 + b * PER_LINE;
            if (INSIDE(p, RADIX0)) {
                UNROLL for (int q = 0; q < RADIX0; q++) {
                    const uint j = p + q * step;
                    if (ALGORITHM != 1 || j < LENGTH)
                        x[b * RADIX0 + q] = got(tile, SLOT(j, l0), x[b * RADIX0 + q], part);
                    else
                        x[b * RADIX0 + q] = CPLX(R(0), R(0));
                }
            }
        }
    }
    (void)order;
    (void)table;
}
#endif

KERNEL(THREADS, RESIDENT)
VOID fft_pass(GLOBAL const source *src, GLOBAL sink *dst, GLOBAL const cplx *table,
              GLOBAL const real *params, GLOBAL const int *order, GLOBAL uint *counters,
              const struct pass_args args TILE_PARAMETER(word)) {
    TILE_DECLARE(word)
    const struct pass_args *a = &args;
    const uint id = (uint)LOCAL_ID;
    const uint l0 = ROWS_IN ? id / PER_LINE : id % LINES, p0 = ROWS_IN ? id % PER_LINE : id / LINES;
    const uint l1 = ROWS_OUT ? id / PER_LINE : id % LINES;
    const uint p1 = ROWS_OUT ? id % PER_LINE : id / LINES;
    GLOBAL const cplx *stages = table + args.table_stage;
    order += args.order;
    cplx x[HELD];
    int clipped = 0;
    struct line in = line_at(a, (uint)GROUP_ID, l0, LINES);
#if STAGED_IN
    load_staged(a, src, table, order, &in, x, tile, p0, l0);
#else
    const wide in_step = UNIT_IN ? POINTS / RADIX0 : POINTS / RADIX0 * args.in_point;
    UNROLL for (int b = 0; b < HOLDS(RADIX0); b++) {
        const uint p = p0 + b * PER_LINE;
        wide at = in.in + POINT_IN(p);
        if (INSIDE(p, RADIX0)) {
            UNROLL for (int q = 0; q < RADIX0; q++, at += in_step) {
                const uint j = p + q * (POINTS / RADIX0);
                cplx v;
#if ALGORITHM == 1
                v = CPLX(R(0), R(0));
                if (j < LENGTH)
                    v = turn(load_point(a, src, table, &in, j, at), table[args.table_chirp + j],
                             DIR);
#elif ALGORITHM == 2
                const uint from = (uint)order[j];
                v = load_point(a, src, table, &in, from, in.in + POINT_IN(from));
#else
                v = load_point(a, src, table, &in, j, at);
#endif
                x[b * RADIX0 + q] = v;
            }
        }
    }
#endif
    cplx dc = CPLX(R(0), R(0)); /* Rader's sum of all points */
#if ALGORITHM
    /* A cyclic convolution: forward, times a spectrum, backward. */
    cplx first = dc;
    transform(x, tile, stages, p0, l0, p1, l1, 1);
#if ALGORITHM == 2
    struct line here = ROWS_IN == ROWS_OUT ? in : line_at(a, (uint)GROUP_ID, l1, LINES);
    if (p1 == 0) {
        first = load_point(a, src, table, &here, 0, here.in);
        dc = add(first, x[0]);
    }
#endif
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = p1 + b * PER_LINE;
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++) {
                const uint k = p + q * (POINTS / LAST);
                x[b * LAST + q] = mul(x[b * LAST + q], table[args.table_spectrum + k]);
            }
        }
    }
    if (p1 == 0)
        x[0] = add(x[0], first);
#if RADIX0 != LAST
    exchange(x, tile, p1, l1, p1, l1, LAST, POINTS / LAST, RADIX0);
#endif
    transform(x, tile, stages, p1, l1, p1, l1, -1);
#else
    transform(x, tile, stages, p0, l0, p1, l1, DIR);
#endif
    struct line out = ROWS_IN == ROWS_OUT ? in : line_at(a, (uint)GROUP_ID, l1, LINES);
    struct shade shade = {R(0), R(0)};
#if STORE == STORE_SAMPLE && DISPLAY
    shade = shade_of(KIND, SCALE, params[args.params + PARAM_LOW], params[args.params + PARAM_HIGH]);
#endif
#if PAIRED
#if ALGORITHM == 1
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        UNROLL for (int q = 0; q < LAST; q++) {
            const uint k = p1 + b * PER_LINE + q * (POINTS / LAST);
            if (k < LENGTH)
                x[b * LAST + q] = turn(x[b * LAST + q], table[args.table_chirp + k], DIR);
        }
    }
#endif
    store_pairs(a, dst, params, &out, x, dc, order, tile, p1, l1, POINTS / LAST);
#else
#if STAGED_OUT
    cplx v[HELD];
    UNROLL for (int part = 0; part < (WHOLE ? 1 : 2); part++) {
        BARRIER();
        UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
            const uint p = p1 + b * PER_LINE;
            if (INSIDE(p, LAST)) {
                UNROLL for (int q = 0; q < LAST; q++)
                    put(tile, SLOT(p + q * (POINTS / LAST), l1), x[b * LAST + q], part);
            }
        }
        BARRIER();
        UNROLL for (int i = 0; i < HELD; i++) {
            const uint n = p1 + i * PER_LINE;
            if (n < POINTS)
                v[i] = got(tile, SLOT((uint)order[3 * POINTS + n], l1), v[i], part);
        }
    }
    UNROLL for (int i = 0; i < HELD; i++) {
        const uint n = p1 + i * PER_LINE;
        if (n < POINTS)
            store_point(a, dst, table, params, &shade, &out, n + 1, out.out + POINT_OUT(n + 1),
                        v[i], &clipped);
    }
#else
    const wide out_step = UNIT_OUT ? POINTS / LAST : POINTS / LAST * args.out_point;
    UNROLL for (int b = 0; b < HOLDS(LAST); b++) {
        const uint p = p1 + b * PER_LINE;
        wide at = out.out + POINT_OUT(p);
        if (INSIDE(p, LAST)) {
            UNROLL for (int q = 0; q < LAST; q++, at += out_step) {
                const uint k = p + q * (POINTS / LAST);
                cplx v = x[b * LAST + q];
#if ALGORITHM == 1
                if (k < LENGTH)
                    store_point(a, dst, table, params, &shade, &out, k, at,
                                turn(v, table[args.table_chirp + k], DIR), &clipped);
#elif ALGORITHM == 2
                const uint to = (uint)order[POINTS + k];
                store_point(a, dst, table, params, &shade, &out, to, out.out + POINT_OUT(to), v,
                            &clipped);
#else
                store_point(a, dst, table, params, &shade, &out, k, at, v, &clipped);
#endif
            }
        }
    }
#endif
#if ALGORITHM == 2
    if (p1 == 0)
        store_point(a, dst, table, params, &shade, &out, 0, out.out, dc, &clipped);
#endif
#endif
    if (clipped)
        ATOMIC_ADD(&counters[GROUP_ID % COUNTERS], (uint)clipped);
    (void)dc;
    (void)shade;
    (void)order;
    (void)counters;
    (void)params;
}
