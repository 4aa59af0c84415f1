/* The list of backends: by name, by device, and the files they read. */
#include "core/engine/backends.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/gpu/common.h"
#include "core/gpu/cache/kernel_cache.h"
#include "core/base/value/spelling.h"
#include "core/base/value/status.h"
#include "core/gpu/cache/kernel_source.h"
#include "core/vendor/fftw_library.h"

const struct gf_backend *const gf_backends[] = {
    &gf_backend_openmp, &gf_backend_opencl,
    &gf_backend_cuda,   &gf_backend_vulkan,
    &gf_backend_opengl, &gf_backend_directcompute,
    &gf_backend_cufft,  &gf_backend_fftw,
    &gf_backend_c,      NULL,
};

/* GPU APIs without a backend and libraries that only bench runs, and their substitutes. */
static const char *const absent[][2] = {
    {"clfft", "gpufft bench --backend=clfft measures it"},
    {"vkfft", "gpufft bench --backend=vkfft measures it"},
    {"mkl", "gpufft bench --mkl=PATH measures it"},
    {"ipp", "gpufft bench --ipp=FOLDER measures it"},
    {"sycl", "GPUs are used through opencl or cuda"},
    {"metal", "Apple's GPUs are not used but through opencl, where the system has it"},
    {"hip", "AMD's GPUs are used through opencl, with the driver of ROCm or of Mesa"},
    {"rocm", "AMD's GPUs are used through opencl, with the driver of ROCm or of Mesa"},
};

static int unknown_name(const struct gf_backend *const *backends, const char *name) {
    enum { MOST = 15 };
    const char *names[MOST + 1] = {NULL};
    char list[128];
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (!strcasecmp(name, absent[i][0]))
            return gf_fail(GF_EUSAGE, "there is no backend '%s'; %s; see gpufft devices", name,
                           absent[i][1]);
    for (int i = 0; backends[i] && i < MOST; i++)
        names[i] = backends[i]->name;
    const char *near = gf_spelling_near(name, names);
    gf_spelling_list(names, list, sizeof list);
    if (near)
        return gf_fail(GF_EUSAGE, "no backend '%s'; did you mean '%s'? (auto, %s)", name, near,
                       list);
    return gf_fail(GF_EUSAGE, "no backend '%s'; there are auto, %s", name, list);
}

static int check(const struct gf_environment *env, const struct gf_backend *b,
                 int (*probe)(const struct gf_backend *, const struct gf_environment *,
                              char[GF_REASON])) {
    char reason[GF_REASON] = "";
    return probe(b, env, reason)
               ? gf_fail(GF_EABSENT, "backend '%s' is not usable here: %s", b->name, reason)
               : 0;
}

int gf_backend_usable(const struct gf_environment *env, const struct gf_backend *b) {
    return check(env, b, b->probe);
}

int gf_backend_find_in(const struct gf_environment *env, const struct gf_backend *const *list,
                       const char *name, bool installed, const struct gf_backend **out) {
    *out = NULL;
    for (int i = 0; list[i]; i++) {
        const struct gf_backend *b = list[i];
        if (strcmp(name, b->name))
            continue;
        const int rc = check(env, b, installed && b->installed ? b->installed : b->probe);
        *out = rc ? NULL : b;
        return rc;
    }
    return unknown_name(list, name);
}

int gf_backend_find(const struct gf_environment *env, const char *name,
                    const struct gf_backend **out) {
    return gf_backend_find_in(env, gf_backends, name, false, out);
}

const struct gf_backend *gf_backend_next(const struct gf_backend *const *list, bool devices,
                                         const struct gf_backend *last) {
    const struct gf_backend *next = NULL;
    for (int i = 0; list[i]; i++) {
        const struct gf_backend *b = list[i];
        if (b->devices == devices && b->automatic > (last ? last->automatic : 0) &&
            (!next || b->automatic < next->automatic))
            next = b;
    }
    return next;
}

/* ---- devices ---- */

int gf_backend_devices(const struct gf_environment *env, const struct gf_backend *b,
                       struct gf_gpu_props props[GF_GPU_MAX_DEVICES]) {
    char reason[GF_REASON] = "";
    int n = b->list && !b->probe(b, env, reason) ? b->list(b, env, props) : 0;
    return n > 0 ? n : 0;
}

int gf_backend_device(const struct gf_environment *env, const struct gf_backend *b,
                      const char *name, struct gf_gpu_props *props) {
    struct gf_gpu_props list[GF_GPU_MAX_DEVICES];
    int index, rc = gf_backend_usable(env, b);
    if (rc)
        return rc;
    int n = b->list ? b->list(b, env, list) : 0;
    rc = n < 0 ? n : gf_gpu_pick(name, list, n, &index);
    if (!rc)
        *props = list[index];
    return rc;
}

/* ---- files ---- */

int gf_backend_files(const struct gf_environment *env,
                     int (*see)(const char *path, const char *what)) {
    const char *folder = gf_environment_kernels(env);
    char wisdom[1024], *path;
    int rc = 0;
    for (int p = GF_SINGLE; p <= GF_DOUBLE && !rc; p++)
        if (gf_fftw_wisdom_path(env, (enum gf_precision)p, wisdom, sizeof wisdom))
            rc = see(wisdom, "FFTW's wisdom");
    for (const struct gf_kernel_file *f = gf_kernel_files; folder && f->name && !rc; f++) {
        if (asprintf(&path, "%s/%s", folder, f->path) < 0)
            return gf_no_memory();
        rc = see(path, f->name);
        free(path);
    }
    return rc;
}

void gf_backend_cache_text(const struct gf_environment *env, char text[GF_REASON]) {
    gf_kernel_cache_describe(env, text);
}
