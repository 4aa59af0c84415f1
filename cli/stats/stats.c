/* gpufft stats: energy, radial spectrum and peaks of pictures, volumes and lines. */
#include "cli/stats/stats.h"

#include <stdlib.h>

#include "cli/batch/describe.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "core/base/memory.h"

static void free_stats(struct gf_stats *s) {
    for (int64_t i = 0; i < s->n_signals && s->signal; i++) {
        free(s->signal[i].ring);
        free(s->signal[i].peak);
        free(s->signal[i].wave);
    }
    free(s->signal);
    s->signal = NULL;
}

static bool is_luma(const struct gf_settings *s, const struct gf_image *image) {
    return image->color == GF_RGB && !s->stats.channels;
}

/* The job: all channels but alpha to half a spectrum each, or if they are complex to a full one. */
static int make_job(const struct gf_settings *s, const struct gf_image *image, struct gf_job *job) {
    *job = (struct gf_job){0};
    job->direction = GF_FORWARD;
    job->ndim = image->ndim;
    memcpy(job->shape, image->px.shape, (size_t)job->ndim * sizeof *job->shape);
    job->channels = image->px.shape[image->ndim] - image->alpha;
    if (job->channels < 1)
        return gf_fail(GF_EINVAL, "nothing but an alpha channel");
    job->axes = (1u << job->ndim) - 1;
    job->in_dtype = image->px.dtype;
    job->luma = is_luma(s, image);
    job->precision = gf_task_precision(s, job->in_dtype);
    job->norm = GF_NORM_BACKWARD;
    job->n_out = 1;
    job->out[0].kind = GF_COMPLEX;
    job->out[0].dtype = job->precision == GF_DOUBLE ? GF_C128 : GF_C64;
    job->out[0].half = !gf_dtype_is_complex(job->in_dtype);
    return 0;
}

/* Refuses files whose record says that they hold no picture. */
static int check_record(const struct gf_image *image) {
    struct gf_record record;
    int rc = image->record ? gf_record_parse(image->record, &record) : 0;
    if (rc || !image->record)
        return rc;
    if (record.version == GF_RECORD_WAVELET)
        return gf_fail(GF_EINVAL, "wavelet coefficients; stats takes the picture they came from "
                                  "(gpufft idwt)");
    if (record.kind == GF_COMPLEX)
        return gf_fail(GF_EINVAL, "a spectrum; stats takes the picture it came from (gpufft inv)");
    return 0;
}

/* Plans within the memory limit, with a lean plan if necessary. The spectrum, and the plan's workspace while
 * peaks are searched, count as well. */
static int plan(struct gf_runner *e, struct gf_job *job, const struct gf_image *image,
                int threads) {
    const enum gf_dtype type = job->out[0].dtype;
    int64_t shape[GF_MAX_RANK], bytes;
    gf_job_out_shape(job, 0, shape);
    int rc = gf_size_product(shape, job->ndim + 1, (int64_t)gf_dtype_size(type), &bytes);
    if (!rc)
        rc = gf_runner_plan(e, job);
    if (rc)
        return rc;
    const struct gf_array spectrum = gf_array_wrap(NULL, type, job->ndim + 1, shape);
    const struct gf_spectrum one = gf_spectrum_of(job, &spectrum, 0, threads);
    const int64_t held = gf_array_bytes(&image->px) + bytes + gf_spectrum_peaks_bytes(&one);
    if (!gf_memory_check(held + e->workspace, gf_runner_limit(e)))
        return 0;
    job->lean = true;
    rc = gf_runner_plan(e, job);
    return rc ? rc : gf_memory_check(held + e->workspace, gf_runner_limit(e));
}

static int look_at_samples(struct gf_stats *st) {
    const struct gf_job *job = st->job;
    int rc = 0;
    st->n_signals = job->luma ? 1 : job->channels;
    st->signal = calloc((size_t)st->n_signals, sizeof *st->signal);
    if (!st->signal)
        return gf_fail(GF_ENOMEM, "out of memory for %lld channels", (long long)st->n_signals);
    for (int64_t i = 0; i < st->n_signals && !rc; i++)
        rc = gf_sample_stats(&st->image->px, job->luma ? GF_LUMA : i, &st->signal[i].samples);
    return rc;
}

static int look_at_spectrum(struct gf_stats *st, const struct gf_array *out, int64_t i,
                            int threads) {
    int peaks = st->peaks;
    struct gf_stats_signal *signal = &st->signal[i];
    struct gf_spectrum s = gf_spectrum_of(st->job, out, i, threads);
    st->n_rings = gf_spectrum_ring_count(&s);
    signal->ring = malloc((size_t)st->n_rings * sizeof *signal->ring);
    signal->peak = malloc(((size_t)peaks + 1) * sizeof *signal->peak);
    signal->wave = malloc(((size_t)peaks + 1) * sizeof *signal->wave);
    if (!signal->ring || !signal->peak || !signal->wave)
        return gf_fail(GF_ENOMEM, "out of memory for %lld rings", (long long)st->n_rings);
    int rc = gf_spectrum_rings(&s, signal->ring, &signal->energy);
    if (!rc)
        rc = gf_spectrum_peaks(&s, 0, signal->peak, peaks, &signal->n_peaks);
    for (int k = 0; k < signal->n_peaks; k++)
        signal->wave[k] = gf_peak_wave(&s, &signal->peak[k]);
    return rc;
}

/* Transforms the picture and analyses it; `st` points at image and job. */
static int look(struct gf_task *t, struct gf_image *image, struct gf_job *job,
                struct gf_stats *st) {
    const int threads = gf_settings_threads(t->s);
    struct gf_array in = image->px, out = {0};
    struct gf_report report = {0};
    in.base = NULL;
    in.shape[image->ndim] -= image->alpha;
    int rc = make_job(t->s, image, job);
    if (rc)
        return rc;
    gf_runner_ahead(t->runner, job);
    rc = look_at_samples(st); /* while the context opens */
    if (!rc)
        rc = plan(t->runner, job, image, threads);
    if (!rc)
        rc = gf_job_alloc(job, 0, &out);
    if (!rc)
        rc = gf_runner_run(t->runner, &in, &out, &report);
    st->backend = gf_runner_name(t->runner);
    for (int64_t i = 0; i < st->n_signals && !rc; i++)
        rc = look_at_spectrum(st, &out, i, threads);
    gf_array_free(&out);
    return rc;
}

static int write_radial(const struct gf_task *t, const struct gf_stats *st) {
    char *path = NULL;
    if (!t->targets->n)
        return 0;
    const struct gf_target *radial = &t->targets->target[0];
    const int64_t page = st->page < 0 ? 0 : st->page;
    int rc = gf_template_expand(&radial->where, st->path, radial->label, page, &path);
    if (!rc)
        rc = gf_stats_radial_write(st, path, t->s->clobber);
    free(path);
    return rc;
}

/* Analyses samples in memory and prints the result. */
static int look_and_print(struct gf_task *t, struct gf_image *image, const char *name,
                          int64_t page) {
    struct gf_job job;
    struct gf_stats st = {.path = t->read[0],
                          .name = name,
                          .page = page,
                          .image = image,
                          .job = &job,
                          .peaks = t->s->stats.peaks};
    gf_progress_show("transforming", gf_log_name(name));
    int rc = look(t, image, &job, &st);
    if (!rc)
        rc = write_radial(t, &st);
    if (!rc) {
        gf_progress_hide();
        gf_stats_print(&st, t->s->json);
        gf_log_verbose("'%s': backend %s (%s)", gf_log_name(name), st.backend, t->runner->why);
    }
    free_stats(&st);
    return rc;
}

/* There is no memory for the samples of this header: fails with the need of all the work, which is
 * larger. */
static int refuse(struct gf_task *t, const struct gf_image *image, int rc) {
    struct gf_failure first = {0};
    struct gf_job job;
    int all = 0;
    gf_failure_keep(&first, rc);
    if (!make_job(t->s, image, &job))
        all = plan(t->runner, &job, image, gf_settings_threads(t->s));
    return all == GF_ENOMEM ? all : gf_failure_return(&first);
}

/* `one` is a picture without samples. */
static int look_at_page(struct gf_task *t, struct gf_image one, int64_t z) {
    struct gf_array like = t->image.px, to, from;
    char *name;
    if (asprintf(&name, "%s[%lld]", t->read[0], (long long)z) < 0)
        return gf_no_memory();
    int rc = gf_array_alloc(&one.px, like.dtype, 3, like.shape + 1);
    if (rc)
        goto out;
    like.shape[0] = 1;
    to = gf_array_wrap(one.px.data, like.dtype, 4, like.shape);
    if (t->image.px.data) {
        from = gf_array_slice(&t->image.px, 0, z, 1);
        gf_array_copy(&to, &from);
    } else {
        rc = gf_reader_pages(&t->reader, &t->image, z, &to);
    }
    if (!rc)
        rc = gf_load_finite(t->s, &one);
    if (!rc)
        rc = look_and_print(t, &one, name, z);
    gf_array_free(&one.px);
out:
    free(name);
    return rc;
}

/* --dims=2 takes the pages of a volume one by one. */
static int look_at_pages(struct gf_task *t) {
    const struct gf_image one = {.ndim = 2, .color = t->image.color, .alpha = t->image.alpha};
    const int64_t pages = t->image.px.shape[0];
    if (t->targets->n && !t->targets->target[0].where.has_page)
        return gf_fail(GF_EINVAL, "several pages: number the files with {page} in --radial");
    int rc = gf_reader_has_pages(&t->reader) ? 0 : gf_reader_read(&t->reader, &t->image);
    gf_runner_repeat(t->runner, rc ? 0 : pages);
    for (int64_t z = 0; !rc && z < pages; z++)
        rc = look_at_page(t, one, z);
    return rc;
}

static int look_at_all(struct gf_task *t) {
    const struct gf_image header = t->image;
    int rc = gf_reader_read(&t->reader, &t->image);
    if (!rc && (rc = gf_reader_more(&t->reader)) > 0)
        rc = gf_fail(GF_EUNSUPP, "a PNM of more than one picture"); /* only PNM holds several */
    if (!rc)
        rc = gf_load_finite(t->s, &t->image);
    if (rc == GF_ENOMEM && t->n_read == 1 && strcmp(t->read[0], "-"))
        rc = refuse(t, &header, rc);
    return rc ? rc : look_and_print(t, &t->image, t->read[0], -1);
}

/* The task has no outputs; each picture or page has a job of its own. */
static int prepare(struct gf_task *t) {
    int rc = check_record(&t->image);
    gf_task_begin_job(t, GF_FORWARD);
    t->refuses.pages = "pages are analysed one by one";
    t->product[0].image.ndim = t->image.ndim; /* for the names of --radial */
    memcpy(t->product[0].shape, t->image.px.shape, sizeof t->product[0].shape);
    return rc ? rc : gf_settings_axes(t->s, t->job.ndim, &t->job.axes);
}

static int stream(struct gf_task *t) {
    int rc = (t->s->dims == 2 && t->image.ndim == 3 ? look_at_pages : look_at_all)(t);
    gf_reader_close(&t->reader);
    t->state = rc ? t->state : GF_TASK_WRITTEN;
    return rc;
}

static const struct gf_task_hooks hooks = {
    .name = "stats", .prints = true, .prepare = prepare, .stream = stream};

static int run(struct gf_settings *s, char **operands, int n) {
    int rc = s->stats.radial ? gf_stats_radial_check(s->stats.radial) : 0;
    return rc ? rc : gf_batch_run(&hooks, s, operands, n);
}

static const char *const colors[] = {"luma", "channels", NULL};

static const struct gf_opt_group stats_group = GF_GROUP(
    "Statistics", GF_INTEGER("dims", dims, "2", 2, 2, "take each page of a volume by itself"),
    GF_INTEGER("peaks", stats.peaks, "N", 0, 100000, "list the N strongest peaks (default: 5)"),
    GF_TEXT("radial", stats.radial, "FILE",
            "write the radial spectrum as .csv, .json or a plot, .svg or .png; {stem} for several "
            "inputs"),
    GF_CHOICE("color", stats.channels, "luma|channels", colors,
              "analyse one Rec.709 luma of colour (default), or each channel by itself"),
    GF_NEGATE("clobber", clobber, "refuse to replace an existing file"),
    GF_FLAG("sync", sync, "write each file to its disk before it replaces the old one"));

static const struct gf_opt_group *const groups[] = {
    &stats_group,    &gf_opts_precision, &gf_opts_list,
    &gf_opts_frames, &gf_opts_raw,       &gf_opts_one_backend,
    &gf_opts_memory, &gf_opts_report,    NULL};

const struct gf_command gf_command_stats = {
    .name = "stats",
    .operands = "IN...",
    .summary = "energy, radial spectrum, strongest peaks",
    .groups = groups,
    .text = true,
    .examples = "  gpufft stats scene.png\n"
                "  gpufft stats noise.png --peaks=10 --radial=noise.png\n"
                "  gpufft stats photos/ --radial='{stem}.csv' --json\n",
    .run = run,
};
