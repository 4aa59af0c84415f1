/* PNG out: several threads filter and deflate the image in strips, each an IDAT. The strips and the
 * bytes do not depend on the number of threads.
 *
 * Threads put coded strips into a ring, from which the first thread writes them in order: no thread
 * waits for the others or for the file unless the ring is full. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/png/png.h"
#include "formats/png/codec.h"

enum { STRIP_BYTES = 128 * 1024, MAX_ROW_BYTES = 1 << 30, SLOTS_A_THREAD = 3 };
/* Space before a strip's deflate for the chunk's length and type and zlib's header; after it for
 * zlib's checksum and the chunk's. */
enum { HEAD = 8 + 2, TAIL = 4 + 4 };

struct coding {
    struct gf_deflate_options deflate;
    unsigned filters; /* candidates, as bits */
};

/* A thread's buffers. */
struct coder {
    unsigned char *raw;      /* big-endian rows, the one above first, if w->copies */
    unsigned char *filtered; /* rows with their filter bytes */
    struct gf_deflate *deflate;
};

struct strip {
    unsigned char *packed; /* HEAD bytes, the deflate, TAIL bytes */
    size_t n_filtered;
    uint32_t adler;
    unsigned char *chunk; /* the IDAT: its length, type and n_chunk bytes, in `packed` */
    size_t n_chunk;
    uint32_t crc; /* of the type and these bytes */
    bool coded, failed;
};

struct writer {
    struct gf_sink *sink;
    struct gf_planes planes;
    const struct gf_codec *codec; /* for the checksums and the quick deflate */
    struct coding coding;
    size_t step; /* bytes a pixel */
    int64_t rows_a_strip, n_strips;
    bool copies;          /* rows must be copied or swapped first */
    struct strip *strips; /* strip i is in slot i mod slots */
    int64_t slots;
    struct coder *coders; /* by thread */
    int threads;
    /* Shared by the threads, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t next, written; /* the first strip not taken, not written */
    uint32_t adler;        /* of the strips written */
    int status;
};

/* Tries no filter for spectra, which are noise. The default coding is the codec's quick deflate or,
 * with zlib alone, runs and literals. */
static struct coding choose_coding(const struct gf_codec *codec, const struct gf_write_options *o) {
    static const int strategies[] = {[GF_PNG_AUTO] = Z_DEFAULT_STRATEGY,
                                     [GF_PNG_HUFFMAN] = Z_HUFFMAN_ONLY,
                                     [GF_PNG_RLE] = Z_RLE,
                                     [GF_PNG_FILTERED] = Z_FILTERED,
                                     [GF_PNG_DEFAULT] = Z_DEFAULT_STRATEGY};
    unsigned quick = 1u << GF_PNG_ROW_NONE | 1u << GF_PNG_ROW_SUB | 1u << GF_PNG_ROW_UP;
    unsigned all = quick | 1u << GF_PNG_ROW_AVERAGE | 1u << GF_PNG_ROW_PAETH;
    struct coding c = {.deflate = {.level = o->level, .strategy = strategies[o->strategy]},
                       .filters = all};
    if (o->strategy == GF_PNG_AUTO && o->level < 0) {
        c.deflate.quick = codec->deflate ? codec : NULL;
        c.deflate.strategy = Z_RLE;
        c.filters = quick;
    } else if (o->strategy == GF_PNG_AUTO && !o->noise) {
        c.deflate.strategy = Z_FILTERED;
    }
    if (o->noise || o->level == 0)
        c.filters = 1u << GF_PNG_ROW_NONE;
    if (c.deflate.level < 0)
        c.deflate.level = o->strategy == GF_PNG_DEFAULT ? 6 : 1;
    return c;
}

static const unsigned char *source_row(const struct writer *w, const struct coder *c, int64_t first,
                                       int64_t y) {
    if (w->copies)
        return c->raw + (size_t)(y - first + 1) * w->planes.row_bytes;
    return gf_planes_rows(&w->planes, 0, y, 1, NULL);
}

/* Filters rows [first, first + n) and returns their bytes. */
static size_t filter_strip(const struct writer *w, const struct coder *c, int64_t first,
                           int64_t n) {
    size_t row_bytes = w->planes.row_bytes;
    if (w->copies) {
        int64_t from = first > 0 ? first - 1 : 0;
        unsigned char *to = c->raw + (size_t)(from - first + 1) * row_bytes;
        int64_t rows = first + n - from;
        const void *got = gf_planes_rows(&w->planes, 0, from, rows, to);
        if (got != to)
            memcpy(to, got, (size_t)rows * row_bytes);
        if (w->planes.sample == 2 && !gf_host_is_big_endian())
            gf_swap_bytes(to, (size_t)rows * row_bytes / 2, 2);
    }
    /* One filter per strip, chosen for its middle row: the size is close to a choice per row. */
    int filter = GF_PNG_ROW_NONE;
    if (w->coding.filters != 1u << GF_PNG_ROW_NONE) {
        int64_t y = first + n / 2;
        filter = gf_png_choose_filter(w->coding.filters, source_row(w, c, first, y),
                                      y > 0 ? source_row(w, c, first, y - 1) : NULL, row_bytes,
                                      w->step, c->filtered);
    }
    const unsigned char *above = first > 0 ? source_row(w, c, first, first - 1) : NULL;
    for (int64_t i = 0; i < n; i++) {
        const unsigned char *row = source_row(w, c, first, first + i);
        gf_png_filter_row(filter, row, above, row_bytes, w->step,
                          c->filtered + (size_t)i * (row_bytes + 1));
        above = row;
    }
    return (size_t)n * (row_bytes + 1);
}

/* Deflates the strip into an IDAT, without its length and checksum. */
static void pack_strip(const struct writer *w, struct coder *c, struct strip *s, bool first,
                       bool last) {
    static const unsigned char zlib_header[2] = {0x78, 0x01}; /* 32 KiB window, fastest level */
    size_t n = 0;
    s->adler = w->codec->adler32(1, c->filtered, s->n_filtered);
    if (!c->deflate)
        c->deflate = gf_deflate_new(&w->coding.deflate);
    if (c->deflate)
        n = gf_deflate_strip(c->deflate, c->filtered, s->n_filtered, last, s->packed + HEAD);
    s->failed = n == 0;
    s->n_chunk = n + (first ? sizeof zlib_header : 0);
    s->chunk = s->packed + HEAD + n - s->n_chunk - 8;
    memcpy(s->chunk + 4, "IDAT", 4);
    if (first)
        memcpy(s->chunk + 8, zlib_header, sizeof zlib_header);
    s->crc = w->codec->crc32(0, s->chunk + 4, 4 + s->n_chunk);
}

static struct strip *slot_of(const struct writer *w, int64_t strip) {
    return &w->strips[strip % w->slots];
}

static void code_strip(const struct writer *w, struct coder *c, int64_t i) {
    struct strip *s = slot_of(w, i);
    int64_t first = i * w->rows_a_strip, left = w->planes.height - first;
    s->n_filtered = filter_strip(w, c, first, gf_min(left, w->rows_a_strip));
    pack_strip(w, c, s, i == 0, i == w->n_strips - 1);
}

/* Writes strip i. Called in order, for zlib's checksum. */
static int write_strip(struct writer *w, int64_t i) {
    struct strip *s = slot_of(w, i);
    if (s->failed)
        return gf_no_memory();
    w->adler = (uint32_t)adler32_combine(w->adler, s->adler, (z_off_t)s->n_filtered);
    if (i == w->n_strips - 1) {
        gf_put_big_endian(s->chunk + 8 + s->n_chunk, w->adler);
        s->crc = w->codec->crc32(s->crc, s->chunk + 8 + s->n_chunk, 4);
        s->n_chunk += 4;
    }
    gf_put_big_endian(s->chunk, (uint32_t)s->n_chunk);
    gf_put_big_endian(s->chunk + 8 + s->n_chunk, s->crc);
    return gf_sink_write(w->sink, s->chunk, 8 + s->n_chunk + 4);
}

/* Runs in each thread; holds the lock except while it codes or writes. */
static void code_strips(struct writer *w, int thread) {
    while (!w->status && w->written < w->n_strips) {
        struct strip *due = slot_of(w, w->written);
        if (thread == 0 && due->coded) {
            pthread_mutex_unlock(&w->lock);
            int rc = write_strip(w, w->written); /* only this thread changes it */
            pthread_mutex_lock(&w->lock);
            due->coded = false;
            w->status = rc;
            w->written++;
            pthread_cond_broadcast(&w->changed);
        } else if (w->next < w->n_strips && w->next < w->written + w->slots) {
            int64_t i = w->next++;
            pthread_mutex_unlock(&w->lock);
            code_strip(w, &w->coders[thread], i);
            pthread_mutex_lock(&w->lock);
            slot_of(w, i)->coded = true;
            pthread_cond_broadcast(&w->changed);
        } else if (thread > 0 && w->next == w->n_strips) {
            break;
        } else {
            pthread_cond_wait(&w->changed, &w->lock);
        }
    }
}

static int write_chunk(void *to, const char *name, const unsigned char *data, size_t n) {
    const struct writer *w = to;
    unsigned char head[8], end[4];
    gf_put_big_endian(head, (uint32_t)n);
    memcpy(head + 4, name, 4);
    gf_put_big_endian(end, w->codec->crc32(w->codec->crc32(0, head + 4, 4), data, n));
    int rc = gf_sink_write(w->sink, head, sizeof head);
    if (!rc)
        rc = gf_sink_write(w->sink, data, n);
    return rc ? rc : gf_sink_write(w->sink, end, sizeof end);
}

static int write_header(struct writer *w, const struct gf_image *image) {
    static const unsigned char types[] = {0, 0, 4, 2, 6}; /* grey, grey and alpha, RGB, RGBA */
    unsigned char header[13] = {
        [8] = (unsigned char)(8 * w->planes.sample), [9] = types[w->planes.channels]};
    gf_put_big_endian(header, (uint32_t)w->planes.width);
    gf_put_big_endian(header + 4, (uint32_t)w->planes.height);
    int rc = gf_sink_write(w->sink, "\x89PNG\r\n\x1a\n", 8);
    if (!rc)
        rc = write_chunk(w, "IHDR", header, sizeof header);
    const int colors = w->planes.channels < 3 ? 1 : 3;
    return rc ? rc : gf_png_put_metadata(&image->metadata, colors, write_chunk, w);
}

static int write_strips(struct writer *w) {
    w->adler = (uint32_t)adler32_z(0, NULL, 0);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
#pragma omp parallel num_threads(w->threads)
    {
        pthread_mutex_lock(&w->lock);
        code_strips(w, omp_get_thread_num());
        pthread_mutex_unlock(&w->lock);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    return w->status ? w->status : write_chunk(w, "IEND", (const unsigned char *)"", 0);
}

static int alloc_strips(struct writer *w) {
    size_t row = w->planes.row_bytes, rows = (size_t)w->rows_a_strip;
    size_t filtered = rows * (row + 1), packed = gf_deflate_bound(filtered);
    w->strips = calloc((size_t)w->slots, sizeof *w->strips);
    w->coders = calloc((size_t)w->threads, sizeof *w->coders);
    if (!w->strips || !w->coders)
        return gf_no_memory();
    for (int i = 0; i < w->threads; i++) {
        struct coder *c = &w->coders[i];
        c->filtered = gf_alloc(filtered);
        if (w->copies)
            c->raw = malloc((rows + 1) * row);
        if (!c->filtered || (w->copies && !c->raw))
            return gf_no_memory();
    }
    for (int64_t i = 0; i < w->slots; i++)
        if (!(w->strips[i].packed = gf_alloc(HEAD + packed + TAIL)))
            return gf_no_memory();
    return GF_OK;
}

static void free_strips(struct writer *w) {
    for (int i = 0; w->coders && i < w->threads; i++) {
        gf_deflate_free(w->coders[i].deflate);
        gf_free(w->coders[i].filtered);
        free(w->coders[i].raw);
    }
    free(w->coders);
    for (int64_t i = 0; w->strips && i < w->slots; i++)
        gf_free(w->strips[i].packed);
    free(w->strips);
}

int gf_png_write_by(const struct gf_codec *codec, struct gf_sink *sink,
                    const struct gf_image *image, const struct gf_write_options *options) {
    struct writer w = {
        .codec = codec, .sink = sink, .threads = options->threads > 0 ? options->threads : 1};
    gf_planes_view(&w.planes, image);
    if (w.planes.width > INT32_MAX || w.planes.height > INT32_MAX ||
        w.planes.row_bytes > MAX_ROW_BYTES)
        return gf_fail(GF_EUNSUPP, "too large for a PNG");
    w.coding = choose_coding(codec, options);
    w.step = (size_t)w.planes.channels * w.planes.sample;
    w.copies = w.planes.sample == 2 || !w.planes.dense_rows;
    w.rows_a_strip = (int64_t)(STRIP_BYTES / (w.planes.row_bytes + 1)) + 1;
    w.n_strips = gf_divide_up(w.planes.height, w.rows_a_strip);
    /* Starting threads costs as much as a strip or two. */
    w.threads = (int)gf_max(gf_min(w.threads, w.n_strips / 2), 1);
    /* One thread writes each strip before the next. */
    w.slots = w.threads > 1 ? gf_min((int64_t)w.threads * SLOTS_A_THREAD, w.n_strips) : 1;
    int rc = alloc_strips(&w);
    if (!rc)
        rc = write_header(&w, image);
    if (!rc)
        rc = write_strips(&w);
    free_strips(&w);
    return rc;
}

int gf_png_write(struct gf_encoder *e) {
    return gf_png_write_by(gf_codec_best(), e->sink, e->image, e->options);
}
