/* The memory of OpenGL's devices, and copies. */
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/gpu/common.h"
#include "core/gpu/api/opengl/context.h"

enum { PAGE = 4096 };

int gf_opengl_alloc(void *gpu, int64_t bytes, struct gf_gpu_buffer **out) {
    struct gf_opengl_context *g = gpu;
    struct gf_gpu_buffer *b = calloc(1, sizeof *b);
    char size[GF_SIZE_TEXT];
    *out = NULL;
    if (!b)
        return gf_fail(GF_ENOMEM, "no memory for a buffer");
    int rc = bytes < 0 || bytes > g->place.props.max_alloc
                 ? gf_fail(GF_ENOMEM, "'%s' has no room for a buffer of %s", g->place.props.name,
                           gf_memory_text(bytes, size))
                 : gf_opengl_enter(g);
    if (rc) {
        free(b);
        return rc;
    }
    /* Whole words: shaders read samples of 8 and 16 bits out of them. */
    b->bytes = bytes;
    g->gl->make_buffers(1, &b->name);
    g->gl->bind_buffer(GF_GL_COPY_WRITE_BUFFER, b->name);
    g->gl->set_buffer(GF_GL_COPY_WRITE_BUFFER, (intptr_t)((bytes + 15) / 16 * 16 + !bytes * 16),
                      NULL, GF_GL_DYNAMIC_COPY);
    rc = gf_opengl_check(g, "taking memory");
    if (rc && b->name)
        g->gl->drop_buffers(1, &b->name);
    gf_opengl_leave(g);
    if (rc)
        free(b);
    else
        *out = b;
    return rc;
}

void gf_opengl_free(void *gpu, struct gf_gpu_buffer *b) {
    struct gf_opengl_context *g = gpu;
    if (!b)
        return;
    if (!gf_opengl_enter(g)) {
        g->gl->drop_buffers(1, &b->name);
        gf_opengl_leave(g);
    }
    free(b);
}

int64_t gf_opengl_free_bytes(void *gpu) {
    const struct gf_opengl_context *g = gpu;
    return g->place.props.is_cpu ? gf_memory_available() : g->place.props.memory;
}

/* OpenGL copies from and to any memory, and locks none. */
int gf_opengl_pin(void *gpu, int64_t bytes, void **host) {
    char size[GF_SIZE_TEXT];
    (void)gpu;
    *host = bytes >= 0 && bytes <= INT64_MAX - PAGE
                ? aligned_alloc(PAGE, ((size_t)bytes + PAGE) / PAGE * PAGE)
                : NULL;
    return *host
               ? 0
               : gf_fail(GF_ENOMEM, "no %s of memory for the device", gf_memory_text(bytes, size));
}

void gf_opengl_unpin(void *gpu, void *host) {
    (void)gpu;
    free(host);
}

int gf_opengl_lock(void *gpu, void *host, int64_t bytes, bool *locked) {
    (void)gpu;
    (void)host;
    (void)bytes;
    *locked = false;
    return gf_fail(GF_EUNSUPP, "OpenGL cannot page-lock memory");
}

void gf_opengl_unlock(void *gpu, void *host) {
    (void)gpu;
    (void)host;
}

bool gf_opengl_is_locked(void *gpu, const void *host, int64_t bytes) {
    (void)gpu;
    (void)host;
    (void)bytes;
    return false;
}

int gf_opengl_upload(void *gpu, struct gf_gpu_buffer *to, int64_t offset, const void *host,
                     int64_t bytes) {
    struct gf_opengl_context *g = gpu;
    int rc = gf_gpu_check_range(offset, bytes, to->bytes);
    if (!rc && bytes)
        rc = gf_opengl_enter(g);
    if (rc || !bytes)
        return rc;
    g->gl->bind_buffer(GF_GL_COPY_WRITE_BUFFER, to->name);
    g->gl->write(GF_GL_COPY_WRITE_BUFFER, (intptr_t)offset, (intptr_t)bytes, host);
    rc = gf_opengl_check(g, "an upload");
    gf_opengl_leave(g);
    return rc;
}

int gf_opengl_download(void *gpu, void *host, const struct gf_gpu_buffer *from, int64_t offset,
                       int64_t bytes) {
    struct gf_opengl_context *g = gpu;
    int rc = gf_gpu_check_range(offset, bytes, from->bytes);
    if (!rc && bytes)
        rc = gf_opengl_enter(g);
    if (rc || !bytes)
        return rc;
    g->gl->bind_buffer(GF_GL_COPY_READ_BUFFER, from->name);
    g->gl->read(GF_GL_COPY_READ_BUFFER, (intptr_t)offset, (intptr_t)bytes, host);
    rc = gf_opengl_check(g, "a download");
    gf_opengl_leave(g);
    return rc;
}

/* Rows are for arrays in parts, which this interface does not do. */
int gf_opengl_upload_rows(void *gpu, struct gf_gpu_buffer *to, const struct gf_gpu_rows *rows) {
    (void)gpu;
    (void)to;
    (void)rows;
    return gf_fail(GF_EUNSUPP, "OpenGL cannot copy rows");
}

int gf_opengl_download_rows(void *gpu, const struct gf_gpu_buffer *from,
                            const struct gf_gpu_rows *rows) {
    (void)gpu;
    (void)from;
    (void)rows;
    return gf_fail(GF_EUNSUPP, "OpenGL cannot copy rows");
}

/* Whole words; the rest of the buffer's last one is nobody's. */
int gf_opengl_clear(void *gpu, struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    struct gf_opengl_context *g = gpu;
    static const uint32_t zero = 0;
    int rc = gf_gpu_check_range(offset, bytes, to->bytes);
    if (!rc && (offset % 4 || (bytes % 4 && offset + bytes < to->bytes)))
        rc = gf_fail(GF_EBACKEND, "OpenGL clears whole words");
    if (!rc && bytes)
        rc = gf_opengl_enter(g);
    if (rc || !bytes)
        return rc;
    g->gl->bind_buffer(GF_GL_COPY_WRITE_BUFFER, to->name);
    g->gl->clear(GF_GL_COPY_WRITE_BUFFER, GF_GL_R32UI, (intptr_t)offset,
                 (intptr_t)((bytes + 3) / 4 * 4), GF_GL_RED_INTEGER, GF_GL_UNSIGNED_INT, &zero);
    g->gl->barrier(GF_GL_BARRIER_STORAGE | GF_GL_BARRIER_UPDATE);
    return 0;
}

int gf_opengl_copy(void *gpu, struct gf_gpu_buffer *to, int64_t to_offset,
                   const struct gf_gpu_buffer *from, int64_t from_offset, int64_t bytes) {
    struct gf_opengl_context *g = gpu;
    int rc = gf_gpu_check_range(to_offset, bytes, to->bytes);
    if (!rc)
        rc = gf_gpu_check_range(from_offset, bytes, from->bytes);
    if (!rc && bytes)
        rc = gf_opengl_enter(g);
    if (rc || !bytes)
        return rc;
    g->gl->bind_buffer(GF_GL_COPY_READ_BUFFER, from->name);
    g->gl->bind_buffer(GF_GL_COPY_WRITE_BUFFER, to->name);
    g->gl->copy(GF_GL_COPY_READ_BUFFER, GF_GL_COPY_WRITE_BUFFER, (intptr_t)from_offset,
                (intptr_t)to_offset, (intptr_t)bytes);
    g->gl->barrier(GF_GL_BARRIER_STORAGE | GF_GL_BARRIER_UPDATE);
    return 0;
}
