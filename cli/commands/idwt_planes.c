/* idwt of volumes that do not fit memory, or that several devices share: all levels in one walk, a few planes
 * at a time (core/slab/wavelet.h). */
#include "cli/commands/idwt_planes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/batch/store.h"
#include "cli/commands/part_share.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "core/base/clock.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"
#include "formats/volume.h"

enum { PARTS_A_DEVICE = 8 };

/* All planes, or those of a part. */
struct run {
    struct gf_part_hand *hand;
    struct gf_slab_wavelet wavelet;
    struct gf_volume *const *volume; /* NULL with {page} */
    struct gf_array page;            /* where a file's rows cannot be read by themselves */
    int64_t at;                      /* which page that is; -1: none */
};

/* Those that hands run. */
struct parts {
    int n;
    struct gf_slab_wavelet all;
    struct gf_volume *const *volume;
};

static bool has_rows(const struct gf_task *t) {
    return t->s->plan_only || (!t->s->frames && gf_file_has_rows(t->reader.file[0]));
}

/* NULL, or the reason why all has to be in memory. */
static const char *refuses(const struct gf_task *t) {
    const char *why = gf_slab_wavelet_refuses(&t->job);
    if (why)
        return why;
    if (t->image.ndim != 3 || t->image.px.shape[3] != t->job.channels)
        return "pictures with alpha are not";
    if (t->s->nan == GF_NAN_MEAN)
        return "--nan=mean takes the mean of all samples";
    if (t->s->plan_only)
        return NULL;
    if (!gf_reader_has_pages(&t->reader, t->s))
        return "an array in Fortran order is not";
    for (int i = 0; i < t->targets->n && !why; i++)
        why = gf_product_pages_refused(&t->product[i]);
    return why;
}

/* For so many at a time. */
static int describe(const struct gf_task *t, int hands, struct gf_slab_wavelet *w) {
    int64_t coders = t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0;
    struct gf_job job = t->job;
    if (!has_rows(t)) /* a page that is kept; a frame is decoded beside it */
        coders += (t->s->frames ? 2 : 1) * t->image.px.stride[0];
    job.lean = job.spend_input = false;
    return gf_slab_wavelet_make(&job, gf_runner_limit(t->runner) / hands - coders, w);
}

bool gf_idwt_planes_plan(const struct gf_task *t, struct gf_slab_wavelet *w) {
    return !refuses(t) && !describe(t, 1, w);
}

int gf_idwt_planes_count(const struct gf_task *t, const struct gf_deal *d,
                         struct gf_slab_wavelet *w) {
    if (refuses(t) || !gf_part_streams(d) || describe(t, d->n * GF_IDWT_STREAMS, w))
        return 0;
    const int n = gf_part_count(gf_slab_wavelet_parts(&t->job, PARTS_A_DEVICE * d->n), d);
    return n > 1 ? n : 0;
}

/* Rows of the page that is kept, which becomes the one that has them. */
static int copy_rows(struct run *r, const struct gf_slab_rows *rows, void *to) {
    const struct gf_task *t = r->hand->t;
    int rc = 0;
    if (rows->page != r->at)
        rc = gf_reader_pages(r->hand->reader, t->s, t->read, &t->image, rows->page, &r->page);
    r->at = rc ? -1 : rows->page;
    if (!rc)
        memcpy(to, (char *)r->page.data + rows->row * r->page.stride[1],
               (size_t)(rows->count * r->page.stride[1]));
    return rc;
}

static int read_rows(void *user, const struct gf_slab_rows *rows, void *to) {
    struct run *r = user;
    struct gf_part_hand *h = r->hand;
    const struct gf_task *t = h->t;
    const int64_t *shape = t->image.px.shape;
    int64_t first[GF_MAX_RANK];
    double start = gf_now_ms();
    h->at = rows->page;
    int rc = r->page.data ? copy_rows(r, rows, to)
                          : gf_file_read_rows(h->reader->file[0], &t->image, rows->page, rows->row,
                                              rows->count, to);
    struct gf_array a =
        gf_array_wrap(to, t->image.px.dtype, 3, (int64_t[]){rows->count, shape[2], shape[3]});
    if (!rc && gf_array_nonfinite(&a, first)) {
        if (t->s->nan == GF_NAN_REFUSE)
            rc = gf_load_refuse_pages(h->reader, t->s, t->read, &t->image, 0);
        else
            gf_samples_mend(&a, false);
    }
    h->sum.ms_read += gf_now_ms() - start;
    return rc;
}

/* In the order of the planes, or to its place in a volume that others write to too. */
static int put_page(const struct run *r, int i, const struct gf_slab_rows *rows,
                    const struct gf_array *page) {
    const struct gf_task *t = r->hand->t;
    const struct gf_volume_box box = {
        .z = rows->page, .y = rows->row, .height = rows->count, .width = page->shape[2]};
    if (!r->wavelet.in_part)
        return gf_product_put(t->s, &t->product[i], &t->image.metadata, r->volume[i], rows->page,
                              page);
    return gf_volume_write(r->volume[i], &box, page->data, page->stride[1]);
}

static int write_rows(void *user, int i, const struct gf_slab_rows *rows, const void *data) {
    const struct run *r = user;
    const struct gf_array *px = &r->hand->t->product[i].image.px;
    int64_t first[GF_MAX_RANK];
    double start = gf_now_ms();
    const struct gf_array page = gf_array_wrap(
        (void *)data, px->dtype, 4, (int64_t[]){1, rows->count, px->shape[2], px->shape[3]});
    r->hand->sum.overflowed[i] += gf_array_nonfinite(&page, first);
    int rc = put_page(r, i, rows, &page);
    r->hand->sum.ms_write += gf_now_ms() - start;
    return rc;
}

static int run_job(void *user, const struct gf_job *job, const struct gf_array *in,
                   struct gf_array *out, struct gf_report *report) {
    struct gf_part_hand *h = ((struct run *)user)->hand;
    double start = gf_now_ms();
    int rc = gf_runner_plan(h->runner, job);
    if (!rc)
        rc = gf_runner_run(h->runner, in, out, report);
    h->sum.ms_transform += gf_now_ms() - start;
    return rc;
}

static void moved(void *user, int64_t bytes) {
    const struct gf_slab_wavelet *w = &((const struct run *)user)->wavelet;
    gf_progress_share(fmin(1, (double)bytes / (double)(w->bytes_read + w->bytes_written)));
}

static int run_planes(struct run *r, struct gf_report *report) {
    const struct gf_task *t = r->hand->t;
    struct gf_array page = t->image.px;
    const struct gf_slab_io io = {.user = r,
                                  .threads = gf_settings_threads(t->s),
                                  .read_rows = read_rows,
                                  .write = write_rows,
                                  .run = run_job,
                                  .moved = r->wavelet.in_part ? NULL : moved};
    int rc = 0;
    page.shape[0] = 1;
    if (!has_rows(t))
        rc = gf_array_alloc(&r->page, page.dtype, page.rank, page.shape);
    if (!rc)
        rc = gf_slab_wavelet_run(&r->wavelet, &io, report);
    gf_array_free(&r->page);
    return rc;
}

/* By the task's own device. */
static int run_alone(struct gf_task *t, const struct gf_slab_wavelet *w,
                     struct gf_volume *const *volume) {
    struct gf_part_hand hand = {.t = t, .reader = &t->reader, .runner = t->runner};
    struct run r = {.hand = &hand, .wavelet = *w, .volume = volume, .at = -1};
    int rc = run_planes(&r, &t->report);
    t->ms_decode += hand.sum.ms_read;
    t->ms_transform += hand.sum.ms_transform;
    t->ms_encode += hand.sum.ms_write;
    memcpy(t->overflowed, hand.sum.overflowed, sizeof t->overflowed);
    return rc;
}

static int run_part(void *user, struct gf_part_hand *hand, int i) {
    const struct parts *p = user;
    struct gf_report report;
    struct run r = {.hand = hand, .volume = p->volume, .at = -1};
    gf_slab_wavelet_part(&p->all, p->n, i, &r.wavelet);
    int rc = run_planes(&r, &report);
    for (int k = 0; k < GF_MAX_OUTPUTS; k++)
        hand->sum.clipped[k] += report.clipped[k];
    return rc;
}

static int run_parts(struct gf_task *t, struct parts *p) {
    const struct gf_part_work work = {
        .parts = p->n, .streams = GF_IDWT_STREAMS, .run = run_part, .user = p};
    struct gf_part_sum sum = {.peak = 0};
    for (int i = 0; i < t->job.n_out; i++)
        gf_volume_share(p->volume[i], t->deal->n * GF_IDWT_STREAMS);
    return gf_part_share(t, &work, &sum);
}

/* The outputs, each where planes are written in their order or to their places. */
static int begin(struct gf_task *t, bool in_order, struct gf_volume **volume) {
    int rc = 0;
    for (int i = 0; i < t->job.n_out && !rc; i++)
        rc = (in_order ? gf_product_begin : gf_product_create)(t->s, &t->product[i],
                                                               &t->image.metadata, &volume[i]);
    return rc;
}

static int commit(struct gf_task *t, struct gf_volume **volume) {
    int rc = 0;
    for (int i = 0; i < t->job.n_out && !rc; i++) {
        rc = volume[i] ? gf_volume_commit(volume[i]) : 0;
        volume[i] = NULL;
    }
    return rc;
}

/* By one device, or in p->n parts by several. */
static int stream(struct gf_task *t, struct parts *p) {
    struct gf_volume *volume[GF_MAX_OUTPUTS] = {NULL};
    int rc = begin(t, !p->n, volume);
    p->volume = volume;
    if (!rc)
        rc = p->n ? run_parts(t, p) : run_alone(t, &p->all, volume);
    gf_progress_share(0);
    if (!rc && t->reader.file[0])
        rc = gf_file_check_size(t->reader.file[0]);
    gf_reader_close(&t->reader);
    if (!rc)
        rc = t->hooks->check(t);
    const double start = gf_now_ms();
    if (!rc)
        rc = commit(t, volume);
    t->ms_encode += gf_now_ms() - start;
    for (int i = 0; i < t->job.n_out; i++)
        gf_volume_abort(volume[i]);
    if (rc)
        return rc;
    struct gf_slab_wavelet most;
    gf_slab_wavelet_part(&p->all, p->n ? p->n : 1, 0, &most);
    gf_log_verbose("'%s': %lld planes, up to %lld at once", gf_log_name(t->name),
                   (long long)t->job.shape[0], 2 * (long long)most.pairs);
    return 0;
}

/* How many parts devices share, 0: none. Planes are written in any order. */
static int choose_parts(const struct gf_task *t, struct gf_slab_wavelet *w) {
    if (!gf_part_may_share(t))
        return 0;
    for (int i = 0; i < t->targets->n; i++)
        if (gf_product_rows_refused(t->s, &t->product[i]))
            return 0;
    return gf_idwt_planes_count(t, t->deal, w);
}

/* Whether several devices share the task, which is outlined then. */
static int look_for_parts(struct gf_task *t, struct parts *p) {
    if (t->too_large || !t->deal || t->deal->n < 2)
        return 0;
    int rc = gf_task_outline(t);
    if (!rc && !t->skipped && t->prepared)
        p->n = choose_parts(t, &p->all);
    return rc;
}

int gf_idwt_planes_stream(struct gf_task *t, bool *done) {
    char need[512];
    struct parts p = {.n = 0};
    snprintf(need, sizeof need, "%s", gf_message());
    int rc = look_for_parts(t, &p);
    *done = t->too_large || p.n || t->skipped;
    if (rc || !*done || t->skipped)
        return rc;
    const char *why = p.n ? NULL : refuses(t);
    if (why)
        return gf_fail(GF_ENOMEM, "%s; not plane by plane: %s", need, why);
    rc = p.n ? 0 : describe(t, 1, &p.all);
    return rc ? rc : stream(t, &p);
}
