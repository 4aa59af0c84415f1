/* Parts of one long line's transforms: twiddles between its halves, a real line as a complex one of
 * half the length, and the products of a chirp convolution. */
#ifndef GF_KERNELS_CPU_LONG_H
#define GF_KERNELS_CPU_LONG_H

INLINE cvec cmul_lanes(cvec a, cvec b) {
    a = cvec_hold(a);
    b = cvec_hold(b);
    return (cvec){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* a[point] times exp(-2 pi i lane point / n). */
static void twist(const struct tile *t) {
    const struct gf_cpu_twist *w = t->pass->twist;
    const int64_t n = t->pass->n, tile = t->lane0 / LANES;
    if (w->all) {
        const cvec *f = (const cvec *)w->all + tile * n;
        for (int64_t k = 0; k < n; k++)
            t->a[k] = cmul_lanes(t->a[k], f[k]);
        return;
    }
    const cvec *fine = (const cvec *)w->fine + tile * w->chunk;
    const cvec *coarse = (const cvec *)w->coarse + tile * w->n_coarse;
    for (int64_t k = 0; k < n; k += w->chunk, coarse++)
        for (int64_t j = 0; j < w->chunk && k + j < n; j++)
            t->a[k + j] = cmul_lanes(t->a[k + j], cmul_lanes(*coarse, fine[j]));
}

/* Loads LANES interleaved complex numbers from p. */
INLINE cvec load_pairs(const real *p) {
    vec low = vec_hold(vec_loadu(p)), high = vec_hold(vec_loadu(p + LANES));
    return (cvec){vec_even(low, high), vec_odd(low, high)};
}
INLINE void store_pairs(real *p, cvec x) {
    vec_storeu(p, vec_zip_low(x.re, x.im));
    vec_storeu(p + LANES, vec_zip_high(x.re, x.im));
}
/* The same in reverse order. */
#define AT_EVEN_REVERSED(i)     (2 * (LANES - 1 - (i)))
#define AT_ODD_REVERSED(i)      (AT_EVEN_REVERSED(i) + 1)
#define AT_ZIP_LOW_REVERSED(i)  (LANES - 1 - (i) / 2 + (i) % 2 * LANES)
#define AT_ZIP_HIGH_REVERSED(i) (AT_ZIP_LOW_REVERSED(i) - LANES / 2)
INLINE cvec load_pairs_reversed(const real *p) {
    const vec a = vec_loadu(p), b = vec_loadu(p + LANES);
    return (cvec){__builtin_shufflevector(a, b, LIST(AT_EVEN_REVERSED)),
                  __builtin_shufflevector(a, b, LIST(AT_ODD_REVERSED))};
}
INLINE void store_pairs_reversed(real *p, cvec x) {
    vec_storeu(p, __builtin_shufflevector(x.re, x.im, LIST(AT_ZIP_LOW_REVERSED)));
    vec_storeu(p + LANES, __builtin_shufflevector(x.re, x.im, LIST(AT_ZIP_HIGH_REVERSED)));
}

/* With E and O the spectra of the even and odd samples: Z = E + i O, X[k] = E[k] + w^k O[k] and X[m
 * - k] = conj(E[k] - w^k O[k]), w = exp(-pi i / m). Computes twice that. */
static void unpack_pair(const struct gf_cpu_halves *h, int64_t k) {
    const real *w = (const real *)h->roots + k / LANES * 2 * LANES + k % LANES, *z = h->z;
    const real *a = z + 2 * k, *b = z + 2 * (k ? h->m - k : 0);
    const real er = a[0] + b[0], ei = a[1] - b[1], odd_re = a[1] + b[1], odd_im = b[0] - a[0];
    const real tr = odd_re * w[0] - odd_im * w[LANES], ti = odd_re * w[LANES] + odd_im * w[0];
    real *x = (real *)h->x + 2 * k, *y = (real *)h->x + 2 * (h->m - k);
    x[0] = er + tr;
    x[1] = ei + ti;
    if (x != y) {
        y[0] = er - tr;
        y[1] = ti - ei;
    }
}

static void unpack(const struct gf_cpu_halves *h, int64_t first, int64_t last) {
    const int64_t blocks = (h->m + 1) / 2 / LANES, end = last < blocks ? last : blocks;
    real *z = h->z, *x = h->x;
    if (first == 0) { /* the partner of frequency 0 */
        z[2 * h->m] = z[0];
        z[2 * h->m + 1] = z[1];
    }
    for (int64_t i = first; i < end; i++) {
        const int64_t k = i * LANES, partner = h->m - k - LANES + 1;
        const cvec root = ((const cvec *)h->roots)[i];
        const cvec a = load_pairs(z + 2 * k), b = load_pairs_reversed(z + 2 * partner);
        const cvec even = {a.re + b.re, a.im - b.im};
        const cvec t = cmul_lanes((cvec){a.im + b.im, b.re - a.re}, root);
        store_pairs(x + 2 * k, cadd(even, t));
        store_pairs_reversed(x + 2 * partner, (cvec){even.re - t.re, t.im - even.im});
    }
    for (int64_t k = blocks * LANES; last > blocks && k <= h->m / 2; k++)
        unpack_pair(h, k);
}

/* The inverse of unpack_pair(), times four. */
static void pack_pair(const struct gf_cpu_halves *h, int64_t k) {
    const real *w = (const real *)h->roots + k / LANES * 2 * LANES + k % LANES;
    const real *a = (const real *)h->x + 2 * k, *b = (const real *)h->x + 2 * (h->m - k);
    /* The imaginary parts at 0 and m are zero by symmetry. */
    const real ai = k ? a[1] : 0, bi = k ? b[1] : 0;
    const real er = a[0] + b[0], ei = ai - bi, dr = a[0] - b[0], di = ai + bi;
    const real odd_re = dr * w[0] + di * w[LANES], odd_im = di * w[0] - dr * w[LANES];
    real *p = (real *)h->z + 2 * k, *q = (real *)h->z + 2 * (h->m - k);
    p[0] = er - odd_im;
    p[1] = ei + odd_re;
    if (k && p != q) {
        q[0] = er + odd_im;
        q[1] = odd_re - ei;
    }
}

static void pack(const struct gf_cpu_halves *h, int64_t first, int64_t last) {
    const int64_t blocks = (h->m + 1) / 2 / LANES, end = last < blocks ? last : blocks;
    const real *x = h->x;
    real *z = h->z;
    for (int64_t i = first; i < end; i++) {
        const int64_t k = i * LANES, partner = h->m - k - LANES + 1;
        const cvec root = ((const cvec *)h->roots)[i];
        cvec a = load_pairs(x + 2 * k), b = load_pairs_reversed(x + 2 * partner);
        if (!k)
            a.im[0] = b.im[0] = 0; /* by symmetry */
        const cvec even = {a.re + b.re, a.im - b.im};
        const cvec odd = cmul_lanes((cvec){a.re - b.re, a.im + b.im}, (cvec){root.re, -root.im});
        const cvec high = {even.re + odd.im, odd.re - even.im};
        store_pairs(z + 2 * k, (cvec){even.re - odd.im, even.im + odd.re});
        if (k) {
            store_pairs_reversed(z + 2 * partner, high);
        } else { /* z[m] does not exist */
            real room[2 * LANES];
            store_pairs_reversed(room, high);
            memcpy(z + 2 * partner, room, 2 * (LANES - 1) * sizeof *room);
        }
    }
    for (int64_t k = blocks * LANES; last > blocks && k <= h->m / 2; k++)
        pack_pair(h, k);
}

static void multiply(const void *x, const void *f, void *y, bool swap_before, bool swap_after,
                     int64_t first, int64_t last) {
    const real *a = x, *b = f;
    real *out = y;
    for (int64_t k = first; k < last; k++) {
        real re = a[2 * k + swap_before], im = a[2 * k + !swap_before];
        real pr = re * b[2 * k] - im * b[2 * k + 1], pi = re * b[2 * k + 1] + im * b[2 * k];
        out[2 * k + swap_after] = pr;
        out[2 * k + !swap_after] = pi;
    }
}

#endif
