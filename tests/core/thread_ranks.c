/* Threads as ranks: what one puts is copied into another one's window, collective calls meet at a barrier. */
#include "tests/core/thread_ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int n_ranks;
static pthread_barrier_t barrier;
static const void *offered[THREAD_RANKS_MOST];
static struct {
    char *memory;
    int64_t bytes;
} window[THREAD_RANKS_MOST];

static _Thread_local int me;

static const char *message(void) {
    return "outside the window";
}

static int share(void *data, int64_t bytes, int root) {
    offered[me] = data;
    pthread_barrier_wait(&barrier);
    if (me != root)
        memcpy(data, offered[root], (size_t)bytes);
    pthread_barrier_wait(&barrier);
    return 0;
}

static int gather(const void *mine, int64_t bytes, void *all) {
    offered[me] = mine;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < n_ranks; i++)
        memcpy((char *)all + i * bytes, offered[i], (size_t)bytes);
    pthread_barrier_wait(&barrier);
    return 0;
}

static int open_window(void *memory, int64_t bytes) {
    window[me].memory = memory;
    window[me].bytes = bytes;
    pthread_barrier_wait(&barrier);
    return 0;
}

static int close_window(void) {
    pthread_barrier_wait(&barrier);
    return 0;
}

static int fence(void) {
    pthread_barrier_wait(&barrier);
    return 0;
}

static int put(const void *data, int64_t bytes, int peer, int64_t at) {
    if (at < 0 || at + bytes > window[peer].bytes)
        return 1;
    memcpy(window[peer].memory + at, data, (size_t)bytes);
    return 0;
}

static int get(void *data, int64_t bytes, int peer, int64_t at) {
    if (at < 0 || at + bytes > window[peer].bytes)
        return 1;
    memcpy(data, window[peer].memory + at, (size_t)bytes);
    return 0;
}

static const struct gf_transport transport = {.version = GF_TRANSPORT_VERSION,
                                              .library = "threads",
                                              .message = message,
                                              .share = share,
                                              .gather = gather,
                                              .open = open_window,
                                              .close = close_window,
                                              .put = put,
                                              .get = get,
                                              .fence = fence};

struct rank {
    int number;
    void (*body)(void *user, struct gf_ranks *ranks);
    void *user;
};

static void *run_rank(void *argument) {
    const struct rank *r = argument;
    struct gf_ranks ranks = {.transport = &transport, .rank = r->number, .size = n_ranks};
    me = r->number;
    r->body(r->user, &ranks);
    return NULL;
}

void thread_ranks_run(int n, void (*body)(void *user, struct gf_ranks *ranks), void *user) {
    pthread_t thread[THREAD_RANKS_MOST];
    struct rank rank[THREAD_RANKS_MOST];
    n_ranks = n;
    pthread_barrier_init(&barrier, NULL, (unsigned)n);
    for (int i = 0; i < n; i++) {
        rank[i] = (struct rank){i, body, user};
        pthread_create(&thread[i], NULL, run_rank, &rank[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&barrier);
}
