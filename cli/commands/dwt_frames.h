/* dwt of frames and volumes that need not fit memory. */
#ifndef GF_CLI_COMMANDS_DWT_FRAMES_H
#define GF_CLI_COMMANDS_DWT_FRAMES_H

#include "cli/batch/task.h"

/* The stream() of dwt's hooks: *done is false where all has to be in memory. Volumes of any file that
 * has pages are streamed where they are too_large; those that cannot fail with both reasons. */
int gf_dwt_frames_stream(struct gf_task *t, bool *done);
/* Bytes that a planned task which is too_large takes plane by plane; -1 where it cannot. */
int64_t gf_dwt_frames_bytes(const struct gf_task *t);

#endif
