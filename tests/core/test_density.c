/* Slopes of rings that are a power law, exactly and with known deviations, against the normal
 * equations in long double; and the direction of single bins. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/spectrum/density.h"
#include "tests/test.h"

enum { RINGS = 90 };

static uint64_t state = 88172645463325252u;

static double random_unit(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0 - 0.5;
}

static void make_rings(struct gf_ring *ring, double slope, double level, double noise) {
    for (int i = 0; i < RINGS; i++) {
        ring[i].frequency = i / 128.;
        ring[i].bins = i ? 6 * i + i % 3 : 1;
        ring[i].mean = level * pow(ring[i].frequency, slope) * exp(noise * random_unit());
    }
}

/* Solves the weighted normal equations for log y = a + b log x. */
static void solve(const struct gf_ring *ring, const double band[2], long double *b,
                  long double *error, int64_t *n) {
    long double w = 0, x = 0, y = 0, xx = 0, xy = 0, rest = 0;
    *n = 0;
    for (int i = 1; i < RINGS; i++)
        if (ring[i].frequency >= band[0] && ring[i].frequency <= band[1] && ring[i].mean > 0) {
            const long double m = ring[i].bins, u = logl(ring[i].frequency), v = logl(ring[i].mean);
            w += m, x += m * u, y += m * v, xx += m * u * u, xy += m * u * v;
            ++*n;
        }
    const long double det = w * xx - x * x, a = (xx * y - x * xy) / det;
    *b = (w * xy - x * y) / det;
    for (int i = 1; i < RINGS; i++)
        if (ring[i].frequency >= band[0] && ring[i].frequency <= band[1] && ring[i].mean > 0) {
            const long double r = logl(ring[i].mean) - a - *b * logl(ring[i].frequency);
            rest += (long double)ring[i].bins * r * r;
        }
    *error = sqrtl(rest / (long double)(*n - 2) * w / det);
}

static void test_slopes(void) {
    static const double slopes[] = {-3, -1.7, 0, 2}, levels[] = {1, 1e-30, 1e30};
    static const double bands[][2] = {{4 / 128., 0.25}, {0.1, 0.5}, {1 / 128., 3 / 128.}};
    struct gf_ring ring[RINGS];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            for (int b = 0; b < 3; b++) {
                long double value, error;
                int64_t n;
                make_rings(ring, slopes[i], levels[k], 0);
                struct gf_slope s = gf_rings_slope(ring, RINGS, bands[b]);
                CHECK_MSG(fabs(s.value - slopes[i]) < 1e-11 && s.error < 1e-7, "%g: %g +- %g",
                          slopes[i], s.value, s.error);
                make_rings(ring, slopes[i], levels[k], 0.7);
                ring[20].mean = 0; /* is left out */
                s = gf_rings_slope(ring, RINGS, bands[b]);
                solve(ring, bands[b], &value, &error, &n);
                CHECK_EQ(s.rings, n);
                CHECK_MSG(fabsl(s.value - value) < 1e-9L && fabsl(s.error - error) < 1e-9L,
                          "%g +- %g, not %Lg +- %Lg", s.value, s.error, value, error);
            }
    CHECK_EQ(gf_rings_slope(ring, RINGS, (double[]){0.3, 0.305}).rings, 0);
    CHECK_EQ(gf_rings_slope(ring, 1, (double[]){0.01, 0.5}).rings, 0);
}

/* The energies of a spectrum whose only bin is at (y, x), 0 <= y, x < n. */
static void look(bool half, const int64_t n[2], int64_t y, int64_t x, double energy[GF_ANGLES]) {
    struct gf_spectrum s = {.ndim = 2, .shape = {n[0], n[1]}, .half = half};
    const int64_t stored[] = {n[0], half ? n[1] / 2 + 1 : n[1]};
    CHECK_EQ(gf_array_alloc(&s.px, GF_C128, 2, stored), 0);
    memset(s.px.data, 0, (size_t)gf_array_bytes(&s.px));
    ((double *)s.px.data)[2 * (y * stored[1] + x)] = 3;
    ((double *)s.px.data)[2 * (y * stored[1] + x) + 1] = 4;
    memset(energy, 0, GF_ANGLES * sizeof *energy);
    CHECK_EQ(gf_spectrum_angles(&s, (double[]){0.02, 0.4}, energy), 0);
    gf_array_free(&s.px);
}

static void test_angles(void) {
    static const struct {
        int64_t n[2], y, x;
        int angle; /* counterclockwise, y down */
    } of[] = {{{64, 64}, 0, 5, 0},    {{64, 64}, 5, 0, 90},  {{64, 64}, 59, 0, 90},
              {{64, 64}, 6, 6, -45},  {{64, 64}, 58, 6, 45}, {{64, 32}, 6, 3, -45},
              {{63, 65}, 10, 1, -84}, {{64, 64}, 3, 20, -9}, {{64, 64}, 61, 20, 9}};
    double energy[GF_ANGLES];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int half = 0; half < 2; half++) {
            double sum = 0;
            look(half, of[i].n, of[i].y, of[i].x, energy);
            for (int k = 0; k < GF_ANGLES; k++)
                sum += energy[k];
            const double want = 25. / (double)(of[i].n[0] * of[i].n[1]) * (half && of[i].x ? 2 : 1);
            CHECK_MSG(fabs(energy[of[i].angle + 89] - want) < 1e-12 && fabs(sum - want) < 1e-12,
                      "%lld,%lld: not at %d", (long long)of[i].y, (long long)of[i].x, of[i].angle);
        }
    /* Outside the band, and the zero frequency. */
    static const int64_t n[] = {64, 64}, at[][2] = {{0, 0}, {0, 1}, {30, 4}, {20, 20}};
    for (int i = 0; i < 4; i++) {
        double sum = 0;
        look(true, n, at[i][0], at[i][1], energy);
        for (int k = 0; k < GF_ANGLES; k++)
            sum += energy[k];
        CHECK_MSG(sum == 0, "%d: %g", i, sum);
    }
}

int main(void) {
    RUN("the slope of a power law is that of the normal equations", test_slopes());
    RUN("a single bin counts at its direction", test_angles());
    return TEST_END();
}
