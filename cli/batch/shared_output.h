/* Outputs of a task that are written in parts, by this process alone, or by several to one file. */
#ifndef GF_CLI_BATCH_SHARED_OUTPUT_H
#define GF_CLI_BATCH_SHARED_OUTPUT_H

#include <limits.h>

#include "cli/batch/task.h"

struct gf_shared_output {
    struct gf_volume *volume; /* NULL with {page} */
    bool in_order;            /* it takes planes in their order only */
    /* If several processes share it; rank 0 made the file: */
    char path[PATH_MAX]; /* of the temporary */
    bool summed;         /* the record beside it needs a checksum */
    int64_t base, bytes; /* where its samples are in the file; no bytes if they are in strips */
};
/* The number of outputs that gf_shared_run() creates, files of --bands included. */
int gf_shared_files(const struct gf_task *t);
/* Creates the outputs, has work(user, out) write them, and commits all or none of them. A series
 * commits its outputs after its last volume. The files of --bands follow the outputs in `out`, in
 * the order of gf_dwt_bands(). The task becomes WRITTEN; it counts the overflows of all processes.
 *
 * work() reads all of the input. It writes boxes of out[i].volume in any order. With `in_order` it
 * writes planes in their order by gf_product_put(), also to files that take no boxes. */
int gf_shared_run(struct gf_task *t, bool in_order,
                  int (*work)(void *user, struct gf_shared_output *out), void *user);
/* Sets *total to the checksum of `bytes` bytes from `base` on; each process computes a share. */
int gf_shared_sum(struct gf_ranks *ranks, const struct gf_chain *of, int64_t base, int64_t bytes,
                  uint32_t *total);

#endif
