/* The openmp backend: a job becomes passes over tiles of lines (kernels/cpu), each a parallel loop.
 * The first pass loads, the last one stores. */
#include <omp.h>
#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/cpu/dwt.h"
#include "core/cpu/plan.h"
#include "core/cpu/long.h"
#include "core/filter/compose.h"
#include "core/filter/filter.h"

struct context {
    int threads;
};

static int probe(const struct gf_backend *b, const struct gf_environment *env,
                 char reason[GF_REASON]) {
    const struct gf_cpu_kernels *k = gf_cpu_kernels_find(32, gf_environment_isa());
    (void)b, (void)env;
    if (!k) {
        snprintf(reason, GF_REASON, "GPUFFT_ISA=%s does not run on this CPU; unset it",
                 gf_environment_isa());
        return GF_EABSENT;
    }
    const bool plain = !strcmp(k->isa, "plain");
    snprintf(reason, GF_REASON, "%s%s kernels, %d lanes, %d threads", plain ? "" : "x86-64-",
             plain ? "portable" : k->isa, k->lanes, omp_get_max_threads());
    return 0;
}

static int open_context(const struct gf_backend *b, const struct gf_backend_options *options,
                        void **context) {
    (void)b;
    struct context *c = calloc(1, sizeof *c);
    if (!c)
        return gf_no_memory();
    c->threads = options && options->threads > 0 ? options->threads : omp_get_max_threads();
    *context = c;
    return 0;
}

static bool fuses(const struct gf_job *job, const struct gf_cpu_kernels *k) {
    return gf_cpu_filter_fuses(job) && !gf_cpu_long_job_serves(job, k);
}

static void summarise(const struct gf_cpu_plan *p, int threads, struct gf_plan *plan) {
    const struct gf_cpu_sampling *s = p->sampling;
    plan->workspace_bytes = gf_cpu_bound_bytes(p, threads) + (p->filter ? p->filter->bytes : 0) +
                            (s ? s->sample.count * (int64_t)sizeof *s->sample.weight : 0);
    for (int i = 0; i < p->n_passes; i++) {
        if (p->pass[i].is_column)
            continue;
        int o = p->pass[i].output;
        if (o >= 0 && gf_output_samples(&p->job, o))
            gf_cpu_sampling_summarise(p, &p->pass[i], &plan->pass[plan->n_passes++]);
        plan->pass[plan->n_passes++] = p->pass[i].summary;
    }
}

/* True if the first pass alone reads the input, row by row in order. */
static bool reads_rows(const struct gf_cpu_plan *p) {
    const struct gf_cpu_pass *rows = &p->pass[0];
    bool once = true;
    for (int i = 1; i < p->n_passes; i++)
        once &= !p->pass[i].from_input;
    return p->job.ndim == 2 && rows->from_input && rows->axis == 1 && rows->lane == 0 &&
           !rows->with_next && !p->work.band && rows->output < 0 && once;
}

/* Parts of a job must be packed like the whole job. */
static int check_packed(const struct gf_job *job, const struct gf_cpu_kernels *k) {
    const int last = job->ndim - 1;
    const unsigned axes = job->whole.axes ? job->whole.axes : job->axes;
    const int64_t *shape = job->whole.axes ? job->whole.shape : job->shape;
    const bool asked = job->out[0].packed || job->out[0].packed_within;
    bool good = job->n_out == 1 && last > 0 && gf_job_half_axis(job) == last &&
                shape[last] % (2 * k->lanes) == 0 && axes >> (last - 1) & 1 && shape[last - 1] > 1;
    if (job->out[0].packed_within)
        good = good && job->axes >> (last - 1) & 1;
    return good || !asked ? 0 : gf_fail(GF_EINVAL, "half spectra of such a job are not packed");
}

static enum gf_packing packs(const struct gf_job *job) {
    const struct gf_cpu_kernels *k = gf_cpu_kernels_for(job);
    return job->op == GF_FFT && k ? gf_cpu_packs(job, k) : GF_PACKS_NOTHING;
}

/* ---- plans of tiles; wavelets and long lines have others, and a filter may be two plans around a
 * product ---- */

static int threads_of(const struct gf_plan *plan) {
    return ((const struct context *)plan->context)->threads;
}

static int tiled_bind(struct gf_bound *b) {
    struct gf_cpu_bound *tiled = b->impl;
    const int rc = tiled ? 0 : gf_cpu_bound_make(b->plan->impl, threads_of(b->plan), &tiled);
    if (!rc) {
        tiled->is_bound = false;
        tiled->asks = b;
    }
    b->impl = tiled;
    return rc;
}

static void tiled_unbind(struct gf_bound *b) {
    gf_cpu_bound_free(b->impl);
}

static int tiled_run(struct gf_bound *b, struct gf_report *report) {
    return gf_cpu_run(b->impl, &(struct gf_cpu_run){&b->in, NULL, b->out, report, NULL});
}

static int run_own(struct gf_plan *plan, const struct gf_cpu_run *run) {
    const int rc = gf_plan_bind(plan, run->in, run->out, &plan->own);
    return rc ? rc : gf_cpu_run(plan->own->impl, run);
}

static int tiled_exec_fed(struct gf_plan *plan, const struct gf_array *in, struct gf_feed *feed,
                          struct gf_array *out, struct gf_report *report) {
    return run_own(plan, &(struct gf_cpu_run){in, feed, out, report, NULL});
}

static int tiled_time(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
                      double *seconds) {
    struct gf_report report;
    return run_own(plan, &(struct gf_cpu_run){in, NULL, out, &report, seconds});
}

static void tiled_drop(struct gf_plan *plan) {
    gf_cpu_plan_free(plan->impl);
}

static int plan_tiled(struct gf_plan *plan, const struct gf_cpu_kernels *k) {
    static const struct gf_plan_ops ops = {.exec = tiled_run,
                                           .bind = tiled_bind,
                                           .unbind = tiled_unbind,
                                           .exec_fed = tiled_exec_fed,
                                           .time = tiled_time,
                                           .drop = tiled_drop};
    const int threads = threads_of(plan);
    struct gf_cpu_plan *tiled;
    const int rc = gf_cpu_plan_make(&plan->job, k, threads, &tiled);
    if (rc)
        return rc;
    plan->ops = &ops;
    plan->impl = tiled;
    summarise(tiled, threads, plan);
    plan->feeds = gf_cpu_team_for(&plan->job, true, threads) > 1 && reads_rows(tiled);
    return 0;
}

static int plan_job(struct gf_plan *plan) {
    struct context *c = plan->context;
    const struct gf_job *job = &plan->job;
    const struct gf_cpu_kernels *k = gf_cpu_kernels_for(job);
    int rc = k ? check_packed(job, k) : GF_EABSENT;
    if (rc)
        return rc;
    if (job->op == GF_FILTER && !fuses(job, k))
        return gf_filter_compose_plan(plan, c->threads);
    if (job->op == GF_DWT)
        rc = gf_cpu_dwt_plan(plan, k, c->threads);
    else if (job->op == GF_FFT)
        rc = gf_cpu_long_job_plan(plan, k, c->threads);
    if (!rc && !plan->ops)
        rc = plan_tiled(plan, k);
    return rc;
}

const struct gf_backend gf_backend_openmp = {
    .name = "openmp",
    .what = "the CPU, with this program's own kernels",
    .automatic = 1,
    .per_thread = true,
    .packs = packs,
    .streamer = &gf_cpu_dwt_streamer,
    .probe = probe,
    .open = open_context,
    .plan = plan_job,
    .close = free,
};
