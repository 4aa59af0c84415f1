/* Finds kernels in the cache folder, or builds them concurrently and keeps them there.
 *
 *     struct gf_kernel_request r = {.file = "fft_plain.cl", .entry = "fft_plain", .options = "-DN=…"};
 *     int rc = gf_kernel_cache_get(api, gpu, &props, &r, 1, NULL);
 *     …
 *     api->unload(gpu, r.kernel); */
#ifndef GF_CORE_GPU_KERNEL_CACHE_H
#define GF_CORE_GPU_KERNEL_CACHE_H

#include "core/gpu/gpu.h"

/* A kernel to find or build. Its source, entry and options with the device, driver and compiler
 * identify it. */
struct gf_kernel_request {
    char file[32];      /* "fft_plain.cl" */
    char entry[32];     /* "fft_plain" */
    char options[2560]; /* "-DN=4096 -DR0=16 …" */
    int64_t local_bytes;
    struct gf_gpu_kernel *kernel; /* out */
    bool built;                   /* out: compiled now */
};

/* Finds each kernel in the cache or builds it, several concurrently, and loads it. Requests differ
 * in more than local_bytes. On failure none is left loaded. `built`, unless NULL, counts those that
 * were compiled; `compiling`, unless NULL, is called with the device's name before each of them. */
int gf_kernel_cache_get(const struct gf_gpu *api, void *gpu, const struct gf_gpu_props *props,
                        struct gf_kernel_request *requests, int n, int *built,
                        void (*compiling)(const char *device));

/* Deletes a request's cached kernel. */
void gf_kernel_cache_forget(const struct gf_gpu *api, const struct gf_gpu_props *props,
                            const struct gf_kernel_request *request);
/* True if the cache has no kernel. */
bool gf_kernel_cache_is_empty(const struct gf_environment *env);
/* Writes "12 kernels, 340 KiB in /home/…/gpufft", or why there are none, for `gpufft devices`. */
void gf_kernel_cache_describe(const struct gf_environment *env, char text[GF_REASON]);

#endif
