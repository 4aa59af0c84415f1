/* Energy, rings, peaks and waves of spectra that a slow transform made by the definition. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/spectrum/sample_stats.h"
#include "core/spectrum/spectrum.h"
#include "core/base/value/status.h"
#include "tests/test.h"

#define TAU 6.28318530717958647692

struct picture {
    int ndim;
    int64_t shape[GF_MAX_DIMS];
};

static int64_t points(const struct picture *p) {
    int64_t n = 1;
    for (int i = 0; i < p->ndim; i++)
        n *= p->shape[i];
    return n;
}

/* Place `i` of a C-ordered array as one index for each axis. */
static void unravel(const int64_t *shape, int ndim, int64_t i, int64_t at[GF_MAX_DIMS]) {
    for (int a = ndim - 1; a >= 0; a--) {
        at[a] = i % shape[a];
        i /= shape[a];
    }
}

static double complex bin_of(const struct picture *p, const double complex *x,
                             const int64_t k[GF_MAX_DIMS]) {
    double complex sum = 0;
    for (int64_t i = 0; i < points(p); i++) {
        int64_t at[GF_MAX_DIMS];
        double turn = 0;
        unravel(p->shape, p->ndim, i, at);
        for (int a = 0; a < p->ndim; a++)
            turn += (double)(at[a] * k[a] % p->shape[a]) / (double)p->shape[a];
        sum += x[i] * cexp(-TAU * I * turn);
    }
    return sum;
}

/* The spectrum of x by the definition, in single or double; free s.px. */
static struct gf_spectrum transform(const struct picture *p, const double complex *x, bool half,
                                    enum gf_dtype dtype) {
    struct gf_spectrum s = {.ndim = p->ndim, .half = half};
    int64_t stored[GF_MAX_RANK];
    memcpy(s.shape, p->shape, sizeof s.shape);
    memcpy(stored, p->shape, sizeof p->shape);
    if (half)
        stored[p->ndim - 1] = p->shape[p->ndim - 1] / 2 + 1;
    CHECK_EQ(gf_array_alloc(&s.px, dtype, p->ndim, stored), 0);
    for (int64_t i = 0; i < gf_array_count(&s.px); i++) {
        int64_t k[GF_MAX_DIMS];
        unravel(stored, p->ndim, i, k);
        double complex v = bin_of(p, x, k);
        if (dtype == GF_C64)
            ((float complex *)s.px.data)[i] = (float complex)v;
        else
            ((double complex *)s.px.data)[i] = v;
    }
    return s;
}

static void noise(const struct picture *p, double complex *x, unsigned seed, bool real) {
    uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
    for (int64_t i = 0; i < 2 * points(p); i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double v = (double)(state >> 40) / (1 << 24) - 0.4;
        if (i % 2 == 0)
            x[i / 2] = v;
        else if (!real)
            x[i / 2] += v * I;
    }
}

/* a cos(2 pi k.x/n + phase) on top of what is there. */
static void add_wave(const struct picture *p, double complex *x, const int64_t *k, double a,
                     double phase) {
    for (int64_t i = 0; i < points(p); i++) {
        int64_t at[GF_MAX_DIMS];
        double turn = 0;
        unravel(p->shape, p->ndim, i, at);
        for (int d = 0; d < p->ndim; d++)
            turn += (double)(at[d] * k[d]) / (double)p->shape[d];
        x[i] += a * cos(TAU * turn + phase);
    }
}

static bool near(double a, double b, double bound) {
    return fabs(a - b) <= bound * fmax(fabs(b), 1e-300);
}

static const struct picture pictures[] = {
    {1, {16}},      {1, {15}},      {1, {1}},       {1, {2}},       {2, {8, 8}},  {2, {9, 9}},
    {2, {7, 12}},   {2, {12, 7}},   {2, {5, 16}},   {2, {1, 9}},    {2, {10, 1}}, {2, {2, 2}},
    {3, {4, 6, 5}}, {3, {3, 5, 8}}, {3, {6, 4, 4}}, {3, {1, 4, 9}}, {2, {8, 10}},
};
enum { N_PICTURES = sizeof pictures / sizeof *pictures, MOST = 256 };

/* ---- energy and rings ---- */

/* The distance of a bin of the full spectrum in steps, by the plainest formula. */
static double distance(const struct picture *p, const int64_t *k, int64_t longest) {
    double sum = 0;
    for (int a = 0; a < p->ndim; a++) {
        int64_t near = k[a] * 2 >= p->shape[a] ? k[a] - p->shape[a] : k[a];
        sum += pow((double)(near * longest) / (double)p->shape[a], 2);
    }
    return sqrt(sum);
}

static void check_rings(const struct picture *p, unsigned seed, bool half) {
    double complex x[MOST];
    struct gf_ring ring[MOST];
    struct gf_energy e;
    int64_t longest = 1, n = points(p);
    double sum[MOST] = {0}, squares = 0, below[GF_N_BANDS] = {0};
    int64_t bins[MOST] = {0};
    for (int a = 0; a < p->ndim; a++)
        longest = p->shape[a] > longest ? p->shape[a] : longest;
    noise(p, x, seed, half);
    struct gf_spectrum s = transform(p, x, half, GF_C128);
    int64_t count = gf_spectrum_ring_count(&s);
    CHECK_EQ(gf_spectrum_rings(&s, ring, &e), 0);
    for (int64_t i = 0; i < n; i++) {
        int64_t k[GF_MAX_DIMS];
        unravel(p->shape, p->ndim, i, k);
        double power = pow(cabs(bin_of(p, x, k)), 2), f = distance(p, k, longest);
        int64_t r = (int64_t)(f + 0.5);
        CHECK(r < count);
        sum[r] += power;
        bins[r]++;
        squares += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
        for (int b = 0; b < GF_N_BANDS && i; b++)
            below[b] += f < 0.5 * (double)longest / (8 >> b) ? power / (double)n : 0;
    }
    CHECK_MSG(near(e.total, squares, 1e-12), "Parseval: %g, %g", e.total, squares);
    CHECK(near(e.zero, sum[0] / (double)n, 1e-9));
    for (int b = 0; b < GF_N_BANDS; b++)
        CHECK(near(e.below[b], below[b], 1e-9) || fabs(below[b]) < 1e-12 * squares);
    CHECK(bins[count - 1] > 0);
    for (int64_t r = 0; r < count; r++) {
        CHECK_EQ(ring[r].bins, bins[r]);
        CHECK(ring[r].frequency == (double)r / (double)longest);
        CHECK(!bins[r] || near(ring[r].mean, sum[r] / (double)bins[r], 1e-9));
    }
    gf_array_free(&s.px);
}

static void test_rings(void) {
    for (int i = 0; i < N_PICTURES; i++) {
        check_rings(&pictures[i], (unsigned)i, true);
        check_rings(&pictures[i], (unsigned)i + 100, false);
    }
}

/* ---- peaks ---- */

/* One wave of k periods on grey with a little noise: found, alone, with everything about it right.
 * `want` is where it should be listed. */
static void check_wave(const struct picture *p, const int64_t *k, const int64_t *want, bool twin,
                       double angle, enum gf_dtype dtype) {
    double complex *x = calloc((size_t)points(p), sizeof *x);
    struct gf_peak peak[4];
    double f = 0;
    int n = 0;
    noise(p, x, 7, true);
    for (int64_t i = 0; i < points(p); i++)
        x[i] = 100 + 0.01 * x[i];
    add_wave(p, x, k, 3, 0.0);
    struct gf_spectrum s = transform(p, x, true, dtype);
    CHECK_EQ(gf_spectrum_peaks(&s, 0, peak, 4, &n), 0);
    CHECK_MSG(n == 1, "%d peaks for wave %lld,%lld of %lldx%lld", n, (long long)k[0],
              (long long)k[1], (long long)p->shape[0], (long long)p->shape[1]);
    if (n < 1)
        goto out;
    for (int a = 0; a < p->ndim; a++) {
        CHECK_EQ(peak[0].at[a], want[a]);
        f += pow((double)want[a] / (double)p->shape[a], 2);
    }
    struct gf_wave w = gf_peak_wave(&s, &peak[0]);
    CHECK_EQ(peak[0].twin, twin);
    CHECK_MSG(near(w.amplitude, 3, 1e-2), "amplitude %g", w.amplitude);
    CHECK(near(w.frequency, sqrt(f), 1e-12) && near(w.period, 1 / sqrt(f), 1e-12));
    CHECK_MSG(fabs(w.angle - angle) < 1e-9, "angle %g, not %g", w.angle, angle);
    CHECK_MSG(peak[0].radius <= 1.5, "radius %g", peak[0].radius);
    CHECK(peak[0].strength > 20);
out:
    gf_array_free(&s.px);
    free(x);
}

static void test_waves(void) {
    const struct picture square = {2, {24, 24}}, odd = {2, {25, 21}}, flat = {2, {12, 40}},
                         line = {1, {64}}, odd_line = {1, {81}}, volume = {3, {8, 9, 10}};
    const double deg = 360 / TAU;
#define WAVE(p, dtype, twin, angle, k, want) \
    check_wave(&(p), (int64_t[])k, (int64_t[])want, twin, angle, dtype)
#define AT(...) {__VA_ARGS__}
    WAVE(square, GF_C128, true, 0, AT(0, 6), AT(0, 6));
    WAVE(square, GF_C64, true, 90, AT(6, 0), AT(6, 0));
    WAVE(square, GF_C64, true, 90, AT(-6, 0), AT(6, 0));
    WAVE(square, GF_C128, true, -45, AT(5, 5), AT(5, 5)); /* down to the right, y being down */
    WAVE(square, GF_C128, true, 45, AT(-5, 5), AT(-5, 5));
    WAVE(square, GF_C128, true, 45, AT(5, -5), AT(-5, 5)); /* the twin on the side of x > 0 */
    WAVE(square, GF_C64, false, 0, AT(0, 12), AT(0, -12));
    WAVE(square, GF_C64, false, 90, AT(12, 0), AT(-12, 0));
    WAVE(square, GF_C64, true, 90 - atan2(5, 12) * deg, AT(12, 5), AT(-12, 5));
    WAVE(odd, GF_C128, true, -atan2(7. / 25, 4. / 21) * deg, AT(7, 4), AT(7, 4));
    WAVE(odd, GF_C64, true, atan2(12. / 25, 10. / 21) * deg, AT(-12, 10), AT(-12, 10));
    WAVE(flat, GF_C64, true, -atan2(3. / 12, 10. / 40) * deg, AT(3, 10), AT(3, 10));
    WAVE(flat, GF_C64, true, atan2(2. / 12, 7. / 40) * deg, AT(2, -7), AT(-2, 7));
    WAVE(line, GF_C64, true, 0, AT(9), AT(9));
    WAVE(line, GF_C128, false, 0, AT(32), AT(-32));
    WAVE(odd_line, GF_C64, true, 0, AT(40), AT(40));
    WAVE(volume, GF_C128, true, -atan2(2. / 9, 3. / 10) * deg, AT(1, 2, 3), AT(1, 2, 3));
    WAVE(volume, GF_C64, true, 0, AT(-3, 0, 3), AT(-3, 0, 3));
}

static int compare(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* The median magnitude of the bins of a half spectrum at the same distance as `at`, each of its waves once;
 * how many there are in *n. */
static double ring_median(const struct gf_spectrum *s, const int64_t at[2], int *n) {
    const int64_t rows = s->shape[0], columns = s->shape[1];
    const double longest = (double)(rows > columns ? rows : columns);
    double *v = calloc((size_t)(rows * columns), sizeof *v);
    long wanted =
        lround(longest * hypot((double)at[0] / (double)rows, (double)at[1] / (double)columns));
    *n = 0;
    for (int64_t y = -(rows / 2); y < rows - rows / 2; y++)
        for (int64_t x = 0; x <= columns / 2; x++) {
            double far = longest * hypot((double)y / (double)rows, (double)x / (double)columns);
            bool again = (x == 0 || 2 * x == columns) && y < 0 && 2 * y != -rows;
            if (!again && lround(far) == wanted)
                v[(*n)++] =
                    cabsf(((float complex *)s->px.data)[(y + rows) % rows * (columns / 2 + 1) + x]);
        }
    qsort(v, (size_t)*n, sizeof *v, compare);
    double median = v[*n / 2];
    free(v);
    return median;
}

/* How strong a wave is follows from its ring, also where that has next to nothing. */
static void test_strength(void) {
    static const double amount[] = {10, 0.01, 1e-5};
    const struct picture p = {2, {48, 60}};
    for (int i = 0; i < 3; i++) {
        double complex *x = calloc((size_t)points(&p), sizeof *x);
        struct gf_peak peak[2];
        int n, waves[2];
        noise(&p, x, 5, true);
        for (int64_t k = 0; k < points(&p); k++)
            x[k] = 100 + amount[i] * x[k];
        add_wave(&p, x, (int64_t[]){10, 20}, 30, 1);
        add_wave(&p, x, (int64_t[]){-19, 4}, 20, 2);
        struct gf_spectrum s = transform(&p, x, true, GF_C64);
        CHECK_EQ(gf_spectrum_peaks(&s, 0, peak, 2, &n), 0);
        CHECK_EQ(n, 2);
        for (int k = 0; k < n; k++) {
            double want = peak[k].magnitude / ring_median(&s, peak[k].at, &waves[k]);
            CHECK_MSG(waves[k] >= 24 && near(peak[k].strength, want, 1e-5),
                      "%g, not %g, of %d waves", peak[k].strength, want, waves[k]);
        }
        gf_array_free(&s.px);
        free(x);
    }
}

/* Three waves: the strongest first, no more than asked for. */
static void test_order(void) {
    const struct picture p = {2, {32, 30}};
    double complex *x = calloc((size_t)points(&p), sizeof *x);
    struct gf_peak peak[8];
    int n;
    noise(&p, x, 3, true);
    add_wave(&p, x, (int64_t[]){4, 9}, 2, 1);
    add_wave(&p, x, (int64_t[]){-10, 6}, 5, 2);
    add_wave(&p, x, (int64_t[]){0, 13}, 3, 0);
    struct gf_spectrum s = transform(&p, x, true, GF_C64);
    CHECK_EQ(gf_spectrum_peaks(&s, 0, peak, 8, &n), 0);
    CHECK_EQ(n, 3);
    CHECK(n == 3 && peak[0].at[0] == -10 && peak[0].at[1] == 6);
    CHECK(n == 3 && peak[1].at[0] == 0 && peak[1].at[1] == 13);
    CHECK(n == 3 && peak[2].at[0] == 4 && peak[2].at[1] == 9);
    CHECK(n == 3 && peak[0].strength > peak[1].strength && peak[1].strength > peak[2].strength);
    struct gf_peak two[2];
    CHECK_EQ(gf_spectrum_peaks(&s, 0, two, 2, &n), 0);
    CHECK_EQ(n, 2);
    CHECK(two[0].at[0] == -10 && two[1].at[0] == 0);
    CHECK_EQ(gf_spectrum_peaks(&s, 1e5, peak, 8, &n), 0);
    CHECK_EQ(n, 0);
    /* The same spectrum in full has both of each pair. */
    gf_array_free(&s.px);
    s = transform(&p, x, false, GF_C64);
    CHECK_EQ(gf_spectrum_peaks(&s, 0, peak, 8, &n), 0);
    CHECK_EQ(n, 6);
    CHECK(!peak[0].twin);
    s.half = true;
    CHECK_EQ(gf_spectrum_peaks(&s, 0, peak, 8, &n), GF_EINVAL);
    gf_array_free(&s.px);
    free(x);
}

/* Pictures without a periodic part have no peaks: noise, steps, slopes, a constant, zeros. */
static void test_none(void) {
    for (int i = 0; i < N_PICTURES + 6; i++) {
        const struct picture large = {2, {40, 33}};
        const struct picture *p = i < N_PICTURES ? &pictures[i] : &large;
        double complex *x = calloc((size_t)points(p), sizeof *x);
        struct gf_peak peak[4];
        int n;
        if (i <= N_PICTURES + 1)
            noise(p, x, (unsigned)i, true);
        for (int64_t j = 0; j < points(p); j++) {
            int64_t at[GF_MAX_DIMS];
            unravel(p->shape, p->ndim, j, at);
            if (i == N_PICTURES + 1)
                x[j] += 0.5 * (double)at[0] + 0.3 * (double)at[1];
            if (i == N_PICTURES + 2)
                x[j] = (double)(at[0] + 2 * at[1]);
            if (i == N_PICTURES + 3)
                x[j] = at[1] < 11 ? 10 : 80;
            if (i == N_PICTURES + 4)
                x[j] = 255;
        }
        struct gf_spectrum s = transform(p, x, true, GF_C64);
        CHECK_EQ(gf_spectrum_peaks(&s, 0, peak, 4, &n), 0);
        CHECK_MSG(n == 0, "picture %d has %d peaks, the first %lld,%lld of strength %g", i, n,
                  (long long)peak[0].at[0], (long long)peak[0].at[1], peak[0].strength);
        gf_array_free(&s.px);
        free(x);
    }
}

/* Numbers so large or small that their squares leave the range of a float, or of a double. */
static void test_range(void) {
    const struct picture p = {2, {24, 20}};
    double complex *x = calloc((size_t)points(&p), sizeof *x);
    static const double units[] = {1e-60, 1e60, 1e-165, 1e153, 1e-290, 1e290};
    for (int u = 0; u < 6; u++) {
        double unit = units[u];
        struct gf_sample_stats samples;
        struct gf_peak peak[2];
        int n;
        noise(&p, x, 5, true);
        add_wave(&p, x, (int64_t[]){5, 4}, 3, 0);
        for (int64_t i = 0; i < points(&p); i++)
            x[i] *= unit;
        struct gf_spectrum s = transform(&p, x, true, GF_C128);
        CHECK_EQ(gf_spectrum_peaks(&s, 0, peak, 2, &n), 0);
        CHECK_EQ(n, 1);
        CHECK(n == 1 && peak[0].at[0] == 5 && peak[0].at[1] == 4);
        CHECK(n == 1 && near(gf_peak_wave(&s, &peak[0]).amplitude, 3 * unit, 0.05));
        /* |x| of complex samples counts, about 3 |cos|. */
        struct gf_array px = gf_array_wrap(x, GF_C128, 3, (int64_t[]){24, 20, 1});
        CHECK_EQ(gf_sample_stats(&px, 0, &samples), 0);
        CHECK(near(samples.deviation, 0.92 * unit, 0.1));
        gf_array_free(&s.px);
    }
    free(x);
}

static void test_wave(void) {
    const int64_t n[] = {16, 16, 16};
    const struct gf_wave steep = gf_wave_at(3, n, (double[]){4, 0, 3}),
                         flat = gf_wave_at(3, n, (double[]){0, -3, 4});
    CHECK(near(steep.frequency, 0.3125, 1e-12) && near(steep.period, 3.2, 1e-12));
    CHECK(near(steep.tilt, 53.130102354155979, 1e-12) && steep.angle == 0);
    CHECK(near(flat.angle, 36.869897645844021, 1e-12) && flat.tilt == 0);
}

/* ---- samples ---- */

static void test_samples(void) {
    uint8_t rgb[2][3][3] = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
                            {{0, 0, 255}, {255, 0, 0}, {9, 9, 9}}};
    struct gf_array px = gf_array_wrap(rgb, GF_U8, 3, (int64_t[]){2, 3, 3});
    struct gf_sample_stats s;
    CHECK_EQ(gf_sample_stats(&px, 1, &s), 0);
    CHECK_EQ(s.count, 6);
    CHECK(s.mean == 4 && s.low == 0 && s.high == 9 && s.energy == 4 + 25 + 64 + 81);
    CHECK(near(s.deviation, sqrt(174 / 6. - 16), 1e-12));
    CHECK_EQ(gf_sample_stats(&px, GF_LUMA, &s), 0);
    double want = 0;
    for (int i = 0; i < 6; i++)
        want += 0.2126 * rgb[i / 3][i % 3][0] + 0.7152 * rgb[i / 3][i % 3][1] +
                0.0722 * rgb[i / 3][i % 3][2];
    CHECK(near(s.mean, want / 6, 1e-12) && near(s.high, 0.2126 * 255, 1e-12));
    float complex z[2] = {3 + 4 * I, -5 * I};
    px = gf_array_wrap(z, GF_C64, 2, (int64_t[]){2, 1});
    CHECK_EQ(gf_sample_stats(&px, 0, &s), 0);
    CHECK(s.mean == 5 && s.low == 5 && s.energy == 50 && s.deviation == 0);
    /* A small spread on a large mean. */
    double far[3] = {1e9 - 1, 1e9, 1e9 + 1};
    px = gf_array_wrap(far, GF_F64, 2, (int64_t[]){3, 1});
    CHECK_EQ(gf_sample_stats(&px, 0, &s), 0);
    CHECK(s.mean == 1e9 && near(s.deviation, sqrt(2 / 3.), 1e-12));
    /* Large numbers below 0, whose squares overflow. */
    double below[2] = {-1e200, 0};
    px = gf_array_wrap(below, GF_F64, 2, (int64_t[]){2, 1});
    CHECK_EQ(gf_sample_stats(&px, 0, &s), 0);
    CHECK(s.low == -1e200 && s.high == 0 && near(s.deviation, 5e199, 1e-12));
    /* Every other column, through strides. */
    uint16_t v[4][6];
    for (int i = 0; i < 24; i++)
        v[i / 6][i % 6] = (uint16_t)(i * 100);
    px = gf_array_wrap(v, GF_U16, 3, (int64_t[]){4, 6, 1});
    px.shape[1] = 3;
    px.stride[1] *= 2;
    CHECK_EQ(gf_sample_stats(&px, 0, &s), 0);
    CHECK(s.count == 12 && s.low == 0 && s.high == 2200 && s.mean == 1100);
}

/* ---- threads ---- */

enum { LISTED = 40 };

/* Compares the findings in noise with waves of equal strength for two numbers of threads. */
static void check_threads(const struct picture *p, bool half, enum gf_dtype dtype) {
    struct gf_spectrum s = {.ndim = p->ndim, .half = half};
    struct gf_peak peak[3][LISTED];
    struct gf_energy energy[3];
    struct gf_ring *ring[3] = {0};
    static const int threads[3] = {1, 2, 5};
    int n[3] = {0};
    unsigned state = 3;
    memcpy(s.shape, p->shape, sizeof s.shape);
    int64_t shape[GF_MAX_DIMS];
    memcpy(shape, p->shape, sizeof shape);
    shape[p->ndim - 1] = half ? shape[p->ndim - 1] / 2 + 1 : shape[p->ndim - 1];
    CHECK_EQ(gf_array_alloc(&s.px, dtype, p->ndim, shape), 0);
    const int64_t count = gf_array_count(&s.px), rings = gf_spectrum_ring_count(&s);
    for (int64_t i = 0; i < 2 * count; i++) {
        double v = (double)((state = state * 1664525u + 1013904223u) >> 8) - 8388608.;
        v = i / 2 % 997 == 500 ? 1e11 : v; /* twice as many as are listed, and all alike */
        if (dtype == GF_C64)
            ((float *)s.px.data)[i] = (float)v;
        else
            ((double *)s.px.data)[i] = v;
    }
    for (int t = 0; t < 3; t++) {
        s.threads = threads[t];
        ring[t] = calloc((size_t)rings, sizeof *ring[t]);
        CHECK_EQ(gf_spectrum_rings(&s, ring[t], &energy[t]), 0);
        CHECK_EQ(gf_spectrum_peaks(&s, 2, peak[t], LISTED, &n[t]), 0);
        CHECK(!memcmp(ring[t], ring[0], (size_t)rings * sizeof *ring[0]));
        CHECK(!memcmp(&energy[t], &energy[0], sizeof *energy));
        CHECK(n[t] == n[0] && n[t] > 3);
        for (int i = 0; i < n[t] && n[t] == n[0]; i++)
            CHECK(!memcmp(peak[t][i].at, peak[0][i].at, sizeof peak[0][i].at) &&
                  peak[t][i].strength == peak[0][i].strength &&
                  peak[t][i].magnitude == peak[0][i].magnitude &&
                  peak[t][i].radius == peak[0][i].radius && peak[t][i].twin == peak[0][i].twin);
    }
    for (int t = 0; t < 3; t++)
        free(ring[t]);
    gf_array_free(&s.px);
}

static void test_threads(void) {
    static const struct picture large[] = {
        {1, {80000}}, {2, {250, 330}}, {2, {60000, 3}}, {3, {30, 60, 50}}};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        for (int kind = 0; kind < 4; kind++)
            check_threads(&large[i], kind & 1, kind & 2 ? GF_C128 : GF_C64);
}

int main(void) {
    RUN("sums do not depend on the threads", test_threads());
    RUN("rings have the energy of their bins", test_rings());
    RUN("waves are found at their frequency, angle and period", test_waves());
    RUN("the strongest waves come first, no more than asked for", test_order());
    RUN("a wave's strength follows from its ring", test_strength());
    RUN("pictures without waves have no peaks", test_none());
    RUN("very large and very small numbers are summed", test_range());
    RUN("samples are counted channel by channel", test_samples());
    RUN("a wave along z is tilted, one within planes is turned", test_wave());
    return TEST_END();
}
