/* NVIDIA GPUs' memory, page-locked host memory, and copies. */
#include <omp.h>

#include "core/gpu/common.h"
#include "core/gpu/api/cuda/device.h"
#include "core/base/pages.h"
#include "core/base/memory.h"

int gf_cuda_take(void *gpu, int64_t bytes, uint64_t *address) {
    struct gf_cuda_device *g = gpu;
    int rc = gf_cuda_enter(g);
    if (rc)
        return rc;
    rc = g->cu->memory_alloc(address, (size_t)bytes);
    return rc == GF_CU_OUT_OF_MEMORY ? gf_gpu_no_room(gpu, bytes)
                                     : gf_cuda_check(g, rc, "taking memory");
}

void gf_cuda_give(void *gpu, uint64_t address) {
    struct gf_cuda_device *g = gpu;
    if (!g->cu->context_set(g->context))
        g->cu->memory_free(address);
}

int64_t gf_cuda_free_bytes(void *gpu) {
    struct gf_cuda_device *g = gpu;
    size_t unused = 0, all = 0;
    if (g->cu->context_set(g->context) || g->cu->memory_info(&unused, &all))
        return g->head.props.memory;
    return (int64_t)unused;
}

static int lock_failure(struct gf_cuda_device *g, int rc, int64_t bytes) {
    char size[GF_SIZE_TEXT];
    if (gf_cuda_is_fatal(rc))
        return gf_cuda_failure(g, rc, "locking memory");
    return gf_fail(GF_ENOMEM, "cannot lock %s of memory for the device: %s",
                   gf_memory_text(bytes, size), gf_cuda_error(g->cu, rc));
}

/* The driver locks its own buffers page by page, which takes 0.7 ms a MiB; populated huge pages
 * take a tenth of that. NULL if they cannot be had. */
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

int gf_cuda_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    struct gf_cuda_device *g = gpu;
    int rc = gf_cuda_enter(g);
    if (rc)
        return rc;
    rc = g->cu->fill(to->handle + (uint64_t)offset, 0, (size_t)bytes, g->stream);
    return gf_cuda_check(g, rc, "clearing memory");
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

/* Checks both ends only, as arrays are locked whole. */
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

/* ---- copies ---- */

/* The driver's largest pitch; rows further apart are copied one by one. */
enum { PITCH_MOST = INT32_MAX };

static uint64_t place_of(const struct gf_gpu_end *e, int64_t row) {
    const uint64_t base = e->buffer ? e->buffer->handle : (uint64_t)(uintptr_t)e->host;
    return base + (uint64_t)(e->offset + row * e->pitch);
}

/* The driver has copied pageable memory when it returns; page-locked memory must not change before
 * sync(). */
static int move_row(struct gf_cuda_device *g, const struct gf_gpu_move *m, int64_t row) {
    const uint64_t from = place_of(&m->from, row), to = place_of(&m->to, row);
    const size_t bytes = (size_t)m->bytes;
    if (m->from.host)
        return g->cu->upload(to, (const void *)(uintptr_t)from, bytes, g->stream);
    return m->to.host ? g->cu->download((void *)(uintptr_t)to, from, bytes, g->stream)
                      : g->cu->copy(to, from, bytes, g->stream);
}

/* Unified addresses identify their device. */
int gf_cuda_move(void *gpu, const struct gf_gpu_move *m) {
    struct gf_cuda_device *g = gpu;
    const bool up = m->from.host, down = m->to.host;
    const struct gf_cuda_rows rows = {
        .from_kind = up     ? GF_CU_HOST
                     : down ? GF_CU_DEVICE
                            : GF_CU_UNIFIED,
        .from_host = m->from.host,
        .from_device = up ? 0 : place_of(&m->from, 0),
        .from_pitch = (size_t)m->from.pitch,
        .to_kind = down ? GF_CU_HOST
                   : up ? GF_CU_DEVICE
                        : GF_CU_UNIFIED,
        .to_host = m->to.host,
        .to_device = down ? 0 : place_of(&m->to, 0),
        .to_pitch = (size_t)m->to.pitch,
        .width = (size_t)m->bytes,
        .height = (size_t)m->count,
    };
    int rc = gf_cuda_enter(g);
    if (rc)
        return rc;
    if (m->count > 1 && m->from.pitch <= PITCH_MOST && m->to.pitch <= PITCH_MOST)
        return gf_cuda_check(g, g->cu->copy_rows(&rows, g->stream), m->what);
    for (int64_t i = 0; i < m->count && !rc; i++)
        rc = move_row(g, m, i);
    return gf_cuda_check(g, rc, m->what);
}

/* Peer access is enabled once for a pair of contexts. */
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
