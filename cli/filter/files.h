/* The pictures that --mask and --convolve name. */
#ifndef GF_CLI_FILTER_FILES_H
#define GF_CLI_FILTER_FILES_H

#include "cli/settings.h"

/* Reads them; they stay with the settings until gf_filter_free_files(). Logs what is wrong. */
int gf_filter_read_files(struct gf_settings *s);
void gf_filter_free_files(struct gf_settings *s);

#endif
