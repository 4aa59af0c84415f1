/* The parts of the PNG format. Private to formats/. */
#ifndef GF_FORMATS_PNG_H
#define GF_FORMATS_PNG_H

#include "formats/format.h"

int gf_png_write(struct gf_sink *sink, const struct gf_image *image,
                 const struct gf_write_options *options);

/* PNG's row filters (PNG specification, 9.2). `above` is NULL for the first row; `step` is the
 * bytes of one pixel. Writes the filter's number and n bytes. */
enum { GF_PNG_ROW_NONE, GF_PNG_ROW_SUB, GF_PNG_ROW_UP, GF_PNG_ROW_AVERAGE, GF_PNG_ROW_PAETH };
void gf_png_filter_row(int filter, const unsigned char *row, const unsigned char *above, size_t n,
                       size_t step, unsigned char *out);
/* The filter in `candidates` (bits) whose result on this row has the lowest entropy; `scratch` has
 * room for n + 1 bytes. */
int gf_png_choose_filter(unsigned candidates, const unsigned char *row, const unsigned char *above,
                         size_t n, size_t step, unsigned char *scratch);

#endif
