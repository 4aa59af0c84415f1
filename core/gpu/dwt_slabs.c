/* Wavelet transforms in slabs. Forward, all planes go through a stream, whose boxes are copied
 * into the output. An inverse makes each level's planes from chunks of its bands, coarser levels
 * first. */
#include "core/gpu/dwt.h"

#include <stdlib.h>

#include "core/base/host/clock.h"
#include "core/base/value/pages.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/slab_walk.h"
#include "core/split/wavelet.h"
#include "core/wavelet/dwt.h"

enum { CHUNK = 32 << 20, RUNS = 4 };

struct gf_gpu_dwt_slabs {
    struct gf_job job; /* of a volume: the device's share */
    bool host_share;
    struct gf_slab_wavelet inverse;
    struct gf_dwt_stream_info what;
    struct gf_gpu_run run[RUNS]; /* an inverse's recent chunks */
    struct gf_job made[RUNS];
    int next;
};

/* ---- forward ---- */

/* Receives boxes. */
struct target {
    struct gf_array out;
    int threads;
};

static void copy_box(const struct gf_array *out, const struct gf_dwt_box *b) {
    const int64_t size = (int64_t)gf_dtype_size(out->dtype), unit = out->shape[3] * size;
    struct gf_array to = gf_array_slice(out, 0, b->z, 1);
    to = gf_array_slice(&to, 1, b->y, b->height);
    to = gf_array_slice(&to, 2, b->x, b->width);
    struct gf_array from = gf_array_wrap((void *)b->data, out->dtype, 4, to.shape);
    from.stride[0] = from.stride[1] = b->stride;
    if (to.stride[3] != size || to.stride[2] != unit) {
        gf_array_copy(&to, &from);
        return;
    }
    for (int64_t i = 0; i < b->height; i++)
        gf_copy_streaming((char *)to.data + i * to.stride[1], (const char *)b->data + i * b->stride,
                          (size_t)(b->width * unit));
}

static int emit(void *user, const struct gf_dwt_box *box, int n) {
    const struct target *t = user;
#pragma omp parallel for num_threads(t->threads) schedule(dynamic) if (t->threads > 1)
    for (int i = 0; i < n; i++)
        copy_box(&t->out, &box[i]);
    return 0;
}

static int run_forward(const struct gf_gpu_context *c, struct gf_gpu_dwt_slabs *w,
                       const struct gf_array *in, struct gf_array *out) {
    struct target target = {.out = *out, .threads = gf_gpu_slab_threads(c)};
    const struct gf_dwt_taker taker = {.emit = emit, .user = &target};
    struct gf_dwt_stream *stream = NULL;
    struct gf_dwt_layout layout;
    int rc = gf_gpu_dwt_stream_open(c, &w->job, CHUNK, INT64_MAX, &taker, &stream);
    gf_dwt_layout(&w->job, &layout);
    if (!rc && !gf_dwt_layout_is_tight(&layout))
        gf_dwt_clear(out); /* no box has the gaps between bands */
    for (int64_t z = 0; z < w->job.shape[0] && !rc; z++) {
        const struct gf_array plane = gf_array_index(in, 0, z);
        rc = gf_gpu_dwt_streamer.push(stream, &plane);
    }
    gf_gpu_dwt_streamer.close(stream);
    return rc;
}

/* ---- inverse ---- */

struct transit {
    const struct gf_gpu_context *c;
    struct gf_gpu_dwt_slabs *w;
    const struct gf_array *in;
    struct gf_array *out;
};

static void copy_plane_rows(const struct gf_array *a, const struct gf_slab_rows *rows, void *packed,
                            bool unpack) {
    struct gf_array there = gf_array_slice(a, 0, rows->page, 1);
    there = gf_array_slice(&there, 1, rows->row, rows->count);
    struct gf_array dense = gf_array_wrap(packed, a->dtype, 4, there.shape);
    gf_array_copy(unpack ? &there : &dense, unpack ? &dense : &there);
}

static int read_rows(void *user, const struct gf_slab_rows *rows, void *to) {
    copy_plane_rows(((struct transit *)user)->in, rows, to, false);
    return 0;
}

static int write_rows(void *user, int i, const struct gf_slab_rows *rows, const void *data) {
    copy_plane_rows(&((struct transit *)user)->out[i], rows, (void *)data, true);
    return 0;
}

/* Finds the plan for a chunk, or makes it in place of the oldest. */
static int find_run(const struct gf_gpu_context *c, struct gf_gpu_dwt_slabs *w,
                    const struct gf_job *job, struct gf_gpu_run **out) {
    for (int i = 0; i < RUNS; i++)
        if (w->run[i].program.plan && gf_job_equal(&w->made[i], job)) {
            *out = &w->run[i];
            return 0;
        }
    struct gf_gpu_run *m = *out = &w->run[w->next];
    w->made[w->next] = *job;
    w->next = (w->next + 1) % RUNS;
    gf_gpu_run_drop(c, m);
    int rc = gf_gpu_program_make(c, &m->program, job);
    return rc ? rc : gf_gpu_program_prepare(c, &m->program, 0);
}

static int run_chunk(void *user, const struct gf_job *job, const struct gf_array *in,
                     struct gf_array *out, struct gf_report *report) {
    const struct transit *t = user;
    struct gf_gpu_run *m = NULL;
    *report = (struct gf_report){.kept = 0};
    int rc = find_run(t->c, t->w, job, &m);
    if (!rc)
        rc = gf_gpu_run_all(t->c, m, in, out, report);
    if (m)
        gf_gpu_run_give_back(t->c, m); /* the next chunk may be another level's */
    return rc;
}

/* ---- jobs ---- */

static void drop_runs(const struct gf_gpu_context *c, struct gf_gpu_dwt_slabs *w) {
    for (int i = 0; i < RUNS; i++)
        gf_gpu_run_drop(c, &w->run[i]);
}

/* Chooses chunks that fit for all levels, by the finest, which is the largest. */
static int fit_inverse(const struct gf_gpu_context *c, struct gf_gpu_dwt_slabs *w) {
    struct gf_slab_wavelet *inverse = &w->inverse;
    struct gf_gpu_run *m = NULL;
    int64_t memory = 8 * (int64_t)CHUNK;
    int rc = gf_slab_wavelet_make(&w->job, memory, inverse);
    while (rc == GF_ENOMEM) /* the host's memory does not limit it */
        rc = gf_slab_wavelet_make(&w->job, memory *= 2, inverse);
    for (; !rc; gf_slab_wavelet_take(inverse, inverse->pairs / 2)) {
        const struct gf_job job = gf_slab_wavelet_chunk(inverse);
        rc = find_run(c, w, &job, &m);
        if (!gf_gpu_run_too_large(rc) || inverse->pairs == 1)
            break;
        drop_runs(c, w);
        rc = 0;
    }
    const int64_t pairs = inverse->pairs;
    w->what = (struct gf_dwt_stream_info){.host_bytes = inverse->memory_bytes,
                                          .device_bytes = m ? m->program.bytes : 0,
                                          .bytes_up = inverse->bytes_read,
                                          .bytes_down = inverse->bytes_written,
                                          .chunks = gf_divide_up(w->job.shape[0] / 2, pairs),
                                          .planes = 2 * pairs};
    for (int i = 0; i < RUNS; i++) {
        w->what.built += w->run[i].program.built;
        w->what.build_seconds += w->run[i].program.build_seconds;
    }
    return rc;
}

static int fit_forward(const struct gf_gpu_context *c, struct gf_gpu_dwt_slabs *w) {
    struct gf_dwt_stream *stream = NULL;
    const struct gf_dwt_taker none = {.emit = NULL};
    int rc = gf_gpu_dwt_stream_open(c, &w->job, CHUNK, INT64_MAX, &none, &stream);
    if (!rc)
        gf_gpu_dwt_streamer.info(stream, &w->what);
    gf_gpu_dwt_streamer.close(stream);
    return rc;
}

static void list(const struct gf_gpu_dwt_slabs *w, struct gf_plan *plan) {
    gf_pass_list(plan, w->what.bytes_up, w->what.bytes_down,
                 "%lld chunks of %lld planes, all %d levels", (long long)w->what.chunks,
                 (long long)w->what.planes, w->job.wavelet.levels);
    plan->kernels_built += w->what.built;
    plan->build_seconds += w->what.build_seconds;
    plan->in_slabs = true;
    plan->workspace_bytes += w->what.host_bytes;
    plan->device_bytes = w->what.device_bytes;
}

static int run(struct gf_plan *plan, const struct gf_array *in, struct gf_array *out,
               struct gf_report *report) {
    const struct gf_gpu_context *c = plan->context;
    struct gf_gpu_dwt_slabs *w = plan->impl;
    const struct gf_array from = gf_gpu_slab_volume(in);
    struct gf_array to[GF_MAX_OUTPUTS];
    struct transit t = {.c = c, .w = w, .in = &from, .out = to};
    const struct gf_slab_io io = {.user = &t,
                                  .threads = c->threads,
                                  .read_rows = read_rows,
                                  .write = write_rows,
                                  .run = run_chunk};
    for (int i = 0; i < w->job.n_out; i++)
        to[i] = gf_gpu_slab_volume(&out[i]);
    return w->job.direction == GF_FORWARD ? run_forward(c, w, &from, &to[0])
                                          : gf_slab_wavelet_run(&w->inverse, &io, report);
}

static int exec(struct gf_bound *b, struct gf_report *report) {
    struct gf_plan *plan = b->plan;
    const struct gf_gpu_context *c = plan->context;
    const struct gf_job *job = &plan->job;
    const bool shares = ((struct gf_gpu_dwt_slabs *)plan->impl)->host_share;
    const bool forward = job->direction == GF_FORWARD;
    struct gf_array coefficients = {0};
    const double start = gf_now_ms();
    int rc = shares ? gf_gpu_dwt_begin(c, job, forward ? NULL : &b->in, &coefficients) : 0;
    if (!rc)
        rc = run(plan, shares && !forward ? &coefficients : &b->in,
                 shares && forward ? &coefficients : b->out, report);
    if (!rc && shares && forward)
        rc = gf_gpu_dwt_end(c, job, &coefficients, b->out, report);
    gf_array_free(&coefficients);
    report->ms.run = gf_now_ms() - start;
    return rc;
}

static void drop(struct gf_plan *plan) {
    drop_runs(plan->context, plan->impl);
    free(plan->impl);
}

int gf_gpu_dwt_slabs_plan(const struct gf_gpu_context *c, struct gf_plan *plan) {
    static const struct gf_plan_ops ops = {.exec = exec, .drop = drop};
    struct gf_job volume = gf_job_volume(&plan->job);
    const bool host_share = gf_gpu_dwt_take_share(&volume);
    const char *why = volume.direction == GF_FORWARD ? gf_dwt_refuses_planes(&volume)
                                                     : gf_slab_wavelet_refuses(&volume);
    if (why)
        return gf_fail(GF_EUNSUPP, "%s", why);
    struct gf_gpu_dwt_slabs *w = calloc(1, sizeof *w);
    if (!w)
        return gf_no_memory();
    volume.lean = volume.spend_input = false;
    w->job = volume;
    w->host_share = host_share;
    plan->impl = w;
    plan->ops = &ops;
    const int rc = volume.direction == GF_FORWARD ? fit_forward(c, w) : fit_inverse(c, w);
    if (!rc && host_share && volume.direction == GF_INVERSE)
        gf_gpu_dwt_list_share(plan);
    if (!rc)
        list(w, plan);
    if (!rc && host_share && volume.direction == GF_FORWARD)
        gf_gpu_dwt_list_share(plan);
    return rc;
}
