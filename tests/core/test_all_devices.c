/* auto and the devices of a made-up backend: where the link from one to the next is recorded, the first one
 * is opened as the head of a list of all. */
#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/store/lines.h"
#include "core/base/host/environment.h"
#include "core/base/value/status.h"
#include "core/engine/speeds.h"
#include "core/engine/engine.h"
#include "tests/test.h"

static struct gf_environment env;

static int devices;
static struct gf_backend_options opened;
static char opened_device[64];

static int probe(const struct gf_backend *b, const struct gf_environment *unused,
                 char reason[GF_REASON]) {
    (void)b, (void)unused;
    snprintf(reason, GF_REASON, "made up");
    return 0;
}

static int list(const struct gf_backend *b, const struct gf_environment *unused,
                struct gf_gpu_props *props) {
    (void)b, (void)unused;
    int n = 0;
    for (; n < devices; n++) {
        props[n] = (struct gf_gpu_props){.memory = INT64_C(1) << 40, .fp64 = true};
        snprintf(props[n].name, sizeof props[n].name, "Fake 9000");
    }
    return n;
}

static int open_device(const struct gf_backend *b, const struct gf_backend_options *o,
                       void **context) {
    (void)b;
    opened = *o;
    snprintf(opened_device, sizeof opened_device, "%s", o->device ? o->device : "");
    for (int i = 0; i < o->n_devices; i++) {
        const size_t at = i ? strlen(opened_device) : 0;
        snprintf(opened_device + at, sizeof opened_device - at, "%s%s", i ? "," : "",
                 o->devices[i]);
    }
    *context = &opened;
    return 0;
}

static int plan(struct gf_plan *plan) {
    (void)plan;
    return 0;
}

static void close_device(void *context) {
    (void)context;
}

static const struct gf_on_device on_device = {.measure = NULL};
#define FAKE .probe = probe, .open = open_device, .plan = plan, .close = close_device
static const struct gf_backend host = {.name = "host", .automatic = 1, FAKE};
static const struct gf_backend gpu = {.name = "gpu",
                                      .automatic = 2,
                                      .devices = true,
                                      .shares = true,
                                      .list = list,
                                      .on_device = &on_device,
                                      FAKE};
static const struct gf_backend *const backends[] = {&host, &gpu, NULL};

/* Plans a job that auto gives the GPU. */
static void plan_with(const char *devices, struct gf_engine_options options) {
    const struct gf_job job = {.ndim = 2,
                               .shape = {4096, 4096},
                               .channels = 1,
                               .axes = 3,
                               .in_dtype = GF_U8,
                               .n_out = 1,
                               .out = {{.kind = GF_MAGNITUDE, .dtype = GF_U8}}};
    struct gf_engine *engine;
    struct gf_runner runner;
    opened_device[0] = 0;
    opened = (struct gf_backend_options){.threads = 0};
    struct gf_request request;
    const bool list = gf_request_is_list(devices, NULL);
    CHECK_EQ((list ? gf_request_list : gf_request_one)(&env, &request, backends, devices, NULL), 0);
    options.request = &request;
    options.use = GF_ENGINE_ONE;
    options.open.environment = &env;
    options.open.threads = 1;
    NEED(!gf_engine_open(&engine, &options));
    gf_runner_open(&runner, engine, 0, 1);
    gf_runner_next(&runner, 100);
    CHECK_EQ(gf_runner_plan(&runner, &job), 0);
    CHECK(!strcmp(gf_runner_name(&runner), "gpu"));
    gf_runner_close(&runner);
    gf_engine_close(engine);
}

static double link_of(const char *device) {
    struct gf_speeds r = {.link = -1};
    return gf_speeds_of_device(&env, &gpu, device, &r) ? r.link : -1;
}

/* Devices of one name have records of their own, or else each other's; the slowest one of a list is told
 * beside the first. */
static void check_records(struct gf_speeds r) {
    devices = 3;
    gf_speeds_forget(&env);
    CHECK(link_of("0") == -1);
    r.link = 2e11;
    CHECK(gf_speeds_keep(&env, &gpu, "1", &r));
    CHECK(link_of("0") == 2e11 && link_of("1") == 2e11 && link_of(NULL) == 2e11);
    r.link = 1e11;
    r.staged[0] = 4e9;
    r.open = 0.5;
    CHECK(gf_speeds_keep(&env, &gpu, "2", &r));
    r.link = 3e11;
    r.staged[0] = 5e9;
    CHECK(gf_speeds_keep(&env, &gpu, NULL, &r));
    CHECK(link_of("0") == 3e11 && link_of("1") == 2e11 && link_of("2") == 1e11);
    plan_with("gpu:1,gpu:0,gpu:2", (struct gf_engine_options){.untuned = false});
    CHECK(opened.rates.link == 2e11 && opened.rates.bus[0] == 1e10 && opened.rates.open == 0.3);
    CHECK(opened.slowest.link == 1e11 && opened.slowest.bus[0] == 4e9 &&
          opened.slowest.open == 0.5);
    CHECK(opened.slowest.bus[1] == 2e10 && opened.slowest.copy == 4e12);
    plan_with(NULL, (struct gf_engine_options){.untuned = false}); /* all three */
    CHECK(!strcmp(opened_device, "0,1,2") && opened.slowest.link == 1e11);
}

/* Processes that keep records at once lose none, nor does the temporary that a killed one left stop them. */
static void test_concurrent(const char *folder) {
    enum { WRITERS = 4, EACH = 8 };
    struct gf_speeds r = {.copy = 1e9};
    char path[128], device[16];
    pid_t writer[WRITERS];
    gf_speeds_forget(&env);
    CHECK(gf_speeds_keep(&env, &host, "first", &r));
    snprintf(path, sizeof path, "%s/gpufft/device-speeds.building", folder);
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    CHECK(fd >= 0 && !close(fd));
    for (int w = 0; w < WRITERS; w++) {
        writer[w] = fork();
        for (int i = 0; !writer[w] && i < EACH; i++) {
            snprintf(device, sizeof device, "%d-%d", w, i);
            if (!gf_speeds_keep(&env, &host, device, &r))
                _exit(1);
        }
        if (!writer[w])
            _exit(0);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = -1;
        CHECK(waitpid(writer[w], &status, 0) == writer[w] && status == 0);
    }
    gf_store_lines_reread();
    int kept = gf_speeds_of_device(&env, &host, "first", &r);
    for (int i = 0; i < WRITERS * EACH; i++) {
        snprintf(device, sizeof device, "%d-%d", i / EACH, i % EACH);
        kept += gf_speeds_of_device(&env, &host, device, &r);
    }
    CHECK_EQ(kept, WRITERS * EACH + 1);
    CHECK(!unlink(path));
}

static void test_linked(struct gf_speeds r) {
    for (int linked = 0; linked < 2; linked++)
        for (devices = 1; devices < 4; devices++) {
            static const char *const lists[] = {"", "", "0,1", "0,1,2"};
            r.link = linked ? 3e11 : 0;
            CHECK(gf_speeds_keep(&env, &gpu, NULL, &r));
            plan_with(NULL, (struct gf_engine_options){.untuned = false});
            CHECK_MSG(!strcmp(opened_device, linked ? lists[devices] : ""), "%d devices: '%s'",
                      devices, opened_device);
            CHECK(opened.least_gain > 1);
            CHECK(opened.rates.link == (devices > 1 ? r.link : 0));
        }
}

static void test_asked(struct gf_speeds r) {
    devices = 2;
    r.link = 3e11;
    CHECK(gf_speeds_keep(&env, &gpu, NULL, &r));
    plan_with(NULL, (struct gf_engine_options){.untuned = true});
    CHECK(!opened_device[0]);
    plan_with("gpu", (struct gf_engine_options){.untuned = false}); /* asked for: the first one */
    CHECK(!opened_device[0]);
    plan_with("gpu:1,gpu:0", (struct gf_engine_options){.untuned = false});
    CHECK_STR(opened_device, "1,0");
    CHECK(opened.least_gain == 1 && opened.rates.bus[1] == 2e10 && opened.rates.open == 0.3);
    plan_with("gpu:1,gpu:0", (struct gf_engine_options){.open.no_peer = true});
    CHECK(opened.no_peer && opened.rates.copy == 4e12 && opened.rates.link == 0);
}

static void test_forget(struct gf_speeds r) {
    CHECK(gf_speeds_keep(&env, &gpu, NULL, &r));
    CHECK_EQ(gf_speeds_forget(&env), 1);
    CHECK_EQ(gf_speeds_forget(&env), 0);
}

int main(void) {
    char folder[] = "/tmp/test_all_devices.XXXXXX", path[128];
    const struct gf_speeds r = {
        .copy = 4e12, .open = 0.3, .staged = {1e10, 2e10}, .fft = {1e9, 1e9, 1e9}};
    NEED(mkdtemp(folder));
    env.cache_folder = folder;
    RUN("auto opens all devices where the link between them is recorded", test_linked(r));
    RUN("devices that are asked for are opened in that order", test_asked(r));
    RUN("devices of one name have records of their own, or else each other's", check_records(r));
    RUN("processes that keep records at once lose none", test_concurrent(folder));
    RUN("records are forgotten once", test_forget(r));
    gf_speeds_forget(&env);
    snprintf(path, sizeof path, "%s/gpufft", folder);
    NEED((rmdir(path) == 0 || errno == ENOENT) && !rmdir(folder));
    return TEST_END();
}
