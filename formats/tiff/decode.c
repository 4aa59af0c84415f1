/* A page's strips or tiles into samples of the array's type. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/tiff/tiff.h"

bool gf_tiff_is_direct(const struct gf_tiff_page *p) {
    return !p->palette && !p->invert && !p->coding.coded && !p->packed &&
           p->format != SAMPLEFORMAT_COMPLEXINT;
}

/* Sample `i` of a row of packed integers. Whole bytes are in the host's order, as libtiff leaves
 * them; other widths are packed from the high bit down. */
static uint32_t fetch(const unsigned char *row, int64_t i, int bits) {
    if (bits % 8 == 0)
        return (uint32_t)gf_get_number(row + i * (bits / 8), bits / 8, gf_host_is_big_endian());
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

/* MinIsWhite: the number of the same brightness where 0 is black. */
static double inverted(const struct gf_tiff_page *p, double v) {
    return (p->format == SAMPLEFORMAT_IEEEFP ? 1
            : p->format == SAMPLEFORMAT_INT  ? -1
                                             : ldexp(1, p->bits) - 1) -
           v;
}

/* The number of stored sample i; NaN for GDAL_NODATA. A block that is not stored (`row` is NULL) has
 * that everywhere, else 0. */
static int get_number(const struct gf_tiff_page *p, const unsigned char *row, int64_t i,
                      double *v) {
    const struct gf_coding *c = &p->coding;
    const uint32_t packed = row && p->packed ? fetch(row, i, p->bits) : 0;
    *v = c->has_blank && (!row || (p->packed && packed == c->blank)) ? NAN : packed;
    return row && !p->packed ? gf_coding_decode(c, row + i * p->bits / 8, 1, GF_F64, v) : GF_OK;
}

/* Stores samples that gf_tiff_is_direct() is not true for. */
static int convert_row(const struct gf_tiff_page *p, const unsigned char *row, int64_t n,
                       int64_t sample, unsigned char *to, size_t step) {
    const bool is_unsigned = p->format == SAMPLEFORMAT_UINT || p->format == SAMPLEFORMAT_VOID;
    const uint32_t most = (uint32_t)((UINT64_C(1) << p->bits % 64) - 1);
    int rc = GF_OK;
    for (int64_t i = 0; i < n && !rc; i++, to += step) {
        const bool inverts = p->invert && (p->planar ? sample : i % p->samples) == 0;
        if (row && is_unsigned && !p->coding.coded) {
            const uint32_t v = fetch(row, i, p->bits);
            put_integer(to, p->dtype, (inverts ? most - v : v) * p->factor);
            continue;
        }
        double v;
        rc = get_number(p, row, i, &v);
        gf_sample_put(to, p->dtype, (inverts ? inverted(p, v) : v) * p->factor);
    }
    return rc;
}

/* Complex integers. libtiff has exchanged the parts of a pair of bytes in a file of the other byte
 * order. */
static int put_complex(const struct gf_tiff_page *p, const unsigned char *row, int64_t n,
                       unsigned char *to, size_t step) {
    const size_t size = gf_dtype_size(p->dtype) / 2;
    int rc = GF_OK;
    for (int64_t i = 0; i < 2 * n && !rc; i++)
        rc = gf_coding_decode(&p->coding, row + (i ^ p->swapped) * p->bits / 16, 1,
                              gf_dtype_real(p->dtype),
                              to + (size_t)(i / 2) * step + (size_t)(i % 2) * size);
    return rc;
}

/* Stores `n` samples of a row at `to`, `step` bytes apart, in a planar file number `sample` of their
 * pixels; with a palette each gives a pixel. `row` is NULL if they are not stored. */
static int put_row(const struct gf_tiff_page *p, const unsigned char *row, int64_t n,
                   int64_t sample, unsigned char *to, size_t step) {
    const size_t size = gf_dtype_size(p->dtype);
    if (p->palette)
        for (int64_t i = 0; i < n; i++)
            put_color(p, row ? fetch(row, i, p->bits) : 0, to + (size_t)i * 3 * size);
    else if (!row || !gf_tiff_is_direct(p))
        return row && p->format == SAMPLEFORMAT_COMPLEXINT
                   ? put_complex(p, row, n, to, step)
                   : convert_row(p, row, n, sample, to, step);
    else if (step == size)
        memcpy(to, row, (size_t)n * size);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + (size_t)i * step, row + (size_t)i * size, size);
    return GF_OK;
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

/* Reads a strip or tile of `bytes` bytes; fails if it yields fewer. */
static int read_block(struct gf_tiff *t, const struct gf_tiff_page *p, uint32_t number,
                      int64_t bytes, unsigned char *in) {
    const tmsize_t got = p->tiled
                             ? gf_libtiff.TIFFReadEncodedTile(t->tif, number, in, (tmsize_t)bytes)
                             : gf_libtiff.TIFFReadEncodedStrip(t->tif, number, in, (tmsize_t)bytes);
    if (t->failed || t->status || got < 0)
        return gf_tiff_report(t, "broken TIFF: ");
    if (got < bytes)
        return gf_fail(GF_EFORMAT, "broken TIFF: %lld bytes in a strip or tile of %lld",
                       (long long)got, (long long)bytes);
    return GF_OK;
}

/* Decodes the strips or tiles that hold rows [first, end), through `buffer` or, if it is NULL, in
 * place. */
static int decode_blocks(struct gf_tiff *t, const struct gf_tiff_page *p, int64_t first,
                         int64_t end, unsigned char *buffer, unsigned char *out) {
    const struct geometry g = geometry_of(p);
    const size_t size = gf_dtype_size(p->dtype);
    const int64_t width = p->columns, height = p->tiled ? p->rows : gf_min(p->rows, p->height);
    const int64_t stored_row = (width * g.samples * p->bits + 7) / 8;
    if (height == 0)
        return gf_fail(GF_EFORMAT, "broken TIFF: strips without rows");
    if (height * stored_row > p->buffer_bytes)
        return gf_fail(GF_EFORMAT, "broken TIFF: %s of an unexpected size",
                       p->tiled ? "tiles" : "strips");
    for (int64_t plane = 0; plane < g.planes; plane++)
        for (int64_t y = first / height * height; y < end; y += height)
            for (int64_t x = 0; x < p->width; x += width) {
                const int64_t rows = gf_min(height, p->height - y);
                const int64_t columns = gf_min(width, p->width - x);
                const int64_t bytes = (p->tiled ? height : rows) * stored_row;
                unsigned char *in = buffer ? buffer : out + (size_t)y * g.row;
                const uint32_t column = (uint32_t)x, row = (uint32_t)y;
                const uint32_t number =
                    p->tiled ? gf_libtiff.TIFFComputeTile(t->tif, column, row, 0, (uint16_t)plane)
                             : gf_libtiff.TIFFComputeStrip(t->tif, row, (uint16_t)plane);
                const bool hole = gf_tiff_is_hole(p, number);
                int rc = hole ? GF_OK : read_block(t, p, number, bytes, in);
                if (hole && !buffer)
                    memset(in, 0, (size_t)bytes);
                for (int64_t r = gf_max(y, first); r < gf_min(y + rows, end) && buffer && !rc; r++)
                    rc = put_row(p, hole ? NULL : in + (r - y) * stored_row, columns * g.samples,
                                 plane,
                                 out + (size_t)(r - first) * g.row + (size_t)x * g.pixel +
                                     (size_t)plane * size,
                                 g.step);
                if (rc)
                    return rc;
            }
    return GF_OK;
}

int gf_tiff_decode(struct gf_tiff *t, const struct gf_tiff_page *p, int64_t first, int64_t n,
                   unsigned char *out) {
    const bool in_place = gf_tiff_is_direct(p) && !p->planar && !p->tiled && n == p->height;
    unsigned char *buffer = in_place ? NULL : malloc((size_t)p->buffer_bytes);
    if (!in_place && !buffer)
        return gf_no_memory();
    t->decoding = true;
    int rc = decode_blocks(t, p, first, first + n, buffer, out);
    t->decoding = false;
    free(buffer);
    return rc;
}
