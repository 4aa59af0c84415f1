/* A job in one piece and in slabs, with arrays in place of files and the exchange.
 *
 *     struct slab_rig f = {.context = context};      of the openmp backend
 *     int rc = slab_rig_run(&f, &job);
 *     …  compare f.whole with f.out, f.report[0] with f.report[1]
 *     slab_rig_free(&f);
 */
#ifndef GF_TESTS_SLAB_RIG_H
#define GF_TESTS_SLAB_RIG_H

#include "core/base/job/backend.h"
#include "core/base/job/job.h"
#include "core/mpi/exchange.h"

/* Small jobs on one thread: teams wait for each other on a busy machine. */
enum { SLAB_RIG_THREADS = 1 };

struct slab_rig {
    void *context;
    bool zeros; /* of samples that are all zero, instead of random ones */
    struct gf_plan *plan;
    struct gf_array in, out[GF_MAX_OUTPUTS], whole[GF_MAX_OUTPUTS];
    struct gf_report report[2];
    char *exchange;
    int64_t bytes, moved;
    int64_t columns[GF_MAX_OUTPUTS]; /* that are written of a row */
    struct gf_ranks *ranks;          /* of a shared run */
    struct gf_rank_exchange between;
    int spoiled; /* of a shared run: rank 1 fails at this call to read or to write, from 1 on; 0: never */
};

/* From the same input: into `whole` in one piece, into `out` in slabs, as many as can be. Fails where the
 * bytes moved are not those of the plan. */
int slab_rig_run(struct slab_rig *f, const struct gf_job *job);
/* Once that has run: one of several ranks, each of which calls this with its own `ranks` and `memory` bytes,
 * clears nothing and writes its share of `out`. Rank 0 sets report[1]. */
int slab_rig_share(struct slab_rig *f, const struct gf_job *job, int64_t memory,
                   struct gf_ranks *ranks);
/* Whether output i is the same in `whole` and in `out`, where its samples are counted. */
bool slab_rig_same(const struct slab_rig *f, const struct gf_job *job, int i);
void slab_rig_free(struct slab_rig *f);
/* A row of a volume, or of a picture, which is page 0. */
char *slab_rig_row(const struct gf_array *a, int64_t page, int64_t row);

#endif
