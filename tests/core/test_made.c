/* Notes of how outputs were made: several that add at once, damage, and two that claim one file. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/host/environment.h"
#include "core/store/made.h"
#include "tests/test.h"

static struct gf_environment env;

enum { THREADS = 4, EACH = 5000 };

static char folder[] = "/tmp/gpufft-made-XXXXXX";

static uint64_t file_of(int thread, int i) {
    return (uint64_t)thread << 40 | (uint64_t)i << 3 | 1;
}

struct writer {
    struct gf_made *made; /* shared, or NULL: its own, as another process has it */
    int thread;
};

static void *write_some(void *user) {
    const struct writer *w = user;
    struct gf_made *own = w->made ? w->made : gf_made_open(&env, false, true);
    for (int i = 0; i < EACH; i++)
        gf_made_note(own, file_of(w->thread, i), (uint64_t)i + 7);
    if (!w->made)
        gf_made_close(own);
    return NULL;
}

static void add_at_once(bool shared) {
    struct gf_made *made = shared ? gf_made_open(&env, true, true) : NULL;
    struct writer w[THREADS];
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct writer){made, i + THREADS * shared};
        CHECK(!pthread_create(&t[i], NULL, write_some, &w[i]));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    gf_made_close(made);
}

/* How many of all are known as they were noted; none may be known otherwise. */
static int count(void) {
    struct gf_made *m = gf_made_open(&env, true, false);
    int known = 0, wrong = 0;
    for (int t = 0; t < 2 * THREADS; t++)
        for (int i = 0; i < EACH; i++) {
            known += gf_made_find(m, file_of(t, i), (uint64_t)i + 7) == GF_MADE_SO;
            wrong += gf_made_find(m, file_of(t, i), (uint64_t)i + 8) == GF_MADE_SO;
        }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(gf_made_find(m, 1234567, 8), GF_MADE_UNKNOWN);
    gf_made_close(m);
    return known;
}

static void note(uint64_t file, uint64_t recipe) {
    struct gf_made *m = gf_made_open(&env, false, true);
    gf_made_note(m, file, recipe);
    gf_made_close(m);
}

static enum gf_made_how find(uint64_t file, uint64_t recipe) {
    struct gf_made *m = gf_made_open(&env, true, false);
    const enum gf_made_how how = gf_made_find(m, file, recipe);
    gf_made_close(m);
    return how;
}

/* Two runs that wrote one file at the same time may both have looked at what one of them left. */
static void check_claims(void) {
    note(2, 10);
    note(2, 10);
    CHECK_EQ(find(2, 10), GF_MADE_SO);
    CHECK_EQ(find(2, 11), GF_MADE_OTHERWISE);
    note(2, 11);
    CHECK_EQ(find(2, 10), GF_MADE_OTHERWISE);
    CHECK_EQ(find(2, 11), GF_MADE_OTHERWISE);
}

static void test_unknown(const char *own) {
    CHECK_EQ(find(2, 10), GF_MADE_UNKNOWN);
    CHECK(access(own, F_OK) != 0); /* which a look does not make */
    gf_made_note(NULL, 1, 2);
    gf_made_close(NULL);
}

static void test_at_once(void) {
    add_at_once(false);
    add_at_once(true);
    CHECK_EQ(count(), 2 * THREADS * EACH);
}

/* A byte here and there. */
static void test_damage(const char *log) {
    for (int at = 1; at < 2 * THREADS * EACH * 24; at += 30011) {
        FILE *f = fopen(log, "r+b");
        fseek(f, at, SEEK_SET);
        const int c = fgetc(f);
        fseek(f, at, SEEK_SET);
        fputc(c ^ 0x20, f);
        fclose(f);
    }
    CHECK_EQ(count(), 2 * THREADS * EACH - (2 * THREADS * EACH * 24 - 2) / 30011 - 1);
}

/* A batch that was cut off, and what is added behind it. */
static void test_claims(const char *log) {
    CHECK(!truncate(log, 24 * 1000 + 5));
    check_claims();
}

int main(void) {
    char log[96], own[64];
    NEED(mkdtemp(folder));
    snprintf(own, sizeof own, "%s/gpufft", folder);
    snprintf(log, sizeof log, "%s/made", own);
    env.cache_folder = folder;
    RUN("an output without a note is unknown, and a look makes no folder", test_unknown(own));
    RUN("threads that note at once lose nothing; a damaged note is unknown, and the last of two "
        "counts",
        test_at_once();
        test_damage(log); test_claims(log));
    unlink(log);
    rmdir(own);
    rmdir(folder);
    return TEST_END();
}
