/* OpenGL devices' memory, and copies. */
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/gpu/common.h"
#include "core/gpu/api/opengl/context.h"

enum { PAGE = 4096 };

int gf_opengl_take(void *gpu, int64_t bytes, uint64_t *handle) {
    struct gf_opengl_context *g = gpu;
    uint32_t name = 0;
    int rc = gf_opengl_enter(g);
    if (rc)
        return rc;
    /* Whole words, of which shaders read samples of 8 and 16 bits. */
    g->gl->make_buffers(1, &name);
    g->gl->bind_buffer(GF_GL_COPY_WRITE_BUFFER, name);
    g->gl->set_buffer(GF_GL_COPY_WRITE_BUFFER, (intptr_t)((bytes + 15) / 16 * 16), NULL,
                      GF_GL_DYNAMIC_COPY);
    rc = gf_opengl_check(g, "taking memory");
    if (rc && name)
        g->gl->drop_buffers(1, &name);
    gf_opengl_leave(g);
    *handle = name;
    return rc;
}

void gf_opengl_give(void *gpu, uint64_t handle) {
    struct gf_opengl_context *g = gpu;
    if (!gf_opengl_enter(g)) {
        g->gl->drop_buffers(1, &(uint32_t){(uint32_t)handle});
        gf_opengl_leave(g);
    }
}

int64_t gf_opengl_free_bytes(void *gpu) {
    const struct gf_opengl_context *g = gpu;
    return g->head.props.is_cpu ? gf_memory_available() : g->head.props.memory;
}

/* OpenGL cannot lock memory: it copies from and to any. */
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

/* Clears whole words; the last word of the buffer may be padding in part. */
int gf_opengl_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    struct gf_opengl_context *g = gpu;
    static const uint32_t zero = 0;
    if (offset % 4 || (bytes % 4 && offset + bytes < to->bytes))
        return gf_fail(GF_EBACKEND, "OpenGL clears whole words");
    int rc = gf_opengl_enter(g);
    if (rc)
        return rc;
    g->gl->bind_buffer(GF_GL_COPY_WRITE_BUFFER, (uint32_t)to->handle);
    g->gl->clear(GF_GL_COPY_WRITE_BUFFER, GF_GL_R32UI, (intptr_t)offset,
                 (intptr_t)((bytes + 3) / 4 * 4), GF_GL_RED_INTEGER, GF_GL_UNSIGNED_INT, &zero);
    g->gl->barrier(GF_GL_BARRIER_STORAGE | GF_GL_BARRIER_UPDATE);
    return 0;
}

/* Copies one row: gf_gpu_rows() refuses more. */
int gf_opengl_move(void *gpu, const struct gf_gpu_move *m) {
    struct gf_opengl_context *g = gpu;
    const struct gf_gpu_end *from = &m->from, *to = &m->to;
    const intptr_t bytes = (intptr_t)m->bytes;
    int rc = gf_opengl_enter(g);
    if (rc)
        return rc;
    if (from->buffer)
        g->gl->bind_buffer(GF_GL_COPY_READ_BUFFER, (uint32_t)from->buffer->handle);
    if (to->buffer)
        g->gl->bind_buffer(GF_GL_COPY_WRITE_BUFFER, (uint32_t)to->buffer->handle);
    if (from->host) {
        g->gl->write(GF_GL_COPY_WRITE_BUFFER, (intptr_t)to->offset, bytes, from->host);
    } else if (to->host) {
        g->gl->read(GF_GL_COPY_READ_BUFFER, (intptr_t)from->offset, bytes, to->host);
    } else {
        g->gl->copy(GF_GL_COPY_READ_BUFFER, GF_GL_COPY_WRITE_BUFFER, (intptr_t)from->offset,
                    (intptr_t)to->offset, bytes);
        g->gl->barrier(GF_GL_BARRIER_STORAGE | GF_GL_BARRIER_UPDATE);
        return 0;
    }
    rc = gf_opengl_check(g, m->what);
    gf_opengl_leave(g);
    return rc;
}
