/* Decodes the rows of a PNG after libpng has read everything before them. Accepts only streams
 * without any fault or oddity; libpng handles all others.
 *
 * One thread inflates strips into a ring. Waiting threads undo the filters of the next strip: those
 * that need rows, and the inflating one if the ring is full. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/png/png.h"
#include "formats/png/codec.h"

enum { PIECE = 64 * 1024, MAX_ANCILLARY = 1 << 20 };

struct gf_png_rows {
    const struct gf_codec *codec;
    struct gf_source *source;
    struct gf_inflate stream;
    int64_t inflated_bytes; /* all rows with their filter bytes */
    unsigned char *piece;
    /* The chunk that is being read. */
    unsigned char type[4];
    uint32_t left, crc;
    /* Destination of the rows. */
    struct gf_array px;
    bool swap;
    size_t row_bytes;
    int64_t rows_a_strip, n_strips;
    unsigned char *strip; /* `slots` strips of filtered rows; strip i is in slot i mod slots */
    int slots;
    unsigned char *above; /* the row above the next strip, in the file's byte order */
    /* Shared by the threads, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t inflated, complete; /* strips */
    bool undoing, failed;       /* a thread is undoing filters; decoding failed */
};

static bool read_bytes(struct gf_png_rows *r, unsigned char *to, size_t n) {
    return gf_source_read_exactly(r->source, to, n) == GF_OK;
}

static bool begin_chunk(struct gf_png_rows *r) {
    unsigned char head[8];
    if (!read_bytes(r, head, sizeof head))
        return false;
    r->left = gf_get_big_endian(head);
    memcpy(r->type, head + 4, sizeof r->type);
    r->crc = r->codec->crc32(0, r->type, sizeof r->type);
    return true;
}

static bool end_chunk(struct gf_png_rows *r) {
    unsigned char crc[4];
    return r->left == 0 && read_bytes(r, crc, sizeof crc) && gf_get_big_endian(crc) == r->crc;
}

/* Reads the chunk's next bytes into r->piece. */
static bool read_piece(struct gf_png_rows *r, size_t *n) {
    *n = r->left < PIECE ? r->left : PIECE;
    if (!read_bytes(r, r->piece, *n))
        return false;
    r->crc = r->codec->crc32(r->crc, r->piece, *n);
    r->left -= (uint32_t)*n;
    return true;
}

static bool is_idat(const struct gf_png_rows *r) {
    return !memcmp(r->type, "IDAT", 4);
}

/* Gets more input for the stream, from the next IDAT if necessary. libpng limits an IDAT's length
 * to more than the rows need, and has accepted the first one. */
static bool feed(struct gf_png_rows *r) {
    while (r->left == 0)
        if (!end_chunk(r) || !begin_chunk(r) || !is_idat(r) || r->left > r->inflated_bytes)
            return false;
    r->stream.in = r->piece;
    return read_piece(r, &r->stream.n);
}

/* Checks the stream's two header bytes. Codecs differ in their handling of matches beyond the
 * declared window, so it must hold 32 KiB or the whole stream. */
static bool check_header(const struct gf_png_rows *r) {
    const unsigned char *p = r->stream.in;
    if (r->stream.n < 2 || (p[0] & 15) != 8 || p[0] >> 4 > 7 || p[1] & 32 ||
        (p[0] << 8 | p[1]) % 31)
        return false;
    return p[0] >> 4 == 7 || r->inflated_bytes <= 256 << (p[0] >> 4);
}

/* Inflates exactly n bytes. */
static bool inflate_rows(struct gf_png_rows *r, unsigned char *out, size_t n) {
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

/* Fails if the stream or the IDATs hold more bytes than the rows. */
static bool end_stream(struct gf_png_rows *r) {
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

/* Checks the chunks after the IDATs: ones that libpng would skip need only a correct checksum. */
static bool check_rest(struct gf_png_rows *r) {
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

/* ---- strips ---- */

static int64_t rows_of(const struct gf_png_rows *r, int64_t strip) {
    return gf_min(r->px.shape[0] - strip * r->rows_a_strip, r->rows_a_strip);
}

static unsigned char *slot_of(const struct gf_png_rows *r, int64_t strip) {
    return r->strip + (size_t)(strip % r->slots) * (size_t)r->rows_a_strip * (r->row_bytes + 1);
}

static bool undo_strip(struct gf_png_rows *r, int64_t strip) {
    const size_t n = r->row_bytes, step = (size_t)r->px.stride[1];
    const int64_t rows = rows_of(r, strip);
    const unsigned char *in = slot_of(r, strip), *above = r->above;
    unsigned char *to = (unsigned char *)r->px.data + strip * r->rows_a_strip * (int64_t)n;
    for (int64_t i = 0, done; i < rows; i += done) {
        done = gf_png_unfilter_rows(in, rows - i, above, n, step, to);
        if (!done)
            return false;
        in += (size_t)done * (n + 1);
        to += (size_t)done * n;
        above = to - n;
        if (r->swap) {
            memcpy(r->above, above, n);
            above = r->above;
            gf_swap_bytes(to - (size_t)done * n, (size_t)done * n / 2, 2);
        }
    }
    if (above != r->above)
        memcpy(r->above, above, n);
    return true;
}

/* Undoes the filters of the next strip, or waits until another thread has made progress. The caller
 * holds the lock, which is released meanwhile. */
static void help(struct gf_png_rows *r) {
    if (r->undoing || r->complete == r->inflated) {
        pthread_cond_wait(&r->changed, &r->lock);
        return;
    }
    r->undoing = true;
    pthread_mutex_unlock(&r->lock);
    bool done = undo_strip(r, r->complete); /* which no other thread changes now */
    pthread_mutex_lock(&r->lock);
    r->undoing = false;
    r->complete += done;
    r->failed |= !done;
    pthread_cond_broadcast(&r->changed);
}

/* Waits until `strips` are complete; false if decoding fails. */
static bool await_strips(struct gf_png_rows *r, int64_t strips) {
    pthread_mutex_lock(&r->lock);
    while (r->complete < strips && !r->failed)
        help(r);
    bool done = !r->failed;
    pthread_mutex_unlock(&r->lock);
    return done;
}

bool gf_png_rows_await(struct gf_png_rows *r, int64_t rows) {
    return await_strips(r, gf_divide_up(rows, r->rows_a_strip));
}

static bool inflate_strips(struct gf_png_rows *r) {
    for (int64_t i = 0; i < r->n_strips; i++) {
        if (!await_strips(r, i - r->slots + 1) ||
            !inflate_rows(r, slot_of(r, i), (size_t)rows_of(r, i) * (r->row_bytes + 1)))
            return false;
        pthread_mutex_lock(&r->lock);
        r->inflated++;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
    }
    return true;
}

/* ---- all of it ---- */

static int64_t rows_a_strip(int64_t height, int64_t row_bytes) {
    return gf_min(GF_PNG_STRIP_BYTES / (row_bytes + 1) + 1, height);
}

static int slots_of(int64_t height, int64_t a_strip, int strips) {
    return (int)gf_min(strips, gf_divide_up(height, a_strip));
}

int64_t gf_png_rows_bytes(int64_t height, int64_t row_bytes, int strips) {
    const int64_t a_strip = rows_a_strip(height, row_bytes);
    return slots_of(height, a_strip, strips) * a_strip * (row_bytes + 1) + PIECE + row_bytes;
}

struct gf_png_rows *gf_png_rows_new(const struct gf_codec *codec, struct gf_source *source,
                                    const struct gf_array *px, bool swap, int strips) {
    struct gf_png_rows *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->codec = codec;
    r->source = source;
    r->px = *px;
    r->swap = swap;
    r->row_bytes = (size_t)px->stride[0];
    r->rows_a_strip = rows_a_strip(px->shape[0], px->stride[0]);
    r->n_strips = gf_divide_up(px->shape[0], r->rows_a_strip);
    r->slots = slots_of(px->shape[0], r->rows_a_strip, strips);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    r->piece = gf_alloc(PIECE);
    r->strip = gf_alloc((size_t)r->slots * (size_t)r->rows_a_strip * (r->row_bytes + 1));
    r->above = calloc(1, r->row_bytes);
    if (r->piece && r->strip && r->above && codec->inflate_start(&r->stream) &&
        !__builtin_mul_overflow((int64_t)r->row_bytes + 1, px->shape[0], &r->inflated_bytes))
        return r;
    gf_png_rows_free(r);
    return NULL;
}

void gf_png_rows_free(struct gf_png_rows *r) {
    if (!r)
        return;
    r->codec->inflate_end(&r->stream);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    gf_free(r->piece);
    gf_free(r->strip);
    free(r->above);
    free(r);
}

bool gf_png_rows_decode(struct gf_png_rows *r) {
    /* libpng has read the first IDAT's length and type. */
    int64_t position = gf_source_tell(r->source);
    bool done = gf_source_seek(r->source, position - 8) == GF_OK && begin_chunk(r) && is_idat(r) &&
                feed(r) && check_header(r) && inflate_strips(r) && end_stream(r) && check_rest(r) &&
                await_strips(r, r->n_strips);
    if (done)
        return true;
    pthread_mutex_lock(&r->lock);
    r->failed = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    gf_source_seek(r->source, position);
    return false;
}
