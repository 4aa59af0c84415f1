/* Lists the displays on which OpenGL works without a window, with their devices' properties. */
#include <pthread.h>
#include <string.h>

#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "core/gpu/api/opengl/library.h"
#include "core/gpu/api/shaders.h"
#include "core/gpu/common.h"

enum { NEED_MAJOR = 4, NEED_MINOR = 3, CPU_TILE = 32 << 10 };

/* Asks for a context that reports resets of the device: otherwise a reset may end the process or
 * leave wrong numbers. Not all drivers make one. */
void *gf_opengl_context(const struct gf_opengl *gl, void *display) {
    static const int32_t telling[] = {GF_EGL_RESET_NOTIFICATION,
                                      GF_EGL_LOSE_CONTEXT_ON_RESET,
                                      GF_EGL_CONTEXT_MAJOR,
                                      NEED_MAJOR,
                                      GF_EGL_CONTEXT_MINOR,
                                      NEED_MINOR,
                                      GF_EGL_CONTEXT_PROFILE_MASK,
                                      GF_EGL_CORE_PROFILE,
                                      GF_EGL_NONE};
    if (!gl->bind_api(GF_EGL_OPENGL_API))
        return NULL;
    void *context = gl->create_context(display, NULL, NULL, telling);
    return context ? context : gl->create_context(display, NULL, NULL, telling + 2);
}

/* Extensions whose queries describe() makes. */
struct known {
    bool memory_info, shader_thread_group;
};

static struct known list_extensions(const struct gf_opengl *gl, struct gf_gpu_props *p) {
    struct known known = {.memory_info = false};
    char all[16384] = "";
    int32_t n = 0;
    size_t used = 0;
    gl->integer(GF_GL_NUM_EXTENSIONS, &n);
    for (int32_t i = 0; i < n; i++) {
        const char *name = gl->string_at(GF_GL_EXTENSIONS, (uint32_t)i);
        if (!name)
            continue;
        known.memory_info |= !strcmp(name, "GL_NVX_gpu_memory_info");
        known.shader_thread_group |= !strcmp(name, "GL_NV_shader_thread_group");
        size_t bytes = strlen(name);
        if (used + bytes + 2 > sizeof all)
            continue;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? " " : "", name);
    }
    p->extensions = gf_device_text(all);
    return known;
}

/* Reads the current context's properties. Only NVIDIA reports units and memory; other drivers get 0
 * and a small GPU's memory. */
static void describe(const struct gf_opengl *gl, struct gf_gpu_props *p) {
    enum { SOME_MEMORY_KIB = 2 << 20 };
    const char *renderer = gl->string(GF_GL_RENDERER), *version = gl->string(GF_GL_VERSION);
    const char *vendor = gl->string(GF_GL_VENDOR);
    int32_t value = 0;
    int64_t block = 0;
    snprintf(p->name, sizeof p->name, "%.127s", renderer ? renderer : "?");
    snprintf(p->driver, sizeof p->driver, "%.127s", version ? version : "?");
    snprintf(p->compiler, sizeof p->compiler, "%.127s", vendor ? vendor : "?");
    snprintf(p->platform, sizeof p->platform, "OpenGL %.100s", p->driver);
    p->plain = true;
    p->is_cpu = gf_shaders_on_cpu(p->name);
    const struct known known = list_extensions(gl, p);
    gl->wide_integer(GF_GL_MAX_STORAGE_BLOCK, &block);
    p->max_alloc = block;
    gl->integer(GF_GL_MAX_SHARED_BYTES, &value);
    p->local_bytes = p->unit_local_bytes = value;
    if (p->is_cpu && p->local_bytes > CPU_TILE)
        p->local_bytes = CPU_TILE;
    gl->integer(GF_GL_MAX_GROUP_ITEMS, &value);
    p->max_group = value;
    for (uint32_t i = 0; i < 3; i++) {
        gl->integer_at(GF_GL_MAX_GROUP_SIZE, i, &value);
        p->max_items[i] = value;
    }
    value = 0;
    gl->integer_at(GF_GL_MAX_GROUP_COUNT, 0, &value);
    p->max_groups = value;
    value = 0;
    if (known.shader_thread_group)
        gl->integer(GF_GL_SM_COUNT_NV, &value);
    p->units = value;
    p->warp = p->is_cpu ? 1 : 32;
    value = SOME_MEMORY_KIB;
    if (known.memory_info)
        gl->integer(GF_GL_MEMORY_TOTAL_NVX, &value);
    p->memory = p->is_cpu ? gf_memory_available() : (int64_t)value << 10;
    gl->error(); /* drops the error of an unknown query */
}

static bool look(const struct gf_opengl *gl, void *display, struct gf_gpu_props *p,
                 const char **why) {
    int32_t major, minor;
    *p = (struct gf_gpu_props){.handle = (uint64_t)(uintptr_t)display};
    *why = "EGL opens no display";
    if (!display || !gl->initialize(display, &major, &minor))
        return false;
    *why = "the driver has no OpenGL 4.3";
    void *context = gf_opengl_context(gl, display);
    if (!context)
        return false;
    *why = "EGL makes no context current without a surface";
    bool usable = gl->make_current(display, NULL, NULL, context);
    if (usable) {
        describe(gl, p);
        gl->make_current(display, NULL, NULL, NULL);
    }
    gl->destroy_context(display, context);
    return usable;
}

/* Lists the CPU's renderer last, and once, although both platforms have it. */
static int find_places(const struct gf_opengl *gl, struct gf_gpu_props *found, const char **why) {
    void *device[GF_GPU_MAX_DEVICES];
    struct gf_gpu_props one;
    const char *extensions = gl->query(NULL, GF_EGL_EXTENSIONS);
    int32_t n_devices = 0;
    int n = 0;
    *why = "EGL has no device";
    if (extensions && strstr(extensions, "EGL_EXT_device_enumeration") &&
        !gl->devices(GF_GPU_MAX_DEVICES, device, &n_devices))
        n_devices = 0;
    for (int32_t i = 0; i < n_devices; i++) {
        if (!look(gl, gl->platform_display(GF_EGL_PLATFORM_DEVICE, device[i], NULL), &one, why))
            continue;
        n = gf_gpu_add_device(found, n, &one);
    }
    if (!n && extensions && strstr(extensions, "EGL_MESA_platform_surfaceless") &&
        look(gl, gl->platform_display(GF_EGL_PLATFORM_SURFACELESS, NULL, NULL), &one, why))
        found[n++] = one;
    return n;
}

int gf_opengl_places(const struct gf_environment *env, struct gf_gpu_props *props) {
    (void)env;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct gf_gpu_props known[GF_GPU_MAX_DEVICES];
    static const char *why;
    static int n = -1;
    const struct gf_opengl *gl = gf_opengl_find();
    if (!gl)
        return GF_EABSENT;
    pthread_mutex_lock(&lock);
    if (n < 0)
        n = find_places(gl, known, &why);
    pthread_mutex_unlock(&lock);
    memcpy(props, known, (size_t)n * sizeof *props);
    if (!n)
        return gf_fail(GF_EABSENT,
                       "OpenGL has no device: %s; install the GPU's driver, or apt "
                       "install libgl1-mesa-dri for the CPU",
                       why);
    return n;
}
