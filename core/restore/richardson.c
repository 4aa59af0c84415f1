/* Richardson-Lucy iterations: two blurs each, and what is between them. */
#include "core/restore/richardson.h"

#include <math.h>

#include "core/base/status.h"

/* A blurred picture below this share of its maximum is rounding, and not divided by. */
static const float LEAST = 1e-6F;

enum { ARRAYS = 5, PARTS = 256 };

struct state {
    const struct gf_job *job;
    const struct gf_richardson *how;
    int64_t n;
    float *d, *x;
    struct gf_array y, blurred, ratio; /* `ratio` also holds the estimate before x */
    struct gf_array x_array, correction;
    double acceleration;
};

static int64_t mirrored(const struct state *s, int64_t i) {
    return s->how->even ? i : s->n - 1 - i;
}

static int blur(struct state *s, const struct gf_array *from) {
    return s->how->blur->run(s->how->blur->context, s->job, from, &s->blurred);
}

/* Sums of a part of the samples, so that totals do not depend on the number of threads. */
struct sums {
    double a, b;
};

static struct sums add_up(const struct sums *part) {
    struct sums all = {0, 0};
    for (int i = 0; i < PARTS; i++) {
        all.a += part[i].a;
        all.b += part[i].b;
    }
    return all;
}

/* Adds the squares of d - H y over a row's samples that count. */
static void add_residual(const struct state *s, int64_t row, struct sums *to) {
    const struct gf_job *job = s->job;
    const int last = job->ndim - 1;
    const int64_t n = job->shape[last] * job->channels;
    const float *d = s->d + row * n, *b = (const float *)s->blurred.data + row * n;
    int64_t end = gf_job_counted(job, last) * job->channels;
    for (int i = last - 1; i >= 0; i--) {
        end = row % job->shape[i] < gf_job_counted(job, i) ? end : 0;
        row /= job->shape[i];
    }
    for (int64_t i = 0; i < end; i++)
        to->a += (double)(d[i] - b[i]) * (double)(d[i] - b[i]);
    to->b += (double)end;
}

/* ratio = d / H y; returns the mean square of d - H y over the samples that count. */
static double divide(struct state *s) {
    const int last = s->job->ndim - 1;
    const int64_t n = s->job->shape[last] * s->job->channels, rows = s->n / n;
    const float *d = s->d, *b = s->blurred.data;
    float *r = s->ratio.data;
    struct sums part[PARTS] = {{0, 0}};
#pragma omp parallel for num_threads(s->how->threads)
    for (int p = 0; p < PARTS; p++)
        for (int64_t row = p * rows / PARTS; row < (p + 1) * rows / PARTS; row++) {
            for (int64_t i = row * n; i < (row + 1) * n; i++)
                r[mirrored(s, i)] = d[i] / (b[i] > LEAST ? b[i] : LEAST);
            if (!s->how->iterations)
                add_residual(s, row, &part[p]);
        }
    const struct sums all = add_up(part);
    return all.a / fmax(all.b, 1);
}

/* x' = y times the blurred ratio; makes the corrections, and the acceleration of the next step. */
static void correct(struct state *s) {
    const float *y = s->y.data, *c = s->blurred.data;
    float *before = s->ratio.data, *g = s->correction.data, *x = s->x;
    struct sums part[PARTS] = {{0, 0}};
#pragma omp parallel for num_threads(s->how->threads)
    for (int p = 0; p < PARTS; p++)
        for (int64_t i = p * s->n / PARTS; i < (p + 1) * s->n / PARTS; i++) {
            const float factor = c[mirrored(s, i)], next = y[i] * (factor > 0 ? factor : 0);
            const float now = next - y[i];
            part[p].a += (double)now * (double)g[i];
            part[p].b += (double)g[i] * (double)g[i];
            g[i] = now;
            before[i] = x[i];
            x[i] = next;
        }
    const struct sums all = add_up(part);
    s->acceleration = all.b > 0 ? fmin(fmax(all.a / all.b, 0), 1) : 0;
}

/* y = x + a (x - before), not below 0. */
static void predict(struct state *s) {
    const float *before = s->ratio.data, *x = s->x, a = (float)s->acceleration;
    float *y = s->y.data;
#pragma omp parallel for num_threads(s->how->threads)
    for (int64_t i = 0; i < s->n; i++) {
        const float v = x[i] + a * (x[i] - before[i]);
        y[i] = v > 0 ? v : 0;
    }
}

/* Scales d to a maximum of 1, so that no sum overflows, and begins with its mean everywhere. */
static float begin(struct state *s) {
    float most = 0;
    struct sums part[PARTS] = {{0, 0}};
#pragma omp parallel for num_threads(s->how->threads) reduction(max : most)
    for (int64_t i = 0; i < s->n; i++)
        most = s->d[i] > most ? s->d[i] : most;
    const float scale = most > 0 ? most : 1;
#pragma omp parallel for num_threads(s->how->threads)
    for (int p = 0; p < PARTS; p++)
        for (int64_t i = p * s->n / PARTS; i < (p + 1) * s->n / PARTS; i++) {
            s->d[i] = s->d[i] > 0 ? s->d[i] / scale : 0;
            part[p].a += (double)s->d[i];
        }
    const float mean = (float)(add_up(part).a / (double)s->n);
    float *y = s->y.data, *g = s->correction.data;
#pragma omp parallel for num_threads(s->how->threads)
    for (int64_t i = 0; i < s->n; i++) {
        s->x[i] = y[i] = mean;
        g[i] = 0;
    }
    return scale;
}

static int iterate(struct state *s, double limit, int *done) {
    const struct gf_richardson *how = s->how;
    const int most = how->iterations ? how->iterations : GF_RICHARDSON_MOST;
    int rc = 0;
    for (*done = 0; *done < most && !rc; ++*done) {
        rc = blur(s, &s->y);
        if (!rc && divide(s) <= limit && !how->iterations) {
            memcpy(s->x, s->y.data, (size_t)s->n * sizeof *s->x);
            return 0;
        }
        if (!rc)
            rc = blur(s, &s->ratio);
        if (!rc) {
            correct(s);
            predict(s);
        }
    }
    return rc;
}

int64_t gf_richardson_bytes(const struct gf_job *job) {
    return ARRAYS * gf_job_bytes(job, -1);
}

int gf_richardson_restore(const struct gf_job *job, const struct gf_richardson *how,
                          struct gf_array *data, int *done) {
    struct state s = {.job = job, .how = how, .n = gf_array_count(data), .d = data->data};
    struct gf_array *const own[] = {&s.x_array, &s.y, &s.blurred, &s.ratio, &s.correction};
    int rc = 0;
    for (int i = 0; i < ARRAYS && !rc; i++)
        rc = gf_array_alloc(own[i], GF_F32, data->rank, data->shape);
    if (rc)
        goto out;
    s.x = s.x_array.data;
    const float scale = begin(&s);
    rc = iterate(&s, pow(how->deviation / (double)scale, 2), done);
    for (int64_t i = 0; i < s.n && !rc; i++)
        s.d[i] = s.x[i] * scale;
out:
    for (int i = 0; i < ARRAYS; i++)
        gf_array_free(own[i]);
    return rc;
}
