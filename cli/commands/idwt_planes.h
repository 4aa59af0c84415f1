/* idwt of volumes that do not fit memory, or that several devices share. */
#ifndef GF_CLI_COMMANDS_IDWT_PLANES_H
#define GF_CLI_COMMANDS_IDWT_PLANES_H

#include "cli/batch/task.h"
#include "core/deal/deal.h"
#include "core/slab/wavelet.h"

/* The stream() of idwt's hooks: does a task that is too_large, or fails with both reasons, and one that
 * several devices share; *done is false for others. */
int gf_idwt_planes_stream(struct gf_task *t, bool *done);
/* Describes how; false where a planned task cannot be done so. */
bool gf_idwt_planes_plan(const struct gf_task *t, struct gf_slab_wavelet *w);
/* In how many parts these devices share it, 0: not, and how each of a device's two hands makes its own. */
enum { GF_IDWT_STREAMS = 2 };
int gf_idwt_planes_count(const struct gf_task *t, const struct gf_deal *d,
                         struct gf_slab_wavelet *w);

#endif
