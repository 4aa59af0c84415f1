/* A filter's values for the pass that multiplies: factors along the axes, or a table. */
#include "core/cpu/plan.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/filter/compose.h"
#include "core/filter/filter.h"

static bool filtered(const struct gf_job *job, int axis) {
    const struct gf_job whole = gf_filter_whole(job);
    return gf_cpu_transforms(&whole, axis);
}

/* The filter's index for this job's index 0. */
static int64_t first_of(const struct gf_job *job, int axis) {
    return job->whole.axes && axis >= 0 && axis < job->ndim ? job->whole.first[axis] : 0;
}

bool gf_cpu_filter_fuses(const struct gf_job *job) {
    return gf_cpu_count_axes(job) > 1 || !job->filter->table.data || job->whole.axes;
}

/* Flushes tiny values to 0, like gain_flush() in kernels/cpu/gain.h. */
static void put(void *table, int bits, int64_t at, double v) {
    gf_real_put(table, at, bits == 64, fabs(v) < (bits == 32 ? 0x1p-90 : 0x1p-900) ? 0 : v);
}

/* ---- factors ---- */

static bool is_brief(const struct gf_job *job, const struct gf_filter_terms *t) {
    return !job->filter->table.data && t->n_terms <= GF_CPU_GAIN_TERMS &&
           gf_filter_is_exact(job, t);
}

/* Appends the axis's values at *at and repeats the last one to fill whole vectors. NULL if the axis
 * is not transformed. */
static const void *axis_values(const struct gf_cpu_plan *p, const struct gf_filter_terms *t,
                               int term, int axis, struct gf_cpu_filter *f, int64_t *at) {
    if (!filtered(&p->job, axis))
        return NULL;
    const int bits = p->kernels->bits, lanes = p->kernels->lanes;
    const double *from = t->value + t->term[term].at[axis] + first_of(&p->job, axis);
    const int64_t n = p->extent[axis], start = *at;
    *at += gf_divide_up(n, lanes) * lanes;
    for (int64_t i = start; i < *at; i++)
        put(f->values, bits, i, from[i - start < n ? i - start : n - 1]);
    return (char *)f->values + start * bits / 8;
}

static int fill_factors(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                        const struct gf_filter_terms *t, struct gf_cpu_filter *f) {
    struct gf_cpu_gain *m = &f->gain;
    int64_t at = 0, most = 0;
    for (int i = 0; i < p->job.ndim; i++)
        most += p->extent[i] + p->kernels->lanes;
    f->values = gf_alloc((size_t)(most * t->n_terms + 1) * (size_t)p->kernels->bits / 8);
    if (!f->values)
        return gf_no_memory();
    m->kind = GF_CPU_GAIN_FACTORS;
    m->n_factors = t->n_factors;
    for (int i = 0; i < t->n_factors; i++) {
        m->factor[i].c0 = t->factor[i].c0;
        m->factor[i].ca = t->factor[i].ca;
        m->factor[i].cab = t->factor[i].cab;
        m->factor[i].a = t->factor[i].a;
        m->factor[i].b = t->factor[i].b;
    }
    for (int i = 0; i < t->n_terms; i++) {
        const struct gf_filter_term *from = &t->term[i];
        m->term[i] = (struct gf_cpu_term){
            .profile = (int)from->profile, .order = from->order, .limit = from->limit};
        m->term[i].line = axis_values(p, t, i, pass->axis, f, &at);
        m->term[i].lane = axis_values(p, t, i, pass->lane, f, &at);
        for (int d = 0; d < 2; d++)
            m->term[i].outer[d] = axis_values(p, t, i, pass->outer[d], f, &at);
    }
    return 0;
}

/* ---- tables ---- */

/* Tabulates a whole line, including its mirrored half, for passes that keep real lines in pairs. */
static int fill_line(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                     const struct gf_filter_terms *t, struct gf_cpu_filter *f) {
    const int64_t n = pass->args.n;
    f->values = gf_alloc((size_t)n * (size_t)p->kernels->bits / 8);
    if (!f->values)
        return gf_no_memory();
    f->gain.kind = GF_CPU_GAIN_LINE;
    f->gain.table = f->values;
    for (int64_t k = 0; k < n; k++) {
        int64_t index[GF_MAX_DIMS] = {0};
        index[pass->axis] = k <= n / 2 ? k : n - k;
        put(f->values, p->kernels->bits, k, gf_filter_value(t, index));
    }
    return 0;
}

/* Fills all points of a block of lanes, at `index` on the other axes. */
static void fill_block(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                       const struct gf_filter_terms *t, int64_t index[GF_MAX_RANK], int64_t lane0,
                       char *to) {
    const struct gf_array *table = &p->job.filter->table;
    const int lanes = p->kernels->lanes, bits = p->kernels->bits;
    const bool complex = table->data && gf_dtype_is_complex(table->dtype);
    int64_t row = 0, line = 1, lane = 1; /* of the table: its first number here, and strides */
    index[pass->axis] = 0;
    index[pass->lane] = first_of(&p->job, pass->lane);
    for (int a = 0; a < table->rank; a++) {
        row = row * table->shape[a] + index[a] - first_of(&p->job, a);
        line *= a > pass->axis ? table->shape[a] : 1;
        lane *= a > pass->lane ? table->shape[a] : 1;
    }
    for (int64_t k = 0; k < pass->args.n; k++)
        for (int l = 0; l < lanes; l++) {
            const int64_t number = gf_min(lane0 + l, pass->args.n_lane - 1);
            const int64_t i = ((complex ? 2 : 1) * k) * lanes + l;
            const struct gf_number v = table->data
                                           ? gf_filter_number(table, row + k * line + number * lane)
                                           : (struct gf_number){1, 0};
            index[pass->axis] = k;
            index[pass->lane] = first_of(&p->job, pass->lane) + number;
            const double h = t->n_factors ? gf_filter_value(t, index) : 1;
            put(to, bits, i, h * v.re);
            if (complex)
                put(to, bits, i + lanes, h * v.im);
        }
}

/* The table's extent along an axis: 1 if values do not depend on it. */
static int64_t table_extent(const struct gf_cpu_plan *p, int axis) {
    bool spatial = axis >= 0 && axis < p->job.ndim;
    bool matters = spatial && (filtered(&p->job, axis) || p->job.filter->table.data);
    return matters ? p->extent[axis] : 1;
}

static int fill_table(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                      const struct gf_filter_terms *t, int threads, struct gf_cpu_filter *f) {
    struct gf_cpu_gain *m = &f->gain;
    const struct gf_array *table = &p->job.filter->table;
    const int lanes = p->kernels->lanes;
    const bool complex = table->data && gf_dtype_is_complex(table->dtype);
    const int64_t blocks = gf_divide_up(table_extent(p, pass->lane), lanes);
    const int64_t n[2] = {table_extent(p, pass->outer[0]), table_extent(p, pass->outer[1])};
    const int64_t block = pass->args.n * lanes * (complex ? 2 : 1);
    const int64_t extent[] = {block, blocks, n[0], n[1]};
    int rc = gf_size_product(extent, 4, p->kernels->bits / 8, &f->bytes);
    if (rc)
        return rc;
    f->values = gf_alloc((size_t)f->bytes);
    if (!f->values)
        return gf_fail(GF_ENOMEM, "no memory for the filter's table of %lld bytes",
                       (long long)f->bytes);
    m->kind = complex ? GF_CPU_GAIN_COMPLEX : GF_CPU_GAIN_REAL;
    m->table = f->values;
    m->block = blocks > 1 ? block : 0;
    m->outer[1] = n[1] > 1 ? block * blocks : 0;
    m->outer[0] = n[0] > 1 ? block * blocks * n[1] : 0;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < n[0] * n[1] * blocks; i++) {
        int64_t index[GF_MAX_RANK] = {0};
        const int64_t at[2] = {i / blocks / n[1], i / blocks % n[1]};
        for (int d = 0; d < 2; d++)
            if (pass->outer[d] >= 0)
                index[pass->outer[d]] = first_of(&p->job, pass->outer[d]) + at[d];
        fill_block(p, pass, t, index, i % blocks * lanes,
                   (char *)f->values + i * block * p->kernels->bits / 8);
    }
    return 0;
}

int gf_cpu_filter_make(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass, int threads,
                       struct gf_cpu_filter **out) {
    struct gf_filter_terms *t = calloc(1, sizeof *t); /* large */
    struct gf_cpu_filter *f = calloc(1, sizeof *f);
    const struct gf_job whole = gf_filter_whole(&p->job);
    int rc = t && f ? gf_filter_compile(&whole, t) : gf_no_memory();
    if (rc)
        goto out;
    f->gain.zero = gf_filter_zero(&p->job);
    f->gain.lane_on = gf_cpu_transforms(&whole, pass->lane);
    for (int d = 0; d < 2; d++)
        f->gain.outer_on[d] = gf_cpu_transforms(&whole, pass->outer[d]);
    rc = pass->args.form == GF_CPU_R2R ? fill_line(p, pass, t, f)
         : is_brief(&p->job, t)        ? fill_factors(p, pass, t, f)
                                       : fill_table(p, pass, t, threads, f);
    if (rc)
        goto out;
    *out = f;
    f = NULL;
out:
    if (t)
        gf_filter_terms_free(t);
    free(t);
    gf_cpu_filter_free(f);
    return rc;
}

void gf_cpu_filter_free(struct gf_cpu_filter *f) {
    if (!f)
        return;
    gf_free(f->values);
    free(f);
}
