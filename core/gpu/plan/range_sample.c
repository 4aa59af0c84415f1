/* The passes that find an automatic display range. */
#include "core/gpu/plan/range_sample.h"

#include <stdlib.h>

#include "core/base/range_sample.h"
#include "core/base/status.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/tables.h"

/* The kernels' order of the axes: x, y, z, channels. */
static int sample_axis(int i) {
    return i < 3 ? 2 - i : 3;
}

/* The indices and weights to the plan's integers. */
static int add_tables(struct gf_gpu_plan *p, const struct gf_range_sample *s,
                      struct sample_args *a) {
    double *v = malloc((size_t)s->count * sizeof *v);
    if (!v)
        return gf_fail(GF_ENOMEM, "no memory for the sample of a display range");
    bool failed = false;
    for (int i = 0; i < 4; i++) {
        const struct gf_range_axis *axis = &s->axis[sample_axis(i)];
        for (int k = 0; k < axis->count; k++)
            v[k] = (double)axis->index[k];
        a->extent[i] = axis->count;
        a->index[i] = gf_gpu_table_integers(&p->tables, v, axis->count);
        failed |= a->index[i] < 0;
    }
    for (int64_t k = 0; k < s->count; k++)
        v[k] = s->weight[k];
    a->weight = gf_gpu_table_integers(&p->tables, v, s->count);
    a->count = s->count;
    p->bytes[GF_GPU_ORDER] = (p->tables.order_count + 1) * (int64_t)sizeof(int32_t);
    free(v);
    return failed || a->weight < 0 ? GF_ENOMEM : 0;
}

static void reserve_found(struct gf_gpu_plan *p, int64_t bytes) {
    if (p->bytes[GF_GPU_FOUND] < bytes)
        p->bytes[GF_GPU_FOUND] = bytes;
}

static int add_select(struct gf_gpu_plan *p, const struct sample_args *args) {
    enum { MOST = 1024, RESULTS = 4 };
    int threads = GROUP;
    while (threads < MOST && 2 * threads <= p->props.max_group && !p->props.is_cpu)
        threads *= 2;
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_SELECT, "range_sample.cl", "range_select");
    if (!pass)
        return GF_EUNSUPP;
    pass->args.sample = *args;
    pass->args_bytes = sizeof *args;
    gf_gpu_option(pass, "-DKIND=%d -DTHREADS=%d", (int)args->kind, threads);
    gf_gpu_set_buffers(pass, 3,
                       (enum gf_gpu_buffer_id[]){GF_GPU_FOUND, GF_GPU_PARAMS, GF_GPU_ORDER});
    pass->group = threads;
    pass->groups = 1;
    pass->local_bytes = pass->kernel.local_bytes =
        (threads + RESULTS + 2 * SAMPLE_DIGITS) * (int64_t)sizeof(uint32_t);
    pass->unlisted = true;
    return 0;
}

int gf_gpu_add_range_sample(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work) {
    const struct gf_job *job = &p->job;
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_SAMPLE, "range_sample.cl", "range_gather");
    struct gf_range_sample s;
    if (!pass)
        return GF_EUNSUPP;
    int rc = gf_range_sample_make(job, &s);
    if (rc)
        return rc;
    struct sample_args *a = &pass->args.sample;
    rc = add_tables(p, &s, a);
    for (int i = 0; i < 4; i++)
        a->stride[i] = work->stride[sample_axis(i)];
    a->kind = job->out[output].kind;
    a->params = output * GF_GPU_PARAMS_EACH;
    gf_gpu_option(pass, "-DKIND=%d", (int)a->kind);
    gf_gpu_set_buffers(
        pass, 4,
        (enum gf_gpu_buffer_id[]){work->buffer_id, GF_GPU_FOUND, GF_GPU_PARAMS, GF_GPU_ORDER});
    reserve_found(p, s.count * (int64_t)sizeof(uint32_t));
    pass->group = GROUP;
    pass->groups = (s.count + GROUP - 1) / GROUP;
    pass->args_bytes = sizeof *a;
    snprintf(pass->summary.what, sizeof pass->summary.what, "range: sample of %lld bins, %s",
             (long long)s.count, gf_kind_name(job->out[output].kind));
    pass->summary.bytes_read = s.count * work->element;
    pass->summary.bytes_written = s.count * (int64_t)sizeof(uint32_t);
    pass->summary.part = true;
    pass->cost = (double)pass->summary.bytes_read / 0.1;
    gf_range_sample_free(&s);
    const struct sample_args args = *a;
    return rc ? rc : add_select(p, &args);
}
