/* A plan's tables. Each function returns the offset of a table, whose values are computed by
 * gf_gpu_tables_fill(): a plan that is only shown needs none. -1, with the message set by gf_fail(),
 * when memory is short. Offsets are in complex elements unless noted.
 *
 *     struct gf_gpu_tables t = {0};
 *     int64_t at = gf_gpu_table_chirp(&t, 101, 1);
 *     void *value = malloc(t.count * 16);
 *     int rc = gf_gpu_tables_fill(&t, GF_DOUBLE, value, NULL);
 *     gf_gpu_tables_free(&t);
 */
#ifndef GF_CORE_GPU_PLAN_TABLES_H
#define GF_CORE_GPU_PLAN_TABLES_H

#include "core/gpu/plan/plan.h"

/* The twiddles of a tile's stages, those of its members first. */
int64_t gf_gpu_table_stages(struct gf_gpu_tables *t, const struct gf_gpu_tile *tile);
/* exp(-2 pi i k / n) for k < n: as high and low parts of `bits` bits, 0 for one table. */
int64_t gf_gpu_table_split(struct gf_gpu_tables *t, int64_t n, int bits, int64_t *low);
/* SPLIT_BY_LINE's two for a tile of so many lines' first part, n points in all. */
int64_t gf_gpu_table_lines(struct gf_gpu_tables *t, const struct gf_gpu_tile *tile, int64_t lines,
                           int64_t *low);
/* Bluestein's chirp exp(-pi i k^2 / n); for the inverse direction conjugated. */
int64_t gf_gpu_table_chirp(struct gf_gpu_tables *t, int64_t n, int dir);
/* The spectrum that a tile's, or a split line's, convolution multiplies by, over its length. */
int64_t gf_gpu_table_spectrum(struct gf_gpu_tables *t, enum gf_gpu_algorithm algorithm, int64_t n,
                              int64_t points, int dir);
/* Rader's order of n points, a multiple of the prime by a number that has no factor in common with it;
 * four tables of n integers: which point is the i-th operand; which is the i-th result; which operand,
 * and which result, point i is. The members' transforms need no twiddles then (Good 1958, Thomas 1963).
 * Offset in the integers. */
int64_t gf_gpu_table_order(struct gf_gpu_tables *t, int64_t n, int64_t prime);
/* Copies `count` whole numbers of 32 bits; offset in the integers. */
int64_t gf_gpu_table_integers(struct gf_gpu_tables *t, const double *v, int64_t count);
/* Copies `count` reals; offset in reals. */
int64_t gf_gpu_table_reals(struct gf_gpu_tables *t, const double *v, int64_t count);
/* Computes all: the values in the plan's precision, count pairs, and order_count integers, each
 * where it is not NULL. GF_ENOMEM. */
int gf_gpu_tables_fill(const struct gf_gpu_tables *t, enum gf_precision precision, void *value,
                       int32_t *order);
/* Bytes of the host's memory that this takes at most, the values included. */
int64_t gf_gpu_tables_bytes(const struct gf_gpu_tables *t, enum gf_precision precision);
void gf_gpu_tables_free(struct gf_gpu_tables *t);

#endif
