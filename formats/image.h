/* Helpers shared by the formats: describing a decoded image within the limits, a uniform view of
 * any image's rows, and byte order. Private to formats/. */
#ifndef GF_FORMATS_IMAGE_H
#define GF_FORMATS_IMAGE_H

#include "formats/format.h"

enum { GF_MAX_CHANNELS = 65535 };

/* For open(): sets image->px to `ndim` spatial extents and a channel axis, C-contiguous, without
 * data, after checking the extents and their product. If the depth is 0, sets it from the type and
 * the colour from the number of channels. */
int gf_image_describe(struct gf_image *image, enum gf_dtype dtype, int ndim, const int64_t *shape,
                      int64_t channels);

/* For header(): sets ndim and shape of a layout of n axes, the fastest first; all from the third on
 * are pages. Drops axes of extent 1 behind the second. Returns how many are left; GF_EFORMAT. */
int gf_layout_extents(struct gf_raw_layout *l, int n, const int64_t *extent);

/* GF_EFORMAT if a source of known size cannot hold `need` bytes even if each of its bytes expands
 * to `ratio`. Checks a header's claims before memory is allocated. */
int gf_image_plausible(struct gf_source *source, int64_t need, int64_t ratio);

/* Makes the note of an image, which keeps one that it has. GF_ENOMEM. */
__attribute__((format(printf, 2, 3))) int gf_image_note(char **note, const char *format, ...);

/* The kept header of that format, which the image's file had; NULL if it has none or less than `least`
 * bytes. */
const unsigned char *gf_header_of(const struct gf_image *image, const struct gf_format *format,
                                  size_t least);
/* For header(): keeps the header and what is behind it up to the samples, at byte `all`; `h` are its
 * first n bytes, which were read. GF_EFORMAT if the file ends before that. */
int gf_header_keep(struct gf_decoder *d, struct gf_image *image, const void *h, size_t n,
                   int64_t all);

/* Any image as planes of rows; missing axes have extent 1. */
struct gf_planes {
    int64_t depth, height, width, channels;
    size_t sample;      /* bytes */
    size_t row_bytes;   /* width * channels * sample */
    bool dense_rows;    /* a row's bytes are contiguous */
    struct gf_array px; /* rank 4: z, y, x, channel */
};

void gf_planes_view(struct gf_planes *p, const struct gf_image *image);
/* Rows [y, y + n) of plane z as contiguous bytes: in place if they are contiguous, else copied into
 * `buffer` (n * row_bytes). */
const void *gf_planes_rows(const struct gf_planes *p, int64_t z, int64_t y, int64_t n,
                           void *buffer);
/* True if gf_planes_rows() never needs its buffer. */
bool gf_planes_in_place(const struct gf_planes *p);

/* put_pages() of such a format: writes all samples in C order, as the format stores them: by
 * e->coding, in the format's byte order or, if it has a choice, that of the options. */
int gf_planes_write(struct gf_encoder *e, const struct gf_image *image);
/* Makes n numbers of the host those of a format without a coding, in place; returns false, having
 * done nothing, if they are the same. */
bool gf_plain_encode(const struct gf_format *format, bool big_endian, enum gf_dtype dtype, size_t n,
                     void *data);

/* read_part() of a format with header(): by d->layout's offset and byte order and d->coding. */
int gf_plain_read(struct gf_decoder *d, const struct gf_image *image, enum gf_unit unit,
                  int64_t first, int64_t n, void *to);

/* Describes numbers of a type that become number * slope + offset, or stay as they are if that changes
 * nothing and px has their type. Returns the type that they become: floats that hold 8 and 16 bits
 * or f32 in f32, others in f64. */
enum gf_dtype gf_coding_set(struct gf_coding *c, enum gf_stored type, double slope, double offset);
/* NumPy's code ("u2") and name ("uint16") of each enum gf_dtype and gf_stored, without a byte order. */
enum { GF_N_STORED = GF_STORED_U64 + 1 };
extern const char *const gf_numpy_names[GF_N_STORED][2];
/* Finds a type by its code or its name; that of bools is u8. -1 for other texts. */
int gf_numpy_type(const char *text, bool by_name);
/* Bytes of a stored number. decode() converts n of them to f32 or f64, and fails for integers that
 * no double holds; encode() rounds to the nearest and saturates; NaN becomes the blank or 0. */
size_t gf_coding_bytes(const struct gf_coding *c, enum gf_dtype dtype);
int gf_coding_decode(const struct gf_coding *c, const void *stored, int64_t n, enum gf_dtype dtype,
                     void *to);
void gf_coding_encode(const struct gf_coding *c, const void *from, int64_t n, enum gf_dtype dtype,
                      void *stored);
/* Inverts the sign bit of n integers of the host. */
void gf_flip_signs(void *data, size_t n, size_t size);

/* Reverses the bytes of each of `n` units of `size` bytes (1, 2, 4 or 8) in place. */
void gf_swap_bytes(void *data, size_t n, size_t size);
/* The same for the numbers of a header. */
struct gf_header_run {
    short at, size, count; /* size 0: the last */
};
void gf_swap_runs(void *header, const struct gf_header_run *runs);
bool gf_host_is_big_endian(void);

/* "png", "broken PNG: ..." and the like: gf_fail(code, "`prefix``text`") with text made one clean
 * line that begins in lower case (unless its first word is a name in capitals). */
int gf_fail_text(int code, const char *prefix, const char *text);

#endif
