/* Lines of any length that a tile holds, with the length as an argument: one kernel serves pictures
 * of all sizes, as compiling fft_plain for each would take longer than running it. A Stockham
 * transform between the tile's two halves, point i of line l at i * lines + l; lengths with primes
 * above 7 use Bluestein's convolution. Measured: with stages of 9, 11 and 13 points, and the other
 * radices left for the compiler to drop, NVRTC takes 2.3 times as long. Given by -D: LOAD STORE DIR
 * and a sample's options (pass.h); arguments have the rest. */
#define TILE_LINES(args) (uint)((args)->lines)
#define INDICES          5
#define WHOLE_IN         0
#define WHOLE_OUT        0
#define UNIT_IN          0
#define UNIT_OUT         0
#define UNIT_AXIS_IN     0
#define UNIT_AXIS_OUT    0
#define SHORT_IN         0
#define SHORT_OUT        0
#define NEAR_IN          0
#define NEAR_OUT         0
#define MULTIPLY_IN      0
#define MULTIPLY_OUT     0
#define SPLIT            0
#define RADER_PART       0
#define ROWS_IN          1
#define ROWS_OUT         1
#define ALGORITHM        ALGORITHM_PLAIN
#define THREADS          256
#define RADICES          0 /* beyond 8 */
#include "radix.h"
#include "sink.h"
#include "source.h"

#define LONGEST_RADIX 8
/* Stages are compiled forward: the inverse conjugates at both ends. */
#define BACK(v) (DIR > 0 ? (v) : conj_of(v))

/* A stage of radix r from one half of the tile to the other; `roots` of unity of `points`. */
INLINE void general_stage(LOCAL const cplx *from, LOCAL cplx *to, GLOBAL const cplx *roots,
                          const struct pass_args *a, uint done, const int r) {
    const uint points = (uint)a->points, lines = (uint)a->lines;
    const uint step = points / r, apart = points / (done * r);
    for (uint i = (uint)LOCAL_ID; i < step * lines; i += THREADS) {
        const uint p = i / lines, l = i - p * lines, m = p % done;
        cplx x[LONGEST_RADIX];
        UNROLL for (int q = 0; q < r; q++) {
            x[q] = from[(p + q * step) * lines + l];
            if (q)
                x[q] = turn(x[q], roots[q * m * apart], 1);
        }
        dft(x, r, 1);
        UNROLL for (int q = 0; q < r; q++) to[((p - m) * r + m + q * done) * lines + l] = x[q];
    }
}

/* Stage i, after `done` points. */
INLINE void general_stage_of(LOCAL const cplx *from, LOCAL cplx *to, GLOBAL const cplx *roots,
                             const struct pass_args *a, uint done, int i) {
    const int r = (int)a->radix[i];
    if (r == 8)
        general_stage(from, to, roots, a, done, 8);
    else if (r == 7)
        general_stage(from, to, roots, a, done, 7);
    else if (r == 5)
        general_stage(from, to, roots, a, done, 5);
    else if (r == 4)
        general_stage(from, to, roots, a, done, 4);
    else if (r == 3)
        general_stage(from, to, roots, a, done, 3);
    else
        general_stage(from, to, roots, a, done, 2);
}

/* Loads the work item's points of a line: first, first + step, … */
INLINE void general_load(const struct pass_args *a, struct share share,
                         GLOBAL const source_element *src, GLOBAL const cplx *table,
                         LOCAL cplx *tile, uint step) {
    const struct source s = source_of(a, share);
    const uint l = share.line;
    const uint points = (uint)a->points, length = (uint)a->axis_size;
    for (uint j = share.first; j < points; j += step) {
        cplx v = CPLX(R(0), R(0));
        if (j < length)
            v = BACK(load_point(&s, src, table, j, s.line.in + POINT_IN(&s, j)));
        if (points != length && j < length)
            v = turn(v, table[a->table_chirp + j], 1);
        tile[j * (uint)a->lines + l] = v;
    }
}

/* The work item's results of line s->share.line, from s->share.first on. */
INLINE void general_store(struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                          GLOBAL const real *params, LOCAL const cplx *tile, uint step) {
    const struct pass_args *a = s->args;
    const uint length = (uint)a->axis_size;
    if (!s->line.there)
        return;
    set_shade(s, params);
    for (uint k = s->share.first; k < length; k += step) {
        cplx v = tile[k * (uint)a->lines + s->share.line];
        if (a->points != a->axis_size)
            v = turn(conj_of(v), table[a->table_chirp + k], 1);
        store_point(s, dst, table, params, k, s->line.out + POINT_OUT(s, k), BACK(v));
    }
}

/* All lines of the tile; `s` is for the first that the work item shares. */
INLINE void general_store_all(struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                              GLOBAL const real *params, LOCAL const cplx *tile) {
    const struct pass_args *a = s->args;
    const uint lines = (uint)a->lines, step = a->rows_out ? THREADS : THREADS / lines;
    for (;;) {
        general_store(s, dst, table, params, tile, step);
        if (!a->rows_out || ++s->share.line == lines)
            return;
        s->line = line_at(a, s->share);
    }
}

/* In a tile whose rows, or columns, are neighbours. */
INLINE struct share general_share(const struct pass_args *a, const int rows,
                                  GLOBAL const int *order) {
    const uint lines = (uint)a->lines, id = (uint)LOCAL_ID;
    const struct share s = {rows ? id : id / lines, rows ? 0 : id % lines,
                            (uint)GROUP_ID SHARE_ORDER};
    (void)order;
    return s;
}

KERNEL(THREADS, 1)
VOID fft_general(GLOBAL const source_element *src, GLOBAL sink_element *dst,
                 GLOBAL const cplx *table, GLOBAL const real *params, ORDER order,
                 GLOBAL uint *counters, const struct pass_args args TILE_PARAMETER(cplx)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(cplx)
    const uint lines = (uint)args.lines, id = (uint)LOCAL_ID;
    const uint size = (uint)args.points * lines;
    GLOBAL const cplx *roots = table + args.table_split;
    const int convolves = args.points != args.axis_size;
    int clipped = 0, part = 0;
    uint done = 1;
    struct share from = general_share(&args, (int)args.rows_in, order);
    const struct share to = general_share(&args, (int)args.rows_out, order);
#if SAMPLED
    AWAIT();
    BEGIN_NEXT();
#endif
    do { /* an item has one column alone */
        general_load(&args, from, src, table, tile, args.rows_in ? THREADS : THREADS / lines);
    } while (++from.line < lines && args.rows_in);
    /* A convolution runs the stages twice, the second time on conjugated results: their transform
     * is the conjugate of the inverse. */
    for (int i = 0; i < (convolves ? 2 : 1) * (int)args.stages; i++) {
        const int turned = i == (int)args.stages, stage = i % (int)args.stages;
        BARRIER();
        if (turned) {
            done = 1;
            for (uint at = id; at < size; at += THREADS) {
                const cplx v = tile[part * size + at];
                tile[part * size + at] = conj_of(mul(v, table[args.table_spectrum + at / lines]));
            }
            BARRIER();
        }
        general_stage_of(tile + part * size, tile + (1 - part) * size, roots, &args, done, stage);
        done *= (uint)args.radix[stage];
        part = 1 - part;
    }
    BARRIER();
    const struct source in = source_of(&args, to);
    struct sink out = sink_of(&in, to, &clipped);
    general_store_all(&out, dst, table, params, tile + part * size);
    if (clipped)
        ATOMIC_ADD(&counters[GROUP_ID % COUNTERS], (uint)clipped);
    (void)order;
    (void)counters;
}
