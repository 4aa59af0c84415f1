/* The steps that operations share. */
#include "core/op/operation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/sample_run.h"
#include "core/base/value/unit.h"

enum gf_precision gf_operation_precision(enum gf_dtype samples) {
    const enum gf_dtype real = gf_dtype_real(samples);
    return real == GF_F64 || real == GF_U32 || real == GF_I32 ? GF_DOUBLE : GF_SINGLE;
}

const char *gf_operand_spacing(const struct gf_operand *of, double spacing[GF_MAX_DIMS],
                               bool *alike) {
    const int last = of->px.rank - 2;
    const char own = of->kind[last], *unit = of->unit     ? of->unit
                                             : own == 'd' ? "deg"
                                             : own == 's' ? "s"
                                                          : "m";
    char kind = 0;
    const double value = gf_unit_value(unit, &kind);
    bool known = value > 0;
    for (int i = 0; i <= last; i++)
        known = known && of->spacing[i] > 0 && of->kind[i] == kind;
    *alike = known;
    for (int i = last; i >= 0; i--) {
        spacing[i] = known ? of->spacing[i] / value : 0;
        *alike = *alike && fabs(spacing[i] - spacing[last]) <= 1e-6 * spacing[last];
    }
    return known ? unit : NULL;
}

/* Writes floats as a job would; returns the number of samples that were clipped. */
static int64_t round_samples(const struct gf_array *from, struct gf_array *to, int threads) {
    enum { RUN = 256 };
    const int x = to->rank - 2, channel = to->rank - 1;
    struct gf_array in = *from, out = *to;
    int64_t clipped = 0;
    in.rank = out.rank = x;
#pragma omp parallel for num_threads(threads) reduction(+ : clipped)
    for (int64_t row = 0; row < gf_array_count(&out); row++)
        for (int64_t c = 0; c < to->shape[channel]; c++)
            for (int64_t i = 0; i < to->shape[x]; i += RUN) {
                const int64_t n = gf_min(RUN, to->shape[x] - i);
                const char *p = (const char *)gf_array_at(&in, row) + c * in.stride[channel];
                char *q = (char *)gf_array_at(&out, row) + c * out.stride[channel];
                double v[RUN];
                gf_sample_run_read(p + i * in.stride[x], in.dtype, in.stride[x], n, v, NULL);
                if (gf_dtype_is_integer(out.dtype))
                    clipped += gf_sample_run_round(out.dtype, n, v);
                gf_sample_run_write(q + i * out.stride[x], out.dtype, out.stride[x], n, v, NULL);
            }
    return clipped;
}

/* Copies the samples without what continues them, for which outputs have room too. */
static void copy_samples(struct gf_operation *op, const struct gf_array *out) {
    for (int i = 0; i < op->job.n_out; i++) {
        struct gf_array to = out[i], from = op->in;
        for (int axis = 0; axis < op->job.ndim; axis++) {
            to = gf_array_slice(&to, axis, 0, gf_job_counted(&op->job, axis));
            from = gf_array_slice(&from, axis, 0, to.shape[axis]);
        }
        if (to.dtype == from.dtype)
            gf_array_copy(&to, &from);
        else
            op->report.clipped[i] = round_samples(&from, &to, op->crew.threads);
    }
}

static int hold(struct gf_operation *op) {
    if (!op->state && op->kind->state)
        op->state = calloc(1, op->kind->state);
    return op->state || !op->kind->state ? 0 : gf_no_memory();
}

int gf_operation_describe(struct gf_operation *op) {
    const int rc = op->kind ? hold(op) : 0;
    return rc || !op->kind || !op->kind->describe ? rc : op->kind->describe(op);
}

int gf_operation_take(struct gf_operation *op) {
    const int rc = op->kind && op->in.data ? hold(op) : 0;
    return rc || !op->kind || !op->kind->take ? rc : op->kind->take(op);
}

void gf_operation_drop(struct gf_operation *op) {
    if (op->state)
        op->kind->drop(op);
    free(op->state);
    op->state = NULL;
}

int gf_operation_run(struct gf_operation *op, struct gf_array *out) {
    if (!op->untouched && !op->inner)
        return gf_runner_run(op->crew.runner, &op->in, out, &op->report);
    if (op->kind && op->kind->make)
        return op->kind->make(op, out);
    copy_samples(op, out);
    return 0;
}

void gf_operation_out_shape(const struct gf_operation *op, int i, int64_t shape[GF_MAX_RANK]) {
    gf_job_out_shape(&op->job, i, shape);
    for (int axis = 0; axis < op->job.ndim; axis++)
        if (op->job.counted[axis])
            shape[axis] = gf_min(shape[axis], op->job.counted[axis]);
}

int64_t gf_operation_out_bytes(const struct gf_operation *op) {
    int64_t shape[GF_MAX_RANK], bytes = 0;
    for (int i = 0; i < op->job.n_out; i++) {
        gf_job_out_shape(&op->job, i, shape);
        shape[op->job.ndim] += op->of.alpha;
        bytes +=
            gf_shape_count(shape, op->job.ndim + 1) * (int64_t)gf_dtype_size(op->job.out[i].dtype);
    }
    return bytes;
}

static int begin(struct gf_operation *op, const struct gf_array *in) {
    const struct gf_operation_kind *kind = op->kind;
    op->crew.held += gf_array_bytes(in);
    op->of.px = *in;
    op->of.px.data = op->of.px.base = NULL;
    op->in = op->of.px;
    const int rc = gf_operation_describe(op);
    return rc || !kind || !kind->expect ? rc : kind->expect(op);
}

/* The crew that plans the job, with what is held until it ends. */
static struct gf_crew crew_of(const struct gf_operation *op) {
    struct gf_crew crew = op->crew;
    crew.held += gf_operation_out_bytes(op) + op->extra_bytes;
    return crew;
}

int gf_operation_expect(struct gf_operation *op, const struct gf_array *like) {
    int rc = begin(op, like);
    const struct gf_crew crew = crew_of(op);
    if (!rc && !op->inner)
        rc = gf_crew_fit(&crew, &op->job);
    if (op->inner != &op->job) /* else describe() knows it */
        op->need = gf_max(op->prepare_bytes, crew.held + (op->inner ? 0 : crew.runner->workspace));
    return rc;
}

/* Gives the caller an array that was made, which may be longer than what counts, or copies it to the
 * caller's own. */
static int hand_over(const struct gf_operation *op, int i, struct gf_array *made,
                     struct gf_array *to) {
    gf_operation_out_shape(op, i, made->shape);
    if (!to->data) {
        *to = *made;
        made->base = NULL;
        return 0;
    }
    if (to->dtype != made->dtype || to->rank != made->rank ||
        memcmp(to->shape, made->shape, (size_t)made->rank * sizeof *made->shape))
        return gf_fail(GF_EINVAL, "the output array is of another type or shape than the result");
    if (to->data != made->data)
        gf_array_copy(to, made);
    return 0;
}

/* Runs the job into the caller's arrays as far as they have its shape. */
static int make_outputs(struct gf_operation *op, struct gf_array *out) {
    struct gf_array made[GF_MAX_OUTPUTS] = {{0}};
    const int n = op->job.n_out;
    int64_t shape[GF_MAX_RANK];
    int rc = 0;
    for (int i = 0; i < n && !rc; i++) {
        gf_job_out_shape(&op->job, i, shape);
        made[i] = out[i];
        made[i].base = NULL;
        if (!out[i].data || out[i].dtype != op->job.out[i].dtype ||
            memcmp(out[i].shape, shape, (size_t)(op->job.ndim + 1) * sizeof *shape))
            rc = gf_job_alloc(&op->job, i, &made[i]);
    }
    if (!rc)
        rc = gf_operation_run(op, made);
    for (int i = 0; i < n; i++) {
        if (!rc)
            rc = hand_over(op, i, &made[i], &out[i]);
        gf_array_free(&made[i]);
    }
    return rc;
}

static int apply(struct gf_operation *op, const struct gf_array *in, struct gf_array *out) {
    int rc = begin(op, in);
    op->in = *in;
    op->in.base = NULL;
    if (!rc)
        rc = gf_operation_take(op);
    if (rc)
        return rc;
    const struct gf_crew crew = crew_of(op);
    if (!op->untouched && !op->inner)
        rc = gf_crew_plan(&crew, &op->job);
    return rc ? rc : make_outputs(op, out);
}

int gf_operation_apply(struct gf_operation *op, const struct gf_array *in, struct gf_array *out) {
    const int rc = apply(op, in, out);
    for (int i = 0; i < op->job.n_out && rc; i++)
        gf_array_free(&out[i]);
    return rc;
}
