/* Runs a job slab by slab, as its plan (core/slab/plan.h) tells. The files, the exchange and the
 * backend are the caller's:
 *
 *     struct gf_slab_io io = {.user = me, .read = read_pages, .write = write_rows,
 *                             .put = put, .get = get, .run = run_job};
 *     rc = gf_slab_run(&plan, &io, &report);                                                      */
#ifndef GF_CORE_SLAB_RUN_H
#define GF_CORE_SLAB_RUN_H

#include "core/slab/io.h"

int gf_slab_run(const struct gf_slab_plan *plan, const struct gf_slab_io *io,
                struct gf_report *report);

#endif
