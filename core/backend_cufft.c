/* The yardstick among the GPU backends: one cuFFT plan between the generic first and last steps, or
 * straight from array to array where those are what cuFFT reads and writes. A picture's spectrum
 * as a picture gets the two kernels that anybody would write around it (kernels/plain.cl). */
#include <stdlib.h>

#include "core/cufft_library.h"
#include "core/gpu_run.h"
#include "core/status.h"
#include "core/steps.h"

/* The whole transform as cuFFT is told of it, and how often its plan runs, so many bytes further on
 * each time: its batches have one distance only. */
struct layout {
    int rank; /* 0: nothing is transformed */
    long long n[3], in_embed[3], out_embed[3];
    long long in_stride, in_dist, out_stride, out_dist, batch;
    bool dense;
    int64_t loops, in_step, out_step; /* steps in elements */
};

struct impl {
    struct gf_gpu_run run;
    int before; /* passes that come before the transform */
    const struct gf_cufft *f;
    struct layout layout;
    int type, plan;
    bool planned, direct;
    bool keeps;  /* the input is copied first, for the inverse overwrites what it reads */
    size_t word; /* bytes of a real */
    bool in_complex, out_complex;
    enum gf_gpu_place from, to;
    int64_t work_bytes;
    struct gf_gpu_buffer *work; /* cuFFT's own */
};

static int cufft_probe(char reason[GF_REASON]) {
    char device[GF_REASON] = "";
    const struct gf_cufft *f;
    int version = 0, rc = gf_gpu_cuda.probe(device);
    if (rc) {
        snprintf(reason, GF_REASON, "%s", device);
        return rc;
    }
    f = gf_cufft_find();
    if (!f) {
        snprintf(reason, GF_REASON, "%s", gf_message());
        return GF_EABSENT;
    }
    f->version(&version);
    snprintf(reason, GF_REASON, "cuFFT %d.%d.%d, %.200s", version / 1000, version % 1000 / 100,
             version % 100, device);
    return 0;
}

static int cufft_open(const struct gf_backend_options *options, void **context) {
    *context = NULL;
    return gf_cufft_find() ? gf_gpu_run_open(&gf_gpu_cuda, options, context) : GF_EABSENT;
}

static int failure(const struct gf_gpu_context *c, int code, const char *what) {
    int rc = code == GF_CUFFT_ALLOC_FAILED ? GF_ENOMEM
             : code == GF_CUFFT_INVALID_SIZE || code == GF_CUFFT_NOT_IMPLEMENTED ||
                     code == GF_CUFFT_NOT_SUPPORTED
                 ? GF_EUNSUPP
                 : GF_EBACKEND;
    return gf_fail(rc, "cuFFT, %s on '%s': %s", what, c->props.name, gf_cufft_error(code));
}

/* ---- layout ---- */

/* Planes of that many z, y, x, channels, channel by channel; see core/steps.h. */
static struct gf_gpu_space planes(enum gf_gpu_place place, const int64_t extent[4],
                                  size_t element) {
    struct gf_gpu_space s = {.place = place, .element = (int)element};
    int64_t stride = 1;
    static const int order[4] = {2, 1, 0, 3};
    for (int i = 0; i < 4; i++) {
        s.extent[order[i]] = extent[order[i]];
        s.stride[order[i]] = stride;
        stride *= extent[order[i]];
    }
    return s;
}

static int64_t space_bytes(const struct gf_gpu_space *s) {
    return s->extent[0] * s->extent[1] * s->extent[2] * s->extent[3] * s->element;
}

/* The axes that are not transformed, outermost first, joined where they follow one another in
 * memory: what is left of them is at most two, for cuFFT's batch and for the loop. */
static void set_batches(const struct gf_job *job, const struct gf_gpu_space *in,
                        const struct gf_gpu_space *out, struct layout *l) {
    static const int order[4] = {3, 0, 1, 2};
    struct {
        int64_t count, in, out;
    } batch[4] = {{1, 0, 0}, {1, 0, 0}};
    int n = 0;
    for (int i = 0; i < 4; i++) {
        int axis = order[i];
        int64_t count = in->extent[axis];
        if (count == 1 || (axis < 3 && gf_gpu_axis_on(job, axis)))
            continue;
        if (n && batch[n - 1].in == in->stride[axis] * count &&
            batch[n - 1].out == out->stride[axis] * count) {
            count *= batch[n - 1].count;
            n--;
        }
        batch[n].count = count;
        batch[n].in = in->stride[axis];
        batch[n++].out = out->stride[axis];
    }
    int most = n > 1 && batch[1].count > batch[0].count;
    l->batch = batch[most].count;
    l->in_dist = batch[most].in;
    l->out_dist = batch[most].out;
    l->loops = batch[!most].count;
    l->in_step = batch[!most].in;
    l->out_step = batch[!most].out;
}

static struct layout lay_out(const struct gf_job *job, const struct gf_gpu_space *in,
                             const struct gf_gpu_space *out) {
    struct layout l = {.dense = true};
    int64_t n[3] = {1, 1, 1}, in_points = 1, out_points = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (!gf_gpu_axis_on(job, axis))
            continue;
        n[l.rank] = job->shape[gf_gpu_job_axis(job, axis)];
        l.n[l.rank] = n[l.rank];
        l.in_embed[l.rank] = in->extent[axis];
        l.out_embed[l.rank] = out->extent[axis];
        /* The stride so far is that of the axis outside this one: how many of this one's it is. */
        if (l.rank) {
            l.in_embed[l.rank] = l.in_stride / in->stride[axis];
            l.out_embed[l.rank] = l.out_stride / out->stride[axis];
        }
        l.dense = l.dense && l.in_embed[l.rank] == in->extent[axis] &&
                  l.out_embed[l.rank] == out->extent[axis];
        l.in_stride = in->stride[axis];
        l.out_stride = out->stride[axis];
        in_points *= in->extent[axis];
        out_points *= out->extent[axis];
        l.rank++;
    }
    set_batches(job, in, out, &l);
    l.dense = l.dense && l.in_stride == 1 && l.out_stride == 1 &&
              (l.batch == 1 || (l.in_dist == in_points && l.out_dist == out_points));
    if (l.batch == 1) {
        l.in_dist = in_points;
        l.out_dist = out_points;
    }
    return l;
}

/* ---- passes ---- */

/* As FFTW's: between arrays of the right types, nothing to shift or to multiply by. */
static bool direct_job(const struct gf_job *job) {
    const struct gf_output *out = &job->out[0];
    bool wide = job->precision == GF_DOUBLE, real_in = !gf_dtype_is_complex(job->in_dtype);
    enum gf_dtype real = wide ? GF_F64 : GF_F32, complex = wide ? GF_C128 : GF_C64;
    if (job->n_out != 1 || job->channels != 1 || gf_job_scale(job) != 1 || out->shift ||
        job->in_shift)
        return false;
    if (job->direction == GF_INVERSE && job->real)
        return job->in_half && job->in_dtype == complex && out->kind == GF_REAL &&
               out->dtype == real;
    return job->in_dtype == (real_in ? real : complex) && out->kind == GF_COMPLEX &&
           out->dtype == complex && out->half == real_in;
}

static bool displayed(const struct gf_output *out) {
    return out->map == GF_MAP_DISPLAY && gf_dtype_is_integer(out->dtype);
}

/* A picture of samples that are never negative, to a picture of its magnitude. */
static bool plain_job(const struct gf_job *job) {
    const struct gf_output *out = &job->out[0];
    return job->direction == GF_FORWARD && job->ndim == 2 && job->channels == 1 && job->axes == 3 &&
           job->shape[0] > 1 && job->shape[1] > 1 && job->shape[0] < 1 << 28 &&
           job->shape[1] < 1 << 28 && (job->in_dtype == GF_U8 || job->in_dtype == GF_U16) &&
           !job->luma && job->n_out == 1 && displayed(out) && !out->half &&
           (out->kind == GF_MAGNITUDE || out->kind == GF_POWER) &&
           (out->dtype == GF_U8 || out->dtype == GF_U16);
}

static void set_plain(struct gf_gpu_pass *pass, const struct gf_job *job, int n,
                      const enum gf_gpu_place *buffer) {
    struct step_args *a = &pass->args.step;
    for (int i = 0; i < 2; i++) {
        a->n[i + 1] = job->shape[i];
        a->centre[i + 1] = job->out[0].shift ? job->shape[i] / 2 : 0;
    }
    pass->args_bytes = sizeof *a;
    pass->group = GROUP;
    pass->n_buffers = n;
    for (int i = 0; i < n; i++)
        pass->buffer[i] = buffer[i];
}

static int add_plain_load(struct gf_gpu_plan *p, const struct gf_gpu_space *work) {
    const struct gf_job *job = &p->job;
    int64_t count = job->shape[0] * job->shape[1];
    struct gf_gpu_pass *pass = gf_gpu_next_pass(p, "plain.cl", "plain_load");
    if (!pass)
        return GF_EUNSUPP;
    gf_gpu_type_options(pass, "IN", job->in_dtype);
    gf_gpu_option(pass, "-DIN_T4=%s", job->in_dtype == GF_U8 ? "uchar4" : "ushort4");
    set_plain(pass, job, 2, (enum gf_gpu_place[]){GF_GPU_IN, work->place});
    pass->groups = (count + 4 * GROUP - 1) / (4 * GROUP);
    gf_step_load_text(job, pass->summary.what, sizeof pass->summary.what);
    pass->summary.bytes_read = count * (int64_t)gf_dtype_size(job->in_dtype);
    pass->summary.bytes_written = space_bytes(work);
    return 0;
}

static int add_plain_store(struct gf_gpu_plan *p, const struct gf_gpu_space *work) {
    enum { COLUMNS = 4 * GROUP };
    const struct gf_job *job = &p->job;
    const struct gf_output *out = &job->out[0];
    struct gf_gpu_pass *pass = gf_gpu_next_pass(p, "plain.cl", "plain_store");
    if (!pass)
        return GF_EUNSUPP;
    gf_gpu_type_options(pass, "OUT", out->dtype);
    gf_gpu_option(pass, "-DKIND=%d -DSCALE=%d -DRANGED=%d -DCOARSE=%d -DPLAIN_COLUMNS=%d",
                  out->kind, out->scale, out->has_range, job->precision == GF_SINGLE, COLUMNS);
    set_plain(pass, job, 3, (enum gf_gpu_place[]){work->place, GF_GPU_OUT, GF_GPU_PARAMS});
    pass->groups = job->shape[0] * ((job->shape[1] + COLUMNS - 1) / COLUMNS);
    gf_step_store_text(job, 0, pass->summary.what, sizeof pass->summary.what);
    pass->summary.bytes_read = space_bytes(work);
    pass->summary.bytes_written =
        job->shape[0] * job->shape[1] * (int64_t)gf_dtype_size(out->dtype);
    return 0;
}

/* The search for an output's upper end, where all there is, or at the zero frequency. */
static int add_range(struct gf_gpu_plan *p, int i, const struct gf_gpu_space *work, bool real) {
    const struct gf_output *out = &p->job.out[i];
    struct gf_gpu_space where = *work;
    if (!displayed(out) || out->has_range || out->kind == GF_PHASE)
        return 0;
    for (int axis = 0; axis < 3 && !gf_step_scans(&p->job, i); axis++)
        if (gf_gpu_axis_on(&p->job, axis))
            where.extent[axis] = 1;
    return gf_gpu_add_range(p, i, &where, real, -1);
}

static void count_buffers(struct gf_gpu_plan *p) {
    const struct gf_job *job = &p->job;
    int64_t shape[GF_MAX_RANK], word = job->precision == GF_DOUBLE ? 8 : 4;
    for (int i = -1; i < job->n_out; i++) {
        enum gf_dtype type = i < 0 ? job->in_dtype : job->out[i].dtype;
        int64_t bytes = (int64_t)gf_dtype_size(type);
        if (i < 0)
            gf_job_in_shape(job, shape);
        else
            gf_job_out_shape(job, i, shape);
        for (int axis = 0; axis <= job->ndim; axis++)
            bytes *= shape[axis];
        p->bytes[i < 0 ? GF_GPU_IN : GF_GPU_OUT + i] = bytes;
    }
    p->bytes[GF_GPU_PARAMS] = GF_MAX_OUTPUTS * GF_GPU_PARAMS_EACH * word;
    p->bytes[GF_GPU_COUNTERS] = GF_MAX_OUTPUTS * COUNTERS * 4;
    p->bytes[GF_GPU_FOUND] = 2 * GF_GPU_GROUPS * word;
}

/* Extents of the work buffer; of half a spectrum along the halved axis. */
static void set_extents(const struct gf_job *job, bool half, int64_t extent[4]) {
    for (int axis = 0; axis < 3; axis++) {
        int i = gf_gpu_job_axis(job, axis);
        extent[axis] = i < 0 ? 1 : job->shape[i];
        if (half && i >= 0 && i == gf_job_half_axis(job))
            extent[axis] = extent[axis] / 2 + 1;
    }
    extent[3] = job->luma ? 1 : job->channels;
}

/* Chooses between reals with half spectra and complex numbers throughout, and adds the passes. */
static int make_passes(struct impl *m, struct gf_gpu_space *in, struct gf_gpu_space *out) {
    struct gf_gpu_plan *p = m->run.plan;
    const struct gf_job *job = &p->job;
    bool real = gf_job_is_real(job), forward = job->direction == GF_FORWARD;
    int64_t before[4], after[4];
    int half = gf_job_half_axis(job), rc = 0;
    if (real && (half < 0 || job->shape[half] == 1))
        real = false;
    for (;;) {
        size_t pair = 2 * m->word;
        m->in_complex = !real || !forward;
        m->out_complex = !real || forward;
        set_extents(job, real && !forward, before);
        set_extents(job, real && forward, after);
        *in = planes(GF_GPU_A, before, m->in_complex ? pair : m->word);
        *out = planes(real ? GF_GPU_B : GF_GPU_A, after, m->out_complex ? pair : m->word);
        m->layout = lay_out(job, in, out);
        /* cuFFT wants reals to start where pairs could. */
        if (!real || m->layout.loops == 1 ||
            (m->layout.in_step % 2 == 0 && m->layout.out_step % 2 == 0))
            break;
        real = false;
    }
    bool wide = job->precision == GF_DOUBLE;
    m->type = !m->in_complex    ? (wide ? GF_CUFFT_D2Z : GF_CUFFT_R2C)
              : !m->out_complex ? (wide ? GF_CUFFT_Z2D : GF_CUFFT_C2R)
                                : (wide ? GF_CUFFT_Z2Z : GF_CUFFT_C2C);
    m->direct = m->layout.rank && real == gf_job_is_real(job) && direct_job(job);
    m->keeps = m->direct && !m->out_complex && !job->spend_input;
    count_buffers(p);
    if (m->direct) {
        in->place = m->keeps ? GF_GPU_A : GF_GPU_IN;
        out->place = GF_GPU_OUT;
    }
    m->from = in->place;
    m->to = out->place;
    if (in->place == GF_GPU_A)
        p->bytes[GF_GPU_A] = space_bytes(in);
    if (out->place == GF_GPU_B)
        p->bytes[GF_GPU_B] = space_bytes(out);
    if (m->direct)
        return 0;
    bool plain = real && plain_job(job);
    rc = plain ? add_plain_load(p, in) : gf_gpu_add_load(p, in, !m->in_complex, real && !forward);
    m->before = p->n_passes;
    if (!rc && plain)
        return add_plain_store(p, out);
    for (int i = 0; i < job->n_out && !rc; i++) {
        rc = add_range(p, i, out, !m->out_complex);
        if (!rc)
            rc = gf_gpu_add_store(p, i, out, !m->out_complex, real && forward);
    }
    return rc;
}

/* The order of the axes is cuFFT's secret; one after the other is what it amounts to, the halved
 * one first on the way forward and last on the way back. */
static void list_passes(const struct impl *m, const struct gf_gpu_space *in,
                        const struct gf_gpu_space *out, struct gf_plan *plan) {
    const struct gf_job *job = &plan->job;
    int64_t before = space_bytes(in), after = space_bytes(out);
    bool real = m->in_complex != m->out_complex;
    gf_gpu_run_list(m->run.plan, 0, m->before, plan);
    if (m->keeps) {
        struct gf_pass *p = &plan->pass[plan->n_passes++];
        snprintf(p->what, sizeof p->what, "copy: the inverse overwrites the spectrum it reads");
        p->bytes_read = p->bytes_written = before;
    }
    for (int i = 0; i < 3; i++) {
        int axis = m->in_complex && !m->out_complex ? i : 2 - i;
        if (!gf_gpu_axis_on(job, axis))
            continue;
        int at = gf_gpu_job_axis(job, axis);
        bool halves = real && at == gf_job_half_axis(job);
        struct gf_pass *p = &plan->pass[plan->n_passes++];
        snprintf(p->what, sizeof p->what, "cufft: %c, %lld points, %s", "zyx"[axis],
                 (long long)job -> shape[at],
                 !halves          ? "complex"
                 : m->out_complex ? "real -> half spectrum"
                                  : "half spectrum -> real");
        p->bytes_read = !m->out_complex || halves ? before : after;
        p->bytes_written = !m->in_complex || halves ? after : before;
    }
    gf_gpu_run_list(m->run.plan, m->before, m->run.plan->n_passes, plan);
}

/* ---- plan ---- */

/* cuFFT works in the context that is the calling thread's, which stream() sees to. */
static int make_plan(const struct gf_gpu_context *c, struct impl *m) {
    struct layout *l = &m->layout;
    void *stream = c->api->stream(c->gpu);
    size_t work = 0;
    if (!stream)
        return GF_EBACKEND;
    if (!l->rank)
        return 0;
    int code = m->f->create(&m->plan);
    m->planned = !code;
    if (!code)
        code = m->f->auto_allocate(m->plan, 0);
    if (!code)
        code = m->f->make(m->plan, l->rank, l->n, l->dense ? NULL : l->in_embed, l->in_stride,
                          l->in_dist, l->dense ? NULL : l->out_embed, l->out_stride, l->out_dist,
                          m->type, l->batch, &work);
    if (!code)
        code = m->f->set_stream(m->plan, stream);
    m->work_bytes = (int64_t)work;
    return code ? failure(c, code, "planning") : 0;
}

static void cufft_unplan(void *context, struct gf_plan *plan) {
    struct gf_gpu_context *c = context;
    struct impl *m = plan ? plan->impl : NULL;
    if (m) {
        if (m->planned && c->api->stream(c->gpu))
            m->f->destroy(m->plan);
        if (m->work)
            c->api->free(c->gpu, m->work);
        gf_gpu_run_drop(c, &m->run);
    }
    free(m);
    free(plan);
}

static int cufft_plan(void *context, const struct gf_job *job, struct gf_plan **out) {
    struct gf_gpu_context *c = context;
    struct gf_gpu_space before, after;
    *out = NULL;
    int rc = gf_job_validate(job);
    if (!rc)
        rc = gf_job_fourier_only(job);
    if (rc)
        return rc;
    struct gf_plan *plan = calloc(1, sizeof *plan);
    struct impl *m = calloc(1, sizeof *m);
    struct gf_gpu_plan *p = calloc(1, sizeof *p);
    if (!plan || !m || !p) {
        free(p);
        free(m);
        free(plan);
        return gf_fail(GF_ENOMEM, "no memory for a plan");
    }
    plan->impl = m;
    plan->job = p->job = *job;
    p->props = c->props;
    m->run.plan = p;
    m->word = job->precision == GF_DOUBLE ? 8 : 4;
    m->f = gf_cufft_find();
    rc = m->f ? make_passes(m, &before, &after) : GF_EABSENT;
    if (!rc)
        rc = make_plan(c, m);
    if (!rc)
        rc = gf_gpu_run_prepare(c, &m->run, m->work_bytes);
    if (rc) {
        cufft_unplan(context, plan);
        return rc;
    }
    list_passes(m, &before, &after, plan);
    gf_gpu_run_tell(&m->run, plan);
    *out = plan;
    return 0;
}

/* ---- run ---- */

static int cufft_upload(void *context, struct gf_plan *plan, const struct gf_array *in) {
    struct gf_gpu_context *c = context;
    struct impl *m = plan->impl;
    int rc = gf_gpu_run_upload(c, &m->run, in);
    if (rc || !m->planned || m->work)
        return rc;
    rc = c->api->alloc(c->gpu, m->work_bytes, &m->work);
    if (rc)
        return rc;
    rc = GF_EBACKEND;
    if (c->api->stream(c->gpu)) {
        int code = m->f->set_work(m->plan, c->api->native(m->work));
        rc = code ? failure(c, code, "giving it memory") : 0;
    }
    if (rc) {
        c->api->free(c->gpu, m->work);
        m->work = NULL;
    }
    return rc;
}

static int transform(const struct gf_gpu_context *c, const struct impl *m) {
    const struct layout *l = &m->layout;
    const struct gf_cufft *f = m->f;
    int direction = m->run.plan->job.direction == GF_FORWARD ? GF_CUFFT_FORWARD : GF_CUFFT_INVERSE;
    int64_t in_step = l->in_step * (int64_t)m->word * (m->in_complex ? 2 : 1);
    int64_t out_step = l->out_step * (int64_t)m->word * (m->out_complex ? 2 : 1);
    char *in = c->api->native(m->run.buffer[m->from]), *out = c->api->native(m->run.buffer[m->to]);
    int code = 0;
    if (!c->api->stream(c->gpu))
        return GF_EBACKEND;
    for (int64_t i = 0; i < l->loops && !code; i++, in += in_step, out += out_step)
        switch (m->type) {
        case GF_CUFFT_C2C:
            code = f->c2c(m->plan, in, out, direction);
            break;
        case GF_CUFFT_Z2Z:
            code = f->z2z(m->plan, in, out, direction);
            break;
        case GF_CUFFT_R2C:
            code = f->r2c(m->plan, in, out);
            break;
        case GF_CUFFT_D2Z:
            code = f->d2z(m->plan, in, out);
            break;
        case GF_CUFFT_C2R:
            code = f->c2r(m->plan, in, out);
            break;
        default:
            code = f->z2d(m->plan, in, out);
        }
    return code ? failure(c, code, "a transform") : 0;
}

static int run_once(const struct gf_gpu_context *c, const struct impl *m) {
    const struct gf_gpu_run *r = &m->run;
    int rc = gf_gpu_run_launch(c, r, 0, m->before);
    if (!rc && m->keeps)
        rc = c->api->copy(c->gpu, r->buffer[m->from], 0, r->buffer[GF_GPU_IN], 0,
                          r->plan->bytes[GF_GPU_IN]);
    if (!rc && m->planned)
        rc = transform(c, m);
    return rc ? rc : gf_gpu_run_launch(c, r, m->before, r->plan->n_passes);
}

static int cufft_run(void *context, struct gf_plan *plan, int times, double *seconds) {
    int rc = gf_gpu_run_begin(context, seconds);
    for (int i = 0; i < times && !rc; i++)
        rc = run_once(context, plan->impl);
    return rc ? rc : gf_gpu_run_end(context, seconds);
}

/* Imaginary parts that only rounding made: of the bins that are their own mirror image in a real
 * input's spectrum. They are few, and nobody's business on the device. */
static void settle(const struct gf_job *job, struct gf_array *out) {
    int64_t lines = 1;
    for (int i = 0; i < job->ndim; i++)
        lines *= job->axes >> i & 1 ? 1 : job->shape[i];
    for (int64_t line = 0; line < lines; line++) {
        for (unsigned corner = 0; corner < 1u << job->ndim; corner++) {
            char *at = out->data;
            int64_t rest = line;
            bool own = !(corner & ~job->axes);
            for (int i = 0; i < job->ndim; i++) {
                bool middle = corner >> i & 1;
                int64_t k = middle ? job->shape[i] / 2 : 0;
                own = own && !(middle && job->shape[i] % 2);
                if (!(job->axes >> i & 1)) { /* a batch: every one of them */
                    k = rest % job->shape[i];
                    rest /= job->shape[i];
                }
                at += k * out->stride[i];
            }
            if (own && out->dtype == GF_C64)
                ((float *)at)[1] = 0;
            else if (own)
                ((double *)at)[1] = 0;
        }
    }
}

static int cufft_download(void *context, struct gf_plan *plan, struct gf_array *out,
                          struct gf_report *report) {
    struct impl *m = plan->impl;
    int rc = gf_gpu_run_download(context, &m->run, out, report);
    if (!rc && m->direct && !m->in_complex)
        settle(&plan->job, out);
    return rc;
}

static int cufft_exec(void *context, struct gf_plan *plan, const struct gf_array *in,
                      struct gf_array *out, struct gf_report *report) {
    int rc = gf_job_check_arrays(&plan->job, in, out);
    if (!rc)
        rc = cufft_upload(context, plan, in);
    if (!rc)
        rc = cufft_run(context, plan, 1, NULL);
    return rc ? rc : cufft_download(context, plan, out, report);
}

const struct gf_backend gf_backend_cufft = {
    .name = "cufft",
    .what = "NVIDIA GPUs, the cuFFT library, for comparison",
    .devices = true,
    .probe = cufft_probe,
    .open = cufft_open,
    .plan = cufft_plan,
    .exec = cufft_exec,
    .upload = cufft_upload,
    .run = cufft_run,
    .download = cufft_download,
    .measure = gf_gpu_run_measure,
    .lost = gf_gpu_run_lost,
    .unplan = cufft_unplan,
    .close = gf_gpu_run_close,
};
