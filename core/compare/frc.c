/* Fourier ring correlation: thresholds and crossings, masks, random phases. */
#include "core/compare/frc.h"

#include <math.h>

#include "core/base/halves.h"
#include "core/base/hash.h"
#include "core/base/status.h"

static const double pi = 3.14159265358979323846;

int64_t gf_frc_ring_count(const struct gf_spectrum *s) {
    int64_t longest = 1;
    for (int i = 0; i < s->ndim; i++)
        longest = gf_max(longest, s->shape[i]);
    return longest / 2 + 1;
}

double gf_frc_correlation(const struct gf_ring_pair *r) {
    const double power = sqrt(r->power[0]) * sqrt(r->power[1]);
    return power > 0 ? r->cross / power : 0;
}

double gf_frc_corrected(double correlation, double randomized) {
    return randomized < 1 ? (correlation - randomized) / (1 - randomized) : 0;
}

double gf_frc_threshold(enum gf_frc_threshold which, int64_t bins) {
    const double root = sqrt((double)(bins > 0 ? bins : 1) / 2);
    switch (which) {
    case GF_FRC_SEVENTH:
        return 1.0 / 7;
    case GF_FRC_0143:
        return 0.143;
    case GF_FRC_HALF_BIT:
        return (0.2071 + 1.9102 / root) / (1.2071 + 0.9102 / root);
    default:
        return 3 / root;
    }
}

double gf_frc_crossing(enum gf_frc_threshold which, const struct gf_ring_pair *ring,
                       const double *curve, int64_t count) {
    double before = 0, at = 0; /* the last ring above: how much, and its frequency */
    bool above = false;
    for (int64_t i = 1; i < count; i++) {
        const double over = curve[i] - gf_frc_threshold(which, ring[i].bins);
        if (!ring[i].bins)
            continue;
        if (above && over < 0)
            return at + (ring[i].frequency - at) * before / (before - over);
        above = over >= 0;
        before = over;
        at = ring[i].frequency;
    }
    return above ? INFINITY : 0;
}

/* ---- masks ---- */

void gf_frc_soft_mask(double radius, double edge, struct gf_array *mask) {
    const int64_t n = gf_array_count(mask);
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t axis = mask->rank - 1, rest = i; axis >= 0; axis--) {
            const double d =
                (double)(rest % mask->shape[axis]) - (double)(mask->shape[axis] - 1) / 2;
            square += d * d;
            rest /= mask->shape[axis];
        }
        const double beyond = sqrt(square) - radius;
        const double value = beyond <= 0     ? 1
                             : beyond < edge ? (1 + cos(pi * beyond / edge)) / 2
                                             : 0;
        gf_real_put(mask->data, i, mask->dtype == GF_F64, value);
    }
}

int gf_frc_apply_mask(struct gf_array *px, const struct gf_array *mask) {
    const bool wide = px->dtype == GF_F64;
    const int64_t n = gf_array_count(px);
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < n; i++) {
        const double m = gf_real_get(mask->data, i, wide);
        weight += m;
        sum += m * gf_real_get(px->data, i, wide);
    }
    if (!(weight > 0))
        return gf_fail(GF_EINVAL, "the mask leaves nothing; white keeps, black drops");
    for (int64_t i = 0; i < n; i++)
        gf_real_put(px->data, i, wide,
                    gf_real_get(mask->data, i, wide) *
                        (gf_real_get(px->data, i, wide) - sum / weight));
    return 0;
}

/* ---- spectra ---- */

/* The signed frequency of bin k of n, in cycles a sample. */
static double frequency_of(int64_t k, int64_t n) {
    return (double)(k < (n + 1) / 2 ? k : k - n) / (double)n;
}

/* A random angle for each bin of the full spectrum. */
static double random_angle(const struct gf_spectrum *s, const int64_t *at, uint64_t seed) {
    uint64_t h = gf_hash(GF_HASH_START, &seed, sizeof seed);
    h = gf_hash(h, at, (size_t)s->ndim * sizeof *at);
    h = (h ^ h >> 33) * UINT64_C(0xFF51AFD7ED558CCD); /* mixes the upper bits */
    return 2 * pi * (double)(h >> 11) / 9007199254740992.0;
}

/* Multiplies the bin at `at` by exp(i angle). */
static void turn(const struct gf_spectrum *s, const int64_t *at, double angle) {
    const bool wide = s->px.dtype == GF_C128;
    char *p = s->px.data;
    for (int i = 0; i < s->ndim; i++)
        p += at[i] * s->px.stride[i];
    const struct gf_number f = gf_number_get(p, 0, wide);
    const double re = cos(angle), im = sin(angle);
    gf_number_put(p, 0, wide, (struct gf_number){f.re * re - f.im * im, f.re * im + f.im * re});
}

/* Sets the indices of stored bin i. */
static void unravel(const struct gf_spectrum *s, int64_t i, int64_t *at) {
    for (int axis = s->ndim - 1; axis >= 0; axis--) {
        at[axis] = i % s->px.shape[axis];
        i /= s->px.shape[axis];
    }
}

void gf_frc_randomize(const struct gf_spectrum *s, double frequency, uint64_t seed) {
    const int64_t n = gf_array_count(&s->px);
    const int threads = s->threads > 1 ? s->threads : 1;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < n; i++) {
        int64_t at[GF_MAX_DIMS], opposite[GF_MAX_DIMS];
        double square = 0;
        unravel(s, i, at);
        for (int axis = 0; axis < s->ndim; axis++) {
            const double f = frequency_of(at[axis], s->shape[axis]);
            square += f * f;
            opposite[axis] = gf_half_negative(at[axis], s->shape[axis]);
        }
        if (square > frequency * frequency) /* the difference of two is as random as one */
            turn(s, at, random_angle(s, at, seed) - random_angle(s, opposite, seed));
    }
}

void gf_frc_shift(const struct gf_spectrum *s, const double shift[GF_MAX_DIMS]) {
    const int64_t n = gf_array_count(&s->px);
    for (int64_t i = 0; i < n; i++) {
        int64_t at[GF_MAX_DIMS];
        double cycles = 0;
        unravel(s, i, at);
        for (int axis = 0; axis < s->ndim; axis++)
            cycles += frequency_of(at[axis], s->shape[axis]) * shift[axis];
        turn(s, at, -2 * pi * cycles);
    }
}
