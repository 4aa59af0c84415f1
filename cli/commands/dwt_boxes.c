/* The queue of boxes, and the thread that writes them. */
#include "cli/commands/dwt_boxes.h"

#include <stdio.h>

#include "core/base/clock.h"
#include "core/base/status.h"

/* A box of another part's share has no data any more. */
static int write_box(struct gf_dwt_boxes *q, const struct gf_dwt_box *b) {
    const struct gf_volume_box at = {b->z, b->y, b->x, b->height, b->width};
    if (!b->data)
        return 0;
    const double start = gf_now_ms();
    if (q->turn)
        pthread_mutex_lock(q->turn);
    int rc = gf_volume_write(q->volume, &at, b->data, b->stride);
    if (q->turn)
        pthread_mutex_unlock(q->turn);
    q->ms += gf_now_ms() - start;
    return rc;
}

static void *write_boxes(void *user) {
    struct gf_dwt_boxes *q = user;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        while (q->taken == q->put && !q->closed)
            pthread_cond_wait(&q->changed, &q->lock);
        if (q->taken == q->put)
            break;
        struct gf_dwt_box b = q->box[q->taken % GF_DWT_QUEUE];
        int rc = q->rc;
        pthread_mutex_unlock(&q->lock);
        if (!rc)
            rc = write_box(q, &b);
        pthread_mutex_lock(&q->lock);
        if (rc && !q->rc)
            snprintf(q->message, sizeof q->message, "%s", gf_message());
        q->rc = rc;
        q->taken++;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

/* Waits, with the lock held, until so many boxes are written or writing has failed. */
static int await(struct gf_dwt_boxes *q, int64_t boxes) {
    double start = gf_now_ms();
    while (q->taken < boxes && !q->rc)
        pthread_cond_wait(&q->changed, &q->lock);
    q->ms_waited += gf_now_ms() - start;
    return q->rc ? gf_fail((enum gf_status)q->rc, "%s", q->message) : 0;
}

static void count_overflowed(struct gf_dwt_boxes *q, const struct gf_dwt_box *b) {
    const struct gf_job *job = &q->t->job;
    int64_t shape[2] = {b->height, b->width * job->channels}, first[GF_MAX_RANK];
    struct gf_array box = gf_array_wrap((void *)b->data, job->out[0].dtype, 2, shape);
    box.stride[0] = b->stride;
    if (!gf_job_is_bounded(job))
        q->overflowed += gf_array_nonfinite(&box, first);
}

static int emit(void *user, const struct gf_dwt_box *box) {
    struct gf_dwt_boxes *q = user;
    struct gf_dwt_box b = *box;
    if (gf_dwt_part_place(q->part, &b))
        count_overflowed(q, &b);
    else
        b.data = NULL; /* it is counted all the same, as the stream counts it */
    if (!q->beside) {
        q->rc = write_box(q, &b);
        q->ms_waited = q->ms;
        return q->rc;
    }
    pthread_mutex_lock(&q->lock);
    int rc = await(q, q->put - GF_DWT_QUEUE + 1);
    if (!rc) {
        q->box[q->put++ % GF_DWT_QUEUE] = b;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return rc;
}

static int settle(void *user, int64_t boxes) {
    struct gf_dwt_boxes *q = user;
    if (!q->beside)
        return 0;
    pthread_mutex_lock(&q->lock);
    int rc = await(q, boxes);
    pthread_mutex_unlock(&q->lock);
    return rc;
}

struct gf_dwt_taker gf_dwt_boxes_taker(struct gf_dwt_boxes *q) {
    return (struct gf_dwt_taker){.emit = emit, .settle = settle, .user = q};
}

int gf_dwt_boxes_start(struct gf_dwt_boxes *q) {
    if (!q->beside)
        return 0;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    return pthread_create(&q->thread, NULL, write_boxes, q)
               ? gf_fail(GF_ENOMEM, "cannot start a thread")
               : 0;
}

int gf_dwt_boxes_stop(struct gf_dwt_boxes *q, int rc) {
    if (!q->beside)
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
