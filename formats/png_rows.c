/* The rows of a PNG without libpng, which has read all before them. Only a stream without any
 * fault or oddity is taken; libpng decides about every other. */
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "formats/image.h"
#include "formats/png.h"
#include "formats/png_codec.h"

enum { PIECE = 64 * 1024, STRIP = 128 * 1024, MAX_ANCILLARY = 1 << 20 };

struct rows {
    const struct gf_codec *codec;
    struct gf_source *source;
    struct gf_inflate stream;
    int64_t inflated; /* bytes of all rows with their filter bytes */
    unsigned char *piece;
    /* The chunk that is being read. */
    unsigned char type[4];
    uint32_t left, crc;
    unsigned char *strip, *nothing; /* filtered rows; the row above the first */
};

static uint32_t big_endian(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool read_bytes(struct rows *r, unsigned char *to, size_t n) {
    return gf_source_read_exactly(r->source, to, n) == GF_OK;
}

static bool begin_chunk(struct rows *r) {
    unsigned char head[8];
    if (!read_bytes(r, head, sizeof head))
        return false;
    r->left = big_endian(head);
    memcpy(r->type, head + 4, sizeof r->type);
    r->crc = r->codec->crc32(0, r->type, sizeof r->type);
    return true;
}

static bool end_chunk(struct rows *r) {
    unsigned char crc[4];
    return r->left == 0 && read_bytes(r, crc, sizeof crc) && big_endian(crc) == r->crc;
}

/* The next bytes of the chunk into r->piece. */
static bool read_piece(struct rows *r, size_t *n) {
    *n = r->left < PIECE ? r->left : PIECE;
    if (!read_bytes(r, r->piece, *n))
        return false;
    r->crc = r->codec->crc32(r->crc, r->piece, *n);
    r->left -= (uint32_t)*n;
    return true;
}

static bool is_idat(const struct rows *r) {
    return !memcmp(r->type, "IDAT", 4);
}

/* More input for the stream, from the next IDAT if need be. libpng has a limit to an IDAT's length,
 * which is more than the rows take; its verdict on the first one is known. */
static bool feed(struct rows *r) {
    while (r->left == 0)
        if (!end_chunk(r) || !begin_chunk(r) || !is_idat(r) || r->left > r->inflated)
            return false;
    r->stream.in = r->piece;
    return read_piece(r, &r->stream.n);
}

/* The first two bytes of the stream. Matches reach back as far as the window that they declare, and
 * codecs differ in what they do about others: a window must hold 32 KiB or the whole stream. */
static bool check_header(const struct rows *r) {
    const unsigned char *p = r->stream.in;
    if (r->stream.n < 2 || (p[0] & 15) != 8 || p[0] >> 4 > 7 || p[1] & 32 ||
        (p[0] << 8 | p[1]) % 31)
        return false;
    return p[0] >> 4 == 7 || r->inflated <= 256 << (p[0] >> 4);
}

/* Exactly n bytes. */
static bool inflate_rows(struct rows *r, unsigned char *out, size_t n) {
    while (n > 0) {
        if (r->stream.ended || (r->stream.n == 0 && !feed(r)))
            return false;
        size_t before = r->stream.n;
        int64_t got = r->codec->inflate(&r->stream, out, n);
        if (got < 0 || (got == 0 && before > 0 && r->stream.n == before))
            return false;
        out += got;
        n -= (size_t)got;
    }
    return true;
}

/* No byte more than the rows may be in the stream, nor in the IDATs. */
static bool end_stream(struct rows *r) {
    unsigned char none;
    while (!r->stream.ended) {
        if (r->stream.n == 0 && !feed(r))
            return false;
        size_t before = r->stream.n;
        if (r->codec->inflate(&r->stream, &none, 1) != 0)
            return false;
        if (!r->stream.ended && r->stream.n == before)
            return false;
    }
    return r->stream.n == 0 && end_chunk(r);
}

static bool is_letter(unsigned char c) {
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* The chunks after the IDATs: those that libpng is told to skip, whose checksum alone counts. */
static bool check_rest(struct rows *r) {
    for (;;) {
        size_t n;
        if (!begin_chunk(r))
            return false;
        if (!memcmp(r->type, "IEND", 4))
            return r->left == 0 && end_chunk(r);
        bool skipped = is_letter(r->type[0]) && r->type[0] & 32 && is_letter(r->type[1]) &&
                       is_letter(r->type[2]) && !(r->type[2] & 32) && is_letter(r->type[3]) &&
                       memcmp(r->type, "tRNS", 4) && r->left <= MAX_ANCILLARY;
        if (!skipped)
            return false;
        while (r->left > 0)
            if (!read_piece(r, &n))
                return false;
        if (!end_chunk(r))
            return false;
    }
}

static bool read_rows(struct rows *r, const struct gf_array *px, size_t step, bool swap) {
    size_t n = (size_t)px->stride[0];
    int64_t height = px->shape[0], a_strip = STRIP / (int64_t)(n + 1) + 1;
    unsigned char *to = px->data, *above = r->nothing;
    for (int64_t y = 0; y < height; y += a_strip) {
        int64_t rows = height - y < a_strip ? height - y : a_strip;
        if (!inflate_rows(r, r->strip, (size_t)rows * (n + 1)))
            return false;
        for (int64_t i = 0; i < rows; i++, to += n) {
            const unsigned char *in = r->strip + (size_t)i * (n + 1);
            if (!gf_png_unfilter_row(in[0], in + 1, above, n, step, to))
                return false;
            /* The row above was needed in the file's byte order until now. */
            if (swap && above != r->nothing)
                gf_swap_bytes(above, n / 2, 2);
            above = to;
        }
    }
    if (swap)
        gf_swap_bytes(above, n / 2, 2);
    return true;
}

static bool alloc_rows(struct rows *r, size_t row_bytes) {
    r->piece = malloc(PIECE);
    r->strip = malloc((STRIP / (row_bytes + 1) + 1) * (row_bytes + 1));
    r->nothing = calloc(1, row_bytes);
    return r->piece && r->strip && r->nothing && r->codec->inflate_start(&r->stream);
}

bool gf_png_read_rows(const struct gf_codec *codec, struct gf_source *source,
                      const struct gf_array *px, bool swap) {
    size_t row_bytes = (size_t)px->stride[0], step = (size_t)px->stride[1];
    struct rows r = {.codec = codec, .source = source};
    /* libpng has read the first IDAT's length and type. */
    int64_t position = gf_source_tell(source);
    bool done = !__builtin_mul_overflow((int64_t)row_bytes + 1, px->shape[0], &r.inflated) &&
                alloc_rows(&r, row_bytes) && gf_source_seek(source, position - 8) == GF_OK &&
                begin_chunk(&r) && is_idat(&r) && feed(&r) && check_header(&r) &&
                read_rows(&r, px, step, swap) && end_stream(&r) && check_rest(&r);
    codec->inflate_end(&r.stream);
    free(r.piece);
    free(r.strip);
    free(r.nothing);
    if (!done)
        gf_source_seek(source, position);
    return done;
}
