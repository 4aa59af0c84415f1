/* idwt of volumes that do not fit memory. */
#ifndef GF_CLI_COMMANDS_IDWT_PLANES_H
#define GF_CLI_COMMANDS_IDWT_PLANES_H

#include "cli/batch/task.h"
#include "core/slab/wavelet.h"

/* The stream() of idwt's hooks: does a task that is too_large, or fails with both reasons; *done is
 * false for others. */
int gf_idwt_planes_stream(struct gf_task *t, bool *done);
/* Describes how; false where a planned task cannot be done so. */
bool gf_idwt_planes_plan(const struct gf_task *t, struct gf_slab_wavelet *w);

#endif
