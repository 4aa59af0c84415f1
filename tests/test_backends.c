/* Every backend that is present, against the yardstick: accuracy, laws, outputs.
 *
 *     test_backends [full | small] [backend...] [seed=N] [shard=I/N]
 *
 * `small` keeps to the outputs of small sizes, for builds that run ten times slower.
 * `shard` makes one check in N, the I-th, for backends whose kernels take long to build.
 * Without a name, all that probe as present. A failure prints its job; the same seed repeats it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/status.h"
#include "tests/backends.h"
#include "tests/test.h"

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void test_backend(const struct gf_backend *backend, const struct subject *wanted) {
    bool small = wanted->small;
    static void (*const section[])(struct subject *) = {backends_outputs, backends_laws,
                                                        backends_accuracy};
    static const char *const name[] = {"outputs", "laws", "accuracy"};
    struct subject s = *wanted;
    s.backend = backend;
    for (int i = 0; i < 2; i++) {
        struct gf_backend_options options = {.threads = i ? 0 : 1};
        int rc = backend->open(&options, &s.context[i]);
        CHECK_MSG(!rc, "%s: %s", backend->name, gf_message());
        if (rc)
            goto out;
    }
    for (int i = 0; i < (small ? 2 : 3); i++) {
        int passed = s.passed, failed = s.failed;
        double start = seconds();
        section[i](&s);
        printf("%s: %s: %d passed, %d failed, %.1f s\n", backend->name, name[i], s.passed - passed,
               s.failed - failed, seconds() - start);
    }
    for (int p = 0; p < 2 && !small; p++)
        for (int other = 0; other < 2; other++)
            printf("%s: %s, %s: worst error %.3g, %.2f of what is allowed: %s\n", backend->name,
                   p ? "double" : "single", other ? "other factors" : "factors to 13",
                   s.worst[p][other].error, s.worst[p][other].ratio, s.worst[p][other].what);
    fflush(stdout);
out:
    for (int i = 0; i < 2; i++)
        if (s.context[i])
            backend->close(s.context[i]);
    test_passed += s.passed;
    test_failed += s.failed;
}

int main(int argc, char **argv) {
    struct subject wanted = {.seed = 20240229, .shards = 1};
    bool named = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "full"))
            wanted.full = true;
        else if (!strcmp(argv[i], "small"))
            wanted.small = true;
        else if (!strncmp(argv[i], "seed=", 5))
            wanted.seed = strtoull(argv[i] + 5, NULL, 0);
        else if (sscanf(argv[i], "shard=%" SCNd64 "/%" SCNd64, &wanted.shard, &wanted.shards) == 2)
            wanted.seed += (uint64_t)wanted.shard; /* random jobs of its own */
        else
            named = true;
    }
    for (int i = 1; i < argc && named; i++) {
        const struct gf_backend *backend;
        if (!strcmp(argv[i], "full") || !strcmp(argv[i], "small") || strchr(argv[i], '='))
            continue;
        int rc = gf_backend_find(argv[i], &backend);
        CHECK_MSG(!rc, "%s", gf_message());
        if (!rc)
            test_backend(backend, &wanted);
    }
    for (int i = 0; gf_backends[i] && !named; i++) {
        char reason[GF_REASON] = "";
        int rc = gf_backends[i]->probe(reason);
        printf("%s: %s\n", gf_backends[i]->name, reason);
        if (!rc)
            test_backend(gf_backends[i], &wanted);
    }
    return TEST_END();
}
