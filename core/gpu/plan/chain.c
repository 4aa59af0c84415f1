/* Chooses which adjacent passes share a launch (kernels/fft_chain.cl, fft_planes.cl) and sets its
 * arguments. */

#include <math.h>

#include "core/gpu/plan/pass_builder.h"
#include "core/gpu/plan/decision.h"
#include "core/gpu/plan/pass.h"
#include "core/gpu/plan/tables.h"

/* Leaves room in the second-level cache for streamed data. */
enum { RING_BYTES = 28 << 20 };

/* Measured: strips of columns gain if both passes move this many times the device's chain_bytes;
 * planes gain up to PLANE_BYTES, planes of packed reals, which meet mirror images in other planes,
 * up to REAL_PLANE_BYTES. */
enum { COLUMNS_MOVE = 12, PLANE_BYTES = 2 << 20, REAL_PLANE_BYTES = 512 << 10 };

/* Measured: see set_ring(). */
static const double LEAD = 1.25;

/* Limits on a tile's lines, a work item's points and contiguous bytes. */
enum { MOST_LINES = 64, MOST_HELD = 16, LONG_SEGMENT = 256, SHORT_SEGMENT = 64 };
enum { LEAST_THREADS = 256 };

struct pair {
    const struct gf_gpu_pass *first, *second;
    struct gf_gpu_tile tile[2]; /* with equally many work items */
    int along[2];  /* index within a strip; -1: a strip is a plane, selected by the outermost
                    * index */
    bool mirrored; /* planes come with their mirror images */
    enum gf_gpu_buffer_id ring;  /* between the passes */
    bool in_place;               /* the second pass overwrites the first one's results */
    struct gf_gpu_planes planes; /* tiles that hold the intermediate data; count 0: none */
};

/* Finds the index along the other part of the axis: the only one that adds to the coordinate on
 * load or store. -1 if there is none, several, or it is the fast index. */
static int part_index(const struct gf_gpu_pass *pass, bool in) {
    int found = -1;
    for (int i = 0; i < pass->indices; i++) {
        const struct index_args *x = &pass->args.pass.index[i];
        if (!x->point_in && !x->point_out)
            continue;
        if (found >= 0 || i == 0 || !(in ? x->point_in : x->point_out))
            return -1;
        found = i;
    }
    return found;
}

/* Plans a tile again with the given lines and work items. */
static bool match_tile(const struct gf_gpu_plan *p, struct pair *pair, int which, int64_t lines,
                       int threads) {
    const struct gf_gpu_pass *pass = which ? pair->second : pair->first;
    const struct gf_gpu_tile *t = &pair->tile[which];
    const int64_t count = pass->args.pass.index[0].count;
    const bool halves = pass->store == STORE_ROW_HALVES || pass->load == LOAD_ROW_HALVES;
    if (t->threads == threads && t->lines == lines)
        return true;
    struct gf_gpu_tile_request request = {.length = t->length,
                                          .lines = (int)lines,
                                          .rows_in = t->rows_in,
                                          .rows_out = t->rows_out,
                                          .paired = pass->store == STORE_ROW_HALVES,
                                          .threads = threads,
                                          .precision = p->job.precision};
    if (lines > MOST_LINES || lines / 2 >= count || (halves && count % lines))
        return false;
    if (threads * t->lines >= 2 * t->threads * lines) /* too few points per item */
        return false;
    const int held = (int)gf_max(t->held, MOST_HELD);
    return !gf_gpu_tile_plan(&request, &p->props, &pair->tile[which]) && t->held <= held;
}

/* Gives both tiles equally many points by enlarging the smaller. Uses half as many if lines are
 * whole axes and columns stay long enough: more groups run concurrently and fewer wait. */
static bool match_points(const struct gf_gpu_plan *p, struct pair *pair) {
    const struct gf_gpu_tile *s = &pair->tile[0], *t = &pair->tile[1];
    const int64_t element = 2 * gf_gpu_word(&p->job);
    const int fewer = t->length * t->lines < s->length * s->lines;
    struct gf_gpu_tile *larger = &pair->tile[!fewer], *other = &pair->tile[fewer];
    int64_t lines = larger->lines;
    int threads = larger->threads;
    const bool whole = pair->first->args.pass.axis_size == s->length;
    if (whole && threads >= 2 * LEAST_THREADS && lines % 2 == 0 &&
        lines / 2 * element >= SHORT_SEGMENT) {
        lines /= 2;
        threads /= 2;
    }
    if (lines * larger->length % other->length)
        return false;
    return match_tile(p, pair, !fewer, lines, threads) &&
           match_tile(p, pair, fewer, lines * larger->length / other->length, threads);
}

/* Gives both tiles equally many lines, the smaller number if its segments are long enough. */
static bool match_lines(const struct gf_gpu_plan *p, struct pair *pair) {
    const int64_t element = 2 * gf_gpu_word(&p->job);
    const int fewer = pair->tile[1].lines < pair->tile[0].lines;
    const bool enough = pair->tile[fewer].lines * element >= LONG_SEGMENT;
    const int kept = enough ? fewer : !fewer;
    return match_tile(p, pair, !kept, pair->tile[kept].lines, pair->tile[kept].threads);
}

/* True for strips of columns: equally wide tiles, other indices in the same order. */
static bool are_columns(const struct gf_gpu_plan *p, struct pair *pair) {
    const struct gf_gpu_pass *a = pair->first, *b = pair->second;
    const struct gf_gpu_tile *s = &a->tile, *t = &b->tile;
    pair->along[0] = part_index(a, true);
    pair->along[1] = part_index(b, false);
    bool alike = pair->along[0] >= 0 && pair->along[1] >= 0 && !pair->in_place && s->lines > 1 &&
                 !s->rows_in && !s->rows_out && !t->rows_in && !t->rows_out &&
                 b->load == LOAD_COMPLEX && b->store == STORE_COMPLEX && a->indices == b->indices;
    for (int i = 0, j = 0; alike && i < a->indices; i++, j++) {
        i += i == pair->along[0];
        j += j == pair->along[1];
        if (i < a->indices && j < b->indices)
            alike = a->args.pass.index[i].count == b->args.pass.index[j].count;
    }
    return alike && match_lines(p, pair);
}

/* True if strips are planes, selected by the outermost index of both passes. They include mirror
 * images if the second pass reads both and that index is transformed. */
static bool are_planes(const struct gf_gpu_plan *p, struct pair *pair) {
    const struct gf_gpu_pass *a = pair->first, *b = pair->second;
    const int last = a->indices - 1;
    const struct index_args *x = &a->args.pass.index[last], *y = &b->args.pass.index[last];
    pair->along[0] = pair->along[1] = -1;
    pair->mirrored = b->load == LOAD_UNTANGLE && y->size;
    const int64_t most = b->load == LOAD_UNTANGLE ? REAL_PLANE_BYTES : PLANE_BYTES;
    for (int i = 0; i < last; i++) /* planes must not overlap */
        if (a->args.pass.index[i].out >= x->out || b->args.pass.index[i].in >= y->in)
            return false;
    return last > 0 && b->indices == a->indices && x->count == y->count && x->out == y->in &&
           !x->point_in && !x->point_out && !y->point_in && !y->point_out &&
           (!pair->mirrored || (!pair->in_place && x->count % 2 == 0)) &&
           (x->out << pair->mirrored) * 2 * gf_gpu_word(&p->job) <= most && match_points(p, pair);
}

bool gf_gpu_chains_planes(const struct gf_gpu_plan *p, const int64_t n[4]) {
    enum { LINE = 128, GROUPS_FIT = 3 }; /* bytes of a cache line */
    const int64_t row = n[2] * 2 * gf_gpu_word(&p->job), plane = n[1] * row;
    /* Rows that are transformed last, in a tile, are written as whole sectors. */
    const bool in_tile = gf_gpu_groups_fit(&p->props, plane) >= GROUPS_FIT && row % LINE == 0;
    return p->props.chain_bytes && plane <= PLANE_BYTES && !in_tile && n[3] == 1 &&
           plane * n[0] >= p->props.chain_bytes;
}

static bool is_plain(const struct gf_gpu_pass *pass) {
    return pass->kind == GF_GPU_PASS_AXIS && pass->plain && !pass->far;
}

/* A launch through the second-level cache uses the passes' own tiles, whose items move lines. */
static bool is_coalesced(const struct gf_gpu_pass *pass) {
    return pass->tile.coalesced_in || pass->tile.coalesced_out;
}

/* True if the pass can end a chain: its output is not counted for clipping. */
static bool can_end(const struct gf_gpu_plan *p, const struct gf_gpu_pass *pass) {
    return pass->output < 0
               ? pass->store == STORE_COMPLEX || pass->store == STORE_ROW_HALVES ||
                     (pass->store == STORE_HALVES && pass->load == LOAD_UNTANGLE)
               : pass->store == STORE_PAIR && !gf_dtype_is_integer(p->job.out[pass->output].dtype);
}

/* Chooses the buffer between the passes: the first one's destination or, if the first reads that
 * buffer too, the other work buffer. False if there is none, or if rows of different lengths would
 * make one pass overwrite what the other still reads. */
static bool find_ring(struct pair *pair) {
    const enum gf_gpu_buffer_id from = pair->first->buffer[0], to = pair->second->buffer[1];
    pair->ring = pair->first->buffer[1];
    if (from == to && !pair->in_place && pair->second->store != STORE_COMPLEX)
        return false;
    if (pair->in_place || pair->ring != from)
        return true;
    pair->ring = from == GF_GPU_A ? GF_GPU_B : GF_GPU_A;
    return pair->ring != to;
}

static bool can_meet(const struct gf_gpu_plan *p, const struct gf_gpu_pass *a,
                     const struct gf_gpu_pass *b) {
    const bool store = a->store == STORE_COMPLEX || a->store == STORE_TANGLE;
    return is_plain(a) && is_plain(b) && store &&
           (b->load == LOAD_COMPLEX || b->load == LOAD_UNTANGLE) && can_end(p, b) &&
           a->buffer[1] == b->buffer[0];
}

static bool can_chain(const struct gf_gpu_plan *p, struct pair *pair) {
    const struct gf_gpu_pass *a = pair->first, *b = pair->second;
    pair->in_place = a->buffer[1] == b->buffer[1];
    if (is_coalesced(a) || is_coalesced(b) || !find_ring(pair))
        return false;
    pair->tile[0] = a->tile;
    pair->tile[1] = b->tile;
    int64_t moved = a->summary.bytes_read + a->summary.bytes_written + b->summary.bytes_read +
                    b->summary.bytes_written;
    if (are_columns(p, pair))
        return moved >= COLUMNS_MOVE * p->props.chain_bytes;
    return are_planes(p, pair);
}

/* Tiles of a pass from one value of the index to the next. */
static int64_t tiles_below(const struct gf_gpu_pass *pass, int index, int64_t tiles) {
    for (int i = 1; i < index; i++)
        tiles *= pass->args.pass.index[i].count;
    return tiles;
}

static int64_t tiles_along(const struct gf_gpu_pass *pass, int lines) {
    return gf_divide_up(pass->args.pass.index[0].count, lines);
}

/* Lays out a strip of columns in its slot, in rows as long as the tile has lines. */
static void write_to_slot(struct pass_args *a, int along, int indices, int lines) {
    a->out_point = a->out_point / a->axis_out * lines;
    for (int i = 0; i < indices; i++)
        a->index[i].out = i == along ? a->index[i].out / a->axis_out * lines : i == 0;
}
static void read_from_slot(struct pass_args *a, int along, int indices, int lines) {
    a->in_point = a->in_point / a->axis_in * lines;
    for (int i = 0; i < indices; i++)
        a->index[i].in = i == along ? a->index[i].in / a->axis_in * lines : i == 0;
}

static void set_columns(const struct pair *pair, struct chain_args *args) {
    const struct gf_gpu_pass *a = pair->first, *b = pair->second;
    const int lines = pair->tile[0].lines;
    args->tiles = args->strips = tiles_along(a, lines);
    for (int i = 1; i < a->indices; i++)
        args->strips *= i == pair->along[0] ? 1 : a->args.pass.index[i].count;
    args->inner[0] = a->args.pass.index[pair->along[0]].count;
    args->inner[1] = b->args.pass.index[pair->along[1]].count;
    args->below[0] = tiles_below(a, pair->along[0], args->tiles);
    args->below[1] = tiles_below(b, pair->along[1], args->tiles);
    args->slot = a->args.pass.axis_size * lines;
    write_to_slot(&args->first, pair->along[0], a->indices, lines);
    read_from_slot(&args->second, pair->along[1], b->indices, lines);
}

static void set_planes(const struct pair *pair, struct chain_args *args) {
    const struct gf_gpu_pass *a = pair->first, *b = pair->second;
    const int last = a->indices - 1;
    args->tiles = args->below[0] = args->below[1] = 1;
    args->strips = a->args.pass.index[last].count;
    args->inner[0] = tiles_below(a, last, tiles_along(a, pair->tile[0].lines));
    args->inner[1] = tiles_below(b, last, tiles_along(b, pair->tile[1].lines));
    args->slot = a->args.pass.index[last].out;
    if (pair->mirrored) {
        args->strips /= 2;
        args->inner[0] *= 2;
        args->inner[1] *= 2;
        args->slot *= 2;
    }
    if (!pair->in_place)
        args->first.index[last].out = args->second.index[last].in = 0;
}

/* Groups per unit. */
static int together(const struct pair *pair) {
    return (int)gf_min(pair->tile[0].resident, pair->tile[1].resident);
}

/* The second pass follows one strip behind, plus LEAD times the tiles that run at once. A longer
 * lag loses cached data; a shorter one makes groups wait. False if strips are too large or too
 * few. */
static bool set_ring(const struct gf_gpu_plan *p, const struct pair *pair,
                     struct chain_args *args) {
    int64_t element = 2 * gf_gpu_word(&p->job);
    const int resident = together(pair);
    int64_t room = RING_BYTES / (args->slot * element);
    args->lag = 1 + (int64_t)ceil(LEAD * p->props.units * resident /
                                  (double)(args->inner[0] + args->inner[1]));
    args->slots = gf_min(2 * args->lag, room);
    if (args->slots < 2 || args->slots > args->strips)
        return false;
    if (args->lag >= args->slots)
        args->lag = args->slots - 1;
    if (pair->in_place) {
        args->slots = args->strips;
        args->slot = 0;
    }
    return (args->strips + args->lag) * (args->inner[0] + args->inner[1]) <= INT32_MAX;
}

/* Copies the pass's options whose names begin with one of `needed`, adding a prefix. */
static void carry_options(struct gf_gpu_pass *chain, const char *prefix,
                          const struct gf_gpu_pass *from, const char *const *needed, size_t n) {
    char text[sizeof from->kernel.options], *rest = text, *word;
    memcpy(text, from->kernel.options, sizeof text);
    while ((word = strsep(&rest, " ")))
        for (size_t i = 0; i < n; i++)
            if (strlen(word) > 2 && !strncmp(word + 2, needed[i], strlen(needed[i]))) {
                gf_gpu_option(chain, "-D%s%s", prefix, word + 2);
                break;
            }
}

static void set_divisors(const struct chain_args *args, struct gf_gpu_pass *chain) {
    for (int i = 0; i < 2; i++)
        gf_gpu_option(chain, "-DINNER%d=%lld -DBELOW%d=%lld", i, (long long)args->inner[i], i,
                      (long long)args->below[i]);
    gf_gpu_option(chain, "-DTILES=%lld -DSLOTS=%lld", (long long)args->tiles,
                  (long long)args->slots);
}

/* Combines both passes' options, the second one's with the prefix of chain_next.h. The first pass
 * writes no samples, the second reads none. */
static void set_options(const struct pair *pair, struct gf_gpu_pass *chain) {
    static const char *const both[] = {"UNIT_", "INDICES=",  "LOAD=",   "STORE=", "SPLIT=",
                                       "MULTI", "SCALED=",   "MIRROR=", "SHORT_", "WHOLE_",
                                       "NEAR_", "MIRRORED=", "FOLD_"};
    static const char *const own[] = {
        "DOUBLE", "DIR=",  "ALGORITHM=", "RADER_PART=", "FAR=",    "SUMS=",
        "IN_",    "KIND=", "SCALE=",     "SHIFTED=",    "DISPLAY="};
    static const char *const end[] = {"OUT_"};
    const struct gf_gpu_tile *s = &pair->tile[0], *t = &pair->tile[1];
    const size_t n = sizeof both / sizeof *both;
    carry_options(chain, "", pair->first, own, sizeof own / sizeof *own);
    gf_gpu_tile_options(chain, "", s);
    gf_gpu_option(chain, "-DTHREADS=%d", s->threads);
    carry_options(chain, "", pair->first, both, n);
    gf_gpu_tile_options(chain, "NEXT_", t);
    carry_options(chain, "NEXT_", pair->second, both, n);
    carry_options(chain, "", pair->second, end, 1);
}

/* Sets the launch's arguments, except for tables. */
static bool lay_out(const struct gf_gpu_plan *p, const struct pair *pair, struct chain_args *args) {
    args->first = pair->first->args.pass;
    args->second = pair->second->args.pass;
    if (pair->along[0] >= 0)
        set_columns(pair, args);
    else
        set_planes(pair, args);
    return set_ring(p, pair, args);
}

/* Estimates the saving of running pass i and the next in one launch; 0 if that is impossible or no
 * gain. */
static double gain_of(const struct gf_gpu_plan *p, int i, struct pair *pair,
                      struct chain_args *args) {
    const struct gf_gpu_pass *a = &p->pass[i], *b = &p->pass[i + 1];
    double cost = a->cost + b->cost;
    *pair = (struct pair){.first = a, .second = b};
    if (!can_meet(p, a, b))
        return 0;
    if (gf_gpu_planes_fit(p, a, b, &pair->planes, args)) {
        cost = pair->planes.cost;
        memcpy(pair->tile, pair->planes.tile, sizeof pair->tile);
    } else if (p->props.chain_bytes && a->summary.bytes_written >= p->props.chain_bytes &&
               a->store == STORE_COMPLEX && can_chain(p, pair) && lay_out(p, pair, args)) {
        cost = gf_gpu_chain_cost(a, b, (double)args->lag / (double)args->strips);
    }
    return fmax(0, a->cost + b->cost - cost);
}

double gf_gpu_chains_gain(const struct gf_gpu_plan *p, int first) {
    double gain = 0;
    for (int i = first; i + 1 < p->n_passes; i++) {
        struct pair pair;
        struct chain_args args;
        double of_two = gain_of(p, i, &pair, &args);
        gain += of_two;
        i += of_two > 0;
    }
    return gain;
}

/* Completes a launch whose second pass follows strips behind the first. */
static void use_ring(struct gf_gpu_plan *p, const struct pair *pair, const struct chain_args *args,
                     struct gf_gpu_pass *chain) {
    const struct gf_gpu_pass *a = pair->first, *b = pair->second;
    strcpy(chain->kernel.file, "fft_chain.cl");
    strcpy(chain->kernel.entry, "fft_chain");
    gf_gpu_option(chain, "-DPLANE_PAIRS=%d -DCHAIN_RESIDENT=%d", pair->mirrored, together(pair));
    set_divisors(args, chain);
    chain->groups = (args->strips + args->lag) * (args->inner[0] + args->inner[1]);
    GF_GPU_BUFFERS(chain, a->buffer[0], pair->ring, b->buffer[1], GF_GPU_TABLES, GF_GPU_PARAMS,
                   GF_GPU_CHAIN);
    const int64_t ring = args->slots * args->slot * 2 * gf_gpu_word(&p->job);
    p->bytes[pair->ring] = gf_max(p->bytes[pair->ring], ring);
    int64_t counters = 4 * (2 + 2 * args->strips);
    p->bytes[GF_GPU_CHAIN] = gf_max(p->bytes[GF_GPU_CHAIN], counters);
}

/* Completes a launch whose tiles hold planes. */
static void use_planes(const struct pair *pair, struct gf_gpu_pass *chain) {
    strcpy(chain->kernel.file, "fft_planes.cl");
    strcpy(chain->kernel.entry, "fft_planes");
    gf_gpu_option(chain, "-DPLANES=%d -DCHAIN_RESIDENT=%d", pair->planes.count,
                  pair->planes.resident);
    chain->groups = pair->planes.groups;
    GF_GPU_BUFFERS(chain, pair->first->buffer[0], pair->second->buffer[1], GF_GPU_TABLES,
                   GF_GPU_PARAMS);
}

static void make_chain(struct gf_gpu_plan *p, const struct pair *pair,
                       const struct chain_args *args) {
    const struct gf_gpu_tile *s = &pair->tile[0], *t = &pair->tile[1];
    struct gf_gpu_pass *chain = &p->chain[p->n_chains];
    *chain = (struct gf_gpu_pass){.kind = GF_GPU_PASS_CHAIN, .output = -1};
    set_options(pair, chain);
    chain->args.chain = *args;
    chain->args.chain.first.table_stage = gf_gpu_table_stages(&p->tables, s);
    chain->args.chain.second.table_stage = gf_gpu_table_stages(&p->tables, t);
    if (pair->first->by_line) {
        struct pass_args *turned = &chain->args.chain.first;
        turned->table_split =
            gf_gpu_table_lines(&p->tables, s, turned->index[0].count, &turned->table_split_low);
    }
    chain->group = s->threads;
    chain->kernel.local_bytes = gf_max(s->local_bytes, t->local_bytes);
    chain->args_bytes = sizeof *args;
    if (pair->planes.count)
        use_planes(pair, chain);
    else
        use_ring(p, pair, args, chain);
}

int gf_gpu_plan_chains(struct gf_gpu_plan *p) {
    for (int i = 0; i + 1 < p->n_passes && p->n_chains < GF_GPU_MAX_CHAINS; i++) {
        struct gf_gpu_pass *pass = &p->pass[i];
        struct pair pair;
        struct chain_args args;
        double gain = gain_of(p, i, &pair, &args), apart = pass->cost + pass[1].cost;
        if (gain <= 0)
            continue;
        struct gf_gpu_decision d = gf_gpu_decision_begin(p);
        bool joins = gf_gpu_decision_offer(&d, apart - gain, "one");
        joins = !gf_gpu_decision_offer(&d, apart, "two") && joins;
        const int rc = gf_gpu_decision_end(&d);
        if (rc)
            return rc;
        if (!joins)
            continue;
        make_chain(p, &pair, &args);
        for (int j = 0; j < 2; j++)
            pass[j].cost *= 1 - gain / apart;
        pass->chain = ++p->n_chains;
        size_t used = strlen(pass->summary.what);
        snprintf(pass->summary.what + used, sizeof pass->summary.what - used,
                 pair.planes.count ? ", in one tile with the next" : ", one launch with the next");
        if (pair.planes.count)
            pass->summary.bytes_written = pass[1].summary.bytes_read = 0;
        i++;
    }
    return 0;
}
