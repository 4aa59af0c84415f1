/* Jobs that several devices share: two, three and five devices beside sums in long double. Where there
 * are fewer, some are opened more than once.
 *
 *     test_gpu_team [gpu | all] [BACKEND...]
 *
 * tests/gpu/gpu_limited.h describes `gpu` and `all`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/environment.h"
#include "core/base/value/status.h"
#include "core/filter/filter.h"
#include "core/gpu/slab_walk.h"
#include "core/gpu/team.h"
#include "core/engine/backends.h"
#include "tests/gpu/gpu_limited.h"
#include "tests/test.h"

/* Options of one device that is named several times. */
#define SHARED_BY(n) \
    .environment = gf_environment(), .threads = 1, .devices = same, .n_devices = (n)

/* ---- jobs ---- */

/* How many devices share the job; the memory of each, in KiB, which does not hold it in one piece. */
struct limited {
    int devices;
    const char *job;
    int64_t kib;
};

static const struct limited jobs[] = {
    {2, "fwd c64 24x20x40 > complex", 250},
    {3, "fwd c64 23x17x29 > complex shift", 200},
    {5, "fwd c64 13x20x40 > complex", 120},
    {5, "fwd c64 3x31x64 > complex", 70}, /* two devices have no page */
    {2, "fwd f32 25x20x40 > complex half", 130},
    {3, "fwd f32 25x20x41 > complex", 120},
    {2, "fwd u8 12x13x64 ch=3 > magnitude u8 display shift auto", 180},
    {3,
     "fwd u8 24x22x40 ch=3 > magnitude u8 display shift, phase f32 shift, complex, imag u8 display",
     500},
    {3, "fwd f32 24x20x40 > magnitude u8 display shift", 120},
    {2, "fwd f64 24x20x36 double > complex shift", 500},
    {2, "fwd c64 24x20x40 axes=5 > phase f32 shift, complex shift", 300},
    {3, "fwd c64 40x20x24 axes=1 > complex shift", 160},
    {2, "inv c64 24x20x40 > complex", 250},
    {3, "inv c64 24x20x40 real half > real u8", 120},
    {2, "inv c64 24x21x41 real centred > real f32, magnitude f32", 250},
    {2, "fwd c64 130x240 > complex shift", 300},
    {3, "fwd u8 67x70 ch=4 > magnitude u8 display shift auto", 100},
    {3, "inv c64 130x241 real half > real u8", 120},
    {2, "fwd f32 24x20x40 > real f32 | low-gaussian=6 offset=3", 200},
    {3, "fwd u8 25x21x33 ch=3 > real u8, real f32 | notch-ideal=3@5 reject-butterworth=8/3", 400},
    {5, "fwd f32 24x20x40 axes=5 > real f32 | low-butterworth=5/2 offset=2", 160},
    {3, "fwd u8 130x240 ch=2 > real u8 | high-gaussian=20 offset=100", 260},
    {2, "fwd f32 24x20x40 > real f32 | real high-gaussian=8", 250},
    {2, "fwd c64 30030 ch=2 > complex shift, magnitude f32 shift", 700},
    {3, "fwd f32 16128 > complex half", 120},
    {5, "fwd u8 30030 > magnitude u8 display", 220},
    {2, "fwd f32 16128 > magnitude u8 display auto", 150},
    {3, "inv c64 16384 > complex", 200},
    {2, "inv c64 30030 real centred > real f32, magnitude f32", 400},
    {3, "fwd f32 16128 > real f32 | low-gaussian=900 offset=3", 200},
    {2, "fwd u8 27027 ch=2 > real u8, real f32 | band-gaussian=900", 600},
};

/* Jobs whose arrays stay on the devices, whatever their size; kib is not used. */
static const struct limited residents[] = {
    {2, "fwd c64 24x20x40 > complex", 0},
    {3, "fwd c64 23x17x29 > complex", 0},
    {5, "fwd c64 3x31x64 > complex", 0}, /* two devices have no page */
    {2, "fwd f32 25x20x40 > complex half", 0},
    {3, "fwd f32 25x20x41 > complex half", 0},
    {2, "fwd f64 24x20x36 double > complex half", 0},
    {2, "fwd c64 24x20x40 axes=5 > complex", 0},
    {2, "inv c64 24x20x40 > complex", 0},
    {3, "inv c128 13x22x41 double > complex", 0},
    {2, "fwd c64 130x240 > complex", 0},
    {5, "fwd f32 67x70 ch=4 > complex half", 0},
    {3, "inv c64 24x20x40 real half > real f32", 0},
};

/* Those of a list that stay on the first device. */
static const char *const alone[] = {
    "fwd c64 1024 > complex", "fwd u8 12x13x64 > magnitude u8 display",
    "fwd c64 24x20x40 > complex shift", "inv c64 24x20x40 real > real f32"};

/* The devices of a list hold together what one does not, and each is given a share. */
static void check_plan(const struct gf_plan *plan, const struct limited *l, bool natural) {
    const bool blocks_first = plan->job.direction == GF_INVERSE && !natural;
    int64_t pages = 0, bins = 0, at = 0, all = 0;
    CHECK_MSG(plan->n_shares == l->devices, "%s: %d shares", l->job, plan->n_shares);
    CHECK_EQ(plan->in_slabs, l->kib > 0);
    CHECK_MSG(!l->kib || plan->device_bytes <= l->kib << 10, "%s takes %lld bytes of a device",
              l->job, (long long)plan->device_bytes);
    for (int i = 0; i < plan->n_shares; i++)
        all += plan->share[i].bins.count;
    for (int i = 0; i < plan->n_shares; i++) {
        const struct gf_plan_share *s = &plan->share[i];
        CHECK(!s->pages.count || s->pages.first == at);
        at += s->pages.count;
        pages += s->pages.count;
        bins += s->bins.count;
        const bool back = natural && s->bins.count > 0;
        const bool there = blocks_first ? s->bins.count > 0 && s->pages.count < plan->job.shape[0]
                                        : s->pages.count > 0 && s->bins.count < all;
        CHECK_EQ(s->sent > 0, back || there);
    }
    CHECK_MSG(pages || bins, "%s: nobody has anything", l->job);
}

enum { MOST_DEVICES = 5 };

/* The names of MOST_DEVICES devices, of those that there are in turn. */
static const char *const *device_list(const struct gf_backend *b) {
    static char name[MOST_DEVICES][16];
    static const char *list[MOST_DEVICES];
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    const int there = gf_backend_devices(gf_environment(), b, props);
    for (int i = 0; i < MOST_DEVICES; i++) {
        snprintf(name[i], sizeof name[i], "%d", there > 0 ? i % there : 0);
        list[i] = name[i];
    }
    return list;
}

/* One device by several names, as several. */
static const char *const same[] = {"0", "00", "000"};

static void check_shared(struct subject *s, const struct limited *l, bool no_peer, bool natural) {
    const struct gf_backend_options options = {.environment = gf_environment(),
                                               .threads = 2,
                                               .devices = device_list(s->backend),
                                               .n_devices = l->devices,
                                               .no_peer = no_peer,
                                               .resident = !l->kib,
                                               .natural_order = natural,
                                               .device_memory = l->kib << 10};
    struct limited_job j;
    int rc = limited_open(s, &options, l->job, &j);
    CHECK_MSG(!rc, "%s: %s", l->job, gf_message());
    if (!rc) {
        check_plan(j.plan, l, natural);
        limited_check(s, &j);
    }
    limited_close(s, &j);
}

static void check_alone(struct subject *s, const char *text) {
    const struct gf_backend_options options = {.environment = gf_environment(),
                                               .devices = device_list(s->backend),
                                               .n_devices = 2,
                                               .resident = true};
    struct gf_job job;
    struct gf_plan *plan = NULL;
    void *context = NULL;
    CHECK_MSG(backends_parse(text, &job), "no job: %s", text);
    CHECK(!s->backend->open(s->backend, &options, &context));
    CHECK_MSG(context && !gf_backend_plan(s->backend, context, &job, &plan), "%s: %s", text,
              gf_message());
    CHECK_MSG(plan && !plan->n_shares && !plan->in_slabs, "%s is shared", text);
    gf_plan_drop(plan);
    s->backend->close(context);
}

/* ---- a device that reaches the others' memory, and one that fails ---- */

static int sends, followed;
static bool in_reach, as_gpus;

static int open_device(struct gf_gpu_props *props, void **gpu) {
    int rc = gf_gpu_opencl.open(props, gpu);
    props->is_cpu = props->is_cpu && !as_gpus;
    return rc;
}

static int follow_other(void *gpu, void *other, int which) {
    int rc = limited_fails();
    followed++;
    return rc ? rc : gf_gpu_opencl.follow_other(gpu, other, which);
}
static bool reaches(void *gpu, void *other) {
    if (gpu != other) {
        limited_pair[0] = gpu;
        limited_pair[1] = other;
    }
    return in_reach || gpu == other;
}
/* Between contexts through memory of its own, at once. */
static int copy_rows(void *gpu, void *other, const struct gf_gpu_move *r) {
    const struct gf_gpu *api = &gf_gpu_opencl;
    int rc = r->from.host ? 0 : limited_fails();
    if (r->from.host || r->to.host)
        return rc ? rc : api->rows(gpu, other, r);
    struct gf_gpu_move down = *r, up = *r;
    char *rows = malloc((size_t)(r->bytes * r->count));
    down.to = up.from = (struct gf_gpu_end){.host = rows};
    sends++;
    if (!rc)
        rc = api->rows(gpu, gpu, &down);
    if (!rc)
        rc = api->sync(gpu);
    if (!rc)
        rc = api->rows(other, other, &up);
    if (!rc)
        rc = api->sync(other);
    free(rows);
    return rc;
}

/* Made of the CPU's OpenCL: a device's driver knows nothing of memory that two contexts share. */
static bool made_of_cpu(void) {
    struct gf_gpu_props props;
    return !gf_backend_device(gf_environment(), &gf_backend_opencl, "0", &props) && props.is_cpu;
}

static struct gf_gpu made_up(void) {
    struct gf_gpu api = limited_opencl();
    api.open = open_device;
    api.follow_other = follow_other;
    api.reaches = reaches;
    api.rows = copy_rows;
    return api;
}

/* Two uploads, and two runs of the second one. */
static int run_resident(struct gf_gpu_shared *p, const struct gf_array *in, struct gf_array *out,
                        struct gf_report *report) {
    struct gf_plan plan = {.impl = p};
    double seconds = 0;
    int rc = gf_gpu_shared_upload(&plan, out);
    if (!rc)
        rc = gf_gpu_shared_run(&plan, 1, NULL);
    if (!rc)
        rc = gf_gpu_shared_upload(&plan, in);
    if (!rc)
        rc = gf_gpu_shared_run(&plan, 2, &seconds);
    if (!rc)
        rc = gf_gpu_shared_download(&plan, out, report);
    CHECK(rc || seconds > 0);
    return rc;
}

static bool run_once(struct gf_gpu_context *c, const struct gf_job *job, int devices, int at,
                     const struct gf_array *in, struct gf_array *out) {
    const bool resident = c->resident;
    struct gf_gpu_shared *p = NULL;
    struct gf_report report;
    limited_failing.calls = 0;
    limited_failing.at = at;
    int rc = gf_gpu_team_plan(c, job, resident, &p);
    if (!rc)
        rc = resident ? run_resident(p, in, out, &report) : gf_gpu_shared_exec(p, in, out, &report);
    CHECK(resident || !limited_failing.held); /* until the plan is dropped, for the next run */
    if (!rc)
        CHECK_EQ(report.devices, devices);
    gf_gpu_shared_drop(p);
    CHECK_EQ(limited_failing.held, 0);
    return !rc;
}

static bool names_device(const char *message) {
    return strstr(message, "device 0: ") || strstr(message, "device 00: ") ||
           strstr(message, "device 000: ") || !strcmp(message, "made to fail");
}

/* Whichever call fails, of whichever device, the job fails, the device is named, nothing stays on any,
 * and the next run is good. */
static void fail_everywhere(struct gf_gpu_context *c, const struct gf_job *job, int devices,
                            const struct gf_array *in, const struct gf_array *out,
                            struct gf_array *again) {
    int failed = 0, named = 0;
    limited_failing.error = GF_EBACKEND;
    CHECK(run_once(c, job, devices, 0, in, again));
    for (int all = limited_failing.calls, at = 1; at <= all; at += 1 + at / 16) {
        const bool ran = run_once(c, job, devices, at, in, again);
        failed += !ran;
        named += !ran && names_device(gf_message());
        CHECK_MSG(!ran, "call %d of %d failed, and nobody noticed", at, all);
    }
    CHECK(failed > 20);
    CHECK_EQ(named, failed);
    CHECK(run_once(c, job, devices, 0, in, again));
    CHECK(!memcmp(again->data, out->data, (size_t)gf_array_bytes(out)));
}

/* Through host memory and directly the same bytes come out. */
static void test_failures(bool resident) {
    const struct gf_gpu api = made_up();
    struct gf_backend_options options = {SHARED_BY(3), .resident = resident};
    void *context = NULL;
    struct gf_job job;
    struct gf_array in = {0}, out = {0}, again = {0};
    if (!made_of_cpu())
        return;
    in_reach = false;
    CHECK(!gf_gpu_team_open(&api, &options, &context));
    CHECK(!limited_arrays("fwd c64 24x20x40 > complex", &job, &in, &out, &again));
    CHECK(context && run_once(context, &job, 3, 0, &in, &out));
    CHECK(sends > 0); /* to itself */
    if (context)
        fail_everywhere(context, &job, 3, &in, &out, &again);
    gf_gpu_team_close(context);
    in_reach = true;
    memset(again.data, 0xff, (size_t)gf_array_bytes(&again));
    CHECK(!gf_gpu_team_open(&api, &options, &context));
    const int before = sends, none = followed;
    CHECK(context && run_once(context, &job, 3, 0, &in, &again));
    CHECK(sends > before);
    CHECK(!resident || followed - none ==
                           3 * 3 * 3); /* in each run, each device waits for all that send to it */
    CHECK(!memcmp(again.data, out.data, (size_t)gf_array_bytes(&out)));
    gf_gpu_team_close(context);
    limited_free(&in, &out, &again);
}

/* ---- two devices that reach each other's memory ---- */

static struct gf_gpu reaching;

/* The exchange in place, beside sums in long double: even and odd extents, rows that have to begin at
 * views, a device without bins. Of the first ones also with kernels that read the other device's memory. */
static void test_in_place(void) {
    enum { READ = 5, OF = 7 }; /* with a forward transform comes the inverse one OF lines below */
    static const struct limited in_place[] = {
        {2, "fwd c64 24x20x40 > complex", 0},
        {2, "fwd c64 37x17x29 > complex", 0}, /* its kernels read nothing there */
        {2, "fwd c64 40x6x7 > complex", 0},
        {2, "fwd f32 25x20x40 > complex half", 0},
        {2, "fwd c64 130x240 > complex", 0},
        {2, "fwd f64 24x20x36 double > complex half", 0},
        {2, "fwd f32 67x170 ch=3 > complex half", 0},
        {2, "fwd c64 24x20x40 axes=5 > complex", 0},
        {2, "inv c64 21x12x13 > complex", 0},
        {2, "inv c64 40x70 ch=3 > complex", 0},
        {2, "inv c64 13x12x21 real half > real f32", 0},
        {2, "inv c128 27x150 double real half > real f64", 0},
        {2, "inv c64 40x6x7 > complex", 0},
    };
    struct gf_backend made = gf_backend_opencl;
    struct subject s = {.backend = &made, .seed = 20240302, .shards = 1};
    struct gf_backend_options options = {SHARED_BY(2), .resident = true};
    struct gf_array in = {0}, out = {0}, again = {0};
    struct gf_job job;
    void *context = NULL;
    if (!made_of_cpu())
        return;
    reaching = made_up();
    made.own = &reaching;
    limited_failing.at = 0;
    in_reach = true;
    for (size_t i = 0; i < sizeof in_place / sizeof *in_place; i++)
        for (int natural = 0;
             case_takes((long long)i, OF) &&
             natural <
                 (strstr(in_place[i].job, "ch=") || strstr(in_place[i].job, " real ") ? 1 : 2);
             natural++)
            check_shared(&s, &in_place[i], false, natural);
    as_gpus = true; /* which take so little in one part: nothing is sent late */
    check_shared(&s, &(struct limited){2, "inv c64 24x20x40 > complex", 0}, false, false);
    as_gpus = false;
    CHECK_EQ(limited_read, 0);
    reaching.reads_others = true;
    for (int i = 0; i < READ; i++) {
        if (!case_takes(i, READ))
            continue;
        limited_read = 0;
        check_shared(&s, &in_place[i], false, false);
        CHECK_MSG((limited_read > 0) == !strstr(in_place[i].job, " 37x"),
                  "%s: %d launches read elsewhere", in_place[i].job, limited_read);
    }
    TEST_ADD(s.passed, s.failed);
    CHECK(!limited_arrays("fwd c64 24x20x40 > complex", &job, &in, &out, &again));
    for (int natural = 0; natural < 2; natural++) {
        options.natural_order = natural;
        CHECK(!gf_gpu_team_open(&reaching, &options, &context));
        CHECK(context && run_once(context, &job, 2, 0, &in, &out));
        if (context)
            fail_everywhere(context, &job, 2, &in, &out, &again);
        gf_gpu_team_close(context);
    }
    limited_free(&in, &out, &again);
}

/* Natural order is refused with a reason where it is not there, and no device runs such a job alone. */
static void check_refused(const struct gf_backend_options *options, const char *text, bool reach) {
    struct gf_job job;
    struct gf_plan *plan = NULL;
    void *context = NULL;
    in_reach = reach;
    CHECK(!gf_gpu_team_open(&reaching, options, &context));
    CHECK(backends_parse(text, &job));
    CHECK_MSG(context && gf_backend_plan(&gf_backend_opencl, context, &job, &plan) == GF_EUNSUPP,
              "%s", text);
    CHECK(*gf_message() && !plan);
    gf_plan_drop(plan);
    gf_gpu_team_close(context);
    in_reach = true;
}

static void test_natural_refused(void) {
    struct gf_backend_options options = {SHARED_BY(2), .resident = true, .natural_order = true};
    if (!made_of_cpu())
        return;
    reaching = made_up();
    limited_failing.at = 0;
    check_refused(&options, "fwd c64 24x20x40 > complex", false);
    check_refused(&options, "inv c64 24x20x40 real half > real f32", true);
    check_refused(&options, "fwd c64 1024 > complex", true);
    options.n_devices = 3;
    check_refused(&options, "fwd c64 24x20x40 > complex", true);
}

/* ---- the choice ---- */

/* Whether two devices share a job that fits one. */
static bool chooses_both(struct gf_device_rates rates, double least_gain) {
    const struct gf_backend_options options = {SHARED_BY(2), .rates = rates, .slowest = rates,
                                               .least_gain = least_gain};
    struct gf_job job;
    struct gf_plan *plan = NULL;
    void *context = NULL;
    CHECK(backends_parse("fwd c64 24x20x40 > complex", &job));
    CHECK(!gf_gpu_team_open(&reaching, &options, &context));
    if (!context)
        return false;
    ((struct gf_gpu_context *)context)->props.is_cpu =
        false; /* whose devices share no job that fits */
    CHECK(!gf_backend_plan(&gf_backend_opencl, context, &job, &plan));
    const bool both = plan && plan->n_shares == 2;
    CHECK(plan && plan->in_slabs == both && plan->times.devices == 2);
    gf_plan_drop(plan);
    gf_gpu_team_close(context);
    return both;
}

static void test_choice(void) {
    const struct gf_device_rates slow_bus = {
        .copy = 1e12, .bus = {1e6, 1e6}, .link = 1e12, .open = 1e-3};
    struct gf_device_rates slow_open = slow_bus;
    if (!made_of_cpu())
        return;
    reaching = made_up();
    limited_failing.at = 0;
    slow_open.open = 10;
    CHECK(chooses_both(slow_bus, 1));
    CHECK(chooses_both(slow_bus, 1.9));
    CHECK(!chooses_both(slow_bus,
                        5)); /* two devices copy at most twice as fast, and in both directions */
    CHECK(!chooses_both(slow_open, 1));
    CHECK(!chooses_both((struct gf_device_rates){.copy = 0}, 1)); /* a small one */
}

/* The link is measured in both directions at once, after one round that is not timed; a call that fails
 * leaves no memory on either device. */
static void test_link(void) {
    enum { ROUNDS = 5, BYTES = 1 << 20 };
    const struct gf_backend_options options = {SHARED_BY(2)};
    void *context = NULL;
    double speed = -1;
    if (!made_of_cpu())
        return;
    reaching = made_up();
    limited_failing.at = 0;
    CHECK(!gf_gpu_team_open(&reaching, &options, &context));
    if (!context)
        return;
    in_reach = true;
    limited_failing.calls = 0;
    const int before = sends;
    CHECK_EQ(gf_gpu_team_link(context, BYTES, &speed), 0);
    CHECK(speed > 0);
    CHECK_EQ(sends - before, 2 * ROUNDS);
    CHECK_EQ(limited_failing.held, 0);
    for (int at = 1, all = limited_failing.calls; at <= all; at++) {
        limited_failing.calls = 0;
        limited_failing.at = at;
        CHECK(gf_gpu_team_link(context, BYTES, &speed) && speed == 0);
        CHECK_EQ(limited_failing.held, 0);
    }
    limited_failing.at = 0;
    gf_gpu_team_close(context);
    in_reach = false;
    CHECK(!gf_gpu_team_open(&reaching, &options, &context));
    CHECK_EQ(gf_gpu_team_link(context, BYTES, &speed), GF_EUNSUPP);
    gf_gpu_team_close(context);
    CHECK(!gf_gpu_team_open(&reaching, &(struct gf_backend_options){.device = "0"}, &context));
    CHECK_EQ(gf_gpu_team_link(context, BYTES, &speed), GF_EUNSUPP);
    gf_gpu_team_close(context);
}

static void test_backend(const struct gf_backend *b, const struct limited_args *args) {
    struct gf_gpu_props props;
    struct subject s;
    if (!limited_subject(args, b, NULL, &s, &props))
        return;
    const size_t n = sizeof jobs / sizeof *jobs;
    for (size_t i = 0; i < n + sizeof residents / sizeof *residents; i++) {
        const struct limited *l = i < n ? &jobs[i] : &residents[i - n];
        for (int no_peer = 0; no_peer < (props.is_cpu ? 1 : 2); no_peer++)
            if (limited_runs(args, &props, i, 12))
                RUN_COUNTED(&s,
                            case_name("%s: %d devices share %s%s%s", b->name, l->devices, l->job,
                                      l->kib ? " in slabs" : "", no_peer ? " by the host" : ""),
                            check_shared(&s, l, no_peer, false));
    }
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        RUN_COUNTED(&s, case_name("%s: %s is one device's", b->name, alone[i]),
                    check_alone(&s, alone[i]));
}

int main(int argc, char **argv) {
    gf_environment_read();
    const struct limited_args args = limited_args_read(argc, argv);
    if (!args.gpu)
        for (int resident = 0; resident < 2; resident++)
            RUN(case_name("a call that fails fails a job %s and leaves nothing",
                          resident ? "in device memory" : "in slabs"),
                test_failures(resident));
    if (!args.gpu) {
        RUN("an exchange in place gives what plain loops give", test_in_place());
        RUN("natural order is refused where it is not there", test_natural_refused());
        RUN("devices share a job where that saves time", test_choice());
        RUN("the link is measured in both directions at once", test_link());
    }
    for (int i = 0; gf_backends[i]; i++)
        if (gf_backends[i]->shares)
            test_backend(gf_backends[i], &args);
    return TEST_END();
}
