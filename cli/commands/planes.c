/* Runs wavelet transforms plane by plane: outputs, and one or two threads per device that take part
 * after part. */
#include "cli/commands/planes.h"

#include <math.h>
#include <stdlib.h>

#include "cli/progress.h"
#include "core/base/host/clock.h"
#include "core/base/host/conveyor.h"

struct hand {
    int device;
    bool failed;
    struct gf_reader reader; /* for all but the first hand, which uses the task's */
    struct gf_runner runner; /* for all but a device's first hand, which uses the task's */
    struct gf_planes_hand own;
};

/* All hands of a task. */
struct share {
    struct gf_planes_work *p;
    int n;
    struct hand *hand;
};

int gf_planes_refuse(const struct gf_task *t, const char *why) {
    struct gf_failure need = {0};
    if (t->ranks)
        return gf_fail(GF_EUNSUPP, "not by several processes: %s", why);
    gf_failure_keep(&need, GF_ENOMEM);
    return gf_fail(GF_ENOMEM, "%s; not plane by plane: %s", need.message, why);
}

const char *gf_planes_unsurveyed(const struct gf_task *t) {
    const struct gf_job *job = &t->op.job;
    if (!gf_dwt_survey_walks(job))
        return NULL;
    if (!gf_planes_must(t) && !t->s->plan_only)
        return gf_dwt_refuses_parts(job);
    return t->s->plan_only || gf_task_is_at_hand(t) ? NULL : gf_why(GF_WHY_TWICE);
}

int gf_planes_read(struct gf_reader *reader, const struct gf_image *image, int64_t at,
                   struct gf_array *plane) {
    const int64_t *px = image->px.shape, *columns = px + image->ndim - 1; /* and channels */
    const bool picture = image->ndim == 2;
    const int64_t shape[] = {1, picture ? 1 : px[1], columns[0], columns[1]};
    int rc = plane->data ? 0 : gf_array_alloc(plane, image->px.dtype, 3, shape + 1);
    struct gf_array page = gf_array_wrap(plane->data, image->px.dtype, 4, shape);
    return rc ? rc : gf_finite_read(reader, image, picture ? GF_ROW : GF_PAGE, at, &page);
}

struct gf_volume_box gf_planes_box(const struct gf_task *t, const struct gf_volume_box *box) {
    struct gf_volume_box at = *box;
    at.z = gf_series_place(t, 0, box->z);
    return t->op.job.ndim == 3 ? at : (struct gf_volume_box){0, box->z, box->x, 1, box->width};
}

int gf_planes_count(const struct gf_job *job, const struct gf_engine *e) {
    /* Shares by measured speed need parts that measure it, and as many more. */
    const int n = gf_engine_devices(e), most = gf_dwt_parts(job, 4 * gf_planes_hands(job) * n);
    for (int i = 0; i < n; i++)
        if (!gf_engine_streaming(e, i))
            return 0;
    return most > n ? most - most % n : most;
}

int gf_planes_parts(const struct gf_task *t) {
    const struct gf_job job = gf_job_volume(&t->op.job);
    if (t->ranks)
        return gf_dwt_parts(&job, t->ranks->size);
    return gf_planes_may_share(t) ? gf_planes_count(&job, t->deal) : 0;
}

int gf_planes_threads(const struct gf_task *t, const struct gf_engine *e) {
    const int all = gf_settings_threads(t->s), hands = gf_planes_hands(&t->op.job);
    int on_cpu = 0;
    if (!e)
        return all > 1 ? all - 1 : 1;
    for (int i = 0; i < gf_engine_devices(e); i++)
        on_cpu += gf_engine_has_own_contexts(e, i) ? hands : 0;
    const int left = all - 1 - (gf_engine_devices(e) * hands - on_cpu) * GF_DEAL_COPYING;
    const int some = left > all / 2 ? left : all / 2;
    return on_cpu && some / on_cpu > 1 ? some / on_cpu : 1;
}

/* ---- hands ---- */

static int run_part(void *user, int i, int64_t part) {
    struct share *s = user;
    struct hand *h = &s->hand[i];
    struct gf_task *t = s->p->t;
    const double start = gf_now_ms();
    int rc = s->p->run(s->p, &h->own, (int)part);
    h->failed = rc != 0;
    if (!rc)
        gf_deal_end(t->deal, h->device, (gf_now_ms() - start) * 1e-3 / gf_planes_hands(&t->op.job));
    return rc;
}

static int64_t take(void *user, int i) {
    const struct share *s = user;
    return gf_deal_take(s->p->t->deal, s->hand[i].device);
}

static void cancel(void *user) {
    const struct share *s = user;
    gf_deal_stop(s->p->t->deal);
}

static int open_hand(struct share *s, int k, int threads) {
    struct gf_task *t = s->p->t;
    struct hand *h = &s->hand[k];
    const int hands = gf_planes_hands(&t->op.job), device = k / hands;
    *h = (struct hand){.device = device};
    h->own = (struct gf_planes_hand){
        .t = t,
        .reader = k ? &h->reader : &t->reader,
        .runner = k % hands ? &h->runner : &t->runners[device],
    };
    gf_runner_close(h->own.runner); /* it may be open with other threads */
    gf_runner_open(h->own.runner, t->deal, device, h->own.threads = threads);
    int rc = k ? gf_reader_again(&t->reader, &h->reader) : 0;
    h->own.reader->any_order = true;
    return rc;
}

static void add(struct gf_planes_hand *sum, const struct gf_planes_hand *one) {
    sum->ms_read += one->ms_read;
    sum->ms_transform = fmax(sum->ms_transform, one->ms_transform);
    sum->ms_write += one->ms_write;
    sum->ms_waited += one->ms_waited;
    sum->peak += one->peak;
    for (int i = 0; i < GF_MAX_OUTPUTS; i++) {
        sum->overflowed[i] += one->overflowed[i];
        sum->clipped[i] += one->clipped[i];
    }
}

/* Finds the first damaged frame, as a single device would, since devices reach frames in any
 * order. */
static int name_first(const struct share *s, int rc) {
    const struct gf_task *t = s->p->t;
    struct gf_reader reader = {.s = t->s, .paths = t->read};
    struct gf_failure failed = {0};
    int64_t end = INT64_MAX;
    gf_failure_keep(&failed, rc);
    for (int k = 0; k < s->n; k++)
        if (s->hand[k].failed && s->hand[k].own.at < end)
            end = s->hand[k].own.at;
    rc = 0;
    for (int64_t i = 0; i < end && end < INT64_MAX && !rc; i++) {
        struct gf_image plane = {0};
        rc = gf_reader_frame(&reader, i, &t->image, &plane);
        gf_image_free(&plane);
    }
    gf_reader_close(&reader);
    return rc ? rc : gf_failure_return(&failed);
}

static int run_hands(struct share *s) {
    struct gf_conveyor c = {.items = s->p->parts,
                            .slots = s->p->parts,
                            .hands = s->n,
                            .work = run_part,
                            .take = take,
                            .cancel = cancel,
                            .user = s};
    int rc = gf_conveyor_run(&c);
    return rc && s->p->t->s->frames ? name_first(s, rc) : rc;
}

/* Verifies a record's checksum once, then runs the hands. */
static int run_dealt(struct gf_planes_work *p) {
    struct gf_task *t = p->t;
    const int hands = gf_planes_hands(&t->op.job), n = gf_engine_devices(t->deal) * hands;
    const int threads = gf_planes_threads(t, t->deal);
    struct share s = {.p = p, .hand = calloc((size_t)n, sizeof *s.hand)};
    if (!s.hand)
        return gf_no_memory();
    for (int i = 0; i < gf_shared_files(t); i++)
        if (p->out[i].volume)
            gf_volume_share(p->out[i].volume, n);
    int rc = t->s->frames ? 0 : gf_file_check(t->reader.file[0]);
    while (s.n < n && !rc)
        rc = open_hand(&s, s.n++, threads);
    if (!rc)
        rc = gf_deal_start(t->deal, &t->op.job, p->parts, 1);
    if (!rc)
        rc = run_hands(&s);
    for (int k = 0; k < s.n; k++) {
        add(&p->sum, &s.hand[k].own);
        gf_reader_close(&s.hand[k].reader);
        if (k % hands)
            gf_runner_close(&s.hand[k].runner);
    }
    gf_task_choose_reported(t);
    t->op.dealt = true;
    free(s.hand);
    return rc;
}

/* Runs the task's part in this process: its rank's part, none if there are fewer parts. */
static int run_alone(struct gf_planes_work *p) {
    struct gf_task *t = p->t;
    const int part = t->ranks ? t->ranks->rank : 0;
    p->sum = (struct gf_planes_hand){.t = t,
                                     .reader = &t->reader,
                                     .runner = t->op.crew.runner,
                                     .threads = gf_planes_threads(t, NULL)};
    t->reader.any_order = t->ranks != NULL;
    return part && part >= p->parts ? 0 : p->run(p, &p->sum, part);
}

/* ---- outputs ---- */

/* Adds the counters of all hands and processes. */
static int count(const struct gf_planes_work *p) {
    struct gf_task *t = p->t;
    for (int i = 0; i < t->op.job.n_out; i++) {
        t->op.overflowed[i] += p->sum.overflowed[i];
        t->op.report.clipped[i] += p->sum.clipped[i];
    }
    return gf_ranks_join_report(t->ranks, &t->op.report);
}

static int run(void *user, struct gf_shared_output *out) {
    struct gf_planes_work *p = user;
    struct gf_task *t = p->t;
    bool looks = true;
    int rc = 0;
    p->out = out;
    while (!rc && looks) {
        looks = gf_dwt_survey_wants(p->survey);
        rc = gf_ranks_agree(t->ranks, looks && p->look        ? p->look(p)
                                      : p->parts && !t->ranks ? run_dealt(p)
                                                              : run_alone(p));
        if (!rc && looks)
            rc = gf_dwt_survey_next(p->survey, t->ranks);
    }
    t->op.ms.decode += p->sum.ms_read;
    t->op.ms.transform += p->sum.ms_transform;
    t->op.ms.encode += p->sum.ms_write;
    gf_progress_share(0);
    return rc ? rc : count(p);
}

int gf_planes_run(struct gf_planes_work *p) {
    struct gf_task *t = p->t;
    struct gf_job job = gf_job_volume(&t->op.job);
    struct gf_dwt_survey survey;
    if (job.direction == GF_FORWARD)
        job.n_out = 1; /* bands are parts of its samples */
    gf_dwt_bands(&t->op.job, p->band);
    p->n_bands = gf_shared_files(t) - t->op.job.n_out;
    p->survey = &survey;
    t->op.streamed = p->parts || job.direction == GF_FORWARD;
    int rc = gf_ranks_agree(t->ranks, gf_dwt_survey_open(p->survey, &job));
    if (!rc)
        rc = gf_shared_run(t, p->in_order, run, p);
    if (!rc && job.direction == GF_FORWARD && job.out[0].map == GF_MAP_DISPLAY)
        t->op.report.high[0] = survey.high[job.wavelet.levels][0];
    gf_dwt_survey_close(p->survey);
    return rc;
}
