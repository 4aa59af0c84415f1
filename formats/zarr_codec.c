/* Unpacks the chunks of Zarr arrays: with zlib, and with libraries that are loaded when one is met. */
#include <string.h>
#include <zlib.h>

#include "core/base/dl.h"
#include "formats/zarr.h"

static struct {
    int (*blosc_decompress_ctx)(const void *from, void *to, size_t bytes, int threads);
    int (*blosc_cbuffer_validate)(const void *from, size_t n, size_t *bytes);
} blosc;

static struct {
    size_t (*ZSTD_decompress)(void *to, size_t bytes, const void *from, size_t n);
    unsigned (*ZSTD_isError)(size_t code);
} zstd;

static int load_blosc(void *user) {
    static const struct gf_dl_symbol symbols[] = {
        {"blosc_decompress_ctx", 0}, {"blosc_cbuffer_validate", sizeof(void *)}, {NULL, 0}};
    void *handle;
    (void)user;
    if (!gf_dl_open((const char *const[]){"libblosc.so.1", NULL}, symbols, &blosc, &handle))
        return GF_OK;
    return gf_fail(GF_EABSENT, "its chunks need Blosc; install libblosc1");
}

static int load_zstd(void *user) {
    static const struct gf_dl_symbol symbols[] = {
        {"ZSTD_decompress", 0}, {"ZSTD_isError", sizeof(void *)}, {NULL, 0}};
    void *handle;
    (void)user;
    if (!gf_dl_open((const char *const[]){"libzstd.so.1", NULL}, symbols, &zstd, &handle))
        return GF_OK;
    return gf_fail(GF_EABSENT, "its chunks need Zstandard; install libzstd1");
}

int gf_zarr_codec_find(const char *name, enum gf_zarr_codec *codec) {
    static struct gf_dl_once blosc_once = GF_DL_ONCE, zstd_once = GF_DL_ONCE;
    const bool is_blosc = !strcmp(name, "blosc"), is_zstd = !strcmp(name, "zstd");
    *codec = is_blosc ? GF_ZARR_BLOSC : is_zstd ? GF_ZARR_ZSTD : GF_ZARR_ZLIB;
    if (!is_blosc && !is_zstd && strcmp(name, "zlib") && strcmp(name, "gzip"))
        return gf_fail(GF_EUNSUPP,
                       "chunks packed by '%.40s' (blosc, zstd, zlib and gzip can be read)", name);
    return is_blosc  ? gf_dl_once(&blosc_once, load_blosc, NULL)
           : is_zstd ? gf_dl_once(&zstd_once, load_zstd, NULL)
                     : GF_OK;
}

static bool unpack_zlib(const void *from, size_t n, void *to, size_t bytes) {
    enum { EITHER = 32 + MAX_WBITS };
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)from,
                  .avail_in = (uInt)n,
                  .next_out = to,
                  .avail_out = (uInt)bytes};
    if (inflateInit2(&z, EITHER) != Z_OK)
        return false;
    const int rc = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return rc == Z_STREAM_END && !z.avail_out;
}

int gf_zarr_unpack(enum gf_zarr_codec codec, const void *from, size_t n, void *to, size_t bytes) {
    size_t made = 0;
    bool good = false;
    switch (codec) {
    case GF_ZARR_PLAIN:
        good = n == bytes;
        if (good)
            memcpy(to, from, bytes);
        break;
    case GF_ZARR_ZLIB:
        good = unpack_zlib(from, n, to, bytes);
        break;
    case GF_ZARR_ZSTD:
        made = zstd.ZSTD_decompress(to, bytes, from, n);
        good = !zstd.ZSTD_isError(made) && made == bytes;
        break;
    case GF_ZARR_BLOSC:
        good = !blosc.blosc_cbuffer_validate(from, n, &made) && made == bytes &&
               blosc.blosc_decompress_ctx(from, to, bytes, 1) == (int)bytes;
        break;
    }
    return good ? GF_OK
                : gf_fail(GF_EFORMAT, "broken Zarr: a chunk that does not unpack to its size");
}
