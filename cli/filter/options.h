/* The options of a filter: groups of rows for the commands that take them, and their names.
 *
 *     static const struct gf_opt_group *const groups[] = {&gf_opts_filter, &gf_opts_common, NULL};
 */
#ifndef GF_CLI_FILTER_OPTIONS_H
#define GF_CLI_FILTER_OPTIONS_H

#include "cli/options.h"

/* The rows of a filter, which plan takes too, and those of its result. */
extern const struct gf_opt_group gf_opts_filter, gf_opts_filter_result;
const char *gf_filter_option(enum gf_filter_what what); /* "--lowpass" */

/* A line for each radius that is less than a bin, where another unit may have been meant. */
void gf_filter_note_radii(const struct gf_settings *s);

#endif
