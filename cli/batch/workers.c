/* Admits the workers of a run by memory, and reports in the order of the inputs. */
#include "cli/batch/workers.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/progress.h"
#include "core/base/host/memory.h"
#include "core/base/value/blocks.h"

/* The C library returns freed blocks from 128 KiB on to the kernel, which clears the pages of the
 * next one. Freeing a larger block raises that limit to its size. Buffers for a small picture's
 * file exceed 128 KiB. */
static void keep_small_buffers(void) {
    gf_free(gf_alloc(768 << 10));
}

int gf_workers_open(struct gf_workers *p, int n, int threads, const struct gf_settings *s,
                    struct gf_engine *engine, int n_inputs) {
    const int devices = gf_engine_devices(engine);
    *p = (struct gf_workers){
        .n_workers = n, .n_devices = devices, .n_inputs = n_inputs, .limit = s->max_memory};
    p->worker = calloc((size_t)n, sizeof *p->worker);
    struct gf_runner *runner = calloc((size_t)n * (size_t)devices, sizeof *runner);
    if (!p->worker || !runner) {
        free(runner);
        free(p->worker);
        p->worker = NULL;
        return gf_no_memory();
    }
    keep_small_buffers();
    if (n_inputs > 1)
        gf_blocks_keep();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    for (int i = 0; i < n; i++) {
        struct gf_worker *worker = &p->worker[i];
        worker->pool = p;
        worker->s = *s;
        worker->s.threads = threads;
        worker->runner = runner + i * devices;
        for (int k = 0; k < devices; k++)
            gf_runner_open(&worker->runner[k], engine, k, threads);
    }
    return 0;
}

void gf_workers_close(struct gf_workers *p) {
    if (!p->worker)
        return;
    for (int i = 0; i < p->n_workers * p->n_devices; i++)
        gf_runner_close(&p->worker[0].runner[i]);
    if (p->n_inputs > 1)
        gf_blocks_end();
    free(p->worker[0].runner);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p->worker);
    p->worker = NULL;
}

/* ---- memory ---- */

/* With the lock held: drops plans that an idle worker keeps for its next picture; false if none. */
static bool drop_a_plan(struct gf_workers *p, const struct gf_worker *but) {
    for (int i = 0; i < p->n_workers; i++) {
        struct gf_worker *worker = &p->worker[i];
        if (worker == but || worker->busy || !worker->reserved)
            continue;
        for (int k = 0; k < p->n_devices; k++)
            gf_runner_forget(&worker->runner[k]);
        p->used -= worker->reserved;
        worker->reserved = 0;
        return true;
    }
    return false;
}

static bool fits(const struct gf_workers *p, const struct gf_worker *worker, int64_t need) {
    int64_t others = p->used - worker->reserved;
    if (!p->busy)
        return others == 0 || (need >= 0 && need <= p->limit - others);
    return need >= 0 && need + GF_PICTURE_EXTRA <= p->limit - others;
}

static void pass(struct gf_worker *worker) {
    if (worker->pool->inside == worker)
        worker->pool->inside = NULL;
    pthread_cond_broadcast(&worker->pool->changed);
}

static void reserve(struct gf_worker *worker, int64_t bytes) {
    worker->pool->used += bytes - worker->reserved;
    worker->reserved = bytes;
}

void gf_workers_enter(struct gf_worker *worker) {
    struct gf_workers *p = worker->pool;
    pthread_mutex_lock(&p->lock);
    while (p->inside || worker->input > p->next)
        pthread_cond_wait(&p->changed, &p->lock);
    p->inside = worker;
    p->next += worker->input == p->next;
    pthread_mutex_unlock(&p->lock);
}

void gf_workers_admit(struct gf_worker *worker, int64_t need) {
    struct gf_workers *p = worker->pool;
    pthread_mutex_lock(&p->lock);
    while (!fits(p, worker, need)) {
        if (!p->tight)
            gf_memory_spare();
        p->tight = true;
        if (!drop_a_plan(p, worker))
            pthread_cond_wait(&p->changed, &p->lock);
    }
    reserve(worker, need < 0 ? p->limit : need + GF_PICTURE_EXTRA);
    worker->busy = true;
    p->busy++;
    pass(worker);
    pthread_mutex_unlock(&p->lock);
}

void gf_workers_settle(struct gf_worker *worker, int64_t need) {
    pthread_mutex_lock(&worker->pool->lock);
    if (need + GF_PICTURE_EXTRA < worker->reserved)
        reserve(worker, need + GF_PICTURE_EXTRA);
    pthread_cond_broadcast(&worker->pool->changed);
    pthread_mutex_unlock(&worker->pool->lock);
}

static int64_t kept_bytes(const struct gf_worker *worker) {
    int64_t bytes = 0;
    for (int k = 0; k < worker->pool->n_devices; k++)
        bytes += gf_runner_kept_bytes(&worker->runner[k]);
    return bytes;
}

void gf_workers_leave(struct gf_worker *worker) {
    struct gf_workers *p = worker->pool;
    pthread_mutex_lock(&p->lock);
    reserve(worker, kept_bytes(worker));
    p->busy -= worker->busy;
    worker->busy = false;
    pass(worker);
    pthread_mutex_unlock(&p->lock);
}

/* ---- reports ---- */

static void add(struct gf_tally *sum, const struct gf_tally *t) {
    sum->done += t->done;
    sum->failed += t->failed;
    sum->skipped += t->skipped;
    sum->by_time += t->by_time;
    sum->worst = t->worst > sum->worst ? t->worst : sum->worst;
    sum->gone |= t->gone;
}

/* Keeps messages, unless the only worker prints them at once. */
static void start_report(struct gf_worker *worker) {
    worker->report = (struct gf_ending){.tally = {0}};
    if (worker->pool->n_workers > 1)
        gf_log_keep();
}

/* Only the first input that finds the backend lost reports it. */
static void print_report(struct gf_workers *p, struct gf_ending *report) {
    if (!p->sum.gone || !report->tally.gone) {
        add(&p->sum, &report->tally);
        gf_log_say(&report->said);
    }
    free(report->said.err);
    free(report->said.out);
    report->said = (struct gf_said){0};
    if (gf_log_flush_stdout() == EPIPE)
        gf_workers_close_pipe(p);
}

void gf_workers_report(struct gf_worker *worker) {
    if (!gf_conveyor_is_first(&worker->pool->conveyor, worker->input))
        return;
    worker->report.said = gf_log_kept();
    print_report(worker->pool, &worker->report);
    start_report(worker);
}

static int run_input(void *user, int hand, int64_t input) {
    struct gf_workers *p = user;
    struct gf_worker *worker = &p->worker[hand];
    const struct gf_tally *t = &worker->report.tally;
    worker->input = (int)input;
    start_report(worker);
    p->run(p->user, worker);
    gf_progress_count(0, 1, t->skipped && !t->done && !t->failed);
    worker->report.said = gf_log_kept();
    p->ending[input % GF_WINDOW] = worker->report;
    return 0;
}

static int report_input(void *user, int64_t input) {
    struct gf_workers *p = user;
    print_report(p, &p->ending[input % GF_WINDOW]);
    return 0;
}

int gf_workers_run(struct gf_workers *p, void (*run)(void *user, struct gf_worker *worker),
                   void *user) {
    p->run = run;
    p->user = user;
    p->conveyor = (struct gf_conveyor){.items = p->n_inputs,
                                       .slots = GF_WINDOW,
                                       .hands = p->n_workers,
                                       .work = run_input,
                                       .write = report_input,
                                       .user = p};
    return gf_conveyor_run(&p->conveyor);
}

void gf_workers_close_pipe(struct gf_workers *p) {
    p->pipe_closed = true;
    gf_conveyor_stop(&p->conveyor);
}
