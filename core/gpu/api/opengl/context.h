/* An open OpenGL context. Private to opengl.c, memory.c and program.c. A context is current in at
 * most one thread: calls that only queue work leave it current; the others release it, so that
 * another thread may make the next call. */
#ifndef GF_CORE_GPU_OPENGL_CONTEXT_H
#define GF_CORE_GPU_OPENGL_CONTEXT_H

#include <pthread.h>

#include "core/gpu/api/opengl/library.h"

enum { GF_OPENGL_RING = 64 }; /* argument blocks of launches in flight */

struct gf_gpu_kernel {
    uint32_t program;
};

struct gf_opengl_context {
    struct gf_gpu_device head;
    const struct gf_opengl *gl;
    void *display, *context;
    /* held by build() and load(), which several threads may call at once */
    pthread_mutex_t building;
    uint32_t args[GF_OPENGL_RING];
    unsigned next_args;
    void *mark[GF_GPU_MARKS];
    uint32_t time[2];
    uint32_t failed;  /* the first error since the last sync */
    bool tells_reset; /* the driver reports resets of the device */
};

/* Makes the context current in the calling thread, and releases it. */
int gf_opengl_enter(struct gf_opengl_context *g);
void gf_opengl_leave(struct gf_opengl_context *g);
/* Turns an OpenGL code into a status. */
int gf_opengl_failure(struct gf_opengl_context *g, uint32_t error, const char *what);
int gf_opengl_check(struct gf_opengl_context *g, const char *what);

/* As in struct gf_gpu. */
int gf_opengl_take(void *gpu, int64_t bytes, uint64_t *handle);
void gf_opengl_give(void *gpu, uint64_t handle);
int64_t gf_opengl_free_bytes(void *gpu);
int gf_opengl_pin(void *gpu, int64_t bytes, void **host);
void gf_opengl_unpin(void *gpu, void *host);
int gf_opengl_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes);
int gf_opengl_move(void *gpu, const struct gf_gpu_move *m);
int gf_opengl_build(void *gpu, const char *name, const char *source, const char *options,
                    void **binary, size_t *bytes);
int gf_opengl_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                   int64_t local_bytes, struct gf_gpu_kernel **kernel);
void gf_opengl_unload(void *gpu, struct gf_gpu_kernel *k);

#endif
