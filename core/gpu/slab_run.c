/* Runs a job in slabs: its walks, the display ranges between them, and their memory. */
#include <math.h>
#include <stdlib.h>

#include "core/base/host/clock.h"
#include "core/base/value/pages.h"
#include "core/filter/compose.h"
#include "core/filter/filter.h"
#include "core/gpu/plan/filter_values.h"
#include "core/gpu/slab_walk.h"

/* ---- jobs ---- */

/* A running job. */
struct run {
    struct gf_gpu_shared *all;
    const struct gf_gpu_context *c; /* of the first device, and its plan */
    struct gf_gpu_slabs *s;
    struct gf_gpu_slab_ends ends;
    struct gf_ranges range;
};

/* Puts the display ranges found into the plans of a walk to the outputs. */
static void set_ranges(const struct run *r, struct gf_gpu_walk *w) {
    for (int i = 0; i < w->n_runs && !gf_gpu_scans(w) && gf_gpu_to_output(w); i++)
        for (int k = 0; k < w->run[i].program.plan->job.n_out; k++) {
            const int of = w->output[k];
            if (r->s->plan.job.out[of].range != GF_RANGE_GIVEN)
                gf_part_range(&w->run[i].program.plan->job.out[k], r->range.of[of]);
        }
}

static int run_walk(struct run *r, int index) {
    memset(r->all->high, 0, sizeof r->all->high);
    for (int i = 0; i < r->all->n; i++) {
        struct gf_gpu_walk *w = &r->all->member[i].s->walk[index];
        set_ranges(r, w);
        if (w->n)
            gf_gpu_walk_choose(w, &r->ends);
    }
    int rc = gf_gpu_slab_take(r->all, index, index + 1);
    rc = rc ? gf_gpu_slab_settle(r->all, rc) : gf_gpu_slab_walk(r->all, index, index + 1);
    gf_gpu_slab_give_back(r->all, index, index + 1);
    if (!rc && gf_gpu_walk_samples(&r->s->walk[index]))
        gf_ranges_settle(&r->range);
    for (int i = 0; i < r->s->plan.job.n_out && gf_gpu_scans(&r->s->walk[index]) && !rc; i++)
        if (gf_slab_device_scans(&r->s->plan, i))
            r->range.of[i][1] = r->all->high[i];
    return rc;
}

int gf_gpu_slabs_make_run(const struct gf_gpu_context *c, const struct gf_job *job,
                          struct gf_gpu_run **m) {
    *m = calloc(1, sizeof **m);
    int rc = *m ? gf_gpu_program_make(c, &(*m)->program, job) : gf_no_memory();
    return rc ? rc : gf_gpu_program_prepare(c, &(*m)->program, 0);
}

void gf_gpu_slabs_free_run(const struct gf_gpu_context *c, struct gf_gpu_run *m) {
    if (m)
        gf_gpu_run_drop(c, m);
    free(m);
}

/* Transforms lines [first, first + count) along the slowest axis. */
static int run_some_lines(const struct run *r, const struct gf_array *all, int64_t first,
                          int64_t count) {
    struct gf_array lines = gf_array_slice(all, 1, first, count);
    struct gf_job job = gf_part_lines(&r->s->plan.job, lines.shape[0], count, 1);
    struct gf_gpu_run *m;
    job.lean = false;
    int rc = gf_gpu_slabs_make_run(r->c, &job, &m);
    if (!rc)
        rc = gf_gpu_run_all(r->c, m, &lines, &lines, NULL);
    gf_gpu_slabs_free_run(r->c, m);
    return rc;
}

/* Transforms the lines sampled for automatic ranges, as many at a time as fit the device. */
static int run_lines(const struct run *r, const struct gf_array *lines) {
    const int64_t all = lines->shape[1] * lines->shape[2] * lines->shape[3];
    const struct gf_array flat =
        gf_array_wrap(lines->data, lines->dtype, 4, (int64_t[]){lines->shape[0], all, 1, 1});
    int64_t each = all;
    int rc = 0;
    for (int64_t at = 0; at < all && !rc;) {
        const int64_t count = gf_min(all - at, each);
        rc = run_some_lines(r, &flat, at, count);
        at += rc ? 0 : count;
        if (gf_gpu_run_too_large(rc) && each > 1) {
            each = (each + 1) / 2;
            rc = 0;
        }
    }
    return rc;
}

/* Finds the display ranges after the slabs of a forward transform. */
static int find_ranges(struct run *r) {
    const struct gf_slab_plan *p = &r->s->plan;
    const struct gf_array spectrum = gf_slab_spectrum(p, p->pages, r->ends.exchange.a.data);
    if (!r->s->role.members) /* several devices showed it as it passed */
        gf_ranges_spectrum(&r->range, (int64_t[]){0, 0, 0}, &spectrum);
    int rc = r->range.kept.data ? run_lines(r, &r->range.kept) : 0;
    if (!rc)
        gf_ranges_settle(&r->range);
    return rc;
}

/* Finds the display ranges of pages by themselves, from those that the sample needs. */
static int find_page_ranges(struct run *r) {
    const struct gf_job one = gf_ranges_page_job(&r->s->plan.job);
    struct gf_array spectrum = {0};
    int rc = gf_job_alloc(&one, 0, &spectrum);
    for (int64_t z = 0; !rc && (z = gf_ranges_next_page(&r->range, z)) >= 0; z++) {
        const struct gf_array in = gf_array_slice(&r->ends.in.a, 0, z, 1);
        rc = gf_gpu_run_all(r->c, r->s->page, &in, &spectrum, NULL);
        if (!rc)
            gf_ranges_spectrum(&r->range, (int64_t[]){z, 0, 0}, &spectrum);
    }
    gf_gpu_run_give_back(r->c, r->s->page);
    gf_array_free(&spectrum);
    if (!rc)
        gf_ranges_settle(&r->range);
    return rc;
}

void gf_gpu_slabs_make_real(const struct gf_gpu_slabs *s, const struct gf_array *out) {
    const struct gf_job *job = &s->asked;
    const bool rounded = job->op == GF_FFT && job->direction == GF_FORWARD && gf_job_is_real(job);
    for (int i = 0; i < job->n_out && rounded; i++)
        gf_rounding_drop(job, i, &out[i], 1);
}

/* Adds v to the zero frequency of every page's spectrum. */
static void add_zero(const struct gf_array *x, bool along_rows, double v) {
    const int64_t rows = along_rows ? 1 : x->shape[1];
    for (int64_t i = 0; i < x->shape[0] * rows * x->shape[3]; i++) {
        char *at = (char *)x->data + i / x->shape[3] / rows * x->stride[0] +
                   i / x->shape[3] % rows * x->stride[1] + i % x->shape[3] * x->stride[3];
        if (x->dtype == GF_C64)
            *(float *)at += (float)v;
        else
            *(double *)at += v;
    }
}

static int copy_zeros(const struct gf_gpu_context *c, const struct gf_gpu_end *from,
                      const struct gf_gpu_end *to, int64_t bytes, int64_t count) {
    const struct gf_gpu_move m = {.from = *from, .to = *to, .bytes = bytes, .count = count};
    int rc = c->api->rows(c->gpu, c->gpu, &m);
    return rc ? rc : c->api->sync(c->gpu);
}

/* Does so in the parts of pages that the devices hold. */
static int add_inbox_zero(const struct run *r, const struct gf_gpu_member *m, double v) {
    const struct gf_slab_plan *p = &r->s->plan;
    struct gf_gpu_walk *w = &m->s->walk[r->s->plan.n_walks - 1];
    const bool along_rows = r->s->plan.job.axes & 2;
    const int64_t rows = along_rows ? 1 : p->rows, unit = r->s->unit;
    void *zeros = NULL;
    int rc = w->n ? m->c->api->pin(m->c->gpu, w->each * rows * unit, &zeros) : 0;
    for (int64_t k = 0; k < w->n && !rc; k++) {
        const int64_t count = gf_gpu_part_span(w, k).count * rows;
        const struct gf_gpu_end there = {.buffer = w->inbox[k], .pitch = r->s->bins * unit / rows};
        const struct gf_gpu_end here = {.host = zeros};
        const struct gf_array all = gf_array_wrap(zeros, gf_job_number(&p->job), 4,
                                                  (int64_t[]){count, 1, 1, unit / p->number});
        rc = copy_zeros(m->c, &there, &here, unit, count);
        if (!rc)
            add_zero(&all, true, v);
        if (!rc)
            rc = copy_zeros(m->c, &here, &there, unit, count);
    }
    m->c->api->unpin(m->c->gpu, zeros);
    return rc;
}

static int add_offset(struct run *r) {
    const double v = gf_filter_zero(&r->s->plan.job);
    int rc = 0;
    if (!r->s->role.members)
        add_zero(&r->ends.exchange.a, r->s->plan.job.axes & 2, v);
    for (int i = 0; i < r->all->n && r->s->role.members && !rc; i++)
        rc = add_inbox_zero(r, &r->all->member[i], v);
    return rc;
}

/* Computes the values of a filter that is a table; the first device's plan has it for all. */
static int make_table(struct run *r) {
    struct gf_job whole = r->s->asked;
    bool needed = false;
    for (int i = 0; i < r->all->n; i++) {
        const struct gf_gpu_walk *w = &r->all->member[i].s->walk[1];
        needed |= w->n && w->run[0].program.plan->bytes[GF_GPU_FILTER];
    }
    whole.filter = r->s->filter;
    return needed && !r->s->table.data ? gf_gpu_filter_table(&whole, r->c->threads, &r->s->table)
                                       : 0;
}

/* Opens the display ranges of a spectrum: a line's are found in complete bins. */
static int open_ranges(struct run *r) {
    const struct gf_gpu_slabs *s = r->s;
    const bool line = gf_gpu_slabs_sample_line(s);
    const bool whole = line || !gf_slab_walks_twice(&s->plan.job);
    const struct gf_array row = gf_gpu_slab_drop(&r->ends.in.a, 2, 0);
    int rc = gf_ranges_open(line ? &s->asked : &s->plan.job,
                            whole ? GF_RANGES_WHOLE : GF_RANGES_PAGES, &r->range);
    if (rc)
        return rc;
    if (line)
        gf_range_energy_add(&s->asked, &row, r->range.energy);
    else
        gf_ranges_input(&r->range, 0, &r->ends.in.a);
    return s->page ? find_page_ranges(r) : 0;
}

static int run_walks(struct run *r) {
    struct gf_gpu_slabs *s = r->s;
    struct gf_report *found = &r->all->found;
    const bool spectrum = s->plan.job.op == GF_FFT && s->plan.job.direction == GF_FORWARD;
    int rc = s->filter ? make_table(r) : spectrum ? open_ranges(r) : 0;
    r->all->range = spectrum ? &r->range : NULL;
    for (int i = 0; i < s->plan.n_walks && !rc; i++) {
        rc = run_walk(r, i);
        if (!rc && spectrum && !gf_gpu_to_output(&s->walk[i]) && !gf_gpu_slabs_sample_line(s))
            rc = find_ranges(r);
        /* Transforming back along z turns the offset's bin into the same number in every page. */
        if (!rc && gf_gpu_walk_filters(&s->walk[i]) && s->plan.job.filter->offset != 0)
            rc = add_offset(r);
    }
    for (int i = 0; i < s->plan.job.n_out && spectrum && !rc; i++)
        gf_report_range(&s->plan.job, i, r->range.of[i][0], r->range.of[i][1], found);
    gf_ranges_close(&r->range);
    gf_report_energy(found->kept, found->lost, found);
    return rc;
}

/* ---- memory of a job ---- */

/* Locks an array; if that fails, copies are staged. */
static void lock(const struct gf_gpu_context *c, struct gf_gpu_slab_end *e) {
    if (gf_array_is_contiguous(&e->a))
        e->locked = !c->api->lock(c->gpu, e->a.data, gf_array_bytes(&e->a), &e->ours);
}

/* Notes if the caller has page-locked an array, so that the device copies it directly. Locking for
 * a single run takes longer than copying through buffers: on an H200 with an Intel Xeon, locking
 * and unlocking take 60 to 100 ms a GB, in parts beside the copies twice that, while eight threads
 * with streaming stores copy 30 GB/s in both directions at once. A device that is the CPU copies
 * from any memory once it knows it. */
static void look(const struct gf_gpu_context *c, struct gf_gpu_slab_end *e) {
    if (c->props.is_cpu)
        lock(c, e);
    else
        e->locked = c->api->is_locked(c->gpu, e->a.data, gf_array_bytes(&e->a));
}

static void look_at_all(struct run *r) {
    struct gf_gpu_slabs *s = r->s;
    struct gf_gpu_slab_ends *ends = &r->ends;
    bool all = true;
    look(r->c, &ends->in);
    for (int i = 0; i < s->plan.job.n_out; i++) {
        look(r->c, &ends->out[i]);
        all = all && ends->out[i].locked;
    }
    if (!s->plan.exchange_bytes || s->role.members)
        return;
    /* A caller that locks its arrays will run the plan again. */
    const void *data = ends->exchange.a.data;
    if (data == s->exchange && !s->exchange_locked && all && ends->in.locked) {
        gf_populate(ends->exchange.a.data, (size_t)gf_array_bytes(&ends->exchange.a),
                    gf_gpu_slab_threads(r->c)); /* locking would do it on one thread */
        lock(r->c, &ends->exchange);
        s->exchange_locked = ends->exchange.ours;
    }
    ends->exchange.locked = data == ends->in.a.data       ? ends->in.locked
                            : data == ends->out[0].a.data ? ends->out[0].locked
                                                          : s->exchange_locked;
}

static void unlock_all(const struct run *r) {
    const struct gf_gpu *api = r->c->api;
    for (int i = -1; i < r->s->plan.job.n_out; i++) {
        const struct gf_gpu_slab_end *e = i < 0 ? &r->ends.in : &r->ends.out[i];
        if (e->ours)
            api->unlock(r->c->gpu, e->a.data);
    }
}

/* Puts the exchange in an output or spent input that can hold it, else in the plan's own memory. */
static int take_exchange(struct run *r) {
    struct gf_gpu_slabs *s = r->s;
    const struct gf_slab_plan *p = &s->plan;
    const int64_t channels = s->unit / p->number;
    void *data = NULL;
    if (!p->exchange_bytes || s->role.members)
        return 0;
    if (s->in_output && gf_array_is_contiguous(&r->ends.out[0].a))
        data = r->ends.out[0].a.data;
    else if (s->in_input && gf_array_is_contiguous(&r->ends.in.a))
        data = r->ends.in.a.data;
    if (!data && !s->exchange)
        s->exchange = gf_alloc((size_t)p->exchange_bytes);
    if (!data && !(data = s->exchange))
        return gf_fail(GF_ENOMEM, "no memory for an exchange of %lld bytes",
                       (long long)p->exchange_bytes);
    r->ends.exchange.a =
        gf_array_wrap(data, gf_job_number(&p->job), 4,
                      (int64_t[]){p->pages, p->rows, p->width / channels, channels});
    return 0;
}

int gf_gpu_shared_exec(struct gf_gpu_shared *p, const struct gf_array *in, struct gf_array *out,
                       struct gf_report *report) {
    struct gf_gpu_slabs *s = p->member->s;
    struct gf_array to[GF_MAX_OUTPUTS], from = gf_gpu_slab_drop(in, s->dropped, s->last);
    struct run r = {.all = p, .c = p->member->c, .s = s, .ends.in.a = gf_gpu_slab_volume(&from)};
    const double start = gf_now_ms();
    p->found = (struct gf_report){.devices = s->role.members};
    for (int i = 0; i < s->plan.job.n_out; i++) {
        to[i] = gf_gpu_slab_drop(&out[i], s->dropped, s->last);
        r.ends.out[i].a = gf_gpu_slab_volume(&to[i]);
    }
    int rc = take_exchange(&r);
    if (!rc) {
        look_at_all(&r);
        rc = run_walks(&r);
        gf_gpu_slab_give_back(p, 0, s->plan.n_walks);
        unlock_all(&r);
    }
    if (!rc)
        gf_gpu_slabs_make_real(s, to);
    p->found.ms.run = gf_now_ms() - start;
    if (!rc && report)
        *report = p->found;
    return rc;
}
