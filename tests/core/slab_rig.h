/* A job in one piece and in slabs, with arrays in place of files and the exchange.
 *
 *     struct slab_rig f = {.context = context};      of the openmp backend
 *     …  allocate f.in and f.out, whose columns[i] of a row are written
 *     rc = slab_rig_job(&f, &job, &f.in, whole, &report[0]);
 *     rc = slab_rig_slabs(&f, &job, &report[1]);
 *     gf_backend_openmp.unplan(context, f.plan);
 */
#ifndef GF_TESTS_SLAB_RIG_H
#define GF_TESTS_SLAB_RIG_H

#include "core/base/backend.h"
#include "core/base/job.h"

/* Small jobs on one thread: teams wait for each other on a busy machine. */
enum { SLAB_RIG_THREADS = 1 };

struct slab_rig {
    void *context;
    struct gf_job planned;
    struct gf_plan *plan;
    struct gf_array in, out[GF_MAX_OUTPUTS];
    char *exchange;
    int64_t bytes, moved;
    int64_t columns[GF_MAX_OUTPUTS]; /* that are written of a row */
};

/* Plans a job, unless it is the one before, and runs it. `user` is a rig. */
int slab_rig_job(void *user, const struct gf_job *job, const struct gf_array *in,
                 struct gf_array *out, struct gf_report *report);
/* The same in slabs, as many as can be; fails where the bytes moved are not those of the plan. */
int slab_rig_slabs(struct slab_rig *f, const struct gf_job *job, struct gf_report *report);
/* A row of a volume, or of a picture, which is page 0. */
char *slab_rig_row(const struct gf_array *a, int64_t page, int64_t row);

#endif
