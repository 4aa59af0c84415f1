/* Whole files to arrays and back, by name: the type comes from the first bytes, the record from the
 * file or from beside it.
 *
 *     struct gf_image image;
 *     if (!gf_image_read("in.png", &options, &image, NULL))
 *         rc = gf_image_write("out.tif", gf_format_by_name("tif"), &image, &write_options, true);
 *     gf_image_free(&image);
 */
#ifndef GF_FORMATS_FILES_H
#define GF_FORMATS_FILES_H

#include "formats/format.h"

/* An input between its header and its samples, or between two of its pictures. */
struct gf_file;

/* Opens any known file ("-": stdin) and decodes its header; raw when options->raw.ndim asks for it.
 * For formats that keep the record beside the data, PATH.json is read too and its size held against
 * the data; such a record also gives a raw file's layout and a .npy file's channels. */
int gf_file_open(const char *path, const struct gf_read_options *options, struct gf_file **out,
                 struct gf_image *image);
/* The same file once more, for another thread; `of` stays open as long. Its checksum counts as checked where
 * it is in `of`. */
int gf_file_again(const struct gf_file *of, struct gf_file **out);
/* The checksum of a record beside the data, which the first reading of samples checks else. */
int gf_file_check(struct gf_file *file);
/* The samples of that image; what a record beside the data holds is checked against their checksum.
 * Once after each header. */
int gf_file_read(struct gf_file *file, struct gf_image *image);
/* The same for pictures whose first rows are used while the last ones are decoded: see
 * gf_decoder_feed(). */
int gf_file_feed(struct gf_file *file, struct gf_image *image, struct gf_feed *feed);
/* True where the samples can only be read all together: one picture of a compressed format, .npy in
 * Fortran order. Else a page, an index of the slowest axis, can be read by itself. */
bool gf_file_whole(const struct gf_file *file);
/* Pages [from, from + n) of the image into `to`, contiguous and without gaps, instead of
 * gf_file_read(); in any order and as often as needed, of a pipe in their order. The first call
 * checks the checksum of a record beside the data. */
int gf_file_read_pages(struct gf_file *file, const struct gf_image *image, int64_t from, int64_t n,
                       void *to);
/* Whether rows of a volume's pages can be read by themselves; and n of them from row `row` of page
 * `page` on, as above. */
bool gf_file_has_rows(const struct gf_file *file);
int gf_file_read_rows(struct gf_file *file, const struct gf_image *volume, int64_t page,
                      int64_t row, int64_t n, void *to);
/* Whether samples can be read by themselves; and n of them, with all their channels, from sample
 * `first` of the whole image on. */
bool gf_file_has_samples(const struct gf_file *file);
int gf_file_read_samples(struct gf_file *file, const struct gf_image *image, int64_t first,
                         int64_t n, void *to);
/* After gf_file_read_pages(): the n pages behind those will be read next. */
void gf_file_expect_pages(const struct gf_file *file, const struct gf_image *image, int64_t n);
/* Bytes that decoding takes besides the samples. */
int64_t gf_file_decoding_bytes(const struct gf_file *file);
/* After gf_file_read() with options->several: 1 where another picture follows, 0 at the end (or in
 * formats that hold one only), a negative status where something else does. May wait for a pipe. */
int gf_file_more(struct gf_file *file);
/* The header of that next picture. */
int gf_file_next(struct gf_file *file, struct gf_image *image);
/* The checksum that a record beside the data has of its first *bytes; false where there is none. And
 * that of a part of the file as it is. */
bool gf_file_recorded_sum(const struct gf_file *file, int64_t *bytes, uint32_t *crc);
int gf_file_sum(const struct gf_file *file, int64_t begin, int64_t end, uint32_t *crc);
/* The sum of two parts of a file, the second of n bytes. */
uint32_t gf_sum_join(uint32_t first, uint32_t second, int64_t n);
/* GF_EFORMAT where a file, just opened, of an output ends early, as far as that is to be seen without
 * decoding it: samples that are stored as they are, and marks at the end. Nothing is read of it then. */
int gf_file_check_end(struct gf_file *file, const struct gf_image *image);
const struct gf_format *gf_file_format(const struct gf_file *file);
/* True where nothing has to be waited for: no pipe, or one whose end has been read. */
bool gf_file_is_at_hand(const struct gf_file *file);
/* GF_EIO where it has become longer or shorter since it was opened. */
int gf_file_check_size(const struct gf_file *file);
void gf_file_close(struct gf_file *file); /* takes NULL */

/* Opens, reads and closes; options->header_only leaves the samples out. `format` (may be NULL) gets
 * the format found, NULL where there is none. */
int gf_image_read(const char *path, const struct gf_read_options *options, struct gf_image *image,
                  const struct gf_format **format);

/* Writes image to path ("-": stdout) through a safe sink: absent, old or complete. image->record
 * is put into the file or beside it. clobber = false refuses an existing file. */
int gf_image_write(const char *path, const struct gf_format *format, const struct gf_image *image,
                   const struct gf_write_options *options, bool clobber);

/* The bytes of a file that was opened with options->copies, as they are; clobber as in gf_sink_open(). */
int gf_file_copy(struct gf_file *file, const char *path, bool clobber);

/* A file of n bytes that are no picture, complete or absent; clobber as in gf_sink_open(). */
int gf_file_write(const char *path, const void *data, size_t n, bool clobber);

#endif
