/* Lists OpenCL's platforms and devices with their properties. */
#include <string.h>

#include "core/gpu/common.h"
#include "core/base/host/dl.h"
#include "core/gpu/api/opencl/library.h"

enum { MAX_PLATFORMS = 16, CPU_LOCAL_BYTES = 64 << 10 };
enum { LAUNCH_BYTES = 256 }; /* of a group's local memory that NVIDIA's launches take */
enum { VENDOR_AMD = 0x1002, VENDOR_NVIDIA = 0x10DE };

/* A text of a platform or a device, which `query` tells. */
static void text_of(int32_t (*query)(void *, uint32_t, size_t, void *, size_t *), void *object,
                    uint32_t what, char text[128]) {
    char all[1024] = "";
    query(object, what, sizeof all - 1, all, NULL);
    snprintf(text, 128, "%.127s", all);
}

/* An integer of 4 or 8 bytes, depending on `what`; 0 if the device has no answer. */
static int64_t device_number(const struct gf_opencl *cl, void *device, uint32_t what) {
    uint64_t number = 0;
    uint32_t narrow = 0;
    size_t got = 0;
    if (cl->device_info(device, what, 0, NULL, &got))
        return 0;
    if (got == sizeof narrow)
        return cl->device_info(device, what, sizeof narrow, &narrow, NULL) ? 0 : (int64_t)narrow;
    if (got != sizeof number || cl->device_info(device, what, sizeof number, &number, NULL))
        return 0;
    return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

/* Properties that only `gpufft devices` prints. */
static void describe_limits(const struct gf_opencl *cl, void *device, struct gf_gpu_props *p) {
    size_t sizes[16] = {0}, got = 0;
    if (!cl->device_info(device, GF_CL_DEVICE_ITEM_SIZES, sizeof sizes, sizes, &got))
        for (int i = 0; i < 3; i++)
            p->max_items[i] = (int64_t)sizes[i];
    p->clock_mhz = (int)device_number(cl, device, GF_CL_DEVICE_CLOCK);
    char all[8192] = "";
    cl->device_info(device, GF_CL_DEVICE_EXTENSIONS, sizeof all - 1, all, NULL);
    for (size_t n = strlen(all); n && all[n - 1] == ' '; n--)
        all[n - 1] = 0;
    p->extensions = gf_device_text(all);
}

static void describe(const struct gf_opencl *cl, void *platform, void *device,
                     struct gf_gpu_props *p) {
    char name[128];
    memset(p, 0, sizeof *p);
    p->handle = (uint64_t)(uintptr_t)device;
    text_of(cl->platform_info, platform, GF_CL_PLATFORM_NAME, name);
    text_of(cl->platform_info, platform, GF_CL_PLATFORM_VERSION, p->compiler);
    text_of(cl->device_info, device, GF_CL_DEVICE_NAME, p->name);
    text_of(cl->device_info, device, GF_CL_DRIVER_VERSION, p->driver);
    snprintf(p->platform, sizeof p->platform, "%.80s %.40s", name, p->driver);

    int64_t type = device_number(cl, device, GF_CL_DEVICE_TYPE);
    int64_t vendor = device_number(cl, device, GF_CL_DEVICE_VENDOR_ID);
    p->is_cpu = type & GF_CL_TYPE_CPU;
    p->memory = device_number(cl, device, GF_CL_DEVICE_MEMORY);
    p->max_alloc = device_number(cl, device, GF_CL_DEVICE_MAX_ALLOC);
    p->local_bytes = device_number(cl, device, GF_CL_DEVICE_LOCAL_MEMORY);
    if (p->is_cpu &&
        p->local_bytes > CPU_LOCAL_BYTES) /* plain memory: a small tile stays in cache */
        p->local_bytes = CPU_LOCAL_BYTES;
    p->unit_local_bytes = p->local_bytes;
    if (vendor == VENDOR_NVIDIA)
        p->local_bytes -= LAUNCH_BYTES;
    p->max_group = (int)device_number(cl, device, GF_CL_DEVICE_GROUP_SIZE);
    p->units = (int)device_number(cl, device, GF_CL_DEVICE_COMPUTE_UNITS);
    p->warp = p->is_cpu ? 1 : vendor == VENDOR_AMD ? 64 : 32;
    p->fp64 = device_number(cl, device, GF_CL_DEVICE_FP64) != 0;
    describe_limits(cl, device, p);
}

/* All devices of all platforms: GPUs first, CPUs last. */
static int find_devices(const struct gf_opencl *cl, struct gf_gpu_props *props) {
    static const uint64_t order[] = {GF_CL_TYPE_GPU, GF_CL_TYPE_ACCELERATOR, GF_CL_TYPE_CPU};
    void *platform[MAX_PLATFORMS], *device[GF_GPU_MAX_DEVICES];
    uint32_t n_platforms = 0;
    int n = 0;
    int32_t rc = cl->platforms(MAX_PLATFORMS, platform, &n_platforms);
    if (rc && rc != GF_CL_NO_PLATFORM)
        return gf_fail(GF_EBACKEND, "OpenCL cannot list its platforms: %s", gf_opencl_error(rc));
    if (rc)
        n_platforms = 0;
    if (n_platforms > MAX_PLATFORMS)
        n_platforms = MAX_PLATFORMS;
    for (size_t o = 0; o < sizeof order / sizeof *order; o++) {
        for (uint32_t i = 0; i < n_platforms; i++) {
            uint32_t n_devices = 0;
            if (cl->devices(platform[i], order[o], GF_GPU_MAX_DEVICES, device, &n_devices))
                continue;
            for (uint32_t j = 0; j < n_devices && j < GF_GPU_MAX_DEVICES && n < GF_GPU_MAX_DEVICES;
                 j++) {
                if (!device_number(cl, device[j], GF_CL_DEVICE_AVAILABLE) ||
                    !device_number(cl, device[j], GF_CL_DEVICE_HAS_COMPILER))
                    continue;
                describe(cl, platform[i], device[j], &props[n++]);
            }
        }
    }
    return n;
}

int gf_opencl_devices(const struct gf_environment *env, struct gf_gpu_props *props) {
    (void)env;
    const struct gf_opencl *cl = gf_opencl_find();
    if (!cl)
        return GF_EABSENT;
    int n = find_devices(cl, props);
    gf_opencl_restore_signals();
    return n ? n
             : gf_fail(GF_EABSENT, "OpenCL has no device; install the GPU's driver" GF_HERE(
                                       ", or apt install pocl-opencl-icd for the CPU", ""));
}
