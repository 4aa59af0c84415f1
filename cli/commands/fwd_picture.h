/* Spectra drawn for people, once the job is done: marked pictures, and plots of lines. */
#ifndef GF_CLI_COMMANDS_FWD_PICTURE_H
#define GF_CLI_COMMANDS_FWD_PICTURE_H

#include "cli/batch/task.h"

extern const struct gf_opt_group gf_opts_picture; /* Picture: --mark and so on */

/* Describes what is drawn for output i, if anything; that of a plot becomes numbers. GF_EINVAL. */
int gf_picture_describe(struct gf_task *t, int i);
/* Called after it, for all outputs: adds one for the peaks. GF_EINVAL if nothing can be drawn. */
int gf_picture_prepare(struct gf_task *t);
/* Draws, and adds the marks to t->also. GF_ENOMEM. */
int gf_picture_draw(struct gf_task *t);

#endif
