/* Reads and writes whole files by name. The first bytes tell the type; the record is in the file or
 * beside it.
 *
 *     struct gf_image image;
 *     if (!gf_image_read("in.png", &options, &image, NULL))
 *         rc = gf_image_write("out.tif", gf_format_by_name("tif"), &image, &write_options, true);
 *     gf_image_free(&image); */
#ifndef GF_FORMATS_FILES_H
#define GF_FORMATS_FILES_H

#include "formats/volume.h"

/* An open input: after its header, or between two of its pictures. */
struct gf_file;

/* Opens any known file ("-": stdin) and decodes its header; raw if options->raw.ndim is set. If the
 * format keeps its record beside the data, also reads PATH.json and compares its size with the
 * data's; such a record also gives a raw file's layout and a .npy file's channels. */
int gf_file_open(const char *path, const struct gf_read_options *options, struct gf_file **out,
                 struct gf_image *image);
/* Opens the same file once more, for another thread; `of` must stay open meanwhile. The checksum
 * counts as checked if `of` has checked it. */
int gf_file_again(const struct gf_file *of, struct gf_file **out);
/* Compares the data with the checksum of the record beside it, which otherwise the first reading of
 * samples does. */
int gf_file_check(struct gf_file *file);
/* Before samples that will be read once each, in any order: their sum is taken on the way, and the
 * caller must call gf_file_check() at the end, which reads them again only if that does not fit. */
void gf_file_sum_reads(struct gf_file *file);
/* Reads the samples, once after each header, and compares them with the checksum of a record beside
 * the data. */
int gf_file_read(struct gf_file *file, struct gf_image *image);
/* The same for a picture whose first rows are used while the last ones are decoded: see
 * gf_decoder_feed(). */
int gf_file_feed(struct gf_file *file, struct gf_image *image, struct gf_feed *feed);
/* True if the samples can only be read all together: a picture of a compressed format, .npy in
 * Fortran order. Otherwise each page, an index of the slowest axis, can be read separately. */
bool gf_file_whole(const struct gf_file *file);
/* Instead of gf_file_read(): reads pages [from, from + n) into the contiguous array `to`, in any
 * order and as often as needed (from a pipe only in order). The first call checks the checksum of a
 * record beside the data. */
int gf_file_read_pages(struct gf_file *file, const struct gf_image *image, int64_t from, int64_t n,
                       void *to);
/* Tells whether rows of a volume's pages can be read separately; reads n of them from row `row` of
 * page `page` on, as above. */
bool gf_file_has_rows(const struct gf_file *file);
int gf_file_read_rows(struct gf_file *file, const struct gf_image *volume, int64_t page,
                      int64_t row, int64_t n, void *to);
/* Tells whether samples can be read separately; reads n of them, with all channels, from sample
 * `first` of the whole image on. */
bool gf_file_has_samples(const struct gf_file *file);
int gf_file_read_samples(struct gf_file *file, const struct gf_image *image, int64_t first,
                         int64_t n, void *to);
/* After gf_file_read_pages(): hints that the next n pages will be read next. */
void gf_file_expect_pages(const struct gf_file *file, const struct gf_image *image, int64_t n);
/* Bytes that decoding needs besides the samples. */
int64_t gf_file_decoding_bytes(const struct gf_file *file);
/* After gf_file_read() with options->several: returns 1 if another picture follows, 0 at the end (or if the
 * format holds one picture), a negative status if something else follows. May wait for a pipe. */
int gf_file_more(struct gf_file *file);
/* Decodes the header of that next picture. */
int gf_file_next(struct gf_file *file, struct gf_image *image);
/* gf_file_recorded_sum() gives the checksum that the record beside the data has for its first
 * *bytes, false if none. gf_file_sum() computes that of a part of the file. */
bool gf_file_recorded_sum(const struct gf_file *file, int64_t *bytes, uint32_t *crc);
/* The caller has compared it. */
void gf_file_trust(struct gf_file *file);
int gf_file_sum(const struct gf_file *file, int64_t begin, int64_t end, uint32_t *crc);
/* GF_EFORMAT if a freshly opened output ends early, as far as that shows without decoding: by the
 * size of uncompressed samples and by end marks. */
int gf_file_check_end(struct gf_file *file, const struct gf_image *image);
const struct gf_format *gf_file_format(const struct gf_file *file);
/* True if reading never waits: no pipe, or one that was read to its end. */
bool gf_file_is_at_hand(const struct gf_file *file);
/* GF_EIO if its length has changed since it was opened. */
int gf_file_check_size(const struct gf_file *file);
void gf_file_close(struct gf_file *file); /* takes NULL */

/* Opens, reads and closes; options->header_only leaves out the samples. *format (`format` may be
 * NULL) becomes the format found, or NULL. */
int gf_image_read(const char *path, const struct gf_read_options *options, struct gf_image *image,
                  const struct gf_format **format);

/* Writes image to path ("-": stdout) through a safe sink: absent, old or complete. image->record
 * is put into the file or beside it. clobber = false refuses an existing file. */
/* Copies the bytes of a file that was opened with options->copies; clobber as in gf_sink_open(). */
int gf_file_copy(struct gf_file *file, const char *path, bool clobber);

/* Writes n bytes that are no picture to a file, complete or absent; clobber as in gf_sink_open(). */
int gf_file_write(const char *path, const void *data, size_t n, bool clobber);

#endif
