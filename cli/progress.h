/* Shows a progress line on the terminal for work longer than a second; silent for files and
 * pipes. */
#ifndef GF_CLI_PROGRESS_H
#define GF_CLI_PROGRESS_H

#include <stdbool.h>

/* Starts the thread that redraws the line; does nothing unless stderr is a terminal. */
void gf_progress_start(bool quiet, int total);
/* Shows the current activity: "reading", … `name` is copied. */
void gf_progress_show(const char *what, const char *name);
/* Shows that a device's kernels are compiled, until gf_progress_show(). A gf_backend_options hook. */
void gf_progress_compiling(const char *device);
/* The last shown name, even without a terminal; "": none. Call at the end: other threads may change
 * it. */
const char *gf_progress_name(void);
/* Sets how much of a large input is done, 0 to 1; 0: unknown. */
void gf_progress_share(double done);
/* Adds processed pictures, finished inputs, and skipped ones among these, which do not count for
 * the rate. */
void gf_progress_count(int pictures, int inputs, int passed);
/* Clears the line before other output; it is redrawn later. */
void gf_progress_hide(void);
void gf_progress_stop(void);

#endif
