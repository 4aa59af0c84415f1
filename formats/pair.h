/* A .npy or raw file and its record, which change together. Private to formats/. */
#ifndef GF_FORMATS_PAIR_H
#define GF_FORMATS_PAIR_H

#include "formats/format.h"

/* Shows before the work what is in the way of the record. */
int gf_pair_check(const char *path, const struct gf_format *f, const char *record, bool clobber);

/* Puts `data` (which it takes) and image->record in their places. For a reader the pair is the old
 * one or the new one at every moment, also where the program is killed: while the data is replaced,
 * PATH.json describes the old data and the new. INT, TERM and HUP wait for the end, and where a
 * rename fails the old pair is there again. Formats without a record beside them: the data alone.
 */
int gf_pair_commit(const char *path, const struct gf_format *f, const struct gf_image *image,
                   const struct gf_write_options *options, bool clobber, struct gf_sink *data);

#endif
