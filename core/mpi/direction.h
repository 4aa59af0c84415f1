/* The two directions, and both in one run. Private to core/mpi. */
#ifndef GF_CORE_MPI_DIRECTION_H
#define GF_CORE_MPI_DIRECTION_H

struct gf_spread;

int gf_spread_forward(struct gf_spread *s);
int gf_spread_inverse(struct gf_spread *s);
int gf_spread_filter(struct gf_spread *s);

#endif
