/* Reads and writes files larger than memory, part by part. A page is an index of the slowest axis:
 * a plane of a volume, a row of a picture, a sample of a line.
 *
 * Reading after gf_file_open() (formats/files.h): pages of raw files, .npy and TIFF volumes, in any
 * order and as often as needed; from a pipe in order, once.
 *
 *     if (gf_file_unit(file) >= GF_PAGE)
 *         rc = gf_file_read_part(file, &image, GF_PAGE, from, n, to);
 *
 * Writing gives the same bytes as gf_image_write(), complete or absent. In order, to any format
 * with pages (also compressed TIFF, and raw and .npy on pipes):
 *
 *     rc = gf_volume_begin("out.tif", format, &image, &options, true, &v);
 *     for (z = 0; z < depth && !rc; z += n)
 *         rc = gf_volume_put(v, z, &pages);                       n pages as an image
 *     rc = rc ? (gf_volume_abort(v), rc) : gf_volume_commit(v);
 *
 * Boxes in any order, to files only: raw, .npy, FITS, .nii, MRC and uncompressed TIFF:
 *
 *     rc = gf_volume_create("out.npy", format, &image, &options, true, &v);
 *     for (z = depth; z-- > 0 && !rc;)
 *         rc = gf_volume_write(v, &(struct gf_volume_box){.z = z, .height = h, .width = w}, plane,
 *                              w * pixel_bytes);
 *     rc = rc ? (gf_volume_abort(v), rc) : gf_volume_commit(v); */
#ifndef GF_FORMATS_VOLUME_H
#define GF_FORMATS_VOLUME_H

#include "formats/format.h"

struct gf_volume;

/* Writes all of an image; clobber as in gf_sink_open(). */
int gf_image_write(const char *path, const struct gf_format *format, const struct gf_image *image,
                   const struct gf_write_options *options, bool clobber);

/* Writes any n bytes to a file, complete or absent; clobber as in gf_sink_open(). */
int gf_file_write(const char *path, const void *data, size_t n, bool clobber);

/* NULL if gf_volume_begin() can write this format to this path, else the reason. */
const char *gf_volume_pages_refused(const char *path, const struct gf_format *format);
/* NULL if gf_volume_create() can with these options, else the reason. */
const char *gf_volume_refuses(const char *path, const struct gf_format *format,
                              const struct gf_write_options *options);

/* `image` has no samples. Writes its record too; borrows its metadata until the end. */
int gf_volume_begin(const char *path, const struct gf_format *format, const struct gf_image *image,
                    const struct gf_write_options *options, bool clobber, struct gf_volume **out);
/* Writes pages from number `from` on to either sort of volume; they are the next ones unless it
 * takes boxes. */
int gf_volume_put(struct gf_volume *v, int64_t from, const struct gf_image *pages);

/* The same for boxes in any order. Samples that are never written are zero. */
int gf_volume_create(const char *path, const struct gf_format *format, const struct gf_image *image,
                     const struct gf_write_options *options, bool clobber, struct gf_volume **out);
/* Rows y .. y + height and columns x .. x + width (all channels) of plane z. A picture is plane 0,
 * a line is row 0 of it. */
struct gf_volume_box {
    int64_t z, y, x, height, width;
};
/* `data` has the host's byte order and rows `stride` bytes apart. Several threads may write after
 * gf_volume_share() was given their number. */
int gf_volume_write(struct gf_volume *v, const struct gf_volume_box *box, const void *data,
                    int64_t stride);
void gf_volume_share(struct gf_volume *v, int writers);
/* Several processes can write boxes of one volume. The first one creates and lends it, and sends
 * the others the path of the temporary and the frame, whose list of strips the volume owns. They
 * join with the same image. After writing, all processes leave, which makes the data visible and
 * closes joined volumes. If there are no strips, each process may then compute the CRC-32 of bytes
 * begin .. end of the file; gf_volume_written() gives the combined one to the first process, which
 * commits. */
int gf_volume_lend(struct gf_volume *v, const char **path, struct gf_frame *frame);
int gf_volume_join(const char *path, const struct gf_format *format, const struct gf_frame *frame,
                   const struct gf_image *image, struct gf_volume **out);
int gf_volume_leave(struct gf_volume **v); /* sets a joined volume to NULL */
int gf_volume_written(struct gf_volume *v, uint32_t crc32);
/* The length of the frame's list of strips; the bytes of all samples. */
int64_t gf_volume_strips(const struct gf_volume *v);
int64_t gf_volume_bytes(const struct gf_volume *v);

int gf_volume_commit(struct gf_volume *v); /* always frees */
void gf_volume_abort(struct gf_volume *v); /* leaves no file; NULL is fine */

#endif
