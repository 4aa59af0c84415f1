/* The counters of a ring, and its thread. */
#include "cli/commands/ring.h"

static void destroy(struct gf_ring *r) {
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
}

int gf_ring_start(struct gf_ring *r, void *(*body)(void *), void *user) {
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    if (!pthread_create(&r->thread, NULL, body, user))
        return 0;
    destroy(r);
    return gf_fail(GF_ENOMEM, "cannot start a thread");
}

/* Waits until *count is `least`; false where it is not, and will not be. A closed ring takes no more items, and
 * gives those that it has. */
static bool await(struct gf_ring *r, const int64_t *count, int64_t least) {
    pthread_mutex_lock(&r->lock);
    while (*count < least && !r->failed.status && !r->closed)
        pthread_cond_wait(&r->changed, &r->lock);
    const bool reached = *count >= least && !(r->closed && count == &r->taken);
    pthread_mutex_unlock(&r->lock);
    return reached;
}

bool gf_ring_await_taken(struct gf_ring *r, int64_t items) {
    return await(r, &r->taken, items);
}

bool gf_ring_await_room(struct gf_ring *r) {
    return await(r, &r->taken, r->put - r->slots + 1);
}

bool gf_ring_await_item(struct gf_ring *r) {
    return await(r, &r->put, r->taken + 1);
}

static void change(struct gf_ring *r, int64_t *count, int rc) {
    pthread_mutex_lock(&r->lock);
    *count += !rc;
    gf_failure_keep(&r->failed, rc);
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

void gf_ring_put(struct gf_ring *r, int rc) {
    change(r, &r->put, rc);
}

void gf_ring_take(struct gf_ring *r, int rc) {
    change(r, &r->taken, rc);
}

int gf_ring_stop(struct gf_ring *r, int rc) {
    pthread_mutex_lock(&r->lock);
    r->closed = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    destroy(r);
    return rc ? rc : gf_failure_return(&r->failed);
}
