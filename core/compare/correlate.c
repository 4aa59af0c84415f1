/* Correlates two signals and finds the peak, to a fraction of a sample. */
#include "core/compare/correlate.h"

#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/spectrum/bins.h"

/* Samples of a peak along an axis, on one side and in all; complex factors of a bin for them. */
enum { SIDE = 4, OFFSETS = 2 * SIDE - 1, FACTORS = SIDE + 1 };
enum { PART = 128, SOME = 1 << 14 }; /* bins: of a row at a time, and all of which are measured */

typedef float quad __attribute__((vector_size(16), may_alias));

/* ---- windows ---- */

/* Fills the windows of n[0] + n[1] + n[2] samples, those of axes without one with 1. */
static void make_windows(const int64_t n[3], const double middle[3], const double less[3],
                         unsigned axes, float *window) {
    for (int axis = 0; axis < 3; window += n[axis++])
        for (int64_t i = 0; i < n[axis]; i++) {
            const double length = (double)n[axis] - less[axis];
            const double from = (double)i - (double)(n[axis] - 1) / 2 - middle[axis];
            const double t = length > 0 ? 2 * fabs(from) / length : 1;
            const bool flat = n[axis] == 1 || !(axes >> axis & 1) || t <= 0.5;
            window[i] = flat ? 1 : t >= 1 ? 0 : (float)(0.5 - 0.5 * cos(2 * M_PI * t));
        }
}

/* Fills a row with scale (v - base). */
static void load_row(const void *px, bool is_double, int64_t n, double base, double scale,
                     float *to) {
    const double *v = px;
    const float *narrow = px, own = (float)base;
    for (int64_t x = 0; x < (is_double ? n : 0); x++)
        to[x] = (float)(scale * (v[x] - base));
    for (int64_t x = 0; x < (is_double ? 0 : n); x++)
        to[x] = narrow[x] - own;
}

/* The same with the means of 2x2 samples of two rows. */
static void load_pairs(const float *px, int64_t line, int64_t n, float base, float *to) {
#pragma omp simd
    for (int64_t x = 0; x < n; x++)
        to[x] = 0.25f * px[2 * x] + 0.25f * px[2 * x + 1] + 0.25f * px[line + 2 * x] +
                0.25f * px[line + 2 * x + 1] - base;
}

/* The weighted sum of a row; raises *top to the largest magnitude. */
static double sum_row(const float *row, const float *window, int64_t n, float *top) {
    float sum = 0, most = *top;
#pragma omp simd reduction(+ : sum) reduction(max : most)
    for (int64_t x = 0; x < n; x++) {
        const float size = fabsf(row[x]);
        sum += window[x] * row[x];
        most = most > size ? most : size;
    }
    *top = most;
    return (double)sum;
}

/* Replaces v by w window[x] (v - mean); returns the sum of squares. */
static double taper_row(float *row, const float *window, int64_t n, float w, float mean) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t x = 0; x < n; x++) {
        row[x] = w * window[x] * (row[x] - mean);
        sum += row[x] * row[x];
    }
    return (double)sum;
}

int gf_taper(const struct gf_array *px, const double *middle, const double *less, unsigned axes,
             int threads, struct gf_array *to, double *energy) {
    const int missing = 3 - px->rank;
    const bool is_double = px->dtype == GF_F64, halves = to->shape[0] != px->shape[0];
    int64_t n[3] = {1, 1, 1};
    const int64_t size = (int64_t)gf_dtype_size(px->dtype);
    double at[3] = {0}, shorter[3] = {0}, weights[3] = {0}, mean = 0, most = 0;
    float top = 0;
    for (int i = 0; i < px->rank; i++) {
        n[missing + i] = to->shape[i];
        at[missing + i] = middle ? middle[i] : 0;
        shorter[missing + i] = less ? less[i] : 0;
    }
    const int64_t rows = n[0] * n[1], line = px->shape[px->rank - 1];
    float *window = malloc((size_t)(n[0] + n[1] + n[2]) * sizeof *window);
    double *sum = malloc((size_t)rows * sizeof *sum);
    if (!window || !sum) {
        free(window);
        free(sum);
        return gf_no_memory();
    }
    make_windows(n, at, shorter, axes << missing, window);
    const float *along = window + n[0] + n[1];
    for (int64_t i = 0; i < n[0] + n[1] + n[2]; i++)
        weights[i < n[0] ? 0 : i < n[0] + n[1] ? 1 : 2] += (double)window[i];
    for (int64_t i = 0; i < rows * n[2] && is_double; i++)
        most = fmax(most, fabs(((const double *)px->data)[i]));
    const double base = gf_real_get(px->data, 0, is_double), unit = most > 0 ? 1 / most : 1;
#pragma omp parallel for num_threads(threads) reduction(max : top)
    for (int64_t r = 0; r < rows; r++) {
        float *row = (float *)to->data + r * n[2];
        const char *from = (const char *)px->data + (r << halves) * line * size;
        if (halves)
            load_pairs((const float *)from, line, n[2], (float)base, row);
        else
            load_row(from, is_double, n[2], base, unit, row);
        sum[r] = sum_row(row, along, n[2], &top);
    }
    for (int64_t r = 0; r < rows; r++)
        mean += (double)(window[r / n[1]] * window[n[0] + r % n[1]]) * sum[r];
    mean /= weights[0] * weights[1] * weights[2];
    const float scale = top > 0 ? 1 / top : 1; /* no square overflows */
#pragma omp parallel for num_threads(threads)
    for (int64_t r = 0; r < rows; r++)
        sum[r] = taper_row((float *)to->data + r * n[2], along, n[2],
                           scale * window[r / n[1]] * window[n[0] + r % n[1]], (float)mean);
    *energy = 0;
    for (int64_t r = 0; r < rows; r++)
        *energy += sum[r];
    *energy = *energy > 1e-28 * (double)(rows * n[2]) ? *energy : 0; /* rounding of the mean */
    free(window);
    free(sum);
    return 0;
}

/* ---- phases ---- */

/* The part of a bin's squared distance that its row has. */
static double row_square(const struct gf_bins *b, int64_t row) {
    return gf_bins_square(b, 0, row / b->n[1]) + gf_bins_square(b, 1, row % b->n[1]);
}

int gf_ring_shares(const struct gf_spectrum *s, float **share) {
    const int64_t n = gf_spectrum_ring_count(s);
    struct gf_bins b;
    gf_bins_view(s, &b);
    const int64_t rows = b.n[0] * b.n[1], many = rows * b.stored > SOME;
    const int64_t step = 1 + gf_max(rows / 1024, many); /* some rows tell enough */
    double *along = gf_bins_squares(&b);
    double *sum = calloc(2 * (size_t)n, sizeof *sum), floor = INFINITY;
    int rc = along && sum && (*share || (*share = malloc((size_t)n * sizeof **share)))
                 ? 0
                 : gf_no_memory();
    for (int64_t r = 0; r < rows && !rc; r += step) {
        const float *p = (const float *)s->px.data + 2 * r * b.stored;
        const double square = row_square(&b, r);
        for (int64_t x = 0; x < b.stored; x++, p += 2) {
            double *of = &sum[2 * gf_bins_ring(square + along[x])];
            of[0] += gf_bins_weight(&b, x) * (double)(p[0] * p[0] + p[1] * p[1]);
            of[1] += gf_bins_weight(&b, x);
        }
    }
    for (int64_t r = 0; r < n && !rc; r++)
        sum[2 * r] /= fmax(sum[2 * r + 1], 1);
    for (int64_t r = 1; r + 4 < n && 2 * (r + 4) < b.longest && !rc; r++) {
        double power = 0;
        for (int64_t k = r; k < r + 5; k++)
            power += sum[2 * k] / 5;
        floor = fmin(floor, power);
    }
    for (int64_t r = 0; r < n && !rc; r++)
        (*share)[r] = (float)(sum[2 * r] > floor ? 1 - floor / sum[2 * r] : isinf(floor));
    free(along);
    free(sum);
    return rc;
}

/* Fills a row with the phases of p conj(q), times the bins' shares. */
static void fill_phases(const float *p, const float *q, int64_t n, const float *share, float *out) {
#pragma omp simd
    for (int64_t x = 0; x < n; x++) {
        const float re = p[2 * x] * q[2 * x] + p[2 * x + 1] * q[2 * x + 1];
        const float im = p[2 * x + 1] * q[2 * x] - p[2 * x] * q[2 * x + 1];
        const float size = sqrtf(re * re + im * im);
        const float w = share[x] / (size > 0 ? size : 1);
        out[2 * x] = re * w;
        out[2 * x + 1] = im * w;
    }
}

int gf_cross_phases(const struct gf_spectrum *f, const float *shares, const struct gf_spectrum *g,
                    struct gf_spectrum *to) {
    struct gf_bins b;
    gf_bins_view(f, &b);
    const float *p = f->px.data, *q = g->px.data;
    float *share = NULL, *out = to->px.data;
    double *along = gf_bins_squares(&b);
    int rc = along ? gf_ring_shares(g, &share) : gf_no_memory();
    for (int64_t r = 0; r < gf_spectrum_ring_count(f) && !rc; r++)
        share[r] = r ? sqrtf(share[r] * shares[r]) + 0.01f : 0; /* means differ; all may be noise */
#pragma omp parallel for num_threads(b.threads)
    for (int64_t r = 0; r < (rc ? 0 : b.n[0] * b.n[1]); r++) {
        const double square = row_square(&b, r);
        float own[PART];
        int32_t ring[PART];
        for (int64_t from = 0; from < b.stored; from += PART) {
            const int64_t n = gf_min(PART, b.stored - from), at = 2 * (r * b.stored + from);
#pragma omp simd
            for (int64_t x = 0; x < n; x++)
                ring[x] = (int32_t)(sqrt(square + along[from + x]) + 0.5);
            for (int64_t x = 0; x < n; x++)
                own[x] = share[ring[x]];
            fill_phases(p + at, q + at, n, own, out + at);
        }
    }
    free(along);
    free(share);
    return rc;
}

void gf_cross_power(const struct gf_array *a, struct gf_array *b) {
    const bool is_double = a->dtype == GF_C128;
    const int64_t n = gf_array_count(a);
    const float *p = a->data;
    float *q = b->data;
#pragma omp simd
    for (int64_t i = 0; i < (is_double ? 0 : n); i++) {
        const float re = q[2 * i], im = q[2 * i + 1];
        q[2 * i] = p[2 * i] * re + p[2 * i + 1] * im;
        q[2 * i + 1] = p[2 * i + 1] * re - p[2 * i] * im;
    }
    for (int64_t i = 0; i < (is_double ? n : 0); i++) {
        const struct gf_number y = gf_number_conjugate(gf_number_get(q, i, true));
        gf_number_put(q, i, true, gf_number_times(gf_number_get(p, i, true), y));
    }
}

/* ---- peaks ---- */

/* The highest point of a parabola through three samples, as an offset from the middle one. */
static double vertex(double before, double middle, double after) {
    const double bend = before - 2 * middle + after;
    return bend < 0 ? fmax(-0.5, fmin(0.5, 0.5 * (before - after) / bend)) : 0;
}

/* A trough counts if it is so much deeper than the highest peak: a wave has both alike. */
static const double DEEPER = 1.2;

void gf_correlation_peak(const struct gf_spectrum *s, const struct gf_array *surface, bool troughs,
                         struct gf_correlation_peak *peak) {
    const float *v = surface->data;
    const int64_t count = gf_array_count(surface), line = surface->shape[surface->rank - 1];
    int64_t best = 0, deep = 0;
    double squares = 0;
    for (int64_t r = 0; r < count; r += line) {
        float sum = 0, most = v[best], least = v[deep];
#pragma omp simd reduction(+ : sum) reduction(max : most) reduction(min : least)
        for (int64_t i = r; i < r + line; i++) {
            sum += v[i] * v[i];
            most = most > v[i] ? most : v[i];
            least = least < v[i] ? least : v[i];
        }
        for (int64_t i = r; most > v[best]; i++)
            best = v[i] == most ? i : best;
        for (int64_t i = r; least < v[deep]; i++)
            deep = v[i] == least ? i : deep;
        squares += (double)sum;
    }
    *peak = (struct gf_correlation_peak){.inverted = troughs &&
                                                     (double)-v[deep] > DEEPER * (double)v[best]};
    best = peak->inverted ? deep : best;
    peak->height = squares > 0 ? fabs((double)v[best]) / sqrt(squares / (double)count) : 0;
    for (int64_t axis = s->ndim - 1, step = 1; axis >= 0; step *= s->shape[axis--]) {
        const int64_t n = s->shape[axis], at = best / step % n, base = best - at * step;
        const float *before = v + base + (at + n - 1) % n * step;
        const float *after = v + base + (at + 1) % n * step;
        peak->shift[axis] = (double)gf_bins_signed(at, n) +
                            (n > 2 ? vertex((double)*before, (double)v[best], (double)*after) : 0);
    }
}

/* ---- between samples ---- */

/* Cosines and sines of the first SIDE multiples of an angle. */
static void make_waves(double angle, float *wave) {
    const struct gf_number turn = {cos(angle), sin(angle)};
    struct gf_number e = {1, 0};
    for (int j = 0; j < SIDE; j++) {
        wave[j] = (float)e.re;
        wave[SIDE + j] = (float)e.im;
        e = gf_number_times(e, turn);
    }
}

/* Sums an axis's bins at OFFSETS shifts around `at`, and makes that axis the slowest one:
 * to[j][row] = sum of from[row][k] exp(2 pi i k shift_j / n). Shifts on both sides of `at` share
 * their products with cosines and sines. `wave` has room for the factors. */
static void sum_axis(const struct gf_bins *b, int axis, double at, double step, float *wave,
                     const float *from, float *to) {
    const int64_t n = b->n[axis], bins = axis == 2 ? b->stored : n;
    const int64_t rows = axis == 2   ? b->n[0] * b->n[1]
                         : axis == 1 ? OFFSETS * b->n[0]
                                     : OFFSETS * OFFSETS;
    const int64_t both = axis < 2 && n % 2 == 0 ? n / 2 : -1; /* a bin that stands for both signs */
    float *turn = wave + 2 * SIDE * bins;
    for (int64_t k = 0; k < bins; k++) {
        const double angle = 2 * M_PI * (double)gf_bins_signed(k, n) / (double)n;
        const double weight = k == both ? 0 : axis == 2 ? gf_bins_weight(b, k) : 1;
        turn[2 * k] = (float)(weight * cos(angle * at));
        turn[2 * k + 1] = (float)(weight * sin(angle * at));
        make_waves(angle * step, wave + 2 * SIDE * k);
    }
#pragma omp parallel for num_threads(b->threads)
    for (int64_t r = 0; r < rows; r++) {
        const float *v = from + 2 * r * bins, *t = turn;
        const quad *w = (const quad *)wave;
        quad sum[4] = {{0}}; /* both parts by cosines, then by sines */
        for (int64_t k = 0; k < bins; k++, v += 2, t += 2, w += 2) {
            const float re = v[0] * t[0] - v[1] * t[1], im = v[0] * t[1] + v[1] * t[0];
            sum[0] += re * w[0];
            sum[1] += im * w[0];
            sum[2] += re * w[1];
            sum[3] += im * w[1];
        }
        for (int j = -SIDE + 1; j < SIDE; j++) {
            const float sign = j < 0 ? -1 : 1, *last = from + 2 * (r * bins + gf_max(both, 0));
            const float even = both < 0 ? 0 : (float)cos(M_PI * (at + step * j));
            float *out = to + 2 * ((SIDE - 1 + j) * rows + r);
            out[0] = sum[0][abs(j)] - sign * sum[3][abs(j)] + even * last[0];
            out[1] = sum[1][abs(j)] + sign * sum[2][abs(j)] + even * last[1];
        }
    }
}

/* The polynomial through OFFSETS samples an axis, x fastest, at a place in steps from the middle. */
static double value_at(const float *v, const double at[3]) {
    double w[3][OFFSETS], sum = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int j = 0; j < OFFSETS; j++) {
            w[axis][j] = 1;
            for (int m = 0; m < OFFSETS; m++)
                w[axis][j] *= m == j ? 1 : (at[axis] + OFFSETS / 2 - m) / (j - m);
        }
    for (int i = 0; i < OFFSETS * OFFSETS; i++, v += 2 * OFFSETS) {
        const double weight = w[0][i / OFFSETS] * w[1][i % OFFSETS];
        for (int j = 0; j < OFFSETS && weight != 0; j++) /* a picture has one plane with weight */
            sum += weight * w[2][j] * (double)v[2 * j];
    }
    return sum;
}

/* Samples the correlation around `shift`, moves that to the maximum, and sets *height; true if that
 * is the farthest sample along an axis. */
static bool climb(const struct gf_bins *b, const float *product, double step, float *work,
                  double shift[3], double *height) {
    float *rows = work + 2 * FACTORS * b->longest, *planes = rows + 2 * OFFSETS * b->n[0] * b->n[1];
    float *v = planes + 2 * OFFSETS * OFFSETS * b->n[0];
    double at[3];
    bool far = false;
    int best = 0;
    sum_axis(b, 2, shift[2], step, work, product, rows);
    sum_axis(b, 1, shift[1], step, work, rows, planes);
    sum_axis(b, 0, shift[0], step, work, planes, v);
    for (int k = 0; k < OFFSETS * OFFSETS * OFFSETS; k++)
        best = v[2 * k] > v[2 * best] ? k : best;
    for (int i = 2, rest = best; i >= 0; i--, rest /= OFFSETS) {
        at[i] = b->n[i] == 1 ? 0 : rest % OFFSETS - OFFSETS / 2;
        far = far || fabs(at[i]) == OFFSETS / 2;
    }
    for (double apart = 0.8; apart > 0.02 && !far; apart /= 2)
        for (int i = 0; i < 3; i++) {
            const double middle = at[i];
            double of[3];
            for (int k = 0; k < 3; k++) {
                at[i] = middle + (k - 1) * apart;
                of[k] = value_at(v, at);
            }
            at[i] = b->n[i] == 1 ? 0 : middle + apart * vertex(of[0], of[1], of[2]);
        }
    *height = value_at(v, at);
    for (int i = 0; i < 3; i++)
        shift[i] += step * at[i];
    return far;
}

int gf_correlation_refine(const struct gf_spectrum *f, struct gf_spectrum *g,
                          const double energy[2], bool inverted, double *shift, double *height) {
    float *q = g->px.data;
    struct gf_bins b;
    double at[3] = {0};
    gf_bins_view(f, &b);
    const int64_t rows = b.n[0] * b.n[1], room = FACTORS * b.longest + OFFSETS * rows +
                                                 OFFSETS * OFFSETS * (b.n[0] + OFFSETS);
    float *work = gf_alloc((size_t)room * 2 * sizeof *work);
    if (!work)
        return gf_no_memory();
    gf_cross_power(&f->px, &g->px);
    for (int64_t i = 0; inverted && i < 2 * gf_array_count(&g->px); i++)
        q[i] = -q[i];
    memcpy(at + 3 - f->ndim, shift, (size_t)f->ndim * sizeof *at);
    if (climb(&b, q, 0.2, work, at, height)) { /* a blurred peak may be far */
        for (int i = 0; i < 9 && climb(&b, q, 0.4, work, at, height);)
            i++;
        climb(&b, q, 0.2, work, at, height);
    }
    *height *= (inverted ? -1 : 1) / (b.points * sqrt(energy[0] * energy[1]));
    memcpy(shift, at + 3 - f->ndim, (size_t)f->ndim * sizeof *at);
    gf_free(work);
    return 0;
}
