/* The exchange across the grid, between lines of planes, which are transformed along x, and columns of
 * all their lines, which are transformed along y. Private to core/mpi.
 *
 *     forward   expect_columns, send_columns of all planes, arrive, then pencils_columns
 *     inverse   pencils_lines, then take_lines of all planes                                     */
#ifndef GF_CORE_MPI_PENCILS_H
#define GF_CORE_MPI_PENCILS_H

#include "core/mpi/slabs.h"

/* To by_planes, from `lines`: plane first .. first + n, own lines, `width` numbers. */
int gf_pencils_expect_columns(struct gf_slabs *v);
int gf_pencils_send_columns(struct gf_slabs *v, int64_t first, int64_t n, const char *lines);
/* y of all planes, which are sent down the grid in chunks while the next ones are transformed. */
int gf_pencils_columns(struct gf_slabs *v);

/* y of all planes, back, which become lines; the ranks agree. */
int gf_pencils_lines(struct gf_slabs *v);

/* Rows to own planes, or to own lines of them: the exchange down the grid and, where it has several
 * columns, gf_pencils_lines(). The ranks agree. */
int gf_pencils_from_rows(struct gf_slabs *v);
void gf_pencils_take_lines(const struct gf_slabs *v, int64_t first, int64_t n, char *lines);

#endif
