/* The planner's kernels for compilers, see tests/gpu/gpu_kernels.h. */
#include "tests/gpu/gpu_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "core/gpu/api/cuda/library.h"
#include "core/gpu/cache/kernel_source.h"
#include "core/base/host/dl.h"
#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/gpu/gpu_jobs.h"
#include "tests/test.h"

struct known {
    char *text[4000];
    int n;
};

/* Whether this is new: sizes aside, which do not change what is compiled. */
static bool is_new(struct known *k, const struct gf_gpu_pass *pass) {
    char text[2700] = "", copy[2560];
    snprintf(text, sizeof text, "%s %s", pass->kernel.file, pass->kernel.entry);
    snprintf(copy, sizeof copy, "%s", pass->kernel.options);
    for (char *rest = copy, *word; (word = strsep(&rest, " "));) {
        static const char *const sizes[] = {
            "-DLENGTH=",   "-DPOINTS=", "-DLINES=",     "-DTHREADS=",   "-DHELD=",
            "-DRESIDENT=", "-DRADIX",   "-DPAD_EVERY=", "-DIDX_STRIDE", "-DLINE_STRIDE=",
            "-DINDICES=",  "-DUNIT_",   "-DDIR=",       "-DOUT_T",      "-DOUT_LOW",
            "-DOUT_HIGH",  "-DIN_T",    "-DBOUNDED",    "-DSCALED",     "-DSIDE_STRIDE"};
        bool size = false;
        bool fft = pass->kind == GF_GPU_PASS_AXIS || pass->kind == GF_GPU_PASS_FILTER_AXIS;
        if (fft && !strncmp(word, "-DSTAGES=", 9))
            word = strcmp(word + 9, "1") ? "" : "one stage";
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && fft; i++)
            size = size || !strncmp(word, sizes[i], strlen(sizes[i]));
        size_t used = strlen(text);
        if (!size && used + strlen(word) + 2 < sizeof text)
            snprintf(text + used, sizeof text - used, " %s", word);
    }
    for (int i = 0; i < k->n; i++)
        if (!strcmp(k->text[i], text))
            return false;
    if (k->n < (int)(sizeof k->text / sizeof *k->text))
        k->text[k->n++] = strdup(text);
    return true;
}

typedef void with_pass(const struct gf_gpu_pass *pass, const struct gf_gpu_props *d, void *what);

static void each_of(const struct gf_job *job, const struct gf_gpu_props *d, struct known *k,
                    with_pass *then, void *what) {
    struct gf_gpu_plan *p;
    for (int way = 0; way < 3; way++) {
        if (way == 0   ? gf_gpu_plan_make(job, d, &p)
            : way == 1 ? gf_gpu_plan_make_way(job, d, "across", &p)
                       : gf_gpu_plan_make_way(job, d, "left2x2", &p))
            continue;
        for (int i = 0; i < p->n_passes; i++)
            if (is_new(k, &p->pass[i]))
                then(&p->pass[i], d, what);
        for (int i = 0; i < p->n_chains; i++)
            if (is_new(k, &p->chain[i]))
                then(&p->chain[i], d, what);
        gf_gpu_plan_free(p);
    }
}

static void forget(struct known *k) {
    for (int i = 0; i < k->n; i++)
        free(k->text[i]);
    k->n = 0;
}

/* Kernels of the named jobs and of some random ones, each kind of options once. */
static void each_kernel(int random, const struct gf_gpu_props *d, struct known *known,
                        with_pass *then, void *what) {
    static const int64_t most[4] = {20000, 200, 70, 20};
    uint64_t seed = 7;
    int n;
    const char *const *list = backends_named_jobs(&n);
    for (int i = 0; i < n; i++) {
        struct gf_job job;
        if (backends_parse(list[i], &job))
            each_of(&job, d, known, then, what);
    }
    /* Large ones, of which two passes are one launch. */
    static const int64_t large[][3] = {
        {256, 256, 256}, {1, 8192, 8192}, {1, 16384, 16384}, {600, 256, 256}};
    for (size_t i = 0; i < 2 * sizeof large / sizeof *large; i++) {
        const int64_t *s = large[i / 2];
        struct gf_job job = backends_job(i % 2 ? GF_FORWARD : GF_INVERSE, i % 2 ? GF_F32 : GF_C64,
                                         GF_SINGLE, 3, s[0], s[1], s[2]);
        job.out[0].half = i % 2;
        if (s[0] == 600)
            job.axes = 6;
        each_of(&job, d, known, then, what);
    }
    struct gf_job picture = backends_job(GF_FORWARD, GF_U8, GF_SINGLE, 2, 4096, 4096, 1);
    each_of(&picture, d, known, then, what); /* fetches tiles ahead */
    struct gf_job line;
    for (int i = 0; gpu_line_job(i, &line); i++)
        each_of(&line, d, known, then, what);
    enum { FILTERS = 40 };
    for (int i = 0; i < random || i < FILTERS; i++) {
        struct gf_job job = gpu_random_job(&seed, most);
        if (i < random && !gf_job_validate(&job))
            each_of(&job, d, known, then, what);
        if (!gpu_random_filter_job(&seed, &job))
            continue;
        if (!gf_job_validate(&job))
            each_of(&job, d, known, then, what);
        gpu_drop_filter(&job);
    }
    for (int i = 0; i < 20 + 2 * random; i++) {
        struct gf_job job = gpu_random_wavelet(&seed, most);
        each_of(&job, d, known, then, what);
    }
}

static void print_pass(const struct gf_gpu_pass *pass, const struct gf_gpu_props *d, void *what) {
    (void)d;
    (void)what;
    printf("%s %s\n", pass->kernel.file, pass->kernel.options);
}

/* ---- NVRTC ---- */

#define SYMBOL(field, name) \
    { name, offsetof(struct gf_nvrtc, field) }
static const struct gf_dl_symbol symbols[] = {SYMBOL(version, "nvrtcVersion"),
                                              SYMBOL(n_archs, "nvrtcGetNumSupportedArchs"),
                                              SYMBOL(archs, "nvrtcGetSupportedArchs"),
                                              SYMBOL(create, "nvrtcCreateProgram"),
                                              SYMBOL(destroy, "nvrtcDestroyProgram"),
                                              SYMBOL(compile, "nvrtcCompileProgram"),
                                              SYMBOL(log_size, "nvrtcGetProgramLogSize"),
                                              SYMBOL(log, "nvrtcGetProgramLog"),
                                              SYMBOL(error_string, "nvrtcGetErrorString"),
                                              {NULL, 0}};

struct compiler {
    struct gf_nvrtc nvrtc;
    const char *arch;
    int kernels;
};

static void compile_pass(const struct gf_gpu_pass *pass, const struct gf_gpu_props *d, void *what) {
    struct compiler *c = what;
    const char *option[256] = {c->arch, "--std=c++14", "-default-device", "--fmad=true"};
    char *source = NULL, *log = NULL, copy[2560], *rest = copy, *word;
    void *program = NULL;
    size_t bytes = 0;
    int n = 4;
    snprintf(copy, sizeof copy, "%s", pass->kernel.options);
    while ((word = strsep(&rest, " ")) && n < 256)
        if (*word)
            option[n++] = word;
    if (gf_kernel_source(NULL, pass->kernel.file, &source)) {
        CHECK_MSG(0, "%s", gf_message());
        return;
    }
    int rc = c->nvrtc.create(&program, source, pass->kernel.file, 0, NULL, NULL);
    if (!rc) {
        rc = c->nvrtc.compile(program, n, option);
        if (!c->nvrtc.log_size(program, &bytes) && bytes > 1 && (log = calloc(bytes + 1, 1)))
            c->nvrtc.log(program, log);
    }
    CHECK_MSG(!rc && (!log || !*log), "%s, %s, %s: %s %s: %s", d->name, c->arch, pass->kernel.file,
              pass->kernel.options, rc ? c->nvrtc.error_string(rc) : "", log ? log : "");
    c->kernels++;
    if (program)
        c->nvrtc.destroy(&program);
    free(log);
    free(source);
}

static struct known known;

int gpu_kernels_compile(int random) {
    static const char *const sonames[] = {"libnvrtc.so.13",
                                          "libnvrtc.so.12",
                                          "/usr/local/cuda/lib64/libnvrtc.so.13",
                                          "/usr/local/cuda/lib64/libnvrtc.so.12",
                                          "libnvrtc.so",
                                          "/usr/local/cuda/lib64/libnvrtc.so",
                                          NULL};
    /* Each with a tile of a device of its kind: index into props. */
    static const struct {
        const char *arch;
        int number, device;
    } targets[] = {{"sm_75", 75, 2}, {"sm_80", 80, 1}, {"sm_90", 90, 0}, {"sm_100", 100, 0}};
    struct compiler c = {.kernels = 0};
    int archs[64], n = 0;
    void *handle;
    if (gf_dl_open(sonames, symbols, &c.nvrtc, &handle)) {
        printf("nvrtc: skipped: %s\n", gf_message());
        CHECK(1);
        return TEST_END();
    }
    if (c.nvrtc.n_archs(&n) || n > 64 || c.nvrtc.archs(archs))
        n = 0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char option[48];
        bool can = false;
        for (int k = 0; k < n; k++)
            can = can || archs[k] == targets[i].number;
        if (!can) {
            printf("nvrtc: %s: skipped: not among what it compiles for\n", targets[i].arch);
            continue;
        }
        snprintf(option, sizeof option, "--gpu-architecture=%s", targets[i].arch);
        c.arch = option;
        c.kernels = 0;
        each_kernel(random, &gpu_devices[targets[i].device], &known, compile_pass, &c);
        forget(&known);
        printf("nvrtc: %s: %d kernels\n", targets[i].arch, c.kernels);
        fflush(stdout);
    }
    return TEST_END();
}

int gpu_kernels_print(const char *file) {
    char *source = NULL;
    const int rc = gf_kernel_source(NULL, file, &source);
    fputs(rc ? gf_message() : source, rc ? stderr : stdout);
    free(source);
    return rc ? 1 : 0;
}

void gpu_kernels_list(void) {
    for (int d = 0; d < GPU_DEVICES; d++)
        each_kernel(100, &gpu_devices[d], &known, print_pass, NULL);
    forget(&known);
}
