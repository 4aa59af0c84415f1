/* The textbook FFT: 2^k points in place, radix 2, decimation in time (Cooley and Tukey 1965). The
 * baseline, meant to be read: no vectors, no threads, no tables except the waves. Included once per
 * precision, with REAL and RADIX2(name) defined. */

/* z: n complex numbers, interleaved; waves: exp(-2 pi i k / n) for k < n / 2. */
static void RADIX2(line)(REAL *z, const REAL *waves, int64_t n, int inverse) {
    for (int64_t i = 0, j = 0; i < n; i++) { /* j is i with its bits in reverse order */
        for (int part = 0; part < 2 && i < j; part++) {
            REAL other = z[2 * i + part];
            z[2 * i + part] = z[2 * j + part];
            z[2 * j + part] = other;
        }
        int64_t bit = n / 2;
        for (; j & bit; bit /= 2)
            j -= bit;
        j += bit;
    }
    for (int64_t half = 1; half < n;
         half *= 2) /* pairs of transforms of `half` points become one */
        for (int64_t start = 0; start < n; start += 2 * half)
            for (int64_t k = 0; k < half; k++) {
                const REAL *w = waves + 2 * (k * (n / 2 / half));
                REAL *a = z + 2 * (start + k), *b = a + 2 * half;
                REAL wave_im = inverse ? -w[1] : w[1];
                REAL re = b[0] * w[0] - b[1] * wave_im, im = b[0] * wave_im + b[1] * w[0];
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
}

/* Reads n points, `step` elements apart: reals, complex numbers, or the first `stored` of a half
 * spectrum, whose others are conjugates. */
static void RADIX2(read)(REAL *z, const REAL *from, int64_t step, int64_t n, int64_t stored,
                         int complex) {
    for (int64_t i = 0; i < n; i++) {
        int64_t at = (i < stored ? i : n - i) * step;
        z[2 * i] = complex ? from[2 * at] : from[at];
        z[2 * i + 1] = complex ? (i < stored ? from[2 * at + 1] : -from[2 * at + 1]) : 0;
    }
}

/* Writes the first `stored` points. */
static void RADIX2(write)(const REAL *z, REAL *to, int64_t step, int64_t stored, int complex) {
    for (int64_t i = 0; i < stored; i++)
        if (complex) {
            to[2 * i * step] = z[2 * i];
            to[2 * i * step + 1] = z[2 * i + 1];
        } else {
            to[i * step] = z[2 * i];
        }
}
