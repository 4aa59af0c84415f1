/* Plane after plane is read and pushed, and what is finished is written to its place. */
#include "cli/commands/dwt_stream.h"

#include <math.h>

#include "cli/commands/dwt_ahead.h"
#include "core/base/clock.h"
#include "core/base/status.h"

enum { WORTH_A_THREAD = 1 << 16 /* bytes of a frame */ };

static int64_t frame_bytes(const struct gf_task *t) {
    const int64_t *shape = t->image.px.shape;
    return shape[1] * shape[2] * shape[3] * (int64_t)gf_dtype_size(t->image.px.dtype);
}

int64_t gf_dwt_run_bytes(const struct gf_task *t, const struct gf_runner *runner,
                         const struct gf_job *job, int threads) {
    const struct gf_dwt_streamer *streamer = gf_session_streaming(runner->session)->streamer;
    const int64_t coders = t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0;
    return streamer->bytes(job, threads) + (1 + GF_DWT_AHEAD) * frame_bytes(t) + coders;
}

/* Planes read and pushed, until the last one has brought out everything. */
static int push_planes(struct gf_dwt_run *r, const struct gf_dwt_part *part,
                       const struct gf_dwt_streamer *streamer, struct gf_dwt_stream *stream,
                       const struct gf_dwt_boxes *boxes) {
    struct gf_dwt_ahead ahead = {
        .t = r->hand->t, .reader = r->hand->reader, .part = part, .beside = boxes->beside};
    int rc = 0;
    gf_dwt_ahead_start(&ahead);
    for (int64_t k = 0; k < part->job.shape[0] && !rc; k++) {
        struct gf_array plane;
        rc = gf_dwt_ahead_next(&ahead, k, &plane);
        if (rc)
            break;
        const double start = gf_now_ms(), waited = boxes->ms_waited;
        rc = streamer->push(stream, &plane);
        r->on_device = rc && !boxes->side.rc;
        r->hand->sum.ms_transform += gf_now_ms() - start - (boxes->ms_waited - waited);
    }
    gf_dwt_ahead_stop(&ahead);
    r->hand->at = ahead.at;
    r->hand->sum.ms_read += ahead.ms;
    return rc;
}

int gf_dwt_run_part(struct gf_dwt_run *r, const struct gf_dwt_part *part,
                    struct gf_volume *volume) {
    struct gf_part_hand *h = r->hand;
    struct gf_dwt_boxes boxes = {
        .t = h->t, .volume = volume, .part = part, .beside = frame_bytes(h->t) >= WORTH_A_THREAD};
    const struct gf_dwt_taker taker = gf_dwt_boxes_taker(&boxes);
    const struct gf_dwt_streamer *streamer = NULL;
    struct gf_dwt_stream *stream = NULL;
    void *context = NULL;
    r->on_device = true;
    int rc = gf_runner_stream_begin(h->runner, &streamer, &context);
    if (rc)
        return rc;
    rc = streamer->open(context, &part->job, h->threads, &taker, &stream);
    if (rc)
        goto out;
    r->on_device = false;
    rc = gf_dwt_boxes_start(&boxes);
    if (rc)
        goto out;
    rc = gf_dwt_boxes_stop(&boxes, push_planes(r, part, streamer, stream, &boxes));
    h->sum.overflowed[0] += rc ? 0 : boxes.overflowed;
    h->sum.ms_write += boxes.ms;
    h->sum.ms_waited += boxes.ms_waited;
    h->sum.peak = fmax(h->sum.peak, streamer->peak(stream));
out:
    streamer->close(stream);
    gf_runner_stream_end(h->runner);
    return rc;
}
