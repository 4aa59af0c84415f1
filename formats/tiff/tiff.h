/* The parts of the TIFF format. Private to formats/. */
#ifndef GF_FORMATS_TIFF_H
#define GF_FORMATS_TIFF_H

#include <tiffio.h>

#include "formats/format.h"

#if TIFFLIB_VERSION >= 20221213
#define HAVE_OPEN_OPTIONS 1 /* libtiff 4.5: handlers that belong to a handle */
#endif

/* libtiff, loaded when the first TIFF is opened: it brings eight more libraries, whose loading
 * takes a fifth of the CPU time of a 512x512 PNG. Where the Makefile found no name to load it by,
 * it is linked. gf_tiff_load() goes before any call; it tries once, and returns GF_EIO with the
 * reason. */
/* clang-format off */
#ifdef HAVE_OPEN_OPTIONS
#define GF_TIFF_OPENING(X)                                                                         \
    X(TIFFClientOpenExt) X(TIFFOpenOptionsAlloc) X(TIFFOpenOptionsFree)                            \
    X(TIFFOpenOptionsSetErrorHandlerExtR) X(TIFFOpenOptionsSetMaxSingleMemAlloc)                   \
    X(TIFFOpenOptionsSetWarningHandlerExtR)
#else
#define GF_TIFF_OPENING(X)                                                                         \
    X(TIFFClientOpen) X(TIFFSetErrorHandler) X(TIFFSetErrorHandlerExt)                             \
    X(TIFFSetWarningHandler) X(TIFFSetWarningHandlerExt)
#endif
#define GF_TIFF_FUNCTIONS(X)                                                                       \
    GF_TIFF_OPENING(X)                                                                             \
    X(TIFFClose) X(TIFFComputeStrip) X(TIFFComputeTile) X(TIFFCurrentDirOffset) X(TIFFGetField)    \
    X(TIFFGetFieldDefaulted) X(TIFFIsBigEndian) X(TIFFIsCODECConfigured) X(TIFFIsTiled)            \
    X(TIFFLastDirectory) X(TIFFReadDirectory) X(TIFFReadEncodedStrip) X(TIFFReadEncodedTile)       \
    X(TIFFSetField) X(TIFFSetSubDirectory) X(TIFFStripSize) X(TIFFTileSize) X(TIFFWriteDirectory)  \
    X(TIFFWriteEncodedStrip) X(TIFFWriteRawStrip)
/* clang-format on */

extern struct gf_libtiff {
#define GF_TIFF_POINTER(name) __typeof__(name) *name;
    GF_TIFF_FUNCTIONS(GF_TIFF_POINTER)
} gf_libtiff;
int gf_tiff_load(void);

/* A libtiff handle over a source or a sink, and what went wrong with it. */
struct gf_tiff {
    TIFF *tif;
    struct gf_source *source; /* reading */
    struct gf_sink *sink;     /* writing */
    bool decoding;            /* a warning now means damaged samples, and counts as an error */
    bool failed;
    bool limited;   /* libtiff was refused more than `max_alloc`, which it copes with */
    bool no_memory; /* libtiff got none for something */
    /* Writing: bytes at this address are left out, and where they belong is noted. */
    const void *hole;
    int64_t hole_end; /* of the last one */
    int64_t *hole_at;
    int64_t n_holes;
    int status; /* of the source or the sink, if it is they that failed */
    char error[160];
};

/* Opens for reading (t->source) or writing (t->sink); `mode` is libtiff's. Memory that libtiff
 * takes at once is limited to `max_alloc` bytes where libtiff can do that; 0: no limit. */
int gf_tiff_open(struct gf_tiff *t, const char *mode, int64_t max_alloc);
/* Closes; when writing this flushes, so t->failed is to be looked at again. Where libtiff was short
 * of memory it is left as it is: its TIFFClose() would use what it did not get. */
void gf_tiff_close(struct gf_tiff *t);
/* The status and message of the first error. */
int gf_tiff_report(const struct gf_tiff *t, const char *prefix);

/* How one page is stored and what it becomes. */
struct gf_tiff_page {
    int64_t width, height;
    uint16_t samples, bits, format, photometric, compression;
    uint32_t columns, rows; /* of a strip or tile */
    bool planar, tiled, invert, palette, reduced;
    uint16_t *map[3]; /* the palette; libtiff's, valid while the page is current */
    bool map_is_wide; /* it needs 16 bits */
    enum gf_dtype dtype;
    int64_t channels;
    enum gf_color color;
    bool alpha;
    int64_t stored_bytes; /* of the samples, unpacked from their compression */
    int64_t buffer_bytes; /* of one strip or tile */
};

int gf_tiff_describe(struct gf_tiff *t, struct gf_tiff_page *page);
/* Decodes n rows of the current page, from row `first` on, into (y, x, channel), C-contiguous. */
int gf_tiff_decode(struct gf_tiff *t, const struct gf_tiff_page *page, int64_t first, int64_t n,
                   unsigned char *out);
/* The current directory's resolution, profile, compression and orientation. */
int gf_tiff_get_metadata(struct gf_tiff *t, struct gf_image *image);
/* "lzw", …; "other". */
const char *gf_tiff_compression_name(uint16_t number);
/* Those that a picture of that many colours may have, into the current directory. False for want of
 * memory, or where libtiff refuses one. */
bool gf_tiff_put_metadata(TIFF *tif, const struct gf_metadata *m, int colors, bool profile);
/* For the table of formats. */
int gf_tiff_begin(struct gf_encoder *e);
int gf_tiff_put_pages(struct gf_encoder *e, const struct gf_image *pages);
int gf_tiff_end(struct gf_encoder *e);
int gf_tiff_write_frame(struct gf_sink *sink, const struct gf_image *image,
                        const struct gf_write_options *options, struct gf_frame *frame);

#endif
