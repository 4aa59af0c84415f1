/* A line on the terminal for work that takes longer than a second; nothing anywhere else. */
#ifndef GF_CLI_PROGRESS_H
#define GF_CLI_PROGRESS_H

#include <stdbool.h>

/* Starts the thread that redraws the line; does nothing when stderr is no terminal. */
void gf_progress_start(bool quiet, int total);
/* What is being done now: "decoding", … `name` is copied; `done` counts finished files. */
void gf_progress_show(int done, const char *what, const char *name);
/* Clears the line, before something else is printed; it comes back by itself. */
void gf_progress_hide(void);
void gf_progress_stop(void);

#endif
