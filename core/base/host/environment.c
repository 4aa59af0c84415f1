/* The process's choice of kernels for the CPU. */
#include "core/base/host/environment.h"

static const char *chosen;

void gf_environment_set_isa(const char *isa) {
    chosen = isa;
}

const char *gf_environment_isa(void) {
    return chosen;
}
