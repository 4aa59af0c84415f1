/* The streamed wavelet transform: windows of planes at each level, and steps along z. */
#include "core/cpu/dwt.h"

#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/cpu/mirror.h"
#include "core/cpu/plan.h"

/* Larger halves leave the inner caches before they are complete. */
static const int64_t worth_streaming = 1 << 20;

struct level {
    struct gf_cpu_dwt_level step; /* one step along z */
    struct gf_dwt_window z;
    int64_t came, done;        /* planes and steps so far */
    char *plane[GF_DWT_SLOTS]; /* allocated at first use */
    /* A finished step: approximation and detail along z, without gaps. Two pairs alternate, so that
     * the taker may read one while the next is computed; boxes[] counts the boxes emitted up to
     * each. */
    char *half[4];
    int64_t boxes[2];
};

struct gf_dwt_stream {
    struct gf_dwt_sender sender;
    const struct gf_cpu_kernels *kernels;
    int threads;
    bool opens; /* allocates memory, else only counts it */
    int64_t bytes;
    char *scratch; /* of all levels */
    struct level level[GF_MAX_LEVELS];
};

static int take(struct gf_dwt_stream *s, int64_t bytes, char **out) {
    s->bytes += bytes;
    if (s->opens && !(*out = gf_alloc((size_t)bytes)))
        return gf_no_memory();
    return 0;
}

static int shape_level(struct gf_dwt_stream *s, int level) {
    struct level *l = &s->level[level - 1];
    gf_dwt_window(&s->sender.job, level, &l->z);
    l->step = gf_cpu_dwt_level_of(&l->z.job, &s->sender.layout, s->kernels, level);
    l->step.type = gf_cpu_sample_of(l->z.job.in_dtype);
    l->step.m[GF_DWT_Z] = 1;
    l->step.fine.row = l->z.plane / l->z.job.shape[1];
    int rc = 0;
    s->bytes += gf_dwt_window_slots(&l->z) * l->z.plane;
    for (int i = 0; i < 4 && !rc; i++)
        rc = take(s, l->z.packed, &l->half[i]);
    return rc;
}

/* `opens`: allocates the memory. */
static int begin(const struct gf_job *job, int threads, const struct gf_dwt_taker *taker,
                 bool opens, struct gf_dwt_stream *s) {
    int64_t scratch = 0;
    *s = (struct gf_dwt_stream){.threads = threads, .opens = opens};
    int rc = gf_dwt_sender_begin(&s->sender, job, taker);
    if (!rc && !(s->kernels = gf_cpu_kernels_for(job)))
        rc = GF_EABSENT;
    for (int l = 1; l <= job->wavelet.levels && !rc; l++) {
        rc = shape_level(s, l);
        const int64_t own = (int64_t)gf_cpu_dwt_scratch(&s->level[l - 1].step);
        scratch = gf_max(own, scratch);
    }
    return rc ? rc : take(s, scratch * threads, &s->scratch);
}

static int64_t stream_bytes(const struct gf_job *job, int threads, int64_t memory) {
    (void)memory; /* planes are never kept longer than necessary */
    const struct gf_dwt_taker none = {.emit = NULL};
    struct gf_dwt_stream s;
    return begin(job, threads, &none, false, &s) ? 0 : s.bytes;
}

static void stream_close(struct gf_dwt_stream *s) {
    for (int l = 0; s && l < GF_MAX_LEVELS; l++) {
        for (int i = 0; i < GF_DWT_SLOTS; i++)
            gf_free(s->level[l].plane[i]);
        for (int i = 0; i < 4; i++)
            gf_free(s->level[l].half[i]);
    }
    if (s)
        gf_free(s->scratch);
    free(s);
}

static int stream_open(void *context, const struct gf_job *job, int threads, int64_t memory,
                       const struct gf_dwt_taker *taker, struct gf_dwt_stream **out) {
    (void)context, (void)memory;
    struct gf_dwt_stream *s = *out = malloc(sizeof *s);
    if (!s)
        return gf_no_memory();
    const int rc = begin(job, threads, taker, true, s);
    if (rc) {
        stream_close(s);
        *out = NULL;
    }
    return rc;
}

static void stream_info(const struct gf_dwt_stream *s, struct gf_dwt_stream_info *info) {
    *info = (struct gf_dwt_stream_info){.peak = 0};
    for (const struct level *l = s->level; l < s->level + s->sender.job.wavelet.levels; l++)
        info->peak +=
            (double)gf_dwt_window_slots(&l->z) * (double)l->z.fine / (double)s->level->z.fine;
}

/* ---------------------------------------------------------------- one step */

/* NULL if memory is short. */
static char *place_of(struct level *l, int64_t plane) {
    char **slot = &l->plane[gf_dwt_window_slot(&l->z, plane)];
    return *slot = *slot ? *slot : gf_alloc((size_t)l->z.plane);
}

static int take_steps(struct gf_dwt_stream *s, int level);

static int take_step(struct gf_dwt_stream *s, int level, int64_t k) {
    const bool last = level == s->sender.job.wavelet.levels;
    const int64_t row = gf_dwt_layout_row(&s->sender.layout, level);
    struct level *l = &s->level[level - 1];
    struct gf_cpu_dwt_level step = l->step;
    const char *planes[GF_DWT_MOST_TAPS];
    const int set = (int)(l->done % 2);
    char *const *half = &l->half[2 * set];
    int rc =
        s->sender.taker.settle ? s->sender.taker.settle(s->sender.taker.user, l->boxes[set]) : 0;
    if (rc)
        return rc;
    for (int j = 0; j < l->z.taps; j++) {
        const int64_t plane = gf_dwt_window_plane(&l->z, k, j);
        planes[j] = plane < 0 ? NULL : place_of(l, plane);
    }
    step.window = planes;
    for (int b = 0; b < 8; b++) {
        step.stream[b] = l->z.packed >= worth_streaming;
        step.band[b].row = row;
        step.band[b].data = half[b >> 2] + (b & 2 ? step.m[GF_DWT_Y] * row : 0) +
                            (b & 1 ? step.m[GF_DWT_X] * s->sender.layout.pixel : 0);
    }
    if (!last) {
        step.band[0].data = place_of(l + 1, k);
        step.band[0].row = step.m[GF_DWT_X] * s->sender.layout.pixel;
        step.stream[0] = false;
    }
    if (!step.band[0].data)
        return gf_no_memory();
    gf_cpu_dwt_forward(&step, l->z.plane < (1 << 16) ? 1 : s->threads, s->scratch);
    for (int i = 0; i < 2 && !rc; i++)
        rc = gf_dwt_send(&s->sender, level, i, k, half[i], true);
    if (!rc)
        rc = gf_dwt_emit(&s->sender);
    l->boxes[set] = s->sender.boxes;
    if (rc || last)
        return rc;
    l[1].came++;
    return take_steps(s, level + 1);
}

/* Takes all steps whose planes have come. */
static int take_steps(struct gf_dwt_stream *s, int level) {
    struct level *l = &s->level[level - 1];
    int rc = 0;
    for (; l->done < gf_dwt_window_ready(&l->z, l->came) && !rc; l->done++)
        rc = take_step(s, level, gf_dwt_window_step(&l->z, l->done));
    return rc;
}

static int stream_push(struct gf_dwt_stream *s, const struct gf_array *plane) {
    struct level *l = &s->level[0];
    if (l->came >= l->z.planes)
        return gf_fail(GF_EINVAL, "more planes than the job has");
    struct gf_array copy =
        gf_array_wrap(place_of(l, l->came), plane->dtype, plane->rank, plane->shape);
    if (!copy.data)
        return gf_no_memory();
    gf_array_copy(&copy, plane);
    l->came++;
    return take_steps(s, 1);
}

const struct gf_dwt_streamer gf_cpu_dwt_streamer = {
    .bytes = stream_bytes,
    .open = stream_open,
    .push = stream_push,
    .info = stream_info,
    .close = stream_close,
};
