/* VkFFT as an entrant of `gpufft bench`, on arrays of its own types. As it is a header that needs
 * CUDA's, the program has it only if built with make VKFFT=DIR, where DIR has vkFFT.h, or with a
 * packaged libvkfft-dev. Nothing of it is shipped. */
#include <stdlib.h>

#include "core/vendor/bare.h"

#ifdef GF_WITH_VKFFT
#define VKFFT_BACKEND 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <vkFFT.h>
#pragma GCC diagnostic pop

struct impl {
    struct gf_bare bare;
    VkFFTApplication app;
    bool made;
    CUdevice device;
    CUstream stream;
    uint64_t in_bytes, out_bytes;
    int direction;
};

static int find(char text[GF_VENDOR_TEXT]) {
    const int version = VkFFTGetVersion();
    if (text)
        snprintf(text, GF_VENDOR_TEXT, "VkFFT %d.%d.%d", version / 10000, version / 100 % 100,
                 version % 100);
    return 0;
}

static void drop(const struct gf_gpu_context *c, struct gf_bare *bare) {
    struct impl *m = (struct impl *)bare;
    if (m->made && c->api->stream(c->gpu))
        deleteVkFFT(&m->app);
}

/* True if the innermost axes are transformed, and the others are one batch. */
static bool is_possible(const struct gf_job *job) {
    unsigned all = (1u << job->ndim) - 1, rest = ~job->axes & all;
    return !job->real && job->axes && !(rest & (rest + 1));
}

static int make(const struct gf_gpu_context *c, struct gf_bare *bare, const struct gf_job *job) {
    struct impl *m = (struct impl *)bare;
    VkFFTConfiguration f = {.numberBatches = 1};
    const bool real = !gf_dtype_is_complex(job->in_dtype);
    m->in_bytes = (uint64_t)bare->run.program.plan->bytes[GF_GPU_IN];
    m->out_bytes = (uint64_t)bare->run.program.plan->bytes[GF_GPU_OUT];
    m->stream = c->api->stream(c->gpu);
    if (!m->stream || cuCtxGetDevice(&m->device) != CUDA_SUCCESS)
        return gf_fail(GF_EBACKEND, "VkFFT: no CUDA context");
    for (int i = job->ndim - 1; i >= 0; i--)
        if (job->axes >> i & 1)
            f.size[f.FFTdim++] = (uint64_t)job->shape[i];
        else
            f.numberBatches *= (uint64_t)job->shape[i];
    uint64_t in = 1, out = 1; /* strides from the second axis on, the batch's last */
    for (uint64_t i = 0; i < f.FFTdim; i++) {
        in *= f.size[i];
        out *= real && i == 0 ? f.size[i] / 2 + 1 : f.size[i];
        f.inputBufferStride[i] = in;
        f.bufferStride[i] = out;
    }
    f.device = &m->device;
    f.stream = &m->stream;
    f.num_streams = 1;
    f.isInputFormatted = 1;
    f.performR2C = real;
    f.doublePrecision = job->precision == GF_DOUBLE;
    f.inputBufferSize = &m->in_bytes;
    f.bufferSize = &m->out_bytes;
    m->direction = job->direction == GF_FORWARD ? -1 : 1;
    f.makeForwardPlanOnly = m->direction < 0;
    f.makeInversePlanOnly = m->direction > 0;
    VkFFTResult code = initializeVkFFT(&m->app, f);
    m->made = code == VKFFT_SUCCESS;
    return m->made ? 0 : gf_fail(GF_EUNSUPP, "VkFFT: planning: error %d", (int)code);
}

static int run_once(const struct gf_gpu_context *c, const struct gf_gpu_run *run) {
    struct impl *m = (struct impl *)run;
    void *in = gf_gpu_native(run->buffer[GF_GPU_IN]);
    void *out = gf_gpu_native(run->buffer[GF_GPU_OUT]);
    VkFFTLaunchParams launch = {.inputBuffer = &in, .buffer = &out};
    if (!c->api->stream(c->gpu))
        return GF_EBACKEND;
    VkFFTResult code = VkFFTAppend(&m->app, m->direction, &launch);
    return code == VKFFT_SUCCESS ? 0 : gf_fail(GF_EBACKEND, "VkFFT: running: error %d", (int)code);
}

static const struct gf_vendor vkfft = {.name = "vkfft",
                                       .api = &gf_gpu_cuda,
                                       .find = find,
                                       .bytes = sizeof(struct impl),
                                       .make = make,
                                       .once = run_once,
                                       .drop = drop};

static int vkfft_plan(struct gf_plan *plan) {
    return is_possible(&plan->job)
               ? gf_bare_plan(plan)
               : gf_fail(GF_EUNSUPP, "VkFFT is measured on c2c and forward r2c alone");
}

const struct gf_backend gf_backend_vkfft = {
    GF_VENDOR(vkfft),    .name = "vkfft",    .what = "NVIDIA GPUs, VkFFT, for comparison",
    .ops = 1u << GF_FFT, .plan = vkfft_plan,
};
#else
static int vkfft_probe(const struct gf_backend *b, const struct gf_environment *env,
                       char reason[GF_REASON]) {
    (void)b, (void)env;
    snprintf(reason, GF_REASON, "built without VkFFT (make VKFFT=DIR, where DIR has vkFFT.h)");
    return GF_EABSENT;
}

const struct gf_backend gf_backend_vkfft = {
    .name = "vkfft",
    .what = "NVIDIA GPUs, VkFFT, for comparison",
    .probe = vkfft_probe,
};
#endif
