/* The jobs of the parts of each walk, the sizes that fit the device, and the plans. */

#include <stdlib.h>

#include "core/filter/filter.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/slab_walk.h"

/* A part of 32 MiB takes 0.6 ms on the fastest buses, its launches some microseconds. Several parts
 * let copies and passes overlap. Rows of blocks begin at pages of memory, short ones at cache
 * lines: unaligned rows are copied at half the speed. */
enum { PART = 32 << 20, LEAST_PARTS = 8, ALIGNED = 4096, ALIGNED_BINS = 16 };
/* Several devices send a part in as many pieces as the next walk has parts. */
enum { MOST_PARTS = 64 };
/* Least bytes of a block's row, if there is room. */
enum { LEAST_ROW = 12 << 10 };

/* ---- jobs ---- */

static struct gf_job slab_job(const struct gf_gpu_walk *w, int64_t pages) {
    const struct gf_gpu_slabs *s = w->s;
    const bool filters = s->plan.job.op == GF_FILTER && !s->filter; /* each page by itself */
    struct gf_job job =
        filters ? s->plan.job : gf_part_pages(&s->plan.job, w->info->step == GF_SLAB_BACK, pages);
    job.shape[0] = pages;
    job.lean = job.spend_input = false;
    if (!gf_gpu_from_input(w)) {
        job.in_dtype = gf_job_number(&job);
        job.in_shift = false;
    }
    if (!gf_gpu_to_output(w))
        gf_part_numbers(&job, s->plan.real);
    return job;
}

/* The job of some columns of a line's matrix. */
static struct gf_job columns_job(const struct gf_gpu_walk *w, int64_t columns) {
    const struct gf_gpu_slabs *s = w->s;
    struct gf_job job = slab_job(w, columns);
    job.ndim = 2;
    job.shape[0] = s->plan.job.shape[2];
    job.shape[1] = columns;
    job.axes = 1;
    job.line = s->asked.shape[0];
    return job;
}

/* Filters columns of a picture, or rows of all pages of a volume. */
static struct gf_job filter_job(const struct gf_gpu_slabs *s, int64_t bins) {
    const int64_t columns = s->columns;
    struct gf_job job = gf_part_lines(&s->plan.job, s->plan.pages, bins / columns, columns);
    if (s->plan.picture) {
        job.ndim = 2;
        job.shape[1] = bins;
    }
    job.op = GF_FILTER;
    job.channels = s->unit / s->plan.number;
    job.lean = false;
    job.filter = s->filter;
    job.filter_serial = s->filter->serial;
    job.line = gf_gpu_slabs_are_line(s) ? s->asked.shape[0] : 0;
    job.whole.axes = s->asked.axes;
    memcpy(job.whole.shape, s->asked.shape, sizeof job.whole.shape);
    return job;
}

static struct gf_job block_job(const struct gf_gpu_walk *w, int64_t bins) {
    const struct gf_gpu_slabs *s = w->s;
    struct gf_job job =
        gf_part_lines(&s->plan.job, s->plan.pages, 1, bins * (s->unit / s->plan.number));
    job.lean = false;
    if (gf_gpu_from_input(w))
        job.in_dtype = s->plan.job.in_dtype;
    if (gf_gpu_to_output(w) && !gf_gpu_walk_samples(w))
        gf_part_outputs(&job, &s->plan.job);
    return job;
}

/* The job of `count` pages or bins. A scan has only the outputs that need one; w->output maps the
 * part's outputs to the job's. */
static struct gf_job part_job(struct gf_gpu_walk *w, int64_t count) {
    const struct gf_gpu_slabs *s = w->s;
    struct gf_job job = gf_gpu_walk_filters(w)   ? filter_job(s, count)
                        : gf_gpu_blocks(w)       ? block_job(w, count)
                        : gf_gpu_walk_columns(w) ? columns_job(w, count)
                                                 : slab_job(w, count);
    const bool outputs = gf_gpu_to_output(w) && !gf_gpu_walk_samples(w);
    int n = 0;
    for (int i = 0; i < job.n_out && outputs; i++) {
        if (gf_gpu_scans(w) && !gf_slab_device_scans(&s->plan, i))
            continue;
        w->output[n] = i;
        job.out[n] = job.out[i];
        if (!gf_gpu_scans(w) && job.out[n].range != GF_RANGE_GIVEN)
            gf_part_range(&job.out[n], (double[]){0, 0}); /* a placeholder */
        n++;
    }
    job.n_out = outputs ? n : job.n_out;
    if (s->role.in_place) {
        const int64_t pitch = s->pitch * (s->unit / s->plan.number);
        job.out_pitch = gf_gpu_walk_leaves(w) ? 0 : pitch;
        job.in_pitch = gf_gpu_from_input(w) ? 0 : pitch;
    }
    return job;
}

/* ---- parts ---- */

/* Device bytes of a smaller last part beyond the buffers of the others. */
static int64_t own_bytes(const struct gf_gpu_walk *w) {
    int64_t sum = 0;
    for (int i = GF_GPU_A; i < GF_GPU_OUT && w->n_runs > 1; i++)
        if (i > GF_GPU_B || w->run[1].program.plan->bytes[i] > w->run[0].program.plan->bytes[i])
            sum += w->run[1].program.plan->bytes[i];
    return sum;
}

/* Device bytes of the exchange that the walk reads. */
static int64_t read_bytes(const struct gf_gpu_walk *w) {
    const struct gf_gpu_slabs *s = w->s;
    const bool held = s->role.members && !gf_gpu_from_input(w);
    return held ? w->extent * (gf_gpu_blocks(w) ? s->plan.pages : s->bins) * s->unit : 0;
}

/* The same, and what the next walk will read. */
static int64_t inbox_bytes(const struct gf_gpu_walk *w) {
    return read_bytes(w) + (gf_gpu_to_output(w) ? 0 : read_bytes(w + 1));
}

/* Device bytes still held by earlier walks of a resident plan, excluding the exchange. */
static int64_t kept_bytes(const struct gf_gpu_walk *w) {
    const struct gf_gpu_slabs *s = w->s;
    int64_t bytes = 0;
    for (const struct gf_gpu_walk *b = s->walk; b < w && s->role.resident; b++)
        bytes += b->n ? b->run[0].program.bytes - inbox_bytes(b) : 0;
    return bytes;
}

void gf_gpu_slabs_drop_runs(struct gf_gpu_walk *w) {
    for (int i = 0; i < 2; i++)
        gf_gpu_run_drop(w->c, &w->run[i]);
    w->n_runs = 0;
}

/* Gives a job of some pages, each filtered by itself, as many pages of the table. */
static int filter_pages(struct gf_job *job, struct gf_filter **of_pages) {
    if (job->op != GF_FILTER || job->whole.axes || !job->filter->table.data)
        return 0;
    if (!*of_pages && !(*of_pages = malloc(sizeof **of_pages)))
        return gf_no_memory();
    **of_pages = *job->filter;
    (*of_pages)->table.shape[0] = job->shape[0];
    (*of_pages)->table.base = NULL;
    job->filter = *of_pages;
    return 0;
}

/* Makes the plans for parts of `each` and for the rest. */
static int make_plans(struct gf_gpu_walk *w) {
    const int64_t rest = w->extent - (w->n - 1) * w->each;
    const int64_t counts[2] = {w->each, rest};
    int rc = 0;
    w->n_runs = rest < w->each ? 2 : 1;
    for (int i = 0; i < w->n_runs && !rc; i++) {
        struct gf_job job = part_job(w, counts[i]);
        rc = filter_pages(&job, &w->s->of_pages[i]);
        if (!rc)
            rc = gf_gpu_program_make(w->c, &w->run[i].program, &job);
    }
    return rc;
}

/* The same with kernels. GF_ENOMEM or GF_EUNABLE if they do not fit. */
static int make_runs(struct gf_gpu_walk *w) {
    int rc = make_plans(w);
    if (rc)
        return rc;
    const struct gf_gpu_plan *p = w->run[0].program.plan;
    const int64_t held = inbox_bytes(w);
    const int64_t in = gf_gpu_from_input(w) || !held ? p->bytes[GF_GPU_IN] : 0;
    const int64_t again = in + p->bytes[GF_GPU_FILTER] + gf_gpu_slab_output_at(p, p->job.n_out);
    const int64_t deep = gf_gpu_walk_depth(w);
    const int64_t beside = (deep - 1) * again + own_bytes(w) + held +
                           deep * gf_gpu_program_report_bytes(&w->run[0].program) + kept_bytes(w);
    for (int i = 0; i < w->n_runs && !rc; i++)
        rc = gf_gpu_program_prepare(w->c, &w->run[i].program, i ? 0 : beside);
    return rc;
}

/* Rounds the bins of a block that is not whole rows. */
static int64_t aligned_bins(const struct gf_gpu_slabs *s, int64_t each) {
    const int64_t pages = ALIGNED / s->unit;
    const int64_t bins = pages && each >= pages ? pages : ALIGNED_BINS;
    return each < ALIGNED_BINS ? each : each / bins * bins;
}

/* Cuts the walk into at most `parts` multiples of `unit`. */
static void cut(struct gf_gpu_walk *w, int64_t parts, int64_t unit) {
    w->each = (w->extent + parts * unit - 1) / (parts * unit) * unit;
    w->n = w->extent ? gf_divide_up(w->extent, w->each) : 0;
}

/* Cuts the walk into parts of nearly equal size, at most `most`. */
static void set_parts(struct gf_gpu_walk *w, int64_t most) {
    w->n = gf_divide_up(w->extent, most);
    w->each = gf_divide_up(w->extent, w->n);
    if ((gf_gpu_blocks(w) || gf_gpu_walk_columns(w)) && w->granule == 1)
        w->each = aligned_bins(w->s, w->each);
    w->each = gf_divide_up(w->each, w->granule) * w->granule;
    w->n = gf_divide_up(w->extent, w->each);
}

/* ---- in place ---- */

/* True if the second walk's kernels may read blocks in the other device's memory; in natural order
 * each block is sent back. */
static bool may_read(const struct gf_gpu_slabs *s) {
    return s->c->api->reads_others && gf_gpu_blocks(&s->walk[1]) && !s->role.natural;
}

/* The cost of all parts: their first passes up to `most`, or both of a launch of two. */
static double walk_cost(const struct gf_gpu_walk *w, int most) {
    const struct gf_gpu_plan *p = w->n ? w->run[0].program.plan : NULL;
    double cost = 0;
    for (int i = 0; p && i < p->n_passes && (i < most || (i && p->pass[i - 1].chain)); i++)
        cost += p->pass[i].cost * (double)w->extent / (double)w->each;
    return cost;
}

/* Lets the second walk's kernels read the last pages in the other device's memory, which saves
 * sending them (a read and a write) and waiting. How many are sent during the first walk, and how
 * many read by the second's first launch, follows from the times of these. Call before kernels are
 * built. */
static void read_other(struct gf_gpu_slabs *s) {
    struct gf_gpu_walk *first = &s->walk[0], *w = &s->walk[1];
    w->reads_other = may_read(s) && w->n;
    for (int k = 0; k < w->n_runs; k++)
        w->reads_other = w->reads_other && gf_gpu_plan_can_read_elsewhere(w->run[k].program.plan);
    for (int k = 0; k < w->n_runs && w->reads_other; k++)
        gf_gpu_plan_read_elsewhere(w->run[k].program.plan);
    const double sent = walk_cost(first, GF_MAX_PASSES), read = walk_cost(w, 1);
    if (w->reads_other && first->n)
        s->late = (int64_t)((double)first->n * read / (sent + read) + 0.5);
}

/* At most `most` parts, each large enough that its launches take less time than its work. */
static int64_t part_count(const struct gf_gpu_context *c, int64_t most, double bytes) {
    enum { LEAST = 16 << 20 };
    const double n = c->props.is_cpu ? (double)most : bytes / LEAST;
    return n >= (double)most ? most : n < 1 ? 1 : (int64_t)n;
}

/* Measured on two H200s over NVLink. The second walk of a picture (two passes along columns) takes
 * as long as the exchange and starts earlier. One that reads what is not sent has one part, or two
 * with half the workspace each. A first walk over a volume's blocks, one pass, ends long before the
 * exchange. */
static void set_in_place(struct gf_gpu_slabs *s) {
    enum { SLABS = GF_GPU_SLAB_SLOTS, LARGE = 1 << 30 };
    const double bytes = (double)s->plan.exchange_bytes / s->role.members;
    const bool picture = s->plan.picture;
    const int64_t most = may_read(s) ? (picture ? 2 : 1) : picture || bytes < LARGE ? 4 : 8;
    const int64_t blocks = part_count(s->c, most, bytes);
    const int64_t slabs = part_count(s->c, SLABS, bytes);
    const int late = !picture ? 2 : s->plan.real ? 3 : 4;
    s->late =
        gf_gpu_blocks(&s->walk[0]) ? blocks * (picture ? 2 : 6) / SLABS : slabs * late / SLABS;
    for (int i = 0; i < s->plan.n_walks; i++) {
        struct gf_gpu_walk *w = &s->walk[i];
        cut(w, gf_gpu_blocks(w) ? blocks : slabs, w->granule);
    }
}

/* Device bytes of the exchange, the input, and the workspace that all parts use in turn. */
static int64_t in_place_bytes(struct gf_gpu_slabs *s) {
    int64_t bytes = s->plan.pages * s->pitch * s->unit, work[2] = {0, 0};
    for (int i = 0; i < s->plan.n_walks; i++) {
        struct gf_gpu_walk *w = &s->walk[i];
        for (int64_t k = 0; k < w->n && gf_gpu_from_input(w); k++)
            bytes += gf_gpu_part_run(w, k)->program.plan->bytes[GF_GPU_IN];
        for (int64_t k = 0; k < w->n && gf_gpu_walk_leaves(w); k++)
            bytes += gf_gpu_part_run(w, k)->program.plan->bytes[GF_GPU_OUT];
        for (int k = 0; k < w->n_runs; k++) {
            const struct gf_gpu_plan *p = w->run[k].program.plan;
            bytes += gf_gpu_plan_bytes(p, GF_GPU_B + 1, GF_GPU_OUT); /* tables etc. */
            for (int j = 0; j < 2; j++)
                work[j] = gf_max(work[j], p->bytes[GF_GPU_A + j]);
        }
    }
    return bytes + work[0] + work[1];
}

static int fit_in_place(struct gf_gpu_slabs *s) {
    int rc = 0;
    set_in_place(s);
    for (int i = 0; i < s->plan.n_walks && !rc; i++)
        if (s->walk[i].n)
            rc = make_plans(&s->walk[i]);
    if (!rc)
        read_other(s);
    const int64_t all = rc ? 0 : in_place_bytes(s);
    for (int i = 0; i < s->plan.n_walks && !rc; i++)
        for (int k = 0; k < s->walk[i].n_runs && !rc; k++) {
            struct gf_gpu_program *g = &s->walk[i].run[k].program;
            rc = gf_gpu_program_prepare(s->c, g,
                                        all - gf_gpu_plan_bytes(g->plan, 0, GF_GPU_N_BUFFERS));
        }
    return rc;
}

/* ---- parts in flight ---- */

/* Finds the largest parts up to PART that fit the device. */
static int fit_walk(struct gf_gpu_walk *w) {
    const struct gf_gpu_slabs *s = w->s;
    if (!w->extent)
        return 0;
    /* All parts are on the device at once: the first are sent while others are transformed, and a
     * walk that needs all of them has one. */
    if (s->role.resident && gf_gpu_to_output(w))
        cut(w, 1, 1);
    else if (s->role.resident)
        cut(w, GF_GPU_SLAB_DEPTH, gf_gpu_blocks(w) ? ALIGNED_BINS : 1);
    if (s->role.resident)
        return make_runs(w);
    const int64_t bytes = gf_max(w->info->bytes_read, w->info->bytes_written) / w->extent + 1;
    int64_t most = gf_divide_up(w->extent, LEAST_PARTS);
    const bool in_rows = gf_gpu_blocks(w) || gf_gpu_walk_columns(w);
    int64_t part = gf_gpu_walk_columns(w) ? LEAST_ROW * s->plan.job.shape[2]
                   : gf_gpu_blocks(w)     ? LEAST_ROW * s->plan.pages
                                          : PART;
    part = in_rows ? gf_max(part, 2 * PART) : part; /* longer rows are copied faster */
    most = gf_min(most, part / bytes);
    if (s->role.members)
        most = gf_max(most, gf_divide_up(w->extent, MOST_PARTS));
    for (most = gf_max(most, 1);; most /= 2) {
        set_parts(w, most);
        int rc = make_runs(w);
        if (!gf_gpu_run_too_large(rc) || w->each == w->granule)
            return rc;
        gf_gpu_slabs_drop_runs(w);
    }
}

/* A scan and the next walk read the same exchange, so they cut it alike. */
int gf_gpu_slabs_fit(struct gf_gpu_slabs *s) {
    int rc = s->role.in_place ? fit_in_place(s) : 0;
    for (int i = 0; i < s->plan.n_walks && !s->role.in_place && !rc; i++)
        rc = fit_walk(&s->walk[i]);
    for (int i = 1; i < s->plan.n_walks && s->role.members && !rc; i++) {
        struct gf_gpu_walk *scan = &s->walk[i - 1], *w = &s->walk[i];
        if (!gf_gpu_scans(scan) || gf_gpu_from_input(scan) || scan->each == w->each)
            continue;
        struct gf_gpu_walk *longer = scan->each > w->each ? scan : w;
        gf_gpu_slabs_drop_runs(longer);
        longer->each = gf_min(scan->each, w->each);
        longer->n = gf_divide_up(longer->extent, longer->each);
        rc = make_runs(longer);
    }
    return rc;
}
