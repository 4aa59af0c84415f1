/* idwt of volumes and pictures that do not fit memory or that several devices or processes share:
 * all levels in one walk, a few planes at a time (core/split/wavelet.h). */
#include "cli/commands/planes.h"

#include <math.h>

#include "cli/log.h"
#include "cli/progress.h"
#include "core/base/host/clock.h"

/* A part, or all planes. */
struct run {
    const struct gf_planes_work *planes;
    struct gf_planes_hand *hand;
    struct gf_slab_wavelet wavelet;
    struct gf_array page; /* for files whose rows cannot be read separately */
    int64_t at;           /* its number; -1: none */
};

static bool has_rows(const struct gf_task *t) {
    return t->s->plan_only || (!t->s->frames && gf_file_unit(t->reader.file[0]) >= GF_ROW);
}

/* Planes in order need no known position in the file; those of several devices or processes and
 * rows of pictures do. */
static bool in_order(const struct gf_task *t) {
    return t->state == GF_TASK_TOO_LARGE && t->op.job.ndim == 3 && gf_series_is_in_order(t);
}

const char *gf_idwt_planes_refuses(const struct gf_task *t) {
    const struct gf_job job = gf_job_volume(&t->op.job);
    const char *why = gf_slab_wavelet_refuses(&job);
    if (!why && t->image.px.shape[t->image.ndim] != t->op.job.channels)
        why = gf_why(GF_WHY_ALPHA);
    if (!why)
        why = gf_planes_unsurveyed(t);
    if (!why)
        why = gf_task_refuses_input(t, t->image.ndim == 2 ? GF_ROW : GF_PAGE);
    return why ? why : gf_task_refuses_outputs(t, in_order(t));
}

/* Describes the chunks of `hands` hands at a time. */
static int describe(const struct gf_task *t, int hands, struct gf_slab_wavelet *w) {
    int64_t coders = t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0;
    struct gf_job job = gf_job_volume(&t->op.job);
    coders += gf_finite_bytes(&t->reader, &t->image) + gf_dwt_survey_bytes(&job);
    if (!has_rows(t)) /* the current page, and a frame's decoded copy */
        coders += (t->s->frames ? 2 : 1) * t->image.px.stride[0];
    job.lean = job.spend_input = false;
    return gf_slab_wavelet_make(&job, gf_runner_limit(t->op.crew.runner) / hands - coders, w);
}

bool gf_idwt_planes_plan(const struct gf_task *t, struct gf_slab_wavelet *w) {
    return !gf_idwt_planes_refuses(t) && !describe(t, 1, w);
}

int gf_idwt_planes_count(const struct gf_task *t, const struct gf_engine *e,
                         struct gf_slab_wavelet *w) {
    if (t->op.job.ndim != 3 || gf_idwt_planes_refuses(t) ||
        describe(t, gf_engine_devices(e) * gf_planes_hands(&t->op.job), w))
        return 0;
    const int n = gf_planes_count(&t->op.job, e);
    return n > 1 ? n : 0;
}

/* Copies rows of the current page, after reading the page with them. */
static int copy_rows(struct run *r, const struct gf_slab_rows *rows, void *to) {
    const struct gf_task *t = r->hand->t;
    int rc = 0;
    if (rows->page != r->at)
        rc = gf_planes_read(r->hand->reader, &t->image, rows->page, &r->page);
    r->at = rc ? -1 : rows->page;
    if (!rc)
        memcpy(to, (char *)r->page.data + rows->row * r->page.stride[0],
               (size_t)(rows->count * r->page.stride[0]));
    return rc;
}

static int read_rows(void *user, const struct gf_slab_rows *rows, void *to) {
    struct run *r = user;
    struct gf_planes_hand *h = r->hand;
    const struct gf_task *t = h->t;
    const int64_t *columns = t->image.px.shape + t->image.ndim - 1; /* and channels */
    const bool picture = t->image.ndim == 2;
    double start = gf_now_ms();
    h->at = rows->page;
    struct gf_array a =
        gf_array_wrap(to, t->image.px.dtype, 3, (int64_t[]){rows->count, columns[0], columns[1]});
    const int64_t first = picture ? rows->page : rows->page * columns[-1] + rows->row;
    int rc = has_rows(t) ? gf_finite_read(h->reader, &t->image, GF_ROW, first, &a)
                         : copy_rows(r, rows, to);
    h->ms_read += gf_now_ms() - start;
    return rc;
}

static int write_rows(void *user, int i, const struct gf_slab_rows *rows, const void *data) {
    const struct run *r = user;
    const struct gf_task *t = r->hand->t;
    const struct gf_array *px = &t->product[i].image.px;
    struct gf_volume *volume = r->planes->out[i].volume;
    const int64_t *columns = px->shape + t->op.job.ndim - 1; /* and channels */
    double start = gf_now_ms();
    const struct gf_array page = gf_array_wrap((void *)data, px->dtype, 4,
                                               (int64_t[]){1, rows->count, columns[0], columns[1]});
    const struct gf_volume_box box = gf_planes_box(
        t, &(struct gf_volume_box){rows->page, rows->row, 0, rows->count, columns[0]});
    r->hand->overflowed[i] += gf_task_overflowed(t, &page);
    int rc = r->planes->in_order
                 ? gf_product_put(t->s, &t->product[i], &t->image.metadata, volume, box.z, &page)
                 : gf_volume_write(volume, &box, data, page.stride[1]);
    r->hand->ms_write += gf_now_ms() - start;
    return rc;
}

static int run_job(void *user, const struct gf_job *job, const struct gf_array *in,
                   struct gf_array *out, struct gf_report *report) {
    struct gf_planes_hand *h = ((struct run *)user)->hand;
    double start = gf_now_ms();
    int rc = gf_runner_plan(h->runner, job);
    if (!rc)
        rc = gf_runner_run(h->runner, in, out, report);
    h->ms_transform += gf_now_ms() - start;
    return rc;
}

static void moved(void *user, int64_t bytes) {
    const struct gf_slab_wavelet *w = &((const struct run *)user)->wavelet;
    gf_progress_share(fmin(1, (double)bytes / (double)(w->bytes_read + w->bytes_written)));
}

static int run_part(const struct gf_planes_work *p, struct gf_planes_hand *hand, int i) {
    const struct gf_task *t = hand->t;
    struct gf_report report = {.kept = 0};
    struct run r = {.planes = p, .hand = hand, .at = -1};
    const struct gf_slab_io io = {.user = &r,
                                  .threads = gf_settings_threads(t->s),
                                  .read_rows = read_rows,
                                  .write = write_rows,
                                  .run = run_job,
                                  .moved = p->parts ? NULL : moved};
    gf_slab_wavelet_part(&p->inverse, p->parts ? p->parts : 1, i, &r.wavelet);
    r.wavelet.job.wavelet = p->survey->job.wavelet;
    hand->reader->any_order = true;
    const int rc = gf_slab_wavelet_run(&r.wavelet, &io, &report);
    for (int k = 0; k < GF_MAX_OUTPUTS; k++)
        hand->clipped[k] += report.clipped[k];
    gf_array_free(&r.page);
    return rc;
}

/* Reads this process's share of the planes. */
static int look(const struct gf_planes_work *p) {
    struct gf_task *t = p->t;
    const struct gf_span own = gf_ranks_own(t->ranks, t->image.px.shape[0]);
    struct gf_array plane = {0};
    int rc = 0;
    t->reader.any_order = true;
    for (int64_t z = own.first; z < own.first + own.count && !rc; z++) {
        rc = gf_planes_read(&t->reader, &t->image, z, &plane);
        if (!rc)
            gf_dwt_survey_plane(p->survey, z, &plane);
    }
    gf_array_free(&plane);
    return rc;
}

int gf_idwt_planes_stream(struct gf_task *t) {
    struct gf_planes_work p = {.t = t, .run = run_part, .look = look, .in_order = in_order(t)};
    const char *why = gf_planes_must(t) ? gf_idwt_planes_refuses(t) : NULL;
    int rc = why ? gf_planes_refuse(t, why) : gf_planes_must(t) ? describe(t, 1, &p.inverse) : 0;
    rc = gf_ranks_agree(t->ranks, rc);
    if (rc)
        return rc;
    if (t->ranks)
        p.parts = gf_planes_parts(t);
    else if (!in_order(t) && gf_planes_may_share(t))
        p.parts = gf_idwt_planes_count(t, t->deal, &p.inverse);
    if (!gf_planes_must(t) && !p.parts)
        return 0;
    rc = gf_planes_run(&p);
    if (rc)
        return rc;
    gf_slab_wavelet_part(&p.inverse, p.parts ? p.parts : 1, 0, &p.inverse);
    gf_log_verbose("'%s': %lld %s, up to %lld at once", gf_log_name(t->name),
                   (long long)t->op.job.shape[0], gf_planes_unit(t),
                   2 * (long long)p.inverse.pairs);
    return 0;
}
