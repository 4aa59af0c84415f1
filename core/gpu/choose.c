/* Runs a job's candidate plans in alternation to find the fastest on this device. */
#include "core/gpu/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/clock.h"
#include "core/base/host/memory.h"
#include "core/base/value/sample_value.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/cache/plan_record.h"

/* Each stage ends after so many runs and drops half of the plans; the last two run ROUND times
 * each. */
static const int stages[] = {3, 9, 27};
enum { STAGES = 3, MOST_RUNS = 27, ROUND = 9, ATTEMPTS = 3, MOST_REPEATS = 200 };
/* Limits: a measurement repeats runs for least_ms; compiling a job's plans takes about build_ms; a
 * context measures for budget_ms in all. */
static const double least_ms = 1.5, build_ms = 20e3, budget_ms = 120e3;
/* A winner takes at most this fraction of the estimate's time in each of two rounds, whose times
 * differ by at most `steady`. */
static const double winning = 0.97, steady = 0.15;

struct entrant {
    char script[GF_GPU_SCRIPT];
    struct gf_gpu_run run;
    bool ready;
    int repeats;
    double ms[MOST_RUNS], median;
};

struct contest {
    struct gf_gpu_context *c;
    const struct gf_job *job;
    struct gf_array in;
    struct gf_gpu_buffer *lent[GF_GPU_N_BUFFERS]; /* shared by all plans */
    struct entrant entrant[GF_GPU_CANDIDATES];    /* the first is the estimate's choice */
    int n;
    double start;
};

static bool is_late(const struct contest *t, double limit) {
    return gf_now_ms() - t->start > fmin(limit, budget_ms - t->c->measured_ms);
}

/* ---- making ready ---- */

/* Makes the plans in the order of their costs, and buffers that hold the largest. */
static int enter(struct contest *t) {
    struct gf_gpu_candidate list[GF_GPU_CANDIDATES];
    int64_t most[GF_GPU_N_BUFFERS] = {0};
    const bool fits = 4 * gf_job_array_bytes(t->job, -1) < (double)gf_memory_available();
    const int n = fits ? gf_gpu_candidates(t->job, &t->c->props, list) : 0;
    for (int i = 0; i < n; i++) {
        struct entrant *e = &t->entrant[t->n];
        struct gf_gpu_choices choices = {.script = list[i].script};
        if (gf_gpu_plan_make_chosen(t->job, &t->c->props, &choices, &e->run.program.plan))
            continue;
        memcpy(e->script, list[i].script, sizeof e->script);
        for (int k = 0; k < GF_GPU_N_BUFFERS; k++)
            if ((k <= GF_GPU_B || k >= GF_GPU_OUT) && most[k] < e->run.program.plan->bytes[k])
                most[k] = e->run.program.plan->bytes[k];
        t->n++;
    }
    int rc = n > 0 ? gf_job_alloc(t->job, -1, &t->in) : GF_EUNSUPP;
    for (int k = 0; k < GF_GPU_N_BUFFERS && !rc; k++)
        if (most[k])
            rc = t->c->api->alloc(t->c->gpu, most[k], &t->lent[k]);
    return rc;
}

/* *ms is the mean time of consecutive runs. */
static int time_runs(const struct contest *t, struct entrant *e, int times, double *ms) {
    double seconds = 0;
    const int rc = gf_gpu_run_times(t->c, &e->run, times, &seconds);
    *ms = seconds * 1e3 / times;
    return rc;
}

/* Compiles several plans at once, but starts none after the time limit, except the estimate's. */
static void build(struct contest *t) {
    enum { AT_ONCE = 4 };
#pragma omp parallel for num_threads(AT_ONCE) schedule(dynamic, 1)
    for (int i = 0; i < t->n; i++)
        t->entrant[i].ready = (!i || !is_late(t, build_ms)) &&
                              !gf_gpu_program_build(t->c, &t->entrant[i].run.program);
}

/* Warms a plan up and sets how often a measurement repeats its run. */
static bool get_ready(struct contest *t, struct entrant *e) {
    const struct gf_gpu_context *c = t->c;
    double ms = 0;
    int rc = gf_gpu_program_prepare(c, &e->run.program, 0);
    if (!rc)
        rc = gf_gpu_run_take(c, &e->run, t->lent);
    if (!rc)
        rc = e > t->entrant ? gf_gpu_run_upload_rms(c, &e->run, &t->in)
                            : gf_gpu_run_upload(c, &e->run, &t->in);
    for (int i = 1; i <= 2 && !rc; i++)
        rc = time_runs(t, e, i, &ms);
    e->repeats = (int)fmin(MOST_REPEATS, 1 + least_ms / fmax(ms, 1e-6));
    return !rc;
}

/* ---- measuring ---- */

/* Makes runs first <= r < end of the remaining plans, in alternation; drops one that fails. */
static void run_some(struct contest *t, int first, int end) {
    for (int r = first; r < end; r++)
        for (struct entrant *e = t->entrant; e < t->entrant + t->n; e++)
            e->ready = e->ready && !time_runs(t, e, e->repeats, &e->ms[r]);
    for (struct entrant *e = t->entrant; e < t->entrant + t->n; e++) {
        double sorted[MOST_RUNS];
        memcpy(sorted, e->ms, sizeof sorted);
        qsort(sorted, (size_t)end, sizeof *sorted, gf_ascending);
        e->median = sorted[end / 2];
    }
}

/* Returns the fastest or the slowest of the remaining plans, except the estimate's; NULL if
 * none. */
static struct entrant *pick(struct contest *t, bool fastest) {
    struct entrant *best = NULL;
    for (struct entrant *e = t->entrant + 1; e < t->entrant + t->n; e++)
        if (e->ready && (!best || (e->median < best->median) == fastest))
            best = e;
    return best;
}

/* Runs all stages. Returns the one plan that remains beside the estimate's. */
static struct entrant *find_fastest(struct contest *t) {
    for (int s = 0, done = 0; s < STAGES && !is_late(t, budget_ms); done = stages[s++]) {
        run_some(t, done, stages[s]);
        int left = -1;
        for (int i = 0; i < t->n; i++)
            left += t->entrant[i].ready;
        for (int drop = s + 1 < STAGES ? left / 2 : left - 1; drop > 0; drop--)
            pick(t, false)->ready = false;
    }
    return pick(t, true);
}

/* True if `best` beats the estimate's choice in two rounds; r gets the least times of both. */
static bool wins(struct contest *t, const struct entrant *best, struct gf_gpu_plan_record *r) {
    const struct entrant *usual = &t->entrant[0];
    int attempt = 0;
    bool leads;
    do {
        run_some(t, 0, ROUND);
        const double first = usual->median, own = best->median;
        run_some(t, 0, ROUND);
        leads = own <= winning * first && best->median <= winning * usual->median;
        r->noisy =
            fabs(first - usual->median) > steady * first || fabs(own - best->median) > steady * own;
        r->estimate_ms = fmin(first, usual->median);
        r->ms = fmin(own, best->median);
    } while (r->noisy && ++attempt < ATTEMPTS && !is_late(t, budget_ms));
    return leads && !r->noisy && best->ready;
}

/* Deletes kernels compiled only for losers. */
static void forget_losers(struct contest *t, const struct gf_gpu_program *winner) {
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < t->entrant[i].run.program.n_requests; k++) {
            struct gf_kernel_request *r = &t->entrant[i].run.program.request[k];
            bool needed = !r->built;
            for (int w = 0; w < winner->n_requests; w++)
                needed = needed || (!strcmp(r->options, winner->request[w].options) &&
                                    !strcmp(r->entry, winner->request[w].entry));
            if (!needed)
                gf_kernel_cache_forget(t->c->api, &t->c->props, r);
        }
}

/* Measures the plans that are ready and records the winner. */
static void decide(struct contest *t) {
    struct gf_gpu_plan_record r = {.noisy = false};
    struct entrant *usual = &t->entrant[0], *best = find_fastest(t);
    struct entrant *winner = best && wins(t, best, &r) ? best : usual;
    if (winner == usual)
        r.ms = r.estimate_ms = best ? r.estimate_ms : usual->median;
    memcpy(r.script, winner->script, sizeof r.script);
    if (usual->ready && r.ms > 0)
        gf_gpu_plan_record_keep(t->c->api, &t->c->props, t->job, &r);
    forget_losers(t, &winner->run.program);
}

int gf_gpu_choose(struct gf_gpu_context *c, const struct gf_job *job) {
    struct gf_gpu_plan_record r;
    struct contest *t;
    if (c->how < GF_PLAN_MEASURE || !c->api->build || !gf_gpu_can_choose(job) ||
        c->measured_ms > budget_ms ||
        (c->how == GF_PLAN_MEASURE && gf_gpu_plan_record_find(c->api, &c->props, job, &r) &&
         !r.noisy) ||
        !(t = calloc(1, sizeof *t)))
        return 0;
    t->c = c;
    t->job = job;
    t->start = gf_now_ms();
    int rc = enter(t), ready = 0;
    if (!rc) {
        gf_samples_noise(&t->in);
        build(t);
    }
    for (int i = 0; i < t->n && !rc; i++)
        ready += t->entrant[i].ready = t->entrant[i].ready && get_ready(t, &t->entrant[i]);
    if (t->n && t->entrant[0].ready)
        decide(t);
    for (int i = 0; i < t->n; i++)
        gf_gpu_run_drop(c, &t->entrant[i].run);
    for (int k = 0; k < GF_GPU_N_BUFFERS; k++)
        if (t->lent[k])
            c->api->free(c->gpu, t->lent[k]);
    gf_array_free(&t->in);
    c->measured_ms += gf_now_ms() - t->start;
    free(t);
    return ready;
}
