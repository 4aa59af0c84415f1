/* Least squares of sinusoids, one axis after the other. */
#include "core/filter/waves.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/value/status.h"

enum { MOST_UNKNOWNS = 2 * GF_MAX_SINUSOIDS + 1, BLOCKS = 64, LEAST_WINDOW = 32, LANES = 8 };

/* A pivot below this share of the window's sum marks a column explained by the others, such as the
 * sine of a wave of two samples. */
static const double LEAST_PIVOT = 1e-9;

/* The waves' cosines and sines along the last axis, the window, and the factors that were
 * fitted. */
struct fit {
    struct gf_array px; /* one channel */
    int ndim, n, threads;
    const struct gf_sinusoid *wave;
    int64_t rows, length, padded;
    double *c, *s; /* n of `padded` each: cos and sin along the last axis */
    double *window;
    double *row;                   /* `padded` for each thread */
    double *part;                  /* sums of each of BLOCKS, one for each unknown */
    double mean[GF_MAX_SINUSOIDS]; /* of the fitted wave, over the picture */
    double a[GF_MAX_SINUSOIDS], b[GF_MAX_SINUSOIDS]; /* of cos and of sin */
};

static double window_at(int64_t k, int64_t n) {
    double s = sin(M_PI * ((double)k + 0.5) / (double)n);
    return n < LEAST_WINDOW ? 1 : s * s;
}

/* ---- sums over the picture that need no samples ---- */

/* Adds weight * exp(i angle) times the sum of exp(2 pi i f k), k = 0 .. n - 1. */
static void add_geometric(double f, int64_t n, double weight, double angle, double out[2]) {
    f -= nearbyint(f);
    double below = sin(M_PI * f);
    double size = fabs(below) < 1e-13 ? (double)n : sin(M_PI * f * (double)n) / below;
    angle += M_PI * f * (double)(n - 1);
    out[0] += weight * size * cos(angle);
    out[1] += weight * size * sin(angle);
}

/* The sum of exp(2 pi i f x) over the picture, a product over the axes. The window is 1/2 minus a
 * quarter of the two waves of one period. */
static void window_sum(const struct fit *f, const double *frequency, bool windowed, double out[2]) {
    out[0] = 1;
    out[1] = 0;
    for (int i = 0; i < f->ndim; i++) {
        double v[2] = {0, 0}, old = out[0];
        int64_t n = f->px.shape[i];
        bool flat = !windowed || n < LEAST_WINDOW;
        add_geometric(frequency[i], n, flat ? 1 : 0.5, 0, v);
        for (int sign = -1; sign <= 1 && !flat; sign += 2)
            add_geometric(frequency[i] + sign / (double)n, n, -0.25, sign * M_PI / (double)n, v);
        out[0] = out[0] * v[0] - out[1] * v[1];
        out[1] = old * v[1] + out[1] * v[0];
    }
}

/* Unknowns: the constant, then each wave's cosine and sine. A product of two waves is half of the
 * sums at the sum and difference of their frequencies. */
static void fill_matrix(const struct fit *f, double *m, int unknowns) {
    for (int i = 0; i <= f->n; i++)
        for (int k = 0; k <= i; k++) {
            double sum[GF_MAX_DIMS], difference[GF_MAX_DIMS], p[2], q[2];
            for (int axis = 0; axis < f->ndim; axis++) {
                double fi = i ? f->wave[i - 1].frequency[axis] : 0;
                double fk = k ? f->wave[k - 1].frequency[axis] : 0;
                sum[axis] = fi + fk;
                difference[axis] = fi - fk;
            }
            window_sum(f, sum, true, p);
            window_sum(f, difference, true, q);
            double value[2][2] = {{(q[0] + p[0]) / 2, (p[1] - q[1]) / 2},
                                  {(p[1] + q[1]) / 2, (q[0] - p[0]) / 2}};
            for (int u = 0; u < (i ? 2 : 1); u++)
                for (int v = 0; v < (k ? 2 : 1); v++) {
                    int row = i ? 2 * i - 1 + u : 0, column = k ? 2 * k - 1 + v : 0;
                    m[row * unknowns + column] = m[column * unknowns + row] = value[u][v];
                }
        }
}

void gf_solve(double *m, double *x, int n) {
    const double least = LEAST_PIVOT * m[0];
    for (int j = 0; j < n; j++) {
        double d = m[j * n + j];
        for (int k = 0; k < j; k++)
            d -= m[j * n + k] * m[j * n + k];
        bool none = !(d > least);
        m[j * n + j] = none ? 0 : sqrt(d);
        for (int i = j + 1; i < n; i++) {
            double v = m[i * n + j];
            for (int k = 0; k < j; k++)
                v -= m[i * n + k] * m[j * n + k];
            m[i * n + j] = none ? 0 : v / m[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= m[i * n + k] * x[k];
        x[i] = m[i * n + i] > 0 ? x[i] / m[i * n + i] : 0;
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= m[k * n + i] * x[k];
        x[i] = m[i * n + i] > 0 ? x[i] / m[i * n + i] : 0;
    }
}

/* ---- walks over the samples ---- */

/* The address of a row's first sample, and its indices along the other axes. */
static char *find_row(const struct fit *f, int64_t row, int64_t at[GF_MAX_DIMS]) {
    char *p = f->px.data;
    for (int i = f->ndim - 2; i >= 0; i--) {
        at[i] = row % f->px.shape[i];
        row /= f->px.shape[i];
        p += at[i] * f->px.stride[i];
    }
    return p;
}

static double row_turn(const struct fit *f, int wave, const int64_t at[GF_MAX_DIMS]) {
    double turn = 0;
    for (int i = 0; i < f->ndim - 1; i++)
        turn += f->wave[wave].frequency[i] * (double)at[i];
    return 2 * M_PI * fmod(turn, 1);
}

static void dot(const double *u, const double *c, const double *s, int64_t n, double out[2]) {
    double re[LANES] = {0}, im[LANES] = {0};
    for (int64_t x = 0; x < n; x += LANES)
        for (int k = 0; k < LANES; k++) {
            re[k] += u[x + k] * c[x + k];
            im[k] += u[x + k] * s[x + k];
        }
    out[0] = out[1] = 0;
    for (int k = 0; k < LANES; k++) {
        out[0] += re[k];
        out[1] += im[k];
    }
}

/* Adds a row's products with the constant and the waves to sum[]. */
static void add_row(const struct fit *f, int64_t row, double *u, double *sum) {
    int64_t at[GF_MAX_DIMS];
    const char *p = find_row(f, row, at);
    const int64_t step = f->px.stride[f->ndim - 1];
    const bool is_double = f->px.dtype == GF_F64;
    double weight = 1, all = 0;
    for (int i = 0; i < f->ndim - 1; i++)
        weight *= window_at(at[i], f->px.shape[i]);
    for (int64_t x = 0; x < f->length; x++, p += step) {
        u[x] = f->window[x] * gf_real_get(p, 0, is_double);
        all += u[x];
    }
    sum[0] += weight * all;
    for (int i = 0; i < f->n; i++) {
        double turn = row_turn(f, i, at), v[2];
        dot(u, f->c + i * f->padded, f->s + i * f->padded, f->length, v);
        sum[2 * i + 1] += weight * (v[0] * cos(turn) - v[1] * sin(turn));
        sum[2 * i + 2] += weight * (v[1] * cos(turn) + v[0] * sin(turn));
    }
}

/* Rows are summed in blocks that do not depend on the threads. */
static void correlate(const struct fit *f, double *x, int unknowns) {
    memset(f->part, 0, (size_t)(BLOCKS * unknowns) * sizeof *f->part);
#pragma omp parallel for num_threads(f->threads) schedule(dynamic)
    for (int block = 0; block < BLOCKS; block++)
        for (int64_t row = f->rows * block / BLOCKS; row < f->rows * (block + 1) / BLOCKS; row++)
            add_row(f, row, f->row + omp_get_thread_num() * f->padded, f->part + block * unknowns);
    for (int i = 0; i < unknowns; i++) {
        x[i] = 0;
        for (int block = 0; block < BLOCKS; block++)
            x[i] += f->part[block * unknowns + i];
    }
}

static void subtract_row(const struct fit *f, int64_t row, double *u) {
    int64_t at[GF_MAX_DIMS];
    char *p = find_row(f, row, at);
    const int64_t step = f->px.stride[f->ndim - 1];
    const bool is_double = f->px.dtype == GF_F64;
    double mean = 0;
    for (int i = 0; i < f->n; i++)
        mean += f->mean[i];
    for (int64_t x = 0; x < f->length; x++)
        u[x] = -mean;
    for (int i = 0; i < f->n; i++) {
        double turn = row_turn(f, i, at);
        double c = f->a[i] * cos(turn) + f->b[i] * sin(turn);
        double s = f->b[i] * cos(turn) - f->a[i] * sin(turn);
        const double *tc = f->c + i * f->padded, *ts = f->s + i * f->padded;
        for (int64_t x = 0; x < f->length; x++)
            u[x] += c * tc[x] + s * ts[x];
    }
    for (int64_t x = 0; x < f->length; x++, p += step)
        gf_real_put(p, 0, is_double, gf_real_get(p, 0, is_double) - u[x]);
}

/* ---- the whole ---- */

static void make_tables(struct fit *f) {
    for (int64_t x = 0; x < f->length; x++)
        f->window[x] = window_at(x, f->length);
    for (int i = 0; i < f->n; i++)
        for (int64_t x = 0; x < f->length; x++) {
            double turn = 2 * M_PI * fmod(f->wave[i].frequency[f->ndim - 1] * (double)x, 1);
            f->c[i * f->padded + x] = cos(turn);
            f->s[i * f->padded + x] = sin(turn);
        }
}

static void one_channel(struct fit *f, int64_t channel, const double *matrix, double *m,
                        struct gf_sinusoid *wave) {
    const int unknowns = 2 * f->n + 1;
    double x[MOST_UNKNOWNS];
    correlate(f, x, unknowns);
    memcpy(m, matrix, (size_t)(unknowns * unknowns) * sizeof *m);
    gf_solve(m, x, unknowns);
    for (int i = 0; i < f->n; i++) {
        double sum[2], points = 1;
        for (int k = 0; k < f->ndim; k++)
            points *= (double)f->px.shape[k];
        const double *factor = wave[i].known ? wave[i].known + 2 * channel : x + 2 * i + 1;
        f->a[i] = factor[0];
        f->b[i] = factor[1];
        window_sum(f, wave[i].frequency, false, sum);
        f->mean[i] = (f->a[i] * sum[0] + f->b[i] * sum[1]) / points;
        wave[i].amplitude = fmax(wave[i].amplitude, hypot(f->a[i], f->b[i]));
    }
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (int64_t row = 0; row < f->rows; row++)
        subtract_row(f, row, f->row + omp_get_thread_num() * f->padded);
}

int gf_waves_subtract(struct gf_array *samples, int ndim, int threads, struct gf_sinusoid *wave,
                      int n) {
    struct fit f = {.ndim = ndim, .n = n, .threads = threads > 0 ? threads : 1, .wave = wave};
    const int unknowns = 2 * n + 1;
    f.px = gf_array_index(samples, ndim, 0);
    f.length = samples->shape[ndim - 1];
    f.padded = f.length + LANES;
    f.rows = 1;
    for (int i = 0; i < ndim - 1; i++)
        f.rows *= samples->shape[i];
    f.c = calloc((size_t)((2 * n + 1 + f.threads) * f.padded), sizeof *f.c);
    double *matrix = calloc((size_t)((2 * unknowns + BLOCKS) * unknowns), sizeof *matrix);
    int rc = f.c && matrix ? 0 : gf_no_memory();
    if (rc)
        goto out;
    f.s = f.c + n * f.padded;
    f.window = f.s + n * f.padded;
    f.row = f.window + f.padded;
    f.part = matrix + 2 * unknowns * unknowns;
    make_tables(&f);
    fill_matrix(&f, matrix, unknowns);
    for (int i = 0; i < n; i++)
        wave[i].amplitude = 0;
    for (int64_t c = 0; c < samples->shape[ndim]; c++) {
        f.px = gf_array_index(samples, ndim, c);
        one_channel(&f, c, matrix, matrix + unknowns * unknowns, wave);
    }
out:
    free(f.c);
    free(matrix);
    return rc;
}

int64_t gf_waves_bytes(const int64_t *shape, int ndim, int n, int threads) {
    int64_t row = (shape[ndim - 1] + LANES) * 8, unknowns = 2 * n + 1;
    return row * (unknowns + threads) + (2 * unknowns + BLOCKS) * unknowns * 8 + 4096;
}
