/* OpenCL 1.2, loaded at run time and declared after its specification. Objects are void *.
 *
 *     const struct gf_opencl *cl = gf_opencl_find();
 *     if (!cl)
 *         return GF_EABSENT; */
#ifndef GF_CORE_GPU_OPENCL_LIBRARY_H
#define GF_CORE_GPU_OPENCL_LIBRARY_H

#include "core/gpu/gpu.h"

/* codes that calls return */
enum {
    GF_CL_DEVICE_NOT_FOUND = -1,
    GF_CL_DEVICE_NOT_AVAILABLE = -2,
    GF_CL_ALLOCATION_FAILURE = -4,
    GF_CL_OUT_OF_RESOURCES = -5,
    GF_CL_OUT_OF_HOST_MEMORY = -6,
    GF_CL_FAILED_IN_WAIT_LIST = -14,
    GF_CL_INVALID_CONTEXT = -34,
    GF_CL_INVALID_QUEUE = -36,
    GF_CL_INVALID_BUFFER_SIZE = -61,
    GF_CL_NO_PLATFORM = -1001,
    GF_CL_NVIDIA_FAULT = -9999, /* NVIDIA's, not specified: an illegal access */
};
/* device types, a bit set */
enum {
    GF_CL_TYPE_CPU = 1 << 1,
    GF_CL_TYPE_GPU = 1 << 2,
    GF_CL_TYPE_ACCELERATOR = 1 << 3,
};
/* queries of a platform, a device, a program, a build, a queue, an event */
enum {
    GF_CL_PLATFORM_VERSION = 0x0901,
    GF_CL_PLATFORM_NAME = 0x0902,
    GF_CL_DEVICE_TYPE = 0x1000,
    GF_CL_DEVICE_VENDOR_ID = 0x1001,
    GF_CL_DEVICE_COMPUTE_UNITS = 0x1002,
    GF_CL_DEVICE_GROUP_SIZE = 0x1004,
    GF_CL_DEVICE_ITEM_SIZES = 0x1005,
    GF_CL_DEVICE_CLOCK = 0x100C,
    GF_CL_DEVICE_MAX_ALLOC = 0x1010,
    GF_CL_DEVICE_MEMORY = 0x101F,
    GF_CL_DEVICE_LOCAL_MEMORY = 0x1023,
    GF_CL_DEVICE_AVAILABLE = 0x1027,
    GF_CL_DEVICE_HAS_COMPILER = 0x1028,
    GF_CL_DEVICE_NAME = 0x102B,
    GF_CL_DRIVER_VERSION = 0x102D,
    GF_CL_DEVICE_EXTENSIONS = 0x1030,
    GF_CL_DEVICE_FP64 = 0x1032,
    GF_CL_PROGRAM_BINARY_SIZES = 0x1165,
    GF_CL_PROGRAM_BINARIES = 0x1166,
    GF_CL_BUILD_LOG = 0x1183,
    GF_CL_QUEUE_CONTEXT = 0x1090,
    GF_CL_BUFFER_REGION = 0x1220,
    GF_CL_EVENT_STATUS = 0x11D3,
    GF_CL_PROFILING_END = 0x1283,
};
/* flags */
enum {
    GF_CL_QUEUE_PROFILING = 1 << 1,
    GF_CL_MEM_READ_WRITE = 1 << 0,
    GF_CL_MEM_ALLOC_HOST = 1 << 4,
    GF_CL_MAP_READ = 1 << 0,
    GF_CL_MAP_WRITE = 1 << 1,
};

struct gf_opencl {
#define CALL(result, field, name, ...) result (*field)(__VA_ARGS__);
#include "core/gpu/api/opencl/calls.inc"
#undef CALL
};

/* Loads the library once and never unloads it. NULL with gf_message(), which names the remedy. */
const struct gf_opencl *gf_opencl_find(void);
/* Restores the handlers of INT, TERM and HUP that gf_opencl_find() saved. Call it after every call
 * that may compile: drivers built on LLVM then install their handlers, with which a second signal
 * would end the program at once. */
void gf_opencl_restore_signals(void);

/* As gf_gpu.find. GF_EABSENT with the remedy if there is no device. */
int gf_opencl_devices(const struct gf_environment *env, struct gf_gpu_props *props);

/* Returns "CL_OUT_OF_RESOURCES", or "error -123" for an unknown code, valid until the thread's next
 * call. */
const char *gf_opencl_error(int32_t code);

#endif
