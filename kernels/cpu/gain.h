/* A filter between a transform and its inverse: the values for a few points of all lanes, and the
 * product. */
#ifndef GF_KERNELS_CPU_GAIN_H
#define GF_KERNELS_CPU_GAIN_H

#include "kernels/profiles.h"

enum { GAIN_POINTS = 32 };

/* Denormals are a hundred times slower, so values negligible relative to 1 become 0 before products
 * do. */
INLINE vec gain_flush(vec v) {
    const real least = GF_REAL_BITS == 32 ? (real)0x1p-90 : (real)0x1p-900;
    return vec_select(vec_abs(v) < vec_splat(least), (vec){0}, v);
}

/* The term's value without that of the line's axis. */
INLINE vec term_base(const struct gf_cpu_term *m, const struct tile *t) {
    const bool product = PROFILE_IS_PRODUCT(m->profile);
    vec v = vec_splat(product ? 1 : 0);
    if (m->lane)
        v = vec_loadu((const real *)m->lane + t->lane0);
    for (int d = 0; d < 2; d++)
        if (m->outer[d]) {
            real o = ((const real *)m->outer[d])[t->outer[d]];
            v = product ? v * o : v + o;
        }
    return gain_flush(v);
}

INLINE vec up_to(vec a, vec b) {
    return vec_select(a <= b, vec_splat(1), (vec){0});
}

INLINE vec power(vec x, int order) {
    vec v = vec_splat(1);
    for (; order; order >>= 1, x *= x)
        v = order & 1 ? v * x : v;
    return v;
}

#define JOIN_SUM(a, b)     ((a) + (b))
#define JOIN_PRODUCT(a, b) ((a) * (b))
#define VALUES(NAME, text, JOINED, axis, value) \
    if (m->profile == PROFILE_##NAME) \
        for (int i = 0; i < n; i++) { \
            const vec v = JOIN_##JOINED(base, line[i]), ratio = v * share; \
            (void)ratio; \
            out[i] = value; \
        }

/* A term's values at points k to k + n - 1. */
static void term_values(const struct gf_cpu_term *m, const struct tile *t, int64_t k, int n,
                        vec *out) {
    const vec base = term_base(m, t), one = vec_splat(1), limit = vec_splat((real)m->limit);
    const real *line = (const real *)m->line + k, share = (real)(1 / m->limit);
    const int order = m->order;
    PROFILES(VALUES)
}

static void gain_values(const struct tile *t, int64_t k, int n, vec *out) {
    const struct gf_cpu_gain *m = t->pass->gain;
    vec a[GAIN_POINTS], b[GAIN_POINTS];
    for (int i = 0; i < n && !m->n_factors; i++)
        out[i] = vec_splat(1);
    for (int f = 0; f < m->n_factors; f++) {
        const real c0 = (real)m->factor[f].c0, ca = (real)m->factor[f].ca,
                   cab = (real)m->factor[f].cab;
        term_values(&m->term[m->factor[f].a], t, k, n, a);
        if (m->factor[f].b >= 0)
            term_values(&m->term[m->factor[f].b], t, k, n, b);
        for (int i = 0; i < n; i++) {
            vec v = m->factor[f].b >= 0 ? a[i] * (b[i] * cab + ca) + c0 : a[i] * ca + c0;
            out[i] = gain_flush(f ? out[i] * v : v);
        }
    }
}

INLINE const real *gain_table(const struct tile *t) {
    const struct gf_cpu_gain *m = t->pass->gain;
    return (const real *)m->table + t->lane0 / LANES * m->block + t->outer[0] * m->outer[0] +
           t->outer[1] * m->outer[1];
}

static void gain_add_zero(const struct tile *t, cvec *x) {
    const struct gf_cpu_gain *m = t->pass->gain;
    bool pairs = t->pass->form == GF_CPU_R2R;
    for (int d = 0; d < 2; d++)
        if (m->outer_on[d] && t->outer[d])
            return;
    for (int l = 0; l < LANES; l++)
        if (!m->lane_on || t->lane0 + l == 0) {
            x->re[l] += (real)m->zero;
            x->im[l] += pairs ? (real)m->zero : 0;
        }
}

/* Multiplies x[0 .. n) by the filter and swaps re and im for the inverse. */
static void gain_apply(const struct tile *t, cvec *x) {
    const struct gf_cpu_gain *m = t->pass->gain;
    const int64_t n = t->pass->n;
    const real *h = gain_table(t);
    vec v[GAIN_POINTS];
    for (int64_t k = 0; k < n; k += GAIN_POINTS) {
        int count = n - k < GAIN_POINTS ? (int)(n - k) : GAIN_POINTS;
        cvec *y = x + k;
        if (m->kind == GF_CPU_GAIN_COMPLEX) {
            for (int i = 0; i < count; i++) {
                vec re = vec_loadu(h + (k + i) * 2 * LANES);
                vec im = vec_loadu(h + (k + i) * 2 * LANES + LANES);
                y[i] = (cvec){y[i].re * im + y[i].im * re, y[i].re * re - y[i].im * im};
            }
            continue;
        }
        if (m->kind == GF_CPU_GAIN_FACTORS)
            gain_values(t, k, count, v);
        for (int i = 0; i < count && m->kind == GF_CPU_GAIN_LINE; i++)
            v[i] = vec_splat(h[k + i]);
        const vec *f = m->kind == GF_CPU_GAIN_REAL ? (const vec *)(h + k * LANES) : v;
        for (int i = 0; i < count; i++)
            y[i] = (cvec){y[i].im * f[i], y[i].re * f[i]};
    }
    if (m->zero != 0) {
        x[0] = (cvec){x[0].im, x[0].re};
        gain_add_zero(t, x);
        x[0] = (cvec){x[0].im, x[0].re};
    }
}

#endif
