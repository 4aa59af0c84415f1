/* Writes outputs in parts. Rank 0 makes the file, the others join it, all compute its checksum. */
#include "cli/batch/shared_output.h"

#include <stdlib.h>

#include "cli/log.h"
#include "core/base/host/clock.h"

int gf_shared_sum(struct gf_ranks *ranks, const struct gf_chain *of, int64_t base, int64_t bytes,
                  uint32_t *total) {
    const struct gf_span own = gf_ranks_own(ranks, bytes);
    const int64_t begin = base + own.first;
    uint32_t crc = 0, *all = malloc((size_t)ranks->size * sizeof *all);
    int rc = all ? gf_crc32_part(of, begin, begin + own.count, &crc) : gf_no_memory();
    rc = gf_ranks_agree(ranks, rc);
    if (!rc)
        rc = gf_ranks_gather(ranks, &crc, sizeof crc, all);
    *total = 0;
    for (int i = 0; i < ranks->size && !rc; i++)
        *total = gf_crc32_join(*total, all[i], gf_span_share(bytes, ranks->size, i).count);
    free(all);
    return rc;
}

/* The outputs, and what is drawn beside them. */
static int count(const struct gf_task *t) {
    return t->hooks->draw_aside ? t->targets->n : t->op.job.n_out;
}

static bool is_bands(const struct gf_task *t, int i) {
    return i < count(t) && t->product[i].target->bands;
}

int gf_shared_files(const struct gf_task *t) {
    struct gf_dwt_band band[GF_MAX_BANDS];
    int n = count(t);
    for (int i = count(t); i-- > 0;)
        n += is_bands(t, i) ? gf_dwt_bands(&t->op.job, band) : 0;
    return n;
}

/* Tells all processes where rank 0 placed an output's samples. The caller frees frame->at. */
static int share_frame(struct gf_ranks *ranks, const struct gf_volume *volume,
                       struct gf_frame *frame) {
    const int64_t *strips = frame->at;
    int64_t n = ranks->rank == 0 ? gf_volume_strips(volume) : 0;
    frame->at = NULL;
    int rc = gf_ranks_share(ranks, frame, sizeof *frame, 0);
    if (!rc)
        rc = gf_ranks_share(ranks, &n, sizeof n, 0);
    if (rc || !n)
        return rc;
    frame->at = malloc((size_t)n * sizeof *frame->at);
    rc = gf_ranks_agree(ranks, frame->at ? 0 : gf_no_memory());
    if (!rc && ranks->rank == 0)
        memcpy(frame->at, strips, (size_t)n * sizeof *frame->at);
    return rc ? rc : gf_ranks_share(ranks, frame->at, n * (int64_t)sizeof *frame->at, 0);
}

/* Makes the file, in rank 0. */
static int lend(const struct gf_task *t, const struct gf_product *file, struct gf_shared_output *o,
                struct gf_frame *frame) {
    const char *temporary;
    int rc = gf_product_open(t->s, file, &t->image.metadata, false, &o->volume);
    if (!rc)
        rc = gf_volume_lend(o->volume, &temporary, frame);
    char *whole = rc ? NULL : realpath(temporary, NULL);
    if (!rc && (!whole || strlen(whole) >= sizeof o->path))
        rc = gf_fail(GF_EIO, "cannot find the temporary");
    if (!rc)
        strcpy(o->path, whole);
    free(whole);
    return rc;
}

static int create_file(struct gf_task *t, const struct gf_product *file,
                       struct gf_shared_output *o) {
    struct gf_ranks *ranks = t->ranks;
    struct gf_frame frame = {.at = NULL};
    if (!ranks)
        return gf_product_open(t->s, file, &t->image.metadata, o->in_order, &o->volume);
    int rc = gf_ranks_agree(ranks, ranks->rank ? 0 : lend(t, file, o, &frame));
    if (!rc)
        rc = gf_ranks_share(ranks, o->path, sizeof o->path, 0);
    if (rc)
        return rc;
    rc = share_frame(ranks, o->volume, &frame);
    if (!rc && ranks->rank)
        rc = gf_product_join(file, o->path, &frame, &o->volume);
    o->base = frame.base;
    o->bytes = frame.at || rc ? 0 : gf_volume_bytes(o->volume);
    o->summed = file->has_record && file->format->record_beside;
    free(frame.at);
    return gf_ranks_agree(ranks, rc);
}

static int create_bands(struct gf_task *t, const struct gf_product *p, struct gf_shared_output *o) {
    struct gf_dwt_band band[GF_MAX_BANDS];
    const int n = gf_dwt_bands(&t->op.job, band);
    int rc = gf_ranks_agree(t->ranks, gf_product_folder(p));
    for (int i = 0; i < n && !rc; i++) {
        struct gf_product file;
        rc = gf_ranks_agree(t->ranks, gf_product_band(p, &band[i], &file));
        if (!rc)
            rc = create_file(t, &file, &o[i]);
        free(file.path);
    }
    return rc;
}

static int create(struct gf_task *t, int i, bool in_order, struct gf_shared_output *out) {
    const struct gf_product file = gf_series_product(t, i);
    const bool aside = t->product[i].target->aside;
    if (file.target->bands)
        return create_bands(t, &file, out + count(t));
    const int taken = aside ? 0 : gf_series_take(t, i, in_order, &out[i]);
    if (taken)
        return taken < 0 ? taken : 0;
    out[i].in_order = in_order && !aside;
    return create_file(t, &file, &out[i]);
}

static int leave(struct gf_ranks *ranks, struct gf_shared_output *o) {
    struct gf_source *file = NULL;
    uint32_t crc = 0;
    int rc = gf_ranks_agree(ranks, gf_volume_leave(&o->volume));
    const bool sums = !rc && o->bytes && o->summed;
    if (sums)
        rc = gf_ranks_agree(ranks, gf_source_open(o->path, &file));
    if (sums && !rc)
        rc = gf_shared_sum(ranks, &(struct gf_chain){file, NULL}, o->base, o->bytes, &crc);
    gf_source_close(file);
    return gf_ranks_agree(ranks, rc || ranks->rank ? rc : gf_volume_written(o->volume, crc));
}

/* True if output i stays open for the volumes that follow. */
static bool stays_open(const struct gf_task *t, int i) {
    return i < count(t) && gf_series_joins(t, i) && gf_series_goes_on(t);
}

/* Leaves all outputs, and adds up what the processes counted. */
static int leave_all(struct gf_task *t, struct gf_shared_output *out) {
    double overflowed[GF_MAX_OUTPUTS];
    int rc = 0;
    for (int i = 0; i < gf_shared_files(t) && !rc; i++)
        rc = stays_open(t, i) || is_bands(t, i) ? 0 : leave(t->ranks, &out[i]);
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        overflowed[i] = (double)t->op.overflowed[i];
    if (!rc)
        rc = gf_ranks_sum(t->ranks, overflowed, GF_MAX_OUTPUTS);
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        t->op.overflowed[i] = (int64_t)overflowed[i];
    gf_log_mute(t->ranks->rank != 0);
    return rc;
}

/* Called when all outputs are written and the input is read; check() may still refuse them. */
static int finish(struct gf_task *t, struct gf_shared_output *out) {
    struct gf_file *file = t->reader.file[0];
    int rc = file ? gf_file_check_size(file) : 0;
    if (!rc && file)
        rc = gf_file_check(file);
    rc = gf_ranks_agree(t->ranks, rc);
    if (!rc && t->ranks)
        rc = leave_all(t, out);
    return rc ? rc : gf_ranks_agree(t->ranks, t->hooks->check(t));
}

/* Commits the outputs, or after a failure aborts them. */
static int end(struct gf_task *t, struct gf_shared_output *out, int rc) {
    const double start = gf_now_ms();
    const int before = rc;
    for (int i = 0; i < gf_shared_files(t); i++)
        if (!rc && stays_open(t, i))
            rc = gf_series_keep(t, i, &out[i]);
        else if (!rc && out[i].volume)
            rc = gf_volume_commit(out[i].volume);
        else
            gf_volume_abort(out[i].volume);
    t->op.ms.encode += gf_now_ms() - start;
    return before ? rc : gf_ranks_agree(t->ranks, rc);
}

int gf_shared_run(struct gf_task *t, bool in_order,
                  int (*work)(void *user, struct gf_shared_output *out), void *user) {
    struct gf_shared_output *out = calloc((size_t)gf_shared_files(t), sizeof *out);
    int rc = gf_ranks_agree(t->ranks, out ? 0 : gf_no_memory());
    if (rc) {
        free(out);
        gf_series_close(t);
        return rc;
    }
    for (int i = 0; i < count(t) && !rc; i++)
        rc = create(t, i, in_order, out);
    if (!rc)
        rc = work(user, out);
    const bool draws = count(t) > t->op.job.n_out;
    if (!rc && draws && (!t->ranks || !t->ranks->rank))
        rc = t->hooks->draw_aside(t, out[t->op.job.n_out].volume);
    if (draws)
        rc = gf_ranks_agree(t->ranks, rc);
    if (!rc)
        rc = finish(t, out);
    rc = end(t, out, rc);
    free(out);
    gf_series_close(t);
    t->state = rc ? t->state : GF_TASK_WRITTEN;
    return rc;
}
