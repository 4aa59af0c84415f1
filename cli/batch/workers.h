/* Pictures at work side by side: who may begin, with how much memory, and whose words are due.
 *
 * A lane is a thread that takes one input after the other. It enters, looks at the input's header,
 * and is admitted once what the picture needs fits beside the others; one lane at a time is between
 * the two, so that inputs are looked at, and begin, in their order. One that fits nowhere is
 * admitted when it is alone. Words come out in the order of the inputs too. */
#ifndef GF_CLI_BATCH_WORKERS_H
#define GF_CLI_BATCH_WORKERS_H

#include <pthread.h>

#include "core/session/runner.h"
#include "cli/log.h"
#include "cli/settings.h"

enum {
    GF_MAX_WORKERS = 256,
    GF_WINDOW = 2 * GF_MAX_WORKERS, /* inputs that may be done before the words of one are due */
    /* What a picture takes beside its arrays and the plan's workspace: the coders' buffers. */
    GF_PICTURE_EXTRA = 4 << 20
};

/* What came of some pictures of an input. */
struct gf_tally {
    int done, failed, skipped;
    int worst; /* exit code */
    bool gone; /* failed because nothing could be run */
};

struct gf_worker {
    struct gf_workers *pool;
    pthread_t thread;
    struct gf_settings s; /* with the threads of this lane */
    struct gf_runner runner;
    bool entered, busy;
    int64_t reserved; /* bytes; the lane's kept plan included */
    int input;
    struct gf_tally tally; /* of the input, as far as it is not told yet */
};

struct gf_workers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct gf_worker *lane;
    int n_workers;
    int64_t limit, used; /* bytes */
    int busy;            /* lanes that have something reserved */
    bool entered;        /* a lane is looking at its input */
    bool tight;          /* a lane had to wait for memory */
    bool stop;           /* no further input is begun */
    bool pipe_closed;    /* whoever read our output has seen enough: nothing more is said */
    int next, n_inputs, turn;
    struct {
        bool ended;
        struct gf_said said;
        struct gf_tally tally;
    } ending[GF_WINDOW];
    struct gf_tally sum;
};

/* `n` lanes with `threads` each. The session stays the caller's. */
int gf_workers_open(struct gf_workers *p, int n, int threads, const struct gf_settings *s,
                    struct gf_session *session, int n_inputs, int64_t limit);
void gf_workers_close(struct gf_workers *p);

/* The next input, or -1: there is none, or nothing more is to be done. The lane has entered. */
int gf_workers_take(struct gf_worker *l);
/* Enters for one more picture of the same input. */
void gf_workers_enter(struct gf_worker *l);
/* Waits until there is room for `need` bytes, -1 for all there is, and reserves it. */
void gf_workers_admit(struct gf_worker *l, int64_t need);
/* The need is known now, and is not more than what was reserved. */
void gf_workers_settle(struct gf_worker *l, int64_t need);
/* Gives back what is reserved, and the place at the door. */
void gf_workers_leave(struct gf_worker *l);
/* Says what is due of what came of the lane's input; `more` is still to come of it. */
void gf_workers_report(struct gf_worker *l, bool more);
void gf_workers_stop(struct gf_workers *p);
void gf_workers_close_pipe(struct gf_workers *p); /* ditto, without a word */
bool gf_workers_stopped(struct gf_workers *p);

#endif
