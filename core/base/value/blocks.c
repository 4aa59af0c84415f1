/* A table of the large blocks of a run, in use or kept. */
#include "core/base/value/blocks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/value/pages.h"

/* AddressSanitizer sees the use of freed memory, but not of a kept block. */
#ifdef __SANITIZE_ADDRESS__
static const bool usable = false;
#else
static const bool usable = true;
#endif

/* Entries of the table; a block serves if it is larger by at most one part in LARGER. */
enum { ENTRIES = 1024, LARGER = 8 };

struct block {
    char *at; /* NULL: an unused entry */
    size_t bytes;
    bool taken;
    uint64_t given; /* counts gifts: the oldest kept block is freed first */
    struct gf_block_locker by;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int keepers;
static atomic_int end; /* no entry is used from here on */
static struct block table[ENTRIES];
static uint64_t gifts;
static size_t used, kept, most_used; /* bytes */

/* ---- with the lock held ---- */

/* The block in use that holds an address, or NULL. */
static struct block *find(const void *address) {
    const char *p = address;
    for (int i = 0; i < end; i++)
        if (table[i].taken && p >= table[i].at && p < table[i].at + table[i].bytes)
            return &table[i];
    return NULL;
}

/* The smallest kept block that serves, or for 0 bytes the oldest. */
static struct block *choose(size_t bytes) {
    struct block *best = NULL;
    for (int i = 0; i < end; i++) {
        struct block *b = &table[i];
        const bool serves = b->bytes >= bytes && b->bytes - bytes <= b->bytes / LARGER;
        if (b->at && !b->taken && (!bytes || serves) &&
            (!best || (bytes ? b->bytes < best->bytes : b->given < best->given)))
            best = b;
    }
    return best;
}

static void count_used(size_t bytes) {
    used += bytes;
    most_used = used > most_used ? used : most_used;
}

/* ---- without ---- */

static void release(const struct block *b) {
    if (b->by.context)
        b->by.unlock(b->by.context, b->at);
    free(b->at);
}

/* Frees the oldest kept blocks until so many bytes more are within what was once in use; all if nobody keeps
 * them. */
static void make_room(size_t bytes) {
    struct block *b, old;
    do {
        pthread_mutex_lock(&lock);
        b = kept && (!keepers || used + kept + bytes > most_used) ? choose(0) : NULL;
        if (b) {
            old = *b;
            kept -= b->bytes;
            *b = (struct block){.at = NULL};
        }
        pthread_mutex_unlock(&lock);
        if (b)
            release(&old);
    } while (b);
}

void gf_blocks_keep(void) {
    keepers += usable;
}

void gf_blocks_end(void) {
    keepers -= usable;
    if (!keepers)
        make_room(0);
}

void *gf_block_take(size_t bytes) {
    if (!keepers)
        return NULL;
    pthread_mutex_lock(&lock);
    struct block *b = choose(bytes);
    if (b) {
        kept -= b->bytes;
        count_used(b->bytes);
        b->taken = true;
    }
    pthread_mutex_unlock(&lock);
    if (!b)
        make_room(bytes);
    return b ? b->at : NULL;
}

void gf_block_add(void *block, size_t bytes) {
    if (!keepers)
        return;
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < end && table[i].at)
        i++;
    if (i < ENTRIES) {
        table[i] = (struct block){.at = block, .bytes = bytes, .taken = true};
        end = i < end ? end : i + 1;
        count_used(bytes);
    }
    pthread_mutex_unlock(&lock);
}

bool gf_block_give(void *block) {
    struct block old = {.at = NULL};
    if (!end)
        return false;
    pthread_mutex_lock(&lock);
    struct block *b = find(block);
    if (b) {
        used -= b->bytes;
        b->taken = false;
        b->given = ++gifts;
    }
    if (b && keepers)
        kept += b->bytes;
    else if (b) {
        old = *b;
        *b = (struct block){.at = NULL};
    }
    pthread_mutex_unlock(&lock);
    if (old.at)
        release(&old);
    return b;
}

int gf_block_lock(const void *array, const struct gf_block_locker *by) {
    bool locked = false;
    if (!end)
        return 0;
    pthread_mutex_lock(&lock);
    struct block *b = find(array);
    const bool before = b && b->by.context;
    pthread_mutex_unlock(&lock);
    if (!b || before)
        return 0;
    gf_populate(b->at, b->bytes, 1); /* a device locks huge pages in a tenth of the time */
    const int rc = by->lock(by->context, b->at, (int64_t)b->bytes, &locked);
    pthread_mutex_lock(&lock);
    if (!rc && locked)
        b->by = *by;
    pthread_mutex_unlock(&lock);
    return rc;
}

void gf_blocks_unlock(const void *context) {
    struct block old;
    do {
        old.at = NULL;
        pthread_mutex_lock(&lock);
        for (int i = 0; i < end && !old.at; i++)
            if (table[i].at && table[i].by.context == context) {
                old = table[i];
                table[i].by.context = NULL;
            }
        pthread_mutex_unlock(&lock);
        if (old.at)
            old.by.unlock(old.by.context, old.at);
    } while (old.at);
}
