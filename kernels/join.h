/* The last radices of z and y, across a tile's rows already transformed along x. Included by
 * pass.h, after sink.h and tile.h. */
#ifndef JOIN_H
#define JOIN_H

#if JOINS > 1
/* A work item's points of each row. */
#define JOINED (HELD / JOINS)

/* Gets operands of all rows at point LOCAL_ID + b * THREADS from the owners of results. */
INLINE void gather_rows(cplx *x, LOCAL word *tile, const struct share from) {
    UNROLL for (int part = 0; part < PARTS; part++) {
        BARRIER();
        put_results(x, tile, from, POINTS, LAST, POINTS / LAST, part);
        BARRIER();
        UNROLL for (int b = 0; b < JOINED; b++) {
            const uint p = (uint)LOCAL_ID + b * THREADS;
            UNROLL for (int q = 0; q < JOINS; q++) x[b * JOINS + q] =
                got(tile, SLOT(p, q), x[b * JOINS + q], part);
        }
    }
}

/* Butterflies of operands `step` apart, each turned by the root's power for its block and the
 * group's frequency. */
INLINE void join_axis(cplx *x, GLOBAL const cplx *roots, uint k, const int radix, const int step) {
    cplx v[JOINS];
    UNROLL for (int i = 0; i < JOINED * JOINS / radix; i++) {
        const int first = i / step * (step * radix) + i % step;
        v[0] = x[first];
        UNROLL for (int q = 1; q < radix; q++) v[q] =
            turn(x[first + q * step], roots[k * (uint)q], DIR);
        dft(v, radix, DIR);
        UNROLL for (int q = 0; q < radix; q++) x[first + q * step] = v[q];
    }
}

INLINE void join_rows(const struct source *s, GLOBAL const cplx *table, cplx *x, LOCAL word *tile,
                      const struct share from) {
    gather_rows(x, tile, from);
#if JOIN_Y > 1
    join_axis(x, table + s->args->table_fold_low, s->line.at[JOIN_AT_Y], JOIN_Y, 1);
#endif
#if JOIN_Z > 1
    join_axis(x, table + s->args->table_fold, s->line.at[JOIN_AT_Z], JOIN_Z, JOIN_Y);
#endif
}

INLINE void store_joined(const struct sink *s, GLOBAL sink_element *dst, GLOBAL const cplx *table,
                         GLOBAL const real *params, const cplx *x) {
    UNROLL for (int b = 0; b < JOINED; b++) {
        const uint p = (uint)LOCAL_ID + b * THREADS;
        const place at = s->line.out + POINT_OUT(s, p);
        UNROLL for (int q = 0; q < JOINS; q++) {
            store_point(s, dst, table, params, p,
                        at + (place)(q / JOIN_Y) * (place)s->args->index[0].out +
                            (place)(q % JOIN_Y) * (place)s->args->pair_out,
                        x[b * JOINS + q]);
        }
    }
}
#endif

#endif
