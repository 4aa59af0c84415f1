/* Plans a job in slabs: its walks, their shares and their memory; lists the plan. */
#include <stdlib.h>

#include "core/filter/filter.h"
#include "core/gpu/plan/filter_values.h"
#include "core/gpu/plan/make.h"
#include "core/gpu/slab_walk.h"

/* `job`: the volume's, or that of the line's matrix (gf_slab_plan_device()). */
static const char *refuses(const struct gf_job *asked, const struct gf_job *job) {
    const bool line = asked->ndim == 1, twice = gf_slab_walks_twice(job);
    const bool real = gf_job_is_real(job), forward = job->direction == GF_FORWARD;
    if (line && job->op == GF_DWT)
        return gf_why(GF_WHY_LINE);
    if (line && job->shape[2] < 2)
        return gf_why(GF_WHY_PRIME);
    if (job->op == GF_DWT && gf_wavelet_keeps_share(&job->wavelet))
        return gf_why(GF_WHY_SHARE);
    if (job->op == GF_DWT && forward && (job->n_out > 1 || gf_dtype_is_integer(job->out[0].dtype)))
        return gf_why(GF_WHY_PICTURES);
    if (job->shape[0] < 2)
        return gf_why(GF_WHY_SINGLE);
    if (job->op == GF_DWT)
        return NULL;
    if (real && (job->axes == 1 || !(job->axes >> 2 & 1) || job->shape[2] < 2))
        return gf_why(GF_WHY_LAST);
    for (int i = 0; i < job->n_out; i++) {
        const struct gf_output *o = &job->out[i];
        /* those beyond the edges would count as clipped */
        if (line && asked->counted[0] && gf_dtype_is_integer(o->dtype))
            return gf_why(GF_WHY_ADDED);
        if (job->op != GF_FFT)
            continue;
        if (real && forward && twice && (line || !o->half) && !gf_gpu_slab_mirrors(o))
            return gf_why(GF_WHY_MIRROR);
        if (gf_output_samples(job, i) && (job->axes == 1 || (line && gf_job_is_full(job))))
            return gf_why(GF_WHY_SAMPLED);
    }
    return NULL;
}

/* The arrays may stay on several devices if nothing but the output is reported. */
static const char *refuses_resident(const struct gf_job *volume, const struct gf_job *job) {
    const struct gf_output *o = &job->out[0];
    const bool real = gf_job_is_real(job);
    const bool to_real = real && job->direction == GF_INVERSE;
    if (job->op != GF_FFT || job->ndim < 2 || !gf_slab_walks_twice(volume))
        return "only transforms of all pages stay on several devices";
    if (job->n_out > 1 || o->shift || job->in_shift || job->luma)
        return "only one unshifted result of all channels stays on several devices";
    if (to_real ? !job->in_half || o->kind != GF_REAL || gf_dtype_is_integer(o->dtype)
                : o->kind != GF_COMPLEX || !gf_dtype_is_complex(o->dtype) || (real && !o->half))
        return "only complex spectra, half ones of real samples, stay on several devices";
    return NULL;
}

/* Sets the bins of the exchange and where it can be. */
static void describe(struct gf_gpu_slabs *s) {
    const struct gf_slab_plan *p = &s->plan;
    const struct gf_job *job = &p->job;
    const struct gf_output *o = &job->out[0];
    const bool forward = job->direction == GF_FORWARD;
    s->unit = gf_job_lanes(job) * p->number;
    s->columns = gf_slab_row_bytes(p) / s->unit;
    s->bins = p->rows * s->columns;
    s->pitch = gf_divide_up(s->bins, GF_GPU_VIEW_BINS) * GF_GPU_VIEW_BINS;
    const bool halved = p->real && (forward || job->in_half);
    s->in_output = job->op == GF_FFT && job->n_out == 1 && o->dtype == gf_job_number(job) &&
                   !o->shift && (forward ? halved == o->half : !job->real);
    s->in_input =
        !forward && job->spend_input && job->in_dtype == gf_job_number(job) && !job->in_shift;
    /* A walk over columns reads and writes different places, and half spectra take more bins in the
     * exchange than in the line. */
    if (gf_gpu_slabs_are_line(s)) {
        s->in_output = s->in_output && forward && !halved && !job->lean;
        s->in_input = s->in_input && !halved && !job->lean;
    }
}

/* ---- walks ---- */

/* A volume's filter needs whole rows, an exchange in place views. */
static int64_t granule(const struct gf_gpu_slabs *s) {
    if (s->role.in_place)
        return GF_GPU_VIEW_BINS;
    return s->filter && !s->plan.picture ? s->columns : 1;
}

/* Reduces a walk to the device's share of pages or bins, and of the bytes. */
static void take_share(struct gf_gpu_walk *w) {
    const struct gf_gpu_role *role = &w->s->role;
    const struct gf_span own = gf_span_planes(w->extent, role->members, role->member, w->granule);
    const double all = (double)w->extent, count = (double)own.count;
    w->first = own.first;
    w->extent = own.count;
    w->info->bytes_read = (int64_t)((double)w->info->bytes_read / all * count);
    w->info->bytes_written = (int64_t)((double)w->info->bytes_written / all * count);
}

/* Bytes that the device copies of the job's outputs. */
static int64_t output_bytes(const struct gf_gpu_walk *w) {
    const struct gf_slab_plan *p = &w->s->plan;
    int64_t sum = 0;
    for (int i = 0; i < p->job.n_out; i++) {
        const int64_t bytes = gf_job_bytes(&p->job, i), n = p->job.shape[2];
        const bool mirrored = p->real && !p->job.out[i].half &&
                              w->info->step == GF_SLAB_OUTPUT; /* the host writes the rest */
        sum += mirrored           ? bytes / n * (n / 2 + 1)
               : gf_gpu_blocks(w) ? bytes
                                  : bytes / p->pages * w->extent;
    }
    return sum;
}

static void start_walk(struct gf_gpu_slabs *s, int i) {
    struct gf_gpu_walk *w = &s->walk[i]; /* too large for the stack */
    struct gf_slab_plan *p = &s->plan;
    w->c = s->c;
    w->s = s;
    w->info = &p->walk[i];
    const bool blocks = gf_gpu_blocks(w), to = gf_gpu_to_output(w);
    const int64_t all = blocks ? s->bins : p->pages;
    w->granule = blocks ? granule(s) : 1;
    w->extent = all;
    if (to && s->filter && !gf_gpu_slabs_are_line(s)) /* not what was added beyond the edges */
        w->extent = p->kept_pages;
    w->info->bytes_read =
        gf_gpu_from_input(w) ? gf_job_bytes(&p->job, -1) : p->exchange_bytes / all * w->extent;
    w->info->bytes_written = !to || gf_gpu_walk_samples(w) ? p->exchange_bytes
                             : gf_gpu_scans(w)             ? 0
                                                           : output_bytes(w);
    if (s->role.members)
        take_share(w);
}

/* Plans the pages that automatic ranges sample, if a walk transforms pages by themselves. */
static int plan_page(struct gf_gpu_slabs *s) {
    const struct gf_job *job = &s->plan.job, one = gf_ranges_page_job(job);
    if (gf_slab_walks_twice(job) || job->op != GF_FFT || !gf_job_samples(job))
        return 0;
    int rc = gf_gpu_slabs_make_run(s->c, &one, &s->page);
    s->device_bytes = rc ? 0 : s->page->program.bytes;
    s->host_bytes = (int64_t)gf_job_array_bytes(&one, 0);
    return rc;
}

/* Counts a filter's table, which is uploaded part by part. */
static void count_table(struct gf_gpu_slabs *s, struct gf_gpu_walk *w) {
    const int64_t part = gf_gpu_walk_filters(w) ? w->run[0].program.plan->bytes[GF_GPU_FILTER] : 0;
    const int64_t bytes = part / w->each * w->extent;
    w->info->bytes_read += bytes;
    s->host_bytes += bytes;
}

static void count_memory(struct gf_gpu_slabs *s) {
    int64_t *most = s->staging_bytes;
    for (int i = 0; i < s->plan.n_walks; i++) {
        if (!s->walk[i].n)
            continue;
        count_table(s, &s->walk[i]);
        const struct gf_gpu_program *g = &s->walk[i].run[0].program;
        const bool held = s->role.members && !gf_gpu_from_input(&s->walk[i]); /* by the devices */
        const int64_t bytes[GF_GPU_SLAB_STAGES] = {
            held ? 0 : g->plan->bytes[GF_GPU_IN],
            gf_gpu_slab_output_at(g->plan, g->plan->job.n_out), gf_gpu_program_report_bytes(g),
            g->plan->bytes[GF_GPU_FILTER]};
        for (int k = 0; k < GF_GPU_SLAB_STAGES; k++)
            most[k] = gf_max(most[k], bytes[k]);
        if (s->role.members && !gf_gpu_to_output(&s->walk[i]))
            most[GF_GPU_SLAB_SENT] = gf_max(most[GF_GPU_SLAB_SENT], bytes[GF_GPU_SLAB_DOWN]);
        s->device_bytes = gf_max(s->device_bytes, g->bytes);
    }
    for (int k = 0; k < GF_GPU_SLAB_STAGES && !s->role.in_place; k++)
        s->host_bytes += GF_GPU_SLAB_DEPTH * most[k];
    if (!s->in_output && !s->in_input && !s->role.members)
        s->host_bytes += s->plan.exchange_bytes;
}

static void drop_axes(struct gf_lowpass *l, int n) {
    for (int i = n; i < GF_MAX_DIMS; i++) {
        l->centre[i - n] = l->centre[i];
        l->radius[i - n] = l->radius[i];
    }
}

/* Copies the filter of blocks without its offset, which belongs to a single bin. */
static int take_filter(struct gf_gpu_slabs *s) {
    if (s->plan.job.op != GF_FILTER || !gf_slab_walks_twice(&s->plan.job))
        return 0;
    if (!(s->filter = malloc(sizeof *s->filter)))
        return gf_no_memory();
    struct gf_filter *f = s->filter;
    *f = *s->plan.job.filter;
    f->offset = 0;
    for (int i = 0; i < f->n_factors; i++) {
        drop_axes(&f->factor[i].a, s->dropped);
        drop_axes(&f->factor[i].b, s->dropped);
    }
    f->table = gf_gpu_slab_drop(&f->table, f->table.data ? s->dropped : 0, 0);
    return 0;
}

static void drop_share(struct gf_gpu_slabs *s) {
    for (int i = 0; i < s->plan.n_walks; i++)
        gf_gpu_slabs_drop_runs(&s->walk[i]);
    gf_gpu_slabs_free_run(s->c, s->page);
    free(s->filter);
    free(s->of_pages[0]);
    free(s->of_pages[1]);
    gf_array_free(&s->table);
    if (s->exchange_locked)
        s->c->api->unlock(s->c->gpu, s->exchange);
    gf_free(s->exchange);
    for (int k = 0; k < GF_GPU_SLAB_STAGES; k++)
        for (int i = 0; i < GF_GPU_SLAB_DEPTH; i++)
            if (s->staging[k][i])
                s->c->api->unpin(s->c->gpu, s->staging[k][i]);
    free(s);
}

/* Plans one device's share, which may be empty. */
static int plan_share(const struct gf_gpu_context *c, const struct gf_job *job,
                      struct gf_gpu_role role, struct gf_gpu_slabs **slabs) {
    *slabs = NULL;
    struct gf_job asked = *job;
    int dropped = role.resident ? 0 : gf_job_drop_single(&asked);
    if (job->op == GF_FILTER && asked.ndim > 1 && !gf_slab_walks_twice(&asked)) {
        asked = *job; /* pages are filtered by a filter of volumes */
        dropped = 0;
    }
    int last = asked.ndim;
    if (job->op == GF_FFT && !role.resident)
        asked = gf_slab_without_single(&asked);
    last -= asked.ndim;
    struct gf_slab_plan plan;
    gf_slab_plan_device(&asked, role.natural, &plan);
    const char *why = refuses(&asked, &plan.job);
    if (!why && role.resident)
        why = refuses_resident(&plan.job, job);
    if (!why && role.in_place && role.members != 2)
        why = "only two devices exchange in place";
    if (!why && role.natural && job->direction == GF_INVERSE && gf_job_is_real(job))
        why = "half spectra in natural order are not transformed by several devices";
    if (why)
        return gf_fail(GF_EUNSUPP, "%s", why);
    struct gf_gpu_slabs *s = calloc(1, sizeof *s);
    if (!s)
        return gf_no_memory();
    s->c = c;
    s->role = role;
    s->plan = plan;
    s->asked = asked;
    s->dropped = dropped;
    s->last = last;
    int rc = take_filter(s);
    describe(s);
    for (int i = 0; i < s->plan.n_walks; i++)
        start_walk(s, i);
    if (!rc)
        rc = gf_gpu_slabs_fit(s);
    if (!rc)
        rc = plan_page(s);
    if (rc) {
        drop_share(s);
        return rc;
    }
    count_memory(s);
    *slabs = s;
    return 0;
}

void gf_gpu_shared_drop(struct gf_gpu_shared *p) {
    if (p && p->uploaded) {
        gf_gpu_slab_settle(p, GF_EBACKEND); /* keeps an earlier failure's message */
        gf_gpu_slab_give_back(p, 0, p->member->s->plan.n_walks);
    }
    for (int i = 0; p && i < p->n; i++)
        if (p->member[i].s)
            drop_share(p->member[i].s);
    free(p);
}

int gf_gpu_shared_plan(const struct gf_gpu_shared *devices, const struct gf_job *job,
                       struct gf_gpu_role role, struct gf_gpu_shared **plan) {
    struct gf_gpu_shared *p = malloc(sizeof *p);
    int rc = p ? 0 : gf_no_memory();
    *plan = NULL;
    if (p)
        *p = *devices;
    for (; !rc && role.member < p->n; role.member++) {
        struct gf_gpu_member *m = &p->member[role.member];
        rc = plan_share(m->c, job, role, &m->s);
        for (int i = 0; !rc && i < m->s->plan.n_walks; i++)
            m->s->walk[i].all = p;
    }
    if (rc)
        gf_gpu_shared_drop(p);
    else
        *plan = p;
    return rc;
}

int gf_gpu_slabs_plan(const struct gf_gpu_context *c, const struct gf_job *job,
                      struct gf_gpu_shared **plan) {
    const struct gf_gpu_shared alone = {.n = 1, .member = {{.c = c}}};
    return gf_gpu_shared_plan(&alone, job, (struct gf_gpu_role){.members = 0}, plan);
}

/* ---- the listing of `gpufft plan` ---- */

/* Adds the host bytes copied, or if the arrays stay on the device, those of all passes. */
static void count_bytes(struct gf_gpu_walk *w, struct gf_pass_info *pass) {
    const struct gf_gpu_role *role = &w->s->role;
    for (int64_t part = 0; part < w->n && role->resident; part++) {
        const struct gf_gpu_plan *p = gf_gpu_part_run(w, part)->program.plan;
        for (int i = 0; i < p->n_passes; i++) {
            pass->bytes_read += p->pass[i].summary.bytes_read;
            pass->bytes_written += p->pass[i].summary.bytes_written;
        }
    }
    if (role->resident || !w->n)
        return;
    pass->bytes_read += !role->members || gf_gpu_from_input(w) ? w->info->bytes_read : 0;
    pass->bytes_written += !role->members || gf_gpu_to_output(w) ? w->info->bytes_written : 0;
}

/* Lists the passes of walk `index` below it. */
static void list_inner(const struct gf_gpu_plan *passes, int index, struct gf_plan *plan) {
    int i = plan->n_inner;
    gf_gpu_run_list(passes, 0, passes->n_passes, plan->inner, &plan->n_inner);
    for (; i < plan->n_inner; i++)
        plan->inner[i].walk = index + 1;
}

/* Lists walk `index` of all devices, with the longest parts of any. */
static void list_walk(const struct gf_gpu_shared *p, int index, struct gf_plan *plan) {
    static const char *const units[3][2] = {
        {"pages", "bins of a page"}, {"rows", "columns"}, {"columns", "rows"}};
    struct gf_pass_info *pass = gf_pass_list(plan, 0, 0, "%s", "");
    const struct gf_gpu_slabs *s = p->member->s;
    const struct gf_gpu_walk *longest = &s->walk[index];
    int64_t parts = 0;
    for (int i = 0; i < p->n; i++) {
        struct gf_gpu_walk *w = &p->member[i].s->walk[index];
        parts += w->n;
        longest = w->each > longest->each ? w : longest;
        count_bytes(w, pass);
        plan->kernels_built += w->run[0].program.built + w->run[1].program.built;
        plan->build_seconds += w->run[0].program.build_seconds + w->run[1].program.build_seconds;
    }
    snprintf(pass->what, sizeof pass->what, "%lld %.100s: %lld %s each", (long long)parts,
             longest->info->what, (long long)longest->each,
             units[s->plan.line ? 2 : s->plan.picture][gf_gpu_blocks(longest)]);
    list_inner(longest->run[0].program.plan, index, plan);
}

/* Bytes that a device sends to others in all walks. */
static int64_t sent_by(const struct gf_gpu_slabs *s) {
    int64_t bytes = 0;
    for (int i = 0; i + 1 < s->plan.n_walks; i++) {
        const struct gf_gpu_walk *w = &s->walk[i], *next = w + 1;
        const int64_t all = gf_gpu_blocks(next) ? s->bins : s->plan.pages;
        bytes += gf_gpu_to_output(w) ? 0 : w->extent * (all - next->extent) * s->unit;
    }
    if (s->role.natural)
        bytes += s->walk[1].extent * (s->plan.pages - s->walk[0].extent) * s->unit;
    return bytes;
}

static void list_share(const struct gf_gpu_shared *p, int i, struct gf_plan_share *share) {
    const struct gf_gpu_slabs *s = p->member[i].s;
    *share = (struct gf_plan_share){.bytes = s->device_bytes, .sent = sent_by(s)};
    snprintf(share->device, sizeof share->device, "%s", p->member[i].name);
    for (int k = 0; k < s->plan.n_walks; k++) {
        const struct gf_gpu_walk *w = &s->walk[k];
        *(gf_gpu_blocks(w) ? &share->bins : &share->pages) = (struct gf_span){w->first, w->extent};
    }
    share->direct = p->reaches[i] == (1u << p->n) - 1;
}

void gf_gpu_shared_list(const struct gf_gpu_shared *p, struct gf_plan *plan) {
    for (int i = 0; i < p->member->s->plan.n_walks; i++)
        list_walk(p, i, plan);
    for (int i = 0; i < p->n; i++) {
        const struct gf_gpu_slabs *s = p->member[i].s;
        if (s->role.members)
            list_share(p, i, &plan->share[plan->n_shares++]);
        if (s->page) {
            plan->kernels_built += s->page->program.built;
            plan->build_seconds += s->page->program.build_seconds;
        }
        plan->workspace_bytes += s->host_bytes;
        plan->device_bytes = gf_max(plan->device_bytes, s->device_bytes);
    }
    plan->in_slabs = !p->member->s->role.resident;
}
