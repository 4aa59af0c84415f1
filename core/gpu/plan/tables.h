/* A plan's tables. Each function returns the offset of a table, and makes it at its first use; -1,
 * with the message set by gf_fail(), when memory is short. Offsets are in complex elements unless
 * noted.
 *
 *     struct gf_gpu_tables t = {0};
 *     int64_t at = gf_gpu_table_chirp(&t, 101, 1);
 *     double re = at < 0 ? 0 : t.value[2 * at];
 *     gf_gpu_tables_free(&t);
 */
#ifndef GF_CORE_GPU_PLAN_TABLES_H
#define GF_CORE_GPU_PLAN_TABLES_H

#include "core/gpu/plan/plan.h"

/* The twiddles of a tile's stages. */
int64_t gf_gpu_table_stages(struct gf_gpu_tables *t, const struct gf_gpu_tile *tile);
/* exp(-2 pi i k / n) for k < n: as high and low parts of `bits` bits, 0 for one table. */
int64_t gf_gpu_table_split(struct gf_gpu_tables *t, int64_t n, int bits, int64_t *low);
/* Bluestein's chirp exp(-pi i k^2 / n); for the inverse direction conjugated. */
int64_t gf_gpu_table_chirp(struct gf_gpu_tables *t, int64_t n, int dir);
/* The spectrum that a tile's, or a split line's, convolution multiplies by, over its length. */
int64_t gf_gpu_table_spectrum(struct gf_gpu_tables *t, enum gf_gpu_algorithm algorithm, int64_t n,
                              int64_t points, int dir);
/* Rader's order, four tables of prime - 1 integers: which point is the i-th input; which is the
 * i-th output; at which input, and at which output, points 1, 2, … are. Offset in the integers. */
int64_t gf_gpu_table_order(struct gf_gpu_tables *t, int64_t prime);
/* Room for `count` integers, valid until the next table is made; *at is their offset in the
 * integers. NULL when memory is short. */
int32_t *gf_gpu_table_integers(struct gf_gpu_tables *t, int64_t count, int64_t *at);
/* Copies `count` reals; offset in reals. */
int64_t gf_gpu_table_reals(struct gf_gpu_tables *t, const double *v, int64_t count);
void gf_gpu_tables_free(struct gf_gpu_tables *t);

#endif
