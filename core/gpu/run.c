/* Runs a plan on an open device: its kernels, buffers, launches and report. */
#include "core/gpu/run.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "core/filter/compose.h"
#include "core/base/value/halves.h"
#include "core/base/host/clock.h"
#include "core/base/host/memory.h"
#include "core/gpu/plan/filter_values.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/plan/tables.h"
#include "core/gpu/cache/plan_record.h"

int gf_gpu_run_open(const struct gf_gpu *api, const struct gf_backend_options *options,
                    void **context) {
    struct gf_gpu_context *c = calloc(1, sizeof *c);
    *context = NULL;
    if (!c)
        return gf_no_memory();
    c->api = api;
    c->general = options && options->general;
    c->dry = options && options->dry;
    c->limit = options ? options->device_memory : 0;
    c->compiling = options ? options->compiling : NULL;
    c->how = options ? options->plan : GF_PLAN_KEPT;
    c->threads = options && options->threads > 0 ? options->threads : omp_get_max_threads();
    int rc = gf_gpu_open(options ? options->environment : NULL, api,
                         options ? options->device : NULL, &c->gpu, &c->props);
    if (rc) {
        free(c);
        return rc;
    }
    rc = gf_gpu_stage_open(api, c->gpu, c->props.is_cpu, options ? options->threads : 0, &c->stage);
    if (rc) {
        gf_gpu_run_close(c);
        return rc;
    }
    *context = c;
    return 0;
}

void gf_gpu_run_close(void *context) {
    struct gf_gpu_context *c = context;
    if (!c)
        return;
    gf_gpu_stage_close(c->stage);
    c->api->close(c->gpu);
    free(c);
}

int gf_gpu_run_lost(void *context) {
    const struct gf_gpu_context *c = context;
    return c->api->lost(c->gpu);
}

/* A GPU's driver takes a tenth of a second. */
bool gf_gpu_run_slow_close(void *context) {
    const struct gf_gpu_context *c = context;
    return !c->props.is_cpu;
}

/* ---- plan ---- */

void gf_gpu_run_give_back(const struct gf_gpu_context *c, struct gf_gpu_run *m) {
    if (m->queued)
        c->api->sync(c->gpu);
    m->queued = false;
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++) {
        if (m->buffer[i] && !(m->lent >> i & 1))
            c->api->free(c->gpu, m->buffer[i]);
        m->buffer[i] = NULL;
    }
    m->lent = 0;
    m->ready = false;
}

void gf_gpu_run_drop(const struct gf_gpu_context *c, struct gf_gpu_run *m) {
    const struct gf_gpu_program *g = &m->program;
    gf_gpu_run_give_back(c, m);
    for (int i = 0; i < g->n_requests; i++)
        c->api->unload(c->gpu, g->request[i].kernel);
    gf_gpu_plan_free(g->plan);
    *m = (struct gf_gpu_run){.ready = false};
}

int64_t gf_gpu_run_room(const struct gf_gpu_context *c) {
    const int64_t room = c->api->free_bytes(c->gpu);
    return c->limit && c->limit < room ? c->limit : room;
}

static int check_memory(const struct gf_gpu_context *c, const struct gf_gpu_plan *p, int64_t beside,
                        int64_t *all) {
    int64_t sum = beside, room = gf_gpu_run_room(c);
    char a[GF_SIZE_TEXT], b[GF_SIZE_TEXT];
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++) {
        if (!p->job.placed || (i != GF_GPU_IN && i < GF_GPU_OUT))
            sum += p->bytes[i];
        if (p->bytes[i] > c->props.max_alloc)
            return gf_fail(GF_EUNABLE, "the plan needs a buffer of %s, %s allows %s",
                           gf_memory_text(p->bytes[i], a), c->props.name,
                           gf_memory_text(c->props.max_alloc, b));
    }
    *all = sum;
    if (sum > room && room == c->limit)
        return gf_fail(GF_ENOMEM, "the plan needs %s on the device, limit %s (--max-device-memory)",
                       gf_memory_need_text(sum, a), gf_memory_limit_text(room, b));
    if (sum > room)
        return gf_fail(GF_ENOMEM, "the plan needs %s on the device, %s has %s free",
                       gf_memory_need_text(sum, a), c->props.name, gf_memory_limit_text(room, b));
    return 0;
}

/* Returns what to launch for pass i: the pass, or the chain that it begins; *next is the pass
 * after. */
static const struct gf_gpu_pass *launched(const struct gf_gpu_plan *p, int i, int *next) {
    const struct gf_gpu_pass *pass = &p->pass[i];
    *next = pass->chain ? i + 2 : i + 1;
    return pass->chain ? &p->chain[pass->chain - 1] : pass;
}

/* Names the kernel as the API's dialect does. */
static void translate(const struct gf_gpu *api, struct gf_kernel_request *r) {
    const size_t used = strlen(r->options);
    char *suffix = strrchr(r->file, '.');
    if (suffix)
        snprintf(suffix, sizeof r->file - (size_t)(suffix - r->file), "%s", api->suffix);
    snprintf(r->options + used, sizeof r->options - used, " -DENTRY_%s", r->entry);
}

/* Passes may share a kernel with different tiles: it is loaded for the largest. */
int gf_gpu_program_build(const struct gf_gpu_context *c, struct gf_gpu_program *g) {
    const struct gf_gpu_plan *p = g->plan;
    for (int i = 0, next; i < p->n_passes; i = next) {
        const struct gf_kernel_request *r = &launched(p, i, &next)->kernel;
        int j = 0;
        while (j < g->n_requests &&
               (strcmp(g->request[j].options, r->options) || strcmp(g->request[j].entry, r->entry)))
            j++;
        if (j == g->n_requests)
            g->request[g->n_requests++] = *r;
        if (g->request[j].local_bytes < r->local_bytes)
            g->request[j].local_bytes = r->local_bytes;
        g->kernel[i] = j;
    }
    double start = gf_now_ms();
    int n = g->n_requests;
    for (int i = 0; i < n && c->api->suffix; i++)
        translate(c->api, &g->request[i]);
    int rc = gf_kernel_cache_get(c->api, c->gpu, &c->props, g->request, n, &g->built, c->compiling);
    g->build_seconds = (gf_now_ms() - start) * 1e-3;
    if (rc)
        g->n_requests = 0; /* none is loaded */
    return rc;
}

/* True if general kernels serve the job. Kernels of one length would have to run some thousand
 * times to save what compiling them takes, except on CPU devices, where general ones take ten times
 * as long. */
static bool is_general(const struct gf_gpu_context *c, const struct gf_job *job) {
    enum { POINTS = 1 << 22 };
    double points = (double)job->channels;
    for (int i = 0; i < job->ndim; i++)
        points *= (double)job->shape[i];
    return c->general && !c->props.is_cpu && !c->props.plain && points <= POINTS;
}

/* Sets g->plan from the job's record. False if there is none or the device refuses it. */
static bool make_kept(const struct gf_gpu_context *c, struct gf_gpu_program *g,
                      const struct gf_job *job) {
    struct gf_gpu_plan_record r;
    struct gf_gpu_choices choices = {.script = r.script};
    struct gf_plan_choice *choice = &g->choice;
    char script[GF_GPU_SCRIPT] = "";
    if (c->how == GF_PLAN_ESTIMATE || !gf_gpu_plan_record_find(c->api, &c->props, job, &r))
        return false;
    choice->ms = r.ms;
    choice->estimate_ms = r.estimate_ms;
    choice->noisy = r.noisy;
    if (r.noisy)
        return false;
    choice->kept = !gf_gpu_plan_make_chosen(job, &c->props, &choices, &g->plan) &&
                   gf_gpu_choices_text(&choices, script) && !strcmp(script, r.script);
    choice->refused = !choice->kept;
    if (choice->refused)
        gf_gpu_plan_free(g->plan);
    return choice->kept;
}

int gf_gpu_program_make(const struct gf_gpu_context *c, struct gf_gpu_program *g,
                        const struct gf_job *job) {
    if (make_kept(c, g, job))
        return 0;
    return is_general(c, job) ? gf_gpu_plan_make_way(job, &c->props, "general", &g->plan)
                              : gf_gpu_plan_make(job, &c->props, &g->plan);
}

int gf_gpu_program_prepare(const struct gf_gpu_context *c, struct gf_gpu_program *g,
                           int64_t beside) {
    for (int i = 0; i < g->plan->n_passes; i++)
        g->counts |= g->plan->pass[i].output >= 0;
    int rc = c->api->check ? c->api->check(g->plan) : 0;
    if (!rc)
        rc = check_memory(c, g->plan, beside, &g->bytes);
    return rc || c->dry || g->n_requests ? rc : gf_gpu_program_build(c, g);
}

void gf_gpu_run_list(const struct gf_gpu_plan *p, int first, int end,
                     struct gf_pass_info list[GF_MAX_PASSES], int *n) {
    for (int i = first; i < end && *n < GF_MAX_PASSES; i++) {
        if (p->pass[i].unlisted)
            continue;
        struct gf_pass_info *pass = &list[(*n)++];
        *pass = p->pass[i].summary;
        pass->cost = p->pass[i].cost;
    }
}

void gf_gpu_program_summarize(const struct gf_gpu_program *g, struct gf_plan *plan) {
    plan->workspace_bytes += gf_gpu_tables_bytes(&g->plan->tables, g->plan->job.precision);
    plan->device_bytes = g->bytes;
    plan->kernels_built = g->built;
    plan->build_seconds = g->build_seconds;
    plan->choice = g->choice;
}

/* ---- run ---- */

enum { MOST_PARAMS = GF_MAX_OUTPUTS * GF_GPU_PARAMS_EACH };

/* Uploads values in the plan's precision to the parameters from number `first` on. */
static int put_params(const struct gf_gpu_context *c, const struct gf_gpu_run *m, int first,
                      const double *v, int count) {
    union {
        float singles[MOST_PARAMS];
        double doubles[MOST_PARAMS];
    } reals;
    const bool is_double = m->program.plan->job.precision == GF_DOUBLE;
    const int64_t word = is_double ? 8 : 4;
    for (int i = 0; i < count; i++)
        gf_real_put(&reals, i, is_double, v[i]);
    return c->api->upload(c->gpu, m->buffer[GF_GPU_PARAMS], first * word, &reals, count * word);
}

/* Range passes write the upper end of a display that has no given range. */
static int upload_params(const struct gf_gpu_context *c, const struct gf_gpu_run *m) {
    const struct gf_job *job = &m->program.plan->job;
    double v[MOST_PARAMS] = {0}, range[GF_MAX_OUTPUTS][2];
    gf_job_given_ranges(job, range);
    for (int i = 0; i < job->n_out; i++) {
        double *at = v + i * GF_GPU_PARAMS_EACH;
        at[PARAM_SCALE] = gf_job_scale(job);
        at[PARAM_LOW] = range[i][0];
        at[PARAM_HIGH] = range[i][1];
        at[PARAM_LIMIT] = job->wavelet.amount;
    }
    if (job->op == GF_FILTER)
        v[PARAM_OFFSET] = gf_filter_zero(job);
    return put_params(c, m, 0, v, MOST_PARAMS);
}

static int upload_filter(const struct gf_gpu_context *c, const struct gf_gpu_run *m) {
    struct gf_array table = {.data = NULL};
    int rc = gf_gpu_filter_table(&m->program.plan->job, c->threads, &table);
    if (!rc)
        rc = gf_gpu_stage_upload(c->stage, m->buffer[GF_GPU_FILTER], &table);
    gf_array_free(&table);
    return rc;
}

/* Uploads values before orders: both at once would take more memory than gf_gpu_tables_bytes(). */
static int upload_tables(const struct gf_gpu_context *c, const struct gf_gpu_run *m) {
    const struct gf_gpu_tables *t = &m->program.plan->tables;
    const enum gf_precision precision = m->program.plan->job.precision;
    const int64_t bytes[2] = {t->count * (precision == GF_DOUBLE ? 16 : 8), t->order_count * 4};
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        if (!bytes[i])
            continue;
        void *values = gf_alloc((size_t)bytes[i]);
        if (!values)
            return gf_no_memory();
        rc = gf_gpu_tables_fill(t, precision, i ? NULL : values, i ? values : NULL);
        if (!rc)
            rc = c->api->upload(c->gpu, m->buffer[i ? GF_GPU_ORDER : GF_GPU_TABLES], 0, values,
                                bytes[i]);
        gf_free(values);
    }
    return rc;
}

int gf_gpu_run_take(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                    struct gf_gpu_buffer *const *lent) {
    struct gf_gpu_plan *p = m->program.plan;
    if (m->ready)
        return 0;
    for (int i = GF_GPU_N_BUFFERS - 1; i >= 0; i--) {
        m->buffer[i] = lent ? lent[i] : NULL;
        if (m->buffer[i])
            m->lent |= 1u << i;
        if (m->buffer[i] || !p->bytes[i])
            continue;
        int rc = c->api->alloc(c->gpu, p->bytes[i], &m->buffer[i]);
        if (rc) {
            gf_gpu_run_give_back(c, m);
            return rc;
        }
    }
    int rc = upload_tables(c, m);
    if (!rc)
        rc = upload_params(c, m);
    if (!rc && p->bytes[GF_GPU_FILTER] && !p->job.whole.axes) /* a part's caller uploads its own */
        rc = upload_filter(c, m);
    if (!rc && p->bytes[GF_GPU_CHAIN])
        rc = c->api->clear(c->gpu, m->buffer[GF_GPU_CHAIN], 0, p->bytes[GF_GPU_CHAIN]);
    if (!rc && p->gaps)
        rc = c->api->clear(c->gpu, m->buffer[GF_GPU_OUT], 0, p->bytes[GF_GPU_OUT]);
    if (rc) /* the next run starts again */
        gf_gpu_run_give_back(c, m);
    m->ready = !rc;
    return rc;
}

int gf_gpu_run_upload_rms(const struct gf_gpu_context *c, const struct gf_gpu_run *m,
                          const struct gf_array *in) {
    const struct gf_job *job = &m->program.plan->job;
    const struct gf_range_energy energy = gf_range_energy(job, in);
    const double rms = gf_range_rms(job, &energy) * gf_job_scale(job);
    double both[2] = {rms, gf_range_rounding(job, rms)};
    int rc = 0;
    for (int k = 0; k < 2 && job->precision == GF_SINGLE; k++)
        both[k] = fmin(both[k], FLT_MAX);
    for (int i = 0; i < job->n_out && !rc; i++)
        if (gf_output_samples(job, i))
            rc = put_params(c, m, i * GF_GPU_PARAMS_EACH + PARAM_RMS, both, 2);
    return rc;
}

int gf_gpu_run_upload(const struct gf_gpu_context *c, struct gf_gpu_run *m,
                      const struct gf_array *in) {
    int rc = gf_gpu_run_take(c, m, NULL);
    if (!rc)
        rc = gf_gpu_run_upload_rms(c, m, in);
    return rc ? rc : gf_gpu_stage_upload(c->stage, m->buffer[GF_GPU_IN], in);
}

int gf_gpu_run_launch(const struct gf_gpu_context *c, const struct gf_gpu_run *m, int first,
                      int end) {
    const struct gf_gpu_plan *p = m->program.plan;
    int rc = 0;
    if (m->program.counts && !first && !m->repeats)
        rc = c->api->clear(c->gpu, m->buffer[GF_GPU_COUNTERS], 0, p->bytes[GF_GPU_COUNTERS]);
    for (int i = first, next; i < end && !rc; i = next) {
        const struct gf_gpu_pass *pass = launched(p, i, &next);
        struct gf_gpu_launch launch = {.kernel = m->program.request[m->program.kernel[i]].kernel,
                                       .groups = pass->groups,
                                       .group = pass->group,
                                       .local_bytes = pass->kernel.local_bytes,
                                       .n_buffers = pass->n_buffers,
                                       .args = &pass->args,
                                       .args_bytes = pass->args_bytes,
                                       .awaits = true};
        for (int j = 0; j < pass->n_buffers; j++)
            launch.buffer[j] = m->buffer[pass->buffer[j]];
        rc = c->api->launch(c->gpu, &launch);
    }
    return rc;
}

int gf_gpu_run_begin(const struct gf_gpu_context *c, const double *seconds) {
    return seconds ? c->api->mark(c->gpu, 0) : 0;
}

int gf_gpu_run_end(const struct gf_gpu_context *c, double *seconds) {
    int rc = seconds ? c->api->mark(c->gpu, 1) : 0;
    return rc || !seconds ? rc : c->api->elapsed(c->gpu, seconds);
}

/* ---- report ---- */

static const enum gf_gpu_buffer_id reported[] = {GF_GPU_PARAMS, GF_GPU_COUNTERS, GF_GPU_ENERGY};
enum { N_REPORTED = 3 };

/* Sets the offset of each buffer in a packed report; at[N_REPORTED] is the end. */
static void lay_out_report(const struct gf_gpu_program *g, int64_t at[N_REPORTED + 1]) {
    enum { ALIGNED = 16 };
    at[0] = 0;
    for (int i = 0; i < N_REPORTED; i++)
        at[i + 1] = gf_divide_up(at[i] + g->plan->bytes[reported[i]], ALIGNED) * ALIGNED;
}

int64_t gf_gpu_program_report_bytes(const struct gf_gpu_program *g) {
    int64_t at[N_REPORTED + 1];
    lay_out_report(g, at);
    return at[N_REPORTED];
}

int gf_gpu_run_copy_report(const struct gf_gpu_context *c, const struct gf_gpu_run *m,
                           struct gf_gpu_buffer *to) {
    int64_t at[N_REPORTED + 1];
    int rc = 0;
    lay_out_report(&m->program, at);
    for (int i = 0; i < N_REPORTED && !rc; i++)
        if (m->buffer[reported[i]])
            rc = c->api->copy(c->gpu, to, at[i], m->buffer[reported[i]], 0,
                              m->program.plan->bytes[reported[i]]);
    return rc;
}

static double real_at(const struct gf_gpu_plan *p, const void *values, int64_t at) {
    return gf_real_get(values, at, p->job.precision == GF_DOUBLE);
}

void gf_gpu_run_parse_report(const struct gf_gpu_run *m, const void *packed,
                             struct gf_report *report) {
    const struct gf_gpu_plan *p = m->program.plan;
    const char *from = packed;
    int64_t at[N_REPORTED + 1];
    lay_out_report(&m->program, at);
    const uint32_t *counters = (const uint32_t *)(from + at[1]);
    for (int i = 0; i < p->job.n_out; i++) {
        for (int j = 0; m->program.counts && j < COUNTERS; j++)
            report->clipped[i] += counters[i * COUNTERS + j];
        report->clipped[i] /= m->repeats + 1;
        gf_report_range(&p->job, i, real_at(p, from, i * GF_GPU_PARAMS_EACH + PARAM_LOW),
                        real_at(p, from, i * GF_GPU_PARAMS_EACH + PARAM_HIGH), report);
    }
    /* Energies of the input's Hermitian part and of the rest; the kernels count a bin and its
     * mirror image once, the host twice. */
    double energy[2] = {0, 0};
    for (int i = 0; i < p->n_passes; i++)
        for (int64_t j = 0; p->pass[i].energy && j < 2 * p->pass[i].groups; j++)
            energy[j % 2] += 2 * real_at(p, from + at[2], j);
    gf_report_energy(energy[0], energy[1], report);
}

static int read_report(const struct gf_gpu_context *c, const struct gf_gpu_run *m,
                       struct gf_report *report) {
    int64_t at[N_REPORTED + 1];
    lay_out_report(&m->program, at);
    char *packed = malloc((size_t)at[N_REPORTED]);
    int rc = packed ? 0 : gf_no_memory();
    for (int i = 0; i < N_REPORTED && !rc; i++)
        if (m->buffer[reported[i]] && (m->program.counts || reported[i] != GF_GPU_COUNTERS))
            rc = c->api->download(c->gpu, packed + at[i], m->buffer[reported[i]], 0,
                                  m->program.plan->bytes[reported[i]]);
    if (!rc)
        rc = c->api->sync(c->gpu);
    if (!rc)
        gf_gpu_run_parse_report(m, packed, report);
    free(packed);
    return rc;
}

int gf_gpu_run_download(const struct gf_gpu_context *c, struct gf_gpu_run *m, struct gf_array *out,
                        struct gf_report *report) {
    const struct gf_job *job = &m->program.plan->job;
    struct gf_report found = {.imag_ratio = 0};
    int rc = 0;
    for (int i = 0; i < job->n_out && !rc; i++)
        rc = gf_gpu_stage_download(c->stage, &out[i], m->buffer[GF_GPU_OUT + i]);
    if (!rc)
        rc = read_report(c, m, &found);
    if (!rc && report)
        *report = found;
    return rc;
}

int gf_gpu_run_all(const struct gf_gpu_context *c, struct gf_gpu_run *m, const struct gf_array *in,
                   struct gf_array *out, struct gf_report *report) {
    int rc = gf_gpu_run_upload(c, m, in);
    if (!rc)
        rc = gf_gpu_run_launch(c, m, 0, m->program.plan->n_passes);
    return rc ? rc : gf_gpu_run_download(c, m, out, report);
}

int gf_gpu_run_time_passes(const struct gf_gpu_context *c, const struct gf_gpu_run *m,
                           double *seconds) {
    int rc = 0, listed = 0;
    for (int i = 0, next; i < m->program.plan->n_passes && !rc; i = next) {
        const struct gf_gpu_pass *pass = &m->program.plan->pass[i];
        double took = 0;
        launched(m->program.plan, i, &next);
        rc = gf_gpu_run_begin(c, &took);
        if (!rc)
            rc = gf_gpu_run_launch(c, m, i, next);
        if (!rc)
            rc = gf_gpu_run_end(c, &took);
        if (!pass->unlisted)
            seconds[listed++] = took;
        else if (listed)
            seconds[listed - 1] += took;
        if (pass->chain) { /* divides a launch's time between its two passes by their costs */
            seconds[listed] = took * pass[1].cost / (pass->cost + pass[1].cost);
            seconds[listed - 1] -= seconds[listed];
            listed++;
        }
    }
    return rc;
}

/* ---- plans whose arrays are on the device as a whole ---- */

int gf_gpu_run_times(const struct gf_gpu_context *c, struct gf_gpu_run *m, int times,
                     double *seconds) {
    int rc = gf_gpu_run_begin(c, seconds);
    for (int i = 0; i < times && !rc; i++) {
        m->repeats = i;
        rc = m->program.once ? m->program.once(c, m)
                             : gf_gpu_run_launch(c, m, 0, m->program.plan->n_passes);
    }
    return rc ? rc : gf_gpu_run_end(c, seconds);
}

int gf_gpu_whole_run(struct gf_plan *plan, int times, double *seconds) {
    return gf_gpu_run_times(plan->context, plan->impl, times, seconds);
}

int gf_gpu_whole_upload(struct gf_plan *plan, const struct gf_array *in) {
    struct gf_gpu_run *m = plan->impl;
    if (m->lent) /* placed arrays' */
        gf_gpu_run_give_back(plan->context, m);
    return gf_gpu_run_upload(plan->context, m, in);
}

int gf_gpu_whole_download(struct gf_plan *plan, struct gf_array *out, struct gf_report *report) {
    return gf_gpu_run_download(plan->context, plan->impl, out, report);
}

int gf_gpu_whole_bind(struct gf_bound *bound) {
    const struct gf_job *job = &bound->plan->job;
    bool takes = !job->in_pitch && !job->out_pitch;
    for (int i = 0; i < job->n_out; i++)
        takes = takes && !gf_output_samples(job, i) && bound->out[i].data != bound->in.data;
    return takes || !bound->in.place
               ? 0
               : gf_fail(GF_EUNSUPP, "placed arrays need their own memory each, and no display "
                                     "range that is found by the host");
}

int gf_gpu_whole_exec_placed(struct gf_bound *bound, struct gf_report *report) {
    struct gf_plan *plan = bound->plan;
    const struct gf_gpu_context *c = plan->context;
    struct gf_gpu_run *m = plan->impl;
    struct gf_gpu_buffer *lent[GF_GPU_N_BUFFERS] = {[GF_GPU_IN] = bound->in.data};
    const bool waits = report != &bound->unread;
    double seconds = 0;
    for (int i = 0; i < plan->job.n_out; i++)
        lent[GF_GPU_OUT + i] = bound->out[i].data;
    if (!m->lent ||
        m->program.plan->gaps) /* other placed arrays take the places of the last ones */
        gf_gpu_run_give_back(c, m);
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        m->buffer[i] = m->ready && lent[i] ? lent[i] : m->buffer[i];
    int rc = gf_gpu_run_take(c, m, lent);
    if (!rc)
        rc = gf_gpu_run_times(c, m, 1, waits ? &seconds : NULL);
    m->queued = m->queued || !waits;
    if (!rc && waits)
        rc = read_report(c, m, report);
    report->ms.run = seconds * 1e3;
    return rc;
}

void gf_gpu_whole_drop(struct gf_plan *plan) {
    gf_gpu_run_drop(plan->context, plan->impl);
    free(plan->impl);
}
