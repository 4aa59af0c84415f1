/* Processes pictures concurrently: decides when a worker may begin, with how much memory, and when
 * it reports.
 *
 * A worker is a thread that processes one input after another. It enters, reads the input's header,
 * and is admitted when the picture fits the memory that the others leave. Only one worker at a time
 * is between entry and admission, so inputs begin in their order. A picture too large to share the
 * memory is admitted when no other is running. Reports are printed in the order of the inputs.
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

#include <stdatomic.h>

#include "core/base/host/conveyor.h"
#include "cli/log.h"
#include "cli/settings.h"

enum {
    GF_MAX_WORKERS = 256,
    GF_WINDOW = 2 * GF_MAX_WORKERS, /* inputs that may end before an earlier one is reported */
    /* Bytes for a picture's coders, besides its arrays and the plan's workspace. */
    GF_PICTURE_EXTRA = 4 << 20
};

/* Counts of an input's pictures. */
struct gf_tally {
    int done, failed, skipped;
    int by_time; /* skipped only because their outputs are newer */
    int worst;   /* the highest exit code */
    bool gone;   /* the backend is lost */
};

/* An input's messages and counts until they are reported. */
struct gf_ending {
    struct gf_said said;
    struct gf_tally tally;
};

struct gf_worker {
    struct gf_workers *pool;
    struct gf_settings s;     /* with this worker's threads */
    struct gf_runner *runner; /* one for each device of the run */
    int device;               /* runs the input */
    double seconds; /* the device's time for the input; 0 if that does not show its speed */
    bool busy;
    int64_t reserved; /* bytes, including its kept plans */
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
    bool tight;               /* a worker has waited for memory */
    struct gf_worker *inside; /* the one between entry and admission */
    int next, n_inputs;       /* next: the first input for which no worker has entered */
    atomic_bool pipe_closed;  /* stdout's reader has closed it: nothing more is reported */
    void (*run)(void *user, struct gf_worker *worker);
    void *user;
    struct gf_conveyor conveyor;
    struct gf_ending ending[GF_WINDOW];
    struct gf_tally sum;
};

/* Opens `n` workers with `threads` each, which share s->max_memory. The deal is the caller's. */
int gf_workers_open(struct gf_workers *p, int n, int threads, const struct gf_settings *s,
                    struct gf_engine *engine, int n_inputs);
void gf_workers_close(struct gf_workers *p);

/* Runs each input in a worker. GF_ENOMEM if there is no memory to begin. */
int gf_workers_run(struct gf_workers *p, void (*run)(void *user, struct gf_worker *worker),
                   void *user);

/* For run(): */
/* Waits until the worker may read the header of a picture of its input. */
void gf_workers_enter(struct gf_worker *worker);
/* Waits until `need` bytes are free (-1: all of the limit), and reserves them. */
void gf_workers_admit(struct gf_worker *worker, int64_t need);
/* Reduces the reservation to a need that has become known. */
void gf_workers_settle(struct gf_worker *worker, int64_t need);
/* Releases the reservation, and lets the next worker enter. */
void gf_workers_leave(struct gf_worker *worker);
/* Reports the input's pictures so far if its turn has come. */
void gf_workers_report(struct gf_worker *worker);
/* Ends the run: no further input begins, and none is reported. */
void gf_workers_close_pipe(struct gf_workers *p);

#endif
