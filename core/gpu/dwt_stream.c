/* The streamed wavelet transform on a GPU: chunks of planes, level by level, three of each level in
 * flight. */
#include "core/gpu/dwt.h"

#include <stdlib.h>

#include "core/gpu/plan/make.h"
#include "core/gpu/slab_walk.h"

/* Bytes of a chunk's new planes or of its coefficients, which take ten times as long to copy as a
 * copy takes to start. A chunk has at least USUAL_STEPS steps, even if planes are large. */
enum { CHUNK = 8 << 20, USUAL_STEPS = 2, SLOTS = 3, SIZES = 2 };
/* Marks of a slot; each is followed by the other slots'. Levels that share marks wait for each
 * other's. */
enum { FIRST_MARK = 4, UPLOADED = 0, TRANSFORMED = SLOTS, DOWNLOADED = 2 * SLOTS };
enum { MARKS = 3 * SLOTS, MARKED_LEVELS = (GF_GPU_MARKS - FIRST_MARK) / MARKS };

/* A chunk in flight, with its page-locked host buffers and device buffers. */
struct slot {
    void *in, *out;
    struct gf_gpu_buffer *device_in, *device_out;
    bool in_flight;
    int64_t chunk;
    int64_t boxes; /* emitted up to it */
};

/* A level. Its planes are numbered along the extended line: if that is periodic, the kept planes
 * follow the last one again. */
struct level {
    struct gf_dwt_window z;
    int64_t shape[3];      /* of an input plane: row, column, channel */
    int64_t each, chunks;  /* steps added by a chunk; chunks */
    int64_t came;          /* planes received */
    int64_t next;          /* number of the next plane */
    int64_t chunk;         /* being filled */
    int64_t first, filled; /* planes from `first` on are in the slot's `in`; how many */
    char *latest;          /* the last plane, even if its chunk is in flight */
    char *kept;            /* planes */
    struct slot slot[SLOTS];
    struct gf_gpu_run run[SIZES]; /* for usual chunks and for the last */
};

struct gf_dwt_stream {
    const struct gf_gpu_context *c;
    struct gf_dwt_sender sender;
    int threads; /* for copies */
    int n_levels;
    struct level *level;
};

/* ---- chunks ---- */

static struct gf_dwt_chunk chunk_of(const struct level *l, int64_t i) {
    struct gf_dwt_chunk c;
    gf_dwt_window_chunk(&l->z, l->each, i, &c);
    return c;
}

/* Planes that a chunk shares with the next one. */
static int64_t overlap(const struct level *l) {
    return chunk_of(l, 0).planes - 2 * l->each;
}

static struct gf_gpu_run *run_of(struct level *l, int64_t chunk) {
    return &l->run[chunk_of(l, chunk).extent != chunk_of(l, 0).extent];
}

static int mark_of(const struct level *l, const struct slot *t) {
    return FIRST_MARK + (l->z.level - 1) % MARKED_LEVELS * MARKS + (int)(t - l->slot);
}

/* ---- plans ---- */

static int slots_of(const struct level *l) {
    return l->chunks < SLOTS ? (int)l->chunks : SLOTS;
}

/* Shapes chunks of `part` bytes; false if none can be smaller. */
static bool shape_levels(struct gf_dwt_stream *s, int64_t part) {
    bool smaller = false;
    for (int i = 1; i <= s->n_levels; i++) {
        struct level *l = &s->level[i - 1];
        gf_dwt_window(&s->sender.job, i, &l->z);
        l->shape[0] = l->z.job.shape[1];
        l->shape[1] = l->z.job.shape[2];
        l->shape[2] = l->z.job.channels;
        l->each = part / (2 * gf_max(l->z.plane, l->z.packed));
        if (l->each < 1)
            l->each = part < CHUNK ? 1 : USUAL_STEPS;
        l->each = gf_min(l->each, l->z.steps);
        l->chunks = gf_dwt_window_chunks(&l->z, l->each);
        smaller |= l->each > 1;
    }
    return smaller;
}

/* Bytes of a slot in host memory; only the first chunk has all its planes there. */
static int64_t staged_bytes(const struct level *l) {
    return l->z.plane * (l->chunks > 1 ? 2 * l->each + l->z.taps - 1 : chunk_of(l, 0).planes);
}

static int64_t packed_bytes(const struct level *l) {
    return l->z.packed * 2 * chunk_of(l, 0).bands;
}

static int begin(const struct gf_job *job, const struct gf_dwt_taker *taker,
                 struct gf_dwt_stream *s) {
    *s = (struct gf_dwt_stream){.n_levels = job->wavelet.levels};
    int rc = gf_dwt_sender_begin(&s->sender, job, taker);
    if (!rc && !(s->level = calloc((size_t)s->n_levels, sizeof *s->level)))
        rc = gf_no_memory();
    return rc;
}

static int64_t host_bytes(const struct gf_dwt_stream *s) {
    int64_t bytes = 0;
    for (const struct level *l = s->level; l < s->level + s->n_levels; l++)
        bytes += SLOTS * (staged_bytes(l) + packed_bytes(l)) + l->z.kept * l->z.plane;
    return bytes;
}

/* Halves *part until the chunks fit the host's memory; false if none can be smaller. */
static bool shape_within(struct gf_dwt_stream *s, int64_t *part, int64_t memory) {
    bool smaller;
    while ((smaller = shape_levels(s, *part)) && host_bytes(s) > memory)
        *part /= 2;
    return smaller;
}

static int64_t stream_bytes(const struct gf_job *job, int threads, int64_t memory) {
    const struct gf_dwt_taker none = {.emit = NULL};
    struct gf_dwt_stream s;
    int64_t bytes = 0, part = CHUNK;
    (void)threads;
    if (!begin(job, &none, &s)) {
        shape_within(&s, &part, memory);
        bytes = host_bytes(&s);
    }
    free(s.level);
    return bytes;
}

static void drop_runs(struct gf_dwt_stream *s) {
    for (int i = 0; i < s->n_levels * SIZES; i++)
        gf_gpu_run_drop(s->c, &s->level[i / SIZES].run[i % SIZES]);
}

/* A plan's device bytes, without the slots. */
static int64_t own_bytes(const struct gf_gpu_plan *p) {
    return p ? gf_gpu_plan_bytes(p, GF_GPU_IN + 1, GF_GPU_OUT) : 0;
}

static int64_t device_bytes(const struct gf_dwt_stream *s) {
    int64_t bytes = 0;
    for (int i = 0; i < s->n_levels; i++) {
        const struct level *l = &s->level[i];
        const struct gf_gpu_plan *p = l->run[0].program.plan;
        bytes += slots_of(l) * (p->bytes[GF_GPU_IN] + p->bytes[GF_GPU_OUT]);
        for (int k = 0; k < SIZES; k++)
            bytes += own_bytes(l->run[k].program.plan);
    }
    return bytes;
}

/* Plans the chunks. GF_ENOMEM or GF_EUNABLE if they do not fit the device. */
static int make_runs(struct gf_dwt_stream *s) {
    int rc = 0;
    for (int i = 0; i < s->n_levels * SIZES && !rc; i++) {
        struct level *l = &s->level[i / SIZES];
        const int64_t chunk = i % SIZES ? l->chunks - 1 : 0;
        struct gf_gpu_program *g = &run_of(l, chunk)->program;
        l->z.job.shape[0] = chunk_of(l, chunk).extent;
        rc = g->plan ? 0 : gf_gpu_program_make(s->c, g, &l->z.job);
    }
    const int64_t all = rc ? 0 : device_bytes(s);
    for (int i = 0; i < s->n_levels * SIZES && !rc; i++) {
        struct gf_gpu_program *g = &s->level[i / SIZES].run[i % SIZES].program;
        const struct gf_gpu_plan *p = g->plan;
        if (p)
            rc = gf_gpu_program_prepare(
                s->c, g, all - own_bytes(p) - p->bytes[GF_GPU_IN] - p->bytes[GF_GPU_OUT]);
    }
    return rc;
}

static int fit(struct gf_dwt_stream *s, int64_t part, int64_t memory) {
    for (;; part /= 2) {
        const bool smaller = shape_within(s, &part, memory);
        const int rc = make_runs(s);
        if (!gf_gpu_run_too_large(rc) || !smaller)
            return rc;
        drop_runs(s);
    }
}

/* ---- memory ---- */

static int take_slot(struct gf_dwt_stream *s, struct level *l, int k) {
    const struct gf_gpu *api = s->c->api;
    struct slot *t = &l->slot[k];
    const struct gf_gpu_plan *p = l->run[0].program.plan;
    int rc = api->pin(s->c->gpu, staged_bytes(l), &t->in);
    if (!rc)
        rc = api->pin(s->c->gpu, packed_bytes(l), &t->out);
    if (!rc)
        rc = api->alloc(s->c->gpu, p->bytes[GF_GPU_IN], &t->device_in);
    if (!rc)
        rc = api->alloc(s->c->gpu, p->bytes[GF_GPU_OUT], &t->device_out);
    return rc;
}

static int take_level(struct gf_dwt_stream *s, struct level *l) {
    int rc = 0;
    for (int k = 0; k < slots_of(l) && !rc; k++)
        rc = take_slot(s, l, k);
    if (!rc && l->z.kept && !(l->kept = gf_alloc((size_t)(l->z.kept * l->z.plane))))
        rc = gf_no_memory();
    for (int k = 0; k < SIZES && !rc; k++) {
        struct gf_gpu_buffer *lent[GF_GPU_N_BUFFERS] = {
            [GF_GPU_IN] = l->slot[0].device_in, [GF_GPU_OUT] = l->slot[0].device_out};
        if (l->run[k].program.plan)
            rc = gf_gpu_run_take(s->c, &l->run[k], lent);
    }
    l->next = l->z.first;
    l->first = l->next - chunk_of(l, 0).plane;
    return rc;
}

static int take_levels(struct gf_dwt_stream *s) {
    int rc = 0;
    for (int i = 0; i < s->n_levels && !rc; i++)
        rc = take_level(s, &s->level[i]);
    return rc ? rc : s->c->api->sync(s->c->gpu); /* the other queues see the tables */
}

static void stream_close(struct gf_dwt_stream *s) {
    if (!s)
        return;
    const struct gf_gpu *api = s->c->api;
    void *gpu = s->c->gpu;
    s->n_levels = s->level ? s->n_levels : 0;
    if (!s->c->dry) {
        api->use(gpu, 0);
        api->sync(gpu); /* commands in flight after a failure still use the buffers */
    }
    drop_runs(s);
    for (int i = 0; i < s->n_levels * SLOTS && !s->c->dry; i++) {
        struct slot *t = &s->level[i / SLOTS].slot[i % SLOTS];
        api->free(gpu, t->device_in);
        api->free(gpu, t->device_out);
        api->unpin(gpu, t->in);
        api->unpin(gpu, t->out);
    }
    for (int i = 0; i < s->n_levels; i++)
        gf_free(s->level[i].kept);
    free(s->level);
    free(s);
}

int gf_gpu_dwt_stream_open(const struct gf_gpu_context *c, const struct gf_job *job, int64_t part,
                           int64_t memory, const struct gf_dwt_taker *taker,
                           struct gf_dwt_stream **out) {
    struct gf_dwt_stream *s = malloc(sizeof *s);
    *out = NULL;
    if (!s)
        return gf_no_memory();
    int rc = begin(job, taker, s);
    s->c = c;
    s->threads = gf_gpu_slab_threads(c);
    if (!rc)
        rc = fit(s, part, memory);
    if (!rc && !c->dry)
        rc = take_levels(s);
    if (rc) {
        stream_close(s);
        return rc;
    }
    *out = s;
    return 0;
}

static int open_usual(void *context, const struct gf_job *job, int threads, int64_t memory,
                      const struct gf_dwt_taker *taker, struct gf_dwt_stream **out) {
    (void)threads; /* the context has its own */
    return gf_gpu_dwt_stream_open(context, job, CHUNK, memory, taker, out);
}

/* ---- what is finished ---- */

/* Takes plane `at` of a level. */
static int put(struct gf_dwt_stream *s, struct level *l, int64_t at, const struct gf_array *plane);

/* Sends step k, whose approximation and detail along z are at `low` and `high`. */
static int send_step(struct gf_dwt_stream *s, struct level *l, int64_t k, char *low, char *high) {
    int rc = gf_dwt_send(&s->sender, l->z.level, false, k, low, false);
    if (!rc)
        rc = gf_dwt_send(&s->sender, l->z.level, true, k, high, false);
    if (rc || l->z.level == s->n_levels)
        return rc;
    struct gf_array plane = gf_array_wrap(low, l[1].z.job.in_dtype, 3, l[1].shape);
    plane.stride[0] = gf_dwt_layout_row(&s->sender.layout, l->z.level);
    return put(s, l + 1, k, &plane);
}

/* Waits for a chunk and emits its coefficients. */
static int finish(struct gf_dwt_stream *s, struct level *l, struct slot *t) {
    const struct gf_dwt_chunk c = chunk_of(l, t->chunk);
    if (!t->in_flight)
        return 0;
    int rc = s->c->api->reach(s->c->gpu, mark_of(l, t) + DOWNLOADED);
    t->in_flight = false;
    char *low = (char *)t->out + (c.step - c.plane / 2) * l->z.packed;
    for (int64_t k = c.step; k < c.end && !rc; k++, low += l->z.packed)
        rc = send_step(s, l, k % l->z.steps, low, low + c.bands * l->z.packed);
    if (!rc)
        rc = gf_dwt_emit(&s->sender);
    t->boxes = s->sender.boxes;
    return rc;
}

/* ---- on the device ---- */

/* Launches a chunk and copies the planes that the next one shares to its slot. */
static int queue_passes(struct gf_dwt_stream *s, struct level *l, const struct slot *t) {
    const struct gf_gpu *api = s->c->api;
    struct gf_gpu_run *m = run_of(l, t->chunk);
    m->buffer[GF_GPU_IN] = t->device_in;
    m->buffer[GF_GPU_OUT] = t->device_out;
    int rc = gf_gpu_run_launch(s->c, m, 0, m->program.plan->n_passes);
    if (rc || t->chunk + 1 == l->chunks)
        return rc;
    const struct slot *next = &l->slot[(t->chunk + 1) % SLOTS];
    return api->copy(s->c->gpu, next->device_in, 0, t->device_in, 2 * l->each * l->z.plane,
                     overlap(l) * l->z.plane);
}

/* Queues a full chunk; its slot's last chunk is finished. */
static int queue_chunk(struct gf_dwt_stream *s, struct level *l, struct slot *t) {
    const struct gf_gpu *api = s->c->api;
    void *gpu = s->c->gpu;
    const int mark = mark_of(l, t);
    int rc = api->use(gpu, GF_GPU_UPLOADS);
    if (!rc)
        rc = api->upload(gpu, t->device_in, l->first * l->z.plane, t->in, l->filled * l->z.plane);
    if (!rc)
        rc = api->mark(gpu, mark + UPLOADED);
    if (!rc)
        rc = gf_gpu_queue_after(s->c, GF_GPU_PASSES, mark + UPLOADED);
    if (!rc)
        rc = queue_passes(s, l, t);
    if (!rc)
        rc = api->mark(gpu, mark + TRANSFORMED);
    if (!rc)
        rc = gf_gpu_queue_after(s->c, GF_GPU_DOWNLOADS, mark + TRANSFORMED);
    if (!rc)
        rc = api->download(gpu, t->out, t->device_out, 0,
                           run_of(l, t->chunk)->program.plan->bytes[GF_GPU_OUT]);
    return rc ? rc : api->mark(gpu, mark + DOWNLOADED);
}

/* Queues the full chunk and frees the next slot. */
static int submit(struct gf_dwt_stream *s, struct level *l) {
    struct slot *t = &l->slot[l->chunk % SLOTS], *next = &l->slot[(l->chunk + 1) % SLOTS];
    t->chunk = l->chunk;
    int rc = queue_chunk(s, l, t);
    t->in_flight = !rc;
    l->chunk++;
    l->first = overlap(l);
    l->filled = 0;
    if (!rc)
        rc = finish(s, l, next);
    if (!rc && s->sender.taker.settle)
        rc = s->sender.taker.settle(s->sender.taker.user, next->boxes);
    return rc;
}

/* ---- planes ---- */

/* Packs a plane, with all threads if it is large. */
static void copy_plane(const struct gf_dwt_stream *s, const struct gf_array *plane, void *to) {
    enum { WORTH_A_TEAM = 1 << 20 };
    const struct gf_gpu_slab_copy copy = {.array = gf_gpu_slab_volume(plane),
                                          .whole_pages = true,
                                          .part = {0, plane->shape[0]},
                                          .packed = to};
    gf_gpu_slab_copy(&copy, 1, gf_array_bytes(plane) >= WORTH_A_TEAM ? s->threads : 1);
}

/* Appends the next plane of the extended line. */
static int append(struct gf_dwt_stream *s, struct level *l, const struct gf_array *plane) {
    l->latest = (char *)l->slot[l->chunk % SLOTS].in + l->filled++ * l->z.plane;
    copy_plane(s, plane, l->latest);
    l->next++;
    return l->first + l->filled == chunk_of(l, l->chunk).planes ? submit(s, l) : 0;
}

/* Appends what follows a periodic line's last plane: that plane again if the number is odd, and the
 * first planes. */
static int wrap(struct gf_dwt_stream *s, struct level *l) {
    int rc = 0;
    while (l->chunk < l->chunks && !rc) {
        const int64_t at = gf_dwt_extend(l->next, l->z.planes, GF_PERIODIC);
        const struct gf_array plane = gf_array_wrap(
            at < l->z.kept ? l->kept + at * l->z.plane : l->latest, l->z.job.in_dtype, 3, l->shape);
        rc = append(s, l, &plane);
    }
    return rc;
}

/* Finishes all chunks in flight. */
static int drain(struct gf_dwt_stream *s, struct level *l) {
    int rc = 0;
    for (int64_t i = 0; i < SLOTS && !rc; i++)
        rc = finish(s, l, &l->slot[(l->chunk + i) % SLOTS]);
    return rc;
}

static int put(struct gf_dwt_stream *s, struct level *l, int64_t at, const struct gf_array *plane) {
    int rc = 0;
    if (at < l->z.kept)
        copy_plane(s, plane, l->kept + at * l->z.plane);
    if (at >= l->z.first)
        rc = append(s, l, plane);
    if (++l->came < l->z.planes || rc)
        return rc;
    if (l->kept)
        rc = wrap(s, l);
    return rc ? rc : drain(s, l);
}

static int stream_push(struct gf_dwt_stream *s, const struct gf_array *plane) {
    struct level *l = s->level;
    return l->came < l->z.planes ? put(s, l, l->came, plane)
                                 : gf_fail(GF_EINVAL, "more planes than the job has");
}

static void stream_info(const struct gf_dwt_stream *s, struct gf_dwt_stream_info *info) {
    *info = (struct gf_dwt_stream_info){.peak = (double)host_bytes(s) / (double)s->level->z.plane,
                                        .device_bytes = device_bytes(s),
                                        .host_bytes = host_bytes(s),
                                        .chunks = s->level->chunks,
                                        .planes = 2 * s->level->each};
    for (int i = 0; i < s->n_levels; i++) {
        const struct level *l = &s->level[i];
        info->bytes_up += (l->z.planes + l->z.kept) * l->z.plane;
        for (int64_t k = 0; k < l->chunks; k++)
            info->bytes_down += run_of(&s->level[i], k)->program.plan->bytes[GF_GPU_OUT];
        for (int k = 0; k < SIZES; k++) {
            info->built += l->run[k].program.built;
            info->build_seconds += l->run[k].program.build_seconds;
        }
    }
}

const struct gf_dwt_streamer gf_gpu_dwt_streamer = {
    .bytes = stream_bytes,
    .open = open_usual,
    .push = stream_push,
    .info = stream_info,
    .close = stream_close,
};
