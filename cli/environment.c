/* Environment variables, read once at the start. */
#include "cli/environment.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/process.h"

static const char *value(const char *name) {
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* $XDG_CACHE_HOME, or ~/.cache; its specification requires that relative paths are ignored. */
static const char *cache_folder(void) {
    static char *own;
    const char *cache = value("XDG_CACHE_HOME"), *home = value("HOME");
    free(own);
    own = NULL;
    if (cache && cache[0] == '/')
        return cache;
    if (!home || home[0] != '/' || asprintf(&own, "%s/.cache", home) < 0)
        own = NULL;
    return own;
}

void gf_environment_read(void) {
    gf_process_set(&(struct gf_process){.isa = value("GPUFFT_ISA"),
                                        .kernel_folder = value("GPUFFT_KERNEL_DIR"),
                                        .cache_folder = cache_folder()});
}

const char *gf_environment_device(void) {
    return value("GPUFFT_DEVICE");
}
