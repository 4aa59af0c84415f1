/* Planes of a task through one stream: all of them, or those of a part.
 *
 *     struct gf_part_hand hand = {.t = t, .reader = &t->reader, .runner = t->runner, .threads = 4};
 *     struct gf_dwt_run run = {.hand = &hand};
 *     int rc = gf_dwt_run_part(&run, &part, volume);
 */
#ifndef GF_CLI_COMMANDS_DWT_STREAM_H
#define GF_CLI_COMMANDS_DWT_STREAM_H

#include "cli/commands/dwt_boxes.h"
#include "cli/commands/part_share.h"

struct gf_dwt_run {
    struct gf_part_hand *hand; /* its session's backend streams */
    bool on_device;            /* of a failure: neither reading nor writing failed */
};

/* 0 or the failure, after which the part may be run again. */
int gf_dwt_run_part(struct gf_dwt_run *r, const struct gf_dwt_part *part, struct gf_volume *volume);

/* Bytes that a run of the part takes; of a frame. */
int64_t gf_dwt_run_bytes(const struct gf_task *t, const struct gf_runner *runner,
                         const struct gf_job *job, int threads);

#endif
