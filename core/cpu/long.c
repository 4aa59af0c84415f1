/* One long line: its split in two, the twiddles between the halves, and the chirp convolution. */
#include "core/cpu/long.h"

#include <omp.h>
#include <stdlib.h>

#include "core/cpu/plan.h"
#include "core/base/value/factor.h"
#include "core/base/value/status.h"
#include "kernels/cpu/exact.h"
#include "kernels/cpu/root.h"

enum {
    WORTH_A_TEAM = 1 << 14, /* for fewer points waking a team costs more than it saves */
    CACHED_BYTES = 1 << 20, /* longer lines are written past the caches */
    MOST_SIDE = 1 << 16     /* points */
};

bool gf_cpu_long_splits(int64_t n, int64_t *n1, int64_t *n2) {
    if (n > (int64_t)MOST_SIDE * MOST_SIDE || gf_factor_radices(n).rest != 1)
        return false;
    /* Find the divisor closest to the square root, preferring multiples of 16, which fill the
     * lanes. */
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
    return best > 0 && *n1 <= MOST_SIDE && *n2 <= MOST_SIDE && *n1 >= 8 && *n2 >= 8;
}

static size_t complex_size(const struct gf_cpu_long *l) {
    return (size_t)l->kernels->bits / 4;
}

static void *new_table(int bits, int64_t count) {
    return gf_alloc((size_t)count * (size_t)bits / 4);
}

/* Tabulates exp(-2 pi i k1 (step i) / n), i < count, as [block of k1][i][re|im][k1]. */
static void *lane_table(const struct gf_cpu_long *l, const struct gf_roots *r, int64_t step,
                        int64_t count) {
    const int bits = l->kernels->bits, lanes = l->kernels->lanes;
    int64_t lines = gf_divide_up(l->n1, lanes) * lanes;
    char *table = new_table(bits, lines * count);
    for (int64_t k1 = 0; table && k1 < lines; k1++)
        for (int64_t i = 0; i < count; i++) {
            long double re, im;
            gf_roots_at(r, (uint64_t)k1 * (uint64_t)step * (uint64_t)i % r->n, &re, &im);
            int64_t at = ((k1 / lanes * count + i) * 2) * lanes + k1 % lanes;
            gf_cpu_put_real(table, bits, at, re);
            gf_cpu_put_real(table, bits, at + lanes, im);
        }
    return table;
}

/* Builds exp(-2 pi i k1 i2 / n) for the second pass: one table if it fits the nearest caches, else
 * two whose products are the twiddles. */
static int plan_twist(struct gf_cpu_long *l) {
    struct gf_cpu_twist *t = &l->twist;
    struct gf_roots r;
    int rc = 0;
    if (!gf_roots_make(&r, (uint64_t)l->n))
        return gf_no_memory();
    if (l->n <= WORTH_A_TEAM) {
        t->all = l->tables[0] = lane_table(l, &r, 1, l->n2);
    } else {
        for (t->chunk = 8; t->chunk * t->chunk < l->n2;)
            t->chunk *= 2;
        t->n_coarse = gf_divide_up(l->n2, t->chunk);
        t->fine = l->tables[0] = lane_table(l, &r, 1, t->chunk);
        t->coarse = l->tables[1] = lane_table(l, &r, t->chunk, t->n_coarse);
    }
    if (!l->tables[0] || (!t->all && !l->tables[1]))
        rc = gf_no_memory();
    gf_roots_free(&r);
    return rc;
}

static struct gf_cpu_axis plain_axis(int64_t n, ptrdiff_t stride) {
    return (struct gf_cpu_axis){.n = n, .stride = stride};
}

/* Pass 0 transforms lines i2 over i1, from the samples to blocks of i2 in which k1 is contiguous.
 * Pass 1 multiplies by the twiddles and transforms lines k1 over i2, to frequencies k1 + n1 k2. */
static void set_passes(const struct gf_cpu_long *l, void *workspace, const void *in, void *out,
                       bool inverse, double factor, struct gf_cpu_pass_args pass[2]) {
    const ptrdiff_t size = (ptrdiff_t)complex_size(l);
    const enum gf_cpu_sample type = l->kernels->bits == 32 ? GF_CPU_C64 : GF_CPU_C128;
    const ptrdiff_t block = l->kernels->lanes * size, column = (l->n1 | 1) * block;
    struct gf_cpu_end work = {.type = GF_CPU_WORK, .data = workspace};
    work.outer[0] = work.outer[1] = plain_axis(1, 0);
    struct gf_cpu_end array = {.type = type,
                               .half_axis = GF_CPU_HALF_OUTER,
                               .value = GF_CPU_COMPLEX,
                               .factor = factor,
                               .gain = 1,
                               .stream = l->n * size > CACHED_BYTES};
    array.outer[0] = array.outer[1] = plain_axis(1, 0);
    pass[0] = (struct gf_cpu_pass_args){.line = l->line1,
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
    /* The other pass reads it again from the last-level cache. */
    pass[0].destination.stream = array.stream && l->work_bytes > gf_cpu_last_cache_share();
    pass[1] = (struct gf_cpu_pass_args){.twist = &l->twist,
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

/* A line that stays in the last-level cache needs no tiles if its length suits the lanes. Measured:
 * 2^20 complex points take 0.76 of the time, 2^20 real ones 0.6. */
static int plan_split(struct gf_cpu_long *l) {
    enum { LEAST_TEAM = 1 << 12, MOST_BYTES = 1 << 23 };
    if (l->n * (int64_t)complex_size(l) > MOST_BYTES)
        return 0;
    if (!gf_cpu_row_plan(l->n, l->kernels, true, &l->rows))
        return gf_no_memory();
    if (!l->rows)
        return 0;
    l->n1 = l->rows->line->n;
    l->n2 = l->rows->block;
    l->work_bytes = gf_cpu_split_bytes(l->rows, l->kernels->lanes, l->kernels->bits);
    if (l->threads > 1 && l->n >= LEAST_TEAM) {
        gf_cpu_ways_add(&l->ways, l->n > WORTH_A_TEAM ? GF_CPU_TEAM : 0);
        gf_cpu_ways_add(&l->ways, l->n > WORTH_A_TEAM ? 0 : GF_CPU_TEAM);
    }
    return 0;
}

static int plan_tiles(struct gf_cpu_long *l) {
    l->line1 = gf_cpu_line_plan(l->n1, l->kernels->bits);
    l->line2 = gf_cpu_line_plan(l->n2, l->kernels->bits);
    if (!l->line1 || !l->line2)
        return gf_no_memory();
    struct gf_cpu_pass_args pass[2];
    set_passes(l, NULL, NULL, NULL, false, 1, pass);
    for (int i = 0; i < 2; i++) {
        size_t bytes = gf_cpu_scratch_bytes(l->kernels, &pass[i]);
        bytes = (bytes + 4095) / 4096 * 4096 + 128;
        l->scratch_bytes = bytes > l->scratch_bytes ? bytes : l->scratch_bytes;
    }
    int64_t blocks = gf_divide_up(l->n2, l->kernels->lanes);
    l->work_bytes = (int64_t)blocks * (l->n1 | 1) * l->kernels->lanes * (int64_t)complex_size(l);
    const int64_t touched = 2 * l->n * (int64_t)complex_size(l) + l->work_bytes;
    l->stays = touched <= 4 * gf_cpu_cache_share() * l->threads;
    return plan_twist(l);
}

/* Plans X[k] = w[k] sum_j x[j] w[j] conj(w[k - j]), w[k] = exp(-pi i k^2 / n). The spectrum of the
 * conjugated chirp is computed in double, in no more workspace than the first run uses. */
static int plan_chirp(struct gf_cpu_long *l) {
    const int bits = l->kernels->bits;
    int64_t m = gf_factor_smooth_length(2 * (int64_t)l->n - 1), twice = 2 * (int64_t)l->n;
    int64_t n1, n2;
    while (m <= (int64_t)MOST_SIDE * MOST_SIDE && !gf_cpu_long_splits(m, &n1, &n2))
        m = gf_factor_smooth_length(m + 1);
    if (m > (int64_t)MOST_SIDE * MOST_SIDE)
        return gf_fail(GF_ENOMEM,
                       "no memory for the tables of %lld points, which have a prime factor "
                       "above %d",
                       (long long)l->n, GF_MAX_RADIX);
    int rc = gf_cpu_long_plan(m, l->kernels, l->threads, &l->convolution);
    if (rc)
        return rc;
    double *x = new_table(64, m);
    l->chirp = new_table(bits, l->n);
    l->spectrum = new_table(bits, m);
    bool ok = l->chirp && l->spectrum && x && gf_cpu_roots(l->chirp, bits, twice, 0, false, l->n) &&
              gf_cpu_roots(x, 64, twice, 0, true, l->n);
    if (ok) {
        for (int64_t i = 2 * l->n; i < 2 * (m - l->n + 1); i++)
            x[i] = 0;
#pragma omp parallel for num_threads(l->threads)
        for (int64_t k = 1; k < l->n; k++)
            memcpy(x + 2 * (m - k), x + 2 * k, 2 * sizeof *x);
        ok = gf_double_transform(x, m, 1.0 / (double)m, l->spectrum, bits);
    }
    gf_free(x);
    return ok ? 0 : gf_no_memory();
}

int gf_cpu_long_plan(int64_t n, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_long **out) {
    struct gf_cpu_long *l = calloc(1, sizeof *l);
    if (!l)
        return gf_no_memory();
    l->n = n;
    l->kernels = kernels;
    l->threads = threads;
    const bool few =
        n <= (int64_t)kernels->lanes * kernels->lanes && gf_cpu_row_block(n, kernels->lanes);
    const bool smooth = gf_cpu_long_splits(n, &l->n1, &l->n2) || few;
    int rc = smooth ? plan_split(l) : plan_chirp(l);
    if (!rc && smooth && !l->rows)
        rc = plan_tiles(l);
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
    gf_cpu_row_free(l->rows);
    gf_cpu_line_free(l->line1);
    gf_cpu_line_free(l->line2);
    for (int i = 0; i < 2; i++)
        gf_free(l->tables[i]);
    gf_cpu_long_free(l->convolution);
    gf_free(l->chirp);
    gf_free(l->spectrum);
    free(l);
}

void gf_cpu_long_memory_free(struct gf_cpu_long_memory *m) {
    gf_free(m->padded);
    gf_free(m->work);
    gf_free(m->scratch);
}

int64_t gf_cpu_long_bytes(const struct gf_cpu_long *l) {
    int64_t tables = (int64_t)complex_size(l) * 2 * l->n;
    if (l->convolution)
        return gf_cpu_long_bytes(l->convolution) + tables * 3;
    return l->work_bytes + (int64_t)l->scratch_bytes * l->threads;
}

/* Runs both passes in one team. */
static void run_passes(const struct gf_cpu_long *l, char *scratches,
                       const struct gf_cpu_pass_args pass[2]) {
#pragma omp parallel num_threads(l->threads) if (l->threads > 1 && l->n > WORTH_A_TEAM)
    {
        struct gf_cpu_stats ignored = {0};
        char *scratch = scratches + (size_t)omp_get_thread_num() * l->scratch_bytes;
        for (int p = 0; p < 2; p++) {
            int64_t tiles = gf_cpu_tiles(l->kernels, &pass[p]);
            if (l->stays) {
#pragma omp for schedule(static)
                for (int64_t i = 0; i < tiles; i++)
                    l->kernels->run(&pass[p], i, scratch, &ignored);
            } else {
#pragma omp for schedule(dynamic)
                for (int64_t i = 0; i < tiles; i++)
                    l->kernels->run(&pass[p], i, scratch, &ignored);
            }
        }
    }
}

void gf_cpu_long_share_halves(const struct gf_cpu_long *l, const struct gf_cpu_halves *h,
                              bool packs) {
    enum { AT_ONCE = 256 };
    const int64_t blocks = gf_cpu_halves_blocks(h->m, l->kernels->lanes);
#pragma omp for schedule(static)
    for (int64_t i = 0; i < blocks; i += AT_ONCE)
        (packs ? l->kernels->pack : l->kernels->unpack)(h, i, i + AT_ONCE);
}

static void run_team(const struct gf_cpu_long *l, const struct gf_cpu_split *s) {
    const int64_t parts[2] = {gf_cpu_split_parts(s->rows, false),
                              gf_cpu_split_parts(s->rows, true)};
#pragma omp parallel num_threads(l->threads)
    {
        if (s->halves && s->inverse)
            gf_cpu_long_share_halves(l, s->halves, true);
        for (int half = 0; half < 2; half++) {
#pragma omp for schedule(static)
            for (int64_t i = 0; i < parts[half]; i++)
                l->kernels->split(s, half, i, i + 1);
        }
        if (s->halves && !s->inverse)
            gf_cpu_long_share_halves(l, s->halves, false);
    }
}

int gf_cpu_long_allocate(const struct gf_cpu_long *l, struct gf_cpu_long_memory *m) {
    if (!m->work)
        m->work = gf_alloc((size_t)l->work_bytes);
    if (!l->rows && !m->scratch)
        m->scratch = gf_alloc(l->scratch_bytes * (size_t)l->threads);
    if (!m->work || (!l->rows && !m->scratch))
        return gf_fail(GF_ENOMEM, "no memory for a workspace of %lld bytes",
                       (long long)l->work_bytes);
    return 0;
}

int gf_cpu_long_run_split(const struct gf_cpu_long *l, struct gf_cpu_long_memory *m,
                          struct gf_cpu_split *s) {
    const int rc = gf_cpu_long_allocate(l, m);
    if (rc)
        return rc;
    if (!m->ways.n)
        m->ways = l->ways;
    const unsigned way = m->ways.n ? gf_cpu_ways_begin(&m->ways) : 0;
    s->rows = l->rows;
    s->work = m->work;
    if (way & GF_CPU_TEAM)
        run_team(l, s);
    else
        l->kernels->line(s);
    if (m->ways.n)
        gf_cpu_ways_end(&m->ways);
    return 0;
}

/* Computes y = x f over n points, shared by the threads. */
static void multiply(const struct gf_cpu_long *l, const void *x, const void *f, void *y,
                     bool swap_before, bool swap_after, int64_t n) {
    enum { SHARE = 1 << 12 };
#pragma omp parallel for num_threads(l->threads) if (l->threads > 1 && n > WORTH_A_TEAM)
    for (int64_t k = 0; k < n; k += SHARE)
        l->kernels->multiply(x, f, y, swap_before, swap_after, k, k + SHARE < n ? k + SHARE : n);
}

static int run_chirp(const struct gf_cpu_long *l, struct gf_cpu_long_memory *m, const void *in,
                     void *out, bool inverse, double factor) {
    const size_t size = complex_size(l);
    const struct gf_cpu_long *conv = l->convolution;
    if (!m->padded)
        m->padded = new_table(l->kernels->bits, conv->n);
    if (!m->padded)
        return gf_fail(GF_ENOMEM, "no memory for a workspace of %lld points", (long long)conv->n);
    multiply(l, in, l->chirp, m->padded, inverse, false, l->n);
    memset(m->padded + (size_t)l->n * size, 0, (size_t)(conv->n - l->n) * size);
    int rc = gf_cpu_long_run(conv, m, m->padded, m->padded, false, 1);
    if (rc)
        return rc;
    multiply(l, m->padded, l->spectrum, m->padded, false, false, conv->n);
    if ((rc = gf_cpu_long_run(conv, m, m->padded, m->padded, true, factor)))
        return rc;
    multiply(l, m->padded, l->chirp, out, false, inverse, l->n);
    return 0;
}

int gf_cpu_long_run(const struct gf_cpu_long *l, struct gf_cpu_long_memory *m, const void *in,
                    void *out, bool inverse, double factor) {
    if (l->convolution)
        return run_chirp(l, m, in, out, inverse, factor);
    if (l->rows)
        return gf_cpu_long_run_split(
            l, m,
            &(struct gf_cpu_split){.in = in, .out = out, .inverse = inverse, .factor = factor});
    const int rc = gf_cpu_long_allocate(l, m);
    if (rc)
        return rc;
    struct gf_cpu_pass_args pass[2];
    set_passes(l, m->work, in, out, inverse, factor, pass);
    run_passes(l, m->scratch, pass);
    return 0;
}
