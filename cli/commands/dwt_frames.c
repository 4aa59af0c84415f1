/* dwt of frames, raw volumes, and others that do not fit memory: plane after plane is read, pushed
 * through a stream (core/wavelet/stream.h), and what is finished is written to its place. */
#include "cli/commands/dwt_frames.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/log.h"
#include "cli/progress.h"
#include "cli/batch/job_record.h"
#include "cli/batch/store.h"
#include "cli/commands/wavelet.h"
#include "core/wavelet/stream.h"
#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/status.h"
#include "formats/volume.h"

enum { QUEUE = 256, WORTH_A_THREAD = 1 << 16 /* bytes of a frame */ };

/* Boxes on their way to the file, written by a thread of its own. */
struct queue {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct gf_dwt_box box[QUEUE];
    int64_t put, taken; /* boxes so far */
    bool closed;
    int rc;
    char message[512]; /* of the writing thread's failure */
    double ms;
};

struct run {
    struct gf_task *t;
    bool one; /* the planes of one file; else each frame is a file */
    struct gf_image plane;
    struct gf_volume *volume;
    bool beside; /* boxes are queued: they are worth waking a thread */
    struct queue queue;
    double ms_waited;
};

/* NULL, or the reason why all has to be in memory. */
static const char *refuses(const struct gf_task *t) {
    const struct gf_settings *s = t->s;
    struct gf_write_options options = gf_settings_write_options(s);
    const struct gf_product *p = &t->product[0];
    bool raw = s->shape.n == 3 && s->channels_last == GF_UNSET;
    if (!s->frames && !raw && !t->too_large)
        return "only --frames and raw volumes are read plane by plane";
    if (!s->frames && !s->plan_only && !gf_reader_has_pages(&t->reader, s))
        return "the input is read in one piece";
    if (t->too_large && t->image.alpha)
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

static int write_box(struct run *r, const struct gf_dwt_box *b) {
    const struct gf_volume_box at = {b->z, b->y, b->x, b->height, b->width};
    return gf_volume_write(r->volume, &at, b->data, b->stride);
}

static void *write_boxes(void *user) {
    struct run *r = user;
    struct queue *q = &r->queue;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        while (q->taken == q->put && !q->closed)
            pthread_cond_wait(&q->changed, &q->lock);
        if (q->taken == q->put)
            break;
        struct gf_dwt_box b = q->box[q->taken % QUEUE];
        int rc = q->rc;
        pthread_mutex_unlock(&q->lock);
        double start = gf_now_ms();
        if (!rc)
            rc = write_box(r, &b);
        double ms = gf_now_ms() - start;
        pthread_mutex_lock(&q->lock);
        if (rc && !q->rc)
            snprintf(q->message, sizeof q->message, "%s", gf_message());
        q->rc = rc;
        q->ms += ms;
        q->taken++;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

/* Waits, with the lock held, until so many boxes are written or writing has failed. */
static int await(struct run *r, int64_t boxes) {
    struct queue *q = &r->queue;
    double start = gf_now_ms();
    while (q->taken < boxes && !q->rc)
        pthread_cond_wait(&q->changed, &q->lock);
    r->ms_waited += gf_now_ms() - start;
    return q->rc ? gf_fail((enum gf_status)q->rc, "%s", q->message) : 0;
}

static void count_overflowed(struct gf_task *t, const struct gf_dwt_box *b) {
    int64_t shape[2] = {b->height, b->width * t->job.channels}, first[GF_MAX_RANK];
    struct gf_array box = gf_array_wrap((void *)b->data, t->job.out[0].dtype, 2, shape);
    box.stride[0] = b->stride;
    if (!gf_job_is_bounded(&t->job))
        t->overflowed[0] += gf_array_nonfinite(&box, first);
}

static int emit(void *user, const struct gf_dwt_box *box) {
    struct run *r = user;
    struct queue *q = &r->queue;
    count_overflowed(r->t, box);
    if (!r->beside) {
        double start = gf_now_ms();
        int now = write_box(r, box);
        q->ms += gf_now_ms() - start;
        r->ms_waited = q->ms;
        return now;
    }
    pthread_mutex_lock(&q->lock);
    int rc = await(r, q->put - QUEUE + 1);
    if (!rc) {
        q->box[q->put++ % QUEUE] = *box;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return rc;
}

static int settle(void *user, int64_t boxes) {
    struct run *r = user;
    if (!r->beside)
        return 0;
    pthread_mutex_lock(&r->queue.lock);
    int rc = await(r, boxes);
    pthread_mutex_unlock(&r->queue.lock);
    return rc;
}

static int start_writing(struct run *r) {
    struct queue *q = &r->queue;
    if (!r->beside)
        return 0;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    return pthread_create(&q->thread, NULL, write_boxes, r)
               ? gf_fail(GF_ENOMEM, "cannot start a thread")
               : 0;
}

/* Waits until the queue is empty; the first failure of the thread, if the caller has none yet. */
static int stop_writing(struct run *r, int rc) {
    struct queue *q = &r->queue;
    if (!r->beside)
        return rc;
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    return !rc && q->rc ? gf_fail((enum gf_status)q->rc, "%s", q->message) : rc;
}

static int open_one(struct run *r) {
    const struct gf_array *px = &r->t->image.px;
    r->one = true;
    r->plane.ndim = 2;
    return gf_array_alloc(&r->plane.px, px->dtype, 3, px->shape + 1);
}

/* Plane i of one file. */
static int check_plane(struct run *r, int64_t i) {
    struct gf_task *t = r->t;
    int64_t first[GF_MAX_RANK];
    return t->s->nan == GF_NAN_REFUSE && gf_array_nonfinite(&r->plane.px, first)
               ? gf_load_refuse_pages(&t->reader, t->s, t->read, &t->image, i)
               : gf_load_finite(t->s, &r->plane);
}

/* Plane i, its channels without alpha, as a view. */
static int next_plane(struct run *r, int64_t i, struct gf_array *view) {
    int rc;
    if (r->one) {
        rc = gf_file_read_pages(r->t->reader.file[0], &r->t->image, i, 1, r->plane.px.data);
        if (!rc)
            rc = check_plane(r, i);
    } else {
        gf_image_free(&r->plane);
        rc = gf_reader_frame(&r->t->reader, r->t->s, r->t->read, i, &r->t->image, &r->plane);
    }
    if (!rc)
        *view = gf_array_slice(&r->plane.px, 2, 0, r->t->job.channels);
    return rc;
}

static int create(struct run *r) {
    struct gf_task *t = r->t;
    struct gf_product *p = &t->product[0];
    if (t->too_large)
        return gf_product_create(t->s, p, &t->image.metadata, &r->volume);
    struct gf_write_options options = gf_settings_write_options(t->s);
    struct gf_image image = p->image;
    struct gf_record record = gf_record_of_job(&t->job, 0, &t->image, false);
    int rc = gf_record_format(&record, &image.record);
    if (rc)
        return rc;
    rc = gf_volume_create(p->path, p->format, &image, &options, t->s->clobber, &r->volume);
    free(image.record);
    return rc;
}

/* Planes read and pushed, until the last one has brought out everything. */
static int run(struct run *r, const struct gf_dwt_streamer *streamer,
               struct gf_dwt_stream *stream) {
    struct gf_task *t = r->t;
    int64_t planes = t->job.shape[0];
    int rc = 0;
    for (int64_t i = 0; i < planes && !rc; i++) {
        struct gf_array plane;
        double start = gf_now_ms(), waited = r->ms_waited;
        gf_progress_show("transforming", t->read[r->one ? 0 : i]);
        rc = next_plane(r, i, &plane);
        double read = gf_now_ms();
        t->ms_decode += read - start;
        if (!rc)
            rc = streamer->push(stream, &plane);
        t->ms_transform += gf_now_ms() - read - (r->ms_waited - waited);
    }
    return rc;
}

/* One writes. */
static int threads_of(const struct gf_task *t) {
    const int all = gf_settings_threads(t->s);
    return all > 1 ? all - 1 : 1;
}

static int64_t frame_bytes(const struct gf_task *t) {
    const int64_t *shape = t->image.px.shape;
    return shape[1] * shape[2] * shape[3] * (int64_t)gf_dtype_size(t->image.px.dtype);
}

static int64_t bytes_of(const struct gf_task *t) {
    const struct gf_dwt_streamer *streamer = gf_session_streaming(t->runner->session)->streamer;
    const int64_t coders = t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0;
    return streamer->bytes(&t->job, threads_of(t)) + 2 * frame_bytes(t) + coders;
}

int64_t gf_dwt_frames_bytes(const struct gf_task *t) {
    struct gf_task large = *t;
    large.too_large = true;
    return refuses(&large) ? -1 : bytes_of(t);
}

static int stream(struct gf_task *t) {
    struct run r = {.t = t};
    const struct gf_dwt_streamer *streamer = NULL;
    struct gf_dwt_stream *stream = NULL;
    void *context = NULL;
    const struct gf_dwt_taker taker = {.emit = emit, .settle = settle, .user = &r};
    double start = gf_now_ms();
    r.beside = frame_bytes(t) >= WORTH_A_THREAD;
    int rc = gf_memory_check(bytes_of(t), gf_runner_limit(t->runner));
    if (!rc)
        rc = gf_runner_stream_begin(t->runner, &streamer, &context);
    if (rc)
        return rc;
    if (!t->s->frames)
        rc = open_one(&r);
    if (!rc)
        rc = create(&r);
    if (!rc)
        rc = streamer->open(context, &t->job, threads_of(t), &taker, &stream);
    if (rc)
        goto out;
    if ((rc = start_writing(&r)) != 0)
        goto out;
    rc = stop_writing(&r, run(&r, streamer, stream));
    if (!rc && r.one)
        rc = gf_file_check_size(t->reader.file[0]);
    if (rc)
        goto out;
    double before = gf_now_ms();
    rc = gf_volume_commit(r.volume);
    r.volume = NULL;
    t->ms_encode = r.queue.ms + gf_now_ms() - before;
    if (rc)
        goto out;
    if (t->image.alpha)
        gf_log_note("'%s': alpha dropped; frames that are streamed do not keep it",
                    gf_log_name(t->read[0]));
    gf_log_verbose("'%s': %lld planes, %.1f a second, at most %.1f in memory; %.0f ms waiting for "
                   "the output",
                   gf_log_name(t->read[0]), (long long)t->job.shape[0],
                   (double)t->job.shape[0] * 1e3 / (gf_now_ms() - start), streamer->peak(stream),
                   r.ms_waited);
out:
    streamer->close(stream);
    gf_runner_stream_end(t->runner);
    gf_volume_abort(r.volume);
    gf_image_free(&r.plane);
    return rc;
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
