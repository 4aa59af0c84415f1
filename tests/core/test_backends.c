/* Every backend that is present, against the yardstick: accuracy, laws, outputs.
 *
 *     test_backends [full | small | named | filters | tiny | large] [gpu] [backend...] [seed=N]
 * [shard=I/N]
 *
 * `full` makes many more checks. `small` keeps to the outputs of small sizes, for builds that run
 * ten times slower; `filters` to those; `named`: one job per code path;
 * `tiny`: a subset for the simulator; `large` compares large sizes with the openmp
 * backend. `shard` makes one check in N, the I-th, for backends whose kernels take long to build.
 * Without a name, all that probe as present are tested. `gpu`: backends without a GPU are passed
 * over, and so is a device that is the CPU itself; `list` with it names those that are left,
 * and fails when none is. `optional`: a backend that is absent is passed over too. A failure prints
 * its job; the same seed repeats it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/environment.h"
#include "core/engine/backends.h"
#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/test.h"

/* A case each. */
struct section {
    const char *name, *says;
    void (*run)(struct subject *);
};
#define OUTPUTS \
    { "outputs", "outputs of random jobs are those of plain loops", backends_outputs }
#define LAWS \
    { "laws", "transforms are linear, keep energy and invert each other", backends_laws }
#define FILTERS \
    { "filters", "random filters are those of plain loops", backends_filters }
#define NAMED \
    { "named", "one job per code path is that of plain loops", backends_named }
#define NAMED_FILTERS \
    { "named filters", "one filter per code path is that of plain loops", backends_named_filters }
#define ACCURACY \
    { "accuracy", "errors stay within their bounds", backends_accuracy }
#define LARGE \
    { "large", "large jobs are those of openmp", backends_large }
#define END \
    { NULL, NULL, NULL }
static const struct section usual[] = {OUTPUTS, LAWS, FILTERS, NAMED, ACCURACY, END};
static const struct section small[] = {OUTPUTS, LAWS, FILTERS, END};
static const struct section filters[] = {FILTERS, NAMED_FILTERS, END};
static const struct section named[] = {NAMED, NAMED_FILTERS, END};
static const struct section large[] = {LARGE, END};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void test_backend(const struct gf_backend *backend, const struct subject *wanted,
                         const struct section *section) {
    struct subject s = *wanted;
    s.backend = backend;
    for (int i = 0; i < 2; i++) {
        struct gf_backend_options options = {
            .environment = gf_environment(), .threads = i ? 0 : 1, .device = s.device};
        int rc = backend->open(backend, &options, &s.context[i]);
        if (rc) {
            RUN(case_name("%s: opens", backend->name), CHECK_MSG(false, "%s", gf_message()));
            goto out;
        }
    }
    for (; section->run; section++) {
        int passed = test_passed, failed = test_failed;
        double start = seconds();
        RUN_COUNTED(&s, case_name("%s: %s", backend->name, section->says), section->run(&s));
        printf("%s: %s: %d passed, %d failed, %.1f s\n", backend->name, section->name,
               test_passed - passed, test_failed - failed, seconds() - start);
    }
    for (int p = 0; p < 2; p++)
        for (int other = 0; other < 2; other++)
            if (s.worst[p][other].ratio > 0)
                printf("%s: %s%s: worst error %.3g, %.2f of what is allowed: %s\n", backend->name,
                       p ? "double" : "single",
                       section[-1].run == backends_large ? ", beside openmp"
                       : other                           ? ", other factors"
                                                         : ", factors to 13",
                       s.worst[p][other].error, s.worst[p][other].ratio, s.worst[p][other].what);
    fflush(stdout);
out:
    for (int i = 0; i < 2; i++)
        if (s.context[i])
            backend->close(s.context[i]);
}

/* The backend's first device that is no processor, as --device=N wants it; GPUFFT_DEVICE, where it
 * is set, may be none either. False and why: there is none. */
static bool find_gpu(const struct gf_backend *backend, char number[16], char reason[GF_REASON]) {
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES], props;
    const char *asked = gf_environment_device();
    if (!backend->list) {
        snprintf(reason, GF_REASON, "no GPU's backend");
        return false;
    }
    if (backend->probe(backend, gf_environment(), reason))
        return false;
    if (asked) {
        if (gf_backend_device(gf_environment(), backend, asked, &props)) {
            snprintf(reason, GF_REASON, "%s", gf_message());
            return false;
        }
        snprintf(number, 16, "%.15s", asked);
        snprintf(reason, GF_REASON, "%.120s%s", props.name,
                 props.is_cpu ? " is the CPU itself" : "");
        return !props.is_cpu;
    }
    int n = gf_backend_devices(gf_environment(), backend, list);
    for (int i = 0; i < n; i++)
        if (!list[i].is_cpu) {
            snprintf(number, 16, "%d", i);
            snprintf(reason, GF_REASON, "%s", list[i].name);
            return true;
        }
    snprintf(reason, GF_REASON, "no device but the CPU");
    return false;
}

struct choice {
    bool gpu, list, optional, named;
    int found;
};

/* One backend, of those that the arguments name or of all. */
static void consider(const struct gf_backend *backend, struct choice *c, struct subject *wanted,
                     const struct section *section) {
    char reason[GF_REASON] = "", number[16] = "";
    bool there = c->gpu ? find_gpu(backend, number, reason)
                        : !backend->probe(backend, gf_environment(), reason);
    if (there && backend->powers_of_two) {
        printf("%s: skipped: build/test_c tests it\n", backend->name);
        return;
    }
    c->found += there;
    if (c->list) {
        if (there)
            printf("%s\n", backend->name);
        else if (backend->list)
            fprintf(stderr, "%s: %s\n", backend->name, reason);
        return;
    }
    if (there) {
        if (!c->named || c->gpu)
            printf("%s: %s\n", backend->name, reason);
        wanted->device = c->gpu ? number : gf_environment_device();
        test_backend(backend, wanted, section);
        return;
    }
    if (c->named && !c->gpu && !c->optional)
        CHECK_MSG(0, "%s: %s", backend->name, reason);
    else
        printf("%s: skipped: %s\n", backend->name, reason);
    if (c->optional)
        CHECK_MSG(strchr(reason, ';'), "%s: no remedy: %s", backend->name, reason);
}

int main(int argc, char **argv) {
    gf_environment_read();
    struct subject wanted = {.seed = 20240229, .shards = 1};
    const struct section *section = usual;
    const char *name[16];
    int names = 0;
    struct choice c = {.found = 0};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "full"))
            wanted.full = true;
        else if (!strcmp(argv[i], "small")) {
            wanted.small = true;
            section = small;
        } else if (!strcmp(argv[i], "named"))
            section = named;
        else if (!strcmp(argv[i], "tiny")) {
            wanted.tiny = true;
            section = named;
        } else if (!strcmp(argv[i], "filters"))
            section = filters;
        else if (!strcmp(argv[i], "large"))
            section = large;
        else if (!strcmp(argv[i], "gpu"))
            c.gpu = true;
        else if (!strcmp(argv[i], "list"))
            c.list = true;
        else if (!strcmp(argv[i], "optional"))
            c.optional = true;
        else if (!strncmp(argv[i], "seed=", 5))
            wanted.seed = strtoull(argv[i] + 5, NULL, 0);
        else if (sscanf(argv[i], "shard=%" SCNd64 "/%" SCNd64, &wanted.shard, &wanted.shards) == 2)
            wanted.seed += (uint64_t)wanted.shard; /* random jobs of its own */
        else if (names < (int)(sizeof name / sizeof *name))
            name[names++] = argv[i];
    }
    c.named = names > 0;
    for (int n = 0; n < names; n++) {
        int i = 0;
        while (gf_backends[i] && strcmp(gf_backends[i]->name, name[n]))
            i++;
        NEED(gf_backends[i]);
        consider(gf_backends[i], &c, &wanted, section);
    }
    for (int i = 0; gf_backends[i] && !names; i++)
        consider(gf_backends[i], &c, &wanted, section);
    if (c.list)
        return !c.found;
    if (c.gpu)
        RUN("there is a GPU", CHECK(c.found));
    return TEST_END();
}
