/* Reads and writes whole files by name. The first bytes tell the type; the record is in the file or
 * beside it.
 *
 *     struct gf_image image;
 *     if (!gf_image_read("in.png", &options, &image, NULL))
 *         rc = gf_image_write("out.tif", gf_format_by_name("tif"), &image, &write_options, true);
 *     gf_image_free(&image); */
#ifndef GF_FORMATS_FILES_H
#define GF_FORMATS_FILES_H

#include "formats/checksum.h"
#include "formats/pick.h"
#include "formats/volume.h"

/* An open input: after its header, or between two of its pictures. */
struct gf_file;

/* Opens a file of any known format ("-": stdin), or a raw one if options->raw.ndim is set, and
 * decodes its header. If the format keeps its record beside the data, also reads PATH.json and
 * checks the data's size; the record gives a raw file's layout and a .npy file's channels. */
int gf_file_open(const char *path, const struct gf_read_options *options, struct gf_file **out,
                 struct gf_image *image);
/* Opens the same file again for another thread; `of` must outlive it. The checksum counts as
 * checked if `of` has checked it. */
int gf_file_again(const struct gf_file *of, struct gf_file **out);
/* Checks the data against the checksum in the record beside it; otherwise the first read of samples
 * does so. */
int gf_file_check(struct gf_file *file);
/* The same with the checksum of the first bytes that sum() computes, if one is needed. */
typedef int gf_file_summer(void *user, const struct gf_chain *data, int64_t bytes, uint32_t *crc);
int gf_file_check_by(struct gf_file *file, gf_file_summer *sum, void *user);
/* Call it before reading each sample exactly once, in any order: the checksum is computed on the
 * way. The caller must call gf_file_check() at the end, which reads the file again only if the
 * checksum does not match. */
void gf_file_sum_reads(struct gf_file *file);
/* Reads the samples, once after each header, and checks their checksum. feed: NULL, or zeros, to use
 * the first rows while the last ones are decoded, see gf_decoder_read(). */
int gf_file_read(struct gf_file *file, struct gf_image *image, struct gf_feed *feed);
/* The finest unit that can be read by itself. GF_WHOLE: a picture of a compressed format, .npy in
 * Fortran order. */
enum gf_unit gf_file_unit(const struct gf_file *file);
/* Instead of gf_file_read(): reads n units, gf_file_unit() or larger ones, into the contiguous array
 * `to`, in any order and as often as needed (from a pipe only in order). Rows are of one page. The
 * first call checks the checksum. */
int gf_file_read_part(struct gf_file *file, const struct gf_image *image, enum gf_unit unit,
                      int64_t first, int64_t n, void *to);
/* After gf_file_read_part(): hints that the following n pages will be read next. */
void gf_file_expect_pages(const struct gf_file *file, const struct gf_image *image, int64_t n);
/* Bytes that decoding needs besides the samples. */
int64_t gf_file_decoding_bytes(const struct gf_file *file);
/* images > 1 if a file's axes make it several of the same kind (options->volumes). */
const struct gf_pick *gf_file_pick(const struct gf_file *file);
/* After gf_file_read() with options->several, or if the file is a series: returns 1 if another picture follows, 0 at the end
 * (or if the format holds one picture), a negative status if anything else follows. May block on a
 * pipe. */
int gf_file_more(struct gf_file *file);
/* Decodes the next picture's header. */
int gf_file_next(struct gf_file *file, struct gf_image *image);
/* GF_EFORMAT if a freshly opened output ends early, as far as that shows without decoding: by the
 * size of uncompressed samples and by end marks. */
int gf_file_check_end(struct gf_file *file, const struct gf_image *image);
const struct gf_format *gf_file_format(const struct gf_file *file);
/* True if reading never blocks: no pipe, or one that was read to its end. */
bool gf_file_is_at_hand(const struct gf_file *file);
/* GF_EIO if its length has changed since it was opened. */
int gf_file_check_size(const struct gf_file *file);
void gf_file_close(struct gf_file *file); /* takes NULL */

/* Opens, reads and closes; options->header_only omits the samples. If `format` is not NULL, sets it
 * to the format found, or NULL. */
int gf_image_read(const char *path, const struct gf_read_options *options, struct gf_image *image,
                  const struct gf_format **format);

/* Copies the bytes of a file that was opened with options->copies; clobber as in gf_sink_open(). */
int gf_file_copy(struct gf_file *file, const char *path, bool clobber);

#endif
