/* The walks of a job in slabs: each part is uploaded, transformed and downloaded. Three parts are in
 * flight, and the device copies in both directions while it runs passes. Arrays are page-locked where
 * that is possible, and the device copies from and to them; others, and outputs that are shifted or
 * mirrored, are packed and unpacked by the host's threads in page-locked buffers. */
#include <math.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/job_check.h"
#include "core/base/status.h"
#include "core/gpu/slab.h"
#include "core/gpu/slab_copy.h"
#include "core/slab/range.h"

enum { DEPTH = GF_GPU_SLAB_DEPTH, LAG = DEPTH - 1, BUFFER_ALIGNED = 64 };
enum { UPLOADS, PASSES, DOWNLOADS }; /* queues */
enum { PACKING_THREADS = 8, PACKED_PARTS = 48 };
/* Marks, each followed by those of the other parts in flight: this part is there, transformed, back.
 */
enum { UPLOADED = 4, TRANSFORMED = UPLOADED + DEPTH, DOWNLOADED = TRANSFORMED + DEPTH };

/* One walk under way. */
struct transit {
    const struct gf_gpu_context *c;
    struct gf_gpu_slabs *s;
    struct gf_gpu_walk *w;
    struct gf_array from, to[GF_MAX_OUTPUTS];
    bool from_staged, to_staged[GF_MAX_OUTPUTS]; /* the others are copied by the device alone */
    struct gf_gpu_buffer *in[DEPTH], *out[DEPTH][GF_MAX_OUTPUTS], *report[DEPTH], *work[2];
    struct gf_report *found;
    double high[GF_MAX_OUTPUTS]; /* of a walk for display ranges */
};

/* For copies; a device that is the CPU has its own threads there. */
static int host_threads(const struct gf_gpu_context *c) {
    return c->props.is_cpu ? 1 : c->threads;
}

static int64_t count_of(const struct gf_gpu_walk *w, int64_t part) {
    return part + 1 < w->n ? w->each : w->extent - part * w->each;
}

static struct gf_gpu_run *run_of(struct gf_gpu_walk *w, int64_t part) {
    return &w->run[count_of(w, part) < w->each ? 1 : 0];
}

/* ---- memory ---- */

/* Page-locked buffers stay until the plan is dropped, for locking takes as long as filling them. */
static int take_stage(const struct transit *t, int stage) {
    const struct gf_gpu *api = t->c->api;
    int rc = 0;
    for (int i = 0; i < DEPTH && !rc; i++) {
        void *host = t->s->staging[stage][i];
        if (!host)
            rc = api->pin(t->c->gpu, t->s->staging_bytes[stage], &host);
        t->s->staging[stage][i] = host;
    }
    return rc;
}

static int take_staging(const struct transit *t) {
    bool down = false;
    for (int k = 0; k < t->w->run[0].plan->job.n_out && !t->w->scans; k++)
        down |= t->to_staged[k];
    int rc = take_stage(t, GF_GPU_SLAB_REPORT);
    if (!rc && t->from_staged)
        rc = take_stage(t, GF_GPU_SLAB_UP);
    if (!rc && down)
        rc = take_stage(t, GF_GPU_SLAB_DOWN);
    return rc;
}

static int take_buffers(struct transit *t) {
    const struct gf_gpu *api = t->c->api;
    const struct gf_gpu_plan *p = t->w->run[0].plan;
    void *gpu = t->c->gpu;
    int rc = 0;
    for (int i = 0; i < DEPTH && !rc; i++) {
        rc = api->alloc(gpu, p->bytes[GF_GPU_IN], &t->in[i]);
        for (int k = 0; k < p->job.n_out && !rc; k++)
            rc = api->alloc(gpu, p->bytes[GF_GPU_OUT + k], &t->out[i][k]);
        if (!rc)
            rc = api->alloc(gpu, gf_gpu_run_report_bytes(&t->w->run[0]), &t->report[i]);
    }
    for (int i = 0; i < 2 && !rc; i++)
        if (p->bytes[GF_GPU_A + i])
            rc = api->alloc(gpu, p->bytes[GF_GPU_A + i], &t->work[i]);
    for (int i = 0; i < t->w->n_runs && !rc; i++) {
        struct gf_gpu_buffer *lent[GF_GPU_N_BUFFERS] = {[GF_GPU_IN] = t->in[0]};
        const struct gf_gpu_plan *own = t->w->run[i].plan;
        for (int k = 0; k < 2; k++)
            if (own->bytes[GF_GPU_A + k] <= p->bytes[GF_GPU_A + k])
                lent[GF_GPU_A + k] = t->work[k];
        for (int k = 0; k < p->job.n_out; k++)
            lent[GF_GPU_OUT + k] = t->out[0][k];
        rc = gf_gpu_run_take(t->c, &t->w->run[i], lent);
    }
    return rc ? rc : api->sync(gpu); /* the other queues see the tables */
}

static void free_buffers(struct transit *t) {
    const struct gf_gpu *api = t->c->api;
    for (int i = 0; i < t->w->n_runs; i++)
        gf_gpu_run_give_back(t->c, &t->w->run[i]);
    for (int i = 0; i < DEPTH; i++) {
        api->free(t->c->gpu, t->in[i]);
        api->free(t->c->gpu, t->report[i]);
        for (int k = 0; k < GF_MAX_OUTPUTS; k++)
            api->free(t->c->gpu, t->out[i][k]);
    }
    for (int i = 0; i < 2; i++)
        api->free(t->c->gpu, t->work[i]);
}

/* ---- parts ---- */

/* half: the array has half spectra, whose last axis is not shifted. */
static struct gf_gpu_slab_bins bins_of(const struct transit *t, const struct gf_array *a,
                                       int64_t part, bool shift, bool half) {
    const struct gf_gpu_slabs *s = t->s;
    struct gf_gpu_slab_bins b = {.array = *a,
                                 .first = part * t->w->each,
                                 .count = count_of(t->w, part),
                                 .columns = s->plan.width * s->plan.number / s->unit,
                                 .axes = s->job.axes,
                                 .threads = host_threads(t->c)};
    b.mirrors = a->shape[2] != b.columns;
    for (int i = 0; i < 3; i++)
        b.shift[i] = shift && s->job.axes >> i & 1 && (i < 2 || !half);
    return b;
}

static struct gf_array pages_of(const struct transit *t, const struct gf_array *a, int64_t part) {
    return gf_array_slice(a, 0, part * t->w->each, count_of(t->w, part));
}

static struct gf_gpu_slab_bins input_bins(const struct transit *t, int64_t part) {
    const struct gf_job *job = &t->s->job;
    return bins_of(t, &t->from, part, t->w->from_input && job->in_shift, job->in_half);
}

static struct gf_gpu_slab_bins output_bins(const struct transit *t, int64_t part, int k) {
    const struct gf_output *o = &t->s->job.out[t->w->output[k]];
    struct gf_gpu_slab_bins b = bins_of(t, &t->to[k], part, t->w->to_output && o->shift, o->half);
    b.kind = o->kind;
    return b;
}

static void pack(const struct transit *t, int64_t part, char *packed) {
    if (t->w->blocks) {
        const struct gf_gpu_slab_bins b = input_bins(t, part);
        gf_gpu_slab_copy_bins(&b, packed, false);
        return;
    }
    const struct gf_array pages = pages_of(t, &t->from, part);
    gf_gpu_slab_copy_pages(&pages, packed, false, host_threads(t->c));
}

/* Output k of a part. */
static void unpack(const struct transit *t, int64_t part, int k, char *packed) {
    if (t->w->blocks) {
        const struct gf_gpu_slab_bins b = output_bins(t, part, k);
        gf_gpu_slab_copy_bins(&b, packed, true);
        return;
    }
    const struct gf_array pages = pages_of(t, &t->to[k], part);
    gf_gpu_slab_copy_pages(&pages, packed, true, host_threads(t->c));
}

/* A part as rows of an array that lies together in memory, unshifted: one, or one in each page. */
static struct gf_gpu_rows rows_of(const struct transit *t, const struct gf_array *a, int64_t part) {
    const int64_t page = gf_array_bytes(a) / a->shape[0], first = part * t->w->each;
    const int64_t count = count_of(t->w, part);
    if (!t->w->blocks)
        return (struct gf_gpu_rows){(char *)a->data + first * page, count * page, count * page, 1};
    const int64_t bin = a->shape[3] * (int64_t)gf_dtype_size(a->dtype);
    return (struct gf_gpu_rows){(char *)a->data + first * bin, count * bin, page, a->shape[0]};
}

/* Whether the device can copy parts of a locked array itself. */
static bool is_flat(const struct transit *t, const struct gf_array *a,
                    const struct gf_gpu_slab_bins *b) {
    const bool moved = b->mirrors || b->shift[0] || b->shift[1] || b->shift[2];
    return gf_array_is_contiguous(a) && !(t->w->blocks && moved);
}

/* Where output k of a part in flight is. */
static int64_t place_of(const struct gf_gpu_plan *p, int k) {
    int64_t at = 0;
    for (int i = 0; i < k; i++)
        at += (p->bytes[GF_GPU_OUT + i] + BUFFER_ALIGNED - 1) / BUFFER_ALIGNED * BUFFER_ALIGNED;
    return at;
}

/* In the queue of passes: when the part is there, and the results of the part before it in the same
 * buffers are back. */
static int queue_passes(struct transit *t, struct gf_gpu_run *m, int slot) {
    const struct gf_gpu *api = t->c->api;
    void *gpu = t->c->gpu;
    int rc = api->use(gpu, PASSES);
    if (!rc)
        rc = api->follow(gpu, UPLOADED + slot);
    if (!rc)
        rc = api->follow(gpu, DOWNLOADED + slot);
    m->buffer[GF_GPU_IN] = t->in[slot];
    for (int k = 0; k < m->plan->job.n_out; k++)
        m->buffer[GF_GPU_OUT + k] = t->out[slot][k];
    if (!rc)
        rc = gf_gpu_run_launch(t->c, m, 0, m->plan->n_passes);
    if (!rc)
        rc = gf_gpu_run_copy_report(t->c, m, t->report[slot]);
    return rc ? rc : api->mark(gpu, TRANSFORMED + slot);
}

static int queue_download(struct transit *t, int64_t part, const struct gf_gpu_run *m, int slot) {
    const struct gf_gpu *api = t->c->api;
    void *gpu = t->c->gpu;
    int rc = api->use(gpu, DOWNLOADS);
    if (!rc)
        rc = api->follow(gpu, TRANSFORMED + slot);
    for (int k = 0; k < m->plan->job.n_out && !rc && !t->w->scans; k++) {
        const struct gf_gpu_rows rows = rows_of(t, &t->to[k], part);
        rc = t->to_staged[k]
                 ? api->download(gpu, t->s->staging[GF_GPU_SLAB_DOWN][slot] + place_of(m->plan, k),
                                 t->out[slot][k], 0, m->plan->bytes[GF_GPU_OUT + k])
                 : api->download_rows(gpu, t->out[slot][k], &rows);
    }
    if (!rc)
        rc = api->download(gpu, t->s->staging[GF_GPU_SLAB_REPORT][slot], t->report[slot], 0,
                           gf_gpu_run_report_bytes(m));
    return rc ? rc : api->mark(gpu, DOWNLOADED + slot);
}

static int queue_upload(struct transit *t, int64_t part, const struct gf_gpu_run *m, int slot) {
    const struct gf_gpu *api = t->c->api;
    void *gpu = t->c->gpu;
    char *from = t->s->staging[GF_GPU_SLAB_UP][slot];
    /* The part before it was read from this buffer. */
    int rc = t->from_staged ? api->reach(gpu, UPLOADED + slot) : 0;
    if (rc)
        return rc;
    if (t->from_staged)
        pack(t, part, from);
    rc = api->use(gpu, UPLOADS);
    if (!rc)
        rc = api->follow(gpu, TRANSFORMED + slot);
    if (rc)
        return rc;
    const struct gf_gpu_rows rows = rows_of(t, &t->from, part);
    rc = t->from_staged ? api->upload(gpu, t->in[slot], 0, from, m->plan->bytes[GF_GPU_IN])
                        : api->upload_rows(gpu, t->in[slot], &rows);
    return rc ? rc : api->mark(gpu, UPLOADED + slot);
}

static int begin_part(struct transit *t, int64_t part) {
    struct gf_gpu_run *m = run_of(t->w, part);
    const int slot = (int)(part % DEPTH);
    int rc = queue_upload(t, part, m, slot);
    if (!rc)
        rc = queue_passes(t, m, slot);
    return rc ? rc : queue_download(t, part, m, slot);
}

static int finish_part(struct transit *t, int64_t part) {
    const struct gf_gpu_run *m = run_of(t->w, part);
    const int slot = (int)(part % DEPTH);
    struct gf_report found = {.kept = 0};
    int rc = t->c->api->reach(t->c->gpu, DOWNLOADED + slot);
    if (rc)
        return rc;
    gf_gpu_run_parse_report(m, t->s->staging[GF_GPU_SLAB_REPORT][slot], &found);
    for (int k = 0; k < m->plan->job.n_out; k++) {
        const int i = t->w->output[k];
        t->high[i] = fmax(t->high[i], found.high[k]);
        t->found->low[i] = found.low[k];
        t->found->high[i] = found.high[k];
        t->found->clipped[i] += found.clipped[k];
        if (!t->w->scans && t->to_staged[k])
            unpack(t, part, k, t->s->staging[GF_GPU_SLAB_DOWN][slot] + place_of(m->plan, k));
    }
    t->found->kept += found.kept;
    t->found->lost += found.lost;
    return 0;
}

static int walk(struct transit *t) {
    const struct gf_gpu *api = t->c->api;
    int rc = take_staging(t);
    if (!rc)
        rc = take_buffers(t);
    for (int64_t k = 0; k < t->w->n + LAG && !rc; k++) {
        if (k < t->w->n)
            rc = begin_part(t, k);
        if (k >= LAG && !rc)
            rc = finish_part(t, k - LAG);
    }
    int back = api->use(t->c->gpu, 0), last = api->sync(t->c->gpu); /* what reports failures */
    free_buffers(t);
    return rc ? rc : back ? back : last;
}

/* ---- jobs ---- */

/* An array, and what is known of its memory. */
struct end {
    struct gf_array a;
    bool locked, ours; /* page-locked; by this job */
};

/* One job under way. */
struct run {
    const struct gf_gpu_context *c;
    struct gf_gpu_slabs *s;
    struct end in, out[GF_MAX_OUTPUTS], exchange;
    struct gf_slab_range range;
    struct gf_report found;
};

/* A picture as a volume with one row a page. */
static struct gf_array volume_of(const struct gf_gpu_slabs *s, const struct gf_array *a) {
    struct gf_array v = *a;
    v.base = NULL;
    if (!s->picture)
        return v;
    v.rank = 4;
    memcpy(v.shape, (int64_t[]){a->shape[0], 1, a->shape[1], a->shape[2]}, sizeof v.shape);
    memcpy(v.stride, (int64_t[]){a->stride[0], a->stride[0], a->stride[1], a->stride[2]},
           sizeof v.stride);
    return v;
}

/* The display ranges that were found, into the plans of a walk to the outputs. */
static void set_ranges(const struct run *r, struct gf_gpu_walk *w) {
    for (int i = 0; i < w->n_runs && !w->scans; i++)
        for (int k = 0; k < w->run[i].plan->job.n_out; k++) {
            struct gf_output *o = &w->run[i].plan->job.out[k];
            const double *range = r->range.of[w->output[k]];
            if (r->s->job.out[w->output[k]].range == GF_RANGE_GIVEN)
                continue;
            o->low = range[1] > 0 ? range[0] : 0;
            o->high = range[1] > 0 ? range[1] : 1; /* all is zero */
        }
}

static int run_walk(struct run *r, struct gf_gpu_walk *w) {
    struct transit t = {.c = r->c, .s = r->s, .w = w, .found = &r->found};
    const struct end *from = w->from_input ? &r->in : &r->exchange;
    const struct end *to = &r->exchange;
    t.from = from->a;
    t.to[0] = to->a;
    const struct gf_gpu_slab_bins bins = input_bins(&t, 0);
    t.from_staged = !from->locked || !is_flat(&t, &t.from, &bins);
    t.to_staged[0] = !to->locked;
    if (w->to_output) {
        set_ranges(r, w);
        for (int k = 0; k < w->run[0].plan->job.n_out; k++) {
            to = &r->out[w->output[k]];
            t.to[k] = to->a;
            const struct gf_gpu_slab_bins written = output_bins(&t, 0, k);
            t.to_staged[k] = !to->locked || !is_flat(&t, &t.to[k], &written);
        }
    }
    int rc = walk(&t);
    for (int i = 0; i < r->s->job.n_out && w->scans && !rc; i++)
        if (gf_gpu_slabs_scans(r->s, i))
            r->range.of[i][1] = t.high[i];
    return rc;
}

/* Lines [first, first + count) through the slowest axis. */
static int run_some_lines(const struct gf_gpu_context *c, const struct gf_array *all, int64_t first,
                          int64_t count) {
    struct gf_array lines = gf_array_slice(all, 1, first, count);
    const struct gf_job job = {.direction = GF_FORWARD,
                               .ndim = 2,
                               .shape = {lines.shape[0], count},
                               .channels = 1,
                               .axes = 1,
                               .in_dtype = lines.dtype,
                               .precision = lines.dtype == GF_C128 ? GF_DOUBLE : GF_SINGLE,
                               .n_out = 1,
                               .out = {{.kind = GF_COMPLEX, .dtype = lines.dtype}}};
    struct gf_gpu_run m = {.plan = NULL};
    int rc = gf_gpu_run_make(c, &m, &job);
    if (!rc)
        rc = gf_gpu_run_prepare(c, &m, 0);
    if (!rc)
        rc = gf_gpu_run_upload(c, &m, &lines);
    if (!rc)
        rc = gf_gpu_run_launch(c, &m, 0, m.plan->n_passes);
    if (!rc)
        rc = gf_gpu_run_download(c, &m, &lines, NULL);
    gf_gpu_run_drop(c, &m);
    return rc;
}

/* The lines of the sample for automatic ranges, as many at a time as the device has room for. */
static int run_lines(const struct gf_gpu_context *c, const struct gf_array *lines) {
    const int64_t all = lines->shape[1] * lines->shape[2];
    const struct gf_array flat =
        gf_array_wrap(lines->data, lines->dtype, 3, (int64_t[]){lines->shape[0], all, 1});
    int64_t each = all;
    int rc = 0;
    for (int64_t at = 0; at < all && !rc;) {
        const int64_t count = all - at < each ? all - at : each;
        rc = run_some_lines(c, &flat, at, count);
        at += rc ? 0 : count;
        if (rc == GF_ENOMEM && each > 1) {
            each = (each + 1) / 2;
            rc = 0;
        }
    }
    return rc;
}

/* After the slabs of a forward transform. */
static int find_ranges(struct run *r) {
    gf_slab_range_pages(&r->range, 0, r->s->plan.pages, r->exchange.a.data);
    struct gf_array lines = gf_slab_range_lines(&r->range);
    int rc = lines.data ? run_lines(r->c, &lines) : 0;
    if (!rc)
        gf_slab_range_find(&r->range);
    return rc;
}

static int run_forward(struct run *r) {
    struct gf_gpu_slabs *s = r->s;
    int rc = gf_slab_range_open(&s->plan, &r->range);
    if (!rc)
        gf_slab_range_input(&r->range, 0, &r->in.a);
    for (int i = 0; i < s->n_walks && !rc; i++) {
        rc = run_walk(r, &s->walk[i]);
        if (!rc && !s->walk[i].to_output)
            rc = find_ranges(r);
    }
    for (int i = 0; i < s->job.n_out && !rc; i++)
        gf_report_range(&s->job, i, r->range.of[i][0], r->range.of[i][1], &r->found);
    gf_slab_range_close(&r->range);
    return rc;
}

static int run_inverse(struct run *r) {
    int rc = 0;
    for (int i = 0; i < r->s->n_walks && !rc; i++)
        rc = run_walk(r, &r->s->walk[i]);
    r->found.imag_ratio = r->found.lost > 0 ? sqrt(r->found.lost / r->found.kept) : 0;
    return rc;
}

/* ---- memory of a job ---- */

/* Page-locking memory that nobody has written yet would make the kernel clear it on one thread. */
static void touch(const struct gf_array *a, int threads) {
    enum { PAGE = 4096 };
    volatile char *at = a->data;
    const int64_t bytes = gf_array_bytes(a);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int64_t i = 0; i < bytes; i += PAGE)
        at[i] = at[i];
}

/* Where that fails, copies are staged. */
static void lock(const struct gf_gpu_context *c, struct end *e) {
    if (gf_array_is_contiguous(&e->a))
        e->locked = !c->api->lock(c->gpu, e->a.data, gf_array_bytes(&e->a), &e->ours);
}

/* Arrays that the device can copy from and to itself. A long input, which is copied from once, is
 * packed while the device copies what comes before, where enough threads do that: on an H200 beside 16
 * CPU cores locking and unlocking takes 37 ms a GB, and locking the buffers for packing 80 ms. */
static void lock_all(struct run *r) {
    struct gf_gpu_slabs *s = r->s;
    const struct gf_gpu_walk *last = &s->walk[s->n_walks - 1];
    const bool again = r->exchange.a.data && r->exchange.a.data == r->in.a.data;
    if (again || host_threads(r->c) < PACKING_THREADS || s->walk[0].n < PACKED_PARTS)
        lock(r->c, &r->in);
    else
        r->in.locked = r->c->api->is_locked(r->c->gpu, r->in.a.data, gf_array_bytes(&r->in.a));
    for (int i = 0; i < s->job.n_out; i++) {
        const bool mirrored = s->plan.real && !s->job.out[i].half;
        if (last->blocks && (s->job.out[i].shift || mirrored))
            continue;
        touch(&r->out[i].a, host_threads(r->c));
        lock(r->c, &r->out[i]);
    }
    if (!s->plan.exchange_bytes)
        return;
    const struct end *same = r->exchange.a.data == r->in.a.data       ? &r->in
                             : r->exchange.a.data == r->out[0].a.data ? &r->out[0]
                                                                      : NULL;
    if (same) {
        r->exchange.locked = same->locked;
        return;
    }
    if (!s->exchange_locked) {
        touch(&r->exchange.a, host_threads(r->c));
        lock(r->c, &r->exchange);
        s->exchange_locked = r->exchange.ours;
    }
    r->exchange.locked = s->exchange_locked;
}

static void unlock_all(const struct run *r) {
    const struct gf_gpu *api = r->c->api;
    for (int i = -1; i < r->s->job.n_out; i++) {
        const struct end *e = i < 0 ? &r->in : &r->out[i];
        if (e->ours)
            api->unlock(r->c->gpu, e->a.data);
    }
}

/* In an output or a spent input that can hold it, else in memory of the plan's own. */
static int take_exchange(struct run *r) {
    struct gf_gpu_slabs *s = r->s;
    const struct gf_slab_plan *p = &s->plan;
    const int64_t channels = s->unit / p->number;
    void *data = NULL;
    if (!p->exchange_bytes)
        return 0;
    if (s->in_output && gf_array_is_contiguous(&r->out[0].a))
        data = r->out[0].a.data;
    else if (s->in_input && gf_array_is_contiguous(&r->in.a))
        data = r->in.a.data;
    if (!data && !s->exchange)
        s->exchange = gf_alloc((size_t)p->exchange_bytes);
    if (!data && !(data = s->exchange))
        return gf_fail(GF_ENOMEM, "no memory for an exchange of %lld bytes",
                       (long long)p->exchange_bytes);
    r->exchange.a = gf_array_wrap(data, p->number == 16 ? GF_C128 : GF_C64, 4,
                                  (int64_t[]){p->pages, p->rows, p->width / channels, channels});
    return 0;
}

int gf_gpu_slabs_exec(const struct gf_gpu_context *c, struct gf_gpu_slabs *s,
                      const struct gf_array *in, struct gf_array *out, struct gf_report *report) {
    struct run r = {.c = c, .s = s, .in = {.a = volume_of(s, in)}};
    const double start = gf_now_ms();
    for (int i = 0; i < s->job.n_out; i++)
        r.out[i].a = volume_of(s, &out[i]);
    int rc = take_exchange(&r);
    if (!rc) {
        lock_all(&r);
        rc = s->job.direction == GF_FORWARD ? run_forward(&r) : run_inverse(&r);
        unlock_all(&r);
    }
    r.found.ms.run = gf_now_ms() - start;
    if (!rc && report)
        *report = r.found;
    return rc;
}
