/* GPUs and other devices through OpenCL 1.2, with one context and in-order queues each. */
#include <stdlib.h>

#include "core/gpu/common.h"
#include "core/gpu/api/opencl/context.h"
#include "core/base/status.h"

enum { LAUNCHES_AN_EVENT = 16 };

/* Allows fused multiply-add, but no option that trades accuracy for speed: no fast-relaxed-math, no
 * denorms-are-zero. */
#define OWN_OPTIONS "-cl-std=CL1.2 -cl-mad-enable"

/* ---- devices ---- */

static bool opencl_installed(void) {
    return gf_opencl_find();
}

/* ---- the context ---- */

static void opencl_close(void *gpu) {
    struct gf_opencl_context *g = gpu;
    if (!g)
        return;
    for (int i = 0; i < GF_GPU_QUEUES; i++)
        if (g->queues[i])
            g->cl->finish(g->queues[i]);
    for (unsigned i = 0; i < GF_OPENCL_PENDING; i++)
        gf_opencl_harvest(g, i);
    while (g->pinned)
        gf_opencl_unpin(g, g->pinned->host);
    for (int i = 0; i < GF_GPU_MARKS; i++)
        if (g->mark[i])
            g->cl->release_event(g->mark[i]);
    for (int i = 0; i < GF_GPU_QUEUES; i++)
        if (g->queues[i])
            g->cl->release_queue(g->queues[i]);
    if (g->context)
        g->cl->release_context(g->context);
    free(g);
}

static int opencl_use(void *gpu, int queue) {
    struct gf_opencl_context *g = gpu;
    void **which = &g->queues[queue];
    int32_t error = 0;
    if (!*which)
        *which = g->cl->create_queue(g->context, g->device, GF_CL_QUEUE_PROFILING, &error);
    if (!*which)
        return gf_opencl_failure(g, error, "opening a queue");
    g->queue = *which;
    return 0;
}

static int opencl_open(struct gf_gpu_props *props, void **gpu) {
    int32_t error = 0;
    struct gf_opencl_context *g = calloc(1, sizeof *g);
    if (!g)
        return gf_no_memory();
    g->head.api = &gf_gpu_opencl;
    g->head.props = *props;
    g->cl = gf_opencl_find();
    g->device = (void *)(uintptr_t)props->handle;
    g->context = g->cl->create_context(NULL, 1, &g->device, NULL, NULL, &error);
    int rc = g->context ? opencl_use(g, 0) : gf_opencl_failure(g, error, "opening a context");
    if (rc)
        opencl_close(g);
    else
        *gpu = g;
    return rc;
}

/* ---- commands in flight ---- */

static int opencl_sync(void *gpu) {
    struct gf_opencl_context *g = gpu;
    int32_t rc = 0;
    for (int i = 0; i < GF_GPU_QUEUES && !rc; i++)
        if (g->queues[i])
            rc = g->cl->finish(g->queues[i]);
    for (unsigned i = 0; i < GF_OPENCL_PENDING; i++)
        gf_opencl_harvest(g, (g->next_pending + i) % GF_OPENCL_PENDING); /* the oldest first */
    if (g->failed) {
        rc = g->failed;
        g->failed = 0;
        return gf_opencl_failure(g, rc, g->failed_what);
    }
    if (rc) {
        g->head.lost = true;
        return gf_opencl_failure(g, rc, "waiting for the device");
    }
    return 0;
}

static int opencl_mark(void *gpu, int which) {
    struct gf_opencl_context *g = gpu;
    void *event = NULL;
    int32_t rc = g->cl->marker(g->queue, 0, NULL, &event);
    if (rc)
        return gf_opencl_queued(g, rc, NULL, "marking a time");
    if (g->mark[which])
        g->cl->release_event(g->mark[which]);
    g->mark[which] = event;
    g->cl->flush(g->queue);
    return 0;
}

/* sync() reports failures. */
static int opencl_reach(void *gpu, int which) {
    const struct gf_opencl_context *g = gpu;
    if (g->mark[which])
        g->cl->wait(1, &g->mark[which]);
    return 0;
}

/* In an in-order queue a marker holds up later commands. */
static int opencl_follow(void *gpu, int which) {
    struct gf_opencl_context *g = gpu;
    if (!g->mark[which])
        return 0;
    int32_t rc = g->cl->marker(g->queue, 1, &g->mark[which], NULL);
    return gf_opencl_queued(g, rc, NULL, "waiting for another queue");
}

/* Events are valid in one context only, so the calling thread waits. */
static int opencl_follow_other(void *gpu, void *other, int which) {
    return gpu == other ? opencl_follow(gpu, which) : opencl_reach(other, which);
}

static int opencl_elapsed(void *gpu, double *seconds) {
    struct gf_opencl_context *g = gpu;
    uint64_t at[2] = {0, 0};
    *seconds = 0;
    if (!g->mark[0] || !g->mark[1])
        return gf_fail(GF_EBACKEND, "the device has no two marks to measure between");
    int32_t rc = g->cl->wait(2, g->mark);
    for (int i = 0; i < 2 && !rc; i++)
        rc = g->cl->profiling_info(g->mark[i], GF_CL_PROFILING_END, sizeof at[i], &at[i], NULL);
    if (rc)
        return gf_opencl_failure(g, rc, "reading the device's clock");
    *seconds = 1e-9 * (double)(int64_t)(at[1] - at[0]);
    return 0;
}

static void *opencl_stream(void *gpu) {
    return ((struct gf_opencl_context *)gpu)->queue;
}

/* ---- kernels ---- */

static int build_failure(struct gf_opencl_context *g, void *program, const char *name, int32_t rc) {
    size_t bytes = 0;
    char *log = NULL;
    const char *line = "";
    if (!g->cl->build_info(program, g->device, GF_CL_BUILD_LOG, 0, NULL, &bytes) && bytes)
        log = calloc(1, bytes + 1);
    if (log && !g->cl->build_info(program, g->device, GF_CL_BUILD_LOG, bytes, log, NULL))
        line = gf_gpu_complaint(log);
    int status = gf_fail(GF_EBACKEND, "building %s for '%s': %s", name, g->head.props.name,
                         *line ? line : gf_opencl_error(rc));
    free(log);
    return status;
}

static int opencl_build(void *gpu, const char *name, const char *source, const char *options,
                        void **binary, size_t *bytes) {
    struct gf_opencl_context *g = gpu;
    void *program = NULL;
    unsigned char *taken = NULL;
    char *all = NULL;
    int32_t error = 0;
    size_t size = 0;
    int rc;
    *binary = NULL;
    *bytes = 0;
    if (asprintf(&all, OWN_OPTIONS " %s", options) < 0) {
        all = NULL;
        rc = gf_fail(GF_ENOMEM, "no memory to build %s", name);
        goto out;
    }
    program = g->cl->program_from_source(g->context, 1, &source, NULL, &error);
    if (!program) {
        rc = gf_opencl_failure(g, error, "making a program");
        goto out;
    }
    error = g->cl->build(program, 1, &g->device, all, NULL, NULL);
    gf_opencl_restore_signals();
    if (error) {
        rc = build_failure(g, program, name, error);
        goto out;
    }
    /* One device, so one size and one binary. */
    error = g->cl->program_info(program, GF_CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    if (error || !size) {
        rc = gf_fail(GF_EBACKEND, "'%s' returns no binary of %s", g->head.props.name, name);
        goto out;
    }
    taken = malloc(size);
    if (!taken) {
        rc = gf_fail(GF_ENOMEM, "no memory to build %s", name);
        goto out;
    }
    error = g->cl->program_info(program, GF_CL_PROGRAM_BINARIES, sizeof taken, &taken, NULL);
    if (error) {
        rc = gf_opencl_failure(g, error, "taking a binary");
        goto out;
    }
    *binary = taken;
    *bytes = size;
    taken = NULL;
    rc = 0;
out:
    if (program)
        g->cl->release_program(program);
    free(taken);
    free(all);
    return rc;
}

static void opencl_unload(void *gpu, struct gf_gpu_kernel *k) {
    struct gf_opencl_context *g = gpu;
    if (!k)
        return;
    if (k->kernel)
        g->cl->release_kernel(k->kernel);
    if (k->program)
        g->cl->release_program(k->program);
    free(k);
}

static int opencl_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                       int64_t local_bytes, struct gf_gpu_kernel **kernel) {
    struct gf_opencl_context *g = gpu;
    const unsigned char *image = binary;
    int32_t status = 0, error = 0;
    *kernel = NULL;
    if (local_bytes > g->head.props.local_bytes)
        return gf_fail(GF_EBACKEND, "%s needs %lld bytes of local memory, '%s' has %lld", entry,
                       (long long)local_bytes, g->head.props.name,
                       (long long)g->head.props.local_bytes);
    struct gf_gpu_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return gf_no_memory();
    k->program =
        g->cl->program_from_binary(g->context, 1, &g->device, &bytes, &image, &status, &error);
    if (!error)
        error = status;
    if (k->program && !error)
        error = g->cl->build(k->program, 1, &g->device, "", NULL, NULL);
    gf_opencl_restore_signals();
    if (k->program && !error)
        k->kernel = g->cl->create_kernel(k->program, entry, &error);
    if (k->kernel) {
        *kernel = k;
        return 0;
    }
    opencl_unload(g, k);
    return gf_fail(GF_EBACKEND, "loading %s on '%s': %s", entry, g->head.props.name,
                   gf_opencl_error(error));
}

static int opencl_launch(void *gpu, const struct gf_gpu_launch *l) {
    struct gf_opencl_context *g = gpu;
    void *kernel = l->kernel->kernel, *event = NULL;
    /* An event for each launch would double a small kernel's time. As the queue is in order, an
     * event every few launches bounds how far it runs ahead of the device. */
    const bool watched = g->launches++ % LAUNCHES_AN_EVENT == 0;
    uint32_t index = 0;
    int32_t rc = 0;
    if (l->groups <= 0 || l->group <= 0 || l->groups > INT64_MAX / l->group)
        return gf_fail(GF_EBACKEND, "cannot launch %lld groups of %d", (long long)l->groups,
                       l->group);
    size_t group = (size_t)l->group, all = (size_t)l->groups * group;
    for (int i = 0; i < l->n_buffers && !rc; i++) {
        void *memory = l->buffer[i] ? gf_gpu_native(l->buffer[i]) : NULL;
        rc = g->cl->set_argument(kernel, index++, sizeof memory, &memory);
    }
    if (l->args_bytes && !rc)
        rc = g->cl->set_argument(kernel, index++, l->args_bytes, l->args);
    if (l->local_bytes > 0 && !rc)
        rc = g->cl->set_argument(kernel, index, (size_t)l->local_bytes, NULL);
    if (rc)
        return gf_opencl_failure(g, rc, "setting a kernel's arguments");
    rc = g->cl->launch(g->queue, kernel, 1, NULL, &all, &group, 0, NULL, watched ? &event : NULL);
    return gf_opencl_queued(g, rc, event, "a kernel");
}

const struct gf_gpu gf_gpu_opencl = {
    .name = "opencl",
    .installed = opencl_installed,
    .find = gf_opencl_devices,
    .open = opencl_open,
    .close = opencl_close,
    GF_GPU_COMMON(gf_opencl),
    .lock = gf_opencl_lock,
    .unlock = gf_opencl_unlock,
    .is_locked = gf_opencl_is_locked,
    .part = gf_opencl_part,
    .view = gf_gpu_view,
    .reaches = gf_opencl_reaches,
    .follow_other = opencl_follow_other,
    .build = opencl_build,
    .load = opencl_load,
    .unload = opencl_unload,
    .launch = opencl_launch,
    .sync = opencl_sync,
    .use = opencl_use,
    .mark = opencl_mark,
    .reach = opencl_reach,
    .follow = opencl_follow,
    .elapsed = opencl_elapsed,
    .stream = opencl_stream,
};
