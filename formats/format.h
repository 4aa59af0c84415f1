/* Files to arrays and back. A format is one file and one row in the table of format.c; it knows
 * nothing of transforms. */
#ifndef GF_FORMATS_FORMAT_H
#define GF_FORMATS_FORMAT_H

#include "core/base/array.h"
#include "formats/io.h"

enum gf_color { GF_GRAY, GF_RGB, GF_OTHER_COLOR /* plain channels, CMYK among them */ };

/* A decoded file. Samples keep their stored numbers. */
struct gf_image {
    struct gf_array px; /* (z,) (y,) x, channel: rank ndim + 1, the channel axis always there */
    int ndim;           /* 1..3: 2 for a picture, 3 for several pages */
    enum gf_color color;
    bool alpha;        /* the last channel is alpha */
    bool channel_axis; /* .npy: one channel has an axis too */
    int depth;         /* bits a sample as stored in the file, for `info`; 0 when writing */
    char *record;      /* the spectrum record's JSON text that came with the data, or NULL */
};

void gf_image_free(struct gf_image *image);

struct gf_read_options {
    /* A raw file has no header; ndim = 0 means that none of this was given. */
    struct {
        int ndim; /* 1..3 */
        int64_t shape[3];
        enum gf_dtype dtype;
        bool big_endian;
        int64_t offset; /* bytes before the first sample */
    } raw;
    bool channels_last; /* .npy and raw: the last axis is the channel axis */
    int64_t max_memory; /* bytes that decoding may take; 0: no limit */
    bool header_only;   /* fill in everything but the samples: px.data stays NULL */
    int threads;        /* for what can use them (checksums); 0: one */
    bool several;       /* PNM: more pictures may follow; the source is left at the end of this */
};

enum gf_png_strategy {
    GF_PNG_AUTO,    /* level -1: a fast coder of runs and Huffman codes; a level: zlib's */
    GF_PNG_HUFFMAN, /* level -1: the same; a level: zlib's Z_HUFFMAN_ONLY */
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
};

struct gf_format {
    const char *name;     /* "png": also the prefix in "png:-" */
    const char *suffixes; /* "png" or "tif tiff": without dots, separated by spaces */
    const char *summary;  /* one line for --help and the manual */
    /* True when these first bytes (up to GF_SNIFF) are this format's. NULL: never sniffed. */
    bool (*sniff)(const unsigned char *head, size_t n);
    int (*read)(struct gf_source *source, const struct gf_read_options *options,
                struct gf_image *image);
    int (*write)(struct gf_sink *sink, const struct gf_image *image,
                 const struct gf_write_options *options);
    /* What write() takes. */
    unsigned dtypes; /* bit (1 << enum gf_dtype) */
    int max_ndim;
    unsigned channels;  /* bit n: n channels can be written; bit 0: any number */
    bool alpha;         /* an alpha channel is kept as such */
    bool embeds_record; /* the record travels inside the file (TIFF) */
    bool record_beside; /* it stands beside the file, as NAME.json (npy, raw); else it is dropped */
};

enum { GF_SNIFF = 16 };

extern const struct gf_format gf_format_png, gf_format_tiff, gf_format_pnm, gf_format_pfm,
    gf_format_npy, gf_format_raw;
extern const struct gf_format *const gf_formats[]; /* NULL-terminated */

/* By name or by any of the suffixes ("pgm", "tif"); NULL when there is none. */
const struct gf_format *gf_format_by_name(const char *name);
const struct gf_format *gf_format_by_suffix(const char *path); /* ditto; case does not matter */

/* The format whose first bytes these are; NULL: none. Tells what in a folder are pictures. */
const struct gf_format *gf_format_sniff(const unsigned char *head, size_t n);

/* Reads any known file: the type from its first bytes; raw when options->raw.ndim says so.
 * For formats that keep the record beside the data, PATH.json is read too and its size and
 * checksum held against the data (the size alone with header_only); such a record also gives a raw
 * file's layout and a .npy file's channels. `format` (may be NULL) gets the format found. */
int gf_image_read(const char *path, const struct gf_read_options *options, struct gf_image *image,
                  const struct gf_format **format);

/* The same from a source that is open; `path` is its name, or "-". */
int gf_image_read_from(struct gf_source *source, const char *path,
                       const struct gf_read_options *options, struct gf_image *image,
                       const struct gf_format **format);

/* After a picture was read with options->several: 1 where another one follows, 0 at the end (or in
 * formats that hold one only), a negative status where something else does. May wait for a pipe. */
int gf_image_more(struct gf_source *source, const struct gf_format *format);

/* GF_EINVAL with the reason and the ways out when `format` cannot hold such an image. */
int gf_format_accepts(const struct gf_format *format, const struct gf_image *image);

/* Writes image to path ("-": stdout) through a safe sink: absent, old or complete. image->record
 * goes into the file or beside it. clobber = false refuses an existing file. */
int gf_image_write(const char *path, const struct gf_format *format, const struct gf_image *image,
                   const struct gf_write_options *options, bool clobber);

#endif
