/* Runs the inputs: each worker processes one after another, from header to outputs. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/batch/pages.h"
#include "cli/batch/ranks.h"
#include "cli/batch/slabs.h"
#include "cli/batch/spread.h"
#include "cli/batch/workers.h"
#include "cli/progress.h"
#include "core/base/host/memory.h"

/* A run over files, one after the other or concurrently in several workers. */
struct batch_run {
    const struct gf_task_hooks *hooks;
    struct gf_settings *s;
    struct gf_targets targets;
    struct gf_engine *engine;
    struct gf_inputs inputs;
    int n_named; /* inputs that name outputs: one with --frames */
    struct gf_workers pool;
    struct gf_launcher launcher;
    struct gf_ranks ranks;
    bool joined;
    struct gf_made *made;
    struct gf_task first; /* the previewed task of input 0, for its worker to continue */
};

static void show(const struct gf_task *t, const char *what) {
    gf_progress_show(what, gf_log_name(t->name));
}

/* True if the command prints or streams its inputs, which are then processed one at a time. */
static bool streams(const struct gf_task_hooks *hooks, const struct gf_settings *s) {
    return hooks->prints || (hooks->stream && (s->frames || s->shape.n == 3));
}

/* Runs a task that is too large for memory in parts, while no other worker runs. */
static int run_too_large(struct gf_task *t, struct gf_worker *worker) {
    if (t->hooks->stream) {
        gf_workers_admit(worker, gf_runner_limit(t->op.crew.runner));
        return t->hooks->stream(t);
    }
    int rc = gf_slabs_plan(t);
    if (rc)
        return rc;
    gf_workers_admit(worker, t->op.need);
    show(t, "transforming");
    return gf_slabs_run(t);
}

/* Runs a picture from its header to its outputs. The worker has entered. */
static int run_picture(struct gf_task *t, struct gf_worker *worker) {
    int rc = 0;
    show(t, "reading");
    if (t->hooks->prints ||
        ((streams(t->hooks, t->s) || (t->deal && t->hooks->stream)) && gf_task_is_at_hand(t))) {
        rc = gf_task_advance(t, GF_TASK_DESCRIBED);
        if (!rc && t->state == GF_TASK_DESCRIBED)
            rc = t->hooks->stream(t);
        if (rc || t->state != GF_TASK_DESCRIBED)
            return rc;
    }
    rc = gf_task_preview(t);
    if (t->state == GF_TASK_TOO_LARGE)
        return run_too_large(t, worker);
    if (rc || t->state == GF_TASK_SKIPPED)
        return rc;
    gf_workers_admit(worker, t->op.need);
    rc = gf_task_advance(t, GF_TASK_READY);
    if (rc || t->state == GF_TASK_SKIPPED)
        return rc;
    gf_workers_settle(worker, t->op.need);
    show(t, "transforming");
    if (gf_task_at_once(t))
        return gf_pages_run(t);
    rc = gf_task_advance(t, GF_TASK_TRANSFORMED);
    if (rc)
        return rc;
    show(t, "writing");
    return gf_task_advance(t, GF_TASK_WRITTEN);
}

/* True unless another process of a joined run reports. */
static bool reports(const struct batch_run *r) {
    return !r->joined || r->ranks.rank == 0;
}

/* Reports a task as done, as skipped or, with --dry-run, as to be done. */
static void report(struct gf_task *t) {
    const struct gf_outputs outputs = gf_task_outputs(t);
    const bool runs = t->state != GF_TASK_SKIPPED && !t->s->dry_run;
    if (runs)
        gf_resume_note(&t->resume, &outputs);
    (runs ? gf_report_done : gf_report_not_run)(t);
}

/* Returns the exit code of an input's failure: bad data is no usage error, and an impossible job
 * fails only its input if there are others (`only` false). */
static int exit_code_of(int status, bool only) {
    int code = gf_exit_code(status);
    return code == 2 || (status == GF_EUNABLE && !only) ? 1 : code;
}

/* Counts and reports one picture. */
static void count(const struct batch_run *r, struct gf_task *t, struct gf_worker *worker, int rc) {
    const struct gf_runner *runner = t->op.crew.runner;
    const bool lost = gf_engine_is_lost(runner->engine);
    struct gf_tally *tally = &worker->report.tally;
    const bool skipped = t->state == GF_TASK_SKIPPED;
    if (rc || !skipped)
        gf_progress_count(1, 0, 0);
    if (!rc) {
        tally->done += !skipped;
        tally->skipped += skipped;
        tally->by_time += skipped && t->resume.by_time;
        if (!r->hooks->prints && reports(r))
            report(t);
    } else {
        int code = exit_code_of(rc, worker->pool->n_inputs == 1);
        tally->worst = code > tally->worst ? code : tally->worst;
        tally->failed++;
        tally->gone = lost;
        if (gf_log_pipe_closed())
            gf_workers_close_pipe(worker->pool);
        /* The file is not to blame if no context could be opened. */
        gf_log_fail(lost && !gf_engine_is_open(runner->engine, runner->device) ? NULL : t->name);
        if (reports(r))
            r->hooks->prints ? gf_report_failed(t->s, t->name) : gf_report_lost(t);
    }
    if (lost)
        gf_conveyor_stop(&worker->pool->conveyor);
}

static struct gf_task task_of(const struct batch_run *r, char *const *read, int n) {
    return (struct gf_task){.hooks = r->hooks,
                            .targets = &r->targets,
                            .read = read,
                            .n_read = n,
                            .name = read[0],
                            .resume = {.made = r->made}};
}

/* True if the devices share the pages of one input, not the inputs. */
static bool shares_pages(const struct batch_run *r) {
    return gf_engine_devices(r->engine) > 1 && (r->s->frames || r->inputs.n < 2);
}

/* Continues the task of input 0 if choose_jobs() made it. */
static struct gf_task take_task(struct batch_run *r, struct gf_worker *worker, char *const *read,
                                int n) {
    struct gf_task t = r->first.hooks && worker->input == 0 ? r->first : task_of(r, read, n);
    if (worker->input == 0)
        r->first = (struct gf_task){0};
    gf_task_hand_over(&t, &worker->s, &worker->runner[worker->device]);
    if (shares_pages(r)) {
        t.deal = r->engine;
        t.runners = worker->runner;
    }
    return t;
}

/* Runs a picture, or this process's share of it. */
static int run_task(struct batch_run *r, struct gf_task *t, struct gf_worker *worker) {
    if (!r->joined)
        return worker->s.dry_run ? gf_task_dry_run(t) : run_picture(t, worker);
    int rc = !worker->s.dry_run   ? gf_spread_task(t, &r->ranks)
             : r->ranks.rank == 0 ? gf_task_dry_run(t) /* for all */
                                  : 0;
    gf_log_mute(r->ranks.rank != (rc ? r->ranks.speaker : 0));
    return rc;
}

/* Runs all pictures of one input, which is `n` files at `read`. */
static void run_pictures(struct batch_run *r, struct gf_worker *worker, char *const *read, int n,
                         int64_t ahead) {
    struct gf_task t = take_task(r, worker, read, n);
    for (;;) {
        gf_workers_enter(worker);
        gf_runner_next(t.op.crew.runner, ahead);
        int rc = run_task(r, &t, worker);
        /* Without the wait for the device's turn; if samples were decoded meanwhile, all of it. */
        if (!rc && t.state != GF_TASK_SKIPPED)
            worker->seconds +=
                (t.op.feed.complete ? t.op.ms.transform : t.op.crew.runner->ms.turn) * 1e-3;
        const bool several = t.reader.several && !gf_conveyor_is_stopped(&worker->pool->conveyor);
        count(r, &t, worker, rc);
        gf_workers_leave(worker);
        rc = several ? gf_task_more(&t) : 0;
        if (rc < 0)
            count(r, &t, worker, rc);
        if (rc <= 0)
            break;
        gf_workers_report(worker);
    }
    gf_task_free(&t);
}

static void run_input(void *user, struct gf_worker *worker) {
    struct batch_run *r = user;
    const bool all = r->s->frames || shares_pages(r),
               dealt = !worker->s.dry_run && !shares_pages(r);
    worker->seconds = 0;
    if (dealt)
        worker->device = gf_deal_assign(r->engine, worker->input);
    run_pictures(r, worker, &r->inputs.path[worker->input], r->s->frames ? r->inputs.n : 1,
                 all ? 1 : r->inputs.n - worker->input);
    if (dealt)
        gf_deal_end(r->engine, worker->device, worker->seconds);
}

/* Chooses how many inputs to process concurrently: one per CPU thread, at least one per device, and
 * no more than fit memory if all are like the first one. They share the threads evenly. */
static int choose_jobs(struct batch_run *r) {
    int threads = gf_settings_threads(r->s);
    const int devices = gf_engine_devices(r->engine);
    int jobs = r->s->jobs ? r->s->jobs : threads > devices ? threads : devices;
    struct gf_runner runner;
    if (r->s->frames || r->inputs.n < 2 || streams(r->hooks, r->s) || r->s->dry_run)
        return 1;
    jobs = (int)gf_min(jobs, gf_min(r->inputs.n, GF_MAX_WORKERS));
    const bool given = r->s->jobs || jobs == 1;
    if (given && devices == 1)
        return jobs;
    struct gf_task t = task_of(r, r->inputs.path, 1);
    t.s = r->s;
    t.op.crew = (struct gf_crew){.runner = &runner, .threads = gf_settings_threads(r->s)};
    gf_runner_open(&runner, r->engine, gf_engine_prompt(r->engine), r->s->threads);
    gf_runner_next(&runner, r->inputs.n);
    int rc = gf_task_preview(&t);
    if (!rc && t.op.need > 0 && t.state == GF_TASK_PLANNED && !given) {
        int64_t fit = r->s->max_memory / (t.op.need + GF_PICTURE_EXTRA);
        jobs = fit < 1 ? 1 : fit < jobs ? (int)fit : jobs;
    }
    if (rc) /* the worker that takes this input reports it */
        gf_task_free(&t);
    else
        r->first = t;
    gf_runner_close(&runner);
    return jobs;
}

static int run_all(struct batch_run *r) {
    const struct gf_settings *s = r->s;
    int inputs = s->frames ? !r->inputs.failed : r->inputs.n;
    int jobs = choose_jobs(r), threads = gf_settings_threads(s) / jobs;
    const bool deals = gf_engine_devices(r->engine) > 1 && !shares_pages(r) && !s->dry_run;
    int rc = gf_workers_open(&r->pool, jobs, threads > 0 ? threads : 1, s, r->engine, inputs);
    if (!rc && deals)
        rc = gf_deal_start(r->engine, r->first.hooks ? gf_task_planned(&r->first) : NULL, inputs,
                           jobs);
    if (rc)
        return rc;
    r->pool.sum.failed = r->inputs.failed;
    r->pool.sum.worst = r->inputs.failed ? 1 : 0;
    gf_progress_start(s->quiet || s->dry_run || r->joined, s->frames ? 1 : r->inputs.n);
    for (int i = 0; i < gf_engine_devices(r->engine) && !s->dry_run && !r->joined; i++)
        if (gf_deal_begins(r->engine, i) && !shares_pages(r))
            gf_runner_ahead(&r->pool.worker[0].runner[i], NULL);
    if (jobs > 1)
        gf_formats_load();
    rc = gf_workers_run(&r->pool, run_input, r);
    gf_progress_stop();
    return rc;
}

static int gather(struct batch_run *r, char **operands, int n) {
    const struct gf_settings *s = r->s;
    char *pair[] = {(char *)s->from_magnitude};
    if (!s->from_magnitude)
        return gf_inputs_gather(s, operands, n, &r->inputs);
    if (n || s->files_from || s->files0_from || s->frames)
        return gf_fail(GF_EUSAGE, "--from-magnitude and --from-phase are given instead of IN");
    return gf_inputs_gather(s, pair, 1, &r->inputs);
}

/* Describes how many were skipped, and why. */
static void describe_skipped(int64_t none, int64_t newer, char *text, size_t size) {
    if (none && newer)
        snprintf(text, size, ", %lld skipped (%lld no pictures, %lld up to date)",
                 (long long)(none + newer), (long long)none, (long long)newer);
    else if (none || newer)
        snprintf(text, size, ", %lld skipped (%s)", (long long)(none + newer),
                 none ? "no pictures" : "up to date");
}

static void summarise(struct batch_run *r) {
    const struct gf_inputs *in = &r->inputs;
    const struct gf_tally *sum = &r->pool.sum;
    char skipped[128] = "";
    if (r->pool.pipe_closed)
        return;
    if (!r->s->dry_run)
        gf_deal_print(r->engine);
    if (gf_engine_is_lost(r->engine) && !r->s->frames && in->n > 1) {
        gf_log_error("%s: %s; %d done, %d not", gf_engine_asked(r->engine, 0)->name,
                     !gf_engine_is_open(r->engine, 0)    ? "no context could be opened"
                     : gf_engine_devices(r->engine) == 1 ? "the context is lost"
                                                         : "all contexts are lost",
                     sum->done, in->n + in->failed - sum->done - sum->skipped);
        return;
    }
    if (sum->by_time)
        gf_log_note("%d skipped by timestamp only (their options are unknown); --force redoes them",
                    sum->by_time);
    if (!sum->skipped && (r->s->frames || (sum->done + sum->failed < 2 && !in->many)))
        return;
    describe_skipped(in->skipped, sum->skipped, skipped, sizeof skipped);
    gf_log_note("%d %s, %d failed%s", sum->done, r->s->dry_run ? "to do" : "done", sum->failed,
                skipped);
}

/* Joins the launcher's other processes, or finds that each runs independently. */
static int join_ranks(struct batch_run *r) {
    r->launcher = gf_environment_launcher();
    const struct gf_rank_work work = {.s = r->s,
                                      .command = r->hooks->name,
                                      .targets = &r->targets,
                                      .names = r->inputs.path,
                                      .n_names = r->n_named};
    int rc = gf_ranks_join(&r->launcher, &work, &r->ranks, &r->joined);
    if (!rc && !r->joined) /* each process has its own outputs */
        gf_log_mute(false);
    return rc;
}

/* A failure on one machine fails all of them. */
static int agree(struct batch_run *r, int rc) {
    if (!r->joined)
        return rc;
    rc = gf_ranks_agree(&r->ranks, rc);
    if (rc)
        gf_log_mute(r->ranks.rank != r->ranks.speaker);
    return rc;
}

/* GF_EUSAGE unless processes that are one run have one input and one device each. */
static int check_joined(const struct batch_run *r) {
    const bool several = r->inputs.n != 1 || r->s->frames || r->s->from_magnitude;
    if (!r->joined || (!several && gf_engine_devices(r->engine) == 1))
        return 0;
    gf_log_mute(r->ranks.rank != 0);
    return several
               ? gf_fail(GF_EUSAGE, "%d processes share one volume in one file, not several files",
                         r->ranks.size)
               : gf_fail(GF_EUSAGE, "processes that share a volume use one device each");
}

/* Explains -o for `gpufft fwd a.png b.png`, typed as if the last operand were the output. */
static int refuse_without_output(char **operands, int n) {
    if (n < 2)
        return gf_fail(GF_EUSAGE, "no output; give --out=FILE");
    if (n == 2 && access(operands[1], F_OK))
        return gf_fail(GF_EUSAGE, "no output; outputs are named by -o: -o %s", operands[1]);
    return gf_fail(GF_EUSAGE, "no output; outputs are named by -o, those of several inputs by a "
                              "template: -o '{stem}_{kind}.png'");
}

/* True for a pipe, and for a file whose pictures can be the planes of one volume. */
static bool may_stack(const char *path) {
    struct gf_source *source = NULL;
    unsigned char head[GF_SNIFF];
    if (!strcmp(path, "-"))
        return true;
    const bool opens = !gf_path_is_stream(path) && !gf_source_open(path, &source);
    const int64_t n = opens ? gf_source_peek(source, head, sizeof head) : 0;
    const struct gf_format *format = n > 0 ? gf_format_sniff(head, (size_t)n) : NULL;
    gf_source_close(source);
    return format && format->stacks;
}

/* Finds outputs and inputs, and claims the outputs' names. */
static int name_files(struct batch_run *r, char **operands, int n) {
    struct gf_settings *s = r->s;
    const struct gf_task_hooks *hooks = r->hooks;
    const enum gf_kind kind = s->kind == GF_UNSET ? hooks->default_kind : (enum gf_kind)s->kind;
    int rc = gf_targets_parse(s, kind, hooks->keeps_type, &r->targets);
    if (!hooks->prints && r->targets.n == r->targets.n_aside && (!rc || n > 1))
        rc = refuse_without_output(operands, n);
    for (int i = 0; i < r->targets.n; i++) {
        struct gf_target *t = &r->targets.target[i];
        t->where.roots = &r->inputs.roots;
        t->label = hooks->label && !t->aside ? hooks->label : t->label;
    }
    if (!rc)
        rc = gather(r, operands, n);
    s->stacked =
        !rc && s->frames && r->inputs.n == 1 && !r->inputs.failed && may_stack(r->inputs.path[0]);
    s->frames = s->frames && !s->stacked;
    r->n_named = s->frames && r->inputs.n ? 1 : r->inputs.n;
    return rc ? rc : gf_targets_claim(s, &r->targets, r->inputs.path, r->n_named);
}

/* Joins the other processes, and opens the devices. */
static int open_run(struct batch_run *r, char **operands, int n) {
    struct gf_settings *s = r->s;
    int rc = gf_settings_check(s);
    if (!rc)
        rc = name_files(r, operands, n);
    if (!rc && !r->hooks->prints)
        rc = join_ranks(r);
    if (!rc)
        rc = r->joined ? gf_spread_settings(s, &r->launcher) : gf_settings_request(s);
    const bool whole = (r->inputs.n == 1 || s->frames) && s->dims != 2;
    s->max_memory = s->max_memory ? s->max_memory : gf_memory_available(); /* also for decoding */
    if (!rc)
        rc = gf_settings_engine(s, whole ? GF_ENGINE_TOGETHER : GF_ENGINE_EACH, &r->engine);
    if (!rc)
        rc = gf_targets_check_folders(s, &r->targets, r->inputs.path, r->n_named);
    return agree(r, rc);
}

static int run(struct batch_run *r) {
    struct gf_settings *s = r->s;
    if ((s->resume || r->inputs.n > 1 || r->inputs.many) && !r->hooks->prints && reports(r))
        r->made = gf_made_open(gf_environment(), s->resume && !s->force, !s->dry_run);
    const int rc = check_joined(r);
    return rc ? rc : run_all(r);
}

static void close_run(struct batch_run *r, int code) {
    gf_task_free(&r->first);
    gf_made_close(r->made);
    gf_workers_close(&r->pool);
    gf_engine_close(r->engine);
    gf_inputs_free(&r->inputs);
    gf_targets_free(&r->targets);
    if (r->ranks.broken) { /* the others wait for this process */
        gf_sink_remove_temporaries();
        r->ranks.transport->abandon(code ? code : 1);
    }
    gf_ranks_close(&r->ranks);
}

int gf_batch_run(const struct gf_task_hooks *hooks, struct gf_settings *s, char **operands, int n) {
    struct batch_run *r = calloc(1, sizeof *r);
    int rc = r ? 0 : gf_no_memory();
    if (rc) {
        gf_log_fail(NULL);
        return gf_exit_code(rc);
    }
    r->hooks = hooks;
    r->s = s;
    rc = open_run(r, operands, n);
    if (!rc)
        rc = run(r);
    if (rc == GF_EUSAGE)
        gf_log_error("%s: %s", hooks->name, gf_message());
    else if (rc)
        gf_log_fail(NULL);
    else if (!r->joined || r->pool.sum.skipped)
        summarise(r);
    const int code = rc ? gf_exit_code(rc) : r->pool.sum.worst;
    close_run(r, code);
    free(r);
    return code;
}
