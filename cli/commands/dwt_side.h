/* Threads beside a stream of planes, which read ahead of it or write behind it, and the first failure of theirs.
 *
 *     struct gf_dwt_side side = {.n = 2};
 *     rc = gf_dwt_side_start(&side, body, user);
 *     …                       with side.lock held: what they share; side.changed tells of changes
 *     rc = gf_dwt_side_stop(&side, rc);
 */
#ifndef GF_CLI_COMMANDS_DWT_SIDE_H
#define GF_CLI_COMMANDS_DWT_SIDE_H

#include <pthread.h>
#include <stdbool.h>

enum { GF_DWT_SIDES = 4 };

struct gf_dwt_side {
    int n; /* threads: wanted, and then those that could be started */
    pthread_t thread[GF_DWT_SIDES];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closed; /* no more work comes */
    int rc;
    char message[512];
};

/* GF_ENOMEM where not one thread can be started; then there is nothing to stop. */
int gf_dwt_side_start(struct gf_dwt_side *s, void *(*body)(void *), void *user);
/* With the lock held: a thread's failure, for the current gf_message(), 0: none; and a change. */
void gf_dwt_side_note(struct gf_dwt_side *s, int rc);
/* The first failure, with its message. */
int gf_dwt_side_fail(const struct gf_dwt_side *s);
/* Waits until the threads have ended, which is when all work is done; rc, or their first failure. */
int gf_dwt_side_stop(struct gf_dwt_side *s, int rc);

#endif
