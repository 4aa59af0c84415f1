#include "core/cpu_long.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu_line.h"
#include "core/plan.h"
#include "core/status.h"

/* Below this many points a team of threads costs more than it saves. */
enum { WORTH_A_TEAM = 1 << 14 };

bool gf_cpu_long_splits(int64_t n, long *n1, long *n2) {
    if (gf_plan_radices(n).rest != 1)
        return false;
    /* The divisor next to the square root; multiples of 16 fill the lanes. */
    double best = 0;
    for (int64_t d = 2; d * d <= n; d++) {
        if (n % d)
            continue;
        for (int i = 0; i < 2; i++) {
            int64_t a = i ? n / d : d, b = n / a;
            double balance = a < b ? (double)a / (double)b : (double)b / (double)a;
            double filled = (a % 16 ? 0.7 : 1) * (b % 16 ? 0.7 : 1);
            if (balance * filled > best) {
                best = balance * filled;
                *n1 = a;
                *n2 = b;
            }
        }
    }
    return best > 0 && *n1 <= 1 << 16 && *n2 <= 1 << 16 && *n1 >= 8 && *n2 >= 8;
}

static size_t complex_size(const struct gf_cpu_long *l) {
    return (size_t)l->kernels->bits / 4;
}

static void *new_table(int bits, int64_t count) {
    return gf_alloc((size_t)count * (size_t)bits / 4);
}

/* exp(-2 pi i k1 i2 / n) for the second pass: all of them while they are few, else two short tables
 * whose products they are. */
static int plan_twist(struct gf_cpu_long *l) {
    enum { FEW = 1 << 16 };
    const int bits = l->kernels->bits, lanes = l->kernels->lanes;
    struct gf_cpu_twist *t = &l->twist;
    t->n = l->n;
    while (INT64_C(1) << 2 * t->shift < l->n)
        t->shift++;
    int64_t fine = INT64_C(1) << t->shift, coarse = l->n / fine + 1;
    double *f = l->tables[0] = new_table(64, fine), *c = l->tables[1] = new_table(64, coarse);
    if (!f || !c)
        return gf_fail(GF_ENOMEM, "no memory for tables");
    gf_cpu_roots(f, 64, l->n, 1, false, fine);
    gf_cpu_roots(c, 64, l->n, fine, false, coarse);
    t->fine = f;
    t->coarse = c;
    if (l->n > FEW)
        return 0;
    long blocks = (l->n1 + lanes - 1) / lanes;
    char *all = l->tables[2] = new_table(bits, blocks * lanes * l->n2);
    if (!all)
        return gf_fail(GF_ENOMEM, "no memory for tables");
    for (long k1 = 0; k1 < blocks * lanes; k1++)
        for (long i2 = 0; i2 < l->n2; i2++) {
            int64_t j = (int64_t)k1 * i2 % l->n;
            const double *a = f + 2 * (j % fine), *b = c + 2 * (j / fine);
            double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
            int64_t at = ((k1 / lanes * l->n2 + i2) * 2) * lanes + k1 % lanes;
            if (bits == 32) {
                ((float *)all)[at] = (float)re;
                ((float *)all)[at + lanes] = (float)im;
            } else {
                ((double *)all)[at] = re;
                ((double *)all)[at + lanes] = im;
            }
        }
    t->all = all;
    return 0;
}

static struct gf_cpu_axis plain_axis(long n, ptrdiff_t stride) {
    return (struct gf_cpu_axis){.n = n, .stride = stride};
}

/* Pass 0: lines i2 over i1, from the samples to blocks of i2, each with its k1 side by side.
 * Pass 1: lines k1 over i2, factors first, to frequencies k1 + n1 k2. */
static void set_passes(const struct gf_cpu_long *l, const void *in, void *out, bool inverse,
                       double factor, struct gf_cpu_pass pass[2]) {
    const ptrdiff_t size = (ptrdiff_t)complex_size(l);
    const enum gf_cpu_sample type = l->kernels->bits == 32 ? GF_CPU_C64 : GF_CPU_C128;
    const ptrdiff_t block = l->kernels->lanes * size, column = (l->n1 | 1) * block;
    struct gf_cpu_end work = {.type = GF_CPU_WORK, .data = l->work};
    work.outer[0] = work.outer[1] = plain_axis(1, 0);
    struct gf_cpu_end array = {.type = type,
                               .half_axis = GF_CPU_HALF_OUTER,
                               .value = GF_CPU_COMPLEX,
                               .factor = factor,
                               .gain = 1,
                               .stream = l->n * size > 1 << 20};
    array.outer[0] = array.outer[1] = plain_axis(1, 0);
    pass[0] = (struct gf_cpu_pass){.line = l->line1,
                                   .form = GF_CPU_C2C,
                                   .inverse = inverse,
                                   .n = l->n1,
                                   .n_lane = l->n2,
                                   .n_outer = {1, 1},
                                   .source = array,
                                   .destination = work};
    pass[0].source.data = (char *)in;
    pass[0].source.line = plain_axis(l->n1, l->n2 * size);
    pass[0].source.lane = plain_axis(l->n2, size);
    pass[0].destination.line = plain_axis(l->n1, block);
    pass[0].destination.lane = plain_axis(l->n2, column / l->kernels->lanes);
    pass[0].destination.stream = array.stream;
    pass[1] = (struct gf_cpu_pass){.twist = &l->twist,
                                   .line = l->line2,
                                   .form = GF_CPU_C2C,
                                   .inverse = inverse,
                                   .n = l->n2,
                                   .n_lane = l->n1,
                                   .n_outer = {1, 1},
                                   .source = work,
                                   .destination = array};
    pass[1].source.line = plain_axis(l->n2, column / l->kernels->lanes);
    pass[1].source.lane = plain_axis(l->n1, block);
    pass[1].source.line_is_inner = true;
    pass[1].destination.data = out;
    pass[1].destination.line = plain_axis(l->n2, l->n1 * size);
    pass[1].destination.lane = plain_axis(l->n1, size);
}

static int plan_split(struct gf_cpu_long *l) {
    l->line1 = gf_cpu_line_plan(l->n1, l->kernels->bits);
    l->line2 = gf_cpu_line_plan(l->n2, l->kernels->bits);
    if (!l->line1 || !l->line2)
        return gf_fail(GF_ENOMEM, "no memory for tables");
    struct gf_cpu_pass pass[2];
    set_passes(l, NULL, NULL, false, 1, pass);
    for (int i = 0; i < 2; i++) {
        size_t bytes = gf_cpu_scratch_bytes(l->kernels, &pass[i]);
        bytes = (bytes + 4095) / 4096 * 4096 + 128;
        l->scratch_bytes = bytes > l->scratch_bytes ? bytes : l->scratch_bytes;
    }
    long blocks = (l->n2 + l->kernels->lanes - 1) / l->kernels->lanes;
    l->work_bytes = (int64_t)blocks * (l->n1 | 1) * l->kernels->lanes * (int64_t)complex_size(l);
    return plan_twist(l);
}

/* X[k] = w[k] sum_j x[j] w[j] conj(w[k - j]), w[k] = exp(-pi i k^2 / n). The spectrum of the
 * conjugated chirp is computed in double by the transform itself. */
static int plan_chirp(struct gf_cpu_long *l) {
    const int bits = l->kernels->bits;
    int64_t m = gf_plan_smooth_length(2 * (int64_t)l->n - 1);
    long n1, n2;
    while (!gf_cpu_long_splits(m, &n1, &n2))
        m = gf_plan_smooth_length(m + 1);
    struct gf_cpu_long *exact = NULL;
    double *x = NULL;
    int rc = gf_cpu_long_plan(m, l->kernels, l->threads, &l->convolution);
    if (rc)
        return rc;
    const struct gf_cpu_kernels *twice = gf_cpu_kernels_find(64, l->kernels->isa);
    if ((rc = gf_cpu_long_plan(m, twice, l->threads, &exact)))
        goto out;
    l->chirp = new_table(bits, l->n);
    l->spectrum = new_table(bits, m);
    l->padded = new_table(bits, m);
    x = new_table(64, m);
    if (!l->chirp || !l->spectrum || !l->padded || !x) {
        rc = gf_fail(GF_ENOMEM, "no memory for tables");
        goto out;
    }
    gf_cpu_roots(l->chirp, bits, 2 * (int64_t)l->n, 0, false, l->n);
    gf_cpu_roots(x, 64, 2 * (int64_t)l->n, 0, true, l->n);
    memset(x + 2 * l->n, 0, (size_t)(m - l->n) * 2 * sizeof *x);
    for (long k = 1; k < l->n; k++)
        memcpy(x + 2 * (m - k), x + 2 * k, 2 * sizeof *x);
    if ((rc = gf_cpu_long_run(exact, x, x, false, 1.0 / (double)m)))
        goto out;
    for (int64_t i = 0; i < 2 * m; i++)
        if (bits == 32)
            ((float *)l->spectrum)[i] = (float)x[i];
        else
            ((double *)l->spectrum)[i] = x[i];
out:
    gf_free(x);
    gf_cpu_long_free(exact);
    return rc;
}

int gf_cpu_long_plan(long n, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_long **out) {
    struct gf_cpu_long *l = calloc(1, sizeof *l);
    if (!l)
        return gf_fail(GF_ENOMEM, "no memory for the plan");
    l->n = n;
    l->kernels = kernels;
    l->threads = threads;
    int rc = gf_cpu_long_splits(n, &l->n1, &l->n2) ? plan_split(l) : plan_chirp(l);
    if (rc) {
        gf_cpu_long_free(l);
        return rc;
    }
    *out = l;
    return 0;
}

void gf_cpu_long_free(struct gf_cpu_long *l) {
    if (!l)
        return;
    gf_cpu_line_free(l->line1);
    gf_cpu_line_free(l->line2);
    for (int i = 0; i < 3; i++)
        gf_free(l->tables[i]);
    gf_free(l->work);
    gf_free(l->scratch);
    gf_cpu_long_free(l->convolution);
    gf_free(l->chirp);
    gf_free(l->spectrum);
    gf_free(l->padded);
    free(l);
}

int64_t gf_cpu_long_bytes(const struct gf_cpu_long *l) {
    int64_t tables = (int64_t)complex_size(l) * 2 * l->n;
    if (l->convolution)
        return gf_cpu_long_bytes(l->convolution) + tables * 3;
    return l->work_bytes + (int64_t)l->scratch_bytes * l->threads;
}

static void run_pass(const struct gf_cpu_long *l, const struct gf_cpu_pass *pass) {
    long tiles = gf_cpu_tiles(l->kernels, pass);
#pragma omp parallel num_threads(l->threads) if (l->threads > 1 && l->n > WORTH_A_TEAM)
    {
        struct gf_cpu_stats ignored = {0};
        char *scratch = l->scratch + (size_t)omp_get_thread_num() * l->scratch_bytes;
#pragma omp for schedule(dynamic)
        for (long i = 0; i < tiles; i++)
            l->kernels->run(pass, i, scratch, &ignored);
    }
}

/* y = x f over n points, a thread a share. */
static void multiply(const struct gf_cpu_long *l, const void *x, const void *f, void *y,
                     bool swap_before, bool swap_after, long n) {
    enum { SHARE = 1 << 12 };
#pragma omp parallel for num_threads(l->threads) if (l->threads > 1 && n > WORTH_A_TEAM)
    for (long k = 0; k < n; k += SHARE)
        l->kernels->multiply(x, f, y, swap_before, swap_after, k, k + SHARE < n ? k + SHARE : n);
}

static int run_chirp(struct gf_cpu_long *l, const void *in, void *out, bool inverse,
                     double factor) {
    const size_t size = complex_size(l);
    struct gf_cpu_long *conv = l->convolution;
    multiply(l, in, l->chirp, l->padded, inverse, false, l->n);
    memset(l->padded + (size_t)l->n * size, 0, (size_t)(conv->n - l->n) * size);
    int rc = gf_cpu_long_run(conv, l->padded, l->padded, false, 1);
    if (rc)
        return rc;
    multiply(l, l->padded, l->spectrum, l->padded, false, false, conv->n);
    if ((rc = gf_cpu_long_run(conv, l->padded, l->padded, true, factor)))
        return rc;
    multiply(l, l->padded, l->chirp, out, false, inverse, l->n);
    return 0;
}

int gf_cpu_long_run(struct gf_cpu_long *l, const void *in, void *out, bool inverse, double factor) {
    if (l->convolution)
        return run_chirp(l, in, out, inverse, factor);
    if (!l->work)
        l->work = gf_alloc((size_t)l->work_bytes);
    if (!l->scratch)
        l->scratch = gf_alloc(l->scratch_bytes * (size_t)l->threads);
    if (!l->work || !l->scratch)
        return gf_fail(GF_ENOMEM, "no memory for a workspace of %lld bytes",
                       (long long)l->work_bytes);
    int lanes = l->kernels->lanes;
    if (l->twist.all && l->n <= WORTH_A_TEAM && l->n1 % lanes == 0 && l->n2 % lanes == 0) {
        struct gf_cpu_split s = {l->n1, l->n2, l->line1, l->line2, &l->twist};
        l->kernels->split(&s, in, out, inverse, factor, l->work, l->scratch);
        return 0;
    }
    struct gf_cpu_pass pass[2];
    set_passes(l, in, out, inverse, factor, pass);
    run_pass(l, &pass[0]);
    run_pass(l, &pass[1]);
    return 0;
}
