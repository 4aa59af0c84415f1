/* Plain loops that compute what a job asks for, in long double. */
#include "tests/core/reference.h"

#include <math.h>
#include <stdlib.h>

static const long double pi = 3.141592653589793238462643383279502884L;

static struct cld add(struct cld a, struct cld b) {
    return (struct cld){a.re + b.re, a.im + b.im};
}
static struct cld sub(struct cld a, struct cld b) {
    return (struct cld){a.re - b.re, a.im - b.im};
}
static struct cld mul(struct cld a, struct cld b) {
    return (struct cld){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(sign 2 pi i k / n), the angle reduced to an eighth of the circle in integers first. */
static struct cld root(int64_t k, int64_t n, int sign) {
    int64_t m = 8 * (k % n), octant = m / n, rest = m % n;
    long double angle = pi / 4 * (long double)(octant & 1 ? n - rest : rest) / (long double)n;
    long double c = cosl(angle), s = sinl(angle), t;
    if (octant & 1) { /* angle counts back from the next multiple of pi/2 */
        t = c;
        c = s;
        s = t;
    }
    for (int64_t quarter = octant / 2; quarter; quarter--) {
        t = c;
        c = -s;
        s = t;
    }
    return (struct cld){c, sign * s};
}

void reference_naive(int64_t n, const struct cld *in, struct cld *out, int sign) {
    for (int64_t k = 0; k < n; k++) {
        struct cld sum = {0, 0};
        for (int64_t j = 0; j < n; j++)
            sum = add(sum, mul(in[j], root(j * k % n, n, sign)));
        out[k] = sum;
    }
}

/* ---- fast transforms ---- */

enum { LARGE_PRIME = 61, LONGEST_RADIX = 1024 };

/* A length's roots; for a large prime factor p (there is one leaf size at most) its chirp and the
 * transform of the chirp's conjugate over m >= 2p - 1 points, a power of two. */
struct line {
    int64_t n, p, m;
    int sign;
    struct cld *w, *chirp, *filter, *scratch;
    struct line *power;
};

static void line_free(struct line *l) {
    if (!l)
        return;
    line_free(l->power);
    free(l->w);
    free(l->chirp);
    free(l->filter);
    free(l->scratch);
    free(l);
}

static int64_t smallest_factor(int64_t n) {
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

static int64_t largest_factor(int64_t n) {
    int64_t p = 1;
    while (n > 1) {
        p = smallest_factor(n);
        n /= p;
    }
    return p;
}

static void mixed(const struct line *l, int64_t n, const struct cld *in, int64_t stride,
                  struct cld *out, int64_t step);

static void bluestein(const struct line *l, const struct cld *in, int64_t stride, struct cld *out) {
    int64_t p = l->p, m = l->m;
    struct cld *a = l->scratch, *b = a + m;
    for (int64_t i = 0; i < m; i++)
        a[i] = i < p ? mul(in[i * stride], l->chirp[i]) : (struct cld){0, 0};
    mixed(l->power, m, a, 1, b, 1);
    for (int64_t i = 0; i < m; i++) { /* conjugated, a forward transform is the inverse */
        b[i] = mul(b[i], l->filter[i]);
        b[i].im = -b[i].im;
    }
    mixed(l->power, m, b, 1, a, 1);
    for (int64_t i = 0; i < p; i++) {
        struct cld t = {a[i].re / (long double)m, -a[i].im / (long double)m};
        out[i] = mul(t, l->chirp[i]);
    }
}

static void mixed(const struct line *l, int64_t n, const struct cld *in, int64_t stride,
                  struct cld *out, int64_t step) {
    struct cld t[LONGEST_RADIX];
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    int64_t p = smallest_factor(n), m = n / p;
    if (m == 1 && p > LARGE_PRIME) {
        bluestein(l, in, stride, out);
        return;
    }
    for (int64_t r = 0; r < p; r++)
        mixed(l, m, in + r * stride, stride * p, out + r * m, step * p);
    for (int64_t k = 0; k < m; k++) {
        for (int64_t r = 0; r < p; r++)
            t[r] = mul(out[r * m + k], l->w[r * k * step]);
        if (p == 2) {
            out[k] = add(t[0], t[1]);
            out[m + k] = sub(t[0], t[1]);
            continue;
        }
        for (int64_t q = 0; q < p; q++) {
            struct cld sum = t[0];
            for (int64_t r = 1; r < p; r++)
                sum = add(sum, mul(t[r], l->w[r * q % p * m * step]));
            out[q * m + k] = sum;
        }
    }
}

static struct line *line_make(int64_t n, int sign) {
    struct line *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->n = n;
    l->sign = sign;
    l->w = malloc((size_t)n * sizeof *l->w);
    if (!l->w)
        goto fail;
    for (int64_t k = 0; k < n; k++)
        l->w[k] = root(k, n, sign);
    l->p = largest_factor(n);
    if (l->p <= LARGE_PRIME)
        return l;
    for (l->m = 1; l->m < 2 * l->p - 1;)
        l->m *= 2;
    l->power = line_make(l->m, -1);
    l->chirp = malloc((size_t)l->p * sizeof *l->chirp);
    l->filter = malloc((size_t)l->m * sizeof *l->filter);
    l->scratch = calloc((size_t)l->m * 2, sizeof *l->scratch);
    if (!l->power || !l->chirp || !l->filter || !l->scratch)
        goto fail;
    for (int64_t k = 0; k < l->p; k++) {
        struct cld c = root(k * k % (2 * l->p), 2 * l->p, sign);
        l->chirp[k] = c;
        c.im = -c.im;
        l->scratch[k] = c;
        l->scratch[k ? l->m - k : 0] = c;
    }
    mixed(l->power, l->m, l->scratch, 1, l->filter, 1);
    return l;
fail:
    line_free(l);
    return NULL;
}

/* The last few lines are kept: a sweep asks for the same ones over and over. */
static const struct line *line_of(int64_t n, int sign) {
    static struct line *kept[8];
    static int oldest;
    for (int i = 0; i < 8; i++)
        if (kept[i] && kept[i]->n == n && kept[i]->sign == sign)
            return kept[i];
    int i = oldest++ % 8;
    line_free(kept[i]);
    return kept[i] = line_make(n, sign);
}

bool reference_transform(struct cld *v, const int64_t n[3], unsigned axes, int sign) {
    int64_t stride[3] = {n[1] * n[2], n[2], 1}, total = n[0] * n[1] * n[2];
    for (int a = 0; a < 3; a++) {
        if (!(axes >> a & 1) || n[a] == 1)
            continue;
        const struct line *l = line_of(n[a], sign);
        struct cld *row = malloc((size_t)n[a] * sizeof *row);
        for (int64_t i = 0; l && row && i < total / n[a]; i++) {
            struct cld *start = v + i / stride[a] * stride[a] * n[a] + i % stride[a];
            mixed(l, n[a], start, stride[a], row, 1);
            for (int64_t k = 0; k < n[a]; k++)
                start[k * stride[a]] = row[k];
        }
        bool fine = l && row;
        free(row);
        if (!fine)
            return false;
    }
    return true;
}
