/* Notes of how outputs were made: a log in the cache folder, and a table of it in memory. */
#include "core/store/made.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/host/clock.h"
#include "core/base/value/hash.h"
#include "core/store/store.h"
#include "core/store/lines.h"

/* The log being written, and its predecessor. */
static const char newest[] = "made", older[] = "made.old";

enum { MOST_BYTES = 12 << 20, BATCH = 64 };
static const double flush_ms = 20;

/* A correct check marks a complete line. It depends on the byte order, so lines of other machines
 * count as damaged. */
struct line {
    uint64_t check, file, recipe;
};

struct gf_made {
    const struct gf_environment *environment;
    pthread_mutex_t lock;
    struct gf_store store;
    int log; /* descriptor; -1: no notes are added */
    struct line batch[BATCH];
    int n;
    double flushed;
    struct line *known; /* open-addressing table by file; check 0: free */
    size_t mask;        /* its size minus one */
};

static uint64_t check_of(const struct line *l) {
    const uint64_t h = gf_hash(gf_hash_text(GF_HASH_START, "gpufft made 1"), &l->file, 8);
    return gf_hash(h, &l->recipe, 8) | 1;
}

/* ---- the log ---- */

/* Opens the log to add to. Only a full log is renamed, so that a process that has it open can tell
 * by its size that it is no longer the newest. */
static int open_log(const struct gf_made *m) {
    const struct gf_store *s = &m->store;
    const int flags = O_WRONLY | O_APPEND | O_CREAT;
    struct stat st;
    int fd = gf_store_file(s, newest, flags, &st);
    if (fd < 0 || st.st_size < MOST_BYTES)
        return fd;
    close(fd);
    const int lock = gf_store_lines_lock(m->environment);
    fd = gf_store_file(s, newest, flags, &st);
    if (fd >= 0 && st.st_size >= MOST_BYTES) { /* no other process has renamed it */
        close(fd);
        fd = renameat(s->folder, newest, s->folder, older) ? -1
                                                           : gf_store_file(s, newest, flags, &st);
    }
    gf_store_lines_unlock(lock);
    return fd;
}

/* With the lock held. A batch is one write() at the log's end, so that batches of several processes
 * do not mix; a truncated one counts as damage. */
static void flush(struct gf_made *m) {
    struct stat st;
    const ssize_t bytes = (ssize_t)((size_t)m->n * sizeof *m->batch);
    if (m->n && m->log >= 0 && (fstat(m->log, &st) || st.st_size >= MOST_BYTES)) {
        close(m->log);
        m->log = open_log(m);
    }
    if (m->n && m->log >= 0 && write(m->log, m->batch, (size_t)bytes) != bytes) {
        close(m->log); /* a full disk */
        m->log = -1;
    }
    m->n = 0;
    m->flushed = gf_now_ms();
}

void gf_made_note(struct gf_made *m, uint64_t file, uint64_t recipe) {
    struct line l = {.file = file, .recipe = recipe};
    if (!m || m->log < 0)
        return;
    l.check = check_of(&l);
    pthread_mutex_lock(&m->lock);
    m->batch[m->n++] = l;
    if (m->n == BATCH || gf_now_ms() - m->flushed > flush_ms)
        flush(m);
    pthread_mutex_unlock(&m->lock);
}

/* ---- the table ---- */

static struct line *place_of(const struct gf_made *m, uint64_t file) {
    size_t i = (size_t)(file ^ file >> 32) & m->mask;
    while (m->known[i].check && m->known[i].file != file)
        i = (i + 1) & m->mask;
    return &m->known[i];
}

/* If two runs write the same file at once, both may claim it. The last writer is unknown, so the
 * file matches no recipe. */
static void enter_line(struct gf_made *m, const struct line *l) {
    struct line *at = place_of(m, l->file);
    const bool twice = at->check && at->recipe != l->recipe;
    *at = *l;
    if (twice)
        at->recipe = 0;
}

/* Enters a log's lines, skipping damage. */
static void enter_lines(struct gf_made *m, const unsigned char *data, size_t bytes) {
    struct line l;
    for (size_t at = 0; at + sizeof l <= bytes;) {
        memcpy(&l, data + at, sizeof l);
        const bool good = l.check == check_of(&l);
        if (good)
            enter_line(m, &l);
        at += good ? sizeof l : 1;
    }
}

static void look(struct gf_made *m) {
    /* Longer files are foreign: each process may exceed the limit by its last batch. */
    const off_t most = 2 * MOST_BYTES - 1;
    struct stat st;
    size_t bytes[2], room = 64;
    unsigned char *log[2] = {gf_store_load(&m->store, older, most, &st, &bytes[0]),
                             gf_store_load(&m->store, newest, most, &st, &bytes[1])};
    while (room * sizeof(struct line) < 2 * (bytes[0] + bytes[1]))
        room *= 2;
    m->known = calloc(room, sizeof *m->known);
    m->mask = room - 1;
    for (int i = 0; i < 2; i++) {
        if (m->known)
            enter_lines(m, log[i], bytes[i]);
        free(log[i]);
    }
}

enum gf_made_how gf_made_find(const struct gf_made *m, uint64_t file, uint64_t recipe) {
    const struct line *l = m && m->known ? place_of(m, file) : NULL;
    return !l || !l->check ? GF_MADE_UNKNOWN : l->recipe == recipe ? GF_MADE_SO : GF_MADE_OTHERWISE;
}

/* ---- both ---- */

struct gf_made *gf_made_open(const struct gf_environment *env, bool looks, bool adds) {
    struct gf_made *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->environment = env;
    pthread_mutex_init(&m->lock, NULL);
    const bool there = gf_store_open(env, &m->store, adds);
    m->log = there && adds ? open_log(m) : -1;
    if (looks && there)
        look(m);
    return m;
}

void gf_made_close(struct gf_made *m) {
    if (!m)
        return;
    flush(m);
    if (m->log >= 0)
        close(m->log);
    gf_store_close(&m->store);
    pthread_mutex_destroy(&m->lock);
    free(m->known);
    free(m);
}
