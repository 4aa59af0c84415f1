/* Shows a line on the terminal for work that takes longer than a second; prints nothing into files and pipes. */
#ifndef GF_CLI_PROGRESS_H
#define GF_CLI_PROGRESS_H

#include <stdbool.h>

/* Starts the thread that redraws the line; does nothing when stderr is no terminal. */
void gf_progress_start(bool quiet, int total);
/* Shows the current activity: "reading", … `name` is copied. */
void gf_progress_show(const char *what, const char *name);
/* The name that was shown last, terminal or not; "" for none. Only at the end: other threads may
 * still change it. */
const char *gf_progress_name(void);
/* The share of one large input that is done, 0 to 1; 0: not known. */
void gf_progress_share(double done);
/* Counts pictures that were processed; inputs that are finished; and those of them that were skipped, which do
 * not count for the rate. */
void gf_progress_count(int pictures, int inputs, int passed);
/* Clears the line before something else is printed; it is redrawn later. */
void gf_progress_hide(void);
void gf_progress_stop(void);

#endif
