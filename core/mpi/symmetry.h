/* The symmetry of spectra of real samples (core/base/halves.h) at points of a rank's part: numbers of all
 * channels (struct gf_slabs.point). Private to core/mpi. */
#ifndef GF_CORE_MPI_SYMMETRY_H
#define GF_CORE_MPI_SYMMETRY_H

#include "core/mpi/slabs.h"

/* x holds A + i B at a frequency, y at its mirror image, A and B being spectra of real samples: A to
 * both of them, B to p and q. */
void gf_unpack_pair(const struct gf_slabs *v, char *x, char *y, char *p, char *q);
void gf_drop_imaginary(const struct gf_slabs *v, char *value);
/* The Hermitian part of a, whose mirror image is b, to `to`, which may be a; counted `weight` times in
 * `energy` (gf_half_hermitian()). */
void gf_join_pair(const struct gf_slabs *v, const char *a, const char *b, char *to, double weight,
                  double energy[2]);
/* The same for a with b, and for b with a, in place. */
void gf_join_pairs(const struct gf_slabs *v, char *a, char *b, double energy[2]);

#endif
