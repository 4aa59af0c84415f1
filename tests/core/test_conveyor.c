/* The conveyor: order, slots, failures at every point, and threads that cannot be started. */
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/base/host/conveyor.h"
#include "tests/test.h"

enum { MOST = 40, HANDS = 3, NEVER = 1 << 30 };

/* ---- threads that are refused ---- */

static atomic_int starts_left = NEVER;

/* The sanitizer's own, where the program has one. */
int __interceptor_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *),
                                 void *user) __attribute__((weak));

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *user) {
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    if (atomic_fetch_sub(&starts_left, 1) <= 0)
        return 11;
    return (__interceptor_pthread_create ? __interceptor_pthread_create : next)(t, a, run, user);
}

/* ---- what passes by ---- */

struct load {
    struct gf_conveyor c;
    int64_t in[MOST], out[MOST]; /* by slot: the item there, -1: free */
    int64_t written[MOST];       /* in the order of writing */
    int n_written;
    atomic_int begun[GF_CONVEYOR_STEPS][MOST], writing;
    int64_t fail[GF_CONVEYOR_STEPS], stop; /* at which item; -1: nowhere */
    int64_t given[HANDS];                  /* by take(): the last one */
    atomic_bool cancelled;
    atomic_int wrong;
};

static int64_t *out_of(struct load *l, int64_t item) {
    return &l->out[item % (l->c.outputs ? l->c.outputs : l->c.slots)];
}

static void dawdle(int64_t item, int step) {
    for (int64_t i = (item * 7 + step * 5) % 11; i > 0; i--)
        sched_yield();
}

static int end_step(struct load *l, enum gf_conveyor_step step, int64_t item) {
    l->wrong += l->begun[step][item]++ != 0;
    if (l->fail[step] == item)
        return gf_fail(GF_EIO, "step %d of %lld", step, (long long)item);
    return 0;
}

static int read_item(void *user, int reader, int64_t item) {
    struct load *l = user;
    int64_t *slot = &l->in[item % l->c.slots];
    l->wrong += *slot != -1 || reader >= l->c.readers;
    dawdle(item, 0);
    *slot = item;
    return end_step(l, GF_CONVEYOR_READ, item);
}

static int work(void *user, int hand, int64_t item) {
    struct load *l = user;
    int64_t *slot = out_of(l, item);
    l->wrong += *slot != -1 || hand >= l->c.hands;
    l->wrong += l->c.read && l->in[item % l->c.slots] != item;
    dawdle(item, 1);
    if (!l->c.input_is_written)
        l->in[item % l->c.slots] = -1;
    *slot = item;
    l->wrong += item == 0 && !gf_conveyor_is_first(&l->c, 0);
    if (item == l->stop) {
        l->wrong += gf_conveyor_is_stopped(&l->c);
        gf_conveyor_stop(&l->c);
        l->wrong += !gf_conveyor_is_stopped(&l->c);
    }
    return end_step(l, GF_CONVEYOR_WORK, item);
}

static int write_item(void *user, int64_t item) {
    struct load *l = user;
    l->wrong += l->writing++ != 0 || *out_of(l, item) != item;
    l->wrong += !gf_conveyor_is_first(&l->c, item) || gf_conveyor_is_first(&l->c, item + 1);
    dawdle(item, 2);
    l->wrong += l->c.input_is_written && l->in[item % l->c.slots] != item;
    if (l->c.input_is_written) /* else the slot may be a reader's again */
        l->in[item % l->c.slots] = -1;
    *out_of(l, item) = -1;
    l->written[l->n_written++] = item;
    l->writing--;
    return end_step(l, GF_CONVEYOR_WRITE, item);
}

/* Every hand has items of its own, as devices may. */
static int64_t take(void *user, int hand) {
    struct load *l = user;
    const int64_t item = l->given[hand];
    l->given[hand] += l->c.hands;
    return item < l->c.items && !l->cancelled ? item : -1;
}

static void cancel(void *user) {
    ((struct load *)user)->cancelled = true;
}

static void make(struct load *l, int items, int slots, int readers, int hands) {
    memset(l, 0, sizeof *l);
    l->c = (struct gf_conveyor){.items = items,
                                .slots = slots,
                                .readers = readers,
                                .hands = hands,
                                .read = readers ? read_item : NULL,
                                .work = work,
                                .write = write_item,
                                .user = l};
    memset(l->in, -1, sizeof l->in);
    memset(l->out, -1, sizeof l->out);
    memset(l->fail, -1, sizeof l->fail);
    l->stop = -1;
    for (int i = 0; i < HANDS; i++)
        l->given[i] = i;
}

static void deal(struct load *l) {
    l->c.take = take;
    l->c.cancel = cancel;
}

/* Written are the first n items, in their order, and nothing was done twice or beside its slot. */
static void check(const struct load *l, int n, const char *what) {
    int ordered = 0;
    for (int i = 0; i < l->n_written; i++)
        ordered += l->written[i] == i;
    CHECK_MSG(!l->wrong && ordered == l->n_written && l->n_written == n,
              "%s: %d of %lld written, %d wrong; slots %lld readers %d hands %d", what,
              l->n_written, (long long)l->c.items, l->wrong, (long long)l->c.slots, l->c.readers,
              l->c.hands);
}

/* ---- cases ---- */

static void pass_all(void) {
    static const int items[] = {0, 1, 2, 7, MOST};
    struct load l;
    for (int n = 0; n < 5; n++)
        for (int slots = 1; slots <= 8; slots++)
            for (int readers = 0; readers <= 2; readers++)
                for (int hands = 1; hands <= HANDS; hands++)
                    for (int how = 0; how < 8; how++) {
                        make(&l, items[n], slots, readers, hands);
                        if (how & 1)
                            deal(&l);
                        l.c.input_is_written = readers && how & 2;
                        l.c.outputs = how & 4 ? (slots + 1) / 2 : 0;
                        CHECK_EQ(gf_conveyor_run(&l.c), 0);
                        check(&l, items[n], "all");
                    }
}

/* One thing after the other: what is told is the failure itself, and what came before it is written. */
static void fail_at(enum gf_conveyor_step step, int item, int slots, int readers, int hands,
                    bool dealt) {
    struct load l;
    char text[64];
    make(&l, 9, slots, readers, hands);
    if (dealt)
        deal(&l);
    l.fail[step] = item;
    snprintf(text, sizeof text, "step %d of %d", step, item);
    CHECK_EQ(gf_conveyor_run(&l.c), GF_EIO);
    CHECK_MSG(!strcmp(gf_message(), text), "'%s' and not '%s'", gf_message(), text);
    const int most = item + (step == GF_CONVEYOR_WRITE);
    CHECK(l.n_written <= most && (step != GF_CONVEYOR_WRITE || l.n_written == most));
    check(&l, l.n_written, "failed");
    CHECK_EQ(l.cancelled, dealt);
}

static void fail_everywhere(void) {
    for (int step = 0; step < GF_CONVEYOR_STEPS; step++)
        for (int item = 0; item < 9; item++)
            for (int slots = 1; slots <= 4; slots++)
                for (int readers = 0; readers <= 2; readers++)
                    for (int hands = 1; hands <= HANDS; hands++)
                        for (int dealt = 0; dealt < 2; dealt++)
                            if (readers || step != GF_CONVEYOR_READ)
                                fail_at((enum gf_conveyor_step)step, item, slots, readers, hands,
                                        dealt);
}

/* Until all hands are in it. */
static int fail_together(void *user, int hand, int64_t item) {
    struct load *l = user;
    l->begun[0][hand]++;
    while (!l->begun[0][0] || !l->begun[0][1] || !l->begun[0][2])
        sched_yield();
    for (int i = 0; i < 100 * (int)(HANDS - item); i++) /* the first item's is the last to come */
        sched_yield();
    return gf_fail(GF_EIO, "item %lld", (long long)item);
}

static void name_earliest(void) {
    struct load l;
    make(&l, HANDS, HANDS, 0, HANDS);
    l.c.work = fail_together;
    CHECK_EQ(gf_conveyor_run(&l.c), GF_EIO);
    CHECK_MSG(!strcmp(gf_message(), "item 0"), "'%s'", gf_message());
}

static void stop_anywhere(void) {
    struct load l;
    for (int item = 0; item < 9; item++)
        for (int readers = 0; readers <= 1; readers++)
            for (int hands = 1; hands <= HANDS; hands++) {
                make(&l, 20, 4, readers, hands);
                l.stop = item;
                CHECK_EQ(gf_conveyor_run(&l.c), 0);
                CHECK(l.n_written > item && l.n_written <= item + l.c.slots + hands);
                check(&l, l.n_written, "stopped");
            }
}

/* All but the first n threads are refused. */
static void refuse_threads(void) {
    struct load l;
    for (int readers = 0; readers <= 2; readers++)
        for (int hands = 1; hands <= HANDS; hands++)
            for (int dealt = 0; dealt < 2; dealt++)
                for (int n = 0; n < 6; n++) {
                    const int needed = (readers ? 2 : 0) + hands - 1, all = needed + (readers == 2);
                    make(&l, 12, 3, readers, hands);
                    if (dealt)
                        deal(&l);
                    starts_left = n;
                    int rc = gf_conveyor_run(&l.c);
                    starts_left = NEVER;
                    if (!dealt || n >= all || (hands == 1 && !rc)) {
                        CHECK_EQ(rc, 0);
                        check(&l, 12, "with few threads");
                    } else {
                        CHECK_EQ(rc, GF_ENOMEM);
                        CHECK(!strcmp(gf_message(), "cannot start a thread"));
                        CHECK(l.cancelled);
                    }
                }
}

int main(void) {
    RUN("all items pass in order, whatever slots, readers and hands", pass_all());
    RUN("a step that fails at any item ends the run with its error", fail_everywhere());
    RUN("of several failures the earliest item is named", name_earliest());
    RUN("a stop at any item ends the run soon after it", stop_anywhere());
    RUN("the run ends well where threads cannot be started", refuse_threads());
    return TEST_END();
}
