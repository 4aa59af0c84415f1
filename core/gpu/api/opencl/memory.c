/* The memory of OpenCL's devices, page-locked host memory, and copies between them. */
#include <stdlib.h>

#include "core/gpu/common.h"
#include "core/gpu/api/opencl/context.h"
#include "core/base/memory.h"
#include "core/base/status.h"

enum { PAGE = 4096 };

void gf_opencl_free(void *gpu, struct gf_gpu_buffer *buffer) {
    struct gf_opencl_context *g = gpu;
    if (!buffer)
        return;
    if (buffer->memory)
        g->cl->release_memory(buffer->memory);
    free(buffer);
}

int gf_opencl_alloc(void *gpu, int64_t bytes, struct gf_gpu_buffer **out) {
    struct gf_opencl_context *g = gpu;
    struct gf_gpu_buffer *b = calloc(1, sizeof *b);
    static const uint32_t zero = 0;
    int32_t rc = 0;
    char size[GF_SIZE_TEXT];
    *out = NULL;
    if (!b)
        return gf_fail(GF_ENOMEM, "no memory for a buffer");
    if (bytes < 0 || bytes > g->props.memory) {
        rc = GF_CL_INVALID_BUFFER_SIZE;
    } else {
        b->bytes = bytes;
        b->memory = g->cl->create_buffer(g->context, GF_CL_MEM_READ_WRITE,
                                         bytes < 16 ? 16 : (size_t)bytes, NULL, &rc);
    }
    /* Drivers allocate at the first use: force it here, where a failure is expected. */
    if (b->memory && !g->props.is_cpu) {
        void *event = NULL;
        rc = g->cl->fill(g->queue, b->memory, &zero, sizeof zero, 0, sizeof zero, 0, NULL, &event);
        if (event)
            gf_opencl_watch(g, event, "taking memory");
    }
    if (b->memory && !rc) {
        *out = b;
        return 0;
    }
    gf_opencl_free(g, b);
    if (rc == GF_CL_INVALID_BUFFER_SIZE || rc == GF_CL_OUT_OF_RESOURCES)
        return gf_fail(GF_ENOMEM, "'%s' has no room for a buffer of %s", g->props.name,
                       gf_memory_text(bytes, size));
    return gf_opencl_failure(g, rc, "taking memory");
}

int gf_opencl_view(void *gpu, struct gf_gpu_buffer *of, int64_t offset, int64_t bytes,
                   struct gf_gpu_buffer **view) {
    struct gf_opencl_context *g = gpu;
    const size_t region[2] = {(size_t)offset, (size_t)bytes};
    int32_t error = 0;
    *view = NULL;
    int rc = gf_gpu_check_range(offset, bytes, of->bytes);
    if (rc)
        return rc;
    struct gf_gpu_buffer *b = calloc(1, sizeof *b);
    if (!b)
        return gf_fail(GF_ENOMEM, "no memory for a buffer");
    b->bytes = bytes;
    b->memory = g->cl->create_part(of->memory, 0, GF_CL_BUFFER_REGION, region, &error);
    if (b->memory) {
        *view = b;
        return 0;
    }
    free(b);
    return gf_opencl_failure(g, error, "taking a part of a buffer");
}

/* OpenCL cannot report how much is free. */
int64_t gf_opencl_free_bytes(void *gpu) {
    const struct gf_opencl_context *g = gpu;
    int64_t available = g->props.is_cpu ? gf_memory_available() : INT64_MAX;
    return available < g->props.memory ? available : g->props.memory;
}

void gf_opencl_unpin(void *gpu, void *host) {
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

int gf_opencl_pin(void *gpu, int64_t bytes, void **host) {
    struct gf_opencl_context *g = gpu;
    struct gf_opencl_pinned *p = calloc(1, sizeof *p);
    int32_t rc = 0;
    char size[GF_SIZE_TEXT];
    *host = NULL;
    if (p && bytes >= 0 && bytes <= INT64_MAX - PAGE) {
        size_t room = ((size_t)bytes + PAGE) / PAGE * PAGE;
        p->bytes = bytes;
        if (g->props.is_cpu) {
            p->host = bytes <= g->props.memory ? aligned_alloc(PAGE, room) : NULL;
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

/* Whether pin() made or lock() knows the memory, so that it stays valid. A copy of any other memory must be
 * complete when the call returns. */
static bool is_pinned(const struct gf_opencl_context *g, const void *host, int64_t bytes) {
    const char *at = host;
    for (const struct gf_opencl_pinned *p = g->pinned; p; p = p->next)
        if (at >= p->host && at < p->host + p->bytes && bytes <= p->host + p->bytes - at)
            return true;
    return false;
}

bool gf_opencl_is_locked(void *gpu, const void *host, int64_t bytes) {
    return is_pinned(gpu, host, bytes);
}

/* OpenCL has no call that locks memory, but on a CPU there is nothing to lock. */
int gf_opencl_lock(void *gpu, void *host, int64_t bytes, bool *locked) {
    struct gf_opencl_context *g = gpu;
    *locked = false;
    if (!g->props.is_cpu)
        return gf_fail(GF_EUNSUPP, "OpenCL cannot page-lock existing memory");
    if (is_pinned(g, host, bytes))
        return 0;
    struct gf_opencl_pinned *p = calloc(1, sizeof *p);
    if (!p)
        return gf_fail(GF_ENOMEM, "no memory to lock an array");
    *p = (struct gf_opencl_pinned){.host = host, .lent = true, .bytes = bytes, .next = g->pinned};
    g->pinned = p;
    *locked = true;
    return 0;
}

int gf_opencl_upload(void *gpu, struct gf_gpu_buffer *to, int64_t offset, const void *host,
                     int64_t bytes) {
    struct gf_opencl_context *g = gpu;
    void *event = NULL;
    int rc = gf_gpu_check_range(offset, bytes, to->bytes);
    if (rc || !bytes)
        return rc;
    bool wait = !is_pinned(g, host, bytes);
    int32_t error = g->cl->write(g->queue, to->memory, wait, (size_t)offset, (size_t)bytes, host, 0,
                                 NULL, wait ? NULL : &event);
    return gf_opencl_queued(g, error, event, "an upload");
}

int gf_opencl_download(void *gpu, void *host, const struct gf_gpu_buffer *from, int64_t offset,
                       int64_t bytes) {
    struct gf_opencl_context *g = gpu;
    void *event = NULL;
    int rc = gf_gpu_check_range(offset, bytes, from->bytes);
    if (rc || !bytes)
        return rc;
    bool wait = !is_pinned(g, host, bytes);
    int32_t error = g->cl->read(g->queue, from->memory, wait, (size_t)offset, (size_t)bytes, host,
                                0, NULL, wait ? NULL : &event);
    return gf_opencl_queued(g, error, event, "a download");
}

int gf_opencl_clear(void *gpu, struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    struct gf_opencl_context *g = gpu;
    static const uint64_t zeros[2] = {0, 0};
    void *event = NULL;
    int rc = gf_gpu_check_range(offset, bytes, to->bytes);
    if (rc || !bytes)
        return rc;
    /* Both ends must be multiples of the pattern; a wider pattern is faster. */
    size_t pattern = sizeof zeros;
    while ((offset | bytes) % (int64_t)pattern)
        pattern /= 2;
    int32_t error = g->cl->fill(g->queue, to->memory, zeros, pattern, (size_t)offset, (size_t)bytes,
                                0, NULL, &event);
    return gf_opencl_queued(g, error, event, "clearing memory");
}

int gf_opencl_copy(void *gpu, struct gf_gpu_buffer *to, int64_t to_offset,
                   const struct gf_gpu_buffer *from, int64_t from_offset, int64_t bytes) {
    struct gf_opencl_context *g = gpu;
    void *event = NULL;
    int rc = gf_gpu_check_range(to_offset, bytes, to->bytes);
    if (!rc)
        rc = gf_gpu_check_range(from_offset, bytes, from->bytes);
    if (rc || !bytes)
        return rc;
    int32_t error = g->cl->copy(g->queue, from->memory, to->memory, (size_t)from_offset,
                                (size_t)to_offset, (size_t)bytes, 0, NULL, &event);
    return gf_opencl_queued(g, error, event, "a copy");
}

/* In either direction; from and to memory that lock() knows. Rows of the device begin at a multiple of
 * their pitch and some bytes, as OpenCL wants it. */
static int copy_rows(struct gf_opencl_context *g, const struct gf_gpu_buffer *b,
                     const struct gf_gpu_rows *r, bool up) {
    static const size_t host_origin[3] = {0, 0, 0};
    const int64_t pitch = gf_gpu_rows_pitch(r);
    const size_t region[3] = {(size_t)r->bytes, (size_t)r->count, 1};
    void *event = NULL;
    int rc = gf_gpu_check_rows(r->offset, r->bytes, pitch, r->count, b->bytes);
    if (rc || !r->bytes || !r->count)
        return rc;
    const size_t origin[3] = {(size_t)(r->offset % pitch), (size_t)(r->offset / pitch), 0};
    int32_t error =
        up ? g->cl->write_rows(g->queue, b->memory, 0, origin, host_origin, region, (size_t)pitch,
                               0, (size_t)r->pitch, 0, r->host, 0, NULL, &event)
           : g->cl->read_rows(g->queue, b->memory, 0, origin, host_origin, region, (size_t)pitch, 0,
                              (size_t)r->pitch, 0, r->host, 0, NULL, &event);
    return gf_opencl_queued(g, error, event, "a copy of rows");
}

int gf_opencl_upload_rows(void *gpu, struct gf_gpu_buffer *to, const struct gf_gpu_rows *rows) {
    return copy_rows(gpu, to, rows, true);
}

int gf_opencl_download_rows(void *gpu, const struct gf_gpu_buffer *from,
                            const struct gf_gpu_rows *rows) {
    return copy_rows(gpu, from, rows, false);
}

/* Devices do not share a context, so that each reaches its own memory alone. */
bool gf_opencl_reaches(void *gpu, void *other) {
    return gpu == other;
}

int gf_opencl_send(void *gpu, void *other, const struct gf_gpu_send *r) {
    struct gf_opencl_context *g = gpu;
    const size_t region[3] = {(size_t)r->bytes, (size_t)r->count, 1};
    void *event = NULL;
    if (gpu != other)
        return gf_fail(GF_EUNSUPP, "OpenCL cannot copy between contexts");
    int rc = gf_gpu_check_rows(r->from_offset, r->bytes, r->from_pitch, r->count, r->from->bytes);
    if (!rc)
        rc = gf_gpu_check_rows(r->to_offset, r->bytes, r->to_pitch, r->count, r->to->bytes);
    if (rc || !r->bytes || !r->count)
        return rc;
    const size_t from[3] = {(size_t)(r->from_offset % r->from_pitch),
                            (size_t)(r->from_offset / r->from_pitch), 0};
    const size_t to[3] = {(size_t)(r->to_offset % r->to_pitch),
                          (size_t)(r->to_offset / r->to_pitch), 0};
    int32_t error =
        g->cl->copy_rows(g->queue, r->from->memory, r->to->memory, from, to, region,
                         (size_t)r->from_pitch, 0, (size_t)r->to_pitch, 0, 0, NULL, &event);
    return gf_opencl_queued(g, error, event, "a copy of rows");
}
