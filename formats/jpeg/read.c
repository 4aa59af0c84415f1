/* JPEG in, by libjpeg: 8-bit grey, YCbCr and RGB as RGB, CMYK and YCCK as the four channels that
 * the file stores (Adobe's files store the complement of the ink, and so they are read). The
 * orientation that EXIF asks for is applied. libjpeg goes on after most damage and prints a
 * warning; here each warning that means damage fails the file. */
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/jpeg/jpeg.h"

/* A Huffman code takes at least a bit, and a block of 64 samples at least one code for each of at
 * most four channels, the others of which may be subsampled: 8 * 64 * 4. Arithmetic coding has no
 * such bound. */
enum { HUFFMAN_RATIO = 2048 };
/* Progressive files have about ten scans. A scan may take a few bytes in the file and the time of
 * the whole picture, so their number is limited. */
enum { MOST_SCANS = 100 };
enum {
    BAND = 16 /* rows at once when they are turned */,
    BUFFER = 65536,
    APP1 = JPEG_APP0 + 1,
    APP2,
    APP13 = JPEG_APP0 + 13
};

/* On the heap, so that longjmp() preserves it: the function that calls setjmp() has no automatic
 * variable that changes before longjmp(). */
struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr input;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    struct gf_decoder *decoder;
    struct gf_exif exif;
    bool has_exif, exif_damaged;
    struct gf_metadata kept; /* its header: EXIF, XMP, IPTC and comments, as segments */
    /* The ICC profile, which several segments may hold, in order (ICC.1, B.4). */
    unsigned char *profile;
    size_t profile_bytes;
    int n_parts; /* segments so far; -1: not valid, or too large */
    bool last_part;
    int scan; /* the last one that was entered in `bits` */
    /* How many bits of each coefficient are still to come; -1: all. */
    signed char bits[MAX_COMPONENTS][DCTSIZE2];
    int status;         /* why decoding ended */
    const char *prefix; /* of the message */
    char message[JMSG_LENGTH_MAX];
    unsigned char *band;
    unsigned char buffer[BUFFER];
    unsigned char head[4], segment[BUFFER]; /* marker and length, and what follows */
};

static bool jpeg_sniff(const unsigned char *head, size_t n) {
    return n >= 3 && !memcmp(head, "\xff\xd8\xff", 3);
}

/* ---- callbacks ---- */

_Noreturn static void escape(struct reader *r, int status, const char *prefix) {
    r->status = status;
    r->prefix = prefix;
    longjmp(r->escape, 1);
}

_Noreturn static void escape_with(struct reader *r, int status, const char *prefix,
                                  const char *text) {
    gf_clean_text(r->message, sizeof r->message, text);
    escape(r, status, prefix);
}

static void on_error(j_common_ptr jpeg) {
    static const char corrupt[] = "Corrupt JPEG data: ";
    struct reader *r = jpeg->client_data;
    const int code = r->errors.msg_code;
    r->errors.format_message(jpeg, r->message);
    size_t skip = strncmp(r->message, corrupt, sizeof corrupt - 1) ? 0 : sizeof corrupt - 1;
    memmove(r->message, r->message + skip, strlen(r->message + skip) + 1);
    if (code == JERR_OUT_OF_MEMORY)
        escape(r, GF_ENOMEM, "");
    if (code == JERR_SOF_UNSUPPORTED || code == JERR_ARITH_NOTIMPL || code == JERR_BAD_PRECISION)
        escape(r, GF_EUNSUPP, "");
    escape(r, GF_EFORMAT, "damaged JPEG: ");
}

/* A negative level is a warning, others are traces. A newer version of JFIF changes no sample, nor
 * do bytes between segments; but behind one of several scans they are data that its decoder did not
 * come to. */
static void on_message(j_common_ptr jpeg, int level) {
    const struct reader *r = jpeg->client_data;
    const int code = jpeg->err->msg_code;
    const bool between = code == JWRN_EXTRANEOUS_DATA && !r->scan;
    if (level < 0 && !between && code != JWRN_JFIF_MAJOR)
        on_error(jpeg);
}

static void on_output(j_common_ptr jpeg) {
    (void)jpeg;
}

static void on_source(j_decompress_ptr jpeg) {
    (void)jpeg;
}

static boolean on_fill(j_decompress_ptr jpeg) {
    struct reader *r = jpeg->client_data;
    int64_t n = gf_source_read(r->decoder->source, r->buffer, BUFFER);
    if (n < 0)
        escape_with(r, (int)n, "", gf_message());
    if (n == 0)
        escape_with(r, GF_EFORMAT, "damaged JPEG: ", "unexpected end of file");
    r->input.next_input_byte = r->buffer;
    r->input.bytes_in_buffer = (size_t)n;
    return TRUE;
}

static void on_skip(j_decompress_ptr jpeg, long n) {
    struct reader *r = jpeg->client_data;
    for (; n > (long)r->input.bytes_in_buffer; on_fill(jpeg))
        n -= (long)r->input.bytes_in_buffer;
    if (n > 0) {
        r->input.next_input_byte += n;
        r->input.bytes_in_buffer -= (size_t)n;
    }
}

static unsigned next_byte(struct reader *r) {
    if (!r->input.bytes_in_buffer)
        on_fill(&r->jpeg);
    r->input.bytes_in_buffer--;
    return *r->input.next_input_byte++;
}

/* Reads one segment into our buffer; libjpeg's own way would keep all of them. */
static unsigned read_segment(struct reader *r) {
    r->head[2] = (unsigned char)next_byte(r);
    r->head[3] = (unsigned char)next_byte(r);
    unsigned length = (unsigned)gf_get_number(r->head + 2, 2, true);
    if (length < 2)
        ERREXIT(&r->jpeg, JERR_BAD_LENGTH);
    length -= 2;
    for (unsigned i = 0; i < length; i++)
        r->segment[i] = (unsigned char)next_byte(r);
    return length;
}

/* Appends the segment, with its marker and length, to the header. */
static void keep_segment(struct reader *r, unsigned length) {
    r->head[0] = 0xff;
    r->head[1] = (unsigned char)r->jpeg.unread_marker;
    if (gf_header_append(&r->kept, gf_format_jpeg.name, r->head, sizeof r->head + length))
        ERREXIT1(&r->jpeg, JERR_OUT_OF_MEMORY, 0);
}

static boolean on_app1(j_decompress_ptr jpeg) {
    static const char xmp[] = "http://ns.adobe.com/x"; /* ap/1.0/, mp/extension/ */
    struct reader *r = jpeg->client_data;
    unsigned length = read_segment(r);
    if (!r->has_exif && length > 6 && !memcmp(r->segment, "Exif\0", 6)) {
        r->has_exif = true;
        r->exif = gf_exif_read(r->segment, length);
        r->exif_damaged = !gf_exif_settle(r->segment, length);
        if (!r->exif_damaged)
            keep_segment(r, length);
    } else if (length > sizeof xmp - 1 && !memcmp(r->segment, xmp, sizeof xmp - 1)) {
        gf_xmp_settle(r->segment, length);
        keep_segment(r, length);
    }
    return TRUE;
}

/* IPTC and comments. */
static boolean on_text(j_decompress_ptr jpeg) {
    struct reader *r = jpeg->client_data;
    keep_segment(r, read_segment(r));
    return TRUE;
}

/* Collects a profile: "ICC_PROFILE\0", the number of this part, how many there are, the part. */
static boolean on_app2(j_decompress_ptr jpeg) {
    enum { HEAD = 14 };
    struct reader *r = jpeg->client_data;
    unsigned length = read_segment(r);
    if (length < HEAD || memcmp(r->segment, "ICC_PROFILE", 12) || r->n_parts < 0)
        return TRUE;
    size_t n = length - HEAD;
    if (r->last_part || r->segment[12] != r->n_parts + 1 ||
        r->profile_bytes + n > GF_MOST_PROFILE) {
        r->n_parts = -1;
        return TRUE;
    }
    unsigned char *more = realloc(r->profile, r->profile_bytes + n + 1);
    if (!more)
        ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    memcpy(more + r->profile_bytes, r->segment + HEAD, n);
    r->profile = more;
    r->profile_bytes += n;
    r->n_parts++;
    r->last_part = r->segment[12] == r->segment[13];
    return TRUE;
}

/* Called for each row of blocks of each scan while all scans are read ahead. */
static void on_progress(j_common_ptr common) {
    struct reader *r = common->client_data;
    const struct jpeg_decompress_struct *jpeg = &r->jpeg;
    if (jpeg->input_scan_number > MOST_SCANS)
        escape_with(r, GF_EUNSUPP, "", "a JPEG of more than 100 scans");
    if (r->scan == jpeg->input_scan_number)
        return;
    r->scan = jpeg->input_scan_number;
    for (int i = 0; i < jpeg->comps_in_scan; i++) {
        signed char *bits = r->bits[jpeg->cur_comp_info[i]->component_index];
        for (int k = jpeg->Ss; k <= jpeg->Se && k < DCTSIZE2; k++) {
            if ((bits[k] < 0) != (jpeg->Ah == 0))
                escape_with(r, GF_EFORMAT, "damaged JPEG: ", "its scans do not fit together");
            bits[k] = (signed char)jpeg->Al;
        }
    }
}

/* ---- the header ---- */

static void set_callbacks(struct reader *r) {
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    r->input.init_source = r->input.term_source = on_source;
    r->input.fill_input_buffer = on_fill;
    r->input.skip_input_data = on_skip;
    r->input.resync_to_restart = gf_libjpeg.jpeg_resync_to_restart;
    r->progress.progress_monitor = on_progress;
    jpeg->src = &r->input;
    jpeg->progress = &r->progress;
    jpeg->mem->max_memory_to_use = 0; /* the decoder's own limit applies, not $JPEGMEM */
    gf_libjpeg.jpeg_set_marker_processor(jpeg, APP1, on_app1);
    gf_libjpeg.jpeg_set_marker_processor(jpeg, APP2, on_app2);
    gf_libjpeg.jpeg_set_marker_processor(jpeg, APP13, on_text);
    gf_libjpeg.jpeg_set_marker_processor(jpeg, JPEG_COM, on_text);
}

static int channels_of(struct reader *r) {
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE:
        jpeg->out_color_space = JCS_GRAYSCALE;
        return 1;
    case JCS_YCbCr:
    case JCS_RGB:
        jpeg->out_color_space = JCS_RGB;
        return 3;
    case JCS_CMYK:
    case JCS_YCCK:
        jpeg->out_color_space = JCS_CMYK;
        return 4;
    default:
        return 0;
    }
}

/* Bytes that libjpeg allocates besides the samples: the coefficients of files of several scans,
 * which are all kept, and some rows of each component. */
static int64_t working_memory(struct reader *r) {
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    int64_t sum = 8 * BUFFER;
    for (int i = 0; i < jpeg->num_components; i++) {
        const jpeg_component_info *c = &jpeg->comp_info[i];
        int64_t across = (int64_t)c->width_in_blocks + c->h_samp_factor;
        int64_t down = (int64_t)c->height_in_blocks + c->v_samp_factor;
        if (gf_libjpeg.jpeg_has_multiple_scans(jpeg))
            sum += across * down * (int64_t)sizeof(JBLOCK);
        sum += across * DCTSIZE * (4 * DCTSIZE) * MAX_SAMP_FACTOR;
    }
    return sum + BAND * jpeg->num_components * (int64_t)jpeg->image_width;
}

/* Takes the resolution (JFIF's, else EXIF's) as the turned picture has it, EXIF itself and the
 * profile. */
static int take_metadata(struct reader *r, struct gf_image *image) {
    static const enum gf_resolution_unit units[] = {GF_UNIT_NONE, GF_INCH, GF_CENTIMETRE};
    const struct jpeg_decompress_struct *jpeg = &r->jpeg;
    struct gf_resolution *to = &image->metadata.resolution;
    *to = r->exif.resolution;
    if (jpeg->saw_JFIF_marker && jpeg->density_unit < 3)
        gf_resolution_set(to, jpeg->X_density, jpeg->Y_density, units[jpeg->density_unit]);
    if (gf_exif_turn(r->exif.orientation).transpose)
        *to = (struct gf_resolution){to->y, to->x, to->unit};
    image->orientation = r->exif.orientation;
    image->turned = image->orientation > 1;
    image->metadata.exif_damaged = r->exif_damaged;
    image->metadata.header_format = r->kept.header_format;
    image->metadata.header = r->kept.header;
    image->metadata.header_bytes = r->kept.header_bytes;
    r->kept = (struct gf_metadata){0};
    image->compression = jpeg->progressive_mode ? "progressive jpeg" : "jpeg";
    return r->last_part && r->n_parts > 0
               ? gf_profile_copy(&image->metadata, r->profile, r->profile_bytes)
               : GF_OK;
}

/* Colours give the luma's table: most of the chroma is rounded to 0. */
static void take_rounding(const struct jpeg_decompress_struct *jpeg, struct gf_image *image) {
    const int number = jpeg->comp_info[0].quant_tbl_no;
    const JQUANT_TBL *table =
        number >= 0 && number < NUM_QUANT_TBLS ? jpeg->quant_tbl_ptrs[number] : NULL;
    if (table)
        gf_rounding_make(table->quantval, image->rounding);
}

static int describe(struct reader *r, struct gf_image *image) {
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    const int64_t width = jpeg->image_width, height = jpeg->image_height;
    const bool transpose = gf_exif_turn(r->exif.orientation).transpose;
    const int64_t shape[2] = {transpose ? width : height, transpose ? height : width};
    if (jpeg->data_precision != 8)
        return gf_fail(GF_EUNSUPP, "a JPEG of %d bits per sample (8 can be read)",
                       jpeg->data_precision);
    int channels = channels_of(r);
    if (!channels)
        return gf_fail(GF_EUNSUPP, "a JPEG of %d channels without a known colour space",
                       jpeg->num_components);
    take_rounding(jpeg, image);
    r->decoder->extra = working_memory(r);
    int rc = jpeg->arith_code
                 ? GF_OK
                 : gf_image_plausible(r->decoder->source, width * height * channels, HUFFMAN_RATIO);
    if (!rc)
        rc = gf_image_describe(image, GF_U8, 2, shape, channels);
    return rc ? rc : take_metadata(r, image);
}

/* Returns 0 or a status; a longjmp() ends here. */
static int decode_header(struct reader *r) {
    if (setjmp(r->escape))
        return gf_fail_text(r->status, r->prefix, r->message);
    gf_libjpeg.jpeg_create_decompress(&r->jpeg);
    set_callbacks(r);
    gf_libjpeg.jpeg_read_header(&r->jpeg, TRUE);
    return GF_OK;
}

static int jpeg_open(struct gf_decoder *d, struct gf_image *image) {
    struct reader *r = d->state;
    r->decoder = d;
    memset(r->bits, -1, sizeof r->bits);
    r->jpeg.err = gf_libjpeg.jpeg_std_error(&r->errors);
    r->jpeg.client_data = r; /* jpeg_create_decompress() keeps these two */
    r->errors.error_exit = on_error;
    r->errors.emit_message = on_message;
    r->errors.output_message = on_output;
    if (!d->options.copies)
        gf_source_forward(d->source);
    int rc = decode_header(r);
    return rc ? rc : describe(r, image);
}

/* ---- the samples ---- */

/* Copies `n` rows of the file, starting at row `y`, into the turned picture. */
static void put_turned(const struct reader *r, const struct gf_array *px, int64_t y, int n) {
    const struct gf_orientation turn = gf_exif_turn(r->exif.orientation);
    const int64_t width = r->jpeg.image_width, channels = px->shape[2];
    int64_t step_y = px->stride[turn.transpose ? 1 : 0];
    int64_t step_x = px->stride[turn.transpose ? 0 : 1];
    unsigned char *origin = px->data;
    if (turn.mirror_y)
        origin += (px->shape[0] - 1) * px->stride[0];
    if (turn.mirror_x)
        origin += (px->shape[1] - 1) * px->stride[1];
    if (turn.transpose ? turn.mirror_x : turn.mirror_y)
        step_y = -step_y;
    if (turn.transpose ? turn.mirror_y : turn.mirror_x)
        step_x = -step_x;
    /* Column by column: in a transposed picture a column's samples are neighbours. */
    for (int64_t x = 0; x < width; x++)
        for (int i = 0; i < n; i++) {
            const unsigned char *from = r->band + (i * width + x) * channels;
            unsigned char *to = origin + (y + i) * step_y + x * step_x;
            for (int64_t c = 0; c < channels; c++)
                to[c] = from[c];
        }
}

static void read_rows(struct reader *r, const struct gf_array *px) {
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    const size_t row = (size_t)jpeg->image_width * (size_t)px->shape[2];
    unsigned char *turned = r->band;
    for (int64_t y = 0; y < jpeg->image_height;) {
        const int64_t left = jpeg->image_height - y, n = turned ? gf_min(BAND, left) : left;
        for (int64_t i = 0; i < n; i++) {
            JSAMPROW to = turned ? turned + (size_t)i * row
                                 : (unsigned char *)px->data + (y + i) * px->stride[0];
            gf_libjpeg.jpeg_read_scanlines(
                jpeg, &to, 1); /* our source never suspends, so each call gives a row */
        }
        if (turned)
            put_turned(r, px, y, (int)n);
        y += n;
    }
}

/* libjpeg takes missing bits for zeros, and skips a scan whose header is damaged. */
static void check_scans(struct reader *r) {
    for (int i = 0; i < r->jpeg.num_components && gf_libjpeg.jpeg_has_multiple_scans(&r->jpeg); i++)
        for (int k = 0; k < DCTSIZE2; k++)
            if (r->bits[i][k])
                escape_with(r, GF_EFORMAT,
                            "damaged JPEG: ", k ? "a scan is missing" : "a channel has no data");
}

/* Returns 0 or a status; a longjmp() ends here. */
static int decode_rows(struct reader *r, const struct gf_array *px) {
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    if (setjmp(r->escape))
        return gf_fail_text(r->status, r->prefix, r->message);
    jpeg->do_block_smoothing = FALSE; /* invents nothing for missing scans */
    gf_libjpeg.jpeg_start_decompress(jpeg);
    check_scans(r);
    if (jpeg->output_width != jpeg->image_width || jpeg->output_height != jpeg->image_height ||
        jpeg->output_components != px->shape[2])
        escape_with(r, GF_EFORMAT, "damaged JPEG: ", "rows of an unexpected size");
    read_rows(r, px);
    gf_libjpeg.jpeg_finish_decompress(jpeg); /* to the end marker */
    return GF_OK;
}

static int jpeg_read(struct gf_decoder *d, struct gf_image *image) {
    struct reader *r = d->state;
    const size_t row = (size_t)r->jpeg.image_width * (size_t)image->px.shape[2];
    r->decoder = d;
    bool turns = r->exif.orientation > 1;
    r->band = turns ? malloc(BAND * row) : NULL;
    if (turns && !r->band)
        return gf_no_memory();
    return decode_rows(r, &image->px);
}

static void jpeg_close(struct gf_decoder *d) {
    struct reader *r = d->state;
    gf_libjpeg.jpeg_destroy_decompress(&r->jpeg); /* takes one that was never created too */
    free(r->band);
    free(r->profile);
    gf_metadata_free(&r->kept);
}

const struct gf_format gf_format_jpeg = {
    .name = "jpeg",
    .suffixes = "jpg jpeg jpe jfif",
    .summary = "JPEG pictures of 8 bits, grey or colour",
    .sniff = jpeg_sniff,
    .end_bytes = "\xFF\xD9",
    .n_end_bytes = 2,
    .load = gf_jpeg_load,
    .state_bytes = sizeof(struct reader),
    .open = jpeg_open,
    .read = jpeg_read,
    .close = jpeg_close,
    .write = gf_jpeg_write,
    .name_header = gf_jpeg_name_header,
    .dtypes = 1u << GF_U8,
    .max_ndim = 2,
    .writing_bytes = gf_jpeg_writing_bytes,
    .max_side = JPEG_MAX_DIMENSION,
    .channels = 1u << 1 | 1u << 3,
    .lossy = true,
    .pictures = true,
};
