/* Vulkan's queues: batches of commands, the order among them, marks. A timeline semaphore a queue
 * counts its batches; a mark is a value of it. */
#include "core/gpu/api/vulkan/context.h"

#include "core/base/value/status.h"

/* The current queue. */
static struct gf_vulkan_queue *queue_of(struct gf_vulkan_context *g) {
    return &g->queue[g->current];
}

/* ---- opening and closing ---- */

/* Queue 0 computes. The others only copy, where the device has such queues. */
static int open_queue(struct gf_vulkan_context *g, int number) {
    const struct gf_vulkan *vk = g->vk;
    struct gf_vulkan_queue *q = &g->queue[number];
    const struct gf_vulkan_families *f = &g->families;
    const int family = number ? f->transfer : f->compute;
    const bool shared = f->transfer == f->compute;
    int index = !number ? 0 : shared ? number : number - 1;
    index = index < f->transfer_queues ? index : shared ? 0 : f->transfer_queues - 1;
    static const VkSemaphoreTypeCreateInfo timeline = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                                       NULL, VK_SEMAPHORE_TYPE_TIMELINE, 0};
    static const VkSemaphoreCreateInfo semaphore = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                                    &timeline, 0};
    const VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL,
                                          VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          (uint32_t)family};
    VkResult rc = vk->create_semaphore(g->device, &semaphore, NULL, &q->done);
    if (!rc)
        rc = vk->create_pool(g->device, &pool, NULL, &q->pool);
    const VkCommandBufferAllocateInfo batches = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 NULL, q->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                 GF_VULKAN_BATCHES};
    if (!rc)
        rc = vk->allocate_commands(g->device, &batches, q->batch);
    q->computes = family == f->compute;
    /* The host writes the blocks, and every group reads them: device memory that the host sees. */
    if (!rc && q->computes)
        rc = gf_vulkan_take(g, GF_VULKAN_BATCHES * GF_VULKAN_COMMANDS * GF_VULKAN_ARGS,
                            GF_VULKAN_MAPPED, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &q->args);
    if (rc)
        return gf_vulkan_failure(g, rc, "opening a queue");
    vk->get_queue(g->device, (uint32_t)family, (uint32_t)index, &q->queue);
    return 0;
}

void gf_vulkan_close_queues(struct gf_vulkan_context *g) {
    for (int i = 0; i < GF_GPU_QUEUES; i++) {
        struct gf_vulkan_queue *q = &g->queue[i];
        gf_vulkan_give(g, &q->args);
        g->vk->destroy_pool(g->device, q->pool, NULL);
        g->vk->destroy_semaphore(g->device, q->done, NULL);
    }
}

/* ---- batches ---- */

/* Waits until a queue has passed the value. */
static int wait_for(struct gf_vulkan_context *g, const struct gf_vulkan_queue *q, uint64_t value) {
    const VkSemaphoreWaitInfo info = {
        VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, &q->done, &value};
    if (value > q->submitted) /* its batch could not be sent: waiting would not end */
        return gf_fail(GF_EBACKEND, "waiting for '%s' failed: the commands were not sent",
                       g->head.props.name);
    VkResult rc = value ? g->vk->wait(g->device, &info, UINT64_MAX) : VK_SUCCESS;
    return rc ? gf_vulkan_failure(g, rc, "waiting for the device") : 0;
}

/* Sends the batch that is being filled, if there is one, to the device. */
static int submit(struct gf_vulkan_context *g, struct gf_vulkan_queue *q) {
    VkSemaphore after[GF_GPU_QUEUES];
    VkPipelineStageFlags stages[GF_GPU_QUEUES];
    uint64_t values[GF_GPU_QUEUES], done = q->submitted + 1;
    uint32_t n = 0;
    if (!q->open)
        return 0;
    for (int i = 0; i < GF_GPU_QUEUES; i++)
        if (q->after[i]) {
            after[n] = g->queue[i].done;
            stages[n] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
            values[n++] = q->after[i];
            q->after[i] = 0;
        }
    const unsigned slot = q->next % GF_VULKAN_BATCHES;
    const VkTimelineSemaphoreSubmitInfo times = {
        VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, NULL, n, values, 1, &done};
    const VkSubmitInfo info = {
        VK_STRUCTURE_TYPE_SUBMIT_INFO, &times, n, after, stages, 1, &q->batch[slot], 1, &q->done};
    VkResult rc = g->vk->end(q->batch[slot]);
    if (!rc)
        rc = g->vk->submit(q->queue, 1, &info, VK_NULL_HANDLE);
    q->open = false;
    q->commands = 0;
    q->next++;
    if (rc)
        return gf_vulkan_failure(g, rc, "sending commands");
    q->ends[slot] = q->submitted = done;
    return 0;
}

/* Makes every later access of kernels and copies to memory wait for every earlier one. The wider
 * VK_ACCESS_MEMORY_READ and _WRITE empty more caches: on an NVIDIA H200 a launch then takes 2.5
 * us more. */
static void put_in_order(const struct gf_vulkan_context *g, const struct gf_vulkan_queue *q,
                         VkCommandBuffer commands) {
    const VkPipelineStageFlags stages =
        VK_PIPELINE_STAGE_TRANSFER_BIT | (q->computes ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : 0u);
    const VkAccessFlags writes =
        VK_ACCESS_TRANSFER_WRITE_BIT | (q->computes ? VK_ACCESS_SHADER_WRITE_BIT : 0u);
    const VkAccessFlags reads =
        VK_ACCESS_TRANSFER_READ_BIT | (q->computes ? VK_ACCESS_SHADER_READ_BIT : 0u);
    const VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, writes,
                                     reads | writes};
    g->vk->barrier(commands, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

int gf_vulkan_begin(struct gf_vulkan_context *g, VkCommandBuffer *commands, int64_t *args) {
    static const VkCommandBufferBeginInfo once = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    struct gf_vulkan_queue *q = queue_of(g);
    const unsigned slot = q->next % GF_VULKAN_BATCHES;
    *commands = q->batch[slot];
    if (!q->open) {
        int rc = wait_for(g, q, q->ends[slot]);
        if (rc)
            return rc;
        VkResult error = g->vk->begin(*commands, &once);
        if (error)
            return gf_vulkan_failure(g, error, "beginning commands");
        q->open = true;
    }
    put_in_order(g, q, *commands);
    if (args)
        *args = ((int64_t)slot * GF_VULKAN_COMMANDS + q->commands) * GF_VULKAN_ARGS;
    return 0;
}

int gf_vulkan_end(struct gf_vulkan_context *g) {
    struct gf_vulkan_queue *q = queue_of(g);
    return ++q->commands == GF_VULKAN_COMMANDS ? submit(g, q) : 0;
}

/* ---- queues and marks ---- */

int gf_vulkan_use(void *gpu, int queue) {
    struct gf_vulkan_context *g = gpu;
    int rc = g->queue[queue].queue ? 0 : open_queue(g, queue);
    if (!rc)
        g->current = queue;
    return rc;
}

int gf_vulkan_sync(void *gpu) {
    struct gf_vulkan_context *g = gpu;
    int rc = 0;
    for (int i = 0; i < GF_GPU_QUEUES && !rc; i++) {
        struct gf_vulkan_queue *q = &g->queue[i];
        rc = submit(g, q);
        if (!rc)
            rc = wait_for(g, q, q->submitted);
    }
    return rc;
}

/* Marks 0 and 1 tell the time; they are submitted with what follows, or when they are waited for,
 * as a submission of its own would be part of the time. */
int gf_vulkan_mark(void *gpu, int which) {
    struct gf_vulkan_context *g = gpu;
    struct gf_vulkan_queue *q = queue_of(g);
    VkCommandBuffer commands;
    int rc = 0;
    g->mark[which] = (struct gf_vulkan_mark){
        .queue = g->current, .timed = which < 2 && q->computes && g->families.tells_time};
    if (g->mark[which].timed) {
        rc = gf_vulkan_begin(g, &commands, NULL);
        if (rc)
            return rc;
        g->vk->reset_queries(commands, g->times, (uint32_t)which, 1);
        g->vk->take_time(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, g->times, (uint32_t)which);
    }
    g->mark[which].value = q->submitted + q->open;
    return which < 2 ? 0 : submit(g, q);
}

/* Submits what a mark stands behind; NULL if the mark was not set. */
static int find_mark(struct gf_vulkan_context *g, int which, struct gf_vulkan_queue **queue) {
    const struct gf_vulkan_mark *m = &g->mark[which];
    *queue = m->queue < 0 ? NULL : &g->queue[m->queue];
    return *queue && m->value > (*queue)->submitted ? submit(g, *queue) : 0;
}

int gf_vulkan_reach(void *gpu, int which) {
    struct gf_vulkan_context *g = gpu;
    struct gf_vulkan_queue *q;
    int rc = find_mark(g, which, &q);
    return rc || !q ? rc : wait_for(g, q, g->mark[which].value);
}

/* A batch waits as a whole, so what was queued before goes by itself. */
int gf_vulkan_follow(void *gpu, int which) {
    struct gf_vulkan_context *g = gpu;
    const struct gf_vulkan_mark *m = &g->mark[which];
    struct gf_vulkan_queue *q = queue_of(g), *other;
    int rc = find_mark(g, which, &other);
    if (rc || !other || other == q)
        return rc;
    rc = submit(g, q);
    if (q->after[m->queue] < m->value)
        q->after[m->queue] = m->value;
    return rc;
}

int gf_vulkan_elapsed(void *gpu, double *seconds) {
    struct gf_vulkan_context *g = gpu;
    uint64_t at[2] = {0, 0};
    *seconds = 0;
    if (!g->mark[0].timed || !g->mark[1].timed)
        return gf_fail(GF_EBACKEND, "the device has no two marks to measure between");
    for (int i = 0; i < 2; i++) {
        int rc = gf_vulkan_reach(g, i);
        if (rc)
            return rc;
    }
    VkResult rc = g->vk->query_results(g->device, g->times, 0, 2, sizeof at, at, sizeof *at,
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (rc)
        return gf_vulkan_failure(g, rc, "reading the device's clock");
    *seconds = 1e-9 * g->tick * (double)(int64_t)(at[1] - at[0]);
    return 0;
}
