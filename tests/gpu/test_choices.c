/* Plans that are chosen: candidates without a device, measurements on a stand-in whose kernels take made-up times,
 * and records against everything that may happen to them. */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/value/hash.h"
#include "core/base/host/environment.h"
#include "core/base/value/status.h"
#include "core/store/lines.h"
#include "core/gpu/run.h"
#include "core/gpu/plan/decision.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/cache/plan_record.h"
#include "tests/core/backends.h"
#include "tests/gpu/gpu_jobs.h"
#include "tests/gpu/gpu_walk.h"
#include "tests/test.h"

static struct gf_environment env;

static uint64_t random_state = 20;

/* ---- candidates ---- */

/* The plan of a script, which must be legal if it is taken: the script is then its own. */
static bool check_script(const struct gf_job *job, const struct gf_gpu_props *d, const char *script,
                         struct gf_gpu_plan **p) {
    struct gf_gpu_choices choices = {.script = script};
    char text[GF_GPU_SCRIPT], wrong[256];
    if (gf_gpu_plan_make_chosen(job, d, &choices, p))
        return false;
    int64_t broken = walk_plan(*p, 1 << 14, wrong, sizeof wrong);
    CHECK_MSG(!broken, "%s on %s: %lld broken: %s", script, d->name, (long long)broken, wrong);
    return gf_gpu_choices_text(&choices, text) && !strcmp(text, script);
}

static bool same_kernels(const struct gf_gpu_plan *a, const struct gf_gpu_plan *b) {
    bool same = a->n_passes == b->n_passes && a->n_chains == b->n_chains;
    for (int i = 0; same && i < a->n_passes; i++)
        same = !strcmp(a->pass[i].kernel.options, b->pass[i].kernel.options) &&
               a->pass[i].groups == b->pass[i].groups;
    return same;
}

/* Changes, drops or adds some bytes. */
static void mutate(char *text, size_t size) {
    for (int k = 1 + (int)backends_below(&random_state, 3); k > 0; k--) {
        const size_t n = strlen(text), at = (size_t)backends_below(&random_state, (int64_t)n + 1);
        const char to =
            (char)(backends_below(&random_state, 3) ? ' ' + backends_below(&random_state, 95)
                                                    : backends_below(&random_state, 256));
        switch (backends_below(&random_state, 3)) {
        case 0:
            if (at < n)
                text[at] = to;
            break;
        case 1:
            if (at < n)
                memmove(text + at, text + at + 1, n - at);
            break;
        default:
            if (n + 2 < size) {
                memmove(text + at + 1, text + at, n - at + 1);
                text[at] = to;
            }
        }
    }
}

static void check_job(const struct gf_job *job, const struct gf_gpu_props *d, int *measurable) {
    struct gf_gpu_candidate list[GF_GPU_CANDIDATES];
    struct gf_gpu_plan *usual, *p;
    if (gf_gpu_plan_make(job, d, &usual))
        return;
    const int n = gf_gpu_candidates(job, d, list);
    CHECK_MSG(n > 0, "%s", gf_message());
    *measurable += n > 1;
    for (int i = 0; i < n; i++) {
        CHECK_MSG(check_script(job, d, list[i].script, &p), "%s", list[i].script);
        CHECK(i || same_kernels(usual, p));
        gf_gpu_plan_free(p);
        for (int k = 0; k < i; k++)
            CHECK(strcmp(list[k].script, list[i].script));
    }
    for (int i = 0; n > 0 && i < 4; i++) {
        char script[GF_GPU_SCRIPT];
        strcpy(script, list[i % n].script);
        mutate(script, sizeof script);
        check_script(job, d, script, &p); /* a plan, or none */
        gf_gpu_plan_free(p);
    }
    gf_gpu_plan_free(usual);
}

static void test_candidates(void) {
    static const int64_t most[] = {5000, 3000, 150, 30};
    int measurable = 0;
    for (int i = 0; i < 120; i++) {
        struct gf_job job = gpu_random_job(&random_state, most);
        if (!gf_job_validate(&job) && gf_gpu_can_choose(&job))
            check_job(&job, &gpu_devices[i % GPU_DEVICES], &measurable);
    }
    CHECK_MSG(measurable > 40, "%d jobs with a choice", measurable);
}

/* ---- a stand-in ---- */

struct gf_gpu_kernel {
    char options[sizeof((struct gf_kernel_request *)NULL)->options];
};

/* The time of a kernel follows from its options, by `spread`; that of a run differs by `noise`. */
static double spread, noise, clock_ms, marked;
static int launches, builds, alive;
static bool fails;

static double kernel_ms(const char *options) {
    const uint64_t h = gf_hash_text(GF_HASH_START, options) >> 20;
    return 0.1 * (1 + spread * (double)(h % 1000) / 1000);
}

static int fake_find(const struct gf_environment *unused, struct gf_gpu_props *props) {
    (void)unused;
    props[0] = gpu_devices[0];
    return 1;
}
static int fake_open(struct gf_gpu_props *props, void **gpu) {
    (void)props;
    *gpu = &clock_ms;
    return 0;
}
static void fake_close(void *gpu) {
    (void)gpu;
}
static int fake_alloc(void *gpu, int64_t bytes, struct gf_gpu_buffer **buffer) {
    (void)gpu;
    *buffer = malloc(sizeof **buffer);
    (*buffer)->bytes = bytes;
    alive++;
    return 0;
}
static void fake_free(void *gpu, struct gf_gpu_buffer *buffer) {
    (void)gpu;
    alive--;
    free(buffer);
}
static int64_t fake_free_bytes(void *gpu) {
    (void)gpu;
    return (int64_t)1 << 36;
}
static int fake_upload(void *gpu, struct gf_gpu_buffer *to, int64_t offset, const void *host,
                       int64_t bytes) {
    (void)gpu, (void)host;
    CHECK(offset >= 0 && offset + bytes <= to->bytes);
    return 0;
}
static int fake_clear(void *gpu, struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    return fake_upload(gpu, to, offset, NULL, bytes);
}
static int fake_pin(void *gpu, int64_t bytes, void **host) {
    (void)gpu, (void)bytes, (void)host;
    return gf_fail(GF_ENOMEM, "no page-locked memory");
}
static int fake_build(void *gpu, const char *name, const char *source, const char *options,
                      void **binary, size_t *bytes) {
    (void)gpu, (void)name, (void)source;
    __atomic_fetch_add(&builds, 1, __ATOMIC_RELAXED);
    *binary = strdup(options);
    *bytes = strlen(options) + 1;
    return 0;
}
static int fake_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                     int64_t local_bytes, struct gf_gpu_kernel **kernel) {
    (void)gpu, (void)entry, (void)local_bytes;
    *kernel = malloc(sizeof **kernel);
    snprintf((*kernel)->options, sizeof(*kernel)->options, "%.*s", (int)bytes,
             (const char *)binary);
    return 0;
}
static void fake_unload(void *gpu, struct gf_gpu_kernel *kernel) {
    (void)gpu;
    free(kernel);
}
static int fake_launch(void *gpu, const struct gf_gpu_launch *launch) {
    (void)gpu;
    launches++;
    clock_ms += kernel_ms(launch->kernel->options) *
                (1 + noise * (double)backends_below(&random_state, 1000) / 1000);
    return fails && launches > 40 ? gf_fail(GF_EBACKEND, "a kernel failed") : 0;
}
static int fake_sync(void *gpu) {
    (void)gpu;
    return 0;
}
static int fake_mark(void *gpu, int which) {
    (void)gpu;
    if (!which)
        marked = clock_ms * (noise > 1 ? 1 + noise * (double)backends_below(&random_state, 9) : 1);
    return 0;
}
static int fake_elapsed(void *gpu, double *seconds) {
    (void)gpu;
    *seconds = (clock_ms - marked) * 1e-3;
    if (noise > 1) /* another time at each measurement, so that no two medians are close */
        *seconds = 1e-4 * (double)((int64_t)1 << backends_below(&random_state, 24));
    return 0;
}
static bool fake_lost(void *gpu) {
    (void)gpu;
    return false;
}

static const struct gf_gpu stand_in = {.name = "stand-in",
                                       .find = fake_find,
                                       .open = fake_open,
                                       .close = fake_close,
                                       .alloc = fake_alloc,
                                       .free = fake_free,
                                       .free_bytes = fake_free_bytes,
                                       .pin = fake_pin,
                                       .upload = fake_upload,
                                       .clear = fake_clear,
                                       .build = fake_build,
                                       .load = fake_load,
                                       .unload = fake_unload,
                                       .launch = fake_launch,
                                       .sync = fake_sync,
                                       .mark = fake_mark,
                                       .elapsed = fake_elapsed,
                                       .lost = fake_lost};

static struct gf_gpu_context *open_with(enum gf_plan_how how) {
    void *context;
    CHECK_EQ(gf_gpu_run_open(
                 &stand_in,
                 &(struct gf_backend_options){.environment = &env, .plan = how, .threads = 1},
                 &context),
             0);
    return context;
}

static struct gf_job job_of(int64_t side) {
    struct gf_job job;
    char text[64];
    snprintf(text, sizeof text, "fwd c64 %lldx%lld > complex", (long long)side, (long long)side);
    CHECK(backends_parse(text, &job));
    return job;
}

/* The plan that was kept for the job; NULL: none. */
static struct gf_gpu_plan *kept_plan(const struct gf_gpu_context *c, const struct gf_job *job,
                                     struct gf_plan_choice *choice) {
    struct gf_gpu_run m = {.ready = false};
    CHECK(!gf_gpu_program_make(c, &m.program, job));
    *choice = m.program.choice;
    if (m.program.choice.kept)
        return m.program.plan;
    gf_gpu_plan_free(m.program.plan);
    return NULL;
}

/* ---- measuring ---- */

static double plan_ms(const struct gf_gpu_plan *p) {
    double ms = 0;
    for (int i = 0; i < p->n_passes; i++) {
        const struct gf_gpu_pass *pass = &p->pass[i];
        ms += kernel_ms(pass->chain ? p->chain[pass->chain - 1].kernel.options
                                    : pass->kernel.options);
        i += pass->chain > 0; /* the next one is in this launch */
    }
    return ms;
}

static int count_kernels(const char *folder) {
    char path[128];
    int n = 0;
    snprintf(path, sizeof path, "%s/gpufft", folder);
    DIR *dir = opendir(path);
    for (struct dirent *d; dir && (d = readdir(dir));)
        n += strstr(d->d_name, ".kernel") != NULL;
    if (dir)
        closedir(dir);
    return n;
}

/* The times of the candidates: the first one's, and the least. */
static void candidates_ms(const struct gf_job *job, double ms[2]) {
    struct gf_gpu_candidate list[GF_GPU_CANDIDATES];
    const int n = gf_gpu_candidates(job, &gpu_devices[0], list);
    for (int i = 0; i < n; i++) {
        struct gf_gpu_plan *p = NULL;
        if (check_script(job, &gpu_devices[0], list[i].script, &p)) {
            ms[i > 0] = !i || plan_ms(p) < ms[1] || i == 1 ? plan_ms(p) : ms[1];
            gf_gpu_plan_free(p);
        }
    }
}

/* The winner leads by 3 %, and is kept; else the estimate's plan is. */
static void test_winners(const char *folder) {
    int won = 0;
    for (int i = 0; i < 12; i++) {
        spread = i < 4 ? 0.02 : 1; /* too little to win; much */
        const struct gf_job job = job_of(64 + 8 * i);
        struct gf_gpu_context *c = open_with(GF_PLAN_MEASURE);
        struct gf_plan_choice choice = {.measured = 0};
        struct gf_gpu_plan *p = NULL;
        double ms[2] = {0, 0};
        candidates_ms(&job, ms);
        const int before = count_kernels(folder);
        choice.measured = gf_gpu_choose(c, &job);
        CHECK(choice.measured > 6 && (p = kept_plan(c, &job, &choice)));
        if (!choice.kept)
            continue;
        const double best = ms[1] <= 0.97 * ms[0] ? ms[1] : ms[0];
        CHECK_MSG(fabs(plan_ms(p) - best) < 1e-9 * best && fabs(choice.ms - best) < 1e-3 * best &&
                      fabs(choice.estimate_ms - ms[0]) < 1e-3,
                  "%g ms, recorded %g, of %g and %g", plan_ms(p), choice.ms, ms[0], ms[1]);
        won += best < ms[0];
        struct gf_gpu_run m = {.program.plan = p};
        const int measured = choice.measured, left = count_kernels(folder) - before;
        CHECK(!gf_gpu_program_prepare(c, &m.program, 0) && !m.program.built);
        CHECK_MSG(left == m.program.n_requests, "%d kernels left of %d plans", left, measured);
        gf_gpu_run_drop(c, &m);        /* and p */
        const int launched = launches; /* it is known: nothing is measured again */
        choice.measured = 0;
        choice.measured = gf_gpu_choose(c, &job);
        CHECK(!choice.measured && launches == launched);
        c->how = GF_PLAN_ESTIMATE;
        CHECK(!(p = kept_plan(c, &job, &choice)));
        gf_gpu_run_close(c);
    }
    CHECK_MSG(won > 4, "%d of 8 won", won);
    CHECK_EQ(alive, 0);
}

/* Nobody uses what was measured in noise, and it is measured again. A device that fails is left as it is. */
static void test_noise(void) {
    const struct gf_job job = job_of(200), other = job_of(208);
    struct gf_gpu_context *c = open_with(GF_PLAN_MEASURE);
    struct gf_plan_choice choice = {.measured = 0};
    struct gf_gpu_plan *p = NULL;
    spread = 0.5;
    noise = 4;
    choice.measured = gf_gpu_choose(c, &job);
    CHECK(choice.measured && !(p = kept_plan(c, &job, &choice)) && choice.noisy);
    noise = 0;
    choice = (struct gf_plan_choice){.measured = 0};
    choice.measured = gf_gpu_choose(c, &job);
    CHECK(choice.measured && (p = kept_plan(c, &job, &choice)) && !choice.noisy);
    gf_gpu_plan_free(p);
    fails = true;
    launches = 0;
    choice.measured = gf_gpu_choose(c, &other);
    fails = false;
    CHECK(!(p = kept_plan(c, &other, &choice)));
    c->measured_ms = 121e3; /* the two minutes are over */
    choice.measured = 0;
    choice.measured = gf_gpu_choose(c, &other);
    CHECK(!choice.measured);
    gf_gpu_run_close(c);
    CHECK_EQ(alive, 0);
}

/* ---- records ---- */

/* A record of a plan that is none, of another device, and of one that was written by hand. */
static void test_refused(void) {
    const struct gf_job job = job_of(72);
    struct gf_gpu_context *c = open_with(GF_PLAN_KEPT);
    struct gf_gpu_plan_record r;
    struct gf_plan_choice choice = {.measured = 0};
    struct gf_gpu_plan *p = NULL;
    CHECK((p = kept_plan(c, &job, &choice)));
    gf_gpu_plan_free(p);
    strcpy(c->props.name, "another device");
    CHECK(!(p = kept_plan(c, &job, &choice)));
    strcpy(c->props.name, gpu_devices[0].name);
    CHECK(gf_gpu_plan_record_find(c->api, &c->props, &job, &r));
    for (int i = 0; i < 400; i++) {
        struct gf_gpu_plan_record damaged = r;
        mutate(damaged.script, sizeof damaged.script);
        damaged.script[strcspn(damaged.script, "\n")] = 0; /* it would be two records */
        CHECK(gf_gpu_plan_record_keep(c->api, &c->props, &job, &damaged));
        choice = (struct gf_plan_choice){.measured = 0};
        if ((p = kept_plan(c, &job, &choice)))
            gf_gpu_plan_free(p);
    }
    strcpy(r.script, "usual 72x0x0 i0");
    CHECK(gf_gpu_plan_record_keep(c->api, &c->props, &job, &r) &&
          !(p = kept_plan(c, &job, &choice)) && choice.refused);
    gf_gpu_run_close(c);
}

/* A job's record is not found for a job that differs in one thing that its plan depends on. */
static void test_keys(void) {
    enum { CHANGES = 22 };
    struct gf_gpu_context *c = open_with(GF_PLAN_KEPT);
    struct gf_gpu_plan_record r = {.script = "usual", .ms = 1, .estimate_ms = 2};
    struct gf_job base = job_of(2040), job[CHANGES];
    base.n_out = 2;
    base.norm = GF_NORM_ORTHO; /* scales in either direction */
    base.out[1] = (struct gf_output){
        .kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY, .range = GF_RANGE_AUTO};
    for (int i = 0; i < CHANGES; i++)
        job[i] = base;
    int n = 0;
    job[n++].direction = GF_INVERSE;
    job[n++].shape[0]++;
    job[n++].shape[base.ndim - 1]++;
    job[n++].channels++;
    job[n++].axes ^= 1;
    job[n++].in_dtype = GF_U16;
    job[n++].precision = GF_DOUBLE;
    job[n++].luma = true;
    job[n++].in_shift = true;
    job[n++].in_half = true;
    job[n++].real = true;
    job[n++].lean = true;
    job[n++].norm = GF_NORM_BACKWARD;
    job[n++].n_out = 1;
    job[n++].out[0].kind = GF_PHASE;
    job[n++].out[0].dtype = GF_F64;
    job[n++].out[0].half = !base.out[0].half;
    job[n++].out[0].shift = !base.out[0].shift;
    job[n++].out[1].dtype = GF_U16;
    job[n++].out[1].kind = GF_POWER;
    job[n++].out[1].range = GF_RANGE_FULL;
    job[n++].out[1].scale = base.out[1].scale == GF_SCALE_LOG ? GF_SCALE_LINEAR : GF_SCALE_LOG;
    CHECK_EQ(n, CHANGES);
    CHECK(gf_gpu_plan_record_keep(c->api, &c->props, &base, &r));
    CHECK(gf_gpu_plan_record_find(c->api, &c->props, &base, &r));
    for (int i = 0; i < CHANGES; i++)
        CHECK_MSG(!gf_gpu_plan_record_find(c->api, &c->props, &job[i], &r),
                  "change %d finds the same record", i);
    strcpy(c->props.driver, "another driver");
    CHECK(!gf_gpu_plan_record_find(c->api, &c->props, &base, &r));
    gf_gpu_run_close(c);
}

static void test_import(void) {
    char *text = gf_gpu_plan_records_export(&env);
    const size_t n = strlen(text);
    char *damaged = malloc(n + 64);
    int kept, others, refused = 0;
    CHECK_EQ(gf_gpu_plan_records_forget(&env), 1);
    CHECK(!gf_gpu_plan_records_any(&env));
    CHECK(!gf_gpu_plan_records_import(&env, text, n, &kept, &others) && kept > 10 && !others);
    CHECK(gf_gpu_plan_records_any(&env));
    char *again = gf_gpu_plan_records_export(&env);
    CHECK_EQ(strlen(again), n);
    for (int i = 0; i < 400; i++) {
        size_t bytes = n;
        memcpy(damaged, text, n + 1);
        if (i % 4)
            mutate(damaged, n + 64);
        else
            damaged[bytes = (size_t)backends_below(&random_state, (int64_t)n)] = 0;
        bytes = i % 4 ? strlen(damaged) : bytes;
        refused += gf_gpu_plan_records_import(&env, damaged, bytes, &kept, &others) == GF_EFORMAT;
    }
    CHECK_MSG(refused > 100, "%d of 400 refused", refused);
    CHECK_EQ(gf_gpu_plan_records_import(&env, "", 0, &kept, &others), GF_EFORMAT);
    static const char foreign[] =
        "gpufft plans 1\n1-1\tcuda\td\tv, c\tforward 8\tusual 8x0x0\t1 1\n";
    CHECK(!gf_gpu_plan_records_import(&env, foreign, sizeof foreign - 1, &kept, &others) &&
          others == 1);
    free(again);
    free(damaged);
    free(text);
}

/* Two processes at once lose no record; where no byte can be written the old ones stay. */
static void test_processes(void) {
    enum { EACH = 12 };
    struct gf_gpu_context *c = open_with(GF_PLAN_KEPT);
    struct gf_gpu_plan_record r = {.script = "usual", .ms = 1, .estimate_ms = 2};
    pid_t writer[2];
    int status, found = 0;
    for (int w = 0; w < 2; w++) {
        writer[w] = fork();
        for (int i = 0; !writer[w] && i < EACH; i++) {
            const struct gf_job job = job_of(1000 + 100 * w + i);
            if (!gf_gpu_plan_record_keep(c->api, &c->props, &job, &r))
                _exit(1);
        }
        if (!writer[w])
            _exit(0);
    }
    for (int w = 0; w < 2; w++)
        CHECK(waitpid(writer[w], &status, 0) == writer[w] && !status);
    gf_store_lines_reread();
    for (int i = 0; i < 2 * EACH; i++) {
        const struct gf_job job = job_of(1000 + 100 * (i / EACH) + i % EACH);
        found += gf_gpu_plan_record_find(c->api, &c->props, &job, &r);
    }
    CHECK_EQ(found, 2 * EACH);
    const struct rlimit none = {0, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
    const struct gf_job job = job_of(2000), old = job_of(1000);
    signal(SIGXFSZ, SIG_IGN);
    CHECK(!setrlimit(RLIMIT_FSIZE, &none));
    CHECK(!gf_gpu_plan_record_keep(c->api, &c->props, &job, &r));
    CHECK(!setrlimit(RLIMIT_FSIZE, &all));
    gf_store_lines_reread();
    CHECK(!gf_gpu_plan_record_find(c->api, &c->props, &job, &r) &&
          gf_gpu_plan_record_find(c->api, &c->props, &old, &r));
    gf_gpu_run_close(c);
}

int main(void) {
    char folder[] = "/tmp/test_choices.XXXXXX", command[64];
    NEED(mkdtemp(folder));
    env.cache_folder = folder;
    gpu_make_devices();
    RUN("candidates are different valid plans", test_candidates());
    RUN("a winner leads by 3 %, and is kept", test_winners(folder));
    RUN("nobody uses what was measured in noise", test_noise());
    RUN("records of no plan, or of another device, are refused", test_refused());
    RUN("exported records come back, and damaged ones are refused", test_import());
    RUN("processes at once lose no record", test_processes());
    RUN("a plan is kept for its job and driver alone", test_keys());
    snprintf(command, sizeof command, "rm -r %s", folder);
    NEED(!system(command));
    return TEST_END();
}
