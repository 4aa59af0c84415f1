/* Numbers of spectra of real samples, each of all channels (struct gf_slabs.point). Private to
 * core/mpi. */
#ifndef GF_CORE_MPI_SYMMETRY_H
#define GF_CORE_MPI_SYMMETRY_H

#include "core/mpi/slabs.h"

/* x holds A + i B at a frequency, y at its mirror image, A and B being spectra of real samples: A to
 * both of them, B to p and q. */
void gf_unpack_pair(const struct gf_slabs *v, char *x, char *y, char *p, char *q);
void gf_drop_imaginary(const struct gf_slabs *v, char *value);
/* `value` becomes the conjugate of `from`. */
void gf_conjugate(const struct gf_slabs *v, const char *from, char *value);

/* The energies of a whole spectrum's symmetric part, and of the rest. */
struct gf_energies {
    double kept, lost;
};
/* (a + conj b) / 2 to `to`, which may be a; counted `weight` times. */
void gf_join_pair(const struct gf_slabs *v, const char *a, const char *b, char *to, double weight,
                  struct gf_energies *e);
/* The same for a with b, and for b with a, in place. */
void gf_join_pairs(const struct gf_slabs *v, char *a, char *b, struct gf_energies *e);

#endif
