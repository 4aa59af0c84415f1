/* Pictures in memory, and file formats: each format is a file of its own and a row in the table of
 * format.c. A format knows nothing of transforms. Reading has two steps, so that a caller can look
 * at the header, find room, and then decode the samples without a second look:
 *
 *     struct gf_decoder d;
 *     int rc = gf_decoder_open(&d, &gf_format_png, source, &options, &image);   header
 *     if (!rc)
 *         rc = gf_decoder_read(&d, &image);                                     samples
 *     gf_decoder_close(&d);
 *
 * formats/files.h reads and writes whole files by name. */
#ifndef GF_FORMATS_FORMAT_H
#define GF_FORMATS_FORMAT_H

#include "core/base/array.h"
#include "formats/io/io.h"
#include "formats/metadata.h"
#include "formats/stack.h"

enum gf_color { GF_GRAY, GF_RGB, GF_OTHER_COLOR /* plain channels, CMYK among them */ };

/* A decoded file. Samples keep their stored numbers. */
struct gf_image {
    struct gf_array px; /* (z,) (y,) x, channel: rank ndim + 1, the channel axis always there */
    int ndim;           /* 1..3: 2 for a picture, 3 for several pages */
    enum gf_color color;
    bool alpha;        /* the last channel is alpha */
    bool channel_axis; /* .npy and raw: one channel has an axis too */
    struct gf_metadata metadata;
    /* How the file stores it, for `info`: bits a sample, 0 when writing; NULL for samples as they are;
     * where the first row and column belong (EXIF, 1..8), 0 where the file does not tell, and whether
     * the samples were turned so. */
    int depth;
    const char *compression;
    int orientation;
    bool turned;
    struct gf_stack stack; /* what a TIFF says that its pages are */
    char *record;          /* the spectrum record's JSON text that came with the data, or NULL */
};

void gf_image_free(struct gf_image *image);

/* How the samples of a file without a header are laid out. */
struct gf_raw_layout {
    int ndim; /* 1..3; 0: not known */
    int64_t shape[3];
    int64_t channels; /* 0: one, or with channels_last the last extent of `shape` */
    enum gf_dtype dtype;
    bool big_endian;
    int64_t offset; /* bytes before the first sample */
};

struct gf_read_options {
    struct gf_raw_layout raw; /* ndim > 0: the file has no header, and this takes its place */
    bool channels_last;       /* .npy and raw: the last axis is the channel axis */
    int ndim;           /* .npy: axes besides a channel axis, as its record has it; 0: unknown */
    int64_t max_memory; /* bytes that decoding may take; 0: no limit */
    bool header_only;   /* gf_image_read() leaves px.data NULL */
    int threads;        /* for what can use them (checksums, large reads); 0: one */
    bool several;       /* more pictures may follow; the source is left at the end of this one */
    bool copies;        /* gf_file_copy() may follow */
    bool lists; /* only what the file tells is wanted: samples that it does not list are no error */
};

enum gf_png_strategy {
    GF_PNG_AUTO,    /* level -1: ISA-L, or with zlib alone its runs at level 1; a level: zlib's */
    GF_PNG_HUFFMAN, /* zlib without a search for matches */
    GF_PNG_RLE,     /* zlib's strategies, level 1 by default */
    GF_PNG_FILTERED,
    GF_PNG_DEFAULT /* zlib at level 6 */
};

struct gf_write_options {
    int level; /* deflate level 0..9; -1: the format's default */
    enum gf_png_strategy strategy;
    bool noise;               /* the samples are a spectrum: do not try to predict them */
    int threads;              /* for encoders that can use them; 0: one */
    bool big_endian;          /* raw */
    char tiff_compression[8]; /* "none" (""), "deflate", "lzw" */
    int jpeg_quality;         /* 1..100; 0: 92 */
};

/* A file between its header and its samples. */
struct gf_decoder {
    const struct gf_format *format;
    struct gf_source *source; /* the caller's */
    struct gf_read_options options;
    int64_t extra; /* bytes that decoding takes besides the samples */
    bool rows;     /* set by open(): read_rows() can read this file */
    bool whole;    /* set by open(): this file's pages cannot be decoded by themselves */
    void *state;   /* the format's own */
};

/* An output between its pages. */
struct gf_encoder {
    struct gf_sink *sink;
    const struct gf_image *image; /* all of it, without samples */
    const struct gf_write_options *options;
    void *state; /* the format's own */
};

/* The places of a volume's samples in its file: a page is in strips of `rows` rows, the last of
 * which may have fewer. */
struct gf_frame {
    int64_t rows;
    int64_t base; /* the first byte, where all strips follow each other without a gap */
    int64_t *at;  /* else that of every strip, page by page; owned */
};

struct gf_format {
    const char *name;     /* "png": also the prefix in "png:-" */
    const char *suffixes; /* "png" or "tif tiff": without dots, separated by spaces */
    const char *summary;  /* one line for --help and the manual */
    /* NULL, or loads the library that the format needs; the calls below do so too. Later calls return
     * what the first one did. */
    int (*load)(void);
    /* True when these first bytes (up to GF_SNIFF) are this format's. NULL: never sniffed. */
    bool (*sniff)(const unsigned char *head, size_t n);
    /* Decodes the header: everything of `image` but the samples, and d->state. */
    int (*open)(struct gf_decoder *d, struct gf_image *image);
    /* Decodes the samples into image->px, which is allocated and contiguous. */
    int (*read)(struct gf_decoder *d, struct gf_image *image);
    /* NULL, or where the samples of a file are, one after the other in C order, of spatial extents and
     * channels as open() gave them; GF_EUNSUPP for a file where they are not. */
    int (*layout)(const struct gf_decoder *d, struct gf_raw_layout *out);
    /* NULL, or where the samples of a volume in strips are, and how they are stored (the offset has no
     * meaning); GF_EUNSUPP for a file whose samples are not stored as they are, in such strips. The
     * caller frees frame->at. */
    int (*strips)(struct gf_decoder *d, struct gf_raw_layout *out, struct gf_frame *frame);
    /* NULL, or fills in `feed` where read()'s rows can be had one by one, see gf_decoder_feed(). */
    void (*feed)(struct gf_decoder *d, struct gf_image *image, struct gf_feed *feed);
    /* NULL: all samples are decoded at once. Those of `n` indices of the slowest axis from `from` on
     * into `to`, without gaps; in any order where the source can go back. */
    int (*read_pages)(struct gf_decoder *d, const struct gf_image *image, int64_t from, int64_t n,
                      void *to);
    /* All samples follow each other in the file, so that read_pages() reads rows, as pages of an image
     * that has no other axis before them. */
    bool plain_rows;
    /* NULL, or reads n rows of a page, where open() has set d->rows. */
    int (*read_rows)(struct gf_decoder *d, int64_t page, int64_t row, int64_t n, void *to);
    /* Frees d->state, also after a failed open. NULL: free() is enough. */
    void (*close)(struct gf_decoder *d);
    int (*write)(struct gf_sink *sink, const struct gf_image *image,
                 const struct gf_write_options *options);
    /* NULL, or the bytes that write() takes besides the samples of a picture, or of a page of several, where
     * that is more than some rows. */
    int64_t (*writing_bytes)(const struct gf_image *image);
    /* NULL: a file holds one picture. After a picture was read with options.several: 1 where
     * another one follows, 0 at the end, a negative status for anything else. */
    int (*more)(struct gf_source *source);
    /* NULL, or GF_EINVAL for a suffix that promises what write() does not make of this image. */
    int (*check_suffix)(const char *suffix, const struct gf_image *image);
    /* NULL: a volume is written by write() alone. Else the same bytes in steps: what precedes the
     * samples; the next pages, as an image of their own; what follows the last one. The last step
     * frees e->state, and comes after a failure too. */
    int (*begin)(struct gf_encoder *e);
    int (*put_pages)(struct gf_encoder *e, const struct gf_image *pages);
    int (*end)(struct gf_encoder *e);
    /* NULL: pages are written in their order only. Writes all of a file that write() would make but
     * the samples, which stay zero. The caller frees frame->at. */
    int (*write_frame)(struct gf_sink *sink, const struct gf_image *image,
                       const struct gf_write_options *options, struct gf_frame *frame);
    /* NULL: write() stores samples as they are. True when it compresses with these options, so that
     * a page's position is not known beforehand. */
    bool (*compresses)(const struct gf_write_options *options);
    /* Arrays that write() takes. */
    unsigned dtypes; /* bit (1 << enum gf_dtype) */
    int max_ndim;
    int64_t max_side;        /* rows or columns; 0: any number */
    bool lines;              /* an image of one axis; other formats get a picture of one row */
    unsigned channels;       /* bit n: n channels can be written; bit 0: any number */
    bool alpha;              /* an alpha channel is kept as such */
    unsigned alpha_channels; /* bit n: of n channels the last is alpha; no bits: any may be */
    bool alpha_plane; /* an alpha channel is kept beside spectra, as one more plane of their type */
    bool byte_order;  /* write() obeys options->big_endian */
    bool embeds_record; /* the record is inside the file (TIFF) */
    bool record_beside; /* the record is beside the file, as NAME.json (npy, raw); else dropped */
    bool lossy;         /* write() changes samples */
    bool needs_layout;  /* read() needs options->raw: there is no header */
    /* NULL, or the last bytes of a complete file that write() made. */
    const char *end_bytes;
    size_t n_end_bytes;
};

enum { GF_SNIFF = 16 };

extern const struct gf_format gf_format_png, gf_format_tiff, gf_format_jpeg, gf_format_pnm,
    gf_format_pfm, gf_format_npy, gf_format_raw;
extern const struct gf_format *const gf_formats[]; /* NULL-terminated */

/* Loads what the formats need. To be called before several threads read or write files: where
 * memory is short, glibc's dlopen() fails with the loader's lock held by the calling thread, and
 * another thread's dlopen() never returns. A failure is reported by the files concerned. */
void gf_formats_load(void);

/* By name or by any of the suffixes ("pgm", "tif"); NULL when there is none. */
const struct gf_format *gf_format_by_name(const char *name);
const struct gf_format *gf_format_by_suffix(const char *path); /* case does not matter */

/* The format whose first bytes these are; NULL: none. Finds the pictures of a folder. */
const struct gf_format *gf_format_sniff(const unsigned char *head, size_t n);
/* The format of samples without a header. */
const struct gf_format *gf_format_headerless(void);

/* The name in capitals, for messages; returns `text`. */
const char *gf_format_label(const struct gf_format *f, char text[8]);

/* Returns the text after the last point of a path's last component; "" when there is none. */
const char *gf_suffix(const char *path);

/* GF_EINVAL with the reason and the ways out when `format` cannot hold such an image. */
int gf_format_accepts(const struct gf_format *format, const struct gf_image *image);

/* Decodes the header at the source's position; image->px.data stays NULL. On failure there is
 * nothing to close or free. */
int gf_decoder_open(struct gf_decoder *d, const struct gf_format *format, struct gf_source *source,
                    const struct gf_read_options *options, struct gf_image *image);
/* Allocates image->px within options->max_memory, and decodes the samples. Once only. */
int gf_decoder_read(struct gf_decoder *d, struct gf_image *image);
/* Instead of gf_decoder_read(), for pictures whose first rows are used while the last ones are
 * decoded. Allocates image->px; feed->produce is NULL where rows cannot be had one by one. Where that or
 * feed->await() returns false, gf_decoder_read(), when no thread is in either function any more, reads the
 * samples or tells what is wrong with them. */
int gf_decoder_feed(struct gf_decoder *d, struct gf_image *image, struct gf_feed *feed);
void gf_decoder_close(struct gf_decoder *d); /* takes an all-zero struct too */
/* After gf_decoder_open(): the samples, where options->header_only does not leave them out. Closes the
 * decoder, and frees the image where it fails. */
int gf_decoder_read_rest(struct gf_decoder *d, const struct gf_read_options *options,
                         struct gf_image *image);
/* The three of them; options->header_only leaves the second out. */
int gf_format_read(const struct gf_format *format, struct gf_source *source,
                   const struct gf_read_options *options, struct gf_image *image);

#endif
