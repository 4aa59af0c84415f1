/* A page's strips or tiles into samples of the array's type. */
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "formats/image.h"
#include "formats/tiff/tiff.h"

static bool is_direct(const struct gf_tiff_page *p) {
    return !p->palette && !p->invert && p->bits == 8 * gf_dtype_size(p->dtype);
}

/* IEEE 754 binary16. */
static float half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
    uint32_t bits;
    float f;
    if (exponent == 0) { /* zero and subnormals: fraction * 2^-24 */
        f = (float)fraction * 0x1p-24f;
        return sign ? -f : f;
    }
    bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
    memcpy(&f, &bits, 4);
    return f;
}

/* Sample `i` of a row of packed integers. Whole bytes are in the host's order, as libtiff leaves
 * them; other widths are packed from the high bit down. */
static uint32_t fetch(const unsigned char *row, int64_t i, int bits) {
    uint32_t v = 0;
    uint16_t half;
    switch (bits) {
    case 8:
        return row[i];
    case 16:
        memcpy(&half, row + 2 * i, 2);
        return half;
    case 32:
        memcpy(&v, row + 4 * i, 4);
        return v;
    case 24:
        row += 3 * i;
        return gf_host_is_big_endian() ? (uint32_t)row[0] << 16 | (uint32_t)row[1] << 8 | row[2]
                                       : (uint32_t)row[2] << 16 | (uint32_t)row[1] << 8 | row[0];
    }
    int64_t first = i * bits, last = first + bits - 1;
    uint64_t window = 0;
    for (int64_t byte = first / 8; byte <= last / 8; byte++)
        window = window << 8 | row[byte];
    return (uint32_t)(window >> (7 - last % 8)) & (uint32_t)((UINT64_C(1) << bits) - 1);
}

static void put_integer(unsigned char *to, enum gf_dtype dtype, uint32_t v) {
    uint16_t half = (uint16_t)v;
    if (dtype == GF_U8)
        *to = (unsigned char)v;
    else if (dtype == GF_U16)
        memcpy(to, &half, 2);
    else
        memcpy(to, &v, 4);
}

static void put_color(const struct gf_tiff_page *p, uint32_t index, unsigned char *to) {
    for (int c = 0; c < 3; c++) {
        uint16_t v = p->map[c][index];
        if (p->map_is_wide)
            memcpy(to + 2 * c, &v, 2);
        else
            to[c] = (unsigned char)(v < 256 ? v : v >> 8);
    }
}

/* Stores `n` samples of one row at `to`, `step` bytes apart (a palette's index makes one pixel). */
static void put_row(const struct gf_tiff_page *p, const unsigned char *row, int64_t n,
                    unsigned char *to, size_t step) {
    size_t size = gf_dtype_size(p->dtype);
    if (is_direct(p)) {
        if (step == size)
            memcpy(to, row, (size_t)n * size);
        else
            for (int64_t i = 0; i < n; i++)
                memcpy(to + (size_t)i * step, row + (size_t)i * size, size);
    } else if (p->dtype == GF_F32) {
        for (int64_t i = 0; i < n; i++) {
            float f = half_to_float((uint16_t)fetch(row, i, 16));
            memcpy(to + (size_t)i * step, &f, 4);
        }
    } else if (p->palette) {
        for (int64_t i = 0; i < n; i++)
            put_color(p, fetch(row, i, p->bits), to + (size_t)i * 3 * size);
    } else {
        uint32_t flip = p->invert ? (uint32_t)((UINT64_C(1) << p->bits) - 1) : 0;
        for (int64_t i = 0; i < n; i++)
            put_integer(to + (size_t)i * step, p->dtype, fetch(row, i, p->bits) ^ flip);
    }
}

struct geometry {
    size_t pixel, row; /* bytes in the output */
    int64_t samples;   /* of one pixel in one strip or tile */
    size_t step;       /* bytes between stored samples in the output */
    int64_t planes;    /* that are stored apart */
};

static struct geometry geometry_of(const struct gf_tiff_page *p) {
    struct geometry g;
    size_t size = gf_dtype_size(p->dtype);
    g.pixel = (size_t)p->channels * size;
    g.row = (size_t)p->width * g.pixel;
    g.samples = p->planar ? 1 : p->samples;
    g.step = p->planar ? g.pixel : size;
    g.planes = p->planar ? p->samples : 1;
    return g;
}

static int64_t row_bytes(const struct gf_tiff_page *p, const struct geometry *g, int64_t width) {
    return (width * g->samples * p->bits + 7) / 8;
}

/* A strip or tile that yields fewer bytes than its rows take leaves samples undefined. */
static int check_read(const struct gf_tiff *t, tmsize_t got, int64_t wanted) {
    if (t->failed || t->status || got < 0)
        return gf_tiff_report(t, "broken TIFF: ");
    if (got < wanted)
        return gf_fail(GF_EFORMAT, "broken TIFF: %lld bytes in a strip or tile of %lld",
                       (long long)got, (long long)wanted);
    return GF_OK;
}

static int decode_strips(struct gf_tiff *t, const struct gf_tiff_page *p, unsigned char *buffer,
                         unsigned char *out) {
    struct geometry g = geometry_of(p);
    uint32_t rows_a_strip = 0;
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_ROWSPERSTRIP, &rows_a_strip);
    if (rows_a_strip == 0)
        return gf_fail(GF_EFORMAT, "broken TIFF: strips without rows");
    int64_t stored_row = row_bytes(p, &g, p->width);
    size_t size = gf_dtype_size(p->dtype);
    int64_t most = p->height < rows_a_strip ? p->height : rows_a_strip;
    if (most * stored_row > p->buffer_bytes)
        return gf_fail(GF_EFORMAT, "broken TIFF: strips of an unexpected size");
    for (int64_t plane = 0; plane < g.planes; plane++)
        for (int64_t y = 0; y < p->height; y += rows_a_strip) {
            int64_t rows = p->height - y < rows_a_strip ? p->height - y : rows_a_strip;
            unsigned char *to = out + (size_t)y * g.row + (size_t)plane * size;
            unsigned char *in = buffer ? buffer : to;
            uint32_t strip = TIFFComputeStrip(t->tif, (uint32_t)y, (uint16_t)plane);
            tmsize_t got = TIFFReadEncodedStrip(t->tif, strip, in, (tmsize_t)(rows * stored_row));
            int rc = check_read(t, got, rows * stored_row);
            if (rc)
                return rc;
            for (int64_t r = 0; r < rows && buffer; r++)
                put_row(p, in + r * stored_row, p->width * g.samples, to + (size_t)r * g.row,
                        g.step);
        }
    return GF_OK;
}

int gf_tiff_decode_rows(struct gf_tiff *t, const struct gf_tiff_page *p, int64_t first, int64_t n,
                        unsigned char *out) {
    const struct geometry g = geometry_of(p);
    const int64_t stored_row = row_bytes(p, &g, p->width), end = first + n;
    uint32_t strip_rows = 0;
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_ROWSPERSTRIP, &strip_rows);
    const int64_t most = p->height < strip_rows ? p->height : strip_rows;
    if (most < 1 || most * stored_row > p->buffer_bytes)
        return gf_fail(GF_EFORMAT, "broken TIFF: strips of an unexpected size");
    unsigned char *buffer = malloc((size_t)p->buffer_bytes);
    int rc = buffer ? GF_OK : gf_fail(GF_ENOMEM, "out of memory");
    t->decoding = true;
    for (int64_t y = first / most * most; y < end && !rc; y += most) {
        const int64_t rows = p->height - y < most ? p->height - y : most;
        const int64_t from = y > first ? y : first, to = y + rows < end ? y + rows : end;
        const uint32_t strip = TIFFComputeStrip(t->tif, (uint32_t)y, 0);
        rc = check_read(t,
                        TIFFReadEncodedStrip(t->tif, strip, buffer, (tmsize_t)(rows * stored_row)),
                        rows * stored_row);
        for (int64_t r = from; r < to && !rc; r++)
            put_row(p, buffer + (r - y) * stored_row, p->width * g.samples,
                    out + (size_t)(r - first) * g.row, g.step);
    }
    t->decoding = false;
    free(buffer);
    return rc;
}

static int decode_tiles(struct gf_tiff *t, const struct gf_tiff_page *p, unsigned char *buffer,
                        unsigned char *out) {
    struct geometry g = geometry_of(p);
    uint32_t tile_width = 0, tile_height = 0;
    TIFFGetField(t->tif, TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(t->tif, TIFFTAG_TILELENGTH, &tile_height);
    int64_t stored_row = row_bytes(p, &g, tile_width);
    size_t size = gf_dtype_size(p->dtype);
    if (tile_height * stored_row > p->buffer_bytes)
        return gf_fail(GF_EFORMAT, "broken TIFF: tiles of an unexpected size");
    for (int64_t plane = 0; plane < g.planes; plane++)
        for (int64_t y = 0; y < p->height; y += tile_height)
            for (int64_t x = 0; x < p->width; x += tile_width) {
                int64_t rows = p->height - y < tile_height ? p->height - y : tile_height;
                int64_t columns = p->width - x < tile_width ? p->width - x : tile_width;
                uint32_t tile =
                    TIFFComputeTile(t->tif, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane);
                tmsize_t got =
                    TIFFReadEncodedTile(t->tif, tile, buffer, (tmsize_t)(tile_height * stored_row));
                int rc = check_read(t, got, tile_height * stored_row);
                if (rc)
                    return rc;
                unsigned char *to =
                    out + (size_t)y * g.row + (size_t)x * g.pixel + (size_t)plane * size;
                for (int64_t r = 0; r < rows; r++)
                    put_row(p, buffer + r * stored_row, columns * g.samples, to + (size_t)r * g.row,
                            g.step);
            }
    return GF_OK;
}

int gf_tiff_decode(struct gf_tiff *t, const struct gf_tiff_page *p, unsigned char *out) {
    unsigned char *buffer = NULL;
    bool in_place = is_direct(p) && !p->planar && !p->tiled;
    if (!in_place) {
        buffer = malloc((size_t)p->buffer_bytes);
        if (!buffer)
            return gf_fail(GF_ENOMEM, "out of memory");
    }
    t->decoding = true;
    int rc = p->tiled ? decode_tiles(t, p, buffer, out) : decode_strips(t, p, buffer, out);
    t->decoding = false;
    free(buffer);
    return rc;
}

/* Why samples cannot be taken from the file as they are; NULL: they can. */
static const char *refuses_plain(struct gf_tiff *t, const struct gf_tiff_page *p) {
    uint16_t order = FILLORDER_MSB2LSB;
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_FILLORDER, &order);
    return p->tiled                                      ? "in tiles"
           : p->planar                                   ? "of separate colour planes"
           : !is_direct(p) || order != FILLORDER_MSB2LSB ? "of samples that have to be converted"
                                                         : NULL;
}

int gf_tiff_strips(struct gf_tiff *t, const struct gf_tiff_page *p, int64_t *rows, int64_t *at) {
    const char *why = refuses_plain(t, p);
    const struct geometry g = geometry_of(p);
    const int64_t row = row_bytes(p, &g, p->width), size = gf_source_size(t->source);
    uint32_t rows_a_strip = 0;
    uint64_t *offsets = NULL, *bytes = NULL;
    if (p->compression != COMPRESSION_NONE)
        return gf_fail(GF_EUNSUPP,
                       "a TIFF compressed by %s; several processes read uncompressed ones",
                       gf_tiff_compression_name(p->compression));
    if (why)
        return gf_fail(GF_EUNSUPP, "a TIFF %s; several processes read plain strips", why);
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_ROWSPERSTRIP, &rows_a_strip);
    *rows = p->height < rows_a_strip ? p->height : rows_a_strip;
    if (*rows < 1)
        return gf_fail(GF_EFORMAT, "broken TIFF: strips without rows");
    if (!at)
        return GF_OK;
    const int64_t n = (p->height + *rows - 1) / *rows;
    /* libtiff keeps as many of them as the page's height makes strips. */
    if (!TIFFGetField(t->tif, TIFFTAG_STRIPOFFSETS, &offsets) ||
        !TIFFGetField(t->tif, TIFFTAG_STRIPBYTECOUNTS, &bytes) || !offsets || !bytes)
        return gf_fail(GF_EFORMAT, "broken TIFF: strips without an offset");
    for (int64_t i = 0; i < n; i++) {
        const int64_t left = p->height - i * *rows;
        const uint64_t need = (uint64_t)((left < *rows ? left : *rows) * row);
        if (bytes[i] < need || offsets[i] > (uint64_t)size || need > (uint64_t)size - offsets[i])
            return gf_fail(GF_EFORMAT, "broken TIFF: strip %lld is not all there", (long long)i);
        at[i] = (int64_t)offsets[i];
        if (i && at[i] < at[i - 1] + *rows * row)
            return gf_fail(GF_EUNSUPP, "a TIFF whose strips are not in the order of the file");
    }
    return GF_OK;
}
