/* Single samples as doubles, and conversions of whole arrays made of them. */
#include "core/base/value/halves.h"
#include "core/base/value/sample_value.h"

#include <math.h>

#include "core/base/value/sample_run.h"

const double gf_luma_weight[3] = {0.2126, 0.7152, 0.0722};

void gf_sample_luma(const char *p, enum gf_dtype t, int64_t next, int64_t step, int64_t n,
                    double *luma, double *one) {
    memset(luma, 0, (size_t)n * sizeof *luma);
    for (int c = 0; c < 3; c++) {
        gf_sample_run_read(p + c * next, t, step, n, one, NULL);
        for (int64_t i = 0; i < n; i++)
            luma[i] += gf_luma_weight[c] * one[i];
    }
}

double gf_sample_get(const void *p, enum gf_dtype t) {
    double re;
    gf_sample_run_read(p, t, 0, 1, &re, NULL);
    return re;
}

void gf_sample_put(void *p, enum gf_dtype t, double v) {
    const double zero = 0;
    if (gf_dtype_is_integer(t))
        gf_sample_run_round(t, 1, &v); /* NaN becomes the lower end */
    gf_sample_run_write(p, t, 0, 1, &v, &zero);
}

/* Calls `f` with the address of each sample of up to three arrays of one shape, in C order. */
typedef void sample_function(void *data, char *const sample[3]);

static void walk(const struct gf_array *const a[3], int axis, char *const start[3],
                 sample_function *f, void *data) {
    if (axis == a[0]->rank) {
        f(data, start);
        return;
    }
    char *sample[3] = {start[0], start[1], start[2]};
    for (int64_t i = 0; i < a[0]->shape[axis]; i++) {
        walk(a, axis + 1, sample, f, data);
        for (int k = 0; k < 3; k++)
            if (a[k])
                sample[k] += a[k]->stride[axis];
    }
}

static void walk_all(const struct gf_array *x, const struct gf_array *y, const struct gf_array *z,
                     sample_function *f, void *data) {
    const struct gf_array *const a[3] = {x, y, z};
    char *const start[3] = {x->data, y ? y->data : NULL, z ? z->data : NULL};
    walk(a, 0, start, f, data);
}

static void convert_one(void *data, char *const sample[3]) {
    const enum gf_dtype *t = data;
    gf_sample_put(sample[0], t[0], gf_sample_get(sample[1], t[1]));
}

void gf_samples_convert(struct gf_array *dst, const struct gf_array *src) {
    enum gf_dtype t[2] = {dst->dtype, src->dtype};
    walk_all(dst, src, NULL, convert_one, t);
}

struct mending {
    enum gf_dtype dtype;
    struct gf_samples_mean *of;
};

static void sum_one(void *data, char *const sample[3]) {
    struct mending *m = data;
    double re, im;
    gf_sample_run_read(sample[0], m->dtype, 0, 1, &re, &im);
    if (!isfinite(re) || !isfinite(im))
        return;
    m->of->sum[0] += re;
    m->of->sum[1] += im;
    m->of->count++;
}

static void mend_one(void *data, char *const sample[3]) {
    struct mending *m = data;
    const double n = m->of->count ? (double)m->of->count : 1;
    double re, im;
    gf_sample_run_read(sample[0], m->dtype, 0, 1, &re, &im);
    if (isfinite(re) && isfinite(im))
        return;
    re = m->of->sum[0] / n;
    im = m->of->sum[1] / n;
    gf_sample_run_write(sample[0], m->dtype, 0, 1, &re, &im);
}

static void each_channel(const struct gf_array *a, sample_function *f,
                         struct gf_samples_mean *channel) {
    for (int64_t c = 0; c < a->shape[a->rank - 1]; c++) {
        const struct gf_array one = gf_array_index(a, a->rank - 1, c);
        walk_all(&one, NULL, NULL, f, &(struct mending){a->dtype, &channel[c]});
    }
}

void gf_samples_sum(const struct gf_array *a, struct gf_samples_mean *channel) {
    each_channel(a, sum_one, channel);
}

void gf_samples_fill(struct gf_array *a, struct gf_samples_mean *channel) {
    each_channel(a, mend_one, channel);
}

void gf_samples_mend(struct gf_array *a, bool with_mean) {
    for (int64_t c = 0; c < a->shape[a->rank - 1]; c++) {
        struct gf_array one = gf_array_slice(a, a->rank - 1, c, 1);
        struct gf_samples_mean mean = {.count = 0};
        if (with_mean)
            gf_samples_sum(&one, &mean);
        gf_samples_fill(&one, &mean);
    }
}

static void polar_one(void *data, char *const sample[3]) {
    const enum gf_dtype *t = data;
    double r = gf_sample_get(sample[1], t[1]), angle = gf_sample_get(sample[2], t[2]);
    const double re = r * cos(angle), im = r * sin(angle);
    gf_sample_run_write(sample[0], t[0], 0, 1, &re, &im);
}

void gf_samples_polar(struct gf_array *dst, const struct gf_array *magnitude,
                      const struct gf_array *phase) {
    enum gf_dtype t[3] = {dst->dtype, magnitude->dtype, phase->dtype};
    walk_all(dst, magnitude, phase, polar_one, t);
}

void gf_samples_noise(struct gf_array *a) {
    const bool is_double = a->dtype == GF_F64 || a->dtype == GF_C128;
    const int64_t word = gf_dtype_is_integer(a->dtype) ? 1 : is_double ? 8 : 4;
    uint32_t state = 1;
    for (int64_t i = 0, n = gf_array_bytes(a) / word; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        const double v = (double)(state >> 8) * 0x1p-24 - 0.5;
        if (word == 1)
            ((unsigned char *)a->data)[i] = (unsigned char)(state >> 24);
        else
            gf_real_put(a->data, i, is_double, v);
    }
}
