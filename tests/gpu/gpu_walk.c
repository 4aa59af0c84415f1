/* Enumerates what each pass reads and writes, as kernels/source.h, sink.h, load.cl, store.cl and
 * filter.cl do. */
#include "tests/gpu/gpu_walk.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    const struct gf_gpu_plan *p;
    int number; /* of the pass */
    const struct gf_gpu_pass *pass;
    unsigned char *mark[GF_GPU_N_BUFFERS]; /* which pass wrote this byte, + 1; NULL: not followed */
    int last[GF_GPU_N_BUFFERS];            /* the last to write here */
    int64_t broken;
    char *wrong;
    size_t size;
    /* The pass's. */
    int64_t length, lines, in_bytes, out_bytes;
    int load, store, indices, sides;
    bool multiply_in, multiply_out, mirror, shifted, mirrored, across;
    int join_z, join_y; /* rows that are joined, 1: none */
};

__attribute__((format(printf, 2, 3))) static void broken(struct walk *w, const char *format, ...) {
    va_list arguments;
    if (w->broken++)
        return;
    int used = snprintf(w->wrong, w->size, "pass %d (%s): ", w->number, w->pass->kernel.entry);
    va_start(arguments, format);
    vsnprintf(w->wrong + used, w->size - (size_t)used, format, arguments);
    va_end(arguments);
}

static bool inside(struct walk *w, enum gf_gpu_buffer_id buffer_id, int64_t at, int64_t bytes,
                   const char *what) {
    if (walk_option(w->pass, "FAR") == 0 && at > INT32_MAX)
        broken(w, "%s element %lld, beyond 32 bits", what, (long long)at);
    if (at >= 0 && (at + 1) * bytes <= w->p->bytes[buffer_id])
        return true;
    broken(w, "%s element %lld of %lld bytes of buffer %d, which has %lld", what, (long long)at,
           (long long)bytes, (int)buffer_id, (long long)w->p->bytes[buffer_id]);
    return false;
}

static void reads(struct walk *w, int64_t at) {
    enum gf_gpu_buffer_id buffer_id = w->pass->buffer[0];
    if (!inside(w, buffer_id, at, w->in_bytes, "reads") || !w->mark[buffer_id] ||
        buffer_id == GF_GPU_IN)
        return;
    for (int64_t i = at * w->in_bytes; i < (at + 1) * w->in_bytes; i++)
        if (w->mark[buffer_id][i] != w->last[buffer_id]) {
            broken(w, "reads element %lld of buffer %d, which no pass wrote", (long long)at,
                   (int)buffer_id);
            return;
        }
}

static void writes(struct walk *w, int64_t at) {
    enum gf_gpu_buffer_id buffer_id = w->pass->buffer[1];
    if (!inside(w, buffer_id, at, w->out_bytes, "writes") || !w->mark[buffer_id])
        return;
    for (int64_t i = at * w->out_bytes; i < (at + 1) * w->out_bytes; i++) {
        if (w->mark[buffer_id][i] == w->number + 1) {
            broken(w, "writes element %lld of buffer %d twice", (long long)at, (int)buffer_id);
            return;
        }
        w->mark[buffer_id][i] = (unsigned char)(w->number + 1);
    }
}

static void table(struct walk *w, int64_t at, const char *what) {
    if (at < 0 || at >= w->p->tables.count)
        broken(w, "%s: entry %lld of %lld", what, (long long)at, (long long)w->p->tables.count);
}

/* ---- passes along an axis: what kernels/source.h and sink.h do ---- */

struct spot {
    int64_t in, in_mirror, out, out_mirror, at_in, at_out, turn;
    bool lone, own;
};

static int64_t negated(int64_t k, int64_t n) {
    return k ? n - k : 0;
}

static struct spot spot_of(struct walk *w, const int64_t *at) {
    const struct pass_args *a = &w->pass->args.pass;
    struct spot s = {0};
    for (int i = 0; i < w->indices; i++) {
        const struct index_args *x = &a->index[i];
        int64_t k = at[i], m = x->size ? negated(k, x->size) : k;
        if (w->join_z * w->join_y > 1 && i == 0) {
            s.in += k / w->join_y * x->in + k % w->join_y * a->pair_in;
            s.out += k / w->join_y * x->out + k % w->join_y * a->pair_out;
            table(w, a->table_fold + at[walk_option(w->pass, "JOIN_AT_Z")] * (w->join_z - 1), "z");
            continue;
        }
        const int64_t pairs = w->across && i == 0 ? x->size / 2 : 0;
        s.in += (pairs ? k % pairs : k) * x->in;
        s.in_mirror += (pairs ? m % pairs : m) * x->in;
        if (pairs)
            table(w, a->table_fold + (m > k ? m : k), "root across");
        s.at_in += k * x->point_in;
        s.at_out += k * x->point_out;
        s.turn += k * x->turn;
        if (i == a->own_index)
            s.own = m == k;
        if (i == a->lone_index)
            s.lone = k == a->lone;
        if (x->size) {
            k = (k + x->centre) % x->size;
            m = (m + x->centre) % x->size;
        }
        s.out += k * x->out;
        s.out_mirror += m * x->out;
    }
    return s;
}

/* An element of a line, or of the two that it is made of. */
static void reads_line(struct walk *w, int64_t at) {
    reads(w, at);
    if (w->across)
        reads(w, at + w->pass->args.pass.index[0].in / 2);
}

static void read_point(struct walk *w, const struct spot *s, int64_t j) {
    const struct pass_args *a = &w->pass->args.pass;
    int64_t k = s->at_in + j * a->step_in, n = a->axis_size, at = s->in + j * a->in_point;
    if (w->multiply_in) {
        if (k >= a->limit)
            return;
        table(w, a->table_in + k, "multiplier in");
    }
    switch (w->load) {
    case LOAD_PAIR:
        reads(w, at);
        if (!s->lone)
            reads(w, at + a->pair_in);
        break;
    case LOAD_PACKED:
        reads(w, at);
        reads(w, s->in_mirror + j * a->in_point);
        table(w, a->table_split + j, "root");
        break;
    case LOAD_UNTANGLE:
        reads_line(w, s->in + (k >> 1) * a->axis_in);
        reads_line(w, s->in_mirror + (k >> 1) * a->axis_in);
        break;
    case LOAD_ROW_HALVES:
        if (w->mirrored) {
            reads(w, s->in + k * a->axis_in);
            reads(w, s->in + (n / 2 - k) * a->axis_in);
            table(w, a->table_fold + (k >> a->fold_bits), "root");
            table(w, a->table_fold_low + (k & (((int64_t)1 << a->fold_bits) - 1)), "low root");
            break;
        }
        /* every frequency once: this one, and with the first the last */
        reads(w, s->in + j * a->axis_in);
        if (j == 0)
            reads(w, s->in + w->length * a->axis_in);
        if (2 * j <= w->length)
            table(w, a->table_split + j, "root");
        break;
    case LOAD_HERMITIAN:
        if (2 * k <= n)
            reads(w, s->in + k * a->axis_in);
        if (2 * k >= n || k == 0)
            reads(w, s->in_mirror + negated(k, n) * a->axis_in);
        break;
    case LOAD_TWO_HALVES:
        k = 2 * k > n ? n - k : k;
        reads(w, s->in + k * a->axis_in);
        if (!s->lone)
            reads(w, s->in + a->pair_in + k * a->axis_in);
        break;
    default:
        if (w->sides == 2) { /* an even and an odd point */
            reads(w, at = s->in + 2 * j * a->in_point);
            at += a->in_point;
            table(w, a->table_split + j, "root");
        }
        reads_line(w, at);
    }
}

static void write_point(struct walk *w, const struct spot *s, int64_t j) {
    const struct pass_args *a = &w->pass->args.pass;
    int64_t k = s->at_out + j * a->step_out, n = a->axis_size, at = s->out + j * a->out_point;
    int64_t centre = w->shifted ? n / 2 : 0;
    if (w->multiply_out) {
        if (k >= a->limit)
            return;
        table(w, a->table_out + k, "multiplier out");
    }
    switch (w->store) {
    case STORE_PAIR:
        writes(w, at);
        if (!s->lone)
            writes(w, at + a->pair_out);
        break;
    case STORE_PACKED:
        writes(w, at);
        if (!s->own)
            writes(w, s->out_mirror + j * a->out_point);
        break;
    case STORE_HALVES:
        if (2 * k <= n)
            writes(w, s->out + k * a->axis_out);
        if (!s->own && a->own_index >= 0 && (2 * k >= n || k == 0))
            writes(w, s->out_mirror + negated(k, n) * a->axis_out);
        break;
    case STORE_SAMPLE:
        writes(w, s->out + (k + centre) % n * a->axis_out);
        if (w->mirror && !s->own)
            writes(w, s->out_mirror + (negated(k, n) + centre) % n * a->axis_out);
        break;
    default:
        if (w->sides == 2) {
            writes(w, at = s->out + 2 * j * a->out_point);
            at += a->out_point;
        }
        writes(w, at);
    }
}

/* Frequencies k and n/2 - k of a mirrored line, by the first of the two, or by the one that is its own
 * mirror image. */
static void write_mirrored(struct walk *w, const struct spot *s, int64_t line) {
    const struct pass_args *a = &w->pass->args.pass;
    const int64_t count = a->index[0].count, size = a->axis_size / 2;
    const bool own = !line || 2 * line == count;
    if (2 * line > count)
        return;
    for (int64_t i = 0; i < (own ? w->length / 2 : w->length); i++) {
        int64_t k = line + i * a->step_out;
        writes(w, s->out + k * a->axis_out);
        writes(w, s->out + (size - k) * a->axis_out);
        table(w, a->table_fold + (k >> a->fold_bits), "root");
        table(w, a->table_fold_low + (k & (((int64_t)1 << a->fold_bits) - 1)), "low root");
    }
    if (!line)
        writes(w, s->out + size / 2 * a->axis_out);
}

/* Two by two: packed along the line, or as half spectra. */
static void write_pairs(struct walk *w, const struct spot *s) {
    const struct pass_args *a = &w->pass->args.pass;
    bool tangle = w->store == STORE_TANGLE;
    int64_t partners = tangle ? (w->length + 1) / 2 : w->length / 2 + 1;
    for (int64_t i = 0; i < partners; i++) {
        writes(w, s->out + i * a->out_point);
        if (w->store == STORE_ROW_HALVES) {
            table(w, a->table_split + i, "twiddle");
            if (2 * i != w->length) /* in the middle the two are one */
                writes(w, s->out + (w->length - i) * a->out_point);
            continue;
        }
        if (tangle ? !s->own : !s->lone)
            writes(w, (tangle ? s->out_mirror : s->out + a->pair_out) + i * a->out_point);
    }
}

static void walk_line(struct walk *w, const int64_t *at, bool reading) {
    const struct pass_args *a = &w->pass->args.pass;
    struct spot s = spot_of(w, at);
    bool split = walk_option(w->pass, "SPLIT") >= 1;
    int64_t access = walk_option(w->pass, "ROW_ACCESS");
    if (access > 0 && (s.out * w->out_bytes % access || s.out_mirror * w->out_bytes % access ||
                       w->length * w->out_bytes % access))
        broken(w, "a row at %lld, which is not written %lld bytes an access", (long long)s.out,
               (long long)access);
    if (!reading && w->mirrored && w->store == STORE_ROW_HALVES) {
        write_mirrored(w, &s, at[0]);
        return;
    }
    if (!reading && (w->store == STORE_TANGLE || w->store == STORE_TWO_HALVES ||
                     w->store == STORE_ROW_HALVES)) {
        write_pairs(w, &s);
        return;
    }
    for (int64_t j = 0; j < w->length; j++) {
        if (reading) {
            read_point(w, &s, j);
            continue;
        }
        write_point(w, &s, j);
        if (split && w->pass->by_line) { /* a line of the tile's and result p + q below */
            const struct gf_gpu_tile *t = &w->pass->tile;
            const int64_t below = t->points / t->radix[t->stages - 1], lines = a->index[0].count;
            table(w, a->table_split + j % below * lines + s.turn, "twiddle");
            table(w, a->table_split_low + j / below * lines + s.turn, "step's twiddle");
        } else if (split) {
            int64_t k = s.turn * j;
            table(w, a->table_split + (k >> a->split_bits), "twiddle");
            if (a->split_bits)
                table(w, a->table_split_low + (k & (((int64_t)1 << a->split_bits) - 1)),
                      "low twiddle");
        }
    }
}

/* Kernels that evaluate a filter: all of its values are within the tables, or the table. */
static void walk_values(struct walk *w, const struct filter_args *f, const int64_t *last) {
    int64_t form = walk_option(w->pass, "FILTER"), end = 0;
    int64_t word = w->p->job.precision == GF_DOUBLE ? 8 : 4;
    for (int i = 0; i < 3; i++) {
        if (form == FILTER_FACTORS && f->at[i] &&
            (f->at[i] < FILTER_HEAD || f->at[i] + last[i] >= f->each))
            broken(w, "a low pass of %lld reals has none at %lld + %lld", (long long)f->each,
                   (long long)f->at[i], (long long)last[i]);
        end += f->at[i] * last[i];
    }
    if (form == FILTER_FACTORS && f->values + 2 * f->factors * f->each > 2 * w->p->tables.count)
        broken(w, "%lld factors of %lld reals from %lld on, in %lld", (long long)f->factors,
               (long long)f->each, (long long)f->values, (long long)w->p->tables.count);
    if (form != FILTER_FACTORS &&
        (end + 1) * word * (form == FILTER_COMPLEX ? 2 : 1) != w->p->bytes[GF_GPU_FILTER])
        broken(w, "the filter's table ends at %lld, in %lld bytes", (long long)end,
               (long long)w->p->bytes[GF_GPU_FILTER]);
}

/* The last index of each axis over the half spectrum. */
static void last_bins(const struct gf_job *job, int64_t *last) {
    for (int axis = 0; axis < 3; axis++) {
        int i = gf_gpu_job_axis(job, axis);
        int64_t n = i >= 0 ? job->shape[i] : 1;
        last[axis] = (i >= 0 && i == gf_job_half_axis(job) ? n / 2 + 1 : n) - 1;
    }
}

/* How many tiles of a display range's sample the pass takes, of all lines of a split axis' parts; the
 * bins of its lines are as many as the next pass looks through, and there is room for their keys. */
static int64_t walk_sampled(struct walk *w) {
    const struct pass_args *a = &w->pass->args.pass;
    const struct sample_lines *s = &a->sample;
    const struct gf_gpu_pass *next = w->pass + 1;
    int64_t lines = 1, bins = 1, tiles;
    for (int i = 0; i < 5; i++)
        if (i >= w->indices ? s->count[i] != 1 : s->count[i] < 1 || s->count[i] > a->index[i].count)
            broken(w, "%lld sampled indices of %lld", (long long)s->count[i],
                   (long long)a->index[i].count);
    tiles = (s->count[0] + w->lines - 1) / w->lines;
    for (int i = 0; i < 5; i++) {
        bins *= !s->stride[i] ? 1 : i == a->own_index ? s->size[i] : s->count[i];
        lines *= i ? s->count[i] : 1;
    }
    tiles *= lines;
    if (tiles != s->tiles)
        broken(w, "%lld tiles in the sample of %lld", (long long)tiles, (long long)s->tiles);
    if (next->kind != GF_GPU_PASS_SELECT || next->args.sample.count % bins ||
        next->args.sample.count * (int64_t)sizeof(uint32_t) > w->p->bytes[w->pass->buffer[1]] ||
        next->buffer[0] != w->pass->buffer[1] || next[1].buffer[0] != w->pass->buffer[0] ||
        walk_option(next + 1, "AWAITS_RANGE") != 1)
        broken(w, "the keys of %lld bins a place of a line, and %lld are looked through",
               (long long)bins, (long long)next->args.sample.count);
    return tiles;
}

/* A group a tile; or groups that fetch several tiles. */
static void check_groups(struct walk *w, const struct pass_args *a) {
    const struct gf_gpu_pass *pass = w->pass;
    int64_t tiles = (a->index[0].count + w->lines - 1) / w->lines;
    for (int i = 1; i < w->indices; i++)
        tiles *= a->index[i].count;
    if (walk_option(pass, "SAMPLED") == 1)
        tiles = walk_sampled(w);
    else if (a->sample.tiles)
        broken(w, "%lld tiles of a sample in a pass of all lines", (long long)a->sample.tiles);
    const int64_t fetched = walk_option(pass, "AHEAD_TILES"); /* by groups that have several */
    if (fetched > 0 ? tiles % fetched || pass->groups < 1 || pass->groups > tiles / fetched ||
                          a->index[0].count % (w->lines * fetched)
                    : tiles != pass->groups)
        broken(w, "%lld groups for %lld tiles", (long long)pass->groups, (long long)tiles);
}

static void walk_fft(struct walk *w, bool all) {
    const struct gf_gpu_pass *pass = w->pass;
    const struct pass_args *a = &pass->args.pass;
    int64_t word = w->p->job.precision == GF_DOUBLE ? 16 : 8, n = 1;
    w->length = pass->tile.length;
    w->lines = pass->tile.lines;
    w->load = pass->load;
    w->store = pass->store;
    w->indices = pass->indices;
    w->sides = pass->tile.sides;
    w->multiply_in = walk_option(pass, "MULTIPLY_IN") == 1;
    w->multiply_out = walk_option(pass, "MULTIPLY_OUT") == 1;
    w->mirror = walk_option(pass, "MIRROR") == 1;
    w->shifted = walk_option(pass, "SHIFTED") == 1;
    w->mirrored = walk_option(pass, "MIRRORED") == 1;
    w->across = walk_option(pass, "ACROSS") == 1;
    w->join_z = (int)llabs(walk_option(pass, "JOIN_Z"));
    w->join_y = (int)llabs(walk_option(pass, "JOIN_Y"));
    w->in_bytes = w->load == LOAD_PAIR || w->load == LOAD_REAL ? walk_type_bytes(pass, "IN") : word;
    w->out_bytes =
        w->store == STORE_PAIR || w->store == STORE_SAMPLE ? walk_type_bytes(pass, "OUT") : word;
    if (w->indices < 1 || w->indices > 5 || w->length < 1 || w->lines < 1) {
        broken(w, "%d indices, %lld lines of %lld points", w->indices, (long long)w->lines,
               (long long)w->length);
        return;
    }
    check_groups(w, a);
    for (int i = 0; i < w->indices; i++)
        n *= a->index[i].count;
    bool complex = w->load == LOAD_COMPLEX && w->store == STORE_COMPLEX;
    bool packed = w->load == LOAD_PACKED && w->store == STORE_PACKED;
    if (pass->buffer[0] == pass->buffer[1] && (!(complex || packed) || a->in_point != a->out_point))
        broken(w, "writes where it reads, elsewhere");
    int mirrored = 0;
    for (int i = 0; i < w->indices; i++)
        mirrored += a->index[i].size != 0;
    if (pass->buffer[0] == pass->buffer[1] && packed && mirrored > 1)
        broken(w, "two groups read a line that one of them writes");
    if (pass->kind == GF_GPU_PASS_FILTER_AXIS) {
        int64_t bins[3];
        last_bins(&w->p->job, bins);
        walk_values(w, &a->filter, bins);
    }
    for (int i = 0; i < w->indices && pass->buffer[0] == pass->buffer[1]; i++)
        if (a->index[i].in != a->index[i].out)
            broken(w, "writes where it reads, in another order");
    if (w->join_z * w->join_y > 1 && (w->lines != w->join_z * w->join_y ||
                                      pass->kernel.local_bytes < w->lines * w->length * word / 2))
        broken(w, "a tile does not have room for the rows that it joins");
    if (w->join_z * w->join_y > 1 &&
        (int64_t)pass->tile.held * pass->tile.threads != pass->tile.length * pass->tile.lines)
        broken(w, "the items do not hold the rows that they join");
    for (int reading = 1; reading >= (walk_option(pass, "SAMPLED") == 1); reading--)
        for (int64_t i = 0; i < n; i += all || i + n / 24 >= n ? 1 : n / 24 + 1) {
            int64_t at[5], rest = i;
            for (int k = 0; k < w->indices; k++) {
                at[k] = rest % a->index[k].count;
                rest /= a->index[k].count;
            }
            if (!all && n > 24 && i + n / 24 >= n) { /* and the very last one */
                for (int k = 0; k < w->indices; k++)
                    at[k] = a->index[k].count - 1;
                walk_line(w, at, reading);
                break;
            }
            walk_line(w, at, reading);
        }
}

/* ---- the other passes ---- */

static void walk_range(struct walk *w, bool all) {
    const struct range_args *a = &w->pass->args.range;
    bool real = strstr(w->pass->kernel.options, "-DREALS") != NULL;
    w->in_bytes = (w->p->job.precision == GF_DOUBLE ? 8 : 4) * (real ? 1 : 2);
    if (w->pass->kind == GF_GPU_PASS_RANGE_LAST)
        return;
    for (int64_t row = 0; row < a->rows; row += all || row == a->rows - 1 ? 1 : a->rows - 1) {
        int64_t at = 0, rest = row;
        for (int i = 0; i < 4; i++) {
            at += rest % a->extent[i] * a->step[i];
            rest /= a->extent[i];
        }
        for (int64_t i = 0; i < a->count; i++)
            reads(w, at + i * a->stride);
    }
}

/* The largest place that a choice of indices reaches; which they are is the sample's affair. */
static void walk_sample(struct walk *w) {
    const struct sample_args *a = &w->pass->args.sample;
    int64_t count = 1;
    if (w->pass->kind == GF_GPU_PASS_SELECT)
        return;
    for (int i = 0; i < 4; i++)
        count *= a->extent[i];
    if (count != a->count || w->pass->groups * w->pass->group < count)
        broken(w, "%lld groups for %lld bins", (long long)w->pass->groups, (long long)count);
    w->out_bytes = 4;
    if (count * w->out_bytes > w->p->bytes[w->pass->buffer[1]])
        broken(w, "writes %lld elements behind buffer %d", (long long)count,
               (int)w->pass->buffer[1]);
}

static void walk_loadstore(struct walk *w, bool load, bool all) {
    const struct gf_gpu_pass *pass = w->pass;
    const struct loadstore_args *a = &pass->args.loadstore;
    int64_t word = w->p->job.precision == GF_DOUBLE ? 8 : 4;
    int64_t work = a->channels * a->work[0] * a->work[1] * a->work[2];
    int64_t array = a->array[0] * a->array[1] * a->array[2] * a->channels;
    bool in_complex = walk_option(pass, "IN_COMPLEX") == 1;
    bool out_complex = walk_option(pass, "OUT_COMPLEX") == 1;
    w->in_bytes = load ? walk_type_bytes(pass, "IN") : word;
    w->out_bytes = load ? word : walk_type_bytes(pass, "OUT");
    w->in_bytes *= in_complex ? 2 : 1;
    w->out_bytes *= out_complex ? 2 : 1;
    int64_t in = load ? 1 : work, out = load ? work : array;
    for (int64_t i = all ? 0 : in - 1; i < in; i++)
        reads(w, i);
    for (int64_t i = all ? 0 : out - 1; i < out; i++)
        writes(w, i);
}

static void walk_filter(struct walk *w, bool all) {
    const struct filter_multiply_args *a = &w->pass->args.filter;
    int64_t n = a->channels * a->work[0] * a->work[1] * a->work[2], last[3];
    w->in_bytes = w->out_bytes = w->p->job.precision == GF_DOUBLE ? 16 : 8;
    last_bins(&w->p->job, last);
    walk_values(w, &a->filter, last);
    for (int64_t i = all ? 0 : n - 1; i < n; i++) {
        reads(w, i);
        writes(w, i);
    }
}

/* The work of kernels/transpose.cl. */
static void walk_transpose(struct walk *w, bool all) {
    const struct transpose_args *a = &w->pass->args.transpose;
    const bool back = walk_option(w->pass, "BACK") == 1;
    const int64_t rows = back ? a->height : a->numbers;
    w->in_bytes = w->out_bytes = w->p->job.precision == GF_DOUBLE ? 16 : 8;
    if (rows > a->height && !back)
        broken(w, "reads %lld numbers of columns that have %lld", (long long)rows,
               (long long)a->height);
    for (int64_t c = all ? 0 : a->channels - 1; c < a->channels; c++)
        for (int64_t k = all ? 0 : rows - 1; k < rows; k++)
            for (int64_t x = all ? 0 : a->columns - 1; x < a->columns; x++) {
                const int64_t number = k < a->numbers ? k : a->n - k;
                const int64_t plane = (c * a->height + k) * a->columns + x;
                const int64_t row = (x * a->numbers + number) * a->channels + c;
                reads(w, back ? row : plane);
                writes(w, back ? plane : row);
            }
}

int64_t walk_plan(const struct gf_gpu_plan *p, int64_t most, char *wrong, size_t size) {
    struct walk w = {.p = p, .wrong = wrong, .size = size};
    bool all = true, written[GF_GPU_N_BUFFERS] = {[GF_GPU_IN] = true};
    *wrong = 0;
    if (p->job.op == GF_DWT)
        return walk_wavelet(p, most, wrong, size);
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        all = all && p->bytes[i] <= most;
    for (int i = 0; i < GF_GPU_N_BUFFERS && all; i++)
        if (i <= GF_GPU_B || i >= GF_GPU_OUT)
            w.mark[i] = calloc((size_t)p->bytes[i] + 1, 1);
    for (int i = 0; i < p->n_passes; i++) {
        const struct gf_gpu_pass *pass = &p->pass[i];
        bool axis = pass->kind == GF_GPU_PASS_AXIS || pass->kind == GF_GPU_PASS_FILTER_AXIS;
        bool load = pass->kind == GF_GPU_PASS_LOAD, store = pass->kind == GF_GPU_PASS_STORE;
        bool filter = pass->kind == GF_GPU_PASS_MULTIPLY;
        bool transpose = pass->kind == GF_GPU_PASS_TRANSPOSE;
        w.number = i;
        w.pass = pass;
        if (!written[pass->buffer[0]])
            broken(&w, "reads buffer %d, which is empty", (int)pass->buffer[0]);
        for (int k = 0; k < pass->n_buffers; k++)
            if (!p->bytes[pass->buffer[k]])
                broken(&w, "buffer %d has no bytes", (int)pass->buffer[k]);
        if (pass->buffer[1] == GF_GPU_IN)
            broken(&w, "writes the input");
        if (axis)
            walk_fft(&w, all);
        else if (load || store)
            walk_loadstore(&w, load, all);
        else if (filter)
            walk_filter(&w, all);
        else if (transpose)
            walk_transpose(&w, all);
        else if (pass->kind == GF_GPU_PASS_SAMPLE || pass->kind == GF_GPU_PASS_SELECT)
            walk_sample(&w);
        else
            walk_range(&w, all);
        if (axis && walk_option(pass, "AWAITS_RANGE") == 1 &&
            (!i || pass[-1].kind != GF_GPU_PASS_SELECT))
            broken(&w, "awaits a range that the launch before does not find");
        written[pass->buffer[1]] = true;
        if ((axis && walk_option(pass, "SAMPLED") != 1) || load || store || filter || transpose)
            w.last[pass->buffer[1]] = i + 1;
    }
    for (int i = 0; i < p->job.n_out; i++) {
        int buffer_id = GF_GPU_OUT + i;
        if (!written[buffer_id])
            broken(&w, "output %d is not written", i);
        for (int64_t k = 0; k < p->bytes[buffer_id] && w.mark[buffer_id]; k++)
            if (w.mark[buffer_id][k] != w.last[buffer_id]) {
                broken(&w, "byte %lld of output %d is not written", (long long)k, i);
                break;
            }
    }
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++)
        free(w.mark[i]);
    return w.broken;
}
