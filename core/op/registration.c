/* Finds a shift by correlation, first of phases, and before it turn and scale in the spectra's
 * magnitudes. Aligned pictures are shifted by the phases of a spectrum, or moved by cubic interpolation. */
#include "core/op/registration.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/sample_value.h"
#include "core/compare/correlate.h"
#include "core/filter/edges.h"
#include "core/filter/filter.h"

/* Signals: the picture in place, and the polar samples of two. */
enum { MOVED, POLAR, N_ARRAYS = POLAR + 2 };
enum { FORWARD, FIRST, INVERSE, N_RUNNERS };

/* Pictures of so many samples a side are first looked for at half their size, which takes a quarter
 * of the time, unless the peak there is lower than SURE. */
enum { HALVED = 256, SURE = 20 };

/* The arrays of a correlation, allocated for the first pair. */
struct work {
    struct gf_array px;       /* a tapered signal, or the surface */
    struct gf_spectrum kept;  /* of the reference, if `ready` */
    float *share;             /* of its rings */
    struct gf_spectrum of[2]; /* of the reference and the other one */
    double energy;            /* of of[0] */
    bool ready, near;         /* near: of[0] is the reference behind the window of small shifts */
};

struct registration {
    struct gf_found found;
    const struct gf_registration_options *o;
    bool repeats;
    struct gf_runner own[N_RUNNERS]; /* if it repeats */
    struct gf_array array[N_ARRAYS];
    struct work pictures, halves, polars; /* halves: pictures of half the size, f32 */
    struct gf_crew crew;                  /* counts them */
    const struct gf_array *ref, *in;
};

/* True for pictures that are first looked for at half their size. */
static bool has_halves(const struct gf_array *px) {
    return px->rank == 2 && px->dtype == GF_F32 && px->shape[0] >= HALVED && px->shape[1] >= HALVED;
}

/* A tapered signal and three spectra of the picture, less of the halves, and to turn it the moved
 * picture and the polar samples. */
static int64_t array_bytes(const struct gf_registration_options *o, const struct gf_array *px) {
    const struct gf_array single = gf_array_wrap(NULL, GF_F32, px->rank, px->shape);
    const int64_t n = gf_array_count(px), spectrum = gf_signal_spectrum_bytes(&single);
    return 4 * n + 3 * spectrum + (has_halves(px) ? n + spectrum / 2 : 0) +
           (o->estimate == GF_SHIFT ? 0 : (int64_t)GF_POLAR * GF_POLAR * 24 + gf_array_bytes(px));
}

static void free_work(struct work *w) {
    struct gf_array *const array[] = {&w->px, &w->kept.px, &w->of[0].px, &w->of[1].px};
    for (int i = 0; i < 4; i++)
        gf_array_free(array[i]);
    free(w->share);
}

/* ---- correlation ---- */

/* The crew, with a runner that keeps its plan. */
static struct gf_crew crew_of(struct registration *r, int which) {
    struct gf_crew crew = r->crew;
    crew.runner = r->repeats ? &r->own[which] : crew.runner;
    return crew;
}

/* Tapers a signal, or its half, and transforms it. Like all below that return a status, GF_ENOMEM
 * or worse. */
static int transform(struct registration *r, struct work *w, const struct gf_array *px,
                     const double *middle, const double *less, struct gf_spectrum *to,
                     double *energy) {
    const unsigned axes = w == &r->polars ? 2 : 7; /* angles are periodic */
    int64_t shape[GF_MAX_DIMS];
    for (int i = 0; i < px->rank; i++)
        shape[i] = px->shape[i] >> (w == &r->halves);
    int rc = w->px.data ? 0 : gf_array_alloc(&w->px, GF_F32, px->rank, shape);
    if (!rc)
        rc = gf_taper(px, middle, less, axes, r->crew.threads, &w->px, energy);
    if (!rc && !(*energy > 0))
        rc = gf_fail(GF_EINVAL, "all samples are equal, and nothing can be aligned");
    if (rc)
        return rc;
    const struct gf_crew crew = crew_of(r, w == &r->pictures ? FORWARD : FIRST);
    return gf_signal_forward(&crew, &w->px, to);
}

/* Finds the shift of `in` to about a tenth of a sample, and how far the peak rises. */
static int find(struct registration *r, struct work *w, const struct gf_array *ref,
                const struct gf_array *in, struct gf_correlation_peak *peak) {
    double energy;
    int rc = w->ready ? 0 : transform(r, w, ref, NULL, NULL, &w->kept, &energy);
    if (!rc && !w->ready)
        rc = gf_ring_shares(&w->kept, &w->share);
    w->ready = !rc;
    if (!rc)
        rc = transform(r, w, in, NULL, NULL, &w->of[1], &energy);
    if (!rc)
        rc = gf_cross_phases(&w->kept, w->share, &w->of[1], &w->of[1]);
    if (rc)
        return rc;
    const struct gf_crew crew = crew_of(r, INVERSE);
    rc = gf_signal_inverse(&crew, &w->of[1], &w->px);
    if (rc)
        return rc;
    gf_correlation_peak(&w->kept, &w->px, w != &r->polars, peak);
    for (int i = 0; i < ref->rank && w == &r->halves; i++)
        peak->shift[i] *= 2;
    return 0;
}

static int find_shift(struct registration *r, struct gf_correlation_peak *peak) {
    const struct gf_array *px = r->in;
    const bool halves = has_halves(px) && r->ref->dtype == GF_F32;
    int rc = halves ? find(r, &r->halves, r->ref, px, peak) : 0;
    return rc || (halves && peak->height >= SURE) ? rc : find(r, &r->pictures, r->ref, px, peak);
}

/* Refines a shift that find() found, in windows of what both show. For small shifts the reference
 * keeps one window, and its spectrum. */
static int refine(struct registration *r, struct work *w, const struct gf_array *ref,
                  const struct gf_array *in, double *shift) {
    double energy[2], less[GF_MAX_DIMS], middle[2][GF_MAX_DIMS];
    bool near = true;
    int rc = 0;
    for (int i = 0; i < ref->rank; i++)
        near = near && 16 * fabs(shift[i]) <= (double)ref->shape[i];
    for (int i = 0; i < ref->rank; i++) {
        less[i] = near ? (double)ref->shape[i] / 8 : fabs(shift[i]);
        middle[0][i] = near ? 0 : shift[i] / 2;
        middle[1][i] = middle[0][i] - shift[i];
    }
    if (!near || !w->near)
        rc = transform(r, w, ref, middle[0], less, &w->of[0], &w->energy);
    w->near = near && !rc;
    energy[0] = w->energy;
    if (!rc)
        rc = transform(r, w, in, middle[1], less, &w->of[1], &energy[1]);
    return rc ? rc
              : gf_correlation_refine(&w->of[0], &w->of[1], energy,
                                      w != &r->polars && r->found.inverted, shift,
                                      &r->found.coefficient);
}

/* ---- turn and scale ---- */

/* Finds what turns and scales `in`, up to half a turn, and adds it to r->found.motion. */
static int find_turn(struct registration *r, const struct gf_array *in) {
    const int64_t shape[] = {GF_POLAR, GF_POLAR};
    const struct gf_array *const picture[] = {r->ref, in};
    struct gf_correlation_peak peak;
    struct work *w = &r->polars;
    double energy;
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        if (!r->array[POLAR + i].data)
            rc = gf_array_alloc(&r->array[POLAR + i], GF_F32, 2, shape);
        if (!rc)
            rc = transform(r, &r->pictures, picture[i], NULL, NULL, &r->pictures.of[i], &energy);
        if (!rc)
            gf_motion_polar(&r->pictures.of[i], &r->array[POLAR + i]);
    }
    w->ready = w->near = r->pictures.near = false;
    if (!rc)
        rc = find(r, w, &r->array[POLAR], &r->array[POLAR + 1], &peak);
    if (!rc)
        rc = refine(r, w, &r->array[POLAR], &r->array[POLAR + 1], peak.shift);
    if (rc)
        return rc;
    const struct gf_motion more = gf_motion_of_polar(peak.shift);
    r->found.motion.turn += more.turn;
    r->found.motion.scale *= r->o->estimate == GF_SIMILARITY ? more.scale : 1;
    return 0;
}

/* Moves `in` by r->found.motion into MOVED, and finds the shift that is left. */
static int find_moved(struct registration *r, struct gf_correlation_peak *peak) {
    int rc =
        r->array[MOVED].data ? 0 : gf_array_alloc(&r->array[MOVED], r->in->dtype, 2, r->in->shape);
    if (rc)
        return rc;
    memset(r->found.motion.shift, 0, sizeof r->found.motion.shift);
    gf_motion_apply(r->in, &r->found.motion, true, r->crew.threads, &r->array[MOVED]);
    return find(r, &r->pictures, r->ref, &r->array[MOVED], peak);
}

/* The spectrum's magnitude is the same after half a turn, so both are tried; then the picture, now
 * nearly in place, shows what is left to turn. */
static int find_motion(struct registration *r, struct gf_correlation_peak *peak) {
    struct gf_correlation_peak other;
    int rc = find_turn(r, r->in);
    if (!rc)
        rc = find_moved(r, peak);
    r->found.motion.turn += 180;
    if (!rc)
        rc = find_moved(r, &other);
    if (!rc && other.height > peak->height)
        *peak = other;
    else
        r->found.motion.turn -= 180;
    if (rc)
        return rc;
    memcpy(r->found.motion.shift, peak->shift, sizeof peak->shift);
    gf_motion_apply(r->in, &r->found.motion, true, r->crew.threads, &r->array[MOVED]);
    rc = find_turn(r, &r->array[MOVED]);
    r->found.motion.turn = remainder(r->found.motion.turn, 360);
    return rc ? rc : find_moved(r, peak);
}

/* Samples; a shorter shift is a rounding error. */
static const double ROUNDING = 1e-6;

/* Finds how r->in lies on the reference. GF_EINVAL if they have nothing in common. */
static int find_all(struct registration *r) {
    const bool turns = r->o->estimate != GF_SHIFT;
    const int least = turns ? GF_PEAK_LEAST_TURNED : GF_PEAK_LEAST;
    struct gf_correlation_peak peak;
    double *shift = r->found.motion.shift;
    r->found = (struct gf_found){.motion.scale = 1};
    int rc = turns ? find_motion(r, &peak) : find_shift(r, &peak);
    if (!rc && !(peak.height >= least))
        rc = gf_fail(GF_EINVAL,
                     "nothing in common with the reference: the correlation's peak is %.3g times "
                     "its deviation, and less than %d may be chance",
                     peak.height, least);
    if (rc)
        return rc;
    r->found.height = peak.height;
    r->found.inverted = peak.inverted;
    memcpy(shift, peak.shift, sizeof peak.shift);
    rc = refine(r, &r->pictures, r->ref, turns ? &r->array[MOVED] : r->in, shift);
    for (int i = 0; i < r->in->rank; i++)
        shift[i] = fabs(shift[i]) < ROUNDING ? 0 : shift[i];
    r->found.aligned = !rc;
    r->found.backend = gf_runner_name(crew_of(r, FORWARD).runner);
    r->found.together = crew_of(r, FORWARD).runner->ms.together;
    return rc;
}

/* ---- the aligned picture ---- */

/* The crew that counts the arrays of a registration too. */
static struct gf_crew counted(const struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    const struct gf_array px = gf_signal_of(op);
    struct gf_crew crew = gf_signal_crew(op);
    crew.held += array_bytes(s->options, &px);
    return crew;
}

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

/* Bytes that aligning takes beside both arrays. */
static int64_t aligning_bytes(const struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    const struct gf_registration_options *o = s->options;
    const struct gf_job job = shift_job(op->job.precision, &op->of.px, op->job.out[0].dtype);
    int64_t half[GF_MAX_RANK];
    if (!op->job.n_out)
        return 0;
    if (o->estimate != GF_SHIFT)
        return 2 * gf_array_count(&op->of.px) * (op->job.precision == GF_DOUBLE ? 8 : 4);
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
    if (rc)
        goto out;
    gf_array_copy(out, &result);
    gf_motion_fill(out, by, fill == GF_FILL_EDGE);
out:
    gf_filter_free(f);
    gf_array_free(&to);
    gf_array_free(&longer);
    return rc;
}

static int make(struct gf_operation *op, struct gf_array *out) {
    const struct gf_signals *s = op->shared;
    const struct gf_registration_options *o = s->options;
    const struct gf_motion *motion = &((struct gf_found *)op->state)->motion;
    const enum gf_dtype real = op->job.precision == GF_DOUBLE ? GF_F64 : GF_F32;
    const struct gf_crew crew = counted(op);
    struct gf_array from = {0}, to = {0};
    if (o->estimate == GF_SHIFT)
        return shift(&crew, o->fill, op->job.precision, motion->shift, &op->in, out);
    int rc = gf_array_alloc(&from, real, 3, op->in.shape);
    if (!rc)
        rc = gf_array_alloc(&to, real, 3, op->in.shape);
    if (!rc) {
        gf_samples_convert(&from, &op->in);
        gf_motion_apply(&from, motion, o->fill == GF_FILL_EDGE, crew.threads, &to);
        gf_samples_convert(out, &to);
    }
    gf_array_free(&from);
    gf_array_free(&to);
    return rc;
}

/* ---- the options ---- */

static const char *const estimates[] = {"shift", "rigid", "similarity",
                                        NULL};             /* enum gf_estimate */
static const char *const fills[] = {"zero", "edge", NULL}; /* enum gf_fill */

#define GF_AT(field) offsetof(struct gf_registration_options, field)

const struct gf_opt gf_registration_rows[] = {
    GF_CHOICE("estimate", estimate, "WHAT", estimates,
              "shift (default), rigid (and rotation), or similarity (and scale)"),
    GF_CHOICE("fill", fill, "zero|edge", fills,
              "what aligned pictures have where IN shows nothing: 0 (default), or the samples of "
              "its edge"),
    GF_ROWS("precision", signal, gf_signal_rows),
    {0}};

/* ---- the operation ---- */

static int describe(struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    const struct gf_registration_options *o = s->options;
    const struct gf_array px = gf_signal_of(op);
    op->inner = &op->job;
    op->job.precision = px.dtype == GF_F64 ? GF_DOUBLE : GF_SINGLE;
    if (px.rank != 2 && o->estimate != GF_SHIFT)
        return gf_fail(GF_EINVAL, "%d axes; --estimate=rigid and similarity take pictures%s",
                       px.rank, px.rank == 3 ? ", --dims=2 the pages of a volume" : "");
    return s->with[0].rank ? gf_signal_same_shape(&px, &s->with[0], "the reference") : 0;
}

/* Runners that keep their plans add up their workspaces. */
static int expect(struct gf_operation *op) {
    struct gf_array px = gf_signal_of(op);
    px.dtype = GF_F32; /* of tapered signals */
    const int64_t work = gf_signal_workspace(&op->crew, &px), aligning = aligning_bytes(op);
    op->need = counted(op).held +
               (op->times > 1 ? 2 * work + work / 4 + aligning : gf_max(work, aligning));
    return 0;
}

static int take(struct gf_operation *op) {
    const struct gf_signals *s = op->shared;
    struct registration *r = op->state;
    struct gf_array px;
    int rc = gf_signal_begin(op, &px);
    r->o = s->options;
    r->crew = counted(op);
    r->ref = &s->with[0];
    r->in = &px;
    for (int k = 0; k < N_RUNNERS && op->times > 1 && !r->repeats; k++) {
        gf_runner_beside(&r->own[k], r->crew.runner, r->crew.threads);
        gf_runner_repeat(&r->own[k], op->times);
    }
    r->repeats = op->times > 1;
    if (s->changes)
        r->pictures.ready = r->halves.ready = r->pictures.near = false;
    if (!rc)
        rc = find_all(r);
    gf_array_free(&px);
    return rc;
}

static void drop(struct gf_operation *op) {
    struct registration *r = op->state;
    free_work(&r->pictures);
    free_work(&r->halves);
    free_work(&r->polars);
    for (int k = 0; k < N_ARRAYS; k++)
        gf_array_free(&r->array[k]);
    for (int k = 0; k < N_RUNNERS && r->repeats; k++)
        gf_runner_close(&r->own[k]);
}

static void facts(const struct gf_operation *op, struct gf_facts *to) {
    const struct gf_found *f = op->state;
    GF_FACTS(to, "shift", "samples", op->job.ndim, 0, 0, f->motion.shift);
    GF_FACT(to, "rotation", "degrees", &f->motion.turn);
    GF_FACT(to, "scale", NULL, &f->motion.scale);
    if (f->aligned) {
        GF_FACT(to, "correlation", NULL, &f->coefficient);
        GF_FACT(to, "peak", NULL, &f->height);
    }
    GF_FACT(to, "inverted", NULL, &f->inverted);
    GF_FACT(to, "aligned", NULL, &f->aligned);
    if (f->backend)
        GF_FACT(to, "backend", NULL, f->backend);
    if (f->together)
        GF_FACT(to, "together", NULL, &f->together);
}

static const struct gf_registration_options defaults = {.signal.precision = -1};

const struct gf_operation_kind gf_operation_register = {
    .name = "register",
    .options = {gf_registration_rows, sizeof(struct gf_registration_options), &defaults, NULL},
    .with = {1, 1, gf_signals_open, gf_signals_close},
    .gives = GF_REAL,
    .state = sizeof(struct registration),
    .describe = describe,
    .expect = expect,
    .take = take,
    .make = make,
    .drop = drop,
    .facts = facts};
