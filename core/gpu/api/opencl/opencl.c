/* GPUs and other devices through OpenCL 1.2, with one context and in-order queues each. */
#include <pthread.h>
#include <stdlib.h>

#include "core/gpu/common.h"
#include "core/gpu/api/opencl/library.h"
#include "core/base/host/memory.h"
#include "core/base/value/status.h"

enum { LAUNCHES_AN_EVENT = 16 };

/* Allows fused multiply-add, but no option that trades accuracy for speed: no fast-relaxed-math, no
 * denorms-are-zero. */
#define OWN_OPTIONS "-cl-std=CL1.2 -cl-mad-enable"

enum { PENDING = 256 };

struct pinned {
    void *memory; /* NULL on a CPU, which uses plain memory */
    char *host;
    bool lent; /* the caller's memory, from lock() */
    int64_t bytes;
    struct pinned *next;
};

struct context {
    struct gf_gpu_device head;
    const struct gf_opencl *cl;
    void *device, *context;
    void *queue; /* the current one of `queues`, which are opened on first use */
    void *queues[GF_GPU_QUEUES];
    struct pinned *pinned;
    void *mark[GF_GPU_MARKS];
    /* A ring of events of commands in flight: only they report failures reliably. */
    void *pending[PENDING];
    const char *pending_what[PENDING];
    unsigned next_pending, launches;
    int32_t failed; /* the first such failure since the last sync */
    const char *failed_what;
};

struct gf_gpu_kernel {
    void *program, *kernel;
};

/* ---- commands in flight ---- */

/* Turns OpenCL's code into a status. */
static int opencl_failure(const struct context *g, int32_t rc, const char *what) {
    const bool full = rc == GF_CL_ALLOCATION_FAILURE || rc == GF_CL_OUT_OF_HOST_MEMORY;
    return gf_gpu_failure(&g->head, full, what, gf_opencl_error(rc));
}

/* Waits for the command in a slot of the ring, if any. Records its failure and returns its code. */
static int opencl_harvest(struct context *g, unsigned slot) {
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

/* Adds a queued command to the ring; waits for the oldest one if the ring is full. */
static void opencl_watch(struct context *g, void *event, const char *what) {
    unsigned slot = g->next_pending++ % PENDING;
    opencl_harvest(g, slot);
    g->pending[slot] = event;
    g->pending_what[slot] = what;
}

/* Checks the code of a call that queued a command; flushes the queue if there is an event. */
static int opencl_queued(struct context *g, int32_t rc, void *event, const char *what) {
    if (rc) {
        g->head.lost |= rc == GF_CL_INVALID_QUEUE || rc == GF_CL_INVALID_CONTEXT ||
                        rc == GF_CL_DEVICE_NOT_AVAILABLE || rc == GF_CL_NVIDIA_FAULT;
        return opencl_failure(g, rc, what);
    }
    if (event) {
        opencl_watch(g, event, what);
        g->cl->flush(g->queue);
    }
    return 0;
}

/* ---- memory, and page-locked memory of the host ---- */

enum { PAGE = 4096 };

static void opencl_give(void *gpu, uint64_t handle) {
    const struct context *g = gpu;
    g->cl->release_memory((void *)(uintptr_t)handle);
}

static int opencl_take(void *gpu, int64_t bytes, uint64_t *handle) {
    struct context *g = gpu;
    static const uint32_t zero = 0;
    int32_t rc = 0;
    void *memory = g->cl->create_buffer(g->context, GF_CL_MEM_READ_WRITE, (size_t)bytes, NULL, &rc);
    /* Drivers allocate at the first use: force that now, to report a failure here. */
    if (memory && !g->head.props.is_cpu) {
        void *event = NULL;
        rc = g->cl->fill(g->queue, memory, &zero, sizeof zero, 0, sizeof zero, 0, NULL, &event);
        if (event)
            opencl_watch(g, event, "taking memory");
    }
    *handle = (uint64_t)(uintptr_t)memory;
    if (memory && !rc)
        return 0;
    if (memory)
        g->cl->release_memory(memory);
    return rc == GF_CL_INVALID_BUFFER_SIZE || rc == GF_CL_OUT_OF_RESOURCES
               ? gf_gpu_no_room(gpu, bytes)
               : opencl_failure(g, rc, "taking memory");
}

static int opencl_part(void *gpu, uint64_t handle, int64_t offset, int64_t bytes, uint64_t *part) {
    const struct context *g = gpu;
    const size_t region[2] = {(size_t)offset, (size_t)bytes};
    int32_t error = 0;
    void *memory =
        g->cl->create_part((void *)(uintptr_t)handle, 0, GF_CL_BUFFER_REGION, region, &error);
    *part = (uint64_t)(uintptr_t)memory;
    return memory ? 0 : opencl_failure(g, error, "taking a part of a buffer");
}

/* OpenCL cannot report how much is free. */
static int64_t opencl_free_bytes(void *gpu) {
    const struct context *g = gpu;
    int64_t available = g->head.props.is_cpu ? gf_memory_available() : INT64_MAX;
    return available < g->head.props.memory ? available : g->head.props.memory;
}

/* Ends pin() or lock(). */
static void opencl_unpin(void *gpu, void *host) {
    struct context *g = gpu;
    for (struct pinned **p = &g->pinned; *p; p = &(*p)->next) {
        struct pinned *found = *p;
        if (found->host != host)
            continue;
        *p = found->next;
        if (found->memory) {
            g->cl->unmap(g->queue, found->memory, host, 0, NULL, NULL);
            g->cl->release_memory(found->memory);
        } else if (!found->lent) {
            free(host);
        }
        free(found);
        return;
    }
}

static int opencl_pin(void *gpu, int64_t bytes, void **host) {
    struct context *g = gpu;
    struct pinned *p = calloc(1, sizeof *p);
    int32_t rc = 0;
    char size[GF_SIZE_TEXT];
    *host = NULL;
    if (p && bytes >= 0 && bytes <= INT64_MAX - PAGE) {
        size_t room = ((size_t)bytes + PAGE) / PAGE * PAGE;
        p->bytes = bytes;
        if (g->head.props.is_cpu) {
            p->host = bytes <= g->head.props.memory ? aligned_alloc(PAGE, room) : NULL;
        } else {
            p->memory = g->cl->create_buffer(
                g->context, GF_CL_MEM_READ_WRITE | GF_CL_MEM_ALLOC_HOST, room, NULL, &rc);
            if (p->memory)
                p->host = g->cl->map(g->queue, p->memory, 1, GF_CL_MAP_READ | GF_CL_MAP_WRITE, 0,
                                     room, 0, NULL, NULL, &rc);
        }
    }
    if (p && p->host) {
        p->next = g->pinned;
        g->pinned = p;
        *host = p->host;
        return 0;
    }
    if (p && p->memory)
        g->cl->release_memory(p->memory);
    free(p);
    return gf_fail(GF_ENOMEM, "cannot lock %s of memory for the device%s%s",
                   gf_memory_text(bytes, size), rc ? ": " : "", rc ? gf_opencl_error(rc) : "");
}

/* True for memory from pin() or lock(), which stays valid. Copies of any other memory must end
 * before the call returns. */
static bool opencl_is_locked(void *gpu, const void *host, int64_t bytes) {
    const struct context *g = gpu;
    const char *at = host;
    for (const struct pinned *p = g->pinned; p; p = p->next)
        if (at >= p->host && at < p->host + p->bytes && bytes <= p->host + p->bytes - at)
            return true;
    return false;
}

/* OpenCL has no call that locks memory, but on a CPU there is nothing to lock. */
static int opencl_lock(void *gpu, void *host, int64_t bytes, bool *locked) {
    struct context *g = gpu;
    *locked = false;
    if (!g->head.props.is_cpu)
        return gf_fail(GF_EUNSUPP, "OpenCL cannot page-lock existing memory");
    if (opencl_is_locked(g, host, bytes))
        return 0;
    struct pinned *p = calloc(1, sizeof *p);
    if (!p)
        return gf_fail(GF_ENOMEM, "no memory to lock an array");
    *p = (struct pinned){.host = host, .lent = true, .bytes = bytes, .next = g->pinned};
    g->pinned = p;
    *locked = true;
    return 0;
}

static int opencl_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    struct context *g = gpu;
    static const uint64_t zeros[2] = {0, 0};
    void *event = NULL;
    /* Both ends must be multiples of the pattern; a wider pattern is faster. */
    size_t pattern = sizeof zeros;
    while ((offset | bytes) % (int64_t)pattern)
        pattern /= 2;
    int32_t error = g->cl->fill(g->queue, gf_gpu_native(to), zeros, pattern, (size_t)offset,
                                (size_t)bytes, 0, NULL, &event);
    return opencl_queued(g, error, event, "clearing memory");
}

/* OpenCL takes a row's offset as whole pitches and remaining bytes. */
static void find_origin(const struct gf_gpu_end *e, size_t origin[3]) {
    origin[0] = (size_t)(e->offset % e->pitch);
    origin[1] = (size_t)(e->offset / e->pitch);
    origin[2] = 0;
}

static int32_t move_rows(struct context *g, const struct gf_gpu_move *m, void **event) {
    const struct gf_gpu_end *from = &m->from, *to = &m->to;
    const size_t region[3] = {(size_t)m->bytes, (size_t)m->count, 1};
    const size_t from_pitch = (size_t)from->pitch, to_pitch = (size_t)to->pitch;
    size_t here[3], there[3];
    find_origin(from, here);
    find_origin(to, there);
    if (from->host)
        return g->cl->write_rows(g->queue, gf_gpu_native(to->buffer), 0, there, here, region,
                                 to_pitch, 0, from_pitch, 0, from->host, 0, NULL, event);
    if (to->host)
        return g->cl->read_rows(g->queue, gf_gpu_native(from->buffer), 0, here, there, region,
                                from_pitch, 0, to_pitch, 0, to->host, 0, NULL, event);
    return g->cl->copy_rows(g->queue, gf_gpu_native(from->buffer), gf_gpu_native(to->buffer), here,
                            there, region, from_pitch, 0, to_pitch, 0, 0, NULL, event);
}

static int opencl_move(void *gpu, const struct gf_gpu_move *m) {
    struct context *g = gpu;
    const struct gf_gpu_end *from = &m->from, *to = &m->to;
    const size_t bytes = (size_t)m->bytes;
    const char *host = from->host ? from->host : to->host;
    const bool wait = host && m->count == 1 && !opencl_is_locked(g, host, m->bytes);
    void *event = NULL, **made = wait ? NULL : &event;
    int32_t error;
    if (m->count > 1)
        error = move_rows(g, m, made);
    else if (from->host)
        error = g->cl->write(g->queue, gf_gpu_native(to->buffer), wait, (size_t)to->offset, bytes,
                             from->host, 0, NULL, made);
    else if (to->host)
        error = g->cl->read(g->queue, gf_gpu_native(from->buffer), wait, (size_t)from->offset,
                            bytes, to->host, 0, NULL, made);
    else
        error = g->cl->copy(g->queue, gf_gpu_native(from->buffer), gf_gpu_native(to->buffer),
                            (size_t)from->offset, (size_t)to->offset, bytes, 0, NULL, made);
    return opencl_queued(g, error, event, m->what);
}

/* Each device has its own context, so it reaches only its own memory. */
static bool opencl_reaches(void *gpu, void *other) {
    return gpu == other;
}

/* ---- devices ---- */

static bool opencl_installed(void) {
    return gf_opencl_find();
}

/* ---- the context ---- */

static void opencl_close(void *gpu) {
    struct context *g = gpu;
    if (!g)
        return;
    for (int i = 0; i < GF_GPU_QUEUES; i++)
        if (g->queues[i])
            g->cl->finish(g->queues[i]);
    for (unsigned i = 0; i < PENDING; i++)
        opencl_harvest(g, i);
    while (g->pinned)
        opencl_unpin(g, g->pinned->host);
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
    struct context *g = gpu;
    void **which = &g->queues[queue];
    int32_t error = 0;
    if (!*which)
        *which = g->cl->create_queue(g->context, g->device, GF_CL_QUEUE_PROFILING, &error);
    if (!*which)
        return opencl_failure(g, error, "opening a queue");
    g->queue = *which;
    return 0;
}

static int opencl_open(struct gf_gpu_props *props, void **gpu) {
    int32_t error = 0;
    struct context *g = calloc(1, sizeof *g);
    if (!g)
        return gf_no_memory();
    g->head.api = &gf_gpu_opencl;
    g->head.props = *props;
    g->cl = gf_opencl_find();
    g->device = (void *)(uintptr_t)props->handle;
    g->context = g->cl->create_context(NULL, 1, &g->device, NULL, NULL, &error);
    int rc = g->context ? opencl_use(g, 0) : opencl_failure(g, error, "opening a context");
    if (rc)
        opencl_close(g);
    else
        *gpu = g;
    return rc;
}

/* ---- commands in flight ---- */

static int opencl_sync(void *gpu) {
    struct context *g = gpu;
    int32_t rc = 0;
    for (int i = 0; i < GF_GPU_QUEUES && !rc; i++)
        if (g->queues[i])
            rc = g->cl->finish(g->queues[i]);
    for (unsigned i = 0; i < PENDING; i++)
        opencl_harvest(g, (g->next_pending + i) % PENDING); /* the oldest first */
    if (g->failed) {
        rc = g->failed;
        g->failed = 0;
        return opencl_failure(g, rc, g->failed_what);
    }
    if (rc) {
        g->head.lost = true;
        return opencl_failure(g, rc, "waiting for the device");
    }
    return 0;
}

static int opencl_mark(void *gpu, int which) {
    struct context *g = gpu;
    void *event = NULL;
    int32_t rc = g->cl->marker(g->queue, 0, NULL, &event);
    if (rc)
        return opencl_queued(g, rc, NULL, "marking a time");
    if (g->mark[which])
        g->cl->release_event(g->mark[which]);
    g->mark[which] = event;
    g->cl->flush(g->queue);
    return 0;
}

/* sync() reports failures. */
static int opencl_reach(void *gpu, int which) {
    const struct context *g = gpu;
    if (g->mark[which])
        g->cl->wait(1, &g->mark[which]);
    return 0;
}

/* In an in-order queue a marker holds up later commands. */
static int opencl_follow(void *gpu, int which) {
    struct context *g = gpu;
    if (!g->mark[which])
        return 0;
    int32_t rc = g->cl->marker(g->queue, 1, &g->mark[which], NULL);
    return opencl_queued(g, rc, NULL, "waiting for another queue");
}

/* Events are valid in one context only, so the calling thread waits. */
static int opencl_follow_other(void *gpu, void *other, int which) {
    return gpu == other ? opencl_follow(gpu, which) : opencl_reach(other, which);
}

static int opencl_elapsed(void *gpu, double *seconds) {
    struct context *g = gpu;
    uint64_t at[2] = {0, 0};
    *seconds = 0;
    if (!g->mark[0] || !g->mark[1])
        return gf_fail(GF_EBACKEND, "the device has no two marks to measure between");
    int32_t rc = g->cl->wait(2, g->mark);
    for (int i = 0; i < 2 && !rc; i++)
        rc = g->cl->profiling_info(g->mark[i], GF_CL_PROFILING_END, sizeof at[i], &at[i], NULL);
    if (rc)
        return opencl_failure(g, rc, "reading the device's clock");
    *seconds = 1e-9 * (double)(int64_t)(at[1] - at[0]);
    return 0;
}

static void *opencl_stream(void *gpu) {
    return ((struct context *)gpu)->queue;
}

/* ---- kernels ---- */

static int build_failure(struct context *g, void *program, const char *name, int32_t rc) {
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
    struct context *g = gpu;
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
        rc = opencl_failure(g, error, "making a program");
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
        rc = opencl_failure(g, error, "taking a binary");
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
    struct context *g = gpu;
    if (!k)
        return;
    if (k->kernel)
        g->cl->release_kernel(k->kernel);
    if (k->program)
        g->cl->release_program(k->program);
    free(k);
}

/* One program is loaded at a time: PoCL (3.1) unpacks it into files that all devices share, and of two threads that
 * unpack the same one, one removes what the other is about to open, which ends the process. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static int opencl_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                       int64_t local_bytes, struct gf_gpu_kernel **kernel) {
    struct context *g = gpu;
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
    pthread_mutex_lock(&loading);
    k->program =
        g->cl->program_from_binary(g->context, 1, &g->device, &bytes, &image, &status, &error);
    if (!error)
        error = status;
    if (k->program && !error)
        error = g->cl->build(k->program, 1, &g->device, "", NULL, NULL);
    pthread_mutex_unlock(&loading);
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
    struct context *g = gpu;
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
        return opencl_failure(g, rc, "setting a kernel's arguments");
    rc = g->cl->launch(g->queue, kernel, 1, NULL, &all, &group, 0, NULL, watched ? &event : NULL);
    return opencl_queued(g, rc, event, "a kernel");
}

const struct gf_gpu gf_gpu_opencl = {
    .name = "opencl",
    .installed = opencl_installed,
    .find = gf_opencl_devices,
    .open = opencl_open,
    .close = opencl_close,
    GF_GPU_COMMON(opencl),
    .pin = opencl_pin,
    .unpin = opencl_unpin,
    .lock = opencl_lock,
    .unlock = opencl_unpin,
    .is_locked = opencl_is_locked,
    .part = opencl_part,
    .view = gf_gpu_view,
    .reaches = opencl_reaches,
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
