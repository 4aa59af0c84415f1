/* Loads EGL, and through it the functions of OpenGL. */
#include "core/gpu/api/opengl/library.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/dl.h"
#include "core/base/status.h"

#define EGL(field, name)                                                                           \
    { "egl" name, offsetof(struct gf_opengl, field) }
#define GL(field, name)                                                                            \
    { "gl" name, offsetof(struct gf_opengl, field) }

static const struct gf_dl_symbol egl_symbols[] = {
    EGL(proc_address, "GetProcAddress"),
    EGL(query, "QueryString"),
    EGL(initialize, "Initialize"),
    EGL(bind_api, "BindAPI"),
    EGL(create_context, "CreateContext"),
    EGL(destroy_context, "DestroyContext"),
    EGL(make_current, "MakeCurrent"),
    EGL(egl_error, "GetError"),
    {NULL, 0},
};

/* Through eglGetProcAddress(): EGL 1.5 returns OpenGL's own functions too, so that no library of
 * OpenGL, of which there are several kinds, has to be found. */
static const struct gf_dl_symbol gl_symbols[] = {
    EGL(devices, "QueryDevicesEXT"),
    EGL(platform_display, "GetPlatformDisplayEXT"),
    GL(string, "GetString"),
    GL(string_at, "GetStringi"),
    GL(integer, "GetIntegerv"),
    GL(wide_integer, "GetInteger64v"),
    GL(integer_at, "GetIntegeri_v"),
    GL(error, "GetError"),
    GL(make_buffers, "GenBuffers"),
    GL(drop_buffers, "DeleteBuffers"),
    GL(bind_buffer, "BindBuffer"),
    GL(bind_buffer_at, "BindBufferBase"),
    GL(set_buffer, "BufferData"),
    GL(write, "BufferSubData"),
    GL(read, "GetBufferSubData"),
    GL(copy, "CopyBufferSubData"),
    GL(clear, "ClearBufferSubData"),
    GL(make_shader, "CreateShader"),
    GL(shader_source, "ShaderSource"),
    GL(compile, "CompileShader"),
    GL(shader_integer, "GetShaderiv"),
    GL(shader_log, "GetShaderInfoLog"),
    GL(drop_shader, "DeleteShader"),
    GL(make_program, "CreateProgram"),
    GL(attach, "AttachShader"),
    GL(link, "LinkProgram"),
    GL(program_integer, "GetProgramiv"),
    GL(set_program_integer, "ProgramParameteri"),
    GL(program_log, "GetProgramInfoLog"),
    GL(program_binary, "GetProgramBinary"),
    GL(load_binary, "ProgramBinary"),
    GL(drop_program, "DeleteProgram"),
    GL(use_program, "UseProgram"),
    GL(set_uniform, "Uniform1i"),
    GL(dispatch, "DispatchCompute"),
    GL(barrier, "MemoryBarrier"),
    GL(fence, "FenceSync"),
    GL(wait_fence, "ClientWaitSync"),
    GL(drop_fence, "DeleteSync"),
    GL(finish, "Finish"),
    GL(flush, "Flush"),
    GL(make_queries, "GenQueries"),
    GL(drop_queries, "DeleteQueries"),
    GL(take_time, "QueryCounter"),
    GL(query_result, "GetQueryObjectui64v"),
    {NULL, 0},
};

static const char *const sonames[] = {"libEGL.so.1", "libEGL.so", NULL};

static struct gf_opengl library;
static char reason[256];
static bool present;

static void load(void) {
    void *handle;
    if (gf_dl_open(sonames, egl_symbols, &library, &handle)) {
        snprintf(reason, sizeof reason, "%.120s; apt install libegl1 and the GPU's driver",
                 gf_message());
        return;
    }
    for (const struct gf_dl_symbol *s = gl_symbols; s->name; s++) {
        void *function = library.proc_address(s->name);
        memcpy((char *)&library + s->offset, &function, sizeof function);
        if (!function) {
            snprintf(reason, sizeof reason, "EGL has no %s: the driver is too old", s->name);
            return;
        }
    }
    /* OpenGL 4.5 or GL_KHR_robustness: one function by two names. */
    void *function = library.proc_address("glGetGraphicsResetStatus");
    if (!function)
        function = library.proc_address("glGetGraphicsResetStatusKHR");
    memcpy(&library.reset_status, &function, sizeof function);
    present = true;
}

const struct gf_opengl *gf_opengl_find(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (present)
        return &library;
    gf_fail(GF_EABSENT, "%s", reason);
    return NULL;
}
