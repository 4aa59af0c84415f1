/* Richardson-Lucy iterations: two blurs each, and what is between them. */
#include "core/restore/richardson.h"

#include <math.h>

#include "core/base/status.h"

/* A blurred picture below this share of its maximum is rounding, and not divided by. */
static const float LEAST = 1e-6F;

/* Sums are over fixed parts, so that totals do not depend on the number of threads. */
enum { ARRAYS = 5, PARTS = 256 };

struct state {
    const struct gf_job *job;
    const struct gf_richardson *how;
    int64_t n;
    float *d;
    /* `ratio` holds the estimate before x until it is needed. */
    struct gf_array x, y, blurred, ratio, correction;
    double acceleration;
};

static int blur(struct state *s, const struct gf_array *from) {
    return s->how->blur->run(s->how->blur->context, s->job, from, &s->blurred);
}

static double add_up(const double *part) {
    double sum = 0;
    for (int i = 0; i < PARTS; i++)
        sum += part[i];
    return sum;
}

/* ratio = d / H y; returns the mean square of d - H y. */
static double divide(struct state *s) {
    const float *d = s->d, *b = s->blurred.data;
    float *r = s->ratio.data;
    double square[PARTS];
#pragma omp parallel for num_threads(s->how->threads)
    for (int p = 0; p < PARTS; p++) {
        double sum = 0;
        for (int64_t i = p * s->n / PARTS; i < (p + 1) * s->n / PARTS; i++) {
            r[s->n - 1 - i] = d[i] / (b[i] > LEAST ? b[i] : LEAST);
            sum += (double)(d[i] - b[i]) * (double)(d[i] - b[i]);
        }
        square[p] = sum;
    }
    return add_up(square) / (double)s->n;
}

/* x' = y times the blurred ratio; makes the corrections, and the acceleration of the next step. */
static void correct(struct state *s) {
    const float *y = s->y.data, *c = s->blurred.data;
    float *g = s->correction.data, *next = s->ratio.data;
    double both[PARTS] = {0}, square[PARTS] = {0};
#pragma omp parallel for num_threads(s->how->threads)
    for (int p = 0; p < PARTS; p++) {
        double gg = 0, old = 0;
        for (int64_t i = p * s->n / PARTS; i < (p + 1) * s->n / PARTS; i++) {
            const float factor = c[s->n - 1 - i];
            next[i] = y[i] * (factor > 0 ? factor : 0);
            const float now = next[i] - y[i];
            gg += (double)now * (double)g[i];
            old += (double)g[i] * (double)g[i];
            g[i] = now;
        }
        both[p] = gg;
        square[p] = old;
    }
    const double below = add_up(square);
    s->acceleration = below > 0 ? fmin(fmax(add_up(both) / below, 0), 1) : 0;
    const struct gf_array before = s->x;
    s->x = s->ratio;
    s->ratio = before;
}

/* y = x + a (x - before), not below 0. */
static void predict(struct state *s) {
    const float *before = s->ratio.data, *x = s->x.data, a = (float)s->acceleration;
    float *y = s->y.data;
#pragma omp parallel for num_threads(s->how->threads)
    for (int64_t i = 0; i < s->n; i++) {
        const float v = x[i] + a * (x[i] - before[i]);
        y[i] = v > 0 ? v : 0;
    }
}

/* Scales d to a maximum of 1, so that no sum overflows, and begins with its mean everywhere. */
static float begin(struct state *s) {
    float most = 0, *x = s->x.data, *y = s->y.data, *g = s->correction.data;
    double sum[PARTS] = {0};
#pragma omp parallel for num_threads(s->how->threads) reduction(max : most)
    for (int64_t i = 0; i < s->n; i++)
        most = s->d[i] > most ? s->d[i] : most;
    const float scale = most > 0 ? most : 1;
#pragma omp parallel for num_threads(s->how->threads)
    for (int p = 0; p < PARTS; p++)
        for (int64_t i = p * s->n / PARTS; i < (p + 1) * s->n / PARTS; i++) {
            s->d[i] = s->d[i] > 0 ? s->d[i] / scale : 0;
            sum[p] += (double)s->d[i];
        }
    const float mean = (float)(add_up(sum) / (double)s->n);
#pragma omp parallel for num_threads(s->how->threads)
    for (int64_t i = 0; i < s->n; i++) {
        x[i] = y[i] = mean;
        g[i] = 0;
    }
    return scale;
}

static int iterate(struct state *s, double limit, int *done) {
    const int most = s->how->iterations ? s->how->iterations : GF_RICHARDSON_MOST;
    for (*done = 0; *done < most; ++*done) {
        int rc = blur(s, &s->y);
        if (rc)
            return rc;
        if (divide(s) <= limit && *done && !s->how->iterations) {
            gf_array_copy(&s->x, &s->y);
            return 0;
        }
        rc = blur(s, &s->ratio);
        if (rc)
            return rc;
        correct(s);
        predict(s);
    }
    return 0;
}

int64_t gf_richardson_bytes(const struct gf_job *job) {
    return ARRAYS * gf_job_bytes(job, -1);
}

int gf_richardson_restore(const struct gf_job *job, const struct gf_richardson *how,
                          struct gf_array *data, int *done) {
    struct state s = {.job = job, .how = how, .n = gf_array_count(data), .d = data->data};
    struct gf_array *const own[] = {&s.x, &s.y, &s.blurred, &s.ratio, &s.correction};
    int rc = 0;
    for (int i = 0; i < ARRAYS && !rc; i++)
        rc = gf_array_alloc(own[i], GF_F32, data->rank, data->shape);
    if (rc)
        goto out;
    const float scale = begin(&s);
    rc = iterate(&s, pow(how->deviation / (double)scale, 2), done);
    for (int64_t i = 0; i < s.n && !rc; i++)
        s.d[i] = ((float *)s.x.data)[i] * scale;
out:
    for (int i = 0; i < ARRAYS; i++)
        gf_array_free(own[i]);
    return rc;
}
