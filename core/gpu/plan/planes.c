/* Combines two passes along the axes of small planes, using tiles that hold several whole
 * planes. */

#include "core/gpu/plan/pass_builder.h"

/* Measured: larger tiles are slower than two passes if most units have none. */
enum { ALONE_BYTES = 32 << 10, FEW = 4 };

/* Planes per tile; groups per unit, so that some access memory while others calculate. */
enum { MOST_PLANES = 16, LEAST_RESIDENT = 2 };

/* Moves the index with stride `step` between the passes to the front; the others keep their
 * order. */
static bool put_first(struct pass_args *a, int indices, bool out, int64_t step) {
    wide *const marks[] = {&a->lone_index, &a->own_index};
    int i = 0;
    while (i < indices && (out ? a->index[i].out : a->index[i].in) != step)
        i++;
    if (i == indices)
        return false;
    const struct index_args x = a->index[i];
    memmove(a->index + 1, a->index, (size_t)i * sizeof x);
    a->index[0] = x;
    for (int k = 0; k < 2; k++)
        if (*marks[k] >= 0 && *marks[k] <= i)
            *marks[k] = *marks[k] == i ? 0 : *marks[k] + 1;
    return true;
}

/* True if the passes are along both axes of planes that follow each other in memory. The indices of
 * *args then begin with the other axis, and count planes in the same order. In a shared buffer
 * every plane is written where it was read; packed reals have their mirror images in the same
 * plane. */
static bool are_planes(const struct gf_gpu_pass *a, const struct gf_gpu_pass *b,
                       struct chain_args *args) {
    struct pass_args *s = &args->first, *t = &args->second;
    const struct index_args *x = s->index, *y = t->index;
    const bool shared = a->buffer[0] == b->buffer[1];
    const bool packed = a->store == STORE_TANGLE || b->load == LOAD_UNTANGLE;
    *s = a->args.pass;
    *t = b->args.pass;
    if (b->indices != a->indices || s->axis_size != a->tile.length ||
        t->axis_size != b->tile.length || !put_first(s, a->indices, true, t->in_point) ||
        !put_first(t, a->indices, false, s->out_point) ||
        (shared && (s->in_point != y->out || x->in != t->out_point)))
        return false;
    args->strips = 1;
    for (int i = 1; i < a->indices; i++) {
        if ((packed && (x[i].size || y[i].size)) || x[i].count != y[i].count ||
            x[i].out != y[i].in || (shared && x[i].in != y[i].out) || x[i].in < s->in_point ||
            x[i].in < x->in || y[i].out < t->out_point || y[i].out < y->out)
            return false;
        args->strips *= x[i].count;
    }
    return args->strips <= INT32_MAX;
}

/* Pads the tile's rows so that adjacent work items use different banks. */
static void spread(const struct gf_gpu_plan *p, int per_row, struct gf_gpu_tile *t) {
    const int banks = p->job.precision == GF_DOUBLE || t->whole ? 16 : 32;
    int *stride = t->rows_in ? &t->line_stride : &t->index_stride;
    const int was = *stride;
    while (per_row < banks && *stride % banks != per_row)
        ++*stride;
    t->local_bytes = t->local_bytes / was * *stride;
}

/* Plans both tiles, the first with `per_line` work items per line, the second with about as many in
 * total. */
static bool plan_tiles(const struct gf_gpu_plan *p, const struct chain_args *args, int per_line,
                       struct gf_gpu_planes *planes) {
    struct gf_gpu_tile *const t = planes->tile;
    int threads = 0;
    for (int i = 0; i < 2; i++) {
        const struct pass_args *a = i ? &args->second : &args->first;
        const bool rows = i ? a->out_point < a->index[0].out : a->in_point < a->index[0].in;
        const int lines = (int)a->index[0].count * planes->count;
        if (i)
            per_line = (threads + lines / 2) / lines;
        struct gf_gpu_tile_request request = {.length = a->axis_size,
                                              .lines = lines,
                                              .rows_in = rows,
                                              .rows_out = rows,
                                              .paired = true,
                                              .threads = per_line * lines,
                                              .precision = p->job.precision};
        if (!per_line || gf_gpu_tile_plan(&request, &p->props, &t[i]) ||
            t[i].algorithm != GF_GPU_PLAIN)
            return false;
        threads = (int)gf_max(threads, per_line * lines);
    }
    const struct gf_gpu_tile *rows = &t[!t->rows_in];
    for (int i = 0; i < 2; i++) { /* a tile may have more items than its lines use */
        if (threads / t[i].lines != t[i].threads / t[i].lines)
            return false;
        t[i].threads = threads;
        if (i == 0 || t[i].rows_in)
            spread(p, threads / rows->lines, &t[i]);
    }
    planes->local_bytes = gf_max(t[0].local_bytes, t[1].local_bytes);
    const int fits = gf_gpu_groups_fit(&p->props, planes->local_bytes);
    planes->resident = (int)gf_min(gf_min(t[0].resident, t[1].resident), fits);
    return planes->local_bytes <= p->props.local_bytes && planes->resident >= LEAST_RESIDENT;
}

bool gf_gpu_planes_fit(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                       const struct gf_gpu_pass *second, struct gf_gpu_planes *planes,
                       struct chain_args *args) {
    *planes = (struct gf_gpu_planes){.cost = 1e300};
    if (p->props.is_cpu || p->props.plain || !are_planes(first, second, args))
        return false;
    const int64_t element = 2 * gf_gpu_word(&p->job);
    for (int count = 1; count <= MOST_PLANES && count < 2 * args->strips; count *= 2)
        for (int per_line = 1; per_line * count * args->first.index[0].count <= p->props.max_group;
             per_line++) {
            struct gf_gpu_planes t = {.count = count, .groups = gf_divide_up(args->strips, count)};
            if (!plan_tiles(p, args, per_line, &t) ||
                (FEW * t.groups < p->props.units &&
                 t.tile[0].length * t.tile[0].lines * element > ALONE_BYTES))
                continue;
            t.cost = gf_gpu_planes_cost(p, first, second, &t);
            *planes = t.cost < planes->cost ? t : *planes;
        }
    return planes->count;
}
