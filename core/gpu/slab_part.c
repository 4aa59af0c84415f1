/* Parts of walks: packed, and queued on the device. */
#include "core/gpu/slab_part.h"

#include <math.h>

#include "core/gpu/plan/filter.h"
#include "core/gpu/plan/transpose.h"

enum { BUFFER_ALIGNED = 64 };

struct gf_gpu_run *gf_gpu_part_run(struct gf_gpu_walk *w, int64_t part) {
    return &w->run[gf_gpu_part_span(w, part).count < w->each ? 1 : 0];
}

bool gf_gpu_transit_holds(const struct gf_gpu_transit *t) {
    return t->s->seat.members && !t->w->from_input;
}

bool gf_gpu_transit_sends(const struct gf_gpu_transit *t) {
    return t->s->seat.members && !t->w->to_output;
}

bool gf_gpu_transit_shows(const struct gf_gpu_transit *t) {
    return gf_gpu_transit_sends(t) && !t->w->blocks && t->all->range &&
           (t->all->range->samples || t->all->range->zeros);
}

bool gf_gpu_transit_has_table(const struct gf_gpu_transit *t) {
    return t->w->run[0].plan->bytes[GF_GPU_FILTER] > 0;
}

/* ---- in host memory ---- */

/* A line, or with `spectrum` its spectrum. */
static struct gf_gpu_slab_matrix matrix_of(const struct gf_gpu_transit *t, bool spectrum) {
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
static struct gf_gpu_slab_matrix read_matrix(const struct gf_gpu_transit *t) {
    return t->w->from_input ? matrix_of(t, t->w->blocks) : (struct gf_gpu_slab_matrix){.points = 0};
}
static struct gf_gpu_slab_matrix written_matrix(const struct gf_gpu_transit *t) {
    return t->w->to_output ? matrix_of(t, t->w->blocks) : (struct gf_gpu_slab_matrix){.points = 0};
}

/* half: the array has half spectra, whose last axis is not shifted. */
static struct gf_gpu_slab_bins bins_of(const struct gf_gpu_transit *t, const struct gf_array *a,
                                       struct gf_gpu_slab_matrix line, int64_t part, bool shift,
                                       bool half) {
    const struct gf_gpu_slabs *s = t->s;
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    struct gf_gpu_slab_bins b = {.array = *a,
                                 .first = own.first,
                                 .count = own.count,
                                 .columns = s->plan.width * s->plan.number / s->unit,
                                 .axes = s->job.axes};
    b.line = line;
    b.mirrors = line.points ? s->plan.real && t->w->blocks : a->shape[2] != b.columns;
    for (int i = 0; i < 3; i++)
        b.shift[i] = shift && s->job.axes >> i & 1 && (i < 2 || !half);
    return b;
}

static struct gf_array pages_of(const struct gf_gpu_transit *t, const struct gf_array *a,
                                int64_t part) {
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    return gf_array_slice(a, 0, own.first, own.count);
}

static struct gf_gpu_slab_bins input_bins(const struct gf_gpu_transit *t, int64_t part) {
    const struct gf_job *job = &t->s->job;
    return bins_of(t, &t->from, read_matrix(t), part, t->w->from_input && job->in_shift,
                   job->in_half);
}

static struct gf_gpu_slab_bins output_bins(const struct gf_gpu_transit *t, int64_t part, int k) {
    const struct gf_output *o = &t->s->job.out[t->w->output[k]];
    struct gf_gpu_slab_bins b =
        bins_of(t, &t->to[k], written_matrix(t), part, t->w->to_output && o->shift, o->half);
    b.kind = o->kind;
    return b;
}

static struct gf_gpu_slab_copy pack(const struct gf_gpu_transit *t, int64_t part, char *packed) {
    struct gf_gpu_slab_copy copy = {.whole_pages = !reads_blocks(t->w), .packed = packed};
    if (!copy.whole_pages)
        copy.bins = input_bins(t, part);
    else
        copy.pages = pages_of(t, &t->from, part);
    return copy;
}

/* The values that the part's bins are multiplied by. */
static struct gf_gpu_slab_copy pack_table(const struct gf_gpu_transit *t, int64_t part,
                                          char *packed) {
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
static struct gf_gpu_slab_copy unpack(const struct gf_gpu_transit *t, int64_t part, int k,
                                      char *packed) {
    struct gf_gpu_slab_copy copy = {
        .whole_pages = !writes_blocks(t->w), .packed = packed, .unpack = true};
    if (!copy.whole_pages)
        copy.bins = output_bins(t, part, k);
    else
        copy.pages = pages_of(t, &t->to[k], part);
    return copy;
}

/* A part as rows of an array that lies together in memory, unshifted: one, or one in each page. */
static struct gf_gpu_rows rows_of(const struct gf_gpu_transit *t, const struct gf_array *a,
                                  const struct gf_gpu_slab_matrix *line, bool blocks,
                                  int64_t part) {
    const int64_t page = gf_array_bytes(a) / a->shape[0];
    const struct gf_span own = gf_gpu_part_span(t->w, part);
    if (!blocks)
        return (struct gf_gpu_rows){.host = (char *)a->data + own.first * page,
                                    .bytes = own.count * page,
                                    .pitch = own.count * page,
                                    .count = 1};
    const int64_t bin = a->shape[3] * (int64_t)gf_dtype_size(a->dtype);
    return (struct gf_gpu_rows){.host = (char *)a->data + own.first * bin,
                                .bytes = own.count * bin,
                                .pitch = line->points ? line->columns * bin : page,
                                .count = line->points ? line->rows : a->shape[0]};
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

/* ---- commands ---- */

int gf_gpu_part_transform(struct gf_gpu_transit *t, int64_t part) {
    struct gf_gpu_run *m = gf_gpu_part_run(t->w, part);
    const int slot = (int)(part % GF_GPU_SLAB_DEPTH);
    const struct gf_gpu *api = t->c->api;
    void *gpu = t->c->gpu;
    int rc = api->use(gpu, GF_GPU_PASSES);
    if (!rc)
        rc = api->follow(gpu, GF_GPU_UPLOADED + slot);
    if (!rc)
        rc = api->follow(gpu, GF_GPU_DOWNLOADED + slot);
    m->buffer[GF_GPU_IN] = gf_gpu_transit_holds(t) ? t->s->held.part[part] : t->in[slot];
    m->buffer[GF_GPU_FILTER] = t->table[slot];
    for (int k = 0; k < m->plan->job.n_out; k++)
        m->buffer[GF_GPU_OUT + k] = t->out[slot][k];
    if (t->w->filters) /* the device's axes are the last ones of three */
        gf_gpu_filter_move(m->plan, t->s->picture ? 2 : 1,
                           gf_gpu_part_span(t->w, part).first / t->w->granule);
    if (t->w->columns)
        gf_gpu_transpose_move(m->plan, gf_gpu_part_span(t->w, part).first);
    return rc ? rc : gf_gpu_run_launch(t->c, m, 0, m->plan->n_passes);
}

static int queue_passes(struct gf_gpu_transit *t, int64_t part, struct gf_gpu_run *m, int slot) {
    int rc = gf_gpu_part_transform(t, part);
    if (!rc)
        rc = gf_gpu_run_copy_report(t->c, m, t->report[slot]);
    return rc ? rc : t->c->api->mark(t->c->gpu, GF_GPU_TRANSFORMED + slot);
}

/* The outputs; others are looked at and go on to other devices. */
static bool downloads(const struct gf_gpu_transit *t) {
    return !t->w->scans && (!gf_gpu_transit_sends(t) || gf_gpu_transit_shows(t));
}

static int download_output(struct gf_gpu_transit *t, int64_t part, const struct gf_gpu_run *m,
                           int k, int slot) {
    const struct gf_gpu *api = t->c->api;
    if (t->to_staged[k])
        return api->download(t->c->gpu,
                             t->s->staging[GF_GPU_SLAB_DOWN][slot] + place_of(m->plan, k),
                             t->out[slot][k], 0, m->plan->bytes[GF_GPU_OUT + k]);
    const struct gf_gpu_slab_matrix line = written_matrix(t);
    const struct gf_gpu_rows rows = rows_of(t, &t->to[k], &line, writes_blocks(t->w), part);
    return api->download_rows(t->c->gpu, t->out[slot][k], &rows);
}

static int queue_download(struct gf_gpu_transit *t, int64_t part, const struct gf_gpu_run *m,
                          int slot) {
    const struct gf_gpu *api = t->c->api;
    void *gpu = t->c->gpu;
    int rc = api->use(gpu, GF_GPU_DOWNLOADS);
    if (!rc)
        rc = api->follow(gpu, GF_GPU_TRANSFORMED + slot);
    for (int k = 0; k < m->plan->job.n_out && !rc && downloads(t); k++)
        rc = download_output(t, part, m, k, slot);
    if (!rc)
        rc = api->download(gpu, t->s->staging[GF_GPU_SLAB_REPORT][slot], t->report[slot], 0,
                           gf_gpu_run_report_bytes(m));
    return rc ? rc : api->mark(gpu, GF_GPU_DOWNLOADED + slot);
}

static int upload_input(struct gf_gpu_transit *t, int64_t part, const struct gf_gpu_run *m,
                        int slot) {
    const struct gf_gpu *api = t->c->api;
    if (t->from_staged)
        return api->upload(t->c->gpu, t->in[slot], 0, t->s->staging[GF_GPU_SLAB_UP][slot],
                           m->plan->bytes[GF_GPU_IN]);
    const struct gf_gpu_slab_matrix line = read_matrix(t);
    const struct gf_gpu_rows rows = rows_of(t, &t->from, &line, reads_blocks(t->w), part);
    return api->upload_rows(t->c->gpu, t->in[slot], &rows);
}

static int queue_upload(struct gf_gpu_transit *t, int64_t part, const struct gf_gpu_run *m,
                        int slot) {
    const struct gf_gpu *api = t->c->api;
    void *gpu = t->c->gpu;
    char *table = t->s->staging[GF_GPU_SLAB_TABLE][slot];
    int rc = api->use(gpu, GF_GPU_UPLOADS);
    if (!rc)
        rc = api->follow(gpu, GF_GPU_TRANSFORMED + slot);
    if (rc)
        return rc;
    if (!gf_gpu_transit_holds(t))
        rc = upload_input(t, part, m, slot);
    if (!rc && gf_gpu_transit_has_table(t))
        rc = api->upload(gpu, t->table[slot], 0, table, m->plan->bytes[GF_GPU_FILTER]);
    return rc ? rc : api->mark(gpu, GF_GPU_UPLOADED + slot);
}

int gf_gpu_part_begin(struct gf_gpu_transit *t, int64_t part) {
    struct gf_gpu_run *m = gf_gpu_part_run(t->w, part);
    const int slot = (int)(part % GF_GPU_SLAB_DEPTH);
    int rc = queue_upload(t, part, m, slot);
    if (!rc)
        rc = queue_passes(t, part, m, slot);
    return rc ? rc : queue_download(t, part, m, slot);
}

/* What a part reported, once it is back. */
static int read_report(struct gf_gpu_transit *t, int64_t part) {
    const struct gf_gpu_run *m = gf_gpu_part_run(t->w, part);
    const int slot = (int)(part % GF_GPU_SLAB_DEPTH);
    struct gf_report found = {.kept = 0};
    int rc = t->c->api->reach(t->c->gpu, GF_GPU_DOWNLOADED + slot);
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

int gf_gpu_part_pack(struct gf_gpu_transit *t, int64_t next, struct gf_gpu_slab_copy *copy,
                     int *n) {
    char *(*staging)[GF_GPU_SLAB_DEPTH] = t->s->staging;
    const int slot = (int)(next % GF_GPU_SLAB_DEPTH), before = *n;
    if (next >= t->w->n)
        return 0;
    if (t->from_staged && !gf_gpu_transit_holds(t))
        copy[(*n)++] = pack(t, next, staging[GF_GPU_SLAB_UP][slot]);
    if (gf_gpu_transit_has_table(t))
        copy[(*n)++] = pack_table(t, next, staging[GF_GPU_SLAB_TABLE][slot]);
    /* The part before it was read from there. */
    return *n > before ? t->c->api->reach(t->c->gpu, GF_GPU_UPLOADED + slot) : 0;
}

int gf_gpu_part_unpack(struct gf_gpu_transit *t, int64_t back, struct gf_gpu_slab_copy *copy,
                       int *n) {
    if (back < 0 || back >= t->w->n)
        return 0;
    const struct gf_gpu_plan *p = gf_gpu_part_run(t->w, back)->plan;
    char *from = t->s->staging[GF_GPU_SLAB_DOWN][back % GF_GPU_SLAB_DEPTH];
    int rc = read_report(t, back);
    if (!rc && gf_gpu_transit_shows(t)) {
        const struct gf_span own = gf_gpu_part_span(t->w, back);
        gf_slab_range_pages(t->all->range, own.first, own.count, from);
    }
    for (int k = 0; k < p->job.n_out && downloads(t) && !gf_gpu_transit_sends(t) && !rc; k++)
        if (t->to_staged[k])
            copy[(*n)++] = unpack(t, back, k, from + place_of(p, k));
    return rc;
}

void gf_gpu_transit_choose(struct gf_gpu_transit *t, const struct gf_gpu_slab_ends *ends) {
    const struct gf_gpu_walk *w = t->w;
    const struct gf_gpu_slab_end *from = w->from_input ? &ends->in : &ends->exchange;
    const struct gf_gpu_slab_end *to = &ends->exchange;
    t->from = from->a;
    t->to[0] = to->a;
    t->to_staged[0] = !to->locked || gf_gpu_transit_sends(t);
    if (!gf_gpu_transit_holds(t)) {
        const struct gf_gpu_slab_bins bins = input_bins(t, 0);
        t->from_staged = !from->locked || !is_flat(&t->from, &bins, reads_blocks(w));
    }
    for (int k = 0; k < w->run[0].plan->job.n_out && w->to_output; k++) {
        to = &ends->out[w->output[k]];
        t->to[k] = to->a;
        const struct gf_gpu_slab_bins written = output_bins(t, 0, k);
        t->to_staged[k] = !to->locked || !is_flat(&t->to[k], &written, writes_blocks(w));
    }
}
