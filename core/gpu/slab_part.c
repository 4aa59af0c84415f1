/* Parts of walks: packed, and queued on the device. */
#include "core/gpu/slab_walk.h"

#include <math.h>

#include "core/gpu/plan/plan_builder.h"
#include "core/gpu/plan/space.h"

bool gf_gpu_walk_has_inbox(const struct gf_gpu_walk_state *t) {
    return t->s->role.members && !t->w->from_input;
}

bool gf_gpu_walk_sends(const struct gf_gpu_walk_state *t) {
    return t->s->role.members && (!t->w->to_output || t->s->role.natural);
}

bool gf_gpu_walk_shows(const struct gf_gpu_walk_state *t) {
    return gf_gpu_walk_sends(t) && !t->w->blocks && t->all->range &&
           (t->all->range->samples || t->all->range->zeros);
}

bool gf_gpu_walk_has_table(const struct gf_gpu_walk_state *t) {
    return t->w->run[0].plan->bytes[GF_GPU_FILTER] > 0;
}

/* ---- in host memory ---- */

/* One side of a walk: its input (k: -1), or output k. */
struct side {
    const struct gf_array *array;
    bool outer;  /* the job's own, otherwise the exchange */
    bool blocks; /* taken in blocks */
    bool shift, half;
    enum gf_kind kind;
    struct gf_gpu_slab_matrix line; /* as which a line, or its spectrum, is taken */
};

static struct gf_gpu_slab_matrix matrix_of(const struct gf_gpu_slabs *s, bool spectrum) {
    const int64_t *shape = s->job.shape, points = s->asked.shape[0];
    if (!gf_gpu_slabs_are_line(s))
        return (struct gf_gpu_slab_matrix){.points = 0};
    return spectrum ? (struct gf_gpu_slab_matrix){points, shape[0], shape[2]}
                    : (struct gf_gpu_slab_matrix){points, shape[2], shape[0]};
}

static struct side side_of(const struct gf_gpu_walk_state *t, int k) {
    const struct gf_gpu_walk *w = t->w;
    const struct gf_job *job = &t->s->job;
    const bool in = k < 0;
    struct side e = {.array = in ? &t->from : &t->to[k],
                     .outer = in ? w->from_input : w->to_output};
    const struct gf_output *o = &job->out[in || !e.outer ? 0 : w->output[k]];
    e.blocks = w->blocks || (w->columns && e.outer);
    e.shift = e.outer && (in ? job->in_shift : o->shift);
    e.half = in ? job->in_half : o->half;
    e.kind = o->kind;
    if (e.outer)
        e.line = matrix_of(t->s, w->blocks);
    return e;
}

/* half: the array has half spectra, whose last axis is not shifted. */
static struct gf_gpu_slab_bins bins_of(const struct gf_gpu_walk_state *t, const struct side *e,
                                       struct gf_span own) {
    const struct gf_gpu_slabs *s = t->s;
    struct gf_gpu_slab_bins b = {.array = *e->array,
                                 .line = e->line,
                                 .first = own.first,
                                 .count = own.count,
                                 .columns = s->plan.width * s->plan.number / s->unit,
                                 .axes = s->job.axes,
                                 .kind = e->kind};
    b.mirrors = e->line.points ? s->plan.real && t->w->blocks : e->array->shape[2] != b.columns;
    for (int i = 0; i < 3; i++)
        b.shift[i] = e->shift && s->job.axes >> i & 1 && (i < 2 || !e->half);
    return b;
}

static struct gf_gpu_slab_copy copy_of(const struct gf_gpu_walk_state *t, int64_t part, int k,
                                       char *packed) {
    const struct side e = side_of(t, k);
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    struct gf_gpu_slab_copy copy = {.whole_pages = !e.blocks, .packed = packed, .unpack = k >= 0};
    if (e.blocks)
        copy.bins = bins_of(t, &e, own);
    else
        copy.pages = gf_array_slice(e.array, 0, own.first, own.count);
    return copy;
}

/* The values that the part's bins are multiplied by. */
static struct gf_gpu_slab_copy copy_of_table(const struct gf_gpu_walk_state *t, int64_t part,
                                             char *packed) {
    const struct gf_slab_plan *p = &t->s->plan;
    const struct gf_gpu_slab_matrix line = matrix_of(t->s, true);
    const int64_t volume[4] = {p->pages, p->rows, p->width * p->number / t->s->unit, 1};
    const int64_t half[4] = {1, 1, line.points / 2 + 1, 1};
    const struct gf_array table =
        gf_array_wrap(t->s->table.data, t->s->table.dtype, 4, line.points ? half : volume);
    const struct side e = {.array = &table, .line = line};
    return (struct gf_gpu_slab_copy){.bins = bins_of(t, &e, gf_gpu_part_span(t->w, part)),
                                     .packed = packed};
}

/* Copies a part as rows of an array that lies together in memory, unshifted: one, or one in each page. */
static int copy_rows(const struct gf_gpu_walk_state *t, int64_t part, int k,
                     const struct gf_gpu_buffer *buffer) {
    const struct side e = side_of(t, k);
    const struct gf_array *a = e.array;
    const int64_t page = gf_array_bytes(a) / a->shape[0];
    const int64_t bin = e.blocks ? a->shape[3] * (int64_t)gf_dtype_size(a->dtype) : page;
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    const struct gf_gpu_end device = {.buffer = buffer};
    const struct gf_gpu_end host = {.host = (char *)a->data + own.first * bin,
                                    .pitch = !e.blocks      ? 0
                                             : e.line.points ? e.line.columns * bin
                                                             : page};
    const struct gf_gpu_move rows = {.from = k < 0 ? host : device,
                                     .to = k < 0 ? device : host,
                                     .bytes = own.count * bin,
                                     .count = !e.blocks      ? 1
                                              : e.line.points ? e.line.rows
                                                              : a->shape[0]};
    return t->c->api->rows(t->c->gpu, t->c->gpu, &rows);
}

/* Whether the host's threads copy its parts: the device itself can copy those of a locked array that are
 * neither moved nor mirrored. */
static bool is_staged(const struct gf_gpu_walk_state *t, int k, bool locked) {
    const struct side e = side_of(t, k);
    const struct gf_gpu_slab_bins b = bins_of(t, &e, (struct gf_span){0, 0});
    const bool moved = b.mirrors || b.shift[0] || b.shift[1] || b.shift[2];
    return !locked || !gf_array_is_contiguous(e.array) || (e.blocks && moved);
}

/* ---- commands ---- */

void gf_gpu_part_lend(const struct gf_gpu_walk_state *t, int64_t part,
                      struct gf_gpu_buffer **buffer) {
    struct gf_gpu_buffer *const *own = t->slot[gf_gpu_part_slot(t, part)];
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        buffer[i] = own[i] ? own[i] : buffer[i];
    if (gf_gpu_walk_has_inbox(t))
        buffer[GF_GPU_IN] = t->inbox[part];
    for (int k = 0; k < t->w->run[0].plan->job.n_out; k++) /* or in place of the input */
        buffer[GF_GPU_OUT + k] = own[GF_GPU_OUT + k] ? own[GF_GPU_OUT + k] : buffer[GF_GPU_IN];
}

/* The passes begin when the part is there, and the results of the part before it in the same buffers are back. */
static int transform(struct gf_gpu_walk_state *t, int64_t part, struct gf_gpu_run *m, int slot) {
    const struct gf_gpu *api = t->c->api;
    void *gpu = t->c->gpu;
    int rc = api->use(gpu, GF_GPU_PASSES);
    if (!rc && !t->s->role.in_place)
        rc = api->follow(gpu, GF_GPU_UPLOADED + slot);
    if (!rc && !t->s->role.in_place)
        rc = api->follow(gpu, GF_GPU_DOWNLOADED + slot);
    gf_gpu_part_lend(t, part, m->buffer);
    if (t->w->filters) /* the device's axes are the last ones of three */
        gf_gpu_filter_move(m->plan, t->s->picture ? 2 : 1,
                           gf_gpu_part_span(t->w, part).first / t->w->granule);
    if (t->w->columns)
        gf_gpu_transpose_move(m->plan, gf_gpu_part_span(t->w, part).first);
    return rc ? rc : gf_gpu_run_launch(t->c, m, 0, m->plan->n_passes);
}

static int queue_passes(struct gf_gpu_walk_state *t, int64_t part, struct gf_gpu_run *m, int slot) {
    const bool here = t->s->role.resident;
    int rc = transform(t, part, m, slot);
    if (!rc && !here)
        rc = gf_gpu_run_copy_report(t->c, m, t->slot[slot][GF_GPU_SLAB_REPORTED]);
    if (rc || (here && !gf_gpu_walk_sends(t)))
        return rc;
    return t->c->api->mark(t->c->gpu, GF_GPU_TRANSFORMED + slot);
}

/* The outputs; ranges are found in what goes on to other devices. */
static bool downloads(const struct gf_gpu_walk_state *t) {
    return !t->w->scans && (!gf_gpu_walk_sends(t) || gf_gpu_walk_shows(t));
}

static int download_output(struct gf_gpu_walk_state *t, int64_t part, const struct gf_gpu_run *m,
                           int k, int slot) {
    struct gf_gpu_buffer *out = t->slot[slot][GF_GPU_OUT + k];
    char *staged = t->s->staging[GF_GPU_SLAB_DOWN][slot];
    if (!t->to_staged[k])
        return copy_rows(t, part, k, out);
    return t->c->api->download(t->c->gpu, staged + gf_gpu_slab_output_at(m->plan, k), out, 0,
                               m->plan->bytes[GF_GPU_OUT + k]);
}

static int queue_download(struct gf_gpu_walk_state *t, int64_t part, const struct gf_gpu_run *m,
                          int slot) {
    const struct gf_gpu *api = t->c->api;
    void *gpu = t->c->gpu;
    int rc = api->use(gpu, GF_GPU_DOWNLOADS);
    if (!rc)
        rc = api->follow(gpu, GF_GPU_TRANSFORMED + slot);
    if (rc || t->s->role.resident)
        return rc;
    for (int k = 0; k < m->plan->job.n_out && !rc && downloads(t); k++)
        rc = download_output(t, part, m, k, slot);
    if (!rc)
        rc = api->download(gpu, t->s->staging[GF_GPU_SLAB_REPORT][slot],
                           t->slot[slot][GF_GPU_SLAB_REPORTED], 0, gf_gpu_run_report_bytes(m));
    return rc ? rc : api->mark(gpu, GF_GPU_DOWNLOADED + slot);
}

static int queue_upload(struct gf_gpu_walk_state *t, int64_t part, const struct gf_gpu_run *m,
                        int slot) {
    const struct gf_gpu *api = t->c->api;
    void *gpu = t->c->gpu;
    char *(*staging)[GF_GPU_SLAB_DEPTH] = t->s->staging;
    struct gf_gpu_buffer **to = t->slot[slot];
    int rc = api->use(gpu, GF_GPU_UPLOADS);
    if (!rc)
        rc = api->follow(gpu, GF_GPU_TRANSFORMED + slot);
    if (rc)
        return rc;
    if (!gf_gpu_walk_has_inbox(t))
        rc = t->from_staged ? api->upload(gpu, to[GF_GPU_IN], 0, staging[GF_GPU_SLAB_UP][slot],
                                          m->plan->bytes[GF_GPU_IN])
                            : copy_rows(t, part, -1, to[GF_GPU_IN]);
    if (!rc && gf_gpu_walk_has_table(t))
        rc = api->upload(gpu, to[GF_GPU_FILTER], 0, staging[GF_GPU_SLAB_TABLE][slot],
                         m->plan->bytes[GF_GPU_FILTER]);
    return rc ? rc : api->mark(gpu, GF_GPU_UPLOADED + slot);
}

int gf_gpu_part_begin(struct gf_gpu_walk_state *t, int64_t part) {
    struct gf_gpu_run *m = gf_gpu_part_run(t->w, part);
    const int slot = gf_gpu_part_slot(t, part);
    int rc = t->s->role.resident ? 0 : queue_upload(t, part, m, slot);
    if (!rc)
        rc = queue_passes(t, part, m, slot);
    if (rc || (t->s->role.resident && !gf_gpu_walk_sends(t)))
        return rc;
    return queue_download(t, part, m, slot);
}

/* Adds the report of a part, once it is back. */
static int read_report(struct gf_gpu_walk_state *t, int64_t part) {
    const struct gf_gpu_run *m = gf_gpu_part_run(t->w, part);
    const int slot = gf_gpu_part_slot(t, part);
    struct gf_report found = {.kept = 0}, *all = &t->all->found;
    int rc = t->c->api->reach(t->c->gpu, GF_GPU_DOWNLOADED + slot);
    if (rc)
        return rc;
    gf_gpu_run_parse_report(m, t->s->staging[GF_GPU_SLAB_REPORT][slot], &found);
    for (int k = 0; k < m->plan->job.n_out; k++) {
        const int i = t->w->output[k];
        t->all->high[i] = fmax(t->all->high[i], found.high[k]);
        all->low[i] = found.low[k];
        all->high[i] = found.high[k];
        all->clipped[i] += found.clipped[k];
    }
    all->kept += found.kept;
    all->lost += found.lost;
    return 0;
}

int gf_gpu_part_pack(struct gf_gpu_walk_state *t, int64_t next, struct gf_gpu_slab_copy *copy,
                     int *n) {
    char *(*staging)[GF_GPU_SLAB_DEPTH] = t->s->staging;
    const int slot = (int)(next % GF_GPU_SLAB_DEPTH), before = *n;
    if (next >= t->w->n)
        return 0;
    if (t->from_staged && !gf_gpu_walk_has_inbox(t))
        copy[(*n)++] = copy_of(t, next, -1, staging[GF_GPU_SLAB_UP][slot]);
    if (gf_gpu_walk_has_table(t))
        copy[(*n)++] = copy_of_table(t, next, staging[GF_GPU_SLAB_TABLE][slot]);
    /* The part before it was read from there. */
    return *n > before ? t->c->api->reach(t->c->gpu, GF_GPU_UPLOADED + slot) : 0;
}

int gf_gpu_part_unpack(struct gf_gpu_walk_state *t, int64_t back, struct gf_gpu_slab_copy *copy,
                       int *n) {
    if (back < 0 || back >= t->w->n || t->s->role.resident)
        return 0;
    const struct gf_gpu_plan *p = gf_gpu_part_run(t->w, back)->plan;
    char *from = t->s->staging[GF_GPU_SLAB_DOWN][back % GF_GPU_SLAB_DEPTH];
    int rc = read_report(t, back);
    if (!rc && gf_gpu_walk_shows(t)) {
        const struct gf_span own = gf_gpu_part_span(t->w, back);
        gf_slab_range_pages(t->all->range, own.first, own.count, from);
    }
    for (int k = 0; k < p->job.n_out && downloads(t) && !gf_gpu_walk_sends(t) && !rc; k++)
        if (t->to_staged[k])
            copy[(*n)++] = copy_of(t, back, k, from + gf_gpu_slab_output_at(p, k));
    return rc;
}

void gf_gpu_walk_choose(struct gf_gpu_walk_state *t, const struct gf_gpu_slab_ends *ends) {
    const struct gf_gpu_walk *w = t->w;
    const struct gf_gpu_slab_end *from = w->from_input ? &ends->in : &ends->exchange;
    t->from = from->a;
    if (!gf_gpu_walk_has_inbox(t))
        t->from_staged = is_staged(t, -1, from->locked);
    for (int k = 0; k < w->run[0].plan->job.n_out; k++) {
        const struct gf_gpu_slab_end *to =
            w->to_output ? &ends->out[w->output[k]] : &ends->exchange;
        t->to[k] = to->a;
        t->to_staged[k] = gf_gpu_walk_sends(t) || is_staged(t, k, to->locked);
    }
}
