/* The engine and its runners on made-up backends: which one runs, what is opened and planned how often,
 * what happens where one fails, and what is noted. */
#include <pthread.h>

#include "core/engine/device.h"
#include "tests/core/fake_backends.h"

static char notes[1024];
static int n_notes;

static void take_note(void *user, const char *line) {
    const size_t used = strlen(notes);
    (void)user;
    n_notes++; /* no CHECK: threads come here */
    snprintf(notes + used, sizeof notes - used, "%s\n", line);
}

static struct gf_engine *engine;
static struct gf_runner runner, beside;

/* Lets another runner share the device. */
static void share(bool shared) {
    if (shared)
        gf_runner_open(&beside, engine, 0, 1);
}

/* An engine with one runner, over fresh backends, for what is asked for and a device of the environment. */
static int start_device(const char *backend, const char *device, const char *usual) {
    static struct gf_request request;
    n_notes = 0;
    notes[0] = 0;
    int rc = gf_request_one(NULL, &request, backends, backend, device);
    if (rc)
        return rc;
    rc =
        gf_engine_open(&engine, &(struct gf_engine_options){.request = &request,
                                                            .open = {.threads = 1, .device = usual},
                                                            .device_variable = "GPUFFT_DEVICE",
                                                            .note = take_note});
    if (!rc)
        gf_runner_open(&runner, engine, 0, 1);
    return rc;
}

/* Tests set what they want of the backends before. */
static int start(const char *backend) {
    return start_device(backend, NULL, NULL);
}

static void reset(void) {
    host = (struct fake){.mark = 1};
    gpu = (struct fake){.mark = 2};
    other = (struct fake){.mark = 3};
}

/* All that was opened is closed, all that was planned is dropped. */
static void stop(void) {
    gf_runner_close(&beside);
    gf_runner_close(&runner);
    gf_engine_close(engine);
    const struct fake *all[] = {&host, &gpu, &other};
    for (int i = 0; i < 3; i++)
        CHECK_EQ(all[i]->opened, all[i]->closed);
    reset();
}

/* n = 4096: auto takes the GPU for 100 of these, and not for one. */
static struct gf_job job_of(int64_t n) {
    return (struct gf_job){.ndim = 2,
                           .shape = {n, n},
                           .channels = 1,
                           .axes = 3,
                           .in_dtype = GF_U8,
                           .n_out = 1,
                           .out = {{.kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY}}};
}

static int run_job(struct gf_runner *r, const struct gf_job *job, struct gf_report *report) {
    const struct gf_array in = gf_job_array(job, -1, NULL);
    struct gf_array out = gf_job_array(job, 0, NULL);
    return gf_runner_run(r, &in, &out, report);
}

/* Plans and runs; the mark of the backend that ran, or the status. */
static int run_with(struct gf_runner *r, int64_t n, int64_t runs) {
    const struct gf_job job = job_of(n);
    struct gf_report report = {.imag_ratio = 0};
    gf_runner_next(r, runs);
    int rc = gf_runner_plan(r, &job);
    if (!rc)
        rc = run_job(r, &job, &report);
    return rc ? rc : (int)report.high[0];
}

static int run(int64_t n, int64_t runs) {
    return run_with(&runner, n, runs);
}

static void test_choice(void) {
    CHECK_EQ(start(NULL), 0);
    CHECK(!gf_engine_asked(engine, 0) && !gf_engine_is_open(engine, 0));
    CHECK_EQ(run(64, 1), 1);
    CHECK(!strcmp(gf_runner_name(&runner), "host") && !gf_runner_on_device(&runner));
    CHECK_EQ(run(4096, 100), 2);
    CHECK(!strcmp(gf_runner_name(&runner), "gpu") && gf_runner_on_device(&runner));
    CHECK(strstr(runner.why, "Fake 9000") && strncmp(runner.why, "gpu", 3));
    /* The same job gets the same backend, however few are left. */
    CHECK_EQ(run(4096, 1), 2);
    CHECK(strstr(runner.why, "for 100 jobs"));
    CHECK_EQ(run(64, 1), 2); /* weighed again: the device is open now */
    CHECK_EQ(n_notes, 0);
    CHECK(gf_engine_is_open(engine, 0) && !gf_engine_is_lost(engine));
    stop();

    CHECK_EQ(start(NULL), 0);
    CHECK_EQ(run(4096, 1), 1);
    CHECK_EQ(run(4096, 100), 1); /* decided */
    stop();

    CHECK_EQ(start("other"), 0);
    CHECK(!strcmp(gf_engine_asked(engine, 0)->name, "other"));
    CHECK_EQ(run(4096, 100), 3);
    CHECK(!strcmp(runner.why, "asked for by --backend"));
    stop();

    CHECK_EQ(start("gpo"), GF_EUSAGE);
    CHECK(strstr(gf_message(), "did you mean 'gpu'"));
    gf_engine_close(NULL); /* harmless */
    gpu.fail_probe = GF_EABSENT;
    CHECK_EQ(start("gpu"), GF_EABSENT);
    CHECK_EQ(start(NULL), 0);
    CHECK_EQ(run(4096, 100), 1);
    CHECK_EQ(n_notes, 0);
    stop();
}

static void test_plans(void) {
    CHECK_EQ(start("host"), 0);
    CHECK_EQ(run(64, 1), 1);
    CHECK_EQ(run(64, 1), 1);
    CHECK_EQ(host.planned, 1);
    CHECK_EQ(gf_runner_kept_bytes(&runner), 1000);
    CHECK_EQ(run(65, 1), 1);
    CHECK_EQ(host.planned, 2);
    CHECK_EQ(host.unplanned, 1);
    gf_runner_forget(&runner);
    CHECK_EQ(host.unplanned, 2);
    CHECK_EQ(gf_runner_kept_bytes(&runner), 0);
    CHECK_EQ(run(65, 1), 1);
    CHECK_EQ(host.opened, 1);
    stop();

    /* Several runners: a host context for each, one on the device with a few plans. */
    struct gf_runner second;
    for (int shared = 0; shared < 2; shared++) {
        struct fake *f = shared ? &gpu : &host;
        CHECK_EQ(start(shared ? "gpu" : "host"), 0);
        gf_runner_open(&second, engine, 0, 1);
        CHECK_EQ(run(64, 1), (int)f->mark);
        CHECK_EQ(run_with(&second, 64, 1), (int)f->mark);
        CHECK_EQ(f->opened, shared ? 1 : 2);
        CHECK_EQ(f->planned, shared ? 1 : 2);
        for (int n = 65; n < 64 + GF_SHARED_PLANS && shared; n++)
            CHECK_EQ(run(n, 1), 2);
        CHECK_EQ(run_with(&second, 64, 1), (int)f->mark);
        CHECK_EQ(f->planned, shared ? GF_SHARED_PLANS : 2);
        CHECK_EQ(f->unplanned, 0);
        CHECK_EQ(shared ? run(70, 1) : 2, 2); /* one too many: the oldest is dropped, not 64 */
        CHECK_EQ(run_with(&second, 64, 1), (int)f->mark);
        CHECK_EQ(f->planned, shared ? GF_SHARED_PLANS + 1 : 2);
        CHECK_EQ(f->unplanned, shared ? 1 : 0);
        gf_runner_close(&second);
        stop();
    }
}

/* Runners that share a context wait for their turn. */
static void test_turn(void) {
    const struct gf_job job = job_of(64);
    struct gf_report report;
    CHECK_EQ(start("gpu"), 0);
    CHECK_EQ(gf_runner_plan(&runner, &job), 0);
    CHECK(runner.plan && runner.workspace == 1000 && gpu.planned == 1);
    stop();
    CHECK_EQ(start("gpu"), 0);
    share(true);
    CHECK_EQ(gf_runner_plan(&runner, &job), 0);
    CHECK(!runner.plan && runner.workspace == 0 && gpu.planned == 0 && gpu.opened == 0);
    CHECK_EQ(run_job(&runner, &job, &report), 0);
    CHECK_EQ(gpu.planned, 1);
    stop();
}

/* Another runner comes while the first one has planned, and goes. */
static void test_beside(void) {
    const struct gf_job job = job_of(64);
    struct gf_report report;
    CHECK_EQ(start("gpu"), 0);
    CHECK_EQ(gf_runner_plan(&runner, &job), 0);
    CHECK(runner.plan != NULL);
    share(true);
    for (int n = 65; n < 65 + GF_SHARED_PLANS; n++)
        CHECK_EQ(run_with(&beside, n, 1), 2);
    CHECK_EQ(gpu.unplanned, 1); /* the first runner's */
    CHECK_EQ(gf_runner_plan(&runner, &job), 0);
    CHECK(!gf_runner_feeds(&runner));
    CHECK_EQ(run_job(&runner, &job, &report), 0);
    CHECK_EQ(gpu.planned, GF_SHARED_PLANS + 2);
    gf_runner_close(&beside);
    CHECK_EQ(run(70, 1), 2);
    CHECK(runner.plan != NULL);
    CHECK_EQ(gpu.planned - gpu.unplanned, 1);
    stop();
}

static void test_times(void) {
    CHECK_EQ(start("gpu"), 0);
    CHECK_EQ(run(64, 1), 2);
    CHECK(runner.ms.run.upload == 1 && runner.ms.run.run == 2 && runner.ms.run.download == 3);
    CHECK(runner.ms.build == 2000 && runner.ms.built == 3);
    CHECK_EQ(run(64, 1), 2); /* kept: nothing is built again */
    CHECK(runner.ms.build == 0 && runner.ms.built == 0 && runner.ms.open == 0);
    stop();
}

/* Each way to fail on the device: auto continues in host memory and notes it once. */
static void test_fallback(void) {
    static const struct {
        int open, plan, exec;
        const char *words;
    } ways[] = {{GF_EBACKEND, 0, 0, "gpu: cannot open it; trying another backend\n"},
                {GF_EABSENT, 0, 0, "gpu: cannot open it; trying another backend\n"},
                {0, GF_EUNSUPP, 0, "gpu: cannot plan it; trying another backend\n"},
                {0, GF_ENOMEM, 0, "gpu: cannot plan it; trying another backend\n"},
                {0, 0, GF_EBACKEND, "gpu: cannot run it; trying another backend\n"}};
    for (int i = 0; i < (int)(sizeof ways / sizeof *ways); i++)
        for (int alone = 0; alone < 2; alone++)
            for (int ahead = 0; ahead < 2; ahead++) {
                const struct gf_job job = job_of(4096);
                gpu.fail_open = ways[i].open;
                gpu.fail_plan = ways[i].plan;
                gpu.fail_exec = ways[i].exec;
                gpu.lost = true; /* which concerns nobody where host memory can take over */
                CHECK_EQ(start(NULL), 0);
                share(!alone);
                gf_runner_next(&runner, 100);
                if (ahead)
                    CHECK(gf_runner_ahead(&runner, &job));
                CHECK_MSG(run(4096, 100) == 1, "way %d, alone %d, ahead %d", i, alone, ahead);
                CHECK(!strcmp(runner.why, "gpu did not work"));
                CHECK_EQ(run(4097, 100), 1);
                CHECK_MSG(n_notes == 1 && !strcmp(notes, ways[i].words), "%d: %s", n_notes, notes);
                CHECK(!gf_engine_is_lost(engine));
                stop();
            }

    /* Two have chosen the device before the first one fails there. */
    struct gf_runner second;
    struct gf_report report;
    const struct gf_job job = job_of(4096);
    gpu.fail_exec = GF_EBACKEND;
    CHECK_EQ(start(NULL), 0);
    gf_runner_open(&second, engine, 0, 1);
    gf_runner_next(&runner, 100);
    gf_runner_next(&second, 100);
    CHECK_EQ(gf_runner_plan(&runner, &job), 0);
    CHECK_EQ(gf_runner_plan(&second, &job), 0);
    CHECK_EQ(run_job(&runner, &job, &report), 0);
    CHECK_EQ(run_job(&second, &job, &report), 0);
    CHECK_EQ(gpu.ran, 1);
    CHECK_EQ(host.ran, 2);
    CHECK_EQ(n_notes, 1);
    gf_runner_close(&second);
    stop();

    /* A wrong job stays one. */
    gpu.fail_plan = GF_EINVAL;
    CHECK_EQ(start(NULL), 0);
    CHECK_EQ(run(4096, 100), GF_EINVAL);
    CHECK_EQ(n_notes, 0);
    stop();

    /* When nothing is left that is an error with the last reason. */
    gpu.fail_exec = GF_EBACKEND;
    host.fail_plan = GF_EUNSUPP;
    CHECK_EQ(start(NULL), 0);
    CHECK_EQ(run(4096, 100), GF_EABSENT);
    CHECK(strstr(gf_message(), "cannot plan it"));
    CHECK_EQ(n_notes, 2);
    stop();
}

/* A backend asked for runs or fails; nothing else takes its place. */
static void test_asked(void) {
    for (int alone = 0; alone < 2; alone++) {
        gpu.fail_plan = GF_EUNSUPP;
        CHECK_EQ(start("gpu"), 0);
        share(!alone);
        CHECK_EQ(run(4096, 100), GF_EUNABLE);
        CHECK(!gf_engine_is_lost(engine));
        gpu.fail_plan = 0;
        gpu.fail_exec = GF_EBACKEND;
        CHECK_EQ(run(4096, 100), GF_EBACKEND);
        CHECK(!gf_engine_is_lost(engine));
        gpu.lost = true;
        CHECK_EQ(run(4096, 100), GF_EBACKEND);
        CHECK(gf_engine_is_lost(engine) && gf_engine_is_open(engine, 0));
        CHECK_EQ(n_notes, 0);
        CHECK_EQ(host.opened, 0);
        stop();

        gpu.fail_open = GF_EABSENT;
        const int probed = gpu.probed;
        CHECK_EQ(start("gpu"), 0);
        CHECK_EQ(gpu.probed, probed); /* which would start its driver */
        share(!alone);
        gf_runner_ahead(&runner, NULL);
        CHECK_EQ(run(4096, 100), GF_EABSENT);
        CHECK_EQ(gpu.probed, probed + 1); /* to tell why it is absent */
        CHECK(gf_engine_is_lost(engine) && !gf_engine_is_open(engine, 0));
        if (!alone) { /* what waited for its turn has the reason too */
            gf_fail(GF_EIO, "something else");
            CHECK_EQ(run(8192, 100), GF_EABSENT);
            CHECK(!strcmp(gf_message(), "cannot open it"));
        }
        CHECK_EQ(n_notes, 0);
        CHECK_EQ(host.opened, 0);
        stop();
    }
}

/* A device's memory full of kept plans is emptied before a job fails. */
static void test_memory(void) {
    for (int exec_fails = 0; exec_fails < 2; exec_fails++) {
        CHECK_EQ(start("gpu"), 0);
        share(true);
        CHECK_EQ(run(64, 1), 2);
        *(exec_fails ? &gpu.fail_exec : &gpu.fail_plan) = GF_ENOMEM;
        gpu.fail_times = 1;
        CHECK_EQ(run(65, 1), 2);
        CHECK_EQ(gpu.unplanned, 1);
        CHECK_EQ(n_notes, 0);
        stop();
    }
}

/* Likewise before a job runs in slabs; one that does not fit alone either stays in slabs. */
static void test_slabs(void) {
    CHECK_EQ(start("gpu"), 0);
    share(true);
    CHECK_EQ(run(64, 1), 2);
    gpu.slabs = 1;
    CHECK_EQ(run(65, 1), 2);
    CHECK_EQ(gpu.planned, 3);
    CHECK_EQ(gpu.unplanned, 2);
    stop();
    CHECK_EQ(start("gpu"), 0);
    gpu.slabs = 1;
    CHECK_EQ(run(65, 1), 2);
    CHECK_EQ(gpu.planned, 1);
    stop();
}

static void test_devices(void) {
    /* Demanded: auto takes its backend; one that is not there is an error. */
    CHECK_EQ(start_device(NULL, "fake", NULL), 0);
    CHECK_EQ(run(64, 1), 2);
    CHECK(!strcmp(runner.why, "asked for by --device") && !strcmp(gpu.device, "fake"));
    stop();
    CHECK_EQ(start_device(NULL, "real", NULL), GF_EABSENT);
    CHECK_EQ(start_device("gpu", "real", NULL), GF_EABSENT);
    CHECK(strstr(gf_message(), "Fake 9000"));
    CHECK_EQ(start_device("host", "fake", NULL), GF_EABSENT);

    /* From the environment: no concern of a backend without devices; the backend that was asked for
     * gets it; auto does without one that is not there, and notes it once. */
    CHECK_EQ(start_device("host", NULL, "real"), 0);
    CHECK_EQ(run(64, 1), 1);
    stop();
    CHECK_EQ(start_device("gpu", NULL, "fake"), 0);
    CHECK_EQ(run(64, 1), 2);
    CHECK(!strcmp(gpu.device, "fake"));
    stop();
    CHECK_EQ(start_device(NULL, NULL, "fake"), 0);
    CHECK_EQ(run(64, 1), 1);
    CHECK_EQ(run(4096, 100), 2);
    CHECK_EQ(n_notes, 0);
    stop();
    CHECK_EQ(start_device(NULL, NULL, "real"), 0);
    CHECK_EQ(run(64, 1), 1);
    CHECK_EQ(n_notes, 0); /* no GPU was looked for */
    CHECK_EQ(run(4096, 100), 1);
    CHECK(strstr(runner.why, "no device 'real'"));
    CHECK_EQ(run(4097, 100), 1);
    CHECK_EQ(n_notes, 1);
    CHECK_MSG(!strcmp(notes,
                      "GPUFFT_DEVICE: no device 'real'; there is 0 'Fake 9000'; the CPU is used\n"),
              "%s", notes);
    stop();
}

/* Threads that all find the same failure: one note. */
static void *run_thread(void *argument) {
    struct gf_runner own;
    int *failures = argument;
    gf_runner_open(&own, engine, 0, 1);
    for (int i = 0; i < 20; i++)
        *failures += run_with(&own, 4096, 100) != 1;
    gf_runner_close(&own);
    return NULL;
}

/* Runners that come and go, so that each is alone at times. */
static void *run_often(void *argument) {
    int *failures = argument;
    for (int i = 0; i < 50; i++) {
        struct gf_runner own;
        gf_runner_open(&own, engine, 0, 1);
        for (int k = 0; k < 3; k++)
            *failures += run_with(&own, 64 + (i + k) % 7, 1) != 2;
        gf_runner_close(&own);
    }
    return NULL;
}

static void test_threads(void) {
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    int failures[THREADS] = {0};
    gpu.fail_exec = GF_EBACKEND;
    CHECK_EQ(start(NULL), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&thread[i], NULL, run_thread, &failures[i]));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK_EQ(failures[i], 0);
    }
    CHECK_EQ(n_notes, 1);
    CHECK_EQ(gpu.opened, 1);
    gf_runner_close(&runner);
    gf_engine_close(engine);
    CHECK_EQ(gpu.planned, gpu.unplanned);
    reset();
}

static void test_coming(void) {
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    int failures[THREADS] = {0};
    CHECK_EQ(start("gpu"), 0);
    gf_runner_close(&runner);
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&thread[i], NULL, run_often, &failures[i]));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK_EQ(failures[i], 0);
    }
    CHECK_EQ(gpu.opened, 1);
    stop();
}

/* At the end of the process the device's context and plans are left to the system. */
static void test_left(void) {
    for (int i = 1; i < 3; i++) {
        CHECK_EQ(start(backends[i]->name), 0);
        engine->options.ends = true;
        CHECK_EQ(run(4096, 100), i + 1);
        void *context = engine->device[0].context[i];
        struct gf_plan *left = engine->device[0].plan[0].plan;
        struct fake *f = i == 1 ? &gpu : &other;
        gf_runner_close(&runner);
        gf_engine_close(engine);
        CHECK_EQ(f->opened, 1);
        CHECK_EQ(f->closed, i == 2);
        CHECK_EQ(f->unplanned, i == 2);
        if (!f->closed) {
            gf_plan_drop(left);
            close_fake(context);
        }
        reset();
    }
}

int main(void) {
    reset();
    RUN("auto takes the backend that ends earliest", test_choice());
    RUN("plans are kept, and the least used is dropped", test_plans());
    RUN("runners that share a context wait for their turn", test_turn());
    RUN("a runner may come while another one has planned", test_beside());
    RUN("times of a run and of its opening are noted once", test_times());
    RUN("where the device fails auto continues in host memory", test_fallback());
    RUN("a backend that was asked for runs or fails", test_asked());
    RUN("kept plans give way before a job fails for memory", test_memory());
    RUN("kept plans give way before a job runs in slabs", test_slabs());
    RUN("a device that was asked for is taken, or an error", test_devices());
    RUN("threads fall back together and note it once", test_threads());
    RUN("threads may come and go", test_coming());
    RUN("at the end of the process the device's context is left alone", test_left());
    return TEST_END();
}
