/* The thread's current context, and failures of calls. */
#include "core/gpu/api/opengl/context.h"

#include "core/base/status.h"

static _Thread_local const struct gf_opengl_context *current;

int gf_opengl_enter(struct gf_opengl_context *g) {
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

void gf_opengl_leave(struct gf_opengl_context *g) {
    if (current == g)
        g->gl->make_current(g->display, NULL, NULL, NULL);
    current = NULL;
}

int gf_opengl_failure(struct gf_opengl_context *g, uint32_t error, const char *what) {
    if (error == GF_GL_OUT_OF_MEMORY)
        return gf_fail(GF_ENOMEM, "%s: out of memory on '%s'", what, g->head.props.name);
    g->head.lost = true;
    if (error == GF_GL_CONTEXT_LOST)
        return gf_fail(GF_EBACKEND, "%s failed on '%s': the device was reset", what,
                       g->head.props.name);
    return gf_fail(GF_EBACKEND, "%s failed on '%s': OpenGL error 0x%x", what, g->head.props.name,
                   (unsigned)error);
}

int gf_opengl_check(struct gf_opengl_context *g, const char *what) {
    const uint32_t error = g->gl->error();
    return error ? gf_opengl_failure(g, error, what) : 0;
}
