/* Watches commands in flight and turns failures into statuses. */
#include "core/gpu/api/opencl/context.h"

#include "core/base/status.h"

int gf_opencl_failure(const struct gf_opencl_context *g, int32_t rc, const char *what) {
    if (rc == GF_CL_ALLOCATION_FAILURE || rc == GF_CL_OUT_OF_HOST_MEMORY)
        return gf_fail(GF_ENOMEM, "%s: out of memory on '%s'", what, g->head.props.name);
    return gf_fail(GF_EBACKEND, "%s failed on '%s': %s", what, g->head.props.name,
                   gf_opencl_error(rc));
}

int gf_opencl_harvest(struct gf_opencl_context *g, unsigned slot) {
    int32_t status = 0;
    void *event = g->pending[slot];
    if (!event)
        return 0;
    g->pending[slot] = NULL;
    int32_t rc = g->cl->wait(1, &event);
    if (!g->cl->event_info(event, GF_CL_EVENT_STATUS, sizeof status, &status, NULL) && status < 0)
        rc = status;
    g->cl->release_event(event);
    if (rc < 0 && !g->failed) {
        g->failed = rc;
        g->failed_what = g->pending_what[slot];
        g->head.lost |= rc != GF_CL_ALLOCATION_FAILURE && rc != GF_CL_OUT_OF_HOST_MEMORY;
    }
    return rc;
}

void gf_opencl_watch(struct gf_opencl_context *g, void *event, const char *what) {
    unsigned slot = g->next_pending++ % GF_OPENCL_PENDING;
    gf_opencl_harvest(g, slot);
    g->pending[slot] = event;
    g->pending_what[slot] = what;
}

int gf_opencl_queued(struct gf_opencl_context *g, int32_t rc, void *event, const char *what) {
    if (rc) {
        g->head.lost |= rc == GF_CL_INVALID_QUEUE || rc == GF_CL_INVALID_CONTEXT ||
                        rc == GF_CL_DEVICE_NOT_AVAILABLE || rc == GF_CL_NVIDIA_FAULT;
        return gf_opencl_failure(g, rc, what);
    }
    if (event) {
        gf_opencl_watch(g, event, what);
        g->cl->flush(g->queue);
    }
    return 0;
}
