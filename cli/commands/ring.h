/* Slots between two threads: one fills them, the other empties them in the same order.
 *
 *     struct gf_ring ring = {.slots = 2};
 *     rc = gf_ring_start(&ring, body, user);                   the other thread
 *     if (gf_ring_await_room(&ring))                           the one that fills slot ring.put % slots
 *         gf_ring_put(&ring, fill());
 *     while (gf_ring_await_item(&ring))                        the one that empties slot ring.taken % slots
 *         gf_ring_take(&ring, empty());
 *     rc = gf_ring_stop(&ring, rc);                            in the thread that started it
 */
#ifndef GF_CLI_COMMANDS_RING_H
#define GF_CLI_COMMANDS_RING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

struct gf_ring {
    int slots;
    int64_t put, taken; /* items so far; each is changed by one thread alone */
    struct gf_failure failed;

    /* Its own. */
    bool closed;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* GF_ENOMEM where the thread cannot be started; then there is nothing to stop. */
int gf_ring_start(struct gf_ring *r, void *(*body)(void *), void *user);
/* Waits until so many items are taken, or a slot is free; false once the ring has failed or is closed. */
bool gf_ring_await_taken(struct gf_ring *r, int64_t items);
bool gf_ring_await_room(struct gf_ring *r);
/* Waits for an item to take; false where none is left and the ring has failed or is closed. */
bool gf_ring_await_item(struct gf_ring *r);
/* Counts an item, or keeps the failure `rc` of the calling thread. */
void gf_ring_put(struct gf_ring *r, int rc);
void gf_ring_take(struct gf_ring *r, int rc);
/* Closes the ring and waits until the thread has ended; rc, or the ring's failure. */
int gf_ring_stop(struct gf_ring *r, int rc);

#endif
