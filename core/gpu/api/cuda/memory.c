/* The memory of NVIDIA GPUs, page-locked host memory, and copies between them. */
#include <omp.h>
#include <stdlib.h>

#include "core/gpu/common.h"
#include "core/gpu/api/cuda/device.h"
#include "core/base/array.h"
#include "core/base/pages.h"
#include "core/base/memory.h"
#include "core/base/status.h"

int gf_cuda_alloc(void *gpu, int64_t bytes, struct gf_gpu_buffer **out) {
    struct gf_cuda_device *g = gpu;
    char size[GF_SIZE_TEXT];
    *out = NULL;
    int rc = gf_cuda_enter(g);
    if (rc)
        return rc;
    struct gf_gpu_buffer *b = calloc(1, sizeof *b);
    if (!b)
        return gf_fail(GF_ENOMEM, "no memory for a buffer");
    b->bytes = bytes;
    rc = bytes < 0 || bytes > g->props.memory
             ? GF_CU_OUT_OF_MEMORY
             : g->cu->memory_alloc(&b->address, bytes < 16 ? 16 : (size_t)bytes);
    if (!rc) {
        *out = b;
        return 0;
    }
    free(b);
    if (rc == GF_CU_OUT_OF_MEMORY)
        return gf_fail(GF_ENOMEM, "'%s' has no room for a buffer of %s", g->props.name,
                       gf_memory_text(bytes, size));
    return gf_cuda_failure(g, rc, "taking memory");
}

void gf_cuda_free(void *gpu, struct gf_gpu_buffer *buffer) {
    struct gf_cuda_device *g = gpu;
    if (!buffer)
        return;
    if (!buffer->view && !g->cu->context_set(g->context))
        g->cu->memory_free(buffer->address);
    free(buffer);
}

int gf_cuda_view(void *gpu, struct gf_gpu_buffer *of, int64_t offset, int64_t bytes,
                 struct gf_gpu_buffer **view) {
    (void)gpu;
    *view = NULL;
    int rc = gf_gpu_check_range(offset, bytes, of->bytes);
    if (rc)
        return rc;
    struct gf_gpu_buffer *b = malloc(sizeof *b);
    if (!b)
        return gf_fail(GF_ENOMEM, "no memory for a buffer");
    *b = (struct gf_gpu_buffer){
        .address = of->address + (uint64_t)offset, .bytes = bytes, .view = true};
    *view = b;
    return 0;
}

int64_t gf_cuda_free_bytes(void *gpu) {
    struct gf_cuda_device *g = gpu;
    size_t unused = 0, all = 0;
    if (g->cu->context_set(g->context) || g->cu->memory_info(&unused, &all))
        return g->props.memory;
    return (int64_t)unused;
}

static int lock_failure(struct gf_cuda_device *g, int rc, int64_t bytes) {
    char size[GF_SIZE_TEXT];
    if (gf_cuda_is_fatal(rc))
        return gf_cuda_failure(g, rc, "locking memory");
    return gf_fail(GF_ENOMEM, "cannot lock %s of memory for the device: %s",
                   gf_memory_text(bytes, size), gf_cuda_error(g->cu, rc));
}

/* The driver's own buffers are locked page by page, which takes 0.7 ms a MiB; huge pages that are there
 * already take a tenth of that. NULL where that is not possible. */
static void *pin_huge_pages(struct gf_cuda_device *g, int64_t bytes) {
    void *host = bytes >= GF_HUGE_PAGE ? gf_alloc((size_t)bytes) : NULL;
    if (!host)
        return NULL;
    gf_populate(host, (size_t)bytes, omp_get_max_threads() < 8 ? omp_get_max_threads() : 8);
    if (!g->cu->host_register(host, (size_t)bytes, GF_CU_HOST_PORTABLE))
        return host;
    gf_free(host);
    return NULL;
}

int gf_cuda_pin(void *gpu, int64_t bytes, void **host) {
    struct gf_cuda_device *g = gpu;
    *host = NULL;
    int rc = gf_cuda_enter(g);
    if (rc || (*host = pin_huge_pages(g, bytes)))
        return rc;
    rc = bytes < 0 ? GF_CU_OUT_OF_MEMORY
                   : g->cu->host_alloc(host, bytes < 16 ? 16 : (size_t)bytes, GF_CU_HOST_PORTABLE);
    if (!rc)
        return 0;
    *host = NULL;
    return lock_failure(g, rc, bytes);
}

void gf_cuda_unpin(void *gpu, void *host) {
    struct gf_cuda_device *g = gpu;
    if (!host || g->cu->context_set(g->context))
        return;
    if ((uintptr_t)host % GF_HUGE_PAGE == 0 && !g->cu->host_unregister(host))
        gf_free(host);
    else
        g->cu->host_free(host);
}

/* The driver copies pageable memory before it returns, so that the caller may change it;
 * page-locked memory must not change before sync(). */
int gf_cuda_upload(void *gpu, struct gf_gpu_buffer *to, int64_t offset, const void *host,
                   int64_t bytes) {
    struct gf_cuda_device *g = gpu;
    int rc = gf_gpu_check_range(offset, bytes, to->bytes);
    if (!rc)
        rc = gf_cuda_enter(g);
    if (rc || !bytes)
        return rc;
    rc = g->cu->upload(to->address + (uint64_t)offset, host, (size_t)bytes, g->stream);
    return gf_cuda_check(g, rc, "an upload");
}

int gf_cuda_download(void *gpu, void *host, const struct gf_gpu_buffer *from, int64_t offset,
                     int64_t bytes) {
    struct gf_cuda_device *g = gpu;
    int rc = gf_gpu_check_range(offset, bytes, from->bytes);
    if (!rc)
        rc = gf_cuda_enter(g);
    if (rc || !bytes)
        return rc;
    rc = g->cu->download(host, from->address + (uint64_t)offset, (size_t)bytes, g->stream);
    return gf_cuda_check(g, rc, "a download");
}

int gf_cuda_clear(void *gpu, struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    struct gf_cuda_device *g = gpu;
    int rc = gf_gpu_check_range(offset, bytes, to->bytes);
    if (!rc)
        rc = gf_cuda_enter(g);
    if (rc || !bytes)
        return rc;
    rc = g->cu->fill(to->address + (uint64_t)offset, 0, (size_t)bytes, g->stream);
    return gf_cuda_check(g, rc, "clearing memory");
}

int gf_cuda_copy(void *gpu, struct gf_gpu_buffer *to, int64_t to_offset,
                 const struct gf_gpu_buffer *from, int64_t from_offset, int64_t bytes) {
    struct gf_cuda_device *g = gpu;
    int rc = gf_gpu_check_range(to_offset, bytes, to->bytes);
    if (!rc)
        rc = gf_gpu_check_range(from_offset, bytes, from->bytes);
    if (!rc)
        rc = gf_cuda_enter(g);
    if (rc || !bytes)
        return rc;
    rc = g->cu->copy(to->address + (uint64_t)to_offset, from->address + (uint64_t)from_offset,
                     (size_t)bytes, g->stream);
    return gf_cuda_check(g, rc, "a copy");
}

int gf_cuda_lock(void *gpu, void *host, int64_t bytes, bool *locked) {
    struct gf_cuda_device *g = gpu;
    *locked = false;
    int rc = gf_cuda_enter(g);
    if (rc)
        return rc;
    rc = g->cu->host_register(host, (size_t)bytes, GF_CU_HOST_PORTABLE);
    *locked = !rc;
    if (!rc || rc == GF_CU_ALREADY_REGISTERED)
        return 0;
    return lock_failure(g, rc, bytes);
}

void gf_cuda_unlock(void *gpu, void *host) {
    struct gf_cuda_device *g = gpu;
    if (host && !g->cu->context_set(g->context))
        g->cu->host_unregister(host);
}

/* Both ends: locked memory is whole arrays. */
bool gf_cuda_is_locked(void *gpu, const void *host, int64_t bytes) {
    struct gf_cuda_device *g = gpu;
    const uint64_t ends[2] = {(uint64_t)(uintptr_t)host,
                              (uint64_t)(uintptr_t)host + (uint64_t)bytes - 1};
    bool locked = bytes > 0 && !gf_cuda_enter(g);
    for (int i = 0; i < 2 && locked; i++) {
        unsigned kind = 0;
        locked =
            !g->cu->pointer_attribute(&kind, GF_CU_POINTER_MEMORY, ends[i]) && kind == GF_CU_HOST;
    }
    return locked;
}

/* The driver takes no larger pitch; rows that are further apart are copied one by one. */
enum { PITCH_MOST = INT32_MAX };

static int copy_row_by_row(struct gf_cuda_device *g, uint64_t address, int64_t pitch,
                           const struct gf_gpu_rows *r, bool up) {
    int rc = 0;
    for (int64_t i = 0; i < r->count && !rc; i++) {
        char *host = (char *)r->host + i * r->pitch;
        const uint64_t at = address + (uint64_t)(i * pitch);
        rc = up ? g->cu->upload(at, host, (size_t)r->bytes, g->stream)
                : g->cu->download(host, at, (size_t)r->bytes, g->stream);
    }
    return gf_cuda_check(g, rc, "a copy of rows");
}

/* In either direction. */
static int copy_rows(struct gf_cuda_device *g, const struct gf_gpu_buffer *buffer,
                     const struct gf_gpu_rows *r, bool up) {
    const int64_t pitch = gf_gpu_rows_pitch(r);
    const uint64_t address = buffer->address + (uint64_t)r->offset;
    const struct gf_cuda_rows rows = {
        .from_kind = up ? GF_CU_HOST : GF_CU_DEVICE,
        .from_host = up ? r->host : NULL,
        .from_device = up ? 0 : address,
        .from_pitch = (size_t)(up ? r->pitch : pitch),
        .to_kind = up ? GF_CU_DEVICE : GF_CU_HOST,
        .to_host = up ? NULL : r->host,
        .to_device = up ? address : 0,
        .to_pitch = (size_t)(up ? pitch : r->pitch),
        .width = (size_t)r->bytes,
        .height = (size_t)r->count,
    };
    int rc = gf_gpu_check_rows(r->offset, r->bytes, pitch, r->count, buffer->bytes);
    if (!rc)
        rc = gf_cuda_enter(g);
    if (rc || !r->bytes || !r->count)
        return rc;
    if (pitch > PITCH_MOST || r->pitch > PITCH_MOST)
        return copy_row_by_row(g, address, pitch, r, up);
    return gf_cuda_check(g, g->cu->copy_rows(&rows, g->stream), "a copy of rows");
}

int gf_cuda_upload_rows(void *gpu, struct gf_gpu_buffer *to, const struct gf_gpu_rows *rows) {
    return copy_rows(gpu, to, rows, true);
}

int gf_cuda_download_rows(void *gpu, const struct gf_gpu_buffer *from,
                          const struct gf_gpu_rows *rows) {
    return copy_rows(gpu, from, rows, false);
}

/* Access is switched on once for two contexts, and stays. */
bool gf_cuda_reaches(void *gpu, void *other) {
    struct gf_cuda_device *g = gpu;
    const struct gf_cuda_device *o = other;
    int can = 0;
    if (g->context == o->context)
        return true;
    if (!g->cu->peer_can_access || !g->cu->peer_enable || gf_cuda_enter(g) ||
        g->cu->peer_can_access(&can, g->device, o->device) || !can)
        return false;
    const int rc = g->cu->peer_enable(o->context, 0);
    return !rc || rc == GF_CU_PEER_ALREADY_ENABLED;
}

int gf_cuda_send(void *gpu, void *other, const struct gf_gpu_send *r) {
    struct gf_cuda_device *g = gpu;
    const struct gf_cuda_rows rows = {
        .from_kind = GF_CU_UNIFIED,
        .from_device = r->from->address + (uint64_t)r->from_offset,
        .from_pitch = (size_t)r->from_pitch,
        .to_kind = GF_CU_UNIFIED,
        .to_device = r->to->address + (uint64_t)r->to_offset,
        .to_pitch = (size_t)r->to_pitch,
        .width = (size_t)r->bytes,
        .height = (size_t)r->count,
    };
    (void)other; /* an address tells its device */
    int rc = gf_gpu_check_rows(r->from_offset, r->bytes, r->from_pitch, r->count, r->from->bytes);
    if (!rc)
        rc = gf_gpu_check_rows(r->to_offset, r->bytes, r->to_pitch, r->count, r->to->bytes);
    if (!rc)
        rc = gf_cuda_enter(g);
    if (rc || !r->bytes || !r->count)
        return rc;
    if (r->from_pitch <= PITCH_MOST && r->to_pitch <= PITCH_MOST)
        return gf_cuda_check(g, g->cu->copy_rows(&rows, g->stream), "a copy to another device");
    for (int64_t i = 0; i < r->count && !rc; i++)
        rc = g->cu->copy(rows.to_device + (uint64_t)(i * r->to_pitch),
                         rows.from_device + (uint64_t)(i * r->from_pitch), (size_t)r->bytes,
                         g->stream);
    return gf_cuda_check(g, rc, "a copy to another device");
}
