/* PNG in: libpng reads the header and unusual files; formats/png/rows.c decodes the rows of usual
 * files directly into the array. */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/png/png.h"
#include "formats/png/codec.h"

/* A byte of deflate unpacks to at most 1032 bytes of data (258 from two bits). */
enum { DEFLATE_RATIO = 1032 };

/* Holds everything that changes between setjmp() and longjmp(): automatic variables of the function
 * that calls setjmp() would be lost. */
struct reader {
    png_structp png;
    png_infop info;
    struct gf_decoder *decoder;
    struct gf_image *image;
    const struct gf_codec *codec; /* NULL: libpng reads the rows too */
    struct gf_png_rows *rows;     /* after png_feed() */
    bool by_libpng;               /* rows.c has failed */
    int64_t begin;                /* of the file in the source */
    int status;                   /* of an error outside libpng */
    char message[160];
};

static bool png_sniff(const unsigned char *head, size_t n) {
    return n >= 4 && !memcmp(head, "\x89PNG", 4);
}

static void on_error(png_structp png, png_const_charp text) {
    struct reader *r = png_get_error_ptr(png);
    if (!r->message[0])
        gf_clean_text(r->message, sizeof r->message, text);
    png_longjmp(png, 1);
}

/* The remaining warnings are about chunks that are skipped anyway. */
static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_read(png_structp png, png_bytep to, size_t n) {
    struct reader *r = png_get_io_ptr(png);
    r->status = gf_source_read_exactly(r->decoder->source, to, n);
    if (r->status) {
        gf_clean_text(r->message, sizeof r->message, gf_message());
        png_longjmp(png, 1);
    }
}

/* Asks libpng for 1 to 4 channels of 8 or 16 bits in the host's byte order; returns how many. */
static int set_transforms(struct reader *r) {
    png_structp png = r->png;
    struct gf_image *image = r->image;
    int color = png_get_color_type(png, r->info);
    int depth = png_get_bit_depth(png, r->info);
    bool trns = png_get_valid(png, r->info, PNG_INFO_tRNS) != 0;
    image->depth = depth;
    if (color == PNG_COLOR_TYPE_PALETTE) {
        png_set_palette_to_rgb(png);
        image->depth = 8;
    } else if (color == PNG_COLOR_TYPE_GRAY && depth < 8) {
        png_set_expand_gray_1_2_4_to_8(png);
    }
    if (trns)
        png_set_tRNS_to_alpha(png);
    if (depth == 16 && !gf_host_is_big_endian())
        png_set_swap(png);
    image->color = color & PNG_COLOR_MASK_COLOR ? GF_RGB : GF_GRAY;
    image->alpha = trns || (color & PNG_COLOR_MASK_ALPHA);
    return (image->color == GF_RGB ? 3 : 1) + image->alpha;
}

static void read_rows(struct reader *r, int passes, int64_t height) {
    struct gf_array *px = &r->image->px;
    for (int pass = 0; pass < passes; pass++)
        for (int64_t y = 0; y < height; y++)
            png_read_row(r->png, (png_bytep)px->data + y * px->stride[0], NULL);
}

/* True if the file's samples are the array's, except for the byte order. */
static bool is_usual(const struct reader *r) {
    return r->codec &&
           gf_source_known_size(r->decoder->source) >= 0 && /* no pipe: libpng may begin anew */
           r->image->depth >= 8 && !png_get_valid(r->png, r->info, PNG_INFO_tRNS) &&
           png_get_color_type(r->png, r->info) != PNG_COLOR_TYPE_PALETTE &&
           png_get_interlace_type(r->png, r->info) == PNG_INTERLACE_NONE;
}

/* Returns 0 or a status; a longjmp() of libpng ends here. */
static int decode_header(struct reader *r) {
    if (setjmp(png_jmpbuf(r->png)))
        return r->status ? r->status : GF_EFORMAT;
    png_structp png = r->png;
    png_set_read_fn(png, r, on_read);
    /* Parse only chunks that affect pixels; check the others' checksums. */
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(png, 0);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(png, r->info);

    int64_t shape[2] = {png_get_image_height(png, r->info), png_get_image_width(png, r->info)};
    int64_t stored =
        (shape[1] * png_get_bit_depth(png, r->info) * png_get_channels(png, r->info) + 7) / 8 + 1;
    enum gf_dtype dtype = png_get_bit_depth(png, r->info) == 16 ? GF_U16 : GF_U8;
    int channels = set_transforms(r);
    int64_t row = shape[1] * channels * (int64_t)gf_dtype_size(dtype);
    /* The buffered strips, and libpng's rows. */
    r->decoder->extra = gf_png_rows_bytes(shape[0], row, GF_PNG_STRIPS) + 3 * row;
    if (__builtin_mul_overflow(stored, shape[0], &stored))
        stored = INT64_MAX;
    r->status = gf_image_plausible(r->decoder->source, stored, DEFLATE_RATIO);
    if (!r->status)
        r->status = gf_image_describe(r->image, dtype, 2, shape, channels);
    if (!r->status)
        r->status = gf_png_read_metadata(r->decoder->source, r->begin, &r->image->metadata);
    r->image->compression = "deflate";
    if (r->status)
        r->message[0] = 0;
    return r->status;
}

static struct gf_png_rows *new_rows(const struct reader *r, int strips) {
    const struct gf_array *px = &r->image->px;
    bool swap = px->dtype == GF_U16 && !gf_host_is_big_endian();
    return is_usual(r) ? gf_png_rows_new(r->codec, r->decoder->source, px, swap, strips) : NULL;
}

/* Returns false if libpng has to read the rows. */
static bool read_usual(struct reader *r) {
    struct gf_png_rows *rows = new_rows(r, 1);
    bool done = rows && gf_png_rows_decode(rows);
    gf_png_rows_free(rows);
    return done;
}

/* Returns 0 or a status; a longjmp() of libpng ends here. */
static int read_by_libpng(struct reader *r) {
    const struct gf_array *px = &r->image->px;
    if (setjmp(png_jmpbuf(r->png)))
        return r->status ? r->status : GF_EFORMAT;
    int passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    if (png_get_rowbytes(r->png, r->info) != (size_t)px->stride[0])
        png_error(r->png, "rows of an unexpected size");
    read_rows(r, passes, px->shape[0]);
    png_read_end(r->png, NULL);
    return GF_OK;
}

/* Rewords libpng's message: "IDAT: CRC error" becomes "bad CRC in IDAT". */
static int report(struct reader *r, int status) {
    size_t n = strlen(r->message);
    if (!r->message[0])
        return status; /* gf_fail() has the message */
    if (n > 9 && !strcmp(r->message + 4, ": CRC error"))
        return gf_fail(status, "not a PNG: bad CRC in %.4s", r->message);
    if (status == GF_EIO)
        return gf_fail_text(status, "", r->message);
    return gf_fail_text(status, "not a PNG: ", r->message);
}

static int png_open(struct gf_decoder *d, struct gf_image *image) {
    struct reader *r = d->state;
    r->decoder = d;
    r->image = image;
    r->codec = gf_codec_best();
    r->begin = gf_source_tell(d->source);
    r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r, on_error, on_warning);
    if (r->png)
        r->info = png_create_info_struct(r->png);
    if (!r->info)
        return gf_no_memory();
    int status = decode_header(r);
    gf_source_forward(d->source);
    return status ? report(r, status) : GF_OK;
}

static int png_read(struct gf_decoder *d, struct gf_image *image) {
    struct reader *r = d->state;
    r->decoder = d;
    r->image = image;
    /* Allocates the strips here, after the limit was checked. */
    if (!r->by_libpng && read_usual(r))
        return GF_OK;
    int status = read_by_libpng(r);
    return status ? report(r, status) : GF_OK;
}

static bool png_decode(void *user) {
    struct reader *r = user;
    bool done = gf_png_rows_decode(r->rows);
    r->by_libpng = !done;
    return done;
}

static bool png_await(void *user, int64_t rows) {
    return gf_png_rows_await(((const struct reader *)user)->rows, rows);
}

static void png_feed(struct gf_decoder *d, struct gf_image *image, struct gf_feed *feed) {
    struct reader *r = d->state;
    r->decoder = d;
    r->image = image;
    r->rows = new_rows(r, GF_PNG_STRIPS);
    if (r->rows)
        *feed = (struct gf_feed){.user = r, .produce = png_decode, .await = png_await};
}

static void png_close(struct gf_decoder *d) {
    struct reader *r = d->state;
    png_destroy_read_struct(&r->png, &r->info, NULL);
    gf_png_rows_free(r->rows);
}

int gf_png_open_by(const struct gf_codec *codec, struct gf_decoder *d, struct gf_source *source,
                   const struct gf_read_options *options, struct gf_image *image) {
    int rc = gf_decoder_open(d, &gf_format_png, source, options, image);
    struct reader *r = d->state;
    if (!rc)
        r->codec = codec;
    return rc;
}

const struct gf_format gf_format_png = {
    .name = "png",
    .suffixes = "png",
    .summary = "PNG pictures of 8 or 16 bits",
    .sniff = png_sniff,
    .end_bytes = "\0\0\0\0IEND\xAE\x42\x60\x82",
    .n_end_bytes = 12,
    .state_bytes = sizeof(struct reader),
    .open = png_open,
    .read = png_read,
    .feed = png_feed,
    .close = png_close,
    .write = gf_png_write,
    .name_header = gf_png_name_header,
    .dtypes = 1u << GF_U8 | 1u << GF_U16,
    .max_ndim = 2,
    .channels = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4,
    .alpha = true,
    .alpha_channels = 1u << 2 | 1u << 4,
    .pictures = true,
};
