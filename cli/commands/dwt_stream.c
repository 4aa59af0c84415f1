/* Plane after plane is read and pushed, and what is finished is written to its place. */
#include "cli/commands/dwt_stream.h"

#include "cli/progress.h"
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
    return streamer->bytes(job, threads) + 2 * frame_bytes(t) + coders;
}

/* A plane of one file. All of its samples are counted for a refusal: those before a part's as well. */
static int check_plane(struct gf_dwt_run *r, bool whole) {
    struct gf_task *t = r->t;
    int64_t first[GF_MAX_RANK];
    return t->s->nan == GF_NAN_REFUSE && gf_array_nonfinite(&r->plane.px, first)
               ? gf_load_refuse_pages(r->reader, t->s, t->read, &t->image, whole ? r->at : 0)
               : gf_load_finite(t->s, &r->plane);
}

static int read_page(struct gf_dwt_run *r, bool whole) {
    const struct gf_array *px = &r->t->image.px;
    int rc = 0;
    r->plane.ndim = 2;
    if (!r->plane.px.data)
        rc = gf_array_alloc(&r->plane.px, px->dtype, 3, px->shape + 1);
    if (!rc)
        rc = gf_file_read_pages(r->reader->file[0], &r->t->image, r->at, 1, r->plane.px.data);
    return rc ? rc : check_plane(r, whole);
}

/* Plane r->at, its channels without alpha, as a view. */
static int read_plane(struct gf_dwt_run *r, bool whole, struct gf_array *view) {
    const struct gf_task *t = r->t;
    int rc;
    if (!t->s->frames) {
        rc = read_page(r, whole);
    } else {
        gf_image_free(&r->plane);
        rc = gf_reader_frame(r->reader, t->s, t->read, r->at, &t->image, &r->plane);
    }
    if (!rc)
        *view = gf_array_slice(&r->plane.px, 2, 0, t->job.channels);
    return rc;
}

/* Planes read and pushed, until the last one has brought out everything. */
static int push_planes(struct gf_dwt_run *r, const struct gf_dwt_part *part,
                       const struct gf_dwt_streamer *streamer, struct gf_dwt_stream *stream,
                       const struct gf_dwt_boxes *boxes) {
    const bool whole = part->job.shape[0] == part->all;
    int rc = 0;
    for (int64_t k = 0; k < part->job.shape[0] && !rc; k++) {
        struct gf_array plane;
        const double start = gf_now_ms(), waited = boxes->ms_waited;
        r->at = gf_dwt_part_plane(part, k);
        gf_progress_show("transforming", r->t->read[r->t->s->frames ? r->at : 0]);
        rc = read_plane(r, whole, &plane);
        const double read = gf_now_ms();
        r->ms_read += read - start;
        if (rc)
            return rc;
        rc = streamer->push(stream, &plane);
        r->on_device = rc && !boxes->rc;
        r->ms_transform += gf_now_ms() - read - (boxes->ms_waited - waited);
    }
    return rc;
}

int gf_dwt_run_part(struct gf_dwt_run *r, const struct gf_dwt_part *part,
                    struct gf_volume *volume) {
    struct gf_dwt_boxes boxes = {.t = r->t,
                                 .volume = volume,
                                 .turn = r->turn,
                                 .part = part,
                                 .beside = frame_bytes(r->t) >= WORTH_A_THREAD};
    const struct gf_dwt_taker taker = gf_dwt_boxes_taker(&boxes);
    const struct gf_dwt_streamer *streamer = NULL;
    struct gf_dwt_stream *stream = NULL;
    void *context = NULL;
    r->on_device = true;
    int rc = gf_runner_stream_begin(r->runner, &streamer, &context);
    if (rc)
        return rc;
    rc = streamer->open(context, &part->job, r->threads, &taker, &stream);
    if (rc)
        goto out;
    r->on_device = false;
    rc = gf_dwt_boxes_start(&boxes);
    if (rc)
        goto out;
    rc = gf_dwt_boxes_stop(&boxes, push_planes(r, part, streamer, stream, &boxes));
    r->overflowed += rc ? 0 : boxes.overflowed;
    r->ms_write += boxes.ms;
    r->ms_waited += boxes.ms_waited;
    const double peak = streamer->peak(stream);
    r->peak = peak > r->peak ? peak : r->peak;
out:
    streamer->close(stream);
    gf_runner_stream_end(r->runner);
    return rc;
}

void gf_dwt_run_end(struct gf_dwt_run *r) {
    gf_image_free(&r->plane);
}
