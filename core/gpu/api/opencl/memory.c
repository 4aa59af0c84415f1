/* OpenCL devices' memory, page-locked host memory, and copies. */
#include <stdlib.h>

#include "core/gpu/common.h"
#include "core/gpu/api/opencl/context.h"
#include "core/base/memory.h"
#include "core/base/status.h"

enum { PAGE = 4096 };

void gf_opencl_give(void *gpu, uint64_t handle) {
    const struct gf_opencl_context *g = gpu;
    g->cl->release_memory((void *)(uintptr_t)handle);
}

int gf_opencl_take(void *gpu, int64_t bytes, uint64_t *handle) {
    struct gf_opencl_context *g = gpu;
    static const uint32_t zero = 0;
    int32_t rc = 0;
    void *memory = g->cl->create_buffer(g->context, GF_CL_MEM_READ_WRITE, (size_t)bytes, NULL, &rc);
    /* Drivers allocate at the first use: force that now, to report a failure here. */
    if (memory && !g->head.props.is_cpu) {
        void *event = NULL;
        rc = g->cl->fill(g->queue, memory, &zero, sizeof zero, 0, sizeof zero, 0, NULL, &event);
        if (event)
            gf_opencl_watch(g, event, "taking memory");
    }
    *handle = (uint64_t)(uintptr_t)memory;
    if (memory && !rc)
        return 0;
    if (memory)
        g->cl->release_memory(memory);
    return rc == GF_CL_INVALID_BUFFER_SIZE || rc == GF_CL_OUT_OF_RESOURCES
               ? gf_gpu_no_room(gpu, bytes)
               : gf_opencl_failure(g, rc, "taking memory");
}

int gf_opencl_part(void *gpu, uint64_t handle, int64_t offset, int64_t bytes, uint64_t *part) {
    const struct gf_opencl_context *g = gpu;
    const size_t region[2] = {(size_t)offset, (size_t)bytes};
    int32_t error = 0;
    void *memory =
        g->cl->create_part((void *)(uintptr_t)handle, 0, GF_CL_BUFFER_REGION, region, &error);
    *part = (uint64_t)(uintptr_t)memory;
    return memory ? 0 : gf_opencl_failure(g, error, "taking a part of a buffer");
}

/* OpenCL cannot report how much is free. */
int64_t gf_opencl_free_bytes(void *gpu) {
    const struct gf_opencl_context *g = gpu;
    int64_t available = g->head.props.is_cpu ? gf_memory_available() : INT64_MAX;
    return available < g->head.props.memory ? available : g->head.props.memory;
}

void gf_opencl_unlock(void *gpu, void *host) {
    struct gf_opencl_context *g = gpu;
    for (struct gf_opencl_pinned **p = &g->pinned; *p; p = &(*p)->next) {
        struct gf_opencl_pinned *found = *p;
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

void gf_opencl_unpin(void *gpu, void *host) {
    gf_opencl_unlock(gpu, host);
}

int gf_opencl_pin(void *gpu, int64_t bytes, void **host) {
    struct gf_opencl_context *g = gpu;
    struct gf_opencl_pinned *p = calloc(1, sizeof *p);
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
bool gf_opencl_is_locked(void *gpu, const void *host, int64_t bytes) {
    const struct gf_opencl_context *g = gpu;
    const char *at = host;
    for (const struct gf_opencl_pinned *p = g->pinned; p; p = p->next)
        if (at >= p->host && at < p->host + p->bytes && bytes <= p->host + p->bytes - at)
            return true;
    return false;
}

/* OpenCL has no call that locks memory, but on a CPU there is nothing to lock. */
int gf_opencl_lock(void *gpu, void *host, int64_t bytes, bool *locked) {
    struct gf_opencl_context *g = gpu;
    *locked = false;
    if (!g->head.props.is_cpu)
        return gf_fail(GF_EUNSUPP, "OpenCL cannot page-lock existing memory");
    if (gf_opencl_is_locked(g, host, bytes))
        return 0;
    struct gf_opencl_pinned *p = calloc(1, sizeof *p);
    if (!p)
        return gf_fail(GF_ENOMEM, "no memory to lock an array");
    *p = (struct gf_opencl_pinned){.host = host, .lent = true, .bytes = bytes, .next = g->pinned};
    g->pinned = p;
    *locked = true;
    return 0;
}

int gf_opencl_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    struct gf_opencl_context *g = gpu;
    static const uint64_t zeros[2] = {0, 0};
    void *event = NULL;
    /* Both ends must be multiples of the pattern; a wider pattern is faster. */
    size_t pattern = sizeof zeros;
    while ((offset | bytes) % (int64_t)pattern)
        pattern /= 2;
    int32_t error = g->cl->fill(g->queue, gf_gpu_native(to), zeros, pattern, (size_t)offset,
                                (size_t)bytes, 0, NULL, &event);
    return gf_opencl_queued(g, error, event, "clearing memory");
}

/* OpenCL takes a row's offset as whole pitches and remaining bytes. */
static void find_origin(const struct gf_gpu_end *e, size_t origin[3]) {
    origin[0] = (size_t)(e->offset % e->pitch);
    origin[1] = (size_t)(e->offset / e->pitch);
    origin[2] = 0;
}

static int32_t move_rows(struct gf_opencl_context *g, const struct gf_gpu_move *m, void **event) {
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

int gf_opencl_move(void *gpu, const struct gf_gpu_move *m) {
    struct gf_opencl_context *g = gpu;
    const struct gf_gpu_end *from = &m->from, *to = &m->to;
    const size_t bytes = (size_t)m->bytes;
    const char *host = from->host ? from->host : to->host;
    const bool wait = host && m->count == 1 && !gf_opencl_is_locked(g, host, m->bytes);
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
    return gf_opencl_queued(g, error, event, m->what);
}

/* Each device has its own context, so it reaches only its own memory. */
bool gf_opencl_reaches(void *gpu, void *other) {
    return gpu == other;
}
