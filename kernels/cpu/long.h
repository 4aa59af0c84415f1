/* Parts of the transforms of one long line: the factors between its two halves, a real line as a
 * complex one of half the length, and the products of a chirp convolution. */
#ifndef GF_KERNELS_CPU_LONG_H
#define GF_KERNELS_CPU_LONG_H

INLINE cvec cmul_lanes(cvec a, cvec b) {
    return (cvec){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* a[point] times exp(-2 pi i lane point / n). */
static void twist(const struct tile *t) {
    const struct gf_cpu_twist *w = t->pass->twist;
    const long n = t->pass->n, tile = t->lane0 / LANES;
    if (w->all) {
        const cvec *f = (const cvec *)w->all + tile * n;
        for (long k = 0; k < n; k++)
            t->a[k] = cmul_lanes(t->a[k], f[k]);
        return;
    }
    const cvec *fine = (const cvec *)w->fine + tile * w->chunk;
    const cvec *coarse = (const cvec *)w->coarse + tile * w->n_coarse;
    for (long k = 0; k < n; k += w->chunk, coarse++)
        for (long j = 0; j < w->chunk && k + j < n; j++)
            t->a[k + j] = cmul_lanes(t->a[k + j], cmul_lanes(*coarse, fine[j]));
}

/* LANES interleaved complex numbers from p. */
INLINE cvec load_pairs(const real *p) {
    vec low = vec_loadu(p), high = vec_loadu(p + LANES);
    return (cvec){vec_even(low, high), vec_odd(low, high)};
}
INLINE void store_pairs(real *p, cvec x) {
    vec_storeu(p, vec_zip_low(x.re, x.im));
    vec_storeu(p + LANES, vec_zip_high(x.re, x.im));
}
INLINE cvec reverse_pairs(cvec x) {
    return (cvec){vec_reverse(x.re), vec_reverse(x.im)};
}

/* With E and O the spectra of the even and the odd samples: Z = E + i O, X[k] = E[k] + w^k O[k] and
 * X[m - k] = conj(E[k] - w^k O[k]), w = exp(-pi i / m). */
static void unpack_pair(real *a, real *b, const real *w, bool first) {
    real ar = a[0], ai = a[1], br = first ? ar : b[0], bi = first ? ai : b[1];
    real er = (ar + br) / 2, ei = (ai - bi) / 2, odd_re = (ai + bi) / 2, odd_im = (br - ar) / 2;
    real tr = odd_re * w[0] - odd_im * w[1], ti = odd_re * w[1] + odd_im * w[0];
    a[0] = er + tr;
    a[1] = ei + ti;
    if (a != b) {
        b[0] = er - tr;
        b[1] = ti - ei;
    }
}

static void unpack(void *data, const void *roots, long m, long first, long last) {
    real *z = data;
    const real *w = roots, half = (real)0.5;
    long k = first;
    for (; k == 0 && k < last; k++)
        unpack_pair(z, z + 2 * m, w, true);
    /* LANES at a time while k's block and that of its partners do not overlap. */
    for (; k + LANES <= last && k + 2 * LANES <= m - k + 1; k += LANES) {
        real *pa = z + 2 * k, *pb = z + 2 * (m - k - LANES + 1);
        cvec a = load_pairs(pa), b = reverse_pairs(load_pairs(pb)), root = load_pairs(w + 2 * k);
        cvec even = {(a.re + b.re) * half, (a.im - b.im) * half};
        cvec t = cmul_lanes((cvec){(a.im + b.im) * half, (b.re - a.re) * half}, root);
        store_pairs(pa, cadd(even, t));
        store_pairs(pb, reverse_pairs((cvec){even.re - t.re, t.im - even.im}));
    }
    for (; k < last; k++)
        unpack_pair(z + 2 * k, z + 2 * (m - k), w + 2 * k, false);
}

/* The inverse of unpack_pair() times two, from the frequencies k and m - k. */
static void pack_pair(const real *x, real *z, const real *w, long m, long k) {
    const real *a = x + 2 * k, *b = x + 2 * (m - k);
    /* The imaginary parts at 0 and m are zero by symmetry. */
    real ai = k ? a[1] : 0, bi = k ? b[1] : 0;
    real er = a[0] + b[0], ei = ai - bi, dr = a[0] - b[0], di = ai + bi;
    real odd_re = dr * w[0] + di * w[1], odd_im = di * w[0] - dr * w[1];
    z[2 * k] = er - odd_im;
    z[2 * k + 1] = ei + odd_re;
    if (k && 2 * k != m) {
        z[2 * (m - k)] = er + odd_im;
        z[2 * (m - k) + 1] = odd_re - ei;
    }
}

static void pack(const void *from, void *to, const void *roots, long m, long first, long last) {
    const real *x = from, *w = roots;
    real *z = to;
    long k = first;
    for (; k == 0 && k < last; k++)
        pack_pair(x, z, w, m, k);
    /* LANES at a time while k's block and that of its partners do not overlap. */
    for (; k + LANES <= last && k + 2 * LANES <= m - k + 1; k += LANES) {
        const long partner = m - k - LANES + 1;
        cvec a = load_pairs(x + 2 * k), b = reverse_pairs(load_pairs(x + 2 * partner));
        cvec root = load_pairs(w + 2 * k);
        cvec even = {a.re + b.re, a.im - b.im};
        cvec odd = cmul_lanes((cvec){a.re - b.re, a.im + b.im}, (cvec){root.re, -root.im});
        store_pairs(z + 2 * k, (cvec){even.re - odd.im, even.im + odd.re});
        store_pairs(z + 2 * partner, reverse_pairs((cvec){even.re + odd.im, odd.re - even.im}));
    }
    for (; k < last; k++)
        pack_pair(x, z, w + 2 * k, m, k);
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
