/* FFTW as the reference backend: one FFTW plan between the generic load and store steps, or from
 * array to array if FFTW can read and write those. MKL, with FFTW's interface, is a second
 * backend. */
#include <omp.h>
#include <stdlib.h>

#include "core/cpu/code_path.h"
#include "core/vendor/fftw_library.h"
#include "core/filter/filter.h"
#include "core/filter/compose.h"
#include "core/base/host/memory.h"
#include "core/base/value/factor.h"
#include "core/base/value/status.h"

static enum gf_fftw_maker maker_of(const struct gf_backend *b) {
    return *(const enum gf_fftw_maker *)b->own;
}

static int fftw_probe(const struct gf_backend *b, const struct gf_environment *env,
                      char reason[GF_REASON]) {
    const enum gf_fftw_maker maker = maker_of(b);
    (void)env;
    const struct gf_fftw *d = gf_fftw_find(maker, GF_DOUBLE, NULL);
    const struct gf_fftw *f = gf_fftw_find(maker, GF_SINGLE, NULL), *any = f ? f : d;
    if (!any) {
        snprintf(reason, GF_REASON, "%s", gf_message());
        return GF_EABSENT;
    }
    snprintf(reason, GF_REASON, "%.60s%s%s", any->version,
             any->plan_with_nthreads ? "" : ", one thread (no libfftw3f_omp or _threads)",
             f && d ? "" : (f ? ", single precision only" : ", double precision only"));
    return 0;
}

/* ---- context and plan ---- */

struct context {
    const struct gf_environment *environment;
    const char *name; /* of the backend */
    enum gf_fftw_maker maker;
    int threads;
    unsigned flags;
    const char *mode;
    double plan_seconds;
};

struct impl {
    const struct gf_fftw *f;
    void *plan;
    void *back;                   /* a filter's, from after to before */
    struct gf_work before, after; /* without data */
    struct gf_array table;        /* a filter's */
    double zero;
    bool in_place, executes_r2c, executes_c2r;
    bool direct; /* can run from array to array; buffers serve arrays with other strides */
};

/* The memory for one run at a time. */
struct memory {
    void *buffer[2]; /* allocated at the first run; the second only when not in place */
};

static int fftw_open(const struct gf_backend *b, const struct gf_backend_options *options,
                     void **context) {
    static const struct {
        const char *name;
        unsigned flags;
    } modes[] = {
        {"estimate", GF_FFTW_ESTIMATE}, {"measure", GF_FFTW_MEASURE}, {"patient", GF_FFTW_PATIENT}};
    const char *name = options && options->fftw_plan ? options->fftw_plan : "estimate";
    const enum gf_fftw_maker maker = maker_of(b);
    const char *path = options && maker == GF_FFTW_MKL ? options->library : NULL;
    int threads = options ? options->threads : 0;
    *context = NULL;
    size_t i = 0;
    while (i < 3 && strcmp(name, modes[i].name))
        i++;
    if (i == 3)
        return gf_fail(GF_EUSAGE,
                       "there is no FFTW planning mode '%s'; there are estimate, measure, patient",
                       name);
    bool is_double = gf_fftw_find(maker, GF_DOUBLE, path) != NULL;
    if (!gf_fftw_find(maker, GF_SINGLE, path) && !is_double)
        return GF_EABSENT;
    struct context *c = malloc(sizeof *c);
    if (!c)
        return gf_fail(GF_ENOMEM, "no memory for the FFTW backend");
    *c = (struct context){.environment = options ? options->environment : NULL,
                          .name = b->name,
                          .maker = maker,
                          .threads = threads > 0 ? threads : omp_get_max_threads(),
                          .flags = modes[i].flags,
                          .mode = modes[i].name,
                          .plan_seconds = options ? options->plan_seconds : 0};
    *context = c;
    return 0;
}

static void fftw_code_path(void *context, char text[GF_CODE_PATH]) {
    const struct context *c = context;
    const struct gf_fftw *f = gf_fftw_find(c->maker, GF_SINGLE, NULL);
    gf_fftw_code_path(f ? f : gf_fftw_find(c->maker, GF_DOUBLE, NULL), text);
    gf_code_path_note(text);
}

/* Puts transformed axes into dims, the halved one last as FFTW requires; other axes and channels
 * into batch. */
static void describe(const struct gf_job *job, const struct gf_work *in, const struct gf_work *out,
                     struct gf_fftw_dim *dims, int *rank, struct gf_fftw_dim *batch,
                     int *batch_rank) {
    ptrdiff_t is[3], os[3];
    is[2] = os[2] = 1;
    is[1] = in->pitch;
    os[1] = out->pitch;
    is[0] = in->pitch * in->extent[1];
    os[0] = out->pitch * out->extent[1];
    *rank = *batch_rank = 0;
    for (int i = 0; i < job->ndim; i++) {
        int a = gf_work_axis(job, i);
        struct gf_fftw_dim d = {job->shape[i], is[a], os[a]};
        if (job->axes >> i & 1)
            dims[(*rank)++] = d;
        else
            batch[(*batch_rank)++] = d;
    }
    if (in->channels > 1)
        batch[(*batch_rank)++] =
            (struct gf_fftw_dim){in->channels, is[0] * in->extent[0], os[0] * out->extent[0]};
}

static int take_buffers(const struct impl *m, void *buffer[2]) {
    int64_t a = gf_work_bytes(&m->before), b = gf_work_bytes(&m->after);
    if (m->in_place && b > a)
        a = b;
    if (!buffer[0])
        buffer[0] = gf_alloc((size_t)a);
    if (!buffer[1] && !m->in_place)
        buffer[1] = gf_alloc((size_t)b);
    if (!buffer[0] || (!buffer[1] && !m->in_place))
        return gf_fail(GF_ENOMEM, "no memory for a work buffer of %lld MiB",
                       (long long)((a + (m->in_place ? 0 : b)) >> 20));
    return 0;
}

/* True if FFTW alone does the job on arrays with the right strides. Its c2r overwrites its
 * input. */
static bool is_direct(const struct gf_job *job) {
    bool overwrites = job->direction == GF_INVERSE && job->real;
    return gf_job_is_bare(job) && (job->spend_input || !overwrites);
}

static bool straight(const struct gf_array *a) {
    return gf_array_is_contiguous(a) && (uintptr_t)a->data % 64 == 0;
}

static bool all_axes(const struct gf_job *job) {
    return job->axes == (1u << job->ndim) - 1;
}

/* Clears imaginary parts due to rounding. A transform along one of several axes has none, as it
 * sums only reals. */
static void settle(const struct gf_job *job, struct gf_array *out, int threads) {
    if (job->axes & (job->axes - 1) || all_axes(job))
        gf_rounding_drop(job, 0, out, threads);
}

/* Reals and half spectra share memory if the halved axis is the rows': a row of n reals then has
 * room for n/2 + 1 pairs. */
static void lay_out(const struct gf_job *job, struct impl *m) {
    gf_work_before(job, &m->before);
    gf_work_after(job, &m->after);
    m->executes_r2c = !m->before.complex;
    m->executes_c2r = !m->after.complex;
    m->direct = is_direct(job);
    m->in_place =
        m->direct ? false : !gf_job_is_real(job) || gf_job_half_axis(job) == job->ndim - 1;
    if (m->in_place && m->executes_r2c)
        m->before.pitch = 2 * m->after.pitch;
    if (m->in_place && m->executes_c2r)
        m->after.pitch = 2 * m->before.pitch;
}

static void make_fftw_plans(const struct context *c, const struct gf_job *job, struct impl *m,
                            void *const buffer[2]) {
    static _Alignas(64) char stand_in[2][64];
    struct gf_fftw_dim dims[3], batch[3];
    int rank, batch_rank;
    const struct gf_fftw *f = m->f;
    bool keep = m->direct && !job->spend_input;
    unsigned flags = c->flags | (keep          ? GF_FFTW_PRESERVE_INPUT
                                 : m->in_place ? 0
                                               : GF_FFTW_DESTROY_INPUT);
    /* An estimate only checks the memory's alignment. */
    void *in = buffer[0] ? buffer[0] : stand_in[0];
    void *out = buffer[1] ? buffer[1] : stand_in[1];
    if (m->in_place)
        out = in;
    describe(job, &m->before, &m->after, dims, &rank, batch, &batch_rank);
    gf_fftw_plan_begin(c->environment, f, c->threads, c->flags, c->plan_seconds);
    if (m->executes_r2c)
        m->plan = f->plan_r2c(rank, dims, batch_rank, batch, in, out, flags);
    else if (m->executes_c2r)
        m->plan = f->plan_c2r(rank, dims, batch_rank, batch, in, out, flags);
    else
        m->plan =
            f->plan_dft(rank, dims, batch_rank, batch, in, out,
                        job->direction == GF_FORWARD ? GF_FFTW_FORWARD : GF_FFTW_INVERSE, flags);
    if (m->table.data) {
        describe(job, &m->after, &m->before, dims, &rank, batch, &batch_rank);
        m->back = f->plan_c2r(rank, dims, batch_rank, batch, out, in, flags);
    }
    gf_fftw_plan_end(c->environment, f, c->flags);
}

/* FFTW does not document its order of axes: they are listed one after the other. */
static void list_passes(const struct context *c, const struct impl *m, struct gf_plan *plan) {
    const struct gf_job *job = &plan->job;
    int64_t before = gf_work_bytes(&m->before), after = gf_work_bytes(&m->after);
    char who[64];
    snprintf(who, sizeof who, "%s (%s)", c->name, c->mode);
    if (m->direct) {
        gf_pass_list(plan, before, after, "%s: %s, %s", who,
                     all_axes(job) ? "all axes" : "the axes in one",
                     m->executes_r2c   ? "real -> half spectrum"
                     : m->executes_c2r ? "half spectrum -> real"
                                       : "complex");
        return;
    }
    gf_pass_list_load(plan, before);
    gf_pass_list_axes(plan, who, m->executes_r2c, m->executes_c2r, before, after);
    if (m->table.data) {
        gf_pass_list(plan, after + gf_array_bytes(&m->table), after,
                     "half spectrum times the filter's table");
        gf_pass_list_axes(plan, who, false, true, after, before);
    }
    gf_pass_list_store(plan, m->table.data ? before : after); /* a filter's outputs are of reals */
    plan->workspace_bytes = m->in_place ? (before > after ? before : after) : before + after;
    if (m->table.base) /* else it is the filter's */
        plan->workspace_bytes += gf_array_bytes(&m->table);
}

/* FFTW ends the process if it finds no memory. It takes most for a large prime factor, whose convolution
 * has twice as many points: three arrays of them. */
static int check_lengths(const struct gf_job *job) {
    const int64_t number = (int64_t)gf_dtype_size(gf_job_number(job)), small = 64 << 20,
                  most = INT64_C(1) << 50;
    int64_t bytes = 0;
    for (int i = 0; i < job->ndim; i++)
        if (job->axes >> i & 1)
            bytes = gf_max(bytes, 6 * number * gf_min(gf_factor_radices(job->shape[i]).rest, most));
    return bytes > small ? gf_memory_check(bytes, 0) : 0;
}

static int plan_transform(const struct context *c, struct impl *m, struct gf_plan *plan) {
    const struct gf_job *job = &plan->job;
    void *buffer[2] = {NULL, NULL};
    const int short_of = check_lengths(job);
    if (short_of)
        return short_of;
    lay_out(job, m);
    if (job->op == GF_FILTER) {
        int rc = gf_filter_tabulate(job, c->threads, &m->table);
        if (rc)
            return rc;
        m->zero = gf_filter_zero(job);
    }
    /* Measuring overwrites buffers with trial data. */
    const int rc = c->flags & GF_FFTW_ESTIMATE ? 0 : take_buffers(m, buffer);
    if (!rc)
        make_fftw_plans(c, job, m, buffer);
    gf_free(buffer[0]);
    gf_free(buffer[1]);
    if (rc)
        return rc;
    if (!m->plan || (m->table.data && !m->back))
        return gf_fail(all_axes(job) ? GF_EBACKEND : GF_EUNSUPP, "%s has no plan for %s", c->name,
                       all_axes(job) ? "this transform" : "these axes of this shape");
    list_passes(c, m, plan);
    return 0;
}

/* ---- run ---- */

/* Runs the transform, or a filter's two with the multiplication between them. */
static void transform(const struct context *c, const struct gf_job *job, const struct impl *m,
                      const struct gf_work *before, const struct gf_work *after) {
    if (m->f->set_threads)
        m->f->set_threads(c->threads);
    if (m->executes_r2c)
        m->f->run_r2c(m->plan, before->data, after->data);
    else if (m->executes_c2r)
        m->f->run_c2r(m->plan, before->data, after->data);
    else
        m->f->run_dft(m->plan, before->data, after->data);
    if (!m->back)
        return;
    gf_filter_multiply(job, &m->table, m->zero, after, c->threads);
    m->f->run_c2r(m->back, after->data, before->data);
}

/* Direct plans do not run in place: copies an input that shares the output's memory. */
static int move_aside(const struct gf_array *in, void **buffer) {
    const size_t bytes = (size_t)gf_array_bytes(in);
    if (!*buffer && !(*buffer = gf_alloc(bytes)))
        return gf_fail(GF_ENOMEM, "no memory for a work buffer of %zu MiB", bytes >> 20);
    memcpy(*buffer, in->data, bytes);
    return 0;
}

static int fftw_exec(struct gf_bound *b, struct gf_report *report) {
    const struct context *c = b->plan->context;
    const struct gf_job *job = &b->plan->job;
    const struct impl *m = b->plan->impl;
    void **buffer = ((struct memory *)b->impl)->buffer;
    struct gf_work before = m->before, after = m->after;
    bool direct = m->direct && straight(&b->in) && straight(b->out);
    bool aside = direct && b->in.data == b->out->data;
    int rc = !direct ? take_buffers(m, buffer) : aside ? move_aside(&b->in, buffer) : 0;
    if (rc)
        return rc;
    const struct gf_range_energy energy = gf_range_energy(job, &b->in);
    before.data = direct && !aside ? b->in.data : buffer[0];
    after.data = direct ? b->out->data : buffer[m->in_place ? 0 : 1];
    if (!direct)
        gf_work_load(job, &b->in, &before, c->threads, report);
    transform(c, job, m, &before, &after);
    if (direct && m->executes_r2c)
        settle(job, b->out, c->threads);
    struct gf_job first, last = *job; /* a filter's last step is an inverse's */
    if (m->back)
        gf_filter_split(job, &first, &last);
    return direct ? 0
                  : gf_work_store(&last, m->back ? &before : &after, &energy, b->out, c->threads,
                                  report);
}

static void fftw_unbind(struct gf_bound *b) {
    struct memory *r = b->impl;
    gf_free(r->buffer[0]);
    gf_free(r->buffer[1]);
    free(r);
}

static void fftw_drop(struct gf_plan *plan) {
    struct impl *m = plan->impl;
    gf_fftw_destroy(m->f, m->plan);
    gf_fftw_destroy(m->f, m->back);
    gf_array_free(&m->table);
    free(m);
}

static int fftw_plan(struct gf_plan *plan) {
    static const struct gf_plan_ops ops = {.exec = fftw_exec,
                                           .bound_bytes = sizeof(struct memory),
                                           .unbind = fftw_unbind,
                                           .drop = fftw_drop};
    const struct context *c = plan->context;
    if (plan->job.op == GF_FILTER && plan->job.whole.axes)
        return gf_filter_compose_plan(plan, c->threads);
    const struct gf_fftw *f = gf_fftw_find(c->maker, plan->job.precision, NULL);
    struct impl *m = f ? gf_plan_impl(plan, &ops, sizeof *m) : NULL;
    if (!m)
        return f ? GF_ENOMEM : GF_EABSENT;
    m->f = f;
    return plan_transform(c, m, plan);
}

static const enum gf_fftw_maker own = GF_FFTW_OWN, mkl = GF_FFTW_MKL;

const struct gf_backend gf_backend_fftw = {
    .name = "fftw",
    .own = &own,
    .what = "FFTW 3, the reference",
    .probe = fftw_probe,
    .open = fftw_open,
    .ops = 1u << GF_FFT | 1u << GF_FILTER,
    .plan = fftw_plan,
    .code_path = fftw_code_path,
    .close = free,
};

const struct gf_backend gf_backend_mkl = {
    .name = "mkl",
    .own = &mkl,
    .what = "Intel MKL through its FFTW interface",
    .probe = fftw_probe,
    .open = fftw_open,
    .ops = 1u << GF_FFT | 1u << GF_FILTER,
    .plan = fftw_plan,
    .code_path = fftw_code_path,
    .close = free,
};
