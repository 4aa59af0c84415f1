/* A plan's tables. Each function registers a table and returns its offset, in complex elements
 * unless noted, or 0, after gf_fail() and with `failed` set, without memory. Values are computed by
 * gf_gpu_tables_fill(), as a plan that is only shown needs none.
 *
 *     struct gf_gpu_tables t = {0};
 *     int64_t at = gf_gpu_table_chirp(&t, 101, 1);
 *     void *value = malloc(t.count * 16);
 *     int rc = gf_gpu_tables_fill(&t, GF_DOUBLE, value, NULL);
 *     gf_gpu_tables_free(&t); */
#ifndef GF_CORE_GPU_PLAN_TABLES_H
#define GF_CORE_GPU_PLAN_TABLES_H

#include "core/gpu/plan/plan.h"

/* Twiddles of a tile's stages, preceded by its members'. */
int64_t gf_gpu_table_stages(struct gf_gpu_tables *t, const struct gf_gpu_tile *tile);
/* exp(-2 pi i k / n), k < n, as tables of the high bits and the `bits` low bits of k; 0: one
 * table. */
int64_t gf_gpu_table_split(struct gf_gpu_tables *t, int64_t n, int bits, int64_t *low);
/* The two tables of SPLIT_BY_LINE, for the first part of this many lines, n points in all. */
int64_t gf_gpu_table_lines(struct gf_gpu_tables *t, const struct gf_gpu_tile *tile, int64_t lines,
                           int64_t *low);
/* Bluestein's chirp exp(-pi i k^2 / n), conjugated for the inverse. */
int64_t gf_gpu_table_chirp(struct gf_gpu_tables *t, int64_t n, int dir);
/* The spectrum by which a convolution, in a tile or split, multiplies. */
int64_t gf_gpu_table_spectrum(struct gf_gpu_tables *t, enum gf_gpu_algorithm algorithm, int64_t n,
                              int64_t points, int dir);
/* Rader's order of n points, a prime times a coprime number, in four tables of n integers: the
 * points of operand and result i, and the operand and result of point i. The members' transforms
 * then need no twiddles (Good 1958, Thomas 1963). Offset in integers. */
int64_t gf_gpu_table_order(struct gf_gpu_tables *t, int64_t n, int64_t prime);
/* Copies `count` 32-bit integers; offset in integers. */
int64_t gf_gpu_table_integers(struct gf_gpu_tables *t, const double *v, int64_t count);
/* Copies `count` reals; offset in reals. */
int64_t gf_gpu_table_reals(struct gf_gpu_tables *t, const double *v, int64_t count);
/* Computes count complex values in the plan's precision and order_count integers; either may be
 * NULL. GF_ENOMEM. */
int gf_gpu_tables_fill(const struct gf_gpu_tables *t, enum gf_precision precision, void *value,
                       int32_t *order);
/* Upper bound of the host memory used by gf_gpu_tables_fill(), in bytes, including the values. */
int64_t gf_gpu_tables_bytes(const struct gf_gpu_tables *t, enum gf_precision precision);
void gf_gpu_tables_free(struct gf_gpu_tables *t);

#endif
