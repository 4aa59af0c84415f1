/* Two planes in turn: one is read while the other is in use. */
#include "cli/commands/dwt_ahead.h"

#include "cli/progress.h"
#include "core/base/clock.h"
#include "core/base/status.h"

/* A plane of one file. All of its samples are counted for a refusal: those before a part's as well. */
static int check_plane(struct gf_dwt_ahead *a, struct gf_image *plane) {
    const struct gf_task *t = a->t;
    const bool whole = a->part->job.shape[0] == a->part->all;
    int64_t first[GF_MAX_RANK];
    return t->s->nan == GF_NAN_REFUSE && gf_array_nonfinite(&plane->px, first)
               ? gf_load_refuse_pages(a->reader, t->s, t->read, &t->image, whole ? a->at : 0)
               : gf_load_finite(t->s, plane);
}

static int read_page(struct gf_dwt_ahead *a, struct gf_image *plane) {
    const struct gf_array *px = &a->t->image.px;
    int rc = 0;
    plane->ndim = 2;
    if (!plane->px.data)
        rc = gf_array_alloc(&plane->px, px->dtype, 3, px->shape + 1);
    if (!rc)
        rc = gf_file_read_pages(a->reader->file[0], &a->t->image, a->at, 1, plane->px.data);
    return rc ? rc : check_plane(a, plane);
}

static int read_plane(struct gf_dwt_ahead *a, int64_t k) {
    const struct gf_task *t = a->t;
    struct gf_image *plane = &a->plane[k % GF_DWT_AHEAD];
    const double start = gf_now_ms();
    int rc;
    a->at = gf_dwt_part_plane(a->part, k);
    gf_progress_show("transforming", t->read[t->s->frames ? a->at : 0]);
    if (!t->s->frames) {
        rc = read_page(a, plane);
    } else {
        gf_image_free(plane);
        rc = gf_reader_frame(a->reader, t->s, t->read, a->at, &t->image, plane);
    }
    a->ms += gf_now_ms() - start;
    return rc;
}

static void *read_planes(void *user) {
    struct gf_dwt_ahead *a = user;
    struct gf_dwt_side *side = &a->side;
    for (int64_t k = 0; k < a->part->job.shape[0]; k++) {
        pthread_mutex_lock(&side->lock);
        while (k - a->done >= GF_DWT_AHEAD && !side->closed)
            pthread_cond_wait(&side->changed, &side->lock);
        const bool stopped = side->closed;
        pthread_mutex_unlock(&side->lock);
        if (stopped)
            break;
        const int rc = read_plane(a, k);
        pthread_mutex_lock(&side->lock);
        a->read += !rc;
        gf_dwt_side_note(side, rc);
        pthread_mutex_unlock(&side->lock);
        if (rc)
            break;
    }
    return NULL;
}

void gf_dwt_ahead_start(struct gf_dwt_ahead *a) {
    if (a->beside && gf_dwt_side_start(&a->side, read_planes, a))
        a->beside = false; /* by the caller, then */
}

/* Until plane k is in memory, and those before it are given back. */
static int await(struct gf_dwt_ahead *a, int64_t k) {
    pthread_mutex_lock(&a->side.lock);
    a->done = k;
    pthread_cond_broadcast(&a->side.changed);
    while (a->read <= k && !a->side.rc)
        pthread_cond_wait(&a->side.changed, &a->side.lock);
    const int rc = a->read > k ? 0 : gf_dwt_side_fail(&a->side);
    pthread_mutex_unlock(&a->side.lock);
    return rc;
}

int gf_dwt_ahead_next(struct gf_dwt_ahead *a, int64_t k, struct gf_array *view) {
    int rc = a->beside ? await(a, k) : read_plane(a, k);
    if (!rc)
        *view = gf_array_slice(&a->plane[k % GF_DWT_AHEAD].px, 2, 0, a->t->job.channels);
    return rc;
}

void gf_dwt_ahead_stop(struct gf_dwt_ahead *a) {
    if (a->beside)
        gf_dwt_side_stop(&a->side, 0); /* await() has told of a failure, if the plane was wanted */
    for (int i = 0; i < GF_DWT_AHEAD; i++)
        gf_image_free(&a->plane[i]);
}
