/* Every backend that is present, against the yardstick: accuracy, laws, outputs.
 *
 *     test_backends [full | small] [backend...] [seed=N]
 *
 * `small` keeps to the outputs of small sizes, for builds that run ten times slower.
 * Without a name, all that probe as present. A failure prints its job; the same seed repeats it. */
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

static void test_backend(const struct gf_backend *backend, bool full, bool small, uint64_t seed) {
    static void (*const section[])(struct subject *) = {backends_outputs, backends_laws,
                                                        backends_accuracy};
    static const char *const name[] = {"outputs", "laws", "accuracy"};
    struct subject s = {.backend = backend, .full = full, .small = small, .seed = seed};
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
    bool full = false, small = false, named = false;
    uint64_t seed = 20240229;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "full"))
            full = true;
        else if (!strcmp(argv[i], "small"))
            small = true;
        else if (!strncmp(argv[i], "seed=", 5))
            seed = strtoull(argv[i] + 5, NULL, 0);
        else
            named = true;
    }
    for (int i = 1; i < argc && named; i++) {
        const struct gf_backend *backend;
        if (!strcmp(argv[i], "full") || !strcmp(argv[i], "small") || !strncmp(argv[i], "seed=", 5))
            continue;
        int rc = gf_backend_find(argv[i], &backend);
        CHECK_MSG(!rc, "%s", gf_message());
        if (!rc)
            test_backend(backend, full, small, seed);
    }
    for (int i = 0; gf_backends[i] && !named; i++) {
        char reason[GF_REASON] = "";
        int rc = gf_backends[i]->probe(reason);
        printf("%s: %s\n", gf_backends[i]->name, reason);
        if (!rc)
            test_backend(gf_backends[i], full, small, seed);
    }
    return TEST_END();
}
