/* Lines about finished files, as text and as JSON. */
#include "cli/batch/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_memory.h"
#include "cli/log.h"
#include "cli/text.h"
#include "core/base/status.h"
#include "core/session/record.h"

static double rounded(double ms) {
    return (double)(int64_t)(ms * 1000 + 0.5) / 1000;
}

static json_t *json_product(const struct gf_task *t, int i) {
    const struct gf_product *p = &t->product[i];
    json_t *o = json_object();
    json_object_set_new(o, "path", gf_json_text(p->path));
    json_object_set_new(o, "format", json_string(p->format->name));
    json_object_set_new(o, "kind", json_string(p->label));
    json_object_set_new(o, "shape", gf_json_shape(p->shape, t->job.ndim));
    json_object_set_new(o, "channels", json_integer(p->shape[t->job.ndim]));
    if (p->aside)
        return o;
    json_object_set_new(o, "type", json_string(gf_dtype_name(t->job.out[i].dtype)));
    if (t->job.op == GF_FILTER)
        json_object_set_new(o, "clipped", json_integer(t->report.clipped[i]));
    if (t->overflowed[i])
        json_object_set_new(o, "overflowed", json_integer(t->overflowed[i]));
    if (t->job.out[i].map == GF_MAP_DISPLAY && t->job.op == GF_FFT)
        json_object_set_new(o, "black", json_real(t->report.low[i]));
    if (t->job.out[i].map == GF_MAP_DISPLAY)
        json_object_set_new(o, "white", json_real(t->report.high[i]));
    return o;
}

static const char *backend_name(const struct gf_task *t) {
    return t->streamed ? gf_session_streaming(t->runner->session)->name : gf_runner_name(t->runner);
}

/* How every line begins. */
static json_t *json_begin(const struct gf_task *t) {
    gf_json_memory_begin();
    json_t *o = json_object();
    json_object_set_new(o, "in", gf_json_text(t->read[0]));
    if (t->page)
        json_object_set_new(o, "page", json_integer(t->page));
    if (t->n_read > 1)
        json_object_set_new(o, "frames", json_integer(t->n_read));
    return o;
}

/* A device of several with its share of the run, and its units of the task. */
static json_t *json_device(const struct gf_deal_entry *e, double share, int64_t units) {
    json_t *o = json_object();
    json_object_set_new(o, "device", gf_json_text(e->what.name));
    json_object_set_new(o, "share", json_real(rounded(share * 10) / 10) /* four digits */);
    json_object_set_new(o, "units", json_integer(units));
    if (e->failed)
        json_object_set_new(o, "error", gf_json_text(e->message));
    return o;
}

static json_t *json_deal(const struct gf_task *t) {
    struct gf_deal *d = t->among;
    double share[GF_DEAL_MOST];
    json_t *o = json_object(), *devices = json_array();
    const bool dealt = t->deal && (t->pages.at_once || t->dealt);
    const int ran = gf_deal_find(d, t->runner->session);
    gf_deal_shares(d, share);
    for (int i = 0; i < d->n; i++)
        if ((dealt && !gf_deal_leaves_out(d, i)) || i == ran)
            json_array_append_new(
                devices, json_device(&d->entry[i], share[i], dealt ? d->entry[i].done : 1));
    json_object_set_new(o, "rule", json_string(d->dynamic ? "dynamic" : "fixed"));
    json_object_set_new(o, "recorded", json_boolean(d->recorded));
    json_object_set_new(o, "devices", devices);
    if (t->report.devices)
        json_object_set_new(o, "together", json_integer(t->report.devices));
    json_t *left_out = json_array();
    for (int i = 0; i < d->n; i++)
        if (gf_deal_leaves_out(d, i))
            json_array_append_new(left_out, json_string(d->entry[i].what.name));
    if (json_array_size(left_out))
        json_object_set(o, "left_out", left_out);
    json_decref(left_out);
    return o;
}

static json_t *json_task(const struct gf_task *t) {
    json_t *o = json_begin(t), *outs = json_array(), *ms = json_object();
    json_object_set_new(o, "command", json_string(t->hooks->name));
    json_object_set_new(o, "shape", gf_json_shape(t->job.shape, t->job.ndim));
    json_object_set_new(o, "channels", json_integer(t->job.channels));
    json_object_set_new(o, "type", json_string(gf_dtype_name(t->job.in_dtype)));
    json_object_set_new(o, "precision",
                        json_string(t->job.precision == GF_DOUBLE ? "double" : "single"));
    if (t->job.op == GF_DWT) {
        json_object_set_new(o, "wavelet", json_string("d4"));
        json_object_set_new(o, "levels", json_integer(t->job.wavelet.levels));
        json_object_set_new(o, "boundary", json_string(gf_boundary_name(t->job.wavelet.boundary)));
    } else if (t->job.op == GF_FFT) {
        json_object_set_new(o, "norm", json_string(gf_norm_name(t->job.norm)));
    }
    if (t->hooks->describe)
        t->hooks->describe(t, o);
    json_object_set_new(o, "backend", json_string(backend_name(t)));
    if (t->ranks)
        json_object_set_new(o, "ranks", json_integer(t->ranks->size));
    if (t->among && t->among->n > 1)
        json_object_set_new(o, "deal", json_deal(t));
    for (int i = 0; i < t->targets->n; i++)
        json_array_append_new(outs, json_product(t, i));
    json_object_set_new(o, "out", outs);
    json_object_set_new(ms, "decode", json_real(rounded(t->ms_decode)));
    if (t->filtering)
        json_object_set_new(ms, "prepare", json_real(rounded(t->ms_prepare)));
    json_object_set_new(ms, "transform", json_real(rounded(t->ms_transform)));
    json_object_set_new(ms, "encode", json_real(rounded(t->ms_encode)));
    if (gf_runner_on_device(t->runner)) {
        const struct gf_runner_times *d = &t->runner->ms;
        json_object_set_new(ms, "open", json_real(rounded(d->open)));
        json_object_set_new(ms, "build", json_real(rounded(d->build)));
        json_object_set_new(ms, "upload", json_real(rounded(d->run.upload)));
        json_object_set_new(ms, "device", json_real(rounded(d->run.run)));
        json_object_set_new(ms, "download", json_real(rounded(d->run.download)));
        json_object_set_new(o, "kernels_built", json_integer(d->built));
    }
    json_object_set_new(o, "ms", ms);
    json_object_set_new(o, "ok", json_true());
    return o;
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

/* The number in as few digits as give it back. */
static const char *exact(double v, char text[32]) {
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    return text;
}

/* The display range of a spectrum, so that it can be asked for again. */
static void report_range(const struct gf_task *t, int i) {
    const struct gf_output *o = &t->job.out[i];
    char low[32], high[32];
    if (o->map == GF_MAP_DISPLAY && o->kind != GF_PHASE && t->job.op == GF_FFT)
        gf_log_verbose("'%s': %s: black to white is --range=%s,%s", gf_log_name(t->name),
                       gf_kind_name(o->kind), exact(t->report.low[i], low),
                       exact(t->report.high[i], high));
}

void gf_report_done(const struct gf_task *t) {
    for (int i = 0; i < t->job.n_out; i++)
        if (t->overflowed[i])
            gf_log_note("'%s': %lld sample%s of '%s' overflow%s %s: Inf or NaN there",
                        gf_log_name(t->name), (long long)t->overflowed[i],
                        t->overflowed[i] == 1 ? "" : "s", t->product[i].path,
                        t->overflowed[i] == 1 ? "s" : "",
                        gf_dtype_name(gf_dtype_real(t->job.out[i].dtype)));
    gf_log_verbose("'%s': backend %s (%s)", gf_log_name(t->name), backend_name(t),
                   t->ranks      ? "shared by several processes"
                   : t->streamed ? "frame by frame"
                                 : t->runner->why);
    char digest[GF_RECORD_DIGEST];
    if (t->s->tune && gf_record_digest(digest))
        gf_log_verbose("'%s': records %s", gf_log_name(t->name), digest);
    if (t->report.devices)
        gf_log_verbose("'%s': %d devices shared the transform", gf_log_name(t->name),
                       t->report.devices);
    for (int i = 0; i < t->job.n_out; i++)
        report_range(t, i);
    gf_log_verbose("'%s': decode %.1f ms, transform %.1f ms, encode %.1f ms", gf_log_name(t->name),
                   t->ms_decode, t->ms_transform, t->ms_encode);
    if (gf_runner_on_device(t->runner))
        report_device(gf_log_name(t->name), &t->runner->ms);
    if (t->s->json)
        gf_json_print(json_task(t));
}

/* The files of one or more inputs, and those that are read beside them. */
static void print_read(FILE *to, const struct gf_task *t) {
    const struct gf_filter_settings *f = &t->s->filter;
    fputs(gf_log_name(t->read[0]), to);
    if (t->n_read > 1)
        fprintf(to, " ... %s (%d frames)", t->read[t->n_read - 1], t->n_read);
    if (t->s->from_phase)
        fprintf(to, " + %s", t->s->from_phase);
    for (int i = 0; i < f->n_parts; i++)
        if (f->part[i].what == GF_MASK || f->part[i].what == GF_KERNEL)
            fprintf(to, " + %s", f->part[i].text);
}

/* "a.png -> o/a.png, o/a.tif (up to date)" */
static void print_plan(const struct gf_task *t) {
    char *line = NULL;
    size_t size;
    FILE *f = open_memstream(&line, &size);
    if (!f) {
        gf_log_lost(ENOMEM);
        return;
    }
    print_read(f, t);
    for (int i = 0; i < t->targets->n; i++)
        fprintf(f, "%s%s", i ? ", " : " -> ", t->product[i].path);
    fputs(!t->skipped ? "" : t->by_time ? " (up to date by time)" : " (up to date)", f);
    int rc = gf_text_close(f, &line);
    rc ? gf_log_lost(ENOMEM) : gf_log_text(line);
    free(line);
}

void gf_report_not_run(const struct gf_task *t) {
    if (t->skipped)
        gf_log_verbose("'%s': skipped, its outputs are there and %s", gf_log_name(t->name),
                       t->by_time ? "newer" : "were made so");
    if (t->s->dry_run && !t->s->json && !t->s->quiet)
        print_plan(t);
    if (!t->s->json)
        return;
    json_t *o = json_begin(t), *outs = json_array();
    json_object_set_new(o, "command", json_string(t->hooks->name));
    for (int i = 0; i < t->targets->n; i++) {
        json_t *out = json_object();
        json_object_set_new(out, "path", gf_json_text(t->product[i].path));
        json_object_set_new(out, "format", json_string(t->product[i].format->name));
        json_object_set_new(out, "kind", json_string(t->product[i].label));
        json_array_append_new(outs, out);
    }
    json_object_set_new(o, "out", outs);
    if (t->s->dry_run)
        json_object_set_new(o, "dry_run", json_true());
    if (t->skipped)
        json_object_set_new(o, "skipped", json_true());
    if (t->skipped && t->by_time)
        json_object_set_new(o, "by_time", json_true());
    json_object_set_new(o, "ok", json_true());
    gf_json_print(o);
}

void gf_report_lost(const struct gf_task *t) {
    if (!t->s->json)
        return;
    json_t *o = json_begin(t);
    json_object_set_new(o, "ok", json_false());
    json_object_set_new(o, "error", gf_json_text(gf_message()));
    json_object_set_new(o, "command", json_string(t->hooks->name));
    gf_json_print(o);
}

void gf_report_failed(const struct gf_settings *s, const char *name) {
    if (!s->json)
        return;
    gf_json_memory_begin();
    json_t *o = json_object();
    json_object_set_new(o, "in", gf_json_text(name));
    json_object_set_new(o, "ok", json_false());
    json_object_set_new(o, "error", gf_json_text(gf_message()));
    gf_json_print(o);
}
