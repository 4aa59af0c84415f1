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
    X(TIFFLastDirectory) X(TIFFMergeFieldInfo) X(TIFFNumberOfStrips) X(TIFFNumberOfTiles)          \
    X(TIFFReadDirectory) X(TIFFReadEncodedStrip) X(TIFFReadEncodedTile)       \
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
    bool has_nodata;          /* pages without a number of their own have the first one's: */
    double nodata;            /* GDAL_NODATA */
    bool decoding;            /* warnings mean damaged samples, so they are errors */
    bool failed;
    bool limited;   /* libtiff hit `max_alloc`, which it handles */
    bool no_memory; /* libtiff ran out of memory */
    /* Writing: data at this address is skipped, and its position noted in hole_at. */
    const void *hole;
    int64_t hole_end; /* of the last one */
    int64_t *hole_at;
    int64_t n_holes;
    /* Writing: the next samples go here, and directories behind samples_end, so that the pages' samples
     * follow each other. 0: both go to the end of the file. */
    int64_t samples_at, samples_end;
    bool samples; /* the next write is of these */
    bool big;     /* BigTIFF */
    int status;   /* of a failed source or sink */
    char error[160];
};

/* Opens for reading (t->source) or writing (t->sink); `mode` is libtiff's. Limits each of libtiff's
 * allocations to `max_alloc` bytes if libtiff supports that; 0: no limit. */
int gf_tiff_open(struct gf_tiff *t, const char *mode, int64_t max_alloc);
/* Writing: the even offset behind all samples and directories. */
uint64_t gf_tiff_end_of(struct gf_tiff *t);
/* Closes; flushes when writing, so check t->failed afterwards. Leaks the handle if libtiff ran out
 * of memory: TIFFClose() would use what it failed to allocate. */
void gf_tiff_close(struct gf_tiff *t);
/* The status and message of the first error. */
int gf_tiff_report(const struct gf_tiff *t, const char *prefix);
/* The same if there was one while it was read. */
int gf_tiff_check(const struct gf_tiff *t);

/* How one page is stored and what it becomes. */
struct gf_tiff_page {
    int64_t width, height;
    uint16_t samples, bits, format, photometric, compression;
    uint32_t columns, rows; /* of a strip or tile */
    bool planar, tiled, palette, reduced, mask;
    bool packed;             /* integers of other widths than their type's */
    bool swapped;            /* complex pairs of bytes are in the wrong order */
    bool invert;             /* MinIsWhite: the first sample of each pixel */
    uint32_t factor;         /* expands greys of 1, 2 and 4 bits to 0..255 */
    double white;            /* as struct gf_image's */
    struct gf_coding coding; /* 16-bit floats, 64-bit and complex integers, GDAL_NODATA */
    /* The places of all strips or tiles; libtiff's. NULL if all are stored. */
    const uint64_t *offset, *bytes;
    uint16_t *map[3]; /* the palette; libtiff's, valid while the page is current */
    bool map_is_wide; /* it needs 16 bits */
    enum gf_dtype dtype;
    int64_t channels;
    enum gf_color color;
    bool alpha;
    int64_t stored_bytes; /* of the samples, uncompressed */
    int64_t buffer_bytes; /* of one strip or tile */
};

/* An entry of a directory, and where its values are in the file. */
struct gf_tiff_tag {
    uint16_t number, type;
    uint64_t count, at;
};

enum { GF_TIFF_NODATA = 42113 /* GDAL_NODATA */ };

/* Finds an entry of the current directory; its count is 0 if there is none. */
int gf_tiff_find(struct gf_tiff *t, unsigned number, struct gf_tiff_tag *tag);
/* Reads the first n bytes of its values. */
int gf_tiff_read_value(struct gf_tiff *t, const struct gf_tiff_tag *tag, size_t n, void *to);
/* Adds the current page's text, unless the header has one of the file's pages, and its tags to the
 * header. GF_ENOMEM. */
int gf_tiff_keep_tags(struct gf_tiff *t, struct gf_metadata *m);
/* The kept text if it is (or is not) one about pages, else NULL; the value of a kept tag, or NULL. */
const char *gf_tiff_kept_text(const struct gf_metadata *m, bool about_pages);
const unsigned char *gf_tiff_kept_tag(const struct gf_metadata *m, unsigned number);
/* Bytes of one value of a type; 0 for an unknown one. */
size_t gf_tiff_type_size(unsigned type);
/* Sets the kept tags, in a spectrum only texts. False if memory is short or libtiff refuses one. */
bool gf_tiff_put_tags(struct gf_tiff *t, const struct gf_metadata *m, bool spectrum);
/* For the table of formats. */
int gf_tiff_place(struct gf_metadata *m, const struct gf_metadata *reference);
/* The kept orientation, EXIF's number. */
int gf_tiff_orientation(const struct gf_metadata *m);
void gf_tiff_name_header(const struct gf_metadata *m, char text[GF_HEADER_NAMES]);
/* Sets the type of samples from format, bits and GDAL_NODATA. GF_EUNSUPP. */
int gf_tiff_set_dtype(const struct gf_tiff *t, struct gf_tiff_page *p);
/* Parses GDAL_NODATA's text; false if it is no number. */
bool gf_tiff_parse_nodata(const char *text, double *v);
/* Sets *v to the current page's GDAL_NODATA; false if it has none. */
bool gf_tiff_nodata(const struct gf_tiff *t, double *v);

int gf_tiff_describe(struct gf_tiff *t, struct gf_tiff_page *page);
/* True if samples are stored as they are returned, once they are unpacked. */
bool gf_tiff_is_direct(const struct gf_tiff_page *page);
/* True for a strip or tile that a sparse file does not store: GDAL's have offset 0 and length 0. */
static inline bool gf_tiff_is_hole(const struct gf_tiff_page *p, uint32_t i) {
    return p->offset && !p->offset[i] && !p->bytes[i];
}
/* Decodes n rows of the current page, starting at `first`, into C-contiguous (y, x, channel). */
int gf_tiff_decode(struct gf_tiff *t, const struct gf_tiff_page *page, int64_t first, int64_t n,
                   unsigned char *out);
/* The current directory's resolution, profile, compression and orientation. */
int gf_tiff_get_metadata(struct gf_tiff *t, struct gf_image *image);
/* Sets the spacing of y and x, the last axes, if an electron microscope wrote it into the current
 * directory. Fails with GF_ENOMEM. */
int gf_tiff_get_scale(struct gf_tiff *t, struct gf_axes *axes);
/* Sets the current directory's metadata for a picture of 1 or 3 colours, or 0 for plain channels,
 * with its ICC profile if `profile`. False if memory is short or libtiff refuses a tag. */
bool gf_tiff_put_metadata(TIFF *tif, const struct gf_metadata *m, int colors, bool profile);
/* Sets *text to the description of an image's pages, NULL for none, which the caller frees; `ome`:
 * always OME's. Sets *resolution if the description gives it a unit. GF_ENOMEM. */
int gf_tiff_describe_pages(const struct gf_image *image, bool ome, char **text,
                           struct gf_resolution *resolution);
/* For the table of formats. */
int gf_tiff_begin(struct gf_encoder *e);
int gf_tiff_put_pages(struct gf_encoder *e, const struct gf_image *pages);
int gf_tiff_end(struct gf_encoder *e);
int gf_tiff_write_frame(struct gf_encoder *e, struct gf_frame *frame);

#endif
