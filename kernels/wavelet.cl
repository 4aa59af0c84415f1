/* One level of the wavelet transform, along all its axes at once; see wavelet.h. */
#include "wavelet.h"

#define XBANDS (ALONG_X ? 2 : 1)
#define RBANDS (ALONG_ROW ? 2 : 1)
#define WBANDS (ALONG_WALK ? 2 : 1)

#ifdef FORWARD
/* ---------------------------------------------------------------- samples to bands
 *
 * -D IN_T: the samples; OUT_T: packed coefficients; LOW_T: the approximation, which may go
 * elsewhere. */

#define TAPS      (ALONG_X ? 4 : 1)
#define ROWS_READ (ALONG_ROW ? 2 * ROWS + 2 : 1)
#define RAW       (ROWS_READ * TAPS)
#define HELD      (ROWS * RBANDS * XBANDS)

/* Where the samples of an item's four taps stand in a row. With NEAR two of them are a pair, read
 * at once: 2 k and 2 k + 1, or, where OFFSET is 2, all four are pairs at[0] and at[1], which the
 * line's end turns round (at[2], at[3]: 1) or makes zeros (-1). */
struct taps {
    int at[4];
};

INLINE struct taps taps_of(const struct wave_args *a, uint column) {
    struct taps t;
#if ALONG_X
    uint k = column, channel = 0;
    if (a->channels > 1) {
        k = column / (uint)a->channels;
        channel = column - k * (uint)a->channels;
    }
#if NEAR && BOUNDARY != BOUNDARY_PERIODIC
    const int pairs = (int)(a->n[2] / 2);
    UNROLL for (int j = 0; j < 2; j++) {
        const int pair = (int)k - 1 + j, beyond = pair < 0 || pair >= pairs;
        t.at[j] = pair < 0 ? 0 : pair >= pairs ? pairs - 1 : pair;
        t.at[2 + j] = !beyond ? 0 : BOUNDARY == BOUNDARY_ZERO ? -1 : 1;
    }
    (void)channel;
#else
    UNROLL for (int j = 0; j < 4; j++) {
        const wide i = extended(2 * (wide)k - OFFSET + j, a->n[2]);
        t.at[j] = i < 0 ? -1 : (int)(i * a->channels + channel);
    }
#if NEAR
    t.at[1] = (int)k;
#endif
#endif
#else
    t.at[0] = (int)column;
#endif
    (void)a;
    return t;
}

INLINE void fetch_row(real *v, GLOBAL const IN_T *RESTRICT row, const struct taps *t) {
#if ALONG_X && NEAR
    GLOBAL const IN_T2 *pairs = (GLOBAL const IN_T2 *)row;
#if BOUNDARY == BOUNDARY_PERIODIC
    const IN_T2 two = pairs[t->at[1]];
    v[0] = (real)row[t->at[0]];
    v[1] = (real)two.x;
    v[2] = (real)two.y;
    v[3] = (real)row[t->at[3]];
#else
    UNROLL for (int j = 0; j < 2; j++) {
        const IN_T2 two = pairs[t->at[j]];
        v[2 * j] = (real)(t->at[2 + j] ? two.y : two.x);
        v[2 * j + 1] = (real)(t->at[2 + j] ? two.x : two.y);
        if (BOUNDARY == BOUNDARY_ZERO && t->at[2 + j])
            v[2 * j] = v[2 * j + 1] = R(0);
    }
#endif
#else
    UNROLL for (int j = 0; j < TAPS; j++) {
        if (BOUNDARY == BOUNDARY_ZERO && t->at[j] < 0)
            v[j] = R(0);
        else
            v[j] = (real)row[t->at[j]];
    }
#endif
}

/* The rows of plane w that an item takes, as they are. */
INLINE void fetch_plane(real *v, const struct wave_args *a, GLOBAL const IN_T *RESTRICT src,
                        const int *row, const struct taps *t, wide w) {
    const wide plane = ALONG_WALK ? extended(w, a->n[0]) : w;
    UNROLL for (int j = 0; j < ROWS_READ; j++) {
        if (BOUNDARY == BOUNDARY_ZERO && (plane < 0 || row[j] < 0)) {
            UNROLL for (int i = 0; i < TAPS; i++)
                v[j * TAPS + i] = R(0);
        } else {
            fetch_row(v + j * TAPS, src + plane * a->fine[0] + (wide)row[j] * ROW_STRIDE(a->fine), t);
        }
    }
}

/* Filtered along x and across the rows: held[(row * RBANDS + detail of row) * XBANDS + of x]. */
INLINE void filter_plane(real *held, const real *v) {
    real x[XBANDS * ROWS_READ];
    UNROLL for (int j = 0; j < ROWS_READ; j++) {
#if ALONG_X
        x[2 * j] = low_of(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]);
        x[2 * j + 1] = high_of(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]);
#else
        x[j] = v[j];
#endif
    }
#if ALONG_ROW
    UNROLL for (int i = 0; i < ROWS; i++)
        UNROLL for (int c = 0; c < XBANDS; c++) {
            const real *p = x + 2 * i * XBANDS + c;
            held[2 * i * XBANDS + c] = low_of(p[0], p[XBANDS], p[2 * XBANDS], p[3 * XBANDS]);
            held[(2 * i + 1) * XBANDS + c] = high_of(p[0], p[XBANDS], p[2 * XBANDS], p[3 * XBANDS]);
        }
#else
    UNROLL for (int c = 0; c < XBANDS; c++)
        held[c] = x[c];
#endif
}

/* Coefficient v of plane k and row i of the item's, in the band of these details. */
INLINE void put(const struct wave_args *a, GLOBAL OUT_T *packed, GLOBAL LOW_T *low,
                const struct spot *s, wide k, int i, const int w, const int r, const int x,
                real v, real limit) {
    if (ALONG_ROW && s->row + i >= a->rows)
        return;
    if (w + r + x == 0)
        low[k * a->low[0] + (s->row + i) * a->low[1] + s->column] = (LOW_T)v;
    else
        packed[k * a->packed[0] + (s->row + i) * a->packed[1] + s->column + w * a->detail[0] +
               r * a->detail[1] + x * a->detail[2]] = (OUT_T)shrunk(v, limit);
}

KERNEL(ITEMS, RESIDENT)
VOID wave_forward(GLOBAL const IN_T *RESTRICT src, GLOBAL OUT_T *packed, GLOBAL LOW_T *low,
                  GLOBAL const real *params, const struct wave_args args) {
    const struct wave_args *a = &args;
    const struct spot s = spot_of(a);
    if (!s.there)
        return;
    const struct taps t = taps_of(a, s.column);
    const real limit = THRESHOLD ? params[PARAM_LIMIT] : R(0);
    int row[ROWS_READ];
    real raw[WBANDS * RAW], held[2 * WBANDS * HELD]; /* planes: two done with, two new ones */
#if ALONG_ROW
    UNROLL for (int j = 0; j < ROWS_READ; j++)
        row[j] = (int)extended(2 * s.row - OFFSET + j, a->n[1]);
#else
    row[0] = (int)s.row;
#endif
    wide next = s.first;
#if ALONG_WALK
    next = 2 * s.first - OFFSET;
    UNROLL for (int j = 0; j < 2; j++)
        fetch_plane(raw + j * RAW, a, src, row, &t, next + j);
    UNROLL for (int j = 0; j < 2; j++)
        filter_plane(held + j * HELD, raw + j * RAW);
    next += 2;
#endif
#if AHEAD
    UNROLL for (int j = 0; j < WBANDS; j++)
        fetch_plane(raw + j * RAW, a, src, row, &t, next + j);
#endif
    for (wide k = s.first; k < s.end; k++) {
#if !AHEAD
        UNROLL for (int j = 0; j < WBANDS; j++)
            fetch_plane(raw + j * RAW, a, src, row, &t, next + j);
#endif
        UNROLL for (int j = 0; j < WBANDS; j++)
            filter_plane(held + (WBANDS + j) * HELD, raw + j * RAW);
        next += WBANDS;
#if AHEAD
        if (k + 1 < s.end) {
            UNROLL for (int j = 0; j < WBANDS; j++)
                fetch_plane(raw + j * RAW, a, src, row, &t, next + j);
        }
#endif
        UNROLL for (int i = 0; i < HELD; i++) {
            const int at = i / (RBANDS * XBANDS), r = i / XBANDS % RBANDS, x = i % XBANDS;
            const real *p = held + i;
#if ALONG_WALK
            put(a, packed, low, &s, k, at, 0, r, x,
                low_of(p[0], p[HELD], p[2 * HELD], p[3 * HELD]), limit);
            put(a, packed, low, &s, k, at, 1, r, x,
                high_of(p[0], p[HELD], p[2 * HELD], p[3 * HELD]), limit);
#else
            put(a, packed, low, &s, k, at, 0, r, x, p[HELD], limit);
#endif
        }
        UNROLL for (int i = 0; i < WBANDS * HELD; i++)
            held[i] = held[WBANDS * HELD + i];
    }
    (void)params;
}

#else
/* ---------------------------------------------------------------- bands to samples
 *
 * -D IN_T: packed coefficients; LOW_T: the approximation, which may come from elsewhere; OUT_T: the
 * samples. An item has samples 2 q and 2 q + 1 of a row, which take band samples q and q + 1, and
 * q - 1 too where periodic. */

#define TAKEN     (ALONG_X ? 4 - OFFSET : 1) /* band samples of a row */
#define ROWS_READ (ALONG_ROW ? ROWS + 1 : 1)
#define RAW       (WBANDS * ROWS_READ * RBANDS * XBANDS * TAKEN)
#define WIDTH     (ALONG_X ? 2 : 1)                     /* samples of a row */
#define MADE      ((ALONG_ROW ? 2 * ROWS : 1) * WIDTH) /* and of a plane */
#define HELD      (WBANDS * MADE)

struct taken {
    int at[3];
};

INLINE struct taken taken_of(const struct wave_args *a, uint column) {
    struct taken t;
#if ALONG_X
    uint q = column, channel = 0;
    if (a->channels > 1) {
        q = column / (uint)a->channels;
        channel = column - q * (uint)a->channels;
    }
    UNROLL for (int j = 0; j < TAKEN; j++) {
        wide k = (wide)q + j - (OFFSET == 1 ? 1 : 0);
        k = k < 0 ? k + a->m[2] : k >= a->m[2] ? k - a->m[2] : k;
        t.at[j] = (int)(k * a->channels + channel);
    }
#else
    t.at[0] = (int)column;
#endif
    (void)a;
    return t;
}

/* Where band sample k of an axis of m is: before the first comes the last, where periodic; those
 * past the end, of a tile that reaches beyond it, are not used. */
INLINE wide band_sample(wide k, wide m) {
    return k < 0 ? k + m : k < m ? k : m - 1;
}

/* Of the bands' planes k: what an item takes. */
INLINE void fetch_bands(real *v, const struct wave_args *a, GLOBAL const IN_T *RESTRICT packed,
                        GLOBAL const LOW_T *RESTRICT low, const int *row, const struct taken *t,
                        wide k, real limit) {
    UNROLL for (int i = 0; i < RAW / TAKEN; i++) {
        const int x = i % XBANDS, r = i / XBANDS % RBANDS, j = i / (XBANDS * RBANDS) % ROWS_READ;
        const int w = i / (XBANDS * RBANDS * ROWS_READ);
        UNROLL for (int c = 0; c < TAKEN; c++) {
            if (w + r + x == 0)
                v[i * TAKEN + c] = (real)low[k * a->low[0] + (wide)row[j] * ROW_STRIDE(a->low) + t->at[c]];
            else
                v[i * TAKEN + c] =
                    shrunk((real)packed[k * a->packed[0] + (wide)row[j] * ROW_STRIDE(a->packed) + w * a->detail[0] +
                                        r * a->detail[1] + x * a->detail[2] + t->at[c]],
                           limit);
        }
    }
}

/* Along x and across the rows: held[w * MADE + sample]. */
INLINE void merge_bands(real *held, const real *v) {
    UNROLL for (int w = 0; w < WBANDS; w++) {
        real x[ROWS_READ * RBANDS * WIDTH];
        UNROLL for (int i = 0; i < ROWS_READ * RBANDS; i++) {
            const real *p = v + (w * ROWS_READ * RBANDS + i) * XBANDS * TAKEN;
#if !ALONG_X
            x[i] = p[0];
#elif OFFSET == 1
            x[2 * i] = second_of(p[0], p[1], p[3], p[4]);
            x[2 * i + 1] = first_of(p[1], p[2], p[4], p[5]);
#else
            x[2 * i] = first_of(p[0], p[1], p[2], p[3]);
            x[2 * i + 1] = second_of(p[0], p[1], p[2], p[3]);
#endif
        }
#if ALONG_ROW
        UNROLL for (int i = 0; i < ROWS; i++)
            UNROLL for (int c = 0; c < WIDTH; c++) {
                const real *p = x + 2 * i * WIDTH + c; /* approximation, detail, the next two */
                real *to = held + w * MADE + 2 * i * WIDTH + c;
                to[0] = first_of(p[0], p[2 * WIDTH], p[WIDTH], p[3 * WIDTH]);
                to[WIDTH] = second_of(p[0], p[2 * WIDTH], p[WIDTH], p[3 * WIDTH]);
            }
#else
        UNROLL for (int c = 0; c < WIDTH; c++)
            held[w * MADE + c] = x[c];
#endif
    }
}

/* As a sample; counts those that an integer type cannot hold. */
INLINE OUT_T sample_of(real v, int *clipped) {
#if OUT_INTEGER
    const real number = round(v);
    *clipped += !(number >= R(OUT_LOW) && number <= R(OUT_HIGH));
    /* The largest 32-bit integers are not floats: one past them stands for them. */
    return !(number > R(OUT_LOW))    ? (OUT_T)(OUT_LOW)
           : number >= R(OUT_HIGH) ? (OUT_T)(OUT_HIGH)
                                   : (OUT_T)number;
#else
    (void)clipped;
    return (OUT_T)v;
#endif
}

#if ALONG_WALK
/* The first sample of pair p along an axis of n, or the second: the pair that goes around the end
 * of a periodic line has its first there. n and more: no sample. */
INLINE wide fine_sample(wide p, int second, wide n) {
    const wide i = 2 * p + OFFSET - 2 + second;
    return i < 0 ? n + (n & 1) - 1 : i;
}
#endif

/* The item's samples of plane w. */
INLINE void put_plane(const struct wave_args *a, GLOBAL OUT_T *dst, const struct spot *s, wide w,
                      const real *v, int *clipped) {
    const uint channels = (uint)a->channels, n = (uint)a->n[2];
    const uint q = channels > 1 ? s->column / channels : s->column;
    const uint channel = s->column - q * channels;
    UNROLL for (int i = 0; i < MADE / WIDTH; i++) {
        wide row = s->row;
#if ALONG_ROW
        row = fine_sample(s->row + i / 2, i % 2, a->n[1]);
        if (row >= a->n[1] || s->row + i / 2 >= a->rows)
            continue;
#endif
        GLOBAL OUT_T *to = dst + w * a->fine[0] + row * a->fine[1];
#if !ALONG_X
        to[s->column] = sample_of(v[i], clipped);
#elif NEAR
        OUT_T2 two;
        two.x = sample_of(v[2 * i], clipped);
        two.y = sample_of(v[2 * i + 1], clipped);
        ((GLOBAL OUT_T2 *)to)[q] = two;
#else
        to[2 * q * channels + channel] = sample_of(v[2 * i], clipped);
        if (2 * q + 1 < n)
            to[(2 * q + 1) * channels + channel] = sample_of(v[2 * i + 1], clipped);
#endif
    }
    (void)n;
    (void)q;
    (void)channel;
}

KERNEL(ITEMS, RESIDENT)
VOID wave_inverse(GLOBAL const IN_T *RESTRICT packed, GLOBAL OUT_T *dst,
                  GLOBAL const LOW_T *RESTRICT low, GLOBAL const real *params,
                  GLOBAL uint *counters, const struct wave_args args) {
    const struct wave_args *a = &args;
    const struct spot s = spot_of(a);
    if (!s.there)
        return;
    const struct taken t = taken_of(a, s.column);
    const real limit = THRESHOLD ? params[PARAM_LIMIT] : R(0);
    int row[ROWS_READ], clipped = 0;
    real raw[RAW], held[2 * HELD];
    /* Pair p along the walk takes planes p + OFFSET - 2 and the next. */
    const wide ahead = ALONG_WALK ? OFFSET - 1 : 0;
    UNROLL for (int j = 0; j < ROWS_READ; j++)
        row[j] = (int)(ALONG_ROW ? band_sample(s.row + j + OFFSET - 2, a->m[1]) : s.row);
#if ALONG_WALK
    fetch_bands(raw, a, packed, low, row, &t, band_sample(s.first + OFFSET - 2, a->m[0]), limit);
    merge_bands(held, raw);
#endif
#if AHEAD
    fetch_bands(raw, a, packed, low, row, &t, s.first + ahead, limit);
#endif
    for (wide k = s.first; k < s.end; k++) {
#if !AHEAD
        fetch_bands(raw, a, packed, low, row, &t, k + ahead, limit);
#endif
        merge_bands(held + HELD, raw);
#if AHEAD
        if (k + 1 < s.end)
            fetch_bands(raw, a, packed, low, row, &t, k + 1 + ahead, limit);
#endif
#if ALONG_WALK
        UNROLL for (int j = 0; j < 2; j++) {
            const wide w = fine_sample(k, j, a->n[0]);
            real v[MADE];
            UNROLL for (int i = 0; i < MADE; i++) {
                const real *p = held + i, *c = p + HELD;
                v[i] = j ? second_of(p[0], c[0], p[MADE], c[MADE])
                         : first_of(p[0], c[0], p[MADE], c[MADE]);
            }
            if (w < a->n[0])
                put_plane(a, dst, &s, w, v, &clipped);
        }
#else
        put_plane(a, dst, &s, k, held + HELD, &clipped);
#endif
        UNROLL for (int i = 0; i < HELD; i++)
            held[i] = held[HELD + i];
    }
#if OUT_INTEGER
    if (clipped)
        ATOMIC_ADD(&counters[a->counters + GROUP_ID % COUNTERS], (uint)clipped);
#endif
    (void)counters;
    (void)params;
}
#endif
