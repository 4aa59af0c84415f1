/* The exchange of a run in slabs (core/split/split.h) in the memory of all ranks: each keeps the bytes
 * of its parts of the second walk, and the others put theirs there: directly where they are processes
 * of one machine, as MPI would have a rank wait until the other one calls it.
 *
 *     struct gf_rank_exchange e;
 *     int rc = gf_rank_exchange_open(&ranks, &plan, &e);          plan.members: ranks.size
 *     if (!rc) rc = gf_rank_exchange_put(&e, at, data, bytes);    …
 *     if (!rc) rc = gf_rank_exchange_turn(&e, rc);                 after each walk
 *     gf_rank_exchange_close(&e); */
#ifndef GF_CORE_MPI_EXCHANGE_H
#define GF_CORE_MPI_EXCHANGE_H

#include "core/base/host/neighbour.h"
#include "core/schedule/plan.h"

struct gf_rank_exchange {
    struct gf_ranks *ranks;
    char *own;                       /* this rank's bytes */
    int64_t *from;                   /* by rank: the offset of its bytes; then the end */
    struct gf_neighbour self, *near; /* by rank; process 0: not on this machine */
    bool open, window;               /* window: some ranks reach others through MPI alone */
};

/* Collective, with the same status on all ranks. close() accepts an all-zero struct. */
int gf_rank_exchange_open(struct gf_ranks *ranks, const struct gf_slab_plan *plan,
                          struct gf_rank_exchange *e);
void gf_rank_exchange_close(struct gf_rank_exchange *e);

/* struct gf_slab_io's put(), get(), lend() and turn(). */
int gf_rank_exchange_put(struct gf_rank_exchange *e, int64_t at, const void *data, int64_t bytes);
int gf_rank_exchange_get(struct gf_rank_exchange *e, int64_t at, void *data, int64_t bytes);
void *gf_rank_exchange_lend(const struct gf_rank_exchange *e, int64_t at, int64_t bytes);
int gf_rank_exchange_turn(struct gf_rank_exchange *e, int rc);

#endif
