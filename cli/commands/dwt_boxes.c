/* The queue of boxes, and the thread that writes them. */
#include "cli/commands/dwt_boxes.h"

#include "core/base/clock.h"
#include "core/base/status.h"

/* A box of another part's share has no data any more. */
static int write_box(struct gf_dwt_boxes *q, const struct gf_dwt_box *b) {
    const struct gf_volume_box at = {b->z, b->y, b->x, b->height, b->width};
    const double start = gf_now_ms();
    int rc = b->data ? gf_volume_write(q->volume, &at, b->data, b->stride) : 0;
    q->ms += gf_now_ms() - start;
    return rc;
}

static void *write_boxes(void *user) {
    struct gf_dwt_boxes *q = user;
    struct gf_dwt_side *side = &q->side;
    pthread_mutex_lock(&side->lock);
    for (;;) {
        while (q->taken == q->put && !side->closed)
            pthread_cond_wait(&side->changed, &side->lock);
        if (q->taken == q->put)
            break;
        const struct gf_dwt_box b = q->box[q->taken % GF_DWT_QUEUE];
        const bool failed = side->rc;
        pthread_mutex_unlock(&side->lock);
        int rc = failed ? 0 : write_box(q, &b);
        pthread_mutex_lock(&side->lock);
        q->taken++;
        gf_dwt_side_note(side, rc);
    }
    pthread_mutex_unlock(&side->lock);
    return NULL;
}

/* Waits, with the lock held, until so many boxes are written or writing has failed. */
static int await(struct gf_dwt_boxes *q, int64_t boxes) {
    double start = gf_now_ms();
    while (q->taken < boxes && !q->side.rc)
        pthread_cond_wait(&q->side.changed, &q->side.lock);
    q->ms_waited += gf_now_ms() - start;
    return gf_dwt_side_fail(&q->side);
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
        q->side.rc = write_box(q, &b);
        q->ms_waited = q->ms;
        return q->side.rc;
    }
    pthread_mutex_lock(&q->side.lock);
    int rc = await(q, q->put - GF_DWT_QUEUE + 1);
    if (!rc) {
        q->box[q->put++ % GF_DWT_QUEUE] = b;
        pthread_cond_broadcast(&q->side.changed);
    }
    pthread_mutex_unlock(&q->side.lock);
    return rc;
}

static int settle(void *user, int64_t boxes) {
    struct gf_dwt_boxes *q = user;
    if (!q->beside)
        return 0;
    pthread_mutex_lock(&q->side.lock);
    int rc = await(q, boxes);
    pthread_mutex_unlock(&q->side.lock);
    return rc;
}

struct gf_dwt_taker gf_dwt_boxes_taker(struct gf_dwt_boxes *q) {
    return (struct gf_dwt_taker){.emit = emit, .settle = settle, .user = q};
}

int gf_dwt_boxes_start(struct gf_dwt_boxes *q) {
    return q->beside ? gf_dwt_side_start(&q->side, write_boxes, q) : 0;
}

int gf_dwt_boxes_stop(struct gf_dwt_boxes *q, int rc) {
    return q->beside ? gf_dwt_side_stop(&q->side, rc) : rc;
}
