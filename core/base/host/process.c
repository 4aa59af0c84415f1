/* The process's options, in one place. */
#include "core/base/host/process.h"

static struct gf_process options;

void gf_process_set(const struct gf_process *o) {
    options = *o;
}

const struct gf_process *gf_process(void) {
    return &options;
}
