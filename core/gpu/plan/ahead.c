/* Passes that prefetch tiles. */
#include "core/gpu/plan/pass_builder.h"

enum { ACCESS = 16 }; /* bytes: kernels/ahead.h */

/* The kernel supports the pass, and a tile's lines are too narrow to fill one access. */
static bool has_small_runs(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    const int64_t run = 2 * b->in_bytes * t->lines;
    return b->p->props.fetches && !b->general && t->algorithm == GF_GPU_PLAIN &&
           ap->load == LOAD_PAIR && !t->rows_in && !t->coalesced_in && !ap->fold && !ap->filtered &&
           !ap->convolution && !gf_gpu_is_part(ap) && t->resident == 1 && run < ACCESS &&
           ACCESS % run == 0;
}

/* Pairs are adjacent and accesses aligned. */
static bool is_aligned(const struct gf_gpu_pass_builder *b, int64_t lines) {
    const struct pass_args *a = &b->args;
    int64_t offsets = a->in_point;
    for (int i = 1; i < b->n; i++)
        offsets |= a->index[i].in; /* its lowest set bit is their common power of two */
    return a->lone < 0 && a->pair_in == 1 && a->index[0].in == 2 &&
           a->index[0].count % lines == 0 && offsets * b->in_bytes % ACCESS == 0;
}

struct gf_gpu_ahead gf_gpu_fetch_ahead(const struct gf_gpu_pass_builder *b,
                                       const struct gf_gpu_tile *t) {
    const struct gf_gpu_ahead none = {.tiles = 0};
    if (!has_small_runs(b, t))
        return none;
    const int64_t tiles = ACCESS / (2 * b->in_bytes * t->lines), units = b->p->props.units;
    const int64_t count = (int64_t)b->lines / t->lines, fetches = count / tiles;
    struct gf_gpu_ahead ahead = {.tiles = (int)tiles,
                                 .at = gf_divide_up(t->local_bytes, ACCESS) * ACCESS};
    ahead.local_bytes = ahead.at + b->ap->length * ACCESS;
    if (!is_aligned(b, tiles * t->lines) || ahead.local_bytes > b->p->props.local_bytes ||
        units < 1 || count <= units)
        return none;
    /* No unit may process more tiles than without prefetching. */
    const int64_t each = gf_divide_up(fetches, units);
    if (each * tiles > gf_divide_up(count, units))
        return none;
    ahead.groups = gf_divide_up(fetches, each);
    return ahead;
}
