/* The streamed wavelet transform: windows of planes, steps along z, and the bands of each step. */
#include "core/cpu/dwt_stream.h"

#include <stdlib.h>
#include <string.h>

#include "core/cpu/dwt_level.h"
#include "core/cpu/mirror.h"
#include "core/wavelet/dwt.h"
#include "core/base/process.h"
#include "core/base/job_check.h"
#include "core/base/status.h"

/* Three planes from the start of a periodic line, three before its end, and the next one. */
enum { MAX_PLANES = 10 };

/* Halves of this size leave the nearer caches before they are complete. */
static const int64_t worth_streaming = 1 << 20;

struct window {
    struct gf_cpu_dwt_level level; /* one step along z */
    long planes, steps;            /* along z: of the input, and of each half */
    long done;                     /* steps taken, in order: from 1 on where periodic, 0 last */
    size_t plane_bytes;
    struct {
        long index; /* -1: free */
        char *data; /* kept when free */
    } plane[MAX_PLANES];
    /* A finished step: approximation and detail along z, packed. Two sets alternate, so that the
     * taker may still read one while the next is computed; boxes[] counts those emitted after
     * each. */
    char *sets[2][2], **half;
    int64_t boxes[2];
    int64_t height, width;      /* of those, in samples of the packed array */
    int64_t at_y, at_x, ny, nx; /* where details begin, and a band's extent */
};

struct gf_dwt_stream {
    struct gf_job job;
    int threads;
    struct gf_dwt_taker taker;
    int64_t boxes; /* emitted so far */
    struct gf_dwt_axis axis[3];
    size_t pixel; /* of coefficients */
    struct window *window;
    long pushed;
    char *scratch;
    double held, peak; /* in input planes */
};

static bool on_axis(const struct gf_job *job, int i) {
    return job->axes >> i & 1;
}

static void shape_window(struct gf_dwt_stream *s, const struct gf_cpu_kernels *kernels, int level) {
    struct window *w = &s->window[level - 1];
    struct gf_cpu_dwt_level *l = &w->level;
    l->kernels = kernels;
    l->boundary = s->job.wavelet.boundary;
    l->channels = s->job.channels;
    l->type = level == 1            ? gf_cpu_sample_of(s->job.in_dtype)
              : kernels->bits == 64 ? GF_CPU_F64
                                    : GF_CPU_F32;
    for (int i = 0; i < 3; i++) {
        l->on[i] = on_axis(&s->job, i);
        l->n[i] = s->axis[i].n[level - 1];
        l->m[i] = i ? s->axis[i].n[level] : 1;
    }
    w->planes = s->axis[0].n[level - 1];
    w->steps = s->axis[0].n[level];
    w->done = 0;
    size_t sample = level == 1 ? gf_dtype_size(s->job.in_dtype) : (size_t)kernels->bits / 8;
    l->fine.row = l->n[GF_DWT_X] * l->channels * (int64_t)sample;
    w->plane_bytes = (size_t)(l->fine.row * l->n[GF_DWT_Y]);
    for (int i = 0; i < MAX_PLANES; i++)
        w->plane[i].index = -1;
    w->ny = l->m[GF_DWT_Y];
    w->nx = l->m[GF_DWT_X];
    w->at_y = s->axis[1].at[level];
    w->at_x = s->axis[2].at[level];
    w->height = l->on[GF_DWT_Y] ? w->at_y + w->ny : w->ny;
    w->width = l->on[GF_DWT_X] ? w->at_x + w->nx : w->nx;
}

static int64_t half_bytes(const struct gf_dwt_stream *s, const struct window *w) {
    return w->height * w->width * (int64_t)s->pixel;
}

static int begin(const struct gf_job *job, int threads, struct gf_dwt_stream *s) {
    const char *isa = gf_process()->isa;
    const struct gf_cpu_kernels *k =
        gf_cpu_kernels_find(job->precision == GF_DOUBLE ? 64 : 32, isa);
    *s = (struct gf_dwt_stream){.job = *job, .threads = threads};
    int rc = gf_job_validate(job);
    if (rc)
        return rc;
    if (!k)
        return gf_fail(GF_EABSENT, "GPUFFT_ISA=%s does not run on this CPU", isa);
    if (gf_dwt_stream_refuses(job))
        return gf_fail(GF_EINVAL, "%s", gf_dwt_stream_refuses(job));
    s->pixel = (size_t)(job->channels * k->bits / 8);
    s->window = calloc((size_t)job->wavelet.levels, sizeof *s->window);
    if (!s->window)
        return gf_fail(GF_ENOMEM, "no memory for a stream");
    for (int i = 0; i < 3; i++)
        gf_dwt_axis(job->shape[i], on_axis(job, i), job->wavelet.levels, job->wavelet.boundary,
                    &s->axis[i]);
    for (int l = 1; l <= job->wavelet.levels; l++)
        shape_window(s, k, l);
    return 0;
}

static size_t scratch_bytes(const struct gf_dwt_stream *s) {
    size_t most = 0;
    for (int l = 0; l < s->job.wavelet.levels; l++) {
        size_t bytes = gf_cpu_dwt_scratch(&s->window[l].level);
        most = bytes > most ? bytes : most;
    }
    return most * (size_t)s->threads;
}

static int64_t stream_bytes(const struct gf_job *job, int threads) {
    struct gf_dwt_stream s;
    int64_t bytes = 0;
    if (!begin(job, threads, &s)) {
        bytes = (int64_t)scratch_bytes(&s);
        for (int l = 0; l < job->wavelet.levels; l++) {
            const struct window *w = &s.window[l];
            long held = job->wavelet.boundary == GF_PERIODIC ? 7 : 4;
            bytes += 4 * half_bytes(&s, w) +
                     (int64_t)w->plane_bytes * (held < w->planes ? held : w->planes);
        }
    }
    free(s.window);
    return bytes;
}

static void stream_close(struct gf_dwt_stream *s) {
    if (!s)
        return;
    for (int l = 0; l < s->job.wavelet.levels && s->window; l++) {
        for (int i = 0; i < MAX_PLANES; i++)
            gf_free(s->window[l].plane[i].data);
        for (int i = 0; i < 4; i++)
            gf_free(s->window[l].sets[i / 2][i % 2]);
    }
    free(s->window);
    gf_free(s->scratch);
    free(s);
}

static int stream_open(void *context, const struct gf_job *job, int threads,
                       const struct gf_dwt_taker *taker, struct gf_dwt_stream **out) {
    (void)context; /* host memory needs none */
    struct gf_dwt_stream *s = malloc(sizeof *s);
    *out = NULL;
    if (!s)
        return gf_fail(GF_ENOMEM, "no memory for a stream");
    int rc = begin(job, threads, s);
    s->taker = *taker;
    for (int l = 0; l < job->wavelet.levels && !rc; l++)
        for (int i = 0; i < 4 && !rc; i++)
            if (!(s->window[l].sets[i / 2][i % 2] = gf_alloc((size_t)half_bytes(s, &s->window[l]))))
                rc = gf_fail(GF_ENOMEM, "no memory for a plane of coefficients");
    if (!rc && !(s->scratch = gf_alloc(scratch_bytes(s))))
        rc = gf_fail(GF_ENOMEM, "no memory for scratch");
    if (rc) {
        stream_close(s);
        return rc;
    }
    *out = s;
    return 0;
}

static double stream_peak(const struct gf_dwt_stream *s) {
    return s->peak;
}

/* ---------------------------------------------------------------- one step */

/* Steps in the order in which their planes arrive: a periodic line's first step needs its last
 * plane. */
static long step_at(const struct window *w, long i) {
    return w->level.boundary == GF_PERIODIC ? (i + 1) % w->steps : i;
}

/* The plane that is the j-th input of step k; -1: zeros. */
static long plane_of(const struct window *w, long k, int j) {
    return gf_cpu_dwt_extend(2 * k - gf_cpu_dwt_offset(w->level.boundary) + j, w->planes,
                             w->level.boundary);
}

static int find(const struct window *w, long index) {
    for (int i = 0; i < MAX_PLANES; i++)
        if (w->plane[i].index == index)
            return i;
    return -1;
}

static bool is_done(const struct window *w, long k) {
    return (w->level.boundary == GF_PERIODIC ? (k + w->steps - 1) % w->steps : k) < w->done;
}

/* True when a step that is not done needs plane `index`: one near it, or one at an end. */
static bool is_needed(const struct window *w, long index) {
    const long near[] = {
        0, 1, w->steps - 2, w->steps - 1, index / 2 - 1, index / 2, index / 2 + 1, index / 2 + 2};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        if (near[i] < 0 || near[i] >= w->steps || is_done(w, near[i]))
            continue;
        for (int j = 0; j < 4; j++)
            if (plane_of(w, near[i], j) == index)
                return true;
    }
    return false;
}

static double share(const struct gf_dwt_stream *s, const struct window *w) {
    const struct window *first = &s->window[0];
    return (double)(w->level.n[1] * w->level.n[2]) /
           (double)(first->level.n[1] * first->level.n[2]);
}

/* A buffer for plane `index` of a level. */
static int take_plane(struct gf_dwt_stream *s, struct window *w, long index, char **out) {
    int i = find(w, -1);
    if (i < 0)
        return gf_fail(GF_EBACKEND, "a window of %d planes is too small", MAX_PLANES);
    if (!w->plane[i].data && !(w->plane[i].data = gf_alloc(w->plane_bytes)))
        return gf_fail(GF_ENOMEM, "no memory for a plane");
    w->plane[i].index = index;
    s->held += share(s, w);
    s->peak = s->held > s->peak ? s->held : s->peak;
    *out = w->plane[i].data;
    return 0;
}

/* The bands of a finished step, in as few boxes as possible; the approximation only at the last
 * level. */
static int send_half(struct gf_dwt_stream *s, const struct window *w, int half, int level, long k) {
    const struct gf_dwt_plane plane = {.axis = s->axis,
                                       .on = w->level.on,
                                       .level = level,
                                       .detail = half == 1,
                                       .last = level == s->job.wavelet.levels,
                                       .step = k};
    struct gf_dwt_box box[GF_DWT_PLANE_BOXES];
    const int n = gf_dwt_plane_boxes(&plane, box);
    int rc = 0;
    for (int i = 0; i < n && !rc; i++) {
        char *data = w->half[half] + (box[i].y * w->width + box[i].x) * (int64_t)s->pixel;
        box[i].stride = w->width * (int64_t)s->pixel;
        box[i].data = data;
        if (gf_dwt_box_is_detail(&plane, &box[i]) && s->job.wavelet.threshold != GF_KEEP_ALL)
            gf_dwt_shrink(&s->job, data, box[i].height, box[i].width * s->job.channels,
                          box[i].stride);
        s->boxes++;
        rc = s->taker.emit(s->taker.user, &box[i]);
    }
    return rc;
}

static int take_steps(struct gf_dwt_stream *s, int level);

static int take_step(struct gf_dwt_stream *s, int level, long k, const char *const planes[4]) {
    struct window *w = &s->window[level - 1];
    struct gf_cpu_dwt_level l = w->level;
    bool last = level == s->job.wavelet.levels;
    int set = (int)(w->done % 2);
    int rc = s->taker.settle ? s->taker.settle(s->taker.user, w->boxes[set]) : 0;
    w->half = w->sets[set];
    for (int b = 0; b < 8; b++) {
        struct gf_cpu_rows *r = &l.band[b];
        l.stream[b] = half_bytes(s, w) >= worth_streaming;
        r->row = w->width * (int64_t)s->pixel;
        r->data = w->half[b >> 2] + (b & 2 ? w->at_y * r->row : 0) +
                  (b & 1 ? w->at_x * (int64_t)s->pixel : 0);
    }
    if (!last && !rc) {
        rc = take_plane(s, w + 1, k, &l.band[0].data);
        l.band[0].row = w->nx * (int64_t)s->pixel;
        l.stream[0] = false;
    }
    if (rc)
        return rc;
    l.window = planes;
    gf_cpu_dwt_forward(&l, (int64_t)w->plane_bytes < (1 << 16) ? 1 : s->threads, s->scratch);
    rc = send_half(s, w, 0, level, k);
    if (!rc)
        rc = send_half(s, w, 1, level, k);
    w->boxes[set] = s->boxes;
    return rc || last ? rc : take_steps(s, level + 1);
}

/* Does every step of a level whose planes have arrived, and frees the planes that no step needs. */
static int take_steps(struct gf_dwt_stream *s, int level) {
    struct window *w = &s->window[level - 1];
    while (w->done < w->steps) {
        long k = step_at(w, w->done);
        const char *planes[4];
        for (int j = 0; j < 4; j++) {
            long index = plane_of(w, k, j);
            int at = index < 0 ? 0 : find(w, index);
            if (at < 0)
                return 0;
            planes[j] = index < 0 ? NULL : w->plane[at].data;
        }
        int rc = take_step(s, level, k, planes);
        if (rc)
            return rc;
        w->done++;
        for (int i = 0; i < MAX_PLANES; i++)
            if (w->plane[i].index >= 0 && !is_needed(w, w->plane[i].index)) {
                w->plane[i].index = -1;
                s->held -= share(s, w);
            }
    }
    return 0;
}

static int stream_push(struct gf_dwt_stream *s, const struct gf_array *plane) {
    struct window *w = &s->window[0];
    char *to;
    int rc = s->pushed >= w->planes ? gf_fail(GF_EINVAL, "more planes than the job has") : 0;
    if (!rc)
        rc = take_plane(s, w, s->pushed, &to);
    if (rc)
        return rc;
    struct gf_array copy = gf_array_wrap(to, plane->dtype, plane->rank, plane->shape);
    if (gf_array_is_contiguous(plane))
        memcpy(to, plane->data, w->plane_bytes);
    else
        gf_array_copy(&copy, plane);
    s->pushed++;
    return take_steps(s, 1);
}

const struct gf_dwt_streamer gf_cpu_dwt_streamer = {
    .bytes = stream_bytes,
    .open = stream_open,
    .push = stream_push,
    .peak = stream_peak,
    .close = stream_close,
};
