/* Blocks that are kept: they serve again, never beyond what was once in use, are locked once and unlocked before
 * they are freed; with many threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/base/value/array.h"
#include "core/base/value/blocks.h"
#include "core/base/value/status.h"
#include "tests/test.h"

enum { MIB = 1 << 20 };

static bool keeps(void) {
#ifdef __SANITIZE_ADDRESS__
    return false;
#else
    return true;
#endif
}

static atomic_int locks, unlocks, refusals, wrong; /* threads count here */

static int lock(void *context, void *host, int64_t bytes, bool *locked) {
    locks++;
    wrong += !(host && bytes >= GF_BLOCK_LEAST && context);
    *locked = true;
    return 0;
}

static int refuse(void *context, void *host, int64_t bytes, bool *locked) {
    (void)context, (void)host, (void)bytes;
    refusals++;
    *locked = false;
    return gf_fail(GF_EUNSUPP, "no lock");
}

static void unlock(void *context, void *host) {
    wrong += !(context && host);
    unlocks++;
}

static void *give_and_take(size_t bytes) {
    char *p = gf_alloc(bytes);
    CHECK(p);
    memset(p, 1, bytes);
    gf_free(p);
    return p;
}

static void check_reuse(void) {
    gf_blocks_keep();
    void *const first = give_and_take(6 * MIB);
    char *p = gf_alloc(6 * MIB - 1000); /* the same size, nearly */
    CHECK_EQ(p == first, keeps());
    char *q = gf_alloc(6 * MIB);
    CHECK(q && q != p);
    gf_free(p);
    p = gf_alloc(2 * MIB); /* would waste most of it */
    CHECK(p && p != first);
    gf_free(p);
    gf_free(q);
    gf_blocks_end();
}

/* 12 MiB were in use, so that neither block of 6 stays beside one of 8. */
static void check_room(void) {
    int here;
    const struct gf_block_locker by = {&here, lock, unlock};
    char *p[2];
    gf_blocks_keep();
    unlocks = 0;
    for (int i = 0; i < 2; i++) {
        p[i] = gf_alloc(6 * MIB);
        CHECK(p[i] && !gf_block_lock(p[i], &by));
    }
    gf_free(p[0]);
    gf_free(p[1]);
    char *q = gf_alloc(6 * MIB), *smaller = gf_alloc(4 * MIB); /* replaces the block that is left */
    CHECK_EQ(q == p[0] || q == p[1], keeps());
    CHECK_EQ(unlocks, keeps());
    gf_free(q);
    gf_free(smaller);
    q = gf_alloc(8 * MIB);
    CHECK_EQ(unlocks, 2 * keeps());
    gf_free(q);
    gf_blocks_end();
}

static void check_locks(void) {
    int here, there;
    const struct gf_block_locker by = {&here, lock, unlock}, other = {&there, lock, unlock},
                                 never = {&there, refuse, unlock};
    struct gf_array a;
    char small[16];
    gf_blocks_keep();
    locks = unlocks = refusals = 0;
    const int64_t shape[2] = {1100, 1000};
    CHECK(!gf_array_alloc(&a, GF_F32, 2, shape));
    const struct gf_array inside = gf_array_slice(&a, 0, 1000, 100);
    CHECK_EQ(gf_block_lock(a.data, &never), keeps() ? GF_EUNSUPP : 0);
    CHECK_EQ(gf_block_lock(inside.data, &by), 0);
    CHECK_EQ(gf_block_lock(a.data, &by), 0);
    CHECK_EQ(gf_block_lock(a.data, &other), 0); /* locked memory serves all devices */
    CHECK_EQ(gf_block_lock(small, &by), 0);     /* nobody's */
    CHECK_EQ(locks, keeps());
    CHECK_EQ(refusals, keeps());
    gf_array_free(&a);
    CHECK_EQ(unlocks, 0);
    CHECK(!gf_array_alloc(&a, GF_F32, 2, shape)); /* the same block, locked before */
    CHECK_EQ(gf_block_lock(a.data, &by), 0);
    CHECK_EQ(locks, keeps());
    gf_blocks_unlock(&there);
    CHECK_EQ(unlocks, 0);
    gf_blocks_unlock(&here); /* its context closes */
    CHECK_EQ(unlocks, keeps());
    CHECK_EQ(gf_block_lock(a.data, &other), 0);
    CHECK_EQ(locks, 2 * keeps());
    gf_array_free(&a);
    gf_blocks_end();
    CHECK_EQ(unlocks, 2 * keeps());
    give_and_take(4 * MIB); /* nobody keeps it */
    CHECK_EQ(gf_block_lock(small, &by), 0);
}

/* A block in use at the end stays its user's. */
static void check_end(void) {
    int here;
    const struct gf_block_locker by = {&here, lock, unlock};
    gf_blocks_keep();
    char *p = gf_alloc(3 * MIB);
    CHECK(p && !gf_block_lock(p, &by));
    locks = unlocks = 0;
    gf_blocks_end();
    memset(p, 3, 3 * MIB);
    CHECK_EQ(unlocks, 0);
    gf_free(p);
    CHECK_EQ(unlocks, keeps());
}

static void *use(void *seed) {
    static int context;
    const struct gf_block_locker by = {&context, lock, unlock};
    unsigned state = *(unsigned *)seed;
    for (int i = 0; i < 200; i++) {
        unsigned char *p[3];
        for (int k = 0; k < 3; k++) {
            state = state * 1664525u + 1013904223u;
            const size_t bytes = ((state >> 8) % 5 + 1) * MIB;
            p[k] = gf_alloc(bytes);
            p[k][0] = p[k][bytes - 1] = (unsigned char)(*(unsigned *)seed + (unsigned)k);
            gf_block_lock(p[k], &by);
        }
        for (int k = 0; k < 3; k++) {
            wrong += p[k][0] != (unsigned char)(*(unsigned *)seed + (unsigned)k);
            gf_free(p[k]);
        }
    }
    return NULL;
}

static void check_threads(void) {
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    unsigned seed[THREADS];
    locks = unlocks = 0;
    gf_blocks_keep();
    for (int i = 0; i < THREADS; i++) {
        seed[i] = (unsigned)i * 10;
        CHECK(!pthread_create(&thread[i], NULL, use, &seed[i]));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    gf_blocks_end();
    CHECK_EQ(locks, unlocks);
    CHECK(!keeps() || locks > 0);
    CHECK_EQ(wrong, 0);
}

int main(void) {
    RUN("a kept block serves again if it is not much larger", check_reuse());
    RUN("blocks kept and in use are within what was once in use", check_room());
    RUN("a block is locked once, until it is freed or its context closes", check_locks());
    RUN("a block in use at the end stays its user's", check_end());
    RUN("threads take and lock blocks side by side", check_threads());
    return TEST_END();
}
