/* JPEG out, by libjpeg: 8-bit grey as it is, colour as YCbCr in full resolution (4:4:4). */
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/jpeg/jpeg.h"

enum { BUFFER = 65536, DEFAULT_QUALITY = 92 };
/* Huffman tables made for the picture save 5 to 15% of the file, and take a pass of their own over
 * all coefficients, which libjpeg keeps in memory until then: two bytes a sample. */
enum { MOST_OPTIMIZED = 32 << 20 /* samples */ };

/* On the heap, so that longjmp() preserves it (as in the reader). */
struct writer {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr output;
    jmp_buf escape;
    struct gf_sink *sink;
    struct gf_planes planes;
    const struct gf_metadata *metadata;
    unsigned char *row; /* if the array's rows are not dense */
    int status;
    char message[JMSG_LENGTH_MAX];
    unsigned char buffer[BUFFER];
};

static void on_error(j_common_ptr jpeg) {
    struct writer *w = jpeg->client_data;
    w->status = w->errors.msg_code == JERR_OUT_OF_MEMORY ? GF_ENOMEM : GF_EIO;
    w->errors.format_message(jpeg, w->message);
    longjmp(w->escape, 1);
}

static void on_message(j_common_ptr jpeg, int level) {
    (void)jpeg;
    (void)level;
}

static void on_start(j_compress_ptr jpeg) {
    struct writer *w = jpeg->client_data;
    w->output.next_output_byte = w->buffer;
    w->output.free_in_buffer = BUFFER;
}

static void put(struct writer *w, size_t n) {
    w->status = gf_sink_write(w->sink, w->buffer, n);
    if (w->status)
        longjmp(w->escape, 1);
}

/* libjpeg means the whole buffer, whatever it has counted as free. */
static boolean on_full(j_compress_ptr jpeg) {
    put(jpeg->client_data, BUFFER);
    on_start(jpeg);
    return TRUE;
}

static void on_end(j_compress_ptr jpeg) {
    struct writer *w = jpeg->client_data;
    put(w, BUFFER - w->output.free_in_buffer);
}

static bool is_optimized(int64_t width, int64_t height, int64_t channels) {
    return width * height * channels <= MOST_OPTIMIZED;
}

int64_t gf_jpeg_writing_bytes(const struct gf_image *image) {
    const int64_t *shape = image->px.shape, last = image->px.rank - 1;
    int64_t height = last > 1 ? shape[last - 2] : 1;
    if (!is_optimized(shape[last - 1], height, shape[last]))
        return 0;
    const int64_t blocks = gf_divide_up(shape[last - 1], DCTSIZE) * gf_divide_up(height, DCTSIZE);
    return blocks * shape[last] * (int64_t)sizeof(JBLOCK);
}

/* JFIF's numbers are whole; a resolution a metre rounds better to inches than to centimetres. */
static void set_density(struct jpeg_compress_struct *jpeg, const struct gf_resolution *r) {
    bool as_is = r->unit == GF_CENTIMETRE && !(fmod(r->x, 1) > 0) && !(fmod(r->y, 1) > 0);
    struct gf_resolution whole;
    if (!gf_resolution_round(r, as_is ? GF_CENTIMETRE : GF_INCH, UINT16_MAX, &whole))
        return;
    jpeg->density_unit = whole.unit == GF_UNIT_NONE ? 0 : whole.unit == GF_INCH ? 1 : 2;
    jpeg->X_density = (UINT16)whole.x;
    jpeg->Y_density = (UINT16)whole.y;
}

static void configure(struct writer *w, const struct gf_write_options *options) {
    struct jpeg_compress_struct *jpeg = &w->jpeg;
    const struct gf_planes *p = &w->planes;
    w->output.init_destination = on_start;
    w->output.empty_output_buffer = on_full;
    w->output.term_destination = on_end;
    jpeg->dest = &w->output;
    jpeg->mem->max_memory_to_use = 0; /* ignores $JPEGMEM */
    jpeg->image_width = (JDIMENSION)p->width;
    jpeg->image_height = (JDIMENSION)p->height;
    jpeg->input_components = (int)p->channels;
    jpeg->in_color_space = p->channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
    gf_libjpeg.jpeg_set_defaults(jpeg);
    gf_libjpeg.jpeg_set_quality(
        jpeg, options->jpeg_quality ? options->jpeg_quality : DEFAULT_QUALITY, TRUE);
    for (int i = 0; i < jpeg->num_components; i++)
        jpeg->comp_info[i].h_samp_factor = jpeg->comp_info[i].v_samp_factor = 1;
    set_density(jpeg, &w->metadata->resolution);
    jpeg->dct_method = JDCT_ISLOW; /* the same numbers on every machine */
    jpeg->optimize_coding = is_optimized(p->width, p->height, p->channels);
}

static unsigned length_of(const unsigned char *segment) {
    return (unsigned)gf_get_number(segment + 2, 2, true);
}

/* The kept segment behind this one, or for NULL the first; NULL at the end. Headers of records may be
 * damaged. */
static const unsigned char *next_segment(const struct gf_metadata *m, const unsigned char *s) {
    const size_t at = s ? (size_t)(s - m->header) + 2 + length_of(s) : 0;
    if (!m->header || m->header_format != gf_format_jpeg.name || at + 4 > m->header_bytes)
        return NULL;
    const unsigned char *next = m->header + at, marker = next[1];
    const bool kept = marker == JPEG_APP0 + 1 || marker == JPEG_APP0 + 13 || marker == JPEG_COM;
    return kept && length_of(next) >= 2 && length_of(next) <= m->header_bytes - at - 2 ? next
                                                                                       : NULL;
}

void gf_jpeg_name_header(const struct gf_metadata *m, char text[GF_HEADER_NAMES]) {
    for (const unsigned char *s = NULL; (s = next_segment(m, s));)
        gf_header_name(s[1] == JPEG_COM         ? "comments"
                       : s[1] != JPEG_APP0 + 1  ? "IPTC"
                       : !memcmp(s + 4, "E", 1) ? "EXIF"
                                                : "XMP",
                       text);
}

/* Returns 0 or a status; a longjmp() ends here. */
static int encode(struct writer *w, const struct gf_write_options *options) {
    if (setjmp(w->escape)) {
        if (w->status == GF_ENOMEM)
            return gf_no_memory();
        return w->message[0] ? gf_fail_text(w->status, "libjpeg: ", w->message) : w->status;
    }
    gf_libjpeg.jpeg_create_compress(&w->jpeg);
    configure(w, options);
    gf_libjpeg.jpeg_start_compress(&w->jpeg, TRUE);
    for (const unsigned char *s = NULL; (s = next_segment(w->metadata, s));)
        gf_libjpeg.jpeg_write_marker(&w->jpeg, s[1], s + 4, length_of(s) - 2);
    if (gf_profile_suits(w->metadata, w->jpeg.input_components))
        gf_libjpeg.jpeg_write_icc_profile(&w->jpeg, w->metadata->profile,
                                          (unsigned)w->metadata->profile_bytes);
    while (w->jpeg.next_scanline < w->jpeg.image_height) {
        const void *row = gf_planes_rows(&w->planes, 0, w->jpeg.next_scanline, 1, w->row);
        JSAMPROW rows = (JSAMPROW)(uintptr_t)row; /* libjpeg only reads it */
        gf_libjpeg.jpeg_write_scanlines(&w->jpeg, &rows, 1);
    }
    gf_libjpeg.jpeg_finish_compress(&w->jpeg);
    return GF_OK;
}

int gf_jpeg_write(struct gf_encoder *e) {
    int rc = gf_jpeg_load();
    if (rc)
        return rc;
    struct writer *w = calloc(1, sizeof *w);
    if (!w)
        return gf_no_memory();
    w->sink = e->sink;
    w->metadata = &e->image->metadata;
    w->jpeg.err = gf_libjpeg.jpeg_std_error(&w->errors);
    w->jpeg.client_data = w; /* jpeg_create_compress() keeps these two */
    w->errors.error_exit = on_error;
    w->errors.emit_message = on_message;
    gf_planes_view(&w->planes, e->image);
    if (!w->planes.dense_rows && !(w->row = malloc(w->planes.row_bytes)))
        rc = gf_no_memory();
    if (!rc)
        rc = encode(w, e->options);
    gf_libjpeg.jpeg_destroy_compress(&w->jpeg); /* takes one that was never created too */
    free(w->row);
    free(w);
    return rc;
}
