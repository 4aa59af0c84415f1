/* Ring correlation: cross rings of spectra against sums over all bins, thresholds, crossings, masks,
 * shifts and random phases. */
#include "core/compare/frc.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "tests/test.h"

#define TAU 6.28318530717958647692
enum { MOST = 1024 };

static double noise(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void unravel(const int64_t *shape, int rank, int64_t i, int64_t *at) {
    for (int a = rank - 1; a >= 0; i /= shape[a--])
        at[a] = i % shape[a];
}

/* The full spectrum of real samples by the definition. */
static void full(int rank, const int64_t *shape, const double *x, double complex *F) {
    const int64_t n = gf_shape_count(shape, rank);
    for (int64_t k = 0; k < n; k++) {
        F[k] = 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t at[GF_MAX_DIMS], bin[GF_MAX_DIMS];
            double turn = 0;
            unravel(shape, rank, i, at);
            unravel(shape, rank, k, bin);
            for (int a = 0; a < rank; a++)
                turn += (double)(at[a] * bin[a] % shape[a]) / (double)shape[a];
            F[k] += x[i] * cexp(-TAU * I * turn);
        }
    }
}

/* Half of it, as a spectrum of c128; free s.px. */
static struct gf_spectrum half_of(int rank, const int64_t *shape, const double complex *F) {
    struct gf_spectrum s = {.ndim = rank, .half = true};
    int64_t stored[GF_MAX_RANK];
    memcpy(s.shape, shape, (size_t)rank * sizeof *shape);
    memcpy(stored, shape, (size_t)rank * sizeof *shape);
    stored[rank - 1] = shape[rank - 1] / 2 + 1;
    CHECK_EQ(gf_array_alloc(&s.px, GF_C128, rank, stored), 0);
    for (int64_t i = 0; i < gf_array_count(&s.px); i++)
        ((double complex *)s.px.data)[i] =
            F[i / stored[rank - 1] * shape[rank - 1] + i % stored[rank - 1]];
    return s;
}

/* The signed frequency of bin k in cycles a sample. */
static double cycles(int64_t k, int64_t n) {
    return (double)(2 * k < n ? k : k - n) / (double)n;
}

static void check_rings(int rank, const int64_t *shape) {
    static double x[MOST], y[MOST];
    static double complex F[MOST], G[MOST];
    const int64_t n = gf_shape_count(shape, rank);
    uint64_t state = (uint64_t)n;
    int64_t longest = 1;
    for (int a = 0; a < rank; a++)
        longest = gf_max(longest, shape[a]);
    for (int64_t i = 0; i < n; i++) {
        x[i] = noise(&state);
        y[i] = x[i] + noise(&state);
    }
    full(rank, shape, x, F);
    full(rank, shape, y, G);
    struct gf_spectrum f = half_of(rank, shape, F), g = half_of(rank, shape, G);
    struct gf_ring ring[MOST];
    CHECK_EQ(gf_spectrum_cross_rings(&f, &g, ring), 0);
    for (int64_t r = 0; r < gf_spectrum_ring_count(&f); r++) {
        double cross = 0, a = 0, b = 0, bins = 0;
        for (int64_t k = 0; k < n; k++) {
            int64_t at[GF_MAX_DIMS];
            double square = 0;
            unravel(shape, rank, k, at);
            for (int i = 0; i < rank; i++)
                square += cycles(at[i], shape[i]) * cycles(at[i], shape[i]);
            if ((int64_t)floor(sqrt(square) * (double)longest + 0.5 + 1e-12) != r)
                continue;
            bins++;
            cross += creal(F[k] * conj(G[k]));
            a += creal(F[k] * conj(F[k]));
            b += creal(G[k] * conj(G[k]));
        }
        CHECK(ring[r].bins == (int64_t)bins && ring[r].frequency == (double)r / (double)longest);
        const double want = bins > 0 ? cross / sqrt(a * b) : 0;
        CHECK_MSG(fabs(gf_frc_correlation(&ring[r]) - want) < 1e-9,
                  "rank %d, ring %lld: %g, not %g", rank, (long long)r,
                  gf_frc_correlation(&ring[r]), want);
    }
    gf_array_free(&f.px);
    gf_array_free(&g.px);
}

static void test_rings(void) {
    check_rings(1, (int64_t[]){16});
    check_rings(1, (int64_t[]){31});
    check_rings(2, (int64_t[]){8, 8});
    check_rings(2, (int64_t[]){9, 14});
    check_rings(2, (int64_t[]){1, 20});
    check_rings(3, (int64_t[]){4, 6, 5});
    check_rings(3, (int64_t[]){5, 3, 8});
}

static const struct gf_frc_threshold low_0143 = {GF_FRC_CONSTANT, 0.143};

static void test_thresholds(void) {
    for (int64_t bins = 2; bins < 100000; bins *= 7) {
        const double n = (double)bins / 2, snr = sqrt(2) - 1; /* half a bit in two half sets */
        /* The expectation of the curve at that signal to noise ratio of each half set. */
        const double half = snr / 2, want = (half + 2 * sqrt(half / n) + 1 / sqrt(n)) /
                                            (half + 1 + 2 * sqrt(half / n));
        CHECK_MSG(fabs(gf_frc_threshold((struct gf_frc_threshold){GF_FRC_HALF_BIT, 0}, bins) -
                       want) < 2e-4,
                  "half a bit, %lld", (long long)bins);
        CHECK(fabs(gf_frc_threshold((struct gf_frc_threshold){GF_FRC_3_SIGMA, 0}, bins) * sqrt(n) -
                   3) < 1e-12);
    }
    CHECK(gf_frc_threshold(low_0143, 9) == 0.143);
    CHECK(gf_frc_corrected(0.6, 0.2) == (0.6 - 0.2) / 0.8);
    CHECK(gf_frc_corrected(0.5, 1) == 0);
    CHECK(gf_frc_correlation(&(struct gf_ring){.mean = 0, .other = 4}) == 0);
    CHECK(gf_frc_correlation(&(struct gf_ring){.mean = 1e300, .other = 1e300, .cross = 5e299}) >
          0.4);
}

static void test_crossings(void) {
    struct gf_ring ring[6];
    for (int i = 0; i < 6; i++)
        ring[i] = (struct gf_ring){.frequency = i / 10.0, .bins = 1000};
    const double falls[] = {1, 0.9, 0.543, 0.043, 0.9, 0}, stays[] = {0, 1, 0.5, 0.3, 0.2, 0.143},
                 low[] = {1, 0.1, 0.1, 0.1, 0, 0}, late[] = {1, 0, 0.643, 0.143, 0, 0};
    CHECK(fabs(gf_frc_crossing(low_0143, ring, falls, 6) - 0.28) < 1e-12);
    CHECK(isinf(gf_frc_crossing(low_0143, ring, stays, 6)));
    CHECK(gf_frc_crossing(low_0143, ring, low, 6) == 0);
    CHECK(fabs(gf_frc_crossing(low_0143, ring, late, 6) - 0.3) < 1e-12);
    CHECK(gf_frc_crossing(low_0143, ring, falls, 1) == 0);
    ring[3].bins = 0; /* no ring to cross in */
    CHECK(fabs(gf_frc_crossing(low_0143, ring, falls, 6) - (0.4 + 0.1 * 0.757 / 0.9)) < 1e-12);
}

static void test_masks(void) {
    double px[] = {1, 2, 3, 4, 5, 6}, m[] = {0, 1, 1, 0, 0.5, 0};
    struct gf_array a = gf_array_wrap(px, GF_F64, 2, (int64_t[]){2, 3}),
                    mask = gf_array_wrap(m, GF_F64, 2, (int64_t[]){2, 3});
    CHECK_EQ(gf_frc_apply_mask(&a, &mask), 0); /* the mean is 3 */
    CHECK(px[0] == 0 && px[1] == -1 && px[2] == 0 && px[3] == 0 && px[4] == 1 && px[5] == 0);
    memset(m, 0, sizeof m);
    CHECK_EQ(gf_frc_apply_mask(&a, &mask), GF_EINVAL);
    static double soft[31 * 41];
    mask = gf_array_wrap(soft, GF_F64, 2, (int64_t[]){31, 41});
    gf_frc_soft_mask(8, 4, &mask);
    CHECK(soft[15 * 41 + 20] == 1 && soft[15 * 41 + 28] == 1 && soft[15 * 41 + 32] == 0);
    CHECK(fabs(soft[15 * 41 + 30] - 0.5) < 1e-12 && soft[0] == 0);
    CHECK(fabs(soft[6 * 41 + 20] - (1 + cos(TAU / 8)) / 2) < 1e-12);
}

/* A shift by whole samples moves them, by half a sample the halves of a wave onto each other. */
static void test_shift(void) {
    static const int64_t shape[] = {6, 9};
    double x[54], y[54];
    double complex F[54], G[54];
    uint64_t state = 5;
    for (int i = 0; i < 54; i++)
        x[i] = noise(&state);
    for (int i = 0; i < 54; i++) /* by 1 down and 2 to the left */
        y[(i / 9 + 1) % 6 * 9 + (i % 9 + 7) % 9] = x[i];
    full(2, shape, x, F);
    full(2, shape, y, G);
    struct gf_spectrum f = half_of(2, shape, F), g = half_of(2, shape, G);
    gf_frc_turn(&f, (double[]){1, -2}, 0, 0);
    double worst = 0;
    for (int64_t i = 0; i < gf_array_count(&f.px); i++)
        worst =
            fmax(worst, cabs(((double complex *)f.px.data)[i] - ((double complex *)g.px.data)[i]));
    CHECK_MSG(worst < 1e-12, "moved samples differ by %g", worst);
    gf_array_free(&f.px);
    gf_array_free(&g.px);
}

/* Random phases keep magnitudes, low frequencies and real samples, and are uniform. */
static void test_random(void) {
    enum { N = 64, STORED = N * (N / 2 + 1) };
    static double complex ones[STORED], other[STORED];
    struct gf_spectrum s = {.ndim = 2, .half = true, .shape = {N, N}}, t = s;
    s.px = gf_array_wrap(ones, GF_C128, 2, (int64_t[]){N, N / 2 + 1});
    t.px = gf_array_wrap(other, GF_C128, 2, (int64_t[]){N, N / 2 + 1});
    for (int i = 0; i < STORED; i++)
        ones[i] = other[i] = 1;
    gf_frc_turn(&s, NULL, 0.2, 1);
    gf_frc_turn(&t, NULL, 0.2, 2);
    double complex sum[4] = {0};
    int turned = 0, bad = 0;
    for (int y = 0; y < N; y++)
        for (int x = 0; x <= N / 2; x++) {
            const double complex v = ones[y * (N / 2 + 1) + x], w = other[y * (N / 2 + 1) + x];
            const bool beyond = hypot(cycles(y, N), cycles(x, N)) > 0.2;
            bad += fabs(cabs(v) - 1) > 1e-12 || (!beyond && v != 1);
            if (x % (N / 2) == 0) { /* its opposite is stored too */
                bad += cabs(ones[(N - y) % N * (N / 2 + 1) + x] - conj(v)) > 1e-12;
            } else if (beyond) {
                turned++;
                sum[0] += v;
                sum[1] += v * v;
                sum[2] += v * conj(w);
                sum[3] += v * w;
            }
        }
    CHECK_EQ(bad, 0);
    for (int k = 0; k < 4; k++) /* of unit vectors: about sqrt(n) */
        CHECK_MSG(cabs(sum[k]) < 3 * sqrt(turned), "sum %d of %d angles is %g", k, turned,
                  cabs(sum[k]));
}

int main(void) {
    RUN("cross rings are sums over all bins", test_rings());
    RUN("thresholds are those of the formulas", test_thresholds());
    RUN("the crossing of a threshold is interpolated, or infinite", test_crossings());
    RUN("a mask weights the difference to its mean", test_masks());
    RUN("a spectrum is shifted by whole and half samples", test_shift());
    RUN("random phases keep magnitudes and are uniform", test_random());
    return TEST_END();
}
