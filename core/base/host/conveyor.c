/* The conveyor's threads share only which item each step finished last, by slot. */
#include "core/base/host/conveyor.h"

#include <stdlib.h>

struct thread {
    struct gf_conveyor *c;
    enum gf_conveyor_step step;
    int i;              /* index of the reader or hand */
    bool reads, writes; /* a hand does these too */
    bool started;
    pthread_t thread;
};

/* ---- with the lock held ---- */

static bool is_done(const struct gf_conveyor *c, enum gf_conveyor_step step, int64_t item) {
    return c->done[step][(item + c->slots) % c->slots] == item;
}

static bool is_ready(const struct gf_conveyor *c, enum gf_conveyor_step step, int64_t item) {
    const int64_t before = item - c->slots, written = item - (c->outputs ? c->outputs : c->slots);
    const enum gf_conveyor_step last = c->input_is_written ? GF_CONVEYOR_WRITE : GF_CONVEYOR_WORK;
    return step == GF_CONVEYOR_READ    ? is_done(c, last, before)
           : step == GF_CONVEYOR_WRITE ? is_done(c, GF_CONVEYOR_WORK, item)
                                       : (!c->read || is_done(c, GF_CONVEYOR_READ, item)) &&
                                             (!c->write || is_done(c, GF_CONVEYOR_WRITE, written));
}

static void note(struct gf_conveyor *c, enum gf_conveyor_step step, int64_t item, int rc) {
    if (!rc)
        c->done[step][item % c->slots] = item;
    else
        c->end = 0;
    if (rc && (!c->failed.status || item < c->failed_item)) {
        c->failed = (struct gf_failure){.status = 0};
        gf_failure_keep(&c->failed, rc);
        c->failed_item = item;
    }
    if (rc && c->cancel)
        c->cancel(c->user);
    pthread_cond_broadcast(&c->changed);
}

/* ---- steps ---- */

/* Waits for the item's turn; false if there is nothing left to do. */
static bool begin(struct gf_conveyor *c, enum gf_conveyor_step step, int64_t item) {
    pthread_mutex_lock(&c->lock);
    while (item < c->end && !is_ready(c, step, item))
        pthread_cond_wait(&c->changed, &c->lock);
    const bool on = item < c->end;
    pthread_mutex_unlock(&c->lock);
    return on;
}

static bool run_step(struct gf_conveyor *c, enum gf_conveyor_step step, int i, int64_t item) {
    if (!begin(c, step, item))
        return false;
    const int rc = step == GF_CONVEYOR_READ   ? c->read(c->user, i, item)
                   : step == GF_CONVEYOR_WORK ? c->work(c->user, i, item)
                                              : c->write(c->user, item);
    pthread_mutex_lock(&c->lock);
    note(c, step, item, rc);
    pthread_mutex_unlock(&c->lock);
    return !rc;
}

static int64_t next(struct gf_conveyor *c, enum gf_conveyor_step step, int i) {
    if (step == GF_CONVEYOR_WORK && c->take)
        return c->take(c->user, i);
    pthread_mutex_lock(&c->lock);
    const int64_t item = c->next[step] < c->end ? c->next[step]++ : -1;
    pthread_mutex_unlock(&c->lock);
    return item;
}

/* Writes what is due unless another hand is writing, which looks again before it stops. */
static void write_due(struct gf_conveyor *c) {
    pthread_mutex_lock(&c->lock);
    for (int64_t *at = &c->next[GF_CONVEYOR_WRITE];
         !c->writing && *at < c->end && is_ready(c, GF_CONVEYOR_WRITE, *at);) {
        const int64_t item = (*at)++;
        c->writing = true;
        pthread_mutex_unlock(&c->lock);
        const int rc = c->write(c->user, item);
        pthread_mutex_lock(&c->lock);
        c->writing = false;
        note(c, GF_CONVEYOR_WRITE, item, rc);
    }
    pthread_mutex_unlock(&c->lock);
}

static void *run(void *user) {
    const struct thread *t = user;
    for (int64_t item; (item = next(t->c, t->step, t->i)) >= 0;) {
        if (t->reads && !run_step(t->c, GF_CONVEYOR_READ, t->i, item))
            break;
        if (!run_step(t->c, t->step, t->i, item))
            break;
        if (t->writes)
            write_due(t->c);
    }
    return NULL;
}

/* ---- threads ---- */

static bool start(struct gf_conveyor *c, enum gf_conveyor_step step, int i, bool writes,
                  struct thread *t) {
    *t = (struct thread){.c = c, .step = step, .i = i, .writes = writes};
    return t->started = !pthread_create(&t->thread, NULL, run, t);
}

/* Starts the threads: a writer and a reader, or if one fails none of those that can be replaced. */
static void run_threads(struct gf_conveyor *c, struct thread *writer) {
    struct thread own = {.c = c, .step = GF_CONVEYOR_WORK}, *reader = writer + 1;
    struct thread *hand = reader + c->readers;
    bool all = !c->readers || ((!c->write || start(c, GF_CONVEYOR_WRITE, 0, false, writer)) &&
                               start(c, GF_CONVEYOR_READ, 0, false, reader));
    own.writes = c->write && !writer->started;
    own.reads = c->read && !reader->started;
    for (int i = 1; i < c->readers && all; i++)
        start(c, GF_CONVEYOR_READ, i, false, &reader[i]);
    for (int i = 1; i < c->hands && (all || c->take); i++)
        all = start(c, GF_CONVEYOR_WORK, i, own.writes, &hand[i]) && all;
    if (all || !c->take) {
        run(&own);
    } else {
        pthread_mutex_lock(&c->lock);
        note(c, GF_CONVEYOR_WORK, 0, gf_fail(GF_ENOMEM, "cannot start a thread"));
        pthread_mutex_unlock(&c->lock);
    }
    for (int i = 0; i < 1 + c->readers + c->hands; i++)
        if (writer[i].started)
            pthread_join(writer[i].thread, NULL);
}

int gf_conveyor_run(struct gf_conveyor *c) {
    struct thread *thread = calloc((size_t)(1 + c->readers + c->hands), sizeof *thread);
    int64_t *done = calloc((size_t)c->slots * GF_CONVEYOR_STEPS, sizeof *done);
    if (!thread || !done) {
        free(thread);
        free(done);
        return gf_no_memory();
    }
    for (int step = 0; step < GF_CONVEYOR_STEPS; step++) {
        c->done[step] = done + step * c->slots;
        c->next[step] = 0;
        for (int64_t k = 0; k < c->slots; k++)
            c->done[step][k] = k - c->slots;
    }
    c->end = c->items;
    c->writing = false;
    c->failed = (struct gf_failure){.status = 0};
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    run_threads(c, thread);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(thread);
    free(done);
    return gf_failure_return(&c->failed);
}

/* ---- from within a step ---- */

void gf_conveyor_stop(struct gf_conveyor *c) {
    pthread_mutex_lock(&c->lock);
    if (c->next[GF_CONVEYOR_WORK] < c->end)
        c->end = c->next[GF_CONVEYOR_WORK];
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

bool gf_conveyor_is_stopped(struct gf_conveyor *c) {
    pthread_mutex_lock(&c->lock);
    const bool stopped = c->end < c->items;
    pthread_mutex_unlock(&c->lock);
    return stopped;
}

bool gf_conveyor_is_first(struct gf_conveyor *c, int64_t item) {
    pthread_mutex_lock(&c->lock);
    const bool first = is_done(c, GF_CONVEYOR_WRITE, item - 1);
    pthread_mutex_unlock(&c->lock);
    return first;
}
