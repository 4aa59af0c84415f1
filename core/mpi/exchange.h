/* How long the ranks take to exchange a volume, beside the time in which each of them copies as many bytes
 * within its memory. */
#ifndef GF_CORE_MPI_EXCHANGE_H
#define GF_CORE_MPI_EXCHANGE_H

#include "core/mpi/volume.h"

struct gf_exchange {
    struct gf_grid grid;
    int64_t bytes_sent; /* by the rank that sends the most */
    int runs;
    double median, least; /* seconds from planes to rows, of the slowest rank */
    double copy;          /* seconds in which all ranks at once copy what they send; the least */
};

/* On all ranks at once, for s->job on s->grid: nothing is read, transformed or written. Runs for so many
 * seconds, three times at least, or with `runs` above 0 so often. Fills *e on all ranks alike. */
int gf_exchange_measure(struct gf_spread *s, double seconds, int runs, struct gf_exchange *e);

#endif
