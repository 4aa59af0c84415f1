/* Searches for the best tile: radices, work items per line, memory layout. */
#include "core/gpu/plan/tile.h"

#include <string.h>

#include "core/base/value/factor.h"
#include "core/base/value/status.h"

/* The straight-line DFTs of kernels/radix.h, with their cost per point relative to an exchange. The
 * `rare` ones save an exchange for lengths with large primes; for others, measurements show as many
 * losses as gains. */
static const struct {
    int radix;
    double cost;
    bool rare;
} codelets[] = {
    {31, 3.4, false}, {29, 3.2, false}, {25, 1.4, false}, {23, 2.6, false}, {22, 1.6, true},
    {20, 1.3, false}, {19, 2.2, false}, {18, 1.3, true},  {17, 2.0, false}, {16, 0.9, false},
    {15, 1.1, false}, {14, 1.2, true},  {13, 1.6, false}, {12, 0.9, false}, {11, 1.4, false},
    {10, 0.9, false}, {9, 0.9, false},  {8, 0.7, false},  {7, 1.0, false},  {6, 0.7, false},
    {5, 0.7, false},  {4, 0.5, false},  {3, 0.5, false},  {2, 0.4, false},
};
enum { CODELETS = sizeof codelets / sizeof *codelets, LARGEST = 31 };

/* A work item's registers besides its points, and a compute unit's, 32 bits each. */
enum { OVERHEAD = 24, REGISTERS = 65536, MOST_REGISTERS = 255, MOST_THREADS = 1024 };

/* Removes the prime factors of n up to `most`. */
static int64_t without_primes(int64_t n, int most) {
    for (int d = 2; d <= most; d++)
        while (n % d == 0)
            n /= d;
    return n;
}

/* A large prime needs registers for sums and differences besides its results. */
static bool is_wide(int radix) {
    return radix > 13 && gf_is_prime(radix);
}

/* Factor for a stage that is not divided evenly. */
static const double uneven = 1.04;

static bool is_coalesced(const struct gf_gpu_tile_request *request) {
    return request->coalesced_in || request->coalesced_out;
}

struct search {
    const struct gf_gpu_tile_request *request;
    const struct gf_gpu_props *props;
    int points;
    bool rader, rare; /* including rare codelets */
    bool convolution; /* two transforms, load and store need registers too */
    int radix[GF_GPU_MAX_STAGES];
    int members, member_stages, member_radix[GF_GPU_MAX_MEMBERS];
    struct gf_gpu_tile best;
    double best_time;
};

/* True if two radices are equal, so that they can be first and last. */
static bool closes(const struct search *s, int stages) {
    for (int i = 1; i < stages; i++)
        if (s->radix[i] == s->radix[i - 1])
            return true;
    return false;
}

/* Cost of a stage with this many work items per line and the given exchange. Raises `held`, an
 * item's points, and `wide`, the largest radix that needs registers for half as many more. If some
 * items lack a butterfly in the last turn, every access tests for it: with odd radices alone,
 * passes of 2187 points took a sixth longer. */
static double stage_time(const struct search *s, int points, int radix, int per_line,
                         double exchange, int *held, int *wide) {
    int turns = gf_divide_up(points / radix, per_line);
    double each = 0;
    for (int c = 0; c < CODELETS; c++)
        if (codelets[c].radix == radix)
            each = codelets[c].cost;
    *held = (int)gf_max(*held, turns * radix);
    *wide = is_wide(radix) && radix > *wide ? radix : *wide;
    double share = (double)turns * radix * per_line / points; /* idle items count */
    if (s->convolution) /* less, as the tile's memory is the bottleneck */
        share = 1 + 0.3 * (share - 1);
    else if (points % 2 && points / radix % per_line && !s->props->is_cpu)
        share *= uneven;
    return share * (each + exchange);
}

/* Cost of all stages; members' run once, the others twice. */
static double stages_time(const struct search *s, int stages, int per_line, int *held, int *wide) {
    const int length = s->points + s->members;
    double time = 0;
    *held = *wide = 0;
    for (int i = 0; i < stages; i++)
        time += stage_time(s, s->points, s->radix[i], per_line, i ? 1.0 : 0.0, held, wide);
    for (int i = 0; i < s->member_stages; i++)
        time += 0.5 * length / s->points *
                stage_time(s, length, s->member_radix[i], per_line, 1.0, held, wide);
    return time;
}

/* Sets how many groups a unit's registers can hold, and how many the compiler must allow for. The
 * compiler needs a few more registers than this counts, and holding fewer groups costs less than
 * spilling points to memory: on an H200, rows of 96 take 16% less time, of 1024 doubles 13%. Each
 * quarter of the registers serves whole warps. */
static void set_groups(struct search *s, int registers, int threads) {
    enum { SMALL = 64, SPARE = 16, WARP = 32, QUARTERS = 4 };
    const bool plain = !s->convolution && !s->rader && !s->request->filtered;
    s->best.resident = s->best.bound = REGISTERS / (registers * threads);
    if (plain && (threads <= SMALL || (is_coalesced(s->request) && registers > 64)))
        s->best.bound =
            REGISTERS / QUARTERS / ((registers + SPARE) * WARP) * QUARTERS * WARP / threads;
}

/* Tries this many work items per line and keeps the best radices. */
static void try_width(struct search *s, int stages, int per_line) {
    const struct gf_gpu_props *props = s->props;
    int threads = per_line * s->request->lines, held, wide;
    int limit = (int)gf_min(props->max_group, MOST_THREADS);
    if (per_line < s->members || threads > limit ||
        (s->request->threads && threads != s->request->threads))
        return;
    double time = stages_time(s, stages, per_line, &held, &wide);
    bool single = s->request->precision == GF_SINGLE;
    int words = single ? 2 : 4;
    /* A convolution transforms twice and keeps the addresses of its load and store: fewer points
     * per work item and more other registers, most of all for a large radix with permuted rows. */
    int most = !s->convolution ? 64 : single ? 50 : 32;
    int beside = s->convolution ? OVERHEAD + 22 : OVERHEAD;
    if (s->convolution && s->request->rows_in && held > 16)
        beside += 24;
    if (s->request->filtered) { /* plus the filter's values */
        beside = OVERHEAD + 24;
        words *= s->request->sides;
        if (stages > 1 && !closes(s, stages))
            time += 0.5;
        if (s->request->sides == 2) /* combined in registers */
            time += 0.4;
    }
    if (s->request->staged && held <= 8) /* more than butterflies of few points need */
        beside += 10;
    if (is_coalesced(s->request)) /* positions of elements to move */
        beside += 16;
    if (s->rader && held * words <= 24) /* addresses and butterflies share registers */
        beside -= 16;
    if (held * words > most && held > wide)
        return;
    /* Sums and differences of a large prime; in a convolution half of them share the addresses'
     * registers. */
    int registers = held * words + wide / (s->convolution ? 4 : 2) * words + beside;
    registers = (registers + 7) / 8 * 8;
    int warps = gf_divide_up(threads, 32) * 32;
    if (!props->is_cpu && (registers > MOST_REGISTERS || registers * warps > REGISTERS))
        return;
    /* Many points per item leave few items to hide latency; partial warps waste the unit; many
     * warps wait for each other. */
    double idle = (double)(warps - threads) / threads * (s->convolution ? 1 : 0.1);
    time *= 1 + 0.004 * held + idle + 0.00005 * threads;
    /* A group alone on its unit leaves the unit idle while it waits. */
    if (REGISTERS / (registers * warps) < 2)
        time *= 1.25;
    /* At equal cost, prefer fewer exchanges. */
    time += 0.01 * stages;
    if (time >= s->best_time)
        return;
    s->best_time = time;
    s->best.stages = stages;
    memcpy(s->best.radix, s->radix, sizeof s->radix);
    s->best.member_stages = s->member_stages;
    memcpy(s->best.member_radix, s->member_radix, sizeof s->member_radix);
    s->best.threads = threads;
    s->best.held = held;
    s->best.work = time;
    set_groups(s, registers, warps);
}

static bool can_use(const struct search *s, int codelet, int points) {
    return points % codelets[codelet].radix == 0 && (s->rare || !codelets[codelet].rare);
}

/* Tries all factorisations of the members, and all widths that divide a stage evenly in a few
 * turns. */
static void search_members(struct search *s, int stages, int rest, int first) {
    if (rest == 1) {
        const int length = s->points + s->members;
        for (int i = 0; i < stages + s->member_stages; i++) {
            int butterflies =
                i < stages ? s->points / s->radix[i] : length / s->member_radix[i - stages];
            for (int turns = 1; turns <= 4; turns++)
                try_width(s, stages, gf_divide_up(butterflies, turns));
        }
        return;
    }
    if (s->member_stages == GF_GPU_MAX_MEMBERS)
        return;
    for (int c = first; c < CODELETS; c++) {
        if (!can_use(s, c, rest))
            continue;
        s->member_radix[s->member_stages++] = codelets[c].radix;
        search_members(s, stages, rest / codelets[c].radix, c);
        s->member_stages--;
    }
}

/* Tries all factorisations of the points, radices descending. */
static void search(struct search *s, int stages, int rest, int first) {
    if (rest == 1 && stages) {
        search_members(s, stages, s->members, 0);
        return;
    }
    if (stages == GF_GPU_MAX_STAGES)
        return;
    for (int c = first; c < CODELETS; c++) {
        if (!can_use(s, c, rest))
            continue;
        s->radix[stages] = codelets[c].radix;
        search(s, stages + 1, rest / codelets[c].radix, c);
    }
}

enum { UNPADDED = 1 << 30 }; /* words between those of padding */

/* A radix's results are that radix apart, so a warp would write to few banks; one word of padding
 * after each block separates them. Longer blocks do as well, and if all strides are multiples of
 * the block, one address serves all of an item's reads. A stride of twice an odd number uses half of
 * the banks: `alone`, neighbouring items would meet at the padding in every later read and write,
 * which costs more than meeting once. On an H200 rows of 10000 points take 0.90 of the time without
 * padding, of 11648 0.94, of 7000 0.95, of 2500 0.96; in double precision of 10000 0.88 to 0.93. */
static int padding(const struct gf_gpu_tile *t, int across, bool alone) {
    int first = t->member_stages ? t->member_radix[0] : t->radix[0];
    const bool odd = first % 2; /* uses every bank */
    if (odd || (alone && first % 4 == 2 && first > 2))
        return UNPADDED;
    if (first & (first - 1) || first >= across)
        return first;
    for (int i = 0; i < t->stages; i++)
        if (t->points / t->radix[i] % across)
            return first;
    return across;
}

static void lay_out(struct gf_gpu_tile *t, const struct gf_gpu_tile_request *request) {
    int banks = request->precision == GF_DOUBLE || t->whole ? 16 : 32, held_slots;
    int slots = t->points > t->length || t->algorithm == GF_GPU_PLAIN ? t->points : (int)t->length;
    bool rows = request->rows_in || request->rows_out;
    bool coalesced = is_coalesced(request);
    const bool alone = rows && t->lines == 1 && t->algorithm == GF_GPU_PLAIN && !request->staged &&
                       !request->paired && !request->filtered;
    t->pad_every = coalesced && t->lines >= banks
                       ? UNPADDED
                       : padding(t, rows ? banks : gf_divide_up(banks, t->lines), alone);
    held_slots = slots + (slots - 1) / t->pad_every + !coalesced;
    if (coalesced) {
        /* Adjacent items take adjacent lines or adjacent points. */
        const int want = gf_divide_up(banks, t->lines);
        while (held_slots % (2 * want) != want)
            held_slots++;
        t->index_stride = 1;
        t->line_stride = held_slots;
    } else if (!rows) {
        t->index_stride = t->lines;
        t->line_stride = 1;
    } else {
        t->index_stride = 1;
        /* Adjacent lines at the same index should not share a bank either. */
        int want = request->rows_in && request->rows_out ? 0 : gf_divide_up(banks, t->lines);
        while (want && held_slots % banks != want % banks)
            held_slots++;
        t->line_stride = held_slots;
    }
    int64_t word = (request->precision == GF_DOUBLE ? 8 : 4) * (t->whole ? 2 : 1);
    t->sides = (int)gf_max(request->sides, 1);
    t->side_stride = held_slots * t->lines;
    t->local_bytes = (int64_t)t->side_stride * t->sides * word;
}

/* A convolution whose first and last radix are equal finds the second transform's points where the
 * first leaves them. */
static void close_ring(struct gf_gpu_tile *t) {
    for (int i = 0; i < t->stages; i++)
        for (int j = i + 1; j < t->stages; j++)
            if (t->radix[i] == t->radix[j]) {
                int last = t->stages - 1, swap = t->radix[0];
                t->radix[0] = t->radix[i];
                t->radix[i] = swap;
                swap = t->radix[last];
                t->radix[last] = t->radix[j];
                t->radix[j] = swap;
                return;
            }
}

/* Puts last a radix whose points, length / radix apart, begin whole sectors of a row: parts of
 * sectors are slow to write. */
static void write_sectors(struct gf_gpu_tile *t, enum gf_precision precision) {
    const int sector = precision == GF_SINGLE ? 4 : 2, last = t->stages - 1;
    for (int i = last; i >= 0; i--)
        if (t->points / t->radix[i] % sector == 0) {
            const int radix = t->radix[i];
            memmove(&t->radix[i], &t->radix[i + 1], (size_t)(last - i) * sizeof radix);
            t->radix[last] = radix;
            return;
        }
}

static void order_radices(struct gf_gpu_tile *t, const struct gf_gpu_tile_request *request) {
    if (t->algorithm != GF_GPU_PLAIN || request->filtered)
        close_ring(t);
    else if (request->rows_out && !request->paired)
        write_sectors(t, request->precision);
}

/* Plans a tile of `members` transforms, or convolutions, of `each` points. */
static int plan_points(const struct gf_gpu_tile_request *request, const struct gf_gpu_props *props,
                       enum gf_gpu_algorithm algorithm, int64_t members, int64_t each,
                       struct gf_gpu_tile *tile) {
    const int64_t points = members * each;
    struct search s = {.request = request,
                       .props = props,
                       .points = (int)points,
                       .members = (int)members,
                       .rader = algorithm == GF_GPU_RADER,
                       .rare = algorithm == GF_GPU_RADER || without_primes(points, 11) > 1,
                       .convolution = algorithm != GF_GPU_PLAIN,
                       .best_time = 1e30};
    if (points < 1 || points > 1 << 17 ||
        (is_coalesced(request) && (algorithm != GF_GPU_PLAIN || request->words == 1)))
        return GF_EUNSUPP;
    /* A single point, which the planner never requests, has no stage. */
    search(&s, 0, (int)each, 0);
    if (s.best_time >= 1e30)
        return GF_EUNSUPP;
    struct gf_gpu_tile *t = &s.best;
    t->length = request->length;
    t->lines = request->lines;
    t->rows_in = request->rows_in;
    t->rows_out = request->rows_out;
    t->coalesced_in = request->coalesced_in;
    t->coalesced_out = request->coalesced_out;
    t->algorithm = algorithm;
    t->points = (int)points;
    t->members = (int)members;
    order_radices(t, request);
    bool idle = t->stages == 1 && algorithm == GF_GPU_PLAIN && !request->paired &&
                !request->staged && !is_coalesced(request);
    const bool complex = is_coalesced(request) || request->words == 2;
    for (int whole = request->words != 1; whole >= complex; whole--) {
        t->whole = whole;
        lay_out(t, request);
        if (idle)
            t->local_bytes = 16;
        /* Complex words halve the barriers, real ones the space. */
        int fits = gf_gpu_groups_fit(props, t->local_bytes);
        if (t->local_bytes <= props->local_bytes && (fits >= t->resident || fits >= 8))
            break;
    }
    if (t->local_bytes > props->local_bytes)
        return GF_EUNSUPP;
    t->resident = (int)gf_max(gf_min(gf_gpu_groups_fit(props, t->local_bytes), t->resident), 1);
    /* A unit's four quarters have separate register files, so warps must divide evenly among
     * them. */
    while (request->filtered && t->resident > 4 && t->resident * gf_divide_up(t->threads, 32) % 4)
        t->resident--;
    t->bound = (int)gf_max(gf_min(t->resident, t->bound), 1);
    if (algorithm != GF_GPU_PLAIN)
        t->work = 2 * t->work * (double)points / (double)request->length;
    if (request->filtered)
        t->work *= 2;
    t->work += request->coalesced_in + request->coalesced_out;
    *tile = *t;
    return 0;
}

bool gf_gpu_has_codelets(int64_t n) {
    return without_primes(n, LARGEST) == 1;
}

int gf_gpu_tile_plan(const struct gf_gpu_tile_request *request, const struct gf_gpu_props *props,
                     struct gf_gpu_tile *tile) {
    const int64_t n = request->length, prime = without_primes(n, LARGEST);
    if (request->both)
        return prime == 1 ? plan_points(request, props, GF_GPU_BOTH_WAYS, 1, n, tile) : GF_EUNSUPP;
    if (prime == 1)
        return plan_points(request, props, GF_GPU_PLAIN, 1, n, tile);
    if (request->filtered) /* no tile holds two convolutions and the filter */
        return GF_EUNSUPP;
    if (gf_is_prime(prime) && gf_gpu_has_codelets(prime - 1) &&
        !plan_points(request, props, GF_GPU_RADER, n / prime, prime - 1, tile))
        return 0;
    return plan_points(request, props, GF_GPU_BLUESTEIN, 1, gf_factor_smooth_length(2 * n - 1),
                       tile);
}

void gf_gpu_tile_describe(const struct gf_gpu_tile *t, int joined, char *text, size_t size) {
    static const char *const how[] = {" =", ": Bluestein over", ": Rader over",
                                      " there and back ="};
    int used = snprintf(text, size, "%lld", (long long)t->length * joined);
    for (int i = 0; i < t->member_stages; i++)
        used +=
            snprintf(text + used, size - (size_t)used, "%s%d", i ? "·" : " = ", t->member_radix[i]);
    if (t->member_stages)
        used += snprintf(text + used, size - (size_t)used, "·%d", t->points / t->members + 1);
    used += snprintf(text + used, size - (size_t)used, "%s", how[t->algorithm]);
    if (t->algorithm == GF_GPU_BLUESTEIN || t->algorithm == GF_GPU_RADER)
        used += snprintf(text + used, size - (size_t)used, " %d =", t->points / t->members);
    if (joined > 1 && used < (int)size)
        used += snprintf(text + used, size - (size_t)used, " %d", joined);
    for (int i = 0; i < t->stages && used < (int)size; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%d", i || joined > 1 ? "·" : " ",
                         t->radix[i]);
}
