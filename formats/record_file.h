/* NAME.json: the record beside a .npy or raw file. It also says what the data file looks like and
 * what its bytes sum up to, so that a pair that does not belong together is refused. Private to
 * formats/. */
#ifndef GF_FORMATS_RECORD_FILE_H
#define GF_FORMATS_RECORD_FILE_H

#include "formats/image.h"

struct gf_record_file {
    bool found;
    char *record; /* the spectrum record's JSON, without what follows */
    const struct gf_format *format;
    struct gf_raw_layout layout; /* offset 0 */
    int64_t bytes;
    uint32_t crc32;
};

/* PATH.json, on the heap; NULL without memory. */
char *gf_record_path(const char *path);
/* Reads PATH.json. A file that is JSON but speaks of something else counts as not there. */
int gf_record_file_read(const char *path, struct gf_record_file *out);
/* True in `ours` when PATH.json is missing or a record; false when it is someone else's file. */
int gf_record_file_probe(const char *path, bool *exists, bool *ours);
void gf_record_file_free(struct gf_record_file *file);
/* The text to write; the caller frees it. NULL when image->record is no JSON object. */
char *gf_record_file_text(const struct gf_format *format, const struct gf_image *image,
                          bool big_endian, int64_t bytes, uint32_t crc32);

#endif
