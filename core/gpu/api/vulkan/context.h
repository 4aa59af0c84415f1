/* An open Vulkan device, shared by the files of this folder: vulkan.c has its table, copies and
 * kernels, memory.c its buffers, queues.c its commands. */
#ifndef GF_CORE_GPU_VULKAN_CONTEXT_H
#define GF_CORE_GPU_VULKAN_CONTEXT_H

#include "core/gpu/api/shaders.h"
#include "core/gpu/api/vulkan/library.h"

enum {
    GF_VULKAN_BATCHES = 8,   /* command buffers of a queue, in turn */
    GF_VULKAN_COMMANDS = 32, /* most commands of one */
    GF_VULKAN_ARGS = 1024,   /* bytes of a launch's argument block, a multiple of all alignments */
    GF_VULKAN_MAPPED = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
};
_Static_assert(sizeof(((struct gf_shader_launch *)0)->args) <= GF_VULKAN_ARGS, "a block's room");

/* Device memory, or page-locked memory of the host. gf_gpu_buffer.handle points to one. */
struct gf_vulkan_memory {
    VkBuffer buffer;
    VkDeviceMemory memory;
    char *host; /* mapped, or NULL */
    int64_t bytes;
    struct gf_vulkan_memory *next; /* of those from pin() */
};

/* A queue of core/gpu/gpu.h. Several may share one of the driver's. Commands are collected in a
 * batch, which is sent when it is full, at a mark, or when something waits for it, as sending costs
 * more than a small launch takes. */
struct gf_vulkan_queue {
    VkQueue queue; /* NULL: not opened yet */
    VkCommandPool pool;
    VkCommandBuffer batch[GF_VULKAN_BATCHES];
    uint64_t ends[GF_VULKAN_BATCHES]; /* the value of `done` after which a batch may be reused */
    unsigned next;                    /* batch */
    bool open;                        /* a batch is being filled */
    int commands;                     /* in it */
    bool computes;                    /* else the family only copies */
    VkSemaphore done;
    uint64_t submitted;            /* `done` reaches this after the last submission */
    uint64_t after[GF_GPU_QUEUES]; /* values of the queues that the next batch waits for */
    struct gf_vulkan_memory args;  /* of the launches of all batches */
};

struct gf_vulkan_mark {
    int queue; /* its number, -1: not set */
    bool timed;
    uint64_t value;
};

struct gf_vulkan_context {
    struct gf_gpu_device head;
    const struct gf_vulkan *vk;
    VkPhysicalDevice physical;
    struct gf_vulkan_families families;
    VkDevice device;
    VkDescriptorSetLayout set;
    VkPipelineLayout layout;
    VkQueryPool times; /* of marks 0 and 1 */
    double tick;       /* nanoseconds of the device's clock */
    int current;       /* queue */
    struct gf_vulkan_queue queue[GF_GPU_QUEUES];
    struct gf_vulkan_mark mark[GF_GPU_MARKS + 1]; /* the last one: `stage` is free */
    VkPhysicalDeviceMemoryProperties types;
    struct gf_vulkan_memory *pinned;
    struct gf_vulkan_memory stage; /* for copies of memory that is not page-locked */
    struct gf_vulkan_memory none;  /* what a null pointer is bound to */
};

/* ---- memory.c ---- */

/* Turns Vulkan's code into a status. */
int gf_vulkan_failure(struct gf_vulkan_context *g, VkResult rc, const char *what);

/* Takes memory that has `want`, preferably with `wish` too, into *m, and maps it if it is visible
 * to the host. */
VkResult gf_vulkan_take(const struct gf_vulkan_context *g, int64_t bytes,
                        VkMemoryPropertyFlags want, VkMemoryPropertyFlags wish,
                        struct gf_vulkan_memory *m);
void gf_vulkan_give(const struct gf_vulkan_context *g, struct gf_vulkan_memory *m);

/* ---- queues.c ---- */

/* gf_gpu.use(), sync(), mark(), reach(), follow() and elapsed(). */
int gf_vulkan_use(void *gpu, int queue);
int gf_vulkan_sync(void *gpu);
int gf_vulkan_mark(void *gpu, int which);
int gf_vulkan_reach(void *gpu, int which);
int gf_vulkan_follow(void *gpu, int which);
int gf_vulkan_elapsed(void *gpu, double *seconds);

/* Begins a command, which runs after all earlier ones of the queue, in *commands. *args, unless
 * NULL, is set to the offset of its argument block in the queue's `args`. */
int gf_vulkan_begin(struct gf_vulkan_context *g, VkCommandBuffer *commands, int64_t *args);
/* Ends it, and sends a full batch. */
int gf_vulkan_end(struct gf_vulkan_context *g);
void gf_vulkan_close_queues(struct gf_vulkan_context *g);

#endif
