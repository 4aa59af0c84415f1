/* Two planes in turn: one is read while the other is in use. */
#include "cli/commands/dwt_ahead.h"

#include <stdio.h>

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
    for (int64_t k = 0; k < a->part->job.shape[0]; k++) {
        pthread_mutex_lock(&a->lock);
        while (k - a->done >= GF_DWT_AHEAD && !a->stopped)
            pthread_cond_wait(&a->changed, &a->lock);
        const bool stopped = a->stopped;
        pthread_mutex_unlock(&a->lock);
        int rc = stopped ? 0 : read_plane(a, k);
        pthread_mutex_lock(&a->lock);
        a->rc = rc;
        if (rc)
            snprintf(a->message, sizeof a->message, "%s", gf_message());
        a->read += !rc;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
        if (rc || stopped)
            break;
    }
    return NULL;
}

void gf_dwt_ahead_start(struct gf_dwt_ahead *a) {
    if (!a->beside)
        return;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (!pthread_create(&a->thread, NULL, read_planes, a))
        return;
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    a->beside = false; /* by the caller, then */
}

/* Until plane k is in memory, and those before it are given back. */
static int await(struct gf_dwt_ahead *a, int64_t k) {
    pthread_mutex_lock(&a->lock);
    a->done = k;
    pthread_cond_broadcast(&a->changed);
    while (a->read <= k && !a->rc)
        pthread_cond_wait(&a->changed, &a->lock);
    const int rc = a->read > k ? 0 : a->rc;
    pthread_mutex_unlock(&a->lock);
    return rc ? gf_fail((enum gf_status)rc, "%s", a->message) : 0;
}

int gf_dwt_ahead_next(struct gf_dwt_ahead *a, int64_t k, struct gf_array *view) {
    int rc = a->beside ? await(a, k) : read_plane(a, k);
    if (!rc)
        *view = gf_array_slice(&a->plane[k % GF_DWT_AHEAD].px, 2, 0, a->t->job.channels);
    return rc;
}

void gf_dwt_ahead_stop(struct gf_dwt_ahead *a) {
    if (a->beside) {
        pthread_mutex_lock(&a->lock);
        a->stopped = true;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
        pthread_join(a->thread, NULL);
        pthread_cond_destroy(&a->changed);
        pthread_mutex_destroy(&a->lock);
    }
    for (int i = 0; i < GF_DWT_AHEAD; i++)
        gf_image_free(&a->plane[i]);
}
