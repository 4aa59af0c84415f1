/* Wiener and Tikhonov filters, and the estimate of a sharp picture's power spectrum. */
#include "core/restore/wiener.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/status.h"

static const double PI = 3.14159265358979323846;
static const double LOWEST = 1. / (1 << 24), WIDTH = 0.16; /* of bands: log of the ratio */
static const double CAUTION = 2;   /* times N: the edges are guessed, S varies within a band */
static const double LEAST = 1e-12; /* noise, as a share of the picture's power: rounding */
/* A band counts if its signal is this share of the noise, which is not known better, and this many
 * of the noise's deviations; the law is fitted to bands that are above it. */
static const double SHARE = 0.2, CHANCE = 3, SURE = 1;
/* Bins of this |H|^2 and below show what is no blurred picture: noise, and guessed edges. */
static const double FAINT = 1e-3;
/* The least and the greatest exponent of the power law for one axis; others add 1 an axis. */
static const double LEAST_SLOPE = 0.5, MOST_SLOPE = 4;

enum { PARTS = 64 };
/* Sums over a band's bins. */
enum sum { COUNT, HH, GHH, HHHH, LOW, LOW_HH, LOW_G, SUMS };
typedef double bands[GF_PRIOR_BANDS][SUMS];

static bool on(const struct gf_job *job, int axis) {
    return job->axes >> axis & 1;
}

/* The index along each axis of a table's element, and the frequency there, in cycles a sample. */
static double frequency_at(const struct gf_job *job, const struct gf_array *table, int64_t at,
                           int64_t index[GF_MAX_DIMS]) {
    double square = 0;
    for (int i = job->ndim - 1; i >= 0; i--) {
        const int64_t n = job->shape[i], k = at % table->shape[i];
        const double f = on(job, i) ? (double)(2 * k > n ? n - k : k) / (double)n : 0;
        at /= table->shape[i];
        square += f * f;
        index[i] = k;
    }
    return sqrt(square);
}

/* The number of the band, and how far between the centres of two. */
static double band_of(double f) {
    return fmin(fmax(log(f / LOWEST) / WIDTH, 0), GF_PRIOR_BANDS - 1);
}

static double centre_of(int band) {
    return LOWEST * exp(WIDTH * (band + 0.5));
}

/* ---- the prior ---- */

static void add_bin(const struct gf_job *job, const struct gf_array *g, const struct gf_array *h,
                    int64_t at, bands sum) {
    const int last = job->ndim - 1;
    int64_t index[GF_MAX_DIMS], offset = 0;
    const double f = frequency_at(job, h, at, index);
    const struct gf_number y = gf_filter_number(h, at);
    const double hh = y.re * y.re + y.im * y.im, points = (double)gf_job_points(job);
    const int64_t k = gf_job_half_axis(job) == last ? index[last] : 0;
    const double twice = k && 2 * k != job->shape[last] ? 2 : 1;
    double *to = sum[(int)band_of(f)];
    for (int i = 0; i <= last; i++)
        offset += index[i] * g->stride[i];
    for (int64_t c = 0; c < g->shape[job->ndim] && f > 0; c++) {
        const char *p = (const char *)g->data + offset + c * g->stride[job->ndim];
        const struct gf_number x = gf_number_get(p, 0, g->dtype == GF_C128);
        const double gg = (x.re * x.re + x.im * x.im) / points, low = hh < FAINT ? 1 : 0;
        const double add[SUMS] = {1, hh, gg * hh, hh * hh, low, low * hh, low * gg};
        for (int i = 0; i < SUMS; i++)
            to[i] += twice * add[i];
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

static void choose_ratios(const bands sum, int axes, struct gf_prior *p) {
    double weight[GF_PRIOR_BANDS] = {0}, signal[GF_PRIOR_BANDS] = {0}, log_s[GF_PRIOR_BANDS] = {0};
    double level, slope, power = 0, count = 0;
    for (int i = 0; i < GF_PRIOR_BANDS; i++) {
        const double *b = sum[i];
        const double above = b[GHH] - p->noise * b[HH], s = b[HHHH] > 0 ? above / b[HHHH] : 0;
        if (!(s > 0) || above < CHANCE * p->noise * sqrt(2 * b[HHHH]))
            continue;
        signal[i] = above / b[HH] / p->noise;
        log_s[i] = log(s);
        /* The bands' errors come from the law rather than from chance. */
        weight[i] = signal[i] > SURE ? fmin(b[COUNT], 1000) : 0;
    }
    fit_law(log_s, weight, axes, &level, &slope);
    for (int i = 0; i < GF_PRIOR_BANDS; i++) {
        const double law = level - slope * log(centre_of(i));
        if (signal[i] < SHARE)
            log_s[i] = law;
        const double *b = sum[i], s = exp(log_s[i]);
        const double rest = b[LOW] > 0 ? (b[LOW_G] - s * b[LOW_HH]) / b[LOW] : 0;
        power += b[COUNT] * s;
        count += b[COUNT];
        p->ratio[i] = log(fmax(rest, p->noise)) - log_s[i];
    }
    p->mean = power > 0 ? p->noise * count / power : 0;
}

int gf_prior_make(const struct gf_job *forward, const struct gf_array *spectrum,
                  const struct gf_array *h, double noise, int threads, struct gf_prior *prior) {
    const int64_t n = gf_array_count(h);
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
            add_bin(forward, spectrum, h, at, part[i]);
    for (int k = 0; k < GF_PRIOR_BANDS; k++) {
        for (int i = 1; i < PARTS; i++)
            for (int j = 0; j < SUMS; j++)
                part[0][k][j] += part[i][k][j];
        seen += part[0][k][GHH];
        passed += part[0][k][HH];
    }
    prior->noise = fmax(noise, fmax(LEAST, passed > 0 ? LEAST * seen / passed : 0));
    choose_ratios((const double(*)[SUMS])part[0], axes, prior);
    free(part);
    return 0;
}

double gf_prior_ratio(const struct gf_prior *p, double f) {
    const double at = fmax(band_of(f) - 0.5, 0);
    const int i = (int)fmin(at, GF_PRIOR_BANDS - 2);
    return exp(p->ratio[i] + (at - i) * (p->ratio[i + 1] - p->ratio[i]));
}

/* ---- the filters ---- */

/* N / S, or L |D|^2. */
static double weight_at(const struct gf_job *job, const struct gf_prior *prior, double regularize,
                        const int64_t *index, double f) {
    double laplacian = 0;
    if (prior)
        return f > 0 ? fmin(CAUTION * gf_prior_ratio(prior, f), 1e30) : 0;
    for (int i = 0; i < job->ndim; i++)
        if (on(job, i))
            laplacian += 2 - 2 * cos(2 * PI * (double)index[i] / (double)job->shape[i]);
    return regularize * laplacian * laplacian;
}

void gf_wiener_invert(const struct gf_job *job, const struct gf_prior *prior, double regularize,
                      int threads, struct gf_array *h) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t at = 0; at < gf_array_count(h); at++) {
        int64_t index[GF_MAX_DIMS];
        const double f = frequency_at(job, h, at, index);
        const struct gf_number y = gf_filter_number(h, at);
        const double below =
            y.re * y.re + y.im * y.im + weight_at(job, prior, regularize, index, f);
        const double factor = below > 0 ? 1 / below : 0;
        gf_filter_put_number(h, at, (struct gf_number){y.re * factor, -y.im * factor});
    }
}
