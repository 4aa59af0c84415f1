/* A page's strips or tiles into samples of the array's type. */
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "formats/image.h"
#include "formats/tiff/tiff.h"

bool gf_tiff_is_direct(const struct gf_tiff_page *p) {
    return !p->palette && !p->invert && !p->coding.coded && p->bits == 8 * gf_dtype_size(p->dtype);
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

/* Stores `n` samples of a row at `to`, `step` bytes apart; with a palette each gives a pixel. */
static int put_row(const struct gf_tiff_page *p, const unsigned char *row, int64_t n,
                   unsigned char *to, size_t step) {
    size_t size = gf_dtype_size(p->dtype);
    if (gf_tiff_is_direct(p)) {
        if (step == size)
            memcpy(to, row, (size_t)n * size);
        else
            for (int64_t i = 0; i < n; i++)
                memcpy(to + (size_t)i * step, row + (size_t)i * size, size);
    } else if (p->coding.coded) {
        int rc = GF_OK;
        for (int64_t i = 0; i < n && !rc; i++)
            rc = gf_coding_decode(&p->coding, row + i * p->bits / 8, 1, p->dtype,
                                  to + (size_t)i * step);
        return rc;
    } else if (p->palette) {
        for (int64_t i = 0; i < n; i++)
            put_color(p, fetch(row, i, p->bits), to + (size_t)i * 3 * size);
    } else {
        uint32_t flip = p->invert ? (uint32_t)((UINT64_C(1) << p->bits) - 1) : 0;
        for (int64_t i = 0; i < n; i++)
            put_integer(to + (size_t)i * step, p->dtype, fetch(row, i, p->bits) ^ flip);
    }
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

/* Fails if a strip or tile yields fewer bytes than its rows need. */
static int check_read(const struct gf_tiff *t, tmsize_t got, int64_t wanted) {
    if (t->failed || t->status || got < 0)
        return gf_tiff_report(t, "broken TIFF: ");
    if (got < wanted)
        return gf_fail(GF_EFORMAT, "broken TIFF: %lld bytes in a strip or tile of %lld",
                       (long long)got, (long long)wanted);
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
                const tmsize_t bytes = (tmsize_t)((p->tiled ? height : rows) * stored_row);
                unsigned char *in = buffer ? buffer : out + (size_t)y * g.row;
                const uint32_t column = (uint32_t)x, row = (uint32_t)y;
                const uint16_t sample = (uint16_t)plane;
                const tmsize_t got =
                    p->tiled
                        ? gf_libtiff.TIFFReadEncodedTile(
                              t->tif, gf_libtiff.TIFFComputeTile(t->tif, column, row, 0, sample),
                              in, bytes)
                        : gf_libtiff.TIFFReadEncodedStrip(
                              t->tif, gf_libtiff.TIFFComputeStrip(t->tif, row, sample), in, bytes);
                int rc = check_read(t, got, bytes);
                if (rc)
                    return rc;
                for (int64_t r = gf_max(y, first); r < gf_min(y + rows, end) && buffer && !rc; r++)
                    rc = put_row(p, in + (r - y) * stored_row, columns * g.samples,
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
