/* NVIDIA's driver API and its compiler, NVRTC, loaded at run time and declared after their
 * documentation. Objects are void *, device memory is a 64-bit address.
 *
 *     const struct gf_cuda *cu = gf_cuda_find();
 *     int n = 0;
 *     if (cu)
 *         cu->device_count(&n); */
#ifndef GF_CORE_GPU_CUDA_LIBRARY_H
#define GF_CORE_GPU_CUDA_LIBRARY_H

#include <stdint.h>

#include "core/base/host/dl.h"

/* Return codes of driver calls. */
enum {
    GF_CU_OUT_OF_MEMORY = 2,
    GF_CU_ALREADY_REGISTERED = 712, /* page-locked already */
    GF_CU_PEER_ALREADY_ENABLED = 704,
    GF_CU_NO_DEVICE = 100,
    GF_CU_ILLEGAL_ADDRESS = 700,
};
/* Attributes of a device and of a function. */
enum {
    GF_CU_THREADS_PER_BLOCK = 1,
    GF_CU_BLOCK_DIM_X = 2,      /* and those of y and z */
    GF_CU_SHARED_PER_BLOCK = 8, /* for any kernel */
    GF_CU_WARP_SIZE = 10,
    GF_CU_CLOCK_KHZ = 13,
    GF_CU_MULTIPROCESSORS = 16,
    GF_CU_CAPABILITY_MAJOR = 75,
    GF_CU_CAPABILITY_MINOR = 76,
    GF_CU_SHARED_PER_MULTIPROCESSOR = 81,
    GF_CU_SHARED_PER_BLOCK_OPTIN = 97, /* the most that a kernel may ask for */
    GF_CU_FUNCTION_DYNAMIC_SHARED = 8,
    GF_CU_LAUNCH_SERIALIZED_BY_PROGRAM = 6,
};
/* Flags. */
enum {
    GF_CU_STREAM_NON_BLOCKING = 1, /* independent of the default stream */
    GF_CU_EVENT_UNTIMED = 2,
    GF_CU_HOST_PORTABLE = 1, /* page-locked for every context */
    GF_CU_HOST = 1,          /* kinds of memory */
    GF_CU_DEVICE = 2,
    GF_CU_UNIFIED = 4, /* the address tells */
    /* A pointer's attributes: its context, kind of memory, device, and the range that was allocated around
     * it. An error for pageable memory. */
    GF_CU_POINTER_CONTEXT = 1,
    GF_CU_POINTER_MEMORY = 2,
    GF_CU_POINTER_DEVICE = 9,
    GF_CU_POINTER_START = 11,
    GF_CU_POINTER_BYTES = 12,
};

/* CUDA_MEMCPY2D: `height` rows of `width` bytes from one kind of memory to another. */
struct gf_cuda_rows {
    size_t from_x, from_y;
    int from_kind; /* GF_CU_HOST, GF_CU_DEVICE */
    const void *from_host;
    uint64_t from_device;
    void *from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    int to_kind;
    void *to_host;
    uint64_t to_device;
    void *to_array;
    size_t to_pitch;
    size_t width, height;
};

/* CUlaunchAttribute: lets a launch begin before the stream's previous launch has ended. */
struct gf_cuda_launch_attribute {
    int which; /* GF_CU_LAUNCH_SERIALIZED_BY_PROGRAM */
    int pad;
    int value[16];
};

/* CUlaunchConfig. */
struct gf_cuda_launch {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    const struct gf_cuda_launch_attribute *attributes;
    unsigned n_attributes;
};

struct gf_cuda {
#define DRIVER(field, name, ...) int (*field)(__VA_ARGS__);
#define NVRTC(...)
#include "core/gpu/api/cuda/calls.inc"
#undef DRIVER
#undef NVRTC
    /* Peer access lets the current context reach another device's memory; NULL if unsupported. */
    int (*peer_can_access)(int *can, int device, int other);
    int (*peer_enable)(void *other_context, unsigned flags);
    /* NULL before CUDA 11.8. */
    int (*launch_with)(const struct gf_cuda_launch *launch, void *function, void **arguments,
                       void **extra);
};

struct gf_nvrtc {
#define DRIVER(...)
#define NVRTC(result, field, name, ...) result (*field)(__VA_ARGS__);
#include "core/gpu/api/cuda/calls.inc"
#undef DRIVER
#undef NVRTC
};

/* Each loads its library once and for good, and initialises the driver. NULL with gf_message(),
 * which names the remedy. */
const struct gf_cuda *gf_cuda_find(void);
/* Loads the driver's library without initialising it. */
bool gf_cuda_load(void);
const struct gf_nvrtc *gf_nvrtc_find(void);

/* One of the toolkit's libraries. */
struct gf_cuda_part {
    const char *name;            /* "libcufft" */
    const char *const *suffixes; /* after ".so", newest first, up to NULL */
    const struct gf_dl_symbol *symbols;
    size_t bytes;                         /* of a table of symbols */
    int (*cuda_major)(const void *table); /* the CUDA version it belongs to */
};

/* Opens the newest library in the usual folders that is not newer than the driver, which may refuse
 * newer code; else the first one found. False if there is none. */
bool gf_cuda_open_fitting(const struct gf_cuda_part *part, void *table);
/* 13020 is CUDA 13.2. */
int gf_cuda_version(const struct gf_cuda *cu);

/* As in struct gf_backend. */
void *gf_cuda_current(void);
void gf_cuda_resume(void *current);

/* The driver's text for its code. */
const char *gf_cuda_error(const struct gf_cuda *cu, int code);
/* True if the error leaves the context unusable. */
bool gf_cuda_is_fatal(int code);

/* True if the driver, which takes no length, will not read past the end of `image`: an ELF file
 * with all its parts, or text with a terminating zero. */
bool gf_cuda_image_is_whole(const void *image, size_t bytes);

#endif
