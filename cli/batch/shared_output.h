/* Outputs that several processes write together: each its boxes of one file.
 *
 *     rc = gf_shared_create(t, ranks, i, &output);
 *     …    gf_volume_write(output.volume, …);
 *     if (!rc) rc = gf_shared_leave(ranks, &output);
 *     if (!rc && output.volume) rc = gf_volume_commit(output.volume);       the first process
 */
#ifndef GF_CLI_BATCH_SHARED_OUTPUT_H
#define GF_CLI_BATCH_SHARED_OUTPUT_H

#include <limits.h>

#include "cli/batch/task.h"
#include "core/mpi/ranks.h"
#include "formats/volume.h"

/* An output that all write: the first process made its file, the others joined it. */
struct gf_shared_output {
    struct gf_volume *volume;
    char path[PATH_MAX]; /* of the temporary */
    bool summed;         /* a record beside it has its checksum */
    int64_t base, bytes; /* of its samples there; no bytes where they are in strips */
};
int gf_shared_create(const struct gf_task *t, struct gf_ranks *ranks, int i,
                     struct gf_shared_output *o);
/* All have written: the first process' volume has all of it, to be committed. */
int gf_shared_leave(struct gf_ranks *ranks, struct gf_shared_output *o);
/* The checksum of bytes [0, bytes), of which each process sums up a share by sum(user, begin, end, &crc). */
int gf_shared_sum(struct gf_ranks *ranks, int64_t bytes,
                  int (*sum)(const void *user, int64_t begin, int64_t end, uint32_t *crc),
                  const void *user, uint32_t *total);

#endif
