/* Richardson-Lucy iterations: two blurs each, tile by tile, and what follows each of them. */
#include "core/restore/richardson.h"

#include <math.h>

#include "core/base/host/memory.h"
#include "core/base/value/status.h"

/* A blurred picture below this share of its maximum is rounding, and not divided by. */
static const float LEAST = 1e-6F;

/* Corrections are compared in about so many rows. */
enum { ROWS = 1024 };

enum { ARRAYS = 5, PARTS = 256 };

struct state {
    const struct gf_richardson *how;
    const struct gf_tiles *t;
    int threads;                  /* in all */
    int64_t n;                    /* samples of each of these, */
    float *d, *x, *y, *g, *ratio; /* pictures as tiles need them */
    int64_t every;                /* g is of each so many-th row */
    float *room;                  /* a job's output for each hand */
    float scale;                  /* of d */
    float base, slope, least;     /* the noise's variance, of d */
    /* By classes of |H|^2, the share of a constant picture's noise that x and y do not fit. */
    double rest_x[GF_BLUR_CLASSES], rest_y[GF_BLUR_CLASSES];
    /* Sums of each piece, added up in order, so that they do not depend on the threads' number. */
    double (*sum)[2];
};

/* ratio = d / H y; the square of d - H y over the noise's variance there. */
static void divide(void *user, int64_t piece, int64_t at, const float *b, int64_t n) {
    const struct state *s = user;
    const float *d = s->d + at;
    float *ratio = s->ratio + at, square = 0;
#pragma omp simd reduction(+ : square)
    for (int64_t i = 0; i < n; i++) {
        ratio[i] = d[i] / (b[i] > LEAST ? b[i] : LEAST);
        const float v = s->base + s->slope * b[i];
        square += (d[i] - b[i]) * (d[i] - b[i]) / (v > s->least ? v : s->least);
    }
    s->sum[piece][0] += (double)square;
}

/* y becomes y times the blurred ratio, the next x. In some rows g becomes the difference; the
 * products of g and the one before, and of that. */
static void correct(void *user, int64_t piece, int64_t at, const float *c, int64_t n) {
    const struct state *s = user;
    const bool measured = at / s->t->whole[GF_TILE_AXES - 1] % s->every == 0;
    float *y = s->y + at, *g = s->g + at, both = 0, square = 0;
#pragma omp simd
    for (int64_t i = 0; i < (measured ? 0 : n); i++)
        y[i] = c[i] > 0 ? y[i] * c[i] : 0;
#pragma omp simd reduction(+ : both, square)
    for (int64_t i = 0; i < (measured ? n : 0); i++) {
        const float x = c[i] > 0 ? y[i] * c[i] : 0, now = x - y[i];
        both += now * g[i];
        square += g[i] * g[i];
        g[i] = now;
        y[i] = x;
    }
    s->sum[piece][0] += (double)both;
    s->sum[piece][1] += (double)square;
}

/* The same as blur() and divide() while y is its mean everywhere, which H keeps. */
static void divide_mean(struct state *s) {
    const float mean = s->y[0] > LEAST ? s->y[0] : LEAST;
#pragma omp parallel for simd num_threads(s->threads)
    for (int64_t i = 0; i < s->n; i++)
        s->ratio[i] = s->d[i] / mean;
}

static int64_t job_samples(const struct gf_tiles *t) {
    return gf_shape_count(t->job.shape, GF_MAX_DIMS);
}

/* Runs a hand's jobs: blurs a picture by H or H^T and passes the result on. */
static int run_hand(struct state *s, int hand, float *picture, bool transposed, gf_tile_row *use) {
    const struct gf_tiles *t = s->t;
    const int64_t *n = t->job.shape, shape[] = {n[0], n[1], n[2], 1};
    const struct gf_filter_transform *blur = &s->how->blur[hand][transposed];
    float *room = s->room + hand * job_samples(t);
    struct gf_array out = gf_array_wrap(room, GF_F32, 4, shape);
    int rc = 0;
    for (int64_t k = hand; k < t->jobs && !rc; k += t->hands) {
        const struct gf_array in = gf_tiles_view(t, k, picture);
        rc = blur->run(blur->context, &t->job, &in, &out);
        if (!rc)
            gf_tiles_use(t, k, room, use, s);
    }
    return rc;
}

/* The same for all hands; adds up the sums. */
static int blur(struct state *s, float *picture, bool transposed, gf_tile_row *use,
                double total[2]) {
    const struct gf_tiles *t = s->t;
    struct gf_failure failed = {.status = 0};
    memset(s->sum, 0, (size_t)(t->n * t->pieces) * sizeof *s->sum);
    gf_tiles_extend(t, picture);
    /* Within even a region of one thread the loops of its threads would start new ones. */
    if (t->hands == 1)
        gf_failure_keep(&failed, run_hand(s, 0, picture, transposed, use));
    else
#pragma omp parallel for num_threads(t->hands) schedule(static, 1)
        for (int hand = 0; hand < t->hands; hand++) {
            const int rc = run_hand(s, hand, picture, transposed, use);
#pragma omp critical
            gf_failure_keep(&failed, rc);
        }
    total[0] = total[1] = 0;
    for (int64_t k = 0; k < t->n * t->pieces; k++)
        for (int i = 0; i < 2; i++)
            total[i] += s->sum[k][i];
    return gf_failure_return(&failed);
}

/* The |H|^2 of a class. */
static double blur_class(int i) {
    return exp2(-i / 4.);
}

/* y holds the new x; overwrites the old one with max(0, x + a (x - x_old)). A step leaves 1 - |H|^2
 * of the noise that y did not fit. */
static void predict(struct state *s, float a) {
    float *x = s->y, *y = s->x;
    for (int i = 0; i < GF_BLUR_CLASSES; i++) {
        const double rest = (1 - blur_class(i)) * s->rest_y[i];
        s->rest_y[i] = rest + (double)a * (rest - s->rest_x[i]);
        s->rest_x[i] = rest;
    }
#pragma omp parallel for simd num_threads(s->threads)
    for (int64_t i = 0; i < s->n; i++) {
        const float v = x[i] + a * (x[i] - y[i]);
        y[i] = v > 0 ? v : 0;
    }
    s->x = x;
    s->y = y;
}

/* The index of the first sample of a channel's row in a picture of tiles. */
static int64_t row_at(const struct gf_tiles *t, int64_t channel, int64_t row) {
    return gf_tiles_at(t, (int64_t[]){channel, row / t->shape[2], row % t->shape[2], 0});
}

/* Scales d to a maximum of 1, so that no sum overflows, and begins with its mean everywhere. */
static float begin(struct state *s, const float *data) {
    const int64_t *n = s->t->shape, channels = n[0], rows = n[1] * n[2];
    const int threads = s->threads;
    float most = 0;
    double sum[PARTS] = {0}, total = 0;
#pragma omp parallel for num_threads(threads) reduction(max : most)
    for (int64_t i = 0; i < channels * rows * n[3]; i++)
        most = data[i] > most ? data[i] : most;
    const float scale = most > 0 ? most : 1;
#pragma omp parallel for num_threads(threads)
    for (int p = 0; p < PARTS; p++)
        for (int64_t k = p * rows / PARTS * channels; k < (p + 1) * rows / PARTS * channels; k++) {
            const int64_t row = k / channels, c = k % channels;
            const float *from = data + row * n[3] * channels + c;
            float *d = s->d + row_at(s->t, c, row);
            for (int64_t i = 0; i < n[3]; i++) {
                const float v = from[i * channels];
                d[i] = v > 0 ? v / scale : 0;
                sum[p] += (double)d[i];
            }
        }
    for (int p = 0; p < PARTS; p++)
        total += sum[p];
    const float mean = (float)(total / (double)(channels * rows * n[3]));
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < s->n; i++) {
        s->x[i] = s->y[i] = mean;
        s->g[i] = 0;
    }
    return scale;
}

/* Replaces the picture by x. */
static void put(const struct state *s, const float *x, float *to) {
    const int64_t *n = s->t->shape, channels = n[0];
#pragma omp parallel for num_threads(s->threads)
    for (int64_t k = 0; k < n[1] * n[2] * channels; k++) {
        const float *row = x + row_at(s->t, k % channels, k / channels);
        for (int64_t i = 0; i < n[3]; i++)
            to[(k / channels * n[3] + i) * channels + k % channels] = row[i] * s->scale;
    }
}

/* The estimated distance of H y from H times the truth, in variances of the noise and but for a
 * constant, from the residuals' mean square. */
static double risk(const struct state *s, double square) {
    double fitted = 0;
    for (int i = 0; i < GF_BLUR_CLASSES; i++)
        fitted += s->how->blur_share[i] * (1 - s->rest_y[i]);
    return square + 2 * fitted;
}

/* The first steps overshoot, and both residuals and risk rise: that is not the end. */
static int iterate(struct state *s, float *to, int *done) {
    const bool automatic = !s->how->iterations;
    const int most = automatic ? GF_RICHARDSON_MOST : s->how->iterations;
    double least = HUGE_VAL, least_square = HUGE_VAL;
    int rc = 0;
    for (int k = 0; k < most + automatic && !rc; k++) {
        double sum[2] = {HUGE_VAL};
        if (k)
            rc = blur(s, s->y, false, divide, sum);
        else
            divide_mean(s);
        const double square = sum[0] / (double)gf_shape_count(s->t->shape, GF_TILE_AXES);
        if (automatic && k && !rc && (k == 1 || risk(s, square) < least)) {
            least = risk(s, least_square = square);
            put(s, s->y, to);
            *done = k;
        } else if (automatic && k && square <= least_square)
            break;
        if (!rc && k < most)
            rc = blur(s, s->ratio, true, correct, sum);
        if (!rc && k < most)
            predict(s, sum[1] > 0 ? (float)fmin(fmax(sum[0] / sum[1], 0), 1) : 0);
    }
    if (!automatic && !rc) {
        put(s, s->x, to);
        *done = most;
    }
    return rc;
}

/* The floats that the sums take, a multiple of a cache line. */
static int64_t sums_of(const struct gf_tiles *t) {
    return gf_divide_up(t->n * t->pieces, 4) * 16;
}

int64_t gf_richardson_bytes(const struct gf_tiles *t) {
    return (sums_of(t) + ARRAYS * gf_tiles_samples(t) + t->hands * job_samples(t)) *
           (int64_t)sizeof(float);
}

int gf_richardson_restore(const struct gf_richardson *how, struct gf_array *data, int *done) {
    const struct gf_tiles *t = how->tiles;
    struct state s = {.how = how, .t = t, .threads = t->hands * t->threads};
    float *to = data->data, *room = gf_alloc((size_t)gf_richardson_bytes(t));
    if (!room)
        return gf_no_memory();
    s.n = gf_tiles_samples(t);
    s.every = gf_divide_up(s.n / t->whole[GF_TILE_AXES - 1], ROWS);
    s.sum = (double(*)[2])room;
    s.room = room + sums_of(t);
    float **const own[] = {&s.d, &s.x, &s.y, &s.g, &s.ratio};
    for (int i = 0; i < ARRAYS; i++)
        *own[i] = s.room + t->hands * job_samples(t) + i * s.n;
    for (int i = 0; i < GF_BLUR_CLASSES; i++)
        s.rest_x[i] = s.rest_y[i] = 1;
    s.scale = begin(&s, to);
    const double unit = 1 / (double)s.scale;
    s.base = (float)(how->noise.base * unit * unit);
    s.slope = (float)(how->noise.slope * unit);
    s.least = (float)fmax(how->noise.least * unit * unit, (double)(LEAST * LEAST));
    const int rc = iterate(&s, to, done);
    gf_free(room);
    return rc;
}
