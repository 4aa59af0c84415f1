/* The callbacks of a run in slabs: the files, the exchange and the backend. All functions return 0 or a
 * code that ends the run. They are called from the thread that runs.
 *
 * Several ranks can share a run: all have the same plan, each takes its share of every walk's parts, and
 * put() and get() reach the parts of all. */
#ifndef GF_CORE_SLAB_IO_H
#define GF_CORE_SLAB_IO_H

#include "core/base/ranks.h"
#include "core/slab/plan.h"

/* Rows of one page. */
struct gf_slab_rows {
    int64_t page, row, count;
};

struct gf_slab_io {
    void *user;
    struct gf_ranks *ranks; /* NULL, or the processes that share the run */
    /* With ranks: between two walks; `rc` is what came of this one's parts of the last. Returns when what all put is
     * there for all, with 0 where all had 0, else with the failure of one. */
    int (*turn)(void *user, int rc);
    int threads; /* for what is copied number by number */
    /* Only if plan.looks: scans the input once, before all walks, for what read() needs. */
    int (*look)(void *user);
    /* Forward: input pages into `pages`, contiguous, of the job's input type. */
    int (*read)(void *user, int64_t first, struct gf_array *pages);
    /* Inverse: rows of the input, with all their channels. */
    int (*read_rows)(void *user, const struct gf_slab_rows *rows, void *to);
    /* Rows of output i. */
    int (*write)(void *user, int i, const struct gf_slab_rows *rows, const void *data);
    /* The exchange. */
    int (*put)(void *user, int64_t at, const void *data, int64_t bytes);
    int (*get)(void *user, int64_t at, void *data, int64_t bytes);
    /* NULL, or bytes of the exchange where they are, to be read and written there until the walk ends; NULL
     * from it where they are not in memory, or not together. */
    void *(*lend)(void *user, int64_t at, int64_t bytes);
    /* NULL, or told what the next get() will be for. */
    void (*expect)(void *user, int64_t at, int64_t bytes);
    /* Plans a job, unless it is the one before, and runs it; `out` is one array for each output. */
    int (*run)(void *user, const struct gf_job *job, const struct gf_array *in,
               struct gf_array *out, struct gf_report *report);
    /* NULL, or told after each slab and block how many bytes both walks have moved so far. */
    void (*moved)(void *user, int64_t bytes);
    /* Lines: samples from `first` on, counted through all lines, with their channels; of the input, and
     * of output i. */
    int (*read_span)(void *user, int64_t first, int64_t count, void *to);
    int (*write_span)(void *user, int i, int64_t first, int64_t count, const void *data);
};

/* Runs a job slab by slab, as its plan tells. */
int gf_slab_run(const struct gf_slab_plan *plan, const struct gf_slab_io *io,
                struct gf_report *report);

#endif
