/* Richardson-Lucy iterations: two blurs each, tile by tile, and what follows each of them. */
#include "core/restore/richardson.h"

#include <math.h>

#include "core/base/memory.h"
#include "core/base/status.h"

/* A blurred picture below this share of its maximum is rounding, and not divided by. */
static const float LEAST = 1e-6F;

enum { ARRAYS = 5, PARTS = 256 };

struct state {
    const struct gf_richardson *how;
    const struct gf_tiles *t;
    int threads;                  /* in all */
    int64_t n;                    /* samples of the picture */
    float *d, *x, *y, *g, *ratio; /* one channel after the other */
    float *room;                  /* a job's input and output for each hand */
    /* Sums of each tile, added up in order, so that they do not depend on the threads' number. */
    double (*sum)[2];
};

/* ratio = d / H y; the square of d - H y. */
static void divide(void *user, int64_t tile, int64_t at, const float *b, int64_t n) {
    const struct state *s = user;
    const float *d = s->d + at;
    float *ratio = s->ratio + at, square = 0;
#pragma omp simd reduction(+ : square)
    for (int64_t i = 0; i < n; i++) {
        ratio[i] = d[i] / (b[i] > LEAST ? b[i] : LEAST);
        square += (d[i] - b[i]) * (d[i] - b[i]);
    }
    s->sum[tile][0] += (double)square;
}

/* g = y times the blurred ratio, less y; the products of g and the one before, and of that. */
static void correct(void *user, int64_t tile, int64_t at, const float *c, int64_t n) {
    const struct state *s = user;
    const float *y = s->y + at;
    float *g = s->g + at, both = 0, square = 0;
#pragma omp simd reduction(+ : both, square)
    for (int64_t i = 0; i < n; i++) {
        const float factor = c[-i] > 0 ? c[-i] : 0, now = y[i] * factor - y[i];
        both += now * g[i];
        square += g[i] * g[i];
        g[i] = now;
    }
    s->sum[tile][0] += (double)both;
    s->sum[tile][1] += (double)square;
}

static int64_t job_samples(const struct gf_tiles *t) {
    return gf_shape_count(t->job.shape, GF_MAX_DIMS);
}

/* Blurs some tiles, by H^T if `reversed`, and passes the result on. */
static int blur_some(struct state *s, int hand, int64_t first, const float *picture, bool reversed,
                     gf_tile_row *use) {
    const struct gf_tiles *t = s->t;
    const struct gf_filter_transform *blur = &s->how->blur[hand];
    const int64_t *n = t->job.shape, shape[] = {n[0], n[1], n[2], 1}, samples = job_samples(t);
    float *room = s->room + 2 * hand * samples;
    const struct gf_array in = gf_array_wrap(room, GF_F32, 4, shape);
    struct gf_array out = gf_array_wrap(room + samples, GF_F32, 4, shape);
    gf_tiles_fill(t, first, picture, reversed, in.data);
    const int rc = blur->run(blur->context, &t->job, &in, &out);
    if (!rc)
        gf_tiles_use(t, first, out.data, reversed, use, s);
    return rc;
}

/* Blurs a picture, and adds up the sums. */
static int blur(struct state *s, const float *picture, bool reversed, gf_tile_row *use,
                double total[2]) {
    const struct gf_tiles *t = s->t;
    struct gf_failure failed = {.status = 0};
    memset(s->sum, 0, (size_t)t->n * sizeof *s->sum);
#pragma omp parallel for num_threads(t->hands) schedule(static, 1) if (t->hands > 1)
    for (int hand = 0; hand < t->hands; hand++) {
        int rc = 0;
        for (int64_t i = hand * t->batch; i < t->n && !rc; i += t->hands * t->batch)
            rc = blur_some(s, hand, i, picture, reversed, use);
#pragma omp critical
        gf_failure_keep(&failed, rc);
    }
    total[0] = total[1] = 0;
    for (int64_t k = 0; k < t->n; k++)
        for (int i = 0; i < 2; i++)
            total[i] += s->sum[k][i];
    return gf_failure_return(&failed);
}

/* x = y + g, and y = x + a (x - the x before), not below 0. */
static void predict(struct state *s, float a) {
    float *x = s->x, *y = s->y;
    const float *g = s->g;
#pragma omp parallel for simd num_threads(s->threads)
    for (int64_t i = 0; i < s->n; i++) {
        const float now = y[i] + g[i], v = now + a * (now - x[i]);
        y[i] = v > 0 ? v : 0;
        x[i] = now;
    }
}

/* Scales d to a maximum of 1, so that no sum overflows, and begins with its mean everywhere. */
static float begin(struct state *s, const float *data) {
    const int64_t channels = s->t->shape[0], n = s->n / channels;
    const int threads = s->threads;
    float most = 0;
    double sum[PARTS] = {0}, total = 0;
#pragma omp parallel for num_threads(threads) reduction(max : most)
    for (int64_t i = 0; i < s->n; i++)
        most = data[i] > most ? data[i] : most;
    const float scale = most > 0 ? most : 1;
#pragma omp parallel for num_threads(threads)
    for (int p = 0; p < PARTS; p++)
        for (int64_t i = p * n / PARTS; i < (p + 1) * n / PARTS; i++)
            for (int64_t c = 0; c < channels; c++) {
                const float v = data[i * channels + c];
                s->d[c * n + i] = v > 0 ? v / scale : 0;
                sum[p] += (double)s->d[c * n + i];
            }
    for (int p = 0; p < PARTS; p++)
        total += sum[p];
    const float mean = (float)(total / (double)s->n);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < s->n; i++) {
        s->x[i] = s->y[i] = mean;
        s->g[i] = 0;
    }
    return scale;
}

static int iterate(struct state *s, double limit, int *done) {
    const int most = s->how->iterations ? s->how->iterations : GF_RICHARDSON_MOST;
    for (*done = 0; *done < most; ++*done) {
        double square[2], sum[2];
        int rc = blur(s, s->y, false, divide, square);
        if (rc)
            return rc;
        if (square[0] / (double)s->n <= limit && *done && !s->how->iterations) {
            memcpy(s->x, s->y, (size_t)s->n * sizeof *s->x);
            return 0;
        }
        rc = blur(s, s->ratio, true, correct, sum);
        if (rc)
            return rc;
        predict(s, sum[1] > 0 ? (float)fmin(fmax(sum[0] / sum[1], 0), 1) : 0);
    }
    return 0;
}

/* The floats that the sums take, a multiple of a cache line. */
static int64_t sums_of(const struct gf_tiles *t) {
    return gf_divide_up(t->n, 4) * 16;
}

int64_t gf_richardson_bytes(const struct gf_tiles *t) {
    return (sums_of(t) + ARRAYS * gf_shape_count(t->shape, GF_TILE_AXES) +
            2 * t->hands * job_samples(t)) *
           (int64_t)sizeof(float);
}

int gf_richardson_restore(const struct gf_richardson *how, struct gf_array *data, int *done) {
    const struct gf_tiles *t = how->tiles;
    struct state s = {.how = how, .t = t, .threads = t->hands * t->threads};
    const int64_t channels = t->shape[0], n = gf_shape_count(t->shape + 1, GF_TILE_AXES - 1);
    float *to = data->data, *room = gf_alloc((size_t)gf_richardson_bytes(t));
    if (!room)
        return gf_no_memory();
    s.n = n * channels;
    s.sum = (double(*)[2])room;
    s.room = room + sums_of(t);
    float **const own[] = {&s.d, &s.x, &s.y, &s.g, &s.ratio};
    for (int i = 0; i < ARRAYS; i++)
        *own[i] = s.room + 2 * t->hands * job_samples(t) + i * s.n;
    const float scale = begin(&s, to);
    const int rc = iterate(&s, pow(how->deviation / (double)scale, 2), done);
#pragma omp parallel for num_threads(s.threads)
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < channels && !rc; c++)
            to[i * channels + c] = s.x[c * n + i] * scale;
    gf_free(room);
    return rc;
}
