/* Chooses NVRTC's architecture and builds kernels. Loading NVRTC takes tens of milliseconds, so it
 * waits until a kernel must be built. */
#include <stdlib.h>
#include <string.h>

#include "core/gpu/common.h"
#include "core/gpu/cache/compiler_note.h"
#include "core/gpu/api/cuda/device.h"

enum { MAX_OPTIONS = 256, MAX_ARCHS = 64 };

/* ---- the architecture ---- */

static void set_awaits(struct gf_cuda_compiler *compiler) {
    enum { FIRST = 90 };
    const char *digits = strrchr(compiler->option, '_');
    compiler->awaits = digits && atoi(digits + 1) >= FIRST;
}

/* Chooses the device's architecture if NVRTC knows it, else PTX of the newest older one, which the
 * driver compiles. */
static int choose_arch(const struct gf_nvrtc *nvrtc, struct gf_gpu_props *p,
                       struct gf_cuda_compiler *compiler) {
    int known[MAX_ARCHS] = {0}, n = 0, best = 0, major = 0, minor = 0;
    const int own = atoi(p->extensions + strlen("sm_"));
    nvrtc->version(&major, &minor);
    if (!nvrtc->n_archs(&n) && n <= MAX_ARCHS && nvrtc->archs(known))
        n = 0;
    for (int i = 0; i < n && i < MAX_ARCHS; i++)
        if (known[i] <= own && known[i] > best)
            best = known[i];
    if (!best)
        return gf_fail(GF_EABSENT,
                       "NVRTC %d.%d cannot compile for sm_%d ('%s'); install an older one", major,
                       minor, own, p->name);
    compiler->as_ptx = best != own;
    const char *kind = compiler->as_ptx ? "compute" : "sm";
    snprintf(compiler->option, sizeof compiler->option, "--gpu-architecture=%s_%d", kind, best);
    snprintf(p->compiler, sizeof p->compiler, "NVRTC %d.%d, %s_%d", major, minor, kind, best);
    set_awaits(compiler);
    return 0;
}

/* Notes the compiler for the next run. */
static void note(const struct gf_nvrtc *nvrtc, const struct gf_gpu_props *p,
                 const struct gf_cuda_compiler *compiler) {
    struct gf_compiler_note n = {.as_ptx = compiler->as_ptx};
    char path[sizeof n.path];
    const void *function;
    memcpy(&function, &nvrtc->version, sizeof function);
    snprintf(n.text, sizeof n.text, "%s", p->compiler);
    snprintf(n.option, sizeof n.option, "%s", compiler->option);
    if (gf_dl_file(function, path, sizeof path) && gf_compiler_note_file(&n, path))
        gf_compiler_note_write(p, &n);
}

int gf_cuda_compiler_find(struct gf_gpu_props *p, struct gf_cuda_compiler *compiler) {
    struct gf_compiler_note n;
    *compiler = (struct gf_cuda_compiler){.chosen = false};
    if (gf_compiler_note_read(p, &n)) {
        snprintf(p->compiler, sizeof p->compiler, "%s", n.text);
        snprintf(compiler->option, sizeof compiler->option, "%s", n.option);
        compiler->as_ptx = n.as_ptx;
        set_awaits(compiler);
        return 0;
    }
    const struct gf_nvrtc *nvrtc = gf_nvrtc_find();
    int rc = nvrtc ? choose_arch(nvrtc, p, compiler) : GF_EABSENT;
    if (!rc)
        note(nvrtc, p, compiler);
    return rc;
}

/* Loads NVRTC for the device's first build. It may differ from the noted one: then its architecture
 * is used, and noted for the next run. Threads may build concurrently. */
static int load_nvrtc(struct gf_cuda_device *g, const struct gf_nvrtc **nvrtc,
                      struct gf_cuda_compiler *compiler) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct gf_gpu_props p = g->head.props;
    *nvrtc = gf_nvrtc_find();
    if (!*nvrtc)
        return GF_EABSENT;
    pthread_mutex_lock(&lock);
    int rc = g->compiler.chosen ? 0 : choose_arch(*nvrtc, &p, &g->compiler);
    if (!rc && !g->compiler.chosen)
        note(*nvrtc, &p, &g->compiler);
    g->compiler.chosen = !rc;
    *compiler = g->compiler;
    pthread_mutex_unlock(&lock);
    return rc;
}

/* ---- kernels ---- */

static int build_failure(const struct gf_cuda_device *g, const struct gf_nvrtc *nvrtc,
                         void *program, const char *name, int rc) {
    size_t bytes = 0;
    char *log = NULL;
    const char *line = "";
    if (program && !nvrtc->log_size(program, &bytes) && bytes)
        log = calloc(1, bytes + 1);
    if (log && !nvrtc->log(program, log))
        line = gf_gpu_complaint(log);
    int status = gf_fail(GF_EBACKEND, "building %s for '%s': %s", name, g->head.props.name,
                         *line ? line : nvrtc->error_string(rc));
    free(log);
    return status;
}

/* Collects the fixed options, then those of `text`, which is cut at its blanks. */
static int split_options(const struct gf_cuda_compiler *compiler, char *text,
                         const char *options[MAX_OPTIONS]) {
    int n = 0;
    char *rest = text, *option;
    options[n++] = compiler->option;
    options[n++] = "--std=c++14";
    options[n++] = "-default-device";
    /* No option may trade accuracy for speed, as --use_fast_math does. */
    options[n++] = "--fmad=true";
    while ((option = strsep(&rest, " \t\n"))) {
        if (!*option)
            continue;
        if (n == MAX_OPTIONS)
            return gf_fail(GF_EBACKEND, "a kernel has more than %d compiler options", MAX_OPTIONS);
        options[n++] = option;
    }
    return n;
}

int gf_cuda_build(void *gpu, const char *name, const char *source, const char *options,
                  void **binary, size_t *bytes) {
    struct gf_cuda_device *g = gpu;
    const struct gf_nvrtc *nvrtc = NULL;
    struct gf_cuda_compiler compiler;
    const char *option[MAX_OPTIONS];
    char *text = strdup(options), *image = NULL;
    void *program = NULL;
    size_t size = 0;
    *binary = NULL;
    *bytes = 0;
    int rc = text ? load_nvrtc(g, &nvrtc, &compiler) : gf_no_memory();
    if (!rc)
        rc = split_options(&compiler, text, option);
    if (rc < 0)
        goto out;
    int n = rc, error = nvrtc->create(&program, source, name, 0, NULL, NULL);
    if (!error)
        error = nvrtc->compile(program, n, option);
    if (!error)
        error = (compiler.as_ptx ? nvrtc->ptx_size : nvrtc->cubin_size)(program, &size);
    if (!error) {
        image = malloc(size ? size : 1);
        if (!image) {
            rc = gf_fail(GF_ENOMEM, "no memory to build %s", name);
            goto out;
        }
        error = (compiler.as_ptx ? nvrtc->ptx : nvrtc->cubin)(program, image);
    }
    if (error || !size) {
        rc = build_failure(g, nvrtc, program, name, error);
        goto out;
    }
    *binary = image;
    *bytes = size;
    image = NULL;
    rc = 0;
out:
    if (program)
        nvrtc->destroy(&program);
    free(image);
    free(text);
    return rc;
}
