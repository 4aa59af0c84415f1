/* cuFFT as a backend, for comparison with our own kernels: one cuFFT plan between the generic first
 * and last steps, or directly from array to array where cuFFT can read and write those. A picture's
 * spectrum as a picture uses the two obvious kernels around it (kernels/plain.cl); a filter is two
 * cuFFT plans with a kernel in between that multiplies by a table. */
#include <omp.h>
#include <stdlib.h>

#include "core/vendor/cufft_library.h"
#include "core/vendor/cufft_plan.h"
#include "core/filter/filter.h"
#include "core/filter/compose.h"
#include "core/gpu/plan/endpoints.h"

/* A transform by cuFFT, from one buffer to another. */
struct transform {
    struct gf_cufft_layout layout;
    int type, plan;
    bool planned;
    bool in_complex, out_complex;
    enum gf_gpu_buffer_id from, to;
};

struct impl {
    struct gf_bare bare;
    int ready;           /* number of passes that uploading ends with */
    int before, between; /* numbers of passes before the transform, and before a filter's inverse */
    struct transform transform[2]; /* the second: a filter's inverse */
    int n_transforms;
    bool direct;
    bool copies_input; /* the inverse overwrites what it reads, so that the input is copied first */
    int word;          /* bytes of a real */
    struct gf_array table; /* a filter's, until it is on the device */
};

/* ---- passes ---- */

/* The search for an output's upper end: over all values, or at the zero frequency. */
static int add_range(struct gf_gpu_plan *p, int i, const struct gf_gpu_space *work, bool real) {
    const struct gf_output *out = &p->job.out[i];
    struct gf_gpu_space where = *work;
    if (gf_output_samples(&p->job, i))
        return gf_gpu_add_range_sample(p, i, work);
    if (!gf_gpu_displayed(out) || out->range == GF_RANGE_GIVEN || out->kind == GF_PHASE)
        return 0;
    for (int axis = 0; axis < 3 && !gf_output_scans(&p->job, i); axis++)
        if (gf_gpu_axis_on(&p->job, axis))
            where.extent[axis] = 1;
    return gf_gpu_add_range(p, i, &where, real, -1);
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

/* Chooses between reals with half spectra and complex numbers throughout. Whether it is the former. */
static bool choose_transform(struct impl *m, struct gf_gpu_space *in, struct gf_gpu_space *out) {
    struct gf_gpu_plan *p = m->bare.run.plan;
    const struct gf_job *job = &p->job;
    struct transform *e = &m->transform[0];
    bool real = gf_job_is_real(job), forward = job->direction == GF_FORWARD;
    int64_t before[4], after[4];
    int half = gf_job_half_axis(job);
    if (real && (half < 0 || job->shape[half] == 1))
        real = false;
    for (;;) {
        int pair = 2 * m->word;
        e->in_complex = !real || !forward;
        e->out_complex = !real || forward;
        set_extents(job, real && !forward, before);
        set_extents(job, real && forward, after);
        *in = gf_gpu_planes(GF_GPU_A, before, e->in_complex ? pair : m->word);
        *out = gf_gpu_planes(real ? GF_GPU_B : GF_GPU_A, after, e->out_complex ? pair : m->word);
        e->layout = gf_cufft_lay_out(job, in, out);
        /* cuFFT needs lines of reals to start at even elements. */
        if (!real || e->layout.loops == 1 ||
            (e->layout.in_step % 2 == 0 && e->layout.out_step % 2 == 0))
            break;
        real = false;
    }
    m->direct = e->layout.rank && real == gf_job_is_real(job) && gf_job_is_bare(job);
    m->copies_input = m->direct && !e->out_complex && !job->spend_input;
    gf_gpu_size_buffers(p);
    if (m->direct) {
        in->buffer_id = m->copies_input ? GF_GPU_A : GF_GPU_IN;
        out->buffer_id = GF_GPU_OUT;
    }
    e->from = in->buffer_id;
    e->to = out->buffer_id;
    m->n_transforms = 1;
    if (in->buffer_id == GF_GPU_A)
        p->bytes[GF_GPU_A] = gf_gpu_space_bytes(in);
    if (out->buffer_id == GF_GPU_B)
        p->bytes[GF_GPU_B] = gf_gpu_space_bytes(out);
    return real;
}

/* Around the transform; of one from array to array, before it. */
static int make_passes(struct impl *m, struct gf_gpu_space *in, struct gf_gpu_space *out) {
    struct gf_gpu_plan *p = m->bare.run.plan;
    const struct gf_job *job = &p->job;
    const bool real = choose_transform(m, in, out), forward = job->direction == GF_FORWARD;
    const struct transform *e = &m->transform[0];
    int rc = 0;
    if (m->direct && !e->out_complex) {
        struct gf_gpu_space given = *in;
        given.buffer_id = GF_GPU_IN;
        rc = gf_cufft_add_hermitian(p, &given);
        m->ready = m->before = p->n_passes;
    }
    if (m->direct)
        return rc;
    bool plain = real && gf_cufft_is_plain(job);
    rc = plain ? gf_cufft_add_plain_load(p, in)
               : gf_gpu_add_load(p, in, !e->in_complex, real && !forward);
    if (!rc && !e->out_complex)
        rc = gf_cufft_add_hermitian(p, in);
    m->before = p->n_passes;
    if (!rc && plain && gf_output_samples(job, 0))
        rc = gf_gpu_add_range_sample(p, 0, out);
    if (!rc && plain)
        return gf_cufft_add_plain_store(p, out);
    for (int i = 0; i < job->n_out && !rc; i++) {
        rc = add_range(p, i, out, !e->out_complex);
        if (!rc)
            rc = gf_gpu_add_store(p, i, out, !e->out_complex, real && forward);
    }
    return rc;
}

/* ---- filters ---- */

static void filter_spaces(const struct gf_job *job, struct gf_gpu_space *in,
                          struct gf_gpu_space *out) {
    const int word = job->precision == GF_DOUBLE ? 8 : 4;
    int64_t before[4], after[4];
    set_extents(job, false, before);
    set_extents(job, true, after);
    *in = gf_gpu_planes(GF_GPU_A, before, word);
    *out = gf_gpu_planes(GF_GPU_B, after, 2 * word);
}

/* Whether a filter runs on the device as a whole: real lines with an axis to halve, which start at
 * even elements, as cuFFT needs them, and no offset. */
static bool runs_on_device(const struct gf_job *job) {
    struct gf_gpu_space in, out;
    int half = gf_job_half_axis(job);
    if (job->shape[half] == 1 || job->filter->offset != 0)
        return false;
    filter_spaces(job, &in, &out);
    struct gf_cufft_layout l = gf_cufft_lay_out(job, &in, &out);
    return l.loops == 1 || (l.in_step % 2 == 0 && l.out_step % 2 == 0);
}

/* Forward from A to B, times the table, and back to A. */
static int make_filter(struct impl *m, struct gf_gpu_space *in, struct gf_gpu_space *out) {
    struct gf_gpu_plan *p = m->bare.run.plan;
    const struct gf_job *job = &p->job;
    bool plain =
        job->ndim == 2 && job->channels == 1 && (job->in_dtype == GF_U8 || job->in_dtype == GF_U16);
    filter_spaces(job, in, out);
    m->transform[0] = (struct transform){.layout = gf_cufft_lay_out(job, in, out),
                                         .out_complex = true,
                                         .from = GF_GPU_A,
                                         .to = GF_GPU_B};
    m->transform[1] = (struct transform){.layout = gf_cufft_lay_out(job, out, in),
                                         .in_complex = true,
                                         .from = GF_GPU_B,
                                         .to = GF_GPU_A};
    m->n_transforms = 2;
    gf_gpu_size_buffers(p);
    p->bytes[GF_GPU_A] = gf_gpu_space_bytes(in);
    p->bytes[GF_GPU_B] = gf_gpu_space_bytes(out);
    int rc = plain ? gf_cufft_add_plain_load(p, in) : gf_gpu_add_load(p, in, true, false);
    m->before = p->n_passes;
    if (!rc)
        rc = gf_cufft_add_times(p, out, &m->table);
    m->between = p->n_passes;
    if (!rc && gf_cufft_rounds(job, in))
        return gf_cufft_add_round(p, in);
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = gf_gpu_add_store(p, i, in, true, false);
    return rc;
}

/* cuFFT does not document its order of axes; it is listed as one axis after the other. */
static void list_passes(const struct impl *m, const struct gf_gpu_space *in,
                        const struct gf_gpu_space *out, struct gf_plan *plan) {
    int64_t before = gf_gpu_space_bytes(in), after = gf_gpu_space_bytes(out);
    gf_gpu_run_list(m->bare.run.plan, 0, m->before, plan);
    if (m->copies_input) {
        struct gf_pass_info *p = &plan->pass[plan->n_passes++];
        snprintf(p->what, sizeof p->what, "copy: the inverse overwrites the spectrum it reads");
        p->bytes_read = p->bytes_written = before;
    }
    gf_pass_list_axes(plan, "cufft", !m->transform[0].in_complex, !m->transform[0].out_complex,
                      before, after);
    if (m->n_transforms > 1) {
        gf_gpu_run_list(m->bare.run.plan, m->before, m->between, plan);
        gf_pass_list_axes(plan, "cufft", false, true, after, before);
    }
    gf_gpu_run_list(m->bare.run.plan, m->between, m->bare.run.plan->n_passes, plan);
}

/* ---- plan ---- */

/* cuFFT works in the calling thread's current context, which stream() sets. */
static int make_plan(const struct gf_gpu_context *c, struct impl *m, struct transform *e) {
    struct gf_cufft_layout *l = &e->layout;
    const struct gf_cufft *f = gf_cufft_find();
    void *stream = c->api->stream(c->gpu);
    size_t work = 0;
    if (!stream)
        return GF_EBACKEND;
    if (!l->rank)
        return 0;
    e->type = gf_cufft_type(e->in_complex, e->out_complex, m->word == 8);
    int code = f->create(&e->plan);
    e->planned = !code;
    code = code ? code : f->auto_allocate(e->plan, 0);
    code = code ? code
                : f->make(e->plan, l->rank, l->n, l->dense ? NULL : l->in_embed, l->in_stride,
                          l->in_dist, l->dense ? NULL : l->out_embed, l->out_stride, l->out_dist,
                          e->type, l->batch, &work);
    code = code ? code : f->set_stream(e->plan, stream);
    if ((int64_t)work >
        m->bare.work_bytes) /* the plans share one work area: they run one after the other */
        m->bare.work_bytes = (int64_t)work;
    return code ? gf_cufft_failure(code, "planning", c->props.name) : 0;
}

static int make_all(const struct gf_gpu_context *c, struct impl *m, struct gf_plan *plan) {
    const struct gf_job *job = &plan->job;
    struct gf_gpu_space before, after;
    int rc;
    if (job->op == GF_FILTER) {
        rc = gf_filter_tabulate(job, c->props.is_cpu ? 1 : omp_get_max_threads(), &m->table);
        if (!rc)
            rc = make_filter(m, &before, &after);
    } else {
        rc = make_passes(m, &before, &after);
        m->between = m->before;
    }
    for (int i = 0; i < m->n_transforms && !rc; i++)
        rc = make_plan(c, m, &m->transform[i]);
    if (!rc)
        rc = gf_gpu_run_prepare(c, &m->bare.run, m->bare.work_bytes);
    if (rc)
        return rc;
    list_passes(m, &before, &after, plan);
    gf_gpu_run_summarize(&m->bare.run, plan);
    return 0;
}

/* ---- run ---- */

static int take_work(const struct gf_gpu_context *c, struct impl *m) {
    int rc = c->api->alloc(c->gpu, m->bare.work_bytes, &m->bare.work);
    if (rc)
        return rc;
    rc = c->api->stream(c->gpu) ? 0 : GF_EBACKEND;
    for (int i = 0; i < m->n_transforms && !rc; i++) {
        int code = gf_cufft_find()->set_work(m->transform[i].plan, gf_gpu_native(m->bare.work));
        rc = code ? gf_cufft_failure(code, "setting the work area", c->props.name) : 0;
    }
    if (rc) {
        c->api->free(c->gpu, m->bare.work);
        m->bare.work = NULL;
    }
    return rc;
}

static int cufft_upload(struct gf_plan *plan, const struct gf_array *in) {
    struct gf_gpu_context *c = plan->context;
    struct impl *m = plan->impl;
    int rc = gf_gpu_run_upload(c, &m->bare.run, in);
    if (!rc)
        rc = gf_gpu_run_launch(c, &m->bare.run, 0, m->ready);
    if (!rc && m->table.data) {
        rc = gf_gpu_stage_upload(c->stage, m->bare.run.buffer[GF_GPU_TABLES], &m->table);
        gf_array_free(&m->table);
    }
    if (rc || !m->transform[0].planned || m->bare.work)
        return rc;
    return take_work(c, m);
}

static int run_transform(const struct gf_gpu_context *c, const struct impl *m,
                         const struct transform *e) {
    const int direction =
        m->bare.run.plan->job.direction == GF_FORWARD ? GF_CUFFT_FORWARD : GF_CUFFT_INVERSE;
    const struct gf_cufft_layout *l = &e->layout;
    int64_t in_step = l->in_step * m->word * (e->in_complex ? 2 : 1);
    int64_t out_step = l->out_step * m->word * (e->out_complex ? 2 : 1);
    char *in = gf_gpu_native(m->bare.run.buffer[e->from]),
         *out = gf_gpu_native(m->bare.run.buffer[e->to]);
    int code = 0;
    if (!e->planned)
        return 0;
    if (!c->api->stream(c->gpu))
        return GF_EBACKEND;
    for (int64_t i = 0; i < l->loops && !code; i++, in += in_step, out += out_step)
        code = gf_cufft_exec(e->type, e->plan, in, out, direction);
    return code ? gf_cufft_failure(code, "a transform", c->props.name) : 0;
}

static int run_once(const struct gf_gpu_context *c, struct gf_gpu_run *r) {
    const struct impl *m = (const struct impl *)r;
    int rc = gf_gpu_run_launch(c, r, m->ready, m->before);
    if (!rc && m->copies_input)
        rc = c->api->copy(c->gpu, r->buffer[m->transform[0].from], 0, r->buffer[GF_GPU_IN], 0,
                          r->plan->bytes[GF_GPU_IN]);
    if (!rc)
        rc = run_transform(c, m, &m->transform[0]);
    if (!rc && m->n_transforms > 1) {
        rc = gf_gpu_run_launch(c, r, m->before, m->between);
        if (!rc)
            rc = run_transform(c, m, &m->transform[1]);
    }
    return rc ? rc : gf_gpu_run_launch(c, r, m->between, r->plan->n_passes);
}

static int cufft_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report) {
    struct impl *m = plan->impl;
    int rc = gf_gpu_run_download(plan->context, &m->bare.run, out, report);
    if (!rc && m->direct && !m->transform[0].in_complex)
        gf_rounding_drop(&plan->job, 0, out, 1); /* a few elements: not worth a kernel */
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

static int cufft_plan(void *context, const struct gf_job *job, struct gf_plan **out) {
    static const struct gf_plan_ops ops = {.exec = gf_plan_exec_parts,
                                           .upload = cufft_upload,
                                           .run = gf_gpu_whole_run,
                                           .download = cufft_download,
                                           .drop = gf_bare_drop};
    struct gf_gpu_context *c = context;
    *out = NULL;
    int rc = gf_job_check_ops(job, 1u << GF_FFT | 1u << GF_FILTER);
    if (!rc && job->op == GF_FILTER && (job->whole.axes || !runs_on_device(job)))
        return gf_filter_compose_plan(&gf_backend_cufft, c, job, omp_get_max_threads(), out);
    if (rc)
        return rc;
    struct gf_plan *plan = gf_bare_new(c, job, &ops, &cufft);
    if (!plan)
        return GF_ENOMEM;
    struct impl *m = plan->impl;
    m->word = job->precision == GF_DOUBLE ? 8 : 4;
    return gf_plan_finish(plan, make_all(c, m, plan), out);
}

const struct gf_backend gf_backend_cufft = {
    GF_VENDOR(cufft),
    .name = "cufft",
    .what = "NVIDIA GPUs, the cuFFT library, for comparison",
    .plan = cufft_plan,
    .slow_close = gf_gpu_run_slow_close,
};
