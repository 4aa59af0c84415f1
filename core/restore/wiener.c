/* Wiener and Tikhonov filters, and the estimate of a sharp picture's power spectrum. */
#include "core/restore/wiener.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/status.h"

static const double PI = 3.14159265358979323846;
static const double LOWEST = 1. / (1 << 24),
                    WIDTH = 0.16;  /* of bands, as a share of the frequency */
static const double LEAST = 1e-12; /* noise, as a share of the picture's power: rounding */
/* A band is above the noise by this many of the noise's deviations, and by this share. */
static const double CLEAR = 3, CLEAR_SHARE = 0.05;
/* The least and greatest exponents of the power law for one axis; others add 1 an axis. */
static const double LEAST_SLOPE = 0.5, MOST_SLOPE = 4;

static bool on(const struct gf_job *job, int axis) {
    return job->axes >> axis & 1;
}

/* The frequency of element k of an axis, in cycles a sample, without sign. */
static double frequency_of(const struct gf_job *job, int axis, int64_t k) {
    const int64_t n = job->shape[axis];
    return on(job, axis) ? (double)(2 * k > n ? n - k : k) / (double)n : 0;
}

/* ---- the prior ---- */

struct band {
    /* sums of 1, log f, |G|^2, |H|^2, |H G|^2, |H|^4 */
    double count, frequency, total, square, seen, fourth;
};

static int band_of(double f) {
    const int i = (int)(log(f / LOWEST) / WIDTH);
    return i < 0 ? 0 : i < GF_PRIOR_BANDS ? i : GF_PRIOR_BANDS - 1;
}

static void add_row(const struct gf_job *job, const struct gf_array *g, const struct gf_array *h,
                    int64_t row, struct band *band) {
    const int last = job->ndim - 1;
    const int64_t n = h->shape[last], channels = g->shape[job->ndim];
    const double points = (double)gf_job_points(job);
    double square = 0;
    int64_t rest = row, from = 0;
    for (int i = last - 1; i >= 0; i--) {
        const int64_t k = rest % h->shape[i];
        square += pow(frequency_of(job, i, k), 2);
        from = from + k * g->stride[i];
        rest /= h->shape[i];
    }
    const bool halved = gf_job_half_axis(job) == last;
    for (int64_t k = 0; k < n; k++) {
        const double f = sqrt(square + pow(frequency_of(job, last, k), 2));
        const struct gf_number y = gf_filter_number(h, row * n + k);
        const double hh = y.re * y.re + y.im * y.im;
        const double twice = halved && k && 2 * k != job->shape[last] ? 2 : 1;
        struct band *b = f > 0 ? &band[band_of(f)] : NULL;
        for (int64_t c = 0; c < channels && b; c++) {
            const char *at =
                (const char *)g->data + from + k * g->stride[last] + c * g->stride[job->ndim];
            const struct gf_number x = gf_number_get(at, 0, g->dtype == GF_C128);
            b->count += twice;
            b->frequency += twice * log(f);
            b->total += twice * (x.re * x.re + x.im * x.im) / points;
            b->square += twice * hh;
            b->seen += twice * hh * (x.re * x.re + x.im * x.im) / points;
            b->fourth += twice * hh * hh;
        }
    }
}

static void add_bands(struct band *to, const struct band *from) {
    for (int i = 0; i < GF_PRIOR_BANDS; i++) {
        to[i].count += from[i].count;
        to[i].frequency += from[i].frequency;
        to[i].total += from[i].total;
        to[i].square += from[i].square;
        to[i].seen += from[i].seen;
        to[i].fourth += from[i].fourth;
    }
}

/* Fits log S = a - slope log f to the clear bands, by their number of bins up to a limit, since
 * their errors come from the law rather than from chance. */
static void fit_law(const struct gf_prior *p, const bool *clear, const double *weight, int axes,
                    double *level, double *slope) {
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < p->n; i++) {
        if (!clear[i])
            continue;
        const double lf = log(p->frequency[i]), ls = log(p->power[i]);
        w += weight[i];
        x += weight[i] * lf;
        y += weight[i] * ls;
        xx += weight[i] * lf * lf;
        xy += weight[i] * lf * ls;
    }
    const double spread = w * xx - x * x;
    *slope = spread > 1e-9 * w * w ? -(w * xy - x * y) / spread : axes;
    *slope = fmin(fmax(*slope, LEAST_SLOPE + axes - 1), MOST_SLOPE + axes - 1);
    *level = w > 0 ? (y + *slope * x) / w : -HUGE_VAL;
}

static void make_bands(const struct band *band, double noise, int axes, struct gf_prior *p) {
    bool clear[GF_PRIOR_BANDS];
    double weight[GF_PRIOR_BANDS], level, slope, sum = 0, count = 0;
    for (int i = 0; i < GF_PRIOR_BANDS; i++) {
        const struct band *b = &band[i];
        if (b->count < 1)
            continue;
        const double above = b->seen - noise * b->square, signal = above / fmax(b->square, 1e-300);
        const double s = b->fourth > 0 ? above / b->fourth : 0;
        const double chance = noise * sqrt(2 / b->count);
        p->frequency[p->n] = exp(b->frequency / b->count);
        p->power[p->n] = s;
        clear[p->n] = signal > CLEAR * chance && signal > CLEAR_SHARE * noise && s > 0;
        weight[p->n++] = fmin(b->count, 1000);
    }
    fit_law(p, clear, weight, axes, &level, &slope);
    for (int i = 0; i < p->n; i++)
        if (!clear[i])
            p->power[i] = exp(level - slope * log(p->frequency[i]));
    for (int i = 0, k = 0; i < GF_PRIOR_BANDS; i++)
        if (band[i].count >= 1) {
            sum += band[i].count * p->power[k++];
            count += band[i].count;
        }
    p->mean = sum > 0 ? noise * count / sum : 0;
}

int gf_prior_make(const struct gf_job *forward, const struct gf_array *spectrum,
                  const struct gf_array *h, double noise, int threads, struct gf_prior *prior) {
    const int last = forward->ndim - 1;
    const int64_t rows = gf_shape_count(h->shape, last);
    struct band all[GF_PRIOR_BANDS] = {{0}};
    int axes = 0;
    for (int i = 0; i <= last; i++)
        axes += on(forward, i) && forward->shape[i] > 1;
    double total = 0, count = 0;
    *prior = (struct gf_prior){.n = 0};
    enum { BLOCK = 64 };
    const int64_t blocks = gf_divide_up(rows, BLOCK);
    struct band(*part)[GF_PRIOR_BANDS] = calloc((size_t)blocks, sizeof *part);
    if (!part)
        return gf_no_memory();
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(dynamic)
    for (int64_t i = 0; i < blocks; i++)
        for (int64_t row = i * BLOCK; row < gf_min(rows, (i + 1) * BLOCK); row++)
            add_row(forward, spectrum, h, row, part[i]);
    for (int64_t i = 0; i < blocks; i++)
        add_bands(all, part[i]);
    free(part);
    for (int i = 0; i < GF_PRIOR_BANDS; i++) {
        total += all[i].total;
        count += all[i].count;
    }
    prior->noise = fmax(noise, total > 0 ? LEAST * total / count : LEAST);
    make_bands(all, prior->noise, axes, prior);
    return 0;
}

double gf_prior_power(const struct gf_prior *p, double f) {
    int i = 0;
    if (!p->n || f <= p->frequency[0])
        return p->n ? p->power[0] : 0;
    while (i < p->n - 1 && p->frequency[i + 1] < f)
        i++;
    if (i == p->n - 1 || !(p->power[i] > 0 && p->power[i + 1] > 0))
        return p->power[i];
    const double a = log(p->frequency[i]), b = log(p->frequency[i + 1]);
    const double share = (log(f) - a) / (b - a);
    return exp((1 - share) * log(p->power[i]) + share * log(p->power[i + 1]));
}

/* ---- the filters ---- */

static double ratio_at(const struct gf_job *job, const struct gf_prior *prior, double regularize,
                       const int64_t *k) {
    double square = 0, laplacian = 0;
    for (int i = 0; i < job->ndim; i++) {
        const double f = frequency_of(job, i, k[i]);
        square += f * f;
        laplacian += 2 - 2 * cos(2 * PI * f);
    }
    if (!prior)
        return regularize * laplacian * laplacian;
    const double power = square > 0 ? gf_prior_power(prior, sqrt(square)) : HUGE_VAL;
    return power > 0 ? fmin(prior->noise / power, 1e30) : 1e30;
}

void gf_wiener_invert(const struct gf_job *job, const struct gf_prior *prior, double regularize,
                      int threads, struct gf_array *h) {
    const int last = job->ndim - 1;
    const int64_t n = h->shape[last], rows = gf_shape_count(h->shape, last);
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static)
    for (int64_t row = 0; row < rows; row++) {
        int64_t index[GF_MAX_DIMS] = {0}, rest = row;
        for (int i = last - 1; i >= 0; i--) {
            index[i] = rest % h->shape[i];
            rest /= h->shape[i];
        }
        for (int64_t k = 0; k < n; k++) {
            index[last] = k;
            const struct gf_number y = gf_filter_number(h, row * n + k);
            const double below =
                y.re * y.re + y.im * y.im + ratio_at(job, prior, regularize, index);
            gf_filter_put_number(h, row * n + k,
                                 below > 0 ? (struct gf_number){y.re / below, -y.im / below}
                                           : (struct gf_number){0, 0});
        }
    }
}
