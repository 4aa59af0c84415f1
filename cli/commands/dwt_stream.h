/* Planes of a task through one stream: all of them, or those of a part.
 *
 *     struct gf_dwt_run run = {.t = t, .reader = &t->reader, .runner = t->runner, .threads = 4};
 *     int rc = gf_dwt_run_part(&run, &part, volume);
 */
#ifndef GF_CLI_COMMANDS_DWT_STREAM_H
#define GF_CLI_COMMANDS_DWT_STREAM_H

#include "cli/commands/dwt_boxes.h"

struct gf_dwt_run {
    struct gf_task *t; /* of which nothing is changed */
    struct gf_reader *reader;
    struct gf_runner *runner; /* its session's backend streams */
    int threads;
    pthread_mutex_t *turn; /* as in struct gf_dwt_boxes */

    int64_t at;         /* which plane of the whole was read last, or failed */
    bool on_device;     /* of a failure: neither reading nor writing failed */
    int64_t overflowed; /* added up, as are the milliseconds */
    double ms_read, ms_transform, ms_write, ms_waited;
    double peak; /* planes in memory, at most */
};

/* 0 or the failure, after which the part may be run again. */
int gf_dwt_run_part(struct gf_dwt_run *r, const struct gf_dwt_part *part, struct gf_volume *volume);

/* Bytes that a run of the part takes; of a frame. */
int64_t gf_dwt_run_bytes(const struct gf_task *t, const struct gf_runner *runner,
                         const struct gf_job *job, int threads);

#endif
