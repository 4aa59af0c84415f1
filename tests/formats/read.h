/* A picture from a source, by a format that is known: no file, no sniffing. */
#ifndef GF_TESTS_READ_H
#define GF_TESTS_READ_H

#include "formats/format.h"

/* After a decoder was opened with status rc: reads the samples, unless options->header_only is set,
 * and closes it. Frees the image on failure. */
static inline int read_rest(int rc, struct gf_decoder *d, const struct gf_read_options *options,
                            struct gf_image *image) {
    if (rc)
        return rc;
    if (!options->header_only)
        rc = gf_decoder_read(d, image, NULL);
    gf_decoder_close(d);
    if (rc)
        gf_image_free(image);
    return rc;
}

static inline int read_format(const struct gf_format *format, struct gf_source *source,
                              const struct gf_read_options *options, struct gf_image *image) {
    struct gf_decoder d;
    return read_rest(gf_decoder_open(&d, format, source, options, image), &d, options, image);
}

#endif
