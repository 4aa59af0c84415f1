/* --deconvolve: checks its options, makes the blur's inverse, and runs Richardson-Lucy. */
#include "cli/filter/filtering.h"
#include "cli/log.h"
#include "cli/report.h"
#include "core/base/sample_value.h"
#include "core/filter/edges.h"
#include "core/restore/noise.h"
#include "core/restore/richardson.h"

static const double ROUNDING = 0.2886751345948129; /* the deviation of rounding to integers */

const struct gf_filter_part *gf_filter_psf(const struct gf_settings *s) {
    for (int i = 0; i < s->filter.n_parts; i++)
        if (s->filter.part[i].what >= GF_PSF)
            return &s->filter.part[i];
    return NULL;
}

bool gf_filter_iterates(const struct gf_settings *s) {
    return gf_filter_psf(s) && s->filter.restore.iterations != 0;
}

bool gf_filter_measures(const struct gf_settings *s) {
    return gf_filter_psf(s) && s->filter.restore.iterations == 0 &&
           !(s->filter.restore.regularize > 0);
}

/* ---- options ---- */

/* Richardson-Lucy is no factor of a spectrum, so that nothing can be one beside it. */
static int check_iterations(const struct gf_settings *s) {
    const struct gf_filter_settings *f = &s->filter;
    const char *with = f->n_parts > 1                                      ? "other filters"
                       : f->mask_out                                       ? "--mask-out"
                       : f->offset != 0 || f->offset_unit == GF_OFFSET_MID ? "--offset"
                       : s->color                                          ? "--color=luma"
                       : s->precision == GF_DOUBLE                         ? "--precision=double"
                                                                           : NULL;
    if (f->restore.regularize > 0)
        return gf_fail(GF_EUSAGE, "--iterations and --regularize exclude each other");
    if (f->restore.noise != 0 && f->restore.iterations > 0)
        return gf_fail(GF_EUSAGE, "--noise ends --iterations=auto, not a number of iterations");
    return with ? gf_fail(GF_EUSAGE, "--iterations does not go with %s; filter its result", with)
                : 0;
}

int gf_filter_check(struct gf_settings *s) {
    struct gf_filter_settings *f = &s->filter;
    const bool psf = gf_filter_psf(s);
    if (f->edges == GF_UNSET)
        f->edges = psf ? GF_EDGES_MIRROR : GF_EDGES_PERIODIC;
    if (!psf && (f->restore.iterations != 0 || f->restore.regularize > 0 || f->restore.noise != 0))
        return gf_fail(GF_EUSAGE, "--iterations, --regularize and --noise belong to --deconvolve");
    if (psf && gf_filter_searches(s))
        return gf_fail(GF_EUSAGE,
                       "--deconvolve does not go with --auto-notch or --descreen; remove "
                       "periodic noise first");
    if (f->restore.regularize > 0 && f->restore.noise != 0)
        return gf_fail(GF_EUSAGE, "--noise and --regularize exclude each other");
    return f->restore.iterations != 0 ? check_iterations(s) : 0;
}

/* ---- the filter ---- */

static int add_psf(const struct gf_settings *s, const struct gf_job *job, struct gf_filter *f) {
    const struct gf_filter_part *p = gf_filter_psf(s);
    return p->file.value ? gf_filter_times_part(s, p, job, f)
                         : gf_filter_add_blur(f, job, p->psf.size);
}

/* The blur's values on the job's shape. */
static int make_transfer(const struct gf_settings *s, const struct gf_job *job,
                         struct gf_array *h) {
    struct gf_job blur = *job;
    struct gf_filter *f = NULL;
    int rc = gf_filter_new(&f);
    if (!rc)
        rc = add_psf(s, job, f);
    blur.filter = f;
    if (!rc)
        rc = gf_filter_tabulate(&blur, gf_settings_threads(s), h);
    gf_filter_free(f);
    return rc;
}

int gf_filter_add_restoring(const struct gf_settings *s, const struct gf_job *job,
                            const struct gf_filter_frame *frame, struct gf_filter *f) {
    if (gf_filter_iterates(s))
        return add_psf(s, job, f);
    int rc = 0;
    if (frame->transfer && frame->transfer->data) {
        f->table = *frame->transfer;
        *frame->transfer = (struct gf_array){0};
    } else {
        rc = make_transfer(s, job, &f->table);
    }
    if (!rc && (frame->prior || !gf_filter_measures(s)))
        gf_wiener_invert(job, frame->prior, s->filter.restore.regularize, gf_settings_threads(s),
                         &f->table);
    return rc;
}

/* ---- the picture ---- */

/* The job of one Richardson-Lucy blur, from floats to floats. */
static struct gf_job blur_job(const struct gf_task *t) {
    struct gf_job job = t->job;
    job.in_dtype = GF_F32;
    job.spend_input = false;
    job.n_out = 1;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    return job;
}

/* From the samples with what --edges added to half their spectrum. */
static struct gf_job forward_job(const struct gf_task *t) {
    struct gf_array out;
    struct gf_job job = gf_filter_search_job(t, &out);
    memcpy(job.shape, t->job.shape, sizeof job.shape);
    memset(job.counted, 0, sizeof job.counted);
    job.in_dtype = t->job.in_dtype;
    job.filter = NULL;
    job.filter_serial = 0;
    return job;
}

int gf_filter_expect_restored(struct gf_task *t) {
    const struct gf_job blur = blur_job(t), forward = forward_job(t);
    int64_t bytes = gf_filter_lengthen_bytes(t);
    if (gf_filter_iterates(t->s))
        bytes += gf_richardson_bytes(&blur);
    else if (gf_filter_measures(t->s)) /* the spectrum, a plan's, and two tables */
        bytes += 4 * gf_job_bytes(&forward, 0);
    return gf_filter_check_memory(t, bytes);
}

int gf_filter_measure_noise(struct gf_task *t) {
    const struct gf_filter_settings *f = &t->s->filter;
    double *noise = &t->filtering->restored.noise;
    *noise = fmax(f->restore.noise, 0);
    if (*noise > 0 || f->restore.regularize > 0 || f->restore.iterations > 0)
        return 0;
    int rc = gf_noise_estimate(&t->in, t->job.ndim, gf_settings_threads(t->s), noise);
    const double *w = gf_luma_weight;
    if (t->job.luma)
        *noise *= sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (gf_dtype_is_integer(t->in.dtype))
        *noise = fmax(*noise, ROUNDING);
    return rc;
}

static int make_prior(struct gf_task *t) {
    struct gf_filtering *f = t->filtering;
    struct gf_restored *r = &f->restored;
    struct gf_job forward = forward_job(t);
    struct gf_report report;
    struct gf_array spectrum = {0};
    r->transfer = f->filter->table; /* only the blur's until now */
    f->filter->table = (struct gf_array){0};
    int rc = gf_runner_plan(t->runner, &forward);
    if (!rc)
        rc = gf_job_alloc(&forward, 0, &spectrum);
    if (!rc)
        rc = gf_runner_run(t->runner, &t->in, &spectrum, &report);
    if (!rc)
        rc = gf_prior_make(&forward, &spectrum, &r->transfer, r->noise * r->noise,
                           gf_settings_threads(t->s), &r->prior);
    gf_array_free(&spectrum);
    gf_runner_forget(t->runner); /* makes room for the filter's table */
    f->frame.prior = &r->prior;
    f->frame.transfer = &r->transfer;
    return rc;
}

static int run_blur(void *task, const struct gf_job *job, const struct gf_array *in,
                    struct gf_array *out) {
    struct gf_task *t = task;
    struct gf_report report;
    int rc = gf_runner_plan(t->runner, job);
    return rc ? rc : gf_runner_run(t->runner, in, out, &report);
}

static int iterate(struct gf_task *t) {
    const struct gf_filter_transform blur = {run_blur, t};
    const struct gf_job job = blur_job(t);
    const struct gf_array *table = &job.filter->table;
    struct gf_richardson how = {.iterations = (int)fmax(t->s->filter.restore.iterations, 0),
                                .deviation = t->filtering->restored.noise,
                                .even = !table->data || !gf_dtype_is_complex(table->dtype),
                                .threads = gf_settings_threads(t->s),
                                .blur = &blur};
    gf_runner_repeat(t->runner, 2 * (how.iterations ? how.iterations : GF_RICHARDSON_MOST / 4));
    t->made = true;
    return gf_richardson_restore(&job, &how, &t->filtering->input,
                                 &t->filtering->restored.iterations);
}

int gf_filter_restore(struct gf_task *t) {
    return gf_filter_iterates(t->s) ? iterate(t) : gf_filter_measures(t->s) ? make_prior(t) : 0;
}

/* ---- reports ---- */

void gf_filter_tell_restored(const struct gf_task *t) {
    const struct gf_restored *r = &t->filtering->restored;
    if (r->iterations)
        gf_log_verbose("'%s': %d iterations", gf_log_name(t->read[0]), r->iterations);
    if (r->noise > 0)
        gf_log_verbose("'%s': noise of deviation %.4g", gf_log_name(t->read[0]), r->noise);
}

void gf_filter_describe_restored(const struct gf_task *t, json_t *o) {
    const struct gf_restored *r = &t->filtering->restored;
    const bool iterates = gf_filter_iterates(t->s), wiener = gf_filter_measures(t->s);
    GF_ADD(o, GF_KEY("deconvolved", GF_REPORT(GF_KEY("psf", gf_filter_psf(t->s)->text),
                                              GF_KEY("method", iterates ? "richardson-lucy"
                                                               : wiener ? "wiener"
                                                                        : "tikhonov"),
                                              GF_KEY_IF(r->noise > 0, "noise", r->noise),
                                              GF_KEY_IF(wiener, "k", r->prior.mean),
                                              GF_KEY_IF(!iterates && !wiener, "l",
                                                        t->s->filter.restore.regularize),
                                              GF_KEY_IF(iterates, "iterations", r->iterations))));
}
