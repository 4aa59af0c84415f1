/* Reads gzip streams (RFC 1952), also several behind each other. Private to source.c. */
#ifndef GF_FORMATS_IO_GZIP_H
#define GF_FORMATS_IO_GZIP_H

#include <stddef.h>
#include <stdint.h>

struct gf_gzip;

/* Decodes what read(from, to, n) reads, as gf_source_read() does. */
int gf_gzip_open(int64_t (*read)(void *from, void *to, size_t n), void *from, struct gf_gzip **out);
/* Decodes up to n bytes: 0 at the end, GF_EFORMAT for damaged data. */
int64_t gf_gzip_read(struct gf_gzip *z, void *to, size_t n);
void gf_gzip_close(struct gf_gzip *z); /* takes NULL */

#endif
