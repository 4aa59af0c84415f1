/* gpufft register: how pictures, volumes or the frames of a stack lie on a reference. */
#include <math.h>
#include <stdlib.h>

#include "cli/batch/describe.h"
#include "cli/command.h"
#include "cli/compare/signal.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/base/memory.h"
#include "core/base/sample_value.h"
#include "core/compare/correlate.h"
#include "core/compare/motion.h"
#include "core/filter/edges.h"

enum estimate { SHIFT, RIGID, SIMILARITY };
enum { PREVIOUS = 1, EDGE = 1 };

/* Signals: the reference, the other picture, also in place; and the polar samples of two. */
enum { REF, IN, MOVED, POLAR, N_ARRAYS = POLAR + 2 };

/* The arrays of a correlation, allocated for the first pair. */
struct work {
    unsigned axes;            /* that have a window */
    struct gf_array px;       /* a tapered signal, or the surface */
    struct gf_spectrum kept;  /* of the reference, if `ready` */
    float *share;             /* of its rings */
    struct gf_spectrum of[2]; /* of the reference and the other one */
    bool ready;
};

/* The state of a run: the reference, and where the last frame is. */
struct gf_registering {
    struct gf_task *t;
    struct gf_array array[N_ARRAYS];
    struct work pictures, polars;
    struct gf_motion motion; /* of the last picture; with --to=previous added up */
    double height, coefficient;
    bool printed;
};

static void free_state(struct gf_registering *r) {
    struct work *const work[] = {&r->pictures, &r->polars};
    for (int i = 0; i < 2; i++) {
        gf_array_free(&work[i]->px);
        gf_array_free(&work[i]->kept.px);
        gf_array_free(&work[i]->of[0].px);
        gf_array_free(&work[i]->of[1].px);
        free(work[i]->share);
        work[i]->share = NULL;
        work[i]->ready = false;
    }
    for (int i = 0; i < N_ARRAYS; i++)
        gf_array_free(&r->array[i]);
}

/* ---- correlation ---- */

/* Bytes of all arrays: the samples and the result, three signals, and the work's. */
static int64_t held(const struct gf_registering *r) {
    const int64_t n = gf_array_count(&r->array[REF]),
                  each = (int64_t)gf_dtype_size(r->array[REF].dtype);
    const int64_t polars = r->t->s->reg.estimate == SHIFT ? 0 : (int64_t)GF_POLAR * GF_POLAR;
    return gf_array_bytes(&r->t->image.px) + gf_array_bytes(&r->t->product[0].image.px) +
           n * (3 * each + 16) + polars * 24;
}

/* Tapers a signal and transforms it. Like all below that return a status, GF_ENOMEM or worse. */
static int transform(struct gf_registering *r, struct work *w, const struct gf_array *px,
                     const double *shift, double side, struct gf_spectrum *to, double *energy) {
    int rc = w->px.data ? 0 : gf_array_alloc(&w->px, GF_F32, px->rank, px->shape);
    if (!rc)
        rc = gf_taper(px, shift, side, w->axes, gf_settings_threads(r->t->s), &w->px, energy);
    if (!rc && !(*energy > 0))
        rc = gf_fail(GF_EINVAL, "all samples are equal, and nothing can be aligned");
    if (rc)
        return rc;
    struct gf_job job = gf_signal_job(&w->px, GF_FORWARD);
    to->ndim = px->rank;
    to->half = true;
    to->threads = gf_settings_threads(r->t->s);
    memcpy(to->shape, px->shape, sizeof to->shape);
    return gf_signal_run(r->t->runner, &job, held(r), &w->px, &to->px);
}

/* Finds the shift of `in` to about a tenth of a sample, and how far the peak rises. */
static int find(struct gf_registering *r, struct work *w, const struct gf_array *ref,
                const struct gf_array *in, struct gf_correlation_peak *peak) {
    double energy;
    int rc = w->ready ? 0 : transform(r, w, ref, NULL, 1, &w->kept, &energy);
    if (!rc && !w->ready)
        rc = gf_ring_shares(&w->kept, &w->share);
    w->ready = !rc;
    if (!rc)
        rc = transform(r, w, in, NULL, -1, &w->of[1], &energy);
    if (!rc)
        rc = gf_cross_phases(&w->kept, w->share, &w->of[1], &w->of[1]);
    if (rc)
        return rc;
    struct gf_job job = gf_signal_job(&w->px, GF_INVERSE);
    rc = gf_signal_run(r->t->runner, &job, held(r), &w->of[1].px, &w->px);
    gf_correlation_peak(&w->kept, &w->px, peak);
    return rc;
}

/* Refines a shift that find() found. */
static int refine(struct gf_registering *r, struct work *w, const struct gf_array *ref,
                  const struct gf_array *in, double *shift) {
    double energy[2];
    int rc = transform(r, w, ref, shift, 1, &w->of[0], &energy[0]);
    if (!rc)
        rc = transform(r, w, in, shift, -1, &w->of[1], &energy[1]);
    return rc ? rc : gf_correlation_refine(&w->of[0], &w->of[1], energy, shift, &r->coefficient);
}

/* ---- turn and scale ---- */

/* Finds what turns and scales `in`, up to half a turn, and adds it to r->motion. */
static int find_turn(struct gf_registering *r, const struct gf_array *in) {
    const int64_t shape[] = {GF_POLAR, GF_POLAR};
    const struct gf_array *const picture[] = {&r->array[REF], in};
    struct gf_correlation_peak peak;
    struct work *w = &r->polars;
    double energy;
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        if (!r->array[POLAR + i].data)
            rc = gf_array_alloc(&r->array[POLAR + i], GF_F32, 2, shape);
        if (!rc)
            rc = transform(r, &r->pictures, picture[i], NULL, 1, &r->pictures.of[i], &energy);
        if (!rc)
            gf_motion_polar(&r->pictures.of[i], &r->array[POLAR + i]);
    }
    w->ready = false;
    if (!rc)
        rc = find(r, w, &r->array[POLAR], &r->array[POLAR + 1], &peak);
    if (!rc)
        rc = refine(r, w, &r->array[POLAR], &r->array[POLAR + 1], peak.shift);
    const struct gf_motion more = gf_motion_of_polar(peak.shift);
    r->motion.turn += more.turn;
    r->motion.scale *= r->t->s->reg.estimate == SIMILARITY ? more.scale : 1;
    return rc;
}

/* Moves `in` by r->motion into MOVED, and finds the shift that is left. */
static int find_moved(struct gf_registering *r, struct gf_correlation_peak *peak) {
    int rc = r->array[MOVED].data
                 ? 0
                 : gf_array_alloc(&r->array[MOVED], r->array[IN].dtype, 2, r->array[IN].shape);
    if (rc)
        return rc;
    memset(r->motion.shift, 0, sizeof r->motion.shift);
    gf_motion_apply(&r->array[IN], &r->motion, true, gf_settings_threads(r->t->s),
                    &r->array[MOVED]);
    return find(r, &r->pictures, &r->array[REF], &r->array[MOVED], peak);
}

/* The spectrum's magnitude is the same after half a turn, so both are tried; then the picture, now
 * nearly in place, shows what is left to turn. */
static int find_motion(struct gf_registering *r, struct gf_correlation_peak *peak) {
    struct gf_correlation_peak other;
    const int threads = gf_settings_threads(r->t->s);
    int rc = find_turn(r, &r->array[IN]);
    if (!rc)
        rc = find_moved(r, peak);
    r->motion.turn += 180;
    if (!rc)
        rc = find_moved(r, &other);
    if (!rc && other.height > peak->height)
        *peak = other;
    else
        r->motion.turn -= 180;
    if (rc)
        return rc;
    memcpy(r->motion.shift, peak->shift, sizeof peak->shift);
    gf_motion_apply(&r->array[IN], &r->motion, true, threads, &r->array[MOVED]);
    rc = find_turn(r, &r->array[MOVED]);
    r->motion.turn = remainder(r->motion.turn, 360);
    return rc ? rc : find_moved(r, peak);
}

/* Registers r->array[IN]. GF_EINVAL if it has nothing in common with the reference. */
static int estimate(struct gf_registering *r) {
    const bool turns = r->t->s->reg.estimate != SHIFT;
    struct gf_correlation_peak peak;
    r->motion = (struct gf_motion){.scale = 1};
    int rc =
        turns ? find_motion(r, &peak) : find(r, &r->pictures, &r->array[REF], &r->array[IN], &peak);
    const int least = turns ? GF_PEAK_LEAST_TURNED : GF_PEAK_LEAST;
    if (!rc && !(peak.height >= least))
        rc = gf_fail(GF_EINVAL,
                     "nothing in common with the reference: the correlation's peak is %.3g times "
                     "its deviation, and less than %d may be chance",
                     peak.height, least);
    if (rc)
        return rc;
    r->height = peak.height;
    memcpy(r->motion.shift, peak.shift, sizeof peak.shift);
    return refine(r, &r->pictures, &r->array[REF], &r->array[turns ? MOVED : IN], r->motion.shift);
}

/* ---- the aligned picture ---- */

/* The job that shifts by a filter of phases, between mirror images, so that no edge rings. */
static struct gf_job shift_job(const struct gf_registering *r, const struct gf_array *in,
                               const struct gf_array *out) {
    struct gf_job job = {.op = GF_FILTER, .ndim = in->rank - 1, .in_dtype = in->dtype, .n_out = 1};
    job.channels = in->shape[job.ndim];
    job.axes = (1u << job.ndim) - 1;
    job.precision = gf_settings_precision(r->t->s, in->dtype);
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = out->dtype};
    for (int i = 0; i < job.ndim; i++)
        job.shape[i] = gf_edges_length(GF_EDGES_MIRROR, job.counted[i] = in->shape[i]);
    return job;
}

static int shift_picture(struct gf_registering *r, const struct gf_array *in,
                         struct gf_array *out) {
    struct gf_job job = shift_job(r, in, out);
    struct gf_array wide = {0}, to = {0};
    struct gf_filter *f = NULL;
    struct gf_report report = {0};
    int64_t half[GF_MAX_RANK];
    gf_job_in_shape(&job, half);
    half[job.ndim - 1] = half[job.ndim - 1] / 2 + 1;
    const int64_t bytes =
        held(r) + gf_job_bytes(&job, -1) + gf_job_bytes(&job, 0) +
        gf_shape_count(half, job.ndim) * (int64_t)gf_dtype_size(gf_job_number(&job));
    int rc = gf_memory_check(bytes, gf_runner_limit(r->t->runner));
    if (!rc)
        rc = gf_filter_new(&f);
    if (!rc)
        rc = gf_array_alloc(&f->table, gf_job_number(&job), job.ndim, half);
    if (!rc)
        rc = gf_job_alloc(&job, -1, &wide);
    if (!rc)
        rc = gf_job_alloc(&job, 0, &to);
    if (rc)
        goto out;
    gf_motion_ramp(job.shape, r->motion.shift, &f->table);
    job.filter = f;
    job.filter_serial = f->serial;
    struct gf_array part = wide, result = to;
    memcpy(part.shape, in->shape, sizeof part.shape);
    memcpy(result.shape, in->shape, sizeof result.shape);
    gf_array_copy(&part, in);
    gf_edges_fill(GF_EDGES_MIRROR, in->shape, gf_settings_threads(r->t->s), &wide);
    rc = gf_signal_plan(r->t->runner, &job, bytes);
    if (!rc)
        rc = gf_runner_run(r->t->runner, &wide, &to, &report);
    gf_array_copy(out, &result);
    gf_motion_fill(out, r->motion.shift, r->t->s->reg.fill == EDGE);
out:
    gf_filter_free(f);
    gf_array_free(&to);
    gf_array_free(&wide);
    return rc;
}

/* Turns, scales and shifts a picture. */
static int move_picture(struct gf_registering *r, const struct gf_array *in, struct gf_array *out) {
    const int64_t bytes = gf_array_count(in) * (int64_t)gf_dtype_size(r->array[IN].dtype);
    struct gf_array from = {0}, to = {0};
    int rc = gf_memory_check(held(r) + 2 * bytes, gf_runner_limit(r->t->runner));
    if (!rc)
        rc = gf_array_alloc(&from, r->array[IN].dtype, 3, in->shape);
    if (!rc)
        rc = gf_array_alloc(&to, r->array[IN].dtype, 3, in->shape);
    if (!rc) {
        gf_samples_convert(&from, in);
        gf_motion_apply(&from, &r->motion, r->t->s->reg.fill == EDGE, gf_settings_threads(r->t->s),
                        &to);
        gf_samples_convert(out, &to);
    }
    gf_array_free(&from);
    gf_array_free(&to);
    return rc;
}

/* Puts the aligned picture into the product. Its alpha moves with it. */
static int align(struct gf_registering *r, int64_t page) {
    const struct gf_array *in = &r->t->image.px;
    struct gf_array to = r->t->product[0].image.px;
    if (page >= 0)
        to = gf_array_index(&to, 0, page);
    const struct gf_array from = gf_array_slice(in, in->rank - 1, 0, to.shape[to.rank - 1]);
    return r->t->s->reg.estimate == SHIFT ? shift_picture(r, &from, &to)
                                          : move_picture(r, &from, &to);
}

/* ---- the report ---- */

static json_t *numbers(const double *at, const double *unit, int ndim) {
    json_t *list = json_array();
    for (int i = 0; i < ndim; i++)
        json_array_append_new(list, json_real(at[i] * (unit ? unit[i] : 1)));
    return list;
}

static const char form[] =
    "{?first input                    {?volume z          }{?plane y          }x          "
    "{?unit {?volume z in {unit:-8s}}{?plane y in {unit:-8s}}x in {unit:-8s}}"
    "{?turns rotation  scale     }correlation  peak\n}"
    "{name:-24s} {?volume {z:-10.3f} }{?plane {y:-10.3f} }{x:-10.3f} "
    "{?unit {?volume {z_unit:-12.5g} }{?plane {y_unit:-12.5g} }{x_unit:-12.5g} }"
    "{?turns {rotation:-9.3f} {scale:-9.5f} }{correlation:-12.4f} {peak:.1f}\n";

static void print(struct gf_registering *r, const char *name, int64_t page) {
    const struct gf_task *t = r->t;
    const struct gf_motion *m = &r->motion;
    const int ndim = r->array[REF].rank, x = ndim - 1, y = ndim > 1 ? x - 1 : 0;
    double spacing[GF_MAX_DIMS] = {0};
    const char *unit = gf_signal_spacing(&t->image, ndim, spacing, NULL);
    const bool frame = t->n_read > 1;
    gf_progress_hide();
    gf_report_print(
        t->s->json, form,
        GF_REPORT(GF_KEY("in", t->read[frame ? page : 0]), GF_KEY_IF(page >= 0, "page", page),
                  GF_KEY("command", "register"),
                  GF_KEY("shape", gf_json_shape(r->array[REF].shape, ndim)),
                  GF_KEY("shift", numbers(m->shift, NULL, ndim)), GF_KEY_IF(unit, "unit", unit),
                  GF_KEY_IF(unit, "shift_in_unit", numbers(m->shift, spacing, ndim)),
                  GF_KEY("rotation", m->turn), GF_KEY("scale", m->scale),
                  GF_KEY("correlation", r->coefficient), GF_KEY("peak", r->height),
                  GF_KEY("backend", gf_runner_name(t->runner)),
                  GF_KEY_IF(t->targets->n, "out", t->product[0].path), GF_BOOL("ok", true),
                  GF_BOOL(".first", !r->printed),
                  GF_KEY(".name", gf_log_name(frame ? t->read[page] : name)),
                  GF_BOOL(".plane", ndim > 1), GF_BOOL(".volume", ndim > 2),
                  GF_BOOL(".turns", t->s->reg.estimate != SHIFT), GF_KEY(".z", m->shift[0]),
                  GF_KEY(".y", m->shift[y]), GF_KEY(".x", m->shift[x]),
                  GF_KEY(".z_unit", m->shift[0] * spacing[0]),
                  GF_KEY(".y_unit", m->shift[y] * spacing[y]),
                  GF_KEY(".x_unit", m->shift[x] * spacing[x])));
    gf_log_flush_stdout();
    r->printed = true;
}

/* ---- the task ---- */

/* Registers a picture or a page; the first page of a stack without a reference is the reference. */
static int visit(struct gf_task *t, const char *name, int64_t page) {
    struct gf_registering *r = t->s->reg.state;
    const bool piped = t->targets->n && !strcmp(t->targets->target[0].where.text, "-");
    double before[GF_MAX_DIMS] = {0};
    r->t = t;
    gf_progress_show("registering", gf_log_name(name));
    gf_array_free(&r->array[IN]);
    int rc =
        gf_memory_check(held(r) + gf_signal_bytes(t->s, &t->image) * 6, gf_runner_limit(t->runner));
    const bool first = !t->s->reg.with && !page;
    if (!rc && first) {
        free_state(r); /* it may be a stack of another size */
        rc = gf_signal_make(t->s, &t->image, &r->array[REF]);
    } else if (t->s->reg.to == PREVIOUS) {
        memcpy(before, r->motion.shift, sizeof before);
    }
    if (!rc)
        rc = gf_signal_make(t->s, &t->image, &r->array[IN]);
    if (!rc)
        rc = estimate(r);
    for (int i = 0; i < GF_MAX_DIMS && !rc; i++)
        r->motion.shift[i] += before[i];
    if (!rc && t->targets->n)
        rc = align(r, page);
    if (rc)
        return page < 0
                   ? rc
                   : gf_fail((enum gf_status)rc, "page %lld: %s", (long long)page, gf_message());
    if (!piped) /* the picture has stdout */
        print(r, name, page);
    if (t->s->reg.to == PREVIOUS) {
        const struct gf_array last = r->array[REF];
        r->array[REF] = r->array[IN];
        r->array[IN] = last;
        r->pictures.ready = false;
    }
    return 0;
}

static int describe(struct gf_task *t) {
    const struct gf_record own = {.dtype = t->image.px.dtype,
                                  .color = t->image.color,
                                  .alpha = t->image.alpha ? GF_ALPHA_KEPT : GF_ALPHA_NONE};
    t->job.n_out = 1;
    t->product[0].kind = GF_REAL;
    return gf_task_describe_restored(t, 0, &own);
}

static int prepare(struct gf_task *t) {
    const struct gf_registering *r = t->s->reg.state;
    int rc = gf_signal_prepare(t);
    t->job.op = GF_FILTER;
    if (!rc)
        rc = gf_task_take_channels(t);
    if (rc)
        return rc;
    const int pages = gf_signal_by_pages(t), ndim = t->image.ndim - pages;
    const struct gf_array own =
        gf_array_wrap(NULL, t->image.px.dtype, ndim, t->image.px.shape + pages);
    if (!t->s->reg.with && !pages)
        return gf_fail(GF_EINVAL, "one picture, and no reference; give REF IN, or a stack with "
                                  "--dims=2");
    if (ndim != 2 && t->s->reg.estimate != SHIFT)
        return gf_fail(GF_EINVAL, "%d axes; --estimate=rigid and similarity take pictures%s", ndim,
                       ndim == 3 ? ", --dims=2 the pages of a volume" : "");
    if (t->reader.series && t->targets->n)
        return gf_fail(GF_EINVAL, "times or channels of volumes; --select takes one");
    if (t->s->reg.with && (rc = gf_signal_same_shape(&own, &r->array[REF], "the reference")))
        return rc;
    return t->targets->n ? describe(t) : 0;
}

static int stream(struct gf_task *t) {
    struct gf_array *out = &t->product[0].image.px, like = *out;
    int rc = t->targets->n ? gf_array_alloc(out, like.dtype, like.rank, like.shape) : 0;
    if (!rc)
        rc = gf_signal_each(t, gf_signal_by_pages(t), visit);
    if (!rc && t->targets->n) {
        gf_task_note_alpha(t, 0);
        rc = gf_product_write(t->s, &t->job, &t->product[0], &t->image.metadata);
    }
    return rc;
}

static const struct gf_task_hooks hooks = {.name = "register",
                                           .default_kind = GF_REAL,
                                           .label = "registered",
                                           .keeps_type = true,
                                           .prints = true,
                                           .prepare = prepare,
                                           .stream = stream};

static int load_reference(const struct gf_settings *s, struct gf_registering *r) {
    struct gf_image image = {0};
    int rc = gf_signal_load(s, s->reg.with, &image);
    if (!rc)
        rc = gf_signal_make(s, &image, &r->array[REF]);
    gf_image_free(&image);
    if (rc)
        gf_log_fail(s->reg.with);
    return rc;
}

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_registering r = {.pictures.axes = 7, .polars.axes = 2}; /* angles are periodic */
    const bool listed = s->files_from || s->files0_from;
    const bool pair = !s->frames && (n > 1 || (n && listed));
    if (s->reg.to == PREVIOUS && (pair || s->reg.estimate != SHIFT))
        return gf_fail(GF_EUSAGE, "--to=previous adds up the shifts of a stack's frames; give "
                                  "--frames, or one stack with --dims=2, and --estimate=shift");
    s->dims = s->frames ? 2 : s->dims;
    s->reg.with = pair ? operands[0] : NULL;
    s->reg.state = &r;
    int rc = pair ? load_reference(s, &r) : 0;
    int code = rc ? gf_exit_code(rc) : gf_batch_run(&hooks, s, operands + pair, n - pair);
    free_state(&r);
    return code;
}

static const char *const estimates[] = {"shift", "rigid", "similarity", NULL}; /* enum estimate */
static const char *const references[] = {"first", "previous", NULL};
static const char *const fills[] = {"zero", "edge", NULL};

static const struct gf_opt_group register_group = GF_GROUP(
    "Registration",
    GF_CHOICE("estimate", reg.estimate, "WHAT", estimates,
              "shift (default), rigid (and rotation), or similarity (and scale)"),
    GF_CHOICE("to", reg.to, "first|previous", references,
              "register the frames of a stack with the first one (default), or each with the one "
              "before it, and add up the shifts"),
    GF_CHOICE("fill", reg.fill, "zero|edge", fills,
              "what aligned pictures have where IN shows nothing: 0 (default), or the samples of "
              "its edge"),
    GF_INTEGER("dims", dims, "2|3", 2, 3,
               "2: take each page of a volume by itself; 3: all as depth"));

static const struct gf_opt_group *const groups[] = {
    &gf_opts_out,         &gf_opts_depth_own, &gf_opts_files,  &register_group,
    &gf_opts_precision,   &gf_opts_list,      &gf_opts_frames, &gf_opts_raw,
    &gf_opts_one_backend, &gf_opts_memory,    &gf_opts_report, NULL};

const struct gf_command gf_command_register = {
    .name = "register",
    .operands = "REF IN...",
    .summary = "shift, rotation and scale that move pictures onto another",
    .groups = groups,
    .text = true,
    .examples = "  gpufft register first.png second.png\n"
                "  gpufft register first.png second.png --estimate=similarity --out=aligned.png\n"
                "  gpufft register --frames frames/ --to=previous --json\n"
                "  gpufft register movie.tif --dims=2 --out=steady.tif\n",
    .run = run,
};
