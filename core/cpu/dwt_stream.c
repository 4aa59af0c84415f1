/* The streamed wavelet transform: the planes of each level's window, and its steps along z. */
#include "core/cpu/dwt_stream.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/process.h"
#include "core/base/status.h"
#include "core/cpu/dwt_level.h"
#include "core/cpu/mirror.h"

/* Halves of this size leave the nearer caches before they are complete. */
static const int64_t worth_streaming = 1 << 20;

struct level {
    struct gf_cpu_dwt_level step; /* one step along z */
    struct gf_dwt_window z;
    int64_t came, done; /* planes and steps so far */
    size_t plane_bytes;
    char *plane[GF_DWT_SLOTS];
    /* A finished step: approximation and detail along z, bands without gaps. Two sets alternate, so
     * that the taker may still read one while the next is computed; boxes[] counts those emitted
     * after each. */
    char *sets[2][2];
    int64_t boxes[2], half_bytes;
};

struct gf_dwt_stream {
    struct gf_dwt_sender sender;
    int threads;
    struct level *level;
    char *scratch;
};

static void shape_level(struct gf_dwt_stream *s, const struct gf_cpu_kernels *kernels, int level) {
    const struct gf_dwt_layout *layout = &s->sender.layout;
    const struct gf_job job = gf_dwt_level_job(&s->sender.job, level, 1);
    struct level *l = &s->level[level - 1];
    gf_dwt_window(&s->sender.job, level, &l->z);
    l->step = gf_cpu_dwt_level_of(&job, layout, kernels, level);
    l->step.type = gf_cpu_sample_of(job.in_dtype);
    l->step.m[GF_DWT_Z] = 1;
    l->step.fine.row = job.shape[2] * job.channels * (int64_t)gf_dtype_size(job.in_dtype);
    l->plane_bytes = (size_t)(l->step.fine.row * job.shape[1]);
    l->half_bytes = gf_dwt_layout_rows(layout, level) * gf_dwt_layout_row(layout, level);
}

static int begin(const struct gf_job *job, int threads, const struct gf_dwt_taker *taker,
                 struct gf_dwt_stream *s) {
    const char *isa = gf_process()->isa;
    const struct gf_cpu_kernels *k =
        gf_cpu_kernels_find(job->precision == GF_DOUBLE ? 64 : 32, isa);
    *s = (struct gf_dwt_stream){.threads = threads};
    int rc = gf_dwt_sender_begin(&s->sender, job, taker);
    if (rc)
        return rc;
    if (!k)
        return gf_fail(GF_EABSENT, "GPUFFT_ISA=%s does not run on this CPU", isa);
    s->level = calloc((size_t)job->wavelet.levels, sizeof *s->level);
    if (!s->level)
        return gf_fail(GF_ENOMEM, "no memory for a stream");
    for (int l = 1; l <= job->wavelet.levels; l++)
        shape_level(s, k, l);
    return 0;
}

static size_t scratch_bytes(const struct gf_dwt_stream *s) {
    size_t most = 0;
    for (int l = 0; l < s->sender.job.wavelet.levels; l++) {
        size_t bytes = gf_cpu_dwt_scratch(&s->level[l].step);
        most = bytes > most ? bytes : most;
    }
    return most * (size_t)s->threads;
}

static int64_t stream_bytes(const struct gf_job *job, int threads) {
    const struct gf_dwt_taker none = {.emit = NULL};
    struct gf_dwt_stream s;
    int64_t bytes = 0;
    if (!begin(job, threads, &none, &s)) {
        bytes = (int64_t)scratch_bytes(&s);
        for (int l = 0; l < job->wavelet.levels; l++)
            bytes += 4 * s.level[l].half_bytes +
                     (int64_t)s.level[l].plane_bytes * gf_dwt_window_slots(&s.level[l].z);
    }
    free(s.level);
    return bytes;
}

static void stream_close(struct gf_dwt_stream *s) {
    if (!s)
        return;
    for (int l = 0; l < s->sender.job.wavelet.levels && s->level; l++) {
        for (int i = 0; i < GF_DWT_SLOTS; i++)
            gf_free(s->level[l].plane[i]);
        for (int i = 0; i < 4; i++)
            gf_free(s->level[l].sets[i / 2][i % 2]);
    }
    free(s->level);
    gf_free(s->scratch);
    free(s);
}

static int take(size_t bytes, char **out) {
    *out = gf_alloc(bytes);
    return *out ? 0 : gf_fail(GF_ENOMEM, "no memory for planes of a stream");
}

static int stream_open(void *context, const struct gf_job *job, int threads,
                       const struct gf_dwt_taker *taker, struct gf_dwt_stream **out) {
    (void)context; /* host memory needs none */
    struct gf_dwt_stream *s = malloc(sizeof *s);
    *out = NULL;
    if (!s)
        return gf_fail(GF_ENOMEM, "no memory for a stream");
    int rc = begin(job, threads, taker, s);
    for (int l = 0; l < job->wavelet.levels && !rc; l++)
        for (int i = 0; i < 4 && !rc; i++)
            rc = take((size_t)s->level[l].half_bytes, &s->level[l].sets[i / 2][i % 2]);
    if (!rc)
        rc = take(scratch_bytes(s), &s->scratch);
    if (rc) {
        stream_close(s);
        return rc;
    }
    *out = s;
    return 0;
}

static void stream_info(const struct gf_dwt_stream *s, struct gf_dwt_stream_info *info) {
    const long *first = s->level->step.n;
    *info = (struct gf_dwt_stream_info){.peak = 0};
    for (const struct level *l = s->level; l < s->level + s->sender.job.wavelet.levels; l++)
        info->peak += (double)gf_dwt_window_slots(&l->z) * (double)(l->step.n[1] * l->step.n[2]) /
                      (double)(first[1] * first[2]);
}

/* ---------------------------------------------------------------- one step */

/* Where a plane of a level is kept. */
static int place_plane(struct level *l, int64_t plane, char **out) {
    char **slot = &l->plane[gf_dwt_window_slot(&l->z, plane)];
    const int rc = *slot ? 0 : take(l->plane_bytes, slot);
    *out = *slot;
    return rc;
}

static int take_steps(struct gf_dwt_stream *s, int level);

static int take_step(struct gf_dwt_stream *s, int level, int64_t k) {
    const bool last = level == s->sender.job.wavelet.levels;
    const int64_t row = gf_dwt_layout_row(&s->sender.layout, level);
    struct level *l = &s->level[level - 1];
    struct gf_cpu_dwt_level step = l->step;
    const char *planes[4];
    const int set = (int)(l->done % 2);
    char *const *half = l->sets[set];
    int rc =
        s->sender.taker.settle ? s->sender.taker.settle(s->sender.taker.user, l->boxes[set]) : 0;
    for (int j = 0; j < 4; j++) {
        const int64_t plane = gf_dwt_window_plane(&l->z, k, j);
        planes[j] = plane < 0 ? NULL : l->plane[gf_dwt_window_slot(&l->z, plane)];
    }
    step.window = planes;
    for (int b = 0; b < 8; b++) {
        step.stream[b] = l->half_bytes >= worth_streaming;
        step.band[b].row = row;
        step.band[b].data = half[b >> 2] + (b & 2 ? step.m[GF_DWT_Y] * row : 0) +
                            (b & 1 ? step.m[GF_DWT_X] * s->sender.layout.pixel : 0);
    }
    if (!last && !rc) {
        rc = place_plane(l + 1, k, &step.band[0].data);
        step.band[0].row = step.m[GF_DWT_X] * s->sender.layout.pixel;
        step.stream[0] = false;
    }
    if (rc)
        return rc;
    gf_cpu_dwt_forward(&step, (int64_t)l->plane_bytes < (1 << 16) ? 1 : s->threads, s->scratch);
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

/* Every step of a level whose planes have come. */
static int take_steps(struct gf_dwt_stream *s, int level) {
    struct level *l = &s->level[level - 1];
    int rc = 0;
    for (; l->done < gf_dwt_window_ready(&l->z, l->came) && !rc; l->done++)
        rc = take_step(s, level, gf_dwt_window_step(&l->z, l->done));
    return rc;
}

static int stream_push(struct gf_dwt_stream *s, const struct gf_array *plane) {
    struct level *l = &s->level[0];
    char *to;
    int rc = l->came >= l->z.planes ? gf_fail(GF_EINVAL, "more planes than the job has") : 0;
    if (!rc)
        rc = place_plane(l, l->came, &to);
    if (rc)
        return rc;
    struct gf_array copy = gf_array_wrap(to, plane->dtype, plane->rank, plane->shape);
    if (gf_array_is_contiguous(plane))
        memcpy(to, plane->data, l->plane_bytes);
    else
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
