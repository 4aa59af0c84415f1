/* The pictures that --mask and --convolve name. */
#ifndef GF_CLI_FILTER_FILES_H
#define GF_CLI_FILTER_FILES_H

#include "cli/settings.h"
#include "formats/image.h"

/* Reads them; they stay with the settings until gf_filter_free_files(). Logs what is wrong. */
int gf_filter_read_files(struct gf_settings *s);
void gf_filter_free_files(struct gf_settings *s);

/* One number a place: grey, or the luma of red, green and blue; alpha does not count. `p` is its first
 * channel, in the image's layout. */
double gf_filter_sample(const struct gf_image *image, const char *p);
/* The divisor of a mask's samples: black to white is 0 to 1; floats are taken as they are. */
double gf_filter_mask_white(enum gf_dtype dtype);

#endif
