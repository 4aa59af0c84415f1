/* Loads EGL, and OpenGL's functions through it. */
#include "core/gpu/api/opengl/library.h"

#include <string.h>

#include "core/base/host/dl.h"

static const struct gf_dl_symbol egl_symbols[] = {
#define EGL(result, field, name, ...) {"egl" name, offsetof(struct gf_opengl, field)},
#define EXTENSION(...)
#define GL(...)
#include "core/gpu/api/opengl/calls.inc"
#undef EGL
#undef EXTENSION
#undef GL
    {NULL, 0},
};

/* From eglGetProcAddress(): EGL 1.5 returns OpenGL's functions too, so none of the several kinds of
 * OpenGL library has to be found. */
static const struct gf_dl_symbol gl_symbols[] = {
#define EGL(...)
#define EXTENSION(result, field, name, ...) {"egl" name, offsetof(struct gf_opengl, field)},
#define GL(result, field, name, ...)        {"gl" name, offsetof(struct gf_opengl, field)},
#include "core/gpu/api/opengl/calls.inc"
    {NULL, 0},
};

static const char *const sonames[] = {"libEGL.so.1", "libEGL.so", NULL};

static struct gf_opengl library;

static int load(void *unused) {
    void *handle;
    (void)unused;
    if (gf_dl_open(sonames, egl_symbols, &library, &handle))
        return gf_fail(GF_EABSENT,
                       GF_HERE("%.120s; apt install libegl1 and the GPU's driver",
                               "not on Windows, which has no EGL%.0s"),
                       gf_message());
    for (const struct gf_dl_symbol *s = gl_symbols; s->name; s++) {
        void *function = library.proc_address(s->name);
        memcpy((char *)&library + s->offset, &function, sizeof function);
        if (!function)
            return gf_fail(GF_EABSENT, "EGL has no %s: the driver is too old", s->name);
    }
    /* OpenGL 4.5 or GL_KHR_robustness: one function by two names. */
    void *function = library.proc_address("glGetGraphicsResetStatus");
    if (!function)
        function = library.proc_address("glGetGraphicsResetStatusKHR");
    memcpy(&library.reset_status, &function, sizeof function);
    return 0;
}

const struct gf_opengl *gf_opengl_find(void) {
    static struct gf_dl_once once = GF_DL_ONCE;
    return gf_dl_once(&once, load, NULL) ? NULL : &library;
}
