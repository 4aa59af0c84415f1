/* GPUs through OpenGL 4.3's compute shaders, with one context without a window and one queue. A
 * context is current in at most one thread: calls that only queue work leave it current; the others
 * release it, so that another thread may make the next call. Programs are kept as binaries. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "core/gpu/common.h"
#include "core/gpu/api/opengl/library.h"
#include "core/gpu/api/shaders.h"

#define GF_HOST 1

enum { SOME_UNITS = 32 };
enum { RING = 64 }; /* argument blocks of launches in flight */

struct gf_gpu_kernel {
    uint32_t program;
};

struct context {
    struct gf_gpu_device head;
    const struct gf_opengl *gl;
    void *display, *context;
    /* held by build() and load(), which several threads may call at once */
    pthread_mutex_t building;
    uint32_t args[RING];
    unsigned next_args;
    void *mark[GF_GPU_MARKS];
    uint32_t time[2];
    uint32_t failed;  /* the first error since the last sync */
    bool tells_reset; /* the driver reports resets of the device */
};

/* ---- the current context, and failures of calls ---- */

static _Thread_local const struct context *current;

/* Makes the context current in the calling thread. */
static int opengl_enter(struct context *g) {
    if (current == g)
        return 0;
    if (!g->gl->make_current(g->display, NULL, NULL, g->context)) {
        g->head.lost = true;
        return gf_fail(GF_EBACKEND, "entering the context of '%s' failed: EGL error 0x%x",
                       g->head.props.name, (unsigned)g->gl->egl_error());
    }
    current = g;
    return 0;
}

static void opengl_leave(struct context *g) {
    if (current == g)
        g->gl->make_current(g->display, NULL, NULL, NULL);
    current = NULL;
}

/* Turns an OpenGL code into a status. */
static int opengl_failure(struct context *g, uint32_t error, const char *what) {
    char text[32];
    const bool full = error == GF_GL_OUT_OF_MEMORY;
    snprintf(text, sizeof text, "OpenGL error 0x%x", (unsigned)error);
    if (!full)
        g->head.lost = true;
    return gf_gpu_failure(&g->head, full, what,
                          error == GF_GL_CONTEXT_LOST ? "the device was reset" : text);
}

static int opengl_check(struct context *g, const char *what) {
    const uint32_t error = g->gl->error();
    return error ? opengl_failure(g, error, what) : 0;
}

/* ---- devices ---- */

static bool opengl_installed(void) {
    return gf_opengl_find();
}

static void opengl_close(void *gpu) {
    struct context *g = gpu;
    if (!g)
        return;
    if (g->context && !opengl_enter(g)) {
        g->gl->finish();
        for (int i = 0; i < GF_GPU_MARKS; i++)
            if (g->mark[i])
                g->gl->drop_fence(g->mark[i]);
        g->gl->drop_buffers(RING, g->args);
        g->gl->drop_queries(2, g->time);
        opengl_leave(g);
    }
    if (g->context)
        g->gl->destroy_context(g->display, g->context);
    pthread_mutex_destroy(&g->building);
    free(g);
}

/* A driver that does not know the query sets an error and leaves the value. */
static bool tells_reset(const struct gf_opengl *gl) {
    int32_t strategy = 0;
    gl->integer(GF_GL_RESET_NOTIFICATION, &strategy);
    gl->error();
    return gl->reset_status && strategy == GF_GL_LOSE_CONTEXT_ON_RESET;
}

static int open_context(struct context *g) {
    g->context = gf_opengl_context(g->gl, g->display);
    if (!g->context)
        return gf_fail(GF_EBACKEND, "opening a context on '%s' failed: EGL error 0x%x",
                       g->head.props.name, (unsigned)g->gl->egl_error());
    int rc = opengl_enter(g);
    if (rc)
        return rc;
    g->tells_reset = tells_reset(g->gl);
    g->gl->make_buffers(RING, g->args);
    g->gl->make_queries(2, g->time);
    rc = opengl_check(g, "opening a context");
    opengl_leave(g);
    return rc;
}

static int opengl_open(struct gf_gpu_props *props, void **gpu) {
    struct context *g = calloc(1, sizeof *g);
    if (!g)
        return gf_no_memory();
    g->head.api = &gf_gpu_opengl;
    g->head.props = *props;
    g->gl = gf_opengl_find();
    g->display = (void *)(uintptr_t)props->handle;
    pthread_mutex_init(&g->building, NULL);
    int rc = open_context(g);
    if (rc) {
        opengl_close(g);
        return rc;
    }
    if (!props->units) /* planning weighs how many groups run at the same time */
        props->units = props->is_cpu ? 1 : SOME_UNITS;
    *gpu = g;
    return 0;
}

/* ---- memory ---- */

static int opengl_take(void *gpu, int64_t bytes, uint64_t *handle) {
    struct context *g = gpu;
    uint32_t name = 0;
    int rc = opengl_enter(g);
    if (rc)
        return rc;
    /* Whole words, of which shaders read samples of 8 and 16 bits. */
    g->gl->make_buffers(1, &name);
    g->gl->bind_buffer(GF_GL_COPY_WRITE_BUFFER, name);
    g->gl->set_buffer(GF_GL_COPY_WRITE_BUFFER, (intptr_t)((bytes + 15) / 16 * 16), NULL,
                      GF_GL_DYNAMIC_COPY);
    rc = opengl_check(g, "taking memory");
    if (rc && name)
        g->gl->drop_buffers(1, &name);
    opengl_leave(g);
    *handle = name;
    return rc;
}

static void opengl_give(void *gpu, uint64_t handle) {
    struct context *g = gpu;
    if (!opengl_enter(g)) {
        g->gl->drop_buffers(1, &(uint32_t){(uint32_t)handle});
        opengl_leave(g);
    }
}

static int64_t opengl_free_bytes(void *gpu) {
    const struct context *g = gpu;
    return g->head.props.is_cpu ? gf_memory_available() : g->head.props.memory;
}

static int opengl_zero(void *gpu, const struct gf_gpu_buffer *to, int64_t offset, int64_t bytes) {
    struct context *g = gpu;
    static const uint32_t zero = 0;
    int rc = gf_shaders_clear(&g->head, to, offset, bytes);
    if (!rc)
        rc = opengl_enter(g);
    if (rc)
        return rc;
    g->gl->bind_buffer(GF_GL_COPY_WRITE_BUFFER, (uint32_t)to->handle);
    g->gl->clear(GF_GL_COPY_WRITE_BUFFER, GF_GL_R32UI, (intptr_t)offset,
                 (intptr_t)((bytes + 3) / 4 * 4), GF_GL_RED_INTEGER, GF_GL_UNSIGNED_INT, &zero);
    g->gl->barrier(GF_GL_BARRIER_STORAGE | GF_GL_BARRIER_UPDATE);
    return 0;
}

/* Copies one row: gf_gpu_rows() refuses more. */
static int opengl_move(void *gpu, const struct gf_gpu_move *m) {
    struct context *g = gpu;
    const struct gf_gpu_end *from = &m->from, *to = &m->to;
    const intptr_t bytes = (intptr_t)m->bytes;
    int rc = opengl_enter(g);
    if (rc)
        return rc;
    if (from->buffer)
        g->gl->bind_buffer(GF_GL_COPY_READ_BUFFER, (uint32_t)from->buffer->handle);
    if (to->buffer)
        g->gl->bind_buffer(GF_GL_COPY_WRITE_BUFFER, (uint32_t)to->buffer->handle);
    if (from->host) {
        g->gl->write(GF_GL_COPY_WRITE_BUFFER, (intptr_t)to->offset, bytes, from->host);
    } else if (to->host) {
        g->gl->read(GF_GL_COPY_READ_BUFFER, (intptr_t)from->offset, bytes, to->host);
    } else {
        g->gl->copy(GF_GL_COPY_READ_BUFFER, GF_GL_COPY_WRITE_BUFFER, (intptr_t)from->offset,
                    (intptr_t)to->offset, bytes);
        g->gl->barrier(GF_GL_BARRIER_STORAGE | GF_GL_BARRIER_UPDATE);
        return 0;
    }
    rc = opengl_check(g, m->what);
    opengl_leave(g);
    return rc;
}

/* ---- programs ---- */

/* A kept program: the format of its binary, then the driver's bytes; or its zero-terminated text if
 * the driver returns no binaries. */
enum { TEXT_FORMAT = 0 };
struct image {
    uint32_t format;
    char bytes[];
};

static int compile_failure(struct context *g, uint32_t shader, uint32_t program, const char *name) {
    char log[4096] = "";
    if (shader)
        g->gl->shader_log(shader, sizeof log, NULL, log);
    else
        g->gl->program_log(program, sizeof log, NULL, log);
    return gf_shaders_refused(name, g->head.props.name, log);
}

static int compile(struct context *g, const char *name, const char *text, uint32_t program) {
    int32_t done = 0;
    uint32_t shader = g->gl->make_shader(GF_GL_COMPUTE_SHADER);
    g->gl->shader_source(shader, 1, &text, NULL);
    g->gl->compile(shader);
    g->gl->shader_integer(shader, GF_GL_COMPILE_STATUS, &done);
    int rc = done ? 0 : compile_failure(g, shader, 0, name);
    if (!rc) {
        g->gl->set_program_integer(program, GF_GL_RETRIEVABLE, 1);
        g->gl->attach(program, shader);
        g->gl->link(program);
        g->gl->program_integer(program, GF_GL_LINK_STATUS, &done);
        rc = done ? 0 : compile_failure(g, 0, program, name);
    }
    g->gl->drop_shader(shader);
    return rc;
}

static int take_image(struct context *g, uint32_t program, const char *name, const char *text,
                      void **binary, size_t *bytes) {
    int32_t length = 0;
    g->gl->program_integer(program, GF_GL_BINARY_LENGTH, &length);
    const size_t text_bytes = strlen(text) + 1, room = length > 0 ? (size_t)length : text_bytes;
    struct image *image = malloc(sizeof *image + room);
    if (!image)
        return gf_fail(GF_ENOMEM, "no memory to build %s", name);
    *binary = image;
    *bytes = sizeof *image + room;
    if (length <= 0) {
        image->format = TEXT_FORMAT;
        memcpy(image->bytes, text, text_bytes);
        return 0;
    }
    g->gl->program_binary(program, length, &length, &image->format, image->bytes);
    *bytes = sizeof *image + (size_t)length;
    return opengl_check(g, "taking a binary");
}

static int opengl_build(void *gpu, const char *name, const char *source, const char *options,
                        void **binary, size_t *bytes) {
    struct context *g = gpu;
    char *text = gf_shaders_text("#version 430 core", options, source);
    *binary = NULL;
    *bytes = 0;
    int rc = text ? 0 : gf_fail(GF_ENOMEM, "no memory to build %s", name);
    if (!rc) {
        pthread_mutex_lock(&g->building);
        rc = opengl_enter(g);
        if (!rc) {
            uint32_t program = g->gl->make_program();
            rc = compile(g, name, text, program);
            if (!rc)
                rc = take_image(g, program, name, text, binary, bytes);
            g->gl->drop_program(program);
            opengl_leave(g);
        }
        pthread_mutex_unlock(&g->building);
    }
    if (rc) {
        free(*binary);
        *binary = NULL;
    }
    free(text);
    return rc;
}

static int load_image(struct context *g, const struct image *image, size_t bytes, const char *entry,
                      struct gf_gpu_kernel *k) {
    int32_t done = 0;
    int rc = 0;
    k->program = g->gl->make_program();
    if (image->format == TEXT_FORMAT) {
        rc = compile(g, entry, image->bytes, k->program);
    } else {
        g->gl->load_binary(k->program, image->format, image->bytes,
                           (int32_t)(bytes - sizeof *image));
        g->gl->program_integer(k->program, GF_GL_LINK_STATUS, &done);
        g->gl->error(); /* drops the error of a format that the driver no longer takes */
        if (!done)
            rc = gf_fail(GF_EBACKEND, "loading %s on '%s': the driver refuses its binary", entry,
                         g->head.props.name);
    }
    if (rc)
        g->gl->drop_program(k->program);
    return rc;
}

static int opengl_load(void *gpu, const void *binary, size_t bytes, const char *entry,
                       int64_t local_bytes, struct gf_gpu_kernel **kernel) {
    struct context *g = gpu;
    int rc = gf_shaders_fit(&g->head, entry, local_bytes, bytes >= sizeof(struct image));
    *kernel = NULL;
    if (rc)
        return rc;
    struct gf_gpu_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return gf_no_memory();
    pthread_mutex_lock(&g->building);
    rc = opengl_enter(g);
    if (!rc) {
        rc = load_image(g, binary, bytes, entry, k);
        opengl_leave(g);
    }
    pthread_mutex_unlock(&g->building);
    if (rc)
        free(k);
    else
        *kernel = k;
    return rc;
}

static void opengl_unload(void *gpu, struct gf_gpu_kernel *k) {
    struct context *g = gpu;
    if (!k)
        return;
    if (!opengl_enter(g)) {
        g->gl->drop_program(k->program);
        opengl_leave(g);
    }
    free(k);
}

/* ---- launches ---- */

static int opengl_launch(void *gpu, const struct gf_gpu_launch *l) {
    struct context *g = gpu;
    struct gf_shader_launch made;
    int rc = gf_shaders_launch(&g->head, l, &made);
    if (!rc)
        rc = opengl_enter(g);
    if (rc)
        return rc;
    for (int i = 0; i < l->n_buffers; i++)
        g->gl->bind_buffer_at(GF_GL_SHADER_STORAGE_BUFFER, (uint32_t)i,
                              l->buffer[i] ? (uint32_t)l->buffer[i]->handle : 0);
    /* Each block gets new memory, as earlier launches may still read theirs. */
    const uint32_t block = g->args[g->next_args++ % RING];
    g->gl->bind_buffer(GF_GL_SHADER_STORAGE_BUFFER, block);
    g->gl->set_buffer(GF_GL_SHADER_STORAGE_BUFFER, (intptr_t)made.bytes, made.args,
                      GF_GL_STREAM_DRAW);
    /* The shaders take it from one of the two, see ARGS in kernels/gl/lang.glsl. */
    g->gl->bind_buffer_at(GF_GL_SHADER_STORAGE_BUFFER, GF_SHADERS_ARGS_AT, block);
    g->gl->bind_buffer_at(GF_GL_UNIFORM_BUFFER, GF_SHADERS_ARGS_AT, block);
    g->gl->use_program(l->kernel->program);
    g->gl->set_uniform(0, made.groups);
    g->gl->dispatch(made.across, made.down, 1);
    g->gl->barrier(GF_GL_BARRIER_STORAGE | GF_GL_BARRIER_UPDATE);
    if (!g->failed)
        g->failed = g->gl->error();
    return 0;
}

static int opengl_sync(void *gpu) {
    struct context *g = gpu;
    int rc = opengl_enter(g);
    if (rc)
        return rc;
    g->gl->finish();
    const uint32_t earlier =
        g->tells_reset && g->gl->reset_status() ? GF_GL_CONTEXT_LOST : g->failed;
    g->failed = 0;
    rc = earlier ? opengl_failure(g, earlier, "a kernel")
                 : opengl_check(g, "waiting for the device");
    opengl_leave(g);
    return rc;
}

static int opengl_mark(void *gpu, int which) {
    struct context *g = gpu;
    int rc = opengl_enter(g);
    if (rc)
        return rc;
    if (g->mark[which])
        g->gl->drop_fence(g->mark[which]);
    g->mark[which] = g->gl->fence(GF_GL_GPU_COMMANDS_COMPLETE, 0);
    if (which < 2)
        g->gl->take_time(g->time[which], GF_GL_TIMESTAMP);
    g->gl->flush();
    return 0;
}

static int opengl_reach(void *gpu, int which) {
    struct context *g = gpu;
    int rc = g->mark[which] ? opengl_enter(g) : 0;
    if (rc || !g->mark[which])
        return rc;
    g->gl->wait_fence(g->mark[which], GF_GL_FLUSH_BIT, UINT64_MAX);
    return 0;
}

static int opengl_elapsed(void *gpu, double *seconds) {
    struct context *g = gpu;
    uint64_t at[2] = {0, 0};
    *seconds = 0;
    if (!g->mark[0] || !g->mark[1])
        return gf_fail(GF_EBACKEND, "the device has no two marks to measure between");
    int rc = opengl_enter(g);
    if (rc)
        return rc;
    for (int i = 0; i < 2; i++)
        g->gl->query_result(g->time[i], GF_GL_QUERY_RESULT, &at[i]);
    *seconds = 1e-9 * (double)(int64_t)(at[1] - at[0]);
    rc = opengl_check(g, "reading the device's clock");
    opengl_leave(g);
    return rc;
}

const struct gf_gpu gf_gpu_opengl = {
    .name = "opengl",
    .suffix = ".comp",
    .whole = true,
    .check = gf_shaders_check,
    .copier = gf_shaders_copier,
    .installed = opengl_installed,
    .find = gf_opengl_places,
    .open = opengl_open,
    .close = opengl_close,
    GF_GPU_COMMON(opengl),
    .pin = gf_gpu_pin_none,
    .unpin = gf_gpu_unpin_none,
    .build = opengl_build,
    .load = opengl_load,
    .unload = opengl_unload,
    .launch = opengl_launch,
    .sync = opengl_sync,
    .mark = opengl_mark,
    .reach = opengl_reach,
    .elapsed = opengl_elapsed,
};
