/* Pictures processed concurrently: which worker may begin, with how much memory, and when it reports.
 *
 * A worker is a thread that takes one input after the other. It enters, reads the input's header, and
 * is admitted once the picture fits the memory that the others leave; one worker at a time is between
 * the two, so that inputs are looked at, and begin, in their order. One that fits nowhere is admitted
 * when it is alone. Reports are printed in the order of the inputs too.
 *
 *     static void run(void *user, struct gf_worker *worker) {
 *         gf_workers_enter(worker);
 *         need = look at the header of worker->input;
 *         gf_workers_admit(worker, need);
 *         process it;
 *         gf_workers_leave(worker);
 *     }
 *     rc = gf_workers_run(&workers, run, user);
 */
#ifndef GF_CLI_BATCH_WORKERS_H
#define GF_CLI_BATCH_WORKERS_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/deal/deal.h"
#include "core/divide/conveyor.h"
#include "cli/log.h"
#include "cli/settings.h"

enum {
    GF_MAX_WORKERS = 256,
    GF_WINDOW = 2 * GF_MAX_WORKERS, /* inputs that may be done before one of them is reported */
    /* Memory of a picture besides its arrays and the plan's workspace: the coders' buffers. */
    GF_PICTURE_EXTRA = 4 << 20
};

/* The results of some pictures of an input. */
struct gf_tally {
    int done, failed, skipped;
    int by_time; /* of the skipped: nothing else is known of them */
    int worst;   /* exit code */
    bool gone;   /* failed because nothing could be run */
};

/* Messages and counts of an input that are not reported yet. */
struct gf_ending {
    struct gf_said said;
    struct gf_tally tally;
};

struct gf_worker {
    struct gf_workers *pool;
    struct gf_settings s;     /* with the threads of this worker */
    struct gf_runner *runner; /* one for each device of the run */
    int device;               /* of the input being processed */
    double seconds;           /* of its device's time, as far as it tells its speed; else 0 */
    bool busy;
    int64_t reserved; /* bytes; the worker's kept plan included */
    int input;
    struct gf_ending report;
};

struct gf_workers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct gf_worker *worker;
    int n_workers, n_devices;
    int64_t limit, used;      /* bytes */
    int busy;                 /* workers that have memory reserved */
    bool tight;               /* a worker had to wait for memory */
    struct gf_worker *inside; /* looks at its input */
    int next, n_inputs;       /* no input from `next` on was looked at */
    atomic_bool pipe_closed;  /* the reader of our output has closed it: nothing more is reported */
    void (*run)(void *user, struct gf_worker *l);
    void *user;
    struct gf_conveyor conveyor;
    struct gf_ending ending[GF_WINDOW];
    struct gf_tally sum;
};

/* `n` workers with `threads` each. The deal stays the caller's. */
int gf_workers_open(struct gf_workers *p, int n, int threads, const struct gf_settings *s,
                    const struct gf_deal *deal, int n_inputs, int64_t limit);
void gf_workers_close(struct gf_workers *p);

/* Runs each input in a worker; GF_ENOMEM where there is no memory to begin. */
int gf_workers_run(struct gf_workers *p, void (*run)(void *user, struct gf_worker *l), void *user);

/* From within run(). Waits until the worker may look at a picture of its input. */
void gf_workers_enter(struct gf_worker *l);
/* Waits until there is room for `need` bytes, -1 for all there is, and reserves it. */
void gf_workers_admit(struct gf_worker *l, int64_t need);
/* The need is known now, and is not more than what was reserved. */
void gf_workers_settle(struct gf_worker *l, int64_t need);
/* Returns what is reserved, and lets the next worker enter. */
void gf_workers_leave(struct gf_worker *l);
/* Prints what there is to report of the input, if its turn has come; more of it follows. */
void gf_workers_report(struct gf_worker *l);
/* No further input is begun, and nothing more reported. */
void gf_workers_close_pipe(struct gf_workers *p);

#endif
