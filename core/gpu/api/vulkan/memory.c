/* Buffers in Vulkan's kinds of memory, and the codes that calls return. */
#include "core/base/value/status.h"
#include "core/gpu/api/vulkan/context.h"
#include "core/gpu/common.h"

int gf_vulkan_failure(struct gf_vulkan_context *g, VkResult rc, const char *what) {
    char text[32];
    const bool full = rc == VK_ERROR_OUT_OF_DEVICE_MEMORY || rc == VK_ERROR_OUT_OF_HOST_MEMORY;
    snprintf(text, sizeof text, "Vulkan error %d", (int)rc);
    if (!full)
        g->head.lost = true;
    return gf_gpu_failure(&g->head, full, what,
                          rc == VK_ERROR_DEVICE_LOST ? "the device was lost" : text);
}

/* Allocates from the first type that has all of `flags` and room. */
static VkResult allocate(const struct gf_vulkan_context *g, const VkMemoryRequirements *needs,
                         VkMemoryPropertyFlags flags, struct gf_vulkan_memory *m) {
    VkResult rc = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, needs->size, 0};
    for (uint32_t i = 0; i < g->types.memoryTypeCount && rc; i++) {
        info.memoryTypeIndex = i;
        if (needs->memoryTypeBits >> i & 1 &&
            (g->types.memoryTypes[i].propertyFlags & flags) == flags)
            rc = g->vk->allocate(g->device, &info, NULL, &m->memory);
    }
    return rc;
}

VkResult gf_vulkan_take(const struct gf_vulkan_context *g, int64_t bytes,
                        VkMemoryPropertyFlags want, VkMemoryPropertyFlags wish,
                        struct gf_vulkan_memory *m) {
    const uint32_t family[] = {(uint32_t)g->families.compute, (uint32_t)g->families.transfer};
    const bool several = family[0] != family[1];
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        /* whole words, of which shaders read samples of 8 and 16 bits */
        .size = ((uint64_t)bytes + 15) / 16 * 16,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        .sharingMode = several ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = several ? 2 : 0,
        .pQueueFamilyIndices = family};
    VkMemoryRequirements needs;
    void *host = NULL;
    *m = (struct gf_vulkan_memory){.bytes = bytes};
    VkResult rc = g->vk->create_buffer(g->device, &info, NULL, &m->buffer);
    if (!rc) {
        g->vk->buffer_needs(g->device, m->buffer, &needs);
        rc = allocate(g, &needs, want | wish, m);
        if (rc)
            rc = allocate(g, &needs, want, m);
    }
    if (!rc)
        rc = g->vk->bind_memory(g->device, m->buffer, m->memory, 0);
    if (!rc && want == GF_VULKAN_MAPPED)
        rc = g->vk->map(g->device, m->memory, 0, VK_WHOLE_SIZE, 0, &host);
    m->host = host;
    if (rc)
        gf_vulkan_give(g, m);
    return rc;
}

void gf_vulkan_give(const struct gf_vulkan_context *g, struct gf_vulkan_memory *m) {
    if (m->buffer)
        g->vk->destroy_buffer(g->device, m->buffer, NULL);
    if (m->memory)
        g->vk->free_memory(g->device, m->memory, NULL);
    *m = (struct gf_vulkan_memory){.buffer = VK_NULL_HANDLE};
}
