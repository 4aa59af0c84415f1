/* Chooses a job's passes: spectra of real and complex samples, and their inverses. */
#include "core/gpu/plan/make.h"

#include <stdlib.h>

#include "core/base/job/loadstore.h"
#include "core/base/value/status.h"
#include "core/gpu/plan/endpoints.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/tables.h"

static bool sample_fused(const struct gf_gpu_plan_builder *b) {
    const struct gf_output *out = &b->job->out[0];
    return b->job->n_out == 1 && out->kind != GF_COMPLEX && gf_gpu_fused_type(out->dtype) &&
           !out->half;
}

/* True if the output is the half spectrum in the arithmetic's precision. */
static bool half_output(const struct gf_gpu_plan_builder *b) {
    const struct gf_output *out = &b->job->out[0];
    return b->job->n_out == 1 && out->kind == GF_COMPLEX && out->half && !out->shift &&
           !gf_gpu_job_transposes(b->job, GF_FORWARD) &&
           (int)gf_dtype_size(out->dtype) == b->complex_bytes;
}

/* True if a row fits a tile when folded but not as complex points. Rows are then transformed first,
 * the other axes on their half spectra. */
static bool rows_first(struct gf_gpu_plan_builder *b) {
    if (!half_output(b) || b->n[b->half] % 2 || b->half != 2)
        return false;
    struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, b->half);
    struct gf_gpu_space s = gf_gpu_half_planes(b, GF_GPU_A, false);
    ap.load = LOAD_UNTANGLE;
    ap.mirror_axis = gf_gpu_mirror_axis(b);
    ap.store = STORE_HALVES;
    if (gf_gpu_fits(b, &ap, &s, &s, false))
        return false;
    ap = gf_gpu_axis_pass_along(b, b->half);
    ap.load = LOAD_PAIR;
    ap.fold = true;
    ap.store = STORE_ROW_HALVES;
    return gf_gpu_fits(b, &ap, &s, &s, false);
}

static int forward_rows_first(struct gf_gpu_plan_builder *b) {
    struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, b->half);
    struct gf_gpu_space src, dst = gf_gpu_half_planes(b, GF_GPU_A, false);
    dst = gf_gpu_padded_planes(dst.buffer_id, dst.extent, dst.element);
    int last = gf_gpu_mirror_axis(b), rc = gf_gpu_real_source(b, &ap, &src);
    ap.load = LOAD_PAIR;
    ap.fold = true;
    ap.store = STORE_ROW_HALVES;
    if (!rc)
        rc = gf_gpu_add_axis(b, &ap, &src, &dst, true);
    for (int axis = 0; axis < 3 && !rc; axis++) {
        if (axis == b->half || !gf_gpu_axis_on(b->job, axis))
            continue;
        src = dst;
        ap = gf_gpu_axis_pass_along(b, axis);
        if (axis == last) {
            dst = gf_gpu_array_space(b->job, 0);
            gf_gpu_scale_last(b, &ap);
        }
        rc = gf_gpu_add_axis(b, &ap, &src, &dst, false);
    }
    return rc;
}

/* The largest magnitude is at the zero frequency: the sum of one row, or of two adjacent ones if
 * the radix across is still to come. */
static int add_full_range(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *src) {
    const int first = b->p->n_passes;
    int rc = gf_gpu_add_range(b->p, 0, src, false, b->half);
    if (!rc && b->across >= 0)
        b->p->pass[first].args.range.count *= 2;
    return rc;
}

/* Adds the last pass, along the halved axis, which writes samples. */
static int forward_samples(struct gf_gpu_plan_builder *b, const struct gf_gpu_axis_pass *plain,
                           const struct gf_gpu_space *src) {
    const struct gf_output *out = &b->job->out[0];
    struct gf_gpu_axis_pass ap = *plain;
    struct gf_range_sample s = {.table = NULL};
    const bool sampled = gf_output_samples(b->job, 0);
    int rc = sampled ? gf_range_sample_make(b->job, &s) : 0;
    struct gf_gpu_space dst = gf_gpu_array_space(b->job, 0);
    ap.store = STORE_SAMPLE;
    ap.sample = out;
    ap.mirror = true;
    ap.range = sampled ? &s : NULL;
    gf_gpu_scale_last(b, &ap);
    if (!rc && gf_output_is_full(out))
        rc = add_full_range(b, src);
    if (!rc)
        rc = gf_gpu_add_axis(b, &ap, src, &dst, false);
    gf_range_sample_free(&s);
    return rc;
}

/* For two or more axes of real samples: packed pairs along the other axes, then the halved one. */
static int forward_real(struct gf_gpu_plan_builder *b) {
    const struct gf_job *job = b->job;
    struct gf_gpu_axis_pass ap;
    struct gf_gpu_space src, dst;
    if (b->across < 0 && rows_first(b))
        return forward_rows_first(b);
    int rc = gf_gpu_packed_forward(b, &src);
    if (rc)
        return rc;
    ap = gf_gpu_axis_pass_along(b, b->half);
    ap.load = LOAD_UNTANGLE;
    ap.mirror_axis = gf_gpu_mirror_axis(b);
    if (sample_fused(b) && !gf_output_scans(job, 0))
        return forward_samples(b, &ap, &src);
    ap.store = STORE_HALVES;
    if (half_output(b)) {
        gf_gpu_scale_last(b, &ap);
        dst = gf_gpu_array_space(b->job, 0);
        return gf_gpu_add_axis(b, &ap, &src, &dst, false);
    }
    dst = gf_gpu_half_planes(b, GF_GPU_A, false);
    rc = gf_gpu_add_axis(b, &ap, &src, &dst, false);
    return rc ? rc : gf_gpu_add_outputs(b, &dst, false, true);
}

/* Provides half spectra for the inverse's first pass. */
static int half_source(struct gf_gpu_plan_builder *b, struct gf_gpu_space *src) {
    const struct gf_job *job = b->job;
    bool same =
        gf_dtype_is_complex(job->in_dtype) && (int)gf_dtype_size(job->in_dtype) == b->complex_bytes;
    const bool transposes = gf_gpu_job_transposes(job, GF_INVERSE);
    if (job->in_half && !job->in_shift && same && !transposes) {
        *src = gf_gpu_array_space(b->job, -1);
        return 0;
    }
    *src = gf_gpu_half_planes(b, GF_GPU_A, false);
    gf_gpu_reserve(b->p, src);
    return transposes ? gf_gpu_add_transpose(b->p, src) : gf_gpu_add_load(b->p, src, false, true);
}

static int inverse_real(struct gf_gpu_plan_builder *b) {
    struct gf_gpu_space src, packed;
    int rc = half_source(b, &src);
    if (!rc)
        rc = gf_gpu_packed_halves(b, &src, &packed);
    return rc ? rc : gf_gpu_packed_back(b, &packed);
}

static int lines_forward(struct gf_gpu_plan_builder *b) {
    struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, b->half);
    struct gf_gpu_space src, dst;
    int rc = gf_gpu_real_source(b, &ap, &src);
    if (b->in_parts)
        gf_gpu_fold_line(&ap);
    else
        gf_gpu_set_lines(b, &ap);
    bool alias = half_output(b);
    dst = gf_gpu_half_planes(b, GF_GPU_A, false);
    if (alias) {
        dst = gf_gpu_array_space(b->job, 0);
        gf_gpu_scale_last(b, &ap);
    }
    if (!rc)
        rc = gf_gpu_add_axis(b, &ap, &src, &dst, !b->in_parts);
    return rc || alias ? rc : gf_gpu_add_outputs(b, &dst, false, true);
}

static int lines_inverse(struct gf_gpu_plan_builder *b) {
    struct gf_gpu_space src;
    int rc = half_source(b, &src);
    return rc ? rc : gf_gpu_lines_back(b, &src);
}

/* If both passes form one launch (chain.c), rows first lets the second write columns in place and
 * the first read the input sequentially. */
static bool rows_before_columns(const struct gf_gpu_plan_builder *b) {
    const struct gf_output *out = &b->job->out[0];
    return gf_gpu_axis_on(b->job, 1) && gf_gpu_axis_on(b->job, 2) && b->job->n_out == 1 &&
           out->kind == GF_COMPLEX && gf_gpu_chains_planes(b->p, b->n);
}

/* Makes the last complex pass store the output; false if later passes do. */
static bool stores_output(const struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap) {
    const struct gf_job *job = b->job;
    const struct gf_output *out = &job->out[0];
    const bool real = gf_job_is_real(job), plain = !real || (job->real && out->kind == GF_REAL);
    const bool known = !gf_output_is_full(out) && !gf_output_samples(job, 0);
    if (sample_fused(b) && plain && known) {
        ap->store = STORE_SAMPLE;
        ap->sample = out;
        return true;
    }
    /* half spectra of real lines too long to be folded or paired */
    if (ap->axis == b->half && b->dir > 0 && half_output(b)) {
        ap->store = STORE_HALVES;
        return true;
    }
    return job->n_out == 1 && out->kind == GF_COMPLEX && !out->shift && !real &&
           !gf_gpu_job_transposes(job, GF_FORWARD) &&
           (int)gf_dtype_size(out->dtype) == b->complex_bytes;
}

/* For complex numbers, or reals treated as such. */
static int plan_complex(struct gf_gpu_plan_builder *b) {
    const struct gf_job *job = b->job;
    struct gf_gpu_space src, dst;
    int last = -1, rc = 0, load = LOAD_COMPLEX;
    bool complex_in = gf_dtype_is_complex(job->in_dtype), done = false;
    src = gf_gpu_array_space(b->job, -1);
    const bool transposes = gf_gpu_job_transposes(job, GF_INVERSE);
    bool plain_in =
        b->axes && !job->luma && !job->in_shift && !job->in_half && !job->real && !transposes;
    if (plain_in && !complex_in) {
        load = LOAD_REAL;
    } else if (!plain_in || (int)gf_dtype_size(job->in_dtype) != b->complex_bytes) {
        src = gf_gpu_full_planes(b, GF_GPU_A, b->complex_bytes);
        gf_gpu_reserve(b->p, &src);
        rc = transposes ? gf_gpu_add_transpose(b->p, &src)
                        : gf_gpu_add_load(b->p, &src, false, false);
    }
    const int joined = b->left[0] * b->left[1];
    const bool rows = joined == 1 && rows_before_columns(b);
    const int order[3] = {0, rows ? 2 : 1, rows ? 1 : 2};
    for (int i = 0; i < 3; i++)
        last = gf_gpu_axis_on(b->job, order[i]) ? order[i] : last;
    dst = src;
    for (int i = 0; i < 3 && !rc; i++) {
        const int axis = order[i];
        if (!gf_gpu_axis_on(b->job, axis))
            continue;
        struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, axis);
        ap.sorts = i == 0 && joined > 1;
        ap.load = load;
        load = LOAD_COMPLEX;
        dst = gf_gpu_full_planes(b, GF_GPU_A, b->complex_bytes);
        done = axis == last && stores_output(b, &ap);
        if (done && joined > 1 && ap.store == STORE_SAMPLE)
            return gf_fail(GF_EUNSUPP, "joined rows are written as complex numbers");
        if (done)
            dst = gf_gpu_array_space(b->job, 0);
        if (done)
            gf_gpu_scale_last(b, &ap);
        rc = gf_gpu_add_axis(b, &ap, &src, &dst, false);
        src = dst;
    }
    return rc || done ? rc : gf_gpu_add_outputs(b, &src, false, false);
}

/* True if the lines of a single axis, too long for a tile, can be folded and split into parts. */
static bool folds_in_parts(struct gf_gpu_plan_builder *b) {
    struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, b->half);
    struct gf_gpu_space half = gf_gpu_half_planes(b, GF_GPU_A, false),
                        full = gf_gpu_full_planes(b, GF_GPU_B, b->real_bytes);
    const bool forward = b->dir > 0;
    if (b->n[b->half] % 2 || b->job->op != GF_FFT)
        return false;
    gf_gpu_fold_line(&ap);
    return gf_gpu_fits(b, &ap, forward ? &full : &half, forward ? &half : &full, true);
}

/* True if reals must be treated as complex: packing requires the halved axis in one tile. */
static bool must_widen(struct gf_gpu_plan_builder *b) {
    if (!gf_job_is_real(b->job))
        return false;
    if (b->half < 0 || b->n[b->half] == 1 || !b->axes)
        return true;
    struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, b->half);
    struct gf_gpu_space s = gf_gpu_half_planes(b, GF_GPU_A, false),
                        packed = gf_gpu_half_planes(b, GF_GPU_B, true);
    if (b->axes == 1) {
        ap.pair_axis = gf_gpu_partner_axis(b);
        ap.load = LOAD_TWO_HALVES;
        ap.store = STORE_PAIR;
        ap.out_type = GF_F32;
        bool back = b->dir < 0 || b->job->op == GF_FILTER;
        if (back && !gf_gpu_fits(b, &ap, &s, &s, false))
            return !(b->in_parts = folds_in_parts(b));
        if (b->dir < 0)
            return false;
        gf_gpu_set_lines(b, &ap);
        return !gf_gpu_fits(b, &ap, &s, &s, false) && !(b->in_parts = folds_in_parts(b));
    }
    ap.mirror_axis = gf_gpu_mirror_axis(b);
    ap.load = LOAD_HERMITIAN;
    ap.store = STORE_TANGLE;
    bool back = b->dir < 0 || b->job->op == GF_FILTER;
    return back && !gf_gpu_fits(b, &ap, &s, &packed, false);
}

/* Replaces the last work buffer by the output if the last pass could run in place, but not if the
 * output has gaps, which may hold input. */
static void share_output(struct gf_gpu_plan *p) {
    struct gf_gpu_pass *last = &p->pass[p->n_passes - 1];
    enum gf_gpu_buffer_id from = last->buffer[0];
    const struct pass_args *a = &last->args.pass;
    if (last->kind != GF_GPU_PASS_AXIS || last->load != LOAD_COMPLEX ||
        last->store != STORE_COMPLEX || last->buffer[1] != GF_GPU_OUT ||
        (from != GF_GPU_A && from != GF_GPU_B) || p->bytes[from] > p->bytes[GF_GPU_OUT] ||
        a->in_point != a->out_point || p->job.out_pitch)
        return;
    for (int i = 0; i < 5; i++)
        if (a->index[i].in != a->index[i].out)
            return;
    for (int i = 0; i < p->n_passes; i++)
        for (int j = 0; j < p->pass[i].n_buffers; j++)
            if (p->pass[i].buffer[j] == from)
                p->pass[i].buffer[j] = GF_GPU_OUT;
    p->bytes[from] = 0;
}

static bool needs_double(const struct gf_job *job) {
    bool is_double =
        job->precision == GF_DOUBLE || job->in_dtype == GF_F64 || job->in_dtype == GF_C128;
    for (int i = 0; i < job->n_out; i++)
        is_double |= job->out[i].dtype == GF_F64 || job->out[i].dtype == GF_C128;
    return is_double;
}

/* The axis whose last radix, 2, can be done by the pass along the last axis; -1: none. */
static int across_axis(const struct gf_gpu_plan_builder *b) {
    int last = -1, before = -1;
    for (int axis = 0; axis < 3; axis++)
        if (gf_gpu_axis_on(b->job, axis)) {
            before = last;
            last = axis;
        }
    const bool real = gf_job_is_real(b->job) && !b->widen;
    if (b->job->op != GF_FFT || before < 0 || before != last - 1 || (real && b->dir < 0) ||
        b->p->general || b->p->props.plain)
        return -1;
    const int64_t n = b->n[before];
    return n % 2 == 0 && n > 2 && gf_gpu_has_codelets(n) && gf_gpu_has_codelets(b->n[last]) ? before
                                                                                            : -1;
}

/* True if the pass along x can do the radices deferred by z and y. */
static bool can_join_rows(const struct gf_gpu_plan_builder *b) {
    bool can = b->job->op == GF_FFT && (b->widen || !gf_job_is_real(b->job)) && !b->p->general &&
               !b->p->props.plain && gf_gpu_axis_on(b->job, 2) && gf_gpu_has_codelets(b->n[2]);
    for (int axis = 0; axis < 2; axis++)
        can = can && gf_gpu_axis_on(b->job, axis) && b->n[axis] % b->left[axis] == 0 &&
              b->n[axis] > b->left[axis] && gf_gpu_has_codelets(b->n[axis]);
    return can;
}

static int finish(struct gf_gpu_plan *p) {
    gf_gpu_size_buffers(p);
    if (p->job.op != GF_DWT)
        share_output(p);
    const int rc = gf_gpu_plan_chains(p);
    return rc ? rc : p->tables.failed;
}

/* How passes are chosen. */
struct way {
    bool general, across;
    int left[2]; /* like the builder's, but 0 means 1 */
};

static int make(const struct gf_job *job, const struct gf_gpu_props *props, const struct way *way,
                struct gf_gpu_choices *choices, struct gf_gpu_plan **out) {
    *out = NULL;
    if (needs_double(job) && !props->fp64)
        return gf_fail(GF_EUNABLE, "%s has no double precision; --backend=openmp has it",
                       props->name);
    struct gf_gpu_plan *p = calloc(1, sizeof *p);
    if (!p)
        return gf_no_memory();
    p->job = *job;
    p->props = *props;
    p->general = way->general;
    p->choices = choices;
    bool is_double = job->precision == GF_DOUBLE;
    struct gf_gpu_plan_builder b = {.p = p,
                                    .job = &p->job,
                                    .n = {1, 1, 1, job->luma ? 1 : job->channels},
                                    .half = -1,
                                    .across = -1,
                                    .left = {1, 1},
                                    .dir = job->direction == GF_FORWARD ? 1 : -1,
                                    .complex_bytes = is_double ? 16 : 8,
                                    .real_bytes = is_double ? 8 : 4};
    for (int i = 0; i < job->ndim; i++)
        b.n[gf_work_axis(job, i)] = job->shape[i];
    const bool filters_part = job->op == GF_FILTER && job->whole.axes;
    if (gf_job_half_axis(job) >= 0 && !filters_part)
        b.half = gf_work_axis(job, gf_job_half_axis(job));
    for (int axis = 0; axis < 3; axis++)
        b.axes += gf_gpu_axis_on(job, axis);
    int rc;
    b.widen = job->op != GF_DWT && must_widen(&b);
    for (int axis = 0; axis < 2; axis++)
        b.left[axis] = way->left[axis] ? way->left[axis] : 1;
    if (way->across)
        b.across = across_axis(&b);
    if ((way->across && b.across < 0) || (b.left[0] * b.left[1] > 1 && !can_join_rows(&b)))
        rc = gf_fail(GF_EUNSUPP, "no pass can do the last radix of the axis before its own");
    else if (job->op == GF_FILTER)
        rc = gf_gpu_filter_job(&b);
    else if (job->op == GF_DWT)
        rc = gf_gpu_dwt_make(p);
    else if (b.widen || !gf_job_is_real(job))
        rc = plan_complex(&b);
    else if (b.axes == 1)
        rc = b.dir > 0 ? lines_forward(&b) : lines_inverse(&b);
    else
        rc = b.dir > 0 ? forward_real(&b) : inverse_real(&b);
    if (!rc)
        rc = finish(p);
    p->choices = NULL;
    if (rc) {
        gf_gpu_plan_free(p);
        return rc;
    }
    p->bytes[GF_GPU_TABLES] = (p->tables.count + 1) * b.complex_bytes;
    gf_gpu_size_order(p);
    *out = p;
    return 0;
}

double gf_gpu_plan_cost(const struct gf_gpu_plan *p) {
    double cost = 0;
    for (int i = 0; i < p->n_passes; i++)
        cost += p->pass[i].cost;
    return cost;
}

/* Required cost, relative to the usual plan, if the row pass does a radix of other axes. On the GPU
 * to which costs are fitted, estimates promised up to 5% more than was gained across columns, and
 * less than was gained by joined rows (3 to 4% less in double precision). For pictures with an
 * automatic range and columns of 1024 points or more, 2.2 to 6% were promised on an NVIDIA H100 and
 * 1 to 15% gained. */
static const double clearly_across[] = {0.885, 0.96}, sampled_across = 0.978,
                    clearly_joined[] = {[GF_SINGLE] = 0.98, [GF_DOUBLE] = 1.01};

/* Shorter columns than 2048 points fill a tile with 64-byte segments and seldom gained. */
static bool has_columns(const struct gf_job *job, int64_t longer) {
    for (int i = 0; i + 1 < job->ndim; i++)
        if (job->axes >> i & 1 && job->shape[i] > longer)
            return true;
    return false;
}

/* The same for a volume, with 128-byte segments. */
static bool has_high_columns(const struct gf_job *job) {
    const int64_t high = job->precision == GF_DOUBLE ? 256 : 512;
    return job->ndim == 3 && (job->shape[0] > high || job->shape[1] > high);
}

/* Ways by name; scripts may name those before GENERAL. */
enum { USUAL, ACROSS, JOINED, WAYS = JOINED + 5, GENERAL = WAYS };
static const struct {
    const char *name;
    struct way way;
} ways[] = {
    {"usual", {.general = false}}, {"across", {.across = true}},   {"left4x2", {.left = {4, 2}}},
    {"left2x2", {.left = {2, 2}}}, {"left4x1", {.left = {4, 1}}},  {"left8x1", {.left = {8, 1}}},
    {"left1x4", {.left = {1, 4}}}, {"general", {.general = true}},
};

/* GENERAL if the name is none of the others. */
static int way_of(const char *name) {
    int way = 0;
    while (way < GENERAL && strcmp(name, ways[way].name))
        way++;
    return way;
}

/* Replaces *plan if this way costs less than *limit, and lowers *limit to that cost. */
static void consider(const struct gf_job *job, const struct gf_gpu_props *props, int way,
                     double *limit, struct gf_gpu_plan **plan, int *taken) {
    struct gf_gpu_plan *other;
    if (make(job, props, &ways[way].way, NULL, &other))
        return;
    const bool gains = gf_gpu_plan_cost(other) < *limit;
    if (gains) {
        *limit = gf_gpu_plan_cost(other);
        *taken = way;
    }
    gf_gpu_plan_free(gains ? *plan : other);
    *plan = gains ? other : *plan;
}

static int make_cheapest(const struct gf_job *job, const struct gf_gpu_props *props,
                         struct gf_gpu_plan **plan, int *way) {
    *way = USUAL;
    int rc = make(job, props, &ways[USUAL].way, NULL, plan);
    if (rc || props->is_cpu || job->op != GF_FFT)
        return rc;
    const double usual = gf_gpu_plan_cost(*plan);
    const bool sampled = job->ndim == 2 && gf_job_samples(job);
    const bool is_long = has_columns(job, 2048);
    double across = (sampled ? sampled_across : clearly_across[is_long]) * usual;
    const bool complex = !gf_job_is_real(job) && job->precision == GF_SINGLE;
    if (sampled || is_long || (complex && has_columns(job, 1024)))
        consider(job, props, ACROSS, &across, plan, way);
    double joined =
        *way == ACROSS ? gf_gpu_plan_cost(*plan) : clearly_joined[job->precision] * usual;
    for (int i = JOINED; i < WAYS && has_high_columns(job); i++)
        consider(job, props, i, &joined, plan, way);
    return 0;
}

int gf_gpu_plan_make(const struct gf_job *job, const struct gf_gpu_props *props,
                     struct gf_gpu_plan **plan) {
    int way;
    return make_cheapest(job, props, plan, &way);
}

int gf_gpu_plan_make_chosen(const struct gf_job *job, const struct gf_gpu_props *props,
                            struct gf_gpu_choices *choices, struct gf_gpu_plan **plan) {
    char name[GF_GPU_NAME];
    int way = 0, rc = 0;
    *plan = NULL;
    gf_gpu_script_word(choices->script, 0, name);
    if (!name[0]) {
        rc = make_cheapest(job, props, plan, &way);
        if (!rc)
            gf_gpu_plan_free(*plan);
    }
    if (name[0])
        way = way_of(name);
    if (rc || way >= WAYS)
        return rc ? rc : gf_fail(GF_EUNSUPP, "a plan has no alternative '%s'", name);
    choices->n = 1;
    strcpy(choices->taken[0], ways[way].name);
    choices->next[0][0] = 0;
    return make(job, props, &ways[way].way, choices, plan);
}

int gf_gpu_plan_make_way(const struct gf_job *job, const struct gf_gpu_props *props,
                         const char *name, struct gf_gpu_plan **plan) {
    return make(job, props, &ways[way_of(name)].way, NULL, plan);
}

const char *gf_gpu_plan_way(int i) {
    return i < WAYS ? ways[i].name : NULL;
}

void gf_gpu_plan_free(struct gf_gpu_plan *p) {
    if (p)
        gf_gpu_tables_free(&p->tables);
    free(p);
}
