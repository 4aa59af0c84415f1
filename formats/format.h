/* Pictures in memory, and file formats: each format is a file of its own and a row in the table of
 * format.c. A format knows nothing of transforms. Reading takes two steps, so that a caller can
 * look at the header, allocate memory, and then decode the samples:
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
    /* How the file stores it, for `info`: bits a sample (0 when writing); the compression (NULL:
     * none); the EXIF orientation (1..8; 0 if the file has none) and whether the samples were
     * turned accordingly. */
    int depth;
    const char *compression;
    int orientation;
    bool turned;
    struct gf_stack stack; /* the meaning of a TIFF's pages */
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
    int threads;        /* for checksums and large reads; 0: one */
    bool several;       /* more pictures may follow; the source is left at the end of this one */
    bool copies;        /* gf_file_copy() may follow */
    bool lists;         /* only the file's facts are wanted: missing samples are no error */
};

enum gf_png_strategy {
    GF_PNG_AUTO,    /* level -1: ISA-L, or with zlib alone its runs at level 1; a level: zlib's */
    GF_PNG_HUFFMAN, /* zlib without searching for matches */
    GF_PNG_RLE,     /* zlib's strategies, level 1 by default */
    GF_PNG_FILTERED,
    GF_PNG_DEFAULT /* zlib at level 6 */
};

struct gf_write_options {
    int level; /* deflate level 0..9; -1: the format's default */
    enum gf_png_strategy strategy;
    bool noise;               /* the samples are a spectrum: prediction does not help */
    int threads;              /* for encoders that can use them; 0: one */
    bool big_endian;          /* raw */
    char tiff_compression[8]; /* "none" (""), "deflate", "lzw" */
    int jpeg_quality;         /* 1..100; 0: 92 */
};

/* A file whose header has been decoded. */
struct gf_decoder {
    const struct gf_format *format;
    struct gf_source *source; /* the caller's */
    struct gf_read_options options;
    int64_t extra;               /* bytes that decoding takes besides the samples */
    bool rows;                   /* set by open(): read_rows() can read this file */
    bool whole;                  /* set by open(): this file's pages cannot be decoded separately */
    struct gf_raw_layout layout; /* set by header() */
    void *state;                 /* the format's own */
};

/* An output that is written page by page. */
struct gf_encoder {
    const struct gf_format *format;
    struct gf_sink *sink;
    const struct gf_image *image; /* all of it, without samples */
    const struct gf_write_options *options;
    void *state; /* the format's own */
};

/* The places of a volume's samples in its file: each page in strips of `rows` rows, the last one
 * perhaps shorter. */
struct gf_frame {
    int64_t rows;
    int64_t base; /* the first byte, where all strips follow each other without a gap */
    int64_t *at;  /* else the first byte of every strip, page by page; owned */
};

struct gf_format {
    const char *name;     /* "png": also the prefix in "png:-" */
    const char *suffixes; /* "png" or "tif tiff": without dots, separated by spaces */
    const char *summary;  /* one line for --help and the manual */
    /* NULL, or loads the library that the format needs, as the calls below do too. Later calls
     * return the first one's result. */
    int (*load)(void);
    /* True when these first bytes (up to GF_SNIFF) are this format's. NULL: never sniffed. */
    bool (*sniff)(const unsigned char *head, size_t n);
    /* Decodes the header: everything of `image` but the samples, and d->state, zeros of that size. */
    size_t state_bytes;
    int (*open)(struct gf_decoder *d, struct gf_image *image);
    /* Instead of open(), for a format whose samples are contiguous after its header: decodes that
     * into d->layout and image->channel_axis, and sets d->whole if the samples are not in C order.
     * Such a format has gf_plain_read_pages() and gf_plain_put_pages() (image.h). Its rows can be
     * read as the pages of an image without a slower axis, and written in any order. */
    int (*header)(struct gf_decoder *d, struct gf_image *image);
    /* Decodes the samples into image->px, which is allocated and contiguous. NULL: read_pages() of
     * all of them does. */
    int (*read)(struct gf_decoder *d, struct gf_image *image);
    /* NULL, or fills in `feed` if read()'s rows can be had one by one, see gf_decoder_feed(). */
    void (*feed)(struct gf_decoder *d, struct gf_image *image, struct gf_feed *feed);
    /* NULL: all samples are decoded at once. Else decodes `n` indices of the slowest axis from
     * `from` on into the dense `to`, in any order if the source can seek. */
    int (*read_pages)(struct gf_decoder *d, const struct gf_image *image, int64_t from, int64_t n,
                      void *to);
    /* NULL, or reads n rows of a page if open() has set d->rows. */
    int (*read_rows)(struct gf_decoder *d, int64_t page, int64_t row, int64_t n, void *to);
    /* NULL, or frees what d->state owns, also after a failed open. */
    void (*close)(struct gf_decoder *d);
    /* Writes a file. NULL: put_pages() does, between begin() and end(). */
    int (*write)(struct gf_sink *sink, const struct gf_image *image,
                 const struct gf_write_options *options);
    /* NULL, or returns the bytes that write() needs besides the samples of a picture or page, if
     * that exceeds a few rows. */
    int64_t (*writing_bytes)(const struct gf_image *image);
    /* NULL: a file holds one picture. After reading a picture with options.several: returns 1 if
     * another one follows, 0 at the end, a negative status for anything else. */
    int (*more)(struct gf_source *source);
    /* NULL, or returns GF_EINVAL for a suffix that promises something else than write() makes of
     * this image. */
    int (*check_suffix)(const char *suffix, const struct gf_image *image);
    /* Write a file in steps: what precedes the samples (NULL: nothing does); the next pages, as an
     * image of their own (NULL: write() alone writes files); what follows the last page (NULL:
     * nothing). The last step frees e->state and is called after a failure too. */
    int (*begin)(struct gf_encoder *e);
    int (*put_pages)(struct gf_encoder *e, const struct gf_image *pages);
    int (*end)(struct gf_encoder *e);
    /* Writes the file with zeros for samples. The caller frees frame->at. NULL: begin() does, if
     * the format has header(), else pages can only be written in order. */
    int (*write_frame)(struct gf_sink *sink, const struct gf_image *image,
                       const struct gf_write_options *options, struct gf_frame *frame);
    /* NULL: write() never compresses. True if it does with these options, so that a page's position
     * is unknown beforehand. */
    bool (*compresses)(const struct gf_write_options *options);
    /* Arrays that write() takes. */
    unsigned dtypes; /* bit (1 << enum gf_dtype) */
    int max_ndim;
    int64_t max_side; /* largest number of rows or columns; 0: any */
    /* takes an image of one axis; other formats get a picture of one row */
    bool lines;
    unsigned channels; /* bit n: n channels can be written; bit 0: any number */
    bool alpha;        /* an alpha channel is kept as such */
    /* bit n: with n channels the last one is alpha; no bits: always possible */
    unsigned alpha_channels;
    bool alpha_plane; /* an alpha channel is kept beside spectra, as one more plane of their type */
    bool byte_order;  /* write() obeys options->big_endian */
    bool embeds_record; /* the record is inside the file (TIFF) */
    bool record_beside; /* the record is beside the file, as NAME.json (npy, raw); else dropped */
    bool lossy;         /* write() changes samples */
    bool needs_layout;  /* read() needs options->raw: there is no header */
    /* NULL, or the last bytes of every complete file from write(). */
    const char *end_bytes;
    size_t n_end_bytes;
};

enum { GF_SNIFF = 16 };

extern const struct gf_format gf_format_png, gf_format_tiff, gf_format_jpeg, gf_format_pnm,
    gf_format_pfm, gf_format_npy, gf_format_raw;
extern const struct gf_format *const gf_formats[]; /* NULL-terminated */

/* Loads the formats' libraries. Call it before several threads read or write files: if memory is
 * short, glibc's dlopen() fails with the loader's lock held by the calling thread, and another
 * thread's dlopen() never returns. Files that need a missing library report it. */
void gf_formats_load(void);

/* By any of the suffixes ("pgm", "tif"), the name among them; NULL if none has it. */
const struct gf_format *gf_format_by_name(const char *name);
const struct gf_format *gf_format_by_suffix(const char *path); /* case does not matter */

/* Returns the format whose first bytes these are, or NULL; finds the pictures in a folder. */
const struct gf_format *gf_format_sniff(const unsigned char *head, size_t n);
/* A picture type that is not read, so that a refusal can name it. */
struct gf_foreign {
    const char *name;    /* "a WebP" */
    const char *convert; /* a type that keeps its samples: "PNG" */
};
enum { GF_FOREIGN_SNIFF = 132 }; /* bytes that are examined; fewer in a shorter file */
/* Returns NULL for an unknown type. */
const struct gf_foreign *gf_foreign_find(const unsigned char *head, size_t n);

/* The name in capitals, for messages; returns `text`. */
const char *gf_format_label(const struct gf_format *f, char text[8]);

/* Returns the text after the last dot of a path's last component; "" if there is none. */
const char *gf_suffix(const char *path);

/* GF_EINVAL, with the reason and what to do instead, if `format` cannot hold such an image. */
int gf_format_accepts(const struct gf_format *format, const struct gf_image *image);

/* Decodes the header at the source's position; image->px.data stays NULL. On failure there is
 * nothing to close or free. */
int gf_decoder_open(struct gf_decoder *d, const struct gf_format *format, struct gf_source *source,
                    const struct gf_read_options *options, struct gf_image *image);
/* Allocates image->px within options->max_memory, and decodes the samples. Once only. */
int gf_decoder_read(struct gf_decoder *d, struct gf_image *image);
/* Instead of gf_decoder_read(), to use the first rows of a picture while the last ones are decoded.
 * Allocates image->px; feed->produce is NULL if rows cannot be had one by one. If produce() or
 * feed->await() returns false, do not use the rows: once no thread is in either function,
 * gf_decoder_read() reads the samples or reports what is wrong with them. */
int gf_decoder_feed(struct gf_decoder *d, struct gf_image *image, struct gf_feed *feed);
void gf_decoder_close(struct gf_decoder *d); /* takes an all-zero struct too */
/* Writes a file. */
int gf_format_write(const struct gf_format *format, struct gf_sink *sink,
                    const struct gf_image *image, const struct gf_write_options *options);
/* The first and the last step of writing one page by page. The last one takes the status of the
 * steps before it, and returns the first failure. */
int gf_encoder_begin(struct gf_encoder *e);
int gf_encoder_end(struct gf_encoder *e, int rc);
/* Whether pages can be written in any order into a file with zeros for samples; writes that file. */
bool gf_format_frames(const struct gf_format *format);
int gf_format_write_frame(const struct gf_format *format, struct gf_sink *sink,
                          const struct gf_image *image, const struct gf_write_options *options,
                          struct gf_frame *frame);

#endif
