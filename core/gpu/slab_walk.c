/* One walk of a job in slabs: each part is uploaded, transformed and downloaded. Three parts are in
 * flight, and the device copies in both directions while it runs passes. Arrays that are page-locked are
 * copied by the device alone; others, and outputs that are shifted or mirrored, are packed and unpacked
 * by the host's threads in page-locked buffers. */
#include "core/gpu/slab_walk.h"

#include <math.h>
#include <string.h>

#include "core/gpu/plan/filter.h"
#include "core/gpu/plan/transpose.h"
#include "core/gpu/slab_copy.h"

enum { DEPTH = GF_GPU_SLAB_DEPTH, LAG = DEPTH - 1, BUFFER_ALIGNED = 64 };
enum { UPLOADS, PASSES, DOWNLOADS }; /* queues */
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
    struct gf_gpu_buffer *table[DEPTH]; /* a filter's values, where they are a table */
    struct gf_report *found;
    double *high; /* of a walk for display ranges */
};

/* More threads than that copy no faster, and a machine that lends a share of its CPUs counts them all. */
enum { MOST_THREADS = 16 };

int gf_gpu_slab_threads(const struct gf_gpu_context *c) {
    return c->props.is_cpu ? 1 : c->threads < MOST_THREADS ? c->threads : MOST_THREADS;
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

static bool has_table(const struct transit *t) {
    return t->w->run[0].plan->bytes[GF_GPU_FILTER] > 0;
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
    if (!rc && has_table(t))
        rc = take_stage(t, GF_GPU_SLAB_TABLE);
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
        if (!rc && p->gaps) /* which no pass writes */
            rc = api->clear(gpu, t->out[i][0], 0, p->bytes[GF_GPU_OUT]);
        if (!rc)
            rc = api->alloc(gpu, gf_gpu_run_report_bytes(&t->w->run[0]), &t->report[i]);
        if (!rc && has_table(t))
            rc = api->alloc(gpu, p->bytes[GF_GPU_FILTER], &t->table[i]);
    }
    for (int i = 0; i < 2 && !rc; i++)
        if (p->bytes[GF_GPU_A + i])
            rc = api->alloc(gpu, p->bytes[GF_GPU_A + i], &t->work[i]);
    for (int i = 0; i < t->w->n_runs && !rc; i++) {
        struct gf_gpu_buffer *lent[GF_GPU_N_BUFFERS] = {
            [GF_GPU_IN] = t->in[0], [GF_GPU_FILTER] = t->table[0]};
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
        api->free(t->c->gpu, t->table[i]);
        for (int k = 0; k < GF_MAX_OUTPUTS; k++)
            api->free(t->c->gpu, t->out[i][k]);
    }
    for (int i = 0; i < 2; i++)
        api->free(t->c->gpu, t->work[i]);
}

/* ---- parts ---- */

/* A line, or with `spectrum` its spectrum. */
static struct gf_gpu_slab_matrix matrix_of(const struct transit *t, bool spectrum) {
    const int64_t *shape = t->s->job.shape, points = t->s->asked.shape[0];
    if (t->s->asked.ndim > 1)
        return (struct gf_gpu_slab_matrix){.points = 0};
    return spectrum ? (struct gf_gpu_slab_matrix){points, shape[0], shape[2]}
                    : (struct gf_gpu_slab_matrix){points, shape[2], shape[0]};
}

/* Whether the array that is read, or written, is taken in blocks. */
static bool reads_blocks(const struct gf_gpu_walk *w) {
    return w->blocks || (w->columns && w->from_input);
}
static bool writes_blocks(const struct gf_gpu_walk *w) {
    return w->blocks || (w->columns && w->to_output);
}

/* The matrix of the array that is read, or written, where that is not the exchange. */
static struct gf_gpu_slab_matrix read_matrix(const struct transit *t) {
    return t->w->from_input ? matrix_of(t, t->w->blocks) : (struct gf_gpu_slab_matrix){.points = 0};
}
static struct gf_gpu_slab_matrix written_matrix(const struct transit *t) {
    return t->w->to_output ? matrix_of(t, t->w->blocks) : (struct gf_gpu_slab_matrix){.points = 0};
}

/* half: the array has half spectra, whose last axis is not shifted. */
static struct gf_gpu_slab_bins bins_of(const struct transit *t, const struct gf_array *a,
                                       struct gf_gpu_slab_matrix line, int64_t part, bool shift,
                                       bool half) {
    const struct gf_gpu_slabs *s = t->s;
    struct gf_gpu_slab_bins b = {.array = *a,
                                 .first = part * t->w->each,
                                 .count = count_of(t->w, part),
                                 .columns = s->plan.width * s->plan.number / s->unit,
                                 .axes = s->job.axes};
    b.line = line;
    b.mirrors = line.points ? s->plan.real && t->w->blocks : a->shape[2] != b.columns;
    for (int i = 0; i < 3; i++)
        b.shift[i] = shift && s->job.axes >> i & 1 && (i < 2 || !half);
    return b;
}

static struct gf_array pages_of(const struct transit *t, const struct gf_array *a, int64_t part) {
    return gf_array_slice(a, 0, part * t->w->each, count_of(t->w, part));
}

static struct gf_gpu_slab_bins input_bins(const struct transit *t, int64_t part) {
    const struct gf_job *job = &t->s->job;
    return bins_of(t, &t->from, read_matrix(t), part, t->w->from_input && job->in_shift,
                   job->in_half);
}

static struct gf_gpu_slab_bins output_bins(const struct transit *t, int64_t part, int k) {
    const struct gf_output *o = &t->s->job.out[t->w->output[k]];
    struct gf_gpu_slab_bins b =
        bins_of(t, &t->to[k], written_matrix(t), part, t->w->to_output && o->shift, o->half);
    b.kind = o->kind;
    return b;
}

static struct gf_gpu_slab_copy pack(const struct transit *t, int64_t part, char *packed) {
    struct gf_gpu_slab_copy copy = {.whole_pages = !reads_blocks(t->w), .packed = packed};
    if (!copy.whole_pages)
        copy.bins = input_bins(t, part);
    else
        copy.pages = pages_of(t, &t->from, part);
    return copy;
}

/* The values that the part's bins are multiplied by. */
static struct gf_gpu_slab_copy pack_table(const struct transit *t, int64_t part, char *packed) {
    const struct gf_slab_plan *p = &t->s->plan;
    const int64_t columns = p->width * p->number / t->s->unit;
    const struct gf_gpu_slab_matrix line = matrix_of(t, true);
    const int64_t volume[4] = {p->pages, p->rows, columns, 1};
    const int64_t half[4] = {1, 1, line.points / 2 + 1, 1};
    const struct gf_array table =
        gf_array_wrap(t->s->table.data, t->s->table.dtype, 4, line.points ? half : volume);
    return (struct gf_gpu_slab_copy){.bins = bins_of(t, &table, line, part, false, true),
                                     .packed = packed};
}

/* Output k of a part. */
static struct gf_gpu_slab_copy unpack(const struct transit *t, int64_t part, int k, char *packed) {
    struct gf_gpu_slab_copy copy = {
        .whole_pages = !writes_blocks(t->w), .packed = packed, .unpack = true};
    if (!copy.whole_pages)
        copy.bins = output_bins(t, part, k);
    else
        copy.pages = pages_of(t, &t->to[k], part);
    return copy;
}

/* A part as rows of an array that lies together in memory, unshifted: one, or one in each page. */
static struct gf_gpu_rows rows_of(const struct transit *t, const struct gf_array *a,
                                  const struct gf_gpu_slab_matrix *line, bool blocks,
                                  int64_t part) {
    const int64_t page = gf_array_bytes(a) / a->shape[0], first = part * t->w->each;
    const int64_t count = count_of(t->w, part);
    if (!blocks)
        return (struct gf_gpu_rows){(char *)a->data + first * page, count * page, count * page, 1};
    const int64_t bin = a->shape[3] * (int64_t)gf_dtype_size(a->dtype);
    if (line->points)
        return (struct gf_gpu_rows){(char *)a->data + first * bin, count * bin, line->columns * bin,
                                    line->rows};
    return (struct gf_gpu_rows){(char *)a->data + first * bin, count * bin, page, a->shape[0]};
}

/* Whether the device can copy parts of a locked array itself. */
static bool is_flat(const struct gf_array *a, const struct gf_gpu_slab_bins *b, bool blocks) {
    const bool moved = b->mirrors || b->shift[0] || b->shift[1] || b->shift[2];
    return gf_array_is_contiguous(a) && !(blocks && moved);
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
static int queue_passes(struct transit *t, int64_t part, struct gf_gpu_run *m, int slot) {
    const struct gf_gpu *api = t->c->api;
    void *gpu = t->c->gpu;
    int rc = api->use(gpu, PASSES);
    if (!rc)
        rc = api->follow(gpu, UPLOADED + slot);
    if (!rc)
        rc = api->follow(gpu, DOWNLOADED + slot);
    m->buffer[GF_GPU_IN] = t->in[slot];
    m->buffer[GF_GPU_FILTER] = t->table[slot];
    for (int k = 0; k < m->plan->job.n_out; k++)
        m->buffer[GF_GPU_OUT + k] = t->out[slot][k];
    if (t->w->filters) /* the device's axes are the last ones of three */
        gf_gpu_filter_move(m->plan, t->s->picture ? 2 : 1, part * t->w->each / t->w->granule);
    if (t->w->columns)
        gf_gpu_transpose_move(m->plan, part * t->w->each);
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
    const struct gf_gpu_slab_matrix line = written_matrix(t);
    for (int k = 0; k < m->plan->job.n_out && !rc && !t->w->scans; k++) {
        const struct gf_gpu_rows rows = rows_of(t, &t->to[k], &line, writes_blocks(t->w), part);
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
    char *table = t->s->staging[GF_GPU_SLAB_TABLE][slot];
    int rc = api->use(gpu, UPLOADS);
    if (!rc)
        rc = api->follow(gpu, TRANSFORMED + slot);
    if (rc)
        return rc;
    const struct gf_gpu_slab_matrix line = read_matrix(t);
    const struct gf_gpu_rows rows = rows_of(t, &t->from, &line, reads_blocks(t->w), part);
    rc = t->from_staged ? api->upload(gpu, t->in[slot], 0, from, m->plan->bytes[GF_GPU_IN])
                        : api->upload_rows(gpu, t->in[slot], &rows);
    if (!rc && has_table(t))
        rc = api->upload(gpu, t->table[slot], 0, table, m->plan->bytes[GF_GPU_FILTER]);
    return rc ? rc : api->mark(gpu, UPLOADED + slot);
}

static int begin_part(struct transit *t, int64_t part) {
    struct gf_gpu_run *m = run_of(t->w, part);
    const int slot = (int)(part % DEPTH);
    int rc = queue_upload(t, part, m, slot);
    if (!rc)
        rc = queue_passes(t, part, m, slot);
    return rc ? rc : queue_download(t, part, m, slot);
}

/* What a part reported, once it is back. */
static int read_report(struct transit *t, int64_t part) {
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
    }
    t->found->kept += found.kept;
    t->found->lost += found.lost;
    return 0;
}

/* Packs the part that comes next and unpacks the one that is back, on all threads at once. */
static int copy_parts(struct transit *t, int64_t next, int64_t back) {
    struct gf_gpu_slab_copy copy[GF_MAX_OUTPUTS + 2];
    char *(*staging)[DEPTH] = t->s->staging;
    int n = 0, rc = 0;
    if (next < t->w->n) {
        const int slot = (int)(next % DEPTH);
        if (t->from_staged)
            copy[n++] = pack(t, next, staging[GF_GPU_SLAB_UP][slot]);
        if (has_table(t))
            copy[n++] = pack_table(t, next, staging[GF_GPU_SLAB_TABLE][slot]);
        if (n) /* the part before it was read from there */
            rc = t->c->api->reach(t->c->gpu, UPLOADED + slot);
    }
    if (back >= 0 && !rc) {
        const struct gf_gpu_plan *p = run_of(t->w, back)->plan;
        char *from = staging[GF_GPU_SLAB_DOWN][back % DEPTH];
        rc = read_report(t, back);
        for (int k = 0; k < p->job.n_out && !t->w->scans; k++)
            if (t->to_staged[k])
                copy[n++] = unpack(t, back, k, from + place_of(p, k));
    }
    if (!rc)
        gf_gpu_slab_copy(copy, n, gf_gpu_slab_threads(t->c));
    return rc;
}

static int walk(struct transit *t) {
    const struct gf_gpu *api = t->c->api;
    int rc = take_staging(t);
    if (!rc)
        rc = take_buffers(t);
    for (int64_t k = 0; k < t->w->n + LAG && !rc; k++) {
        rc = copy_parts(t, k, k - LAG);
        if (k < t->w->n && !rc)
            rc = begin_part(t, k);
    }
    int back = api->use(t->c->gpu, 0), last = api->sync(t->c->gpu); /* what reports failures */
    free_buffers(t);
    return rc ? rc : back ? back : last;
}

int gf_gpu_slab_walk(const struct gf_gpu_context *c, struct gf_gpu_slabs *s, struct gf_gpu_walk *w,
                     const struct gf_gpu_slab_ends *ends, struct gf_report *found, double *high) {
    struct transit t = {.c = c, .s = s, .w = w, .found = found, .high = high};
    const struct gf_gpu_slab_end *from = w->from_input ? &ends->in : &ends->exchange;
    const struct gf_gpu_slab_end *to = &ends->exchange;
    t.from = from->a;
    t.to[0] = to->a;
    const struct gf_gpu_slab_bins bins = input_bins(&t, 0);
    t.from_staged = !from->locked || !is_flat(&t.from, &bins, reads_blocks(w));
    t.to_staged[0] = !to->locked;
    for (int k = 0; k < w->run[0].plan->job.n_out && w->to_output; k++) {
        to = &ends->out[w->output[k]];
        t.to[k] = to->a;
        const struct gf_gpu_slab_bins written = output_bins(&t, 0, k);
        t.to_staged[k] = !to->locked || !is_flat(&t.to[k], &written, writes_blocks(w));
    }
    return walk(&t);
}
