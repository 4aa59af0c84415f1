/* Inputs of the bench's cases: random samples in each kind's type, made once for a case. */
#include "cli/bench/bench.h"

/* Finaliser of SplitMix64: a good hash of a counter, so that any thread can make any sample. */
uint64_t gf_bench_hash(uint64_t i) {
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double noise(int64_t i) {
    return (double)(gf_bench_hash((uint64_t)i) >> 40) / (1 << 24) - 0.5;
}

void gf_bench_get(const struct gf_array *a, int64_t i, double *re, double *im) {
    bool pairs = gf_dtype_is_complex(a->dtype);
    int64_t at = pairs ? 2 * i : i;
    if (a->dtype == GF_U8) {
        *re = ((const unsigned char *)a->data)[i];
        *im = 0;
    } else if (gf_dtype_real(a->dtype) == GF_F32) {
        *re = ((const float *)a->data)[at];
        *im = pairs ? ((const float *)a->data)[at + 1] : 0;
    } else {
        *re = ((const double *)a->data)[at];
        *im = pairs ? ((const double *)a->data)[at + 1] : 0;
    }
}

static void set(struct gf_array *a, int64_t i, double re, double im) {
    if (a->dtype == GF_C64) {
        ((float *)a->data)[2 * i] = (float)re;
        ((float *)a->data)[2 * i + 1] = (float)im;
    } else {
        ((double *)a->data)[2 * i] = re;
        ((double *)a->data)[2 * i + 1] = im;
    }
}

/* Element i of all, and its mirror image by the transformed axes; true where the halved one has its
 * own mirror image, which only the others tell apart then. */
static bool mirror(const struct gf_bench_case *c, const int64_t extent[3], int64_t i, int64_t *m) {
    int64_t rest = i, step = 1;
    int d = c->shape.ndim, halved = gf_job_half_axis(&c->job);
    bool own = true;
    *m = 0;
    for (int a = d - 1; a >= 0; a--, step *= extent[a + 1]) {
        int64_t n = c->shape.n[a], k = rest % extent[a], other = k;
        rest /= extent[a];
        if (a == halved)
            own = !k || 2 * k == n;
        else if (c->job.axes >> a & 1)
            other = (n - k) % n;
        *m += other * step;
    }
    return own;
}

/* On planes of the halved axis that are their own mirror images, the other axes still mirror each other. */
static void make_hermitian(const struct gf_bench_case *c, struct gf_array *a) {
    int64_t count = gf_array_count(a);
#pragma omp parallel for schedule(static) /* what is read is never written */
    for (int64_t i = 0; i < count; i++) {
        double re, im;
        int64_t m;
        if (!mirror(c, a->shape, i, &m))
            continue;
        gf_bench_get(a, m, &re, &im);
        if (m == i)
            set(a, i, re, 0);
        else if (m < i)
            set(a, i, re, -im);
    }
}

void gf_bench_fill(const struct gf_bench_case *c, struct gf_array *a) {
    int64_t count = gf_array_count(a) * (gf_dtype_is_complex(a->dtype) ? 2 : 1);
    bool narrow = gf_dtype_real(a->dtype) == GF_F32;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++) {
        if (a->dtype == GF_U8)
            ((unsigned char *)a->data)[i] = (unsigned char)(gf_bench_hash((uint64_t)i) >> 56);
        else if (narrow)
            ((float *)a->data)[i] = (float)noise(i);
        else
            ((double *)a->data)[i] = noise(i);
    }
    if (c->kind == GF_BENCH_C2R)
        make_hermitian(c, a);
}
