/* Correlates two signals and finds the peak, to a fraction of a sample. */
#include "core/compare/correlate.h"

#include <stdlib.h>

#include "core/base/status.h"
#include "core/spectrum/bins.h"

enum { OFFSETS = 7, LANES = 8 }; /* samples of a peak along an axis, and room for them */

/* ---- windows ---- */

/* Fills the windows of n[0] + n[1] + n[2] samples, those of axes without one with 1. */
static void make_windows(const int64_t n[3], const double shift[3], double side, unsigned axes,
                         double *window) {
    for (int axis = 0; axis < 3; window += n[axis++])
        for (int64_t i = 0; i < n[axis]; i++) {
            const double length = (double)n[axis] - fabs(shift[axis]);
            const double from = (double)i - (double)(n[axis] - 1) / 2 - side * shift[axis] / 2;
            const double t = length > 0 ? 2 * fabs(from) / length : 1;
            const bool flat = n[axis] == 1 || !(axes >> axis & 1) || t <= 0.5;
            window[i] = flat ? 1 : t >= 1 ? 0 : 0.5 - 0.5 * cos(2 * M_PI * t);
        }
}

/* The sum of a row's samples, weighted; raises *top to the largest magnitude. */
static inline double sum_samples(const void *px, bool wide, const double *window, int64_t n,
                                 double *top) {
    double sum = 0, most = *top;
#pragma omp simd reduction(+ : sum) reduction(max : most)
    for (int64_t x = 0; x < n; x++) {
        const double v = gf_real_get(px, x, wide), size = v < 0 ? -v : v;
        sum += window[x] * v;
        most = most > size ? most : size;
    }
    *top = most;
    return sum;
}

/* Fills a row with w window[x] (v - mean); returns the sum of squares. */
static inline double fill_row(const void *px, bool wide, const double *window, int64_t n, double w,
                              double mean, float *to) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t x = 0; x < n; x++) {
        const double v = w * window[x] * (gf_real_get(px, x, wide) - mean);
        to[x] = (float)v;
        sum += v * v;
    }
    return sum;
}

int gf_taper(const struct gf_array *px, const double *shift, double side, unsigned axes,
             int threads, struct gf_array *to, double *energy) {
    const int missing = 3 - px->rank;
    const bool wide = px->dtype == GF_F64;
    int64_t n[3] = {1, 1, 1};
    double by[3] = {0}, weights[3] = {0}, mean = 0, top = 0;
    for (int i = 0; i < px->rank; i++) {
        n[missing + i] = px->shape[i];
        by[missing + i] = shift ? shift[i] : 0;
    }
    const int64_t rows = n[0] * n[1], stride = n[2] * (int64_t)gf_dtype_size(px->dtype);
    double *window = malloc((size_t)(n[0] + n[1] + n[2] + rows) * sizeof *window);
    if (!window)
        return gf_no_memory();
    make_windows(n, by, side, axes << missing, window);
    double *along = window + n[0] + n[1], *sum = along + n[2];
    for (int64_t i = 0; i < n[0] + n[1] + n[2]; i++)
        weights[i < n[0] ? 0 : i < n[0] + n[1] ? 1 : 2] += window[i];
#pragma omp parallel for num_threads(threads) reduction(max : top)
    for (int64_t r = 0; r < rows; r++) {
        const char *from = (const char *)px->data + r * stride;
        sum[r] = wide ? sum_samples(from, true, along, n[2], &top)
                      : sum_samples(from, false, along, n[2], &top);
    }
    for (int64_t r = 0; r < rows; r++)
        mean += window[r / n[1]] * window[n[0] + r % n[1]] * sum[r];
    mean /= weights[0] * weights[1] * weights[2];
    const double scale = top > 0 ? 1 / top : 1; /* no square overflows */
#pragma omp parallel for num_threads(threads)
    for (int64_t r = 0; r < rows; r++) {
        const double w = scale * window[r / n[1]] * window[n[0] + r % n[1]];
        const char *from = (const char *)px->data + r * stride;
        float *row = (float *)to->data + r * n[2];
        sum[r] = wide ? fill_row(from, true, along, n[2], w, mean, row)
                      : fill_row(from, false, along, n[2], w, mean, row);
    }
    *energy = 0;
    for (int64_t r = 0; r < rows; r++)
        *energy += sum[r];
    *energy = *energy > 1e-28 * (double)(rows * n[2]) ? *energy : 0; /* rounding of the mean */
    free(window);
    return 0;
}

/* ---- phases ---- */

/* Fills share[ring] with the share of its power above that of the quietest five rings in a row. */
static int find_shares(const struct gf_spectrum *s, int64_t n, double *share) {
    struct gf_energy energy;
    struct gf_ring *ring = malloc((size_t)n * sizeof *ring);
    int rc = ring ? gf_spectrum_rings(s, ring, &energy) : gf_no_memory();
    double floor = INFINITY;
    for (int64_t r = 1; r + 4 < n && ring[r + 4].frequency < 0.5 && !rc; r++) {
        double power = 0;
        for (int64_t k = r; k < r + 5; k++)
            power += ring[k].mean / 5;
        floor = fmin(floor, power);
    }
    for (int64_t r = 0; r < n && !rc; r++)
        share[r] = ring[r].mean > floor ? 1 - floor / ring[r].mean : isinf(floor);
    free(ring);
    return rc;
}

int gf_cross_phases(const struct gf_spectrum *f, const struct gf_spectrum *g,
                    struct gf_spectrum *to) {
    const int64_t rings = gf_spectrum_ring_count(f);
    struct gf_bins b;
    gf_bins_view(f, &b);
    double *share = malloc(2 * (size_t)rings * sizeof *share), *other = share + rings;
    double *along = gf_bins_squares(&b);
    int rc = share && along ? find_shares(f, rings, share) : gf_no_memory();
    if (!rc)
        rc = find_shares(g, rings, other);
    for (int64_t r = 0; r < rings && !rc; r++)
        share[r] = sqrt(share[r] * other[r]) + 0.01; /* some of all, in case all is noise */
    const float *p = f->px.data, *q = g->px.data;
    float *out = to->px.data;
#pragma omp parallel for num_threads(b.threads)
    for (int64_t r = 0; r < b.n[0] * b.n[1]; r++) {
        const double square = gf_bins_square(&b, 0, r / b.n[1]) + gf_bins_square(&b, 1, r % b.n[1]);
        for (int64_t x = 0, i = r * b.stored; x < b.stored && !rc; x++, i++) {
            const double re = (double)p[2 * i] * q[2 * i] + (double)p[2 * i + 1] * q[2 * i + 1];
            const double im = (double)p[2 * i + 1] * q[2 * i] - (double)p[2 * i] * q[2 * i + 1];
            const double size = sqrt(re * re + im * im);
            const double w = i && size > 0 ? share[gf_bins_ring(square + along[x])] / size : 0;
            out[2 * i] = (float)(re * w);
            out[2 * i + 1] = (float)(im * w);
        }
    }
    free(along);
    free(share);
    return rc;
}

/* ---- peaks ---- */

/* The highest point of a parabola through three samples, as an offset from the middle one. */
static double vertex(double before, double middle, double after) {
    const double bend = before - 2 * middle + after;
    return bend < 0 ? fmax(-0.5, fmin(0.5, 0.5 * (before - after) / bend)) : 0;
}

void gf_correlation_peak(const struct gf_spectrum *s, const struct gf_array *surface,
                         struct gf_correlation_peak *peak) {
    const float *v = surface->data;
    const int64_t count = gf_array_count(surface), line = surface->shape[surface->rank - 1];
    int64_t best = 0;
    double squares = 0;
    for (int64_t r = 0; r < count; r += line) {
        double sum = 0;
        for (int64_t i = r; i < r + line; i++) {
            sum += (double)(v[i] * v[i]);
            best = v[i] > v[best] ? i : best;
        }
        squares += sum;
    }
    *peak = (struct gf_correlation_peak){0};
    peak->height = squares > 0 ? (double)v[best] / sqrt(squares / (double)count) : 0;
    for (int64_t axis = s->ndim - 1, step = 1; axis >= 0; step *= s->shape[axis--]) {
        const int64_t n = s->shape[axis], at = best / step % n, base = best - at * step;
        const float *before = v + base + (at + n - 1) % n * step;
        const float *after = v + base + (at + 1) % n * step;
        peak->shift[axis] = (double)gf_bins_signed(at, n) +
                            (n > 2 ? vertex((double)*before, (double)v[best], (double)*after) : 0);
    }
}

/* ---- between samples ---- */

/* Sums an axis's bins at OFFSETS shifts around `at`, and makes that axis the slowest one:
 * to[j][row] = sum of from[row][k] exp(2 pi i k shift_j / n). `wave` has room for the factors. */
static void sum_axis(const struct gf_bins *b, int axis, double at, double step, float *wave,
                     const float *from, float *to) {
    const int64_t n = b->n[axis], bins = axis == 2 ? b->stored : n;
    const int64_t rows = axis == 2   ? b->n[0] * b->n[1]
                         : axis == 1 ? OFFSETS * b->n[0]
                                     : OFFSETS * OFFSETS;
    for (int64_t k = 0; k < bins; k++)
        for (int j = 0; j < LANES; j++) {
            const double shift = at + (j - OFFSETS / 2) * step;
            const double angle = 2 * M_PI * (double)gf_bins_signed(k, n) * shift / (double)n;
            wave[2 * LANES * k + j] = (float)cos(angle);
            wave[2 * LANES * k + LANES + j] = 2 * k == n ? 0 : (float)sin(angle); /* both signs */
        }
#pragma omp parallel for num_threads(b->threads)
    for (int64_t r = 0; r < rows; r++) {
        float re[LANES] = {0}, im[LANES] = {0};
        for (int64_t k = 0; k < bins; k++) {
            const float *w = wave + 2 * LANES * k, *v = from + 2 * (r * bins + k);
            for (int j = 0; j < LANES; j++) {
                re[j] += v[0] * w[j] - v[1] * w[LANES + j];
                im[j] += v[0] * w[LANES + j] + v[1] * w[j];
            }
        }
        for (int j = 0; j < OFFSETS; j++) {
            to[2 * (j * rows + r)] = re[j];
            to[2 * (j * rows + r) + 1] = im[j];
        }
    }
}

/* Samples the correlation around `shift`, and moves that to the highest sample. */
static double climb(const struct gf_bins *b, const float *product, double step, float *work,
                    double shift[3]) {
    float *rows = work + 2 * LANES * b->longest, *planes = rows + 2 * OFFSETS * b->n[0] * b->n[1];
    float *v = planes + 2 * OFFSETS * OFFSETS * b->n[0];
    int best = 0;
    sum_axis(b, 2, shift[2], step, work, product, rows);
    sum_axis(b, 1, shift[1], step, work, rows, planes);
    sum_axis(b, 0, shift[0], step, work, planes, v);
    for (int k = 0; k < OFFSETS * OFFSETS * OFFSETS; k++)
        best = v[2 * k] > v[2 * best] ? k : best;
    for (int i = 2, stride = 1; i >= 0; i--, stride *= OFFSETS) {
        const int at = best / stride % OFFSETS;
        const bool inside = at > 0 && at<OFFSETS - 1, moves = b->n[i]> 1;
        shift[i] += moves * step *
                    (at - OFFSETS / 2 +
                     (inside ? vertex((double)v[2 * (best - stride)], (double)v[2 * best],
                                      (double)v[2 * (best + stride)])
                             : 0));
    }
    return (double)v[2 * best];
}

int gf_correlation_refine(const struct gf_spectrum *f, struct gf_spectrum *g,
                          const double energy[2], double *shift, double *height) {
    const float *p = f->px.data;
    float *q = g->px.data;
    struct gf_bins b;
    double at[3] = {0}, from[3], far = 2;
    gf_bins_view(f, &b);
    const int64_t rows = b.n[0] * b.n[1], room = LANES * b.longest + OFFSETS * rows +
                                                 OFFSETS * OFFSETS * (b.n[0] + OFFSETS);
    float *work = gf_alloc((size_t)room * 2 * sizeof *work);
    if (!work)
        return gf_no_memory();
    for (int64_t i = 0; i < rows * b.stored; i++) {
        const float twice = (float)gf_bins_weight(&b, i % b.stored), re = q[2 * i];
        q[2 * i] = twice * (p[2 * i] * re + p[2 * i + 1] * q[2 * i + 1]);
        q[2 * i + 1] = twice * (p[2 * i + 1] * re - p[2 * i] * q[2 * i + 1]);
    }
    memcpy(at + 3 - f->ndim, shift, (size_t)f->ndim * sizeof *at);
    for (int i = 0; i < 9 && far > 1; i++) { /* a blurred peak may be farther away than a step */
        memcpy(from, at, sizeof at);
        climb(&b, q, 0.4, work, at);
        far = fmax(fabs(at[0] - from[0]), fmax(fabs(at[1] - from[1]), fabs(at[2] - from[2])));
    }
    *height = climb(&b, q, 0.06, work, at) / b.points / sqrt(energy[0] * energy[1]);
    memcpy(shift, at + 3 - f->ndim, (size_t)f->ndim * sizeof *at);
    gf_free(work);
    return 0;
}
