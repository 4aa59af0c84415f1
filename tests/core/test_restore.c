/* Restoration beside independent formulas: noise of known
 * strength, inverse filters in long double, Richardson-Lucy by direct sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/restore/noise.h"
#include "core/restore/quanta.h"
#include "core/restore/richardson.h"
#include "core/restore/wiener.h"
#include "tests/test.h"

static const double PI = 3.14159265358979323846;
static uint64_t state = 1;

static double uniform(void) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return ((double)(state >> 11) + 0.5) / 0x1p53;
}

static double normal(void) {
    const double radius = sqrt(-2 * log(uniform()));
    return radius * cos(2 * PI * uniform());
}

/* ---- noise ---- */

/* For a picture with a slope, a step, and noise, clipped at `white`; 0: at their type's. */
static double measure_clipped(enum gf_dtype type, int ndim, const int64_t *shape, double mean,
                              double s, double white) {
    struct gf_array a;
    struct gf_noise noise;
    const int64_t n = shape[ndim - 1] * shape[ndim];
    CHECK_EQ(gf_array_alloc(&a, type, ndim + 1, shape), GF_OK);
    for (int64_t i = 0; i < gf_array_count(&a); i++) {
        const double x = (double)(i % n) / (double)n, level = mean + (x > 0.7 ? 40 : 20 * x);
        const double v = level + s * normal();
        if (type == GF_U8)
            ((uint8_t *)a.data)[i] = (uint8_t)fmin(fmax(rint(v), 0), 255);
        else if (type == GF_U16)
            ((uint16_t *)a.data)[i] = (uint16_t)fmin(fmax(rint(v), 0), white > 0 ? white : 65535);
        else
            ((float *)a.data)[i] = (float)v;
    }
    CHECK_EQ(gf_noise_estimate(&a, ndim, white, 1, 2, &noise), GF_OK);
    CHECK_MSG(noise.slope == 0, "white noise has a slope of %g", noise.slope);
    gf_array_free(&a);
    return noise.deviation;
}

/* Noise of variance 2 (level - 100) + 9; noise of blocks of 4 x 4 samples. */
static void test_noise_lines(void) {
    const int64_t shape[] = {256, 256, 1};
    struct gf_noise noise;
    struct gf_array a;
    CHECK_EQ(gf_array_alloc(&a, GF_F32, 3, shape), GF_OK);
    for (int i = 0; i < 256 * 256; i++) {
        const double level = 110 + 100 * (1 + sin(i % 256 / 30.)) * (i >> 8) / 256;
        ((float *)a.data)[i] = (float)(level + sqrt(2 * (level - 100) + 9) * normal());
    }
    CHECK_EQ(gf_noise_estimate(&a, 2, 0, 1, 2, &noise), GF_OK);
    CHECK(fabs(noise.slope - 2) < 0.2 && fabs(noise.base + 191) < 25);
    for (int i = 0; i < 256 * 256; i++) {
        const int first = i / 1024 * 1024 + i % 256 / 4 * 4;
        ((float *)a.data)[i] = i == first ? (float)normal() : ((float *)a.data)[first];
    }
    CHECK_EQ(gf_noise_estimate(&a, 2, 0, 4, 2, &noise), GF_OK);
    CHECK_MSG(fabs(noise.deviation - 4) < 0.7 && noise.slope == 0, "%g", noise.deviation);
    gf_array_free(&a);
}

static double measure(enum gf_dtype type, int ndim, const int64_t *shape, double mean, double s) {
    return measure_clipped(type, ndim, shape, mean, s, 0);
}

static void test_noise(void) {
    const int64_t picture[] = {200, 230, 1}, rgb[] = {101, 97, 3}, line[] = {9001, 1};
    const int64_t volume[] = {7, 60, 50, 1}, row[] = {1, 5000, 1}, tiny[] = {2, 2, 1};
    /* 30% of a picture of 10 bits is white. */
    const double clipped = measure_clipped(GF_U16, 2, picture, 1000, 3, 1023);
    CHECK_MSG(clipped > 2.4 && clipped < 3.6, "%g", clipped);
    for (double s = 1; s <= 20; s *= 2.1) {
        const double got[] = {
            measure(GF_U8, 2, picture, 100, s),  measure(GF_U16, 2, picture, 1000, s),
            measure(GF_F32, 2, picture, 0, s),   measure(GF_U8, 2, rgb, 90, s),
            measure(GF_F32, 3, volume, -500, s), measure(GF_F32, 1, line, 0, s),
            measure(GF_U8, 2, row, 100, s),
        };
        for (int i = 0; i < 7; i++)
            CHECK_MSG(fabs(got[i] / s - 1) < (i < 5 ? 0.1 : 0.15), "picture %d: %g, not %g", i,
                      got[i], s);
        /* A fifth of the samples or more is clipped on the left. */
        const double clipped = measure(GF_U8, 2, picture, s / 2, s);
        CHECK_MSG(fabs(clipped / s - 1) < 0.25, "clipped: %g, not %g", clipped, s);
    }
    CHECK(measure(GF_U8, 2, picture, 100, 0) < 0.5);
    CHECK(measure(GF_F32, 2, tiny, 1, 1) == 0);
}

/* Cosines of blocks, multiples of their quanta and at most 400, rounded to levels. */
static void test_quanta(void) {
    enum { N = 256 };
    const int64_t shape[] = {N, N, 1};
    struct gf_array a;
    CHECK_EQ(gf_array_alloc(&a, GF_U8, 3, shape), GF_OK);
    for (int was_jpeg = 0; was_jpeg < 2; was_jpeg++) {
        uint8_t rounding[GF_ROUNDING_BANDS] = {0}, *to = a.data;
        for (int block = 0; block < N * N / 64; block++) {
            double v[64] = {0};
            for (int k = 0; k < 15; k++) {
                const int ky = k / 5, kx = k % 5, q = 4 + 3 * (kx > ky ? kx : ky);
                double c = 60 * normal();
                c = was_jpeg ? q * rint(c / q) : c;
                for (int i = 0; i < 64; i++)
                    v[i] += c * (ky ? 0.5 : sqrt(0.125)) * (kx ? 0.5 : sqrt(0.125)) *
                            cos(PI * ky * (i / 8 + 0.5) / 8) * cos(PI * kx * (i % 8 + 0.5) / 8);
            }
            for (int i = 0; i < 64; i++)
                to[(block / 32 * 8 + i / 8) * N + block % 32 * 8 + i % 8] =
                    (uint8_t)fmin(fmax(rint(128 + v[i]), 0), 255);
        }
        CHECK_EQ(gf_quanta_find(&a, rounding), GF_OK);
        CHECK_EQ(rounding[0], was_jpeg ? 4 : 0);
        CHECK_EQ(rounding[3], was_jpeg ? 12 : 0);
        CHECK_EQ(rounding[10], was_jpeg ? 15 : 0);
    }
    gf_array_free(&a);
}

/* ---- linear filters ---- */

enum { NY = 40, NX = 54, HALF = NX / 2 + 1 };

/* The half spectrum of an unsymmetric kernel. */
static void fill_transfer(struct gf_array *h) {
    float *to = h->data;
    for (int ky = 0; ky < NY; ky++)
        for (int kx = 0; kx < HALF; kx++, to += 2) {
            const double a = -2 * PI * kx / NX, b = -2 * PI * ky / NY;
            to[0] = (float)(0.5 + 0.3 * cos(a) + 0.2 * cos(2 * a + b));
            to[1] = (float)(0.3 * sin(a) + 0.2 * sin(2 * a + b));
        }
}

/* N / S at a frequency, from its definition. */
static double ratio_at(const struct gf_prior *p, double f) {
    double square[GF_PRIOR_BANDS];
    int i = 0;
    for (int k = 0; k < GF_PRIOR_BANDS; k++)
        square[k] = pow(exp(0.16 * (k + 0.5)) / 0x1p24, 2);
    while (i < GF_PRIOR_BANDS - 2 && f * f >= square[i + 1])
        i++;
    const double part = fmax((f * f - square[i]) / (square[i + 1] - square[i]), 0);
    return (1 - part) * p->ratio[i] + part * p->ratio[i + 1];
}

static void check_inverse(const struct gf_job *job, const struct gf_prior *prior, double l) {
    struct gf_array h, was;
    const int64_t shape[] = {NY, HALF};
    double worst = 0;
    CHECK(!gf_array_alloc(&h, GF_C64, 2, shape) && !gf_array_alloc(&was, GF_C64, 2, shape));
    fill_transfer(&h);
    fill_transfer(&was);
    CHECK_EQ(gf_wiener_invert(job, prior, l, 2, &h), GF_OK);
    for (int i = 0; i < NY * HALF; i++) {
        const long double re = ((float *)was.data)[2 * i], im = ((float *)was.data)[2 * i + 1];
        const int ky = i / HALF, kx = i % HALF, my = ky > NY / 2 ? NY - ky : ky;
        const double f = sqrt(pow((double)kx / NX, 2) + pow((double)my / NY, 2));
        const double d = 4 - 2 * cos(2 * PI * kx / NX) - 2 * cos(2 * PI * ky / NY);
        const long double k = !prior ? l * d * d : f > 0 ? 2 * ratio_at(prior, f) : 0;
        const long double below = re * re + im * im + k;
        worst = fmax(worst, (double)fabsl(((float *)h.data)[2 * i] - re / below));
        worst = fmax(worst, (double)fabsl(((float *)h.data)[2 * i + 1] + im / below));
    }
    CHECK_MSG(worst < 1e-5, "prior %d, L %g: %g", prior != NULL, l, worst);
    gf_array_free(&h);
    gf_array_free(&was);
}

/* |G|^2 = |H|^2 S + N exactly, S = 50 f^-3: S is found, and continued where the noise hides it. */
static void test_prior(void) {
    enum { N = 256, M = N / 2 + 1 };
    const struct gf_job forward = {.ndim = 2,
                                   .shape = {N, N},
                                   .channels = 1,
                                   .axes = 3,
                                   .in_dtype = GF_F32,
                                   .n_out = 1,
                                   .out = {{.kind = GF_COMPLEX, .dtype = GF_C64, .half = true}}};
    const int64_t shape[] = {N, M, 1};
    struct gf_array g, h;
    struct gf_prior prior, again;
    const double noise = 9;
    CHECK(!gf_array_alloc(&g, GF_C64, 3, shape) && !gf_array_alloc(&h, GF_F32, 2, shape));
    for (int i = 0; i < N * M; i++) {
        const int ky = i / M > N / 2 ? N - i / M : i / M;
        const double f = hypot(i % M, ky) / N, s = f > 0 ? 50 * pow(f, -3) : 0;
        const double transfer = exp(-2 * PI * PI * 4 * f * f);
        ((float *)h.data)[i] = (float)transfer;
        ((float *)g.data)[2 * i] = 0;
        ((float *)g.data)[2 * i + 1] = (float)sqrt(N * N * (transfer * transfer * s + noise));
    }
    CHECK_EQ(
        gf_prior_make(&forward, &g, &h, noise, (const uint8_t[GF_ROUNDING_BANDS]){0}, 1, &prior),
        GF_OK);
    CHECK_EQ(
        gf_prior_make(&forward, &g, &h, noise, (const uint8_t[GF_ROUNDING_BANDS]){0}, 2, &again),
        GF_OK);
    CHECK_MSG(!memcmp(&prior, &again, sizeof prior), "threads change the prior");
    for (double f = 0.02; f < 0.7; f *= 1.3) {
        const double ratio = noise / ratio_at(&prior, f) / (50 * pow(f, -3));
        CHECK_MSG(fabs(log(ratio)) < log(1.4), "S at %g: %g of the truth", f, ratio);
    }
    CHECK(prior.mean > 0 && prior.noise == noise);
    /* A 36th of the noise is known: the rest is measured where the blur is faint, and none of it
     * counts as the sharp picture. A lossy file's rounding is the least. */
    uint8_t rounding[GF_ROUNDING_BANDS] = {0};
    CHECK_EQ(gf_prior_make(&forward, &g, &h, noise / 36, rounding, 1, &prior), GF_OK);
    for (double f = 0.02; f < 0.7; f *= 1.3) {
        const double ratio = ratio_at(&prior, f) / noise * (50 * pow(f, -3));
        CHECK_MSG(fabs(log(ratio)) < log(5), "N / S at %g: %g of the truth", f, ratio);
    }
    memset(rounding, 104, sizeof rounding); /* 100 times the noise */
    CHECK_EQ(gf_prior_make(&forward, &g, &h, noise, rounding, 1, &again), GF_OK);
    CHECK(ratio_at(&again, 0.2) > 5 * ratio_at(&prior, 0.2));
    gf_array_free(&g);
    gf_array_free(&h);
}

static void test_wiener(void) {
    const struct gf_job job = {.ndim = 2, .shape = {NY, NX}, .channels = 1, .axes = 3};
    struct gf_prior prior = {.noise = 0.25};
    for (int i = 0; i < GF_PRIOR_BANDS; i++)
        prior.ratio[i] = exp(0.02 * i - 5);
    check_inverse(&job, &prior, 0);
    check_inverse(&job, NULL, 0.02);
    check_inverse(&job, NULL, 1e3);
    test_prior();
}

/* ---- tiles ---- */

static int64_t folded(int64_t i, int64_t n, bool mirrors) {
    const int64_t period = mirrors ? 2 * n : n, k = ((i % period) + period) % period;
    return k < n ? k : period - 1 - k;
}

enum { TAPS = 4 };

/* A kernel of a few samples, each at most `reach` from its centre along z, y, x. */
struct taps {
    int64_t at[TAPS][3];
    double value[TAPS];
};

/* The sum over the taps at a place of an array of extents n, which `mirrors` or is periodic. */
static double tapped(const struct taps *k, const float *x, const int64_t n[3], const int64_t at[3],
                     bool mirrors, bool transposed) {
    double sum = 0;
    for (int j = 0; j < TAPS; j++) {
        int64_t from = 0;
        for (int i = 0; i < 3; i++)
            from = from * n[i] + folded(at[i] + (transposed ? 1 : -1) * k->at[j][i], n[i], mirrors);
        sum += k->value[j] * (double)x[from];
    }
    return sum;
}

struct blurring {
    const struct taps *taps;
    bool transposed;
    int runs;
};

/* Circular convolutions of a job's tiles: axes that are not transformed have no taps. */
static int run(void *context, const struct gf_job *job, const struct gf_array *in,
               struct gf_array *out) {
    struct blurring *b = context;
    const int64_t *n = job->shape;
    b->runs++;
    struct gf_array dense = {.data = NULL}; /* tiles are views */
    if (gf_array_alloc(&dense, GF_F32, in->rank, in->shape))
        return GF_ENOMEM;
    gf_array_copy(&dense, in);
    for (int64_t i = 0; i < gf_array_count(in); i++) {
        const int64_t at[] = {i / n[2] / n[1], i / n[2] % n[1], i % n[2]};
        ((float *)out->data)[i] = (float)tapped(b->taps, dense.data, n, at, false, b->transposed);
    }
    gf_array_free(&dense);
    return 0;
}

struct received {
    float *sample;
    int *times;
};

static void receive(void *user, int64_t tile, int64_t at, const float *row, int64_t n) {
    const struct received *r = user;
    (void)tile;
    for (int64_t i = 0; i < n; i++) {
        r->sample[at + i] = row[i];
        r->times[at + i]++;
    }
}

static void check_tiles(const struct gf_job *job, const int64_t reach[3], bool mirrors,
                        bool on_device) {
    struct taps taps;
    struct gf_tiles t;
    struct blurring b = {.taps = &taps};
    int64_t n[] = {1, 1, 1};
    const int before = 3 - job->ndim;
    for (int i = before; i < 3; i++)
        n[i] = job->shape[i - before];
    for (int j = 0; j < TAPS; j++) {
        taps.value[j] = uniform();
        for (int i = 0; i < 3; i++) {
            const int64_t r =
                i < before || !(job->axes >> (i - before) & 1) ? 0 : reach[i - before];
            taps.at[j][i] = j == 0 ? r : j == 1 ? -r : (int64_t)(uniform() * (double)(2 * r)) - r;
        }
    }
    gf_tiles_init(&t, job, reach, mirrors, 2, on_device);
    const int64_t plane = n[0] * n[1] * n[2], all = plane * job->channels;
    const int64_t room = gf_tiles_samples(&t);
    int64_t shape[] = {t.job.shape[0], t.job.shape[1], t.job.shape[2], 1};
    float *x = malloc((size_t)all * sizeof *x), *picture = malloc((size_t)room * sizeof *picture);
    struct received r = {malloc((size_t)room * sizeof(float)), calloc((size_t)room, sizeof(int))};
    struct gf_array out;
    gf_array_alloc(&out, GF_F32, 4, shape);
    for (int64_t i = 0; i < room; i++)
        picture[i] = NAN;
    for (int64_t i = 0; i < all; i++) {
        const int64_t at[] = {i / plane, i % plane / n[2] / n[1], i % plane / n[2] % n[1],
                              i % plane % n[2]};
        x[i] = picture[gf_tiles_at(&t, at)] = (float)uniform();
    }
    gf_tiles_extend(&t, picture);
    for (int transposed = 0; transposed < 2; transposed++) {
        double worst = 0;
        int bad = 0, calls = 0;
        b.transposed = transposed;
        for (int64_t k = 0; k < t.jobs; k++) {
            const struct gf_array in = gf_tiles_view(&t, k, picture);
            run(&b, &t.job, &in, &out);
            gf_tiles_use(&t, k, out.data, receive, &r);
        }
        for (int64_t i = 0; i < all; i++) {
            const int64_t k = i % plane, at[] = {k / n[2] / n[1], k / n[2] % n[1], k % n[2]};
            const int64_t to = gf_tiles_at(&t, (int64_t[]){i / plane, at[0], at[1], at[2]});
            const double want = tapped(&taps, x + i - k, n, at, mirrors, transposed);
            worst = fmax(worst, fabs((double)r.sample[to] - want));
            bad += r.times[to] != transposed + 1;
        }
        for (int64_t i = 0; i < room; i++)
            calls += r.times[i];
        CHECK_MSG(worst < 1e-6 && !bad && calls == all * (transposed + 1),
                  "%lldx%lldx%lld, axes %u: %g, %d, %d", (long long)n[0], (long long)n[1],
                  (long long)n[2], job->axes, worst, bad, calls);
    }
    CHECK_MSG(b.runs == 2 * t.jobs && t.jobs * t.batch < t.n + t.n / 8 + 1,
              "%lld jobs of %lld, %lld tiles", (long long)t.jobs, (long long)t.batch,
              (long long)t.n);
    gf_array_free(&out);
    free(x);
    free(picture);
    free(r.sample);
    free(r.times);
}

/* One tile and several, of each number of axes, kernels as long as the picture. */
static void test_tiles(void) {
    static const struct {
        struct gf_job job;
        int64_t reach[3];
    } of[] = {
        {{.ndim = 1, .shape = {1}, .channels = 1, .axes = 1}, {3}},
        {{.ndim = 1, .shape = {9000}, .channels = 2, .axes = 1}, {20}},
        {{.ndim = 2, .shape = {7, 10}, .channels = 3, .axes = 3}, {3, 5}},
        {{.ndim = 2, .shape = {7, 10}, .channels = 1, .axes = 3}, {9, 30}},
        {{.ndim = 2, .shape = {300, 41}, .channels = 1, .axes = 3}, {8, 0}},
        {{.ndim = 2, .shape = {263, 270}, .channels = 2, .axes = 3}, {1, 9}},
        {{.ndim = 2, .shape = {1800, 20}, .channels = 1, .axes = 3}, {2, 1}},
        {{.ndim = 2, .shape = {5, 8300}, .channels = 1, .axes = 2}, {0, 7}},
        {{.ndim = 2, .shape = {8300, 5}, .channels = 1, .axes = 1}, {7, 0}},
        {{.ndim = 3, .shape = {5, 290, 7}, .channels = 1, .axes = 6}, {0, 9, 3}},
        {{.ndim = 3, .shape = {290, 4, 9}, .channels = 2, .axes = 5}, {2, 0, 4}},
        {{.ndim = 3, .shape = {290, 9, 4}, .channels = 1, .axes = 3}, {2, 4, 0}},
        {{.ndim = 3, .shape = {6, 150, 20}, .channels = 2, .axes = 7}, {2, 1, 3}},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int how = 0; how < 4; how++)
            check_tiles(&of[i].job, of[i].reach, how & 1, how > 1);
}

/* ---- Richardson-Lucy ---- */

enum { ROWS = 270, COLUMNS = 10, PIXELS = ROWS * COLUMNS, CHANNELS = 2, ALL = PIXELS * CHANNELS };

/* A kernel whose mirror image differs, and one whose mirror image does not: with mirrored edges
 * iterations with the first diverge. */
static const struct taps kernels[] = {
    {{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 2}}, {0.5, 0.1, 0.2, 0.2}},
    {{{0, 0, 0}, {0, 0, 0}, {0, 0, 2}, {0, 0, -2}}, {0.3, 0.3, 0.2, 0.2}},
};

/* By its definition, or its transpose, channels last. */
static void convolve(const double *in, bool mirrors, bool transposed, double *out) {
    const int64_t n[] = {1, ROWS, COLUMNS};
    static float plane[PIXELS];
    for (int c = 0; c < CHANNELS; c++) {
        for (int i = 0; i < PIXELS; i++)
            plane[i] = (float)in[i * CHANNELS + c];
        for (int i = 0; i < PIXELS; i++) {
            const int64_t at[] = {0, i / COLUMNS, i % COLUMNS};
            out[i * CHANNELS + c] = tapped(&kernels[mirrors], plane, n, at, mirrors, transposed);
        }
    }
}

/* The same iterations from their formulas, in double. */
static void restore(const double *d, bool mirrors, int iterations, double *x) {
    static double y[ALL], before[ALL], g[ALL], blurred[ALL], ratio[ALL];
    double mean = 0, most = 0;
    for (int i = 0; i < ALL; i++) {
        mean += d[i] / ALL;
        most = fmax(most, d[i]);
    }
    for (int i = 0; i < ALL; i++) {
        x[i] = y[i] = mean;
        g[i] = 0;
    }
    for (int k = 0; k < iterations; k++) {
        double above = 0, below = 0;
        convolve(y, mirrors, false, blurred);
        for (int i = 0; i < ALL; i++)
            ratio[i] = d[i] / fmax(blurred[i], 1e-6 * most);
        convolve(ratio, mirrors, true, blurred);
        for (int i = 0; i < ALL; i++) {
            const double next = y[i] * blurred[i], now = next - y[i];
            above += now * g[i];
            below += g[i] * g[i];
            g[i] = now;
            before[i] = x[i];
            x[i] = next;
        }
        const double a = below > 0 ? fmin(fmax(above / below, 0), 1) : 0;
        for (int i = 0; i < ALL; i++)
            y[i] = fmax(x[i] + a * (x[i] - before[i]), 0);
    }
}

static int lucy(const double *d, bool mirrors, int iterations, double deviation, float *out) {
    const struct gf_job job = {
        .ndim = 2, .shape = {ROWS, COLUMNS}, .channels = CHANNELS, .axes = 3};
    const int64_t shape[] = {ROWS, COLUMNS, CHANNELS}, reach[] = {1, 2};
    const struct blurring h = {.taps = &kernels[mirrors]};
    struct blurring b[] = {h, h, h, h};
    const struct gf_filter_transform blur[][2] = {{{run, &b[0]}, {run, &b[1]}},
                                                  {{run, &b[2]}, {run, &b[3]}}};
    struct gf_tiles tiles;
    const double v = deviation * deviation;
    double share[GF_BLUR_CLASSES] = {0};
    const struct gf_richardson how = {iterations, {deviation, v, 0, v}, share, &tiles, blur};
    struct gf_array data = gf_array_wrap(out, GF_F32, 3, shape);
    int done = -1;
    for (int i = 0; i < PIXELS; i++) {
        double re = 0, im = 0;
        for (int j = 0; j < TAPS; j++) {
            const double at =
                2 * PI * (double)(kernels[mirrors].at[j][1] * (i / COLUMNS)) / ROWS +
                2 * PI * (double)(kernels[mirrors].at[j][2] * (i % COLUMNS)) / COLUMNS;
            re += kernels[mirrors].value[j] * cos(at);
            im += kernels[mirrors].value[j] * sin(at);
        }
        share[gf_min(lround(-4 * log2(re * re + im * im + 1e-9)), GF_BLUR_CLASSES - 1)] +=
            1. / PIXELS;
    }
    b[1].transposed = b[3].transposed = true;
    gf_tiles_init(&tiles, &job, reach, mirrors, 2, false);
    for (int i = 0; i < ALL; i++)
        out[i] = (float)d[i];
    CHECK_EQ(gf_richardson_restore(&how, &data, &done), GF_OK);
    if (iterations)
        CHECK_EQ(b[0].runs + b[1].runs + b[2].runs + b[3].runs, (2 * done - 1) * tiles.jobs);
    return done;
}

/* The root mean square of H x - d. */
static double distance(const float *x, const double *d, bool mirrors) {
    static double wide[ALL], blurred[ALL];
    double square = 0;
    for (int i = 0; i < ALL; i++)
        wide[i] = (double)x[i];
    convolve(wide, mirrors, false, blurred);
    for (int i = 0; i < ALL; i++)
        square += pow(blurred[i] - d[i], 2) / ALL;
    return sqrt(square);
}

static void check_richardson(bool mirrors) {
    static double sharp[ALL], d[ALL], want[ALL];
    static float out[ALL];
    for (int i = 0; i < ALL; i++)
        sharp[i] = i % 9 == 0 ? 200 : 10 * uniform();
    convolve(sharp, mirrors, false, d);
    for (int n = 1; n <= 16; n *= 4) {
        double worst = 0;
        CHECK_EQ(lucy(d, mirrors, n, 0, out), n);
        restore(d, mirrors, n, want);
        for (int i = 0; i < ALL; i++)
            worst = fmax(worst, fabs((double)out[i] - want[i]));
        CHECK_MSG(worst < 0.01, "mirrors %d, %d iterations: %g", mirrors, n, worst);
    }
    /* Automatic ones end where the blurred result is nearest to the blurred truth, at least one. */
    CHECK_EQ(lucy(d, mirrors, 0, 1e6, out), 1);
    for (int i = 0; i < ALL; i++)
        want[i] = d[i] + 5 * normal();
    const int done = lucy(want, mirrors, 0, 5, out);
    const double own = distance(out, d, mirrors);
    double least = own;
    for (int n = 1; n <= 64; n *= 2) {
        lucy(want, mirrors, n, 0, out);
        least = fmin(least, distance(out, d, mirrors));
    }
    CHECK_MSG(done > 1 && done < 64 && own < 1.1 * least, "%d: %g, not %g", done, own, least);
    /* Zeros and negative samples give neither NaN nor negative samples. */
    for (int i = 0; i < ALL; i++)
        d[i] = i % 3 ? 0 : -5;
    d[0] = 1e30;
    lucy(d, mirrors, 30, 0, out);
    for (int i = 0; i < ALL; i++)
        CHECK_MSG(out[i] >= 0 && isfinite(out[i]), "%d: %g", i, (double)out[i]);
    memset(d, 0, sizeof d);
    lucy(d, mirrors, 3, 0, out);
    for (int i = 0; i < ALL; i++)
        CHECK(out[i] == 0);
}

int main(void) {
    RUN("noise of known strength is measured in every shape and type", test_noise());
    RUN("noise that grows with the level, or is coarse, is measured", test_noise_lines());
    RUN("a former JPEG file shows its quanta, other pictures none", test_quanta());
    RUN("inverse filters are those in long double", test_wiener());
    RUN("tiles cover every sample and reach beyond the kernel", test_tiles());
    RUN("Richardson-Lucy steps are direct sums", check_richardson(false));
    RUN("Richardson-Lucy with mirrored edges is direct sums", check_richardson(true));
    return TEST_END();
}
