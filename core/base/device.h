/* The properties of one device of a GPU backend, as `gpufft devices` prints them and planning needs
 * them. Listing devices opens no context. */
#ifndef GF_CORE_BASE_DEVICE_H
#define GF_CORE_BASE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* Most devices of one backend that are looked at. */
enum { GF_GPU_MAX_DEVICES = 32 };

struct gf_gpu_props {
    char name[128];      /* "NVIDIA H200" */
    char platform[128];  /* "CUDA 13.0", "Portable Computing Language 3.1" */
    char driver[128];    /* version; part of a kernel's cache key together with `compiler` */
    char compiler[128];  /* NVRTC's version and the real architecture; for OpenCL the device's */
    int64_t memory;      /* bytes in all */
    int64_t max_alloc;   /* largest single buffer */
    int64_t local_bytes; /* tile memory that one work group may ask for at launch */
    int64_t unit_local_bytes; /* tile memory of one compute unit, shared by its groups */
    int max_group;            /* most work items of a group */
    int units;                /* multiprocessors, compute units; 0 in a list: unknown */
    int warp;                 /* items that run in step (warp, wavefront): 32, 64; 1 on a CPU */
    int64_t
        /* two passes with at least this many bytes between them become one launch if they can; 0: never */
        chain_bytes;
    bool fetches; /* copies from its memory to a group's while the group computes */
    bool fp64;
    int64_t max_items[3]; /* most work items of a group along each of three axes */
    int clock_mhz;        /* the highest; 0 if unknown */
    const char *
        /* names separated by blanks; for CUDA the architecture; from gf_device_text() */
        extensions;
    bool is_cpu;  /* a device that is the CPU itself */
    bool shaders; /* its kernels are the shaders of kernels/gl, see core/gpu/api/opengl/shaders.h */
};

/* Returns the text in memory that is never freed; "" if memory is short. */
const char *gf_device_text(const char *text);

#endif
