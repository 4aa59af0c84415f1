/* Parts of transforms of one long line: the factors between its two halves, a real line as a
 * complex one of half the length, and the products of a chirp convolution. */
#ifndef GF_KERNELS_CPU_LONG_H
#define GF_KERNELS_CPU_LONG_H

/* exp(-2 pi i j / n) from two tables, in double. */
INLINE void twist_root(const struct gf_cpu_twist *w, int64_t j, double *re, double *im) {
    const double *f = w->fine + 2 * (j & ((INT64_C(1) << w->shift) - 1));
    const double *c = w->coarse + 2 * (j >> w->shift);
    *re = f[0] * c[0] - f[1] * c[1];
    *im = f[0] * c[1] + f[1] * c[0];
}

INLINE cvec twist_roots(const struct gf_cpu_twist *w, int64_t lane0, int64_t point) {
    real re[LANES], im[LANES];
    for (int l = 0; l < LANES; l++) {
        double c, s;
        twist_root(w, (lane0 + l) * point % w->n, &c, &s);
        re[l] = (real)c;
        im[l] = (real)s;
    }
    return (cvec){vec_loadu(re), vec_loadu(im)};
}

INLINE cvec cmul_lanes(cvec a, cvec b) {
    return (cvec){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* a[point] times exp(-2 pi i lane point / n). Without the whole table, a factor is the product of
 * one for the multiple of CHUNK below the point and one for what is left. */
static void twist(const struct tile *t) {
    enum { CHUNK = 64 };
    const struct gf_cpu_twist *w = t->pass->twist;
    long n = t->pass->n;
    if (w->all) {
        const cvec *f = (const cvec *)w->all + t->lane0 / LANES * n;
        for (long k = 0; k < n; k++)
            t->a[k] = cmul_lanes(t->a[k], f[k]);
        return;
    }
    cvec fine[CHUNK];
    for (int j = 0; j < CHUNK; j++)
        fine[j] = twist_roots(w, t->lane0, j);
    for (long k = 0; k < n; k += CHUNK) {
        cvec coarse = twist_roots(w, t->lane0, k);
        for (int j = 0; j < CHUNK && k + j < n; j++)
            t->a[k + j] = cmul_lanes(t->a[k + j], cmul_lanes(coarse, fine[j]));
    }
}

/* With E and O the spectra of the even and the odd samples: Z = E + i O, X[k] = E[k] + w^k O[k] and
 * X[m - k] = conj(E[k] - w^k O[k]), w = exp(-pi i / m). */
static void unpack(void *data, const void *roots, long m, long first, long last) {
    real *z = data;
    const real *w = roots;
    for (long k = first; k < last; k++) {
        real *a = z + 2 * k, *b = z + 2 * (m - k);
        real ar = a[0], ai = a[1], br = k ? b[0] : ar, bi = k ? b[1] : ai;
        real er = (ar + br) / 2, ei = (ai - bi) / 2, odd_re = (ai + bi) / 2, odd_im = (br - ar) / 2;
        real tr = odd_re * w[2 * k] - odd_im * w[2 * k + 1],
             ti = odd_re * w[2 * k + 1] + odd_im * w[2 * k];
        a[0] = er + tr;
        a[1] = ei + ti;
        if (a != b) {
            b[0] = er - tr;
            b[1] = ti - ei;
        }
    }
}

static void pack(const void *from, void *to, const void *roots, long m, long first, long last) {
    const real *x = from, *w = roots;
    real *z = to;
    for (long k = first; k < last; k++) {
        const real *a = x + 2 * k, *b = x + 2 * (m - k);
        /* The imaginary parts at 0 and m are zero by symmetry. */
        real ai = k ? a[1] : 0, bi = k ? b[1] : 0;
        real er = a[0] + b[0], ei = ai - bi, dr = a[0] - b[0], di = ai + bi;
        real odd_re = dr * w[2 * k] + di * w[2 * k + 1], odd_im = di * w[2 * k] - dr * w[2 * k + 1];
        z[2 * k] = er - odd_im;
        z[2 * k + 1] = ei + odd_re;
        if (k && 2 * k != m) {
            z[2 * (m - k)] = er + odd_im;
            z[2 * (m - k) + 1] = odd_re - ei;
        }
    }
}

static void multiply(const void *x, const void *f, void *y, bool swap_before, bool swap_after,
                     long first, long last) {
    const real *a = x, *b = f;
    real *out = y;
    for (long k = first; k < last; k++) {
        real re = a[2 * k + swap_before], im = a[2 * k + !swap_before];
        real pr = re * b[2 * k] - im * b[2 * k + 1], pi = re * b[2 * k + 1] + im * b[2 * k];
        out[2 * k + swap_after] = pr;
        out[2 * k + !swap_after] = pi;
    }
}

#endif
