/* dwt of frames and raw volumes that need not fit memory. */
#ifndef GF_CLI_COMMANDS_DWT_FRAMES_H
#define GF_CLI_COMMANDS_DWT_FRAMES_H

#include "cli/batch/task.h"

/* The stream() of dwt's hooks: *done is false where all has to be in memory. */
int gf_dwt_frames_stream(struct gf_task *t, bool *done);

#endif
