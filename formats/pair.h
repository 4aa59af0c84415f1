/* A .npy or raw file and its record, which change together. Private to formats/. */
#ifndef GF_FORMATS_PAIR_H
#define GF_FORMATS_PAIR_H

#include "formats/format.h"

/* Shows before the work what is in the way of the record. */
int gf_pair_check(const char *path, const struct gf_format *f, const char *record, bool clobber);

/* Puts `data` (which it takes), whose bytes sum up to `crc`, and image->record in their places, as
 * safely as two files can. Formats without a record beside them: the data alone. */
int gf_pair_commit(const char *path, const struct gf_format *f, const struct gf_image *image,
                   const struct gf_write_options *options, bool clobber, struct gf_sink *data,
                   uint32_t crc);

#endif
