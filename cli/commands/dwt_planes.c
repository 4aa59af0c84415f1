/* dwt of frames, raw volumes, and volumes that do not fit memory or that several processes share:
 * planes are read and pushed through a stream (core/wavelet/stream.h), which emits boxes of
 * coefficients. One thread reads ahead, one writes: writes to one file wait for each other. */
#include "cli/commands/planes.h"

#include <math.h>

#include "cli/batch/describe.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "core/base/host/clock.h"
#include "core/base/host/conveyor.h"

enum {
    AHEAD = 2,               /* planes read ahead */
    BEHIND = 256,            /* boxes waiting to be written */
    WORTH_A_THREAD = 1 << 16 /* bytes of a plane */
};

/* A ring of BEHIND boxes: one thread puts boxes, another takes them. */
struct ring {
    int64_t put, taken; /* each is changed by one thread */
    bool closed;        /* nothing more is put; the rest may still be taken */
    struct gf_failure failed;
    pthread_t thread; /* takes boxes */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* A part on its way from the files through a stream to the output. */
struct flow {
    const struct gf_planes_work *planes;
    struct gf_planes_hand *hand;
    bool looks; /* at the coefficients, for the survey; writes nothing */
    struct gf_dwt_part part;
    const struct gf_dwt_streamer *streamer;
    struct gf_dwt_stream *stream;
    bool writes_beside; /* planes are large enough to be worth a writing thread */
    struct ring behind;
    struct gf_image plane[AHEAD];
    struct gf_dwt_box box[BEHIND];
    int64_t overflowed; /* samples that are Inf or NaN */
    bool on_device;     /* the failure is the device's: reading and writing worked */
};

/* ---- the ring ---- */

/* Waits until *count reaches `least`; false if it never will. */
static bool await(struct ring *r, const int64_t *count, int64_t least) {
    pthread_mutex_lock(&r->lock);
    while (*count < least && !r->failed.status && !r->closed)
        pthread_cond_wait(&r->changed, &r->lock);
    const bool reached = *count >= least;
    pthread_mutex_unlock(&r->lock);
    return reached;
}

/* Counts an item, or keeps the failure `rc` of the calling thread. */
static void change(struct ring *r, int64_t *count, int rc) {
    pthread_mutex_lock(&r->lock);
    *count += !rc;
    gf_failure_keep(&r->failed, rc);
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* Joins the thread. Returns rc, or else the ring's failure. */
static int stop(struct ring *r, int rc) {
    pthread_mutex_lock(&r->lock);
    r->closed = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    return rc ? rc : gf_failure_return(&r->failed);
}

/* ---- reading planes ---- */

static int read_plane(void *user, int reader, int64_t k) {
    struct flow *f = user;
    struct gf_planes_hand *h = f->hand;
    const struct gf_task *t = h->t;
    struct gf_image *plane = &f->plane[k % AHEAD];
    const double start = gf_now_ms();
    int rc;
    (void)reader;
    h->at = gf_dwt_part_plane(&f->part, k);
    gf_progress_show("transforming", t->read[t->s->frames ? h->at : 0]);
    if (!t->s->frames) {
        rc = gf_planes_read(h->reader, &t->image, h->at, &plane->px);
    } else {
        gf_image_free(plane);
        rc = gf_reader_frame(h->reader, h->at, &t->image, plane);
    }
    h->ms_read += gf_now_ms() - start;
    return rc;
}

/* Pushes a plane's channels without alpha. */
static int push_plane(void *user, int hand, int64_t k) {
    struct flow *f = user;
    struct gf_planes_hand *h = f->hand;
    const struct gf_array plane =
        gf_array_slice(&f->plane[k % AHEAD].px, 2, 0, h->t->op.job.channels);
    const double start = gf_now_ms(), waited = h->ms_waited;
    (void)hand;
    int rc = f->streamer->push(f->stream, &plane);
    f->on_device = rc;
    h->ms_transform += gf_now_ms() - start - (h->ms_waited - waited);
    return rc;
}

/* ---- writing coefficients ---- */

/* The part of first .. first + count - 1 that a band has along an axis. */
static struct gf_span within(const struct gf_dwt_band *b, int axis, int64_t first, int64_t count) {
    const int64_t from = gf_max(first, b->start[axis]);
    const int64_t end = gf_min(first + count, b->start[axis] + b->extent[axis]);
    return (struct gf_span){from, end - from};
}

/* Writes the parts of a box to the files of the bands that have them. */
static int write_bands(const struct gf_planes_work *p, const struct gf_dwt_box *b) {
    const struct gf_job *job = &p->t->op.job;
    const int x = job->ndim - 1;
    const int64_t pixel = job->channels * (int64_t)gf_dtype_size(job->out[0].dtype);
    int rc = 0;
    for (int i = 0; i < p->n_bands && !rc; i++) {
        const struct gf_dwt_band *band = &p->band[i];
        const struct gf_span planes = within(band, 0, b->z, 1);
        const struct gf_span columns = within(band, x, b->x, b->width);
        const struct gf_span rows =
            x > 1 ? within(band, 1, b->y, b->height) : (struct gf_span){b->y, b->height};
        if (planes.count < 1 || rows.count < 1 || columns.count < 1)
            continue;
        const struct gf_volume_box box = {
            b->z - band->start[0], rows.first - (x > 1 ? band->start[1] : 0),
            columns.first - band->start[x], rows.count, columns.count};
        const struct gf_volume_box at = gf_planes_box(p->t, &box);
        const char *data = (const char *)b->data + (rows.first - b->y) * b->stride +
                           (columns.first - b->x) * pixel;
        rc = gf_volume_write(p->out[job->n_out + i].volume, &at, data, b->stride);
    }
    return rc;
}

/* Boxes of another part's share have no data. */
static int write_box(struct flow *f, const struct gf_dwt_box *b) {
    const struct gf_volume_box box = {b->z, b->y, b->x, b->height, b->width};
    const struct gf_volume_box at = gf_planes_box(f->hand->t, &box);
    struct gf_volume *whole = f->planes->out[0].volume;
    const double start = gf_now_ms();
    int rc = b->data && whole ? gf_volume_write(whole, &at, b->data, b->stride) : 0;
    if (!rc && b->data)
        rc = write_bands(f->planes, b);
    f->hand->ms_write += gf_now_ms() - start;
    return rc;
}

static void *write_boxes(void *user) {
    struct flow *f = user;
    struct ring *r = &f->behind;
    int rc = 0;
    while (!rc && await(r, &r->put, r->taken + 1)) {
        rc = write_box(f, &f->box[r->taken % BEHIND]);
        change(r, &r->taken, rc);
    }
    return NULL;
}

static void count_overflowed(struct flow *f, const struct gf_dwt_box *b) {
    const struct gf_job *job = &f->hand->t->op.job;
    int64_t shape[2] = {b->height, b->width * job->channels};
    struct gf_array box = gf_array_wrap((void *)b->data, job->out[0].dtype, 2, shape);
    box.stride[0] = b->stride;
    f->overflowed += gf_task_overflowed(f->hand->t, &box);
}

static int settle(void *user, int64_t boxes) {
    struct flow *f = user;
    const double start = gf_now_ms();
    const bool written = !f->writes_beside || await(&f->behind, &f->behind.taken, boxes);
    f->hand->ms_waited += gf_now_ms() - start;
    return written ? 0 : gf_failure_return(&f->behind.failed);
}

static int emit(void *user, const struct gf_dwt_box *box, int n) {
    struct flow *f = user;
    struct ring *r = &f->behind;
    int rc = 0;
    for (int i = 0; i < n && !rc; i++) {
        struct gf_dwt_box b = box[i];
        if (!gf_dwt_part_place(&f->part, &b))
            b.data = NULL; /* the stream counts it, so it is counted here too */
        else if (f->looks)
            gf_dwt_survey_box(f->planes->survey, &b);
        else if (f->planes->survey->job.out[0].map == GF_MAP_DISPLAY)
            gf_dwt_survey_show(f->planes->survey, &b);
        else
            count_overflowed(f, &b);
        if (f->looks)
            continue;
        if (f->writes_beside) {
            rc = settle(f, r->put - BEHIND + 1);
            if (!rc)
                f->box[r->put % BEHIND] = b;
            change(r, &r->put, rc);
        } else {
            const double before = f->hand->ms_write;
            rc = write_box(f, &b);
            f->hand->ms_waited += f->hand->ms_write - before;
            gf_failure_keep(&r->failed, rc);
        }
    }
    return rc;
}

/* ---- a stream ---- */

/* Reads and pushes planes until the last one has flushed the stream. */
static int push_planes(struct flow *f) {
    struct gf_conveyor c = {.items = f->part.job.shape[0],
                            .slots = AHEAD,
                            .readers = f->writes_beside,
                            .hands = 1,
                            .read = read_plane,
                            .work = push_plane,
                            .user = f};
    int rc = gf_conveyor_run(&c);
    for (int i = 0; i < AHEAD; i++)
        gf_image_free(&f->plane[i]);
    return rc;
}

/* Returns the bytes that a part needs beside its stream: decoder, mean of --nan, planes. */
static int64_t beside(const struct gf_task *t) {
    const int64_t coders = t->reader.file[0] ? gf_file_decoding_bytes(t->reader.file[0]) : 0;
    return coders + gf_finite_bytes(&t->reader, &t->image) + (1 + AHEAD) * t->image.px.stride[0];
}

int64_t gf_dwt_planes_room(const struct gf_task *t, int devices) {
    return gf_runner_limit(t->op.crew.runner) / devices - beside(t);
}

/* After a failure the part may be run again. */
static int run_flow(struct flow *f) {
    struct gf_planes_hand *h = f->hand;
    const struct gf_dwt_taker taker = {.emit = emit, .settle = settle, .user = f};
    struct gf_dwt_stream_info info;
    void *context = NULL;
    f->on_device = true;
    f->overflowed = 0;
    f->behind =
        (struct ring){.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    f->stream = NULL;
    int rc = gf_runner_stream_begin(h->runner, &f->streamer, &context);
    if (rc)
        return rc;
    const int devices = f->planes->parts && !h->t->ranks ? gf_engine_devices(h->t->deal) : 1;
    rc = f->streamer->open(context, &f->part.job, h->threads, gf_dwt_planes_room(h->t, devices),
                           &taker, &f->stream);
    if (rc)
        goto out;
    f->on_device = false;
    f->writes_beside = !f->looks && h->t->image.px.stride[0] >= WORTH_A_THREAD &&
                       !pthread_create(&f->behind.thread, NULL, write_boxes, f);
    rc = push_planes(f);
    if (f->writes_beside)
        rc = stop(&f->behind, rc);
    f->on_device = f->on_device && !f->behind.failed.status;
    for (int i = 0; i < h->t->op.job.n_out && !rc; i++)
        h->overflowed[i] += f->overflowed;
    f->streamer->info(f->stream, &info);
    h->peak = fmax(h->peak, info.peak);
out:
    f->streamer->close(f->stream);
    return gf_runner_stream_end(h->runner, rc);
}

/* If this device fails, the part is dealt to another; not one that is looked at, which would count
 * twice. */
static int run_part(const struct gf_planes_work *p, struct gf_planes_hand *hand, int i) {
    const struct gf_job job = gf_dwt_survey_job(p->survey);
    struct flow f = {.planes = p, .hand = hand, .looks = gf_dwt_survey_wants(p->survey)};
    int rc;
    gf_dwt_part(&job, p->parts ? p->parts : 1, i, &f.part);
    do
        rc = run_flow(&f);
    while (rc && p->parts && f.on_device && !f.looks && gf_runner_move(hand->runner, rc));
    return rc;
}

/* ---- tasks ---- */

/* Inputs that are always read plane by plane. Others are if they are too large or shared. */
static bool is_usual(const struct gf_settings *s) {
    return s->frames || (s->shape.n == 3 && s->channels_last == GF_UNSET);
}

const char *gf_dwt_planes_refuses(const struct gf_task *t, bool must) {
    const struct gf_settings *s = t->s;
    const struct gf_job job = gf_job_volume(&t->op.job);
    struct gf_write_options options = gf_settings_write_options(s);
    const struct gf_product *p = &t->product[0];
    const bool usual = is_usual(s);
    if (!usual && !must && (gf_dwt_refuses_planes(&job) || gf_planes_parts(t) < 2))
        return gf_why(GF_WHY_INPUT_PLANES);
    if ((!usual || must) && t->image.alpha)
        return gf_why(GF_WHY_ALPHA);
    if (gf_dwt_refuses_planes(&job))
        return gf_dwt_refuses_planes(&job);
    for (int i = 1; i < t->op.job.n_out; i++)
        if (job.out[i].dtype != job.out[0].dtype)
            return gf_why(GF_WHY_BANDS);
    if (p->by_plane)
        return gf_task_refuses_outputs(t, false);
    if (gf_planes_unsurveyed(t))
        return gf_planes_unsurveyed(t);
    if (s->frames && s->nan == GF_NAN_MEAN)
        return gf_why(GF_WHY_TWICE);
    if (gf_task_refuses_input(t, t->image.ndim == 2 ? GF_ROW : GF_PAGE))
        return gf_task_refuses_input(t, t->image.ndim == 2 ? GF_ROW : GF_PAGE);
    if (!gf_engine_streaming(t->op.crew.runner->engine, t->op.crew.runner->device))
        return gf_why(GF_WHY_BACKEND);
    return gf_volume_refuses(p->path, p->format, &options);
}

/* Returns the bytes that all devices need for `parts` parts; 0 parts: the task's own device. */
static int64_t bytes_of(const struct gf_task *t, int parts) {
    const int threads = gf_planes_threads(t, parts ? t->deal : NULL);
    const int devices = parts ? gf_engine_devices(t->deal) : 1;
    const int64_t room = gf_dwt_planes_room(t, devices);
    struct gf_job job = gf_job_volume(&t->op.job);
    struct gf_dwt_part part;
    int64_t bytes = gf_dwt_survey_bytes(&job);
    job.n_out = 1;
    if (job.out[0].map == GF_MAP_DISPLAY) /* which the stream's coefficients become */
        job.out[0].dtype = gf_dwt_real(&job);
    gf_dwt_part(&job, parts ? parts : 1, 0, &part);
    for (int i = 0; i < devices; i++) {
        const struct gf_runner *r = parts ? &t->runners[i] : t->op.crew.runner;
        const struct gf_backend *b = gf_engine_streaming(r->engine, r->device);
        bytes += b->streamer->bytes(&part.job, threads, room) + beside(t);
    }
    return bytes;
}

int64_t gf_dwt_planes_bytes(const struct gf_task *t, bool must) {
    return gf_dwt_planes_refuses(t, must) ? -1 : bytes_of(t, 0);
}

/* Coefficients of planes have no alpha. */
static int drop_alpha(struct gf_task *t) {
    struct gf_product *p = &t->product[0];
    p->alpha_plane = false;
    p->record = gf_record_of_job(&t->op.job, 0, &t->image, false);
    return gf_task_describe(t, 0, t->image.color);
}

/* Devices share the task if memory allows a stream for each. */
static int stream(struct gf_task *t) {
    struct gf_planes_work p = {.t = t, .parts = gf_planes_parts(t), .run = run_part};
    const double start = gf_now_ms();
    if (!t->ranks && p.parts && gf_runner_check_memory(t->op.crew.runner, bytes_of(t, p.parts)))
        p.parts = 0;
    int rc = gf_ranks_agree(t->ranks, gf_runner_check_memory(t->op.crew.runner, bytes_of(t, 0)));
    if (!rc && t->image.alpha)
        rc = drop_alpha(t);
    if (!rc)
        rc = gf_planes_run(&p);
    if (!rc)
        gf_log_verbose("'%s': %lld %s, %.1f a second, at most %.1f in memory; %.0f ms waiting "
                       "for the output",
                       gf_log_name(t->read[0]), (long long)t->op.job.shape[0], gf_planes_unit(t),
                       (double)t->op.job.shape[0] * 1e3 / (gf_now_ms() - start), p.sum.peak,
                       p.sum.ms_waited);
    return rc;
}

int gf_dwt_planes_stream(struct gf_task *t) {
    const char *why = gf_dwt_planes_refuses(t, gf_planes_must(t));
    if (gf_planes_must(t)) {
        int rc = gf_ranks_agree(t->ranks, why ? gf_planes_refuse(t, why) : 0);
        return rc ? rc : stream(t);
    }
    if (why && t->s->frames && !gf_task_at_once(t))
        gf_log_verbose("'%s': in one piece: %s", gf_log_name(t->read[0]), why);
    return why ? 0 : stream(t);
}
