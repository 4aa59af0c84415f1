/* One pass along an axis: which index is the lane, how many lanes a tile has. */
#include "core/gpu/plan/axis_pass.h"

#include <string.h>

#include "core/base/status.h"

static void add_index(struct gf_gpu_pass_builder *l, int axis, struct index_args index) {
    if (l->n >= 5)
        return; /* five is what three spatial axes, channels and parts come to */
    l->axis[l->n] = axis;
    l->args.index[l->n++] = index;
}

static int64_t full_size(const struct gf_job *job, int axis) {
    int i = gf_gpu_job_axis(job, axis);
    return axis == 3 ? (job->luma ? 1 : job->channels) : i >= 0 ? job->shape[i] : 1;
}

/* Ends that address by the point's coordinate along the axis, and not by its number. */
static bool by_coordinate_in(const struct gf_gpu_axis_pass *g) {
    return g->load == LOAD_UNTANGLE || g->load == LOAD_HERMITIAN || g->load == LOAD_TWO_HALVES ||
           g->rader == 1;
}
static bool by_coordinate_out(const struct gf_gpu_axis_pass *g) {
    return g->store == STORE_SAMPLE || g->store == STORE_HALVES || g->rader == 3;
}

/* The indices beside the point's: the other axes, and what is left of the leg's own. */
static void add_indices(struct gf_gpu_pass_builder *l) {
    const struct gf_gpu_axis_pass *g = l->leg;
    const struct gf_job *job = &l->p->job;
    const struct gf_gpu_space *src = l->src, *dst = l->dst;
    bool pair_in = g->load == LOAD_PAIR || g->load == LOAD_TWO_HALVES;
    bool pair_out = g->store == STORE_PAIR || g->store == STORE_TWO_HALVES;
    l->args.lone = l->args.lone_index = l->args.own_index = -1;
    for (int axis = 0; axis < 4; axis++) {
        if (axis == g->axis)
            continue;
        bool pairs = axis == g->pair_axis, own = axis == g->mirror_axis;
        int64_t n = full_size(job, axis), count = src->extent[axis];
        struct index_args x = {.in = src->stride[axis], .out = dst->stride[axis]};
        if (pairs) {
            count = (n + 1) / 2;
            if (pair_in) {
                l->args.pair_in = x.in;
                x.in *= 2;
            }
            if (pair_out) {
                l->args.pair_out = x.out;
                x.out *= 2;
            }
        }
        if (own)
            count = n / 2 + 1;
        x.count = count;
        if (gf_gpu_axis_on(job, axis) && !pairs)
            x.size = n;
        if (g->sample && g->sample->shift && x.size && g->store == STORE_SAMPLE)
            x.centre = n / 2;
        if (count == 1 && !pairs && !own)
            continue;
        if (pairs && (pair_in || pair_out)) {
            l->args.lone_index = l->n;
            l->args.lone = n % 2 ? n / 2 : -1;
        }
        if (own)
            l->args.own_index = l->n;
        add_index(l, axis, x);
    }
    int64_t in = src->stride[g->axis], out = dst->stride[g->axis];
    int64_t rest = g->after, done = g->before[0] * g->before[1];
    int64_t inner = g->length * rest; /* points of what is not done yet */
    bool last = rest == 1;
    for (int i = 0; i < 2; i++) {
        if (g->before[i] == 1)
            continue;
        int64_t position = i ? inner : inner * g->before[1];
        int64_t digit = i ? g->before[0] : 1;
        add_index(l, 4 + i,
                  (struct index_args){.count = g->before[i],
                                      .in = in * position,
                                      .out = out * (last ? digit : position),
                                      .point_out = last ? digit : 0,
                                      .turn = g->both});
    }
    if (rest > 1)
        add_index(
            l, 6,
            (struct index_args){.count = rest, .in = in, .out = out, .point_in = 1, .turn = 1});
    l->args.in_point = in * rest;
    l->args.out_point = last ? out * done : out * rest;
    l->args.step_in = rest;
    l->args.step_out = last ? done : 1;
    if (g->fold && g->load == LOAD_ROW_HALVES) {
        l->args.pair_out = out;
        l->args.out_point = 2 * out;
    } else if (g->fold) {
        l->args.pair_in = in;
        l->args.in_point = 2 * in;
    }
    for (int i = 0; i < l->n && g->filtered; i++)
        l->args.index[i].filter = l->axis[i] < 3 ? l->p->filter.at[l->axis[i]] : 0;
    l->args.filter = l->p->filter;
    l->args.filter_along = g->axis < 3 ? l->p->filter.at[g->axis] : 0;
    l->args.axis_in = in;
    l->args.axis_out = out;
    l->args.axis_size = full_size(job, g->axis);
}

static double count_lines(const struct gf_gpu_pass_builder *l) {
    double lines = 1;
    for (int i = 0; i < l->n; i++)
        lines *= (double)l->args.index[i].count;
    return lines;
}

/* The lane: the index whose neighbours stand closest together in memory. */
static void choose_lane(struct gf_gpu_pass_builder *l) {
    int best = 0;
    if (l->n == 0) {
        add_index(l, 7, (struct index_args){.count = 1});
        return;
    }
    for (int i = 1; i < l->n; i++) {
        const struct index_args *a = &l->args.index[i], *b = &l->args.index[best];
        if (a->in + a->out < b->in + b->out)
            best = i;
    }
    struct index_args x = l->args.index[best];
    int axis = l->axis[best];
    l->args.index[best] = l->args.index[0];
    l->axis[best] = l->axis[0];
    l->args.index[0] = x;
    l->axis[0] = axis;
    wide *marks[2] = {&l->args.lone_index, &l->args.own_index};
    for (int i = 0; i < 2; i++) {
        if (*marks[i] == best)
            *marks[i] = 0;
        else if (*marks[i] == 0)
            *marks[i] = best;
    }
}

/* Whether the line's even and odd points can be two lines that an item holds. */
static bool can_halve(const struct gf_gpu_pass_builder *l, int lines) {
    const struct gf_gpu_axis_pass *g = l->leg;
    return g->filtered && g->load == LOAD_COMPLEX && g->length % 2 == 0 && g->length > 2 &&
           l->args.in_point == 1 && l->args.out_point == 1 && lines == 1;
}

/* The cheapest tile of so many lines, one or two of which an item holds. */
static int plan_tile(const struct gf_gpu_pass_builder *l, struct gf_gpu_tile_request *request,
                     struct gf_gpu_tile *best) {
    struct gf_gpu_tile tile;
    int rc = gf_gpu_tile_plan(request, &l->p->props, best);
    if (!can_halve(l, request->lines))
        return rc;
    request->length /= 2;
    request->sides = 2;
    if (gf_gpu_tile_plan(request, &l->p->props, &tile))
        return rc;
    if (rc || gf_gpu_axis_pass_cost(l, &tile) < gf_gpu_axis_pass_cost(l, best))
        *best = tile;
    return 0;
}

static int choose_tile(struct gf_gpu_pass_builder *l, struct gf_gpu_tile *best, double *best_cost) {
    const struct gf_gpu_axis_pass *g = l->leg;
    const struct index_args *lane = &l->args.index[0];
    bool coordinates_in = by_coordinate_in(g), coordinates_out = by_coordinate_out(g);
    l->in_step = coordinates_in ? l->args.axis_in * l->args.step_in : l->args.in_point;
    l->out_step = coordinates_out ? l->args.axis_out * l->args.step_out : l->args.out_point;
    *best_cost = 1e300;
    if (g->rader && l->axis[0] >= 4) /* points in Rader's order are nobody's neighbours */
        return GF_EUNSUPP;
    for (int lines = 1; lines <= 64; lines *= 2) {
        if (lines > 1 && lines / 2 >= lane->count)
            break;
        struct gf_gpu_tile_request request = {
            .length = g->length,
            .lines = lines,
            .rows_in = lines == 1 || l->in_step < lane->in || !lane->in,
            .rows_out = lines == 1 || l->out_step < lane->out || !lane->out,
            .paired = g->store == STORE_TANGLE || g->store == STORE_TWO_HALVES ||
                      g->store == STORE_ROW_HALVES,
            .staged = g->load == LOAD_UNTANGLE || g->load == LOAD_ROW_HALVES,
            .both = g->both,
            .filtered = g->filtered,
            .sides = g->load == LOAD_PACKED ? 2 : 1,
            .precision = l->p->job.precision,
        };
        struct gf_gpu_tile tile;
        if (plan_tile(l, &request, &tile))
            continue;
        double cost = gf_gpu_axis_pass_cost(l, &tile);
        /* A group of few warps leaves its unit idle, and one of very many waits for its slowest. */
        if (tile.threads < 64 && !l->p->props.is_cpu)
            cost *= 1.0 + 0.3 * (64 - tile.threads) / 64;
        if (cost < *best_cost) {
            *best_cost = cost;
            *best = tile;
        }
    }
    return *best_cost < 1e300 ? 0 : GF_EUNSUPP;
}

/* Ends that go by coordinates have a split axis' parts in those already. */
static void drop_doubles(struct gf_gpu_pass_builder *l) {
    for (int i = 0; i < l->n; i++) {
        struct index_args *x = &l->args.index[i];
        if (x->point_in && by_coordinate_in(l->leg))
            x->in = 0;
        if (x->point_out && by_coordinate_out(l->leg))
            x->out = 0;
    }
}

static int add_tables(struct gf_gpu_pass_builder *l, const struct gf_gpu_tile *t) {
    const struct gf_gpu_axis_pass *g = l->leg;
    struct gf_gpu_tables *tables = &l->p->tables;
    struct pass_args *a = &l->args;
    a->table_stage = gf_gpu_table_stages(tables, t);
    if (t->algorithm == GF_GPU_BLUESTEIN)
        a->table_chirp = gf_gpu_table_chirp(tables, t->length, 1); /* the kernel turns it */
    if (t->algorithm == GF_GPU_BLUESTEIN || t->algorithm == GF_GPU_RADER)
        a->table_spectrum =
            gf_gpu_table_spectrum(tables, t->algorithm, t->length, t->points, g->dir);
    if (g->both)
        a->table_spectrum =
            gf_gpu_table_spectrum(tables, g->rader ? GF_GPU_RADER : GF_GPU_BLUESTEIN, a->axis_size,
                                  g->convolution, g->sense);
    if (g->after > 1 || g->both) {
        int64_t n = g->both ? g->convolution : g->length * g->after;
        a->split_bits = 0;
        while (n >> a->split_bits > 1 << 16 && (int64_t)1 << 2 * a->split_bits < n)
            a->split_bits++;
        a->table_split = gf_gpu_table_split(tables, n, (int)a->split_bits, &a->table_split_low);
    }
    /* The twiddles that put even and odd samples together. */
    if (g->fold || t->sides == 2)
        a->table_split = gf_gpu_table_split(tables, a->axis_size, 0, &a->table_split_low);
    a->limit = a->axis_size;
    if (g->multiply_in)
        a->table_in = gf_gpu_table_chirp(tables, a->axis_size, g->sense);
    if (g->multiply_out) {
        bool spectrum = g->dir > 0; /* the convolution's first half */
        a->table_out = spectrum ? gf_gpu_table_spectrum(tables, GF_GPU_BLUESTEIN, a->axis_size,
                                                        g->convolution, g->sense)
                                : gf_gpu_table_chirp(tables, a->axis_size, g->sense);
        a->limit = spectrum ? g->convolution : a->axis_size;
    }
    if (t->algorithm == GF_GPU_RADER || g->rader)
        a->order = gf_gpu_table_order(tables, g->rader ? a->axis_size : t->length);
    bool failed = a->order < 0 || a->table_stage < 0 || a->table_chirp < 0 ||
                  a->table_spectrum < 0 || a->table_split < 0 || a->table_in < 0 ||
                  a->table_out < 0;
    return failed ? GF_ENOMEM : 0;
}

int gf_gpu_add_axis_pass(struct gf_gpu_plan *p, const struct gf_gpu_axis_pass *leg,
                         const struct gf_gpu_space *src, const struct gf_gpu_space *dst,
                         double *cost) {
    struct gf_gpu_pass_builder l = {.p = p, .leg = leg, .src = src, .dst = dst};
    struct gf_gpu_tile tile;
    add_indices(&l);
    choose_lane(&l);
    l.lines = count_lines(&l);
    gf_gpu_axis_pass_bytes(&l);
    int rc = choose_tile(&l, &tile, cost);
    if (rc)
        return rc;
    drop_doubles(&l);
    rc = p->dry ? 0 : add_tables(&l, &tile);
    if (rc)
        return rc;
    l.args.params = leg->output < 0 ? 0 : (int64_t)leg->output * GF_GPU_PARAMS_EACH;
    struct gf_gpu_pass *pass = leg->filtered ? gf_gpu_next_pass(p, "filter_pass.cl", "filter_pass")
                                             : gf_gpu_next_pass(p, "fft.cl", "fft_pass");
    if (!pass)
        return GF_EUNSUPP;
    gf_gpu_axis_pass_options(&l, &tile, pass);
    if (leg->filtered) {
        gf_gpu_filter_options(p, pass);
        gf_gpu_option(pass, "-DSIDES=%d -DSIDE_STRIDE=%d -DFOLDED=%d", tile.sides, tile.side_stride,
                      gf_gpu_job_axis(&p->job, leg->axis) == gf_job_half_axis(&p->job));
    }
    double groups = (double)((l.args.index[0].count + tile.lines - 1) / tile.lines);
    for (int i = 1; i < l.n; i++)
        groups *= (double)l.args.index[i].count;
    if (groups > 2147483647.0)
        return gf_fail(GF_EUNSUPP, "an array of %.3g lines is beyond what a launch counts",
                       l.lines);
    pass->groups = (int64_t)groups;
    pass->group = tile.threads;
    pass->local_bytes = pass->kernel.local_bytes = tile.local_bytes;
    const enum gf_gpu_buffer_id buffers[] = {src->place,    dst->place,   GF_GPU_TABLES,
                                             GF_GPU_PARAMS, GF_GPU_ORDER, GF_GPU_COUNTERS};
    memcpy(pass->buffer, buffers, sizeof buffers);
    if (leg->filtered)
        pass->buffer[4] = gf_gpu_filter_place(p);
    pass->n_buffers = 6;
    pass->args.pass = l.args;
    pass->args_bytes = sizeof l.args;
    pass->cost = *cost;
    if (gf_gpu_samples_out(leg))
        pass->output = leg->output;
    gf_gpu_axis_pass_describe(&l, &tile, pass);
    return 0;
}
