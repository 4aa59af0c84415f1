/* The loop over files that fwd, inv, dwt and idwt share. */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/task.h"
#include "core/status.h"

/* What runs, file after file. */
struct run {
    const struct gf_transform *transform;
    const struct gf_settings *s;
    struct gf_targets targets;
    struct gf_engine engine;
    struct gf_inputs inputs;
    int done, failed, worst;
};

static int fail_usage(const char *command) {
    gf_log_error("%s: %s", command, gf_message());
    return gf_exit_code(GF_EUSAGE);
}

/* One task: `n` files at `read`, and what to call them. */
static void run_one(struct run *r, char *const *read, int n) {
    struct gf_task t = {.s = r->s,
                        .transform = r->transform,
                        .targets = &r->targets,
                        .engine = &r->engine,
                        .read = read,
                        .n_read = n};
    const char *name = gf_log_name(read[0]);
    r->engine.ms = (struct gf_device_ms){0};
    gf_progress_show(r->done + r->failed, "reading", name);
    bool streamed = false;
    int rc = r->transform->stream ? r->transform->stream(&t, &streamed) : 0;
    if (streamed || rc)
        goto out;
    rc = gf_task_preview(&t);
    if (!rc)
        rc = gf_task_read(&t);
    gf_progress_show(r->done + r->failed, "transforming", name);
    if (!rc)
        rc = gf_task_run(&t);
    gf_progress_show(r->done + r->failed, "writing", name);
    if (!rc)
        rc = gf_task_write(&t);
out:
    if (rc) {
        int code = gf_exit_code(rc);
        /* One file's data is no usage error, whatever layer found it. */
        code = code == 2 ? 1 : code;
        r->worst = code > r->worst ? code : r->worst;
        r->failed++;
        /* Where nothing could be opened the file is not to blame. */
        gf_log_fail(r->engine.gone && !r->engine.open ? NULL : read[0]);
        gf_report_failed(r->s, read[0]);
    } else {
        r->done++;
        gf_report_done(&t);
    }
    gf_task_free(&t);
}

/* Everything that is read besides the inputs must not be written either. */
static int claim(struct run *r) {
    const struct gf_settings *s = r->s;
    const char *also[GF_MAX_BESIDES];
    int n_also = gf_settings_besides(s, also);
    const struct gf_inputs *in = &r->inputs;
    char **read = calloc((size_t)(in->n + n_also) + 1, sizeof *read);
    int n = in->n;
    if (!read)
        return gf_fail(GF_ENOMEM, "out of memory for the list of inputs");
    for (int i = 0; i < n; i++)
        read[i] = in->path[i];
    for (int i = 0; i < n_also; i++)
        read[n++] = (char *)also[i];
    int rc = gf_targets_claim(s, &r->targets, in->path, s->frames && in->n ? 1 : in->n, read, n);
    free(read);
    return rc;
}

static int gather(struct run *r, char **operands, int n) {
    const struct gf_settings *s = r->s;
    char *pair[] = {(char *)s->from_magnitude};
    if (!s->from_magnitude)
        return gf_inputs_gather(s, operands, n, &r->inputs);
    if (n || s->files_from || s->files0_from || s->frames)
        return gf_fail(GF_EUSAGE, "--from-magnitude and --from-phase stand instead of IN");
    return gf_inputs_gather(s, pair, 1, &r->inputs);
}

static void summarise(const struct run *r) {
    const struct gf_inputs *in = &r->inputs;
    if (r->engine.gone && !r->s->frames && in->n > 1) {
        gf_log_error("%s: %s; %d done, %d not", r->engine.asked->name,
                     r->engine.open ? "the context is lost" : "no context could be opened", r->done,
                     in->n + in->failed - r->done);
        return;
    }
    if (r->s->frames || (r->done + r->failed < 2 && !in->many))
        return;
    if (in->skipped)
        gf_log_note("%d done, %d failed, %lld skipped (no pictures)", r->done, r->failed,
                    (long long)in->skipped);
    else
        gf_log_note("%d done, %d failed", r->done, r->failed);
}

int gf_transform_run(const struct gf_transform *transform, struct gf_settings *s, char **operands,
                     int n) {
    struct run r = {.transform = transform, .s = s};
    int code = 0;
    int rc = gf_settings_check(s);
    if (!rc)
        rc = gf_targets_parse(
            s, s->kind == GF_UNSAID ? transform->default_kind : (enum gf_kind)s->kind, &r.targets);
    for (int i = 0; i < r.targets.n && transform->label; i++)
        if (!r.targets.target[i].aside)
            r.targets.target[i].label = transform->label;
    if (!rc)
        rc = gather(&r, operands, n);
    if (!rc)
        rc = claim(&r);
    if (!rc)
        rc = gf_engine_open(&r.engine, s);
    if (rc == GF_EUSAGE) {
        code = fail_usage(transform->name);
        goto out;
    }
    if (rc) {
        gf_log_fail(NULL);
        code = gf_exit_code(rc);
        goto out;
    }
    s->max_memory = r.engine.limit; /* decoding is held to it too */
    r.failed = r.inputs.failed;
    r.worst = r.failed ? 1 : 0;
    gf_progress_start(s->quiet, s->frames ? 1 : r.inputs.n);
    gf_engine_ahead(&r.engine, NULL);
    if (s->frames && !r.failed)
        run_one(&r, r.inputs.path, r.inputs.n);
    for (int i = 0; i < r.inputs.n && !s->frames && !r.engine.gone; i++) {
        r.engine.runs = r.inputs.n - i;
        run_one(&r, &r.inputs.path[i], 1);
    }
    gf_progress_stop();
    summarise(&r);
    code = r.worst;
out:
    gf_engine_close(&r.engine);
    gf_inputs_free(&r.inputs);
    gf_targets_free(&r.targets);
    return code;
}
