/* Backends on devices that this machine lacks. */
#include "core/engine/assume.h"

#include <stdlib.h>
#include <string.h>

#include "core/gpu/run.h"

/* The properties that `gpufft devices --json` prints for a device of CUDA or OpenCL. */
#define H200 \
    .name = "NVIDIA H200", .driver = "580.159.04", .memory = 150109880320, .max_group = 1024, \
    .units = 132, .warp = 32, .fp64 = true, .max_items = {1024, 1024, 64}, .clock_mhz = 1980

/* With the copy bandwidth measured by `gpufft bench`. */
static const struct {
    const char *name, *backend;
    struct gf_assumed_device device;
} known[] = {
    {"h200",
     "cuda",
     {.props = {H200, .platform = "CUDA 13.0", .compiler = "NVRTC 13.0, sm_90",
                .max_alloc = 150109880320, .local_bytes = 232448, .unit_local_bytes = 233472,
                .chain_bytes = 64 << 20, .fetches = true, .extensions = "sm_90"},
      .copy = 4.27e12}},
    {"h200",
     "opencl",
     {.props = {H200, .platform = "NVIDIA CUDA 580.159.04", .compiler = "OpenCL 3.0 CUDA 13.0.98",
                .max_alloc = 37527470080, .local_bytes = 48896, .unit_local_bytes = 49152},
      .copy = 4.23e12}},
};

static int64_t assumed_free_bytes(void *gpu) {
    const struct gf_assumed_device *d = gpu;
    return d->props.memory;
}

static bool assumed_lost(void *gpu) {
    (void)gpu;
    return false;
}

/* Plans take no buffers and, without build(), no kernels. */
static const struct gf_gpu no_gpu = {.free_bytes = assumed_free_bytes, .lost = assumed_lost};

static int assumed_probe(const struct gf_backend *b, const struct gf_environment *env,
                         char reason[GF_REASON]) {
    const struct gf_assumed_device *d = b->own;
    (void)env;
    snprintf(reason, GF_REASON, "%s, which need not be here", d->props.name);
    return 0;
}

static int assumed_list(const struct gf_backend *b, const struct gf_environment *env,
                        struct gf_gpu_props *props) {
    const struct gf_assumed_device *d = b->own;
    props[0] = d->props;
    props[0].environment = env;
    return 1;
}

static int assumed_open(const struct gf_backend *b, const struct gf_backend_options *options,
                        void **context) {
    struct gf_assumed_device *d = (void *)b->own;
    struct gf_gpu_context *c = calloc(1, sizeof *c);
    *context = c;
    if (!c)
        return gf_no_memory();
    *c = (struct gf_gpu_context){.api = &no_gpu,
                                 .gpu = d,
                                 .props = d->props,
                                 .general = options && options->general,
                                 .dry = true,
                                 .limit = options ? options->device_memory : 0};
    return 0;
}

static int assumed_measure(void *context, struct gf_device_speed *speed) {
    const struct gf_gpu_context *c = context;
    const struct gf_assumed_device *d = c->gpu;
    *speed = (struct gf_device_speed){.copy = d->copy};
    snprintf(speed->name, sizeof speed->name, "%s", d->props.name);
    return 0;
}

static const struct gf_on_device on_device = {.measure = assumed_measure};

int gf_assume(const char *name, const char *backend, struct gf_assumed_device *device) {
    const struct gf_backend *const like[] = {&gf_backend_cuda, &gf_backend_opencl};
    const struct gf_backend *b = NULL;
    for (size_t i = 0; i < sizeof like / sizeof *like; i++)
        b = strcmp(backend, like[i]->name) ? b : like[i];
    if (!b)
        return gf_fail(GF_EUSAGE, "--assume needs --backend=cuda or --backend=opencl");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) || strcmp(backend, known[i].backend))
            continue;
        *device = known[i].device;
        device->backend = (struct gf_backend){.name = b->name,
                                              .what = b->what,
                                              .own = device,
                                              .devices = true,
                                              .probe = assumed_probe,
                                              .list = assumed_list,
                                              .open = assumed_open,
                                              .ops = b->ops,
                                              .plan = b->plan,
                                              .on_device = &on_device,
                                              .lost = gf_gpu_run_lost,
                                              .close = free};
        device->list[0] = &device->backend;
        return 0;
    }
    return gf_fail(GF_EUSAGE, "--assume: unknown device '%s'; only h200 is built in", name);
}
