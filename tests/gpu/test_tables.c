/* Tables of GPU plans: their values against sums in long double, and what planning a long prime
 * costs. No device is touched. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/value/array.h"
#include "core/base/value/factor.h"
#include "core/base/value/status.h"
#include "core/base/job/part_job.h"
#include "core/filter/filter.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/plan/plan_builder.h"
#include "core/gpu/plan/tables.h"
#include "kernels/cpu/exact.h"
#include "kernels/cpu/root.h"
#include "tests/core/backends.h"
#include "tests/gpu/gpu_jobs.h"
#include "tests/test.h"

/* Largest distance of component i of the table from re, im. */
static double off(const double *v, int64_t i, long double re, long double im) {
    return (double)fmaxl(fabsl(v[2 * i] - re), fabsl(v[2 * i + 1] - im));
}

static void test_roots(void) {
    static const uint64_t lengths[] = {1, 2, 3, 100, 4096, 33554426, 67108864, (uint64_t)1 << 40};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const uint64_t n = lengths[i];
        struct gf_roots r;
        double worst = 0;
        CHECK(gf_roots_make(&r, n));
        for (uint64_t j = 0; j < 1000; j++) {
            uint64_t k = (uint64_t)((unsigned __int128)j * 0x9e3779b97f4a7c15u % n);
            long double a, b, c, d;
            gf_roots_at(&r, k, &a, &b);
            gf_root_of_unity(k, n, &c, &d);
            worst = fmax(worst, (double)fmaxl(fabsl(a - c), fabsl(b - d)));
        }
        CHECK_MSG(worst < 4e-19, "roots of %llu: %.2g", (unsigned long long)n, worst);
        gf_roots_free(&r);
    }
    for (uint64_t n = 1; n < 1030;
         n += n < 40 ? 1 : 11) { /* the same bits, also when asked again */
        struct gf_root_eighth e;
        int64_t differ = 0;
        CHECK(gf_root_eighth_make(&e, n));
        for (uint64_t k = 0; k < 2 * n + 3; k++) {
            long double a, b, c, d;
            gf_root_eighth_get(&e, k, &a, &b);
            gf_root_of_unity(k, n, &c, &d);
            differ += a != c || b != d;
        }
        CHECK_EQ(differ, 0);
        gf_root_eighth_free(&e);
    }
    CHECK_EQ(gf_square_mod(4294967296u, 1000003),
             (int64_t)4294967296 % 1000003 * (4294967296 % 1000003) % 1000003);
    CHECK_EQ(gf_square_mod(16777212, 2 * 16777213), 16777214); /* (p - 1)^2 = p + 1 mod 2 p */
}

/* The definition at a few frequencies. */
static void test_transform(int64_t n) {
    long double *x = malloc((size_t)n * 2 * sizeof *x), *copy = malloc((size_t)n * 2 * sizeof *x);
    double *y = malloc((size_t)n * 2 * sizeof *y), *in = malloc((size_t)n * 2 * sizeof *in);
    double *z = malloc((size_t)n * 2 * sizeof *z), worst = 0, coarse = 0;
    for (int64_t i = 0; i < 2 * n; i++)
        copy[i] = x[i] = in[i] = (double)(i * i % 101) / 101 - 0.5;
    CHECK(gf_exact_transform(x, n, 1, y, 64) && gf_double_transform(in, n, 1, z, 64));
    for (int64_t k = 0; k < n; k += 1 + n / 30) {
        long double re = 0, im = 0, a, b;
        for (int64_t j = 0; j < n; j++) {
            gf_root_of_unity((uint64_t)(j * k), (uint64_t)n, &a, &b);
            re += copy[2 * j] * a - copy[2 * j + 1] * b;
            im += copy[2 * j] * b + copy[2 * j + 1] * a;
        }
        worst = fmax(worst, off(y, k, re, im) / (1 + hypot(y[2 * k], y[2 * k + 1])));
        coarse = fmax(coarse, off(z, k, re, im));
    }
    double size = sqrt((double)n);
    CHECK_MSG(worst < 1.3e-16, "%lld points in long double: %.2g", (long long)n, worst);
    CHECK_MSG(coarse < 4e-15 * size, "%lld points in double: %.2g", (long long)n, coarse / size);
    free(x), free(copy), free(y), free(in), free(z);
}

/* All kinds of tables, in double: what the names in tables.h say. */
static void test_values(void) {
    enum { N = 1009, POINTS = 2048, LINES_EACH = 77 };
    const struct gf_gpu_tile tile = {.length = 256, .points = 256, .stages = 2, .radix = {16, 16}};
    struct gf_gpu_tables t = {0};
    int64_t low, chirp = gf_gpu_table_chirp(&t, N, -1),
                 split = gf_gpu_table_split(&t, 1 << 20, 10, &low), steps = 0,
                 lines = gf_gpu_table_lines(&t, &tile, LINES_EACH, &steps);
    int64_t at = gf_gpu_table_spectrum(&t, GF_GPU_BLUESTEIN, N, POINTS, 1);
    int64_t rader = gf_gpu_table_spectrum(&t, GF_GPU_RADER, N, N - 1, 1);
    int64_t order = gf_gpu_table_order(&t, N, N), count = t.count;
    CHECK(chirp >= 0 && lines >= 0 && split >= 0 && low >= 0 && at >= 0 && rader >= 0 &&
          order >= 0);
    CHECK_EQ(gf_gpu_table_chirp(&t, N, -1), chirp); /* each once */
    CHECK_EQ(t.count, count);
    double *v = malloc((size_t)t.count * 16), worst = 0, sum[2] = {0, 0};
    int32_t *o = malloc((size_t)t.order_count * 4);
    CHECK_EQ(gf_gpu_tables_fill(&t, GF_DOUBLE, v, o), 0);
    for (int64_t k = 0; k < N; k++) {
        long double re, im;
        gf_root_of_unity((uint64_t)(k * k), 2 * N, &re, &im);
        worst = fmax(worst, off(v + 2 * chirp, k, re, -im));
        gf_root_of_unity((uint64_t)(k << 10), 1 << 20, &re, &im);
        worst = fmax(worst, off(v + 2 * split, k, re, im));
        gf_root_of_unity((uint64_t)k, 1 << 20, &re, &im);
        worst = fmax(worst, off(v + 2 * low, k, re, im));
    }
    for (int64_t i = 0; i < 16 * LINES_EACH; i++) { /* rows of results, and of steps of 16 */
        const uint64_t k = (uint64_t)(i / LINES_EACH * (i % LINES_EACH)), n = 256 * LINES_EACH;
        long double re, im;
        gf_root_of_unity(k, n, &re, &im);
        worst = fmax(worst, off(v + 2 * lines, i, re, im));
        gf_root_of_unity(16 * k, n, &re, &im);
        worst = fmax(worst, off(v + 2 * steps, i, re, im));
    }
    CHECK_MSG(worst < 6e-17, "chirp, split and lines: %.2g", worst);
    /* Entry 0 of the convolution's kernel is 1; of Rader's the first root. */
    for (int64_t k = 0; k < POINTS; k++)
        sum[0] += v[2 * (at + k)];
    for (int64_t k = 0; k < N - 1; k++)
        sum[1] += v[2 * (rader + k)];
    CHECK_MSG(fabs(sum[0] - 1) < 1e-13, "Bluestein's kernel at 0: %.15g", sum[0]);
    CHECK_MSG(fabs(sum[1] - cos(6.283185307179586 / N)) < 1e-13, "Rader's at 0: %.15g", sum[1]);
    const int32_t *in = o + order, *out = in + N, *in_slot = out + N, *out_slot = in_slot + N;
    bool inverse = in[0] == 1 && out[0] == 1;
    for (int i = 0; i < N - 1; i++)
        inverse = inverse && in_slot[in[i]] == i && out_slot[out[i]] == i &&
                  (int64_t)in[i] * out[i] % N == 1;
    CHECK(inverse);
    free(v), free(o);
    gf_gpu_tables_free(&t);
}

/* Rader's order of 14 times 43 points: operands and results number the members' transforms, and those of
 * 43 points, so that neither needs twiddles of the other. */
static void test_members(void) {
    enum { PRIME = 43, MEMBERS = 14, N = PRIME * MEMBERS, G = 3 };
    const struct gf_gpu_tile tile = {.stages = 2,
                                     .radix = {7, 6},
                                     .members = MEMBERS,
                                     .member_stages = 2,
                                     .member_radix = {7, 2}};
    struct gf_gpu_tables t = {0};
    const int64_t stages = gf_gpu_table_stages(&t, &tile), at = gf_gpu_table_order(&t, N, PRIME);
    double *v = malloc((size_t)t.count * 16), worst = 0;
    int32_t *o = malloc((size_t)t.order_count * 4);
    CHECK_EQ(gf_gpu_tables_fill(&t, GF_DOUBLE, v, o), 0);
    for (int k = 0; k < 7; k++)
        worst = fmax(worst, off(v + 2 * stages, k, cosl(0.44879895051282760549L * k),
                                -sinl(0.44879895051282760549L * k)));
    CHECK_MSG(worst < 1e-15, "the members' twiddles: %.2g", worst);
    const int32_t *in = o + at, *out = in + N, *in_slot = out + N, *out_slot = in_slot + N;
    int64_t power = 1, wrong = 0;
    for (int i = 0; i < PRIME; i++, power = power * G % PRIME)
        for (int j = 0; j < MEMBERS; j++) {
            const int32_t from = in[j * PRIME + i], to = out[i * MEMBERS + j];
            const int64_t a = i < PRIME - 1 ? power : 0;
            wrong += from != (MEMBERS * a + PRIME * j) % N || in_slot[from] != j * PRIME + i;
            wrong += to % MEMBERS != j || out_slot[to] != i * MEMBERS + j;
            wrong += i < PRIME - 1 ? to % PRIME * a % PRIME != 1 : to % PRIME != 0;
        }
    CHECK_EQ(wrong, 0);
    free(v), free(o);
    gf_gpu_tables_free(&t);
}

/* Planning a long prime computes no table, and tells what they will take. */
static void test_long_prime(void) {
    enum { N = 16777213 };
    struct gf_job job = {.ndim = 1,
                         .shape = {N},
                         .channels = 1,
                         .axes = 1,
                         .in_dtype = GF_F32,
                         .n_out = 1,
                         .out = {{.kind = GF_COMPLEX, .dtype = GF_C64}}};
    struct gf_gpu_plan *p;
    gpu_make_devices();
    clock_t start = clock();
    CHECK_EQ(gf_gpu_plan_make(&job, &gpu_devices[0], &p), 0);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK_MSG(seconds < 1, "planning took %.2g s", seconds);
    int64_t points = gf_factor_smooth_length(2 * N - 1),
            bytes = gf_gpu_tables_bytes(&p->tables, GF_SINGLE);
    CHECK_MSG(bytes >= 8 * (N + points) + 16 * points && bytes < 8 * (N + points) + 17 * points,
              "%lld bytes for tables", (long long)bytes);
    CHECK(p->bytes[GF_GPU_TABLES] >= 8 * (N + points));
    gf_gpu_plan_free(p);
}

/* ---- filters of parts ---- */

/* Moving a part's filter makes one index of its passes begin `first` bins later, and changes nothing else. */
static void check_moved(int64_t pages, enum gf_gpu_pass_kind kind) {
    static const int64_t firsts[] = {5, 5, 17, 2, 0};
    const struct gf_lowpass low = {.profile = GF_BUTTERWORTH, .order = 2, .radius = {3, 4, 5}};
    const struct gf_job volume = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 3, pages, 24, 36);
    struct gf_job job = gf_part_lines(&volume, pages, 3, 19);
    struct gf_filter *f = NULL;
    struct gf_gpu_plan *p = NULL, was;
    NEED(!gf_filter_new(&f) && !gf_filter_add_lowpass(f, &low));
    job.op = GF_FILTER;
    job.lean = false;
    job.filter = f;
    job.filter_serial = f->serial;
    job.whole.axes = 7;
    memcpy(job.whole.shape, volume.shape, sizeof job.whole.shape);
    NEED(!gf_gpu_plan_make(&job, &gpu_devices[0], &p));
    was = *p;
    const int64_t at = was.filter.at[1];
    CHECK(p->filter_form == FILTER_FACTORS && at);
    for (int k = 0; k < 5; k++) {
        int moved = 0;
        gf_gpu_filter_move(p, 1, firsts[k]);
        for (int i = 0; i < p->n_passes; i++) {
            struct gf_gpu_pass expected = was.pass[i];
            for (int j = 0; j < expected.indices && expected.kind == GF_GPU_PASS_FILTER_AXIS; j++)
                if (expected.args.pass.index[j].filter == at) {
                    expected.args.pass.index[j].filter = at + firsts[k];
                    moved += kind == expected.kind;
                }
            if (expected.kind == GF_GPU_PASS_MULTIPLY) {
                expected.args.filter.filter.at[1] = at + firsts[k];
                moved += kind == expected.kind;
            }
            CHECK_MSG(!memcmp(&expected, &p->pass[i], sizeof expected), "pass %d, moved to %d", i,
                      (int)firsts[k]);
        }
        CHECK_EQ(moved, 1);
    }
    gf_gpu_plan_free(p);
    gf_filter_free(f);
}

int main(void) {
    static const int64_t lengths[] = {1,    2, 3, 8, 31, 96, 1000, 2310, 4096, 7 * 11 * 13 * 17,
                                      65536};
    RUN("roots of unity are exact to rounding", test_roots());
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        RUN(case_name("a table's transform of %lld points is its definition",
                      (long long)lengths[i]),
            test_transform(lengths[i]));
    RUN("tables have the values that their names say", test_values());
    RUN("Rader's order numbers the members' transforms", test_members());
    RUN("planning a long prime computes no table", test_long_prime());
    gpu_make_devices();
    RUN("a part's filter moves with its rows", check_moved(40, GF_GPU_PASS_FILTER_AXIS));
    RUN("a part's filter of long lines moves with its rows",
        check_moved(20011, GF_GPU_PASS_MULTIPLY));
    return TEST_END();
}
