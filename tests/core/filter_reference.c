/* Filters by the formulas at the head of core/filter/filter.h, in plain loops over the full
 * spectrum. */
#include <math.h>
#include <stdlib.h>

#include "core/filter/filter.h"
#include "tests/core/reference.h"

/* Position k of an axis of n from the centre c, the shorter way round. */
static long double distance(int64_t k, long double c, int64_t n) {
    long double least = INFINITY;
    for (int turn = -4; turn <= 4; turn++)
        least = fminl(least, fabsl((long double)k - c + (long double)turn * (long double)n));
    return least;
}

/* (D / R)^2, where the radii are one and the same exactly so for whole numbers: D^2 and R^2. */
static void reach(const struct gf_job *job, const struct gf_lowpass *l, const int64_t k[3],
                  long double *d2, long double *r2) {
    bool circle = true;
    double r = 0;
    for (int i = 0; i < job->ndim; i++)
        if (job->axes >> i & 1) {
            circle = circle && (r == 0 || r == l->radius[i]);
            r = l->radius[i];
        }
    *d2 = 0;
    *r2 = circle ? (long double)r * r : 1;
    for (int i = 0; i < job->ndim; i++) {
        if (!(job->axes >> i & 1))
            continue;
        long double d = distance(k[3 - job->ndim + i], l->centre[i], job->shape[i]);
        d /= circle ? 1 : l->radius[i];
        *d2 += d * d;
    }
}

long double reference_lowpass(const struct gf_job *job, const struct gf_lowpass *l,
                              const int64_t k[3]) {
    long double d2, r2;
    reach(job, l, k, &d2, &r2);
    switch (l->profile) {
    case GF_GAUSSIAN:
        return expl(-d2 / r2 / 2);
    case GF_IDEAL:
        return d2 <= r2 ? 1 : 0;
    case GF_BUTTERWORTH:
        return 1 / (1 + powl(d2 / r2, l->order));
    }
    return NAN;
}

/* The table's element for frequency k of the full spectrum: mirrored where only the half is. */
static struct cld tabled(const struct gf_job *job, const struct reference *r, const int64_t k[3]) {
    const struct gf_array *t = &job->filter->table;
    bool mirrored = k[r->half] > r->n[r->half] / 2;
    int64_t at = 0;
    for (int i = 0; i < job->ndim; i++) {
        int a = 3 - job->ndim + i;
        at = at * t->shape[i] + (mirrored && r->on[a] ? (r->n[a] - k[a]) % r->n[a] : k[a]);
    }
    const float *f = t->data;
    const double *d = t->data;
    switch (t->dtype) {
    case GF_F32:
        return (struct cld){f[at], 0};
    case GF_F64:
        return (struct cld){d[at], 0};
    case GF_C64:
        return (struct cld){f[2 * at], mirrored ? -f[2 * at + 1] : f[2 * at + 1]};
    default:
        return (struct cld){d[2 * at], mirrored ? -d[2 * at + 1] : d[2 * at + 1]};
    }
}

struct cld reference_filter_value(const struct gf_job *job, const struct reference *r,
                                  const int64_t k[3]) {
    const struct gf_filter *f = job->filter;
    struct cld h = {1, 0};
    for (int i = 0; i < f->n_factors; i++) {
        const struct gf_filter_factor *x = &f->factor[i];
        long double a = reference_lowpass(job, &x->a, k);
        long double b = x->cab != 0 ? reference_lowpass(job, &x->b, k) : 0;
        h.re *= x->c0 + x->ca * a + x->cab * a * b;
    }
    if (f->table.data) {
        struct cld t = tabled(job, r, k);
        h = (struct cld){h.re * t.re, h.re * t.im};
    }
    return h;
}

bool reference_filter_doubtful(const struct gf_job *job, const struct reference *r) {
    const struct gf_filter *f = job->filter;
    int64_t k[3];
    for (int i = 0; i < 2 * f->n_factors; i++) {
        const struct gf_filter_factor *x = &f->factor[i / 2];
        const struct gf_lowpass *l = i % 2 ? &x->b : &x->a;
        if (l->profile != GF_IDEAL || (i % 2 && x->cab == 0))
            continue;
        for (k[0] = 0; k[0] < r->n[0]; k[0]++)
            for (k[1] = 0; k[1] < r->n[1]; k[1]++)
                for (k[2] = 0; k[2] < r->n[2]; k[2]++) {
                    long double d2, r2;
                    reach(job, l, k, &d2, &r2);
                    if (d2 != r2 && fabsl(d2 - r2) < 1e-5L * r2)
                        return true;
                }
    }
    return false;
}

void reference_filter(const struct gf_job *job, struct reference *r) {
    const int64_t plane = r->n[0] * r->n[1] * r->n[2];
    for (int64_t c = 0; c < r->channels; c++) {
        int64_t k[3], at = c * plane;
        for (k[0] = 0; k[0] < r->n[0]; k[0]++)
            for (k[1] = 0; k[1] < r->n[1]; k[1]++)
                for (k[2] = 0; k[2] < r->n[2]; k[2]++, at++) {
                    struct cld h = reference_filter_value(job, r, k), v = r->v[at];
                    r->v[at] = (struct cld){v.re * h.re - v.im * h.im, v.re * h.im + v.im * h.re};
                    double size = (double)hypotl(h.re, h.im);
                    r->gain = size > r->gain ? size : r->gain;
                }
    }
}
