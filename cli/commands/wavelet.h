/* What dwt and idwt share. */
#ifndef GF_CLI_COMMANDS_WAVELET_H
#define GF_CLI_COMMANDS_WAVELET_H

#include "cli/batch/task.h"

enum { GF_DEFAULT_LEVELS = 3 };

/* Fills job->axes, levels, boundary and threshold from the options; job->ndim and shape are there.
 * GF_EINVAL when the size does not allow the levels asked for. */
int gf_wavelet_describe(const struct gf_settings *s, struct gf_job *job);

/* frames.c: gf_task_hooks.stream of dwt. */
int gf_wavelet_stream(struct gf_task *t, bool *done);
/* The record of a coefficient file. */
struct gf_record gf_wavelet_record(const struct gf_task *t, bool alpha_kept);

#endif
