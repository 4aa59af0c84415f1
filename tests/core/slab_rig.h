/* A job in one piece and in slabs, with arrays in place of files and the exchange.
 *
 *     struct slab_rig f = {.context = context};      of the openmp backend
 *     int rc = slab_rig_run(&f, &job);
 *     …  compare f.whole with f.out, f.report[0] with f.report[1]
 *     slab_rig_free(&f);
 */
#ifndef GF_TESTS_SLAB_RIG_H
#define GF_TESTS_SLAB_RIG_H

#include "core/base/backend.h"
#include "core/base/job.h"

/* Small jobs on one thread: teams wait for each other on a busy machine. */
enum { SLAB_RIG_THREADS = 1 };

struct slab_rig {
    void *context;
    bool zeros; /* of samples that are all zero, instead of random ones */
    struct gf_job planned;
    struct gf_plan *plan;
    struct gf_array in, out[GF_MAX_OUTPUTS], whole[GF_MAX_OUTPUTS];
    struct gf_report report[2];
    char *exchange;
    int64_t bytes, moved;
    int64_t columns[GF_MAX_OUTPUTS]; /* that are written of a row */
};

/* From the same input: into `whole` in one piece, into `out` in slabs, as many as can be. Fails where the
 * bytes moved are not those of the plan. */
int slab_rig_run(struct slab_rig *f, const struct gf_job *job);
void slab_rig_free(struct slab_rig *f);
/* A row of a volume, or of a picture, which is page 0. */
char *slab_rig_row(const struct gf_array *a, int64_t page, int64_t row);

#endif
