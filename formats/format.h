/* Pictures in memory, and file formats: each format is a file and a row in format.c's table. A
 * format knows nothing of transforms. Reading takes two steps, so that a caller can inspect the
 * header and allocate memory before decoding the samples:
 *
 *     struct gf_decoder d;
 *     int rc = gf_decoder_open(&d, &gf_format_png, source, &options, &image);   header
 *     if (!rc)
 *         rc = gf_decoder_read(&d, &image, NULL);                               samples
 *     gf_decoder_close(&d);
 *
 * formats/files.h reads and writes whole files by name. */
#ifndef GF_FORMATS_FORMAT_H
#define GF_FORMATS_FORMAT_H

#include "core/base/value/array.h"
#include "core/base/value/kinds.h"
#include "core/base/value/span.h"
#include "formats/axes.h"
#include "formats/io/io.h"
#include "formats/metadata.h"

enum gf_color { GF_GRAY, GF_RGB, GF_OTHER_COLOR /* plain channels, CMYK among them */ };
/* The colour of so many channels of which nothing else is known. */
static inline enum gf_color gf_color_of(int64_t channels) {
    return channels == 1 ? GF_GRAY : channels == 3 ? GF_RGB : GF_OTHER_COLOR;
}

/* A decoded file. Samples keep their stored numbers. */
struct gf_image {
    struct gf_array px; /* (z,) (y,) x, channel: rank ndim + 1, always with a channel axis */
    int ndim;           /* 1..3: 2 for a picture, 3 for several pages */
    enum gf_color color;
    bool alpha;        /* the last channel is alpha */
    double white;      /* a PNM's maxval and the like; 0: integers' largest number, 1 for floats */
    bool channel_axis; /* .npy and raw: a single channel has an axis in the file */
    struct gf_metadata metadata;
    /* How the file stores it, for `info`. */
    int depth;               /* bits per sample; 0 when writing */
    const char *compression; /* NULL: none */
    int orientation;         /* EXIF's, 1..8; 0 if the file has none */
    bool turned;             /* the samples were turned accordingly */
    int64_t apart;           /* pages that are read and differ, so that each is an image; 0: none */
    struct gf_axes axes;     /* names and spacing; n is 0 if the file has none */
    /* The step to which a lossy file rounds the waves of i / 16 cycles a sample, in sample units, with
     * a unitary transform; 0: lossless. */
    uint8_t rounding[GF_ROUNDING_BANDS];
    /* For a format whose header says so: numbers are written as the picture's own file had them,
     * scaled or narrower than px, by metadata.header. */
    bool restores;
    bool texts;   /* of metadata.header only texts are written: it is a spectrum's source's */
    char *record; /* the spectrum record's JSON, or NULL; owned */
    bool
        centred_half; /* complex samples are as IMOD writes them: half a spectrum, ortho, centred */
    char *note;       /* NULL, or one line on a choice that the reader made; owned */
};

void gf_image_free(struct gf_image *image);
/* The numbers in a unit of the image. */
int64_t gf_image_numbers(const struct gf_image *image, enum gf_unit unit);
/* The spacing along spatial axis i in metres, degrees or seconds (*kind: 'm', 'd', 's', as
 * gf_unit_value()), by the axes or else the resolution; 0 if it is unknown, has no known unit, or
 * lies along oblique axes. 'p': metres on paper, as in 96 dpi, which are not those of the scene. */
double gf_image_spacing(const struct gf_image *image, int i, char *kind);

/* How the samples of a file without a header are laid out. */
struct gf_raw_layout {
    int ndim; /* 1..3; 0: unknown */
    int64_t shape[3];
    int64_t channels; /* 0: one, or with channels_last the last of `shape` */
    enum gf_dtype dtype;
    bool big_endian;
    int64_t offset; /* bytes before the first sample */
};

/* How a file stores numbers that are not the image's type. */
struct gf_coding {
    bool coded; /* `type`, slope and blank hold; px is f32 or f64 */
    /* A dtype, or one of these. i64 and u64 beyond 2^53 are refused. */
    enum gf_stored { GF_STORED_F16 = GF_N_DTYPES, GF_STORED_I64, GF_STORED_U64 } type;
    double slope, offset; /* number * slope + offset */
    bool has_blank;       /* the stored integer `blank`, or float `real_blank`, is NaN */
    int64_t blank;
    double real_blank;
    bool flips; /* the sign bit is inverted, so that i16 holds u16 */
    bool tail;  /* anything may follow the samples */
};

/* Indices of a pages' axis: --select=t=0:10. */
struct gf_range_of {
    char name[12];
    int64_t first, count; /* count 0: to the end */
};

struct gf_read_options {
    int n_select;
    struct gf_range_of select[GF_MAX_AXES];
    bool volumes;              /* times and channels of volumes are images of their own */
    int dims;                  /* --dims; 0: unset */
    const char *path;          /* the file's; NULL: none */
    const char *part;          /* "1]" or "SCI]" of FILE[1] or FILE[SCI]; NULL: none is named */
    struct gf_source *samples; /* of a header beside it, or NULL; borrowed */
    struct gf_raw_layout raw;  /* ndim > 0: the layout of a file without a header */
    bool channels_last;        /* .npy and raw: the last axis is the channel axis */
    int ndim;                  /* .npy: spatial axes according to its record; 0: unknown */
    int64_t max_memory;        /* bytes; 0: no limit */
    bool header_only;          /* gf_image_read() leaves px.data NULL */
    int threads;               /* for checksums and large reads; 0: one */
    bool several;              /* more pictures may follow; leave the source at this one's end */
    bool frames;               /* of a format that stacks: all pictures are one volume's planes */
    bool copies;               /* gf_file_copy() may follow */
    bool edited;               /* a record beside the samples need not have their checksum */
    bool lists;                /* for `info`: missing samples are no error */
};

enum gf_png_strategy {
    GF_PNG_AUTO,    /* level -1: ISA-L, or with zlib alone its runs at level 1; a level: zlib's */
    GF_PNG_HUFFMAN, /* zlib without matches */
    GF_PNG_RLE,     /* zlib's strategies, level 1 by default */
    GF_PNG_FILTERED,
    GF_PNG_DEFAULT /* zlib at level 6 */
};

struct gf_write_options {
    int level; /* deflate level 0..9; -1: the format's default */
    enum gf_png_strategy strategy;
    bool noise;               /* the samples are a spectrum: prediction does not help */
    int threads;              /* 0: one */
    bool big_endian;          /* raw */
    char tiff_compression[8]; /* "none" (""), "deflate", "lzw" */
    int jpeg_quality;         /* 1..100; 0: 92 */
    bool ome;                 /* TIFF: with OME's description of its pages */
};

/* A file whose header has been decoded. */
struct gf_decoder {
    const struct gf_format *format;
    struct gf_source *source; /* the caller's */
    struct gf_read_options options;
    int64_t extra;               /* bytes that decoding needs besides the samples */
    enum gf_unit unit;           /* the finest that can be read by itself; set by open() */
    struct gf_raw_layout layout; /* set by header() */
    struct gf_coding coding;     /* the same */
    struct gf_source *data;      /* NULL, or options.samples if these are the header's */
    void *state;                 /* the format's own */
};

/* An output that is written page by page. */
struct gf_encoder {
    const struct gf_format *format;
    struct gf_sink *sink;
    struct gf_sink *header;       /* NULL, or where the header goes, apart from the samples */
    const struct gf_image *image; /* the whole image, without samples */
    const struct gf_write_options *options;
    struct gf_coding coding; /* set by begin() for an image that restores */
    void *state;             /* the format's own */
};

/* The positions of a volume's samples in its file: each page has strips of `rows` rows, the last
 * one perhaps shorter. */
struct gf_frame {
    int64_t rows;
    int64_t base; /* the first byte, if all strips are contiguous */
    int64_t *at;  /* else the first byte of every strip, page by page; owned */
};

struct gf_format {
    const char *name;     /* "png": also the prefix in "png:-" */
    const char *suffixes; /* "png" or "tif tiff": without dots, separated by spaces */
    const char *summary;  /* one line for --help and the manual */
    /* NULL, or loads the library that the format needs; the calls below do so too. Later calls
     * return the first one's result. */
    int (*load)(void);
    /* True if the first bytes (GF_SNIFF, then GF_LONG_SNIFF) are this format's. NULL: never
     * sniffed. */
    bool (*sniff)(const unsigned char *head, size_t n);
    /* NULL, or true if a file that only has this format's suffix is one by the numbers of its first
     * GF_LONG_SNIFF bytes and its size (-1: unknown). `unclaimed` says why another file is not. */
    bool (*claims)(const unsigned char *head, size_t n, int64_t size);
    const char *unclaimed;
    /* Decodes the header into `image`, without samples, and d->state, state_bytes of zeros. */
    size_t state_bytes;
    int (*open)(struct gf_decoder *d, struct gf_image *image);
    /* Instead of open(), for a format whose samples are contiguous after its header: decodes that
     * into d->layout and image->channel_axis, and sets d->unit if that is none of samples, as where
     * they are not in C order. Such a format has gf_plain_read() and gf_planes_write() (image.h).
     * Its rows can be written in any order. */
    int (*header)(struct gf_decoder *d, struct gf_image *image);
    /* Decodes the samples into image->px, which is allocated and contiguous. NULL: calls
     * read_part() for all of them. */
    int (*read)(struct gf_decoder *d, struct gf_image *image);
    /* NULL, or fills in `feed` if rows can be decoded one by one, see gf_decoder_read(). */
    void (*feed)(struct gf_decoder *d, struct gf_image *image, struct gf_feed *feed);
    /* NULL: all samples are decoded at once. Else decodes n units, d->unit or larger ones, into the
     * dense `to`, in any order if the source can seek. Rows are of one page. */
    int (*read_part)(struct gf_decoder *d, const struct gf_image *image, enum gf_unit unit,
                     int64_t first, int64_t n, void *to);
    /* NULL, or describes a page of a file that open() found to have pages apart. */
    int (*next)(struct gf_decoder *d, int64_t page, struct gf_image *image);
    /* NULL, or frees what d->state owns, also after a failed open. */
    void (*close)(struct gf_decoder *d);
    /* Writes a file. NULL: calls begin(), put_pages() and end(). */
    int (*write)(struct gf_encoder *e);
    /* NULL, or returns the bytes that write() needs for a picture or page besides its samples. NULL
     * also if they are a few rows. */
    int64_t (*writing_bytes)(const struct gf_image *image);
    /* NULL: a file holds one picture. After reading one with options.several: returns 1 if another
     * follows, 0 at the end, a negative status for anything else. */
    int (*more)(struct gf_source *source);
    bool stacks; /* open() follows options.frames */
    /* NULL, or returns GF_EINVAL for an image that write() cannot store, whose type fits. */
    int (*accepts)(const struct gf_image *image);
    /* NULL, or lists what is in a header that it kept, for people. */
    void (*name_header)(const struct gf_metadata *m, char text[GF_HEADER_NAMES]);
    /* NULL, or replaces the coordinates in a header of this format, if it is one, by those of the
     * reference with which the picture was aligned. Returns 1 if that has no header. */
    int (*place)(struct gf_metadata *m, const struct gf_metadata *reference);
    /* NULL, or moves the coordinates in a header of this format for an image without
     * the `first` pages along axis i, counted from the fastest one. */
    int (*skip)(struct gf_metadata *m, int i, int64_t first);
    /* NULL, or multiplies the distance of samples in its coordinates along axis i of space. A format without
     * it writes the image's. */
    void (*scale)(struct gf_metadata *m, int i, double by);
    /* NULL, or returns GF_EINVAL for a suffix that write() does not honour for this image. */
    int (*check_suffix)(const char *suffix, const struct gf_image *image);
    /* Write a file in steps: the header (NULL: none); the next pages, as an image (NULL: only
     * write() writes files); the trailer (NULL: none). end() frees e->state and is called after a
     * failure too. */
    int (*begin)(struct gf_encoder *e);
    int (*put_pages)(struct gf_encoder *e, const struct gf_image *pages);
    int (*end)(struct gf_encoder *e);
    /* Writes the file with zeros for samples. The caller frees frame->at. NULL: calls begin() if
     * the format has header(), else pages can only be written in order. */
    int (*write_frame)(struct gf_encoder *e, struct gf_frame *frame);
    /* NULL: write() never compresses. True if it does with these options, so that the positions of
     * pages are unknown in advance. */
    bool (*compresses)(const struct gf_write_options *options);
    /* The arrays that write() accepts. */
    unsigned dtypes; /* bit (1 << enum gf_dtype) */
    int max_ndim;
    int64_t max_side;  /* largest number of rows or columns; 0: any */
    bool lengths;      /* distances of samples are lengths; none in degrees */
    bool lines;        /* images of one axis; other formats get a picture of one row */
    unsigned channels; /* bit n: n channels; bit 0: any number */
    bool alpha;        /* keeps an alpha channel as such */
    /* bit n: the last of n channels is alpha; no bits: alpha is possible with any number */
    unsigned alpha_channels;
    bool alpha_plane;   /* keeps an alpha channel with spectra, as a plane of their type */
    bool byte_order;    /* write() obeys options->big_endian */
    bool big_endian;    /* write() always writes big-endian numbers, */
    unsigned flips;     /* and these types with inverted sign bits */
    int block;          /* files are whole blocks of so many bytes, filled up with zeros; 0: any */
    int header_block;   /* the same for the header of a pair */
    bool parts;         /* read() obeys options->part */
    bool pairs;         /* FILE.hdr and FILE.img are a header and its samples */
    bool embeds_record; /* the record is inside the file (TIFF) */
    bool record_beside; /* the record is in NAME.json (npy, raw); else dropped */
    bool keeps_texts;   /* a spectrum in it has the header's texts */
    bool keeps_white;   /* write() obeys image->white */
    bool lossy;         /* write() changes samples */
    bool pictures;      /* files to look at: people read them, programs seldom */
    bool needs_layout;  /* read() needs options->raw: there is no header */
    /* NULL, or the last bytes of every complete file from write(). */
    const char *end_bytes;
    size_t n_end_bytes;
};

enum { GF_SNIFF = 16, GF_LONG_SNIFF = 352 /* if the first bytes are no known format's */ };

extern const struct gf_format gf_format_png, gf_format_tiff, gf_format_jpeg, gf_format_pnm,
    gf_format_pfm, gf_format_npy, gf_format_mrc, gf_format_fits, gf_format_nifti, gf_format_zarr,
    gf_format_raw;
extern const struct gf_format *const gf_formats[]; /* NULL-terminated */

/* Loads the formats' libraries. Call it before several threads read or write files: if glibc's
 * dlopen() runs out of memory, it fails with the loader's lock held, and another thread's dlopen()
 * never returns. Files that need a missing library report it. */
void gf_formats_load(void);

/* By any of the suffixes ("pgm", "tif"), the name among them; NULL if none has it. */
const struct gf_format *gf_format_by_name(const char *name);
const struct gf_format *gf_format_by_suffix(const char *path); /* case does not matter */

/* True if an output of this path is two files: FILE.hdr, and FILE.img with the samples. */
bool gf_format_makes_pair(const struct gf_format *format, const char *path);

/* Returns the format with these first bytes, or NULL. */
const struct gf_format *gf_format_sniff(const unsigned char *head, size_t n);
/* A type that is not read, named in the refusal. */
struct gf_foreign {
    const char *name;    /* "a WebP" */
    const char *convert; /* into a type that preserves its samples: "convert it to PNG" */
    bool seldom;         /* few of them are pictures, so folders do not count them as such */
};
enum { GF_FOREIGN_SNIFF = 132 }; /* bytes to examine */
/* Returns NULL for an unknown type. */
const struct gf_foreign *gf_foreign_find(const unsigned char *head, size_t n);

/* The name in capitals, for messages; returns `text`. */
const char *gf_format_label(const struct gf_format *f, char text[8]);

/* Returns the text after the last dot of a path's last component, or after the one before if that
 * makes a known suffix ("nii.gz"); "" if there is none. */
const char *gf_suffix(const char *path);

/* Drops the slowest axis, and keeps index 0 of it. */
void gf_image_drop_axis(struct gf_image *v);
/* The image in a shape that the format can hold, borrowing all: without leading axes of extent 1, and a
 * line as a picture of one row. A record keeps the true number of axes. */
struct gf_image gf_format_fit(const struct gf_format *format, const struct gf_image *image);
/* GF_EINVAL, with the reason and the remedy, if `format` cannot hold the image. */
int gf_format_accepts(const struct gf_format *format, const struct gf_image *image);

/* Decodes the header at the source's position; image->px.data stays NULL. After a failure nothing
 * needs closing or freeing. */
int gf_decoder_open(struct gf_decoder *d, const struct gf_format *format, struct gf_source *source,
                    const struct gf_read_options *options, struct gf_image *image);
/* Allocates image->px within options->max_memory and decodes the samples. Call it once.
 *
 * With `feed`, all zeros, for using a picture's first rows while its last ones are decoded, a format
 * that can do this only allocates and fills in the feed; else feed->produce stays NULL. If produce() or await()
 * returns false, do not use the rows: once no thread is in either function, a second call without a
 * feed reads the samples or reports the error. */
int gf_decoder_read(struct gf_decoder *d, struct gf_image *image, struct gf_feed *feed);
/* Only allocates image->px. */
int gf_decoder_allocate(const struct gf_decoder *d, struct gf_image *image);
void gf_decoder_close(struct gf_decoder *d); /* takes an all-zero struct too */
/* Writes a file of the encoder's image, with its samples. */
int gf_encoder_write(struct gf_encoder *e);
/* The first and the last step of writing one page by page. The last one takes the status of the
 * steps before it, and returns the first failure. */
int gf_encoder_begin(struct gf_encoder *e);
int gf_encoder_end(struct gf_encoder *e, int rc);

#endif
