/* The callbacks of a run in slabs: files, exchange and backend. They return 0, or a status that
 * ends the run. With a plan of several slots, unless `serial`, one thread reads the parts (read(), read_rows(),
 * read_span(), get(), lend(), expect()), another writes them (write(), put(), lend()), and the
 * calling one runs jobs on them; those of lines it also writes (write_span(), put()). moved() is
 * called by one at a time. Several ranks may share a run: with the
 * same plan, each takes its share of every walk's parts, and put() and get() reach the memory of
 * all. */
#ifndef GF_CORE_SPLIT_SPLIT_H
#define GF_CORE_SPLIT_SPLIT_H

#include "core/schedule/plan.h"

/* Rows of one page. */
struct gf_slab_rows {
    int64_t page, row, count;
};

struct gf_slab_io {
    void *user;
    struct gf_ranks *ranks; /* the processes that share the run, or NULL */
    /* Optional: ends a walk, whose own status is `rc`; with several ranks, returns when all data is
     * in place, with 0 or one rank's failure. */
    int (*turn)(void *user, int rc);
    int threads; /* for work on single numbers */
    bool serial; /* parts are read, worked on and written in turn, by the calling thread */
    /* GF_SLAB_LOOK: scans the input once, before read(). */
    int (*look)(void *user);
    /* Forward: reads pages into `pages`, which is contiguous and of the job's input type. */
    int (*read)(void *user, int64_t first, struct gf_array *pages);
    /* Inverse: reads rows of the input, all channels. */
    int (*read_rows)(void *user, const struct gf_slab_rows *rows, void *to);
    /* Writes rows of output i. */
    int (*write)(void *user, int i, const struct gf_slab_rows *rows, const void *data);
    /* The exchange. */
    int (*put)(void *user, int64_t at, const void *data, int64_t bytes);
    int (*get)(void *user, int64_t at, void *data, int64_t bytes);
    /* Optional: a pointer into the exchange for use until the walk ends; NULL if the bytes are not
     * contiguous in memory. */
    void *(*lend)(void *user, int64_t at, int64_t bytes);
    /* Optional: announces the next get(). */
    void (*expect)(void *user, int64_t at, int64_t bytes);
    /* Runs a job, planning it unless it equals the last one; `out` has an array for each output. */
    int (*run)(void *user, const struct gf_job *job, const struct gf_array *in,
               struct gf_array *out, struct gf_report *report);
    /* Optional: bytes moved so far by all walks, after each part. */
    void (*moved)(void *user, int64_t bytes);
    /* Lines: reads samples of the input, or writes those of output i, numbered through all lines,
     * with all channels. */
    int (*read_span)(void *user, int64_t first, int64_t count, void *to);
    int (*write_span)(void *user, int i, int64_t first, int64_t count, const void *data);
};

/* Runs the plan's job. */
int gf_slab_run(const struct gf_slab_plan *plan, const struct gf_slab_io *io,
                struct gf_report *report);

#endif
