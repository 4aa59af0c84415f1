/* NAME.json: the record beside a .npy or raw file. It also has the data file's layout and checksum,
 * so that a mismatched pair is refused. While the data is being replaced, the file describes both
 * the new data and, under "before", the old. Private to formats/. */
#ifndef GF_FORMATS_RECORD_FILE_H
#define GF_FORMATS_RECORD_FILE_H

#include "formats/image.h"

struct gf_description {
    char *record; /* the spectrum record's JSON; NULL: this data has no record, nor what is next */
    const struct gf_format *format;
    struct gf_raw_layout layout; /* offset 0 */
    int64_t bytes;
    uint32_t crc32;
};

struct gf_record_file {
    int n; /* 0: there is no record; 2: d[1] is the data that d[0] replaces */
    struct gf_description d[2];
};

/* The bytes of PATH.json, on the heap; *text is NULL when there is no such file. A file that is too
 * long for a record is cut, *n is then above GF_RECORD_FILE_MAX. */
int gf_record_file_load(const char *path, char **text, size_t *n);
/* JSON about something else counts as no record; a broken record is GF_EFORMAT. */
int gf_record_file_parse(const char *text, size_t n, struct gf_record_file *out);
/* gf_record_file_load() and gf_record_file_parse(). */
int gf_record_file_read(const char *path, struct gf_record_file *out);
/* Finds the description that fits the data's size and checksum; *out is NULL if none does. */
int gf_record_file_choose(const struct gf_record_file *file, const struct gf_source *data,
                          int threads, const struct gf_description **out);
void gf_record_file_free(struct gf_record_file *file);
/* The text to write, read back and compared; the caller frees it. `before` may be NULL. */
int gf_record_file_text(const struct gf_description *now, const struct gf_description *before,
                        char **text);

enum { GF_RECORD_FILE_MAX = 132 * 1024 /* two descriptions of 64 KiB, and the rest */ };

#endif
