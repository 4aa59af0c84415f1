/* Reports finished files, as text and as JSON. */
#include "cli/batch/task.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/environment.h"
#include "cli/log.h"
#include "cli/report.h"
#include "cli/text.h"
#include "core/base/value/real.h"
#include "core/engine/speeds.h"

static double rounded(double ms) {
    return (double)(int64_t)(ms * 1000 + 0.5) / 1000;
}

/* Describes an output file; if the task `ran`, with its shape and results. */
static json_t *product_report(const struct gf_task *t, int i, bool ran) {
    const struct gf_product *p = &t->product[i];
    const struct gf_output *out = &t->op.job.out[i];
    const bool display = ran && !p->target->aside && out->map == GF_MAP_DISPLAY;
    json_t *o = GF_REPORT(GF_KEY("path", p->path), GF_KEY("format", p->format->name),
                          GF_KEY("kind", p->target->label),
                          GF_KEY_IF(ran, "shape", gf_json_shape(p->shape, p->image.ndim)),
                          GF_KEY_IF(ran, "channels", p->shape[p->image.ndim]));
    if (ran && !p->target->aside)
        GF_ADD(o, GF_KEY("type", gf_dtype_name(p->drawn.ndim ? GF_U8 : out->dtype)),
               GF_KEY_IF(t->op.job.op == GF_FILTER, "clipped", t->op.report.clipped[i]),
               GF_KEY_IF(t->op.overflowed[i], "overflowed", t->op.overflowed[i]));
    return GF_ADD(o, GF_KEY_IF(display && t->op.job.op == GF_FFT, "black", t->op.report.low[i]),
                  GF_KEY_IF(display, "white", t->op.report.high[i]));
}

static json_t *products_report(const struct gf_task *t, bool ran) {
    json_t *list = json_array();
    for (int i = 0; i < t->targets->n; i++)
        json_array_append_new(list, product_report(t, i, ran));
    return list;
}

static const char *backend_name(const struct gf_task *t) {
    const struct gf_runner *r = t->op.crew.runner;
    return t->op.streamed ? gf_engine_streaming(r->engine, r->device)->name : gf_runner_name(r);
}

/* Begins every line of JSON. */
static json_t *begin_report(const struct gf_task *t) {
    gf_json_memory_begin();
    return GF_REPORT(GF_KEY("in", t->read[0]), GF_KEY_IF(t->page, "page", t->page),
                     GF_KEY_IF(t->n_read > 1, "frames", t->n_read));
}

/* Lists the devices' shares of the run, and the units of the task that each ran. */
static json_t *deal_report(const struct gf_task *t) {
    struct gf_engine *e = t->op.crew.runner->engine;
    struct gf_deal_work w = {.name = NULL};
    json_t *devices = json_array(), *left_out = json_array();
    const bool dealt = t->deal && (gf_task_at_once(t) || t->op.dealt);
    const int together = t->op.crew.runner->ms.together;
    for (int i = 0; i < gf_engine_devices(e); i++) {
        gf_deal_work(e, i, &w);
        if (w.left_out)
            json_array_append_new(left_out, json_string(w.name));
        if (i != t->op.crew.runner->device && (!dealt || w.left_out))
            continue;
        GF_APPEND(devices, GF_KEY("device", w.name),
                  GF_KEY("share", rounded(w.share * 10) / 10) /* four digits */,
                  GF_KEY("units", dealt ? w.done : 1), GF_KEY_IF(w.failed, "error", w.failed));
    }
    return GF_REPORT(GF_KEY("rule", w.dynamic ? "dynamic" : "fixed"),
                     GF_KEY("recorded", w.recorded), GF_KEY("devices", devices),
                     GF_KEY_IF(together, "together", together),
                     GF_KEY(json_array_size(left_out) ? "left_out" : ".left_out", left_out));
}

json_t *gf_report_where(const struct gf_task *t, json_t *o) {
    const bool several = gf_engine_devices(t->op.crew.runner->engine) > 1;
    return GF_ADD(o, GF_KEY("backend", backend_name(t)),
                  GF_KEY_IF(t->ranks, "ranks", t->ranks->size),
                  GF_KEY_IF(several, "deal", deal_report(t)));
}

static json_t *times_report(const struct gf_task *t) {
    const struct gf_runner_times *d = &t->op.crew.runner->ms;
    const bool device = gf_runner_on_device(t->op.crew.runner);
    return GF_REPORT(GF_KEY("decode", rounded(t->op.ms.decode)),
                     GF_KEY_IF(t->op.state, "prepare", rounded(t->op.ms.prepare)),
                     GF_KEY("transform", rounded(t->op.ms.transform)),
                     GF_KEY("encode", rounded(t->op.ms.encode)),
                     GF_KEY_IF(device, "open", rounded(d->open)),
                     GF_KEY_IF(device, "build", rounded(d->build)),
                     GF_KEY_IF(device, "upload", rounded(d->run.upload)),
                     GF_KEY_IF(device, "device", rounded(d->run.run)),
                     GF_KEY_IF(device, "download", rounded(d->run.download)));
}

static json_t *task_report(const struct gf_task *t) {
    const struct gf_job *job = &t->op.job;
    const bool wavelet = job->op == GF_DWT;
    json_t *o =
        GF_ADD(begin_report(t), GF_KEY("command", t->hooks->name),
               GF_KEY("shape", gf_json_shape(job->shape, job->ndim)),
               GF_KEY("channels", job->channels), GF_KEY("type", gf_dtype_name(job->in_dtype)),
               GF_KEY("precision", job->precision == GF_DOUBLE ? "double" : "single"),
               GF_KEY_IF(wavelet, "wavelet", gf_wavelet_names[job->wavelet.name]),
               GF_KEY_IF(wavelet, "levels", job->wavelet.levels),
               GF_KEY_IF(wavelet, "boundary", gf_boundary_name(job->wavelet.boundary)),
               GF_KEY_IF(job->op == GF_FFT, "norm", gf_norm_name(job->norm)));
    json_object_update(o, t->also);
    return GF_ADD(gf_report_where(t, o), GF_KEY("out", products_report(t, true)),
                  GF_KEY_IF(gf_runner_on_device(t->op.crew.runner), "kernels_built",
                            t->op.crew.runner->ms.built),
                  GF_KEY("ms", times_report(t)), GF_BOOL("ok", true));
}

static void report_device(const char *name, const struct gf_runner_times *ms) {
    gf_log_verbose("'%s': open %.1f ms, build %.1f ms (%d compiled), upload %.1f ms, device %.1f "
                   "ms, download %.1f ms",
                   name, ms->open, ms->build, ms->built, ms->run.upload, ms->run.run,
                   ms->run.download);
    if (ms->choice.measured)
        gf_log_verbose("'%s': %d plans measured", name, ms->choice.measured);
    if (ms->choice.kept)
        gf_log_verbose(
            "'%s': the plan kept took %.4g ms when it was measured, the estimate's %.4g ms", name,
            ms->choice.ms, ms->choice.estimate_ms);
}

/* Prints the display range of a spectrum as the option that would set it. */
static void report_range(const struct gf_task *t, int i) {
    const struct gf_output *o = &t->op.job.out[i];
    char low[GF_REAL_TEXT], high[GF_REAL_TEXT];
    if (o->map == GF_MAP_DISPLAY && o->kind != GF_PHASE && t->op.job.op == GF_FFT)
        gf_log_verbose("'%s': %s: black to white is --range=%s,%s", gf_log_name(t->name),
                       gf_kind_name(o->kind), gf_real_text(t->op.report.low[i], low),
                       gf_real_text(t->op.report.high[i], high));
}

void gf_report_done(const struct gf_task *t) {
    const char *name = gf_log_name(t->name);
    for (int i = 0; i < t->op.job.n_out; i++)
        if (t->op.overflowed[i])
            gf_log_note("'%s': %lld sample%s of '%s' overflow%s %s: Inf or NaN there", name,
                        (long long)t->op.overflowed[i], t->op.overflowed[i] == 1 ? "" : "s",
                        t->product[i].path, t->op.overflowed[i] == 1 ? "s" : "",
                        gf_dtype_name(gf_dtype_real(t->op.job.out[i].dtype)));
    gf_log_verbose("'%s': backend %s (%s)", name, backend_name(t),
                   t->ranks              ? "shared by several processes"
                   : !t->op.streamed     ? t->op.crew.runner->why
                   : t->op.job.ndim == 2 ? "row by row"
                                         : "frame by frame");
    char digest[GF_SPEEDS_DIGEST];
    if (t->s->tune && gf_speeds_digest(gf_environment(), digest))
        gf_log_verbose("'%s': records %s", name, digest);
    if (t->op.crew.runner->ms.together)
        gf_log_verbose("'%s': %d devices shared the transform", name,
                       t->op.crew.runner->ms.together);
    for (int i = 0; i < t->op.job.n_out; i++)
        report_range(t, i);
    gf_log_verbose("'%s': decode %.1f ms, transform %.1f ms, encode %.1f ms", name, t->op.ms.decode,
                   t->op.ms.transform, t->op.ms.encode);
    if (gf_runner_on_device(t->op.crew.runner))
        report_device(name, &t->op.crew.runner->ms);
    if (t->s->json)
        gf_report_print(true, NULL, task_report(t));
}

/* "a.png + mask.png -> o/a.png, o/a.tif (up to date)" */
static void print_plan(const struct gf_task *t) {
    const char *beside;
    char *line = NULL;
    size_t size;
    FILE *f = open_memstream(&line, &size);
    if (!f) {
        gf_log_lost(ENOMEM);
        return;
    }
    fputs(gf_log_name(t->read[0]), f);
    if (t->n_read > 1)
        fprintf(f, " ... %s (%d frames)", t->read[t->n_read - 1], t->n_read);
    for (int i = 0; (beside = gf_inputs_beside(t->s, i)); i++)
        fprintf(f, " + %s", beside);
    for (int i = 0; i < t->targets->n; i++)
        fprintf(f, "%s%s", i ? ", " : " -> ", t->product[i].path);
    fputs(t->state != GF_TASK_SKIPPED ? ""
          : t->resume.by_time         ? " (up to date by time)"
                                      : " (up to date)",
          f);
    int rc = gf_text_close(f, &line);
    if (rc) {
        gf_log_lost(ENOMEM);
    } else {
        gf_log_line(gf_clean_text(line, size + 1, line));
    }
    free(line);
}

void gf_report_not_run(const struct gf_task *t) {
    const bool skipped = t->state == GF_TASK_SKIPPED;
    if (skipped)
        gf_log_verbose("'%s': skipped, its outputs are there and %s", gf_log_name(t->name),
                       t->resume.by_time ? "newer" : "were made so");
    if (t->s->dry_run && !t->s->json && !t->s->quiet)
        print_plan(t);
    if (t->s->json)
        gf_report_print(true, NULL,
                        GF_ADD(begin_report(t), GF_KEY("command", t->hooks->name),
                               GF_KEY("out", products_report(t, false)),
                               GF_TRUE_IF(t->s->dry_run, "dry_run"), GF_TRUE_IF(skipped, "skipped"),
                               GF_TRUE_IF(skipped && t->resume.by_time, "by_time"),
                               GF_BOOL("ok", true)));
}

void gf_report_lost(const struct gf_task *t) {
    if (t->s->json)
        gf_report_print(true, NULL,
                        GF_ADD(begin_report(t), GF_BOOL("ok", false), GF_KEY("error", gf_message()),
                               GF_KEY("command", t->hooks->name)));
}

void gf_report_failed(const struct gf_settings *s, const char *name) {
    gf_json_memory_begin();
    if (s->json)
        gf_report_print(
            true, NULL,
            GF_REPORT(GF_KEY("in", name), GF_BOOL("ok", false), GF_KEY("error", gf_message())));
}

void gf_deal_print(struct gf_engine *e) {
    const int n = gf_engine_devices(e);
    struct gf_deal_work w;
    bool survived = false, dealt = false; /* else one did all, or all shared each transform */
    for (int i = 0; i < n; i++) {
        gf_deal_work(e, i, &w);
        dealt = dealt || w.done;
    }
    for (int i = 0; i < n && n > 1; i++) {
        gf_deal_work(e, i, &w);
        survived = survived || !w.failed;
        if (w.left_out)
            gf_log_verbose(
                "%s: left out: its context takes %.2g s to open, and the others need %.2g s",
                w.name, w.late, w.others);
        else if (dealt)
            gf_log_verbose("%s: share %.3f (%s), %lld unit%s", w.name, w.share,
                           w.dynamic    ? "as it turned out"
                           : w.recorded ? "from the record"
                                        : "from its first units",
                           (long long)w.done, w.done == 1 ? "" : "s");
    }
    for (int i = 0; i < n && survived; i++) {
        gf_deal_work(e, i, &w);
        if (w.failed)
            gf_log_note("%s failed, and the others did its work: %s", w.name, w.failed);
    }
}
