/* Tables of the 1D transforms: computed once per plan in long double, rounded once. */
#include "kernels/cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/root.h"

/* Element i of a real table in the plan's precision, and of a complex one. */
static void put_real(void *table, int bits, long i, long double x) {
    if (bits == 32)
        ((float *)table)[i] = (float)x;
    else
        ((double *)table)[i] = (double)x;
}
static void put(void *table, int bits, long i, long double re, long double im) {
    put_real(table, bits, 2 * i, re);
    put_real(table, bits, 2 * i + 1, im);
}

void gf_cpu_roots(void *table, int bits, int64_t n, int64_t step, bool conjugate, long count) {
#pragma omp parallel for if (count > 4096)
    for (long i = 0; i < count; i++) {
        long double re, im;
        unsigned __int128 s = (unsigned __int128)i * (uint64_t)(step ? step : i);
        gf_root_of_unity((uint64_t)(s % (uint64_t)n), (uint64_t)n, &re, &im);
        put(table, bits, i, re, conjugate ? -im : im);
    }
}

static void *table(long count, int bits) {
    size_t bytes = (size_t)count * (size_t)bits / 4;
    return aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
}

static long max_long(long a, long b) {
    return a > b ? a : b;
}

struct gf_cpu_line *gf_cpu_line_stages(long n, const int *radix, int n_stages,
                                       struct gf_cpu_line *leaf, int bits) {
    struct gf_cpu_line *line = calloc(1, sizeof *line);
    if (!line)
        goto fail;
    line->n = n;
    line->algorithm = GF_CPU_STAGES;
    line->n_stages = n_stages;
    line->leaf = leaf;
    line->scratch_points = n + (leaf ? 2 * leaf->scratch_points : 0);
    long block = n; /* points that stage s combines */
    for (int s = 0; s < n_stages; block /= radix[s++]) {
        long p = radix[s], m = block / p;
        line->radix[s] = (int)p;
        bool innermost = s == n_stages - 1;
        if (!innermost) {
            if (!(line->twiddle[s] = table(m * (p - 1), bits)))
                goto fail;
            for (long k = 0; k < m; k++)
                for (long r = 1; r < p; r++) {
                    long double re, im;
                    gf_root_of_unity((uint64_t)k * (uint64_t)r, (uint64_t)block, &re, &im);
                    put(line->twiddle[s], bits, k * (p - 1) + r - 1, re, im);
                }
        }
        bool codelet = p <= 5 || p == 7 || p == 8 || p == 11 || p == 13 || p == 16;
        if (!codelet && !(innermost && leaf)) {
            if (!(line->roots[s] = table(p, bits)))
                goto fail;
            for (long j = 0; j < p; j++) {
                long double re, im;
                gf_root_of_unity((uint64_t)j, (uint64_t)p, &re, &im);
                put(line->roots[s], bits, j, re, im);
            }
        }
    }
    return line;
fail:
    if (line)
        line->leaf = NULL;
    gf_cpu_line_free(leaf);
    gf_cpu_line_free(line);
    return NULL;
}

/* A plain recursive transform in long double, for the convolutions' kernels only. x and y hold n
 * complex numbers each, w the roots of unity of the whole length line->n. */
static void exact_stages(const struct gf_cpu_line *line, int s, long n, const long double *x,
                         long stride, long double *y, const long double *w) {
    const long total = line->n;
    if (s == line->n_stages) {
        memcpy(y, x, 2 * sizeof *y);
        return;
    }
    long double in[2 * GF_CPU_MAX_RADIX];
    long p = line->radix[s], m = n / p;
    for (long r = 0; r < p; r++)
        exact_stages(line, s + 1, m, x + 2 * r * stride, stride * p, y + 2 * r * m, w);
    for (long k = 0; k < m; k++) {
        for (long r = 0; r < p; r++)
            memcpy(in + 2 * r, y + 2 * (k + r * m), 2 * sizeof *in);
        for (long q = 0; q < p; q++) {
            long double re = 0, im = 0;
            /* Output k + q m takes input r times exp(-2 pi i r (k + q m) / n). */
            long step = (k + q * m) * (total / n), at = 0;
            for (long r = 0; r < p; r++, at += step, at -= at >= total ? total : 0) {
                re += in[2 * r] * w[2 * at] - in[2 * r + 1] * w[2 * at + 1];
                im += in[2 * r] * w[2 * at + 1] + in[2 * r + 1] * w[2 * at];
            }
            y[2 * (k + q * m)] = re;
            y[2 * (k + q * m) + 1] = im;
        }
    }
}

/* line->spectrum <- transform(x) / n over the convolution's length; x is freed. */
static bool set_spectrum(struct gf_cpu_line *line, long double *x, int bits) {
    const struct gf_cpu_line *conv = line->convolution;
    long n = conv->n;
    long double *y = malloc((size_t)n * 2 * sizeof *y), *w = calloc((size_t)n * 2, sizeof *w);
    line->spectrum = table(n, bits);
    bool ok = x && y && w && line->spectrum;
    if (ok) {
        for (long k = 0; k < n; k++)
            gf_root_of_unity((uint64_t)k, (uint64_t)n, &w[2 * k], &w[2 * k + 1]);
        exact_stages(conv, 0, n, x, 1, y, w);
        for (long k = 0; k < n; k++)
            put(line->spectrum, bits, k, y[2 * k] / n, y[2 * k + 1] / n);
    }
    free(x);
    free(y);
    free(w);
    return ok;
}

struct gf_cpu_line *gf_cpu_line_rader(long n, long generator, struct gf_cpu_line *convolution,
                                      int bits) {
    struct gf_cpu_line *line = calloc(1, sizeof *line);
    if (!line) {
        gf_cpu_line_free(convolution);
        return NULL;
    }
    long count = n - 1;
    line->n = n;
    line->algorithm = GF_CPU_RADER;
    line->convolution = convolution;
    line->scratch_points = max_long(n, convolution->scratch_points);
    line->gather = malloc((size_t)count * sizeof *line->gather);
    line->scatter = malloc((size_t)count * sizeof *line->scatter);
    long double *x = malloc((size_t)count * 2 * sizeof *x);
    if (!line->gather || !line->scatter || !x) {
        free(x);
        gf_cpu_line_free(line);
        return NULL;
    }
    /* X[g^-q] = x[0] + sum_p x[g^p] w^(g^(p - q)): a cyclic correlation, run as a convolution. */
    int64_t power = 1;
    for (long q = 0; q < count; q++) {
        line->gather[q] = (int32_t)power;
        line->scatter[(count - q) % count] = (int32_t)power;
        gf_root_of_unity((uint64_t)power, (uint64_t)n, &x[2 * ((count - q) % count)],
                         &x[2 * ((count - q) % count) + 1]);
        power = power * generator % n;
    }
    if (!set_spectrum(line, x, bits)) {
        gf_cpu_line_free(line);
        return NULL;
    }
    return line;
}

struct gf_cpu_line *gf_cpu_line_bluestein(long n, struct gf_cpu_line *convolution, int bits) {
    struct gf_cpu_line *line = calloc(1, sizeof *line);
    if (!line) {
        gf_cpu_line_free(convolution);
        return NULL;
    }
    long m = convolution->n;
    line->n = n;
    line->algorithm = GF_CPU_BLUESTEIN;
    line->convolution = convolution;
    line->scratch_points = max_long(m, convolution->scratch_points);
    line->chirp = table(n, bits);
    long double *x = calloc((size_t)m * 2, sizeof *x);
    if (!line->chirp || !x) {
        free(x);
        gf_cpu_line_free(line);
        return NULL;
    }
    for (long k = 0; k < n; k++) {
        /* k^2 mod 2n in integers: the angle stays exact however large k is. */
        uint64_t square = (uint64_t)k * (uint64_t)k % (2 * (uint64_t)n);
        long double re, im;
        gf_root_of_unity(square, 2 * (uint64_t)n, &re, &im);
        put(line->chirp, bits, k, re, im);
        x[2 * k] = re;
        x[2 * k + 1] = -im;
        if (k) {
            x[2 * (m - k)] = re;
            x[2 * (m - k) + 1] = -im;
        }
    }
    if (!set_spectrum(line, x, bits)) {
        gf_cpu_line_free(line);
        return NULL;
    }
    return line;
}

void gf_cpu_line_free(struct gf_cpu_line *line) {
    if (!line)
        return;
    for (int s = 0; s < line->n_stages; s++) {
        free(line->twiddle[s]);
        free(line->roots[s]);
    }
    gf_cpu_line_free(line->leaf);
    gf_cpu_line_free(line->convolution);
    free(line->spectrum);
    free(line->chirp);
    free(line->gather);
    free(line->scatter);
    free(line);
}

int gf_cpu_row_block(long n, int lanes) {
    int least = lanes < 4 ? lanes : 4;
    for (int block = lanes; block >= least; block /= 2)
        if (n % ((long)block * block) == 0)
            return block;
    return 0;
}

struct gf_cpu_row *gf_cpu_row_make(long n, int block, struct gf_cpu_line *line, int lanes,
                                   int bits) {
    struct gf_cpu_row *rows = calloc(1, sizeof *rows);
    const long r = n / block;
    void *w = rows && line ? table(r * (block - 1) * (lanes / block), bits) : NULL;
    if (!w) {
        gf_cpu_line_free(line);
        free(rows);
        return NULL;
    }
    *rows = (struct gf_cpu_row){.n = n, .block = block, .line = line, .twiddle = w};
    long at = 0;
    for (long k1 = 0; k1 < r; k1 += block)
        for (int i2 = 1; i2 < block; i2++, at += 2L * lanes)
            for (int l = 0; l < lanes; l++) {
                long double re, im;
                uint64_t power = (uint64_t)(k1 + l % block) * (uint64_t)i2;
                gf_root_of_unity(power, (uint64_t)n, &re, &im);
                put_real(w, bits, at + l, re);
                put_real(w, bits, at + lanes + l, im);
            }
    return rows;
}

void gf_cpu_row_free(struct gf_cpu_row *rows) {
    if (!rows)
        return;
    gf_cpu_line_free(rows->line);
    free(rows->twiddle);
    free(rows);
}
