/* Tables of the 1D transforms: computed once per plan in long double, rounded once. */
#include "kernels/cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/exact.h"
#include "kernels/cpu/root.h"

/* Element i of a complex table. */
static void put(void *table, int bits, int64_t i, long double re, long double im) {
    gf_cpu_put_real(table, bits, 2 * i, re);
    gf_cpu_put_real(table, bits, 2 * i + 1, im);
}

static void few_roots(void *table, int bits, int64_t n, int64_t step, bool conjugate,
                      int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        long double re, im;
        unsigned __int128 s = (unsigned __int128)i * (uint64_t)(step ? step : i);
        gf_root_of_unity((uint64_t)(s % (uint64_t)n), (uint64_t)n, &re, &im);
        put(table, bits, i, re, conjugate ? -im : im);
    }
}

bool gf_cpu_roots(void *table, int bits, int64_t n, int64_t step, bool conjugate, int64_t count) {
    enum { FEW = 4096 };
    struct gf_roots roots;
    if (count <= FEW) {
        few_roots(table, bits, n, step, conjugate, count);
        return true;
    }
    if (!gf_roots_make(&roots, (uint64_t)n))
        return false;
    const uint64_t m = (uint64_t)n;
#pragma omp parallel for
    for (int64_t i = 0; i < count; i++) {
        long double re, im;
        uint64_t s = step ? (uint64_t)((unsigned __int128)i * (uint64_t)step % m)
                          : gf_square_mod((uint64_t)i, m);
        gf_roots_at(&roots, s, &re, &im);
        put(table, bits, i, re, conjugate ? -im : im);
    }
    gf_roots_free(&roots);
    return true;
}

static void *table(int64_t count, int bits) {
    size_t bytes = (size_t)count * (size_t)bits / 4;
    return aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
}

/* Fills the twiddles of a stage that combines p lines of m points: the roots k r of m p, [k][r -
 * 1]. */
static bool fill_twiddles(void *twiddle, int bits, int64_t m, int64_t p) {
    struct gf_root_eighth roots;
    if (!gf_root_eighth_make(&roots, (uint64_t)m * (uint64_t)p))
        return false;
    for (int64_t k = 0; k < m; k++)
        for (int64_t r = 1; r < p; r++) {
            long double re, im;
            gf_root_eighth_get(&roots, (uint64_t)k * (uint64_t)r, &re, &im);
            put(twiddle, bits, k * (p - 1) + r - 1, re, im);
        }
    gf_root_eighth_free(&roots);
    return true;
}

struct gf_cpu_line *gf_cpu_line_stages(int64_t n, const int *radix, int n_stages,
                                       struct gf_cpu_line *leaf, int bits) {
    struct gf_cpu_line *line = calloc(1, sizeof *line);
    if (!line)
        goto fail;
    line->n = n;
    line->algorithm = GF_CPU_STAGES;
    line->n_stages = n_stages;
    line->leaf = leaf;
    line->scratch_points = n + (leaf ? 2 * leaf->scratch_points : 0);
    int64_t block = n; /* points combined by stage s */
    for (int s = 0; s < n_stages; block /= radix[s++]) {
        int64_t p = radix[s], m = block / p;
        line->radix[s] = (int)p;
        bool innermost = s == n_stages - 1;
        if (!innermost) {
            if (!(line->twiddle[s] = table(m * (p - 1), bits)))
                goto fail;
            if (!fill_twiddles(line->twiddle[s], bits, m, p))
                goto fail;
        }
        bool codelet = p <= 5 || p == 7 || p == 8 || p == 11 || p == 13 || p == 16;
        if (!codelet && !(innermost && leaf)) {
            if (!(line->roots[s] = table(p, bits)))
                goto fail;
            for (int64_t j = 0; j < p; j++) {
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

/* Makes a line transformed by `convolution`, which is freed on failure. */
static struct gf_cpu_line *convolving(int64_t n, enum gf_cpu_algorithm algorithm,
                                      struct gf_cpu_line *convolution) {
    struct gf_cpu_line *line = calloc(1, sizeof *line);
    if (!line) {
        gf_cpu_line_free(convolution);
        return NULL;
    }
    *line = (struct gf_cpu_line){.n = n, .algorithm = algorithm, .convolution = convolution};
    line->scratch_points = n > convolution->scratch_points ? n : convolution->scratch_points;
    return line;
}

/* line->spectrum <- transform(x) / n over the convolution's length. Frees x and, on failure or if
 * !ok, the line. */
static struct gf_cpu_line *with_spectrum(struct gf_cpu_line *line, bool ok, long double *x,
                                         int bits) {
    const int64_t n = line->convolution->n;
    line->spectrum = table(n, bits);
    ok = ok && line->spectrum && gf_exact_transform(x, n, 1.0L / n, line->spectrum, bits);
    free(x);
    if (ok)
        return line;
    gf_cpu_line_free(line);
    return NULL;
}

struct gf_cpu_line *gf_cpu_line_rader(int64_t n, int64_t generator, struct gf_cpu_line *convolution,
                                      int bits) {
    struct gf_cpu_line *line = convolving(n, GF_CPU_RADER, convolution);
    if (!line)
        return NULL;
    const int64_t count = n - 1;
    line->gather = malloc((size_t)count * sizeof *line->gather);
    line->scatter = malloc((size_t)count * sizeof *line->scatter);
    long double *x = malloc((size_t)count * 2 * sizeof *x);
    const bool ok = line->gather && line->scatter && x;
    /* X[g^-q] = x[0] + sum_p x[g^p] w^(g^(p - q)): a cyclic correlation, computed as a
     * convolution. */
    int64_t power = 1;
    for (int64_t q = 0; ok && q < count; q++) {
        line->gather[q] = (int32_t)power;
        line->scatter[(count - q) % count] = (int32_t)power;
        gf_root_of_unity((uint64_t)power, (uint64_t)n, &x[2 * ((count - q) % count)],
                         &x[2 * ((count - q) % count) + 1]);
        power = power * generator % n;
    }
    return with_spectrum(line, ok, x, bits);
}

struct gf_cpu_line *gf_cpu_line_bluestein(int64_t n, struct gf_cpu_line *convolution, int bits) {
    struct gf_cpu_line *line = convolving(n, GF_CPU_BLUESTEIN, convolution);
    if (!line)
        return NULL;
    const int64_t m = convolution->n;
    line->chirp = table(n, bits);
    long double *x = calloc((size_t)m * 2, sizeof *x);
    const bool ok = line->chirp && x;
    for (int64_t k = 0; ok && k < n; k++) {
        /* in integers: exact for any k */
        uint64_t twice = 2 * (uint64_t)n;
        long double re, im;
        gf_root_of_unity(gf_square_mod((uint64_t)k, twice), twice, &re, &im);
        put(line->chirp, bits, k, re, im);
        x[2 * k] = re;
        x[2 * k + 1] = -im;
        if (k) {
            x[2 * (m - k)] = re;
            x[2 * (m - k) + 1] = -im;
        }
    }
    return with_spectrum(line, ok, x, bits);
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

int gf_cpu_row_block(int64_t n, int lanes) {
    int least = lanes < 4 ? lanes : 4;
    for (int block = lanes; block >= least; block /= 2)
        if (n % ((int64_t)block * block) == 0)
            return block;
    return 0;
}

/* True if all stages are codelets and the innermost one has a version for vectors. */
static bool reads_line(const struct gf_cpu_line *line) {
    const int leaf = line->n_stages ? line->radix[line->n_stages - 1] : 0;
    for (int s = 0; s < line->n_stages; s++)
        if (line->roots[s])
            return false;
    return !line->leaf && (leaf == 4 || leaf == 5 || leaf == 8 || leaf == 16);
}

struct gf_cpu_row *gf_cpu_row_make(int64_t n, int block, struct gf_cpu_line *line, int lanes,
                                   int bits) {
    struct gf_cpu_row *rows = calloc(1, sizeof *rows);
    const int64_t r = n / block;
    /* One twiddle for each k1 and i2; digits include i2 = 0. */
    const bool digits = block == 16;
    const bool many = n > 1 << 17; /* too many to compute one by one */
    struct gf_root_eighth roots = {.point = NULL};
    struct gf_roots products = {.fine = NULL};
    void *w = rows && line ? table(r * (digits ? block : block - 1) * (lanes / block), bits) : NULL;
    if (!w || !(many ? gf_roots_make(&products, (uint64_t)n)
                     : gf_root_eighth_make(&roots, (uint64_t)n))) {
        gf_cpu_line_free(line);
        free(w);
        free(rows);
        return NULL;
    }
    *rows = (struct gf_cpu_row){
        .n = n, .block = block, .line = line, .reads = reads_line(line), .twiddle = w};
    rows->joins = rows->reads && line->n_stages > 1 && r / line->radix[0] % block == 0;
    int64_t at = 0;
    for (int64_t k1 = 0; k1 < r; k1 += block)
        for (int i = digits ? 0 : 1; i < block && (!digits || i < r); i++, at += 2L * lanes)
            for (int l = 0; l < lanes; l++) {
                long double re, im;
                const int64_t k = k1 + (digits ? i : l % block), i2 = digits ? l : i;
                if (many)
                    gf_roots_at(&products, (uint64_t)k * (uint64_t)i2, &re, &im);
                else
                    gf_root_eighth_get(&roots, (uint64_t)k * (uint64_t)i2, &re, &im);
                gf_cpu_put_real(w, bits, at + l, re);
                gf_cpu_put_real(w, bits, at + lanes + l, im);
            }
    gf_root_eighth_free(&roots);
    gf_roots_free(&products);
    return rows;
}

void gf_cpu_row_free(struct gf_cpu_row *rows) {
    if (!rows)
        return;
    gf_cpu_line_free(rows->line);
    free(rows->twiddle);
    free(rows);
}
