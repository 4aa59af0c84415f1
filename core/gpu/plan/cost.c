/* Estimates traffic and cost of a pass along an axis. */

#include <math.h>

#include "core/gpu/plan/pass_builder.h"

/* The unit of cost is one byte copied by the device. The constants were fitted to 1600 passes of 44
 * jobs, chosen and random, on an NVIDIA H200 (4.24 TB/s read plus write); three quarters of the
 * passes, and the totals of all jobs but the smallest, are within 15%. Refitted to 40 passes on an
 * H100, they predict others three times as well but choose no better: of 60 jobs some would be 9 to
 * 17% slower. */

/* A launch costs at least 3 us; a pass along an axis 1.3 us, as it starts while the previous one
 * finishes. On an NVIDIA H100 (3.01 TB/s) 1.3 to 2.4 us predicted best. */
static const double launch_bytes = 13e6, axis_launch_bytes = 5.5e6;

/* Cost of bytes that the next pass of a launch reads from the second-level cache, relative to
 * memory. Measured on the same GPU. */
static const double kept_share = 0.4;

/* Cost of a second read by the next group, relative to the first. */
static const double again_share = 0.28;

/* One more exchange and radix, in the units of tile.c. */
static const double join_work = 1.6;

double gf_gpu_chain_cost(const struct gf_gpu_pass *first, const struct gf_gpu_pass *second,
                         double alone) {
    double kept = (double)(first->summary.bytes_written + second->summary.bytes_read);
    double both = first->cost + second->cost - axis_launch_bytes - kept_share * kept;
    return both * (1 + alone);
}

double gf_gpu_launch_cost(const struct gf_gpu_props *props) {
    return props->is_cpu ? 0 : launch_bytes;
}

double gf_gpu_queue_cost(const struct gf_gpu_props *props) {
    static const double queue_bytes = 12e6;
    return props->is_cpu ? 0 : queue_bytes;
}

/* Excess time over a copy for segments of this many bytes, `stride` bytes apart: 0.2 means 20%
 * longer. The table holds for strides of 64 KiB. */
static double delay(double segment, bool written, double stride) {
    static const struct {
        double bytes, read, write;
    } table[] = {{16, 0.938, 3.144},
                 {32, 0.756, 0.55},
                 {64, 0.220, 0.221},
                 {128, 0.210, 0},
                 {256, 0.189, 0}};
    enum { N = sizeof table / sizeof *table };
    double far = 1;
    if (stride > 0) /* segments of a row are closer in cache and page terms */
        far = fmin(fmax(1 + (written ? 0.040 : 0.044) * log2(stride / 65536), 0.2), 3);
    if (segment <= table[0].bytes) /* a whole sector is moved */
        return far *
               ((1 + (written ? table[0].write : table[0].read)) * table[0].bytes / segment - 1);
    if (segment >= table[N - 1].bytes)
        return far * (written ? table[N - 1].write : table[N - 1].read) *
               (stride > 0 ? 1 : table[N - 1].bytes / segment);
    int i = 1;
    while (segment > table[i].bytes)
        i++;
    double t = log2(segment / table[i - 1].bytes) / log2(table[i].bytes / table[i - 1].bytes);
    double near = written ? table[i - 1].write : table[i - 1].read;
    return far * (near + t * ((written ? table[i].write : table[i].read) - near));
}

/* For samples smaller than a float, the number of samples decides. */
static double sample_delay(double segment, bool written) {
    return (written ? 8.6 : 14) / segment;
}

void gf_gpu_axis_pass_bytes(struct gf_gpu_pass_builder *b) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    double points = (double)ap->length, elements = b->lines * points;
    int64_t complex = 2 * gf_gpu_word(&b->p->job);
    int64_t in = gf_gpu_samples_in(ap) ? (int64_t)gf_dtype_size(ap->in_type) : complex;
    int64_t out = gf_gpu_samples_out(ap) ? (int64_t)gf_dtype_size(ap->out_type) : complex;
    b->in_bytes = in;
    b->out_bytes = out;
    b->read = elements * (double)in * (ap->load == LOAD_PAIR ? 2 : 1);
    if (ap->convolution && ap->multiply_in) /* points past the end are not read */
        b->read *= (double)b->args.axis_size / (double)ap->convolution;
    b->written = elements * (double)out * (ap->store == STORE_PAIR ? 2 : 1);
    if (ap->convolution && ap->multiply_out && ap->dir != 0 && gf_gpu_samples_out(ap))
        b->written *= (double)b->args.axis_size / (double)ap->convolution;
    if (ap->store == STORE_SAMPLE && ap->mirror)
        b->written *= 2;
    if (ap->store == STORE_HALVES && ap->mirror_axis < 0) /* a line is its own mirror image */
        b->written /= 2;
    if (ap->load == LOAD_PACKED) { /* two lines each */
        b->read *= 2;
        b->written *= 2;
    }
    if (ap->filtered)
        b->read += (double)b->p->bytes[GF_GPU_FILTER];
}

/* Contiguous bytes moved at once: along the line if its points are adjacent, across the fast index
 * if lines are; fewer if other elements lie between. */
static double run_of(int64_t step, int64_t fast, int64_t points, int lines, int64_t bytes) {
    int64_t near = step < fast || lines == 1 ? step : fast;
    double run = (double)(near == step ? points : lines) * (double)bytes;
    if (near > 1 && near * bytes >= 32)
        return (double)bytes;
    /* Scattered within a sector, which is moved whole. Pairs of samples are two lines of a tile. */
    if (near >= 4)
        return 32.0 / (double)near;
    return run;
}

/* Sectors touched by segments of columns beyond the fewest that could hold them, relative to these:
 * unless points (`step` bytes apart) and lines are whole sectors apart, most segments touch one
 * more. 0 for rows, which have step 0. */
static double sectors(const struct gf_gpu_pass_builder *b, bool in, double segment, int64_t step) {
    enum { SECTOR = 32 };
    const int64_t bytes = in ? b->in_bytes : b->out_bytes;
    int64_t apart = step, unit = SECTOR;
    if (!step || bytes < 4 || b->p->props.is_cpu)
        return 0;
    for (int i = 1; i < b->n; i++)
        apart |= (in ? b->args.index[i].in : b->args.index[i].out) * bytes;
    while (apart % unit)
        unit /= 2;
    return (double)(SECTOR - unit) / fmax(segment, SECTOR);
}

/* Memory accesses and arithmetic overlap partially. */
static double together(double memory, double arithmetic, bool is_cpu) {
    static const double p = 1.392; /* infinite for full overlap */
    return is_cpu ? memory + arithmetic : pow(pow(memory, p) + pow(arithmetic, p), 1 / p);
}

/* Excess time over a copy for rows whose work items move less than two sectors, or partial sectors,
 * per access: other items request these sectors again, and the first-level cache keeps fewer of
 * them for longer rows. Measured on the same GPU with rows of 5 to 128 points; longer rows keep the
 * fitted value. */
static double rows_delay(const struct gf_gpu_tile *t, bool rows, int64_t bytes) {
    enum { SECTOR = 32, MOST_POINTS = 128 };
    const int64_t run = t->threads / t->lines * bytes;
    const bool whole = run >= 2 * SECTOR && (run % SECTOR == 0 || t->length > MOST_POINTS);
    if (!rows || t->algorithm != GF_GPU_PLAIN || t->lines == 1 || t->length <= 4 || whole)
        return 0;
    return 0.15 + fmax(0, (double)SECTOR / (double)run - 1) / 3 * (0.3 + 0.19 * t->held);
}

/* True for a transform of complex numbers or floats, to which plain_cost() is fitted. */
static bool is_plain(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    const bool halves = ap->load == LOAD_TWO_HALVES || ap->store == STORE_TWO_HALVES ||
                        ap->load == LOAD_ROW_HALVES || ap->store == STORE_ROW_HALVES;
    return !b->p->props.is_cpu && t->algorithm == GF_GPU_PLAIN && b->in_bytes >= 4 &&
           b->out_bytes >= 4 && !halves && !ap->filtered && !ap->keys && ap->across_axis < 0 &&
           gf_gpu_joins(ap) == 1;
}

bool gf_gpu_is_rows(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    return is_plain(b, t) && (t->rows_in || t->coalesced_in) && (t->rows_out || t->coalesced_out) &&
           b->in_step == 1 && b->out_step == 1;
}

static double memory_cost(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    const struct index_args *fast = &b->args.index[0];
    const struct gf_gpu_axis_pass *ap = b->ap;
    /* Half of the mirrored lines are adjacent; a folded point is two samples. */
    const bool pairs = ap->fold && gf_gpu_is_part(ap);
    const int half = t->lines / 2;
    double run_in = run_of(b->in_step, fast->in, t->length,
                           pairs && ap->load == LOAD_ROW_HALVES ? half : t->lines, b->in_bytes);
    double run_out = run_of(b->out_step, fast->out, t->length,
                            pairs && ap->store == STORE_ROW_HALVES ? half : t->lines, b->out_bytes);
    run_in *= t->coalesced_in ? t->lines : 1;
    run_out *= t->coalesced_out ? t->lines : 1;
    if (pairs && ap->load == LOAD_PAIR)
        run_in *= 2;
    if (pairs && ap->store == STORE_PAIR)
        run_out *= 2;
    if (b->ap->load == LOAD_TWO_HALVES && b->args.pair_in == 1 && fast->in == 2)
        run_in = 2.0 * t->lines * (double)b->in_bytes;
    const struct gf_gpu_ahead ahead = gf_gpu_fetch_ahead(b, t);
    if (ahead.tiles)
        run_in *= ahead.tiles;
    const int64_t from = t->rows_in || t->coalesced_in ? 0 : b->in_step * b->in_bytes;
    const int64_t to = t->rows_out || t->coalesced_out ? 0 : b->out_step * b->out_bytes;
    double in = b->in_bytes < 4 ? sample_delay(run_in, false) : delay(run_in, false, (double)from);
    double out = b->out_bytes < 4 ? sample_delay(run_out, true) : delay(run_out, true, (double)to);
    in += rows_delay(t, t->rows_in && gf_gpu_can_coalesce(b, true), b->in_bytes);
    out += rows_delay(t, t->rows_out && gf_gpu_can_coalesce(b, false),
                      ap->store == STORE_TWO_HALVES ? b->out_bytes / 2 : b->out_bytes);
    double reads = 1;
    if (pairs && ap->load == LOAD_ROW_HALVES) /* of each frequency, and of shared sectors */
        reads = half * b->in_bytes < 32 ? 2.6 : 1.3;
    if (ap->across_axis >= 0) /* two lines each, the second read from a cache */
        reads += again_share;
    /* A shared sector is moved again, but often between caches. */
    const double share = is_plain(b, t) ? 0.6 : 1;
    return reads * b->read * (1 + in) * (1 + share * sectors(b, true, run_in, from)) +
           b->written * (1 + out) * (1 + share * sectors(b, false, run_out, to));
}

/* Cost of a four-step twiddle per point: shared or adjacent, mostly products of a few from two short
 * tables, or random access to a long one. */
static double split_cost(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    if (!b->args.index[0].turn || gf_gpu_turns_by_line(b, t))
        return 1;
    return b->ap->length * b->ap->after > 1 << 16 ? 1.2 : 13;
}

/* Arithmetic and exchanges, twiddles of split lines, and sample conversion. */
static double arithmetic_cost(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    const struct index_args *fast = &b->args.index[0];
    double full = (double)(gf_divide_up(fast->count, t->lines) * t->lines) / (double)fast->count;
    double points = b->lines * (double)b->ap->length * full;
    bool prime = t->algorithm == GF_GPU_BLUESTEIN || t->algorithm == GF_GPU_RADER;
    if (b->p->props.is_cpu)
        return points * t->work * 4;
    const double work = t->work + (gf_gpu_joins(b->ap) > 1 ? join_work : 0);
    double cost = points * work * (prime ? 3.035 : 0.700);
    if (gf_gpu_is_turned(b->ap))
        cost += points * split_cost(b, t);
    if (gf_gpu_is_mirrored(b->ap))
        cost += points * 8.3;
    if (b->in_bytes < 4)
        cost += 0.75 * b->read;
    if (b->out_bytes < 4)
        cost += 4.4 * b->written;
    return cost;
}

/* Groups of the pass per compute unit. */
static double groups_of_unit(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    int64_t fast = b->args.index[0].count;
    double tiles = (double)gf_divide_up(fast, t->lines), units = b->p->props.units;
    return tiles * b->lines / (double)fast / units;
}

/* Factor for passes with one group per unit. Measured for columns of 1024 points 4 to 8 MiB apart,
 * where each segment is in its own page and 64-byte segments lose more; and for lines with four or
 * more radices (2187 to 4095 points if odd; 2500 and 4000 in double precision), whose many
 * exchanges would hide other groups' memory accesses. */
static double alone_share(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    enum { PAGE = 2 << 20 };
    const bool pages = !t->rows_in && !t->rows_out && b->in_step * b->in_bytes > PAGE &&
                       b->out_step * b->out_bytes > PAGE;
    const bool odd = t->points % 2 && t->algorithm == GF_GPU_PLAIN;
    if (t->stages > 3)
        return odd || b->p->job.precision == GF_DOUBLE ? 1.6 : 1.253;
    return pages ? 1.08 : 1.253;
}

/* Factor on the bytes of one side of rows. The work items of a line move one point after another of
 * their butterflies, which lie length / radix points apart. They touch more sectors than there are
 * if such segments begin or end within one; `partial` is what these cost, relative to whole ones. A
 * warp that moves short segments of several lines is slower too. */
static double row_share(const struct gf_gpu_tile *t, int radix, int64_t bytes, double partial) {
    enum { SECTOR = 32 };
    const int64_t apart = t->length / radix, items = gf_min(t->threads / t->lines, apart);
    int64_t touched = 0;
    for (int64_t line = 0; line < 4; line++)
        for (int64_t at = 0; at < t->length;
             at += at % apart + items < apart ? items : apart - at % apart) {
            const int64_t first = (line * t->length + at) * bytes;
            const int64_t last = first + gf_min(items, apart - at % apart) * bytes - 1;
            touched += last / SECTOR - first / SECTOR + 1;
        }
    const double least = 4 * (double)(t->length * bytes) / SECTOR;
    const double shorter = t->lines == 1 ? 0 : fmax(0, 2.0 * SECTOR / (double)(items * bytes) - 1);
    return 1 + partial * ((double)touched / least - 1) + 0.08 * shorter;
}

/* Work items that a unit runs at a time, and by how many groups. */
static double items_of_unit(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t,
                            double *resident) {
    enum { MOST_GROUPS = 32, MOST_WARPS = 64 };
    const int64_t room = gf_min(MOST_GROUPS, MOST_WARPS / gf_divide_up(t->threads, 32));
    *resident = fmax(1, fmin((double)gf_min(t->resident, room), ceil(groups_of_unit(b, t))));
    return *resident * t->threads;
}

/* Bytes of rows, and what delays them, as bytes: many small groups do best, as some move rows while
 * others wait or calculate. */
static double rows_memory(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    double resident;
    const double items = items_of_unit(b, t, &resident);
    const int last = t->radix[t->stages - 1];
    const double in = t->coalesced_in ? 1 : row_share(t, t->radix[0], b->in_bytes, 0.045);
    const double out = t->coalesced_out ? 1 : row_share(t, last, b->out_bytes, 0.85);
    double memory = b->read * in + b->written * out;
    memory *= (1 + 0.23 * pow(resident, -2.2)) * (1 + 0.5 * fmax(0, 1 - items / 364));
    memory *= (1 + 0.002 * fmax(0, t->held - 12)) * (1 + 0.004 * log2(fmax(1, t->threads / 32.0)));
    if (t->stages > 2 && t->held < 9 && t->points & (t->points - 1)) /* many positions to find */
        memory *= 1.05;
    if (groups_of_unit(b, t) < t->resident) /* no group follows another */
        memory *= 1 + 0.25 * fmax(0, 1 - items / 1024);
    return memory;
}

static double columns_memory(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    enum { CACHED = 50000000 };
    double memory = memory_cost(b, t);
    /* Other groups access memory while one waits or calculates. */
    const bool is_double = b->p->job.precision == GF_DOUBLE;
    memory *= 1 + 0.115 * fmax(0, 1 - t->resident * t->threads / (is_double ? 512.0 : 1024.0));
    /* Measured in double precision: items that hold few points, and groups of few lines whose
     * twiddles are far apart in their tables. */
    if (is_double && t->held < 16)
        memory *= 1.08;
    else if (is_double && t->threads < 256 && t->lines <= 8 && split_cost(b, t) > 1)
        memory *= 1.12;
    if (t->resident == 1)
        memory *= alone_share(b, t);
    else if (is_plain(b, t) && b->read + b->written < CACHED)
        memory *= 1 + 0.3 * pow(t->resident, -1.5);
    /* A group waits for all its rows before calculating, and again before storing. */
    return memory * (t->coalesced_in || t->coalesced_out ? 1 + 0.3 / t->resident : 1);
}

/* Cost of transforms of complex numbers or floats, fitted to 2250 passes over 84 batches of rows and
 * 40 pictures and volumes on an NVIDIA H200, and tried on 130 others: the larger of memory accesses
 * and arithmetic, or of starting the groups, which takes about 0.6 ns each. The unit with one group
 * more than others takes longest. */
static double plain_cost(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    static const double group_bytes = 2500, stage_bytes = 1.5e6;
    const double each = groups_of_unit(b, t);
    const double uneven = each < 60 ? fmax(1, ceil(each)) / each : 1;
    const bool rows = gf_gpu_is_rows(b, t);
    double memory =
        rows ? rows_memory(b, t) * pow(uneven, 0.25) : columns_memory(b, t) * sqrt(uneven);
    double resident, arithmetic = (rows ? 3 : 3.7) * arithmetic_cost(b, t) * uneven;
    if (rows) /* few items leave the unit idle; halves pass through the tile once more */
        arithmetic *=
            fmax(1, 256 / items_of_unit(b, t, &resident)) *
            (1 + 0.2 * ((b->ap->load == LOAD_UNTANGLE) + (b->ap->store != STORE_COMPLEX)));
    if (b->p->job.precision == GF_DOUBLE)
        arithmetic *= 1.5;
    const double start = group_bytes * each * b->p->props.units;
    const double busy = pow(pow(memory, 5) + pow(arithmetic, 5), 0.2);
    const double begun =
        each < t->resident ? pow(pow(busy, 5) + pow(start, 5), 0.2) : fmax(busy, start);
    return begun + axis_launch_bytes + stage_bytes * fmax(0, t->stages - 2);
}

double gf_gpu_axis_pass_cost(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    const bool is_cpu = b->p->props.is_cpu;
    if (is_plain(b, t))
        return plain_cost(b, t);
    const double memory = columns_memory(b, t);
    /* Units without a group do no arithmetic; the rest reach nearly the full bandwidth. */
    const double idle = is_cpu ? 1 : fmax(1, 1 / groups_of_unit(b, t));
    double cost = together(memory, idle * arithmetic_cost(b, t), is_cpu) * pow(idle, 0.1);
    /* A middle pass of a convolution calculates most of the time, so its groups end together. */
    const double each = groups_of_unit(b, t);
    if (t->algorithm == GF_GPU_BOTH_WAYS && !is_cpu && each > t->resident)
        cost *= pow(ceil(each / t->resident) * t->resident / each, 0.4);
    /* A filter's table is read across its rows: neighbouring lines share sectors in the
     * second-level cache. */
    if (b->ap->filtered && b->args.filter_along != 1)
        cost += 3 * (double)b->p->bytes[GF_GPU_FILTER];
    return cost + (is_cpu ? 0 : axis_launch_bytes);
}

bool gf_gpu_wants_items(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    const struct gf_gpu_axis_pass *ap = b->ap;
    const double groups = fmin(t->resident, groups_of_unit(b, t));
    const bool rows = t->rows_in && t->rows_out && t->algorithm == GF_GPU_PLAIN;
    if (ap->keys)
        return t->threads <= 64;
    return rows && !gf_gpu_is_rows(b, t) && !ap->filtered && ap->store != STORE_SAMPLE &&
           !b->p->props.is_cpu && t->held > (b->p->job.precision == GF_DOUBLE ? 8 : 4) &&
           t->threads < 100 && groups * t->threads < 600;
}

bool gf_gpu_wants_reals(const struct gf_gpu_pass_builder *b, const struct gf_gpu_tile *t) {
    enum { LEAST = 1 << 21 }; /* points */
    return gf_gpu_is_mirrored(b->ap) && b->ap->store == STORE_ROW_HALVES && t->whole &&
           t->resident > 1 && b->args.axis_size / 2 >= LEAST && b->p->job.precision == GF_SINGLE &&
           !b->p->props.is_cpu;
}

double gf_gpu_planes_cost(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                          const struct gf_gpu_pass *second, const struct gf_gpu_planes *planes) {
    const struct gf_gpu_tile *t = planes->tile;
    double moved[] = {(double)first->summary.bytes_read, (double)second->summary.bytes_written};
    /* The adjacent work items of a row may move part of a sector. */
    for (int i = 0; i < 2; i++) {
        const int bytes = t[i].threads / t[i].lines * 2 * gf_gpu_word(&p->job);
        moved[i] *= t[i].rows_in ? 1 + 0.4 * fmax(0, 32.0 / bytes - 1) : 1;
    }
    double memory = moved[0] + moved[1];
    memory *= 1 + 0.115 * fmax(0, 1 - planes->resident * t->threads / 1024.0);
    memory *= 1 + 0.3 * fmax(0, 1 - t->threads / 128.0); /* few warps per group idle the units */
    /* One more exchange between the passes. */
    const double points = (double)(planes->groups * t->length * t->lines);
    const double cost = together(memory, 0.700 * points * (t[0].work + t[1].work + 1), false);
    return cost * pow(fmax(1, p->props.units / (double)planes->groups), 0.1) + axis_launch_bytes;
}
