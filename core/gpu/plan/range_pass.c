/* Arguments of the pass over the lines of a display range's sample. */

#include "core/base/status.h"
#include "core/gpu/plan/pass_builder.h"

/* Sets the indices that select a line and the bins along it. All parts of a split axis are
 * included. */
static void set_lines(struct gf_gpu_pass_builder *b, const int64_t stride[4]) {
    const struct gf_range_sample *s = b->ap->range;
    struct sample_lines *a = &b->args.sample;
    a->stride_along = stride[b->ap->axis];
    a->bins = gf_gpu_range_bins(b->p, &s->axis[b->ap->axis], b->args.axis_size);
    for (int i = 0; i < 5; i++) {
        const bool used = i < b->n && b->axis[i] < 4;
        const struct gf_range_axis *axis = used ? &s->axis[b->axis[i]] : NULL;
        a->count[i] = !used                    ? (i < b->n ? b->args.index[i].count : 1)
                      : i == b->args.own_index ? axis->count / 2 + 1
                                               : axis->count;
        a->size[i] = used && b->args.index[i].size ? axis->count : 0;
        a->stride[i] = used ? stride[b->axis[i]] : 0;
        a->list[i] = gf_gpu_range_list(b->p, axis, used ? axis->count : a->count[i]);
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
    tile->resident = 1; /* there are few groups, so each may use more registers */
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
    return gf_gpu_add_quantiles(b->p, b->ap->output, b->ap->range);
}
