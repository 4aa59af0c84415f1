/* An open NVIDIA GPU. Private to cuda.c, memory.c and compiler.c. */
#ifndef GF_CORE_GPU_CUDA_DEVICE_H
#define GF_CORE_GPU_CUDA_DEVICE_H

#include "core/gpu/api/cuda/library.h"
#include "core/gpu/gpu.h"

/* NVRTC's options for a device. */
struct gf_cuda_compiler {
    char option[48]; /* the architecture */
    bool as_ptx;     /* NVRTC does not know the device's architecture, so the driver compiles PTX */
    bool awaits;     /* kernels can wait for the previous launch (kernels/lang.h) */
    bool chosen;     /* by the NVRTC that builds, not by an earlier run's note */
};

struct gf_cuda_device {
    struct gf_gpu_device head;
    const struct gf_cuda *cu;
    struct gf_cuda_compiler compiler;
    int device;
    void *context, *mark[GF_GPU_MARKS];
    void *stream; /* the current one of `streams`, which are opened on first use */
    void *streams[GF_GPU_QUEUES];
    bool marked[GF_GPU_MARKS];
};

struct gf_gpu_kernel {
    void *module, *function;
};

/* Turns a driver's code into a status; fatal codes mark the context as lost. */
int gf_cuda_failure(struct gf_cuda_device *g, int rc, const char *what);
/* 0 for a code of 0. */
int gf_cuda_check(struct gf_cuda_device *g, int rc, const char *what);
/* Makes the context current in the calling thread; any thread may call it. */
int gf_cuda_enter(struct gf_cuda_device *g);

/* Finds the compiler for a device and sets p->compiler, from an earlier run's note or by loading
 * NVRTC. GF_EABSENT if there is none. */
int gf_cuda_compiler_find(struct gf_gpu_props *p, struct gf_cuda_compiler *compiler);

/* As in struct gf_gpu. */
int gf_cuda_build(void *gpu, const char *name, const char *source, const char *options,
                  void **binary, size_t *bytes);
int gf_cuda_take(void *gpu, int64_t bytes, uint64_t *address);
void gf_cuda_give(void *gpu, uint64_t address);
int64_t gf_cuda_free_bytes(void *gpu);
int gf_cuda_pin(void *gpu, int64_t bytes, void **host);
void gf_cuda_unpin(void *gpu, void *host);
int gf_cuda_lock(void *gpu, void *host, int64_t bytes, bool *locked);
void gf_cuda_unlock(void *gpu, void *host);
bool gf_cuda_is_locked(void *gpu, const void *host, int64_t bytes);
int gf_cuda_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes);
int gf_cuda_move(void *gpu, const struct gf_gpu_move *m);
bool gf_cuda_reaches(void *gpu, void *other);

#endif
