/* Outputs of a task whose boxes are written in any order: by this process alone, or each process writes its
 * boxes of one file.
 *
 *     struct gf_shared_output out[GF_MAX_OUTPUTS] = {0};
 *     rc = gf_shared_create(t, i, false, &out[i]);        for each
 *     …    gf_volume_write(out[i].volume, …);
 *     rc = gf_ranks_agree(t->ranks, rc);
 *     if (!rc) rc = gf_shared_finish(t, out);
 *     rc = gf_shared_end(t, out, rc);
 */
#ifndef GF_CLI_BATCH_SHARED_OUTPUT_H
#define GF_CLI_BATCH_SHARED_OUTPUT_H

#include <limits.h>

#include "cli/batch/task.h"

/* Several processes share it: the first one made the file, and the others joined it. */
struct gf_shared_output {
    struct gf_volume *volume; /* NULL with {page} */
    /* If several processes share it: */
    char path[PATH_MAX]; /* of the temporary */
    bool summed;         /* a record beside it has its checksum */
    int64_t base, bytes; /* of its samples there; no bytes where they are in strips */
};
/* `in_order`: a process alone writes planes by gf_shared_put() in their order, to whatever takes them. */
int gf_shared_create(const struct gf_task *t, int i, bool in_order, struct gf_shared_output *o);
/* Planes `from` and following of output i, which was created in order or is shared. */
int gf_shared_put(const struct gf_task *t, int i, const struct gf_shared_output *o, int64_t from,
                  const struct gf_array *planes);
/* All outputs are written, and the input is read: the first process' volumes have all of them, the task counts what
 * overflowed in all processes, and its check() may still refuse. */
int gf_shared_finish(struct gf_task *t, struct gf_shared_output *out);
/* Commits them, or where `rc` is a failure aborts them; returns the failure. */
int gf_shared_end(struct gf_task *t, struct gf_shared_output *out, int rc);
/* The checksum of bytes [0, bytes), of which each process sums up a share by sum(user, begin, end, &crc). */
int gf_shared_sum(struct gf_ranks *ranks, int64_t bytes,
                  int (*sum)(const void *user, int64_t begin, int64_t end, uint32_t *crc),
                  const void *user, uint32_t *total);

#endif
