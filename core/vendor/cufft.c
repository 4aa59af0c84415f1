/* cuFFT as a backend, for comparison with our own kernels: one cuFFT plan between the generic load
 * and store steps, or from array to array if cuFFT can read and write those. A picture's spectrum
 * as a picture uses the two obvious kernels around it (kernels/plain.cl); a filter is two cuFFT
 * plans with a kernel between them that multiplies by a table. */
#include <omp.h>
#include <stdlib.h>

#include "core/vendor/cufft_library.h"
#include "core/vendor/cufft_plan.h"
#include "core/filter/filter.h"
#include "core/filter/compose.h"
#include "core/gpu/api/cuda/library.h"
#include "core/gpu/plan/endpoints.h"

/* A transform by cuFFT from one space to another. */
struct transform {
    struct gf_gpu_space from, to;
    bool in_complex, out_complex;
    struct gf_cufft_layout layout;
    int type, plan;
    bool planned;
};

struct impl {
    struct gf_bare bare;
    int ready;                     /* passes that the upload ends with */
    int before, between;           /* passes before the transform, and before a filter's inverse */
    struct transform transform[2]; /* the second is a filter's inverse */
    int n_transforms;
    bool direct;
    bool copies_input;     /* the inverse overwrites what it reads, so the input is copied first */
    struct gf_array table; /* a filter's, until it is on the device */
};

/* ---- passes ---- */

/* Adds the search for an output's display range: over all values, or at the zero frequency. */
static int add_range(struct gf_gpu_plan *p, int i, const struct gf_gpu_space *work, bool real) {
    const struct gf_output *out = &p->job.out[i];
    struct gf_gpu_space where = *work;
    if (gf_output_samples(&p->job, i))
        return gf_gpu_add_range_sample(p, i, work);
    if (!gf_output_is_full(out))
        return 0;
    for (int axis = 0; axis < 3 && !gf_output_scans(&p->job, i); axis++)
        if (gf_gpu_axis_on(&p->job, axis))
            where.extent[axis] = 1;
    return gf_gpu_add_range(p, i, &where, real, -1);
}

/* Between A and B in reals and half spectra, or in A in complex numbers throughout. */
static void lay_out(const struct gf_job *job, bool real, struct transform *e) {
    const bool forward = job->direction == GF_FORWARD;
    e->in_complex = !real || !forward;
    e->out_complex = !real || forward;
    e->from = gf_cufft_space(job, GF_GPU_A, e->in_complex, real && !forward);
    e->to = gf_cufft_space(job, real ? GF_GPU_B : GF_GPU_A, e->out_complex, real && forward);
    e->layout = gf_cufft_lay_out(job, &e->from, &e->to);
}

/* cuFFT needs lines of reals to start at even elements. */
static bool starts_even(const struct gf_cufft_layout *l) {
    return l->loops == 1 || (l->in_step % 2 == 0 && l->out_step % 2 == 0);
}

/* Chooses between reals with half spectra, for which it returns true, and complex numbers. */
static bool choose_transform(struct impl *m) {
    struct gf_gpu_plan *p = m->bare.run.program.plan;
    const struct gf_job *job = &p->job;
    struct transform *e = &m->transform[0];
    const int half = gf_job_half_axis(job);
    bool real = gf_job_is_real(job) && half >= 0 && job->shape[half] > 1;
    lay_out(job, real, e);
    if (real && !starts_even(&e->layout))
        lay_out(job, real = false, e);
    m->direct = e->layout.rank && real == gf_job_is_real(job) && gf_job_is_bare(job);
    m->copies_input = m->direct && !e->out_complex && !job->spend_input;
    m->n_transforms = 1;
    gf_gpu_size_buffers(p);
    if (m->direct) {
        e->from.buffer_id = m->copies_input ? GF_GPU_A : GF_GPU_IN;
        e->to.buffer_id = GF_GPU_OUT;
    }
    if (e->from.buffer_id == GF_GPU_A)
        p->bytes[GF_GPU_A] = gf_gpu_space_bytes(&e->from);
    if (e->to.buffer_id == GF_GPU_B)
        p->bytes[GF_GPU_B] = gf_gpu_space_bytes(&e->to);
    return real;
}

/* The passes around the transform; a direct inverse has one before it. */
static int make_passes(struct impl *m) {
    struct gf_gpu_plan *p = m->bare.run.program.plan;
    const struct gf_job *job = &p->job;
    const bool real = choose_transform(m), forward = job->direction == GF_FORWARD;
    const struct transform *e = &m->transform[0];
    int rc = 0;
    if (m->direct && !e->out_complex) {
        struct gf_gpu_space given = e->from;
        given.buffer_id = GF_GPU_IN;
        rc = gf_cufft_add_hermitian(p, &given);
        m->ready = m->before = p->n_passes;
    }
    if (m->direct)
        return rc;
    bool plain = real && gf_cufft_is_plain(job);
    rc = plain ? gf_cufft_add_plain_load(p, &e->from)
               : gf_gpu_add_load(p, &e->from, !e->in_complex, real && !forward);
    if (!rc && !e->out_complex)
        rc = gf_cufft_add_hermitian(p, &e->from);
    m->before = p->n_passes;
    if (!rc && plain && gf_output_samples(job, 0))
        rc = gf_gpu_add_range_sample(p, 0, &e->to);
    if (!rc && plain)
        return gf_cufft_add_plain_store(p, &e->to);
    for (int i = 0; i < job->n_out && !rc; i++) {
        rc = add_range(p, i, &e->to, !e->out_complex);
        if (!rc)
            rc = gf_gpu_add_store(p, i, &e->to, !e->out_complex, real && forward);
    }
    return rc;
}

/* ---- filters ---- */

/* True if a filter runs on the device as a whole: real lines with an axis to halve that start at
 * even elements, and no offset. */
static bool runs_on_device(const struct gf_job *job) {
    struct transform e;
    if (job->shape[gf_job_half_axis(job)] == 1 || job->filter->offset != 0)
        return false;
    lay_out(job, true, &e);
    return starts_even(&e.layout);
}

/* Forward from A to B, times the table, and back to A. */
static int make_filter(struct impl *m) {
    struct gf_gpu_plan *p = m->bare.run.program.plan;
    const struct gf_job *job = &p->job;
    struct transform *e = m->transform;
    bool plain =
        job->ndim == 2 && job->channels == 1 && (job->in_dtype == GF_U8 || job->in_dtype == GF_U16);
    lay_out(job, true, &e[0]);
    e[1] = (struct transform){.from = e[0].to,
                              .to = e[0].from,
                              .in_complex = true,
                              .layout = gf_cufft_lay_out(job, &e[0].to, &e[0].from)};
    m->n_transforms = 2;
    gf_gpu_size_buffers(p);
    p->bytes[GF_GPU_A] = gf_gpu_space_bytes(&e[0].from);
    p->bytes[GF_GPU_B] = gf_gpu_space_bytes(&e[0].to);
    int rc = plain ? gf_cufft_add_plain_load(p, &e[0].from)
                   : gf_gpu_add_load(p, &e[0].from, true, false);
    m->before = p->n_passes;
    if (!rc)
        rc = gf_cufft_add_times(p, &e[0].to, &m->table);
    m->between = p->n_passes;
    if (!rc && gf_cufft_rounds(job, &e[1].to))
        return gf_cufft_add_round(p, &e[1].to);
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = gf_gpu_add_store(p, i, &e[1].to, true, false);
    return rc;
}

/* cuFFT does not document its order of axes: they are listed one after the other. */
static void list_passes(const struct impl *m, struct gf_plan *plan) {
    int64_t before = gf_gpu_space_bytes(&m->transform[0].from),
            after = gf_gpu_space_bytes(&m->transform[0].to);
    gf_gpu_run_list(m->bare.run.program.plan, 0, m->before, plan->pass, &plan->n_passes);
    if (m->copies_input)
        gf_pass_list(plan, before, before, "copy: the inverse overwrites the spectrum it reads");
    gf_pass_list_axes(plan, "cufft", !m->transform[0].in_complex, !m->transform[0].out_complex,
                      before, after);
    if (m->n_transforms > 1) {
        gf_gpu_run_list(m->bare.run.program.plan, m->before, m->between, plan->pass,
                        &plan->n_passes);
        gf_pass_list_axes(plan, "cufft", false, true, after, before);
    }
    gf_gpu_run_list(m->bare.run.program.plan, m->between, m->bare.run.program.plan->n_passes,
                    plan->pass, &plan->n_passes);
}

/* ---- plan ---- */

/* cuFFT uses the calling thread's context, which stream() sets. */
static int make_plan(const struct gf_gpu_context *c, struct impl *m, struct transform *e) {
    struct gf_cufft_layout *l = &e->layout;
    const struct gf_cufft *f = gf_cufft_find();
    void *stream = c->api->stream(c->gpu);
    size_t work = 0;
    if (!stream)
        return GF_EBACKEND;
    if (!l->rank)
        return 0;
    e->type = gf_cufft_type(e->in_complex, e->out_complex,
                            m->bare.run.program.plan->job.precision == GF_DOUBLE);
    int code = f->create(&e->plan);
    e->planned = !code;
    code = code ? code : f->auto_allocate(e->plan, 0);
    code = code ? code
                : f->make(e->plan, l->rank, l->n, l->dense ? NULL : l->in_embed, l->in_stride,
                          l->in_dist, l->dense ? NULL : l->out_embed, l->out_stride, l->out_dist,
                          e->type, l->batch, &work);
    code = code ? code : f->set_stream(e->plan, stream);
    /* The plans run one after the other and share one work area. */
    if ((int64_t)work > m->bare.work_bytes)
        m->bare.work_bytes = (int64_t)work;
    return code ? gf_cufft_failure(code, "planning", c->props.name) : 0;
}

static int make_all(const struct gf_gpu_context *c, struct impl *m, struct gf_plan *plan) {
    const struct gf_job *job = &plan->job;
    int rc;
    if (job->op == GF_FILTER) {
        rc = gf_filter_tabulate(job, c->props.is_cpu ? 1 : omp_get_max_threads(), &m->table);
        if (!rc)
            rc = make_filter(m);
    } else {
        rc = make_passes(m);
        m->between = m->before;
    }
    for (int i = 0; i < m->n_transforms && !rc; i++)
        rc = make_plan(c, m, &m->transform[i]);
    if (!rc)
        rc = gf_gpu_program_prepare(c, &m->bare.run.program, m->bare.work_bytes);
    if (rc)
        return rc;
    list_passes(m, plan);
    gf_gpu_program_summarize(&m->bare.run.program, plan);
    return 0;
}

/* ---- run ---- */

static int cufft_upload(struct gf_plan *plan, const struct gf_array *in) {
    struct gf_gpu_context *c = plan->context;
    struct impl *m = plan->impl;
    int rc = gf_bare_upload(plan, in);
    if (!rc)
        rc = gf_gpu_run_launch(c, &m->bare.run, 0, m->ready);
    if (!rc && m->table.data) {
        rc = gf_gpu_stage_upload(c->stage, m->bare.run.buffer[GF_GPU_TABLES], &m->table);
        gf_array_free(&m->table);
    }
    if (!rc && !c->api->stream(c->gpu))
        rc = GF_EBACKEND;
    for (int i = 0; i < m->n_transforms && m->transform[i].planned && !rc; i++) {
        int code = gf_cufft_find()->set_work(m->transform[i].plan, gf_gpu_native(m->bare.work));
        rc = code ? gf_cufft_failure(code, "setting the work area", c->props.name) : 0;
    }
    return rc;
}

static int run_transform(const struct gf_gpu_context *c, const struct impl *m,
                         const struct transform *e) {
    const int direction =
        m->bare.run.program.plan->job.direction == GF_FORWARD ? GF_CUFFT_FORWARD : GF_CUFFT_INVERSE;
    const struct gf_cufft_layout *l = &e->layout;
    const int64_t in_step = l->in_step * e->from.element, out_step = l->out_step * e->to.element;
    char *in = gf_gpu_native(m->bare.run.buffer[e->from.buffer_id]),
         *out = gf_gpu_native(m->bare.run.buffer[e->to.buffer_id]);
    int code = 0;
    if (!e->planned)
        return 0;
    if (!c->api->stream(c->gpu))
        return GF_EBACKEND;
    for (int64_t i = 0; i < l->loops && !code; i++, in += in_step, out += out_step)
        code = gf_cufft_exec(e->type, e->plan, in, out, direction);
    return code ? gf_cufft_failure(code, "a transform", c->props.name) : 0;
}

static int run_once(const struct gf_gpu_context *c, const struct gf_gpu_run *r) {
    const struct impl *m = (const struct impl *)r;
    int rc = gf_gpu_run_launch(c, r, m->ready, m->before);
    if (!rc && m->copies_input)
        rc = c->api->copy(c->gpu, r->buffer[m->transform[0].from.buffer_id], 0,
                          r->buffer[GF_GPU_IN], 0, r->program.plan->bytes[GF_GPU_IN]);
    if (!rc)
        rc = run_transform(c, m, &m->transform[0]);
    if (!rc && m->n_transforms > 1) {
        rc = gf_gpu_run_launch(c, r, m->before, m->between);
        if (!rc)
            rc = run_transform(c, m, &m->transform[1]);
    }
    return rc ? rc : gf_gpu_run_launch(c, r, m->between, r->program.plan->n_passes);
}

static int cufft_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report) {
    struct impl *m = plan->impl;
    int rc = gf_gpu_run_download(plan->context, &m->bare.run, out, report);
    if (!rc && m->direct && !m->transform[0].in_complex)
        gf_rounding_drop(&plan->job, 0, out, 1); /* too few elements for a kernel */
    return rc;
}

static void drop(const struct gf_gpu_context *c, struct gf_bare *bare) {
    struct impl *m = (struct impl *)bare;
    for (int i = 0; i < 2; i++)
        if (m->transform[i].planned && c->api->stream(c->gpu))
            gf_cufft_find()->destroy(m->transform[i].plan);
    gf_array_free(&m->table);
}

static const struct gf_vendor cufft = {.api = &gf_gpu_cuda,
                                       .find = gf_cufft_version,
                                       .bytes = sizeof(struct impl),
                                       .once = run_once,
                                       .drop = drop};

static int cufft_plan(struct gf_plan *plan) {
    static const struct gf_plan_ops ops = {.upload = cufft_upload,
                                           .run = gf_gpu_whole_run,
                                           .download = cufft_download,
                                           .drop = gf_bare_drop};
    const struct gf_job *job = &plan->job;
    if (job->op == GF_FILTER && (job->whole.axes || !runs_on_device(job)))
        return gf_filter_compose_plan(plan, omp_get_max_threads());
    struct impl *m = gf_bare_impl(plan, &ops);
    return m ? make_all(plan->context, m, plan) : GF_ENOMEM;
}

const struct gf_backend gf_backend_cufft = {
    GF_VENDOR(cufft),
    .name = "cufft",
    .what = "NVIDIA GPUs, the cuFFT library, for comparison",
    .ops = 1u << GF_FFT | 1u << GF_FILTER,
    .plan = cufft_plan,
    .slow_close = gf_gpu_run_slow_close,
    .current = gf_cuda_current,
    .resume = gf_cuda_resume,
};
