/* Compiles shaders by vkd3d-shader, whose functions are declared after its header, or by Windows'
 * d3dcompiler: the first of the two that loads, when one is first needed. */
#include <stdlib.h>
#include <string.h>

#include "core/base/host/dl.h"
#include "core/gpu/api/directcompute/library.h"
#include "core/gpu/api/shaders.h"

static const char entry[] = "entry", profile[] = "cs_5_0";

/* ---- the libraries ---- */

enum { COMPILE_INFO = 0, HLSL_INFO = 6, FROM_HLSL = 2, TO_DXBC = 5, LOG_ERRORS = 1 };

struct code {
    const void *data;
    size_t bytes;
};
struct hlsl_info {
    int32_t type;
    const void *next;
    const char *entry;
    struct code secondary;
    const char *profile;
};
struct compile_info {
    int32_t type;
    const void *next;
    struct code source;
    int32_t source_type, target_type;
    const void *options;
    uint32_t n_options;
    int32_t log_level;
    const char *name;
};
struct vkd3d {
    int (*compile)(const struct compile_info *info, struct code *out, char **log);
    void (*drop_code)(struct code *code);
    void (*drop_log)(char *log);
    const char *(*version)(unsigned *major, unsigned *minor);
};
struct windows {
    int32_t (*compile)(const void *text, size_t bytes, const char *name, const void *macros,
                       const void *includes, const char *entry, const char *profile, uint32_t flags,
                       uint32_t more_flags, struct gf_d3d_blob **code, struct gf_d3d_blob **log);
};

static struct vkd3d vkd3d;
static struct windows windows;

static const struct gf_dl_symbol in_vkd3d[] = {
    {"vkd3d_shader_compile", offsetof(struct vkd3d, compile)},
    {"vkd3d_shader_free_shader_code", offsetof(struct vkd3d, drop_code)},
    {"vkd3d_shader_free_messages", offsetof(struct vkd3d, drop_log)},
    {"vkd3d_shader_get_version", offsetof(struct vkd3d, version)},
    {NULL, 0},
};
static const struct gf_dl_symbol in_windows[] = {{"D3DCompile", offsetof(struct windows, compile)},
                                                 {NULL, 0}};

int gf_d3d_compiler(void) {
    static struct gf_dl_library first = GF_DL_LIBRARY(
        in_vkd3d, &vkd3d, GF_EABSENT, "no vkd3d-shader", "libvkd3d-shader.so.1", NULL);
    static struct gf_dl_library second = GF_DL_LIBRARY(
        in_windows, &windows, GF_EABSENT,
        GF_HERE(
            "Direct3D's shaders need a libvkd3d-shader.so.1 of version 2 that loads; apt install "
            "libvkd3d-shader1",
            "Direct3D's shaders need a d3dcompiler_47.dll"),
        "d3dcompiler_47.dll", NULL);
    return gf_dl_load(&first) ? gf_dl_load(&second) : 0;
}

const char *gf_d3d_compiler_version(void) {
    return vkd3d.compile ? vkd3d.version(NULL, NULL) : windows.compile ? "d3dcompiler_47" : "";
}

/* ---- compiling ---- */

static int keep(const char *name, const void *data, size_t bytes, void **binary, size_t *n) {
    *binary = malloc(bytes);
    if (!*binary)
        return gf_fail(GF_ENOMEM, "no memory to build %s", name);
    memcpy(*binary, data, bytes);
    *n = bytes;
    return 0;
}

static int compile_by_vkd3d(const char *name, const char *device, const char *text, void **binary,
                            size_t *bytes) {
    const struct hlsl_info hlsl = {.type = HLSL_INFO, .entry = entry, .profile = profile};
    const struct compile_info info = {.type = COMPILE_INFO,
                                      .next = &hlsl,
                                      .source = {text, strlen(text)},
                                      .source_type = FROM_HLSL,
                                      .target_type = TO_DXBC,
                                      .log_level = LOG_ERRORS,
                                      .name = name};
    struct code code = {NULL, 0};
    char *log = NULL;
    int rc = vkd3d.compile(&info, &code, &log);
    rc = rc < 0 ? gf_shaders_refused(name, device, log)
                : keep(name, code.data, code.bytes, binary, bytes);
    if (code.data)
        vkd3d.drop_code(&code);
    vkd3d.drop_log(log);
    return rc;
}

/* NaN and Inf are numbers too. */
static int compile_by_windows(const char *name, const char *device, const char *text, void **binary,
                              size_t *bytes) {
    enum { IEEE = 1 << 13, OPTIMISED = 1 << 15 };
    struct gf_d3d_blob *code = NULL, *log = NULL;
    int rc = windows.compile(text, strlen(text), name, NULL, NULL, entry, profile, IEEE | OPTIMISED,
                             0, &code, &log);
    rc = rc < 0 ? gf_shaders_refused(name, device, log ? log->calls->data(log) : NULL)
                : keep(name, code->calls->data(code), code->calls->bytes(code), binary, bytes);
    gf_d3d_release(code);
    gf_d3d_release(log);
    return rc;
}

int gf_d3d_compile(const char *name, const char *device, const char *text, void **binary,
                   size_t *bytes) {
    int rc = gf_d3d_compiler();
    *binary = NULL;
    if (rc)
        return rc;
    return vkd3d.compile ? compile_by_vkd3d(name, device, text, binary, bytes)
                         : compile_by_windows(name, device, text, binary, bytes);
}
