/* How long the ranks take to exchange a volume between the two walks of its slabs, beside the time in which
 * each of them copies as many bytes within its memory. */
#ifndef GF_CORE_MPI_EXCHANGE_TIME_H
#define GF_CORE_MPI_EXCHANGE_TIME_H

#include "core/base/job.h"
#include "core/mpi/ranks.h"

struct gf_exchange_times {
    int64_t bytes_sent; /* by the rank that sends the most */
    int runs;
    double median, least; /* seconds of the slowest rank */
    double copy;          /* seconds in which all ranks at once copy what they send; the least */
};

/* On all ranks at once, within so many bytes of memory each: nothing is read, transformed or written. Runs
 * for so many seconds, three times at least, or with `runs` above 0 so often. Fills *e on all ranks alike. */
int gf_exchange_measure(struct gf_ranks *ranks, const struct gf_job *job, int64_t memory,
                        double seconds, int runs, struct gf_exchange_times *e);

#endif
