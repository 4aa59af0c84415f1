/* clFFT as an entrant of `gpufft bench`, on arrays of its own types. It is loaded at run time and
 * declared after its documentation. A plan is a number; context, queue and memory are OpenCL's. */

#include "core/base/host/clock.h"
#include "core/base/host/dl.h"
#include "core/gpu/api/opencl/library.h"
#include "core/vendor/bare.h"
#include "core/vendor/cufft_plan.h"

enum { FORWARD = -1, BACKWARD = 1 };
enum { SINGLE = 1, DOUBLE = 2 };
enum { COMPLEX_INTERLEAVED = 1, HERMITIAN_INTERLEAVED = 3, REAL = 5 };
enum { OUT_OF_PLACE = 2, NOT_IMPLEMENTED = 4097, DEVICE_NO_DOUBLE = 4103 };

/* A function: its member, its name in the library behind "clfft", its parameters. */
#define FUNCTIONS(F) \
    F(version, "GetVersion", (uint32_t * major, uint32_t * minor, uint32_t * patch)) \
    F(setup, "Setup", (const void *data)) /* NULL: as usual */ \
    F(teardown, "Teardown", (void)) \
    F(create, "CreateDefaultPlan", \
      (size_t * plan, void *context, int dims, const size_t *lengths)) \
    F(destroy, "DestroyPlan", (size_t * plan)) \
    F(set_precision, "SetPlanPrecision", (size_t plan, int precision)) \
    F(set_layout, "SetLayout", (size_t plan, int in, int out)) \
    F(set_location, "SetResultLocation", (size_t plan, int place)) \
    F(set_scale, "SetPlanScale", (size_t plan, int direction, float scale)) \
    F(set_batch, "SetPlanBatchSize", (size_t plan, size_t batch)) \
    F(set_in_stride, "SetPlanInStride", (size_t plan, int dims, size_t *strides)) \
    F(set_out_stride, "SetPlanOutStride", (size_t plan, int dims, size_t *strides)) \
    F(set_distance, "SetPlanDistance", (size_t plan, size_t in, size_t out)) \
    F(bake, "BakePlan", \
      (size_t plan, uint32_t n, void **queues, void (*notify)(size_t, void *), void *user)) \
    F(work_bytes, "GetTmpBufSize", (size_t plan, size_t * bytes)) \
    F(enqueue, "EnqueueTransform", \
      (size_t plan, int direction, uint32_t n, void **queues, uint32_t n_waits, \
       void *const *waits, void **events, void **in, void **out, void *work))

#define MEMBER(member, name, parameters) int(*member) parameters;
#define SYMBOL(member, name, parameters) {"clfft" name, offsetof(struct clfft, member)},
struct clfft {
    FUNCTIONS(MEMBER)
};
static const struct gf_dl_symbol symbols[] = {FUNCTIONS(SYMBOL){NULL, 0}};

struct impl {
    struct gf_bare bare;
    size_t plan;
    bool made;
    int direction;
};

static struct clfft library;

static int find(char text[GF_VENDOR_TEXT]) {
    static struct gf_dl_library file = GF_DL_LIBRARY(
        symbols, &library, GF_EABSENT, "no clFFT (libclFFT.so.2); apt install libclfft2",
        "libclFFT.so.2", "libclFFT.so");
    uint32_t version[3] = {0, 0, 0};
    if (gf_dl_load(&file))
        return GF_EABSENT;
    library.version(&version[0], &version[1], &version[2]);
    if (text)
        snprintf(text, GF_VENDOR_TEXT, "clFFT %u.%u.%u", version[0], version[1], version[2]);
    return 0;
}

/* One context at a time, as clFFT's state is global. */
static int start(void) {
    const int code = library.setup(NULL);
    return code ? gf_fail(GF_EBACKEND, "clFFT, setting up: error %d", code) : 0;
}

static void clfft_close(void *context) {
    library.teardown();
    gf_gpu_run_close(context);
}

static int failure(int code, const char *what) {
    if (code == NOT_IMPLEMENTED || code == DEVICE_NO_DOUBLE)
        return gf_fail(GF_EUNSUPP, "clFFT, %s: %s", what,
                       code == NOT_IMPLEMENTED ? "not implemented" : "the device has no double");
    return gf_fail(GF_EBACKEND, "clFFT, %s: %s", what, gf_opencl_error(code));
}

/* ---- plan ---- */

static int check_lengths(const struct gf_job *job) {
    static const int primes[] = {2, 3, 5, 7, 11, 13};
    for (int i = 0; i < job->ndim; i++) {
        int64_t rest = job->axes >> i & 1 ? job->shape[i] : 1;
        for (size_t k = 0; k < sizeof primes / sizeof *primes; k++)
            while (rest % primes[k] == 0)
                rest /= primes[k];
        if (rest > 1)
            return gf_fail(GF_EUNSUPP,
                           "clFFT transforms products of 2, 3, 5, 7, 11 and 13, and an axis has "
                           "%lld",
                           (long long)job->shape[i]);
    }
    return 0;
}

/* clFFT counts axes from the innermost. */
static int describe(const struct impl *m, const struct gf_job *job, const struct gf_gpu_space *in,
                    const struct gf_gpu_space *out, const struct gf_cufft_layout *l) {
    const struct clfft *f = &library;
    const bool real_in = !gf_dtype_is_complex(job->in_dtype), real_out = job->in_half && job->real;
    const size_t plan = m->plan;
    size_t in_stride[3] = {1, 1, 1}, out_stride[3] = {1, 1, 1};
    int n = 0;
    for (int axis = 2; axis >= 0; axis--)
        if (gf_gpu_axis_on(job, axis)) {
            in_stride[n] = (size_t)in->stride[axis];
            out_stride[n++] = (size_t)out->stride[axis];
        }
    int in_layout = real_in ? REAL : real_out ? HERMITIAN_INTERLEAVED : COMPLEX_INTERLEAVED;
    int out_layout = real_out ? REAL : real_in ? HERMITIAN_INTERLEAVED : COMPLEX_INTERLEAVED;
    int code = f->set_precision(plan, job->precision == GF_DOUBLE ? DOUBLE : SINGLE);
    code = code ? code : f->set_layout(plan, in_layout, out_layout);
    code = code ? code : f->set_location(plan, OUT_OF_PLACE);
    code = code ? code : f->set_scale(plan, m->direction, 1);
    code = code ? code : f->set_batch(plan, (size_t)l->batch);
    code = code ? code : f->set_in_stride(plan, n, in_stride);
    code = code ? code : f->set_out_stride(plan, n, out_stride);
    return code ? code : f->set_distance(plan, (size_t)l->in_dist, (size_t)l->out_dist);
}

static int make(const struct gf_gpu_context *c, struct gf_bare *bare, const struct gf_job *job) {
    struct impl *m = (struct impl *)bare;
    const bool r2c = !gf_dtype_is_complex(job->in_dtype), c2r = job->in_half && job->real;
    const struct gf_gpu_space in = gf_cufft_space(job, GF_GPU_IN, !r2c, c2r),
                              out = gf_cufft_space(job, GF_GPU_OUT, !c2r, r2c);
    void *queue = c->api->stream(c->gpu), *context = NULL;
    size_t lengths[3] = {1, 1, 1}, work = 0;
    int rc = check_lengths(job);
    if (rc)
        return rc;
    struct gf_cufft_layout l = gf_cufft_lay_out(job, &in, &out);
    if (!l.rank || l.loops > 1)
        return gf_fail(GF_EUNSUPP, "clFFT has one batch at equal distances, and one axis at least");
    for (int i = 0; i < l.rank; i++)
        lengths[i] = (size_t)l.n[l.rank - 1 - i];
    m->direction = job->direction == GF_FORWARD ? FORWARD : BACKWARD;
    int code =
        gf_opencl_find()->queue_info(queue, GF_CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    code = code ? code : library.create(&m->plan, context, l.rank, lengths);
    m->made = !code;
    code = code ? code : describe(m, job, &in, &out, &l);
    double start_ms = gf_now_ms();
    code = code ? code : library.bake(m->plan, 1, &queue, NULL, NULL);
    bare->build_seconds = (gf_now_ms() - start_ms) * 1e-3;
    code = code ? code : library.work_bytes(m->plan, &work);
    gf_opencl_restore_signals(); /* clFFT has compiled */
    bare->work_bytes = (int64_t)work;
    return code ? failure(code, "planning") : 0;
}

static void drop(const struct gf_gpu_context *c, struct gf_bare *bare) {
    struct impl *m = (struct impl *)bare;
    (void)c;
    if (m->made)
        library.destroy(&m->plan);
}

static int run_once(const struct gf_gpu_context *c, const struct gf_gpu_run *run) {
    const struct impl *m = (const struct impl *)run;
    void *queue = c->api->stream(c->gpu);
    void *work = m->bare.work ? gf_gpu_native(m->bare.work) : NULL;
    void *in = gf_gpu_native(run->buffer[GF_GPU_IN]);
    void *out = gf_gpu_native(run->buffer[GF_GPU_OUT]);
    int code = library.enqueue(m->plan, m->direction, 1, &queue, 0, NULL, NULL, &in, &out, work);
    return code ? failure(code, "a transform") : 0;
}

static const struct gf_vendor clfft = {.name = "clfft",
                                       .api = &gf_gpu_opencl,
                                       .find = find,
                                       .start = start,
                                       .bytes = sizeof(struct impl),
                                       .make = make,
                                       .once = run_once,
                                       .drop = drop};

const struct gf_backend gf_backend_clfft = {
    .own = &clfft,
    .name = "clfft",
    .what = "OpenCL devices, clFFT, for comparison",
    .devices = true,
    .probe = gf_vendor_probe,
    .list = gf_vendor_list,
    .open = gf_vendor_open,
    .ops = 1u << GF_FFT,
    .plan = gf_bare_plan,
    .on_device = &gf_vendor_on_device,
    .lost = gf_gpu_run_lost,
    .close = clfft_close,
};
