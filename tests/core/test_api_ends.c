/* The library's ends by its header alone: a library that was closed, or that a forked child inherited, and calls that end
 * where their caller asks. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/api/gpufft.h"
#include "tests/test.h"

static const struct gpufft_transform good = {
    .size = sizeof good, .in_type = GPUFFT_C64, .out_type = GPUFFT_C64, .rank = 2, .shape = {4, 6}};
static const char *backend = "openmp";

static int open_library(struct gpufft **g, int threads) {
    const struct gpufft_options o = {.size = sizeof o, .backend = backend, .threads = threads};
    return gpufft_open(&o, g);
}

/* ---- libraries that are no more ---- */

/* A library, a plan and a bound plan, which are used after `end`. */
static void test_end(bool forks) {
    static float x[96];
    struct gpufft *g;
    struct gpufft_plan *plan, *other;
    struct gpufft_bound *bound, *second;
    int code = forks ? GPUFFT_EFORK : GPUFFT_ECLOSED, status = 0;
    NEED(!open_library(&g, 2) && !gpufft_plan_make(g, &good, &plan) &&
         !gpufft_plan_bind(plan, x, x + 48, &bound) && !gpufft_run(bound));
    const pid_t child = forks ? fork() : 0;
    if (!child) {
        if (!forks)
            gpufft_close(g);
        status |= gpufft_run(bound) != code;
        status |= gpufft_plan_bind(plan, x, x + 48, &second) != code;
        if (forks) {
            status |= gpufft_plan_make(g, &good, &other) != code;
            gpufft_close(g);
        }
        gpufft_plan_free(plan);
        status |= gpufft_run(bound) != code;
        gpufft_bound_free(bound);
        if (forks) {
            status |= open_library(&g, 1) || gpufft_plan_make(g, &good, &plan) ||
                      gpufft_plan_bind(plan, x, x + 48, &bound) || gpufft_run(bound);
            _exit(status);
        }
        CHECK_EQ(status, 0);
        return;
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    CHECK_EQ(gpufft_run(bound), 0);
    gpufft_close(g);
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
}

/* Runs with a team of two threads; true if the result is right. */
static bool runs_team(void) {
    const int64_t n = 512;
    struct gpufft *g;
    struct gpufft_plan *plan;
    struct gpufft_bound *bound;
    struct gpufft_transform t = good;
    float *in = calloc(2, (size_t)(n * n) * sizeof *in),
          *out = calloc(2, (size_t)(n * n) * sizeof *in);
    t.shape[0] = t.shape[1] = n;
    NEED(in && out && !open_library(&g, 2) && !gpufft_plan_make(g, &t, &plan) &&
         !gpufft_plan_bind(plan, in, out, &bound));
    in[0] = 3;
    bool good_ones = true;
    for (int i = 0; i < 12; i++)
        good_ones = !gpufft_run(bound) && good_ones;
    for (int64_t i = 0; i < n * n; i++)
        good_ones = good_ones && out[2 * i] > 2.999F && out[2 * i] < 3.001F;
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    gpufft_close(g);
    free(in);
    free(out);
    return good_ones;
}

/* Handlers, environment and standard output belong to the program. */
static void test_guest(void) {
    struct sigaction before[NSIG], after;
    extern char **environ;
    char **const vars = environ;
    int n = 0, same = 0, all = 0;
    memset(before, 0, sizeof before);
    for (int i = 1; i < NSIG; i++)
        sigaction(i, NULL, &before[i]);
    for (; environ[n]; n++)
        ;
    fflush(stdout);
    const off_t at = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    CHECK(runs_team());
    CHECK_EQ(lseek(STDOUT_FILENO, 0, SEEK_CUR), at);
    for (int i = 1; i < NSIG; i++) {
        if (sigaction(i, NULL, &after))
            continue;
        all++;
        same += after.sa_handler == before[i].sa_handler && after.sa_flags == before[i].sa_flags;
    }
    CHECK_EQ(same, all);
    CHECK(environ == vars && !environ[n] && (!n || environ[n - 1]));
}

/* Memory that is locked for a plan's device, twice, gives the same numbers. */
static void test_locked(void) {
    struct gpufft *g;
    struct gpufft_plan *plan;
    struct gpufft_bound *bound;
    float *x = gpufft_alloc(1 << 16), plain[96] = {4};
    NEED(x && !open_library(&g, 1) && !gpufft_plan_make(g, &good, &plan) &&
         !gpufft_plan_bind(plan, plain, plain + 48, &bound) && !gpufft_run(bound));
    memcpy(x, plain, sizeof plain / 2);
    CHECK_EQ(gpufft_lock(plan, x, 1 << 16), 0);
    CHECK_EQ(gpufft_lock(plan, x, 1 << 16), 0);
    CHECK_EQ(gpufft_bound_move(bound, x, x + 48), 0);
    CHECK_EQ(gpufft_run(bound), 0);
    CHECK(!memcmp(x + 48, plain + 48, sizeof plain / 2));
    CHECK_EQ(gpufft_unlock(plan, x), 0);
    CHECK_EQ(gpufft_lock(plan, NULL, 8), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_lock(plan, x, 0), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_lock(NULL, x, 8), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_unlock(NULL, x), GPUFFT_EUSAGE);
    gpufft_close(g);
    CHECK_EQ(gpufft_lock(plan, x, 8), GPUFFT_ECLOSED);
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    gpufft_free(x);
}

static void test_team(void) {
    int status = 0;
    CHECK(runs_team());
    const pid_t child = fork();
    if (!child) {
        alarm(60); /* a child that waits for threads it does not have fails */
        _exit(!runs_team());
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    CHECK(runs_team());
}

struct ticks {
    int n, most;
    double last;
};

static int take_tick(void *user, double done) {
    struct ticks *t = user;
    CHECK(done >= t->last && done <= 1);
    t->last = done;
    return ++t->n > t->most;
}

static void test_tick(void) {
    struct ticks ticks = {.most = 1000};
    const struct gpufft_options o = {
        .size = sizeof o, .backend = "openmp", .tick = take_tick, .user = &ticks};
    static float x[2 * 2 * 5 * 6 * 7 * 8 * 2];
    struct gpufft_transform t = good;
    struct gpufft_plan *plan;
    struct gpufft_bound *bound;
    struct gpufft *g;
    t.rank = 5;
    t.n_axes = 1;
    t.axes[0] = 0;
    memcpy(t.shape, (int64_t[]){2, 5, 6, 7, 8}, 5 * sizeof *t.shape);
    /* the axes cannot be joined */
    memcpy(t.in_stride, (int64_t[]){5 * 6 * 7 * 8 * 8, 8, 40, 240, 1680}, 5 * 8);
    NEED(!gpufft_open(&o, &g) && !gpufft_plan_make(g, &t, &plan) &&
         !gpufft_plan_bind(plan, x, x + 2 * 2 * 5 * 6 * 7 * 8, &bound));
    CHECK_EQ(gpufft_run(bound), 0);
    CHECK(ticks.last == 1 && ticks.n > 1);
    const int all = ticks.n;
    for (int k = 0; k < all; k++) {
        ticks = (struct ticks){.most = k};
        CHECK_EQ(gpufft_run(bound), GPUFFT_ECANCELED);
    }
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    gpufft_close(g);
}

/* A transform of some tenths of a second is asked within its passes, by one thread and by two, and is as good as
 * new after the end that its caller asked for. */
static void test_tick_within(int threads) {
    struct ticks ticks = {.most = 1000};
    const struct gpufft_options o = {.size = sizeof o,
                                     .backend = "openmp",
                                     .threads = threads,
                                     .tick = take_tick,
                                     .user = &ticks};
    struct gpufft_transform t = good;
    struct gpufft_plan *plan;
    struct gpufft_bound *bound;
    struct gpufft *g;
    t.shape[0] = t.shape[1] = 3001; /* a prime */
    const size_t bytes = 8 * 3001 * 3001;
    char *in = gpufft_alloc(bytes), *out = gpufft_alloc(bytes), *want = gpufft_alloc(bytes);
    NEED(in && out && want && !gpufft_open(&o, &g) && !gpufft_plan_make(g, &t, &plan) &&
         !gpufft_plan_bind(plan, in, out, &bound));
    memset(in, 0, bytes);
    ((float *)(void *)in)[77] = 1;
    CHECK_EQ(gpufft_run(bound), 0);
    memcpy(want, out, bytes);
    CHECK_MSG(ticks.n > 2 && ticks.last == 1, "%d ticks", ticks.n);
    ticks = (struct ticks){.most = 1};
    CHECK_EQ(gpufft_run(bound), GPUFFT_ECANCELED);
    CHECK_MSG(ticks.last > 0 && ticks.last < 1, "%g", ticks.last);
    ticks = (struct ticks){.most = 1000};
    CHECK_EQ(gpufft_run(bound), 0);
    CHECK(!memcmp(out, want, bytes));
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    gpufft_close(g);
    gpufft_free(in);
    gpufft_free(out);
    gpufft_free(want);
}

/* usage: test_api_ends [BACKEND] */
int main(int argc, char **argv) {
    backend = argc > 1 ? argv[1] : backend;
    RUN("a closed library refuses", test_end(false));
    RUN("a forked child has to open its own", test_end(true));
    RUN("signals, environment and output stay the program's", test_guest());
    RUN("locked memory gives the same numbers", test_locked());
    RUN("a forked child has teams of threads", test_team());
    RUN("a call ends where its caller asks", test_tick());
    RUN("a pass ends where its caller asks", test_tick_within(1));
    RUN("passes of a team end where their caller asks", test_tick_within(2));
    return TEST_END();
}
