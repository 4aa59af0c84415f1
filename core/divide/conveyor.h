/* Items 0, 1, 2, … that are read while those before them are worked on and those before these are
 * written: pages of a volume, files of a folder. The conveyor owns the threads, the order and the
 * failure; what an item is, and where it lies meanwhile, is its user's.
 *
 *     struct gf_conveyor c = {.items = n, .slots = 2, .readers = 1, .hands = 1,
 *                             .read = read, .work = work, .write = write, .user = &own};
 *     int rc = gf_conveyor_run(&c);
 *
 * Item i lies in slot i % slots, which has an input and an output: it is read once item i - slots was
 * worked on, worked on once that one was written, and written once all items before it were.
 *
 * Each of the three steps returns 0 or a negative status. A failure ends the run: no step is begun any more, and of
 * several failures that of the earliest item is returned. */
#ifndef GF_CORE_DIVIDE_CONVEYOR_H
#define GF_CORE_DIVIDE_CONVEYOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

enum gf_conveyor_step { GF_CONVEYOR_READ, GF_CONVEYOR_WORK, GF_CONVEYOR_WRITE, GF_CONVEYOR_STEPS };

struct gf_conveyor {
    int64_t items;
    int slots;
    int readers; /* threads that read, and one more that writes; 0: hands do both */
    int hands;   /* threads that work, at least 1 */
    /* Items are taken in ascending order; `reader` is which thread. */
    int (*read)(void *user, int reader, int64_t item);
    /* Hand 0 is the calling thread. */
    int (*work)(void *user, int hand, int64_t item);
    /* One item at a time, in ascending order; NULL: an item that was worked on is done with. */
    int (*write)(void *user, int64_t item);
    /* NULL: a hand works on the next item, and where a thread cannot be started others do its part. Else the
     * next item for this hand, for which it may wait; -1: none any more. */
    int64_t (*take)(void *user, int hand);
    void (*cancel)(void *user); /* with take(): something has failed, and it is to wait no longer */
    void *user;

    /* The conveyor's own. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t *done[GF_CONVEYOR_STEPS]; /* by slot: the last item of which the step is done */
    int64_t next[GF_CONVEYOR_STEPS];  /* the first item that no thread has taken for the step */
    int64_t end;                      /* no step of an item from here on is begun */
    bool writing;                     /* a hand writes */
    struct gf_failure failed;
    int64_t failed_item;
};

/* Ends when all its threads have. GF_ENOMEM where memory is short, or a thread that take() counts on cannot be
 * started; otherwise the calling thread does what no other does. */
int gf_conveyor_run(struct gf_conveyor *c);

/* From within a step, without take(): no further item is begun, and those that are go all the way; whether that is
 * so; and whether all items before this one were written. */
void gf_conveyor_stop(struct gf_conveyor *c);
bool gf_conveyor_is_stopped(struct gf_conveyor *c);
bool gf_conveyor_is_first(struct gf_conveyor *c, int64_t item);

#endif
