/* The parts of the JPEG format. Private to formats/. */
#ifndef GF_FORMATS_JPEG_H
#define GF_FORMATS_JPEG_H

#include "formats/format.h"

/* The writer of gf_format_jpeg. */
int gf_jpeg_write(struct gf_sink *sink, const struct gf_image *image,
                  const struct gf_write_options *options);
/* Bytes beside the samples: coefficients. */
int64_t gf_jpeg_writing_bytes(const struct gf_image *image);

#endif
