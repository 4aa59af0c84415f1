/* A wavelet's bands to files of their own (dwt --bands=DIR). */
#ifndef GF_CLI_BATCH_BANDS_H
#define GF_CLI_BATCH_BANDS_H

#include "cli/batch/product.h"
#include "cli/settings.h"
#include "core/wavelet/dwt.h"

/* DIR/{stem}_aa3.tif and its like, to be freed; NULL without memory. */
char *gf_band_path(const struct gf_product *p, const struct gf_dwt_band *band);

/* Every band of the product into a file of its own; makes the folder. */
int gf_bands_write(const struct gf_settings *s, const struct gf_job *job,
                   const struct gf_product *p);

#endif
