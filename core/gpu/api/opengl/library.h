/* EGL 1.5 and OpenGL 4.3 compute, loaded at run time and declared after their specifications. EGL's
 * handles are void *.
 *
 *     const struct gf_opengl *gl = gf_opengl_find();
 *     if (!gl)
 *         return GF_EABSENT;
 *
 * OpenGL's functions may be called only while a context is current in the thread. */
#ifndef GF_CORE_GPU_OPENGL_LIBRARY_H
#define GF_CORE_GPU_OPENGL_LIBRARY_H

#include "core/gpu/gpu.h"

/* EGL: attributes of a context, and platforms */
enum {
    GF_EGL_NONE = 0x3038,
    GF_EGL_EXTENSIONS = 0x3055,
    GF_EGL_CONTEXT_MAJOR = 0x3098,
    GF_EGL_CONTEXT_MINOR = 0x30FB,
    GF_EGL_CONTEXT_PROFILE_MASK = 0x30FD,
    GF_EGL_CORE_PROFILE = 1,
    GF_EGL_RESET_NOTIFICATION = 0x31BD,
    GF_EGL_LOSE_CONTEXT_ON_RESET = 0x31BF,
    GF_EGL_OPENGL_API = 0x30A2,
    GF_EGL_PLATFORM_DEVICE = 0x313F,
    GF_EGL_PLATFORM_SURFACELESS = 0x31DD,
};
/* OpenGL */
enum {
    GF_GL_OUT_OF_MEMORY = 0x0505,
    GF_GL_CONTEXT_LOST = 0x0507,
    GF_GL_RESET_NOTIFICATION = 0x8256,
    GF_GL_LOSE_CONTEXT_ON_RESET = 0x8252,
    GF_GL_VENDOR = 0x1F00,
    GF_GL_RENDERER = 0x1F01,
    GF_GL_VERSION = 0x1F02,
    GF_GL_EXTENSIONS = 0x1F03,
    GF_GL_NUM_EXTENSIONS = 0x821D,
    GF_GL_UNSIGNED_INT = 0x1405,
    GF_GL_RED_INTEGER = 0x8D94,
    GF_GL_R32UI = 0x8236,
    GF_GL_STREAM_DRAW = 0x88E0,
    GF_GL_DYNAMIC_COPY = 0x88EA,
    GF_GL_COPY_READ_BUFFER = 0x8F36,
    GF_GL_COPY_WRITE_BUFFER = 0x8F37,
    GF_GL_UNIFORM_BUFFER = 0x8A11,
    GF_GL_SHADER_STORAGE_BUFFER = 0x90D2,
    GF_GL_MAX_STORAGE_BLOCK = 0x90DE,
    GF_GL_COMPUTE_SHADER = 0x91B9,
    GF_GL_MAX_GROUP_COUNT = 0x91BE,
    GF_GL_MAX_GROUP_SIZE = 0x91BF,
    GF_GL_MAX_GROUP_ITEMS = 0x90EB,
    GF_GL_MAX_SHARED_BYTES = 0x8262,
    GF_GL_MEMORY_TOTAL_NVX = 0x9048, /* GL_NVX_gpu_memory_info: KiB in all */
    GF_GL_SM_COUNT_NV = 0x933B,      /* GL_NV_shader_thread_group */
    GF_GL_COMPILE_STATUS = 0x8B81,
    GF_GL_LINK_STATUS = 0x8B82,
    GF_GL_RETRIEVABLE = 0x8257,
    GF_GL_BINARY_LENGTH = 0x8741,
    GF_GL_TIMESTAMP = 0x8E28,
    GF_GL_QUERY_RESULT = 0x8866,
    GF_GL_GPU_COMMANDS_COMPLETE = 0x9117,
    GF_GL_FLUSH_BIT = 1,
    GF_GL_BARRIER_STORAGE = 0x2000,
    GF_GL_BARRIER_UPDATE = 0x200,
};

struct gf_opengl {
#define CALL(result, field, name, ...) result (*field)(__VA_ARGS__);
#define EGL                            CALL
#define EXTENSION                      CALL
#define GL                             CALL
#include "core/gpu/api/opengl/calls.inc"
#undef EGL
#undef EXTENSION
#undef GL
#undef CALL
    uint32_t (*reset_status)(void); /* NULL if the driver lacks it */
};

/* Loads the libraries once and never unloads them. NULL with gf_message(), which names the
 * remedy. */
const struct gf_opengl *gf_opengl_find(void);

/* As gf_gpu.find: displays that need no window, a device's or Mesa's surfaceless platform. Opens a
 * context on each, once in a process. GF_EABSENT with the remedy if there is none. */
int gf_opengl_places(const struct gf_environment *env, struct gf_gpu_props *props);

/* Makes an OpenGL 4.3 context on a display; NULL if that fails. */
void *gf_opengl_context(const struct gf_opengl *gl, void *display);

#endif
