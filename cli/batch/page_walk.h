/* A walk over the pages of a volume: they are read, transformed and written in parts of a few pages,
 * concurrently, by one device or by several (task.deal). Pages are written in their order.
 *
 *     rc = gf_page_walk(task, volume);              and t->report is filled in */
#ifndef GF_CLI_BATCH_PAGE_WALK_H
#define GF_CLI_BATCH_PAGE_WALK_H

#include "cli/batch/task.h"
#include "formats/volume.h"

/* Samples that are NaN or Inf, and the first one. */
struct gf_nonfinite {
    int64_t count, first[GF_MAX_RANK];
};

/* Pages from `from` on, finite, or counted for the refusal. */
int gf_page_walk_read(const struct gf_task *t, struct gf_reader *reader, int64_t from,
                      struct gf_array *to, struct gf_nonfinite *bad);
/* Of pages in `px`: what the backend transforms, and the alpha channel. */
void gf_page_walk_split(const struct gf_task *t, const struct gf_array *px, struct gf_array *in,
                        struct gf_array *alpha);

/* `volume`: where output i is written to, NULL with {page}; NULL altogether: nothing is written, the
 * walk is for t->report. Adds to the task's milliseconds. */
int gf_page_walk(struct gf_task *t, struct gf_volume *const *volume);

#endif
