/* GPUs through OpenGL 4.3's compute shaders, with one context without a window and one queue. */
#include <stdlib.h>

#include "core/base/status.h"
#include "core/gpu/common.h"
#include "core/gpu/api/opengl/context.h"

#define GF_HOST 1
#include "kernels/args.h"

enum { ARGS_AT = 6 }; /* behind the most buffers of a shader */
enum { SOME_UNITS = 32 };

/* ---- devices ---- */

static bool opengl_installed(void) {
    return gf_opengl_find();
}

static void opengl_close(void *gpu) {
    struct gf_opengl_context *g = gpu;
    if (!g)
        return;
    if (g->context && !gf_opengl_enter(g)) {
        g->gl->finish();
        for (int i = 0; i < GF_GPU_MARKS; i++)
            if (g->mark[i])
                g->gl->drop_fence(g->mark[i]);
        g->gl->drop_buffers(GF_OPENGL_RING, g->args);
        g->gl->drop_queries(2, g->time);
        gf_opengl_leave(g);
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

static int open_context(struct gf_opengl_context *g) {
    g->context = gf_opengl_context(g->gl, g->display);
    if (!g->context)
        return gf_fail(GF_EBACKEND, "opening a context on '%s' failed: EGL error 0x%x",
                       g->head.props.name, (unsigned)g->gl->egl_error());
    int rc = gf_opengl_enter(g);
    if (rc)
        return rc;
    g->tells_reset = tells_reset(g->gl);
    g->gl->make_buffers(GF_OPENGL_RING, g->args);
    g->gl->make_queries(2, g->time);
    rc = gf_opengl_check(g, "opening a context");
    gf_opengl_leave(g);
    return rc;
}

static int opengl_open(struct gf_gpu_props *props, void **gpu) {
    struct gf_opengl_context *g = calloc(1, sizeof *g);
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

/* ---- launches ---- */

/* Converts the argument block's 64-bit integers to the shaders' 32 bits. */
static int narrow(const struct gf_gpu_launch *l, int32_t *to, int *count) {
    const int64_t *from = l->args;
    *count = (int)(l->args_bytes / sizeof *from);
    for (int i = 0; i < *count; i++) {
        if (from[i] < INT32_MIN || from[i] > INT32_MAX)
            return gf_fail(GF_EUNSUPP, "OpenGL's shaders count in 32 bits");
        to[i] = (int32_t)from[i];
    }
    return 0;
}

static int opengl_launch(void *gpu, const struct gf_gpu_launch *l) {
    struct gf_opengl_context *g = gpu;
    enum { MOST_ARGS = sizeof(struct chain_args) / 8 };
    int32_t args[MOST_ARGS];
    int count = 0;
    const int64_t most = g->head.props.max_groups, across = l->groups < most ? l->groups : most;
    if (l->groups <= 0 || l->group <= 0 || l->groups > across * most || l->groups > INT32_MAX ||
        l->args_bytes > sizeof args * 2 || !l->args_bytes)
        return gf_fail(GF_EBACKEND, "cannot launch %lld groups of %d", (long long)l->groups,
                       l->group);
    int rc = narrow(l, args, &count);
    if (!rc)
        rc = gf_opengl_enter(g);
    if (rc)
        return rc;
    for (int i = 0; i < l->n_buffers; i++)
        g->gl->bind_buffer_at(GF_GL_SHADER_STORAGE_BUFFER, (uint32_t)i,
                              l->buffer[i] ? (uint32_t)l->buffer[i]->handle : 0);
    /* Each block gets new memory, as earlier launches may still read theirs. */
    const uint32_t block = g->args[g->next_args++ % GF_OPENGL_RING];
    g->gl->bind_buffer(GF_GL_SHADER_STORAGE_BUFFER, block);
    g->gl->set_buffer(GF_GL_SHADER_STORAGE_BUFFER, (intptr_t)(sizeof *args * (size_t)count), args,
                      GF_GL_STREAM_DRAW);
    /* The shaders take it from one of the two, see ARGS in kernels/gl/lang.glsl. */
    g->gl->bind_buffer_at(GF_GL_SHADER_STORAGE_BUFFER, ARGS_AT, block);
    g->gl->bind_buffer_at(GF_GL_UNIFORM_BUFFER, ARGS_AT, block);
    g->gl->use_program(l->kernel->program);
    g->gl->set_uniform(0, (int32_t)l->groups);
    g->gl->dispatch((uint32_t)across, (uint32_t)((l->groups + across - 1) / across), 1);
    g->gl->barrier(GF_GL_BARRIER_STORAGE | GF_GL_BARRIER_UPDATE);
    if (!g->failed)
        g->failed = g->gl->error();
    return 0;
}

static int opengl_sync(void *gpu) {
    struct gf_opengl_context *g = gpu;
    int rc = gf_opengl_enter(g);
    if (rc)
        return rc;
    g->gl->finish();
    const uint32_t earlier =
        g->tells_reset && g->gl->reset_status() ? GF_GL_CONTEXT_LOST : g->failed;
    g->failed = 0;
    rc = earlier ? gf_opengl_failure(g, earlier, "a kernel")
                 : gf_opengl_check(g, "waiting for the device");
    gf_opengl_leave(g);
    return rc;
}

static int opengl_mark(void *gpu, int which) {
    struct gf_opengl_context *g = gpu;
    int rc = gf_opengl_enter(g);
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
    struct gf_opengl_context *g = gpu;
    int rc = g->mark[which] ? gf_opengl_enter(g) : 0;
    if (rc || !g->mark[which])
        return rc;
    g->gl->wait_fence(g->mark[which], GF_GL_FLUSH_BIT, UINT64_MAX);
    return 0;
}

static int opengl_elapsed(void *gpu, double *seconds) {
    struct gf_opengl_context *g = gpu;
    uint64_t at[2] = {0, 0};
    *seconds = 0;
    if (!g->mark[0] || !g->mark[1])
        return gf_fail(GF_EBACKEND, "the device has no two marks to measure between");
    int rc = gf_opengl_enter(g);
    if (rc)
        return rc;
    for (int i = 0; i < 2; i++)
        g->gl->query_result(g->time[i], GF_GL_QUERY_RESULT, &at[i]);
    *seconds = 1e-9 * (double)(int64_t)(at[1] - at[0]);
    rc = gf_opengl_check(g, "reading the device's clock");
    gf_opengl_leave(g);
    return rc;
}

const struct gf_gpu gf_gpu_opengl = {
    .name = "opengl",
    .installed = opengl_installed,
    .find = gf_opengl_places,
    .open = opengl_open,
    .close = opengl_close,
    GF_GPU_COMMON(gf_opengl),
    .build = gf_opengl_build,
    .load = gf_opengl_load,
    .unload = gf_opengl_unload,
    .launch = opengl_launch,
    .sync = opengl_sync,
    .mark = opengl_mark,
    .reach = opengl_reach,
    .elapsed = opengl_elapsed,
};
