/* The passes that find an automatic display range. */
#include "core/gpu/plan/range_sample.h"

#include <stdlib.h>

#include "core/base/range_sample.h"
#include "core/base/status.h"
#include "core/gpu/plan/axis.h"
#include "core/gpu/plan/endpoints.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/tables.h"

/* The kernels' order of the axes: x, y, z, channels. */
static int sample_axis(int i) {
    return i < 3 ? 2 - i : 3;
}

/* Which indices of an axis a pass takes: those of the sample; all of `count`. */
struct choice {
    const struct gf_range_axis *axis; /* NULL: all */
    int64_t count;
};

static int64_t size_of(const struct choice *c) {
    return c->axis ? c->axis->count : c->count;
}

/* Elements that four choices, in the kernels' order, make of a space. */
static int set_elements(struct gf_gpu_plan *p, const struct choice choice[4],
                        const struct gf_gpu_space *space, struct sample_args *a) {
    int rc = 0;
    a->count = 1;
    for (int i = 0; i < 4 && !rc; i++) {
        const struct choice *c = &choice[i];
        int64_t count = size_of(c);
        double *v = malloc((size_t)count * sizeof *v);
        for (int64_t k = 0; k < count && v; k++)
            v[k] = (double)(c->axis ? c->axis->index[k] : k);
        a->extent[i] = count;
        a->count *= count;
        a->stride[i] = space->stride[sample_axis(i)];
        a->index[i] = v ? gf_gpu_table_integers(&p->tables, v, count)
                        : gf_fail(GF_ENOMEM, "no memory for a display range");
        rc = a->index[i] < 0 ? GF_ENOMEM : 0;
        free(v);
    }
    p->bytes[GF_GPU_ORDER] = (p->tables.order_count + 1) * (int64_t)sizeof(int32_t);
    return rc;
}

static int64_t add_weights(struct gf_gpu_plan *p, const struct gf_range_sample *s) {
    double *v = malloc((size_t)s->count * sizeof *v);
    for (int64_t k = 0; k < s->count && v; k++)
        v[k] = s->weight[k];
    int64_t at = v ? gf_gpu_table_integers(&p->tables, v, s->count)
                   : gf_fail(GF_ENOMEM, "no memory for a display range");
    p->bytes[GF_GPU_ORDER] = (p->tables.order_count + 1) * (int64_t)sizeof(int32_t);
    free(v);
    return at;
}

static void reserve(struct gf_gpu_plan *p, enum gf_gpu_buffer_id id, int64_t bytes) {
    if (p->bytes[id] < bytes)
        p->bytes[id] = bytes;
}

static void set_groups(struct gf_gpu_pass *pass, const struct sample_args *a) {
    pass->args.sample = *a;
    pass->args_bytes = sizeof *a;
    pass->group = GROUP;
    pass->groups = (a->count + GROUP - 1) / GROUP;
}

static int add_select(struct gf_gpu_plan *p, enum gf_gpu_buffer_id keys,
                      const struct sample_args *args) {
    enum { MOST = 1024, RESULTS = 4 };
    int threads = GROUP;
    while (threads < MOST && 2 * threads <= p->props.max_group && !p->props.is_cpu)
        threads *= 2;
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_SELECT, "range_sample.cl", "range_select");
    if (!pass)
        return GF_EUNSUPP;
    set_groups(pass, args);
    gf_gpu_option(pass, "-DKIND=%d -DTHREADS=%d", (int)args->kind, threads);
    gf_gpu_set_buffers(pass, 3, (enum gf_gpu_buffer_id[]){keys, GF_GPU_PARAMS, GF_GPU_ORDER});
    pass->group = threads;
    pass->groups = 1;
    pass->local_bytes = pass->kernel.local_bytes =
        (threads + RESULTS + 2 * SAMPLE_DIGITS) * (int64_t)sizeof(uint32_t);
    pass->unlisted = true;
    return 0;
}

/* The keys of the bins that the choices make of `space`, and the range from them. */
static int add_quantiles(struct gf_gpu_plan *p, int output, const struct gf_range_sample *s,
                         const struct choice choice[4], const struct gf_gpu_space *space,
                         enum gf_gpu_buffer_id keys) {
    const struct gf_job *job = &p->job;
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_SAMPLE, "range_sample.cl", "range_gather");
    struct sample_args a = {.kind = job->out[output].kind, .params = output * GF_GPU_PARAMS_EACH};
    int rc = pass ? set_elements(p, choice, space, &a) : GF_EUNSUPP;
    a.weight = rc ? -1 : add_weights(p, s);
    if (rc || a.weight < 0)
        return rc ? rc : GF_ENOMEM;
    set_groups(pass, &a);
    gf_gpu_option(pass, "-DKIND=%d", (int)a.kind);
    gf_gpu_set_buffers(
        pass, 4, (enum gf_gpu_buffer_id[]){space->buffer_id, keys, GF_GPU_PARAMS, GF_GPU_ORDER});
    reserve(p, keys, s->count * (int64_t)sizeof(uint32_t));
    snprintf(pass->summary.what, sizeof pass->summary.what, "range: %lld bins of %s",
             (long long)s->count, gf_kind_name(job->out[output].kind));
    pass->summary.bytes_read = s->count * space->element;
    pass->summary.bytes_written = s->count * (int64_t)sizeof(uint32_t);
    pass->summary.part = true;
    pass->cost = (double)pass->summary.bytes_read / 0.1;
    return add_select(p, keys, &a);
}

int gf_gpu_add_range_sample(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work) {
    struct gf_range_sample s;
    struct choice choice[4];
    int rc = gf_range_sample_make(&p->job, &s);
    if (rc)
        return rc;
    for (int i = 0; i < 4; i++)
        choice[i] = (struct choice){.axis = &s.axis[sample_axis(i)]};
    rc = add_quantiles(p, output, &s, choice, work, GF_GPU_FOUND);
    gf_range_sample_free(&s);
    return rc;
}

/* ---- before the last pass ---- */

/* The sampled lines alone, dense; along transformed axes the indices are as far from the two ends as
 * their negatives, so that they mirror each other there as they do in the whole. */
static int add_lines(struct gf_gpu_plan *p, const struct choice choice[4],
                     const struct gf_gpu_space *from, const struct gf_gpu_space *to) {
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_SAMPLE, "range_sample.cl", "range_lines");
    struct sample_args a = {.kind = 0};
    int rc = pass ? set_elements(p, choice, from, &a) : GF_EUNSUPP;
    if (rc)
        return rc;
    set_groups(pass, &a);
    gf_gpu_set_buffers(
        pass, 3, (enum gf_gpu_buffer_id[]){from->buffer_id, to->buffer_id, GF_GPU_ORDER});
    snprintf(pass->summary.what, sizeof pass->summary.what, "range: lines of the sample");
    pass->summary.bytes_read = pass->summary.bytes_written = a.count * from->element;
    pass->summary.part = true;
    pass->cost = (double)(2 * pass->summary.bytes_read) / 0.6;
    return 0;
}

int gf_gpu_add_range_lines(struct gf_gpu_plan_builder *b, const struct gf_gpu_space *packed,
                           bool *done) {
    struct gf_gpu_plan *p = b->p;
    struct gf_gpu_plan_builder few = *b;
    struct gf_range_sample s;
    struct choice lines[4], bins[4];
    const struct gf_job job = p->job;
    int rc = gf_range_sample_make(&p->job, &s);
    if (rc)
        return rc;
    for (int i = 0; i < 4; i++) {
        int axis = sample_axis(i), job_axis = gf_gpu_job_axis(&job, axis);
        const struct gf_range_axis *sampled = &s.axis[axis];
        bool whole = axis == b->half;
        lines[i] = (struct choice){whole ? NULL : sampled, packed->extent[axis]};
        bins[i] = (struct choice){whole ? sampled : NULL, sampled->count};
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
        reserve(p, other, gf_gpu_space_bytes(&from));
        reserve(p, GF_GPU_FOUND, gf_gpu_space_bytes(&to));
        rc = add_lines(p, lines, packed, &from);
        if (!rc && !(rc = gf_gpu_add_axis(&few, &ap, &from, &to, true)))
            p->pass[p->n_passes - 1].summary.part = true;
    }
    p->job = job;
    if (*done && !rc)
        rc = add_quantiles(p, 0, &s, bins, &to, other);
    gf_range_sample_free(&s);
    return rc;
}
