/* How work is dealt to several devices: shares as numbers, lists of devices, who takes which unit, and
 * what happens where a device fails, on made-up backends. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/value/status.h"
#include "core/engine/device.h"
#include "core/schedule/shares.h"
#include "tests/test.h"

enum { DEVICES = 3, UNITS = 200 };

static void check_text(const char *is, const char *wanted) {
    CHECK_MSG(!strcmp(is, wanted), "'%s', not '%s'", is, wanted);
}

/* ---- shares ---- */

static void test_earliest(void) {
    const double rate[] = {1, 4, 0, 4};
    const int64_t none[] = {0, 0, 0, 0}, some[] = {0, 4, 0, 5}, late[] = {0, 3, 0, 3};
    CHECK_EQ(gf_shares_earliest(rate, NULL, 4, none), 1);
    CHECK_EQ(gf_shares_earliest(rate, NULL, 4, some), 0);
    CHECK_EQ(gf_shares_earliest(rate, NULL, 4, late), 0); /* 1/1 and 4/4: the first of equal ones */
    CHECK_EQ(gf_shares_earliest(rate + 2, NULL, 1, none), -1);
}

/* Counts are the rates' parts of the whole to within one unit, at every point on the way. */
static void test_own(void) {
    static const double rates[][DEVICES] = {
        {1, 1, 1}, {900, 100, 37}, {1e-3, 5e-3, 2e-3}, {7, 0, 3}, {1, 1e6, 1}};
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        unsigned char owner[UNITS];
        int64_t units[DEVICES] = {0}, counted[DEVICES] = {0};
        double share[DEVICES], sum = 0;
        gf_shares_own(rates[k], NULL, DEVICES, units, owner, NULL, UNITS);
        gf_shares_of(rates[k], DEVICES, share);
        for (int u = 0; u < UNITS; u++) {
            counted[owner[u]]++;
            for (int i = 0; i < DEVICES; i++)
                CHECK((double)counted[i] - share[i] * (u + 1) < DEVICES &&
                      share[i] * (u + 1) - (double)counted[i] < DEVICES);
        }
        for (int i = 0; i < DEVICES; i++) {
            CHECK_EQ(units[i], counted[i]);
            CHECK(rates[k][i] > 0 || !units[i]);
            sum += share[i];
        }
        CHECK(sum > 1 - 1e-12 && sum < 1 + 1e-12);
        CHECK_EQ(units[0] + units[1] + units[2], UNITS);
    }
}

static void test_leave(void) {
    const double rate[] = {1, 10, 3};
    CHECK(!gf_shares_leave(rate, 3, 0, 14));
    CHECK(gf_shares_leave(rate, 3, 0, 13)); /* ten and three while device 0 does one */
    const double equal[] = {2, 2};
    CHECK(!gf_shares_leave(equal, 2, 0, 1) && !gf_shares_leave(equal, 2, 1, 1));
    CHECK(gf_shares_leave(rate, 3, 2, 3));
    CHECK(!gf_shares_leave(rate, 3, 2, 4));
    CHECK(!gf_shares_leave(rate, 3, 1, 1));
    CHECK(!gf_shares_leave(rate, 1, 0, 1));
}

/* ---- made-up backends ---- */

/* By device: exec() fails from its `fail_at`-th run on; 0: never. */
static int fail_at[DEVICES], fail_status[DEVICES];
static atomic_int ran[DEVICES + 1];

struct fake {
    int device; /* DEVICES: the host */
};

static int probe(const struct gf_backend *b, const struct gf_environment *unused,
                 char reason[GF_REASON]) {
    (void)b, (void)unused;
    snprintf(reason, GF_REASON, "made up");
    return 0;
}

static int list(const struct gf_backend *b, const struct gf_environment *unused,
                struct gf_gpu_props *props) {
    (void)b, (void)unused;
    for (int i = 0; i < DEVICES; i++) {
        memset(&props[i], 0, sizeof props[i]);
        snprintf(props[i].name, sizeof props[i].name, "Fake 900%d", i);
        props[i].is_cpu = i == 2;
    }
    return DEVICES;
}

static int open_fake(const struct gf_backend *b, const struct gf_backend_options *o,
                     void **context) {
    (void)b;
    struct fake *f = malloc(sizeof *f);
    f->device = o->device ? atoi(o->device) : 0;
    *context = f;
    return 0;
}

static int open_host(const struct gf_backend *b, const struct gf_backend_options *o,
                     void **context) {
    (void)b;
    int rc = open_fake(b, &(struct gf_backend_options){.threads = o->threads}, context);
    ((struct fake *)*context)->device = DEVICES;
    return rc;
}

/* report.high[0] tells which device ran. */
static int exec(struct gf_bound *b, struct gf_report *report) {
    const struct fake *f = b->plan->context;
    int times = ++ran[f->device];
    if (f->device < DEVICES && fail_at[f->device] && times >= fail_at[f->device])
        return gf_fail((enum gf_status)fail_status[f->device], "device %d is full", f->device);
    report->high[0] = f->device;
    return 0;
}

static int plan(struct gf_plan *plan) {
    static const struct gf_plan_ops ops = {.exec = exec};
    plan->ops = &ops;
    return 0;
}

static void close_fake(void *context) {
    free(context);
}

static const struct gf_backend host = {.name = "host",
                                       .automatic = 1,
                                       .per_thread = true,
                                       .probe = probe,
                                       .open = open_host,
                                       .plan = plan,
                                       .close = close_fake};
static const struct gf_backend gpu = {.name = "gpu",
                                      .automatic = 1,
                                      .devices = true,
                                      .probe = probe,
                                      .list = list,
                                      .open = open_fake,
                                      .plan = plan,
                                      .close = close_fake};
static const struct gf_backend *const backends[] = {&host, &gpu, NULL};

/* ---- lists ---- */

/* The names that a list becomes, with a blank behind each; or the message. */
static const char *names(const char *backend, const char *device, int expected) {
    static char text[GF_REQUEST_MOST * 100];
    struct gf_request w;
    int rc = gf_request_list(NULL, &w, backends, backend, device);
    CHECK_EQ(rc, expected);
    text[0] = 0;
    for (int i = 0; i < w.n && !rc; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.95s ", w.device[i].name);
    return rc ? gf_message() : text;
}

static void test_lists(void) {
    CHECK(gf_request_is_list("all", NULL) && gf_request_is_list("gpu:1", NULL));
    CHECK(gf_request_is_list(NULL, "0,1") && gf_request_is_list("gpu", "all"));
    CHECK(!gf_request_is_list("gpu", "1") && !gf_request_is_list(NULL, NULL));
    check_text(names("all", NULL, 0), "gpu:0 gpu:1 host "); /* device 2 is the CPU once more */
    check_text(names("gpu:all,host", NULL, 0), "gpu:0 gpu:1 gpu:2 host ");
    check_text(names("host,gpu:2", NULL, 0), "host gpu:2 ");
    check_text(names("gpu:0,gpu:0", NULL, 0), "gpu:0 gpu:0 ");
    check_text(names("gpu", "all", 0), "gpu:0 gpu:1 gpu:2 ");
    check_text(names(NULL, "2,0", 0), "gpu:2 gpu:0 ");
    names("gpu:0,cpu", NULL, GF_EUSAGE);
    names("gpu:0,", NULL, GF_EUSAGE);
    names("gpu:", NULL, GF_EUSAGE);
    names("host:0", NULL, GF_EUSAGE);
    names("gpu:0,host", "1", GF_EUSAGE);
    names("gpu:7", NULL, GF_EABSENT);
    names("gpu", "0,7", GF_EABSENT);
}

/* Devices that work at once have a few threads each; the first one of a single job has them all. */
static void test_threads(void) {
    struct gf_request two;
    CHECK_EQ(gf_request_list(NULL, &two, backends, "gpu:0,gpu:1", NULL), 0);
    for (int together = 0; together < 2; together++) {
        struct gf_engine *e;
        const struct gf_engine_options o = {.request = &two,
                                            .use = together ? GF_ENGINE_TOGETHER : GF_ENGINE_EACH,
                                            .open.threads = 16};
        NEED(!gf_engine_open(&e, &o));
        CHECK_EQ(e->device[0].open.threads, together ? 16 : GF_DEAL_COPYING);
        CHECK_EQ(e->device[1].open.threads, GF_DEAL_COPYING);
        gf_engine_close(e);
    }
}

/* ---- units ---- */

static struct gf_engine *deal;
static struct gf_request request;

static bool is_up(int i) {
    pthread_mutex_lock(&deal->lock);
    const bool up = gf_engine_is_up(&deal->device[i]);
    pthread_mutex_unlock(&deal->lock);
    return up;
}

static bool left_out(int i) {
    struct gf_deal_work work;
    gf_deal_work(deal, i, &work);
    return work.left_out;
}

/* `late`: seconds that the context of a GPU takes. */
static void start_late(const char *backend, bool dynamic, const double *rate, int64_t units,
                       double late) {
    memset(fail_at, 0, sizeof fail_at);
    for (int i = 0; i <= DEVICES; i++)
        ran[i] = 0;
    const bool list = gf_request_is_list(backend, NULL);
    CHECK_EQ((list ? gf_request_list : gf_request_one)(NULL, &request, backends, backend, NULL), 0);
    NEED(!gf_engine_open(
        &deal, &(struct gf_engine_options){
                   .request = &request, .dynamic = dynamic, .untuned = true, .open.threads = 1}));
    if (rate)
        gf_deal_set_rates(deal, rate);
    for (int i = 0; i < deal->n; i++) {
        const bool cpu =
            deal->device[i].what->name[0] == 'h' || deal->device[i].what->device[0] == '2';
        CHECK(deal->n == 1 || (cpu ? deal->device[i].late == 0 : deal->device[i].late > 0.1));
        deal->device[i].late = cpu ? 0 : late;
    }
    CHECK_EQ(gf_deal_start(deal, NULL, units, 1), 0);
}

static void start(const char *backend, bool dynamic, const double *rate, int64_t units) {
    start_late(backend, dynamic, rate, units, 0);
}

/* Which device each unit is given to, where a thread can use all of them. */
static void assign_all(unsigned char *owner, const double *seconds) {
    for (int u = 0; u < UNITS; u++) {
        owner[u] = (unsigned char)gf_deal_assign(deal, u);
        gf_deal_end(deal, owner[u], seconds[owner[u]]);
    }
}

static void test_recorded(void) {
    const double rate[] = {90, 10}, slow[] = {1, 1e-3};
    unsigned char once[UNITS], again[UNITS];
    start("gpu:0,host", false, rate, UNITS);
    CHECK(deal->recorded);
    assign_all(once, slow); /* what it turns out to be changes nothing */
    CHECK_EQ(deal->device[0].done, UNITS * 9 / 10);
    CHECK_EQ(deal->device[1].done, UNITS / 10);
    gf_engine_close(deal);
    start("gpu:0,host", false, rate, UNITS);
    assign_all(again, rate);
    CHECK(!memcmp(once, again, sizeof once));
    gf_engine_close(deal);
}

/* The first units measure, in turn; the others follow their speed, whatever comes later. */
static void test_measured(void) {
    const double seconds[] = {0.001, 0.004, 0.005};
    struct gf_deal_work work;
    unsigned char owner[UNITS];
    start("gpu:0,gpu:1,host", false, NULL, UNITS);
    assign_all(owner, seconds);
    for (int u = 0; u < 9; u++)
        CHECK_EQ(owner[u], u % 3);
    gf_deal_work(deal, 0, &work);
    CHECK(work.share > 0.689 && work.share < 0.690); /* 1000 of 1000 + 250 + 200 */
    CHECK(deal->device[0].done > UNITS * 0.68 && deal->device[0].done < UNITS * 0.70);
    CHECK_EQ(deal->device[0].done + deal->device[1].done + deal->device[2].done, UNITS);
    CHECK(!deal->recorded);
    gf_engine_close(deal);
}

/* With recorded speeds a device has units from the time on at which its context is open. */
static void test_late_recorded(void) {
    const double rate[] = {100, 50}, fast[] = {1e6, 50};
    unsigned char owner[UNITS];
    start_late("gpu:0,host", false, rate, UNITS, 1); /* both are done after 2 s */
    CHECK(gf_deal_begins(deal, 0));
    assign_all(owner, rate);
    for (int u = 0; u < 48; u++)
        CHECK_EQ(owner[u], 1);
    CHECK_EQ(deal->device[0].done, 100);
    CHECK_EQ(deal->device[1].done, 100);
    gf_engine_close(deal);
    start_late("gpu:0,host", false, fast, UNITS, 4.1); /* the host needs 4 s */
    CHECK(!gf_deal_begins(deal, 0) && left_out(0));
    CHECK(deal->device[0].others > 3.9 && deal->device[0].others < 4.1);
    assign_all(owner, rate);
    CHECK_EQ(deal->device[1].done, UNITS);
    CHECK(!is_up(0)); /* no context was opened */
    gf_engine_close(deal);
    start_late("gpu:0,gpu:1", false, rate, UNITS, 1e9); /* somebody works */
    assign_all(owner, rate);
    CHECK(deal->device[0].done + deal->device[1].done == UNITS);
    gf_engine_close(deal);
}

/* Without a record the others begin and tell how long all takes, by the clock. */
static void test_late_measured(bool dynamic) {
    const double seconds[] = {0.001, 0.004};
    unsigned char owner[UNITS];
    start_late("gpu:0,host", dynamic, NULL, UNITS, 1e3);
    CHECK(!gf_deal_begins(deal, 0));
    assign_all(owner, seconds);
    CHECK_EQ(deal->device[1].done, UNITS);
    CHECK(left_out(0) && deal->device[0].others < 1e3);
    CHECK(!is_up(0));
    gf_engine_close(deal);

    start_late("gpu:0,host", dynamic, NULL, UNITS, 1e-9); /* begins once the host has measured */
    for (int u = 0; u < UNITS; u++) {
        for (int ms = 0; u == 3 && !is_up(0) && ms < 5000; ms++)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        owner[u] = (unsigned char)gf_deal_assign(deal, u);
        gf_deal_end(deal, owner[u], seconds[owner[u]]);
    }
    for (int u = 0; u < 3; u++)
        CHECK_EQ(owner[u], 1);
    CHECK(is_up(0) && !left_out(0));
    CHECK(deal->device[0].done > UNITS / 2 && (dynamic || deal->device[1].done > UNITS / 6));
    CHECK_EQ(deal->device[0].done + deal->device[1].done, UNITS);
    gf_engine_close(deal);
}

/* A context that opens while nobody waits for it. */
static void test_opened_before(void) {
    start_late("gpu:0,host", true, NULL, UNITS, 1e-9);
    for (int u = 0; u < 3; u++) {
        CHECK_EQ(gf_deal_take(deal, 1), u);
        gf_deal_end(deal, 1, 0.001);
    }
    for (int ms = 0; !is_up(0) && ms < 5000; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    CHECK(!gf_deal_begins(deal, 0));
    CHECK_EQ(gf_deal_take(deal, 0), 3);
    gf_engine_close(deal);
}

/* Pulled by devices of which one is four times as fast: it takes the last units alone. */
static void test_dynamic(void) {
    double clock[2] = {0, 0};
    const double seconds[2] = {0.001, 0.004};
    int64_t last = -1;
    start("gpu:0,gpu:1", true, NULL, 40);
    for (bool more = true; more;) {
        int i = clock[0] <= clock[1] ? 0 : 1;
        if (deal->ended + 4 >= 40 && i == 1 && deal->begun < 40) { /* it would wait */
            CHECK_EQ(gf_deal_take(deal, 0), last + 1);
            i = 0;
        } else {
            CHECK_EQ(gf_deal_take(deal, i), last + 1);
        }
        clock[i] += seconds[i];
        gf_deal_end(deal, i, seconds[i]);
        more = ++last < 39;
    }
    CHECK_EQ(gf_deal_take(deal, 1), -1);
    CHECK(deal->device[0].done > 30);
    CHECK_EQ(deal->device[0].done + deal->device[1].done, 40);
    gf_engine_close(deal);
}

/* ---- failures ---- */

static atomic_int done[UNITS];

struct hand {
    int i, failed;
    pthread_t thread;
};

static void *run_units(void *user) {
    struct hand *h = user;
    const struct gf_job job = {.ndim = 2,
                               .shape = {8, 8},
                               .axes = 3,
                               .channels = 1,
                               .in_dtype = GF_F32,
                               .n_out = 1,
                               .out = {{.kind = GF_MAGNITUDE, .dtype = GF_F32}}};
    struct gf_runner runner;
    struct gf_report report;
    struct gf_array in = gf_job_array(&job, -1, NULL), out = gf_job_array(&job, 0, NULL);
    gf_runner_open(&runner, deal, h->i, 1);
    gf_runner_next(&runner, 1);
    for (int64_t u; (u = gf_deal_take(deal, h->i)) >= 0;) {
        int rc = gf_runner_plan(&runner, &job);
        if (!rc)
            rc = gf_runner_run(&runner, &in, &out, &report);
        h->failed += rc != 0;
        done[u] += !rc;
        gf_deal_end(deal, h->i, 0.001);
        if (rc)
            gf_deal_stop(deal);
    }
    gf_runner_close(&runner);
    return NULL;
}

/* Runs all units in a thread a device; how many runs failed. */
static int run_all(void) {
    struct hand hand[DEVICES + 1];
    int failed = 0;
    for (int u = 0; u < UNITS; u++)
        done[u] = 0;
    for (int i = 0; i < deal->n; i++) {
        hand[i] = (struct hand){.i = i};
        pthread_create(&hand[i].thread, NULL, run_units, &hand[i]);
    }
    for (int i = 0; i < deal->n; i++) {
        pthread_join(hand[i].thread, NULL);
        failed += hand[i].failed;
    }
    return failed;
}

/* Device 1 fails early, device 0 later: all units are done once, and both are named. */
static void test_hand_back(bool dynamic, bool recorded, int status) {
    const double rate[] = {3, 2, 1};
    start("gpu:0,gpu:1,host", dynamic, recorded ? rate : NULL, UNITS);
    fail_at[1] = 2;
    fail_at[0] = recorded || dynamic ? 20 : 1;
    fail_status[0] = fail_status[1] = status;
    /* In a dynamic deal the fast may be through before the slow has begun. */
    CHECK_EQ(run_all(), 0);
    for (int u = 0; u < UNITS; u++)
        CHECK_EQ(done[u], 1);
    CHECK(!deal->device[2].failed);
    for (int i = 0; i < 2; i++) {
        CHECK(dynamic || deal->device[i].failed);
        if (deal->device[i].failed)
            check_text(deal->device[i].message, i ? "device 1 is full" : "device 0 is full");
    }
    CHECK_EQ(deal->device[0].done + deal->device[1].done + deal->device[2].done, UNITS);
    gf_engine_close(deal);
}

/* Units that a failed device has not begun go to the others in proportion to their rates; those begun stay
 * its own. */
static void test_proportion(void) {
    const double rate[] = {3, 2, 1};
    int64_t has[3] = {0, 0, 0};
    start("gpu:0,gpu:1,host", false, rate, UNITS);
    const int64_t begun[] = {gf_deal_take(deal, 1), gf_deal_take(deal, 1)};
    gf_fail(GF_ENOMEM, "it is full");
    CHECK(gf_deal_instead(deal, 1) == 0);
    for (int u = 0; u < UNITS; u++) {
        NEED(deal->owner[u] < 3);
        has[deal->owner[u]]++;
    }
    CHECK(has[1] == 2 && deal->owner[begun[0]] == 1 && deal->owner[begun[1]] == 1);
    CHECK_MSG(llabs(has[0] - 3 * has[2]) <= 3, "%d and %d units", (int)has[0], (int)has[2]);
    CHECK(deal->device[0].assigned == has[0] && deal->device[2].assigned == has[2]);
    CHECK(deal->device[1].failed && gf_deal_take(deal, 1) < 0);
    gf_engine_close(deal);
}

/* A device's first unit is not measured; one that is left out knows when the slowest of the others ends. */
static void test_first(void) {
    const double rate[] = {1, 0.9, 1};
    int ended[2] = {0, 0};
    start("gpu:0,host", false, NULL, UNITS);
    for (int u = 0; u < 6; u++) {
        const int i = gf_deal_assign(deal, u);
        gf_deal_end(deal, i, ended[i]++ ? 1 : 100);
    }
    CHECK(deal->device[0].rate == 1 && deal->device[1].rate == 1);
    gf_engine_close(deal);
    start_late("gpu:0,host,gpu:2", false, rate, 2, 100);
    CHECK(deal->device[0].begin == GF_DEAL_NEVER && deal->device[0].others == 1 / 0.9);
    gf_engine_close(deal);
}

/* If the others fail, one that was left out works after all. */
static void test_late_instead(bool dynamic, const double *rate) {
    start_late("gpu:0,gpu:2", dynamic, rate, UNITS, 1e3);
    fail_at[2] = 7;
    fail_status[2] = GF_EBACKEND;
    CHECK_EQ(run_all(), 0);
    for (int u = 0; u < UNITS; u++)
        CHECK_EQ(done[u], 1);
    CHECK(deal->device[1].failed && !deal->device[0].failed && !left_out(0));
    gf_engine_close(deal);
}

/* A device whose context is open begins at once when units are dealt again. */
static void test_open_again(void) {
    struct gf_engine_device *d;
    void *context;
    double ms = 0;
    start_late("gpu:0,host", false, NULL, UNITS, 1e3);
    d = &deal->device[0];
    CHECK(d->begin == GF_DEAL_UNDECIDED);
    pthread_mutex_lock(&d->turn);
    CHECK_EQ(gf_engine_context(d, d->asked, &ms, &context), 0);
    pthread_mutex_unlock(&d->turn);
    CHECK_EQ(gf_deal_start(deal, NULL, UNITS, 1), 0);
    CHECK(d->begin == GF_DEAL_AT_ONCE);
    gf_engine_close(deal);
}

/* A device that failed takes no part when the next file's units are dealt. */
static void test_again(void) {
    start("gpu:0,gpu:1,host", false, NULL, UNITS);
    fail_at[0] = 2;
    fail_status[0] = GF_EBACKEND;
    for (int file = 0; file < 2; file++) {
        CHECK_EQ(file ? gf_deal_start(deal, NULL, UNITS, 1) : 0, 0);
        CHECK_EQ(run_all(), 0);
        for (int u = 0; u < UNITS; u++)
            CHECK_EQ(done[u], 1);
    }
    CHECK(deal->device[0].failed && deal->device[0].done == 0 && !left_out(0));
    gf_engine_close(deal);
}

/* If all have failed the work fails too, and nobody waits for ever. */
static void test_all_fail(void) {
    start("gpu:0,gpu:1", false, NULL, UNITS);
    fail_at[0] = fail_at[1] = 5;
    fail_status[0] = fail_status[1] = GF_EBACKEND;
    CHECK(run_all() > 0);
    CHECK(deal->device[0].failed && deal->device[1].failed);
    gf_engine_close(deal);
}

/* One that is named alone never hands its work to others; nor does a wrong job count as a failure of
 * the device. */
static void test_alone(void) {
    start("gpu:1", false, NULL, UNITS);
    fail_at[1] = 1;
    fail_status[1] = GF_ENOMEM;
    CHECK_EQ(run_all(), 1);
    gf_engine_close(deal);
    start("gpu:0,gpu:1", false, NULL, UNITS);
    fail_at[1] = 3;
    fail_status[1] = GF_EINVAL;
    CHECK(run_all() > 0);
    CHECK(!deal->device[1].failed);
    gf_engine_close(deal);
}

static void test_hand_backs(void) {
    for (int i = 0; i < 20; i++) {
        test_hand_back(false, true, GF_ENOMEM);
        test_hand_back(false, false, GF_EBACKEND);
        test_hand_back(true, true, GF_EABSENT);
        test_hand_back(true, false, GF_EUNSUPP);
    }
}

int main(void) {
    RUN("a unit goes to the device that ends it earliest", test_earliest());
    RUN("shares are the rates' parts to within one unit", test_own());
    RUN("a device leaves work that others end sooner", test_leave());
    RUN("lists of devices are parsed", test_lists());
    RUN("devices that work at once have a few threads each", test_threads());
    RUN("recorded speeds share out the work, and results do not change it", test_recorded());
    RUN("the first units measure, and the others follow their speed", test_measured());
    RUN("the fastest device takes the last units", test_dynamic());
    RUN("a device that opens late has units from then on", test_late_recorded());
    RUN("a device has units if its context opened before it asks", test_opened_before());
    RUN("a device whose context is open begins at once in the next deal", test_open_again());
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        const double rate[] = {3, 2};
        const char *how = dynamic ? "pulled" : "dealt";
        RUN(case_name("%s units go to the others while a device opens", how),
            test_late_measured(dynamic));
        RUN(case_name("%s units go to a device left out if the others fail", how),
            test_late_instead(dynamic, NULL));
        RUN(case_name("%s units of known rates go to a device left out if the others fail", how),
            test_late_instead(dynamic, rate));
    }
    RUN("units of a device that fails are done once by the others", test_hand_backs());
    RUN("a device that failed gets none of the next file's units", test_again());
    RUN("if all devices fail the work fails", test_all_fail());
    RUN("a device named alone never hands its work to others", test_alone());
    RUN("a failed device's units go to the others by their rates", test_proportion());
    RUN("a first unit shows no speed, and the slowest of the others counts", test_first());
    return TEST_END();
}
