/* The exchange of a run in slabs that ranks share (core/slab/io.h), in the memory of all: each keeps the
 * bytes of its parts of the second walk, and puts those of others where they are kept.
 *
 *     struct gf_rank_exchange e;
 *     int rc = gf_rank_exchange_open(&ranks, &plan, &e);          plan.members: ranks.size
 *     if (!rc) rc = gf_rank_exchange_put(&e, at, data, bytes);    …
 *     if (!rc) rc = gf_rank_exchange_turn(&e, rc);                 after each walk
 *     gf_rank_exchange_close(&e);
 */
#ifndef GF_CORE_MPI_EXCHANGE_H
#define GF_CORE_MPI_EXCHANGE_H

#include "core/slab/io.h"

struct gf_rank_exchange {
    struct gf_ranks *ranks;
    char *own;     /* this rank's bytes */
    int64_t *from; /* by rank: where its bytes begin in the exchange; then their end */
    bool open;
};

/* On all ranks at once: the same status on all of them. Closing takes one that is all zero. */
int gf_rank_exchange_open(struct gf_ranks *ranks, const struct gf_slab_plan *plan,
                          struct gf_rank_exchange *e);
void gf_rank_exchange_close(struct gf_rank_exchange *e);

/* struct gf_slab_io's put(), get(), lend() and turn(). */
int gf_rank_exchange_put(struct gf_rank_exchange *e, int64_t at, const void *data, int64_t bytes);
int gf_rank_exchange_get(struct gf_rank_exchange *e, int64_t at, void *data, int64_t bytes);
void *gf_rank_exchange_lend(const struct gf_rank_exchange *e, int64_t at, int64_t bytes);
int gf_rank_exchange_turn(struct gf_rank_exchange *e, int rc);

/* ---- how long ranks take to exchange a volume between the two walks of its slabs, beside the time in which each
 * copies as many bytes within its memory ---- */

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
