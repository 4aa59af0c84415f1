/* Fourier ring correlation: thresholds and crossings, masks, random phases. */
#include "core/compare/frc.h"

#include <math.h>

#include "core/base/value/halves.h"
#include "core/base/value/hash.h"
#include "core/base/value/status.h"

double gf_frc_correlation(const struct gf_ring *r) {
    const double power = sqrt(r->mean) * sqrt(r->other);
    return power > 0 ? r->cross / power : 0;
}

double gf_frc_corrected(double correlation, double randomized) {
    return randomized < 1 ? (correlation - randomized) / (1 - randomized) : 0;
}

double gf_frc_threshold(struct gf_frc_threshold t, int64_t bins) {
    const double root = sqrt((double)gf_max(bins, 1) / 2);
    const double of[] = {t.value, (0.2071 + 1.9102 / root) / (1.2071 + 0.9102 / root), 3 / root};
    return of[t.rule];
}

double gf_frc_crossing(struct gf_frc_threshold t, const struct gf_ring *ring, const double *curve,
                       int64_t count) {
    double before = -1, at = 0; /* by how much the last ring is above, and its frequency */
    for (int64_t i = 1; i < count; i++) {
        const double over = curve[i] - gf_frc_threshold(t, ring[i].bins);
        if (!ring[i].bins)
            continue;
        if (before >= 0 && over < 0)
            return at + (ring[i].frequency - at) * before / (before - over);
        before = over;
        at = ring[i].frequency;
    }
    return before >= 0 ? INFINITY : 0;
}

void gf_frc_soft_mask(double radius, double edge, struct gf_array *mask) {
    const int64_t n = gf_array_count(mask);
    for (int64_t i = 0; i < n; i++) {
        int64_t at[GF_MAX_DIMS];
        double square = 0;
        gf_array_unravel(mask, i, at);
        for (int axis = 0; axis < mask->rank; axis++) {
            const double d = (double)at[axis] - (double)(mask->shape[axis] - 1) / 2;
            square += d * d;
        }
        const double beyond = fmin(fmax(sqrt(square) - radius, 0), edge);
        gf_real_put(mask->data, i, mask->dtype == GF_F64, (1 + cos(M_PI * beyond / edge)) / 2);
    }
}

int gf_frc_apply_mask(struct gf_array *px, const struct gf_array *mask) {
    const bool is_double = px->dtype == GF_F64;
    const int64_t n = gf_array_count(px);
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < n; i++) {
        const double m = gf_real_get(gf_array_at(mask, i), 0, is_double);
        weight += m;
        sum += m * gf_real_get(px->data, i, is_double);
    }
    if (!(weight > 0))
        return gf_fail(GF_EINVAL, "the mask leaves nothing; white keeps, black drops");
    for (int64_t i = 0; i < n; i++)
        gf_real_put(px->data, i, is_double,
                    gf_real_get(gf_array_at(mask, i), 0, is_double) *
                        (gf_real_get(px->data, i, is_double) - sum / weight));
    return 0;
}

/* A random angle of the bin at `at`, or of its opposite. */
static double random_angle(const struct gf_spectrum *s, const int64_t *at, bool opposite,
                           uint64_t seed) {
    uint64_t h = gf_hash(GF_HASH_START, &seed, sizeof seed);
    for (int axis = 0; axis < s->ndim; axis++) {
        const int64_t k = opposite ? gf_half_negative(at[axis], s->shape[axis]) : at[axis];
        h = gf_hash(h, &k, sizeof k);
    }
    for (int round = 0; round < 2; round++) /* near keys have near hashes */
        h = (h ^ h >> 32) * UINT64_C(0xFF51AFD7ED558CCD);
    return 2 * M_PI * (double)(h >> 11) / 9007199254740992.0;
}

void gf_frc_turn(const struct gf_spectrum *s, const double *shift, double frequency,
                 uint64_t seed) {
    const int64_t n = gf_array_count(&s->px);
    const bool is_double = s->px.dtype == GF_C128;
    for (int64_t i = 0; i < n; i++) {
        int64_t at[GF_MAX_DIMS];
        double cycles = 0, square = 0;
        gf_array_unravel(&s->px, i, at);
        for (int axis = 0; axis < s->ndim; axis++) {
            const int64_t k = at[axis], length = s->shape[axis];
            const double f = (double)(k < (length + 1) / 2 ? k : k - length) / (double)length;
            cycles += shift ? f * shift[axis] : 0;
            square += f * f;
        }
        double angle = -2 * M_PI * cycles;
        if (!shift && square > frequency * frequency) /* odd, and as random as one of them */
            angle = random_angle(s, at, false, seed) - random_angle(s, at, true, seed);
        gf_number_put(s->px.data, i, is_double,
                      gf_number_times(gf_number_get(s->px.data, i, is_double),
                                      (struct gf_number){cos(angle), sin(angle)}));
    }
}
