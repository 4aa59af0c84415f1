/* GPUs through Vulkan 1.2's compute shaders, without a window: those of kernels/gl as SPIR-V. A
 * kept program is its SPIR-V and the driver's pipeline cache. */
#include <stdlib.h>
#include <string.h>

#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "core/gpu/api/vulkan/context.h"
#include "core/gpu/common.h"

enum { SOME_UNITS = 32, STAGE = 1 << 20, STAGE_FREE = GF_GPU_MARKS };

struct gf_gpu_kernel {
    VkPipeline pipeline;
};

/* ---- memory ---- */

static struct gf_vulkan_memory *memory_of(uint64_t handle) {
    return (struct gf_vulkan_memory *)(uintptr_t)handle;
}

static int vulkan_take(void *gpu, int64_t bytes, uint64_t *handle) {
    struct gf_vulkan_context *g = gpu;
    struct gf_vulkan_memory *m = malloc(sizeof *m);
    *handle = (uint64_t)(uintptr_t)m;
    if (!m)
        return gf_no_memory();
    VkResult rc = gf_vulkan_take(g, bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, m);
    if (rc)
        free(m);
    return rc == VK_ERROR_OUT_OF_DEVICE_MEMORY ? gf_gpu_no_room(gpu, bytes)
           : rc                                ? gf_vulkan_failure(g, rc, "taking memory")
                                               : 0;
}

/* Commands in flight may use the memory. */
static void vulkan_give(void *gpu, uint64_t handle) {
    gf_vulkan_sync(gpu);
    gf_vulkan_give(gpu, memory_of(handle));
    free(memory_of(handle));
}

static int64_t vulkan_free_bytes(void *gpu) {
    const struct gf_vulkan_context *g = gpu;
    return gf_vulkan_room(g->vk, &g->head.props, true);
}

static int vulkan_pin(void *gpu, int64_t bytes, void **host) {
    struct gf_vulkan_context *g = gpu;
    char size[GF_SIZE_TEXT];
    struct gf_vulkan_memory *m = malloc(sizeof *m);
    *host = NULL;
    if (!m || bytes < 0 || bytes > INT64_MAX - 16 ||
        gf_vulkan_take(g, bytes ? bytes : 1, GF_VULKAN_MAPPED, VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                       m)) {
        free(m);
        return gf_fail(GF_ENOMEM, "cannot lock %s of memory for the device",
                       gf_memory_text(bytes, size));
    }
    m->next = g->pinned;
    g->pinned = m;
    *host = m->host;
    return 0;
}

static void vulkan_unpin(void *gpu, void *host) {
    struct gf_vulkan_context *g = gpu;
    for (struct gf_vulkan_memory **p = &g->pinned; *p; p = &(*p)->next) {
        struct gf_vulkan_memory *found = *p;
        if (found->host != host)
            continue;
        *p = found->next;
        vulkan_give(g, (uint64_t)(uintptr_t)found);
        return;
    }
}

/* ---- copies ---- */

static int vulkan_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    struct gf_vulkan_context *g = gpu;
    VkCommandBuffer commands;
    int rc = gf_shaders_clear(&g->head, to, offset, bytes);
    if (!rc)
        rc = gf_vulkan_begin(g, &commands, NULL);
    if (rc)
        return rc;
    g->vk->fill(commands, memory_of(to->handle)->buffer, (uint64_t)offset,
                ((uint64_t)bytes + 3) / 4 * 4, 0);
    return gf_vulkan_end(g);
}

static int copy(struct gf_vulkan_context *g, const struct gf_vulkan_memory *from,
                int64_t from_offset, const struct gf_vulkan_memory *to, int64_t to_offset,
                int64_t bytes) {
    static const VkMemoryBarrier for_host = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL,
                                             VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
    const VkBufferCopy region = {(uint64_t)from_offset, (uint64_t)to_offset, (uint64_t)bytes};
    VkCommandBuffer commands;
    int rc = gf_vulkan_begin(g, &commands, NULL);
    if (rc)
        return rc;
    g->vk->copy(commands, from->buffer, to->buffer, 1, &region);
    if (to->host)
        g->vk->barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                       &for_host, 0, NULL, 0, NULL);
    return gf_vulkan_end(g);
}

/* Copies between plain memory of the host and a buffer, piece by piece. An upload has been read
 * when this returns, a download has ended. */
static int copy_staged(struct gf_vulkan_context *g, const struct gf_gpu_move *m) {
    const bool up = m->from.host;
    const struct gf_vulkan_memory *buffer =
        memory_of(up ? m->to.buffer->handle : m->from.buffer->handle);
    int rc = 0;
    for (int64_t done = 0, bytes; done < m->bytes && !rc; done += bytes) {
        bytes = m->bytes - done < STAGE ? m->bytes - done : STAGE;
        rc = gf_vulkan_reach(g, STAGE_FREE);
        if (!rc && up)
            memcpy(g->stage.host, m->from.host + done, (size_t)bytes);
        if (!rc)
            rc = up ? copy(g, &g->stage, 0, buffer, m->to.offset + done, bytes)
                    : copy(g, buffer, m->from.offset + done, &g->stage, 0, bytes);
        if (!rc)
            rc = gf_vulkan_mark(g, STAGE_FREE);
        if (!rc && !up && !(rc = gf_vulkan_reach(g, STAGE_FREE)))
            memcpy(m->to.host + done, g->stage.host, (size_t)bytes);
    }
    return rc;
}

/* The page-locked memory that the bytes are in, or NULL. */
static const struct gf_vulkan_memory *find_pinned(const struct gf_vulkan_context *g,
                                                  const char *host, int64_t bytes) {
    for (const struct gf_vulkan_memory *p = g->pinned; p; p = p->next)
        if (host >= p->host && host < p->host + p->bytes && bytes <= p->host + p->bytes - host)
            return p;
    return NULL;
}

/* Copies one row: gf_gpu_rows() refuses more. */
static int vulkan_move(void *gpu, const struct gf_gpu_move *m) {
    struct gf_vulkan_context *g = gpu;
    const struct gf_gpu_end *const end[] = {&m->from, &m->to};
    const struct gf_vulkan_memory *memory[2];
    int64_t at[2];
    for (int i = 0; i < 2; i++) {
        const char *host = end[i]->host;
        memory[i] = host ? find_pinned(g, host, m->bytes) : memory_of(end[i]->buffer->handle);
        if (!memory[i])
            return copy_staged(g, m);
        at[i] = host ? host - memory[i]->host : end[i]->offset;
    }
    return copy(g, memory[0], at[0], memory[1], at[1], m->bytes);
}

/* ---- devices ---- */

static bool vulkan_installed(void) {
    return gf_vulkan_find();
}

/* A device without a compiler for shaders is of no use, so auto may not take it. */
static int vulkan_probe(const struct gf_environment *env, char reason[GF_REASON]) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    const int n = gf_vulkan_devices(env, props);
    if (n < 0 || gf_vulkan_compiler()) {
        snprintf(reason, GF_REASON, "%s", gf_message());
        return GF_EABSENT;
    }
    snprintf(reason, GF_REASON, "%.110s: %.110s%s", props->platform, props->name,
             n > 1 ? ", and more" : "");
    return 0;
}

static void vulkan_close(void *gpu) {
    struct gf_vulkan_context *g = gpu;
    if (!g)
        return;
    if (g->device) {
        g->vk->idle(g->device);
        while (g->pinned)
            vulkan_unpin(g, g->pinned->host);
        gf_vulkan_give(g, &g->stage);
        gf_vulkan_give(g, &g->none);
        gf_vulkan_close_queues(g);
        g->vk->destroy_queries(g->device, g->times, NULL);
        g->vk->destroy_layout(g->device, g->layout, NULL);
        g->vk->destroy_set_layout(g->device, g->set, NULL);
        g->vk->destroy_device(g->device, NULL);
    }
    free(g);
}

static VkResult create_device(struct gf_vulkan_context *g) {
    static const float priority[GF_GPU_QUEUES] = {1, 1, 1};
    static const char *const extensions[] = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
    const struct gf_vulkan_families *f = &g->families;
    const bool several = f->compute != f->transfer;
    const uint32_t queues = (uint32_t)gf_min(f->transfer_queues, GF_GPU_QUEUES - several);
    const VkDeviceQueueCreateInfo queue[] = {{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0,
                                              (uint32_t)f->compute, several ? 1 : queues, priority},
                                             {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0,
                                              (uint32_t)f->transfer, queues, priority}};
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .timelineSemaphore = VK_TRUE,
        .uniformBufferStandardLayout = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &v12,
                                     .queueCreateInfoCount = several ? 2 : 1,
                                     .pQueueCreateInfos = queue,
                                     .enabledExtensionCount = 1,
                                     .ppEnabledExtensionNames = extensions};
    return g->vk->create_device(g->physical, &info, NULL, &g->device);
}

/* One layout serves all shaders: their buffers, the argument block, and the number of groups. */
static VkResult create_layout(struct gf_vulkan_context *g) {
    VkDescriptorSetLayoutBinding binding[GF_SHADERS_ARGS_AT + 1];
    for (uint32_t i = 0; i <= GF_SHADERS_ARGS_AT; i++)
        binding[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = i == GF_SHADERS_ARGS_AT ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                                      : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL,
        VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, GF_SHADERS_ARGS_AT + 1, binding};
    static const VkPushConstantRange groups = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(int32_t)};
    const VkPipelineLayoutCreateInfo layout = {
        VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, 1, &g->set, 1, &groups};
    VkResult rc = g->vk->create_set_layout(g->device, &set, NULL, &g->set);
    return rc ? rc : g->vk->create_layout(g->device, &layout, NULL, &g->layout);
}

static int open_device(struct gf_vulkan_context *g) {
    static const VkQueryPoolCreateInfo times = {
        VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, NULL, 0, VK_QUERY_TYPE_TIMESTAMP, 2, 0};
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDeviceMemoryProperties2 m = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    g->vk->properties(g->physical, &p);
    g->tick = p.properties.limits.timestampPeriod;
    g->vk->memory_properties(g->physical, &m);
    g->types = m.memoryProperties;
    VkResult rc = create_device(g);
    if (!rc)
        rc = create_layout(g);
    if (!rc)
        rc = g->vk->create_queries(g->device, &times, NULL, &g->times);
    if (!rc)
        rc = gf_vulkan_take(g, STAGE, GF_VULKAN_MAPPED, VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                            &g->stage);
    if (!rc)
        rc = gf_vulkan_take(g, 16, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, &g->none);
    return rc ? gf_vulkan_failure(g, rc, "opening a device") : gf_vulkan_use(g, 0);
}

static int vulkan_open(struct gf_gpu_props *props, void **gpu) {
    struct gf_vulkan_context *g = calloc(1, sizeof *g);
    if (!g)
        return gf_no_memory();
    g->head.api = &gf_gpu_vulkan;
    g->head.props = *props;
    g->vk = gf_vulkan_find();
    g->physical = (VkPhysicalDevice)(uintptr_t)props->handle;
    g->families = gf_vulkan_families(g->vk, g->physical);
    for (int i = 0; i <= GF_GPU_MARKS; i++)
        g->mark[i].queue = -1;
    int rc = open_device(g);
    if (rc) {
        vulkan_close(g);
        return rc;
    }
    if (!props->units) /* planning weighs how many groups run at the same time */
        props->units = props->is_cpu ? 1 : SOME_UNITS;
    *gpu = g;
    return 0;
}

/* ---- programs ---- */

/* A kept program: its SPIR-V, then the driver's cache of the pipeline, if it gives one. */
struct image {
    uint64_t spirv_bytes;
    uint32_t spirv[];
};

/* The cache that it uses begins as the image's, and is left in *kept unless that is NULL. */
static VkResult make_pipeline(const struct gf_vulkan_context *g, const struct image *image,
                              size_t cache_bytes, VkPipeline *pipeline, VkPipelineCache *kept) {
    const VkPipelineCacheCreateInfo old = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, NULL, 0,
                                           cache_bytes,
                                           (const char *)image->spirv + image->spirv_bytes};
    const VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0,
                                           image->spirv_bytes, image->spirv};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
        .layout = g->layout};
    VkPipelineCache cache = VK_NULL_HANDLE;
    VkResult rc = g->vk->create_cache(g->device, &old, NULL, &cache);
    if (!rc)
        rc = g->vk->create_module(g->device, &code, NULL, &info.stage.module);
    if (!rc)
        rc = g->vk->create_pipelines(g->device, cache, 1, &info, NULL, pipeline);
    g->vk->destroy_module(g->device, info.stage.module, NULL);
    if (kept && !rc)
        *kept = cache;
    else
        g->vk->destroy_cache(g->device, cache, NULL);
    return rc;
}

/* Adds the driver's cache to *image of *bytes. */
static VkResult add_cache(const struct gf_vulkan_context *g, struct image **image, size_t *bytes) {
    VkPipelineCache cache;
    VkPipeline pipeline = VK_NULL_HANDLE;
    size_t more = 0;
    VkResult rc = make_pipeline(g, *image, 0, &pipeline, &cache);
    if (rc)
        return rc;
    g->vk->destroy_pipeline(g->device, pipeline, NULL);
    g->vk->cache_data(g->device, cache, &more, NULL);
    struct image *larger = more ? realloc(*image, *bytes + more) : NULL;
    if (larger) {
        *image = larger;
        if (!g->vk->cache_data(g->device, cache, &more, (char *)larger + *bytes))
            *bytes += more;
    }
    g->vk->destroy_cache(g->device, cache, NULL);
    return 0;
}

static int vulkan_build(void *gpu, const char *name, const char *source, const char *options,
                        void **binary, size_t *bytes) {
    struct gf_vulkan_context *g = gpu;
    char *text = gf_shaders_text("#version 450", options, source);
    struct image *image = NULL;
    *binary = NULL;
    int rc = text ? gf_vulkan_compile(name, g->head.props.name, text, sizeof *image,
                                      (void **)&image, bytes)
                  : gf_fail(GF_ENOMEM, "no memory to build %s", name);
    free(text);
    if (rc)
        return rc;
    image->spirv_bytes = *bytes;
    *bytes += sizeof *image;
    VkResult error = add_cache(g, &image, bytes);
    *binary = image;
    if (!error)
        return 0;
    free(image);
    *binary = NULL;
    return gf_fail(GF_EBACKEND, "building %s for '%s': Vulkan error %d", name, g->head.props.name,
                   (int)error);
}

static bool is_whole(const struct image *image, size_t bytes) {
    enum { MAGIC = 0x07230203, LEAST = 20 };
    return bytes >= sizeof *image && image->spirv_bytes <= bytes - sizeof *image &&
           image->spirv_bytes >= LEAST && image->spirv_bytes % 4 == 0 && image->spirv[0] == MAGIC;
}

static int vulkan_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                       int64_t local_bytes, struct gf_gpu_kernel **kernel) {
    struct gf_vulkan_context *g = gpu;
    const struct image *image = binary;
    const int rc = gf_shaders_fit(&g->head, entry, local_bytes, is_whole(image, bytes));
    *kernel = NULL;
    if (rc)
        return rc;
    struct gf_gpu_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return gf_no_memory();
    VkResult error =
        make_pipeline(g, image, bytes - sizeof *image - image->spirv_bytes, &k->pipeline, NULL);
    if (!error) {
        *kernel = k;
        return 0;
    }
    free(k);
    return gf_fail(GF_EBACKEND, "loading %s on '%s': Vulkan error %d", entry, g->head.props.name,
                   (int)error);
}

static void vulkan_unload(void *gpu, struct gf_gpu_kernel *k) {
    struct gf_vulkan_context *g = gpu;
    if (!k)
        return;
    gf_vulkan_sync(g);
    g->vk->destroy_pipeline(g->device, k->pipeline, NULL);
    free(k);
}

/* ---- launches ---- */

static int vulkan_launch(void *gpu, const struct gf_gpu_launch *l) {
    struct gf_vulkan_context *g = gpu;
    const struct gf_vulkan_memory *args = &g->queue[g->current].args;
    VkDescriptorBufferInfo buffer[GF_SHADERS_ARGS_AT + 1];
    VkWriteDescriptorSet write[2];
    VkCommandBuffer commands;
    struct gf_shader_launch made;
    int64_t at;
    int rc = gf_shaders_launch(&g->head, l, &made);
    if (!rc && !args->host)
        rc = gf_fail(GF_EBACKEND, "this queue only copies");
    if (!rc)
        rc = gf_vulkan_begin(g, &commands, &at);
    if (rc)
        return rc;
    memcpy(args->host + at, made.args, made.bytes);
    for (int i = 0; i < GF_SHADERS_ARGS_AT; i++) {
        const struct gf_gpu_buffer *b = i < l->n_buffers ? l->buffer[i] : NULL;
        buffer[i] = (VkDescriptorBufferInfo){
            .buffer = b ? memory_of(b->handle)->buffer : g->none.buffer, .range = VK_WHOLE_SIZE};
    }
    buffer[GF_SHADERS_ARGS_AT] =
        (VkDescriptorBufferInfo){args->buffer, (uint64_t)at, GF_VULKAN_ARGS};
    write[0] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .descriptorCount = GF_SHADERS_ARGS_AT,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = buffer};
    write[1] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstBinding = GF_SHADERS_ARGS_AT,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                      .pBufferInfo = &buffer[GF_SHADERS_ARGS_AT]};
    g->vk->bind_pipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, l->kernel->pipeline);
    g->vk->push_buffers(commands, VK_PIPELINE_BIND_POINT_COMPUTE, g->layout, 0, 2, write);
    g->vk->push_constants(commands, g->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof made.groups,
                          &made.groups);
    g->vk->dispatch(commands, made.across, made.down, 1);
    return gf_vulkan_end(g);
}

const struct gf_gpu gf_gpu_vulkan = {
    .name = "vulkan",
    .suffix = ".comp",
    .whole = true,
    .check = gf_shaders_check,
    .copier = gf_shaders_copier,
    .installed = vulkan_installed,
    .probe = vulkan_probe,
    .find = gf_vulkan_devices,
    .open = vulkan_open,
    .close = vulkan_close,
    GF_GPU_COMMON(vulkan),
    .pin = vulkan_pin,
    .unpin = vulkan_unpin,
    .build = vulkan_build,
    .load = vulkan_load,
    .unload = vulkan_unload,
    .launch = vulkan_launch,
    .sync = gf_vulkan_sync,
    .use = gf_vulkan_use,
    .mark = gf_vulkan_mark,
    .reach = gf_vulkan_reach,
    .follow = gf_vulkan_follow,
    .elapsed = gf_vulkan_elapsed,
};
