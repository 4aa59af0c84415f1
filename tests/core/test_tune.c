/* gpufft tune on a made-up clock and a made-up device: rounds until they agree, what of them is kept, and that
 * nobody believes a noisy record. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/store/lines.h"
#include "core/base/value/status.h"
#include "core/engine/auto.h"
#include "core/engine/engine.h"
#include "core/engine/speeds.h"
#include "core/engine/tune.h"
#include "tests/test.h"

static struct gf_environment env;

/* A clock for each thread, in the place of the system's: a millisecond passes whenever someone looks, and as long as a plan
 * says that it takes. */
static _Thread_local double now_ms;

int clock_gettime(clockid_t clock, struct timespec *t) {
    (void)clock;
    now_ms += 1;
    t->tv_sec = (time_t)(now_ms * 1e-3);
    t->tv_nsec = (long)((now_ms - 1e3 * (double)t->tv_sec) * 1e6);
    return 0;
}

/* ---- rounds ---- */

/* The rates of each round, whether the CPU was shared, and the second at which it ended. */
struct script {
    struct {
        double copy, fft, at;
        bool busy;
    } round[16];
    int rounds;
};

static double next_round(void *user, struct gf_speeds *r) {
    struct script *s = user;
    const int i = s->rounds++;
    CHECK(r->copy == 0 && r->fft[2] == 0 && !r->noisy);
    r->copy = s->round[i].copy;
    r->fft[1] = s->round[i].fft;
    r->noisy = s->round[i].busy;
    return s->round[i].at * 1e3;
}

static void check_rounds(struct script s, int rounds, bool noisy, double copy, double fft) {
    struct gf_speeds r = {.open = 0.5};
    gf_tune_rounds(next_round, &s, &r);
    CHECK_MSG(s.rounds == rounds, "%d rounds, not %d", s.rounds, rounds);
    CHECK(r.noisy == noisy && r.copy == copy && r.fft[1] == fft);
    CHECK(r.open == 0.5 && r.fft[0] == 0 && r.wavelet[0] == 0);
}

static void test_rounds(void) {
    check_rounds((struct script){.round = {{100, 9, 1, 0}, {95, 10, 2, 0}}}, 2, false, 100, 10);
    /* A tenth of the rate, first or later; all in different rounds. */
    check_rounds((struct script){.round = {{100, 1, 1, 0}, {99, 10, 2, 0}, {100, 9, 3, 0}}}, 3,
                 false, 100, 10);
    check_rounds(
        (struct script){.round = {{10, 10, 1, 0}, {100, 1, 2, 0}, {20, 9.9, 3, 0}, {99, 2, 4, 0}}},
        4, false, 100, 10);
    /* Just within the tolerance and just beyond. */
    check_rounds((struct script){.round = {{100, 5, 1, 0}, {85.1, 5, 2, 0}}}, 2, false, 100, 5);
    check_rounds((struct script){.round = {{100, 5, 19, 0}, {84.9, 5, 20, 0}}}, 2, true, 100, 5);
    /* Rounds that agree because both were slow: somebody else had the CPU. */
    check_rounds(
        (struct script){.round = {{10, 1, 1, 1}, {10, 1, 2, 1}, {100, 10, 3, 0}, {100, 10, 4, 0}}},
        4, false, 100, 10);
    check_rounds((struct script){.round = {{10, 1, 7, 1}, {10, 1, 14, 1}, {10, 1, 21, 0}}}, 3, true,
                 10, 1);
    /* Never twice the same; time for one round only; what no round measured is no reason to go on. */
    check_rounds(
        (struct script){.round = {{1, 5, 5, 0}, {2, 5, 10, 0}, {4, 5, 15, 0}, {8, 5, 20, 0}}}, 4,
        true, 8, 5);
    check_rounds((struct script){.round = {{100, 10, 45, 0}}}, 1, true, 100, 10);
    check_rounds((struct script){.round = {{100, 0, 1, 0}, {100, 0, 2, 0}}}, 2, false, 100, 0);
    check_rounds((struct script){.round = {{100, 0, 19, 0}, {100, 7, 21, 0}}}, 2, true, 100, 7);
}

/* ---- a device ---- */

static int gpus, plans, slow_plans, opened, closed;
static bool fails_open, fails_wavelets, reaches = true, good_arrays = true;
static char last_device[32];
static const char *driver = "7", *compiler = "5", *probed = "";

static int probe(const struct gf_backend *b, const struct gf_environment *unused,
                 char reason[GF_REASON]) {
    (void)b, (void)unused;
    snprintf(reason, GF_REASON, "made up%s", probed);
    return 0;
}

static int list(const struct gf_backend *b, const struct gf_environment *unused,
                struct gf_gpu_props *props) {
    (void)b, (void)unused;
    int n = 0;
    for (; n < gpus; n++) {
        props[n] = (struct gf_gpu_props){.memory = INT64_C(1) << 40, .fp64 = true};
        snprintf(props[n].name, sizeof props[n].name, "Fake 9000");
        snprintf(props[n].driver, sizeof props[n].driver, "%s", driver);
        snprintf(props[n].compiler, sizeof props[n].compiler, "%s", compiler);
        props[n].is_cpu = n == 3;
    }
    return n;
}

static int open_device(const struct gf_backend *b, const struct gf_backend_options *o,
                       void **context) {
    (void)b;
    snprintf(last_device, sizeof last_device, "%s", o->device ? o->device : "");
    if (o->n_devices == 2)
        snprintf(last_device, sizeof last_device, "%s,%s", o->devices[0], o->devices[1]);
    *context = last_device;
    if (fails_open)
        return gf_fail(GF_EABSENT, "not today");
    opened++;
    return 0;
}

static void close_device(void *context) {
    CHECK(context == last_device);
    closed++;
}

/* A billion samples a second, a tenth of that for the first plans. */
static int exec(struct gf_bound *b, struct gf_report *report) {
    const struct gf_plan *p = b->plan;
    const double ms = (double)gf_array_count(&b->in) * 1e-6;
    good_arrays = good_arrays && b->out->data && b->in.dtype == GF_F32;
    *report = (struct gf_report){.ms.run = plans <= slow_plans ? 10 * ms : ms};
    report->ms.upload = p->job.shape[1] == 4096 ? ms * 4 : 0;
    report->ms.download = p->job.shape[1] == 4096 ? ms * 8 : 0;
    return 0;
}

static const struct gf_plan_ops ops = {.exec = exec};

static int plan(struct gf_plan *plan) {
    if (plan->job.op == GF_DWT && fails_wavelets)
        return gf_fail(GF_EUNABLE, "no wavelets");
    plans++;
    plan->ops = &ops;
    return 0;
}

static int measure(void *context, struct gf_device_speed *speed) {
    (void)context;
    *speed = (struct gf_device_speed){.copy = 4e12};
    return 0;
}

static int transfer(void *context, int64_t bytes, bool pinned, double seconds[2]) {
    (void)context;
    seconds[0] = (double)bytes / (pinned ? 5e10 : 1e10);
    seconds[1] = pinned ? (double)bytes / 4e10 : 0;
    return 0;
}

/* Towards higher numbers it is slower. */
static int link_speed(void *context, int64_t bytes, double *speed) {
    (void)context, (void)bytes;
    if (!reaches && strchr(last_device, '2'))
        return gf_fail(GF_EUNSUPP, "out of reach");
    *speed = 1e11 / (last_device[2] - '0' + 1);
    return 0;
}

static const struct gf_on_device on_device = {
    .measure = measure, .transfer = transfer, .link = link_speed};
static const struct gf_backend gpu = {.name = "gpu",
                                      .automatic = 1,
                                      .devices = true,
                                      .shares = true,
                                      .list = list,
                                      .on_device = &on_device,
                                      .probe = probe,
                                      .open = open_device,
                                      .plan = plan,
                                      .close = close_device};
static const struct gf_backend host = {.name = "host",
                                       .automatic = 1,
                                       .probe = probe,
                                       .open = open_device,
                                       .plan = plan,
                                       .close = close_device};
static const struct gf_backend *const backends[] = {&host, &gpu, NULL};

static int tune(const char *device, struct gf_speeds *r) {
    plans = opened = closed = 0;
    int rc = gf_tune_device(&gpu, &(struct gf_backend_options){.device = device}, r);
    CHECK(opened == closed && good_arrays);
    return rc;
}

static bool is_near(double a, double b) {
    return a > b * 0.999 && a < b * 1.001;
}

static void test_device(void) {
    enum { KINDS = GF_SPEEDS_FFTS + GF_SPEEDS_WAVELETS };
    struct gf_speeds r;
    gpus = 3;
    CHECK_EQ(tune("1", &r), 0);
    CHECK_EQ(plans, 2 * KINDS); /* two rounds */
    CHECK(!r.noisy && r.copy == 4e12 && r.threads == 0 && r.open >= 0);
    for (int i = 0; i < GF_SPEEDS_FFTS; i++)
        CHECK(is_near(r.fft[i], 1e9));
    CHECK(is_near(r.wavelet[0], 1e9) && is_near(r.wavelet[1], 1e9));
    CHECK(is_near(r.bus[0][0], 1e10) && r.bus[0][1] == 0 && is_near(r.bus[1][1], 4e10));
    CHECK(is_near(r.staged[0], 1e9) && is_near(r.staged[1], 1e9));
    CHECK(is_near(r.link, 1e11 / 3) && !strcmp(last_device, "1,2"));
    /* The first round ran beside something else. A device that another one does not reach has no link, nor
     * has one that is named by its name; a processor is no device to link with. */
    slow_plans = KINDS, reaches = false;
    CHECK_EQ(tune(NULL, &r), 0);
    CHECK_EQ(plans, 3 * KINDS);
    CHECK(!r.noisy && is_near(r.fft[0], 1e9) && is_near(r.wavelet[1], 1e9) && r.link == 0);
    slow_plans = 0, reaches = true, fails_wavelets = true, gpus = 4;
    CHECK_EQ(tune("Fake", &r), 0);
    CHECK(!r.noisy && r.wavelet[0] == 0 && r.wavelet[1] == 0 && is_near(r.fft[2], 1e9) &&
          r.link == 0);
    fails_open = true;
    CHECK_EQ(tune("0", &r), GF_EABSENT);
    CHECK(!strcmp(gf_message(), "not today") && r.copy == 0);
    fails_open = fails_wavelets = false;
}

/* ---- processors ---- */

static atomic_int contexts, most_contexts, odd_teams;

/* Small pictures are the work of two teams of four, the largest ones that of all eight. */
static int open_team(const struct gf_backend *b, const struct gf_backend_options *o,
                     void **context) {
    (void)b;
    const int now = ++contexts;
    if (now > most_contexts)
        most_contexts = now;
    /* The first two small teams wait for each other, and so are there at once. */
    for (int i = 0; o->threads == 4 && most_contexts < 3 && i < 1000000; i++)
        sched_yield();
    odd_teams += o->threads != 4 && o->threads != 8;
    *context = &contexts;
    return 0;
}

static void close_team(void *context) {
    CHECK(context == &contexts);
    contexts--;
}

/* At most a billion samples a second. */
static int exec_slowly(struct gf_bound *b, struct gf_report *report) {
    (void)report;
    now_ms += (double)gf_array_count(&b->in) * 1e-6;
    return 0;
}

static int plan_slowly(struct gf_plan *plan) {
    static const struct gf_plan_ops slowly = {.exec = exec_slowly};
    plan->ops = &slowly;
    return plan->job.op == GF_DWT ? gf_fail(GF_EUNABLE, "no wavelets") : 0;
}

static void test_processor(void) {
    static const struct gf_backend teams = {.name = "teams",
                                            .per_thread = true,
                                            .probe = probe,
                                            .open = open_team,
                                            .plan = plan_slowly,
                                            .close = close_team};
    struct gf_speeds r;
    CHECK_EQ(gf_tune_device(&teams, &(struct gf_backend_options){.threads = 8}, &r), 0);
    CHECK(contexts == 0 && odd_teams == 0 && most_contexts >= 3);
    CHECK(r.threads == 8 && r.open == 0 && r.link == 0 && r.copy > 0 && r.bus[0][0] == 0);
    for (int i = 0; i < GF_SPEEDS_FFTS; i++)
        CHECK_MSG(r.fft[i] > 0 && r.fft[i] < (gf_speeds_fft_side[i] < 4096 ? 2.001e9 : 1.001e9),
                  "side %d: %g samples a second", gf_speeds_fft_side[i], r.fft[i]);
    CHECK(r.wavelet[0] == 0 && r.wavelet[1] == 0);
}

/* ---- what is kept ---- */

static const struct gf_job job = {.ndim = 2,
                                  .shape = {4096, 4096},
                                  .channels = 1,
                                  .axes = 3,
                                  .in_dtype = GF_F32,
                                  .n_out = 1,
                                  .out = {{.kind = GF_COMPLEX, .dtype = GF_C64}}};

static struct gf_choice choose(bool untuned) {
    struct gf_choice choice = {.backend = NULL};
    const struct gf_outlook o = {
        .environment = &env, .backends = backends, .threads = 1, .runs = 100, .untuned = untuned};
    CHECK_EQ(gf_auto_choose(&job, &o, &choice), 0);
    return choice;
}

static void test_records(const char *folder) {
    struct gf_speeds absurd = {.copy = 1e9, .fft = {6e6, 6e6, 6e6}}, r;
    gpus = 2;
    const struct gf_choice table = choose(true);
    CHECK(table.backend == &gpu && !strstr(table.why, "noisy"));
    CHECK(gf_speeds_keep(&env, &gpu, "0", &absurd));
    CHECK(gf_speeds_of_device(&env, &gpu, "0", &r) && !r.noisy && r.fft[2] == 6e6);
    CHECK(choose(false).backend == &host); /* by a record that looks good */
    absurd.noisy = true;
    CHECK(gf_speeds_keep(&env, &gpu, "0", &absurd));
    CHECK(!gf_speeds_of_device(&env, &gpu, "0", &r) && r.noisy);
    const struct gf_choice choice = choose(false);
    CHECK(choice.backend == &gpu);
    CHECK_MSG(strstr(choice.why, "for 100 jobs; tune's record of gpu is noisy, not used"), "%s",
              choice.why);
    /* The CPU's record alone is noisy. */
    CHECK_EQ(gf_speeds_forget(&env), 1);
    CHECK(gf_speeds_keep(&env, &host, NULL, &absurd));
    CHECK(strstr(choose(false).why, "tune's record of host is noisy, not used"));
    /* Another device of that name was measured in peace. */
    absurd.copy = 2e9;
    CHECK(gf_speeds_keep(&env, &gpu, "0", &absurd));
    absurd.noisy = false;
    CHECK(gf_speeds_keep(&env, &gpu, "1", &absurd));
    CHECK(gf_speeds_of_device(&env, &gpu, "0", &r) && !r.noisy && r.copy == 2e9);
    /* Lines of earlier versions end with their numbers. */
    char path[128];
    snprintf(path, sizeof path, "%s/gpufft/device-speeds", folder);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL &&
          fprintf(f, GF_VERSION "\thost\t\tmade up\t2 5e9 0 0 0 0 0 0 3e8 3e8 3e8 1e9 1e9 0 0\n") >
              0);
    CHECK(!fclose(f) && !chmod(path, 0600));
    gf_store_lines_reread();
    CHECK(gf_speeds_of_device(&env, &host, NULL, &r) && !r.noisy && r.copy == 5e9 &&
          r.threads == 2);
    CHECK_EQ(gf_speeds_forget(&env), 1);
}

static struct gf_job magnitude_of(int64_t n) {
    return (struct gf_job){.ndim = 2,
                           .shape = {n, n},
                           .channels = 1,
                           .axes = 3,
                           .in_dtype = GF_U8,
                           .n_out = 1,
                           .out = {{.kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY}}};
}

/* A device's bus and copies have the record's speeds, unless records are ignored: then they are measured. */
static double bus_speed(bool untuned, double *copy) {
    struct gf_request request;
    struct gf_engine *engine;
    struct gf_runner runner;
    const struct gf_job of = magnitude_of(64);
    double speed[2] = {0, 0};
    CHECK_EQ(gf_request_one(&env, &request, backends, "gpu", NULL), 0);
    NEED(!gf_engine_open(&engine,
                         &(struct gf_engine_options){.request = &request,
                                                     .open = {.environment = &env, .threads = 1},
                                                     .untuned = untuned}));
    gf_runner_open(&runner, engine, 0, 1);
    gf_runner_next(&runner, 1);
    CHECK_EQ(gf_runner_plan(&runner, &of), 0);
    gf_runner_bus_speed(&runner, speed);
    *copy = gf_runner_copy_speed(&runner);
    gf_runner_close(&runner);
    gf_engine_close(engine);
    return speed[0];
}

static void test_bus(void) {
    struct gf_speeds r = {.copy = 1e9, .fft = {1e9, 1e9, 1e9}, .bus = {{1e9, 1e9}, {3e9, 4e9}}};
    gpus = 1;
    CHECK(gf_speeds_keep(&env, &gpu, NULL, &r));
    double copy[2];
    CHECK(is_near(bus_speed(false, &copy[0]), 3e9) && is_near(bus_speed(true, &copy[1]), 5e10));
    CHECK(is_near(copy[0], 1e9) && is_near(copy[1], 4e12));
    CHECK_EQ(gf_speeds_forget(&env), 1);
}

/* The record of a device is one driver's, compiler's and number's. */
static void test_keys(void) {
    struct gf_speeds a = {.copy = 1e9, .fft = {6e6, 6e6, 6e6}}, b = a, r;
    b.copy = 2e9;
    gpus = 2;
    CHECK(gf_speeds_keep(&env, &gpu, "0", &a) && gf_speeds_keep(&env, &gpu, "1", &b));
    CHECK(gf_speeds_of_device(&env, &gpu, "0", &r) && r.copy == 1e9);
    CHECK(gf_speeds_of_device(&env, &gpu, "1", &r) && r.copy == 2e9);
    gpus = 1; /* alone it is the first */
    CHECK(gf_speeds_of_device(&env, &gpu, "0", &r) && r.copy == 1e9);
    driver = "new";
    CHECK(!gf_speeds_of_device(&env, &gpu, "0", &r));
    driver = "7";
    compiler = "new";
    CHECK(!gf_speeds_of_device(&env, &gpu, "0", &r));
    compiler = "5\n5"; /* lines cannot have it */
    CHECK(gf_speeds_keep(&env, &gpu, "0", &b) && gf_speeds_of_device(&env, &gpu, "0", &r) &&
          r.copy == 2e9);
    compiler = "5";
    CHECK(gf_speeds_of_device(&env, &gpu, "0", &r) && r.copy == 1e9);
    /* That of a backend without a list is one reason's and device's. */
    CHECK(gf_speeds_keep(&env, &host, NULL, &a) && gf_speeds_of_device(&env, &host, NULL, &r));
    CHECK(gf_speeds_keep(&env, &host, "1", &b) && gf_speeds_of_device(&env, &host, "1", &r) &&
          r.copy == 2e9);
    CHECK(gf_speeds_of_device(&env, &host, NULL, &r) && r.copy == 1e9);
    probed = " again";
    CHECK(!gf_speeds_of_device(&env, &host, NULL, &r));
    probed = "";
    CHECK_EQ(gf_speeds_forget(&env), 1);
}

/* ---- the estimates of auto ---- */

static bool is_cold(const struct gf_environment *e) {
    (void)e;
    return true;
}

static void check_why(struct gf_job job, struct gf_outlook o, const char *backend,
                      const char *why) {
    struct gf_choice choice;
    o.backends = backends;
    o.threads = o.threads ? o.threads : 1;
    o.runs = o.runs ? o.runs : 1;
    CHECK_EQ(gf_auto_choose(&job, &o, &choice), 0);
    CHECK_MSG(choice.backend && !strcmp(choice.backend->name, backend) && !strcmp(choice.why, why),
              "%s: '%s', not %s: '%s'", choice.backend ? choice.backend->name : "none", choice.why,
              backend, why);
}

/* Seconds by hand: 4096^2 points, of which reals are half, take 24 steps of 0.4 ns; a byte takes 0.1 ns to or
 * from the device; its context 0.4 s, its kernels 0.6 s. */
static void test_weights(void) {
    struct gf_job job = magnitude_of(4096);
    gpus = 1;
    const struct gf_outlook one = {.environment = &env, .untuned = true},
                            open = {.environment = &env, .open = true, .runs = 100};
    check_why(job, one, "host", "about 81 ms on 1 thread; a GPU would take 403 ms in all");
    check_why(job, (struct gf_outlook){.environment = &env, .threads = 4}, "host",
              "about 20 ms on 4 threads; a GPU would take 403 ms in all");
    check_why(job, (struct gf_outlook){.environment = &env, .runs = 100}, "gpu",
              "about 736 ms with the copies on Fake 9000, 8.1 s on 1 thread, for 100 jobs");
    check_why(job, open, "gpu",
              "about 336 ms with the copies on Fake 9000, 8.1 s on 1 thread, for 100 jobs");
    check_why(job, (struct gf_outlook){.environment = &env, .runs = 100, .is_cold = is_cold}, "gpu",
              "about 1.3 s with the copies on Fake 9000, 8.1 s on 1 thread, for 100 jobs");
    check_why(job,
              (struct gf_outlook){
                  .environment = &env, .runs = 100, .open = true, .device_memory = 96 << 20},
              "gpu", "about 336 ms with the copies on Fake 9000, 8.1 s on 1 thread, for 100 jobs");
    check_why(
        job,
        (struct gf_outlook){
            .environment = &env, .runs = 100, .open = true, .device_memory = 95 << 20},
        "host",
        "about 8.1 s on 1 thread, for 100 jobs; that takes 96.0 MiB on the device, Fake 9000 has "
        "95.0 MiB");
    job.precision = GF_DOUBLE;
    check_why(job, one, "host", "about 161 ms on 1 thread; a GPU would take 403 ms in all");
    check_why(
        job, (struct gf_outlook){.environment = &env, .runs = 100, .device_memory = 159 << 20},
        "host",
        "about 16.1 s on 1 thread, for 100 jobs; that takes 160.0 MiB on the device, Fake 9000 "
        "has 159.0 MiB");
    job = magnitude_of(4096);
    job.channels = 3;
    check_why(job, one, "host", "about 242 ms on 1 thread; a GPU would take 410 ms in all");
    job.luma = true;
    check_why(job, one, "host", "about 81 ms on 1 thread; a GPU would take 407 ms in all");
    job = magnitude_of(4096);
    job.op = GF_FILTER;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_U8};
    check_why(job, one, "host", "about 161 ms on 1 thread; a GPU would take 403 ms in all");
    job = magnitude_of(4096);
    job.in_dtype = GF_C64;
    job.out[0] = (struct gf_output){.kind = GF_COMPLEX, .dtype = GF_C64};
    check_why(job, one, "host", "about 161 ms on 1 thread; a GPU would take 427 ms in all");
    /* For a prime length either side makes tables by transforms of 2^21 points, 2 ns a step, and
     * copies them too. */
    job = (struct gf_job){.ndim = 1,
                          .shape = {1000003},
                          .channels = 1,
                          .axes = 1,
                          .in_dtype = GF_U8,
                          .n_out = 1,
                          .out = {{.kind = GF_MAGNITUDE, .dtype = GF_U8}}};
    check_why(job, one, "host", "about 92 ms on 1 thread; a GPU would take 491 ms in all");
    check_why(job, (struct gf_outlook){.environment = &env, .threads = 2}, "host",
              "about 46 ms on 2 threads; a GPU would take 447 ms in all");
    check_why(
        job, (struct gf_outlook){.environment = &env, .runs = 1000, .device_memory = 28 << 20},
        "host",
        "about 4.1 s on 1 thread, for 1000 jobs; that takes 29.4 MiB on the device, Fake 9000 has "
        "28.0 MiB");
    /* By its record the CPU takes a nanosecond a sample; the context's seconds stay assumed. */
    struct gf_speeds r = {.threads = 1, .fft = {1e9, 1e9, 1e9}};
    CHECK(gf_speeds_keep(&env, &host, NULL, &r));
    job = magnitude_of(4096);
    check_why(job, (struct gf_outlook){.environment = &env, .runs = 3}, "host",
              "about 50 ms on 1 thread, for 3 jobs; a GPU would take 410 ms in all");
    check_why(job, (struct gf_outlook){.environment = &env, .untuned = true}, "host",
              "about 81 ms on 1 thread; a GPU would take 403 ms in all");
    CHECK_EQ(gf_speeds_forget(&env), 1);
}

/* Seconds by a record: between measured sizes by the logarithm, at the ends the nearest; more for filters,
 * complex numbers, doubles and fewer threads; large arrays through page-locked buffers. */
static void test_speeds(void) {
    struct gf_job job = magnitude_of(1024);
    struct gf_speeds r = {.threads = 4, .fft = {1e6, 2e6, 8e6}, .wavelet = {4e6, 1e6}};
    const double n = 1024. * 1024;
    const struct {
        int64_t side;
        double rate;
    } rows[] = {{64, 1e6},   {256, 1e6},  {512, sqrt(2) * 1e6}, {1024, 2e6},
                {2048, 4e6}, {4096, 8e6}, {8192, 8e6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gf_job of = magnitude_of(rows[i].side);
        const double want = (double)(rows[i].side * rows[i].side) / rows[i].rate;
        const double got = gf_speeds_seconds(&r, &of, 4);
        CHECK_MSG(fabs(got / want - 1) < 1e-9, "%d: %g s, not %g s", (int)rows[i].side, got, want);
    }
    const double base = n / 2e6;
#define SECONDS(threads, want) CHECK(fabs(gf_speeds_seconds(&r, &job, threads) / (want)-1) < 1e-9)
    SECONDS(8, base);
    SECONDS(1, 4 * base);
    job.precision = GF_DOUBLE;
    SECONDS(4, 2 * base);
    job = magnitude_of(1024);
    job.op = GF_FILTER;
    SECONDS(4, 2 * base);
    job = magnitude_of(1024);
    job.channels = 4; /* as many samples as 2048^2 */
    SECONDS(4, base * 2);
    job = magnitude_of(1024);
    job.in_dtype = GF_C64;
    SECONDS(4, 2 * base);
    job.op = GF_DWT;
    SECONDS(4, n / 4e6);
    job = magnitude_of(1024); /* 1 MiB each way */
    r.staged[0] = 1e6;
    r.staged[1] = 4e6;
    r.bus[0][0] = 3e6;
    r.bus[0][1] = 5e6;
    SECONDS(4, base + n / 1e6 + n / 4e6);
    job = magnitude_of(512);
    SECONDS(4, n / 4 * (1 / (sqrt(2) * 1e6) + 1 / 3e6 + 1 / 5e6));
    r.fft[1] = 0; /* not measured */
    SECONDS(4, n / 4 * (1 / 1e6 + 1 / 3e6 + 1 / 5e6));
#undef SECONDS
    r.fft[0] = 0;
    CHECK(gf_speeds_seconds(&r, &job, 4) == 0);
}

/* Two that are open in one process keep their records apart. */
static void test_folders(void) {
    char folder[] = "/tmp/test_tune.XXXXXX", path[64];
    NEED(mkdtemp(folder));
    const struct gf_environment other = {.cache_folder = folder};
    struct gf_speeds r = {.copy = 1e9, .threads = 1}, found;
    CHECK(gf_speeds_keep(&env, &host, NULL, &r));
    CHECK(!gf_speeds_of_device(&other, &host, NULL, &found));
    r.copy = 2e9;
    CHECK(gf_speeds_keep(&other, &host, NULL, &r) && !gf_speeds_keep(NULL, &host, NULL, &r));
    CHECK(gf_speeds_of_device(&env, &host, NULL, &found) && found.copy == 1e9);
    CHECK(gf_speeds_of_device(&other, &host, NULL, &found) && found.copy == 2e9);
    CHECK(gf_speeds_forget(&other) == 1 && gf_speeds_forget(&env) == 1);
    snprintf(path, sizeof path, "%s/gpufft", folder);
    CHECK(!rmdir(path) && !rmdir(folder));
}

int main(void) {
    char folder[] = "/tmp/test_tune.XXXXXX", path[128];
    NEED(mkdtemp(folder));
    env.cache_folder = folder;
    RUN("rounds are repeated until they agree", test_rounds());
    RUN("a device is measured twice per kind, and noise is marked", test_device());
    RUN("a processor is measured per thread and as a team", test_processor());
    RUN("nobody believes a noisy or absurd record", test_records(folder));
    RUN("auto weighs operations against copies, tables and a context", test_weights());
    RUN("a record's seconds follow size, kind, precision and threads", test_speeds());
    RUN("a bus has the record's speed unless records are ignored", test_bus());
    RUN("speeds are kept by device, driver and compiler", test_keys());
    RUN("records of two cache folders are apart", test_folders());
    snprintf(path, sizeof path, "%s/gpufft", folder);
    NEED((rmdir(path) == 0 || errno == ENOENT) && !rmdir(folder));
    return TEST_END();
}
