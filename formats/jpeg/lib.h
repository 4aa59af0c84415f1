/* libjpeg, loaded when the first JPEG is opened, as libtiff is (formats/tiff/lib.h). Where the
 * Makefile found no name to load it by, it is linked. Include this instead of <jpeglib.h>. Private to
 * formats/. */
#ifndef GF_FORMATS_JPEG_LIB_H
#define GF_FORMATS_JPEG_LIB_H

#include <stdio.h>

#include <jpeglib.h>

/* Before any function of libjpeg is called; GF_EIO with the reason. Tries once. */
int gf_jpeg_load(void);

#ifdef GF_JPEG_SONAME

/* clang-format off */
#define GF_JPEG_FUNCTIONS(X)                                                                       \
    X(jpeg_CreateCompress) X(jpeg_CreateDecompress) X(jpeg_destroy_compress)                       \
    X(jpeg_destroy_decompress) X(jpeg_finish_compress) X(jpeg_finish_decompress)                   \
    X(jpeg_has_multiple_scans) X(jpeg_read_header) X(jpeg_read_scanlines)                          \
    X(jpeg_resync_to_restart) X(jpeg_set_defaults) X(jpeg_set_marker_processor)                    \
    X(jpeg_set_quality) X(jpeg_start_compress) X(jpeg_start_decompress) X(jpeg_std_error)          \
    X(jpeg_write_icc_profile) X(jpeg_write_marker) X(jpeg_write_scanlines)
/* clang-format on */

struct gf_jpeg_lib {
#define GF_JPEG_POINTER(name) __typeof__(name) *name##_;
    GF_JPEG_FUNCTIONS(GF_JPEG_POINTER)
};
extern struct gf_jpeg_lib gf_jpeg_lib;

#define jpeg_CreateCompress       gf_jpeg_lib.jpeg_CreateCompress_
#define jpeg_CreateDecompress     gf_jpeg_lib.jpeg_CreateDecompress_
#define jpeg_destroy_compress     gf_jpeg_lib.jpeg_destroy_compress_
#define jpeg_destroy_decompress   gf_jpeg_lib.jpeg_destroy_decompress_
#define jpeg_finish_compress      gf_jpeg_lib.jpeg_finish_compress_
#define jpeg_finish_decompress    gf_jpeg_lib.jpeg_finish_decompress_
#define jpeg_has_multiple_scans   gf_jpeg_lib.jpeg_has_multiple_scans_
#define jpeg_read_header          gf_jpeg_lib.jpeg_read_header_
#define jpeg_read_scanlines       gf_jpeg_lib.jpeg_read_scanlines_
#define jpeg_resync_to_restart    gf_jpeg_lib.jpeg_resync_to_restart_
#define jpeg_set_defaults         gf_jpeg_lib.jpeg_set_defaults_
#define jpeg_set_marker_processor gf_jpeg_lib.jpeg_set_marker_processor_
#define jpeg_set_quality          gf_jpeg_lib.jpeg_set_quality_
#define jpeg_start_compress       gf_jpeg_lib.jpeg_start_compress_
#define jpeg_start_decompress     gf_jpeg_lib.jpeg_start_decompress_
#define jpeg_std_error            gf_jpeg_lib.jpeg_std_error_
#define jpeg_write_icc_profile    gf_jpeg_lib.jpeg_write_icc_profile_
#define jpeg_write_marker         gf_jpeg_lib.jpeg_write_marker_
#define jpeg_write_scanlines      gf_jpeg_lib.jpeg_write_scanlines_

#endif

#endif
