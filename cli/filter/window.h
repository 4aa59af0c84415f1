/* --window and --edges=smooth of fwd and stats: the job's input is then the file's samples without
 * their smooth part (core/filter/smooth.h), times the window, as floats. */
#ifndef GF_CLI_FILTER_WINDOW_H
#define GF_CLI_FILTER_WINDOW_H

#include "cli/batch/task.h"
#include "cli/options.h"

extern const struct gf_opt_group gf_opts_window;

/* True if samples are changed. */
bool gf_window_is_asked(const struct gf_settings *s);
/* Gives the job the changed samples' type. GF_EINVAL for the smooth part of complex samples. */
int gf_window_prepare(const struct gf_settings *s, struct gf_job *job);
/* Allocates `to`, the job's input, and makes it of `in`. With `centred` the mean of each channel is
 * subtracted first. */
int gf_window_make(const struct gf_settings *s, struct gf_runner *runner, const struct gf_job *job,
                   bool centred, const struct gf_array *in, struct gf_array *to);
/* Bytes of that input and of its making. */
int64_t gf_window_bytes(const struct gf_settings *s, const struct gf_job *job);
/* The window over the job's axes. */
struct gf_window_grid gf_window_grid_of(const struct gf_settings *s, const struct gf_job *job);

/* fwd's input, made in memory, or unit by unit if there is no smooth part. */
extern const struct gf_task_input gf_window_input;

#endif
