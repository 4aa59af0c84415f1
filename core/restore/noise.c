/* Estimates noise: finds the smoothest tiles, and takes the median of differences there. */
#include "core/restore/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/clock.h"
#include "core/base/value/sample_run.h"
#include "core/base/value/status.h"

enum { TILE = 16, MOST_TILES = 1 << 12 };

static const double SHARE = 0.15, OF_LINES = 0.5; /* of the tiles, the smoothest ones */
static const double UNCLIPPED = 0.9;              /* of a tile's differences */
static const double MEDIAN = 0.6744897501960817;  /* of the absolute value of a normal variable */

/* A line of variances explains this share of their scatter, and they rise by this factor. */
static const double LEAST_FIT = 0.55, LEAST_RISE = 1.25, SMOOTHEST = 0.25;
enum { GROUPS = 16, MOST_STEP = 4 };

/* One channel as z, y, x, the range of its type, and the samples of a mean along x and y. */
struct plane {
    struct gf_array px;
    double white; /* the largest number; 0: the type's */
    double low, high;
    int64_t step;
};

struct tile {
    double key; /* by which they are sorted */
    int64_t at;
    double activity, level, square; /* of the differences */
};

static void read_row(const struct plane *p, int64_t z, int64_t y, int64_t x, int64_t n, double *v) {
    const struct gf_array *a = &p->px;
    const int64_t step = p->step;
    double run[(TILE + 2) * MOST_STEP];
    memset(v, 0, (size_t)n * sizeof *v);
    for (int64_t k = 0; k < step; k++) {
        const char *from = (const char *)a->data + z * a->stride[0] + (y * step + k) * a->stride[1];
        gf_sample_run_read(from + x * step * a->stride[2], a->dtype, a->stride[2], n * step, run,
                           NULL);
        for (int64_t i = 0; i < n * step; i++)
            v[i / step] += run[i] / (double)(step * step);
    }
}

/* Tiles overlap by two samples, so that differences are at all places. */
static int64_t tiles_along(int64_t n) {
    return n < TILE + 2 ? 1 : n / TILE - (n % TILE < 2);
}

struct window {
    int64_t nx, ny; /* samples */
    double v[(TILE + 2) * (TILE + 2)];
};

static void read_tile(const struct plane *p, int64_t at, struct window *w) {
    const int64_t n[] = {p->px.shape[0], p->px.shape[1] / p->step, p->px.shape[2] / p->step};
    const int64_t columns = tiles_along(n[2]), rows = tiles_along(n[1]);
    const int64_t x = at % columns * TILE, y = at / columns % rows * TILE, z = at / columns / rows;
    w->nx = gf_min(TILE + 2, n[2] - x);
    w->ny = gf_min(TILE + 2, n[1] - y);
    for (int64_t i = 0; i < w->ny; i++)
        read_row(p, z, y + i, x, w->nx, w->v + i * w->nx);
}

/* The mean square difference between neighbouring averages of 2 x 2 samples. */
static double activity_of(const struct window *w) {
    const int64_t h = w->ny > 1 ? 2 : 1, nx = w->nx / 2, ny = w->ny / h;
    double mean[TILE / 2 + 1][TILE / 2 + 1] = {{0}}, sum = 0;
    int64_t count = 0;
    for (int64_t y = 0; y < ny * h; y++)
        for (int64_t x = 0; x < nx * 2; x++)
            mean[y / h][x / 2] += w->v[y * w->nx + x] / (double)(2 * h);
    for (int64_t y = 0; y < ny; y++)
        for (int64_t x = 0; x < nx; x++) {
            sum += x + 1 < nx ? pow(mean[y][x + 1] - mean[y][x], 2) : 0;
            sum += y + 1 < ny ? pow(mean[y + 1][x] - mean[y][x], 2) : 0;
            count += (x + 1 < nx) + (y + 1 < ny);
        }
    return count ? sum / (double)count : 0;
}

/* Puts the tile's absolute differences into v[] and returns their number, or 0 if many are clipped.
 * Integers' differences are spread evenly over a step by a dither, as a median among few different
 * numbers would be rough. */
static int64_t take_tile(const struct plane *p, const struct window *w, double *v) {
    const bool flat = w->ny < 3, whole = gf_dtype_is_integer(p->px.dtype) && p->step == 1;
    const int64_t nx = w->nx - 2, all = nx * (flat ? 1 : w->ny - 2);
    int64_t n = 0;
    uint32_t dither = 1;
    for (int64_t i = 0; i < all; i++) {
        const double *c = w->v + i / nx * w->nx + i % nx;
        double d = 0;
        bool clipped = false;
        for (int k = 0; k < (flat ? 3 : 9); k++) {
            const double s = c[k / 3 * w->nx + k % 3];
            d += (k % 3 == 1 ? -2 : 1) * (flat || k / 3 != 1 ? 1. : -2.) * s;
            clipped = clipped || s <= p->low || s >= p->high;
        }
        dither = dither * 1664525 + 1013904223;
        d += whole ? (double)dither / 0x1p32 - 0.5 : 0;
        if (!clipped)
            v[n++] = fabs(d) / (flat ? sqrt(6) : 6);
    }
    return (double)n >= UNCLIPPED * (double)all ? n : 0;
}

/* Measures n tiles, every `step`-th one, and sorts them; returns how many are not clipped. */
static int64_t sort_tiles(const struct plane *p, int threads, struct tile *tile, int64_t n,
                          int64_t step) {
    int64_t count = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) reduction(+ : count)
    for (int64_t i = 0; i < n; i++) {
        struct window w;
        double v[TILE * TILE];
        read_tile(p, i * step, &w);
        const int64_t taken = take_tile(p, &w, v);
        struct tile t = {.at = i * step, .activity = taken ? activity_of(&w) : HUGE_VAL};
        for (int64_t k = 0; k < taken; k++)
            t.square += v[k] * v[k] / (double)taken;
        for (int64_t k = 0; k < w.nx * w.ny; k++)
            t.level += w.v[k] / (double)(w.nx * w.ny);
        t.key = t.activity;
        tile[i] = t;
        count += taken > 0;
    }
    qsort(tile, (size_t)n, sizeof *tile, gf_ascending); /* by its first member */
    return count;
}

/* The variances of groups of n tiles of equal level: a line, if they lie on one. Sorts the tiles. */
static void fit_line(struct tile *tile, int64_t n, struct gf_noise *noise) {
    double level[GROUPS], square[GROUPS], w = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    double least = HUGE_VAL, most = 0;
    for (int64_t i = 0; i < n; i++)
        tile[i].key = tile[i].level;
    qsort(tile, (size_t)n, sizeof *tile, gf_ascending);
    for (int g = 0; g < GROUPS; g++) {
        struct tile *t = tile + g * n / GROUPS;
        const int64_t all = (g + 1) * n / GROUPS - g * n / GROUPS;
        const int64_t taken = (int64_t)ceil(SMOOTHEST * (double)all);
        for (int64_t i = 0; i < all; i++)
            t[i].key = t[i].activity;
        qsort(t, (size_t)all, sizeof *t, gf_ascending);
        level[g] = square[g] = 0;
        for (int64_t i = 0; i < taken; i++) {
            level[g] += t[i].level / (double)taken;
            square[g] += t[i].square / (double)taken;
        }
        least = fmin(least, square[g]);
        most = fmax(most, square[g]);
    }
    for (int g = 0; g < GROUPS && least > 0; g++) { /* all have the same relative error */
        const double weight = 1 / (square[g] * square[g]);
        w += weight;
        x += weight * level[g];
        y += weight * square[g];
    }
    for (int g = 0; g < GROUPS && w > 0; g++) {
        const double weight = 1 / (square[g] * square[g]), v = square[g] - y / w;
        xx += weight * pow(level[g] - x / w, 2);
        xy += weight * (level[g] - x / w) * v;
        yy += weight * v * v;
    }
    if (xy > 0 && xy * xy >= LEAST_FIT * xx * yy && most >= LEAST_RISE * least) {
        noise->slope = xy / xx;
        noise->base = y / w - noise->slope * x / w;
        noise->least = least / 2;
    }
}

static int estimate(struct plane *p, int threads, struct gf_noise *noise) {
    const int64_t shape[] = {p->px.shape[0], p->px.shape[1] / p->step, p->px.shape[2] / p->step};
    const int64_t all = tiles_along(shape[2]) * tiles_along(shape[1]) * shape[0];
    const int64_t step = gf_divide_up(all, MOST_TILES), n = all / step;
    struct tile *tile = malloc((size_t)n * sizeof *tile);
    double *v = malloc((size_t)n * TILE * TILE * sizeof *v);
    int64_t count = 0;
    *noise = (struct gf_noise){.deviation = 0};
    if (tile && v) {
        gf_dtype_range(p->px.dtype, &p->low, &p->high);
        p->high = p->white > 0 ? p->white : p->high;
        const double share = shape[1] < 3 ? OF_LINES : SHARE;
        const int64_t clear = sort_tiles(p, threads, tile, n, step);
        const int64_t taken = (int64_t)ceil(share * (double)clear);
        for (int64_t i = 0; i < taken; i++) {
            struct window w;
            read_tile(p, tile[i].at, &w);
            count += take_tile(p, &w, v + count);
        }
        qsort(v, (size_t)count, sizeof *v, gf_ascending);
        noise->deviation = count ? v[count / 2] / MEDIAN * (double)p->step : 0;
        noise->base = noise->least = noise->deviation * noise->deviation;
        if (clear >= 4 * GROUPS && p->step == 1)
            fit_line(tile, clear, noise);
    }
    const int rc = tile && v ? 0 : gf_no_memory();
    free(tile);
    free(v);
    return rc;
}

int gf_noise_estimate(const struct gf_array *a, int ndim, double white, int step, int threads,
                      struct gf_noise *noise) {
    const double share = 1 / (double)a->shape[ndim];
    struct gf_noise one;
    double variance = 0;
    int rc = 0;
    *noise = (struct gf_noise){.deviation = 0};
    if (ndim < 2 || a->shape[ndim - 2] < 3 * step || a->shape[ndim - 1] < 3 * step)
        step = 1;
    for (int64_t c = 0; c < a->shape[ndim] && a->shape[ndim - 1] >= 3 && !rc; c++) {
        const struct gf_array from = gf_array_index(a, ndim, c);
        struct plane p = {.px = from, .white = white, .step = step};
        for (int i = 0; i < 3; i++) {
            const int axis = i - 3 + ndim;
            p.px.shape[i] = axis < 0 ? 1 : from.shape[axis];
            p.px.stride[i] = axis < 0 ? 0 : from.stride[axis];
        }
        rc = estimate(&p, threads, &one);
        variance += one.deviation * one.deviation * share;
        noise->base += one.base * share;
        noise->slope += one.slope * share;
        noise->least += one.least * share;
    }
    noise->deviation = sqrt(variance);
    return rc;
}
