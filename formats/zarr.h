/* Zarr folders. Private to formats/, but for the first function. */
#ifndef GF_FORMATS_ZARR_H
#define GF_FORMATS_ZARR_H

#include "formats/format.h"

/* Sets *out to the path of the metadata of a folder that is a Zarr array or a group of them, which
 * the caller frees; NULL if the path is something else. */
int gf_zarr_metadata(const char *path, char **out);

/* How chunks are packed (zarr_codec.c). */
enum gf_zarr_codec { GF_ZARR_PLAIN, GF_ZARR_ZLIB, GF_ZARR_GZIP, GF_ZARR_ZSTD, GF_ZARR_BLOSC };
extern const char *const gf_zarr_codec_names[]; /* NULL for plain */

/* GF_EUNSUPP for an unknown name; GF_EIO, with the package, if its library is missing. */
int gf_zarr_codec_find(const char *name, enum gf_zarr_codec *codec);
/* Unpacks n bytes, the last four of which are a CRC-32C if `summed`, into exactly `bytes` at `to`;
 * GF_EFORMAT for anything else. */
int gf_zarr_unpack(enum gf_zarr_codec codec, bool summed, const void *from, size_t n, void *to,
                   size_t bytes);

#endif
