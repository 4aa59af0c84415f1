/* The limited detail of a picture, by sums over a small grid. */
#include "core/spectrum/detail.h"

#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/spectrum/windowed.h"

enum {
    MOST = 128, /* samples along an axis: waves of up to 63 periods */
    LEAST = 64,
    STEPS = 4, /* terms of a sum that are added together */
    PARTS = 8, /* of MOST * MOST numbers: tables, room and samples */
};

/* As a fraction of the detail's mean magnitude. */
static const double LIMIT = 0.35;
/* The searched share of the band; little of the spectrum remains beyond. */
static const double SEARCHED = 0.6;

/* ---- sums ---- */

/* The rows are 1, cos k, sin k, cos 2k, …: the 2 reach + 1 <= n terms of a real series. */
static void make_table(float *table, int64_t n, int64_t reach) {
    float turn[2][MOST];
    for (int64_t x = 0; x < n; x++) {
        turn[0][x] = (float)cos(2 * M_PI * (double)x / (double)n);
        turn[1][x] = (float)sin(2 * M_PI * (double)x / (double)n);
        table[x] = 1;
    }
    for (int64_t k = 1; k <= reach; k++)
        for (int64_t x = 0, at = 0; x < n; x++, at += at + k < n ? k : k - n) {
            table[(2 * k - 1) * n + x] = turn[0][at];
            table[2 * k * n + x] = turn[1][at];
        }
}

static void transpose(const float *from, int64_t rows, int64_t columns, float *to) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[j * rows + i] = from[i * columns + j];
}

/* to = a b, of rows x terms and terms x columns. */
static void multiply(const float *a, const float *b, int64_t rows, int64_t terms, int64_t columns,
                     float *to) {
    memset(to, 0, (size_t)(rows * columns) * sizeof *to);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < terms; k += STEPS) {
            float factor[STEPS] = {0};
            const float *row[STEPS];
            for (int64_t s = 0; s < STEPS; s++) {
                bool there = k + s < terms;
                factor[s] = there ? a[i * terms + k + s] : 0;
                row[s] = b + (there ? k + s : k) * columns;
            }
#pragma omp simd
            for (int64_t j = 0; j < columns; j++)
                to[i * columns + j] += factor[0] * row[0][j] + factor[1] * row[1][j] +
                                       factor[2] * row[2][j] + factor[3] * row[3][j];
        }
}

/* ---- from the spectrum to limited samples ---- */

static int64_t reach_of(int64_t n) {
    return (n - 1) / 2;
}

/* The factor of a wave in the detail. */
static double weight_at(const struct gf_detail *d, const double at[2]) {
    double square = 0, taper = 1;
    for (int i = 0; i < 2; i++) {
        double f = at[i] / (double)d->shape[i];
        square += f * f;
        taper *= cos(M_PI / 2 * at[i] / (double)(reach_of(d->n[i]) + 1));
    }
    return square * taper;
}

/* A bin times its weight, over half the number of samples. */
static void weighted(const struct gf_detail *d, const struct gf_bins *b, int64_t y, int64_t x,
                     double value[2]) {
    double weight = 2 * weight_at(d, (double[]){(double)y, (double)x}) / b->points / b->scale;
    gf_bins_value(b, (int64_t[]){0, y, x}, value);
    value[0] *= weight;
    value[1] *= weight;
}

/* The factors of the products of y's and x's table rows, from bins y, x and -y, x. */
static void make_factors(const struct gf_detail *d, const struct gf_bins *b, float *factor) {
    const int64_t reach[2] = {reach_of(d->n[0]), reach_of(d->n[1])}, columns = 2 * reach[1] + 1;
    for (int64_t y = 0; y <= reach[0]; y++)
        for (int64_t x = 0; x <= reach[1]; x++) {
            double u[2], v[2], half = (y ? 1 : 0.5) * (x ? 1 : 0.5);
            int64_t row = y ? 2 * y - 1 : 0, column = x ? 2 * x - 1 : 0;
            weighted(d, b, y, x, u);
            weighted(d, b, -y, x, v);
            factor[row * columns + column] = (float)(half * (u[0] + v[0]));
            if (x)
                factor[row * columns + column + 1] = (float)(-half * (u[1] + v[1]));
            if (y)
                factor[(row + 1) * columns + column] = (float)(half * (v[1] - u[1]));
            if (x && y)
                factor[(row + 1) * columns + column + 1] = (float)(half * (v[0] - u[0]));
        }
}

/* The parts of `work`. */
static float *part(const struct gf_detail *d, int i) {
    return d->work + i * MOST * MOST;
}

enum { TABLE_Y, TABLE_X, FLIPPED_Y, FLIPPED_X, ROOM, HALF };

static void make_samples(struct gf_detail *d, const struct gf_bins *b) {
    const int64_t *n = d->n, rows = 2 * reach_of(n[0]) + 1, columns = 2 * reach_of(n[1]) + 1;
    make_table(part(d, TABLE_Y), n[0], reach_of(n[0]));
    make_table(part(d, TABLE_X), n[1], reach_of(n[1]));
    transpose(part(d, TABLE_Y), rows, n[0], part(d, FLIPPED_Y));
    transpose(part(d, TABLE_X), columns, n[1], part(d, FLIPPED_X));
    make_factors(d, b, part(d, ROOM));
    multiply(part(d, ROOM), part(d, TABLE_X), rows, columns, n[1], part(d, HALF));
    multiply(part(d, FLIPPED_Y), part(d, HALF), n[0], rows, n[1], d->sample);
}

static void limit(struct gf_detail *d) {
    const int64_t n = d->n[0] * d->n[1];
    double sum = 0, within = 0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs((double)d->sample[i]);
    const float most = (float)(LIMIT * sum / (double)n);
    for (int64_t i = 0; i < n; i++) {
        float v = d->sample[i];
        within += v > -most && v < most;
        d->limited[i] = v > most ? most : v < -most ? -most : v;
    }
    d->gain = within / (double)n;
}

/* Bins y, x and -y, x from the sums of products with both tables' rows; the inverse of
 * make_factors(). */
static void store_bins(const struct gf_detail *d, const float *sum) {
    const int64_t reach[2] = {reach_of(d->n[0]), reach_of(d->n[1])}, columns = 2 * reach[1] + 1;
    float *bin = d->spectrum.data;
    for (int64_t y = 0; y <= reach[0]; y++)
        for (int64_t x = 0; x <= reach[1]; x++) {
            const float *p = sum + (y ? 2 * y - 1 : 0) * columns + (x ? 2 * x - 1 : 0);
            float cc = p[0], cs = x ? p[1] : 0, sc = y ? p[columns] : 0;
            float ss = x && y ? p[columns + 1] : 0;
            float *to = bin + 2 * (y * d->spectrum.shape[1] + x);
            to[0] = cc - ss;
            to[1] = -cs - sc;
            to = bin + 2 * ((y ? d->n[0] - y : 0) * d->spectrum.shape[1] + x);
            to[0] = cc + ss;
            to[1] = sc - cs;
        }
}

static void transform_limited(struct gf_detail *d) {
    const int64_t *n = d->n, rows = 2 * reach_of(n[0]) + 1, columns = 2 * reach_of(n[1]) + 1;
    multiply(part(d, TABLE_Y), d->limited, rows, n[0], n[1], part(d, HALF));
    multiply(part(d, HALF), part(d, FLIPPED_X), rows, n[1], columns, part(d, ROOM));
    store_bins(d, part(d, ROOM));
}

/* ---- one wave ---- */

/* cos and sin along one axis, each of d->n[axis]. */
static void make_turns(const struct gf_detail *d, const double at[2], int axis, bool windowed,
                       double turn[2][MOST]) {
    const double n = (double)d->n[axis];
    for (int64_t i = 0; i < d->n[axis]; i++) {
        double x = (double)i, window = windowed ? pow(sin(M_PI * (x + 0.5) / n), 2) : 1;
        turn[0][i] = window * cos(2 * M_PI * at[axis] * x / n);
        turn[1][i] = window * sin(2 * M_PI * at[axis] * x / n);
    }
}

/* The factors of its cosine and sine in `v`, behind a Hann window. */
static void measure(const struct gf_detail *d, const float *v, const double at[2],
                    double factor[2]) {
    double ty[2][MOST], tx[2][MOST], points = (double)(d->n[0] * d->n[1]);
    make_turns(d, at, 0, true, ty);
    make_turns(d, at, 1, true, tx);
    factor[0] = factor[1] = 0;
    for (int64_t y = 0; y < d->n[0]; y++, v += d->n[1]) {
        double c = 0, s = 0;
        for (int64_t x = 0; x < d->n[1]; x++) {
            c += (double)v[x] * tx[0][x];
            s += (double)v[x] * tx[1][x];
        }
        /* 2 over the sum of the window, which is a quarter of the points */
        factor[0] += 8 / points * (c * ty[0][y] - s * ty[1][y]);
        factor[1] += 8 / points * (c * ty[1][y] + s * ty[0][y]);
    }
}

static void subtract(struct gf_detail *d, const double at[2], const double factor[2]) {
    double ty[2][MOST], tx[2][MOST];
    float *v = d->sample;
    make_turns(d, at, 0, false, ty);
    make_turns(d, at, 1, false, tx);
    for (int64_t y = 0; y < d->n[0]; y++, v += d->n[1]) {
        double c = factor[0] * ty[0][y] + factor[1] * ty[1][y];
        double s = factor[1] * ty[0][y] - factor[0] * ty[1][y];
        for (int64_t x = 0; x < d->n[1]; x++)
            v[x] -= (float)(c * tx[0][x] + s * tx[1][x]);
    }
}

/* True if the wave is within `share` of the band. */
static bool is_inside(const struct gf_detail *d, const double at[2], double share) {
    return fabs(at[0]) <= share * (double)reach_of(d->n[0]) &&
           fabs(at[1]) <= share * (double)reach_of(d->n[1]);
}

/* Measured on 1,021 photographs and textures without noise, and 240 with noise: one wave explains
 * most of its 8 x 8 tiles, or all except what the floor around its peak explains. */
static bool is_wave(const struct gf_periodic *p) {
    const double excess = (1 / p->steady - 1) * p->level;
    if (p->periods < 18)
        return p->periods >= 8.5 && p->steady >= 0.8;
    return p->steady >= 0.65 || (p->steady >= 0.5 && excess < 34);
}

/* ---- the whole ---- */

int gf_detail_make(const struct gf_spectrum *s, const struct gf_periodic_list *known,
                   struct gf_detail *d) {
    struct gf_bins b;
    *d = (struct gf_detail){.threads = s->threads};
    if (s->ndim != 2 || !s->half || s->shape[0] < LEAST || s->shape[1] < LEAST)
        return 0;
    gf_bins_view(s, &b);
    gf_bins_fit(&b);
    for (int i = 0; i < 2; i++) {
        d->shape[i] = s->shape[i];
        d->n[i] = s->shape[i] < MOST ? s->shape[i] : MOST;
    }
    d->work = calloc(PARTS * MOST * MOST, sizeof *d->work);
    if (!d->work)
        return gf_no_memory();
    d->sample = part(d, HALF + 1);
    d->limited = part(d, HALF + 2);
    int rc = gf_array_alloc(&d->spectrum, GF_C64, 2, (int64_t[]){d->n[0], d->n[1] / 2 + 1});
    if (rc) {
        gf_detail_free(d);
        return rc;
    }
    memset(d->spectrum.data, 0, (size_t)gf_array_bytes(&d->spectrum));
    make_samples(d, &b);
    for (int i = 0; i < known->n; i++) {
        double factor[2];
        if (!is_inside(d, known->item[i].at, 1))
            continue;
        measure(d, d->sample, known->item[i].at, factor);
        subtract(d, known->item[i].at, factor);
    }
    return 0;
}

void gf_detail_free(struct gf_detail *d) {
    free(d->work);
    gf_array_free(&d->spectrum);
    *d = (struct gf_detail){.work = NULL};
}

/* The factors in the picture, from `limited`. */
static void estimate(const struct gf_detail *d, const double at[2], double factor[2]) {
    const double passed = d->gain * weight_at(d, at);
    measure(d, d->limited, at, factor);
    for (int i = 0; i < 2; i++)
        factor[i] = passed > 0 ? factor[i] / passed : 0;
}

/* Clipping creates sums and differences of strong waves' frequencies, which the unclipped samples
 * lack: at most a tenth of their amplitude is there, against at least half of a wave's. */
static bool is_in_samples(const struct gf_detail *d, const struct gf_periodic *p) {
    double factor[2];
    measure(d, d->sample, p->at, factor);
    return hypot(factor[0], factor[1]) >= p->amplitude * weight_at(d, p->at) / 4;
}

int gf_detail_find(struct gf_detail *d, double least, struct gf_periodic *wave) {
    struct gf_spectrum s = {.ndim = 2, .half = true, .px = d->spectrum, .threads = d->threads};
    *wave = (struct gf_periodic){.amplitude = 0};
    if (!d->sample)
        return 0;
    struct gf_periodic_list *list = calloc(1, sizeof *list);
    if (!list)
        return gf_no_memory();
    memcpy(s.shape, d->n, sizeof d->n);
    limit(d);
    transform_limited(d);
    int rc = gf_spectrum_periodic(&s, 0, true, list);
    for (int i = 0; i < list->n && !rc && wave->amplitude <= 0; i++) {
        struct gf_periodic p = list->item[i];
        double factor[2];
        if (!is_wave(&p) || !is_inside(d, p.at, SEARCHED))
            continue;
        estimate(d, p.at, factor);
        p.amplitude = hypot(factor[0], factor[1]);
        if (p.amplitude >= least && is_in_samples(d, &p))
            *wave = p;
    }
    free(list);
    return rc;
}

void gf_detail_take(struct gf_detail *d, const double at[2], double factor[2]) {
    factor[0] = factor[1] = 0;
    if (!d->sample || !is_inside(d, at, SEARCHED))
        return;
    estimate(d, at, factor);
    const double weight = weight_at(d, at);
    subtract(d, at, (double[]){weight * factor[0], weight * factor[1]});
}

int64_t gf_detail_bytes(const struct gf_spectrum *s, int64_t *search) {
    struct gf_spectrum small = {
        .ndim = 2, .shape = {MOST, MOST}, .half = true, .threads = s->threads};
    small.px = gf_array_wrap(NULL, GF_C64, 2, (int64_t[]){MOST, MOST / 2 + 1});
    *search = gf_spectrum_periodic_bytes(&small) + (int64_t)sizeof(struct gf_periodic_list);
    return PARTS * MOST * MOST * 4 + gf_array_bytes(&small.px);
}
