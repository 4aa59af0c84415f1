/* Cases: names, jobs, operation counts and bytes. */
#include <math.h>

#include "cli/bench/bench.h"

const char *const gf_bench_kinds[] = {"c2c",          "r2c", "c2r",    "picture",
                                      "picture-full", "dwt", "filter", NULL};
const char *const gf_bench_precisions[] = {"single", "double", NULL};
const char *const gf_bench_directions[] = {"forward", "inverse", NULL};

/* Sets the types of input and output, and the kind of output. */
static void set_ends(struct gf_bench_case *c) {
    struct gf_job *job = &c->job;
    enum gf_dtype pair = gf_job_number(job), real = gf_dtype_real(pair);
    struct gf_output *out = &job->out[0];
    job->in_dtype = pair;
    *out = (struct gf_output){.kind = GF_COMPLEX, .dtype = pair};
    job->n_out = 1;
    switch (c->kind) {
    case GF_BENCH_R2C:
        job->in_dtype = real;
        out->half = true;
        break;
    case GF_BENCH_C2R:
        job->in_half = job->real = job->spend_input = true;
        out->kind = GF_REAL;
        out->dtype = real;
        break;
    case GF_BENCH_PICTURE:
    case GF_BENCH_PICTURE_FULL:
        job->in_dtype = GF_U8;
        *out =
            (struct gf_output){.kind = GF_MAGNITUDE,
                               .dtype = GF_U8,
                               .map = GF_MAP_DISPLAY,
                               .scale = GF_SCALE_LOG,
                               .range = c->kind == GF_BENCH_PICTURE ? GF_RANGE_AUTO : GF_RANGE_FULL,
                               .shift = true};
        break;
    case GF_BENCH_DWT:
        job->op = GF_DWT;
        job->in_dtype = real;
        *out = (struct gf_output){.kind = GF_REAL, .dtype = real};
        break;
    case GF_BENCH_FILTER:
        job->op = GF_FILTER;
        job->in_dtype = GF_U8;
        *out = (struct gf_output){.kind = GF_REAL, .dtype = GF_U8};
        break;
    default:
        break;
    }
}

/* Four multiplications and additions per sample, axis and level. */
static double wavelet_flops(const struct gf_job *job, double points) {
    double flops = 0;
    const int axes = __builtin_popcount(job->axes);
    for (int l = 0; l < job->wavelet.levels; l++, points /= 1 << axes)
        flops += 8 * axes * points;
    return flops;
}

/* A low pass that vanishes below the highest frequency: a blur with sigma of 2.5 samples. */
static int set_filter(struct gf_bench_case *c) {
    struct gf_lowpass low = {.profile = GF_GAUSSIAN};
    for (int i = 0; i < c->job.ndim; i++)
        low.radius[i] = (double)c->job.shape[i] / 16;
    int rc = gf_filter_new(&c->filter);
    if (rc)
        return rc;
    c->job.filter = c->filter;
    c->job.filter_serial = c->filter->serial;
    return gf_filter_add_lowpass(c->filter, &low);
}

void gf_bench_case_free(struct gf_bench_case *c) {
    gf_filter_free(c->filter);
    c->filter = NULL;
}

/* The least traffic with one pass per axis: the half spectrum between two axes of a picture or
 * filter is written and read once. */
static int64_t floor_of(const struct gf_bench_case *c) {
    int64_t half = 1, walks = 0, between = __builtin_popcount(c->job.axes) - 1;
    for (int i = 0; i < c->job.ndim; i++)
        half *= i == gf_job_half_axis(&c->job) ? c->job.shape[i] / 2 + 1 : c->job.shape[i];
    if (gf_bench_is_picture(c->kind))
        walks = 2 * between;
    if (c->kind == GF_BENCH_FILTER)
        walks = 4 * between;
    return c->bytes_in + c->bytes_out + walks * half * (c->job.precision == GF_DOUBLE ? 16 : 8);
}

int gf_bench_case_make(struct gf_bench_case *c) {
    struct gf_job *job = &c->job;
    const enum gf_bench_kind kind = c->kind;
    c->filter = NULL;
    if (kind != GF_BENCH_C2C && kind != GF_BENCH_DWT)
        job->direction = kind == GF_BENCH_C2R ? GF_INVERSE : GF_FORWARD;
    job->channels = 1;
    /* Neither direction scales, because the libraries do not. */
    job->norm = job->direction == GF_FORWARD ? GF_NORM_BACKWARD : GF_NORM_FORWARD;
    set_ends(c);
    int rc = kind == GF_BENCH_FILTER ? set_filter(c) : 0;
    if (!rc)
        rc = gf_job_validate(job);
    if (rc) {
        gf_bench_case_free(c);
        return rc;
    }
    c->bytes_in = gf_job_bytes(job, -1);
    c->bytes_out = gf_job_bytes(job, 0);
    c->points = 1;
    for (int i = 0; i < job->ndim; i++)
        c->points *= job->shape[i];
    const double points = (double)c->points;
    c->flops = kind == GF_BENCH_DWT ? wavelet_flops(job, points)
                                    : (kind == GF_BENCH_C2C || kind == GF_BENCH_FILTER ? 5 : 2.5) *
                                          points * log2((double)gf_job_points(job));
    c->floor = floor_of(c);
    return 0;
}
