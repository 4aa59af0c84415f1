/* A .npy or raw file and its record, which change together, and a header and its samples (.hdr and
 * .img), which do so too. Private to formats/. */
#ifndef GF_FORMATS_PAIR_H
#define GF_FORMATS_PAIR_H

#include "formats/format.h"

/* Fails, before the work begins, if the record could not be written. */
int gf_pair_check(const char *path, const struct gf_format *f, const char *record, bool clobber);

/* The outputs, which gf_pair_commit() takes over. */
struct gf_pair_files {
    struct gf_sink *header; /* PATH, if the data is the samples of a header; else NULL */
    struct gf_sink *data;   /* PATH, or the samples */
};

/* Moves the files and image->record into place. A reader always sees the old pair or the new one,
 * even if the program is killed: while the data is being replaced, PATH.json describes both. INT,
 * TERM and HUP wait for the end, and a failed rename restores the old pair. A header and samples
 * are renamed one after the other; between these renames no description in PATH.json fits them, so
 * that they are refused. For formats without a record beside the data, moves the data alone. */
int gf_pair_commit(const char *path, const struct gf_format *f, const struct gf_image *image,
                   const struct gf_write_options *options, bool clobber,
                   struct gf_pair_files *files);

#endif
