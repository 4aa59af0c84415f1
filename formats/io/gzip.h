/* Reads gzip streams (RFC 1952), also several behind each other. */
#ifndef GF_FORMATS_IO_GZIP_H
#define GF_FORMATS_IO_GZIP_H

#include "formats/io/io.h"

struct gf_gzip;

/* Takes over `inner`, which close() closes. */
int gf_gzip_open(struct gf_source *inner, struct gf_gzip **out);
/* Decodes up to n bytes: 0 at the end, GF_EFORMAT for damaged data. */
int64_t gf_gzip_read(struct gf_gzip *z, void *to, size_t n);
void gf_gzip_close(struct gf_gzip *z); /* takes NULL */

#endif
