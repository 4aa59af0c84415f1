/* One pass along an axis: which index is the lane, how many lanes a tile has, what it costs. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/gpu_plan.h"
#include "core/status.h"

struct gf_gpu_pass *gf_gpu_next_pass(struct gf_gpu_plan *p, const char *file, const char *entry) {
    if (p->n_passes == GF_MAX_PASSES) {
        gf_fail(GF_EUNSUPP, "a job of more than %d passes", (int)GF_MAX_PASSES);
        return NULL;
    }
    struct gf_gpu_pass *pass = &p->pass[p->n_passes++];
    *pass = (struct gf_gpu_pass){.output = -1};
    snprintf(pass->kernel.file, sizeof pass->kernel.file, "%s", file);
    snprintf(pass->kernel.entry, sizeof pass->kernel.entry, "%s", entry);
    if (p->job.precision == GF_DOUBLE)
        gf_gpu_option(pass, "-DDOUBLE");
    return pass;
}

void gf_gpu_option(struct gf_gpu_pass *pass, const char *format, ...) {
    char *text = pass->kernel.options;
    size_t used = strlen(text), size = sizeof pass->kernel.options;
    va_list arguments;
    if (used && used + 1 < size)
        text[used++] = ' ';
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void gf_gpu_type_options(struct gf_gpu_pass *pass, const char *which, enum gf_dtype type) {
    static const char *const names[GF_N_DTYPES] = {
        [GF_U8] = "uchar",  [GF_I8] = "schar",   [GF_U16] = "ushort", [GF_I16] = "short",
        [GF_U32] = "uint",  [GF_I32] = "int",    [GF_F32] = "float",  [GF_F64] = "double",
        [GF_C64] = "float", [GF_C128] = "double"};
    static const char *const pairs[GF_N_DTYPES] = {
        [GF_U8] = "uchar2",  [GF_I8] = "char2",    [GF_U16] = "ushort2", [GF_I16] = "short2",
        [GF_U32] = "uint2",  [GF_I32] = "int2",    [GF_F32] = "float2",  [GF_F64] = "double2",
        [GF_C64] = "float2", [GF_C128] = "double2"};
    gf_gpu_option(pass, "-D%s_T=%s -D%s_T2=%s", which, names[type], which, pairs[type]);
    if (strcmp(which, "OUT"))
        return;
    bool integer = gf_dtype_is_integer(type);
    double low = 0, high = 0;
    if (integer)
        gf_dtype_range(type, &low, &high);
    /* -2147483648 is no literal: the minus sign stands before a number one too large. */
    gf_gpu_option(pass, "-DOUT_INTEGER=%d -DOUT_SMALL=%d -DOUT_LOW=%s%.0f%s -DOUT_HIGH=%.0f%s",
                  integer, gf_dtype_size(type) <= 2, low < -2e9 ? "(-" : "(",
                  low < -2e9 ? -low - 1 : low, low < -2e9 ? "-1)" : ")", high,
                  high > 3e9 ? "u" : "");
}

/* Share of the device's copy bandwidth that segments of so many bytes reach, read or written, each
 * apart at a large stride. Measured on a Hopper GPU, where sectors of 32 bytes are the least that
 * moves, and pixels written one by one cost more than floats. */
static double share(double segment, bool written, int element) {
    static const struct {
        double bytes, read, write;
    } table[] = {
        {16, 0.44, 0.12}, {32, 0.68, 0.70}, {64, 0.75, 0.80}, {128, 0.91, 0.87}, {256, 0.95, 0.95}};
    enum { N = sizeof table / sizeof *table };
    if (element < 4) { /* pixels: by their number */
        segment *= (written ? 8.0 : 16.0) / element / 2;
        written = false;
    }
    if (segment <= table[0].bytes)
        return (written ? table[0].write : table[0].read) * segment / table[0].bytes;
    for (int i = 1; i < N; i++)
        if (segment <= table[i].bytes) {
            double t = (segment - table[i - 1].bytes) / (table[i].bytes - table[i - 1].bytes);
            double a = written ? table[i - 1].write : table[i - 1].read;
            double b = written ? table[i].write : table[i].read;
            return a + t * (b - a);
        }
    return 0.95;
}

struct leg {
    struct gf_gpu_plan *p;
    const struct gf_gpu_leg *leg;
    const struct gf_gpu_space *src, *dst;
    struct pass_args args; /* indices in any order */
    int axis[5];           /* which axis an index runs along; 4 and up: a part of the leg's own */
    int n;                 /* indices */
    int64_t in_bytes, out_bytes; /* of one element as it stands in memory */
    int64_t in_step, out_step;   /* from point to point in memory, elements */
    double lines, read, written; /* in all; bytes */
};

static void add_index(struct leg *l, int axis, struct index_args index) {
    if (l->n >= 5)
        return; /* five is what three spatial axes, channels and parts come to */
    l->axis[l->n] = axis;
    l->args.index[l->n++] = index;
}

static int64_t full_size(const struct gf_job *job, int axis) {
    int i = gf_gpu_job_axis(job, axis);
    return axis == 3 ? (job->luma ? 1 : job->channels) : i >= 0 ? job->shape[i] : 1;
}

static bool samples_out(const struct gf_gpu_leg *g) {
    return g->store == STORE_SAMPLE || g->store == STORE_PAIR;
}
static bool samples_in(const struct gf_gpu_leg *g) {
    return g->load == LOAD_PAIR || g->load == LOAD_REAL;
}

/* Ends that address by the point's coordinate along the axis, and not by its number. */
static bool by_coordinate_in(const struct gf_gpu_leg *g) {
    return g->load == LOAD_UNTANGLE || g->load == LOAD_HERMITIAN || g->load == LOAD_TWO_HALVES ||
           g->rader == 1;
}
static bool by_coordinate_out(const struct gf_gpu_leg *g) {
    return g->store == STORE_SAMPLE || g->store == STORE_HALVES || g->rader == 3;
}

/* The indices beside the point's: the other axes, and what is left of the leg's own. */
static void add_indices(struct leg *l) {
    const struct gf_gpu_leg *g = l->leg;
    const struct gf_job *job = &l->p->job;
    const struct gf_gpu_space *src = l->src, *dst = l->dst;
    bool pair_in = g->load == LOAD_PAIR || g->load == LOAD_TWO_HALVES;
    bool pair_out = g->store == STORE_PAIR || g->store == STORE_TWO_HALVES;
    l->args.lone = l->args.lone_index = l->args.own_index = -1;
    for (int axis = 0; axis < 4; axis++) {
        if (axis == g->axis)
            continue;
        bool pairs = axis == g->pair_axis, own = axis == g->own_axis;
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

static double count_lines(const struct leg *l) {
    double lines = 1;
    for (int i = 0; i < l->n; i++)
        lines *= (double)l->args.index[i].count;
    return lines;
}

/* Bytes that the pass reads and writes, every element once. */
static void count_bytes(struct leg *l) {
    const struct gf_gpu_leg *g = l->leg;
    double points = (double)g->length, elements = l->lines * points;
    int64_t complex = l->p->job.precision == GF_DOUBLE ? 16 : 8;
    int64_t in = samples_in(g) ? (int64_t)gf_dtype_size(g->in_type) : complex;
    int64_t out = samples_out(g) ? (int64_t)gf_dtype_size(g->out_type) : complex;
    l->in_bytes = in;
    l->out_bytes = out;
    l->read = elements * (double)in * (g->load == LOAD_PAIR ? 2 : 1);
    if (g->convolution && g->multiply_in) /* what is past the end is not read */
        l->read *= (double)l->args.axis_size / (double)g->convolution;
    l->written = elements * (double)out * (g->store == STORE_PAIR ? 2 : 1);
    if (g->convolution && g->multiply_out && g->dir != 0 && samples_out(g))
        l->written *= (double)l->args.axis_size / (double)g->convolution;
    if (g->store == STORE_SAMPLE && g->mirror)
        l->written *= 2;
    if (g->load == LOAD_PACKED) { /* two lines each */
        l->read *= 2;
        l->written *= 2;
    }
    if (g->filtered)
        l->read += (double)l->p->bytes[GF_GPU_FILTER];
}

/* The lane: the index whose neighbours stand closest together in memory. */
static void choose_lane(struct leg *l) {
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

/* Bytes that stand side by side in memory and are moved together: along the line where its points
 * are neighbours, across the lanes where those are; less where other elements stand between. */
static double run_of(int64_t step, int64_t lane, int64_t points, int lines, int64_t bytes) {
    int64_t near = step < lane || lines == 1 ? step : lane;
    double run = (double)(near == step ? points : lines) * (double)bytes;
    if (near > 1 && near * bytes >= 32)
        return (double)bytes;
    return run;
}

static double cost_of(const struct leg *l, const struct gf_gpu_tile *t) {
    const struct index_args *lane = &l->args.index[0];
    double run_in = run_of(l->in_step, lane->in, t->length, t->lines, l->in_bytes);
    double run_out = run_of(l->out_step, lane->out, t->length, t->lines, l->out_bytes);
    if (l->leg->load == LOAD_PAIR && l->args.pair_in == 1)
        run_in *= 2;
    if (l->leg->load == LOAD_TWO_HALVES && l->args.pair_in == 1 && lane->in == 2)
        run_in = 2.0 * t->lines * (double)l->in_bytes;
    if (l->leg->store == STORE_PAIR && l->args.pair_out == 1)
        run_out *= 2;
    double full =
        (double)((lane->count + t->lines - 1) / t->lines * t->lines) / (double)lane->count;
    double cost = l->read / share(run_in, false, (int)l->in_bytes) +
                  l->written / share(run_out, true, (int)l->out_bytes);
    /* Arithmetic hides behind memory only where there is something else to work on meanwhile. */
    double points = l->lines * (double)l->leg->length * full;
    /* A filter's table across its rows: neighbouring lines share what the second level cache holds.
     */
    if (l->leg->filtered && l->args.filter_along != 1)
        cost += 3 * (double)l->p->bytes[GF_GPU_FILTER];
    /* There and back, twice the arithmetic wants twice the others to hide behind. */
    if (t->algorithm != GF_GPU_PLAIN && !l->p->props.is_cpu)
        cost *= 1 + 0.8 * fmax(0, 1 - t->resident * t->threads / 1024.0);
    double word = l->p->job.precision == GF_DOUBLE ? 2 : 1;
    cost *= (t->resident > 1 ? 1 : 1.25) * (1 + t->threads / 20000.0);
    /* A line's whole convolution keeps the tile's memory busy: two permutations at random besides
     * the exchanges of two transforms. */
    bool prime = t->algorithm == GF_GPU_BLUESTEIN || t->algorithm == GF_GPU_RADER;
    double busy = l->p->props.is_cpu ? 4 : prime ? (t->rows_in ? 2.8 : 2.1) : 0.7;
    return cost + points * t->work * word * busy;
}

/* Whether the line's even and odd points can be two lines that an item holds. */
static bool can_halve(const struct leg *l, int lines) {
    const struct gf_gpu_leg *g = l->leg;
    return g->filtered && g->load == LOAD_COMPLEX && g->length % 2 == 0 && g->length > 2 &&
           l->args.in_point == 1 && l->args.out_point == 1 && lines == 1;
}

/* The cheapest tile of so many lines, one or two of which an item holds. */
static int plan_tile(const struct leg *l, struct gf_gpu_tile_wish *wish, struct gf_gpu_tile *best) {
    struct gf_gpu_tile tile;
    int rc = gf_gpu_tile_plan(wish, &l->p->props, best);
    if (!can_halve(l, wish->lines))
        return rc;
    wish->length /= 2;
    wish->sides = 2;
    if (gf_gpu_tile_plan(wish, &l->p->props, &tile))
        return rc;
    if (rc || cost_of(l, &tile) < cost_of(l, best))
        *best = tile;
    return 0;
}

static int choose_tile(struct leg *l, struct gf_gpu_tile *best, double *best_cost) {
    const struct gf_gpu_leg *g = l->leg;
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
        struct gf_gpu_tile_wish wish = {
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
        if (plan_tile(l, &wish, &tile))
            continue;
        double cost = cost_of(l, &tile);
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
static void drop_doubles(struct leg *l) {
    for (int i = 0; i < l->n; i++) {
        struct index_args *x = &l->args.index[i];
        if (x->point_in && by_coordinate_in(l->leg))
            x->in = 0;
        if (x->point_out && by_coordinate_out(l->leg))
            x->out = 0;
    }
}

static int add_tables(struct leg *l, const struct gf_gpu_tile *t) {
    const struct gf_gpu_leg *g = l->leg;
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

static void say(const struct leg *l, const struct gf_gpu_tile *t, struct gf_gpu_pass *pass) {
    static const char *const from[] = {
        [LOAD_COMPLEX] = "",
        [LOAD_UNTANGLE] = "packed spectrum, ",
        [LOAD_HERMITIAN] = "half spectrum, ",
        [LOAD_TWO_HALVES] = "half spectrum, ",
        [LOAD_PACKED] = "",
        [LOAD_ROW_HALVES] = "half spectrum, ",
    };
    static const char *const to[] = {
        [STORE_COMPLEX] = "",
        [STORE_HALVES] = " -> half spectrum",
        [STORE_TANGLE] = " -> packed",
        [STORE_TWO_HALVES] = " -> half spectrum",
        [STORE_ROW_HALVES] = " -> half spectrum",
        [STORE_PACKED] = "",
    };
    const struct gf_gpu_leg *g = l->leg;
    char tile[80], end[40] = "";
    if (t->sides == 2) /* two half lines and what joins them */
        gf_gpu_tile_describe_twice(t, tile, sizeof tile);
    else
        gf_gpu_tile_describe(t, tile, sizeof tile);
    if (g->store == STORE_SAMPLE)
        snprintf(end, sizeof end, " -> %s%s%s", gf_kind_name(g->sample->kind), " ",
                 gf_dtype_name(g->out_type));
    else if (g->store == STORE_PAIR)
        snprintf(end, sizeof end, " -> %s", gf_dtype_name(g->out_type));
    bool part = g->before[0] * g->before[1] > 1 || g->after > 1;
    snprintf(pass->summary.what, sizeof pass->summary.what, "%c: %s%s%s%s%s, tiles of %d%s%s",
             "zyxc"[g->axis], part ? "part " : "", samples_in(g) ? gf_dtype_name(g->in_type) : "",
             samples_in(g) ? ", " : from[g->load], tile,
             g->store == STORE_SAMPLE || g->store == STORE_PAIR ? end : to[g->store], t->lines,
             t->rows_in ? " rows" : " columns",
             g->filtered      ? ", there and back with the filter"
             : g->rader       ? ", Rader"
             : g->convolution ? ", Bluestein"
                              : "");
    pass->summary.bytes_read = (int64_t)l->read;
    pass->summary.bytes_written = (int64_t)l->written;
}

/* A pair's samples side by side, and every pair at an even place: one access moves both. */
static bool pairs_are_near(const struct leg *l, bool in, bool neighbours) {
    const struct pass_args *a = &l->args;
    bool near = neighbours || ((in ? a->pair_in : a->pair_out) == 1 && a->lone < 0 &&
                               (in ? a->in_point : a->out_point) % 2 == 0);
    for (int i = 0; i < l->n; i++)
        near = near && (in ? a->index[i].in : a->index[i].out) % 2 == 0;
    return near;
}

/* Whether elements of one line are within 32 bits of each other. */
static bool is_short(const struct leg *l, int64_t stride) {
    int64_t points = l->args.axis_size;
    if (l->leg->convolution > points)
        points = l->leg->convolution;
    return points * stride < (int64_t)1 << 31;
}

static void set_options(const struct leg *l, const struct gf_gpu_tile *t,
                        struct gf_gpu_pass *pass) {
    const struct gf_gpu_leg *g = l->leg;
    gf_gpu_option(pass,
                  "-DLENGTH=%lld -DPOINTS=%d -DLINES=%d -DTHREADS=%d -DSTAGES=%d -DHELD=%d "
                  "-DRESIDENT=%d",
                  (long long)t->length, t->points, t->lines, t->threads, t->stages, t->held,
                  t->resident);
    for (int i = 0; i < t->stages; i++)
        gf_gpu_option(pass, "-DRADIX%d=%d", i, t->radix[i]);
    gf_gpu_option(pass,
                  "-DDIR=%d -DALGORITHM=%d -DROWS_IN=%d -DROWS_OUT=%d -DUNIT_IN=%d "
                  "-DUNIT_OUT=%d -DINDICES=%d",
                  g->dir, (int)t->algorithm, t->rows_in, t->rows_out, l->args.in_point == 1,
                  l->args.out_point == 1, l->n);
    gf_gpu_option(pass, "-DPAD_EVERY=%d -DIDX_STRIDE=%d -DLINE_STRIDE=%d -DWHOLE=%d", t->pad_every,
                  t->index_stride, t->line_stride, t->whole);
    gf_gpu_option(pass, "-DLOAD=%d -DSTORE=%d -DSPLIT=%d -DMULTIPLY_IN=%d -DMULTIPLY_OUT=%d",
                  g->load, g->store, g->after > 1 || g->both, g->multiply_in, g->multiply_out);
    bool whole = g->length == l->args.axis_size && !g->convolution;
    gf_gpu_option(pass, "-DSCALED=%d -DMIRROR=%d -DRADER_PART=%d", g->scaled, g->mirror, g->rader);
    gf_gpu_option(pass, "-DSHORT_IN=%d -DSHORT_OUT=%d", is_short(l, l->args.axis_in),
                  is_short(l, l->args.axis_out));
    gf_gpu_option(pass, "-DWHOLE_IN=%d -DWHOLE_OUT=%d -DUNIT_AXIS_IN=%d -DUNIT_AXIS_OUT=%d", whole,
                  whole, l->args.axis_in == 1, l->args.axis_out == 1);
    /* Two complex numbers are one access in single precision alone. */
    bool two = t->sides == 2 && g->load == LOAD_COMPLEX, wide = l->p->job.precision == GF_DOUBLE;
    bool halves = g->load == LOAD_TWO_HALVES;
    gf_gpu_option(pass, "-DNEAR_IN=%d -DNEAR_OUT=%d",
                  (g->load == LOAD_PAIR || ((halves || two) && !wide)) &&
                      pairs_are_near(l, true, two),
                  (g->store == STORE_PAIR || (two && !wide)) && pairs_are_near(l, false, two));
    if (samples_in(g))
        gf_gpu_type_options(pass, "IN", g->in_type);
    if (samples_out(g))
        gf_gpu_type_options(pass, "OUT", g->out_type);
    if (g->store == STORE_SAMPLE)
        gf_gpu_option(pass, "-DKIND=%d -DSCALE=%d -DSHIFTED=%d -DDISPLAY=%d", (int)g->sample->kind,
                      (int)g->sample->scale, g->sample->shift,
                      g->sample->map == GF_MAP_DISPLAY && gf_dtype_is_integer(g->out_type));
    if (g->store == STORE_SAMPLE) {
        bool small_in =
            gf_dtype_is_integer(l->p->job.in_dtype) && gf_dtype_size(l->p->job.in_dtype) <= 2;
        gf_gpu_option(pass, "-DBOUNDED=%d -DCOARSE=%d",
                      l->p->job.direction == GF_FORWARD && small_in,
                      !(l->p->job.precision == GF_DOUBLE) && gf_dtype_is_integer(g->out_type) &&
                          gf_dtype_size(g->out_type) <= 2);
    } else
        gf_gpu_option(pass, "-DKIND=0 -DSCALE=0 -DSHIFTED=0 -DDISPLAY=0");
}

int gf_gpu_add_leg(struct gf_gpu_plan *p, const struct gf_gpu_leg *leg,
                   const struct gf_gpu_space *src, const struct gf_gpu_space *dst, double *cost) {
    struct leg l = {.p = p, .leg = leg, .src = src, .dst = dst};
    struct gf_gpu_tile tile;
    add_indices(&l);
    choose_lane(&l);
    l.lines = count_lines(&l);
    count_bytes(&l);
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
    set_options(&l, &tile, pass);
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
    const enum gf_gpu_place buffers[] = {src->place,    dst->place,   GF_GPU_TABLES,
                                         GF_GPU_PARAMS, GF_GPU_ORDER, GF_GPU_COUNTERS};
    memcpy(pass->buffer, buffers, sizeof buffers);
    if (leg->filtered)
        pass->buffer[4] = gf_gpu_filter_place(p);
    pass->n_buffers = 6;
    pass->args.pass = l.args;
    pass->args_bytes = sizeof l.args;
    pass->cost = *cost;
    if (samples_out(leg))
        pass->output = leg->output;
    say(&l, &tile, pass);
    return 0;
}
