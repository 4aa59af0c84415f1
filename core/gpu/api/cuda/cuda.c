/* NVIDIA GPUs through the driver API, with kernels that NVRTC compiles for the device's
 * architecture. The context is the device's primary one, which the runtime library and cuFFT
 * share. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/gpu/api/cuda/device.h"
#include "core/base/host/memory.h"
#include "core/base/value/pages.h"
#include "core/gpu/common.h"

/* Up to half of this, data between two passes stays in the second-level cache anyway. */
enum { CHAIN_BYTES = 64 << 20 };
enum { PLAIN_SHARED_BYTES = 48 << 10 };

/* ---- devices ---- */

static int attribute(const struct gf_cuda *cu, int device, int which) {
    int value = 0;
    return cu->device_attribute(&value, which, device) ? 0 : value;
}

/* The kernel driver's version if the system tells it, else `otherwise`. */
static void driver_text(char text[128], const char *otherwise) {
    FILE *f = fopen("/sys/module/nvidia/version", "re");
    bool got = f && fgets(text, 64, f);
    if (got)
        text[strcspn(text, "\n")] = 0;
    if (!got || !*text)
        snprintf(text, 128, "%s", otherwise);
    if (f)
        fclose(f);
}

static void describe(const struct gf_cuda *cu, int device, struct gf_gpu_props *p) {
    size_t bytes = 0;
    int version = 0;
    memset(p, 0, sizeof *p);
    p->handle = (uint64_t)device;
    cu->driver_version(&version);
    snprintf(p->platform, sizeof p->platform, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    driver_text(p->driver, p->platform);
    cu->device_name(p->name, (int)sizeof p->name - 1, device);
    cu->device_memory(&bytes, device);
    p->memory = p->max_alloc = (int64_t)bytes;
    p->local_bytes = attribute(cu, device, GF_CU_SHARED_PER_BLOCK_OPTIN);
    if (!p->local_bytes) /* the architecture has no opt-in */
        p->local_bytes = attribute(cu, device, GF_CU_SHARED_PER_BLOCK);
    p->unit_local_bytes = attribute(cu, device, GF_CU_SHARED_PER_MULTIPROCESSOR);
    p->max_group = attribute(cu, device, GF_CU_THREADS_PER_BLOCK);
    p->units = attribute(cu, device, GF_CU_MULTIPROCESSORS);
    p->warp = attribute(cu, device, GF_CU_WARP_SIZE);
    p->fp64 = true;
    p->chain_bytes = CHAIN_BYTES;
    p->fetches = attribute(cu, device, GF_CU_CAPABILITY_MAJOR) >= 8;
    for (int i = 0; i < 3; i++)
        p->max_items[i] = attribute(cu, device, GF_CU_BLOCK_DIM_X + i);
    p->clock_mhz = attribute(cu, device, GF_CU_CLOCK_KHZ) / 1000;
    char architecture[32];
    snprintf(architecture, sizeof architecture, "sm_%d%d",
             attribute(cu, device, GF_CU_CAPABILITY_MAJOR),
             attribute(cu, device, GF_CU_CAPABILITY_MINOR));
    p->extensions = gf_device_text(architecture);
}

/* Asks the driver once: some attributes take a millisecond. */
static int find_devices(const struct gf_cuda *cu, struct gf_gpu_props *props) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct gf_gpu_props known[GF_GPU_MAX_DEVICES];
    static int found = -1;
    int n = 0, device;
    pthread_mutex_lock(&lock);
    if (found < 0) {
        cu->device_count(&n);
        found = 0;
        for (int i = 0; i < n && found < GF_GPU_MAX_DEVICES; i++)
            if (!cu->device_get(&device, i)) {
                struct gf_gpu_props p;
                describe(cu, device, &p);
                if (p.max_group && p.units && p.warp) /* planners divide by them */
                    known[found++] = p;
            }
    }
    n = found;
    memcpy(props, known, (size_t)n * sizeof *props);
    pthread_mutex_unlock(&lock);
    return n;
}

static int cuda_probe(const struct gf_environment *env, char reason[GF_REASON]) {
    const struct gf_cuda *cu = gf_cuda_find();
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES], *p = list;
    struct gf_cuda_compiler compiler;
    int n = cu ? find_devices(cu, list) : 0, rc = cu ? 0 : GF_EABSENT;
    if (!rc && !n)
        rc = gf_fail(GF_EABSENT, "the NVIDIA driver cannot open its first GPU");
    p->environment = env;
    if (!rc)
        rc = gf_cuda_compiler_find(p, &compiler);
    if (rc) {
        snprintf(reason, GF_REASON, "%s", gf_message());
        return GF_EABSENT;
    }
    snprintf(reason, GF_REASON, "%.40s, %.60s: %.110s%s", p->platform, p->compiler, p->name,
             n > 1 ? ", and more" : "");
    return 0;
}

static int cuda_find(const struct gf_environment *env, struct gf_gpu_props *props) {
    const struct gf_cuda *cu = gf_cuda_find();
    struct gf_cuda_compiler compiler;
    int n = cu ? find_devices(cu, props) : GF_EABSENT;
    for (int i = 0; i < n; i++) {
        props[i].environment = env;
        if (gf_cuda_compiler_find(&props[i], &compiler))
            snprintf(props[i].compiler, sizeof props[i].compiler, "none");
    }
    return n;
}

/* ---- the context ---- */

static int cuda_failure(struct gf_cuda_device *g, int rc, const char *what) {
    if (gf_cuda_is_fatal(rc))
        g->head.lost = true;
    return gf_gpu_failure(&g->head, rc == GF_CU_OUT_OF_MEMORY, what, gf_cuda_error(g->cu, rc));
}

static int cuda_check(struct gf_cuda_device *g, int rc, const char *what) {
    return rc ? cuda_failure(g, rc, what) : 0;
}

static int cuda_enter(struct gf_cuda_device *g) {
    return cuda_check(g, g->cu->context_set(g->context), "entering the context");
}

static void cuda_close(void *gpu) {
    struct gf_cuda_device *g = gpu;
    if (!g)
        return;
    if (g->context && !g->cu->context_set(g->context)) {
        for (int i = 0; i < GF_GPU_QUEUES; i++)
            if (g->streams[i]) {
                g->cu->stream_wait(g->streams[i]);
                g->cu->stream_destroy(g->streams[i]);
            }
        for (int i = 0; i <= GF_GPU_MARKS; i++)
            if (g->mark[i])
                g->cu->event_destroy(g->mark[i]);
        g->cu->context_set(NULL);
    }
    if (g->context)
        g->cu->context_release(g->device);
    free(g);
}

static int cuda_use(void *gpu, int queue) {
    struct gf_cuda_device *g = gpu;
    void **stream = &g->streams[queue];
    int rc = cuda_enter(g);
    if (!rc && !*stream)
        rc = cuda_check(g, g->cu->stream_create(stream, GF_CU_STREAM_NON_BLOCKING),
                        "opening a stream");
    if (!rc)
        g->stream = *stream;
    return rc;
}

/* Marks 0 and 1 are timed, for elapsed(). */
static int open_context(struct gf_cuda_device *g) {
    int rc = g->cu->context_retain(&g->context, g->device);
    if (rc)
        return cuda_failure(g, rc, "opening a context");
    rc = g->cu->context_set(g->context);
    for (int i = 0; i <= GF_GPU_MARKS && !rc; i++)
        rc = g->cu->event_create(&g->mark[i], i < 2 ? 0 : GF_CU_EVENT_UNTIMED);
    rc = cuda_check(g, rc, "entering the context");
    return rc ? rc : cuda_use(g, 0);
}

static int cuda_open(struct gf_gpu_props *props, void **gpu) {
    struct gf_cuda_device *g = calloc(1, sizeof *g);
    if (!g)
        return gf_no_memory();
    g->head.api = &gf_gpu_cuda;
    g->head.props = *props;
    g->cu = gf_cuda_find();
    g->device = (int)props->handle;
    int rc = gf_cuda_compiler_find(&g->head.props, &g->compiler);
    if (!rc)
        rc = open_context(g);
    if (rc) {
        cuda_close(g);
        return rc;
    }
    *props = g->head.props;
    *gpu = g;
    return 0;
}

static int cuda_sync(void *gpu) {
    struct gf_cuda_device *g = gpu;
    int rc = cuda_enter(g);
    for (int i = 0; i < GF_GPU_QUEUES && !rc; i++)
        if (g->streams[i])
            rc = cuda_check(g, g->cu->stream_wait(g->streams[i]), "a command");
    return rc;
}

static int cuda_mark(void *gpu, int which) {
    struct gf_cuda_device *g = gpu;
    int rc = cuda_enter(g);
    if (!rc)
        rc = cuda_check(g, g->cu->event_record(g->mark[which], g->stream), "marking a time");
    g->marked[which] = !rc;
    return rc;
}

static int cuda_reach(void *gpu, int which) {
    struct gf_cuda_device *g = gpu;
    if (!g->marked[which])
        return 0;
    int rc = cuda_enter(g);
    return rc ? rc : cuda_check(g, g->cu->event_wait(g->mark[which]), "a command");
}

/* Events are valid in every context of the process. */
static int cuda_follow_other(void *gpu, void *other, int which) {
    struct gf_cuda_device *g = gpu;
    const struct gf_cuda_device *o = other;
    if (!o->marked[which])
        return 0;
    int rc = cuda_enter(g);
    return rc ? rc : cuda_check(g, g->cu->stream_follow(g->stream, o->mark[which], 0), "a command");
}

static int cuda_follow(void *gpu, int which) {
    return cuda_follow_other(gpu, gpu, which);
}

static int cuda_order(void *gpu, void *stream, bool behind) {
    struct gf_cuda_device *g = gpu;
    void *const mark = g->mark[GF_GPU_MARKS];
    int rc = cuda_enter(g);
    if (rc)
        return rc;
    rc = g->cu->event_record(mark, behind ? g->stream : stream);
    if (!rc)
        rc = g->cu->stream_follow(behind ? stream : g->stream, mark, 0);
    return cuda_check(g, rc, "waiting for the caller's stream");
}

static int cuda_elapsed(void *gpu, double *seconds) {
    struct gf_cuda_device *g = gpu;
    float milliseconds = 0;
    *seconds = 0;
    if (!g->marked[0] || !g->marked[1])
        return gf_fail(GF_EBACKEND, "the device has no two marks to measure between");
    int rc = cuda_enter(g);
    if (rc)
        return rc;
    rc = g->cu->event_wait(g->mark[1]);
    if (!rc)
        rc = g->cu->event_elapsed(&milliseconds, g->mark[0], g->mark[1]);
    *seconds = 1e-3 * (double)milliseconds;
    return cuda_check(g, rc, "a command");
}

static void *cuda_stream(void *gpu) {
    struct gf_cuda_device *g = gpu;
    return cuda_enter(g) ? NULL : g->stream;
}

/* ---- kernels ---- */

static void cuda_unload(void *gpu, struct gf_gpu_kernel *k) {
    struct gf_cuda_device *g = gpu;
    if (!k)
        return;
    if (k->module && !g->cu->context_set(g->context))
        g->cu->module_unload(k->module);
    free(k);
}

static int cuda_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                     int64_t local_bytes, struct gf_gpu_kernel **kernel) {
    struct gf_cuda_device *g = gpu;
    *kernel = NULL;
    if (local_bytes > g->head.props.local_bytes)
        return gf_fail(GF_EBACKEND, "%s needs %lld bytes of shared memory, '%s' has %lld", entry,
                       (long long)local_bytes, g->head.props.name,
                       (long long)g->head.props.local_bytes);
    if (!gf_cuda_image_is_whole(binary, bytes))
        return gf_fail(GF_EBACKEND, "cannot load %s: the binary is damaged", entry);
    int rc = cuda_enter(g);
    if (rc)
        return rc;
    struct gf_gpu_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return gf_no_memory();
    rc = g->cu->module_load(&k->module, binary);
    if (!rc)
        rc = g->cu->module_function(&k->function, k->module, entry);
    if (!rc && local_bytes > PLAIN_SHARED_BYTES)
        rc = g->cu->function_set(k->function, GF_CU_FUNCTION_DYNAMIC_SHARED, (int)local_bytes);
    if (rc) {
        cuda_unload(g, k);
        return cuda_failure(g, rc, "loading a kernel");
    }
    *kernel = k;
    return 0;
}

/* Saves the 2 us between the last group of one launch and the first of the next. */
static int launch_overlapped(struct gf_cuda_device *g, const struct gf_gpu_launch *l,
                             void **arguments) {
    static const struct gf_cuda_launch_attribute overlapped = {
        .which = GF_CU_LAUNCH_SERIALIZED_BY_PROGRAM, .value = {1}};
    const struct gf_cuda_launch launch = {.grid = {(unsigned)l->groups, 1, 1},
                                          .block = {(unsigned)l->group, 1, 1},
                                          .shared_bytes = (unsigned)l->local_bytes,
                                          .stream = g->stream,
                                          .attributes = &overlapped,
                                          .n_attributes = 1};
    int rc = g->cu->launch_with(&launch, l->kernel->function, arguments, NULL);
    return cuda_check(g, rc, "a kernel");
}

static int cuda_launch(void *gpu, const struct gf_gpu_launch *l) {
    struct gf_cuda_device *g = gpu;
    uint64_t address[GF_GPU_MAX_BUFFERS];
    void *argument[GF_GPU_MAX_BUFFERS + 1];
    int n = 0;
    if (l->groups <= 0 || l->groups > INT32_MAX || l->group <= 0 ||
        l->group > g->head.props.max_group || l->local_bytes < 0 ||
        l->local_bytes > g->head.props.local_bytes || l->n_buffers > GF_GPU_MAX_BUFFERS)
        return gf_fail(GF_EBACKEND, "cannot launch %lld groups of %d with %lld bytes",
                       (long long)l->groups, l->group, (long long)l->local_bytes);
    int rc = cuda_enter(g);
    if (rc)
        return rc;
    for (int i = 0; i < l->n_buffers; i++) {
        address[i] = l->buffer[i] ? l->buffer[i]->handle : 0;
        argument[n++] = &address[i];
    }
    if (l->args_bytes) /* the driver knows the block's size from the kernel, and copies it now */
        argument[n++] = (void *)(uintptr_t)l->args;
    if (l->awaits && g->compiler.awaits && g->cu->launch_with)
        return launch_overlapped(g, l, argument);
    rc = g->cu->launch(l->kernel->function, (unsigned)l->groups, 1, 1, (unsigned)l->group, 1, 1,
                       (unsigned)l->local_bytes, g->stream, argument, NULL);
    return cuda_check(g, rc, "a kernel");
}

/* ---- memory, and page-locked memory of the host ---- */

static int cuda_take(void *gpu, int64_t bytes, uint64_t *address) {
    struct gf_cuda_device *g = gpu;
    int rc = cuda_enter(g);
    if (rc)
        return rc;
    rc = g->cu->memory_alloc(address, (size_t)bytes);
    return rc == GF_CU_OUT_OF_MEMORY ? gf_gpu_no_room(gpu, bytes)
                                     : cuda_check(g, rc, "taking memory");
}

static void cuda_give(void *gpu, uint64_t address) {
    struct gf_cuda_device *g = gpu;
    if (!g->cu->context_set(g->context))
        g->cu->memory_free(address);
}

static int64_t cuda_free_bytes(void *gpu) {
    struct gf_cuda_device *g = gpu;
    size_t unused = 0, all = 0;
    if (g->cu->context_set(g->context) || g->cu->memory_info(&unused, &all))
        return g->head.props.memory;
    return (int64_t)unused;
}

static int lock_failure(struct gf_cuda_device *g, int rc, int64_t bytes) {
    char size[GF_SIZE_TEXT];
    if (gf_cuda_is_fatal(rc))
        return cuda_failure(g, rc, "locking memory");
    return gf_fail(GF_ENOMEM, "cannot lock %s of memory for the device: %s",
                   gf_memory_text(bytes, size), gf_cuda_error(g->cu, rc));
}

/* The driver locks its own buffers page by page, which takes 0.7 ms a MiB; populated huge pages
 * take a tenth of that. NULL if they cannot be had. */
static void *pin_huge_pages(struct gf_cuda_device *g, int64_t bytes) {
    void *host = bytes >= GF_HUGE_PAGE ? gf_alloc((size_t)bytes) : NULL;
    if (!host)
        return NULL;
    gf_populate(host, (size_t)bytes, omp_get_max_threads() < 8 ? omp_get_max_threads() : 8);
    if (!g->cu->host_register(host, (size_t)bytes, GF_CU_HOST_PORTABLE))
        return host;
    gf_free(host);
    return NULL;
}

static int cuda_pin(void *gpu, int64_t bytes, void **host) {
    struct gf_cuda_device *g = gpu;
    *host = NULL;
    int rc = cuda_enter(g);
    if (rc || (*host = pin_huge_pages(g, bytes)))
        return rc;
    rc = bytes < 0 ? GF_CU_OUT_OF_MEMORY
                   : g->cu->host_alloc(host, bytes < 16 ? 16 : (size_t)bytes, GF_CU_HOST_PORTABLE);
    if (!rc)
        return 0;
    *host = NULL;
    return lock_failure(g, rc, bytes);
}

static void cuda_unpin(void *gpu, void *host) {
    struct gf_cuda_device *g = gpu;
    if (!host || g->cu->context_set(g->context))
        return;
    if ((uintptr_t)host % GF_HUGE_PAGE == 0 && !g->cu->host_unregister(host))
        gf_free(host);
    else
        g->cu->host_free(host);
}

static int cuda_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    struct gf_cuda_device *g = gpu;
    int rc = cuda_enter(g);
    if (rc)
        return rc;
    rc = g->cu->fill(to->handle + (uint64_t)offset, 0, (size_t)bytes, g->stream);
    return cuda_check(g, rc, "clearing memory");
}

static int cuda_lock(void *gpu, void *host, int64_t bytes, bool *locked) {
    struct gf_cuda_device *g = gpu;
    *locked = false;
    int rc = cuda_enter(g);
    if (rc)
        return rc;
    rc = g->cu->host_register(host, (size_t)bytes, GF_CU_HOST_PORTABLE);
    *locked = !rc;
    if (!rc || rc == GF_CU_ALREADY_REGISTERED)
        return 0;
    return lock_failure(g, rc, bytes);
}

static void cuda_unlock(void *gpu, void *host) {
    struct gf_cuda_device *g = gpu;
    if (host && !g->cu->context_set(g->context))
        g->cu->host_unregister(host);
}

/* Checks both ends only, as arrays are locked whole. */
static bool cuda_is_locked(void *gpu, const void *host, int64_t bytes) {
    struct gf_cuda_device *g = gpu;
    const uint64_t ends[2] = {(uint64_t)(uintptr_t)host,
                              (uint64_t)(uintptr_t)host + (uint64_t)bytes - 1};
    bool locked = bytes > 0 && !cuda_enter(g);
    for (int i = 0; i < 2 && locked; i++) {
        unsigned kind = 0;
        locked =
            !g->cu->pointer_attribute(&kind, GF_CU_POINTER_MEMORY, ends[i]) && kind == GF_CU_HOST;
    }
    return locked;
}

static int cuda_adopt(void *gpu, const char *which, uint64_t address, int64_t bytes) {
    struct gf_cuda_device *g = gpu;
    unsigned kind = 0;
    int device = -1, rc = cuda_enter(g);
    uint64_t start = 0, size = 0;
    void *context = NULL; /* none if all share the memory, as a pool's */
    if (rc)
        return rc;
    rc = g->cu->pointer_attribute(&kind, GF_CU_POINTER_MEMORY, address);
    if (gf_cuda_is_fatal(rc))
        return cuda_failure(g, rc, "a command");
    if (rc || kind != GF_CU_DEVICE ||
        g->cu->pointer_attribute(&device, GF_CU_POINTER_DEVICE, address))
        return gf_fail(GF_EINVAL, "the %s is not in the memory of a CUDA device", which);
    if (device != g->device)
        return gf_fail(GF_EINVAL, "the %s is on CUDA device %d, and the library uses device %d",
                       which, device, g->device);
    if (!g->cu->pointer_attribute(&context, GF_CU_POINTER_CONTEXT, address) && context &&
        context != g->context)
        return gf_fail(GF_EINVAL, "the %s is not in memory of the device's primary context", which);
    if (g->cu->pointer_attribute(&start, GF_CU_POINTER_START, address) ||
        g->cu->pointer_attribute(&size, GF_CU_POINTER_BYTES, address) ||
        size - (address - start) < (uint64_t)bytes)
        return gf_fail(GF_EINVAL, "the %s exceeds the memory that was allocated for it", which);
    return 0;
}

/* ---- copies ---- */

/* The driver's largest pitch; rows further apart are copied one by one. */
enum { PITCH_MOST = INT32_MAX };

static uint64_t place_of(const struct gf_gpu_end *e, int64_t row) {
    const uint64_t base = e->buffer ? e->buffer->handle : (uint64_t)(uintptr_t)e->host;
    return base + (uint64_t)(e->offset + row * e->pitch);
}

/* The driver has copied pageable memory when it returns; page-locked memory must not change before
 * sync(). */
static int move_row(struct gf_cuda_device *g, const struct gf_gpu_move *m, int64_t row) {
    const uint64_t from = place_of(&m->from, row), to = place_of(&m->to, row);
    const size_t bytes = (size_t)m->bytes;
    if (m->from.host)
        return g->cu->upload(to, (const void *)(uintptr_t)from, bytes, g->stream);
    return m->to.host ? g->cu->download((void *)(uintptr_t)to, from, bytes, g->stream)
                      : g->cu->copy(to, from, bytes, g->stream);
}

/* Unified addresses identify their device. */
static int cuda_move(void *gpu, const struct gf_gpu_move *m) {
    struct gf_cuda_device *g = gpu;
    const bool up = m->from.host, down = m->to.host;
    const struct gf_cuda_rows rows = {
        .from_kind = up     ? GF_CU_HOST
                     : down ? GF_CU_DEVICE
                            : GF_CU_UNIFIED,
        .from_host = m->from.host,
        .from_device = up ? 0 : place_of(&m->from, 0),
        .from_pitch = (size_t)m->from.pitch,
        .to_kind = down ? GF_CU_HOST
                   : up ? GF_CU_DEVICE
                        : GF_CU_UNIFIED,
        .to_host = m->to.host,
        .to_device = down ? 0 : place_of(&m->to, 0),
        .to_pitch = (size_t)m->to.pitch,
        .width = (size_t)m->bytes,
        .height = (size_t)m->count,
    };
    int rc = cuda_enter(g);
    if (rc)
        return rc;
    if (m->count > 1 && m->from.pitch <= PITCH_MOST && m->to.pitch <= PITCH_MOST)
        return cuda_check(g, g->cu->copy_rows(&rows, g->stream), m->what);
    for (int64_t i = 0; i < m->count && !rc; i++)
        rc = move_row(g, m, i);
    return cuda_check(g, rc, m->what);
}

/* Peer access is enabled once for a pair of contexts. */
static bool cuda_reaches(void *gpu, void *other) {
    struct gf_cuda_device *g = gpu;
    const struct gf_cuda_device *o = other;
    int can = 0;
    if (g->context == o->context)
        return true;
    if (!g->cu->peer_can_access || !g->cu->peer_enable || cuda_enter(g) ||
        g->cu->peer_can_access(&can, g->device, o->device) || !can)
        return false;
    const int rc = g->cu->peer_enable(o->context, 0);
    return !rc || rc == GF_CU_PEER_ALREADY_ENABLED;
}

const struct gf_gpu gf_gpu_cuda = {
    .name = "cuda",
    .probe = cuda_probe,
    .installed = gf_cuda_load,
    .find = cuda_find,
    .open = cuda_open,
    .close = cuda_close,
    GF_GPU_COMMON(cuda),
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .lock = cuda_lock,
    .unlock = cuda_unlock,
    .is_locked = cuda_is_locked,
    .view = gf_gpu_view,
    .reads_others = true,
    .reaches = cuda_reaches,
    .follow_other = cuda_follow_other,
    .build = gf_cuda_build,
    .load = cuda_load,
    .unload = cuda_unload,
    .launch = cuda_launch,
    .sync = cuda_sync,
    .use = cuda_use,
    .mark = cuda_mark,
    .reach = cuda_reach,
    .follow = cuda_follow,
    .adopt = cuda_adopt,
    .order = cuda_order,
    .elapsed = cuda_elapsed,
    .stream = cuda_stream,
};
