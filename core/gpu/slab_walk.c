/* Runs a walk over a job in slabs: parts are packed, uploaded, transformed, downloaded and
 * unpacked, three at a time on each device, which copies both ways while it runs passes. The device
 * copies page-locked arrays itself; others, and shifted or mirrored outputs, the host's threads
 * pack and unpack in page-locked buffers. Parts that other devices need next are sent to them. If
 * the arrays stay on the devices, there are no uploads or downloads. */
#include "core/gpu/slab_walk.h"

#include <math.h>

#include "core/base/value/halves.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/plan_builder.h"

enum { DEPTH = GF_GPU_SLAB_DEPTH, LAG = DEPTH - 1 };

/* More threads copy no faster, and a machine that lends out a share of its CPUs counts them all. */
enum { MOST_THREADS = 16 };

int gf_gpu_slab_threads(const struct gf_gpu_context *c) {
    return c->props.is_cpu ? 1 : c->threads < MOST_THREADS ? c->threads : MOST_THREADS;
}

int gf_gpu_member_name(const struct gf_gpu_member *m, int rc) {
    return rc && m->s->role.members
               ? gf_fail((enum gf_status)rc, "device %s: %s", m->name, gf_message())
               : rc;
}

int gf_gpu_slab_settle(const struct gf_gpu_shared *p, int rc) {
    struct gf_failure failed = {0};
    gf_failure_keep(&failed, rc);
    for (int i = 0; i < p->n; i++) {
        const struct gf_gpu_context *c = p->member[i].c;
        const int back = c->api->use(c->gpu, 0), last = c->api->sync(c->gpu);
        gf_failure_keep(&failed, gf_gpu_member_name(&p->member[i], back ? back : last));
    }
    return gf_failure_return(&failed);
}

/* ---- parts ---- */

/* True if parts come from the devices' memory; go there; are examined by the host on the way; need
 * a filter's table. */
static bool has_inbox(struct gf_gpu_walk *w) {
    return w->s->role.members && !gf_gpu_from_input(w);
}

static bool sends(struct gf_gpu_walk *w) {
    return w->s->role.members && (!gf_gpu_to_output(w) || w->s->role.natural);
}

static bool shows(struct gf_gpu_walk *w) {
    return sends(w) && !gf_gpu_blocks(w) && w->all->range && !gf_gpu_slabs_sample_line(w->s) &&
           (w->all->range->samples || w->all->range->zeros);
}

static bool has_table(struct gf_gpu_walk *w) {
    return gf_gpu_walk_filters(w) && w->run[0].program.plan->bytes[GF_GPU_FILTER] > 0;
}

/* ---- in host memory ---- */

static struct gf_gpu_slab_matrix matrix_of(const struct gf_gpu_slabs *s, bool spectrum) {
    const int64_t *shape = s->plan.job.shape, points = s->asked.shape[0];
    if (!gf_gpu_slabs_are_line(s))
        return (struct gf_gpu_slab_matrix){.points = 0};
    return spectrum ? (struct gf_gpu_slab_matrix){points, shape[0], shape[2]}
                    : (struct gf_gpu_slab_matrix){points, shape[2], shape[0]};
}

/* Describes the copies of a walk's input (k: -1) or output k. */
static struct gf_gpu_slab_copy side_of(struct gf_gpu_walk *w, int k, const struct gf_array *array) {
    const struct gf_gpu_slabs *s = w->s;
    const struct gf_job *job = &s->plan.job;
    const bool in = k < 0, outer = in ? gf_gpu_from_input(w) : gf_gpu_to_output(w);
    const struct gf_output *o = &job->out[in || !outer ? 0 : w->output[k]];
    const bool shift = outer && (in ? job->in_shift : o->shift), half = in ? job->in_half : o->half;
    struct gf_gpu_slab_copy c = {.array = *array,
                                 .whole_pages =
                                     !gf_gpu_blocks(w) && !(gf_gpu_walk_columns(w) && outer),
                                 .columns = s->columns,
                                 .axes = job->axes,
                                 .kind = o->kind,
                                 .unpack = !in};
    if (outer)
        c.line = matrix_of(s, gf_gpu_blocks(w));
    c.mirrors = c.line.points ? s->plan.real && gf_gpu_blocks(w) : array->shape[2] != c.columns;
    for (int i = 0; i < 3; i++) /* half spectra are not shifted along their last axis */
        c.shift[i] = shift && job->axes >> i & 1 && (i < 2 || !half);
    return c;
}

static struct gf_gpu_slab_copy copy_of(const struct gf_gpu_walk *w, int64_t part, int k,
                                       char *packed) {
    struct gf_gpu_slab_copy copy = k < 0 ? w->from : w->to[k];
    copy.part = gf_gpu_part_span(w, part);
    copy.packed = packed;
    return copy;
}

/* Copies the filter's values for a part. */
static struct gf_gpu_slab_copy copy_of_table(const struct gf_gpu_walk *w, int64_t part,
                                             char *packed) {
    const struct gf_gpu_slabs *s = w->s;
    const struct gf_array *table = &w->all->member->s->table;
    const struct gf_gpu_slab_matrix line = matrix_of(s, true);
    const int64_t volume[4] = {s->plan.pages, s->plan.rows, s->columns, 1};
    const int64_t half[4] = {1, 1, line.points / 2 + 1, 1};
    return (struct gf_gpu_slab_copy){
        .array = gf_array_wrap(table->data, table->dtype, 4, line.points ? half : volume),
        .part = gf_gpu_part_span(w, part),
        .columns = s->columns,
        .line = line,
        .mirrors = line.points && s->plan.real,
        .packed = packed};
}

/* Copies a part of a contiguous unshifted array as one row, or as one row of each page. */
static int copy_rows(const struct gf_gpu_walk *w, int64_t part, int k,
                     const struct gf_gpu_buffer *buffer) {
    const struct gf_gpu_slab_copy c = copy_of(w, part, k, NULL);
    const struct gf_array *a = &c.array;
    const int64_t page = gf_array_bytes(a) / a->shape[0];
    const int64_t bin = c.whole_pages ? page : a->shape[3] * (int64_t)gf_dtype_size(a->dtype);
    const struct gf_gpu_end device = {.buffer = buffer};
    struct gf_gpu_end host = {.host = (char *)a->data + c.part.first * bin};
    struct gf_gpu_move rows = {.bytes = c.part.count * bin, .count = 1};
    if (!c.whole_pages) {
        host.pitch = c.line.points ? c.line.columns * bin : page;
        rows.count = c.line.points ? c.line.rows : a->shape[0];
    }
    rows.from = k < 0 ? host : device;
    rows.to = k < 0 ? device : host;
    return w->c->api->rows(w->c->gpu, w->c->gpu, &rows);
}

/* True if the host's threads copy the parts: a device copies only from a locked array that is
 * neither shifted nor mirrored. */
static bool is_staged(const struct gf_gpu_slab_copy *c, bool locked) {
    const bool moved = c->mirrors || c->shift[0] || c->shift[1] || c->shift[2];
    return !locked || !gf_array_is_contiguous(&c->array) || (!c->whole_pages && moved);
}

/* ---- commands ---- */

/* Sets a part's own buffers. */
static void lend(struct gf_gpu_walk *w, int64_t part, struct gf_gpu_buffer **buffer) {
    struct gf_gpu_buffer *const *own = w->slot[gf_gpu_part_slot(w, part)];
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        buffer[i] = own[i] ? own[i] : buffer[i];
    if (has_inbox(w))
        buffer[GF_GPU_IN] = w->inbox[part];
    for (int k = 0; k < w->run[0].program.plan->job.n_out; k++) /* or in place of the input */
        buffer[GF_GPU_OUT + k] = own[GF_GPU_OUT + k] ? own[GF_GPU_OUT + k] : buffer[GF_GPU_IN];
}

/* Passes wait for the part's upload, and for the download of the part before it in the same
 * slot. */
static int transform(struct gf_gpu_walk *w, int64_t part, struct gf_gpu_run *m, int slot) {
    const struct gf_gpu *api = w->c->api;
    void *gpu = w->c->gpu;
    int rc = api->use(gpu, GF_GPU_PASSES);
    if (!rc && !w->s->role.in_place)
        rc = api->follow(gpu, GF_GPU_UPLOADED + slot);
    if (!rc && !w->s->role.in_place)
        rc = api->follow(gpu, GF_GPU_DOWNLOADED + slot);
    lend(w, part, m->buffer);
    if (gf_gpu_walk_filters(w)) /* the device has the last of three axes */
        gf_gpu_filter_move(m->program.plan, w->s->plan.picture ? 2 : 1,
                           gf_gpu_part_span(w, part).first / w->granule);
    if (gf_gpu_walk_columns(w))
        gf_gpu_transpose_move(m->program.plan, gf_gpu_part_span(w, part).first);
    return rc ? rc : gf_gpu_run_launch(w->c, m, 0, m->program.plan->n_passes);
}

static int queue_passes(struct gf_gpu_walk *w, int64_t part, struct gf_gpu_run *m, int slot) {
    const bool here = w->s->role.resident;
    int rc = transform(w, part, m, slot);
    if (!rc && !here)
        rc = gf_gpu_run_copy_report(w->c, m, w->slot[slot][GF_GPU_SLAB_REPORTED]);
    if (rc || (here && !sends(w)))
        return rc;
    return w->c->api->mark(w->c->gpu, GF_GPU_TRANSFORMED + slot);
}

/* True if outputs are downloaded; those sent to other devices, or scanned, only to find ranges. */
static bool downloads(struct gf_gpu_walk *w) {
    return gf_gpu_scans(w) ? gf_gpu_walk_samples(w) : !sends(w) || shows(w);
}

static int download_output(struct gf_gpu_walk *w, int64_t part, const struct gf_gpu_plan *p, int k,
                           int slot) {
    struct gf_gpu_buffer *out = w->slot[slot][GF_GPU_OUT + k];
    char *staged = w->s->staging[GF_GPU_SLAB_DOWN][slot];
    if (!w->to_staged[k])
        return copy_rows(w, part, k, out);
    return w->c->api->download(w->c->gpu, staged + gf_gpu_slab_output_at(p, k), out, 0,
                               p->bytes[GF_GPU_OUT + k]);
}

static int queue_download(struct gf_gpu_walk *w, int64_t part, const struct gf_gpu_program *g,
                          int slot) {
    const struct gf_gpu *api = w->c->api;
    void *gpu = w->c->gpu;
    int rc = gf_gpu_queue_after(w->c, GF_GPU_DOWNLOADS, GF_GPU_TRANSFORMED + slot);
    if (rc || w->s->role.resident)
        return rc;
    for (int k = 0; k < g->plan->job.n_out && !rc && downloads(w); k++)
        rc = download_output(w, part, g->plan, k, slot);
    if (!rc)
        rc = api->download(gpu, w->s->staging[GF_GPU_SLAB_REPORT][slot],
                           w->slot[slot][GF_GPU_SLAB_REPORTED], 0, gf_gpu_program_report_bytes(g));
    return rc ? rc : api->mark(gpu, GF_GPU_DOWNLOADED + slot);
}

static int queue_upload(struct gf_gpu_walk *w, int64_t part, const struct gf_gpu_plan *p,
                        int slot) {
    const struct gf_gpu *api = w->c->api;
    void *gpu = w->c->gpu;
    char *(*staging)[GF_GPU_SLAB_DEPTH] = w->s->staging;
    struct gf_gpu_buffer **to = w->slot[slot];
    int rc = gf_gpu_queue_after(w->c, GF_GPU_UPLOADS, GF_GPU_TRANSFORMED + slot);
    if (rc)
        return rc;
    if (!has_inbox(w))
        rc = w->from_staged ? api->upload(gpu, to[GF_GPU_IN], 0, staging[GF_GPU_SLAB_UP][slot],
                                          p->bytes[GF_GPU_IN])
                            : copy_rows(w, part, -1, to[GF_GPU_IN]);
    if (!rc && has_table(w))
        rc = api->upload(gpu, to[GF_GPU_FILTER], 0, staging[GF_GPU_SLAB_TABLE][slot],
                         p->bytes[GF_GPU_FILTER]);
    return rc ? rc : api->mark(gpu, GF_GPU_UPLOADED + slot);
}

/* Queues a part, except for sending it. */
static int begin(struct gf_gpu_walk *w, int64_t part) {
    struct gf_gpu_run *m = gf_gpu_part_run(w, part);
    const int slot = gf_gpu_part_slot(w, part);
    int rc = w->s->role.resident ? 0 : queue_upload(w, part, m->program.plan, slot);
    if (!rc)
        rc = queue_passes(w, part, m, slot);
    if (rc || (w->s->role.resident && !sends(w)))
        return rc;
    return queue_download(w, part, &m->program, slot);
}

/* Waits for a part's report and adds it. */
static int read_report(struct gf_gpu_walk *w, int64_t part) {
    const struct gf_gpu_run *m = gf_gpu_part_run(w, part);
    const int slot = gf_gpu_part_slot(w, part);
    struct gf_report found = {.kept = 0}, *all = &w->all->found;
    int rc = w->c->api->reach(w->c->gpu, GF_GPU_DOWNLOADED + slot);
    if (rc)
        return rc;
    gf_gpu_run_parse_report(m, w->s->staging[GF_GPU_SLAB_REPORT][slot], &found);
    for (int k = 0; k < m->program.plan->job.n_out; k++) {
        const int i = w->output[k];
        w->all->high[i] = fmax(w->all->high[i], found.high[k]);
        all->low[i] = found.low[k];
        all->high[i] = found.high[k];
        all->clipped[i] += found.clipped[k];
    }
    all->kept += found.kept;
    all->lost += found.lost;
    return 0;
}

/* Add copies for the host's threads: packing part `next`, unpacking part `back` after reading its
 * report. Either may be out of range. */
static int pack(struct gf_gpu_walk *w, int64_t next, struct gf_gpu_slab_copy *copy, int *n) {
    char *(*staging)[GF_GPU_SLAB_DEPTH] = w->s->staging;
    const int slot = (int)(next % GF_GPU_SLAB_DEPTH), before = *n;
    if (next >= w->n)
        return 0;
    if (w->from_staged && !has_inbox(w))
        copy[(*n)++] = copy_of(w, next, -1, staging[GF_GPU_SLAB_UP][slot]);
    if (has_table(w))
        copy[(*n)++] = copy_of_table(w, next, staging[GF_GPU_SLAB_TABLE][slot]);
    /* The previous part in this slot was uploaded from there. */
    return *n > before ? w->c->api->reach(w->c->gpu, GF_GPU_UPLOADED + slot) : 0;
}

/* Shows the sampled points of a line that a part has, or whose negatives it has. */
static void show_points(struct gf_gpu_walk *w, int64_t part, char *packed) {
    const struct gf_gpu_slabs *s = w->s;
    const struct gf_range_axis *x = &w->all->range->sample.axis[2];
    const struct gf_span own = gf_gpu_part_span(w, part);
    const int64_t columns = s->plan.job.shape[2], lanes = gf_job_lanes(&s->plan.job);
    const enum gf_dtype number = gf_job_number(&s->plan.job);
    for (int k = 0; k < x->count; k++) {
        const int64_t n = s->asked.shape[0], there = x->index[k];
        const bool mirrored = s->plan.real && there % columns > columns / 2;
        const int64_t at = mirrored ? n - there : there, bin = at % columns - own.first;
        if (bin < 0 || bin >= own.count)
            continue;
        char *point = packed + (at / columns * own.count + bin) * s->unit;
        for (int64_t c = 0; c < lanes && mirrored; c++)
            gf_number_put(point, c, number == GF_C128,
                          gf_number_conjugate(gf_number_get(point, c, number == GF_C128)));
        const struct gf_array one = gf_array_wrap(point, number, 4, (int64_t[]){1, 1, 1, lanes});
        gf_ranges_spectrum(w->all->range, (int64_t[]){0, 0, there}, &one);
    }
}

static int unpack(struct gf_gpu_walk *w, int64_t back, struct gf_gpu_slab_copy *copy, int *n) {
    if (back < 0 || back >= w->n || w->s->role.resident)
        return 0;
    const struct gf_gpu_plan *p = gf_gpu_part_run(w, back)->program.plan;
    char *from = w->s->staging[GF_GPU_SLAB_DOWN][back % GF_GPU_SLAB_DEPTH];
    int rc = read_report(w, back);
    if (!rc && shows(w)) {
        const struct gf_span own = gf_gpu_part_span(w, back);
        const struct gf_array spectrum = gf_slab_spectrum(&w->s->plan, own.count, from);
        gf_ranges_spectrum(w->all->range, (int64_t[]){own.first, 0, 0}, &spectrum);
    }
    if (!rc && gf_gpu_walk_samples(w))
        show_points(w, back, from);
    for (int k = 0; k < p->job.n_out && downloads(w) && !gf_gpu_scans(w) && !sends(w) && !rc; k++)
        if (w->to_staged[k])
            copy[(*n)++] = copy_of(w, back, k, from + gf_gpu_slab_output_at(p, k));
    return rc;
}

void gf_gpu_walk_choose(struct gf_gpu_walk *w, const struct gf_gpu_slab_ends *ends) {
    const struct gf_gpu_slab_end *from = gf_gpu_from_input(w) ? &ends->in : &ends->exchange;
    w->from = side_of(w, -1, &from->a);
    if (!has_inbox(w))
        w->from_staged = is_staged(&w->from, from->locked);
    for (int k = 0; k < w->run[0].program.plan->job.n_out; k++) {
        const struct gf_gpu_slab_end *to =
            gf_gpu_to_output(w) ? &ends->out[w->output[k]] : &ends->exchange;
        w->to[k] = side_of(w, k, &to->a);
        w->to_staged[k] = sends(w) || gf_gpu_scans(w) || is_staged(&w->to[k], to->locked);
    }
}

/* ---- memory ---- */

/* Page-locked buffers stay until the plan is dropped, as locking takes as long as filling them. */
static int take_stage(struct gf_gpu_walk *w, int stage) {
    const struct gf_gpu *api = w->c->api;
    int rc = 0;
    for (int i = 0; i < DEPTH && !rc; i++) {
        void *host = w->s->staging[stage][i];
        if (!host)
            rc = api->pin(w->c->gpu, w->s->staging_bytes[stage], &host);
        w->s->staging[stage][i] = host;
    }
    return rc;
}

static int take_staging(struct gf_gpu_walk *w) {
    bool needed[GF_GPU_SLAB_STAGES] = {[GF_GPU_SLAB_UP] = w->from_staged,
                                       [GF_GPU_SLAB_REPORT] = !w->s->role.resident,
                                       [GF_GPU_SLAB_TABLE] = has_table(w),
                                       [GF_GPU_SLAB_SENT] = sends(w) && gf_gpu_slab_stages(w)};
    int rc = 0;
    for (int k = 0; k < w->run[0].program.plan->job.n_out && downloads(w); k++)
        needed[GF_GPU_SLAB_DOWN] |= w->to_staged[k];
    for (int k = 0; k < GF_GPU_SLAB_STAGES && !rc; k++)
        rc = needed[k] ? take_stage(w, k) : 0;
    return rc;
}

/* Allocates workspace that these walks use in turn. */
static int take_work(const struct gf_gpu_member *m, int first, int end) {
    int rc = 0;
    for (int j = 0; j < 2; j++) {
        int64_t bytes = 0;
        for (int k = 2 * first; k < 2 * end; k++) {
            const struct gf_gpu_plan *p = m->s->walk[k / 2].run[k % 2].program.plan;
            bytes = p ? gf_max(bytes, p->bytes[GF_GPU_A + j]) : bytes;
        }
        if (!rc && bytes)
            rc = m->c->api->alloc(m->c->gpu, bytes, &m->s->work[j]);
    }
    return rc;
}

/* In place a part's output replaces its input, or is in its place of the exchange. */
static int take_output(struct gf_gpu_walk *w, int part, const struct gf_gpu_plan *p) {
    const struct gf_gpu *api = w->c->api;
    struct gf_gpu_buffer **out = &w->slot[part][GF_GPU_OUT];
    int rc = 0;
    if (w->s->role.in_place && !gf_gpu_walk_leaves(w))
        return gf_gpu_from_input(w) ? gf_gpu_slab_view(w->c, w->s, w, part, out) : 0;
    for (int k = 0; k < p->job.n_out && !rc; k++)
        rc = api->alloc(w->c->gpu, p->bytes[GF_GPU_OUT + k], &out[k]);
    if (!rc && p->gaps) /* which no pass writes */
        rc = api->clear(w->c->gpu, out[0], 0, p->bytes[GF_GPU_OUT]);
    return rc;
}

/* Allocates buffers for the parts in flight. */
static int take_buffers(struct gf_gpu_walk *w) {
    const struct gf_gpu *api = w->c->api;
    const struct gf_gpu_role *role = &w->s->role;
    const int64_t slots = role->in_place ? w->n : gf_gpu_walk_depth(w);
    void *gpu = w->c->gpu;
    int rc = 0;
    for (int i = 0; i < slots && !rc; i++) {
        const struct gf_gpu_program *g = &gf_gpu_part_run(w, i)->program;
        struct gf_gpu_buffer **slot = w->slot[i];
        if (!has_inbox(w))
            rc = api->alloc(gpu, g->plan->bytes[GF_GPU_IN], &slot[GF_GPU_IN]);
        if (!rc)
            rc = take_output(w, i, g->plan);
        if (!rc && !role->resident)
            rc = api->alloc(gpu, gf_gpu_program_report_bytes(g), &slot[GF_GPU_SLAB_REPORTED]);
        if (!rc && has_table(w))
            rc = api->alloc(gpu, g->plan->bytes[GF_GPU_FILTER], &slot[GF_GPU_FILTER]);
        if (!rc && w->reads_other)
            rc = gf_gpu_slab_view(w->c, w->all->member[1 - role->member].s, w, i,
                                  &slot[GF_GPU_ELSEWHERE]);
    }
    return rc;
}

/* Allocates what the slots do not have: tables etc. */
static int take_runs(struct gf_gpu_walk *w) {
    struct gf_gpu_buffer *lent[GF_GPU_N_BUFFERS] = {
        [GF_GPU_A] = w->s->work[0], [GF_GPU_B] = w->s->work[1]};
    int rc = 0;
    lend(w, 0, lent);
    for (int64_t i = 0; i < w->n && !rc; i++) {
        struct gf_gpu_run *m = gf_gpu_part_run(w, i);
        if (w->reads_other)
            gf_gpu_plan_set_elsewhere(m->program.plan,
                                      gf_gpu_slab_late(w->all->member[1 - w->s->role.member].s));
        rc = gf_gpu_run_take(w->c, m, lent);
    }
    return rc;
}

static int take_walks(const struct gf_gpu_member *m, int first, int end) {
    int rc = m->c->api->use(m->c->gpu, 0);
    for (int k = first; k < end && !rc; k++) {
        struct gf_gpu_walk *w = &m->s->walk[k];
        if (w->n)
            rc = take_staging(w);
        if (!rc && w->n)
            rc = take_buffers(w);
    }
    if (!rc)
        rc = take_work(m, first, end);
    for (int k = first; k < end && !rc; k++)
        if (m->s->walk[k].n)
            rc = take_runs(&m->s->walk[k]);
    return rc ? rc : m->c->api->sync(m->c->gpu); /* the other queues see the tables */
}

int gf_gpu_slab_take(struct gf_gpu_shared *p, int first, int end) {
    int rc = 0;
    for (int i = 0; i < p->n; i++)
        for (int k = first + 1; k <= end && k < p->member[i].s->plan.n_walks && !rc; k++)
            rc = gf_gpu_member_name(&p->member[i], gf_gpu_slab_hold(&p->member[i].s->walk[k]));
    for (int i = 0; i < p->n && !rc; i++)
        rc = gf_gpu_member_name(&p->member[i], take_walks(&p->member[i], first, end));
    return rc;
}

static void drop(const struct gf_gpu_context *c, struct gf_gpu_buffer **b) {
    c->api->free(c->gpu, *b);
    *b = NULL;
}

static void give_back(struct gf_gpu_walk *w) {
    for (int i = 0; i < w->n_runs; i++)
        gf_gpu_run_give_back(w->c, &w->run[i]);
    for (int i = 0; i < GF_GPU_SLAB_SLOTS; i++)
        for (int k = 0; k < GF_GPU_SLAB_BUFFERS; k++)
            drop(w->c, &w->slot[i][k]);
}

/* Frees views first, including those of other devices' memory. */
void gf_gpu_slab_give_back(struct gf_gpu_shared *p, int first, int end) {
    for (int i = 0; i < p->n; i++)
        for (int k = first; k < end; k++) {
            give_back(&p->member[i].s->walk[k]);
            gf_gpu_slab_let_go(&p->member[i].s->walk[k]);
        }
    for (int i = 0; i < p->n; i++) {
        drop(p->member[i].c, &p->member[i].s->work[0]);
        drop(p->member[i].c, &p->member[i].s->work[1]);
        drop(p->member[i].c, &p->member[i].s->whole);
    }
}

/* ---- all parts ---- */

/* Packs the next part and unpacks the one that is back, concurrently. */
static int copy_parts(struct gf_gpu_walk *w, int64_t next, int64_t back) {
    struct gf_gpu_slab_copy copy[GF_MAX_OUTPUTS + 2];
    int n = 0, rc = pack(w, next, copy, &n);
    if (!rc)
        rc = unpack(w, back, copy, &n);
    if (!rc)
        gf_gpu_slab_copy(copy, n, gf_gpu_slab_threads(w->c));
    return rc;
}

/* Step k: begins part k, and finishes part k - LAG. */
static int step(struct gf_gpu_walk *w, int64_t k) {
    int rc = copy_parts(w, k, k - LAG);
    if (k >= w->n || rc)
        return rc;
    if (w->s->role.resident)
        rc = gf_gpu_slab_await(w, k);
    if (!rc)
        rc = begin(w, k);
    return !rc && sends(w) ? gf_gpu_slab_send(w, k) : rc;
}

/* Uploads the parts sent before from host memory, so that they need not wait for those just sent. */
static int step_after(struct gf_gpu_walk *w, int64_t k) {
    return k && sends(w) && !w->s->role.in_place ? gf_gpu_slab_receive(w, k - 1) : 0;
}

static int step_all(struct gf_gpu_shared *p, int index, int64_t k,
                    int (*one)(struct gf_gpu_walk *, int64_t)) {
    int rc = 0;
    for (int i = 0; i < p->n && !rc; i++)
        rc = gf_gpu_member_name(&p->member[i], one(&p->member[i].s->walk[index], k));
    return rc;
}

static int walk_parts(struct gf_gpu_shared *p, int index) {
    const bool sends_late = p->member->s->role.in_place && !index;
    int64_t most = 0;
    int rc = 0;
    for (int i = 0; i < p->n; i++)
        most = gf_max(most, p->member[i].s->walk[index].n);
    for (int64_t k = 0; k < most + LAG && !rc; k++) {
        rc = step_all(p, index, k, step);
        if (!rc)
            rc = step_all(p, index, k, step_after);
    }
    for (int64_t k = 0; k < GF_GPU_SLAB_SLOTS && sends_late && !rc; k++)
        rc = step_all(p, index, k, gf_gpu_slab_send_late);
    return rc;
}

int gf_gpu_slab_walk(struct gf_gpu_shared *p, int first, int end) {
    int rc = 0;
    for (int index = first; index < end && !rc; index++)
        rc = walk_parts(p, index);
    return gf_gpu_slab_settle(p, rc);
}
