/* The values of gpufft filter's own options, for the rows of cli/options.c:
 *
 *     {"lowpass", GF_OPT_CALL, 0, gf_parse_lowpass, …}
 *
 * Each parses one value into the settings; GF_EUSAGE with the form it must have. */
#ifndef GF_CLI_FILTER_OPTIONS_H
#define GF_CLI_FILTER_OPTIONS_H

#include "cli/settings.h"

int gf_parse_lowpass(const char *value, void *settings);
int gf_parse_highpass(const char *value, void *settings);
int gf_parse_bandpass(const char *value, void *settings);
int gf_parse_bandreject(const char *value, void *settings);
int gf_parse_notch(const char *value, void *settings);
int gf_parse_mask(const char *value, void *settings);
int gf_parse_convolve(const char *value, void *settings);
int gf_parse_offset(const char *value, void *settings);
int gf_parse_auto_notch(const char *value, void *count);
const char *gf_filter_option(enum gf_filter_what what); /* "--lowpass" */

#endif
