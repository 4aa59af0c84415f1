/* Loads Vulkan and makes its instance: through the loader or, where that knows no GPU, NVIDIA's
 * driver itself, as machines without a desktop often lack the file that names it to the loader. */
#include "core/gpu/api/vulkan/library.h"

#include <string.h>

#include "core/base/host/dl.h"

static const struct {
    const char *soname, *entry;
} libraries[] = {
    {"libvulkan.so.1", "vkGetInstanceProcAddr"},
    {"libEGL_nvidia.so.0", "vk_icdGetInstanceProcAddr"},
    {"libGLX_nvidia.so.0", "vk_icdGetInstanceProcAddr"},
};
enum { N_LIBRARIES = sizeof libraries / sizeof *libraries };

static struct gf_vulkan library;

/* A driver wants to know the version of the interface by which it is called. */
static void negotiate(void *handle) {
    enum { INTERFACE = 5 };
    VkResult (*version)(uint32_t *) = NULL;
    gf_dl_find(handle, "vk_icdNegotiateLoaderICDInterfaceVersion", &version);
    if (version)
        version(&(uint32_t){INTERFACE});
}

static bool fill(struct gf_vulkan *vk) {
    bool all = true;
#define CALL(field, name) all = all && vk->field;
#define VK(field, name) \
    vk->field = (PFN_vk##name)vk->proc_address(vk->instance, "vk" #name); \
    all = all && vk->field;
#include "core/gpu/api/vulkan/calls.inc"
#undef CALL
#undef VK
    return all;
}

/* Opens one of the libraries, which stays open, and an instance. */
static bool open_library(int which, struct gf_vulkan *vk) {
    static const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                          .pApplicationName = "gpufft",
                                          .apiVersion = VK_API_VERSION_1_2};
    static const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                              .pApplicationInfo = &app};
    const char *const sonames[] = {libraries[which].soname, NULL};
    const struct gf_dl_symbol symbols[] = {
        {libraries[which].entry, offsetof(struct gf_vulkan, proc_address)}, {NULL, 0}};
    void *handle;
    *vk = (struct gf_vulkan){.proc_address = NULL};
    if (gf_dl_open(sonames, symbols, vk, &handle))
        return false;
    negotiate(handle);
    vk->create_instance = (PFN_vkCreateInstance)vk->proc_address(NULL, "vkCreateInstance");
    return vk->create_instance && !vk->create_instance(&info, NULL, &vk->instance) && fill(vk);
}

/* True if some device is not the CPU. */
static bool has_gpu(const struct gf_vulkan *vk) {
    VkPhysicalDevice device[GF_GPU_MAX_DEVICES];
    uint32_t n = GF_GPU_MAX_DEVICES;
    if (vk->physical_devices(vk->instance, &n, device) < 0)
        n = 0;
    for (uint32_t i = 0; i < n; i++) {
        VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
        vk->properties(device[i], &p);
        if (p.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
            return true;
    }
    return false;
}

/* Keeps the first instance that has a GPU, else the first one. */
static int load(void *unused) {
    struct gf_vulkan one;
    (void)unused;
    for (int i = 0; i < N_LIBRARIES; i++) {
        if (!open_library(i, &one))
            continue;
        const bool gpu = has_gpu(&one), keep = gpu || !library.instance;
        const struct gf_vulkan other = keep ? library : one;
        if (other.instance)
            other.destroy_instance(other.instance, NULL);
        if (keep)
            library = one;
        if (gpu)
            break;
    }
    return library.instance
               ? 0
               : gf_fail(GF_EABSENT,
                         GF_HERE("no Vulkan 1.2 (tried libvulkan.so.1); apt install libvulkan1 and "
                                 "the GPU's driver",
                                 "no Vulkan 1.2 (tried vulkan-1.dll); install the GPU's driver"));
}

const struct gf_vulkan *gf_vulkan_find(void) {
    static struct gf_dl_once once = GF_DL_ONCE;
    return gf_dl_once(&once, load, NULL) ? NULL : &library;
}
