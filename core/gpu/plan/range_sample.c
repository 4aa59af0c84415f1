/* The automatic display range of a work buffer, in separate passes or in the pass that writes the
 * display. */

#include <stdlib.h>

#include "core/base/value/status.h"
#include "core/gpu/plan/pass_builder.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/tables.h"

/* Copies v to the plan's integers and frees it. NULL means that it could not be allocated. */
static int64_t keep(struct gf_gpu_plan *p, double *v, int64_t count) {
    const int64_t at = v && !p->trial ? gf_gpu_table_integers(&p->tables, v, count) : 0;
    if (!v)
        p->tables.failed = gf_no_memory();
    free(v);
    return at;
}

/* Adds the first `count` sampled indices of an axis (NULL: 0 to count - 1). */
static int64_t range_list(struct gf_gpu_plan *p, const struct gf_range_axis *axis, int64_t count) {
    double *v = malloc((size_t)count * sizeof *v);
    for (int64_t k = 0; k < count && v; k++)
        v[k] = (double)(axis ? axis->index[k] : k);
    return keep(p, v, count);
}

/* Adds, for each coordinate of an axis of n, its bin, or -1. */
static int64_t range_bins(struct gf_gpu_plan *p, const struct gf_range_axis *axis, int64_t n) {
    double *v = malloc((size_t)n * sizeof *v);
    for (int64_t k = 0; k < n && v; k++)
        v[k] = -1;
    for (int k = 0; k < axis->count && v; k++)
        v[axis->index[k]] = k;
    return keep(p, v, n);
}

/* Sets the sample's bins in a space; the kernel orders axes x, y, z, channels. */
static void set_elements(struct gf_gpu_plan *p, const struct gf_range_sample *s,
                         const struct gf_gpu_space *space, struct sample_args *a) {
    a->count = s->count;
    for (int i = 0; i < 4; i++) {
        const int axis = i < 3 ? 2 - i : 3;
        a->extent[i] = s->axis[axis].count;
        a->stride[i] = space->stride[axis];
        a->index[i] = range_list(p, &s->axis[axis], s->axis[axis].count);
    }
}

/* Upper bound for QUANTILE_WORDS of kernels/quantiles.h. */
static int64_t quantile_words(int threads) {
    return 3 * SAMPLE_SUMS + 4 * threads + 8;
}

static void set_groups(struct gf_gpu_pass *pass, const struct sample_args *a) {
    pass->args.sample = *a;
    gf_gpu_set_launch(pass, gf_divide_up(a->count, GROUP), GROUP, 0, sizeof *a);
}

/* Appends the last step, from the keys of all bins in GF_GPU_FOUND to the output's parameters.
 * GF_EUNSUPP: too many passes; GF_ENOMEM. */
static int add_quantiles(struct gf_gpu_plan *p, int output, const struct gf_range_sample *s) {
    enum { MOST = 1024 };
    const enum gf_kind kind = p->job.out[output].kind;
    int threads = p->props.is_cpu && !p->props.plain ? 1 : GROUP;
    while (threads < MOST && 2 * threads <= p->props.max_group && !p->props.is_cpu)
        threads *= 2;
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_SELECT, "range_sample.cl", "range_select");
    double *v = malloc((size_t)s->count * sizeof *v);
    for (int64_t k = 0; k < s->count && v; k++)
        v[k] = s->weight[k];
    const int64_t weight = keep(p, v, s->count), bytes = s->count * (int64_t)sizeof(uint32_t);
    if (!pass)
        return GF_EUNSUPP;
    set_groups(pass, &(struct sample_args){.count = s->count,
                                           .weight = weight,
                                           .kind = kind,
                                           .params = output * GF_GPU_PARAMS_EACH});
    gf_gpu_option(pass, "-DKIND=%d -DTHREADS=%d", (int)kind, threads);
    GF_GPU_BUFFERS(pass, GF_GPU_FOUND, GF_GPU_PARAMS, GF_GPU_ORDER);
    p->bytes[GF_GPU_FOUND] = gf_max(p->bytes[GF_GPU_FOUND], bytes);
    gf_gpu_set_launch(pass, 1, threads, quantile_words(threads) * (int64_t)sizeof(uint32_t),
                      sizeof pass->args.sample);
    pass->cost = gf_gpu_launch_cost(&p->props);
    pass->unlisted = true;
    return 0;
}

/* Adds the passes that compute the keys of the sample's bins and find the range. */
static int add_search(struct gf_gpu_plan *p, int output, const struct gf_range_sample *s,
                      const struct gf_gpu_space *space) {
    const struct gf_job *job = &p->job;
    struct gf_gpu_pass *pass =
        gf_gpu_next_pass(p, GF_GPU_PASS_SAMPLE, "range_sample.cl", "range_gather");
    struct sample_args a = {.kind = job->out[output].kind, .params = output * GF_GPU_PARAMS_EACH};
    if (!pass)
        return GF_EUNSUPP;
    set_elements(p, s, space, &a);
    set_groups(pass, &a);
    gf_gpu_option(pass, "-DKIND=%d", (int)a.kind);
    GF_GPU_BUFFERS(pass, space->buffer_id, GF_GPU_FOUND, GF_GPU_PARAMS, GF_GPU_ORDER);
    snprintf(pass->summary.what, sizeof pass->summary.what, "range: %lld bins of %s",
             (long long)s->count, gf_kind_name(job->out[output].kind));
    pass->summary.bytes_read = s->count * space->element;
    pass->summary.bytes_written = s->count * (int64_t)sizeof(uint32_t);
    pass->summary.part = true;
    pass->cost = (double)pass->summary.bytes_read / 0.1;
    const int rc = add_quantiles(p, output, s);
    /* Plans that use a vendor's transform are not completed by gf_gpu_plan_make(). */
    gf_gpu_size_order(p);
    return rc ? rc : p->tables.failed;
}

int gf_gpu_add_range_sample(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work) {
    struct gf_range_sample s;
    int rc = gf_range_sample_make(&p->job, &s);
    if (!rc) {
        rc = add_search(p, output, &s, work);
        gf_range_sample_free(&s);
    }
    return rc;
}

/* ---- the pass over the lines of the sample ---- */

/* Sets the indices that select a line and the bins along it. All parts of a split axis are
 * included. */
static void set_lines(struct gf_gpu_pass_builder *b, const int64_t stride[4]) {
    const struct gf_range_sample *s = b->ap->range;
    struct sample_lines *a = &b->args.sample;
    a->stride_along = stride[b->ap->axis];
    a->bins = range_bins(b->p, &s->axis[b->ap->axis], b->args.axis_size);
    for (int i = 0; i < 5; i++) {
        const bool used = i < b->n && b->axis[i] < 4;
        const struct gf_range_axis *axis = used ? &s->axis[b->axis[i]] : NULL;
        a->count[i] = !used                    ? (i < b->n ? b->args.index[i].count : 1)
                      : i == b->args.own_index ? axis->count / 2 + 1
                                               : axis->count;
        a->size[i] = used && b->args.index[i].size ? axis->count : 0;
        a->stride[i] = used ? stride[b->axis[i]] : 0;
        a->list[i] = range_list(b->p, axis, used ? axis->count : a->count[i]);
    }
}

void gf_gpu_range_args(struct gf_gpu_pass_builder *b, struct gf_gpu_tile *tile) {
    const struct gf_range_sample *s = b->ap->range;
    struct sample_lines *a = &b->args.sample;
    int64_t stride[4] = {[2] = 1};
    stride[1] = s->axis[2].count;
    stride[0] = stride[1] * s->axis[1].count;
    stride[3] = stride[0] * s->axis[0].count;
    set_lines(b, stride);
    a->tiles = gf_divide_up(a->count[0], tile->lines);
    for (int i = 1; i < 5; i++)
        a->tiles *= a->count[i];
    tile->resident = tile->bound = 1; /* there are few groups, so each may use more registers */
}

int gf_gpu_range_pass(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass) {
    struct gf_pass_info *info = &pass->summary;
    const double share = (double)b->args.sample.tiles * pass->tile.lines / b->lines;
    pass->buffer[1] = GF_GPU_FOUND;
    pass->groups = b->args.sample.tiles;
    snprintf(info->what, sizeof info->what, "range: %lld bins of %s",
             (long long)b->ap->range->count, gf_kind_name(b->ap->sample->kind));
    info->bytes_read = (int64_t)(b->read * share);
    info->bytes_written = b->ap->range->count * (int64_t)sizeof(uint32_t);
    info->part = true;
    pass->cost = gf_gpu_launch_cost(&b->p->props) + share * pass->cost;
    return add_quantiles(b->p, b->ap->output, b->ap->range);
}
