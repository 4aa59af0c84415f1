/* Enters a device's context, and turns failures of calls into statuses. */
#include "core/gpu/api/cuda/device.h"

int gf_cuda_failure(struct gf_cuda_device *g, int rc, const char *what) {
    if (gf_cuda_is_fatal(rc))
        g->head.lost = true;
    if (rc == GF_CU_OUT_OF_MEMORY)
        return gf_fail(GF_ENOMEM, "%s: out of memory on '%s'", what, g->head.props.name);
    return gf_fail(GF_EBACKEND, "%s failed on '%s': %s", what, g->head.props.name,
                   gf_cuda_error(g->cu, rc));
}

int gf_cuda_check(struct gf_cuda_device *g, int rc, const char *what) {
    return rc ? gf_cuda_failure(g, rc, what) : 0;
}

int gf_cuda_enter(struct gf_cuda_device *g) {
    return gf_cuda_check(g, g->cu->context_set(g->context), "entering the context");
}
