/* A volume that is too large for memory, written box by box in any order. Files only, uncompressed:
 * formats that have write_frame().
 *
 *     struct gf_volume *v;
 *     int rc = gf_volume_create("out.npy", format, &image, &options, true, &v);
 *     for (int64_t z = 0; z < depth && !rc; z++)
 *         rc = gf_volume_write(v, &(struct gf_volume_box){.z = z, .height = h, .width = w}, plane,
 *                              w * pixel_bytes);
 *     rc = rc ? (gf_volume_abort(v), rc) : gf_volume_commit(v);
 */
#ifndef GF_FORMATS_VOLUME_H
#define GF_FORMATS_VOLUME_H

#include "formats/format.h"

struct gf_volume;

/* NULL when a volume of this format and with these options can be written so, else the reason. */
const char *gf_volume_refuses(const char *path, const struct gf_format *format,
                              const struct gf_write_options *options);
/* `image`: rank 4, without samples; its record is written too. What is never written is zero. As with
 * gf_image_write() the file is absent, old or complete. */
int gf_volume_create(const char *path, const struct gf_format *format, const struct gf_image *image,
                     const struct gf_write_options *options, bool clobber, struct gf_volume **out);
/* Rows y .. y + height, columns x .. x + width (all channels) of plane z. */
struct gf_volume_box {
    int64_t z, y, x, height, width;
};
/* Rows of `data` are `stride` bytes apart. */
int gf_volume_write(struct gf_volume *v, const struct gf_volume_box *box, const void *data,
                    int64_t stride);
/* Instead of gf_volume_write(), for several processes that write the samples themselves: the path of
 * the temporary and the position of the first sample, after which the others follow without a gap, C
 * order, little-endian. gf_volume_written() tells the checksum of all of them. */
int gf_volume_lend(struct gf_volume *v, const char **path, int64_t *base);
void gf_volume_written(struct gf_volume *v, uint32_t crc32);
int gf_volume_commit(struct gf_volume *v); /* frees in any case */
void gf_volume_abort(struct gf_volume *v); /* closes without a file; NULL is fine */

/* A raw volume (options->raw has its shape and type) read plane by plane. */
struct gf_volume_reader;
int gf_volume_open(const char *path, const struct gf_read_options *options,
                   struct gf_volume_reader **out);
/* The next plane into `px`: contiguous, of the volume's type and the shape of a plane. */
int gf_volume_read(struct gf_volume_reader *r, struct gf_array *px);
void gf_volume_close(struct gf_volume_reader *r); /* takes NULL */

#endif
