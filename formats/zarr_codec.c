/* Unpacks the chunks of Zarr arrays: with zlib, and with libraries that are loaded when one is met. */
#include <string.h>
#include <zlib.h>

#include "core/base/dl.h"
#include "formats/zarr.h"

const char *const gf_zarr_codec_names[] = {NULL, "zlib", "gzip", "zstd", "blosc"};

static struct blosc {
    int (*decompress)(const void *from, void *to, size_t bytes, int threads);
    int (*validate)(const void *from, size_t n, size_t *bytes);
} blosc;

static struct zstd {
    size_t (*decompress)(void *to, size_t bytes, const void *from, size_t n);
    unsigned (*is_error)(size_t code);
} zstd;

static int load_blosc(void *user) {
    static const struct gf_dl_symbol symbols[] = {
        {"blosc_decompress_ctx", offsetof(struct blosc, decompress)},
        {"blosc_cbuffer_validate", offsetof(struct blosc, validate)},
        {NULL, 0}};
    void *handle;
    (void)user;
    if (!gf_dl_open((const char *const[]){"libblosc.so.1", NULL}, symbols, &blosc, &handle))
        return GF_OK;
    return gf_fail(GF_EIO, "its chunks need Blosc; install libblosc1");
}

static int load_zstd(void *user) {
    static const struct gf_dl_symbol symbols[] = {
        {"ZSTD_decompress", offsetof(struct zstd, decompress)},
        {"ZSTD_isError", offsetof(struct zstd, is_error)},
        {NULL, 0}};
    void *handle;
    (void)user;
    if (!gf_dl_open((const char *const[]){"libzstd.so.1", NULL}, symbols, &zstd, &handle))
        return GF_OK;
    return gf_fail(GF_EIO, "its chunks need Zstandard; install libzstd1");
}

int gf_zarr_codec_find(const char *name, enum gf_zarr_codec *codec) {
    static struct gf_dl_once blosc_once = GF_DL_ONCE, zstd_once = GF_DL_ONCE;
    char clean[40];
    int i = GF_ZARR_BLOSC;
    while (i > GF_ZARR_PLAIN && strcmp(name, gf_zarr_codec_names[i]))
        i--;
    *codec = (enum gf_zarr_codec)i;
    if (i == GF_ZARR_PLAIN)
        return gf_fail(GF_EUNSUPP, "chunks packed by '%s' (blosc, zstd, zlib and gzip can be read)",
                       gf_clean_text(clean, sizeof clean, name));
    return i == GF_ZARR_BLOSC  ? gf_dl_once(&blosc_once, load_blosc, NULL)
           : i == GF_ZARR_ZSTD ? gf_dl_once(&zstd_once, load_zstd, NULL)
                               : GF_OK;
}

/* Castagnoli's polynomial, four bits at a time. */
static uint32_t crc32c(const unsigned char *p, size_t n) {
    static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
                                       0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
                                       0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                       0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    uint32_t crc = ~0u;
    for (; n > 0; n--, p++) {
        crc = table[(crc ^ *p) & 15] ^ crc >> 4;
        crc = table[(crc ^ *p >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
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

int gf_zarr_unpack(enum gf_zarr_codec codec, bool summed, const void *from, size_t n, void *to,
                   size_t bytes) {
    enum { SUM = 4 };
    size_t made = 0;
    bool good = false;
    if (summed && (n < SUM || crc32c(from, n - SUM) !=
                                  gf_get_number((const unsigned char *)from + n - SUM, SUM, false)))
        return gf_fail(GF_EFORMAT, "its checksum differs");
    n -= summed ? SUM : 0;
    switch (codec) {
    case GF_ZARR_PLAIN:
        good = n == bytes;
        if (good)
            memcpy(to, from, bytes);
        break;
    case GF_ZARR_ZLIB:
    case GF_ZARR_GZIP:
        good = unpack_zlib(from, n, to, bytes);
        break;
    case GF_ZARR_ZSTD:
        made = zstd.decompress(to, bytes, from, n);
        good = !zstd.is_error(made) && made == bytes;
        break;
    case GF_ZARR_BLOSC:
        good = !blosc.validate(from, n, &made) && made == bytes &&
               blosc.decompress(from, to, bytes, 1) == (int)bytes;
        break;
    }
    return good ? GF_OK : gf_fail(GF_EFORMAT, "does not unpack to its size");
}
