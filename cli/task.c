#include "cli/task.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/samples.h"
#include "core/memory.h"
#include "core/status.h"

double gf_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

enum gf_precision gf_task_precision(const struct gf_settings *s, enum gf_dtype dtype) {
    if (s->precision != GF_UNSAID)
        return (enum gf_precision)s->precision;
    bool wide = dtype == GF_F64 || dtype == GF_C128 || dtype == GF_U32 || dtype == GF_I32;
    return wide ? GF_DOUBLE : GF_SINGLE;
}

int gf_task_describe(struct gf_task *t, int i, enum gf_color color) {
    struct gf_product *p = &t->product[i];
    int64_t shape[GF_MAX_RANK], bytes;
    gf_job_out_shape(&t->job, i, shape);
    shape[t->job.ndim] += p->alpha_plane;
    int rc = gf_size_product(shape, t->job.ndim + 1, (int64_t)gf_dtype_size(t->job.out[i].dtype),
                             &bytes);
    if (rc)
        return rc;
    p->image.px = gf_array_wrap(NULL, t->job.out[i].dtype, t->job.ndim + 1, shape);
    memcpy(p->shape, shape, sizeof p->shape);
    p->image.ndim = t->job.ndim;
    p->image.color = color;
    return t->s->plan_only ? 0 : gf_product_accepts(p);
}

static int64_t bytes_of(const struct gf_array *a) {
    return gf_array_count(a) * (int64_t)gf_dtype_size(a->dtype);
}

static int check_memory(const struct gf_task *t, int64_t workspace) {
    int64_t need = bytes_of(&t->image.px) + t->extra_bytes + workspace;
    for (int i = 0; i < t->job.n_out; i++)
        need += bytes_of(&t->product[i].image.px);
    return gf_memory_check(need, t->engine->limit);
}

static int load(struct gf_task *t, bool header_only) {
    if (t->s->from_magnitude)
        return gf_load_pair(t->s, header_only, &t->image);
    if (t->s->frames)
        return gf_load_frames(t->s, t->read, t->n_read, header_only, &t->image);
    return gf_load_picture(t->s, t->read[0], header_only, &t->image);
}

static void free_products(struct gf_task *t) {
    for (int i = 0; i < GF_MAX_OUTPUTS; i++) {
        gf_image_free(&t->product[i].image);
        free(t->product[i].path);
        t->product[i] = (struct gf_product){0};
    }
}

/* What is wrong with an output's place shows before the work; the sink has the last word on it. */
static int check_place(const struct gf_settings *s, const struct gf_product *p) {
    struct stat st;
    if (s->plan_only || p->bands || !strcmp(p->path, "-"))
        return 0;
    if (!s->clobber && !stat(p->path, &st) && S_ISREG(st.st_mode))
        return gf_fail(GF_EIO, "'%s' exists, and --no-clobber keeps it", p->path);
    const char *slash = strrchr(p->path, '/');
    char *folder = slash && slash != p->path ? strndup(p->path, (size_t)(slash - p->path)) : NULL;
    int rc = 0;
    if (folder && stat(folder, &st))
        rc = gf_fail(GF_EIO, "cannot write '%s': no folder '%s'", p->path, folder);
    free(folder);
    return rc;
}

/* The job of what has been read so far, checked and planned; again after the samples are there,
 * for the file may have changed under us (an equal job keeps its plan). */
static int prepare(struct gf_task *t) {
    const char *in = t->read[0];
    free_products(t);
    memset(&t->job, 0, sizeof t->job); /* padding too: jobs are compared as bytes */
    t->alpha = (struct gf_array){0};
    for (int i = 0; i < t->targets->n; i++) {
        const struct gf_target *target = &t->targets->target[i];
        struct gf_product *p = &t->product[i];
        p->kind = target->kind;
        p->label = target->label;
        p->bands = target->bands;
        p->aside = target->aside;
        p->where = &target->where;
        p->in = in;
        int rc = gf_target_resolve(target, in, &p->format, &p->path);
        if (!rc)
            rc = check_place(t->s, p);
        if (rc)
            return rc;
    }
    t->job.n_out = t->targets->n - t->targets->n_aside;
    return t->transform->prepare(t);
}

/* Plans t->job; where that takes more memory than there is, a plan that takes less and is slower.
 */
static int plan_within_limit(struct gf_task *t) {
    int rc = gf_engine_plan(t->engine, &t->job);
    if (rc || !check_memory(t, t->engine->plan->workspace_bytes))
        return rc;
    t->job.lean = true;
    return gf_engine_plan(t->engine, &t->job);
}

/* The job of t->image, its arrays held to the limit. */
static int fit(struct gf_task *t) {
    int rc = prepare(t);
    return rc ? rc : check_memory(t, 0);
}

/* A plan for the job, if there is memory for it too. */
static int plan(struct gf_task *t) {
    int rc = plan_within_limit(t);
    return rc ? rc : check_memory(t, t->engine->plan->workspace_bytes);
}

int gf_task_plan(struct gf_task *t) {
    int rc = prepare(t);
    return rc ? rc : plan_within_limit(t);
}

/* A pipe is read once; what is missing shows then too. */
static bool reads_files(const struct gf_task *t) {
    struct stat st;
    for (int i = 0; i < t->n_read; i++)
        if (!strcmp(t->read[i], "-") || stat(t->read[i], &st) || !S_ISREG(st.st_mode))
            return false;
    return !t->s->from_phase || (!stat(t->s->from_phase, &st) && S_ISREG(st.st_mode));
}

int gf_task_outline(struct gf_task *t) {
    if (!reads_files(t))
        return 0;
    int rc = load(t, true);
    return rc ? rc : prepare(t);
}

int gf_task_preview(struct gf_task *t) {
    if (!reads_files(t))
        return 0;
    int rc = load(t, true);
    if (!rc)
        rc = fit(t);
    /* Where a context is being opened, decoding comes first; it takes about as long. */
    if (!rc && !gf_engine_ahead(t->engine, &t->job))
        rc = plan(t);
    gf_image_free(&t->image);
    return rc;
}

int gf_task_read(struct gf_task *t) {
    double start = gf_now_ms();
    int rc = load(t, false);
    if (!rc)
        rc = gf_load_finite(t->s, &t->image);
    t->ms_decode = gf_now_ms() - start;
    return rc;
}

static void add_alpha(const struct gf_task *t, struct gf_product *p) {
    int axis = t->job.ndim;
    struct gf_array to = gf_array_slice(&p->image.px, axis, p->image.px.shape[axis] - 1, 1);
    gf_samples_convert(&to, &t->alpha);
}

int gf_task_run(struct gf_task *t) {
    struct gf_array out[GF_MAX_OUTPUTS];
    int rc = fit(t);
    if (!rc)
        rc = plan(t);
    for (int i = 0; i < t->job.n_out && !rc; i++) {
        struct gf_product *p = &t->product[i];
        struct gf_array like = p->image.px;
        rc = gf_array_alloc(&p->image.px, like.dtype, like.rank, like.shape);
        if (!rc) /* the backend sees all channels but alpha */
            out[i] = gf_array_slice(&p->image.px, t->job.ndim, 0,
                                    like.shape[t->job.ndim] - p->alpha_plane);
    }
    if (rc)
        return rc;
    double start = gf_now_ms();
    rc = gf_engine_exec(t->engine, &t->in, out, &t->report);
    t->ms_transform = gf_now_ms() - start;
    if (!rc && t->transform->check)
        rc = t->transform->check(t);
    for (int i = 0; i < t->job.n_out && !rc; i++)
        if (t->product[i].alpha_plane)
            add_alpha(t, &t->product[i]);
    return rc;
}

int gf_task_write(struct gf_task *t) {
    double start = gf_now_ms();
    int rc = 0;
    gf_image_free(&t->image); /* not needed any more, and the encoder may want the room */
    for (int i = 0; i < t->targets->n && !rc; i++) {
        const struct gf_product *p = &t->product[i];
        rc = p->bands ? gf_bands_write(t, p) : gf_product_write(t->s, &t->product[i]);
        gf_array_free(&t->product[i].image.px);
    }
    t->ms_encode = gf_now_ms() - start;
    return rc;
}

void gf_task_free(struct gf_task *t) {
    if (t->transform->free)
        t->transform->free(t);
    gf_image_free(&t->image);
    free_products(t);
}
