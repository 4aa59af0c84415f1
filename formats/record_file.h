/* NAME.json, the record beside a .npy or raw file. It has the data file's layout and checksum, so
 * that a mismatched pair is refused. While the data is being replaced, it describes the new data
 * and, under "before", the old. Private to formats/. */
#ifndef GF_FORMATS_RECORD_FILE_H
#define GF_FORMATS_RECORD_FILE_H

#include "formats/checksum.h"
#include "formats/image.h"
#include "formats/record.h"

struct gf_description {
    char *record; /* the spectrum record's JSON; NULL: none, and format and layout are unset */
    const struct gf_format *format;
    struct gf_raw_layout layout; /* offset 0 */
    int64_t bytes;               /* of a pair: the header's, then those of the samples */
    uint32_t crc32;
};

struct gf_record_file {
    int n; /* 0: no record; 2: d[1] is the data that d[0] replaces */
    struct gf_description d[2];
};

/* Reads PATH.json; the caller frees *text, which is NULL if the file does not exist. A file too
 * long for a record is truncated, with *n above GF_RECORD_FILE_MAX. */
int gf_record_file_load(const char *path, char **text, size_t *n);
/* Other programs' JSON counts as no record; a broken record is GF_EFORMAT. */
int gf_record_file_parse(const char *text, size_t n, struct gf_record_file *out);
/* Loads and parses. */
int gf_record_file_read(const char *path, struct gf_record_file *out);
/* Finds the description that fits the data's size and checksum; *out is NULL if none does. */
int gf_record_file_choose(const struct gf_record_file *file, const struct gf_chain *data,
                          int threads, const struct gf_description **out);
/* The same; but a single description is the data's even if they differ, which is checked later; *out
 * is NULL too for data without a record. GF_EFORMAT if none of two fits. */
int gf_record_file_find(const struct gf_record_file *file, const struct gf_chain *data, int threads,
                        const struct gf_description **out);
/* GF_EFORMAT: the description is not that of the data. */
int gf_description_differs(const char *why, bool may_be_edited);
/* The same unless the samples of an edited file have the type and shape that it has. */
int gf_description_check(const struct gf_description *d, const struct gf_decoder *decoder);
void gf_record_file_free(struct gf_record_file *file);
/* Sets *text to the file's content, verified by parsing it; the caller frees it. `before` may be
 * NULL. */
int gf_record_file_text(const struct gf_description *now, const struct gf_description *before,
                        char **text);

enum { GF_RECORD_FILE_MAX = 2 * GF_MOST_RECORD + 4096 /* two records, and the rest */ };

/* Names an image's axes by those of the picture in the record, unless they are all space and the file has
 * their spacing; a broken record is refused by those who need it. Coefficients may have more planes
 * than the volumes they were made from, and are of several distances. A record of all pages, not of one
 * of several volumes, makes them one image. */
void gf_record_name_axes(struct gf_image *image, struct gf_read_options *options);

#endif
