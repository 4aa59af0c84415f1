/* Jobs over one long line, or too few lines to fill the SIMD lanes: the transforms of long.c
 * between generic load and store steps, which are omitted if the arrays can be the work buffers. */
#include <stdlib.h>
#include <string.h>

#include "core/cpu/long.h"
#include "core/base/value/factor.h"
#include "core/base/value/status.h"
#include "core/filter/compose.h"

struct long_job {
    struct gf_job job;
    int threads;
    int64_t n, lines;
    bool halves; /* a real line of even length is a complex one of half the length */
    struct gf_cpu_long *line;
    struct gf_cpu_halves half;    /* halves: m and the tables */
    struct gf_work before, after; /* without data */
};

/* The memory for runs on the same arrays, allocated by the first run that needs it. */
struct line_run {
    struct gf_cpu_long_memory memory;
    void *expanded; /* real lines of odd length: one line as complex */
    void *buffer[2];
    /* One short line directly between the arrays: line(&split); NULL: needs other steps. */
    void (*line)(const struct gf_cpu_split *s);
    struct gf_cpu_split split;
    struct gf_cpu_halves halves;
};

enum { SHORTEST = 512, WORTH_A_TEAM = 1 << 14 };

/* True for a single shorter line, which the kernels transform in one call. */
static bool is_short(const struct gf_job *job, const struct gf_cpu_kernels *k, int64_t n) {
    const int64_t points = gf_job_is_real(job) ? n / 2 : n;
    const int block = gf_cpu_row_block(points, k->lanes);
    return job->ndim == 1 && job->channels == 1 && job->op == GF_FFT && points >= 32 &&
           points < SHORTEST && !(gf_job_is_real(job) && n % 2) &&
           (block == k->lanes || (block && points <= (int64_t)k->lanes * k->lanes));
}

/* Lengths with small factors that are not split in two are faster without a convolution. */
static bool pays(const struct gf_job *job, int64_t n) {
    int64_t n1, n2;
    int64_t points = gf_job_is_real(job) && n % 2 == 0 ? n / 2 : n;
    return gf_factor_radices(points).rest != 1 || gf_cpu_long_splits(points, &n1, &n2);
}

/* Finds the only transformed axis longer than a point, if it has too few lines. */
static bool is_long(const struct gf_job *job, const struct gf_cpu_kernels *k, int64_t *n,
                    int64_t *lines) {
    int axis = -1;
    *lines = job->luma ? 1 : job->channels;
    for (int i = 0; i < job->ndim; i++) {
        if (job->shape[i] == 1)
            continue;
        if (axis >= 0)
            *lines *= job->shape[axis]; /* only batches may precede it */
        if (axis >= 0 && (job->axes >> axis & 1))
            return false;
        axis = i;
    }
    if (axis < 0 || !(job->axes >> axis & 1))
        return false;
    /* The halved axis must be this one, not a later one of a single point. */
    if (gf_job_is_real(job) && axis != gf_job_half_axis(job))
        return false;
    *n = job->shape[axis];
    return (*n >= SHORTEST && *lines <= k->lanes / 4 && pays(job, *n)) || is_short(job, k, *n);
}

bool gf_cpu_long_job_serves(const struct gf_job *job, const struct gf_cpu_kernels *kernels) {
    int64_t n, lines;
    return is_long(job, kernels, &n, &lines);
}

/* True for an array with the layout of the work buffer w. */
static bool is_work(const struct gf_job *job, const struct gf_work *w, const struct gf_array *a) {
    bool single = w->precision == GF_SINGLE;
    enum gf_dtype type = w->complex ? (single ? GF_C64 : GF_C128) : (single ? GF_F32 : GF_F64);
    return a->dtype == type && a->shape[job->ndim] == 1 && gf_array_is_contiguous(a);
}

static bool takes_input(const struct long_job *j, const struct gf_array *in) {
    const struct gf_job *job = &j->job;
    return !job->luma && !job->in_shift && (!job->real || job->in_half) &&
           is_work(job, &j->before, in);
}

static bool gives_output(const struct long_job *j, const struct gf_array *out) {
    const struct gf_output *o = &j->job.out[0];
    bool forward = j->job.direction == GF_FORWARD;
    bool kind = o->kind == GF_COMPLEX || (!j->after.complex && o->kind == GF_REAL);
    bool half = !forward || o->half || !gf_job_is_real(&j->job);
    return j->job.n_out == 1 && kind && half && !o->shift && is_work(&j->job, &j->after, out);
}

/* Builds the tables of a real line of 2 m points. */
static bool make_halves(struct gf_cpu_halves *h, int64_t m, const struct gf_cpu_kernels *kernels) {
    const int64_t lanes = kernels->lanes, count = (m / 2 / lanes + 1) * lanes;
    const size_t size = (size_t)kernels->bits / 8;
    char *w = gf_alloc(2 * (size_t)count * size), *pairs = gf_alloc(2 * (size_t)count * size);
    *h = (struct gf_cpu_halves){.m = m, .roots = w};
    const bool ok = w && pairs && gf_cpu_roots(pairs, kernels->bits, 2 * m, 1, false, count);
    for (int64_t k = 0; ok && k < count; k++)
        for (int part = 0; part < 2; part++)
            memcpy(w + (size_t)(k / lanes * 2 * lanes + part * lanes + k % lanes) * size,
                   pairs + (size_t)(2 * k + part) * size, size);
    gf_free(pairs);
    return ok;
}

static struct gf_cpu_halves halves_of(const struct long_job *j, const void *x, void *y) {
    struct gf_cpu_halves h = j->half;
    h.x = j->job.direction == GF_INVERSE ? (void *)x : y;
    h.z = y;
    return h;
}

/* Transforms a real line of odd length as a complex one. */
static int run_odd(const struct long_job *j, struct line_run *r, const char *x, char *y,
                   bool inverse, double factor) {
    const size_t size = (size_t)j->line->kernels->bits / 8;
    int64_t n = j->n, half = n / 2 + 1;
    if (!r->expanded && !(r->expanded = gf_alloc((size_t)n * 2 * size)))
        return gf_no_memory();
    char *z = r->expanded;
    if (!inverse) {
        memset(z, 0, (size_t)n * 2 * size);
        for (int64_t i = 0; i < n; i++)
            memcpy(z + (size_t)i * 2 * size, x + (size_t)i * size, size);
    } else {
        memcpy(z, x, (size_t)half * 2 * size);
        memset(z + size, 0, size); /* by symmetry */
        for (int64_t k = 1; k < half; k++)
            memcpy(z + (size_t)(n - k) * 2 * size, x + (size_t)k * 2 * size, 2 * size);
        gf_filter_conjugate(z + (size_t)half * 2 * size, n - half, size == 8, 1);
    }
    int rc = gf_cpu_long_run(j->line, &r->memory, z, z, inverse, factor);
    if (!inverse) {
        memcpy(y, z, (size_t)half * 2 * size);
        memset(y + size, 0, size); /* the zero frequency's imaginary part is rounding error */
    } else {
        for (int64_t i = 0; i < n; i++)
            memcpy(y + (size_t)i * size, z + (size_t)i * 2 * size, size);
    }
    return rc;
}

static int run_line(const struct long_job *j, struct line_run *r, const char *x, char *y,
                    double factor) {
    const bool inverse = j->job.direction == GF_INVERSE;
    if (!j->halves)
        return gf_job_is_real(&j->job)
                   ? run_odd(j, r, x, y, inverse, factor)
                   : gf_cpu_long_run(j->line, &r->memory, x, y, inverse, factor);
    struct gf_cpu_halves h = halves_of(j, x, y);
    const double scale = inverse ? factor : factor / 2; /* unpacking doubles the half spectrum */
    if (j->line->rows)
        return gf_cpu_long_run_split(j->line, &r->memory,
                                     &(struct gf_cpu_split){.halves = &h,
                                                            .in = inverse ? y : x,
                                                            .out = y,
                                                            .inverse = inverse,
                                                            .factor = scale});
    /* Shares end at vector boundaries, so that rounding does not depend on the number of
     * threads. */
    const bool team = j->threads > 1 && h.m > WORTH_A_TEAM;
    if (inverse)
#pragma omp parallel num_threads(j->threads) if (team)
        gf_cpu_long_share_halves(j->line, &h, true);
    const int rc = gf_cpu_long_run(j->line, &r->memory, inverse ? y : x, y, inverse, scale);
    if (!rc && !inverse)
#pragma omp parallel num_threads(j->threads) if (team)
        gf_cpu_long_share_halves(j->line, &h, false);
    return rc;
}

/* Runs that consist of one call, if the job and the arrays allow it; lines_run() reports missing
 * memory. */
static int line_call(struct gf_bound *b, struct gf_report *report) {
    const struct line_run *r = b->impl;
    (void)report;
    r->line(&r->split);
    return 0;
}

static int line_bind(struct gf_bound *b) {
    const struct long_job *j = b->plan->impl;
    const struct gf_cpu_long *l = j->line;
    const bool inverse = j->job.direction == GF_INVERSE;
    struct line_run *r = b->impl;
    if (j->lines > 1 || !l->rows || l->ways.n || (gf_job_is_real(&j->job) && !j->halves) ||
        !takes_input(j, &b->in) || !gives_output(j, b->out) || gf_cpu_long_allocate(l, &r->memory))
        return 0;
    b->run = line_call;
    r->line = l->kernels->line;
    r->halves = halves_of(j, b->in.data, b->out[0].data);
    r->split =
        (struct gf_cpu_split){.rows = l->rows,
                              .halves = j->halves ? &r->halves : NULL,
                              .in = j->halves && inverse ? b->out[0].data : b->in.data,
                              .out = b->out[0].data,
                              .work = r->memory.work,
                              .inverse = inverse,
                              .factor = gf_job_scale(&j->job) * (j->halves && !inverse ? 0.5 : 1)};
    return 0;
}

static void line_unbind(struct gf_bound *b) {
    struct line_run *r = b->impl;
    gf_cpu_long_memory_free(&r->memory);
    gf_free(r->expanded);
    gf_free(r->buffer[0]);
    gf_free(r->buffer[1]);
    free(r);
}

static int lines_run(struct gf_bound *b, struct gf_report *report) {
    const struct long_job *j = b->plan->impl;
    const struct gf_job *job = &j->job;
    struct line_run *r = b->impl;
    struct gf_work before = j->before, after = j->after;
    bool direct_in = takes_input(j, &b->in), direct_out = gives_output(j, b->out);
    int rc = direct_in ? 0 : gf_work_allocate(&before, &r->buffer[0]);
    before.data = direct_in ? b->in.data : r->buffer[0];
    if (!direct_in && !rc)
        gf_work_load(job, &b->in, &before, j->threads, report);
    if (!direct_out && !rc)
        rc = gf_work_allocate(&after, &r->buffer[1]);
    if (rc)
        return rc;
    after.data = direct_out ? b->out[0].data : r->buffer[1];
    const double scale = gf_job_scale(job);
    const struct gf_range_energy energy = gf_range_energy(job, &b->in);
    int64_t a_line = gf_work_bytes(&before) / j->lines, b_line = gf_work_bytes(&after) / j->lines;
    for (int64_t i = 0; i < j->lines && !rc; i++)
        rc = run_line(j, r, (const char *)before.data + i * a_line, (char *)after.data + i * b_line,
                      direct_out ? scale : 1);
    return rc || direct_out ? rc : gf_work_store(job, &after, &energy, b->out, j->threads, report);
}

static void line_drop(struct gf_plan *plan) {
    struct long_job *j = plan->impl;
    gf_cpu_long_free(j->line);
    gf_free((void *)j->half.roots);
    free(j);
}

/* Bytes besides the transform's own: tables, and work buffers that dense arrays do not replace. */
static int64_t bytes_beside(const struct long_job *j) {
    const struct gf_job *job = &j->job;
    const int64_t number = j->line->kernels->bits / 8;
    int64_t bytes = j->halves ? j->half.m * number : 0;
    const struct gf_array in = gf_job_array(job, -1, NULL), out = gf_job_array(job, 0, NULL);
    bytes += gf_job_is_real(job) && !j->halves ? 2 * j->n * number : 0;
    bytes += takes_input(j, &in) ? 0 : gf_work_bytes(&j->before);
    return bytes + (gives_output(j, &out) ? 0 : gf_work_bytes(&j->after));
}

int gf_cpu_long_job_plan(struct gf_plan *plan, const struct gf_cpu_kernels *kernels, int threads) {
    static const struct gf_plan_ops ops = {.exec = lines_run,
                                           .bound_bytes = sizeof(struct line_run),
                                           .bind = line_bind,
                                           .unbind = line_unbind,
                                           .drop = line_drop};
    const struct gf_job *job = &plan->job;
    const bool real = gf_job_is_real(job);
    int64_t n, lines;
    if (!is_long(job, kernels, &n, &lines))
        return 0;
    struct long_job *j = plan->impl = calloc(1, sizeof *j);
    if (!j)
        return gf_no_memory();
    plan->ops = &ops;
    *j = (struct long_job){
        .job = *job, .threads = threads, .n = n, .lines = lines, .halves = real && n % 2 == 0};
    gf_work_before(job, &j->before);
    gf_work_after(job, &j->after);
    int64_t points = j->halves ? n / 2 : n, pair = kernels->bits / 4;
    int rc = gf_cpu_long_plan(points, kernels, threads, &j->line);
    if (rc)
        return rc;
    if (j->halves && !make_halves(&j->half, points, kernels))
        return gf_no_memory();

    int64_t a = gf_work_bytes(&j->before), b = gf_work_bytes(&j->after);
    plan->workspace_bytes = gf_cpu_long_bytes(j->line) + bytes_beside(j);
    gf_pass_list_load(plan, a);
    const struct gf_cpu_long *l = j->line->convolution ? j->line->convolution : j->line;
    for (int i = 0; i < (j->line->convolution ? 4 : 2); i++)
        gf_pass_list(plan, l->n * pair * lines, l->n * pair * lines, "%lld lines of %lld%s%s",
                     (long long)(i % 2 ? l->n1 : l->n2), (long long)(i % 2 ? l->n2 : l->n1),
                     j->line->convolution ? ", of a chirp's convolution" : "",
                     j->halves ? ", two samples a point" : "");
    if (j->halves)
        gf_pass_list(plan, points * pair * lines, points * pair * lines,
                     "even and odd samples' spectra to one, in place");
    gf_pass_list_store(plan, b);
    return 0;
}
