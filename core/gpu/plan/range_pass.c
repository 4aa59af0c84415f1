/* The lines of an automatic display range's sample, as arguments of the pass that takes them first. */
#include "core/gpu/plan/range_pass.h"

#include "core/base/status.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/range_sample.h"

/* The indices that choose a line, and what is along it. */
static int set_lines(struct gf_gpu_pass_builder *b, const int64_t stride[4]) {
    const struct gf_range_sample *s = b->ap->range;
    struct sample_lines *a = &b->args.sample;
    const struct gf_range_axis *along = &s->axis[b->ap->axis];
    a->bins = along->count;
    a->stride_along = stride[b->ap->axis];
    a->list_along = b->p->trial ? 0 : gf_gpu_range_list(b->p, along);
    for (int i = 0; i < 5; i++) { /* of those not in use, the zero alone */
        bool used = i < b->n && b->axis[i] < 4;
        const struct gf_range_axis *axis = used ? &s->axis[b->axis[i]] : along;
        a->count[i] = !used ? 1 : i == b->args.own_index ? axis->count / 2 + 1 : axis->count;
        a->size[i] = used && b->args.index[i].size ? axis->count : 0;
        a->stride[i] = used ? stride[b->axis[i]] : 0;
        a->list[i] = used && !b->p->trial ? gf_gpu_range_list(b->p, axis) : a->list_along;
        if (a->list[i] < 0)
            return GF_ENOMEM;
    }
    return 0;
}

/* How many groups have two tiles: those that start beside the sample's, as far as there are tiles
 * that would start later. */
static int64_t count_pairs(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *tile) {
    const struct gf_gpu_props *props = &b->p->props;
    int64_t tiles = (b->args.index[0].count + tile->lines - 1) / tile->lines;
    for (int i = 1; i < b->n; i++)
        tiles *= b->args.index[i].count;
    const int64_t slots = (int64_t)props->units * tile->resident;
    const int64_t beside = slots - b->args.sample.tiles, later = tiles - beside;
    if (b->general || props->is_cpu || tile->algorithm != GF_GPU_PLAIN || beside < 0 || later < 0)
        return 0;
    return beside < later ? beside : later;
}

int gf_gpu_range_args(struct gf_gpu_pass_builder *b, struct gf_gpu_tile *tile) {
    const struct gf_range_sample *s = b->ap->range;
    struct gf_gpu_plan *p = b->p;
    struct sample_lines *a = &b->args.sample;
    int64_t stride[4] = {[2] = 1};
    stride[1] = s->axis[2].count;
    stride[0] = stride[1] * s->axis[1].count;
    stride[3] = stride[0] * s->axis[0].count;
    int rc = set_lines(b, stride);
    a->all = s->count;
    a->weight = rc || p->trial ? 0 : gf_gpu_range_weights(p, s);
    if (rc || a->weight < 0)
        return GF_ENOMEM;
    a->tiles = (a->count[0] + tile->lines - 1) / tile->lines;
    for (int i = 1; i < 5; i++)
        a->tiles *= a->count[i];
    /* The keys of a tile's bins where its lines were, then a histogram and the largest; and the
     * words of the quantiles over both. */
    const int64_t word = sizeof(uint32_t), keys = tile->lines * b->ap->length;
    a->sums = b->general ? tile->local_bytes / word : (keys + 1) / 2 * 2;
    int64_t words = a->sums + SAMPLE_SUMS + 2;
    if (words < gf_gpu_quantile_words(tile->threads))
        words = gf_gpu_quantile_words(tile->threads);
    if (words < tile->local_bytes / word)
        words = tile->local_bytes / word;
    a->note = (words + 3) / 4 * 4;
    tile->local_bytes = (a->note + SAMPLE_NOTE) * word;
    a->pairs = count_pairs(b, tile);
    a->parked = (SHARED_KEYS + s->count + 3) / 4 * 4;
    const int64_t values = a->pairs * keys, real = b->p->job.precision == GF_DOUBLE ? 8 : 4;
    int64_t bytes = (SHARED + a->parked) * word + values * real;
    if (p->bytes[GF_GPU_CHAIN] < bytes)
        p->bytes[GF_GPU_CHAIN] = bytes;
    return tile->local_bytes > p->props.local_bytes ? GF_EUNSUPP : 0;
}

void gf_gpu_range_describe(const struct gf_gpu_pass_builder *b, struct gf_gpu_pass *pass) {
    const struct sample_lines *a = &b->args.sample;
    struct gf_pass_info *info = &pass->summary;
    double share = (double)a->tiles * pass->tile.lines / b->lines;
    snprintf(info->what, sizeof info->what, "range: %lld bins of %s", (long long)a->all,
             gf_kind_name(b->ap->sample->kind));
    info->bytes_read = (int64_t)(b->read * share);
    info->bytes_written = a->all * (int64_t)sizeof(uint32_t);
    info->part = true;
}

void gf_gpu_share_words(struct gf_gpu_pass *pass) {
    pass->buffer[pass->n_buffers - 1] = GF_GPU_CHAIN;
}

void gf_gpu_clear_shared(struct gf_gpu_pass *before) {
    gf_gpu_share_words(before);
    gf_gpu_option(before, "-DCLEARS=1");
    before->clears = true;
}
