/* Loads Direct3D 11 and lists its adapters with their properties. */
#include "core/gpu/api/directcompute/library.h"

#include "core/base/host/dl.h"
#include "core/base/host/memory.h"
#include "core/gpu/api/shaders.h"
#include "core/gpu/common.h"

static struct gf_d3d library;

static int load(void *unused) {
    /* DXGI's second factory, of which adapters report more. */
    static const uint8_t interface[16] = {0x78, 0xae, 0x0a, 0x77, 0x6f, 0xf2, 0xba, 0x4d,
                                          0xa8, 0x29, 0x25, 0x3c, 0x83, 0xd1, 0xb3, 0x87};
    static const char *const dxgi[] = {"libdxvk_dxgi.so.0", NULL};
    static const char *const d3d11[] = {"libdxvk_d3d11.so.0", NULL};
    static const struct gf_dl_symbol in_dxgi[] = {
        {"CreateDXGIFactory1", offsetof(struct gf_d3d, create_factory)}, {NULL, 0}};
    static const struct gf_dl_symbol in_d3d11[] = {
        {"D3D11CreateDevice", offsetof(struct gf_d3d, create_device)}, {NULL, 0}};
    struct gf_dl_signals ours; /* DXVK opens SDL, which replaces them */
    void *handle;
    (void)unused;
    if (gf_dl_open(dxgi, in_dxgi, &library, &handle) ||
        gf_dl_open(d3d11, in_d3d11, &library, &handle))
        return gf_fail(GF_EABSENT, GF_HERE("no Direct3D 11 (tried libdxvk_dxgi.so.0 and "
                                           "libdxvk_d3d11.so.0); Debian sid has libdxvk-d3d11-0",
                                           "no Direct3D 11 (tried dxgi.dll and d3d11.dll)"));
    gf_dl_keep_signals(&ours);
    const int32_t rc = library.create_factory(interface, (void **)&library.factory);
    gf_dl_restore_signals(&ours);
    return rc >= 0 ? 0
                   : gf_fail(GF_EABSENT,
                             "Direct3D lists no adapters: error 0x%x" GF_HERE(
                                 "; DXVK without a desktop needs DXVK_WSI_DRIVER=SDL3, "
                                 "SDL_VIDEODRIVER=offscreen and libsdl3-0",
                                 ""),
                             (unsigned)rc);
}

const struct gf_d3d *gf_d3d_find(void) {
    static struct gf_dl_once once = GF_DL_ONCE;
    return gf_dl_once(&once, load, NULL) ? NULL : &library;
}

/* The limits are those that every device of feature level 11.0 has. */
static void describe(const struct gf_d3d_adapter_text *text, struct gf_gpu_props *p) {
    enum { LEAST_RESOURCE = 128 << 20, LOCAL = 32 << 10, ITEMS = 1024, DEEP = 64, GROUPS = 65535 };
    const int64_t most = (int64_t)2 << 30, quarter = (int64_t)(text->dedicated / 4);
    for (size_t i = 0; i < sizeof p->name - 1 && text->name[i]; i++)
        p->name[i] = text->name[i] < 0x7f ? (char)text->name[i] : '?';
    snprintf(p->driver, sizeof p->driver, "adapter %04x:%04x, revision %x", text->vendor,
             text->device, text->revision);
    snprintf(p->compiler, sizeof p->compiler, "%s", gf_d3d_compiler_version());
    snprintf(p->platform, sizeof p->platform, "Direct3D 11" GF_HERE(" by DXVK", ""));
    p->extensions = "";
    p->plain = true;
    p->is_cpu = text->flags & GF_D3D_SOFTWARE || gf_shaders_on_cpu(p->name);
    p->memory = p->is_cpu         ? gf_memory_available()
                : text->dedicated ? (int64_t)text->dedicated
                                  : (int64_t)text->shared;
    p->max_alloc = gf_min(quarter > LEAST_RESOURCE ? quarter : LEAST_RESOURCE, most);
    p->local_bytes = p->unit_local_bytes = LOCAL;
    p->max_group = ITEMS;
    p->max_items[0] = p->max_items[1] = ITEMS;
    p->max_items[2] = DEEP;
    p->max_groups = GROUPS;
    p->warp = p->is_cpu ? 1 : 32;
}

int gf_d3d_adapters(const struct gf_environment *env, struct gf_gpu_props *props) {
    (void)env;
    const struct gf_d3d *d3d = gf_d3d_find();
    struct gf_d3d_adapter_text text;
    void *adapter;
    int n = 0;
    if (!d3d || gf_d3d_compiler())
        return GF_EABSENT;
    for (uint32_t i = 0; d3d->factory->calls->adapter(d3d->factory, i, &adapter) >= 0; i++) {
        struct gf_gpu_props one = {.handle = (uint64_t)(uintptr_t)adapter};
        if (((struct gf_d3d_adapter *)adapter)->calls->describe(adapter, &text) < 0)
            continue;
        describe(&text, &one);
        n = gf_gpu_add_device(props, n, &one);
    }
    return n ? n
             : gf_fail(GF_EABSENT, "Direct3D 11 has no device; install the GPU's driver" GF_HERE(
                                       ", or apt install mesa-vulkan-drivers for the CPU", ""));
}
