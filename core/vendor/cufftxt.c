/* cuFFT on several GPUs (cuFFTXt) as an entrant of `gpufft bench`: c2c, and forward r2c, of all
 * axes of 2D and 3D arrays. The library cuts the array into a slab for each GPU, transforms in
 * place and leaves the result permuted; options.natural_order has it copied to natural order. */
#include <stdlib.h>
#include <string.h>

#include "core/base/host/clock.h"
#include "core/base/host/memory.h"
#include "core/gpu/common.h"
#include "core/gpu/api/cuda/library.h"
#include "core/vendor/cufft_library.h"

/* Orders of a descriptor's samples, and ways of a copy. */
enum { IN_PLACE = 2, IN_PLACE_SHUFFLED = 3 };
enum { TO_DEVICES, TO_HOST, BETWEEN_DEVICES };

/* GPU i of the list is the driver's device[i]. */
struct context {
    const struct gf_cuda *cu;
    const struct gf_cufft *f;
    int n, device[GF_GPU_MAX_DEVICES];
    void *context[GF_GPU_MAX_DEVICES];
    char name[128];
    int64_t limit; /* bytes to use of each; 0: all */
    bool natural_order;
};

struct impl {
    int plan;
    bool planned;
    int type, direction;
    /* Transforms overwrite `work`, so `input` keeps the samples; `sorted` is NULL unless the result
     * is to be in natural order. */
    struct gf_cufft_spread *input, *work, *sorted;
};

/* ---- devices ---- */

static int cufftxt_probe(const struct gf_backend *b, const struct gf_environment *env,
                         char reason[GF_REASON]) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    char version[GF_VENDOR_TEXT];
    (void)b;
    if (gf_cufft_version(version)) {
        snprintf(reason, GF_REASON, "%s", gf_message());
        return GF_EABSENT;
    }
    int n = gf_gpu_list(env, &gf_gpu_cuda, props);
    if (n < 2) {
        snprintf(reason, GF_REASON, "cuFFTXt needs two GPUs or more, and there is one");
        return GF_EABSENT;
    }
    snprintf(reason, GF_REASON, "%s over several of %d GPUs", version, n);
    return 0;
}

static int pick_devices(struct context *c, const struct gf_backend_options *options) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    int n = gf_gpu_list(options->environment, &gf_gpu_cuda, props), rc = n < 0 ? n : 0, index = 0;
    size_t used = 0;
    if (!rc && options->n_devices > GF_GPU_MAX_DEVICES)
        rc = gf_fail(GF_EUSAGE, "--device lists more than %d devices", GF_GPU_MAX_DEVICES);
    for (int i = 0; i < options->n_devices && !rc; i++) {
        rc = gf_gpu_pick(options->devices[i], props, n, &index);
        if (rc)
            break;
        if (used < sizeof c->name)
            used += (size_t)snprintf(c->name + used, sizeof c->name - used, "%s%s", i ? " + " : "",
                                     props[index].name);
        c->device[c->n++] = index;
    }
    if (!rc && c->n < 2)
        rc = gf_fail(GF_EABSENT, "cuFFTXt needs two GPUs or more: --device=0,1");
    return rc;
}

static int check_driver(const struct context *c, int code, const char *what) {
    return code ? gf_fail(code == GF_CU_OUT_OF_MEMORY ? GF_ENOMEM : GF_EBACKEND,
                          "%s failed on '%s': %s", what, c->name, gf_cuda_error(c->cu, code))
                : 0;
}

/* The library uses the calling thread's context. */
static int enter(const struct context *c, int device) {
    return check_driver(c, c->cu->context_set(c->context[device]), "entering the context");
}

/* Waits for all devices, and enters the first one's context. */
static int wait_for_all(const struct context *c) {
    int rc = 0;
    for (int i = c->n - 1; i >= 0 && !rc; i--) {
        rc = enter(c, i);
        if (!rc)
            rc = check_driver(c, c->cu->context_wait(), "a command");
    }
    return rc ? rc : enter(c, 0);
}

static void cufftxt_close(void *context) {
    struct context *c = context;
    if (!c)
        return;
    c->cu->context_set(NULL);
    for (int i = 0; i < c->n; i++)
        if (c->context[i])
            c->cu->context_release(c->device[i]);
    free(c);
}

static int cufftxt_open(const struct gf_backend *b, const struct gf_backend_options *options,
                        void **context) {
    (void)b;
    const struct gf_cufft *f = gf_cufft_find();
    *context = NULL;
    if (!f)
        return GF_EABSENT;
    struct context *c = calloc(1, sizeof *c);
    if (!c)
        return gf_no_memory();
    c->cu = gf_cuda_find();
    c->f = f;
    c->limit = options->device_memory;
    c->natural_order = options->natural_order;
    int rc = pick_devices(c, options);
    for (int i = 0; i < c->n && !rc; i++)
        rc = check_driver(c, c->cu->context_retain(&c->context[i], c->device[i]),
                          "opening a context");
    if (rc)
        cufftxt_close(c);
    else
        *context = c;
    return rc;
}

static int cufftxt_measure(void *context, struct gf_device_speed *speed) {
    const struct context *c = context;
    *speed = (struct gf_device_speed){.copy = 0};
    snprintf(speed->name, sizeof speed->name, "%s", c->name);
    return 0;
}

/* ---- plan ---- */

static int check_job(const struct gf_job *job) {
    int rc = gf_bare_check(job);
    bool real = !gf_dtype_is_complex(job->in_dtype);
    if (!rc && (job->ndim < 2 || job->axes != (1u << job->ndim) - 1 || job->real ||
                (real && gf_job_half_axis(job) != job->ndim - 1)))
        rc = gf_fail(GF_EUNSUPP, "cuFFTXt is measured on 2D and 3D c2c, and forward r2c, of all "
                                 "axes");
    for (int i = 0; i < job->ndim && !rc; i++)
        if (job->shape[i] > INT32_MAX)
            rc = gf_fail(GF_EUNSUPP, "cuFFTXt has axes below 2^31 points");
    return rc;
}

/* Bytes of the samples in place: a real row has room for its half spectrum. */
static int64_t padded_bytes(const struct gf_job *job) {
    int64_t last = job->shape[job->ndim - 1], bytes = job->precision == GF_DOUBLE ? 16 : 8;
    for (int i = 0; i < job->ndim - 1; i++)
        bytes *= job->shape[i];
    return bytes * (gf_dtype_is_complex(job->in_dtype) ? last : last / 2 + 1);
}

static int check_memory(const struct context *c, const struct gf_plan *plan) {
    char a[GF_SIZE_TEXT], b[GF_SIZE_TEXT];
    if (!c->limit || plan->device_bytes <= c->limit)
        return 0;
    return gf_fail(GF_ENOMEM, "the plan needs %s on each device, limit %s (--max-device-memory)",
                   gf_memory_need_text(plan->device_bytes, a), gf_memory_limit_text(c->limit, b));
}

/* Any failure but lack of memory is a refusal. */
static int make_plan(struct context *c, struct gf_plan *plan) {
    struct impl *m = plan->impl;
    const struct gf_job *job = &plan->job;
    const int *n = (const int[]){(int)job->shape[0], (int)job->shape[1], (int)job->shape[2]};
    size_t work[64] = {0};
    m->type = gf_cufft_type(gf_dtype_is_complex(job->in_dtype), true, job->precision == GF_DOUBLE);
    m->direction = job->direction == GF_FORWARD ? GF_CUFFT_FORWARD : GF_CUFFT_INVERSE;
    int rc = enter(c, 0);
    if (rc)
        return rc;
    int code = c->f->create(&m->plan);
    m->planned = !code;
    code = code ? code : c->f->use(m->plan, c->n, c->device);
    if (!code)
        code = job->ndim == 2 ? c->f->make_2d(m->plan, n[0], n[1], m->type, work)
                              : c->f->make_3d(m->plan, n[0], n[1], n[2], m->type, work);
    if (code)
        return gf_fail(code == GF_CUFFT_ALLOC_FAILED ? GF_ENOMEM : GF_EUNSUPP,
                       "cuFFTXt has no plan on '%s': %s", c->name, gf_cufft_error(code));
    int64_t most = 0;
    for (int i = 0; i < c->n; i++)
        most = (int64_t)work[i] > most ? (int64_t)work[i] : most;
    plan->device_bytes = most + (c->natural_order ? 3 : 2) * (padded_bytes(job) / c->n);
    return check_memory(c, plan);
}

static void list_passes(const struct context *c, struct gf_plan *plan) {
    int64_t bytes = padded_bytes(&plan->job);
    /* how many the transform has is the library's own */
    gf_pass_list(plan, bytes, bytes, "cufftxt, %d devices", c->n);
    if (c->natural_order)
        gf_pass_list(plan, bytes, bytes, "copy to natural order");
}

/* ---- run ---- */

static int failure(const struct context *c, int code, const char *what) {
    return code ? gf_cufft_failure(code, what, c->name) : 0;
}

static int take_memory(const struct context *c, struct impl *m) {
    struct gf_cufft_spread **all[] = {&m->input, &m->work, &m->sorted};
    int code = 0;
    for (int i = 0; i < (c->natural_order ? 3 : 2) && !code; i++)
        code = *all[i] ? 0 : c->f->spread_alloc(m->plan, all[i], IN_PLACE);
    return failure(c, code, "allocating");
}

static int cufftxt_upload(struct gf_plan *plan, const struct gf_array *in) {
    const struct context *c = plan->context;
    struct impl *m = plan->impl;
    struct gf_array padded = {0};
    const int last = plan->job.ndim - 1;
    int64_t shape[GF_MAX_RANK];
    int rc = enter(c, 0);
    if (!rc)
        rc = take_memory(c, m);
    if (rc)
        return rc;
    memcpy(shape, in->shape, sizeof shape);
    if (!gf_dtype_is_complex(in->dtype))
        shape[last] = 2 * (shape[last] / 2 + 1);
    if (shape[last] != in->shape[last] || !gf_array_is_contiguous(in)) {
        rc = gf_array_alloc(&padded, in->dtype, in->rank, shape);
        if (rc)
            return rc;
        struct gf_array rows = gf_array_slice(&padded, last, 0, in->shape[last]);
        gf_array_copy(&rows, in);
    }
    m->input->order = IN_PLACE;
    rc = failure(
        c, c->f->spread_copy(m->plan, m->input, padded.data ? padded.data : in->data, TO_DEVICES),
        "an upload");
    gf_array_free(&padded);
    return rc;
}

/* Copies the input to `work` on each device. */
static int renew(const struct context *c, struct impl *m) {
    const struct gf_cufft_parts *from = m->input->parts, *to = m->work->parts;
    int rc = 0;
    for (int i = 0; i < c->n && !rc; i++)
        for (int k = 0; k < from->n && !rc; k++) {
            if (from->device[k] != c->device[i])
                continue;
            rc = enter(c, i);
            if (!rc)
                rc = check_driver(c,
                                  c->cu->copy((uint64_t)(uintptr_t)to->data[k],
                                              (uint64_t)(uintptr_t)from->data[k], from->bytes[k],
                                              NULL),
                                  "a copy");
        }
    m->work->order = IN_PLACE;
    return rc ? rc : wait_for_all(c);
}

static int transform(const struct context *c, struct impl *m) {
    int code = m->type == GF_CUFFT_C2C   ? c->f->spread_c2c(m->plan, m->work, m->work, m->direction)
               : m->type == GF_CUFFT_Z2Z ? c->f->spread_z2z(m->plan, m->work, m->work, m->direction)
               : m->type == GF_CUFFT_R2C ? c->f->spread_r2c(m->plan, m->work, m->work)
                                         : c->f->spread_d2z(m->plan, m->work, m->work);
    if (code || !m->sorted)
        return failure(c, code, "a transform");
    m->sorted->order = IN_PLACE;
    return failure(c, c->f->spread_copy(m->plan, m->sorted, m->work, BETWEEN_DEVICES),
                   "a copy to natural order");
}

/* Uses the host's clock, as no device's clock covers them all. Restoring the input is not timed. */
static int cufftxt_run(struct gf_plan *plan, int times, double *seconds) {
    const struct context *c = plan->context;
    struct impl *m = plan->impl;
    double ms = 0;
    int rc = 0;
    for (int i = 0; i < times && !rc; i++) {
        rc = renew(c, m);
        double start = gf_now_ms();
        if (!rc)
            rc = transform(c, m);
        if (!rc)
            rc = wait_for_all(c);
        ms += gf_now_ms() - start;
    }
    if (seconds)
        *seconds = ms * 1e-3;
    return rc;
}

/* The library restores natural order on the way to the host. */
static int cufftxt_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report) {
    const struct context *c = plan->context;
    struct impl *m = plan->impl;
    struct gf_array packed = {0};
    int rc = enter(c, 0);
    (void)report;
    if (!rc && !gf_array_is_contiguous(out))
        rc = gf_array_alloc(&packed, out->dtype, out->rank, out->shape);
    if (rc)
        return rc;
    rc = failure(c,
                 c->f->spread_copy(m->plan, packed.data ? packed.data : out->data,
                                   m->sorted ? m->sorted : m->work, TO_HOST),
                 "a download");
    if (!rc && packed.data)
        gf_array_copy(out, &packed);
    gf_array_free(&packed);
    return rc;
}

static void cufftxt_drop(struct gf_plan *plan) {
    const struct context *c = plan->context;
    struct impl *m = plan->impl;
    struct gf_cufft_spread *all[] = {m->input, m->work, m->sorted};
    const bool entered = !enter(c, 0);
    for (int i = 0; i < 3 && entered; i++)
        if (all[i])
            c->f->spread_free(all[i]);
    if (entered && m->planned)
        c->f->destroy(m->plan);
    free(m);
}

static int cufftxt_plan(struct gf_plan *plan) {
    static const struct gf_plan_ops ops = {.upload = cufftxt_upload,
                                           .run = cufftxt_run,
                                           .download = cufftxt_download,
                                           .drop = cufftxt_drop};
    const struct gf_job *job = &plan->job;
    int rc = check_job(job);
    if (!rc && !gf_plan_impl(plan, &ops, sizeof(struct impl)))
        rc = GF_ENOMEM;
    if (rc)
        return rc;
    if (!gf_dtype_is_complex(job->in_dtype)) /* reals are padded on their way to the devices */
        plan->workspace_bytes = padded_bytes(job);
    rc = make_plan(plan->context, plan);
    if (!rc)
        list_passes(plan->context, plan);
    return rc;
}

static const struct gf_on_device on_device = {.measure = cufftxt_measure};

static const struct gf_vendor cufftxt = {.api = &gf_gpu_cuda, .find = gf_cufft_version};

const struct gf_backend gf_backend_cufftxt = {
    .own = &cufftxt,
    .name = "cufftxt",
    .what = "several NVIDIA GPUs, the cuFFT library, for comparison",
    .devices = true,
    .several = true,
    .probe = cufftxt_probe,
    .list = gf_vendor_list,
    .open = cufftxt_open,
    .ops = 1u << GF_FFT,
    .plan = cufftxt_plan,
    .on_device = &on_device,
    .close = cufftxt_close,
};
