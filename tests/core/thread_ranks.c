/* Threads as ranks: messages are copied through queues, collective calls meet at a barrier. */
#include "tests/core/thread_ranks.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct message {
    struct message *next;
    int64_t bytes;
    char data[];
};

struct expected {
    void *data;
    int64_t bytes;
    int from;
};

static int n_ranks, spoiled;
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static struct message *first[THREAD_RANKS_MOST][THREAD_RANKS_MOST];
static struct message *last[THREAD_RANKS_MOST][THREAD_RANKS_MOST];
static const void *offered[THREAD_RANKS_MOST];

static _Thread_local int me, file, writes;
static _Thread_local struct expected *expected;
static _Thread_local int n_expected;

static const char *message(void) {
    return "a write was spoiled";
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

static int post_send(const void *data, int64_t bytes, int to) {
    struct message *m = malloc(sizeof *m + (size_t)bytes);
    *m = (struct message){.bytes = bytes};
    memcpy(m->data, data, (size_t)bytes);
    pthread_mutex_lock(&lock);
    if (first[me][to])
        last[me][to]->next = m;
    else
        first[me][to] = m;
    last[me][to] = m;
    pthread_cond_broadcast(&arrived);
    pthread_mutex_unlock(&lock);
    return 0;
}

static int post_receive(void *data, int64_t bytes, int from) {
    expected = realloc(expected, (size_t)(n_expected + 1) * sizeof *expected);
    expected[n_expected++] = (struct expected){data, bytes, from};
    return 0;
}

static int progress(bool wait) {
    int code = 0;
    for (int i = 0; i < n_expected && wait; i++) {
        struct expected *e = &expected[i];
        pthread_mutex_lock(&lock);
        while (!first[e->from][me])
            pthread_cond_wait(&arrived, &lock);
        struct message *m = first[e->from][me];
        first[e->from][me] = m->next;
        pthread_mutex_unlock(&lock);
        code |= m->bytes != e->bytes;
        memcpy(e->data, m->data, (size_t)(m->bytes < e->bytes ? m->bytes : e->bytes));
        free(m);
    }
    n_expected = wait ? 0 : n_expected;
    return code;
}

static int open_file(const char *path, bool write) {
    file = open(path, write ? O_WRONLY : O_RDONLY);
    pthread_barrier_wait(&barrier);
    return file < 0;
}

static int close_file(void) {
    pthread_barrier_wait(&barrier);
    return close(file);
}

static int read_parts(const struct gf_file_part *parts, int n, void *data) {
    char *to = data;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < n; to += parts[i++].bytes)
        if (pread(file, to, (size_t)parts[i].bytes, parts[i].at) != parts[i].bytes)
            return 1;
    return 0;
}

static int write_parts(const struct gf_file_part *parts, int n, const void *data) {
    const char *from = data;
    pthread_barrier_wait(&barrier);
    if (me == 1 && writes++ == spoiled)
        return 1;
    for (int i = 0; i < n; from += parts[i++].bytes)
        if (pwrite(file, from, (size_t)parts[i].bytes, parts[i].at) != parts[i].bytes)
            return 1;
    return 0;
}

static const struct gf_transport transport = {.version = GF_TRANSPORT_VERSION,
                                              .library = "threads",
                                              .message = message,
                                              .share = share,
                                              .gather = gather,
                                              .send = post_send,
                                              .receive = post_receive,
                                              .progress = progress,
                                              .open = open_file,
                                              .read = read_parts,
                                              .write = write_parts,
                                              .close = close_file};

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
    free(expected);
    expected = NULL;
    return NULL;
}

void thread_ranks_run(int n, int spoil, void (*body)(void *user, struct gf_ranks *ranks),
                      void *user) {
    pthread_t thread[THREAD_RANKS_MOST];
    struct rank rank[THREAD_RANKS_MOST];
    n_ranks = n;
    spoiled = spoil;
    pthread_barrier_init(&barrier, NULL, (unsigned)n);
    for (int i = 0; i < n; i++) {
        rank[i] = (struct rank){i, body, user};
        pthread_create(&thread[i], NULL, run_rank, &rank[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&barrier);
}
