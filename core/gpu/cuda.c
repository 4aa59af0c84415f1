/* NVIDIA GPUs through the driver interface. NVRTC compiles kernels for the device's architecture.
 * The context is the device's primary one, which the runtime library and cuFFT use too. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/gpu/cuda_device.h"
#include "core/gpu/common.h"
#include "core/base/memory.h"
#include "core/base/status.h"

/* What is between two passes stays in the second-level cache by itself where it is half of this. */
enum { CHAIN_BYTES = 64 << 20 };
enum { MAX_OPTIONS = 256, MAX_ARCHS = 64, PLAIN_SHARED_BYTES = 48 << 10 };

int gf_cuda_failure(struct gf_cuda_device *g, int rc, const char *what) {
    if (gf_cuda_is_fatal(rc))
        g->lost = true;
    if (rc == GF_CU_OUT_OF_MEMORY)
        return gf_fail(GF_ENOMEM, "%s: out of memory on '%s'", what, g->props.name);
    return gf_fail(GF_EBACKEND, "%s failed on '%s': %s", what, g->props.name,
                   gf_cuda_error(g->cu, rc));
}

int gf_cuda_check(struct gf_cuda_device *g, int rc, const char *what) {
    return rc ? gf_cuda_failure(g, rc, what) : 0;
}

int gf_cuda_enter(struct gf_cuda_device *g) {
    return gf_cuda_check(g, g->cu->context_set(g->context), "entering the context");
}

/* ---- devices ---- */

static int attribute(const struct gf_cuda *cu, int device, int which) {
    int value = 0;
    return cu->device_attribute(&value, which, device) ? 0 : value;
}

/* The kernel driver's version where the system has it, else the CUDA version again. */
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
    cu->driver_version(&version);
    snprintf(p->platform, sizeof p->platform, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    driver_text(p->driver, p->platform);
    cu->device_name(p->name, (int)sizeof p->name - 1, device);
    cu->device_memory(&bytes, device);
    p->memory = p->max_alloc = (int64_t)bytes;
    p->local_bytes = attribute(cu, device, GF_CU_SHARED_PER_BLOCK_OPTIN);
    if (!p->local_bytes) /* an architecture without the choice */
        p->local_bytes = attribute(cu, device, GF_CU_SHARED_PER_BLOCK);
    p->unit_local_bytes = attribute(cu, device, GF_CU_SHARED_PER_MULTIPROCESSOR);
    p->max_group = attribute(cu, device, GF_CU_THREADS_PER_BLOCK);
    p->units = attribute(cu, device, GF_CU_MULTIPROCESSORS);
    p->warp = attribute(cu, device, GF_CU_WARP_SIZE);
    p->fp64 = true;
    p->chain_bytes = CHAIN_BYTES;
    for (int i = 0; i < 3; i++)
        p->max_items[i] = attribute(cu, device, GF_CU_BLOCK_DIM_X + i);
    p->clock_mhz = attribute(cu, device, GF_CU_CLOCK_KHZ) / 1000;
    snprintf(p->extensions, sizeof p->extensions, "sm_%d%d",
             attribute(cu, device, GF_CU_CAPABILITY_MAJOR),
             attribute(cu, device, GF_CU_CAPABILITY_MINOR));
}

/* The architecture to compile for: the device's own where NVRTC knows it, else the newest one
 * below it that NVRTC knows, as PTX, which the driver compiles. */
static int choose_arch(const struct gf_cuda *cu, const struct gf_nvrtc *nvrtc, int device,
                       struct gf_gpu_props *p, char option[48], bool *as_ptx) {
    int known[MAX_ARCHS] = {0}, n = 0, best = 0, major = 0, minor = 0;
    int own = 10 * attribute(cu, device, GF_CU_CAPABILITY_MAJOR) +
              attribute(cu, device, GF_CU_CAPABILITY_MINOR);
    nvrtc->version(&major, &minor);
    if (!nvrtc->n_archs(&n) && n <= MAX_ARCHS && nvrtc->archs(known))
        n = 0;
    for (int i = 0; i < n && i < MAX_ARCHS; i++)
        if (known[i] <= own && known[i] > best)
            best = known[i];
    if (!best)
        return gf_fail(GF_EABSENT,
                       "NVRTC %d.%d cannot compile for sm_%d ('%s'); install an older one", major,
                       minor, own, p->name);
    *as_ptx = best != own;
    snprintf(option, 48, "--gpu-architecture=%s_%d", *as_ptx ? "compute" : "sm", best);
    snprintf(p->compiler, sizeof p->compiler, "NVRTC %d.%d, %s_%d", major, minor,
             *as_ptx ? "compute" : "sm", best);
    return 0;
}

/* Fills at most `most` devices and returns their number. */
static int find_devices(const struct gf_cuda *cu, struct gf_gpu_props *props, int *devices,
                        int most) {
    int n = 0, found = 0;
    cu->device_count(&n);
    for (int i = 0; i < n && found < most; i++) {
        int device;
        if (cu->device_get(&device, i))
            continue;
        describe(cu, device, &props[found]);
        devices[found++] = device;
    }
    return found;
}

static int cuda_probe(char reason[GF_REASON]) {
    const struct gf_cuda *cu = gf_cuda_find();
    const struct gf_nvrtc *nvrtc = cu ? gf_nvrtc_find() : NULL;
    struct gf_gpu_props p;
    char option[48];
    bool as_ptx;
    int device, n = 0;
    int rc = nvrtc ? 0 : GF_EABSENT;
    if (!rc && !find_devices(cu, &p, &device, 1))
        rc = gf_fail(GF_EABSENT, "the NVIDIA driver cannot open its first GPU");
    if (!rc)
        rc = choose_arch(cu, nvrtc, device, &p, option, &as_ptx);
    if (rc) {
        snprintf(reason, GF_REASON, "%s", gf_message());
        return GF_EABSENT;
    }
    cu->device_count(&n);
    snprintf(reason, GF_REASON, "%.40s, %.60s: %.110s%s", p.platform, p.compiler, p.name,
             n > 1 ? ", and more" : "");
    return 0;
}

static int cuda_list(struct gf_gpu_props *props, int most) {
    const struct gf_cuda *cu = gf_cuda_find();
    int devices[GF_GPU_MAX_DEVICES];
    if (!cu)
        return GF_EABSENT;
    int n = find_devices(cu, props, devices, most < GF_GPU_MAX_DEVICES ? most : GF_GPU_MAX_DEVICES);
    const struct gf_nvrtc *nvrtc = gf_nvrtc_find();
    char option[48];
    bool as_ptx;
    for (int i = 0; i < n; i++)
        if (!nvrtc || choose_arch(cu, nvrtc, devices[i], &props[i], option, &as_ptx))
            snprintf(props[i].compiler, sizeof props[i].compiler, "none");
    return n;
}

/* ---- the context ---- */

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
        for (int i = 0; i < GF_GPU_MARKS; i++)
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
    int rc = gf_cuda_enter(g);
    if (!rc && !*stream)
        rc = gf_cuda_check(g, g->cu->stream_create(stream, GF_CU_STREAM_NON_BLOCKING),
                           "opening a stream");
    if (!rc)
        g->stream = *stream;
    return rc;
}

static int open_context(struct gf_cuda_device *g) {
    int rc = g->cu->context_retain(&g->context, g->device);
    if (rc)
        return gf_cuda_failure(g, rc, "opening a context");
    rc = g->cu->context_set(g->context);
    for (int i = 0; i < GF_GPU_MARKS && !rc; i++)
        rc = g->cu->event_create(&g->mark[i], 0);
    rc = gf_cuda_check(g, rc, "entering the context");
    return rc ? rc : cuda_use(g, 0);
}

static int cuda_open(const char *device, void **gpu, struct gf_gpu_props *props) {
    const struct gf_cuda *cu = gf_cuda_find();
    const struct gf_nvrtc *nvrtc = cu ? gf_nvrtc_find() : NULL;
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES];
    int devices[GF_GPU_MAX_DEVICES], index;
    *gpu = NULL;
    if (!nvrtc)
        return GF_EABSENT;
    int n = find_devices(cu, list, devices, GF_GPU_MAX_DEVICES);
    int rc = gf_gpu_pick(device, list, n, &index);
    if (rc)
        return rc;
    struct gf_cuda_device *g = calloc(1, sizeof *g);
    if (!g)
        return gf_fail(GF_ENOMEM, "no memory for a context");
    g->cu = cu;
    g->nvrtc = nvrtc;
    g->device = devices[index];
    g->props = list[index];
    rc = choose_arch(cu, nvrtc, g->device, &g->props, g->arch_option, &g->as_ptx);
    if (!rc)
        rc = open_context(g);
    if (rc) {
        cuda_close(g);
        return rc;
    }
    *props = g->props;
    *gpu = g;
    return 0;
}

static int cuda_sync(void *gpu) {
    struct gf_cuda_device *g = gpu;
    int rc = gf_cuda_enter(g);
    for (int i = 0; i < GF_GPU_QUEUES && !rc; i++)
        if (g->streams[i])
            rc = gf_cuda_check(g, g->cu->stream_wait(g->streams[i]), "a command");
    return rc;
}

static bool cuda_lost(void *gpu) {
    return ((struct gf_cuda_device *)gpu)->lost;
}

static int cuda_mark(void *gpu, int which) {
    struct gf_cuda_device *g = gpu;
    int rc = gf_cuda_enter(g);
    if (!rc)
        rc = gf_cuda_check(g, g->cu->event_record(g->mark[which], g->stream), "marking a time");
    g->marked[which] = !rc;
    return rc;
}

static int cuda_reach(void *gpu, int which) {
    struct gf_cuda_device *g = gpu;
    if (!g->marked[which])
        return 0;
    int rc = gf_cuda_enter(g);
    return rc ? rc : gf_cuda_check(g, g->cu->event_wait(g->mark[which]), "a command");
}

static int cuda_follow(void *gpu, int which) {
    struct gf_cuda_device *g = gpu;
    if (!g->marked[which])
        return 0;
    int rc = gf_cuda_enter(g);
    return rc ? rc
              : gf_cuda_check(g, g->cu->stream_follow(g->stream, g->mark[which], 0), "a command");
}

static int cuda_elapsed(void *gpu, double *seconds) {
    struct gf_cuda_device *g = gpu;
    float milliseconds = 0;
    *seconds = 0;
    if (!g->marked[0] || !g->marked[1])
        return gf_fail(GF_EBACKEND, "the device has no two marks to measure between");
    int rc = gf_cuda_enter(g);
    if (rc)
        return rc;
    rc = g->cu->event_wait(g->mark[1]);
    if (!rc)
        rc = g->cu->event_elapsed(&milliseconds, g->mark[0], g->mark[1]);
    *seconds = 1e-3 * (double)milliseconds;
    return gf_cuda_check(g, rc, "a command");
}

static void *cuda_native(struct gf_gpu_buffer *buffer) {
    return (void *)(uintptr_t)buffer->address;
}

static void *cuda_stream(void *gpu) {
    struct gf_cuda_device *g = gpu;
    return gf_cuda_enter(g) ? NULL : g->stream;
}

/* ---- kernels ---- */

static int build_failure(struct gf_cuda_device *g, void *program, const char *name, int rc) {
    size_t bytes = 0;
    char *log = NULL;
    const char *line = "";
    if (program && !g->nvrtc->log_size(program, &bytes) && bytes)
        log = calloc(1, bytes + 1);
    if (log && !g->nvrtc->log(program, log))
        line = gf_gpu_complaint(log);
    int status = gf_fail(GF_EBACKEND, "building %s for '%s': %s", name, g->props.name,
                         *line ? line : g->nvrtc->error_string(rc));
    free(log);
    return status;
}

/* All options in one array: the fixed ones, then those of `text`, which is cut at its blanks. */
static int split_options(const struct gf_cuda_device *g, char *text,
                         const char *options[MAX_OPTIONS]) {
    int n = 0;
    char *rest = text, *option;
    options[n++] = g->arch_option;
    options[n++] = "--std=c++14";
    options[n++] = "-default-device";
    options[n++] =
        "--fmad=true"; /* but no option that trades accuracy for speed, such as --use_fast_math */
    while ((option = strsep(&rest, " \t\n"))) {
        if (!*option)
            continue;
        if (n == MAX_OPTIONS)
            return gf_fail(GF_EBACKEND, "a kernel has more than %d compiler options", MAX_OPTIONS);
        options[n++] = option;
    }
    return n;
}

static int cuda_build(void *gpu, const char *name, const char *source, const char *options,
                      void **binary, size_t *bytes) {
    struct gf_cuda_device *g = gpu;
    const struct gf_nvrtc *nvrtc = g->nvrtc;
    const char *option[MAX_OPTIONS];
    char *text = strdup(options), *image = NULL;
    void *program = NULL;
    size_t size = 0;
    *binary = NULL;
    *bytes = 0;
    int rc = text ? split_options(g, text, option) : gf_fail(GF_ENOMEM, "no memory for options");
    if (rc < 0)
        goto out;
    int n = rc, error = nvrtc->create(&program, source, name, 0, NULL, NULL);
    if (!error)
        error = nvrtc->compile(program, n, option);
    if (!error)
        error = (g->as_ptx ? nvrtc->ptx_size : nvrtc->cubin_size)(program, &size);
    if (!error) {
        image = malloc(size ? size : 1);
        if (!image) {
            rc = gf_fail(GF_ENOMEM, "no memory to build %s", name);
            goto out;
        }
        error = (g->as_ptx ? nvrtc->ptx : nvrtc->cubin)(program, image);
    }
    if (error || !size) {
        rc = build_failure(g, program, name, error);
        goto out;
    }
    *binary = image;
    *bytes = size;
    image = NULL;
    rc = 0;
out:
    if (program)
        nvrtc->destroy(&program);
    free(image);
    free(text);
    return rc;
}

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
    if (local_bytes > g->props.local_bytes)
        return gf_fail(GF_EBACKEND, "%s needs %lld bytes of shared memory, '%s' has %lld", entry,
                       (long long)local_bytes, g->props.name, (long long)g->props.local_bytes);
    if (!gf_cuda_image_is_whole(binary, bytes))
        return gf_fail(GF_EBACKEND, "cannot load %s: the binary is damaged", entry);
    int rc = gf_cuda_enter(g);
    if (rc)
        return rc;
    struct gf_gpu_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return gf_fail(GF_ENOMEM, "no memory for a kernel");
    rc = g->cu->module_load(&k->module, binary);
    if (!rc)
        rc = g->cu->module_function(&k->function, k->module, entry);
    if (!rc && local_bytes > PLAIN_SHARED_BYTES)
        rc = g->cu->function_set(k->function, GF_CU_FUNCTION_DYNAMIC_SHARED, (int)local_bytes);
    if (rc) {
        cuda_unload(g, k);
        return gf_cuda_failure(g, rc, "loading a kernel");
    }
    *kernel = k;
    return 0;
}

static int cuda_launch(void *gpu, const struct gf_gpu_launch *l) {
    struct gf_cuda_device *g = gpu;
    uint64_t address[GF_GPU_MAX_BUFFERS];
    void *argument[GF_GPU_MAX_BUFFERS + 1];
    int n = 0;
    if (l->groups <= 0 || l->groups > INT32_MAX || l->group <= 0 || l->group > g->props.max_group ||
        l->local_bytes < 0 || l->local_bytes > g->props.local_bytes ||
        l->n_buffers > GF_GPU_MAX_BUFFERS)
        return gf_fail(GF_EBACKEND, "cannot launch %lld groups of %d with %lld bytes",
                       (long long)l->groups, l->group, (long long)l->local_bytes);
    int rc = gf_cuda_enter(g);
    if (rc)
        return rc;
    for (int i = 0; i < l->n_buffers; i++) {
        address[i] = l->buffer[i] ? l->buffer[i]->address : 0;
        argument[n++] = &address[i];
    }
    if (l->args_bytes) /* the driver knows its size from the kernel, and copies it now */
        argument[n++] = (void *)(uintptr_t)l->args;
    rc = g->cu->launch(l->kernel->function, (unsigned)l->groups, 1, 1, (unsigned)l->group, 1, 1,
                       (unsigned)l->local_bytes, g->stream, argument, NULL);
    return gf_cuda_check(g, rc, "a kernel");
}

const struct gf_gpu gf_gpu_cuda = {
    .name = "cuda",
    .probe = cuda_probe,
    .list = cuda_list,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = gf_cuda_alloc,
    .free = gf_cuda_free,
    .free_bytes = gf_cuda_free_bytes,
    .pin = gf_cuda_pin,
    .unpin = gf_cuda_unpin,
    .lock = gf_cuda_lock,
    .unlock = gf_cuda_unlock,
    .is_locked = gf_cuda_is_locked,
    .upload_rows = gf_cuda_upload_rows,
    .download_rows = gf_cuda_download_rows,
    .upload = gf_cuda_upload,
    .download = gf_cuda_download,
    .clear = gf_cuda_clear,
    .copy = gf_cuda_copy,
    .build = cuda_build,
    .load = cuda_load,
    .unload = cuda_unload,
    .launch = cuda_launch,
    .sync = cuda_sync,
    .use = cuda_use,
    .mark = cuda_mark,
    .reach = cuda_reach,
    .follow = cuda_follow,
    .elapsed = cuda_elapsed,
    .lost = cuda_lost,
    .native = cuda_native,
    .stream = cuda_stream,
};
