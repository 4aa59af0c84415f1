/* A pipeline over items 0, 1, 2, …: some are read while earlier ones are worked on and still
 * earlier ones are written. Items are pages of a volume or files of a folder. The conveyor owns the
 * threads, the order and the failure; its user owns the items' memory.
 *
 *     struct gf_conveyor c = {.items = n, .slots = 2, .readers = 1, .hands = 1,
 *                             .read = read, .work = work, .write = write, .user = &own};
 *     int rc = gf_conveyor_run(&c);
 *
 * Item i uses slot i % slots, an input and an output: it is read after item i - slots was worked
 * on (with `input_is_written` after that one was written), worked on after that one was written
 * (with fewer `outputs` than slots, after item i - outputs was), and written after all items before
 * it.
 *
 * The steps return 0 or a negative status. After a failure no step begins; of several failures that
 * of the earliest item is returned. */
#ifndef GF_CORE_BASE_CONVEYOR_H
#define GF_CORE_BASE_CONVEYOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/value/status.h"

enum gf_conveyor_step { GF_CONVEYOR_READ, GF_CONVEYOR_WORK, GF_CONVEYOR_WRITE, GF_CONVEYOR_STEPS };

struct gf_conveyor {
    int64_t items;
    int64_t slots;
    int64_t outputs; /* slots of outputs, at most `slots`; 0: as many */
    int readers;     /* reading threads, beside one that writes; 0: hands read and write */
    int hands;       /* working threads, at least 1 */
    /* Items come in ascending order; `reader` is the thread's index. */
    int (*read)(void *user, int reader, int64_t item);
    /* Hand 0 is the calling thread. */
    int (*work)(void *user, int hand, int64_t item);
    /* One item at a time, in ascending order; may be NULL. */
    int (*write)(void *user, int64_t item);
    bool input_is_written; /* write() uses what read() made, too */
    /* NULL: hands take items in order, and do the part of a thread that cannot start. Else returns
     * the hand's next item, for which it may wait, or -1. */
    int64_t (*take)(void *user, int hand);
    void (*cancel)(void *user); /* with take(): a failure, take() must stop waiting */
    void *user;

    /* Private. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t *done[GF_CONVEYOR_STEPS]; /* by slot: the last item that the step finished */
    int64_t next[GF_CONVEYOR_STEPS];  /* the first item not taken for the step */
    int64_t end;                      /* no step of this item or a later one begins */
    bool writing;                     /* a hand is writing */
    struct gf_failure failed;
    int64_t failed_item;
};

/* Returns when all threads have ended. GF_ENOMEM for lack of memory or of a thread that take()
 * needs; the calling thread replaces others that cannot start. */
int gf_conveyor_run(struct gf_conveyor *c);

/* For steps, without take(): stops taking items, finishing those begun; true if stopped; true if
 * all items before this one were written. */
void gf_conveyor_stop(struct gf_conveyor *c);
bool gf_conveyor_is_stopped(struct gf_conveyor *c);
bool gf_conveyor_is_first(struct gf_conveyor *c, int64_t item);

#endif
