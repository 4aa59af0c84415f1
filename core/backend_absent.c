/* Backends that are named, so that asking for one gives an answer, but not built. */
#include <stdio.h>

#include "core/backend.h"
#include "core/status.h"

static int absent_probe(char reason[GF_REASON]) {
    snprintf(reason, GF_REASON, "not part of this version; use --backend=openmp");
    return GF_EABSENT;
}

static int absent_open(const struct gf_backend_options *options, void **context) {
    (void)options;
    *context = NULL;
    return gf_fail(GF_EABSENT, "not part of this version; use --backend=openmp");
}

const struct gf_backend gf_backend_cufft = {
    .name = "cufft",
    .what = "NVIDIA GPUs, the cuFFT library, for comparison",
    .probe = absent_probe,
    .open = absent_open,
};
