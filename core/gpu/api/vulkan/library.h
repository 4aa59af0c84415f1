/* Vulkan 1.2, loaded at run time, and what finds its devices. Types come from the specification's
 * headers (Debian: libvulkan-dev): own declarations of some fifty structures would be longer than
 * the backend and no safer.
 *
 *     const struct gf_vulkan *vk = gf_vulkan_find();
 *     if (!vk)
 *         return GF_EABSENT; */
#ifndef GF_CORE_GPU_VULKAN_LIBRARY_H
#define GF_CORE_GPU_VULKAN_LIBRARY_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include "core/gpu/gpu.h"

struct gf_vulkan {
    PFN_vkGetInstanceProcAddr proc_address;
    VkInstance instance;
#define CALL(field, name) PFN_vk##name field;
#define VK                CALL
#include "core/gpu/api/vulkan/calls.inc"
#undef CALL
#undef VK
};

/* The number of a queue family, or -1. */
struct gf_vulkan_families {
    int compute;
    int transfer; /* one that only copies, beside the compute units; else the first one again */
    int transfer_queues;
    bool tells_time; /* the compute family has timestamps */
};

/* Loads the library and makes the process's one instance, once; neither is ever given back. Where
 * the loader finds no GPU, NVIDIA's driver is opened directly. NULL with gf_message(), which names
 * the remedy. */
const struct gf_vulkan *gf_vulkan_find(void);

/* As gf_gpu.find. GF_EABSENT with the remedy if there is no device. */
int gf_vulkan_devices(const struct gf_environment *env, struct gf_gpu_props *props);
struct gf_vulkan_families gf_vulkan_families(const struct gf_vulkan *vk, VkPhysicalDevice device);
/* Bytes of the device's largest memory; `free`: those not in use, if the driver reports them. */
int64_t gf_vulkan_room(const struct gf_vulkan *vk, const struct gf_gpu_props *props, bool free);

/* Loads the compiler of shaders, once. GF_EABSENT with the remedy if there is none. */
int gf_vulkan_compiler(void);
/* Compiles GLSL to SPIR-V of *bytes, behind `head` bytes of *image, which the caller frees. GF_EBACKEND
 * with the first error of the compiler's log; GF_EABSENT with the remedy if there is no compiler. */
int gf_vulkan_compile(const char *name, const char *device, const char *text, size_t head,
                      void **image, size_t *bytes);

#endif
