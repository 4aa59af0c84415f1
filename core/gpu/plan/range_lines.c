/* The automatic display range before the last pass: a few of its lines, transformed alone. */
#include "core/gpu/plan/range_lines.h"

#include "core/gpu/plan/axis.h"
#include "core/gpu/plan/endpoints.h"
#include "core/gpu/plan/range_sample.h"

int gf_gpu_add_range_lines(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *packed,
                           bool *done) {
    struct gf_gpu_plan *p = b->p;
    struct gf_gpu_plan_builder few = *b;
    struct gf_range_sample s;
    struct gf_gpu_choice lines[4], bins[4];
    const struct gf_job job = p->job;
    int rc = gf_range_sample_make(&p->job, &s);
    if (rc)
        return rc;
    for (int i = 0; i < 4; i++) {
        int axis = gf_gpu_sample_axis(i), job_axis = gf_gpu_job_axis(&job, axis);
        const struct gf_range_axis *sampled = &s.axis[axis];
        bool whole = axis == b->half;
        lines[i] = (struct gf_gpu_choice){whole ? NULL : sampled, packed->extent[axis]};
        bins[i] = (struct gf_gpu_choice){whole ? sampled : NULL, sampled->count};
        few.n[axis] = whole ? b->n[axis] : sampled->count;
        if (axis < 3 && job_axis >= 0)
            p->job.shape[job_axis] = few.n[axis];
    }
    p->job.channels = few.n[3];
    p->job.luma = false;
    struct gf_gpu_axis_pass ap = gf_gpu_axis_pass_along(&few, b->half);
    ap.load = LOAD_UNTANGLE;
    ap.store = STORE_HALVES;
    ap.mirror_axis = gf_gpu_mirror_axis(&few);
    enum gf_gpu_buffer_id other = packed->buffer_id == GF_GPU_A ? GF_GPU_B : GF_GPU_A;
    struct gf_gpu_space from = gf_gpu_half_planes(&few, other, true);
    struct gf_gpu_space to = gf_gpu_half_planes(&few, GF_GPU_FOUND, false);
    *done = gf_gpu_fits_tile(&few, &ap, &from, &to);
    if (*done) {
        if (p->bytes[GF_GPU_FOUND] < gf_gpu_space_bytes(&to))
            p->bytes[GF_GPU_FOUND] = gf_gpu_space_bytes(&to);
        rc = gf_gpu_add_lines(p, lines, packed, &from);
        if (!rc && !(rc = gf_gpu_add_axis(&few, &ap, &from, &to, true)))
            p->pass[p->n_passes - 1].summary.part = true;
    }
    p->job = job;
    if (*done && !rc)
        rc = gf_gpu_add_quantiles(p, 0, &s, bins, &to, other);
    gf_range_sample_free(&s);
    return rc;
}
