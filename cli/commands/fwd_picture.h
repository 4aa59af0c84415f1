/* Spectra drawn for people: fwd's options for pictures, and plots of lines. The outputs stay those of
 * the job until check() draws on them. */
#ifndef GF_CLI_COMMANDS_FWD_PICTURE_H
#define GF_CLI_COMMANDS_FWD_PICTURE_H

#include "cli/batch/task.h"

extern const struct gf_opt_group gf_opts_picture; /* Picture: --mark and so on */

/* True if output i, which would be an integer picture of one row, becomes a plot. It then needs the
 * numbers themselves. */
bool gf_picture_plots(const struct gf_task *t, int i);
/* Called once the outputs are described: notes which are drawn, adds an output for the peaks, and
 * checks what the files can hold. GF_EINVAL if the options do not fit the spectrum. */
int gf_picture_prepare(struct gf_task *t);
/* Draws them, and adds the marks to t->also. GF_ENOMEM. */
int gf_picture_draw(struct gf_task *t);

#endif
