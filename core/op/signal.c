/* Makes signals of samples, and transforms them. */
#include "core/op/signal.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/value/sample_run.h"
#include "core/base/value/sample_value.h"

int gf_signal_take(const struct gf_array *px, bool rgb, struct gf_array *out) {
    const int64_t channels = px->shape[px->rank - 1], n = px->shape[px->rank - 2],
                  step = px->stride[px->rank - 2], next = px->stride[px->rank - 1],
                  size = (int64_t)gf_dtype_size(out->dtype);
    int rc = 0;
    if (gf_dtype_is_complex(px->dtype))
        return gf_fail(GF_EINVAL, "complex samples; pictures are compared by real ones");
    if (channels != 1 && (channels != 3 || !rgb))
        return gf_fail(GF_EINVAL, "%lld plain channels; grey or RGB is compared",
                       (long long)channels);
    double *row = malloc(2 * (size_t)n * sizeof *row);
    if (row && !out->data)
        rc = gf_array_alloc(out, out->dtype, px->rank - 1, px->shape);
    if (!row || rc) {
        free(row);
        return gf_no_memory();
    }
    struct gf_array rows = *px;
    rows.rank -= 2;
    for (int64_t i = 0; i < gf_array_count(&rows); i++) {
        const char *from = gf_array_at(&rows, i);
        char *to = (char *)out->data + i * n * size;
        if (channels == 1 && px->dtype == out->dtype && step == size) {
            memcpy(to, from, (size_t)(n * size));
            continue;
        }
        if (channels == 1)
            gf_sample_run_read(from, px->dtype, step, n, row, NULL);
        else
            gf_sample_luma(from, px->dtype, next, step, n, row, row + n);
        gf_sample_run_write(to, out->dtype, size, n, row, NULL);
    }
    free(row);
    return 0;
}

int gf_signal_same_shape(const struct gf_array *a, const struct gf_array *b, const char *what) {
    char is[GF_SHAPE_TEXT], want[GF_SHAPE_TEXT];
    if (a->rank == b->rank && !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape))
        return 0;
    return gf_fail(GF_EINVAL, "%s, and %s is %s; both must have the same size",
                   gf_shape_text(a->shape, a->rank, is), what,
                   gf_shape_text(b->shape, b->rank, want));
}

int gf_signal_same_type(const struct gf_array *a, const struct gf_array *b, const char *what) {
    return a->dtype == b->dtype ? 0
                                : gf_fail(GF_EINVAL, "%s samples, and %s has %s",
                                          gf_dtype_name(a->dtype), what, gf_dtype_name(b->dtype));
}

/* The job of a signal of that shape over all axes: reals to half a spectrum, or back. */
static struct gf_job make_job(int ndim, const int64_t *shape, bool is_double, bool forward) {
    const enum gf_dtype real = is_double ? GF_F64 : GF_F32, number = is_double ? GF_C128 : GF_C64;
    struct gf_job job = {.direction = forward ? GF_FORWARD : GF_INVERSE,
                         .ndim = ndim,
                         .channels = 1,
                         .axes = (1u << ndim) - 1,
                         .in_dtype = forward ? real : number,
                         .in_half = !forward,
                         .real = !forward,
                         .precision = is_double ? GF_DOUBLE : GF_SINGLE,
                         .norm = GF_NORM_BACKWARD,
                         .n_out = 1};
    job.out[0] = (struct gf_output){
        .kind = forward ? GF_COMPLEX : GF_REAL, .dtype = forward ? number : real, .half = forward};
    memcpy(job.shape, shape, (size_t)ndim * sizeof *shape);
    return job;
}

int64_t gf_signal_spectrum_bytes(const struct gf_array *px) {
    const struct gf_job job = make_job(px->rank, px->shape, px->dtype == GF_F64, true);
    return gf_job_bytes(&job, 0);
}

int64_t gf_signal_workspace(const struct gf_crew *crew, const struct gf_array *px) {
    int64_t most = 0;
    for (int i = 0; i < 2; i++) {
        struct gf_job job = make_job(px->rank, px->shape, px->dtype == GF_F64, !i);
        job.lean = true;
        most = gf_max(most, gf_runner_workspace(crew->runner, &job));
    }
    return most;
}

static int run(const struct gf_crew *crew, struct gf_job *job, const struct gf_array *in,
               struct gf_array *out) {
    struct gf_report report;
    int64_t shape[2][GF_MAX_RANK];    /* with a channel as the last axis */
    int rc = gf_crew_plan(crew, job); /* before its output is allocated */
    gf_job_in_shape(job, shape[0]);
    gf_job_out_shape(job, 0, shape[1]);
    if (!rc && !out->data)
        rc = gf_array_alloc(out, job->out[0].dtype, job->ndim, shape[1]);
    if (rc)
        return rc;
    const struct gf_array from = gf_array_wrap(in->data, in->dtype, job->ndim + 1, shape[0]);
    struct gf_array to = gf_array_wrap(out->data, out->dtype, job->ndim + 1, shape[1]);
    return gf_runner_run(crew->runner, &from, &to, &report);
}

int gf_signal_forward(const struct gf_crew *crew, const struct gf_array *px,
                      struct gf_spectrum *out) {
    struct gf_job job = make_job(px->rank, px->shape, px->dtype == GF_F64, true);
    out->ndim = px->rank;
    out->half = true;
    out->threads = crew->threads;
    memcpy(out->shape, job.shape, sizeof out->shape);
    return run(crew, &job, px, &out->px);
}

int gf_signal_inverse(const struct gf_crew *crew, const struct gf_spectrum *s,
                      struct gf_array *out) {
    struct gf_job job = make_job(s->ndim, s->shape, s->px.dtype == GF_C128, false);
    return run(crew, &job, &s->px, out);
}

/* ---- operations ---- */

static const char *const precisions[] = {"single", "double", NULL}; /* enum gf_precision */

#define GF_AT(field) offsetof(struct gf_signal_options, field)

const struct gf_opt gf_signal_rows[] = {
    GF_CHOICE("precision", precision, "NAME", precisions, "single or double"), {0}};

static enum gf_dtype type_of(const struct gf_signal_options *o, enum gf_dtype samples) {
    const int precision = o->precision < 0 ? (int)gf_operation_precision(samples) : o->precision;
    return precision == GF_DOUBLE ? GF_F64 : GF_F32;
}

/* Makes `out`, of its type, a signal of samples, or a view of these. */
static int make(const struct gf_array *px, bool rgb, struct gf_array *out) {
    const int axis = px->rank - 1;
    if (px->shape[axis] != 1 || px->dtype != out->dtype || !gf_array_is_contiguous(px))
        return gf_signal_take(px, rgb, out);
    *out = gf_array_index(px, axis, 0);
    return 0;
}

/* Makes a signal own its samples. */
int gf_signal_own(struct gf_array *px) {
    const struct gf_array from = *px;
    const int rc = px->base ? 0 : gf_array_alloc(px, from.dtype, from.rank, from.shape);
    if (!rc && !from.base)
        gf_array_copy(px, &from);
    return rc;
}

int gf_signals_open(void *options, const struct gf_array *with, int n, void **shared) {
    struct gf_signals *s = *shared = calloc(1, sizeof *s);
    int rc = s ? 0 : gf_no_memory();
    for (int i = 0; i < n && !rc; i++) {
        s->with[i].dtype = type_of(options, with[i].dtype);
        if (with[i].data)
            rc = make(&with[i], with[i].shape[with[i].rank - 1] == 3, &s->with[i]);
    }
    if (s)
        s->options = options;
    return rc;
}

void gf_signals_close(void *shared) {
    struct gf_signals *s = shared;
    for (int i = 0; i < 2 && s; i++)
        gf_array_free(&s->with[i]);
    free(s);
}

struct gf_array gf_signal_of(const struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    return gf_array_wrap(NULL, type_of(s->options, op->of.px.dtype), op->of.px.rank - 1,
                         op->of.px.shape);
}

struct gf_crew gf_signal_crew(const struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    const struct gf_array px = gf_signal_of(op);
    struct gf_crew crew = op->crew;
    crew.held += gf_array_bytes(&px) + gf_array_bytes(&s->with[0]) + gf_array_bytes(&s->with[1]);
    return crew;
}

int gf_signal_begin(const struct gf_operation *op, struct gf_array *px) {
    *px = gf_signal_of(op);
    return make(&op->in, op->of.rgb, px);
}
