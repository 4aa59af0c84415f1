/* Builds one pass along an axis: its fast index, lines per tile and tables. */
#include "core/gpu/plan/pass_builder.h"

#include <math.h>

#include "core/base/value/status.h"
#include "core/gpu/plan/decision.h"
#include "core/gpu/plan/filter_values.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/tables.h"

/* Indices that belong to no axis and to no part of the pass's own axis. */
enum { ONE_LINE = 7, BLOCKS = 8, JOINED = 9 };

static void add_index(struct gf_gpu_pass_builder *b, int axis, struct index_args index) {
    if (b->n >= 5)
        return; /* at most three axes, channels and parts */
    if (!index.counted)
        index.counted = index.count;
    b->axis[b->n] = axis;
    b->args.index[b->n++] = index;
}

static int64_t full_size(const struct gf_job *job, int axis) {
    int i = gf_gpu_job_axis(job, axis);
    return axis == 3 ? (job->luma ? 1 : job->channels) : i >= 0 ? job->shape[i] : 1;
}

/* True if points are addressed by their coordinate along the axis, not by their number. */
static bool by_coordinate_in(const struct gf_gpu_axis_pass *ap) {
    return ap->load == LOAD_UNTANGLE || ap->load == LOAD_HERMITIAN || ap->load == LOAD_TWO_HALVES ||
           ap->rader == 1 || (gf_gpu_is_mirrored(ap) && ap->load == LOAD_ROW_HALVES);
}
static bool by_coordinate_out(const struct gf_gpu_axis_pass *ap) {
    return ap->store == STORE_SAMPLE || ap->store == STORE_HALVES || ap->rader == 3 ||
           (gf_gpu_is_mirrored(ap) && ap->store == STORE_ROW_HALVES);
}

/* Adds an axis with a deferred radix, read in natural order: the position in a block, then the
 * block. */
static void add_sorted(struct gf_gpu_pass_builder *b, int axis, const struct index_args *whole) {
    const int blocks = b->ap->left[axis];
    const int64_t length = whole->count / blocks;
    add_index(b, axis,
              (struct index_args){.count = length, .in = whole->in * blocks, .out = whole->out});
    add_index(b, BLOCKS,
              (struct index_args){.count = blocks, .in = whole->in, .out = whole->out * length});
}

/* Adds joined rows: z blocks, and y blocks within each. */
static void add_joined(struct gf_gpu_pass_builder *b) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    const int64_t each[2] = {b->src->extent[0] / ap->left[0], b->src->extent[1] / ap->left[1]};
    add_index(b, JOINED,
              (struct index_args){.count = gf_gpu_joins(ap),
                                  .in = b->src->stride[0] * each[0],
                                  .out = b->dst->stride[0] * each[0]});
    b->args.pair_in = b->src->stride[1] * each[1];
    b->args.pair_out = b->dst->stride[1] * each[1];
}

static void add_other_axis(struct gf_gpu_pass_builder *b, int axis) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    bool pair_in = ap->load == LOAD_PAIR || ap->load == LOAD_TWO_HALVES;
    bool pair_out = ap->store == STORE_PAIR || ap->store == STORE_TWO_HALVES;
    bool pairs = axis == ap->pair_axis, own = axis == ap->mirror_axis;
    int64_t n = full_size(&b->p->job, axis);
    struct index_args x = {
        .count = b->src->extent[axis], .in = b->src->stride[axis], .out = b->dst->stride[axis]};
    if (pairs)
        x.count = (n + 1) / 2;
    if (pairs && pair_in) {
        b->args.pair_in = x.in;
        x.in *= 2;
    }
    if (pairs && pair_out) {
        b->args.pair_out = x.out;
        x.out *= 2;
    }
    if (own)
        x.count = n / 2 + 1;
    if (gf_gpu_axis_on(&b->p->job, axis) && !pairs)
        x.size = n;
    if (gf_gpu_joins(ap) > 1 && axis < 2) { /* add_joined() adds the blocks */
        x.count /= ap->left[axis];
        x.size = 0;
    }
    if (axis == ap->across_axis) /* pairs of lines */
        x.in *= 2;
    if (ap->sample && ap->sample->shift && x.size && ap->store == STORE_SAMPLE)
        x.centre = n / 2;
    x.counted = axis < 3 ? gf_gpu_counted(&b->p->job, axis) : n;
    if (pairs) {
        b->args.pair_counted = x.counted / 2;
        x.counted = (x.counted + 1) / 2;
    }
    /* A part with a single index may start anywhere in the filter. */
    const bool placed = ap->filtered && b->p->job.whole.axes && axis < 3 && b->p->filter.at[axis];
    if (x.count == 1 && !pairs && !own && !placed)
        return;
    if (pairs && (pair_in || pair_out)) {
        b->args.lone_index = b->n;
        b->args.lone = n % 2 ? n / 2 : -1;
    }
    if (own)
        b->args.own_index = b->n;
    if (ap->sorts && axis < 2 && ap->left[axis] > 1)
        add_sorted(b, axis, &x);
    else
        add_index(b, axis, x);
}

/* Sets the points of a line whose clipped values are counted; folded points are pairs. */
static void add_counted(struct gf_gpu_pass_builder *b) {
    const int64_t counted = gf_gpu_counted(&b->p->job, b->ap->axis);
    b->args.counted[0] = b->ap->fold ? (counted + 1) / 2 : counted;
    b->args.counted[1] = b->ap->fold ? counted / 2 : counted;
}

/* Adds the indices along the other parts of a split axis, and sets the strides along it. */
static void add_own_axis(struct gf_gpu_pass_builder *b) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    const bool pairs_in = ap->fold && ap->load == LOAD_PAIR;
    const bool pairs_out = ap->fold && ap->store == STORE_PAIR;
    /* Stride between points, each of two adjacent samples. */
    int64_t in = b->src->stride[ap->axis] << pairs_in;
    int64_t out = b->dst->stride[ap->axis] << pairs_out;
    int64_t rest = ap->after, done = ap->before[0] * ap->before[1];
    int64_t inner = ap->length * rest; /* points still to be transformed */
    bool last = rest == 1;
    /* The lines of a mirrored pass are one index, ordered by frequency. */
    bool ordered = ap->fold && ap->dir > 0 && ap->before[0] > 1 && !last;
    for (int i = 0; i < 2; i++) {
        if (ap->before[i] == 1)
            continue;
        int64_t position = i ? inner : inner * ap->before[1];
        int64_t digit = i ? ap->before[0] : 1;
        add_index(b, 4 + i,
                  (struct index_args){.count = ap->before[i],
                                      .in = in * position,
                                      .out = out * (last      ? digit
                                                    : ordered ? rest
                                                              : position),
                                      .point_out = last ? digit : 0,
                                      .turn = ap->both});
    }
    const bool leaves = gf_gpu_leaves(ap) > 1;
    if (leaves)
        add_index(b, 6,
                  (struct index_args){.count = rest,
                                      .in = in * (ap->sorts ? 1 : ap->length),
                                      .out = out * ap->length});
    else if (rest > 1)
        add_index(
            b, 6,
            (struct index_args){
                .count = rest, .in = in, .out = out, .point_in = 1, .turn = gf_gpu_is_turned(ap)});
    b->args.in_point = in * (leaves && !ap->sorts ? 1 : rest);
    b->args.out_point = out * (last || leaves ? done : ordered ? rest * done : rest);
    b->args.step_in = rest;
    b->args.step_out = last ? done : 1;
    if (pairs_in)
        b->args.pair_in = b->src->stride[ap->axis];
    if (pairs_out)
        b->args.pair_out = b->dst->stride[ap->axis];
    b->args.axis_in = b->src->stride[ap->axis];
    b->args.axis_out = b->dst->stride[ap->axis];
    b->args.axis_size = full_size(&b->p->job, ap->axis);
    add_counted(b);
}

/* Adds the indices that select a line, with each one's filter values. */
static void add_indices(struct gf_gpu_pass_builder *b) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    const struct filter_args *filter = &b->p->filter;
    b->args.lone = b->args.lone_index = b->args.own_index = -1;
    if (gf_gpu_joins(ap) > 1)
        add_joined(b);
    for (int i = 0; i < 4; i++) {
        /* Consecutive groups join neighbouring rows, not planes. */
        const int axis = i < 2 && gf_gpu_joins(ap) > 1 ? 1 - i : i;
        if (axis != ap->axis)
            add_other_axis(b, axis);
    }
    add_own_axis(b);
    for (int i = 0; i < b->n && ap->filtered; i++)
        b->args.index[i].filter = b->axis[i] < 3 ? filter->at[b->axis[i]] : 0;
    b->args.filter = *filter;
    b->args.filter_along = ap->axis < 3 ? filter->at[ap->axis] : 0;
}

static double count_lines(const struct gf_gpu_pass_builder *b) {
    double lines = 1;
    for (int i = 0; i < b->n; i++)
        lines *= (double)b->args.index[i].count;
    return lines;
}

/* Finds the index with the smallest strides. */
static int nearest_index(const struct gf_gpu_pass_builder *b) {
    int best = 0;
    for (int i = 1; i < b->n; i++) {
        const struct index_args *x = &b->args.index[i], *y = &b->args.index[best];
        if (x->in + x->out < y->in + y->out)
            best = i;
    }
    return best;
}

static void put_first(struct gf_gpu_pass_builder *b, int i) {
    struct index_args x = b->args.index[i];
    int axis = b->axis[i];
    b->args.index[i] = b->args.index[0];
    b->axis[i] = b->axis[0];
    b->args.index[0] = x;
    b->axis[0] = axis;
    wide *marks[2] = {&b->args.lone_index, &b->args.own_index};
    for (int k = 0; k < 2; k++) {
        if (*marks[k] == i)
            *marks[k] = 0;
        else if (*marks[k] == 0)
            *marks[k] = i;
    }
}

/* True if a work item can hold the even and odd points of a line as two lines. */
static bool can_halve(const struct gf_gpu_pass_builder *b, int lines) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    return ap->filtered && ap->load == LOAD_COMPLEX && ap->length % 2 == 0 && ap->length > 2 &&
           b->args.in_point == 1 && b->args.out_point == 1 && lines == 1;
}

/* Returns the request with rows moved in memory order by the whole group. Few lines would cause
 * bank conflicts. */
static struct gf_gpu_tile_request coalesce(const struct gf_gpu_pass_builder *b,
                                           const struct gf_gpu_tile_request *request) {
    enum { LEAST_LINES = 16 };
    const int lines = request->lines;
    const bool enough = lines >= LEAST_LINES || (lines > 1 && lines >= b->args.index[0].count);
    struct gf_gpu_tile_request rows = *request;
    rows.coalesced_in = enough && rows.rows_in && gf_gpu_can_coalesce(b, true);
    rows.coalesced_out = enough && rows.rows_out && gf_gpu_can_coalesce(b, false);
    rows.rows_in &= !rows.coalesced_in;
    rows.rows_out &= !rows.coalesced_out;
    return rows;
}

/* Finds the cheapest tile, with one or two lines per work item. */
static int plan_tile(const struct gf_gpu_pass_builder *b, struct gf_gpu_tile_request *request,
                     struct gf_gpu_tile *best) {
    struct gf_gpu_tile tile;
    int rc = gf_gpu_tile_plan(request, &b->p->props, best);
    const struct gf_gpu_tile_request rows = coalesce(b, request);
    if ((rows.coalesced_in || rows.coalesced_out) &&
        !gf_gpu_tile_plan(&rows, &b->p->props, &tile) &&
        (rc || gf_gpu_axis_pass_cost(b, &tile) < gf_gpu_axis_pass_cost(b, best))) {
        *best = tile;
        rc = 0;
    }
    if (!can_halve(b, request->lines))
        return rc;
    request->length /= 2;
    request->sides = 2;
    if (gf_gpu_tile_plan(request, &b->p->props, &tile))
        return rc;
    if (rc || gf_gpu_axis_pass_cost(b, &tile) < gf_gpu_axis_pass_cost(b, best))
        *best = tile;
    return 0;
}

/* Finds the cheapest tile. Joined rows require that work items hold every point, equally many from
 * each row. */
static bool plan_fitting(const struct gf_gpu_pass_builder *b, struct gf_gpu_tile_request *request,
                         struct gf_gpu_tile *t) {
    const int joins = gf_gpu_joins(b->ap);
    if (plan_tile(b, request, t))
        return false;
    return joins <= 1 || (t->algorithm == GF_GPU_PLAIN && t->held % joins == 0 &&
                          (int64_t)t->held * t->threads == t->length * t->lines);
}

/* Offers the request's tile at a cost of at least `least`; false if none fits. */
static bool offer_tile(const struct gf_gpu_pass_builder *b, struct gf_gpu_tile_request request,
                       double least, struct gf_gpu_decision *d, struct gf_gpu_tile_choice *offered,
                       struct gf_gpu_tile_choice *best) {
    struct gf_gpu_tile tile, wide;
    if (!plan_fitting(b, &request, &tile))
        return false;
    double cost = gf_gpu_axis_pass_cost(b, &tile);
    /* A group of few warps leaves its unit idle. */
    if (tile.threads < 64 && !b->p->props.is_cpu && !gf_gpu_is_rows(b, &tile))
        cost *= 1.0 + 0.3 * (64 - tile.threads) / 64;
    if (!request.words && gf_gpu_wants_reals(b, &tile)) {
        request.words = 1;
        if (plan_fitting(b, &request, &wide))
            tile = wide;
        request.words = 0;
    }
    if (!request.threads && gf_gpu_wants_items(b, &tile)) {
        request.threads = 2 * tile.threads;
        if (plan_fitting(b, &request, &wide))
            tile = wide;
    }
    *offered = (struct gf_gpu_tile_choice){tile, cost};
    if (gf_gpu_decision_offer(d, fmax(cost, least), "%dx%d%s", tile.lines, tile.threads,
                              tile.whole ? "c" : "r"))
        *best = *offered;
    return true;
}

/* Offers tiles with twice and half the work items and, for measured plans, with the other word type.
 * These and others than rows cost at least as much as the usual tile, which stays the choice without
 * measuring. */
static void offer_others(const struct gf_gpu_pass_builder *b,
                         const struct gf_gpu_tile_request *request,
                         const struct gf_gpu_tile_choice *usual, struct gf_gpu_decision *d,
                         struct gf_gpu_tile_choice *best) {
    const struct gf_gpu_tile *t = &usual->tile;
    const int threads[] = {t->threads * 2, t->threads / 2, t->threads};
    const bool rows = gf_gpu_is_rows(b, t);
    const double least[] = {rows ? 0 : usual->cost, rows ? 0 : usual->cost, 1.02 * usual->cost};
    for (int i = 0; i < (d->choices ? 3 : rows ? 2 : 0); i++) {
        struct gf_gpu_tile_request other = *request;
        struct gf_gpu_tile_choice offered;
        other.threads = threads[i];
        other.words = i < 2 ? 0 : t->whole ? 1 : 2;
        if (other.threads && (i < 2 || t->stages > 1))
            offer_tile(b, other, least[i], d, &offered, best);
    }
}

/* Finds the cheapest tile for the fast index over all numbers of lines. */
static int choose_tile(struct gf_gpu_pass_builder *b, struct gf_gpu_decision *d,
                       struct gf_gpu_tile_choice *best) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    const struct index_args *fast = &b->args.index[0];
    b->in_step = by_coordinate_in(ap) ? b->args.axis_in * b->args.step_in : b->args.in_point;
    b->out_step = by_coordinate_out(ap) ? b->args.axis_out * b->args.step_out : b->args.out_point;
    if (ap->rader && b->axis[0] >= 4) /* permuted points are not adjacent */
        return GF_EUNSUPP;
    /* Half spectra folded on load need a transform in natural order. */
    if (ap->load == LOAD_ROW_HALVES && !gf_gpu_is_mirrored(ap) && !gf_gpu_has_codelets(ap->length))
        return GF_EUNSUPP;
    for (int lines = 1; lines <= 64 && (lines == 1 || lines / 2 < fast->count); lines *= 2) {
        if (gf_gpu_is_mirrored(ap) && (lines == 1 || fast->count % lines || ap->length % 2))
            continue;
        /* Two adjacent groups would read shared rows once, but their work items would wait for each
         * other. */
        if ((ap->across_axis >= 0 || ap->keys) && lines > 1)
            break;
        if (gf_gpu_joins(ap) > 1 && lines != gf_gpu_joins(ap))
            continue;
        struct gf_gpu_tile_request request = {
            .length = ap->length,
            .lines = lines,
            .rows_in = lines == 1 || b->in_step < fast->in || !fast->in,
            .rows_out = lines == 1 || b->out_step < fast->out || !fast->out,
            .paired = ap->store == STORE_TANGLE || ap->store == STORE_TWO_HALVES ||
                      ap->store == STORE_ROW_HALVES || gf_gpu_joins(ap) > 1,
            .staged = ap->load == LOAD_UNTANGLE ||
                      (ap->load == LOAD_ROW_HALVES && !gf_gpu_is_mirrored(ap)),
            .both = ap->both,
            .filtered = ap->filtered,
            .sides = ap->load == LOAD_PACKED ? 2 : 1,
            .precision = b->p->job.precision,
        };
        struct gf_gpu_tile_choice usual;
        if (offer_tile(b, request, 0, d, &usual, best))
            offer_others(b, &request, &usual, d, best);
    }
    return gf_gpu_decision_end(d);
}

/* Chooses the fast index and tile of the cheapest pass. The index with the smallest strides stays
 * unless another is clearly cheaper: estimates differ by 10% for equal times. */
static int choose_fast_index(struct gf_gpu_pass_builder *b, struct gf_gpu_tile_choice *best) {
    static const double clearly = 1.2;
    struct gf_gpu_pass_builder chosen = *b;
    struct gf_gpu_decision of_index = gf_gpu_decision_begin(b->p), of_tile;
    const int nearest = nearest_index(b);
    for (int i = 0; i < b->n; i++) {
        struct gf_gpu_pass_builder trial = *b;
        struct gf_gpu_tile_choice choice;
        if ((gf_gpu_is_mirrored(b->ap) && b->axis[i] < 4) ||
            (b->ap->across_axis >= 0 && b->axis[i] != b->ap->across_axis) ||
            (gf_gpu_joins(b->ap) > 1 && b->axis[i] != JOINED))
            continue;
        put_first(&trial, i);
        of_tile = gf_gpu_decision_begin(NULL);
        if (choose_tile(&trial, &of_tile, &choice) ||
            !gf_gpu_decision_offer(&of_index, choice.cost * (i == nearest ? 1 : clearly), "i%d", i))
            continue;
        *best = choice;
        chosen = trial;
    }
    *b = chosen;
    int rc = gf_gpu_decision_end(&of_index);
    if (rc || !of_index.choices)
        return rc;
    of_tile = gf_gpu_decision_begin(b->p);
    return choose_tile(b, &of_tile, best);
}

/* Coordinates already include the parts of a split axis. */
static void drop_part_strides(struct gf_gpu_pass_builder *b) {
    for (int i = 0; i < b->n; i++) {
        struct index_args *x = &b->args.index[i];
        if (x->point_in && by_coordinate_in(b->ap))
            x->in = 0;
        if (x->point_out && by_coordinate_out(b->ap))
            x->out = 0;
    }
}

/* Chooses how many low bits of a root's exponent have their own table: 0 for few roots, else about
 * half. */
static int64_t split_bits(int64_t n) {
    int64_t bits = 0;
    while (n >> bits > 1 << 16 && (int64_t)1 << 2 * bits < n)
        bits++;
    return bits;
}

static void add_tables(struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    struct gf_gpu_tables *tables = &b->p->tables;
    struct pass_args *a = &b->args;
    a->table_stage = gf_gpu_table_stages(tables, t);
    if (t->algorithm == GF_GPU_BLUESTEIN)
        a->table_chirp = gf_gpu_table_chirp(tables, t->length, 1); /* conjugated by the kernel */
    const int64_t each = t->length / t->members, members_points = t->points / t->members;
    if (t->algorithm == GF_GPU_BLUESTEIN || t->algorithm == GF_GPU_RADER)
        a->table_spectrum =
            gf_gpu_table_spectrum(tables, t->algorithm, each, members_points, ap->dir);
    if (ap->both)
        a->table_spectrum =
            gf_gpu_table_spectrum(tables, ap->rader ? GF_GPU_RADER : GF_GPU_BLUESTEIN, a->axis_size,
                                  ap->convolution, ap->sense);
    if (gf_gpu_turns_by_line(b, t))
        a->table_split = gf_gpu_table_lines(tables, t, a->index[0].count, &a->table_split_low);
    else if (gf_gpu_is_turned(ap)) {
        int64_t n = ap->both ? ap->convolution : ap->length * ap->after;
        a->split_bits = split_bits(n);
        a->table_split = gf_gpu_table_split(tables, n, (int)a->split_bits, &a->table_split_low);
    }
    /* Twiddles that combine even and odd samples. */
    if (gf_gpu_is_mirrored(ap)) {
        a->fold_bits = split_bits(a->axis_size);
        a->table_fold =
            gf_gpu_table_split(tables, a->axis_size, (int)a->fold_bits, &a->table_fold_low);
    } else if ((ap->fold && !gf_gpu_is_part(ap)) || t->sides == 2)
        a->table_split = gf_gpu_table_split(tables, a->axis_size, 0, &a->table_split_low);
    if (ap->across_axis >= 0)
        a->table_fold = gf_gpu_table_split(tables, a->index[0].size, 0, &a->table_fold_low);
    wide whole, *const of[2] = {&a->table_fold, &a->table_fold_low};
    for (int axis = 0; axis < 2 && gf_gpu_joins(ap) > 1; axis++)
        *of[axis] =
            ap->left[axis] > 1 ? gf_gpu_table_split(tables, b->src->extent[axis], 0, &whole) : 0;
    a->limit = a->axis_size;
    if (ap->multiply_in)
        a->table_in = gf_gpu_table_chirp(tables, a->axis_size, ap->sense);
    if (ap->multiply_out) {
        bool spectrum = ap->dir > 0; /* the convolution's forward half */
        a->table_out = spectrum ? gf_gpu_table_spectrum(tables, GF_GPU_BLUESTEIN, a->axis_size,
                                                        ap->convolution, ap->sense)
                                : gf_gpu_table_chirp(tables, a->axis_size, ap->sense);
        a->limit = spectrum ? ap->convolution : a->axis_size;
    }
    if (t->algorithm == GF_GPU_RADER || ap->rader)
        a->order = ap->rader ? gf_gpu_table_order(tables, a->axis_size, a->axis_size)
                             : gf_gpu_table_order(tables, t->length, each);
}

static int count_groups(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *tile,
                        const struct gf_gpu_ahead *ahead, int64_t *count) {
    double groups = (double)gf_divide_up(b->args.index[0].count, tile->lines);
    for (int i = 1; i < b->n; i++)
        groups *= (double)b->args.index[i].count;
    if (groups > 2147483647.0)
        return gf_fail(GF_EUNSUPP, "an array of %.3g lines has more groups than a launch can count",
                       b->lines);
    *count = ahead->tiles ? ahead->groups : (int64_t)groups;
    return 0;
}

/* Each kernel has its own file, named after its entry point. */
static struct gf_gpu_pass *next_axis_pass(const struct gf_gpu_pass_builder *b,
                                          enum gf_gpu_algorithm algorithm, bool ahead) {
    static const char *const entries[] = {[GF_GPU_PLAIN] = "fft_plain",
                                          [GF_GPU_BLUESTEIN] = "fft_bluestein",
                                          [GF_GPU_RADER] = "fft_rader",
                                          [GF_GPU_BOTH_WAYS] = "fft_convolution"};
    const struct gf_gpu_axis_pass *ap = b->ap;
    const char *entry = b->general               ? "fft_general"
                        : ahead                  ? "fft_ahead"
                        : ap->filtered           ? "filter_pass"
                        : ap->rader && !ap->both ? "fft_rader_split"
                                                 : entries[algorithm];
    char file[sizeof((struct gf_kernel_request *)NULL)->file];
    snprintf(file, sizeof file, "%s.cl", entry);
    return gf_gpu_next_pass(b->p, ap->filtered ? GF_GPU_PASS_FILTER_AXIS : GF_GPU_PASS_AXIS, file,
                            entry);
}

/* Appends the pass, without its group count. NULL, after gf_fail(), if there are too many. */
static struct gf_gpu_pass *append(const struct gf_gpu_pass_builder *b,
                                  const struct gf_gpu_tile *tile,
                                  const struct gf_gpu_ahead *ahead) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    struct gf_gpu_plan *p = b->p;
    struct gf_gpu_pass *pass = next_axis_pass(b, tile->algorithm, ahead->tiles);
    if (!pass)
        return NULL;
    pass->load = ap->load;
    pass->store = ap->store;
    pass->indices = b->n;
    pass->plain = !b->general && !ahead->tiles && tile->algorithm == GF_GPU_PLAIN &&
                  !ap->filtered && !ap->convolution && !ap->rader && ap->across_axis < 0 &&
                  gf_gpu_joins(ap) == 1;
    pass->by_line = gf_gpu_turns_by_line(b, tile);
    pass->tile = *tile;
    if (b->general)
        gf_gpu_general_options(b, pass);
    else
        gf_gpu_axis_pass_options(b, tile, pass);
    if (ap->filtered) {
        gf_gpu_filter_options(p, pass);
        gf_gpu_option(
            pass, "-DSIDES=%d -DSIDE_STRIDE=%d -DFOLDED=%d", tile->sides, tile->side_stride,
            !p->job.whole.axes && gf_gpu_job_axis(&p->job, ap->axis) == gf_job_half_axis(&p->job));
    }
    pass->group = tile->threads;
    pass->kernel.local_bytes = tile->local_bytes;
    if (ahead->tiles) {
        gf_gpu_option(pass, "-DAHEAD_TILES=%d -DAHEAD_AT=%lld", ahead->tiles, (long long)ahead->at);
        pass->kernel.local_bytes = ahead->local_bytes;
    }
    GF_GPU_BUFFERS(pass, b->src->buffer_id, b->dst->buffer_id, GF_GPU_TABLES, GF_GPU_PARAMS,
                   ap->filtered ? gf_gpu_filter_buffer(p) : GF_GPU_ORDER, GF_GPU_COUNTERS);
    pass->args.pass = b->args;
    pass->args_bytes = sizeof b->args;
    if (gf_gpu_samples_out(ap) && !(ap->sample && gf_output_is_display(ap->sample)))
        pass->output = ap->output;
    gf_gpu_axis_pass_describe(b, tile, pass);
    return pass;
}

static int add_pass(struct gf_gpu_plan *p, const struct gf_gpu_axis_pass *ap,
                    const struct gf_gpu_space *src, const struct gf_gpu_space *dst) {
    struct gf_gpu_pass_builder b = {.p = p, .ap = ap, .src = src, .dst = dst};
    struct gf_gpu_tile_choice choice;
    add_indices(&b);
    if (b.n == 0)
        add_index(&b, ONE_LINE, (struct index_args){.count = 1});
    b.lines = count_lines(&b);
    b.chains = gf_gpu_axis_on(&p->job, 1) && gf_gpu_axis_on(&p->job, 2) &&
               gf_gpu_chains_planes(p, src->extent);
    gf_gpu_axis_pass_bytes(&b);
    int rc = choose_fast_index(&b, &choice);
    if (rc)
        return rc;
    struct gf_gpu_tile tile = choice.tile, general;
    drop_part_strides(&b);
    b.general = p->general && gf_gpu_general_tile(&b, &tile, &general);
    if (b.general)
        tile = general;
    if (!p->trial && b.general)
        gf_gpu_general_args(&b, &tile);
    else if (!p->trial)
        add_tables(&b, &tile);
    if (ap->keys)
        gf_gpu_range_args(&b, &tile);
    b.args.params = ap->output < 0 ? 0 : (int64_t)ap->output * GF_GPU_PARAMS_EACH;
    const struct gf_gpu_ahead ahead = gf_gpu_fetch_ahead(&b, &tile);
    struct gf_gpu_pass *pass = append(&b, &tile, &ahead);
    if (!pass)
        return GF_EUNSUPP;
    pass->cost = choice.cost;
    if (ap->keys)
        return gf_gpu_range_pass(&b, pass);
    return count_groups(&b, &tile, &ahead, &pass->groups);
}

int gf_gpu_add_axis_pass(struct gf_gpu_plan *p, const struct gf_gpu_axis_pass *ap,
                         const struct gf_gpu_space *src, const struct gf_gpu_space *dst) {
    struct gf_gpu_axis_pass keys = *ap;
    keys.keys = true;
    int rc = ap->range ? add_pass(p, &keys, src, dst) : 0;
    return rc ? rc : add_pass(p, ap, src, dst);
}
