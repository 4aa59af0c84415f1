/* An open NVIDIA GPU. Private to cuda.c and compiler.c. */
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
    void *context, *mark[GF_GPU_MARKS + 1]; /* the last one: for order() */
    void *stream; /* the current one of `streams`, which are opened on first use */
    void *streams[GF_GPU_QUEUES];
    bool marked[GF_GPU_MARKS];
};

struct gf_gpu_kernel {
    void *module, *function;
};

/* Finds the compiler for a device and sets p->compiler, from an earlier run's note or by loading
 * NVRTC. GF_EABSENT if there is none. */
int gf_cuda_compiler_find(struct gf_gpu_props *p, struct gf_cuda_compiler *compiler);

/* build() of struct gf_gpu. */
int gf_cuda_build(void *gpu, const char *name, const char *source, const char *options,
                  void **binary, size_t *bytes);

#endif
