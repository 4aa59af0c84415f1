/* Aligned pictures: shifted by the phases of a spectrum, or moved by cubic interpolation. */
#include "core/op/alignment.h"

#include "core/base/value/sample_value.h"
#include "core/filter/edges.h"
#include "core/filter/filter.h"

/* The job that shifts by a filter of phases, between mirror images, so that no edge rings. */
static struct gf_job shift_job(enum gf_precision precision, const struct gf_array *in,
                               enum gf_dtype out) {
    struct gf_job job = {.op = GF_FILTER, .ndim = in->rank - 1, .in_dtype = in->dtype, .n_out = 1};
    job.channels = in->shape[job.ndim];
    job.axes = (1u << job.ndim) - 1;
    job.precision = precision;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = out};
    for (int i = 0; i < job.ndim; i++)
        job.shape[i] = gf_edges_length(GF_EDGES_MIRROR, job.counted[i] = in->shape[i]);
    return job;
}

/* Bytes of the table of phases, whose shape is `half`. */
static int64_t table_bytes(const struct gf_job *job, int64_t half[GF_MAX_RANK]) {
    gf_job_in_shape(job, half);
    half[job->ndim - 1] = half[job->ndim - 1] / 2 + 1;
    return gf_shape_count(half, job->ndim) * (int64_t)gf_dtype_size(gf_job_number(job));
}

int64_t gf_alignment_bytes(const struct gf_registration_options *o, enum gf_precision precision,
                           const struct gf_array *in, enum gf_dtype out) {
    const struct gf_job job = shift_job(precision, in, out);
    int64_t half[GF_MAX_RANK];
    if (o->estimate != GF_SHIFT)
        return 2 * gf_array_count(in) * (precision == GF_DOUBLE ? 8 : 4);
    /* A lean plan has a spectrum of each channel, its own table, and rows of its threads. */
    return gf_job_bytes(&job, -1) + gf_job_bytes(&job, 0) +
           table_bytes(&job, half) * (2 + job.channels) * 17 / 16;
}

static int shift(const struct gf_crew *crew, int fill, enum gf_precision precision,
                 const double *by, const struct gf_array *in, struct gf_array *out) {
    struct gf_job job = shift_job(precision, in, out->dtype);
    struct gf_array longer = {0}, to = {0};
    struct gf_filter *f = NULL;
    int64_t half[GF_MAX_RANK];
    struct gf_crew own = *crew;
    own.held += gf_job_bytes(&job, -1) + gf_job_bytes(&job, 0) + table_bytes(&job, half);
    int rc = gf_filter_new(&f);
    if (!rc)
        rc = gf_array_alloc(&f->table, gf_job_number(&job), job.ndim, half);
    if (!rc)
        rc = gf_job_alloc(&job, -1, &longer);
    if (!rc)
        rc = gf_job_alloc(&job, 0, &to);
    if (rc)
        goto out;
    gf_motion_ramp(job.shape, by, &f->table);
    job.filter = f;
    job.filter_serial = f->serial;
    struct gf_array part = longer, result = to;
    memcpy(part.shape, in->shape, sizeof part.shape);
    memcpy(result.shape, in->shape, sizeof result.shape);
    gf_array_copy(&part, in);
    gf_edges_fill(GF_EDGES_MIRROR, in->shape, crew->threads, &longer);
    rc = gf_crew_run(&own, &job, &longer, &to);
    gf_array_copy(out, &result);
    gf_motion_fill(out, by, fill == GF_FILL_EDGE);
out:
    gf_filter_free(f);
    gf_array_free(&to);
    gf_array_free(&longer);
    return rc;
}

int gf_alignment_run(const struct gf_crew *crew, const struct gf_registration_options *o,
                     enum gf_precision precision, const struct gf_motion *motion,
                     const struct gf_array *in, struct gf_array *out) {
    const enum gf_dtype real = precision == GF_DOUBLE ? GF_F64 : GF_F32;
    struct gf_array from = {0}, to = {0};
    if (o->estimate == GF_SHIFT)
        return shift(crew, o->fill, precision, motion->shift, in, out);
    int rc = gf_array_alloc(&from, real, 3, in->shape);
    if (!rc)
        rc = gf_array_alloc(&to, real, 3, in->shape);
    if (!rc) {
        gf_samples_convert(&from, in);
        gf_motion_apply(&from, motion, o->fill == GF_FILL_EDGE, crew->threads, &to);
        gf_samples_convert(out, &to);
    }
    gf_array_free(&from);
    gf_array_free(&to);
    return rc;
}

/* ---- the operation ---- */

struct state {
    struct gf_found found;
    struct gf_array aligned;
};

static int describe(struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    const struct gf_array px = gf_signal_of(op);
    op->inner = &op->job;
    op->job.precision = px.dtype == GF_F64 ? GF_DOUBLE : GF_SINGLE;
    return gf_registration_fits(s->options, &s->with[0], &px);
}

static int expect(struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    const struct gf_array px = gf_signal_of(op);
    const int64_t workspace = gf_signal_workspace(&op->crew, &px),
                  aligning = gf_alignment_bytes(s->options, op->job.precision, &op->of.px,
                                                op->job.out[0].dtype);
    op->need = gf_signal_crew(op).held + gf_registration_bytes(s->options, &px) +
               gf_max(workspace, aligning) + gf_array_bytes(&op->of.px);
    return 0;
}

static int find(const struct gf_operation *op, struct gf_found *found) {
    const struct gf_signals *s = op->shared;
    struct gf_registration *r = NULL;
    struct gf_crew crew = gf_signal_crew(op);
    struct gf_array px;
    int rc = gf_signal_begin(op, &px);
    crew.held += gf_registration_bytes(s->options, &px);
    if (!rc)
        rc = gf_registration_new(&crew, s->options, 1, &r);
    if (!rc)
        rc = gf_registration_find(r, &crew, &s->with[0], &px, found);
    gf_registration_free(r);
    gf_array_free(&px);
    return rc;
}

static int take(struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    struct state *state = op->state;
    int rc = find(op, &state->found);
    if (!rc)
        rc = gf_array_alloc(&state->aligned, op->job.out[0].dtype, op->in.rank, op->in.shape);
    if (!rc)
        rc = gf_alignment_run(&op->crew, s->options, op->job.precision, &state->found.motion,
                              &op->in, &state->aligned);
    if (!rc)
        op->in = state->aligned;
    op->in.base = NULL;
    return rc;
}

static void drop(struct gf_operation *op) {
    gf_array_free(&((struct state *)op->state)->aligned);
}

static void facts(const struct gf_operation *op, struct gf_facts *to) {
    const struct gf_found *f = &((const struct state *)op->state)->found;
    GF_FACTS(to, "shift", "samples", op->job.ndim, 0, 0, f->motion.shift);
    gf_registration_facts(f, to);
}

static const struct gf_registration_options defaults = {.signal.precision = -1};

const struct gf_operation_kind gf_operation_register = {
    .name = "register",
    .options = {gf_registration_rows, sizeof(struct gf_registration_options), &defaults, NULL},
    .with = {1, 1, gf_signals_open, gf_signals_close},
    .gives = GF_REAL,
    .state = sizeof(struct state),
    .describe = describe,
    .expect = expect,
    .take = take,
    .drop = drop,
    .facts = facts};
