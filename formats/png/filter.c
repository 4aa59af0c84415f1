/* PNG's row filters. Encoding depends only on the original samples, so sixteen bytes are done at a
 * time. Undoing them, a byte depends on the pixel to its left, so a row is done pixel by pixel,
 * each as a vector. Several rows are done at once, each a pixel behind the one above it: the pixels
 * of such a diagonal are independent. */
#include "formats/png/png.h"

#include <math.h>
#include <string.h>

typedef unsigned char bytes16 __attribute__((vector_size(16)));

static inline bytes16 load16(const unsigned char *p) {
    bytes16 v;
    memcpy(&v, p, 16);
    return v;
}

/* out = a - b */
static void subtract(const unsigned char *a, const unsigned char *b, size_t n, unsigned char *out) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        bytes16 v = load16(a + i) - load16(b + i);
        memcpy(out + i, &v, 16);
    }
    for (; i < n; i++)
        out[i] = (unsigned char)(a[i] - b[i]);
}

void gf_png_filter_row(int filter, const unsigned char *row, const unsigned char *above, size_t n,
                       size_t step, unsigned char *out) {
    *out++ = (unsigned char)filter;
    switch (filter) {
    case GF_PNG_ROW_SUB:
        memcpy(out, row, step);
        subtract(row + step, row, n - step, out + step);
        break;
    case GF_PNG_ROW_UP:
        if (above)
            subtract(row, above, n, out);
        else
            memcpy(out, row, n);
        break;
    case GF_PNG_ROW_AVERAGE:
    case GF_PNG_ROW_PAETH:
        for (size_t i = 0; i < n; i++) {
            int left = i < step ? 0 : row[i - step];
            int up = above ? above[i] : 0;
            int corner = above && i >= step ? above[i - step] : 0;
            int guess =
                filter == GF_PNG_ROW_PAETH ? gf_png_paeth(left, up, corner) : (left + up) / 2;
            out[i] = (unsigned char)(row[i] - guess);
        }
        break;
    default:
        memcpy(out, row, n);
    }
}

int gf_png_choose_filter(unsigned candidates, const unsigned char *row, const unsigned char *above,
                         size_t n, size_t step, unsigned char *scratch) {
    int best = GF_PNG_ROW_NONE;
    double best_cost = INFINITY;
    for (int filter = 0; filter <= GF_PNG_ROW_PAETH; filter++) {
        if (!(candidates >> filter & 1))
            continue;
        uint32_t count[256] = {0};
        gf_png_filter_row(filter, row, above, n, step, scratch);
        for (size_t i = 1; i <= n; i++)
            count[scratch[i]]++;
        double cost = 0;
        for (int v = 0; v < 256; v++)
            if (count[v])
                cost -= count[v] * log2(count[v] / (double)n);
        if (cost < best_cost) {
            best = filter;
            best_cost = cost;
        }
    }
    return best;
}

/* ---- decoding ---- */

typedef unsigned char bytes8 __attribute__((vector_size(8)));
typedef int16_t words8 __attribute__((vector_size(16)));

/* `n` bytes, the rest 0. `n` is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) bytes8 load(const unsigned char *p, size_t n) {
    bytes8 v = {0};
    memcpy(&v, p, n);
    return v;
}

static inline __attribute__((always_inline)) words8 widen(bytes8 v) {
    return __builtin_convertvector(v, words8);
}

static inline __attribute__((always_inline)) words8 absolute(words8 v) {
    words8 sign = v >> 15;
    return (v ^ sign) - sign;
}

/* As gf_png_paeth(). */
static inline __attribute__((always_inline)) words8 paeth(words8 left, words8 above,
                                                          words8 corner) {
    words8 to_left = above - corner, to_above = left - corner;
    words8 to_corner = absolute(to_left + to_above);
    to_left = absolute(to_left);
    to_above = absolute(to_above);
    words8 not_left = (words8)(to_left > to_above) | (words8)(to_left > to_corner);
    words8 is_corner = (words8)(to_above > to_corner);
    words8 other = (corner & is_corner) | (above & ~is_corner);
    return (other & not_left) | (left & ~not_left);
}

/* The pixel to the left and the one above it. */
struct neighbours {
    bytes8 left;
    words8 wide_left, corner;
};

/* Undoes a pixel as `size` bytes; the bytes beyond the pixel are wrong. */
static inline __attribute__((always_inline)) void undo_pixel(struct neighbours *at, int filter,
                                                             const unsigned char *in,
                                                             const unsigned char *above,
                                                             size_t size, unsigned char *out) {
    bytes8 v = load(in, size);
    if (filter == GF_PNG_ROW_SUB) {
        at->left = v + at->left;
    } else {
        words8 wide_above = widen(load(above, size));
        words8 guess = filter == GF_PNG_ROW_PAETH ? paeth(at->wide_left, wide_above, at->corner)
                                                  : (at->wide_left + wide_above) >> 1;
        at->wide_left = (widen(v) + guess) & 255;
        at->corner = wide_above;
        at->left = __builtin_convertvector(at->wide_left, bytes8);
    }
    memcpy(out, &at->left, size);
}

/* Handles pixels of 3 and 6 bytes as 4 and 8, one move each, except at the row's end: the next
 * pixel overwrites the wrong bytes. */
static inline __attribute__((always_inline)) void undo(int filter, const unsigned char *in,
                                                       const unsigned char *above, size_t n,
                                                       size_t step, unsigned char *out) {
    struct neighbours at = {0};
    size_t i = 0, size = step == 3 ? 4 : step == 6 ? 8 : step;
    for (; i + size <= n; i += step)
        undo_pixel(&at, filter, in + i, above + i, size, out + i);
    for (; i < n; i += step)
        undo_pixel(&at, filter, in + i, above + i, step, out + i);
}

/* The same for pixels of one byte, for which vectors are slower. */
static inline __attribute__((always_inline)) void undo_bytes(int filter, const unsigned char *in,
                                                             const unsigned char *above, size_t n,
                                                             unsigned char *out) {
    int left = 0, corner = 0;
    for (size_t i = 0; i < n; i++) {
        int up = above[i];
        int guess = filter == GF_PNG_ROW_PAETH ? gf_png_paeth(left, up, corner) : (left + up) >> 1;
        left = (in[i] + guess) & 255;
        corner = up;
        out[i] = (unsigned char)left;
    }
}

/* The neighbours 1, 2, 4, 8 to the left, or zeros. */
#define LEFT_1(v) \
    __builtin_shufflevector(zero, v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define LEFT_2(v) \
    __builtin_shufflevector(zero, v, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
#define LEFT_4(v) \
    __builtin_shufflevector(zero, v, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
#define LEFT_8(v) \
    __builtin_shufflevector(zero, v, 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23)

/* For pixels of one byte: sums 2, 4, 8, 16 neighbours, then adds the previous block's last sum. */
static void undo_sub_bytes(const unsigned char *in, size_t n, unsigned char *out) {
    const bytes16 zero = {0};
    unsigned char left = 0;
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        bytes16 v;
        memcpy(&v, in + i, 16);
        v += LEFT_1(v);
        v += LEFT_2(v);
        v += LEFT_4(v);
        v += LEFT_8(v);
        v += left;
        memcpy(out + i, &v, 16);
        left = v[15];
    }
    for (; i < n; i++)
        out[i] = left = (unsigned char)(in[i] + left);
}

static void undo_up(const unsigned char *in, const unsigned char *above, size_t n,
                    unsigned char *out) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        bytes16 v, a;
        memcpy(&v, in + i, 16);
        memcpy(&a, above + i, 16);
        v += a;
        memcpy(out + i, &v, 16);
    }
    for (; i < n; i++)
        out[i] = (unsigned char)(in[i] + above[i]);
}

/* One loop for each filter and step: the compiler sees both as constants. */
static inline __attribute__((always_inline)) void undo_any(int filter, const unsigned char *in,
                                                           const unsigned char *above, size_t n,
                                                           size_t step, unsigned char *out) {
    if (step == 1)
        undo_bytes(filter, in, above, n, out);
    else if (step == 2)
        undo(filter, in, above, n, 2, out);
    else if (step == 3)
        undo(filter, in, above, n, 3, out);
    else if (step == 4)
        undo(filter, in, above, n, 4, out);
    else if (step == 6)
        undo(filter, in, above, n, 6, out);
    else
        undo(filter, in, above, n, 8, out);
}

/* ---- one row ---- */

static bool undo_row(int filter, const unsigned char *in, const unsigned char *above, size_t n,
                     size_t step, unsigned char *out) {
    switch (filter) {
    case GF_PNG_ROW_NONE:
        memcpy(out, in, n);
        return true;
    case GF_PNG_ROW_SUB:
        if (step == 1)
            undo_sub_bytes(in, n, out);
        else
            undo_any(GF_PNG_ROW_SUB, in, above, n, step, out);
        return true;
    case GF_PNG_ROW_UP:
        undo_up(in, above, n, out);
        return true;
    case GF_PNG_ROW_AVERAGE:
        undo_any(GF_PNG_ROW_AVERAGE, in, above, n, step, out);
        return true;
    case GF_PNG_ROW_PAETH:
        undo_any(GF_PNG_ROW_PAETH, in, above, n, step, out);
        return true;
    default:
        return false;
    }
}

/* ---- several rows ---- */

enum { LANES = 8, N_FILTERS = GF_PNG_ROW_PAETH + 1 };

/* Rows that are done at once: a pixel has `step` lanes, row i those from step * i on. */
struct diagonal {
    const unsigned char *in, *above;
    unsigned char *out;
    size_t n;
    words8 mask[N_FILTERS];     /* the lanes of rows with that filter */
    words8 left, corner, begun; /* of each row's next pixel; the lanes of rows that have begun */
};

/* Moves each row's lanes to the row below. */
static inline __attribute__((always_inline)) words8 to_next_row(words8 v, size_t step) {
    const words8 zero = {0};
    if (step == 1)
        return __builtin_shufflevector(zero, v, 0, 8, 9, 10, 11, 12, 13, 14);
    return __builtin_shufflevector(zero, v, 0, 0, 8, 9, 10, 11, 12, 13);
}

static inline __attribute__((always_inline)) words8 guess_diagonal(const struct diagonal *d,
                                                                   words8 above) {
    return (paeth(d->left, above, d->corner) & d->mask[GF_PNG_ROW_PAETH]) |
           (((d->left + above) >> 1) & d->mask[GF_PNG_ROW_AVERAGE]) |
           (above & d->mask[GF_PNG_ROW_UP]) | (d->left & d->mask[GF_PNG_ROW_SUB]);
}

/* Undoes pixel t - i of each row i in [first, end); `top` is the pixel above row 0's. */
static inline __attribute__((always_inline)) void
undo_diagonal(struct diagonal *d, size_t t, size_t first, size_t end, bytes8 top, size_t step) {
    bytes8 v = {0};
#pragma GCC unroll 8
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < step; k++)
            v[i * step + k] = d->in[i * (d->n + 1) + (t - i) * step + k];
    words8 above = to_next_row(d->left, step) | widen(top);
    words8 guess = guess_diagonal(d, above);
    d->left = (widen(v) + guess) & 255 & d->begun;
    d->corner = above;
    v = __builtin_convertvector(d->left, bytes8);
#pragma GCC unroll 8
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < step; k++)
            d->out[i * d->n + (t - i) * step + k] = v[i * step + k];
}

static inline __attribute__((always_inline)) void undo_rows(const unsigned char *in,
                                                            const unsigned char *above, size_t n,
                                                            size_t step, unsigned char *out) {
    const size_t rows = LANES / step, pixels = n / step;
    struct diagonal d = {.in = in + 1, .above = above, .out = out, .n = n};
    for (size_t k = 0; k < LANES; k++)
        d.mask[in[k / step * (n + 1)]][k] = -1;
    size_t t = 0;
    for (; t < rows - 1; t++) { /* rows begin */
        for (size_t k = 0; k < step; k++)
            d.begun[t * step + k] = -1;
        undo_diagonal(&d, t, 0, t + 1, load(above + t * step, step), step);
    }
    for (size_t k = 0; k < LANES; k++)
        d.begun[k] = -1;
    for (; t < pixels; t++)
        undo_diagonal(&d, t, 0, rows, load(above + t * step, step), step);
    for (; t < pixels + rows - 1; t++) /* and end */
        undo_diagonal(&d, t, t - pixels + 1, rows, (bytes8){0}, step);
}

/* Returns how many rows undo_rows() does, or 0 if one at a time is faster. */
static int64_t rows_at_once(const unsigned char *in, int64_t rows, size_t n, size_t step) {
    /* Measured for 1 and 2 bytes a pixel: pays if so many of so many rows are Paeth's. Pixels of 3
     * bytes gain 8% at best, 4 bytes fill a vector as they are. */
    static const struct { int64_t rows, paeth; } worth[] = {{0, 0}, {8, 3}, {4, 2}};
    const int64_t most = step > 2 ? 0 : worth[step].rows;
    int64_t paeth_rows = 0;
    if (!most || rows < most || n / step < LANES)
        return 0;
    for (int64_t i = 0; i < most; i++) {
        int filter = in[i * (int64_t)(n + 1)];
        if (filter > GF_PNG_ROW_PAETH)
            return 0;
        paeth_rows += filter == GF_PNG_ROW_PAETH;
    }
    return paeth_rows >= worth[step].paeth ? most : 0;
}

int64_t gf_png_unfilter_rows(const unsigned char *in, int64_t rows, const unsigned char *above,
                             size_t n, size_t step, unsigned char *out) {
    int64_t at_once = rows_at_once(in, rows, n, step);
    if (!at_once)
        return undo_row(in[0], in + 1, above, n, step, out);
    if (step == 1)
        undo_rows(in, above, n, 1, out);
    else
        undo_rows(in, above, n, 2, out);
    return at_once;
}
