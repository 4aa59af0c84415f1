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
#include "core/compare/correlate.h"
#include "core/filter/edges.h"

/* The state of a run. The arrays are allocated for the first pair. */
struct gf_registering {
    struct gf_task *t;
    struct gf_array ref, in;
    struct gf_array px;       /* a tapered signal, or the surface */
    struct gf_spectrum kept;  /* of the reference, if `ready` */
    struct gf_spectrum of[2]; /* of the reference and the other one */
    bool ready, printed;
    double shift[GF_MAX_DIMS]; /* of the last picture; with --to=previous added up */
    double height, coefficient;
};

static void free_state(struct gf_registering *r) {
    struct gf_array *const all[] = {&r->ref,     &r->in,       &r->px,
                                    &r->kept.px, &r->of[0].px, &r->of[1].px};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gf_array_free(all[i]);
    r->ready = false;
}

/* Bytes of all arrays: the samples and the result, two signals, and the work's. */
static int64_t held(const struct gf_registering *r) {
    return gf_array_bytes(&r->t->image.px) + gf_array_bytes(&r->t->product[0].image.px) +
           2 * gf_array_bytes(&r->ref) + 16 * gf_array_count(&r->ref);
}

/* Tapers a signal and transforms it. GF_EINVAL if it is constant. */
static int transform(struct gf_registering *r, const struct gf_array *px, const double *shift,
                     double side, struct gf_spectrum *to, double *energy) {
    int rc = r->px.data ? 0 : gf_array_alloc(&r->px, GF_F32, px->rank, px->shape);
    if (!rc)
        rc = gf_taper(px, shift, side, gf_settings_threads(r->t->s), &r->px, energy);
    if (!rc && !(*energy > 0))
        rc = gf_fail(GF_EINVAL, "all samples are equal, and nothing can be aligned");
    if (rc)
        return rc;
    struct gf_job job = gf_signal_job(&r->px, GF_FORWARD);
    to->ndim = px->rank;
    to->half = true;
    to->threads = gf_settings_threads(r->t->s);
    memcpy(to->shape, px->shape, sizeof to->shape);
    return gf_signal_run(r->t->runner, &job, held(r), &r->px, &to->px);
}

/* Finds r->shift of r->in in whole samples, and how far the peak rises. GF_EINVAL if it
 * has nothing in common with the reference. */
static int find(struct gf_registering *r) {
    double energy;
    int rc = r->ready ? 0 : transform(r, &r->ref, NULL, 1, &r->kept, &energy);
    r->ready = !rc;
    if (!rc)
        rc = transform(r, &r->in, NULL, -1, &r->of[1], &energy);
    if (!rc)
        rc = gf_cross_phases(&r->kept, &r->of[1]);
    struct gf_job job = gf_signal_job(&r->px, GF_INVERSE);
    if (!rc)
        rc = gf_signal_run(r->t->runner, &job, held(r), &r->of[1].px, &r->px);
    if (rc)
        return rc;
    r->height = gf_correlation_peak(&r->kept, &r->px, r->shift);
    if (r->height >= GF_PEAK_LEAST)
        return 0;
    return gf_fail(GF_EINVAL,
                   "nothing in common with the reference: the correlation's peak is %.3g times its "
                   "deviation, and less than %d may be chance",
                   r->height, GF_PEAK_LEAST);
}

/* Finds r->shift and its coefficient. */
static int estimate(struct gf_registering *r) {
    double energy[2];
    int rc = find(r);
    if (!rc)
        rc = transform(r, &r->ref, r->shift, 1, &r->of[0], &energy[0]);
    if (!rc)
        rc = transform(r, &r->in, r->shift, -1, &r->of[1], &energy[1]);
    return rc ? rc : gf_correlation_refine(&r->of[0], &r->of[1], energy, r->shift, &r->coefficient);
}

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

/* Puts the aligned picture into the product. Its alpha moves with it. */
static int align(struct gf_registering *r, int64_t page) {
    const struct gf_array *px = &r->t->image.px;
    struct gf_array out = r->t->product[0].image.px;
    if (page >= 0)
        out = gf_array_index(&out, 0, page);
    const struct gf_array in = gf_array_slice(px, px->rank - 1, 0, out.shape[out.rank - 1]);
    struct gf_job job = shift_job(r, &in, &out);
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
    gf_shift_ramp(job.shape, r->shift, &f->table);
    job.filter = f;
    job.filter_serial = f->serial;
    struct gf_array part = wide, result = to;
    memcpy(part.shape, in.shape, sizeof part.shape);
    memcpy(result.shape, in.shape, sizeof result.shape);
    gf_array_copy(&part, &in);
    gf_edges_fill(GF_EDGES_MIRROR, in.shape, gf_settings_threads(r->t->s), &wide);
    rc = gf_signal_plan(r->t->runner, &job, bytes);
    if (!rc)
        rc = gf_runner_run(r->t->runner, &wide, &to, &report);
    gf_array_copy(&out, &result);
    gf_shift_fill(&out, r->shift, r->t->s->reg.fill);
out:
    gf_filter_free(f);
    gf_array_free(&to);
    gf_array_free(&wide);
    return rc;
}

static json_t *numbers(const double *at, const double *unit, int ndim) {
    json_t *list = json_array();
    for (int i = 0; i < ndim; i++)
        json_array_append_new(list, json_real(at[i] * (unit ? unit[i] : 1)));
    return list;
}

static const char form[] =
    "{?first input                    {?volume z          }{?plane y          }x          "
    "{?unit {?volume z in {unit:-8s}}{?plane y in {unit:-8s}}x in {unit:-8s}}"
    "correlation  peak\n}"
    "{name:-24s} {?volume {z:-10.3f} }{?plane {y:-10.3f} }{x:-10.3f} "
    "{?unit {?volume {z_unit:-12.5g} }{?plane {y_unit:-12.5g} }{x_unit:-12.5g} }"
    "{correlation:-12.4f} {peak:.1f}\n";

static void print(struct gf_registering *r, const char *name, int64_t page) {
    const struct gf_task *t = r->t;
    const int ndim = r->ref.rank, x = ndim - 1, y = ndim > 1 ? x - 1 : 0;
    double spacing[GF_MAX_DIMS] = {0};
    const char *unit = gf_signal_spacing(&t->image, ndim, spacing, NULL);
    const bool frame = t->n_read > 1;
    gf_progress_hide();
    gf_report_print(
        t->s->json, form,
        GF_REPORT(GF_KEY("in", t->read[frame ? page : 0]), GF_KEY_IF(page >= 0, "page", page),
                  GF_KEY("command", "register"), GF_KEY("shape", gf_json_shape(r->ref.shape, ndim)),
                  GF_KEY("shift", numbers(r->shift, NULL, ndim)), GF_KEY_IF(unit, "unit", unit),
                  GF_KEY_IF(unit, "shift_in_unit", numbers(r->shift, spacing, ndim)),
                  GF_KEY("correlation", r->coefficient), GF_KEY("peak", r->height),
                  GF_KEY("backend", gf_runner_name(t->runner)),
                  GF_KEY_IF(t->targets->n, "out", t->product[0].path), GF_BOOL("ok", true),
                  GF_BOOL(".first", !r->printed),
                  GF_KEY(".name", gf_log_name(frame ? t->read[page] : name)),
                  GF_BOOL(".plane", ndim > 1), GF_BOOL(".volume", ndim > 2),
                  GF_KEY(".z", r->shift[0]), GF_KEY(".y", r->shift[y]), GF_KEY(".x", r->shift[x]),
                  GF_KEY(".z_unit", r->shift[0] * spacing[0]),
                  GF_KEY(".y_unit", r->shift[y] * spacing[y]),
                  GF_KEY(".x_unit", r->shift[x] * spacing[x])));
    gf_log_flush_stdout();
    r->printed = true;
}

/* Registers a picture or a page; the first page of a stack without a reference is the reference. */
static int visit(struct gf_task *t, const char *name, int64_t page) {
    struct gf_registering *r = t->s->reg.state;
    const bool piped = t->targets->n && !strcmp(t->targets->target[0].where.text, "-");
    double before[GF_MAX_DIMS] = {0};
    r->t = t;
    gf_progress_show("registering", gf_log_name(name));
    gf_array_free(&r->in);
    int rc =
        gf_memory_check(held(r) + gf_signal_bytes(t->s, &t->image) * 6, gf_runner_limit(t->runner));
    const bool first = !t->s->reg.with && !page;
    if (!rc && first) {
        free_state(r); /* it may be a stack of another size */
        rc = gf_signal_make(t->s, &t->image, &r->ref);
    } else if (t->s->reg.to) {
        memcpy(before, r->shift, sizeof before);
    }
    if (!rc)
        rc = gf_signal_make(t->s, &t->image, &r->in);
    if (!rc)
        rc = estimate(r);
    for (int i = 0; i < GF_MAX_DIMS && !rc; i++)
        r->shift[i] += before[i];
    if (!rc && t->targets->n)
        rc = align(r, page);
    if (rc)
        return page < 0
                   ? rc
                   : gf_fail((enum gf_status)rc, "page %lld: %s", (long long)page, gf_message());
    if (!piped) /* the picture has stdout */
        print(r, name, page);
    if (t->s->reg.to) {
        gf_array_free(&r->ref);
        r->ref = r->in;
        r->in = (struct gf_array){0};
        r->ready = false;
    }
    return 0;
}

static int prepare(struct gf_task *t) {
    const struct gf_registering *r = t->s->reg.state;
    const struct gf_record own = {.dtype = t->image.px.dtype,
                                  .color = t->image.color,
                                  .alpha = t->image.alpha ? GF_ALPHA_KEPT : GF_ALPHA_NONE};
    int rc = gf_signal_prepare(t);
    t->job.op = GF_FILTER;
    if (!rc)
        rc = gf_task_take_channels(t);
    if (rc)
        return rc;
    const int pages = gf_signal_by_pages(t), ndim = t->image.ndim - pages;
    const struct gf_array one =
        gf_array_wrap(NULL, t->image.px.dtype, ndim, t->image.px.shape + pages);
    if (!t->s->reg.with && !pages)
        return gf_fail(GF_EINVAL, "one picture, and no reference; give REF IN, or a stack with "
                                  "--dims=2");
    if (t->reader.series && t->targets->n)
        return gf_fail(GF_EINVAL, "times or channels of volumes; --select takes one");
    if (t->s->reg.with && (rc = gf_signal_same_shape(&one, &r->ref, "the reference")))
        return rc;
    t->product[0].kind = GF_REAL;
    return t->targets->n ? gf_task_describe_restored(t, 0, &own) : 0;
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
        rc = gf_signal_make(s, &image, &r->ref);
    gf_image_free(&image);
    if (rc)
        gf_log_fail(s->reg.with);
    return rc;
}

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_registering r = {0};
    const bool listed = s->files_from || s->files0_from;
    const bool pair = !s->frames && (n > 1 || (n && listed));
    if (s->reg.to && pair)
        return gf_fail(GF_EUSAGE, "--to=previous adds up the shifts of a stack's frames; give "
                                  "--frames, or one stack with --dims=2");
    s->dims = s->frames ? 2 : s->dims;
    s->reg.with = pair ? operands[0] : NULL;
    s->reg.state = &r;
    int rc = pair ? load_reference(s, &r) : 0;
    int code = rc ? gf_exit_code(rc) : gf_batch_run(&hooks, s, operands + pair, n - pair);
    free_state(&r);
    return code;
}

static const char *const references[] = {"first", "previous", NULL};
static const char *const fills[] = {"zero", "edge", NULL};

static const struct gf_opt_group register_group = GF_GROUP(
    "Registration",
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
    .summary = "shifts that move pictures onto another",
    .groups = groups,
    .text = true,
    .examples = "  gpufft register first.png second.png\n"
                "  gpufft register first.png second.png --out=aligned.png\n"
                "  gpufft register --frames frames/ --to=previous --json\n"
                "  gpufft register movie.tif --dims=2 --out=steady.tif\n",
    .run = run,
};
