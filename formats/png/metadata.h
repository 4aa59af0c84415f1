/* PNG's chunks of metadata. libpng does not parse them: a mistake in one would fail the file, and
 * none of them changes a sample. Private to formats/. */
#ifndef GF_FORMATS_PNG_METADATA_H
#define GF_FORMATS_PNG_METADATA_H

#include "formats/io/io.h"
#include "formats/metadata.h"

/* Reads the chunks before the first IDAT of the PNG that begins at `begin`, whose checksums libpng
 * has checked. Leaves the source behind the IDAT's length and type. */
int gf_png_read_metadata(struct gf_source *source, int64_t begin, struct gf_metadata *m);

/* Writes a chunk of n bytes to `to`. */
typedef int gf_png_put(void *to, const char *name, const unsigned char *data, size_t n);
/* Writes the chunks of a picture of 1 or 3 colours, except those that it cannot have. */
int gf_png_put_metadata(const struct gf_metadata *m, int colors, gf_png_put *put, void *to);

#endif
