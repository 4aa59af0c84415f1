/* A thread beside a stream of planes, which reads ahead of it or writes behind it, and its first failure.
 *
 *     struct gf_dwt_side side = {.rc = 0};
 *     rc = gf_dwt_side_start(&side, body, user);
 *     …                       with side.lock held: what both share; side.changed tells of changes
 *     rc = gf_dwt_side_stop(&side, rc);
 */
#ifndef GF_CLI_COMMANDS_DWT_SIDE_H
#define GF_CLI_COMMANDS_DWT_SIDE_H

#include <pthread.h>
#include <stdbool.h>

struct gf_dwt_side {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closed; /* no more work comes */
    int rc;
    char message[512];
};

/* GF_ENOMEM where it cannot be started; then there is nothing to stop. */
int gf_dwt_side_start(struct gf_dwt_side *s, void *(*body)(void *), void *user);
/* With the lock held: the thread's failure, for the current gf_message(), 0: none; and a change. */
void gf_dwt_side_note(struct gf_dwt_side *s, int rc);
/* With the lock held, or after it has ended: that failure, with its message. */
int gf_dwt_side_fail(const struct gf_dwt_side *s);
/* Waits until the thread has ended, which is when all its work is done; rc, or its failure. */
int gf_dwt_side_stop(struct gf_dwt_side *s, int rc);

#endif
