/* Lists the devices that have Vulkan 1.2 and what the backend needs, with their properties. */
#include <stdlib.h>
#include <string.h>

#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "core/gpu/api/vulkan/library.h"
#include "core/gpu/common.h"

enum { CPU_TILE = 32 << 10, MOST_FAMILIES = 16 };

static bool has_extension(const struct gf_gpu_props *props, const char *extension) {
    const size_t n = strlen(extension);
    for (const char *at = props->extensions; (at = strstr(at, extension)); at += n)
        if ((at == props->extensions || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

/* Returns the names of all extensions, separated by blanks. */
static const char *list_extensions(const struct gf_vulkan *vk, VkPhysicalDevice device) {
    char all[16384] = "";
    uint32_t n = 0;
    size_t used = 0;
    vk->extensions(device, NULL, &n, NULL);
    VkExtensionProperties *list = calloc(n ? n : 1, sizeof *list);
    if (!list || vk->extensions(device, NULL, &n, list) < 0)
        n = 0;
    for (uint32_t i = 0; i < n; i++)
        if (used + strlen(list[i].extensionName) + 2 <= sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? " " : "",
                                     list[i].extensionName);
    free(list);
    return gf_device_text(all);
}

struct gf_vulkan_families gf_vulkan_families(const struct gf_vulkan *vk, VkPhysicalDevice device) {
    VkQueueFamilyProperties family[MOST_FAMILIES];
    struct gf_vulkan_families f = {.compute = -1, .transfer = -1};
    uint32_t n = MOST_FAMILIES;
    vk->families(device, &n, family);
    for (int i = 0; i < (int)n; i++) {
        const VkQueueFlags flags = family[i].queueFlags;
        /* Launches follow each other faster where there are no graphics. */
        if (flags & VK_QUEUE_COMPUTE_BIT && (f.compute < 0 || !(flags & VK_QUEUE_GRAPHICS_BIT)))
            f.compute = i;
        if (f.transfer < 0 && flags & VK_QUEUE_TRANSFER_BIT &&
            !(flags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)))
            f.transfer = i;
    }
    if (f.compute >= 0) {
        f.tells_time = family[f.compute].timestampValidBits > 0;
        f.transfer = f.transfer < 0 ? f.compute : f.transfer;
        f.transfer_queues = (int)family[f.transfer].queueCount;
    }
    return f;
}

int64_t gf_vulkan_room(const struct gf_vulkan *vk, const struct gf_gpu_props *p, bool free) {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT now = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 m = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &now};
    int64_t most = 0;
    if (p->is_cpu)
        return gf_memory_available();
    free = free && has_extension(p, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    vk->memory_properties((VkPhysicalDevice)(uintptr_t)p->handle, &m);
    for (uint32_t i = 0; i < m.memoryProperties.memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &m.memoryProperties.memoryHeaps[i];
        const VkDeviceSize room = free ? now.heapBudget[i] - now.heapUsage[i] : heap->size;
        if (heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT && (int64_t)room > most)
            most = (int64_t)room;
    }
    return most;
}

/* False if the device has an older Vulkan. Only NVIDIA's drivers report the number of units. */
static bool describe(const struct gf_vulkan *vk, VkPhysicalDevice device, struct gf_gpu_props *p) {
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
    VkPhysicalDeviceVulkan12Properties v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties v11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &v12};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &v11};
    const VkPhysicalDeviceLimits *limits = &all.properties.limits;
    if (has_extension(p, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME))
        v12.pNext = &nvidia;
    vk->properties(device, &all);
    const uint32_t version = all.properties.apiVersion;
    uint64_t pipelines;
    memcpy(&pipelines, all.properties.pipelineCacheUUID, sizeof pipelines);
    snprintf(p->name, sizeof p->name, "%.127s", all.properties.deviceName);
    snprintf(p->driver, sizeof p->driver, "%.60s %.60s", v12.driverName, v12.driverInfo);
    snprintf(p->compiler, sizeof p->compiler, "pipelines %016llx", (unsigned long long)pipelines);
    snprintf(p->platform, sizeof p->platform, "Vulkan %u.%u.%u %.90s",
             VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
             VK_API_VERSION_PATCH(version), p->driver);
    p->plain = true;
    p->is_cpu = all.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    p->memory = gf_vulkan_room(vk, p, false);
    p->max_alloc = limits->maxStorageBufferRange < v11.maxMemoryAllocationSize
                       ? (int64_t)limits->maxStorageBufferRange
                       : (int64_t)v11.maxMemoryAllocationSize;
    p->max_alloc &= ~(int64_t)15; /* as take() rounds up to that */
    p->local_bytes = p->unit_local_bytes = limits->maxComputeSharedMemorySize;
    if (p->is_cpu && p->local_bytes > CPU_TILE)
        p->local_bytes = CPU_TILE;
    p->max_group = (int)gf_min(limits->maxComputeWorkGroupInvocations, INT32_MAX);
    for (int i = 0; i < 3; i++)
        p->max_items[i] = limits->maxComputeWorkGroupSize[i];
    p->max_groups = limits->maxComputeWorkGroupCount[0];
    p->units = (int)nvidia.shaderSMCount;
    p->warp = p->is_cpu ? 1 : (int)v11.subgroupSize;
    return version >= VK_API_VERSION_1_2;
}

/* Sets *why to what a device lacks. */
static bool look(const struct gf_vulkan *vk, VkPhysicalDevice device, struct gf_gpu_props *p,
                 const char **why) {
    *p = (struct gf_gpu_props){.handle = (uint64_t)(uintptr_t)device,
                               .extensions = list_extensions(vk, device)};
    *why = !describe(vk, device, p) ? "the driver has no Vulkan 1.2"
           : !has_extension(p, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)
               ? "the driver has no push descriptors"
           : gf_vulkan_families(vk, device).compute < 0 ? "the device has no queue that computes"
                                                        : NULL;
    return !*why;
}

/* GPUs first, the CPU last. */
int gf_vulkan_devices(const struct gf_environment *env, struct gf_gpu_props *props) {
    (void)env;
    const struct gf_vulkan *vk = gf_vulkan_find();
    VkPhysicalDevice device[GF_GPU_MAX_DEVICES];
    struct gf_gpu_props one;
    const char *why = "no driver lists one";
    uint32_t n_devices = GF_GPU_MAX_DEVICES;
    int n = 0;
    if (!vk)
        return GF_EABSENT;
    if (vk->physical_devices(vk->instance, &n_devices, device) < 0)
        n_devices = 0;
    for (uint32_t i = 0; i < n_devices; i++) {
        if (!look(vk, device[i], &one, &why))
            continue;
        n = gf_gpu_add_device(props, n, &one);
    }
    if (!n)
        return gf_fail(GF_EABSENT,
                       "Vulkan has no device: %s; install the GPU's driver, or apt install "
                       "mesa-vulkan-drivers for the CPU",
                       why);
    return n;
}
