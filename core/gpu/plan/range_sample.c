/* The passes that find an automatic display range. */
#include "core/gpu/plan/range_sample.h"

#include <stdlib.h>

#include "core/base/range_sample.h"
#include "core/base/status.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/tables.h"

static int64_t size_of(const struct gf_gpu_choice *c) {
    return c->axis ? c->axis->count : c->count;
}

/* Elements that four choices, in the kernels' order, make of a space. */
static int set_elements(struct gf_gpu_plan *p, const struct gf_gpu_choice choice[4],
                        const struct gf_gpu_space *space, struct sample_args *a) {
    int rc = 0;
    a->count = 1;
    for (int i = 0; i < 4 && !rc; i++) {
        const struct gf_gpu_choice *c = &choice[i];
        int64_t count = size_of(c);
        double *v = malloc((size_t)count * sizeof *v);
        for (int64_t k = 0; k < count && v; k++)
            v[k] = (double)(c->axis ? c->axis->index[k] : k);
        a->extent[i] = count;
        a->count *= count;
        a->stride[i] = space->stride[gf_gpu_sample_axis(i)];
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
int gf_gpu_add_quantiles(struct gf_gpu_plan *p, int output, const struct gf_range_sample *s,
                         const struct gf_gpu_choice choice[4], const struct gf_gpu_space *space,
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
    struct gf_gpu_choice choice[4];
    int rc = gf_range_sample_make(&p->job, &s);
    if (rc)
        return rc;
    for (int i = 0; i < 4; i++)
        choice[i] = (struct gf_gpu_choice){.axis = &s.axis[gf_gpu_sample_axis(i)]};
    rc = gf_gpu_add_quantiles(p, output, &s, choice, work, GF_GPU_FOUND);
    gf_range_sample_free(&s);
    return rc;
}

int gf_gpu_add_lines(struct gf_gpu_plan *p, const struct gf_gpu_choice choice[4],
                     const struct gf_gpu_space *from, const struct gf_gpu_space *to) {
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_SAMPLE, "range_sample.cl", "range_lines");
    struct sample_args a = {.kind = 0};
    int rc = pass ? set_elements(p, choice, from, &a) : GF_EUNSUPP;
    if (rc)
        return rc;
    set_groups(pass, &a);
    gf_gpu_set_buffers(pass, 3,
                       (enum gf_gpu_buffer_id[]){from->buffer_id, to->buffer_id, GF_GPU_ORDER});
    snprintf(pass->summary.what, sizeof pass->summary.what, "range: lines of the sample");
    pass->summary.bytes_read = pass->summary.bytes_written = a.count * from->element;
    reserve(p, to->buffer_id, gf_gpu_space_bytes(to));
    pass->summary.part = true;
    pass->cost = (double)(2 * pass->summary.bytes_read) / 0.6;
    return 0;
}
