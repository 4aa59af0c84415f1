/* Steps from line to line of a picture, whole and by segments. The wave of a lamp across the lines:
 * its frequency, from the steps, and its factors, from the samples. */
#include "core/restore/banding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/filter/waves.h"
#include "core/spectrum/spectrum.h"

enum {
    FINE = 4, /* frequencies a bin */
    FIRST = 3,
    LAST = 64,     /* bins that are searched */
    REACH = 12,    /* bins on either side that tell the floor */
    SHORTEST = 8,  /* lines a period */
    REFINED = 30,  /* steps of a hundredth of a bin, either way */
    SAMPLES = 256, /* of a line that are fitted */
    HARMONICS = 4, /* that are looked at */
    MOST = 256,    /* samples of a segment of which the step is estimated */
    LEAST_OF = 5,  /* and the fewest that are not clipped */
    STEPS = 10,    /* of an estimate, and of a fit */
    UNKNOWNS = 4,  /* cosine and sine, alone and times the picture */
    SUMS = UNKNOWNS * (UNKNOWNS + 1),
};
/* The scale of weights over the median of absolute differences. */
static const double SCALE = 1.1;
/* Steps are never more exact than this, as a share of the scale of differences. */
static const double LEAST_ERROR = 0.02;
/* Lines are at least this much darker than the picture. */
static const double LEAST_GAIN = -0.75;
/* The mean of an exponential distribution over its median. */
static const double MEAN_OF_MEDIAN = 1.4427;

/* ---- the steps ---- */

/* The differences of a line of one channel from the line before, by segments. */
struct differences {
    float v[GF_SEGMENTS * (MOST + 1)];
    int n[GF_SEGMENTS], all;
};

static void gather(const struct gf_line_steps *p, int64_t line, int64_t channel,
                   struct differences *d) {
    const int64_t n = p->px->shape[!p->axis], gap = gf_steps_stride(p->px, !p->axis);
    const int64_t across = gf_steps_stride(p->px, p->axis);
    const float *after = (const float *)p->px->data + line * across + channel;
    d->all = 0;
    for (int s = 0; s < GF_SEGMENTS; s++) {
        const int64_t begin = s * n / GF_SEGMENTS, end = (s + 1) * n / GF_SEGMENTS;
        const int64_t step = gf_divide_up(gf_max(end - begin, 1), MOST);
        int count = 0;
        for (int64_t i = begin; i < end; i += step) {
            const float v = after[i * gap], before = after[i * gap - across];
            if (!gf_steps_is_clipped(p, v) && !gf_steps_is_clipped(p, before))
                d->v[d->all + count++] = v - before;
        }
        d->n[s] = count < LEAST_OF || 4 * count * step < end - begin ? 0 : count;
        d->all += d->n[s];
    }
}

/* Orders v. */
static float locate(float *v, int n, float scale) {
    float m = gf_select_float(v, n, n / 2);
    for (int k = 0; k < STEPS; k++) {
        float sum = 0, weights = 0;
        for (int i = 0; i < n; i++) {
            const float r = (v[i] - m) / scale, q = 1 / (1 + r * r), weight = q * q;
            sum += weight * (v[i] - m);
            weights += weight;
        }
        m += sum / fmaxf(weights, 1e-20F);
    }
    return m;
}

/* The median distance of differences from their median, or NAN. */
static float spread(struct differences *d) {
    const float m = d->all ? gf_select_float(d->v, d->all, d->all / 2) : 0;
    for (int i = 0; i < d->all; i++)
        d->v[i] = fabsf(d->v[i] - m);
    return d->all ? gf_select_float(d->v, d->all, d->all / 2) : NAN;
}

static void find_scale(struct gf_line_steps *p, float *each) {
    const int64_t lines = p->px->shape[p->axis], channels = p->px->shape[2];
    int64_t n = 0;
#pragma omp parallel for num_threads(p->threads)
    for (int64_t i = 0; i < (lines - 1) * channels; i++) {
        struct differences d;
        gather(p, i / channels + 1, i % channels, &d);
        each[i] = spread(&d);
    }
    for (int64_t i = 0; i < (lines - 1) * channels; i++)
        if (!isnan(each[i]))
            each[n++] = each[i];
    p->scale = fmax(n ? SCALE * (double)gf_select_float(each, n, n / 2) : 0, p->least);
}

static void find_steps(const struct gf_line_steps *p, int64_t line, int64_t channel) {
    struct differences d;
    const float scale = (float)p->scale;
    float *v = d.v;
    gather(p, line, channel, &d);
    for (int s = 0; s < GF_SEGMENTS; v += d.n[s++])
        *gf_steps_at(&p->step, line, s, channel) = d.n[s] ? locate(v, d.n[s], scale) : NAN;
    *gf_steps_at(&p->step, line, GF_SEGMENTS, channel) = d.all ? locate(d.v, d.all, scale) : 0;
}

int gf_steps_make(struct gf_line_steps *p) {
    const int64_t lines = p->px->shape[p->axis], channels = p->px->shape[2];
    const int64_t shape[] = {lines, GF_SEGMENTS + 1, channels};
    int rc = gf_array_alloc(&p->step, GF_F32, 3, shape);
    if (rc)
        return rc;
    memset(p->step.data, 0, (size_t)gf_array_bytes(&p->step));
    find_scale(p, p->step.data);
    memset(p->step.data, 0, (size_t)gf_array_bytes(&p->step));
#pragma omp parallel for num_threads(p->threads)
    for (int64_t i = 0; i < (lines - 1) * channels; i++)
        find_steps(p, i / channels + 1, i % channels);
    return 0;
}

/* ---- the wave ---- */

static int64_t lines_of(const struct gf_line_steps *p) {
    return p->step.shape[0];
}

/* The factor at a frequency of the steps of a segment behind a Hann window. */
static void correlate(const struct gf_line_steps *p, int segment, int64_t channel, double frequency,
                      double out[2]) {
    const int64_t n = lines_of(p) - 1;
    out[0] = out[1] = 0;
    for (int64_t i = 1; i <= n; i++) {
        const float v = *gf_steps_at(&p->step, i, segment, channel);
        const double window = (1 - cos(2 * M_PI * (double)i / (double)(n + 1))) / (double)(n + 1);
        const double turn = 2 * M_PI * fmod(frequency * (double)i, 1);
        const double value = isnan(v) ? 0 : window * (double)v;
        out[0] += value * cos(turn);
        out[1] -= value * sin(turn);
    }
}

static double power(const struct gf_line_steps *p, double frequency) {
    double sum = 0, v[2];
    for (int64_t c = 0; c < p->step.shape[2]; c++) {
        correlate(p, GF_SEGMENTS, c, frequency, v);
        sum += v[0] * v[0] + v[1] * v[1];
    }
    return sum;
}

static double coherence(const struct gf_line_steps *p, double frequency) {
    double sum[2] = {0}, all = 1e-30, v[2];
    for (int s = 0; s < GF_SEGMENTS; s++)
        for (int64_t c = 0; c < p->step.shape[2]; c++) {
            correlate(p, s, c, frequency, v);
            sum[0] += v[0];
            sum[1] += v[1];
            all += hypot(v[0], v[1]);
        }
    return (sum[0] * sum[0] + sum[1] * sum[1]) / (all * all);
}

/* The power of the frequencies around one: those within FIRST bins are of the same wave. */
static double floor_of(const float *each, int n, int at) {
    float around[2 * FINE * REACH];
    int count = 0;
    for (int i = (int)gf_max(at - FINE * REACH, FINE + 1); i < gf_min(at + FINE * REACH, n); i++)
        if (abs(i - at) >= FIRST * FINE)
            around[count++] = each[i];
    return count ? MEAN_OF_MEDIAN * (double)gf_select_float(around, count, count / 2) : HUGE_VAL;
}

/* The most power at other frequencies: those of rows of things have harmonics, or are harmonics. */
static double other_of(const struct gf_line_steps *p, const float *each, int n, int at,
                       double frequency) {
    double most = 0;
    for (int i = FIRST * FINE; i < n; i++)
        if (abs(i - at) >= FIRST * FINE)
            most = fmax(most, (double)each[i]);
    for (int k = 2; k <= HARMONICS && k * frequency < 0.5; k++)
        most = fmax(most, power(p, k * frequency));
    return most;
}

struct gf_banding gf_banding_find(const struct gf_line_steps *p) {
    const double n = (double)(lines_of(p) - 1), error = LEAST_ERROR * p->scale;
    const int most = (int)gf_min(LAST, (int64_t)(n / SHORTEST)) * FINE, all = most + FINE * REACH;
    struct gf_banding found = {.frequency = 0};
    float each[FINE * (LAST + REACH)];
    int best = 0;
    if (most <= FIRST * FINE)
        return found;
#pragma omp parallel for num_threads(p->threads)
    for (int i = 0; i < all; i++)
        each[i] = (float)power(p, i / (FINE * n));
    for (int i = FIRST * FINE; i < most; i++)
        if (each[i] > each[i - 1] && each[i] > each[i + 1] && (!best || each[i] > each[best]))
            best = i;
    if (!best)
        return found;
    double highest = 0;
    for (int k = -REFINED; k <= REFINED; k++) {
        const double frequency = (best + 0.01 * FINE * k) / (FINE * n), v = power(p, frequency);
        if (v > highest) {
            highest = v;
            found.frequency = frequency;
        }
    }
    found.amplitude = sqrt(highest / (double)p->step.shape[2]) / sin(M_PI * found.frequency);
    found.evidence = highest / (floor_of(each, all, best) + 1.5 * error * error / n);
    found.others = other_of(p, each, all, best, found.frequency) / fmax(highest, 1e-30);
    found.coherence = coherence(p, found.frequency);
    return found;
}

/* ---- the fit ---- */

struct fit {
    const struct gf_line_steps *p;
    double frequency, middle; /* the picture is fitted as its difference from this */
    int64_t channel;
    bool first;
    double x[UNKNOWNS];
    float *offset, *gain;
    double *sums; /* for each line the matrix, and the right side */
};

static double phase(const struct fit *f, int64_t line, int sine) {
    const double turn = 2 * M_PI * fmod(f->frequency * (double)line, 1);
    return sine ? sin(turn) : cos(turn);
}

static void add_line(const struct fit *f, int64_t line) {
    const struct gf_line_steps *p = f->p;
    const int64_t n = p->px->shape[!p->axis], gap = gf_steps_stride(p->px, !p->axis);
    const int64_t across = gf_steps_stride(p->px, p->axis), channels = p->px->shape[2];
    const float *after = (const float *)p->px->data + line * across + f->channel;
    const double step = (double)*gf_steps_at(&p->step, line, GF_SEGMENTS, f->channel);
    const double turn[2] = {phase(f, line, 0) - phase(f, line - 1, 0),
                            phase(f, line, 1) - phase(f, line - 1, 1)};
    const double offset = (double)f->offset[line * channels + f->channel];
    const double gain = 1 + (double)f->gain[line * channels + f->channel];
    double *sum = f->sums + line * SUMS;
    memset(sum, 0, SUMS * sizeof *sum);
    for (int64_t i = 0; i < n; i += gf_divide_up(n, SAMPLES)) {
        const float v = after[i * gap], before = after[i * gap - across];
        if (gf_steps_is_clipped(p, v) || gf_steps_is_clipped(p, before))
            continue;
        const double level = ((double)v - offset) / gain - f->middle, d = (double)(v - before);
        const double row[] = {turn[0], turn[1], level * turn[0], level * turn[1]};
        double rest = d - step;
        if (!f->first)
            rest = d - row[0] * f->x[0] - row[1] * f->x[1] - row[2] * f->x[2] - row[3] * f->x[3];
        const double weight = 1 / pow(1 + pow(rest / p->scale, 2), 2);
        for (int k = 0; k < UNKNOWNS; k++) {
            for (int j = 0; j < UNKNOWNS; j++)
                sum[k * UNKNOWNS + j] += weight * row[k] * row[j];
            sum[UNKNOWNS * UNKNOWNS + k] += weight * row[k] * d;
        }
    }
}

static void fit_once(struct fit *f) {
    const int64_t lines = lines_of(f->p), channels = f->p->px->shape[2];
    double total[SUMS] = {0};
#pragma omp parallel for num_threads(f->p->threads)
    for (int64_t i = 1; i < lines; i++)
        add_line(f, i);
    for (int64_t i = 1; i < lines; i++)
        for (int k = 0; k < SUMS; k++)
            total[k] += f->sums[i * SUMS + k];
    memcpy(f->x, total + UNKNOWNS * UNKNOWNS, sizeof f->x);
    gf_solve(total, f->x, UNKNOWNS);
    for (int64_t i = 0; i < lines; i++) {
        const double c = phase(f, i, 0), s = phase(f, i, 1),
                     gain = fmax(f->x[2] * c + f->x[3] * s, LEAST_GAIN);
        f->gain[i * channels + f->channel] = (float)gain;
        f->offset[i * channels + f->channel] =
            (float)(f->x[0] * c + f->x[1] * s - gain * f->middle);
    }
}

int gf_banding_fit(const struct gf_line_steps *p, const struct gf_banding *wave, float *offset,
                   float *gain) {
    const int64_t channels = p->px->shape[2], n = gf_array_count(p->px) / channels;
    struct fit f = {.p = p, .frequency = wave->frequency, .offset = offset, .gain = gain};
    f.sums = malloc((size_t)(lines_of(p) * SUMS) * sizeof *f.sums);
    if (!f.sums)
        return gf_no_memory();
    for (f.channel = 0; f.channel < channels; f.channel++) {
        f.middle = 0;
        for (int64_t i = 0; i < n; i++)
            f.middle += (double)((float *)p->px->data)[i * channels + f.channel] / (double)n;
        for (int k = 0; k < STEPS; k++) {
            f.first = !k;
            fit_once(&f);
        }
    }
    free(f.sums);
    return 0;
}
