/* The right answer: all of it by another run in double precision, and a few values of it by the
 * definition, in long double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/log.h"
#include "core/status.h"

/* Errors above this many times the promised bound are no rounding any more. */
enum { TOLERANCE = 4 };

static double limit_of(const struct gf_bench_case *c, enum gf_precision p) {
    struct gf_lab lab = {.precision = p};
    return TOLERANCE * gf_lab_bound(&lab, gf_lab_points(&c->shape));
}

/* exp(sign 2 pi i j k / n) for all k, re and im. */
static void waves(int64_t n, int64_t j, int sign, long double *w) {
    const long double turn = 2 * 3.14159265358979323846264338327950288L;
    for (int64_t k = 0, at = 0; k < n; k++, at = (at + j) % n) {
        long double angle = turn * (long double)at / (long double)n;
        w[2 * k] = cosl(angle);
        w[2 * k + 1] = sign * sinl(angle);
    }
}

/* One output value by its definition: position j of the full output, from the whole input. */
static void sum(const struct gf_bench_case *c, const struct gf_array *in, const int64_t j[3],
                long double *const w[3], const int64_t n[3], long double *re, long double *im) {
    int64_t width = in->shape[c->shape.ndim - 1];
    int sign = c->job.direction == GF_FORWARD ? -1 : 1;
    bool half = c->kind == GF_BENCH_C2R;
    long double sum_re = 0, sum_im = 0;
    for (int a = 0; a < 3; a++)
        waves(n[a], j[a], sign, w[a]);
#pragma omp parallel for reduction(+ : sum_re, sum_im) schedule(static)
    for (int64_t r = 0; r < n[0] * n[1]; r++) {
        const long double *p = w[0] + 2 * (r / n[1]), *q = w[1] + 2 * (r % n[1]), *t = w[2];
        long double row_re = 0, row_im = 0;
        for (int64_t x = 0; x < width; x++) {
            double v_re, v_im;
            /* What half a spectrum leaves out are the conjugates: twice the real part. */
            int times = half && x && 2 * x != n[2] ? 2 : 1;
            gf_bench_get(in, r * width + x, &v_re, &v_im);
            row_re += times * (v_re * t[2 * x] - v_im * t[2 * x + 1]);
            row_im += times * (v_re * t[2 * x + 1] + v_im * t[2 * x]);
        }
        long double f_re = p[0] * q[0] - p[1] * q[1], f_im = p[0] * q[1] + p[1] * q[0];
        if (half && 0) {
        }
        sum_re += row_re * f_re - row_im * f_im;
        sum_im += row_re * f_im + row_im * f_re;
    }
    *re = sum_re;
    *im = half ? 0 : sum_im;
}
