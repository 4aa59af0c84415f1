/* gpufft stats: energy, radial spectrum and peaks of pictures, volumes and lines. */
#include "cli/stats/stats.h"

#include <stdlib.h>

#include "cli/batch/describe.h"
#include "cli/compare/signal.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/progress.h"

static void free_stats(struct gf_stats *s) {
    for (int64_t i = 0; i < s->n_signals && s->signal; i++) {
        free(s->signal[i].ring);
        free(s->signal[i].peak);
        free(s->signal[i].wave);
    }
    free(s->signal);
    s->signal = NULL;
}

/* Makes the job: half a spectrum of each channel but alpha, or a full one of complex samples. */
static int make_job(struct gf_task *t) {
    struct gf_job *job = &t->job;
    *job = (struct gf_job){.n_out = 1, .norm = GF_NORM_BACKWARD};
    gf_task_begin_job(t, GF_FORWARD);
    job->axes = (1u << job->ndim) - 1;
    int rc = gf_task_take_channels(t);
    job->luma = t->image.color == GF_RGB && !t->s->stats.channels;
    job->out[0].kind = GF_COMPLEX;
    job->out[0].dtype = gf_job_number(job);
    job->out[0].half = !gf_dtype_is_complex(job->in_dtype);
    return rc;
}

/* Plans within the memory limit. Counts the spectrum, and the workspace during the search for
 * peaks. */
static int plan(struct gf_task *t) {
    struct gf_job *job = &t->job;
    const enum gf_dtype type = job->out[0].dtype;
    int64_t shape[GF_MAX_RANK], bytes;
    gf_job_out_shape(job, 0, shape);
    int rc = gf_size_product(shape, job->ndim + 1, (int64_t)gf_dtype_size(type), &bytes);
    if (rc)
        return rc;
    const struct gf_array spectrum = gf_array_wrap(NULL, type, job->ndim + 1, shape);
    const struct gf_spectrum one = gf_spectrum_of(job, &spectrum, 0, gf_settings_threads(t->s));
    return gf_signal_plan(t->runner, job,
                          gf_array_bytes(&t->image.px) + bytes + gf_spectrum_peaks_bytes(&one));
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

/* Transforms the picture and analyses it. */
static int look(struct gf_task *t, struct gf_stats *st) {
    const int threads = gf_settings_threads(t->s);
    struct gf_array out = {0};
    struct gf_report report = {0};
    int rc = make_job(t);
    if (rc)
        return rc;
    gf_task_bind(t);
    gf_runner_ahead(t->runner, &t->job);
    rc = look_at_samples(st); /* while the context opens */
    if (!rc)
        rc = plan(t);
    if (!rc)
        rc = gf_job_alloc(&t->job, 0, &out);
    if (!rc)
        rc = gf_runner_run(t->runner, &t->in, &out, &report);
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
static int look_and_print(struct gf_task *t, const char *name, int64_t page) {
    struct gf_stats st = {.path = t->read[0],
                          .name = name,
                          .page = page,
                          .image = &t->image,
                          .job = &t->job,
                          .peaks = t->s->stats.peaks};
    bool alike;
    st.unit = gf_signal_spacing(&t->image, t->image.ndim, st.spacing, &alike);
    st.ring_spacing = alike ? st.spacing[t->image.ndim - 1] : 0;
    gf_progress_show("transforming", gf_log_name(name));
    int rc = look(t, &st);
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

/* Called if there is no memory for the samples: fails with the memory that all the work needs. */
static int refuse(struct gf_task *t, const struct gf_image *header, int rc) {
    const struct gf_image failed = t->image;
    struct gf_failure first = {0};
    gf_failure_keep(&first, rc);
    t->image = *header;
    const int all = make_job(t) ? 0 : plan(t);
    t->image = failed;
    return all == GF_ENOMEM ? all : gf_failure_return(&first);
}

/* Describes a task without outputs. Each picture or page gets another job. */
static int prepare(struct gf_task *t) {
    int rc = gf_signal_check_record(&t->image, "stats");
    gf_task_begin_job(t, GF_FORWARD);
    t->refuses.pages = "pages are analysed one by one";
    t->product[0].image.ndim = t->image.ndim; /* for the names of --radial */
    memcpy(t->product[0].shape, t->image.px.shape, sizeof t->product[0].shape);
    return rc ? rc : gf_settings_axes(t->s, &t->image.axes, t->job.ndim, &t->job.axes);
}

static int stream(struct gf_task *t) {
    const struct gf_image header = t->image;
    const bool pages = header.ndim == 3 && !(t->job.axes & 1);
    if (pages && t->targets->n && !t->targets->target[0].where.has_page)
        return gf_fail(GF_EINVAL, "several pages: number the files with {page} in --radial");
    int rc = gf_signal_each(t, pages, look_and_print);
    if (rc == GF_ENOMEM && !pages && !t->image.px.data && t->n_read == 1 && strcmp(t->read[0], "-"))
        rc = refuse(t, &header, rc);
    if (!t->reader.series)
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
    "Statistics",
    GF_INTEGER("dims", dims, "2|3", 2, 3,
               "2: take each page of a volume by itself; 3: all as depth"),
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
