/* gpufft stats: energy, radial spectrum and peaks of pictures, volumes and lines. */
#include "cli/stats/stats.h"

#include <stdlib.h>
#include <string.h>

#include "cli/backend_options.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "cli/batch/report.h"
#include "cli/batch/describe.h"
#include "cli/batch/task.h"
#include "core/base/memory.h"
#include "core/base/status.h"
#include "formats/record.h"

struct stats_run {
    const struct gf_settings *s;
    struct gf_session session;
    struct gf_runner runner;
    struct gf_inputs inputs;
    struct gf_targets radial; /* --radial, if given */
    int done, failed, worst;
};

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
static int look(struct stats_run *r, struct gf_image *image, struct gf_job *job,
                struct gf_stats *st) {
    struct gf_array in = image->px, out = {0};
    struct gf_report report = {0};
    in.base = NULL;
    in.shape[image->ndim] -= image->alpha;
    int rc = make_job(r->s, image, job);
    if (rc)
        return rc;
    gf_load_note_stack(st->path, image, job->axes);
    gf_runner_ahead(&r->runner, job);
    rc = look_at_samples(st); /* while the context opens */
    if (!rc)
        rc = plan(&r->runner, job, image, gf_settings_threads(r->s));
    if (!rc)
        rc = gf_job_alloc(job, 0, &out);
    if (!rc)
        rc = gf_runner_run(&r->runner, &in, &out, &report);
    st->backend = gf_runner_name(&r->runner);
    for (int64_t i = 0; i < st->n_signals && !rc; i++)
        rc = look_at_spectrum(st, &out, i, gf_settings_threads(r->s));
    gf_array_free(&out);
    return rc;
}

static int write_radial(const struct stats_run *r, const struct gf_stats *st) {
    char *path;
    if (!r->radial.n)
        return 0;
    const struct gf_target *t = &r->radial.target[0];
    if (st->page >= 0 && !t->where.has_page)
        return gf_fail(GF_EINVAL, "several pages: number the files with {page} in --radial");
    int64_t page = t->where.has_page && st->page < 0 ? 0 : st->page;
    int rc = gf_template_expand(&t->where, st->path, "radial", page, &path);
    if (rc)
        return rc;
    if (page >= 0)
        rc = gf_target_claim(t, st->path, NULL, path);
    if (!rc)
        rc = gf_stats_radial_write(st, path, r->s->clobber);
    free(path);
    return rc;
}

/* Analyses samples in memory and prints the result. */
static int look_and_print(struct stats_run *r, struct gf_image *image, struct gf_stats *st) {
    struct gf_job job;
    st->image = image;
    st->job = &job;
    st->peaks = r->s->stats.peaks;
    gf_progress_show("transforming", gf_log_name(st->name));
    int rc = look(r, image, &job, st);
    if (!rc)
        rc = write_radial(r, st);
    if (!rc) {
        gf_progress_hide();
        gf_stats_print(st, r->s->json);
        gf_log_verbose("'%s': backend %s (%s)", gf_log_name(st->name), st->backend, r->runner.why);
    }
    free_stats(st);
    return rc;
}

/* There is no memory for the samples of this header: fails with the need of all the work, which is
 * larger. */
static int refuse(struct stats_run *r, const struct gf_image *image, int rc) {
    struct gf_failure first = {0};
    struct gf_job job;
    int all = 0;
    gf_failure_keep(&first, rc);
    if (!make_job(r->s, image, &job))
        all = plan(&r->runner, &job, image, gf_settings_threads(r->s));
    return all == GF_ENOMEM ? all : gf_failure_return(&first);
}

/* One input. --dims=2 takes the pages of a volume one by one. */
struct input {
    char *const *read;
    int n;
    struct gf_reader reader;
    struct gf_image all;  /* px.data is NULL where a page is read at a time */
    struct gf_image page; /* one */
};

static int look_at_page(struct stats_run *r, struct input *in, int64_t z) {
    struct gf_array like = in->all.px, to, from;
    struct gf_stats st = {.path = in->read[0], .page = z};
    char *name;
    int rc = gf_array_alloc(&in->page.px, like.dtype, 3, like.shape + 1);
    if (rc)
        return rc;
    if (asprintf(&name, "%s[%lld]", st.path, (long long)z) < 0)
        return gf_fail(GF_ENOMEM, "out of memory");
    st.name = name;
    like.shape[0] = 1;
    to = gf_array_wrap(in->page.px.data, like.dtype, 4, like.shape);
    if (in->all.px.data) {
        from = gf_array_slice(&in->all.px, 0, z, 1);
        gf_array_copy(&to, &from);
    } else {
        rc = gf_reader_pages(&in->reader, &in->all, z, &to);
    }
    if (!rc)
        rc = gf_load_finite(r->s, &in->page);
    if (!rc)
        rc = look_and_print(r, &in->page, &st);
    gf_array_free(&in->page.px);
    free(name);
    return rc;
}

static int look_at_pages(struct stats_run *r, struct input *in) {
    const int64_t pages = in->all.px.shape[0];
    int rc = gf_reader_has_pages(&in->reader) ? 0 : gf_reader_read(&in->reader, &in->all);
    in->page = (struct gf_image){.ndim = 2, .color = in->all.color, .alpha = in->all.alpha};
    gf_runner_repeat(&r->runner, rc ? 0 : pages);
    for (int64_t z = 0; !rc && z < pages; z++)
        rc = look_at_page(r, in, z);
    return rc;
}

static int look_at_all(struct stats_run *r, struct input *in) {
    struct gf_stats st = {.path = in->read[0], .name = in->read[0], .page = -1};
    const struct gf_image header = in->all;
    int rc = gf_reader_read(&in->reader, &in->all);
    if (!rc && (rc = gf_reader_more(&in->reader)) > 0)
        rc = gf_fail(GF_EUNSUPP, "a PNM of more than one picture"); /* only PNM holds several */
    if (!rc)
        rc = gf_load_finite(r->s, &in->all);
    if (rc == GF_ENOMEM && in->n == 1 && strcmp(in->read[0], "-"))
        rc = refuse(r, &header, rc);
    return rc ? rc : look_and_print(r, &in->all, &st);
}

static int look_at_input(struct stats_run *r, struct input *in) {
    unsigned axes;
    int rc = gf_reader_open(&in->reader, r->s, in->read, in->n, &in->all);
    if (!rc)
        rc = check_record(&in->all);
    if (!rc)
        rc = gf_settings_axes(r->s, in->all.ndim, &axes);
    if (!rc)
        rc = (r->s->dims == 2 && in->all.ndim == 3 ? look_at_pages : look_at_all)(r, in);
    gf_image_free(&in->all);
    gf_reader_close(&in->reader);
    return rc;
}

/* Handles a file, or all files as the planes of a volume. */
static void run_one(struct stats_run *r, char *const *read, int n) {
    gf_progress_show("reading", gf_log_name(read[0]));
    int rc = look_at_input(r, &(struct input){.read = read, .n = n});
    if (!rc) {
        r->done++;
        return;
    }
    int code = gf_exit_code_of_input(rc, r->s->frames || r->inputs.n == 1);
    r->worst = code > r->worst ? code : r->worst;
    r->failed++;
    gf_log_fail(gf_session_is_lost(&r->session) && !gf_session_is_open(&r->session) ? NULL
                                                                                    : read[0]);
    gf_report_failed(r->s, read[0]);
}

/* --radial: a file, or a template for several. */
static int claim_radial(struct stats_run *r) {
    const struct gf_settings *s = r->s;
    struct gf_target *t = &r->radial.target[0];
    int names = s->frames && r->inputs.n ? 1 : r->inputs.n;
    if (!s->stats.radial)
        return 0;
    int rc = gf_stats_radial_check(s->stats.radial);
    if (!rc)
        rc = gf_template_parse("--radial", s->stats.radial, &t->where);
    if (!rc && (t->where.prefix || (t->where.has_page && s->dims != 2)))
        rc = gf_fail(GF_EUSAGE,
                     "--radial names a file, or a template with {stem}, and with --dims=2 "
                     "{page}");
    if (rc)
        return rc;
    t->where.roots = &r->inputs.roots;
    t->label = "radial";
    t->plain = true;
    r->radial.n = 1;
    return gf_targets_claim(s, &r->radial, r->inputs.path, names);
}

static int run_stats(struct gf_settings *s, char **operands, int n) {
    struct stats_run r = {.s = s};
    int rc = gf_settings_check(s);
    if (!rc)
        rc = gf_inputs_gather(s, operands, n, &r.inputs);
    if (!rc)
        rc = claim_radial(&r);
    if (!rc)
        rc = gf_settings_wish_one(s, NULL);
    if (!rc)
        rc = gf_session_open_for(s, &r.session);
    if (rc) {
        r.worst = rc;
        goto out;
    }
    s->max_memory = r.session.options.memory_limit; /* for decoding too */
    gf_runner_open(&r.runner, &r.session, s->threads);
    r.failed = r.inputs.failed;
    r.worst = r.failed ? 1 : 0;
    gf_progress_start(s->quiet, s->frames ? 1 : r.inputs.n);
    gf_runner_ahead(&r.runner, NULL);
    if (s->frames && !r.failed)
        run_one(&r, r.inputs.path, r.inputs.n);
    for (int i = 0; i < r.inputs.n && !s->frames && !gf_session_is_lost(&r.session); i++) {
        gf_runner_next(&r.runner, r.inputs.n - i);
        run_one(&r, &r.inputs.path[i], 1);
        gf_progress_count(0, 1, 0);
    }
    gf_progress_stop();
    if (!s->frames && (r.done + r.failed > 1 || r.inputs.many))
        gf_log_note("%d done, %d failed", r.done, r.failed);
out:
    gf_runner_close(&r.runner);
    gf_session_close(&r.session);
    gf_inputs_free(&r.inputs);
    return r.worst;
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
    &stats_group,  &gf_opts_precision,   &gf_opts_list,   &gf_opts_frames, &gf_opts_raw,
    &gf_opts_skip, &gf_opts_one_backend, &gf_opts_memory, &gf_opts_report, NULL};

const struct gf_command gf_command_stats = {
    .name = "stats",
    .operands = "IN...",
    .summary = "energy, radial spectrum, strongest peaks",
    .groups = groups,
    .text = true,
    .examples = "  gpufft stats scene.png\n"
                "  gpufft stats noise.png --peaks=10 --radial=noise.png\n"
                "  gpufft stats photos/ --radial='{stem}.csv' --json\n",
    .run = run_stats,
};
