/* Registration: shifts of pictures that waves define everywhere, correlation by its definition,
 * ramps, turned and scaled pictures. Transforms are sums by the definition, axis by axis. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/compare/correlate.h"
#include "core/compare/motion.h"
#include "tests/test.h"

#define TAU 6.28318530717958647692

static uint64_t seed = 1;
/* In [-1, 1). */
static double noise(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

/* ---- a slow transform ---- */

/* Transforms C-ordered x along all axes: sign -1 forward, 1 inverse without 1/N. */
static void transform(int ndim, const int64_t *n, int sign, double complex *x) {
    int64_t count = 1, step = 1;
    for (int i = 0; i < ndim; i++)
        count *= n[i];
    for (int axis = ndim - 1; axis >= 0; step *= n[axis--]) {
        double complex *line = malloc((size_t)n[axis] * 2 * sizeof *line), *root = line + n[axis];
        for (int64_t k = 0; k < n[axis]; k++)
            root[k] = cexp(sign * I * TAU * (double)k / (double)n[axis]);
        for (int64_t i = 0; i < count; i++) {
            if (i / step % n[axis])
                continue;
            for (int64_t k = 0; k < n[axis]; k++) {
                line[k] = 0;
                for (int64_t j = 0; j < n[axis]; j++)
                    line[k] += x[i + j * step] * root[j * k % n[axis]];
            }
            for (int64_t k = 0; k < n[axis]; k++)
                x[i + k * step] = line[k];
        }
        free(line);
    }
}

/* The half spectrum of a real signal as c64; free px. */
static struct gf_spectrum spectrum_of(const struct gf_array *a) {
    struct gf_spectrum s = {.ndim = a->rank, .half = true, .threads = 2};
    const int64_t count = gf_array_count(a), last = a->shape[a->rank - 1], stored = last / 2 + 1;
    double complex *x = malloc((size_t)count * sizeof *x);
    int64_t shape[GF_MAX_RANK];
    memcpy(s.shape, a->shape, sizeof s.shape);
    memcpy(shape, a->shape, sizeof shape);
    shape[a->rank - 1] = stored;
    for (int64_t i = 0; i < count; i++)
        x[i] = (double)((const float *)a->data)[i];
    transform(a->rank, a->shape, -1, x);
    CHECK_EQ(gf_array_alloc(&s.px, GF_C64, a->rank, shape), 0);
    for (int64_t i = 0; i < count / last * stored; i++)
        ((float complex *)s.px.data)[i] = (float complex)x[i / stored * last + i % stored];
    free(x);
    return s;
}

/* The real signal of a half spectrum, with 1/N. */
static void inverse(const struct gf_spectrum *s, struct gf_array *to) {
    const int64_t count = gf_array_count(to), last = to->shape[to->rank - 1];
    double complex *x = malloc((size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; i++) {
        int64_t from = 0, row = i, k = i % last, size[GF_MAX_RANK];
        const bool mirrored = k > last / 2;
        for (int a = to->rank - 1; a >= 0; a--) {
            size[a] = mirrored && row % to->shape[a] ? to->shape[a] - row % to->shape[a]
                                                     : row % to->shape[a];
            row /= to->shape[a];
        }
        for (int a = 0; a < to->rank; a++)
            from = from * s->px.shape[a] + size[a];
        const double complex v = ((const float complex *)s->px.data)[from];
        x[i] = mirrored ? conj(v) : v;
    }
    transform(to->rank, to->shape, 1, x);
    for (int64_t i = 0; i < count; i++)
        ((float *)to->data)[i] = (float)(creal(x[i]) / (double)count);
    free(x);
}

/* ---- pictures of waves ---- */

enum { WAVES = 250 };
static double wave[WAVES][GF_MAX_DIMS + 1];

static void make_waves(void) {
    for (int w = 0; w < WAVES; w++) {
        for (int a = 0; a < GF_MAX_DIMS; a++)
            wave[w][a] = 0.42 * noise();
        wave[w][GF_MAX_DIMS] = noise();
    }
}

/* The picture from `shift` on, with noise, times `unit` plus `offset`. */
static struct gf_array paint(int ndim, const int64_t *n, const double *shift, double grain,
                             enum gf_dtype dtype, double unit) {
    struct gf_array a;
    CHECK_EQ(gf_array_alloc(&a, dtype, ndim, n), 0);
    for (int64_t i = 0; i < gf_array_count(&a); i++) {
        double v = 0, at[GF_MAX_DIMS];
        int64_t rest = i;
        for (int axis = ndim - 1; axis >= 0; rest /= n[axis--])
            at[axis] = (double)(rest % n[axis]) + (shift ? shift[axis] : 0);
        for (int w = 0; w < WAVES; w++) {
            double turns = wave[w][GF_MAX_DIMS];
            for (int axis = 0; axis < ndim; axis++)
                turns += wave[w][axis] * at[axis];
            v += cos(TAU * turns);
        }
        v = unit * (1000 + v + grain * sqrt(WAVES / 2.) * 1.7 * noise());
        if (dtype == GF_F64)
            ((double *)a.data)[i] = v;
        else
            ((float *)a.data)[i] = (float)v;
    }
    return a;
}

struct found {
    double shift[GF_MAX_DIMS], height, coefficient;
};

static struct found find(const struct gf_array *ref, const struct gf_array *in) {
    struct gf_array a, b;
    struct gf_correlation_peak peak;
    struct found found;
    float *share = NULL;
    double energy[2];
    CHECK_EQ(gf_array_alloc(&a, GF_F32, ref->rank, ref->shape), 0);
    CHECK_EQ(gf_array_alloc(&b, GF_F32, ref->rank, ref->shape), 0);
    CHECK_EQ(gf_taper(ref, NULL, NULL, 7, 1, &a, &energy[0]), 0);
    CHECK_EQ(gf_taper(in, NULL, NULL, 7, 2, &b, &energy[1]), 0);
    struct gf_spectrum f = spectrum_of(&a), g = spectrum_of(&b);
    CHECK_EQ(gf_ring_shares(&f, &share), 0);
    CHECK_EQ(gf_cross_phases(&f, share, &g, &g), 0);
    free(share);
    inverse(&g, &a);
    gf_correlation_peak(&f, &a, true, &peak);
    gf_array_free(&f.px);
    gf_array_free(&g.px);
    double half[GF_MAX_DIMS], other[GF_MAX_DIMS], less[GF_MAX_DIMS];
    for (int i = 0; i < GF_MAX_DIMS; i++) {
        half[i] = peak.shift[i] / 2;
        other[i] = -half[i];
        less[i] = fabs(peak.shift[i]);
    }
    CHECK_EQ(gf_taper(ref, half, less, 7, 2, &a, &energy[0]), 0);
    CHECK_EQ(gf_taper(in, other, less, 7, 1, &b, &energy[1]), 0);
    f = spectrum_of(&a);
    g = spectrum_of(&b);
    memcpy(found.shift, peak.shift, sizeof peak.shift);
    found.height = peak.height;
    CHECK_EQ(gf_correlation_refine(&f, &g, energy, peak.inverted, found.shift, &found.coefficient),
             0);
    gf_array_free(&f.px);
    gf_array_free(&g.px);
    gf_array_free(&a);
    gf_array_free(&b);
    return found;
}

/* ---- shifts ---- */

static const struct {
    int ndim;
    int64_t n[GF_MAX_DIMS];
    double shift[GF_MAX_DIMS];
} cases[] = {{2, {64, 64}, {3.37, -5.81}},
             {2, {61, 47}, {-6.5, 4.02}},
             {2, {33, 90}, {0, 0}},
             {1, {301}, {-17.3}},
             {2, {1, 700}, {0, 20.25}},
             {2, {600, 1}, {-7.75, 0}},
             {3, {16, 21, 18}, {1.4, -2.2, 0.6}},
             {2, {64, 50}, {-7.2, 5.9}}};

static void test_shifts(void) {
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int kind = 0; kind < 3; kind++) {
            const enum gf_dtype dtype = kind == 2 ? GF_F64 : GF_F32;
            const double unit = kind == 2 ? 1e200 : 1, grain = kind == 1 ? 0.1 : 0;
            struct gf_array ref = paint(cases[c].ndim, cases[c].n, NULL, grain, dtype, unit);
            struct gf_array in =
                paint(cases[c].ndim, cases[c].n, cases[c].shift, grain, dtype, unit);
            const struct found f = find(&ref, &in);
            CHECK_MSG(f.height >= GF_PEAK_LEAST, "case %zu: height %g", c, f.height);
            CHECK_MSG(f.coefficient > (grain > 0 ? 0.95 : 0.98) && f.coefficient < 1.001,
                      "case %zu: coefficient %g", c, f.coefficient);
            for (int a = 0; a < cases[c].ndim; a++)
                CHECK_MSG(fabs(f.shift[a] - cases[c].shift[a]) < 0.02, "case %zu, axis %d: %g", c,
                          a, f.shift[a]);
            gf_array_free(&ref);
            gf_array_free(&in);
        }
}

/* Noise, ramps and waves that share nothing stay below the limit; constants have no energy. */
static void test_unrelated(void) {
    const int64_t n[2] = {48, 40};
    for (int i = 0; i < 12; i++) {
        struct gf_array ref = paint(2, n, NULL, i % 3 ? 100 : 0, GF_F32, 1);
        make_waves();
        struct gf_array in = paint(2, n, NULL, i % 2 ? 100 : 0, GF_F32, 1);
        const struct found f = find(&ref, &in);
        CHECK_MSG(f.height < GF_PEAK_LEAST, "height %g", f.height);
        gf_array_free(&ref);
        gf_array_free(&in);
    }
    for (int wide = 0; wide < 2; wide++) {
        struct gf_array a, to;
        double energy = 1;
        CHECK_EQ(gf_array_alloc(&a, wide ? GF_F64 : GF_F32, 2, n), 0);
        CHECK_EQ(gf_array_alloc(&to, GF_F32, 2, n), 0);
        for (int64_t i = 0; i < gf_array_count(&a); i++)
            wide ? (((double *)a.data)[i] = 0.1) : (((float *)a.data)[i] = 0.1f);
        CHECK_EQ(gf_taper(&a, NULL, NULL, 7, 1, &to, &energy), 0);
        CHECK(energy == 0);
        gf_array_free(&a);
        gf_array_free(&to);
    }
}

/* sum F conj(G) exp(2 pi i k s / n) / N. */
static double correlation(const struct gf_spectrum *f, const struct gf_spectrum *g, double y,
                          double x) {
    const int64_t *n = f->shape, stored = n[1] / 2 + 1;
    double complex sum = 0;
    for (int64_t i = 0; i < n[0] * stored; i++) {
        const int64_t ky = i / stored > n[0] / 2 ? i / stored - n[0] : i / stored, kx = i % stored;
        const double complex p = ((float complex *)f->px.data)[i],
                             q = ((float complex *)g->px.data)[i];
        const double complex e =
            2 * ky == n[0] ? cos(TAU * y / 2) : cexp(I * TAU * (double)ky * y / (double)n[0]);
        sum += (kx && 2 * kx != n[1] ? 2 : 1) * p * conj(q) * e *
               cexp(I * TAU * (double)kx * x / (double)n[1]);
    }
    return creal(sum) / (double)(n[0] * n[1]);
}

/* The vertex of a narrow parabola, as an offset. */
static double rise(double before, double middle, double after) {
    return 0.02 * 0.5 * (before - after) / (before - 2 * middle + after);
}

/* From a start near the maximum, and from farther ones, it is found to 1/1000. */
static void test_refine(void) {
    static const int64_t shapes[][2] = {{20, 27}, {21, 26}};
    static const double starts[][2] = {{0.5, -0.3}, {0, 0}, {-0.3, 1.1}};
    const double shift[2] = {0.6, -0.4};
    for (int k = 0; k < 6; k++) {
        const int64_t *n = shapes[k / 3];
        struct gf_array ref = paint(2, n, NULL, 0, GF_F32, 1), a;
        struct gf_array in = paint(2, n, shift, 0, GF_F32, 1);
        double energy[2], height, at[GF_MAX_DIMS] = {starts[k % 3][0], starts[k % 3][1]};
        CHECK_EQ(gf_array_alloc(&a, GF_F32, 2, n), 0);
        CHECK_EQ(gf_taper(&ref, NULL, NULL, 7, 1, &a, &energy[0]), 0);
        struct gf_spectrum f = spectrum_of(&a);
        CHECK_EQ(gf_taper(&in, NULL, NULL, 7, 1, &a, &energy[1]), 0);
        struct gf_spectrum g = spectrum_of(&a), copy = g;
        CHECK_EQ(gf_array_alloc(&copy.px, GF_C64, 2, g.px.shape), 0);
        gf_array_copy(&copy.px, &g.px);
        CHECK_EQ(gf_correlation_refine(&f, &copy, energy, false, at, &height), 0);
        const double here = correlation(&f, &g, at[0], at[1]), d = 0.02;
        const double off[2] = {rise(correlation(&f, &g, at[0] - d, at[1]), here,
                                    correlation(&f, &g, at[0] + d, at[1])),
                               rise(correlation(&f, &g, at[0], at[1] - d), here,
                                    correlation(&f, &g, at[0], at[1] + d))};
        CHECK_MSG(fabs(off[0]) < 1e-3 && fabs(off[1]) < 1e-3, "%g,%g from the maximum", off[0],
                  off[1]);
        CHECK_MSG(fabs(here / sqrt(energy[0] * energy[1]) - height) < 1e-4, "%g", height);
        for (int step = 0; step < 6400 && k == 1; step++)
            CHECK(correlation(&f, &g, (step / 80 - 40) / 40., (step % 80 - 40) / 40.) <
                  here + 1e-4 * fabs(here));
        gf_array_free(&f.px);
        gf_array_free(&g.px);
        gf_array_free(&copy.px);
        gf_array_free(&ref);
        gf_array_free(&in);
        gf_array_free(&a);
    }
}

/* A taper of half the size is that of the means of 2x2 samples, of odd sizes too. */
static void test_halves(void) {
    const int64_t n[2] = {23, 40}, half[2] = {11, 20};
    struct gf_array px = paint(2, n, NULL, 0.5, GF_F32, 1), mean, to[2];
    double energy[2];
    CHECK_EQ(gf_array_alloc(&mean, GF_F32, 2, half), 0);
    for (int k = 0; k < 2; k++)
        CHECK_EQ(gf_array_alloc(&to[k], GF_F32, 2, half), 0);
    for (int64_t i = 0; i < 11 * 20; i++) {
        const float *v = (const float *)px.data + i / 20 * 2 * 40 + i % 20 * 2;
        ((float *)mean.data)[i] = (v[0] + v[1] + v[40] + v[41]) / 4;
    }
    CHECK_EQ(gf_taper(&px, NULL, NULL, 7, 2, &to[0], &energy[0]), 0);
    CHECK_EQ(gf_taper(&mean, NULL, NULL, 7, 1, &to[1], &energy[1]), 0);
    const float *a = to[0].data, *b = to[1].data; /* each over its largest magnitude */
    const double scale = sqrt(energy[1] / energy[0]);
    for (int64_t i = 0; i < 11 * 20; i++)
        CHECK(fabs((double)a[i] * scale - (double)b[i]) < 1e-5);
    gf_array_free(&px);
    gf_array_free(&mean);
    gf_array_free(&to[0]);
    gf_array_free(&to[1]);
}

/* ---- motions ---- */

/* A ramp shifts a picture of whole waves, below n/2, exactly; whole shifts move all samples. */
static void test_ramp(void) {
    static const int64_t shapes[][2] = {{12, 16}, {9, 15}, {8, 7}, {1, 10}};
    for (size_t c = 0; c < 4; c++)
        for (int whole = 0; whole < 2; whole++) {
            const int64_t *n = shapes[c];
            const double shift[2] = {whole ? 0 : n[0] > 1 ? 0.3 : 0, whole ? -2 : 1.7};
            struct gf_array a, table;
            CHECK_EQ(gf_array_alloc(&a, GF_F32, 2, n), 0);
            float *v = a.data;
            for (int64_t i = 0; i < n[0] * n[1]; i++) {
                const double y = (double)(i / n[1]), x = (double)(i % n[1]);
                v[i] = whole ? (float)noise()
                             : (float)cos(TAU * (2 * x / (double)n[1] +
                                                 (n[0] > 1 ? 3 * y / (double)n[0] : 0)));
            }
            struct gf_spectrum s = spectrum_of(&a);
            CHECK_EQ(gf_array_alloc(&table, GF_C64, 2, s.px.shape), 0);
            gf_motion_ramp(n, shift, &table);
            for (int64_t i = 0; i < gf_array_count(&table); i++)
                ((float complex *)s.px.data)[i] *= ((float complex *)table.data)[i];
            struct gf_array moved;
            CHECK_EQ(gf_array_alloc(&moved, GF_F32, 2, n), 0);
            inverse(&s, &moved);
            double worst = 0;
            for (int64_t i = 0; i < n[0] * n[1]; i++) {
                const double y = (double)(i / n[1]) - shift[0], x = (double)(i % n[1]) - shift[1];
                const double want =
                    whole
                        ? (double)v[i / n[1] * n[1] + (i % n[1] + 2) % n[1]]
                        : cos(TAU * (2 * x / (double)n[1] + (n[0] > 1 ? 3 * y / (double)n[0] : 0)));
                worst = fmax(worst, fabs(want - (double)((float *)moved.data)[i]));
            }
            CHECK_MSG(worst < 1e-5, "%lldx%lld: %g", (long long)n[0], (long long)n[1], worst);
            gf_array_free(&a);
            gf_array_free(&s.px);
            gf_array_free(&table);
            gf_array_free(&moved);
        }
}

/* Cubic convolution reproduces polynomials of degree 2, so the result is known. */
static void test_apply(void) {
    const int64_t n[3] = {31, 40, 2};
    const struct gf_motion m = {.shift = {2.25, -3.5}, .turn = 25, .scale = 1.2};
    const double t = m.turn * TAU / 360, cy = 15, cx = 19.5;
    struct gf_array a, to;
    CHECK_EQ(gf_array_alloc(&a, GF_F64, 3, n), 0);
    CHECK_EQ(gf_array_alloc(&to, GF_F64, 3, n), 0);
    for (int64_t i = 0; i < 31 * 80; i++) {
        const double y = (double)(i / 80), x = (double)(i / 2 % 40);
        ((double *)a.data)[i] = i % 2 ? 3 * x - y : 5 + x * x - x * y + 2 * y;
    }
    gf_motion_apply(&a, &m, false, 2, &to);
    int inside = 0, outside = 0;
    for (int64_t i = 0; i < 31 * 80; i++) {
        const double dy = (double)(i / 80) - cy - m.shift[0],
                     dx = (double)(i / 2 % 40) - cx - m.shift[1];
        /* back: clockwise as seen, y being down */
        const double x = cx + (cos(t) * dx - sin(t) * dy) / m.scale,
                     y = cy + (sin(t) * dx + cos(t) * dy) / m.scale;
        const double v = ((double *)to.data)[i];
        if (y > 1 && y < 29 && x > 1 && x < 38 && ++inside)
            CHECK(fabs(v - (i % 2 ? 3 * x - y : 5 + x * x - x * y + 2 * y)) < 1e-9);
        if ((y < -0.5 || y > 30.5 || x < -0.5 || x > 39.5) && ++outside)
            CHECK(v == 0);
    }
    CHECK(inside > 500 && outside > 50);
    gf_array_free(&a);
    gf_array_free(&to);
}

/* The polar samples of a spectrum that is bright along one direction are bright at that angle, and
 * a shift of them is a turn and a scale. */
static void test_polar(void) {
    const int64_t n[2] = {96, 128}, half[2] = {96, 65}, polar[2] = {GF_POLAR, GF_POLAR};
    struct gf_spectrum s = {.ndim = 2, .shape = {96, 128}, .half = true, .threads = 2};
    struct gf_array to;
    CHECK_EQ(gf_array_alloc(&s.px, GF_C64, 2, half), 0);
    CHECK_EQ(gf_array_alloc(&to, GF_F32, 2, polar), 0);
    const double degrees = 60;
    for (int64_t i = 0; i < 96 * 65; i++) {
        const double fy = (double)(i / 65 > 48 ? i / 65 - 96 : i / 65) / (double)n[0];
        const double fx = (double)(i % 65) / (double)n[1];
        const double off = sin(atan2(-fy, fx) - degrees * TAU / 360);
        ((float complex *)s.px.data)[i] = (float)exp(-8 * off * off);
    }
    gf_motion_polar(&s, &to);
    double best = -INFINITY;
    int at = 0;
    for (int a = 0; a < GF_POLAR; a++) {
        double sum = 0;
        for (int r = GF_POLAR / 2; r < GF_POLAR; r++)
            sum += (double)((float *)to.data)[a * GF_POLAR + r];
        if (sum > best)
            best = sum, at = a;
    }
    CHECK_MSG(fabs(180. * at / GF_POLAR - degrees) < 1.5, "%g degrees", 180. * at / GF_POLAR);
    const struct gf_motion m = gf_motion_of_polar((double[]){GF_POLAR / 4., 0});
    CHECK(fabs(m.turn - 45) < 1e-12 && m.scale == 1);
    const struct gf_motion whole = gf_motion_of_polar((double[]){0, -(GF_POLAR - 1)});
    CHECK(fabs(whole.scale - 25) < 1e-9); /* from 0.02 to 0.5 cycles a sample */
    gf_array_free(&s.px);
    gf_array_free(&to);
}

static void test_fill(void) {
    const int64_t n[3] = {4, 5, 1};
    unsigned char v[20];
    struct gf_array a = gf_array_wrap(v, GF_U8, 3, n);
    static const unsigned char zero[20] = {0, 0, 0,  0,  0,  0, 0, 0,  0,  0,
                                           0, 0, 12, 13, 14, 0, 0, 17, 18, 19};
    static const unsigned char edge[20] = {12, 12, 12, 13, 14, 12, 12, 12, 13, 14,
                                           12, 12, 12, 13, 14, 17, 17, 17, 18, 19};
    for (int with = 0; with < 2; with++) {
        for (int i = 0; i < 20; i++)
            v[i] = (unsigned char)i;
        gf_motion_fill(&a, (double[]){2, 2.4}, with);
        CHECK(!memcmp(v, with ? edge : zero, sizeof v));
    }
}

/* Rings of power 8, 4, 2 and 1: the quietest five in a row have 1.2 on average, whatever a bin's weight is. */
static void test_shares(void) {
    enum { N = 16, STORED = N / 2 + 1 };
    struct gf_spectrum s = {.ndim = 2, .shape = {N, N}, .half = true, .threads = 1};
    float *share = NULL;
    NEED(!gf_array_alloc(&s.px, GF_C64, 2, (int64_t[]){N, STORED}));
    for (int i = 0; i < N * STORED; i++) {
        const int y = i / STORED > N / 2 ? N - i / STORED : i / STORED;
        const long ring = lround(hypot(y, i % STORED));
        ((float complex *)s.px.data)[i] = (float)sqrt(ring < 4 ? 16 >> ring : 1);
    }
    CHECK_EQ(gf_ring_shares(&s, &share), 0);
    static const double want[] = {1 - 1.2 / 16, 0.85, 0.7, 0.4, 0, 0, 0};
    for (int r = 0; r < 7; r++)
        CHECK_MSG(fabs((double)share[r] - want[r]) < 1e-6, "ring %d: %g, not %g", r,
                  (double)share[r], want[r]);
    free(share);
    gf_array_free(&s.px);
}

/* Samples at the lower edge of a wide picture take no others than its own. */
static void test_edge(void) {
    enum { H = 3, W = 8 };
    double memory[2 * W * W], to[H * W];
    for (int i = 0; i < 2 * W * W; i++)
        memory[i] = i >= W * W / 2 && i < W * W / 2 + H * W ? 7 : 1e9;
    const struct gf_array px = gf_array_wrap(memory + W * W / 2, GF_F64, 3, (int64_t[]){H, W, 1});
    struct gf_array moved = gf_array_wrap(to, GF_F64, 3, (int64_t[]){H, W, 1});
    for (int k = -1; k < 2; k++) {
        gf_motion_apply(&px, &(struct gf_motion){.scale = 1, .shift = {0.5 * k, 0.4 * k}}, true, 1,
                        &moved);
        for (int i = 0; i < H * W; i++)
            CHECK_MSG(fabs(to[i] - 7) < 1e-12, "sample %d, moved by %g: %g", i, 0.5 * k, to[i]);
    }
}

int main(void) {
    RUN("samples at an edge take no others than the picture's", test_edge());
    RUN("a ring's share is its power above that of the quietest rings", test_shares());
    make_waves();
    RUN("shifts are found in pictures of any shape, type and noise", test_shifts());
    RUN("a maximum is found to 1/1000 sample from farther starts too", test_refine());
    RUN("a taper of half the size tapers the means of 2x2 samples", test_halves());
    RUN("pictures that share nothing stay below the limit", test_unrelated());
    RUN("a ramp shifts whole waves exactly", test_ramp());
    RUN("a motion of a quadratic picture gives known samples", test_apply());
    RUN("a shift of polar samples is a turn and a scale", test_polar());
    RUN("samples from outside become zero, the edge or missing", test_fill());
    return TEST_END();
}
