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

/* ---- arrays, in runs along their rows ---- */

enum { RUN = 512 };

static void read_run(const struct gf_array *rows, int64_t at, int64_t n, double *re, double *im) {
    gf_sample_run_read(gf_array_at(rows, at), rows->dtype, rows->stride[rows->rank - 1], n, re, im);
}

static void write_run(const struct gf_array *rows, int64_t at, int64_t n, const double *re,
                      const double *im) {
    gf_sample_run_write(gf_array_at(rows, at), rows->dtype, rows->stride[rows->rank - 1], n, re,
                        im);
}

void gf_samples_convert(struct gf_array *dst, const struct gf_array *src) {
    static const double zeros[RUN];
    struct gf_array rows[2];
    double v[RUN];
    gf_array_rows((const struct gf_array *const[]){dst, src}, 2, rows);
    for (int64_t at = 0, n; at < gf_array_count(src); at += n) {
        n = gf_array_run(&rows[0], at, RUN);
        read_run(&rows[1], at, n, v, NULL);
        if (gf_dtype_is_integer(dst->dtype))
            gf_sample_run_round(dst->dtype, n, v); /* NaN becomes the lower end */
        write_run(&rows[0], at, n, v, zeros);
    }
}

void gf_samples_sum(const struct gf_array *a, struct gf_samples_mean *channel) {
    double re[RUN], im[RUN];
    for (int64_t c = 0; c < a->shape[a->rank - 1]; c++, channel++) {
        const struct gf_array one = gf_array_index(a, a->rank - 1, c);
        for (int64_t at = 0, n; at < gf_array_count(&one); at += n) {
            n = gf_array_run(&one, at, RUN);
            read_run(&one, at, n, re, im);
            for (int64_t i = 0; i < n; i++) {
                const bool finite = isfinite(re[i]) && isfinite(im[i]);
                channel->sum[0] += finite ? re[i] : 0;
                channel->sum[1] += finite ? im[i] : 0;
                channel->count += finite;
            }
        }
    }
}

void gf_samples_fill(struct gf_array *a, struct gf_samples_mean *channel) {
    double re[RUN], im[RUN];
    for (int64_t c = 0; c < a->shape[a->rank - 1]; c++, channel++) {
        const struct gf_array one = gf_array_index(a, a->rank - 1, c);
        const double count = (double)gf_max(channel->count, 1);
        for (int64_t at = 0, n; at < gf_array_count(&one); at += n) {
            n = gf_array_run(&one, at, RUN);
            read_run(&one, at, n, re, im);
            for (int64_t i = 0; i < n; i++) {
                const bool finite = isfinite(re[i]) && isfinite(im[i]);
                re[i] = finite ? re[i] : channel->sum[0] / count;
                im[i] = finite ? im[i] : channel->sum[1] / count;
            }
            write_run(&one, at, n, re, im);
        }
    }
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

void gf_samples_polar(struct gf_array *dst, const struct gf_array *magnitude,
                      const struct gf_array *phase) {
    struct gf_array rows[3];
    double r[RUN], angle[RUN];
    gf_array_rows((const struct gf_array *const[]){dst, magnitude, phase}, 3, rows);
    for (int64_t at = 0, n; at < gf_array_count(dst); at += n) {
        n = gf_array_run(&rows[0], at, RUN);
        read_run(&rows[1], at, n, r, NULL);
        read_run(&rows[2], at, n, angle, NULL);
        for (int64_t i = 0; i < n; i++) {
            const double size = r[i];
            r[i] = size * cos(angle[i]);
            angle[i] = size * sin(angle[i]);
        }
        write_run(&rows[0], at, n, r, angle);
    }
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
