/* The processor's own transforms: a job becomes passes over tiles of lines (kernels/cpu), and every
 * pass is one parallel loop. The load step rides on the first pass, the store step on the last. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/backend.h"
#include "core/cpu/dwt.h"
#include "core/cpu/dwt_stream.h"
#include "core/cpu/filter.h"
#include "core/cpu/long.h"
#include "core/cpu/plan.h"
#include "core/filter/compose.h"
#include "core/base/process.h"
#include "core/base/status.h"

struct context {
    int threads;
};

/* A plan is of one of these kinds. */
struct planned {
    struct gf_cpu_dwt *wavelet;
    struct gf_cpu_plan *passes;
    struct gf_cpu_long_job *line;
    struct gf_filter_compose *filter; /* of two plans of the other kinds */
};

static const char *isa_asked(void) {
    return gf_process()->isa;
}

static int probe(char reason[GF_REASON]) {
    const struct gf_cpu_kernels *k = gf_cpu_kernels_find(32, isa_asked());
    if (!k) {
        snprintf(reason, GF_REASON, "GPUFFT_ISA=%s does not run on this processor; unset it",
                 isa_asked());
        return GF_EABSENT;
    }
    snprintf(reason, GF_REASON, "x86-64-%s kernels, %d lanes, %d threads", k->isa, k->lanes,
             omp_get_max_threads());
    if (!strcmp(k->isa, "plain"))
        snprintf(reason, GF_REASON, "portable kernels, %d lanes, %d threads", k->lanes,
                 omp_get_max_threads());
    return 0;
}

static int open_context(const struct gf_backend_options *options, void **context) {
    struct context *c = calloc(1, sizeof *c);
    if (!c)
        return gf_fail(GF_ENOMEM, "no memory");
    c->threads = options && options->threads > 0 ? options->threads : omp_get_max_threads();
    *context = c;
    return 0;
}

static void close_context(void *context) {
    free(context);
}

static void unplan(void *context, struct gf_plan *plan) {
    (void)context;
    if (!plan)
        return;
    struct planned *p = plan->impl;
    if (p) {
        gf_cpu_plan_free(p->passes);
        gf_cpu_long_job_free(p->line);
        gf_cpu_dwt_free(p->wavelet);
        gf_filter_compose_free(p->filter);
    }
    free(p);
    free(plan);
}

/* Long lines have no passes to put a filter into. */
static bool fuses(const struct gf_job *job, const struct gf_cpu_kernels *k) {
    return gf_cpu_filter_fuses(job) && !gf_cpu_long_job_serves(job, k);
}

static int plan_job(void *context, const struct gf_job *job, struct gf_plan **out) {
    struct context *c = context;
    int rc = gf_job_validate(job);
    if (rc)
        return rc;
    const struct gf_cpu_kernels *k =
        gf_cpu_kernels_find(job->precision == GF_DOUBLE ? 64 : 32, isa_asked());
    if (!k)
        return gf_fail(GF_EABSENT, "GPUFFT_ISA=%s does not run on this processor", isa_asked());
    struct gf_plan *plan = calloc(1, sizeof *plan);
    struct planned *p = calloc(1, sizeof *p);
    if (!plan || !p) {
        free(plan);
        free(p);
        return gf_fail(GF_ENOMEM, "no memory for the plan");
    }
    plan->job = *job;
    plan->impl = p;
    if (job->op == GF_DWT)
        rc = gf_cpu_dwt_plan(job, k, c->threads, plan, &p->wavelet);
    else if (job->op == GF_FILTER && !fuses(job, k))
        rc = gf_filter_compose_plan(&gf_backend_openmp, c, job, c->threads, plan, &p->filter);
    else if (job->op == GF_FFT)
        rc = gf_cpu_long_job_plan(job, k, c->threads, plan, &p->line);
    if (!rc && !p->line && !p->wavelet && !p->filter)
        rc = gf_cpu_plan_make(job, k, c->threads, &p->passes);
    if (rc) {
        unplan(c, plan);
        return rc;
    }
    if (p->passes) {
        const struct gf_cpu_plan *passes = p->passes;
        plan->workspace_bytes =
            passes->work.bytes +
            ((int64_t)passes->scratch_bytes + passes->plane.bytes) * c->threads +
            (passes->filter ? passes->filter->bytes : 0);
        for (int i = 0; i < passes->n_steps; i++)
            plan->pass[plan->n_passes++] = passes->step[i].summary;
    }
    *out = plan;
    return 0;
}

/* ---------------------------------------------------------------- running */

/* A team of threads costs some ten microseconds, what one thread does in this many points. A team
 * that is only now started costs more, and on a busy machine many times that; the first run of a
 * plan, which is often the only one, takes most of its time for fresh memory anyway. */
static int team_for(const struct gf_job *job, bool first, int threads) {
    const int64_t worth_a_team = first ? 1 << 19 : 1 << 15;
    int64_t points = job->channels;
    for (int i = 0; i < job->ndim; i++)
        points *= job->shape[i];
    return points < worth_a_team ? 1 : threads;
}

/* A filter's three passes may share a plane. */
enum { MOST_JOINED = 3 };

/* Chunk c of `count` steps: one tile, or a plane's tiles of each. */
static void run_chunk(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass, int count,
                      const long *tiles, long c, void *scratch, struct gf_cpu_stats *stats) {
    for (int i = 0; i < count; i++) {
        long per_chunk = count > 1 ? tiles[i] : 1;
        for (long t = 0; t < per_chunk; t++)
            p->kernels->run(&pass[i], c * per_chunk + t, scratch, stats);
    }
}

/* Tiles of `count` steps from `first`, plane by plane when there are several (the next step's
 * data is then still in cache), else in one loop. */
static void run_steps(struct gf_cpu_plan *p, int first, int count, int threads,
                      struct gf_cpu_stats *total) {
    const struct gf_cpu_step *step = &p->step[first];
    long planes = count > 1 ? step->pass.n_outer[0] * step->pass.n_outer[1] : 1;
    long tiles[MOST_JOINED] = {0};
    for (int i = 0; i < count; i++)
        tiles[i] = gf_cpu_tiles(p->kernels, &step[i].pass) / planes;
    long chunks = count > 1 ? planes : tiles[0];
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num();
        char *scratch = p->scratch + (size_t)me * p->scratch_bytes;
        struct gf_cpu_pass pass[MOST_JOINED];
        for (int i = 0; i < count; i++) {
            pass[i] = step[i].pass;
            if (i)
                pass[i - 1].destination.data = pass[i].source.data =
                    p->plane_data + (size_t)me * (size_t)p->plane.bytes;
        }
        struct gf_cpu_stats mine = {0};
        if (p->stays) {
#pragma omp for schedule(static)
            for (long c = 0; c < chunks; c++)
                run_chunk(p, pass, count, tiles, c, scratch, &mine);
        } else {
#pragma omp for schedule(dynamic)
            for (long c = 0; c < chunks; c++)
                run_chunk(p, pass, count, tiles, c, scratch, &mine);
        }
#pragma omp critical(gf_cpu_stats)
        {
            total->largest = fmax(total->largest, mine.largest);
            total->clipped += mine.clipped;
            total->energy += mine.energy;
            total->anti_energy += mine.anti_energy;
        }
    }
}

static int take(char **data, int64_t bytes, const char *what) {
    if (!*data && bytes && !(*data = gf_alloc((size_t)bytes)))
        return gf_fail(GF_ENOMEM, "no memory for %s of %lld bytes", what, (long long)bytes);
    return 0;
}

/* A spent input serves as workspace where its rows follow each other and vectors can be stored. */
static bool serves(const struct gf_array *in, const struct gf_array *out) {
    return gf_array_is_contiguous(in) && (uintptr_t)in->data % 64 == 0 && out->data != in->data;
}

static int take_memory(struct gf_cpu_plan *p, const struct gf_array *in, const struct gf_array *out,
                       int threads) {
    int rc = take(&p->work_data, p->work.bytes, "a workspace");
    if (!rc && p->work.band && !serves(in, out))
        rc = take(&p->banded, p->work.row_bytes * p->extent[p->step[0].lane], "a workspace");
    if (!rc)
        rc = take(&p->plane_data, p->plane.bytes * threads, "planes");
    if (!rc)
        rc = take(&p->scratch, (int64_t)p->scratch_bytes * threads, "scratch");
    return rc;
}

/* Binds a step to this run's arrays and, as far as it is known by now, its display range. */
static void ready_step(const struct gf_cpu_plan *p, struct gf_cpu_step *s,
                       const struct gf_array *in, struct gf_array *out, double *high) {
    int o = s->output;
    gf_cpu_step_bind(p, s, in, out);
    if (o >= 0 && s->range_from_zero)
        high[o] = gf_cpu_zero_frequency(p, s, &p->job.out[o]);
    if (o >= 0 && !s->pass.destination.discard)
        gf_cpu_step_display(p, s, high[o]);
}

static int exec(void *context, struct gf_plan *plan, const struct gf_array *in,
                struct gf_array *out, struct gf_report *report) {
    struct context *c = context;
    struct planned *planned = plan->impl;
    if (planned->wavelet)
        return gf_cpu_dwt_run(planned->wavelet, in, out, report);
    if (planned->line)
        return gf_cpu_long_job_run(planned->line, in, out, report);
    if (planned->filter)
        return gf_filter_compose_run(planned->filter, in, out, report);
    struct gf_cpu_plan *p = planned->passes;
    const struct gf_job *job = &plan->job;
    bool first = !p->scratch;
    int rc = take_memory(p, in, out, c->threads);
    if (rc)
        return rc;
    double high[GF_MAX_OUTPUTS];
    for (int i = 0; i < job->n_out; i++)
        high[i] = job->out[i].has_range ? job->out[i].high : NAN;
    *report = (struct gf_report){0};
    for (int i = 0; i < p->n_steps; i++) {
        struct gf_cpu_step *s = &p->step[i];
        int count = 1;
        while (s[count - 1].with_next)
            count++;
        int o = s[count - 1].output;
        for (int k = 0; k < count; k++)
            ready_step(p, s + k, in, out, high);
        struct gf_cpu_stats stats = {0};
        run_steps(p, i, count, team_for(job, first, c->threads), &stats);
        i += count - 1;
        if (stats.energy > 0 || stats.anti_energy > 0)
            report->imag_ratio =
                stats.energy > 0 ? sqrt(stats.anti_energy / stats.energy) : INFINITY;
        if (o >= 0 && s->pass.destination.discard)
            high[o] = stats.largest;
        else if (o >= 0) {
            report->clipped[o] = job->out[o].map == GF_MAP_NUMBER ? stats.clipped : 0;
            report->high[o] = job->out[o].map == GF_MAP_NUMBER ? 0
                              : job->out[o].kind == GF_PHASE   ? 3.14159265358979323846
                                                               : high[o];
        }
    }
    return 0;
}

const struct gf_backend gf_backend_openmp = {
    .name = "openmp",
    .what = "the processor, with this program's own kernels",
    .automatic = 1,
    .per_thread = true,
    .streamer = &gf_cpu_dwt_streamer,
    .probe = probe,
    .open = open_context,
    .plan = plan_job,
    .exec = exec,
    .unplan = unplan,
    .close = close_context,
};
