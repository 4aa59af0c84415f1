/* A line on the terminal for work that takes longer than a second; nothing anywhere else. */
#ifndef GF_CLI_PROGRESS_H
#define GF_CLI_PROGRESS_H

#include <stdbool.h>

/* Starts the thread that redraws the line; does nothing when stderr is no terminal. */
void gf_progress_start(bool quiet, int total);
/* Shows the current activity: "reading", … `name` is copied. */
void gf_progress_show(const char *what, const char *name);
/* The name that was shown last, terminal or not; "" for none. */
const char *gf_progress_name(void);
/* How much of one large input is done, 0 to 1; 0: nothing is known of it. */
void gf_progress_share(double done);
/* One picture more is done, which took its time. */
void gf_progress_picture(void);
/* One of the inputs is through; `passed`: it was skipped and does not count for the rate. */
void gf_progress_input(bool passed);
/* Clears the line, before something else is printed; it comes back by itself. */
void gf_progress_hide(void);
void gf_progress_stop(void);

#endif
