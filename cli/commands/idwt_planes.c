/* idwt of volumes that do not fit memory: all levels in one walk, a few planes at a time
 * (core/slab/wavelet.h). */
#include "cli/commands/idwt_planes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/batch/store.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "core/base/clock.h"
#include "core/base/sample_value.h"
#include "core/base/status.h"
#include "formats/volume.h"

struct run {
    struct gf_task *t;
    struct gf_slab_wavelet wavelet;
    struct gf_volume *volume[GF_MAX_OUTPUTS]; /* NULL with {page} */
    struct gf_array page;                     /* where a file's rows cannot be read by themselves */
    int64_t at;                               /* which page that is; -1: none */
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

static int describe(const struct gf_task *t, struct gf_slab_wavelet *w) {
    int64_t coders = t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0;
    struct gf_job job = t->job;
    if (!has_rows(t)) /* a page that is kept; a frame is decoded beside it */
        coders += (t->s->frames ? 2 : 1) * t->image.px.stride[0];
    job.lean = job.spend_input = false;
    return gf_slab_wavelet_make(&job, gf_runner_limit(t->runner) - coders, w);
}

bool gf_idwt_planes_plan(const struct gf_task *t, struct gf_slab_wavelet *w) {
    return !refuses(t) && !describe(t, w);
}

/* Rows of the page that is kept, which becomes the one that has them. */
static int copy_rows(struct run *r, const struct gf_slab_rows *rows, void *to) {
    struct gf_task *t = r->t;
    int rc = 0;
    if (rows->page != r->at)
        rc = gf_reader_pages(&t->reader, t->s, t->read, &t->image, rows->page, &r->page);
    r->at = rc ? -1 : rows->page;
    if (!rc)
        memcpy(to, (char *)r->page.data + rows->row * r->page.stride[1],
               (size_t)(rows->count * r->page.stride[1]));
    return rc;
}

static int read_rows(void *user, const struct gf_slab_rows *rows, void *to) {
    struct run *r = user;
    struct gf_task *t = r->t;
    const int64_t *shape = t->image.px.shape;
    int64_t first[GF_MAX_RANK];
    double start = gf_now_ms();
    int rc = r->page.data ? copy_rows(r, rows, to)
                          : gf_file_read_rows(t->reader.file[0], &t->image, rows->page, rows->row,
                                              rows->count, to);
    struct gf_array a =
        gf_array_wrap(to, t->image.px.dtype, 3, (int64_t[]){rows->count, shape[2], shape[3]});
    if (!rc && gf_array_nonfinite(&a, first)) {
        if (t->s->nan == GF_NAN_REFUSE)
            rc = gf_load_refuse_pages(&t->reader, t->s, t->read, &t->image, 0);
        else
            gf_samples_mend(&a, false);
    }
    t->ms_decode += gf_now_ms() - start;
    return rc;
}

static int write_rows(void *user, int i, const struct gf_slab_rows *rows, const void *data) {
    const struct run *r = user;
    struct gf_task *t = r->t;
    const struct gf_array *px = &t->product[i].image.px;
    int64_t first[GF_MAX_RANK];
    double start = gf_now_ms();
    const struct gf_array page = gf_array_wrap(
        (void *)data, px->dtype, 4, (int64_t[]){1, rows->count, px->shape[2], px->shape[3]});
    t->overflowed[i] += gf_array_nonfinite(&page, first);
    int rc =
        gf_product_put(t->s, &t->product[i], &t->image.metadata, r->volume[i], rows->page, &page);
    t->ms_encode += gf_now_ms() - start;
    return rc;
}

static int run_job(void *user, const struct gf_job *job, const struct gf_array *in,
                   struct gf_array *out, struct gf_report *report) {
    struct gf_task *t = ((struct run *)user)->t;
    double start = gf_now_ms();
    int rc = gf_runner_plan(t->runner, job);
    if (!rc)
        rc = gf_runner_run(t->runner, in, out, report);
    t->ms_transform += gf_now_ms() - start;
    return rc;
}

static void moved(void *user, int64_t bytes) {
    const struct gf_slab_wavelet *w = &((const struct run *)user)->wavelet;
    gf_progress_share(fmin(1, (double)bytes / (double)(w->bytes_read + w->bytes_written)));
}

static int commit(struct run *r) {
    int rc = 0;
    for (int i = 0; i < r->t->job.n_out && !rc; i++) {
        rc = r->volume[i] ? gf_volume_commit(r->volume[i]) : 0;
        r->volume[i] = NULL;
    }
    return rc;
}

static int stream(struct gf_task *t) {
    struct run r = {.t = t, .at = -1};
    struct gf_array page = t->image.px;
    const struct gf_slab_io io = {.user = &r,
                                  .threads = gf_settings_threads(t->s),
                                  .read_rows = read_rows,
                                  .write = write_rows,
                                  .run = run_job,
                                  .moved = moved};
    int rc = describe(t, &r.wavelet);
    page.shape[0] = 1;
    if (!rc && !has_rows(t))
        rc = gf_array_alloc(&r.page, page.dtype, page.rank, page.shape);
    for (int i = 0; i < t->job.n_out && !rc; i++)
        rc = gf_product_begin(t->s, &t->product[i], &t->image.metadata, &r.volume[i]);
    if (!rc)
        rc = gf_slab_wavelet_run(&r.wavelet, &io, &t->report);
    gf_progress_share(0);
    gf_array_free(&r.page);
    if (!rc && t->reader.file[0])
        rc = gf_file_check_size(t->reader.file[0]);
    gf_reader_close(&t->reader);
    if (!rc)
        rc = t->hooks->check(t);
    if (!rc)
        rc = commit(&r);
    for (int i = 0; i < t->job.n_out; i++)
        gf_volume_abort(r.volume[i]);
    if (!rc)
        gf_log_verbose("'%s': %lld planes, up to %lld at once", gf_log_name(t->name),
                       (long long)t->job.shape[0], 2 * (long long)r.wavelet.pairs);
    return rc;
}

int gf_idwt_planes_stream(struct gf_task *t, bool *done) {
    char need[512];
    *done = t->too_large;
    if (!*done)
        return 0;
    snprintf(need, sizeof need, "%s", gf_message());
    const char *why = refuses(t);
    return why ? gf_fail(GF_ENOMEM, "%s; not plane by plane: %s", need, why) : stream(t);
}
