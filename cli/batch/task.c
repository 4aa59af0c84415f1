/* The steps of a task, see task.h. */
#include "cli/batch/task.h"

#include <stdlib.h>
#include <jansson.h>

#include "cli/log.h"
#include "core/base/host/clock.h"
#include "core/base/value/holes.h"
#include "core/base/value/sample_run.h"
#include "core/base/value/sample_value.h"
#include "core/base/host/memory.h"

/* ---- memory ---- */

static int check_memory(struct gf_task *t, int64_t workspace) {
    int64_t arrays = gf_task_in_bytes(t) + gf_task_out_bytes(t), looking = gf_task_looking_bytes(t);
    const int64_t run = gf_max(arrays, looking) + gf_task_extra_bytes(t) + workspace;
    t->op.need = gf_max(run, t->op.prepare_bytes);
    return gf_runner_check_memory(t->op.crew.runner, t->op.need);
}

/* ---- header ---- */

static int name_products(struct gf_task *t) {
    const char *in = t->read[0];
    for (int i = 0; i < t->targets->n; i++) {
        const struct gf_target *target = &t->targets->target[i];
        struct gf_product *p = &t->product[i];
        *p = (struct gf_product){.target = target, .kind = target->kind, .in = in, .page = t->page};
        int rc = gf_target_resolve(target, in, &p->format, &p->path);
        const bool known = t->reader.file[0] && t->n_read == 1;
        if (!rc && !target->plain && !target->bands)
            rc = gf_product_number(p, known ? gf_file_pick(t->reader.file[0]) : NULL);
        if (rc)
            return rc;
    }
    return 0;
}

/* Refuses --nan=keep where a result has no place for NaN. */
static int check_keeping(const struct gf_task *t) {
    if (!t->hooks->puts_back)
        return gf_fail(GF_EINVAL, "--nan=keep is for filter; --nan=interpolate fills holes alike");
    for (int i = 0; i < t->op.job.n_out && !gf_dtype_is_integer(t->image.px.dtype); i++)
        if (gf_dtype_is_integer(t->op.job.out[i].dtype))
            return gf_fail(GF_EINVAL, "--nan=keep needs a float output; write .tif or .npy");
    return 0;
}

/* Names the products, has the command prepare the task, chooses how many pages to run at once. */
static int prepare(struct gf_task *t) {
    int rc = name_products(t);
    if (rc)
        return rc;
    t->op.job.n_out = t->targets->n - t->targets->n_aside;
    rc = t->hooks->prepare(t);
    if (!rc && t->s->nan == GF_NAN_KEEP)
        rc = check_keeping(t);
    return rc ? rc : gf_task_choose_pages(t);
}

struct gf_outputs gf_task_outputs(const struct gf_task *t) {
    return (struct gf_outputs){&t->op.job, t->product, t->targets->n};
}

static int claim_file(void *user, const struct gf_product *p, const char *path) {
    (void)user;
    return gf_target_claim(p->target, p->in, p->format, path);
}

static bool may_have_more(const struct gf_task *t) {
    bool pages = false;
    for (int i = 0; i < t->targets->n; i++)
        pages = pages || gf_template_counts(&t->targets->target[i].where);
    return pages && t->reader.several;
}

/* Notes that the slowest of three axes, declared as times or channels, is transformed. */
static void note_stack(const char *name, const struct gf_image *image, unsigned axes) {
    const struct gf_axes *a = &image->axes;
    if (a->named && a->by && image->ndim == 3 && axes & 1)
        gf_log_note("'%s': its pages are times or channels (%s), and are transformed as depth; "
                    "--dims=2 takes them one by one",
                    gf_log_name(name), a->by);
}

/* Reads the header, makes the job, and claims the outputs' real names, which depend on both. */
static int describe(struct gf_task *t) {
    double start = gf_now_ms();
    gf_resume_begin(&t->resume, t->hooks->name, t->s, t->read, t->n_read);
    int rc = gf_reader_open(&t->reader, t->s, t->read, t->n_read, &t->image);
    t->op.ms.decode = gf_now_ms() - start;
    if (!rc)
        rc = prepare(t);
    const struct gf_outputs outputs = gf_task_outputs(t);
    if (!rc)
        rc = gf_outputs_each_file(&outputs, claim_file, NULL);
    if (rc)
        return rc;
    const bool skips = t->s->resume && !t->s->force && gf_resume_finds(&t->resume, &outputs);
    t->state = skips ? GF_TASK_SKIPPED : GF_TASK_DESCRIBED;
    if (!skips)
        note_stack(t->read[0], &t->image, t->s->axes.n ? 0 : t->op.job.axes);
    else if (!may_have_more(t))
        gf_reader_close(&t->reader);
    return 0;
}

/* Plans the job within the memory limit: tries a slower plan that needs less, then fewer pages. */
static int plan_within_limit(struct gf_task *t) {
    for (;;) {
        int rc = gf_runner_plan(t->op.crew.runner, gf_task_planned(t));
        if (rc || !check_memory(t, t->op.crew.runner->workspace))
            return rc;
        if (!gf_task_planned(t)->lean)
            gf_task_planned(t)->lean = true;
        else if (!gf_task_take_fewer_pages(t))
            return rc;
    }
}

/* Refuses arrays that exceed the limit even without a workspace. The message includes the workspace
 * if the job could be planned here; with --scratch it is not planned, since a long line's tables
 * are as large as the line. */
static int check_arrays(struct gf_task *t) {
    int rc = check_memory(t, 0);
    while (rc && gf_task_take_fewer_pages(t))
        rc = check_memory(t, 0);
    if (!rc || t->s->scratch || t->op.need > gf_memory_available() ||
        gf_runner_ahead(t->op.crew.runner, gf_task_planned(t)))
        return rc;
    bool planned_it = !plan_within_limit(t);
    return check_memory(t, planned_it ? t->op.crew.runner->workspace : 0);
}

/* Ends a step that may find the task too large. */
static int end_step(struct gf_task *t, int rc, enum gf_task_state next) {
    if (!rc || rc == GF_ENOMEM)
        t->state = rc ? GF_TASK_TOO_LARGE : next;
    return rc;
}

static int keep_file(void *user, const struct gf_product *p, const char *path) {
    (void)user, (void)p;
    return gf_path_is_file(path) ? gf_fail(GF_EIO, "'%s' exists, and --no-clobber keeps it", path)
                                 : 0;
}

/* With --no-clobber fails if an output exists; the sink checks again. */
static int check_places(const struct gf_task *t) {
    const struct gf_outputs outputs = gf_task_outputs(t);
    return t->s->clobber ? 0 : gf_outputs_each_file(&outputs, keep_file, NULL);
}

/* Checks the outputs' places, and the arrays against the memory limit. */
static int place(struct gf_task *t) {
    int rc = check_places(t);
    return rc ? rc : end_step(t, check_arrays(t), GF_TASK_PLACED);
}

/* True if a workspace could exceed the limit: one of twice the spectrum, in complex numbers. */
static bool is_tight(struct gf_task *t) {
    const struct gf_job *job = gf_task_planned(t);
    const int64_t numbers = gf_shape_count(job->shape, job->ndim) * job->channels;
    const int64_t bytes = 2 * numbers * (int64_t)gf_dtype_size(gf_job_number(job));
    return t->op.need + bytes > gf_runner_limit(t->op.crew.runner);
}

/* Postpones the plan while a device is being opened, and the samples are decoded meanwhile, which
 * takes about as long. But it must be known first whether they are read page by page or divided.
 * Devices that share pages are opened when they get one. */
static int plan(struct gf_task *t) {
    const bool at_once = gf_task_at_once(t), open = !t->op.refuses.pages && !at_once;
    const bool now = open || (at_once && t->deal) || is_tight(t) ||
                     !gf_runner_ahead(t->op.crew.runner, gf_task_planned(t));
    int rc = now ? plan_within_limit(t) : 0;
    if (rc)
        return rc;
    return end_step(t, now ? check_memory(t, t->op.crew.runner->workspace) : 0, GF_TASK_PLANNED);
}

int gf_task_plan(struct gf_task *t) {
    enum { MOST = 50 }; /* refuses inputs over 2^50 bytes before it makes tables */
    int rc = prepare(t);
    if (!rc && gf_task_in_bytes(t) >> MOST)
        rc = check_memory(t, 0);
    return rc ? rc : plan_within_limit(t);
}

int gf_task_dry_run(struct gf_task *t) {
    const bool at_hand = gf_task_is_at_hand(t);
    int rc = at_hand ? gf_task_advance(t, GF_TASK_DESCRIBED) : name_products(t);
    if (!rc && t->state == GF_TASK_DESCRIBED)
        rc = check_places(t);
    for (int i = 0; i < t->targets->n && !rc && !at_hand && !t->s->clobber; i++)
        rc = keep_file(NULL, &t->product[i], t->product[i].path);
    gf_reader_close(&t->reader); /* one line an input, however many pictures it has */
    return rc;
}

int gf_task_preview(struct gf_task *t) {
    if (gf_task_is_at_hand(t))
        return gf_task_advance(t, GF_TASK_PLANNED);
    t->op.need = -1;
    return 0;
}

void gf_task_hand_over(struct gf_task *t, const struct gf_settings *s, struct gf_runner *runner) {
    t->s = t->reader.s = s;
    t->op.crew.runner = runner;
    t->op.crew.threads = gf_settings_threads(s);
    t->op.job.lean = gf_task_planned(t)->lean = false; /* other threads, another workspace */
    if (t->state == GF_TASK_PLANNED)
        t->state = GF_TASK_PLACED;
}

/* ---- samples ---- */

/* With --nan=keep marks the holes before they are filled. */
static int mark_holes(struct gf_task *t) {
    struct gf_array *px = &t->image.px;
    const bool keeps = t->s->nan == GF_NAN_KEEP && gf_array_nonfinite(px, NULL);
    if (!keeps)
        return 0;
    t->op.of.hole = malloc((size_t)gf_array_count(px));
    return t->op.of.hole ? gf_holes_fill(px, t->op.of.hole) : gf_no_memory();
}

void gf_task_put_back(const struct gf_task *t, struct gf_array *out, const unsigned char *hole) {
    struct gf_array cut = *out;
    for (int axis = 0; axis < t->op.job.ndim && hole; axis++) /* --edges made the output longer */
        cut = gf_array_slice(&cut, axis, 0, gf_min(cut.shape[axis], t->image.px.shape[axis]));
    if (hole)
        gf_holes_put_back(&cut, hole, t->image.px.shape[t->op.job.ndim]);
}

/* With `feed` they may only be about to be decoded. */
static int read_samples(struct gf_task *t, struct gf_feed *feed) {
    double start = gf_now_ms();
    int rc = gf_reader_read(&t->reader, &t->image, feed);
    if (!rc && feed && feed->produce)
        return 0;
    if (!rc)
        rc = mark_holes(t);
    if (!rc)
        rc = gf_load_finite(t->s, &t->image);
    t->op.ms.decode += gf_now_ms() - start;
    return rc;
}

/* True if the planned job can run while its samples are decoded, which are integers, never NaN. */
static bool may_be_fed(const struct gf_task *t) {
    return !t->op.kind && gf_dtype_is_integer(t->image.px.dtype) &&
           gf_runner_feeds(t->op.crew.runner) && gf_job_equal(&t->op.job, &t->op.crew.runner->job);
}

/* True if a file's further pictures have other names, or can follow in the same stream. */
static bool takes_several(const struct gf_product *p) {
    return gf_template_counts(&p->target->where) ||
           (gf_path_is_stream(p->path) && p->format->more && !p->target->bands);
}

static int check_several(struct gf_task *t) {
    for (int i = 0; i < t->targets->n; i++) {
        const struct gf_product *p = &t->product[i];
        if (takes_several(p))
            continue;
        if (gf_series_joins(t, i)) {
            const char *why = gf_series_refuses(t, i);
            if (why)
                return gf_fail(
                    GF_EINVAL,
                    "its volumes do not fit one %s: %s; write uncompressed .tif or .npy, "
                    "or number them with {page}",
                    gf_format_label(p->format, (char[8]){0}), why);
            continue;
        }
        int more = gf_reader_more(&t->reader);
        if (more > 0)
            return gf_fail(
                GF_EINVAL, "%s: number the outputs with {page} in %s, or %s",
                gf_file_pick(t->reader.file[0])->apart ? "its pages differ in size or type"
                                                       : "several pictures in one stream",
                p->target->where.option,
                gf_file_pick(t->reader.file[0])->apart ? "take some of one kind, as in --select=z=0"
                                                       : "write them as one stream, pgm:-");
        return more;
    }
    return 0;
}

/* Reads samples, or prepares to decode them, unless run by pages; completes and plans the job. */
static int read_input(struct gf_task *t) {
    const bool whole = !gf_task_at_once(t);
    int rc = whole ? read_samples(t, may_be_fed(t) ? &t->op.feed : NULL) : 0;
    if (rc)
        return rc;
    rc = check_several(t);
    if (rc)
        gf_reader_close(&t->reader); /* further pictures would have no output either */
    if (!rc && whole)
        rc = gf_task_take(t);
    if (!rc && !t->op.inner)
        rc = plan_within_limit(t);
    if (!rc)
        rc = check_memory(t, t->op.crew.runner->workspace);
    t->state = rc ? t->state : GF_TASK_READY;
    return rc;
}

/* ---- outputs ---- */

struct gf_array gf_task_without_alpha(const struct gf_task *t, int i, const struct gf_array *out) {
    const int axis = t->op.job.ndim;
    return gf_array_slice(out, axis, 0, out->shape[axis] - t->product[i].alpha_plane);
}

int64_t gf_task_overflowed(const struct gf_task *t, const struct gf_array *out) {
    return gf_job_is_bounded(&t->op.job) ? 0 : gf_array_nonfinite(out, NULL);
}

void gf_task_complete(const struct gf_task *t, int i, const struct gf_array *out,
                      const struct gf_array *alpha, struct gf_operation *op) {
    const int axis = t->op.job.ndim;
    struct gf_array plain = gf_task_without_alpha(t, i, out);
    op->overflowed[i] += gf_task_overflowed(t, &plain);
    if (!t->product[i].alpha_plane)
        return;
    struct gf_array to = gf_array_slice(out, axis, out->shape[axis] - 1, 1);
    gf_samples_convert(&to, alpha);
}

void gf_task_clip(const struct gf_task *t, int i, const struct gf_array *out,
                  struct gf_operation *op) {
    const double white = t->product[i].image.white;
    for (int64_t k = 0; white > 0 && k < gf_array_count(out); k++) {
        char *p = gf_array_at(out, k);
        if (gf_sample_get(p, out->dtype) <= white)
            continue;
        gf_sample_put(p, out->dtype, white);
        op->report.clipped[i]++;
    }
}

static int alloc_outputs(struct gf_task *t, struct gf_array *out) {
    for (int i = 0; i < t->op.job.n_out; i++) {
        struct gf_array *px = &t->product[i].image.px, like = *px;
        int rc = px->base ? 0 : gf_array_alloc(px, like.dtype, like.rank, like.shape);
        if (rc)
            return rc;
        out[i] = gf_task_without_alpha(t, i, px);
    }
    return 0;
}

/* Decodes and transforms concurrently. Without feed.complete the samples must be read again. */
static int run_fed(struct gf_task *t) {
    struct gf_array out[GF_MAX_OUTPUTS], *px = &t->product[0].image.px;
    const bool shared = gf_task_fits_input(t);
    if (shared)
        out[0] = gf_array_wrap(t->image.px.data, px->dtype, px->rank, px->shape);
    int rc = shared ? 0 : alloc_outputs(t, out);
    if (!rc)
        rc = gf_runner_run_fed(t->op.crew.runner, &t->op.in, &t->op.feed, out, &t->op.report);
    t->op.ms.decode += t->op.feed.ms;
    if (rc || t->op.feed.complete)
        gf_reader_close(&t->reader);
    if (!rc && t->op.feed.complete && shared) {
        *px = out[0];
        px->base = t->image.px.base;
        t->image.px.data = t->image.px.base = NULL;
    }
    return rc;
}

static int run_whole(struct gf_task *t) {
    struct gf_array out[GF_MAX_OUTPUTS];
    const int rc = alloc_outputs(t, out);
    return rc ? rc : gf_operation_run(&t->op, out);
}

static int transform(struct gf_task *t) {
    double start = gf_now_ms(), decoded = t->op.ms.decode;
    int rc = t->op.feed.produce ? run_fed(t) : 0;
    if (!rc && t->op.feed.produce && !t->op.feed.complete)
        rc = read_samples(t, NULL); /* fails if the file is damaged */
    if (!rc && !t->op.feed.complete)
        rc = run_whole(t);
    const struct gf_array alpha = gf_task_alpha(t, &t->image.px);
    t->op.ms.transform = gf_now_ms() - start - (t->op.ms.decode - decoded);
    for (int i = 0; i < t->op.job.n_out && !rc; i++)
        gf_task_clip(t, i, &t->product[i].image.px, &t->op);
    if (!rc)
        rc = t->hooks->check(t);
    if (!rc && t->targets->n_aside && t->hooks->draw_aside)
        rc = t->hooks->draw_aside(t, NULL);
    for (int i = 0; i < t->op.job.n_out && !rc; i++)
        gf_task_complete(t, i, &t->product[i].image.px, &alpha, &t->op);
    for (int i = 0; i < t->op.job.n_out && !rc; i++)
        gf_task_put_back(t, &t->product[i].image.px, t->op.of.hole);
    t->state = rc ? t->state : GF_TASK_TRANSFORMED;
    return rc;
}

/* True if the output is a copy of the input file: encoding samples again would lose quality. */
static bool is_same_file(const struct gf_task *t, const struct gf_product *p) {
    return t->op.untouched && t->reader.copies && !p->target->aside && !p->by_plane &&
           p->format == gf_file_format(t->reader.file[0]) && !t->image.turned;
}

static int write_outputs(struct gf_task *t) {
    double start = gf_now_ms();
    int rc = 0;
    gf_array_free(&t->image.px); /* the encoder may need the memory */
    for (int i = 0; i < t->targets->n && !rc; i++) {
        struct gf_product *p = &t->product[i];
        if ((rc = gf_product_stretch(t->s, p)) != 0)
            break;
        rc = gf_series_joins(t, i) ? gf_series_write(t, i)
             : is_same_file(t, p)  ? gf_file_copy(t->reader.file[0], p->path, t->s->clobber)
                                   : gf_product_write(t->s, &t->op.job, p, &t->image.metadata);
        gf_array_free(&t->product[i].image.px);
    }
    t->op.ms.encode = gf_now_ms() - start;
    t->state = rc ? t->state : GF_TASK_WRITTEN;
    return rc;
}

int gf_task_advance(struct gf_task *t, enum gf_task_state to) {
    static int (*const step[])(struct gf_task * t) = {
        [GF_TASK_NAMED] = describe,  [GF_TASK_DESCRIBED] = place,
        [GF_TASK_PLACED] = plan,     [GF_TASK_PLANNED] = read_input,
        [GF_TASK_READY] = transform, [GF_TASK_TRANSFORMED] = write_outputs};
    int rc = 0;
    while (!rc && t->state < to)
        rc = step[t->state](t);
    return rc;
}

/* ---- the next one ---- */

int gf_task_more(struct gf_task *t) {
    char *name = NULL;
    int rc = 0;
    /* The next picture follows this one's samples, even if it was skipped or refused. */
    if (t->reader.pending && !(t->reader.series && gf_file_is_at_hand(t->reader.file[0])))
        rc = gf_reader_read(&t->reader, &t->image, NULL);
    if (rc)
        return t->state == GF_TASK_SKIPPED ? rc : 0;
    int more = gf_reader_more(&t->reader);
    if (more <= 0)
        return more;
    const struct gf_pick *pick = gf_file_pick(t->reader.file[0]);
    const bool whole = t->state == GF_TASK_WRITTEN;
    for (int i = 0; i < t->targets->n; i++)
        if (gf_series_joins(t, i) && !whole) /* a file without one volume is of no use */
            return 0;
    if (t->reader.series && t->state == GF_TASK_NAMED) /* all volumes have this header */
        return 0;
    char number[64];
    snprintf(number, sizeof number, "%lld", (long long)t->page + 1);
    if (t->reader.series) {
        struct gf_pick after = *pick;
        after.image++;
        gf_pick_name(&after, number, sizeof number);
    }
    if (asprintf(&name, "%s[%s]", gf_log_name(t->read[0]), number) < 0)
        return gf_no_memory();
    struct gf_task next = {.s = t->s,
                           .hooks = t->hooks,
                           .targets = t->targets,
                           .op.crew = t->op.crew,
                           .read = t->read,
                           .n_read = t->n_read,
                           .reader = t->reader,
                           .resume = t->resume,
                           .page = t->page + (t->reader.series ? pick->pages : 1),
                           .series = t->series,
                           .name = name};
    t->reader = (struct gf_reader){0};
    t->series = NULL;
    gf_task_free(t);
    *t = next;
    return 1;
}

void gf_task_free(struct gf_task *t) {
    gf_operation_drop(&t->op);
    free(t->op.of.hole);
    t->op.of.hole = NULL;
    gf_series_free(t->series);
    t->series = NULL;
    json_decref(t->also);
    gf_image_free(&t->image);
    for (int i = 0; i < GF_MAX_OUTPUTS; i++) {
        gf_image_free(&t->product[i].image);
        free(t->product[i].path);
        t->product[i] = (struct gf_product){0};
    }
    if (t->page)
        free((char *)t->name);
    t->name = NULL;
    gf_reader_close(&t->reader);
}
