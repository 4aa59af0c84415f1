/* EGL 1.5 and OpenGL 4.3 compute, loaded at run time. The declarations needed here follow their
 * specifications; EGL's handles are opaque pointers, declared as void *.
 *
 *     const struct gf_opengl *gl = gf_opengl_find();
 *     if (!gl)
 *         return GF_EABSENT;
 *
 * The functions of OpenGL itself may be called only while a context is current in the thread. */
#ifndef GF_CORE_GPU_OPENGL_LIBRARY_H
#define GF_CORE_GPU_OPENGL_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "core/gpu/gpu.h"

/* EGL: what is asked of a context, and platforms */
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
    /* EGL */
    void *(*proc_address)(const char *name);
    const char *(*query)(void *display, int32_t what);
    uint32_t (*initialize)(void *display, int32_t *major, int32_t *minor);
    uint32_t (*bind_api)(uint32_t api);
    void *(*create_context)(void *display, void *config, void *share, const int32_t *attributes);
    uint32_t (*destroy_context)(void *display, void *context);
    uint32_t (*make_current)(void *display, void *draw, void *read, void *context);
    int32_t (*egl_error)(void);
    /* extensions of EGL */
    uint32_t (*devices)(int32_t most, void **devices, int32_t *found);
    void *(*platform_display)(uint32_t platform, void *native, const int32_t *attributes);
    /* OpenGL */
    const char *(*string)(uint32_t what);
    const char *(*string_at)(uint32_t what, uint32_t index);
    void (*integer)(uint32_t what, int32_t *value);
    void (*wide_integer)(uint32_t what, int64_t *value);
    void (*integer_at)(uint32_t what, uint32_t index, int32_t *value);
    uint32_t (*error)(void);
    void (*make_buffers)(int32_t n, uint32_t *names);
    void (*drop_buffers)(int32_t n, const uint32_t *names);
    void (*bind_buffer)(uint32_t target, uint32_t name);
    void (*bind_buffer_at)(uint32_t target, uint32_t index, uint32_t name);
    void (*set_buffer)(uint32_t target, intptr_t bytes, const void *data, uint32_t usage);
    void (*write)(uint32_t target, intptr_t offset, intptr_t bytes, const void *data);
    void (*read)(uint32_t target, intptr_t offset, intptr_t bytes, void *data);
    void (*copy)(uint32_t from, uint32_t to, intptr_t from_offset, intptr_t to_offset,
                 intptr_t bytes);
    void (*clear)(uint32_t target, uint32_t internal, intptr_t offset, intptr_t bytes,
                  uint32_t format, uint32_t type, const void *data);
    uint32_t (*make_shader)(uint32_t kind);
    void (*shader_source)(uint32_t shader, int32_t n, const char *const *texts,
                          const int32_t *lengths);
    void (*compile)(uint32_t shader);
    void (*shader_integer)(uint32_t shader, uint32_t what, int32_t *value);
    void (*shader_log)(uint32_t shader, int32_t room, int32_t *length, char *log);
    void (*drop_shader)(uint32_t shader);
    uint32_t (*make_program)(void);
    void (*attach)(uint32_t program, uint32_t shader);
    void (*link)(uint32_t program);
    void (*program_integer)(uint32_t program, uint32_t what, int32_t *value);
    void (*set_program_integer)(uint32_t program, uint32_t what, int32_t value);
    void (*program_log)(uint32_t program, int32_t room, int32_t *length, char *log);
    void (*program_binary)(uint32_t program, int32_t room, int32_t *length, uint32_t *format,
                           void *binary);
    void (*load_binary)(uint32_t program, uint32_t format, const void *binary, int32_t length);
    void (*drop_program)(uint32_t program);
    void (*use_program)(uint32_t program);
    void (*set_uniform)(int32_t location, int32_t value);
    void (*dispatch)(uint32_t x, uint32_t y, uint32_t z);
    void (*barrier)(uint32_t bits);
    void *(*fence)(uint32_t condition, uint32_t flags);
    uint32_t (*wait_fence)(void *fence, uint32_t flags, uint64_t nanoseconds);
    void (*drop_fence)(void *fence);
    void (*finish)(void);
    void (*flush)(void);
    void (*make_queries)(int32_t n, uint32_t *names);
    void (*drop_queries)(int32_t n, const uint32_t *names);
    void (*take_time)(uint32_t query, uint32_t what);
    void (*query_result)(uint32_t query, uint32_t what, uint64_t *value);
    uint32_t (*reset_status)(void); /* NULL if the driver lacks it */
};

/* Loads the libraries once and never unloads them. NULL with gf_message(), which names the remedy. */
const struct gf_opengl *gf_opengl_find(void);

/* A display that needs no window: a device, or Mesa's surfaceless platform. */
struct gf_opengl_place {
    void *display;
    struct gf_gpu_props props;
    int32_t most_groups; /* along one axis of a launch */
};

/* Lists the usable displays, GPUs first, in memory that the caller frees. Returns their number, or
 * a negative status: GF_EABSENT, with the remedy, if there is none. Opens a context on each, once
 * in a process, to examine it. */
int gf_opengl_places(const struct gf_opengl *gl, struct gf_opengl_place **places);

/* Makes an OpenGL 4.3 context there; NULL if that fails. */
void *gf_opengl_context(const struct gf_opengl *gl, void *display);

#endif
