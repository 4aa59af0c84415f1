/* dwt of frames, raw volumes, and others that do not fit memory: plane after plane is read, pushed
 * through a stream (core/wavelet/stream.h), and what is finished is written to its place. */
#include "cli/commands/dwt_frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/log.h"
#include "cli/batch/job_record.h"
#include "cli/batch/store.h"
#include "cli/commands/wavelet.h"
#include "cli/commands/dwt_share.h"
#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/status.h"
#include "formats/volume.h"

/* Inputs that are always read plane by plane; others are where they are too large, or several devices
 * share them. */
static bool is_usual(const struct gf_settings *s) {
    return s->frames || (s->shape.n == 3 && s->channels_last == GF_UNSET);
}

static bool is_shared(const struct gf_task *t) {
    return t->image.ndim == 3 && !gf_dwt_stream_refuses(&t->job) && gf_dwt_share_parts(t) > 1;
}

/* NULL, or the reason why all has to be in memory. */
static const char *refuses(const struct gf_task *t) {
    const struct gf_settings *s = t->s;
    struct gf_write_options options = gf_settings_write_options(s);
    const struct gf_product *p = &t->product[0];
    const bool usual = is_usual(s);
    if (!usual && !t->too_large && !is_shared(t))
        return "only --frames and raw volumes are read plane by plane";
    if (!s->frames && !s->plan_only && !gf_reader_has_pages(&t->reader, s))
        return "the input is read in one piece";
    if ((!usual || t->too_large) && t->image.alpha)
        return "pictures with alpha are not";
    if (t->image.ndim != 3 || !(t->job.axes & 1) || t->image.px.shape[0] < 2)
        return "planes are not transformed along z";
    if (t->job.n_out != 1 || p->bands || p->where->has_page || t->job.out[0].map != GF_MAP_NUMBER)
        return "pictures and bands are made from all coefficients";
    if (gf_wavelet_refuses_pages(s))
        return gf_wavelet_refuses_pages(s);
    if (s->nan == GF_NAN_MEAN)
        return "--nan=mean takes the mean of all samples";
    if (!gf_session_streaming(t->runner->session))
        return "this backend does not transform plane by plane";
    return gf_volume_refuses(p->path, p->format, &options);
}

static int create(struct gf_task *t, struct gf_volume **volume) {
    struct gf_product *p = &t->product[0];
    if (t->too_large || !is_usual(t->s))
        return gf_product_create(t->s, p, &t->image.metadata, volume);
    struct gf_write_options options = gf_settings_write_options(t->s);
    struct gf_image image = p->image;
    struct gf_record record = gf_record_of_job(&t->job, 0, &t->image, false);
    int rc = gf_record_format(&record, &image.record);
    if (rc)
        return rc;
    rc = gf_volume_create(p->path, p->format, &image, &options, t->s->clobber, volume);
    free(image.record);
    return rc;
}

/* One writes. */
static int threads_of(const struct gf_task *t) {
    const int all = gf_settings_threads(t->s);
    return all > 1 ? all - 1 : 1;
}

static int64_t bytes_of(const struct gf_task *t) {
    return gf_dwt_run_bytes(t, t->runner, &t->job, threads_of(t));
}

int64_t gf_dwt_frames_bytes(const struct gf_task *t) {
    struct gf_task large = *t;
    large.too_large = true;
    return refuses(&large) ? -1 : bytes_of(t);
}

/* By the task's own device. */
static int run_alone(struct gf_task *t, struct gf_volume *volume, struct gf_part_sum *sum) {
    struct gf_part_hand hand = {
        .t = t, .reader = &t->reader, .runner = t->runner, .threads = threads_of(t)};
    struct gf_dwt_run run = {.hand = &hand};
    struct gf_dwt_part all;
    gf_dwt_part(&t->job, 1, 0, &all);
    int rc = gf_dwt_run_part(&run, &all, volume);
    *sum = hand.sum;
    t->ms_decode = sum->ms_read;
    t->ms_transform = sum->ms_transform;
    t->ms_encode = sum->ms_write;
    t->overflowed[0] = sum->overflowed[0];
    return rc;
}

/* How many parts devices share, 0: none, where there is memory for a stream of each. */
static int choose_parts(const struct gf_task *t) {
    const int parts = gf_dwt_share_parts(t);
    return parts && !gf_memory_check(gf_dwt_share_bytes(t, parts), gf_runner_limit(t->runner))
               ? parts
               : 0;
}

static int stream(struct gf_task *t) {
    struct gf_part_sum sum = {.peak = 0};
    struct gf_volume *volume = NULL;
    const double start = gf_now_ms();
    const int parts = choose_parts(t);
    int rc = gf_memory_check(bytes_of(t), gf_runner_limit(t->runner));
    if (!rc)
        rc = create(t, &volume);
    if (!rc && parts)
        gf_volume_share(volume, t->deal->n);
    if (!rc)
        rc = parts ? gf_dwt_share_run(t, parts, volume, &sum) : run_alone(t, volume, &sum);
    if (!rc && !t->s->frames)
        rc = gf_file_check_size(t->reader.file[0]);
    if (!rc) {
        const double before = gf_now_ms();
        rc = gf_volume_commit(volume);
        volume = NULL;
        t->ms_encode += gf_now_ms() - before;
    }
    gf_volume_abort(volume);
    if (rc)
        return rc;
    if (t->image.alpha)
        gf_log_note("'%s': alpha dropped; frames that are streamed do not keep it",
                    gf_log_name(t->read[0]));
    gf_log_verbose("'%s': %lld planes, %.1f a second, at most %.1f in memory; %.0f ms waiting for "
                   "the output",
                   gf_log_name(t->read[0]), (long long)t->job.shape[0],
                   (double)t->job.shape[0] * 1e3 / (gf_now_ms() - start), sum.peak, sum.ms_waited);
    return 0;
}

/* What does not fit memory, and the message of gf_memory_check(). */
static int refuse(const char *why) {
    char need[512];
    snprintf(need, sizeof need, "%s", gf_message());
    return gf_fail(GF_ENOMEM, "%s; not plane by plane: %s", need, why);
}

int gf_dwt_frames_stream(struct gf_task *t, bool *done) {
    int rc = gf_task_outline(t);
    if (rc || t->skipped) {
        *done = t->skipped;
        return rc;
    }
    const char *why = t->prepared ? refuses(t) : NULL;
    *done = t->prepared && (!why || t->too_large);
    if (why && t->too_large)
        return refuse(why);
    if (why && t->s->frames && !t->pages.at_once)
        gf_log_verbose("'%s': in one piece: %s", gf_log_name(t->read[0]), why);
    if (*done) {
        t->streamed = true;
        rc = stream(t);
    }
    return rc;
}
