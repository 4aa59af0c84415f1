/* A level of the wavelet transform along all its axes at once: wavelet.h. */
#include "wavelet.h"

#define XBANDS (ALONG_X ? 2 : 1)
#define RBANDS (ALONG_ROW ? 2 : 1)
#define WBANDS (ALONG_WALK ? 2 : 1)

#ifdef FORWARD
/* ---------------------------------------------------------------- samples to bands
 *
 * -D IN_T: samples; OUT_T: packed coefficients; LOW_T: the approximation, in a buffer of its own or
 * not. */

#define TAPS      (ALONG_X ? 4 : 1)
#define ROWS_READ (ALONG_ROW ? 2 * ROWS + 2 : 1)
#define RAW       (ROWS_READ * TAPS)
#define HELD      (ROWS * RBANDS * XBANDS)

/* Byte offsets of an item's four taps in a row. With NEAR, samples 2 k and 2 k + 1 are a pair, read
 * at once at at[1]; if OFFSET is 2, all four are pairs, at at[0] and at[1], which the line's end
 * reverses or makes zeros. */
struct taps {
    span at[4];
    int turned; /* bit j: pair j is reversed; or, with zeros beyond the ends, sample j is zero */
};

INLINE struct taps taps_of(const struct wave_args *a, uint column) {
    struct taps t;
    t.turned = 0;
#if ALONG_X
    const uint k = NEAR || a->channels == 1 ? column : column / (uint)a->channels;
#if NEAR && BOUNDARY != BOUNDARY_PERIODIC
    const int pairs = (int)(a->n[2] / 2);
    UNROLL for (int j = 0; j < 2; j++) {
        const int pair = (int)k - 1 + j;
        t.at[j] = (span)(2 * (pair < 0 ? 0 : pair >= pairs ? pairs - 1 : pair));
        t.turned |= (pair < 0 || pair >= pairs) << j;
    }
#else
    const uint channel = NEAR ? 0 : column - k * (uint)a->channels; /* pairs are of one channel */
    UNROLL for (int j = 0; j < 4; j++) {
        const coord i = extended(2 * (coord)k - OFFSET + j, (coord)a->n[2]);
        t.at[j] = i < 0 ? 0 : (span)i * (span)a->channels + channel;
        t.turned |= (i < 0) << j;
    }
#if NEAR
    t.at[1] = 2 * k;
#endif
#endif
#else
    t.at[0] = column;
#endif
    UNROLL for (int j = 0; j < TAPS; j++)
        t.at[j] *= (span)sizeof(IN_T);
    (void)a;
    return t;
}

#if !(ALONG_X && NEAR && BOUNDARY != BOUNDARY_PERIODIC)
INLINE real sample_at(GLOBAL const uchar *plane, span bytes) {
    return (real)*(GLOBAL const IN_T *)(plane + bytes);
}
#endif

INLINE void fetch_row(real *v, GLOBAL const uchar *plane, span row,
                      const struct taps *t) {
#if ALONG_X && NEAR
#if BOUNDARY == BOUNDARY_PERIODIC
    const IN_T2 two = *(GLOBAL const IN_T2 *)(plane + (row + t->at[1]));
    v[0] = sample_at(plane, row + t->at[0]);
    v[1] = (real)two.x;
    v[2] = (real)two.y;
    v[3] = sample_at(plane, row + t->at[3]);
#else
    UNROLL for (int j = 0; j < 2; j++) {
        const IN_T2 two = *(GLOBAL const IN_T2 *)(plane + (row + t->at[j]));
        const int turned = t->turned >> j & 1;
        v[2 * j] = (real)(turned ? two.y : two.x);
        v[2 * j + 1] = (real)(turned ? two.x : two.y);
        if (BOUNDARY == BOUNDARY_ZERO && turned)
            v[2 * j] = v[2 * j + 1] = R(0);
    }
#endif
#else
    UNROLL for (int j = 0; j < TAPS; j++)
        v[j] = BOUNDARY == BOUNDARY_ZERO && (t->turned >> j & 1) ? R(0)
                                                                 : sample_at(plane, row + t->at[j]);
#endif
}

/* Byte offsets of an item's rows in a plane. */
struct rows {
    span at[ROWS_READ];
    int absent; /* bit j: row j is zeros */
};

INLINE struct rows rows_of(const struct wave_args *a, coord row) {
    struct rows r;
    r.absent = 0;
#if ALONG_ROW
    UNROLL for (int j = 0; j < ROWS_READ; j++) {
        const coord i = extended(2 * row - OFFSET + j, (coord)a->n[1]);
        r.at[j] = i < 0 ? 0 : (span)i * (span)a->fine[1] * (span)sizeof(IN_T);
        r.absent |= (i < 0) << j;
    }
#else
    r.at[0] = 0;
#endif
    (void)a;
    (void)row;
    return r;
}

/* Fetches the item's rows of plane w. */
INLINE void fetch_plane(real *v, const struct wave_args *a, GLOBAL const IN_T *src,
                        const struct rows *r, const struct taps *t, coord w) {
    const coord at = ALONG_WALK ? extended(w, (coord)a->n[0]) : w;
    GLOBAL const uchar *plane = (GLOBAL const uchar *)(src + (wide)at * a->fine[0]);
    UNROLL for (int j = 0; j < ROWS_READ; j++) {
        if (BOUNDARY == BOUNDARY_ZERO && (at < 0 || (r->absent >> j & 1))) {
            UNROLL for (int i = 0; i < TAPS; i++)
                v[j * TAPS + i] = R(0);
        } else {
            fetch_row(v + j * TAPS, plane, r->at[j], t);
        }
    }
}

/* Filters along x and across rows: held[(row * RBANDS + detail of row) * XBANDS + of x]. */
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

KERNEL(ITEMS, RESIDENT)
VOID wave_forward(GLOBAL const IN_T *RESTRICT src, GLOBAL OUT_T *packed, GLOBAL LOW_T *low,
                  GLOBAL const real *params, const struct wave_args args) {
    AWAIT_PREVIOUS();
    const struct wave_args *a = &args;
    const struct spot s = spot_of(a);
    if (!s.there)
        return;
    const struct taps t = taps_of(a, s.column);
    const struct rows rows = rows_of(a, s.row);
    const real limit = THRESHOLD ? params[PARAM_LIMIT] : R(0);
    real raw[WBANDS * RAW], held[2 * WBANDS * HELD]; /* planes: two done with, two new */
    coord next = s.first;
#if !ALONG_ROW
    src += (wide)s.row * a->fine[1];
#endif
    packed += (wide)s.first * a->packed[0] + (wide)s.row * a->packed[1] + s.column;
    low += (wide)s.first * a->low[0] + (wide)s.row * a->low[1] + s.column;
#if ALONG_WALK
    next = 2 * s.first - OFFSET;
    UNROLL for (int j = 0; j < 2; j++)
        fetch_plane(raw + j * RAW, a, src, &rows, &t, next + j);
    UNROLL for (int j = 0; j < 2; j++)
        filter_plane(held + j * HELD, raw + j * RAW);
    next += 2;
#endif
#if AHEAD
    UNROLL for (int j = 0; j < WBANDS; j++)
        fetch_plane(raw + j * RAW, a, src, &rows, &t, next + j);
#endif
    for (coord k = s.first; k < s.end; k++) {
#if !AHEAD
        UNROLL for (int j = 0; j < WBANDS; j++)
            fetch_plane(raw + j * RAW, a, src, &rows, &t, next + j);
#endif
        UNROLL for (int j = 0; j < WBANDS; j++)
            filter_plane(held + (WBANDS + j) * HELD, raw + j * RAW);
        next += WBANDS;
#if AHEAD
        if (k + 1 < s.end) {
            UNROLL for (int j = 0; j < WBANDS; j++)
                fetch_plane(raw + j * RAW, a, src, &rows, &t, next + j);
        }
#endif
        UNROLL for (int i = 0; i < ROWS; i++) {
            if (ALONG_ROW && i && s.row + i >= a->rows)
                continue;
            UNROLL for (int b = 0; b < RBANDS * XBANDS; b++) {
                const real *p = held + i * RBANDS * XBANDS + b;
                const span at = (span)i * (span)a->packed[1] +
                                (span)(b / XBANDS) * (span)a->detail[1] +
                                (span)(b % XBANDS) * (span)a->detail[2];
#if ALONG_WALK
                const real first = low_of(p[0], p[HELD], p[2 * HELD], p[3 * HELD]);
                (packed + a->detail[0])[at] =
                    (OUT_T)shrunk(high_of(p[0], p[HELD], p[2 * HELD], p[3 * HELD]), limit);
#else
                const real first = p[HELD];
#endif
                if (b)
                    packed[at] = (OUT_T)shrunk(first, limit);
                else
                    low[(span)i * (span)a->low[1]] = (LOW_T)first;
            }
        }
        packed += a->packed[0];
        low += a->low[0];
        UNROLL for (int i = 0; i < WBANDS * HELD; i++)
            held[i] = held[WBANDS * HELD + i];
    }
    (void)params;
    (void)limit;
}

#else
/* ---------------------------------------------------------------- bands to samples
 *
 * -D IN_T: packed coefficients; LOW_T: the approximation, in a buffer of its own or not; OUT_T:
 * samples. An item has samples 2 q and 2 q + 1 of a row, from band samples q and q + 1, and q - 1
 * if periodic. */

#define TAKEN     (ALONG_X ? 4 - OFFSET : 1) /* band samples of a row */
#define ROWS_READ (ALONG_ROW ? ROWS + 1 : 1)
#define RAW       (WBANDS * ROWS_READ * RBANDS * XBANDS * TAKEN)
#define WIDTH     (ALONG_X ? 2 : 1)                     /* samples of a row */
#define MADE      ((ALONG_ROW ? 2 * ROWS : 1) * WIDTH) /* and of a plane */
#define HELD      (WBANDS * MADE)

/* Byte offsets of band samples in a row, and of rows in a plane, packed and of the
 * approximation. */
struct taken {
    span at[TAKEN], low_at[TAKEN];
    span packed[ROWS_READ], low[ROWS_READ];
};

/* Wraps band sample k of an axis of m: if periodic, the last precedes the first. Those past the
 * end, which a tile may reach, are not used. */
INLINE coord band_sample(coord k, coord m) {
    return k < 0 ? k + m : k < m ? k : m - 1;
}

INLINE struct taken taken_of(const struct wave_args *a, const struct spot *s) {
    struct taken t;
#if ALONG_X
    uint q = s->column, channel = 0;
    if (a->channels > 1) {
        q = s->column / (uint)a->channels;
        channel = s->column - q * (uint)a->channels;
    }
    UNROLL for (int j = 0; j < TAKEN; j++) {
        coord k = (coord)q + j - (OFFSET == 1 ? 1 : 0);
        k = k >= (coord)a->m[2] ? 0 : band_sample(k, (coord)a->m[2]);
        t.at[j] = (span)k * (span)a->channels + channel;
    }
#else
    t.at[0] = s->column;
#endif
    UNROLL for (int j = 0; j < TAKEN; j++) {
        t.low_at[j] = t.at[j] * (span)sizeof(LOW_T);
        t.at[j] *= (span)sizeof(IN_T);
    }
    UNROLL for (int j = 0; j < ROWS_READ; j++) {
        const span row =
            ALONG_ROW ? (span)band_sample(s->row + j + OFFSET - 2, (coord)a->m[1]) : 0;
        t.packed[j] = row * (span)a->packed[1] * (span)sizeof(IN_T);
        t.low[j] = row * (span)a->low[1] * (span)sizeof(LOW_T);
    }
    return t;
}

/* Fetches an item's samples from the bands' planes k. A base for each band and shared offsets need
 * fewer registers than separate addresses. */
INLINE void fetch_bands(real *v, const struct wave_args *a, GLOBAL const IN_T *packed,
                        GLOBAL const LOW_T *low, const struct taken *t, coord k,
                        real limit) {
    GLOBAL const uchar *low_plane =
        (GLOBAL const uchar *)(low + (wide)k * a->low[0]);
    UNROLL for (int b = 0; b < WBANDS * RBANDS * XBANDS; b++) {
        const int x = b % XBANDS, r = b / XBANDS % RBANDS, w = b / (XBANDS * RBANDS);
        const wide band = (wide)k * a->packed[0] + (w ? a->detail[0] : 0) +
                          (r ? a->detail[1] : 0) + (x ? a->detail[2] : 0);
        GLOBAL const uchar *plane = (GLOBAL const uchar *)(packed + band);
        UNROLL for (int j = 0; j < ROWS_READ; j++) {
            real *to = v + (((w * ROWS_READ + j) * RBANDS + r) * XBANDS + x) * TAKEN;
            UNROLL for (int c = 0; c < TAKEN; c++) {
                if (b == 0)
                    to[c] = (real)*(GLOBAL const LOW_T *)(low_plane + (t->low[j] + t->low_at[c]));
                else
                    to[c] = shrunk(
                        (real)*(GLOBAL const IN_T *)(plane + (t->packed[j] + t->at[c])), limit);
            }
        }
    }
}

/* Merges along x and across rows: held[w * MADE + sample]. */
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
                const real *p = x + 2 * i * WIDTH + c; /* approximation, detail, and the next two */
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

/* Converts a sample, and counts it if an integer type cannot hold it. */
INLINE OUT_T sample_of(real v, int *clipped) {
#if OUT_INTEGER
    const real number = round(v);
    *clipped += !(number >= R(OUT_LOW) && number <= R(OUT_HIGH));
    /* INT32_MAX is not representable as a float; 2^31 is used */
    return !(number > R(OUT_LOW))    ? (OUT_T)(OUT_LOW)
           : number >= R(OUT_HIGH) ? (OUT_T)(OUT_HIGH)
                                   : (OUT_T)number;
#else
    (void)clipped;
    return (OUT_T)v;
#endif
}

#if ALONG_WALK
/* Index of pair p's first or second sample on an axis of n; n or more: none. The pair around a
 * periodic line's end has its first there. */
INLINE coord fine_sample(coord p, int second, coord n) {
    const coord i = 2 * p + OFFSET - 2 + second;
    return i < 0 ? n + (n & 1) - 1 : i;
}
#endif

INLINE void put_plane(const struct wave_args *a, GLOBAL OUT_T *plane, const struct spot *s,
                      const real *v, int *clipped) {
    const uint channels = (uint)a->channels, n = (uint)a->n[2];
    const uint q = channels > 1 ? s->column / channels : s->column;
    const uint channel = s->column - q * channels;
    UNROLL for (int i = 0; i < MADE / WIDTH; i++) {
        span row = 0;
#if ALONG_ROW
        const coord y = fine_sample(s->row + i / 2, i % 2, (coord)a->n[1]);
        if (y >= a->n[1] || s->row + i / 2 >= a->rows)
            continue;
        row = (span)y * (span)a->fine[1];
#endif
#if !ALONG_X
        plane[row + s->column] = sample_of(v[i], clipped);
#elif NEAR
        OUT_T2 two;
        two.x = sample_of(v[2 * i], clipped);
        two.y = sample_of(v[2 * i + 1], clipped);
        *(GLOBAL OUT_T2 *)(plane + (row + 2 * (span)q)) = two;
#else
        plane[row + 2 * (span)q * channels + channel] = sample_of(v[2 * i], clipped);
        if (2 * q + 1 < n)
            plane[row + (2 * (span)q + 1) * channels + channel] = sample_of(v[2 * i + 1], clipped);
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
    AWAIT_PREVIOUS();
    const struct wave_args *a = &args;
    const struct spot s = spot_of(a);
    if (!s.there)
        return;
    const struct taken t = taken_of(a, &s);
    const real limit = THRESHOLD ? params[PARAM_LIMIT] : R(0);
    real raw[RAW], held[2 * HELD];
    int clipped = 0;
    /* Pair p along the walk takes planes p + OFFSET - 2 and the next. */
    const coord ahead = ALONG_WALK ? OFFSET - 1 : 0;
#if !ALONG_ROW
    packed += (wide)s.row * a->packed[1];
    low += (wide)s.row * a->low[1];
    dst += (wide)s.row * a->fine[1];
#endif
#if ALONG_WALK
    fetch_bands(raw, a, packed, low, &t, band_sample(s.first + OFFSET - 2, (coord)a->m[0]), limit);
    merge_bands(held, raw);
#endif
#if AHEAD
    fetch_bands(raw, a, packed, low, &t, s.first + ahead, limit);
#endif
    for (coord k = s.first; k < s.end; k++) {
#if !AHEAD
        fetch_bands(raw, a, packed, low, &t, k + ahead, limit);
#endif
        merge_bands(held + HELD, raw);
#if AHEAD
        if (k + 1 < s.end)
            fetch_bands(raw, a, packed, low, &t, k + 1 + ahead, limit);
#endif
#if ALONG_WALK
        UNROLL for (int j = 0; j < 2; j++) {
            const coord w = fine_sample(k, j, (coord)a->n[0]);
            real v[MADE];
            UNROLL for (int i = 0; i < MADE; i++) {
                const real *p = held + i, *c = p + HELD;
                v[i] = j ? second_of(p[0], c[0], p[MADE], c[MADE])
                         : first_of(p[0], c[0], p[MADE], c[MADE]);
            }
            if (w < a->n[0])
                put_plane(a, dst + (wide)w * a->fine[0], &s, v, &clipped);
        }
#else
        put_plane(a, dst + (wide)k * a->fine[0], &s, held + HELD, &clipped);
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
