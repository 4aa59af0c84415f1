/* The parts of the JPEG format, and the EXIF fields that matter for samples: orientation and
 * resolution. Include this instead of <jpeglib.h>. Private to formats/. */
#ifndef GF_FORMATS_JPEG_H
#define GF_FORMATS_JPEG_H

#include <stdio.h>

#include <jpeglib.h>

#include "formats/format.h"

/* libjpeg, loaded as libtiff is (formats/tiff/tiff.h). */
/* clang-format off */
#define GF_JPEG_FUNCTIONS(X)                                                                       \
    X(jpeg_CreateCompress) X(jpeg_CreateDecompress) X(jpeg_destroy_compress)                       \
    X(jpeg_destroy_decompress) X(jpeg_finish_compress) X(jpeg_finish_decompress)                   \
    X(jpeg_has_multiple_scans) X(jpeg_read_header) X(jpeg_read_scanlines)                          \
    X(jpeg_resync_to_restart) X(jpeg_set_defaults) X(jpeg_set_marker_processor)                    \
    X(jpeg_set_quality) X(jpeg_start_compress) X(jpeg_start_decompress) X(jpeg_std_error)          \
    X(jpeg_write_icc_profile) X(jpeg_write_marker) X(jpeg_write_scanlines)
/* clang-format on */

extern struct gf_libjpeg {
#define GF_JPEG_POINTER(name) __typeof__(name) *name;
    GF_JPEG_FUNCTIONS(GF_JPEG_POINTER)
} gf_libjpeg;
int gf_jpeg_load(void);

struct gf_exif {
    int orientation; /* 1..8; 0 if there is no valid one, which means 1: as stored */
    struct gf_resolution resolution;
};

/* `p` is the body of an APP1 segment, "Exif\0\0" and a TIFF header included. */
struct gf_exif gf_exif_read(const unsigned char *p, size_t n);

/* Rewrites such a body for a picture made from this one: sets Orientation to 1 and drops the
 * thumbnail. If the body is damaged, returns false and leaves the bytes alone. */
bool gf_exif_settle(unsigned char *p, size_t n);

/* Sets the orientation in XMP of n bytes to 1. */
void gf_xmp_settle(unsigned char *p, size_t n);

/* The steps that turn a picture upright, in this order: exchange rows and columns, mirror left to
 * right, mirror top to bottom. */
struct gf_orientation {
    bool transpose, mirror_x, mirror_y;
};
struct gf_orientation gf_exif_turn(int orientation); /* 0..8 */

/* The writer of gf_format_jpeg. */
int gf_jpeg_write(struct gf_encoder *e);
/* For the table of formats. */
void gf_jpeg_name_header(const struct gf_metadata *m, char text[GF_HEADER_NAMES]);
/* Bytes beside the samples: coefficients. */
int64_t gf_jpeg_writing_bytes(const struct gf_image *image);

#endif
