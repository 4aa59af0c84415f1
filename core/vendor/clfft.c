/* clFFT as an entrant of `gpufft bench`, on arrays of its own types alone. It is loaded at run time:
 * the few declarations that are needed are below, from its documentation. A plan is a number; a
 * context, a queue and memory are OpenCL's. */
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/dl.h"
#include "core/base/status.h"
#include "core/gpu/api/opencl/library.h"
#include "core/vendor/bare.h"
#include "core/vendor/cufft_plan.h"

enum { FORWARD = -1, BACKWARD = 1 };
enum { SINGLE = 1, DOUBLE = 2 };
enum { COMPLEX_INTERLEAVED = 1, HERMITIAN_INTERLEAVED = 3, REAL = 5 };
enum { OUT_OF_PLACE = 2, NOT_IMPLEMENTED = 4097, DEVICE_NO_DOUBLE = 4103 };

struct clfft {
    int (*version)(uint32_t *major, uint32_t *minor, uint32_t *patch);
    int (*setup)(const void *data); /* NULL: as usual */
    int (*teardown)(void);
    int (*create)(size_t *plan, void *context, int dims, const size_t *lengths);
    int (*destroy)(size_t *plan);
    int (*set_precision)(size_t plan, int precision);
    int (*set_layout)(size_t plan, int in, int out);
    int (*set_location)(size_t plan, int place);
    int (*set_scale)(size_t plan, int direction, float scale);
    int (*set_batch)(size_t plan, size_t batch);
    int (*set_in_stride)(size_t plan, int dims, size_t *strides);
    int (*set_out_stride)(size_t plan, int dims, size_t *strides);
    int (*set_distance)(size_t plan, size_t in, size_t out);
    int (*bake)(size_t plan, uint32_t n, void **queues, void (*notify)(size_t, void *), void *user);
    int (*work_bytes)(size_t plan, size_t *bytes);
    int (*enqueue)(size_t plan, int direction, uint32_t n, void **queues, uint32_t n_waits,
                   void *const *waits, void **events, void **in, void **out, void *work);
};

#define SYMBOL(field, name)                                                                        \
    { "clfft" name, offsetof(struct clfft, field) }
static const struct gf_dl_symbol symbols[] = {
    SYMBOL(version, "GetVersion"),
    SYMBOL(setup, "Setup"),
    SYMBOL(teardown, "Teardown"),
    SYMBOL(create, "CreateDefaultPlan"),
    SYMBOL(destroy, "DestroyPlan"),
    SYMBOL(set_precision, "SetPlanPrecision"),
    SYMBOL(set_layout, "SetLayout"),
    SYMBOL(set_location, "SetResultLocation"),
    SYMBOL(set_scale, "SetPlanScale"),
    SYMBOL(set_batch, "SetPlanBatchSize"),
    SYMBOL(set_in_stride, "SetPlanInStride"),
    SYMBOL(set_out_stride, "SetPlanOutStride"),
    SYMBOL(set_distance, "SetPlanDistance"),
    SYMBOL(bake, "BakePlan"),
    SYMBOL(work_bytes, "GetTmpBufSize"),
    SYMBOL(enqueue, "EnqueueTransform"),
    {NULL, 0},
};

struct impl {
    struct gf_gpu_run run; /* of no passes: the buffers */
    const struct clfft *f;
    size_t plan;
    bool made;
    int direction;
    int64_t work_bytes;
    double build_seconds;
    struct gf_gpu_buffer *work; /* clFFT's own */
};

static struct clfft library;

/* NULL with gf_message(). */
static const struct clfft *find(void) {
    static const char *const sonames[] = {"libclFFT.so.2", "libclFFT.so", NULL};
    static struct gf_dl_once once = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    if (!gf_dl_open_once(&once, sonames, symbols, &library))
        return &library;
    gf_fail(GF_EABSENT, "no clFFT (libclFFT.so.2); apt install libclfft2");
    return NULL;
}

static int clfft_probe(const struct gf_backend *b, char reason[GF_REASON]) {
    (void)b;
    char device[GF_REASON] = "";
    uint32_t version[3] = {0, 0, 0};
    int rc = gf_gpu_opencl.probe(device);
    const struct clfft *f = rc ? NULL : find();
    if (rc) {
        snprintf(reason, GF_REASON, "%s", device);
        return rc;
    }
    if (!f) {
        snprintf(reason, GF_REASON, "%s", gf_message());
        return GF_EABSENT;
    }
    f->version(&version[0], &version[1], &version[2]);
    snprintf(reason, GF_REASON, "clFFT %u.%u.%u, %.200s", version[0], version[1], version[2],
             device);
    return 0;
}

static int clfft_list(const struct gf_backend *b, struct gf_gpu_props *props, int most) {
    (void)b;
    return gf_gpu_opencl.list(props, most);
}

/* One context at a time: what clFFT keeps is the process's. */
static int clfft_open(const struct gf_backend *b, const struct gf_backend_options *options,
                      void **context) {
    (void)b;
    const struct clfft *f = find();
    *context = NULL;
    if (!f)
        return GF_EABSENT;
    int code = f->setup(NULL);
    return code ? gf_fail(GF_EBACKEND, "clFFT, setting up: error %d", code)
                : gf_gpu_run_open(&gf_gpu_opencl, options, context);
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

/* The layout of the arrays: dense, a half spectrum on the side that is complex. */
static void make_spaces(const struct gf_job *job, struct gf_gpu_space *in,
                        struct gf_gpu_space *out) {
    int64_t in_shape[GF_MAX_RANK], out_shape[GF_MAX_RANK], before[4] = {1, 1, 1, 1},
                                                           after[4] = {1, 1, 1, 1};
    gf_job_in_shape(job, in_shape);
    gf_job_out_shape(job, 0, out_shape);
    for (int axis = 0; axis < 3; axis++) {
        int i = gf_gpu_job_axis(job, axis);
        before[axis] = i < 0 ? 1 : in_shape[i];
        after[axis] = i < 0 ? 1 : out_shape[i];
    }
    *in = gf_gpu_planes(GF_GPU_IN, before, (int)gf_dtype_size(job->in_dtype));
    *out = gf_gpu_planes(GF_GPU_OUT, after, (int)gf_dtype_size(job->out[0].dtype));
}

/* clFFT counts axes from the innermost. */
static int describe(const struct impl *m, const struct gf_job *job, size_t plan,
                    const struct gf_gpu_space *in, const struct gf_gpu_space *out,
                    const struct gf_cufft_layout *l) {
    const struct clfft *f = m->f;
    const bool real_in = !gf_dtype_is_complex(job->in_dtype), real_out = job->in_half && job->real;
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

static int make_plan(const struct gf_gpu_context *c, struct impl *m, const struct gf_job *job) {
    struct gf_gpu_space in, out;
    void *queue = c->api->stream(c->gpu), *context = NULL;
    size_t lengths[3] = {1, 1, 1}, work = 0;
    make_spaces(job, &in, &out);
    struct gf_cufft_layout l = gf_cufft_lay_out(job, &in, &out);
    if (!l.rank || l.loops > 1)
        return gf_fail(GF_EUNSUPP, "clFFT has one batch at equal distances, and one axis at least");
    for (int i = 0; i < l.rank; i++)
        lengths[i] = (size_t)l.n[l.rank - 1 - i];
    m->direction = job->direction == GF_FORWARD ? FORWARD : BACKWARD;
    int code =
        gf_opencl_find()->queue_info(queue, GF_CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    code = code ? code : m->f->create(&m->plan, context, l.rank, lengths);
    m->made = !code;
    code = code ? code : describe(m, job, m->plan, &in, &out, &l);
    double start = gf_now_ms();
    code = code ? code : m->f->bake(m->plan, 1, &queue, NULL, NULL);
    m->build_seconds = (gf_now_ms() - start) * 1e-3;
    code = code ? code : m->f->work_bytes(m->plan, &work);
    gf_opencl_restore_signals(); /* it has compiled */
    m->work_bytes = (int64_t)work;
    return code ? failure(code, "planning") : 0;
}

static void clfft_drop(struct gf_plan *plan) {
    const struct gf_gpu_context *c = plan->context;
    struct impl *m = plan->impl;
    if (m->made)
        m->f->destroy(&m->plan);
    if (m->work)
        c->api->free(c->gpu, m->work);
    gf_gpu_whole_drop(plan);
}

/* ---- run ---- */

static int clfft_upload(struct gf_plan *plan, const struct gf_array *in) {
    const struct gf_gpu_context *c = plan->context;
    struct impl *m = plan->impl;
    int rc = gf_gpu_whole_upload(plan, in);
    if (!rc && m->work_bytes && !m->work)
        rc = c->api->alloc(c->gpu, m->work_bytes, &m->work);
    return rc;
}

static int run_once(const struct gf_gpu_context *c, struct gf_gpu_run *run) {
    const struct impl *m = (const struct impl *)run;
    void *queue = c->api->stream(c->gpu), *work = m->work ? c->api->native(m->work) : NULL;
    void *in = c->api->native(run->buffer[GF_GPU_IN]);
    void *out = c->api->native(run->buffer[GF_GPU_OUT]);
    int code = m->f->enqueue(m->plan, m->direction, 1, &queue, 0, NULL, NULL, &in, &out, work);
    return code ? failure(code, "a transform") : 0;
}

static int clfft_run(struct gf_plan *plan, int times, double *seconds) {
    return gf_gpu_run_times(plan->context, plan->impl, times, seconds, run_once);
}

static int clfft_plan(void *context, const struct gf_job *job, struct gf_plan **out) {
    static const struct gf_plan_ops ops = {.exec = gf_plan_exec_parts,
                                           .upload = clfft_upload,
                                           .run = clfft_run,
                                           .download = gf_gpu_whole_download,
                                           .drop = clfft_drop};
    struct gf_gpu_context *c = context;
    struct gf_plan *plan;
    *out = NULL;
    int rc = gf_bare_begin(c, job, &ops, sizeof(struct impl), &plan);
    if (rc)
        return rc;
    struct impl *m = plan->impl;
    m->f = find();
    rc = m->f ? check_lengths(job) : GF_EABSENT;
    if (!rc)
        rc = make_plan(c, m, job);
    if (!rc)
        rc = gf_bare_end(c, plan, m->work_bytes, "clfft");
    plan->build_seconds = m->build_seconds;
    return gf_plan_finish(plan, rc, out);
}

static const struct gf_on_device on_device = {.measure = gf_gpu_run_measure,
                                              .transfer = gf_gpu_run_transfer};

const struct gf_backend gf_backend_clfft = {
    .name = "clfft",
    .what = "OpenCL devices, clFFT, for comparison",
    .devices = true,
    .probe = clfft_probe,
    .list = clfft_list,
    .open = clfft_open,
    .plan = clfft_plan,
    .on_device = &on_device,
    .lost = gf_gpu_run_lost,
    .close = clfft_close,
};
