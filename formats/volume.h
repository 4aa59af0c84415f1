/* Reads and writes files that are too large for memory, part by part. A page is an index of the
 * slowest axis: a plane of a volume, a row of a picture, a sample of a line.
 *
 * Reading, of a file whose header gf_file_open() decoded (formats/files.h): pages of raw files,
 * .npy and TIFF volumes, in any order and as often as needed; of a pipe in their order, once.
 *
 *     if (!gf_file_whole(file))
 *         rc = gf_file_read_pages(file, &image, from, n, to);
 *
 * Writing, as gf_image_write() would have written all of it, byte for byte, complete or absent. In
 * their order, to any format with pages (compressed TIFF too, and pipes of raw and .npy):
 *
 *     rc = gf_volume_begin("out.tif", format, &image, &options, true, &v);
 *     for (z = 0; z < depth && !rc; z += n)
 *         rc = gf_volume_append(v, &pages);                       n pages, as an image of their own
 *     rc = rc ? (gf_volume_abort(v), rc) : gf_volume_commit(v);
 *
 * Box by box in any order, for files only, raw, .npy and uncompressed TIFF:
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

/* NULL if gf_volume_begin() can write a file of this format there, else the reason. */
const char *gf_volume_pages_refused(const char *path, const struct gf_format *format);
/* NULL when gf_volume_create() can, with these options, else the reason. */
const char *gf_volume_refuses(const char *path, const struct gf_format *format,
                              const struct gf_write_options *options);

/* `image`: without samples; its record is written too, its metadata is borrowed until the end. */
int gf_volume_begin(const char *path, const struct gf_format *format, const struct gf_image *image,
                    const struct gf_write_options *options, bool clobber, struct gf_volume **out);
/* Appends the next pages; all pages together make up the slowest axis. */
int gf_volume_append(struct gf_volume *v, const struct gf_image *pages);

/* The same for writing in any order. Samples that are never written are zero. */
int gf_volume_create(const char *path, const struct gf_format *format, const struct gf_image *image,
                     const struct gf_write_options *options, bool clobber, struct gf_volume **out);
/* Rows y .. y + height, columns x .. x + width (all channels) of plane z; a picture is plane 0, a
 * line its row 0. */
struct gf_volume_box {
    int64_t z, y, x, height, width;
};
/* Rows of `data` are `stride` bytes apart, in the host's byte order. Several threads may write
 * after gf_volume_share() was told their number. */
int gf_volume_write(struct gf_volume *v, const struct gf_volume_box *box, const void *data,
                    int64_t stride);
void gf_volume_share(struct gf_volume *v, int writers);
/* Several processes can write boxes of one volume. The first one creates and lends it: it passes on the path of
 * the temporary file and the places of the samples; the list of strips belongs to the volume. The others join
 * there, each with the same image. All leave once they have written, so that everyone sees the data; those that
 * joined have then closed it. Without strips each may then sum bytes begin .. end of the samples, and the first
 * process is told the sum of all. The first process commits. */
int gf_volume_lend(struct gf_volume *v, const char **path, struct gf_frame *frame);
int gf_volume_join(const char *path, const struct gf_frame *frame, const struct gf_image *image,
                   struct gf_volume **out);
int gf_volume_leave(struct gf_volume **v); /* NULL then, where it joined */
int gf_volume_sum(const char *path, int64_t begin, int64_t end, uint32_t *crc);
int gf_volume_written(struct gf_volume *v, uint32_t crc32);
/* The number of strips in such a list; the bytes of all samples. */
int64_t gf_volume_strips(const struct gf_volume *v);
int64_t gf_volume_bytes(const struct gf_volume *v);

int gf_volume_commit(struct gf_volume *v); /* frees in any case */
void gf_volume_abort(struct gf_volume *v); /* closes without a file; NULL is fine */

#endif
