/* The parts of the PNG format. Private to formats/. */
#ifndef GF_FORMATS_PNG_H
#define GF_FORMATS_PNG_H

#include "formats/format.h"

struct gf_codec;

/* For tests: gf_decoder_open() of a PNG whose rows are decoded with this codec or, if NULL, by libpng. */
int gf_png_open_by(const struct gf_codec *codec, struct gf_decoder *d, struct gf_source *source,
                   const struct gf_read_options *options, struct gf_image *image);

/* Decodes the rows and checks everything after them, from a source whose first IDAT's length and
 * type have just been read. px is C-contiguous with the file's pixels: 8 or 16 bits, no interlace.
 *
 *     struct gf_png_rows *rows = gf_png_rows_new(codec, source, px, swap, GF_PNG_STRIPS);
 *     bool done = rows && gf_png_rows_decode(rows);
 *     gf_png_rows_free(rows);                                                                   */
struct gf_png_rows;
/* A strip is a few rows, inflated but still filtered. Up to `strips` are buffered while the next
 * one is inflated; a single thread needs one. */
enum { GF_PNG_STRIPS = 6, GF_PNG_STRIP_BYTES = 128 * 1024 };
/* Bytes that gf_png_rows_new() allocates for rows of `row_bytes` bytes. */
int64_t gf_png_rows_bytes(int64_t height, int64_t row_bytes, int strips);
struct gf_png_rows *gf_png_rows_new(const struct gf_codec *codec, struct gf_source *source,
                                    const struct gf_array *px, bool swap, int strips);
/* Call it once, in one thread. Returns false, with the source's position restored, for any fault or
 * unusual structure. */
bool gf_png_rows_decode(struct gf_png_rows *r);
/* For other threads during gf_png_rows_decode(): undoes filters until the first `rows` rows are
 * complete. Returns false if decoding has failed. */
bool gf_png_rows_await(struct gf_png_rows *r, int64_t rows);
void gf_png_rows_free(struct gf_png_rows *r); /* takes NULL */

int gf_png_write(struct gf_encoder *e); /* the writer of gf_format_png */
/* For tests: the same with this codec for checksums and the default deflate. */
int gf_png_write_by(const struct gf_codec *codec, struct gf_sink *sink,
                    const struct gf_image *image, const struct gf_write_options *options);

/* PNG's row filters (PNG specification, 9.2). `above` is NULL for the first row; `step` is the
 * bytes of one pixel. Writes the filter's number and n bytes. */
enum { GF_PNG_ROW_NONE, GF_PNG_ROW_SUB, GF_PNG_ROW_UP, GF_PNG_ROW_AVERAGE, GF_PNG_ROW_PAETH };
/* The neighbour (left, above, upper left) nearest to left + above - upper left. */
static inline int gf_png_paeth(int left, int above, int corner) {
    int to_left = above - corner, to_above = left - corner, to_corner = to_left + to_above;
    to_left = to_left < 0 ? -to_left : to_left;
    to_above = to_above < 0 ? -to_above : to_above;
    to_corner = to_corner < 0 ? -to_corner : to_corner;
    int other = to_above <= to_corner ? above : corner;
    return to_left <= to_above && to_left <= to_corner ? left : other;
}
void gf_png_filter_row(int filter, const unsigned char *row, const unsigned char *above, size_t n,
                       size_t step, unsigned char *out);
/* The filter in `candidates` (bits) that gives this row the lowest entropy; `scratch` has room for
 * n + 1 bytes. */
int gf_png_choose_filter(unsigned candidates, const unsigned char *row, const unsigned char *above,
                         size_t n, size_t step, unsigned char *scratch);

/* Undoes filters. `in` has `rows` rows of n bytes, each after its filter's number; `above` is zeros
 * for the first row. Does as many rows as are fastest at once and returns their number; 0 for an
 * unknown filter. */
int64_t gf_png_unfilter_rows(const unsigned char *in, int64_t rows, const unsigned char *above,
                             size_t n, size_t step, unsigned char *out);

/* The chunks of metadata. libpng does not parse them: a mistake in one would fail the file, and
 * none of them changes a sample. */
/* Reads the chunks before the first IDAT of the PNG that begins at `begin`, whose checksums libpng
 * has checked. Leaves the source behind the IDAT's length and type. */
int gf_png_read_metadata(struct gf_source *source, int64_t begin, struct gf_metadata *m);

/* For the table of formats. */
void gf_png_name_header(const struct gf_metadata *m, char text[GF_HEADER_NAMES]);

/* Writes a chunk of n bytes to `to`. */
typedef int gf_png_put(void *to, const char *name, const unsigned char *data, size_t n);
/* Writes the chunks of a picture of 1 or 3 colours, except those that it cannot have. */
int gf_png_put_metadata(const struct gf_metadata *m, int colors, gf_png_put *put, void *to);

#endif
