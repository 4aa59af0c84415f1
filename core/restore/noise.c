/* Estimates noise: finds the smoothest tiles, and takes the median of differences there. */
#include "core/restore/noise.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/sample_run.h"
#include "core/base/status.h"

enum { TILE = 16, MOST_TILES = 1 << 14 };

static const double SHARE = 0.15;                /* of the tiles, the smoothest ones */
static const double UNCLIPPED = 0.9;             /* of a tile's differences */
static const double MEDIAN = 0.6744897501960817; /* of the absolute value of a normal variable */

/* One channel, as planes of rows. */
struct plane {
    const struct gf_array *px;
    int ndim;
    int64_t nx, ny, nz;
    double low, high;
};

struct tile {
    int64_t at;
    double activity;
};

static const char *row_of(const struct plane *p, int64_t z, int64_t y) {
    const struct gf_array *a = p->px;
    return (const char *)a->data + (p->ndim > 2 ? z * a->stride[0] : 0) +
           (p->ndim > 1 ? y * a->stride[p->ndim - 2] : 0);
}

static void read_row(const struct plane *p, int64_t z, int64_t y, int64_t x, int64_t n, double *v) {
    const int64_t stride = p->px->stride[p->ndim - 1];
    gf_sample_run_read(row_of(p, z, y) + x * stride, p->px->dtype, stride, n, v, NULL);
}

static void find_range(struct plane *p) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    double v[256];
    for (int64_t i = 0; i < p->nz * p->ny; i++)
        for (int64_t x = 0; x < p->nx; x += 256) {
            const int64_t n = gf_min(256, p->nx - x);
            read_row(p, i / p->ny, i % p->ny, x, n, v);
            for (int64_t k = 0; k < n; k++) {
                low = fmin(low, v[k]);
                high = fmax(high, v[k]);
            }
        }
    p->low = low;
    p->high = high;
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
    const int64_t columns = tiles_along(p->nx), rows = tiles_along(p->ny);
    const int64_t x = at % columns * TILE, y = at / columns % rows * TILE, z = at / columns / rows;
    w->nx = gf_min(TILE + 2, p->nx - x);
    w->ny = gf_min(TILE + 2, p->ny - y);
    for (int64_t i = 0; i < w->ny; i++)
        read_row(p, z, y + i, x, w->nx, w->v + i * w->nx);
}

/* The mean square difference between neighbouring averages of 2 x 2 samples. */
static double activity_of(const struct window *w) {
    const int64_t h = w->ny > 1 ? 2 : 1, nx = w->nx / 2, ny = w->ny / h;
    double mean[TILE / 2 + 1][TILE / 2 + 1] = {{0}}, sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < nx * ny * 2 * h; i++) {
        const int64_t x = i % (2 * nx), y = i / (2 * nx);
        mean[y / h][x / 2] += w->v[y * w->nx + x] / (double)(2 * h);
    }
    for (int64_t y = 0; y < ny; y++)
        for (int64_t x = 0; x < nx; x++) {
            const double dx = x + 1 < nx ? mean[y][x + 1] - mean[y][x] : 0;
            const double dy = y + 1 < ny ? mean[y + 1][x] - mean[y][x] : 0;
            sum += dx * dx + dy * dy;
            count += (x + 1 < nx) + (y + 1 < ny);
        }
    return count ? sum / (double)count : 0;
}

/* Adds the absolute differences of the tile to v[]; returns their number. Integers' differences are
 * spread evenly over a step by a dither, as a median among few different numbers would be rough. */
static int64_t take_tile(const struct plane *p, const struct window *w, double *v) {
    const bool flat = w->ny < 3, whole = gf_dtype_is_integer(p->px->dtype);
    const int64_t ny = flat ? 1 : w->ny - 2;
    const double unit = flat ? sqrt(6) : 6;
    int64_t n = 0;
    uint32_t dither = 1;
    for (int64_t i = 0; i < ny * (w->nx - 2); i++) {
        const double *c = w->v + i / (w->nx - 2) * w->nx + i % (w->nx - 2);
        double d = 0, low = HUGE_VAL, high = -HUGE_VAL;
        for (int k = 0; k < (flat ? 3 : 9); k++) {
            const double weight = (k % 3 == 1 ? -2 : 1) * (flat || k / 3 != 1 ? 1. : -2.);
            const double s = c[k / 3 * w->nx + k % 3];
            d += weight * s;
            low = fmin(low, s);
            high = fmax(high, s);
        }
        dither = dither * 1664525 + 1013904223;
        d += whole ? (double)dither / 0x1p32 - 0.5 : 0;
        if (low > p->low && high < p->high)
            v[n++] = fabs(d) / unit;
    }
    return (double)n >= UNCLIPPED * (double)(ny * (w->nx - 2)) ? n : 0;
}

static int by_activity(const void *a, const void *b) {
    const struct tile *x = a, *y = b;
    return (x->activity > y->activity) - (x->activity < y->activity);
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Lists the tiles with enough differences, or every `step`-th one, by activity. */
static int64_t list_tiles(const struct plane *p, int threads, struct tile *tile, int64_t all,
                          int64_t step) {
    int64_t n = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t i = 0; i < all / step; i++) {
        struct window w;
        double v[TILE * TILE];
        read_tile(p, i * step, &w);
        tile[i].at = i * step;
        tile[i].activity = take_tile(p, &w, v) ? activity_of(&w) : HUGE_VAL;
    }
    qsort(tile, (size_t)(all / step), sizeof *tile, by_activity);
    while (n < all / step && tile[n].activity < HUGE_VAL)
        n++;
    return n;
}

static int estimate(struct plane *p, int threads, double *deviation) {
    const int64_t all = tiles_along(p->nx) * tiles_along(p->ny) * p->nz;
    const int64_t step = gf_divide_up(all, MOST_TILES);
    struct tile *tile = malloc((size_t)(all / step) * sizeof *tile);
    double *v = NULL;
    *deviation = 0;
    if (!tile)
        return gf_no_memory();
    find_range(p);
    const int64_t n = list_tiles(p, threads, tile, all, step);
    const int64_t taken = n ? (int64_t)ceil(SHARE * (double)n) : 0;
    v = malloc((size_t)(taken + 1) * TILE * TILE * sizeof *v);
    int64_t count = 0;
    for (int64_t i = 0; i < taken && v; i++) {
        struct window w;
        read_tile(p, tile[i].at, &w);
        count += take_tile(p, &w, v + count);
    }
    if (v && count) {
        qsort(v, (size_t)count, sizeof *v, by_value);
        *deviation = v[count / 2] / MEDIAN;
    }
    free(tile);
    const bool made = v;
    free(v);
    return made ? 0 : gf_no_memory();
}

int gf_noise_estimate(const struct gf_array *a, int ndim, int threads, double *deviation) {
    double variance = 0, one;
    int rc = 0;
    *deviation = 0;
    for (int64_t c = 0; c < a->shape[ndim] && !rc; c++) {
        const struct gf_array px = gf_array_index(a, ndim, c);
        struct plane p = {.px = &px, .ndim = ndim, .nx = a->shape[ndim - 1], .ny = 1, .nz = 1};
        if (ndim > 1)
            p.ny = a->shape[ndim - 2];
        if (ndim > 2)
            p.nz = a->shape[0];
        if (p.nx < 3)
            return 0;
        rc = estimate(&p, threads > 0 ? threads : 1, &one);
        variance += one * one / (double)a->shape[ndim];
    }
    *deviation = sqrt(variance);
    return rc;
}
