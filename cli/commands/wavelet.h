/* Shared by dwt and idwt: their options as a job. */
#ifndef GF_CLI_COMMANDS_WAVELET_H
#define GF_CLI_COMMANDS_WAVELET_H

#include "cli/settings.h"
#include "core/base/job.h"

/* Fills job->op, axes and wavelet from the options, ndim and shape being set; three levels where the
 * options have no number and the size allows them:
 *
 *     job.ndim = 2, job.shape[0] = job.shape[1] = 512;
 *     int rc = gf_wavelet_describe(settings, &job);
 *
 * GF_EINVAL when the size does not allow the levels asked for. */
int gf_wavelet_describe(const struct gf_settings *s, struct gf_job *job);

#endif
