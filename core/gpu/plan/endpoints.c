/* First and last passes of a job's transforms: spaces, sources and sinks. */

#include "core/gpu/plan/endpoints.h"

/* ---- spaces ---- */

struct gf_gpu_space gf_gpu_full_planes(const struct gf_gpu_plan_builder *b,
                                       enum gf_gpu_buffer_id buffer_id, int element) {
    return gf_gpu_planes(buffer_id, b->n, element);
}

struct gf_gpu_space gf_gpu_half_planes(const struct gf_gpu_plan_builder *b,
                                       enum gf_gpu_buffer_id buffer_id, bool packed) {
    int64_t extent[4];
    memcpy(extent, b->n, sizeof extent);
    extent[b->half] = packed ? (extent[b->half] + 1) / 2 : extent[b->half] / 2 + 1;
    return gf_gpu_planes(buffer_id, extent, b->complex_bytes);
}

/* ---- passes ---- */

struct gf_gpu_axis_pass gf_gpu_axis_pass_along(const struct gf_gpu_plan_builder *b, int axis) {
    return (struct gf_gpu_axis_pass){.axis = axis,
                                     .before = {1, 1},
                                     .after = 1,
                                     .dir = b->dir,
                                     .sense = b->dir,
                                     .load = LOAD_COMPLEX,
                                     .store = STORE_COMPLEX,
                                     .in_type = b->job->in_dtype,
                                     .out_type = b->job->out[0].dtype,
                                     .output = -1,
                                     .pair_axis = -1,
                                     .mirror_axis = -1,
                                     .left = {b->left[0], b->left[1]},
                                     .leaves_radix = axis == b->across,
                                     .across_axis =
                                         b->across >= 0 && axis > b->across ? b->across : -1};
}

int gf_gpu_mirror_axis(const struct gf_gpu_plan_builder *b) {
    for (int axis = 2; axis >= 0; axis--)
        if (axis != b->half && gf_gpu_axis_on(b->job, axis))
            return axis;
    return -1;
}

/* Chooses the longest axis. */
int gf_gpu_partner_axis(const struct gf_gpu_plan_builder *b) {
    int best = -1;
    for (int axis = 0; axis < 4; axis++)
        if (axis != b->half && (best < 0 || b->n[axis] > b->n[best]))
            best = axis;
    return best;
}

void gf_gpu_fold_line(struct gf_gpu_axis_pass *ap) {
    ap->fold = true;
    ap->load = ap->dir > 0 ? LOAD_PAIR : LOAD_ROW_HALVES;
    ap->store = ap->dir > 0 ? STORE_ROW_HALVES : STORE_PAIR;
    ap->pair_axis = -1;
}

/* Two real lines form a complex one. For long lines or a single one of even length, adjacent
 * samples form a complex number instead: half the tile, but a costlier store. */
void gf_gpu_set_lines(const struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap) {
    enum { LONG = 4096 };
    int64_t n = b->n[b->half];
    int partner = gf_gpu_partner_axis(b);
    ap->load = LOAD_PAIR;
    ap->fold = n % 2 == 0 && n > 2 && (n >= LONG || b->n[partner] == 1);
    ap->store = ap->fold ? STORE_ROW_HALVES : STORE_TWO_HALVES;
    ap->pair_axis = ap->fold ? -1 : partner;
}

/* ---- sources and sinks ---- */

bool gf_gpu_fused_type(enum gf_dtype t) {
    return t == GF_U8 || t == GF_I8 || t == GF_U16 || t == GF_I16 || t == GF_F32 || t == GF_F64;
}

void gf_gpu_scale_last(const struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap) {
    ap->scaled = gf_job_scale(b->job) != 1;
    ap->output = 0;
}

int gf_gpu_add_outputs(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *work, bool real,
                       bool half) {
    if (gf_gpu_job_transposes(b->job, GF_FORWARD))
        return gf_gpu_add_transpose(b->p, work);
    for (int i = 0; i < b->job->n_out; i++) {
        int rc = 0;
        if (gf_output_samples(b->job, i))
            rc = gf_gpu_add_range_sample(b->p, i, work);
        else if (gf_output_is_full(&b->job->out[i]))
            rc = gf_gpu_add_range(b->p, i, work, real, -1);
        if (!rc)
            rc = gf_gpu_add_store(b->p, i, work, real, half);
        if (rc)
            return rc;
    }
    return 0;
}

int gf_gpu_real_source(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *first,
                       struct gf_gpu_space *src) {
    const struct gf_job *job = b->job;
    *src = gf_gpu_array_space(b->job, -1);
    if (!job->luma)
        return 0;
    *src = gf_gpu_full_planes(b, GF_GPU_A, b->real_bytes);
    gf_gpu_reserve(b->p, src);
    first->in_type = gf_dtype_real(gf_job_number(job));
    return gf_gpu_add_load(b->p, src, true, false);
}

bool gf_gpu_real_sink(struct gf_gpu_plan_builder *b, struct gf_gpu_axis_pass *ap,
                      struct gf_gpu_space *dst) {
    const struct gf_output *out = &b->job->out[0];
    ap->store = STORE_PAIR;
    if (b->job->n_out == 1 && out->kind == GF_REAL && gf_gpu_fused_type(out->dtype) &&
        !gf_output_is_display(out)) {
        *dst = gf_gpu_array_space(b->job, 0);
        gf_gpu_scale_last(b, ap);
        return true;
    }
    ap->out_type = gf_dtype_real(gf_job_number(b->job));
    *dst = gf_gpu_full_planes(b, GF_GPU_A, b->real_bytes);
    return false;
}

/* ---- passes shared by FFTs and filters ---- */

int gf_gpu_packed_forward(struct gf_gpu_plan_builder *b, struct gf_gpu_space *to) {
    struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, gf_gpu_mirror_axis(b));
    struct gf_gpu_space src;
    int rc = gf_gpu_real_source(b, &ap, &src);
    enum gf_dtype in_type = ap.in_type;
    bool first = true;
    for (int axis = 0; axis < 3 && !rc; axis++) {
        if (axis == b->half || !gf_gpu_axis_on(b->job, axis))
            continue;
        ap = gf_gpu_axis_pass_along(b, axis);
        if (first) {
            ap.load = LOAD_PAIR;
            ap.pair_axis = b->half;
            ap.in_type = in_type;
        }
        *to = gf_gpu_half_planes(b, GF_GPU_A, true);
        rc = gf_gpu_add_axis(b, &ap, &src, to, false);
        src = *to;
        first = false;
    }
    return rc;
}

int gf_gpu_packed_halves(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *halves,
                         struct gf_gpu_space *to) {
    struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, b->half);
    ap.load = LOAD_HERMITIAN;
    ap.store = STORE_TANGLE;
    ap.mirror_axis = gf_gpu_mirror_axis(b);
    *to = gf_gpu_half_planes(b, GF_GPU_A, true);
    return gf_gpu_add_axis(b, &ap, halves, to, true);
}

int gf_gpu_packed_back(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *packed) {
    struct gf_gpu_space src, dst = *packed;
    int last = gf_gpu_mirror_axis(b), rc = 0;
    bool done = false;
    for (int axis = 0; axis < 3 && !rc; axis++) {
        if (axis == b->half || !gf_gpu_axis_on(b->job, axis))
            continue;
        src = dst;
        struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, axis);
        dst = gf_gpu_half_planes(b, GF_GPU_A, true);
        if (axis == last) {
            done = gf_gpu_real_sink(b, &ap, &dst);
            ap.pair_axis = b->half;
        }
        rc = gf_gpu_add_axis(b, &ap, &src, &dst, false);
    }
    return rc || done ? rc : gf_gpu_add_outputs(b, &dst, true, false);
}

int gf_gpu_lines_back(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *halves) {
    struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(b, b->half);
    struct gf_gpu_space dst;
    ap.load = LOAD_TWO_HALVES;
    ap.pair_axis = gf_gpu_partner_axis(b);
    if (b->in_parts)
        gf_gpu_fold_line(&ap);
    bool done = gf_gpu_real_sink(b, &ap, &dst);
    int rc = gf_gpu_add_axis(b, &ap, halves, &dst, !b->in_parts);
    return rc || done ? rc : gf_gpu_add_outputs(b, &dst, true, false);
}
