/* The user's settings for code below the command line, which reads no environment variables itself.
 *
 *     const struct gf_environment env = {.cache_folder = "/home/me/.cache"};
 *     int rc = gf_backend_find(&env, "cuda", &b); */
#ifndef GF_CORE_BASE_ENVIRONMENT_H
#define GF_CORE_BASE_ENVIRONMENT_H

#include <stddef.h>

/* Whoever opens a backend, an engine or a store passes it on, and keeps it for as long as they are
 * open. NULL says nothing. */
struct gf_environment {
    const char *kernel_folder; /* GPU kernel sources; NULL: those inside the program */
    const char *cache_folder;  /* the parent of gpufft/, absolute; NULL: nothing is kept */
};

static inline const char *gf_environment_kernels(const struct gf_environment *env) {
    return env ? env->kernel_folder : NULL;
}
static inline const char *gf_environment_cache(const struct gf_environment *env) {
    return env ? env->cache_folder : NULL;
}

/* The openmp backend's kernels: "plain", "v2", …; NULL: the best that the CPU runs. As results may
 * differ by rounding, all of a process uses the same: set it before a second thread starts, and let
 * the string last. */
void gf_environment_set_isa(const char *isa);
const char *gf_environment_isa(void);

#endif
