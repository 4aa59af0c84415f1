/* Wiener and Tikhonov filters, and the estimate of a sharp picture's power spectrum. */
#include "core/restore/wiener.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "core/base/value/status.h"

static const double LOWEST = 1. / (1 << 24), WIDTH = 0.16; /* of bands: log of the ratio */
static const double CAUTION = 2;   /* times N: the edges are guessed, S varies within a band */
static const double LEAST = 1e-12; /* noise, as a share of the picture's power: rounding */
/* A band counts if its signal is this share of the noise, which is not known better, and this many
 * of the noise's deviations; the law is fitted to bands that are above it. */
static const double SHARE = 0.2, CHANCE = 3, SURE = 1;
/* Bins of this |H|^2 and below show what is no blurred picture: noise, and guessed edges. */
static const double FAINT = 1e-3;
enum { ENOUGH = 30 /* of them in a band */ };
/* The most rise of S above that of coarser bands. Bands from FINE cycles a sample on have at most
 * this multiple of white noise. */
static const double RISE = 1.5, FINE = 0.25, MOST_WHITE = 2;
/* The least and the greatest exponent of the power law for one axis; others add 1 an axis. */
static const double LEAST_SLOPE = 0.5, MOST_SLOPE = 4;

enum { PARTS = 64 };
/* All rows of a table are measured up to this frequency, and above it some of them. */
static const double WHOLE = 1. / 32;
enum { ROWS = 2048 };
/* Sums over a band's bins. */
enum sum { COUNT, HH, GHH, HHHH, LOW, LOW_HH, LOW_G, SUMS };
typedef double bands[GF_PRIOR_BANDS][SUMS];

static bool on(const struct gf_job *job, int axis) {
    return job->axes >> axis & 1;
}

/* Squares of frequencies: where bands begin, and their centres. */
struct scale {
    double edge[GF_PRIOR_BANDS + 1], centre[GF_PRIOR_BANDS];
};

static double centre_of(int band) {
    return LOWEST * exp(WIDTH * (band + 0.5));
}

static struct scale make_scale(void) {
    struct scale s;
    for (int i = 0; i <= GF_PRIOR_BANDS; i++)
        s.edge[i] = pow(LOWEST * exp(WIDTH * i), 2);
    for (int i = 0; i < GF_PRIOR_BANDS; i++)
        s.centre[i] = pow(centre_of(i), 2);
    return s;
}

/* The last i with at[i] <= square, or 0, from one nearby. */
static int search(const double *at, int n, double square, int i) {
    while (i + 1 < n && square >= at[i + 1])
        i++;
    while (i > 0 && square < at[i])
        i--;
    return i;
}

/* A row of a table: its first element, its index along each axis but the last, and the sum of the
 * squared frequencies along these, in cycles a sample. */
struct row {
    int64_t first, n, index[GF_MAX_DIMS];
    double square;
};

static double frequency(const struct gf_job *job, int axis, int64_t k) {
    const int64_t n = job->shape[axis];
    return on(job, axis) ? (double)(2 * k > n ? n - k : k) / (double)n : 0;
}

static int64_t rows_of(const struct gf_job *job, const struct gf_array *table) {
    return gf_shape_count(table->shape, job->ndim - 1);
}

static struct row row_of(const struct gf_job *job, const struct gf_array *table, int64_t row) {
    const int last = job->ndim - 1;
    struct row r = {.n = table->shape[last], .first = row * table->shape[last]};
    for (int i = last - 1; i >= 0; i--) {
        r.index[i] = row % table->shape[i];
        row /= table->shape[i];
        r.square += pow(frequency(job, i, r.index[i]), 2);
    }
    return r;
}

/* ---- the prior ---- */

/* Every `step`-th row stands for as many. */
static void add_row(const struct gf_job *job, const struct gf_array *g, const struct gf_array *h,
                    int64_t number, int64_t step, const struct scale *scale, bands sum) {
    const int last = job->ndim - 1;
    const struct row row = row_of(job, h, number);
    const bool sampled = row.square > WHOLE * WHOLE;
    if (sampled && number % step)
        return;
    const int64_t n = job->shape[last], channels = g->shape[job->ndim];
    const bool half = gf_job_half_axis(job) == last, is_double = g->dtype == GF_C128;
    const double share = 1 / (double)gf_job_points(job);
    const char *from = g->data;
    int band = 0;
    for (int i = 0; i < last; i++)
        from += row.index[i] * g->stride[i];
    for (int64_t k = 0; k < row.n; k++, from += g->stride[last]) {
        const double f = frequency(job, last, k), square = row.square + f * f;
        const struct gf_number y = gf_filter_number(h, row.first + k);
        const double hh = y.re * y.re + y.im * y.im;
        const double twice = (half && k && 2 * k != n ? 2 : 1) * (sampled ? (double)step : 1);
        const double low = hh < FAINT ? twice : 0;
        if (square <= 0)
            continue;
        band = search(scale->edge, GF_PRIOR_BANDS, square, band);
        double *to = sum[band], gg = 0;
        for (int64_t c = 0; c < channels; c++) {
            const struct gf_number x = gf_number_get(from + c * g->stride[job->ndim], 0, is_double);
            gg += (x.re * x.re + x.im * x.im) * share;
        }
        to[COUNT] += twice * (double)channels;
        to[HH] += twice * (double)channels * hh;
        to[GHH] += twice * gg * hh;
        to[HHHH] += twice * (double)channels * hh * hh;
        to[LOW] += low * (double)channels;
        to[LOW_HH] += low * (double)channels * hh;
        to[LOW_G] += low * gg;
    }
}

/* Fits log S = level - slope log f to the bands whose weight is not zero. */
static void fit_law(const double *log_s, const double *weight, int axes, double *level,
                    double *slope) {
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < GF_PRIOR_BANDS; i++) {
        const double lf = log(centre_of(i));
        w += weight[i];
        x += weight[i] * lf;
        y += weight[i] * log_s[i];
        xx += weight[i] * lf * lf;
        xy += weight[i] * lf * log_s[i];
    }
    const double spread = w * xx - x * x;
    *slope = spread > 1e-9 * w * w ? -(w * xy - x * y) / spread : axes;
    *slope = fmin(fmax(*slope, LEAST_SLOPE + axes - 1), MOST_SLOPE + axes - 1);
    *level = w > 0 ? (y + *slope * x) / w : log(1e-30);
}

/* Bands without faint bins get the noise of those on both sides, or of the next one. */
static void fill_gaps(const bands sum, double noise[GF_PRIOR_BANDS]) {
    int last = -1;
    for (int i = 0; i < GF_PRIOR_BANDS; i++) {
        if (sum[i][LOW] < ENOUGH)
            continue;
        for (int k = last + 1; k < i; k++)
            noise[k] = last < 0 ? noise[i]
                                : noise[last] * pow(noise[i] / noise[last],
                                                    (double)(k - last) / (double)(i - last));
        last = i;
    }
}

/* The noise of each band: white noise, or more where faint bins show it. The power of a sharp picture
 * hardly rises with the frequency, while noise divided by a blur does: a rise counts as noise. If
 * fine bands have much more than white noise, it is not white, as in files that were JPEG: the
 * finest bands then have the least, and all others more. */
static void measure_noise(const bands sum, const struct gf_prior *p, double noise[GF_PRIOR_BANDS]) {
    double least = HUGE_VAL;
    bool white = true;
    for (int i = 0; i < GF_PRIOR_BANDS; i++) {
        const double *b = sum[i], above = b[GHH] - p->noise * b[HH];
        double s = b[HHHH] > 0 ? above / b[HHHH] : 0;
        noise[i] = p->noise;
        if (above >= CHANCE * p->noise * sqrt(2 * b[HHHH]) && s > 0)
            least = fmin(least, s = fmin(s, RISE * least));
        if (b[LOW] < ENOUGH)
            continue;
        noise[i] = fmax(p->noise, (b[LOW_G] - fmax(s, 0) * b[LOW_HH]) / b[LOW]);
        white = white && (centre_of(i) < FINE || noise[i] < MOST_WHITE * p->noise);
    }
    if (!white)
        fill_gaps(sum, noise);
}

static void choose_ratios(const bands sum, int axes, const uint8_t *rounding, struct gf_prior *p) {
    double weight[GF_PRIOR_BANDS] = {0}, signal[GF_PRIOR_BANDS] = {0}, log_s[GF_PRIOR_BANDS] = {0};
    double noise[GF_PRIOR_BANDS], all[GF_PRIOR_BANDS];
    double level, slope, power = 0, count = 0, least = HUGE_VAL;
    measure_noise(sum, p, noise);
    for (int i = 0; i < GF_PRIOR_BANDS; i++) {
        const double *b = sum[i];
        const int64_t at = gf_min(lround(16 * centre_of(i)), GF_ROUNDING_BANDS - 1);
        all[i] = fmax(noise[i], pow(rounding[at], 2) / 12);
        const double above = b[GHH] - all[i] * b[HH], s = b[HHHH] > 0 ? above / b[HHHH] : 0;
        if (!(s > 0) || above < CHANCE * all[i] * sqrt(2 * b[HHHH]) ||
            (2 * b[LOW] > b[COUNT] && s > RISE * least))
            continue;
        least = fmin(least, s);
        signal[i] = above / b[HH] / all[i];
        log_s[i] = log(s);
        /* The bands' errors come from the law rather than from chance. */
        weight[i] = signal[i] > SURE ? fmin(b[COUNT], 1000) : 0;
    }
    fit_law(log_s, weight, axes, &level, &slope);
    for (int i = 0; i < GF_PRIOR_BANDS; i++) {
        const double law = level - slope * log(centre_of(i));
        if (signal[i] < fmin(SHARE * all[i] / p->noise, SURE))
            log_s[i] = law;
        const double *b = sum[i], s = exp(log_s[i]);
        power += b[COUNT] * s;
        count += b[COUNT];
        const double h = sqrt(b[HH] / fmax(b[COUNT], 1));
        p->ratio[i] = fmax(noise[i] / s, fmin(all[i] / s, fmax(h - h * h, 0) / CAUTION));
    }
    p->mean = power > 0 ? p->noise * count / power : 0;
}

int gf_prior_make(const struct gf_job *forward, const struct gf_array *spectrum,
                  const struct gf_array *h, double noise, const uint8_t rounding[GF_ROUNDING_BANDS],
                  int threads, struct gf_prior *prior) {
    const int64_t n = rows_of(forward, h), step = gf_divide_up(n, ROWS);
    const struct scale scale = make_scale();
    double seen = 0, passed = 0;
    int axes = 0;
    for (int i = 0; i < forward->ndim; i++)
        axes += on(forward, i) && forward->shape[i] > 1;
    *prior = (struct gf_prior){.mean = 0};
    bands *part = calloc(PARTS, sizeof *part); /* fixed parts: any number of threads sums alike */
    if (!part)
        return gf_no_memory();
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int i = 0; i < PARTS; i++)
        for (int64_t at = i * n / PARTS; at < (i + 1) * n / PARTS; at++)
            add_row(forward, spectrum, h, at, step, &scale, part[i]);
    for (int k = 0; k < GF_PRIOR_BANDS; k++) {
        for (int i = 1; i < PARTS; i++)
            for (int j = 0; j < SUMS; j++)
                part[0][k][j] += part[i][k][j];
        seen += part[0][k][GHH];
        passed += part[0][k][HH];
    }
    prior->noise = fmax(noise, fmax(LEAST, passed > 0 ? LEAST * seen / passed : 0));
    choose_ratios((const double(*)[SUMS])part[0], axes, rounding, prior);
    free(part);
    return 0;
}

double gf_blur_rounding(const struct gf_job *job, const struct gf_array *h,
                        const uint8_t rounding[GF_ROUNDING_BANDS]) {
    double sum = 0, weights = 0;
    for (int64_t i = 0; i < rows_of(job, h); i++) {
        const struct row row = row_of(job, h, i);
        for (int64_t k = 0; k < row.n; k++) {
            const double f = sqrt(row.square + pow(frequency(job, job->ndim - 1, k), 2));
            const struct gf_number y = gf_filter_number(h, row.first + k);
            const double hh = y.re * y.re + y.im * y.im;
            sum += hh * pow(rounding[gf_min(lround(16 * f), GF_ROUNDING_BANDS - 1)], 2) / 12;
            weights += hh;
        }
    }
    return weights > 0 ? sum / weights : 0;
}

/* ---- the filters ---- */

/* The Laplacian of an axis at index k of the job, which may be a part. */
static double laplacian(const struct gf_job *job, int axis, int64_t k) {
    const struct gf_job whole = gf_filter_whole(job);
    const double at = (double)(job->whole.first[axis] + k * gf_max(job->whole.step, 1));
    return on(&whole, axis) ? 2 - 2 * cos(2 * M_PI * at / (double)whole.shape[axis]) : 0;
}

/* N / S of the prior: linear in the square of the frequency between the centres of bands. */
struct slopes {
    struct scale scale;
    double ratio[GF_PRIOR_BANDS], slope[GF_PRIOR_BANDS];
};

static struct slopes make_slopes(const struct gf_prior *p) {
    struct slopes s = {.scale = make_scale()};
    const double *centre = s.scale.centre;
    for (int i = 0; i < GF_PRIOR_BANDS && p; i++)
        s.ratio[i] = CAUTION * p->ratio[i];
    for (int i = 0; i + 1 < GF_PRIOR_BANDS; i++)
        s.slope[i] = (s.ratio[i + 1] - s.ratio[i]) / (centre[i + 1] - centre[i]);
    return s;
}

/* N / S for each element of a row. */
static void weigh_row(const struct gf_job *job, const struct slopes *s, const struct row *row,
                      double *weight) {
    const int last = job->ndim - 1;
    int i = 0;
    for (int64_t k = 0; k < row->n; k++) {
        const double f = frequency(job, last, k), square = row->square + f * f;
        i = search(s->scale.centre, GF_PRIOR_BANDS - 1, square, i);
        const double above = square - s->scale.centre[i];
        const double w = s->ratio[i] + (above > 0 ? above * s->slope[i] : 0);
        weight[k] = square <= 0 ? 0 : w < 1e30 ? w : 1e30;
    }
}

/* L |D|^2 for each element of a row; `along`: the last axis's part of D. */
static void regularize_row(const struct gf_job *job, double l, const double *along,
                           const struct row *row, double *weight) {
    double d = 0;
    for (int i = 0; i + 1 < job->ndim; i++)
        d += laplacian(job, i, row->index[i]);
#pragma omp simd
    for (int64_t k = 0; k < row->n; k++)
        weight[k] = l * (d + along[k]) * (d + along[k]);
}

static void invert_row(struct gf_array *h, const struct row *row, const double *weight) {
    float *real = (float *)h->data + row->first;
#pragma omp simd
    for (int64_t k = 0; k < (h->dtype == GF_F32 ? row->n : 0); k++) {
        const double y = (double)real[k], below = y * y + weight[k];
        real[k] = (float)(y / (below > 0 ? below : 1));
    }
    for (int64_t k = 0; k < (h->dtype == GF_F32 ? 0 : row->n); k++) {
        const struct gf_number y = gf_filter_number(h, row->first + k);
        const double below = y.re * y.re + y.im * y.im + weight[k];
        const double factor = below > 0 ? 1 / below : 0;
        gf_filter_put_number(h, row->first + k, (struct gf_number){y.re * factor, -y.im * factor});
    }
}

int gf_wiener_invert(const struct gf_job *job, const struct gf_prior *prior, double regularize,
                     int threads, struct gf_array *h) {
    const int64_t rows = rows_of(job, h), n = h->shape[job->ndim - 1];
    const struct slopes slopes = make_slopes(prior);
    double *along = malloc((size_t)((1 + threads) * n) * sizeof *along), *room = along + n;
    if (!along)
        return gf_no_memory();
    for (int64_t k = 0; k < n && !prior; k++)
        along[k] = laplacian(job, job->ndim - 1, k);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        double *weight = room + omp_get_thread_num() * n;
        const struct row row = row_of(job, h, i);
        if (prior)
            weigh_row(job, &slopes, &row, weight);
        else
            regularize_row(job, regularize, along, &row, weight);
        invert_row(h, &row, weight);
    }
    free(along);
    return 0;
}
