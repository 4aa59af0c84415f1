/* PNG through each codec against libpng alone: the same verdict, the same message, the same samples,
 * on pictures of every kind and on the same pictures with something wrong. Files and folders that
 * are named on the command line are read too. */
#include <dirent.h>
#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "formats/png/png.h"
#include "tests/formats/codecs.h"
#include "tests/formats/files.h"
#include "tests/formats/read.h"
#include "tests/test.h"

/* ------------------------------------------------------- reading by both ways */

/* Streams that a codec inflated to their end: what shows that libpng did not. */
static int streams_ended;
static const struct gf_codec *spied;

static int64_t spy_inflate(struct gf_inflate *s, unsigned char *out, size_t room) {
    int64_t n = spied->inflate(s, out, room);
    streams_ended += n >= 0 && s->ended;
    return n;
}

/* One picture in so many is read row by row too; how many were. */
static int fed_share = 11, fed;

static int read_by(const struct gf_codec *codec, const void *data, size_t n,
                   struct gf_image *image) {
    static const struct gf_read_options modest = {.max_memory = 64 << 20};
    struct gf_codec spy;
    struct gf_source *source;
    *image = (struct gf_image){0};
    if (gf_source_open_memory(data, n, &source))
        return GF_ENOMEM;
    if (codec) {
        spy = *codec;
        spy.inflate = spy_inflate;
        spied = codec;
    }
    struct gf_decoder d;
    int rc = read_rest(gf_png_open_by(codec ? &spy : NULL, &d, source, &modest, image), &d, &modest,
                       image);
    gf_source_close(source);
    return rc;
}

/* One thread decodes while others wait for each row in turn and add up those that are complete. */
static bool decode_fed(const struct gf_feed *feed, const struct gf_image *image, uint32_t sum[3]) {
    const size_t bytes = (size_t)image->px.stride[0];
    bool done = false;
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
        if (me == 0)
            done = feed->produce(feed->user);
        sum[me] = 0;
        for (int64_t y = 0; y < image->px.shape[0] && feed->await(feed->user, y + 1); y++)
            sum[me] = (uint32_t)crc32(sum[me], (unsigned char *)image->px.data + (size_t)y * bytes,
                                      (uInt)bytes);
    }
    return done;
}

/* As read_by(), where the rows are used while others are decoded. *usual: they were decoded so. */
static int read_fed(const struct gf_codec *codec, const void *data, size_t n,
                    struct gf_image *image, bool *usual) {
    static const struct gf_read_options modest = {.max_memory = 64 << 20};
    struct gf_decoder d = {0};
    struct gf_source *source;
    uint32_t sum[3];
    struct gf_feed feed = {0};
    *image = (struct gf_image){0};
    *usual = false;
    if (gf_source_open_memory(data, n, &source))
        return GF_ENOMEM;
    int rc = gf_png_open_by(codec, &d, source, &modest, image);
    if (!rc)
        rc = gf_decoder_read(&d, image, &feed);
    if (!rc && feed.produce)
        *usual = decode_fed(&feed, image, sum);
    if (!rc && feed.produce && !*usual)
        rc = gf_decoder_read(&d, image, NULL);
    if (*usual)
        for (int i = 1; i < 3; i++)
            CHECK_EQ(sum[i], sum[0]);
    gf_decoder_close(&d);
    gf_source_close(source);
    if (rc)
        gf_image_free(image);
    return rc;
}

/* Reads by libpng and by every codec; returns libpng's verdict. */
static int compare(const void *data, size_t n, const char *what, long at) {
    struct gf_image want, got;
    bool usual;
    char message[240] = "";
    int verdict = read_by(NULL, data, n, &want);
    if (verdict)
        snprintf(message, sizeof message, "%s", gf_message());
    for (int i = 0; i < N_CODECS; i++) {
        int rc = read_by(codecs[i], data, n, &got);
        CHECK_MSG(rc == verdict, "%s %ld: libpng %d (%s), %s %d (%s)", what, at, verdict, message,
                  codecs[i]->name, rc, rc ? gf_message() : "");
        if (rc && verdict)
            CHECK_MSG(!strcmp(message, gf_message()), "%s %ld: '%s', '%s'", what, at, message,
                      gf_message());
        if (!rc && !verdict)
            CHECK_MSG(image_same(&want, &got) && want.color == got.color &&
                          want.alpha == got.alpha && want.depth == got.depth,
                      "%s %ld: %s reads other samples", what, at, codecs[i]->name);
        gf_image_free(&got);
        if (at % fed_share)
            continue;
        int ended = streams_ended;
        rc = read_fed(codecs[i], data, n, &got, &usual);
        CHECK_MSG(rc == verdict && (!rc || !strcmp(message, gf_message())),
                  "%s %ld, row by row: libpng %d (%s), %s %d (%s)", what, at, verdict, message,
                  codecs[i]->name, rc, rc ? gf_message() : "");
        CHECK_MSG(rc || image_same(&want, &got), "%s %ld: %s reads other samples row by row", what,
                  at, codecs[i]->name);
        fed += usual;
        streams_ended = ended;
        gf_image_free(&got);
    }
    gf_image_free(&want);
    return verdict;
}

/* ------------------------------------------------------- making PNGs */

struct file {
    unsigned char data[1 << 18];
    size_t n;
};

struct kind {
    int color, depth, interlace;
    uint32_t width, height;
};

static void put_be32(unsigned char *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> (24 - 8 * i));
}

static void add_chunk(struct file *f, const char *type, const void *data, size_t n) {
    unsigned char *p = f->data + f->n;
    put_be32(p, (uint32_t)n);
    memcpy(p + 4, type, 4);
    if (n)
        memcpy(p + 8, data, n);
    put_be32(p + 8 + n, (uint32_t)crc32(0, p + 4, (uInt)n + 4));
    f->n += n + 12;
}

static void add_header(struct file *f, const struct kind *k) {
    unsigned char head[13] = {0}, palette[768];
    put_be32(head, k->width);
    put_be32(head + 4, k->height);
    head[8] = (unsigned char)k->depth;
    head[9] = (unsigned char)k->color;
    head[12] = (unsigned char)k->interlace;
    memcpy(f->data, "\x89PNG\r\n\x1a\n", 8);
    f->n = 8;
    add_chunk(f, "IHDR", head, 13);
    for (int i = 0; i < 768; i++)
        palette[i] = (unsigned char)(i * 7);
    if (k->color == 3)
        add_chunk(f, "PLTE", palette, 3u << k->depth);
}

static size_t row_bytes(const struct kind *k, uint32_t width) {
    static const int channels[] = {1, 0, 3, 1, 2, 0, 4};
    return (width * (size_t)(channels[k->color] * k->depth) + 7) / 8;
}

enum { MOSTLY_PAETH = -2 };

/* Rows of random bytes, each behind a random filter's number (or `filter` if it is one). Few
 * different bytes, so that deflate makes codes and matches of them. */
static size_t make_rows(const struct kind *k, int filter, unsigned char *raw) {
    static const int x0[] = {0, 4, 0, 2, 0, 1, 0}, dx[] = {8, 8, 4, 4, 2, 2, 1};
    static const int y0[] = {0, 0, 4, 0, 2, 0, 1}, dy[] = {8, 8, 8, 4, 4, 2, 2};
    uint32_t seed = k->width * 77 + k->height;
    size_t n = 0;
    for (int pass = 0; pass < (k->interlace ? 7 : 1); pass++) {
        uint32_t width = k->width, height = k->height;
        if (k->interlace) {
            width = (width + (uint32_t)(dx[pass] - 1 - x0[pass])) / (uint32_t)dx[pass];
            height = (height + (uint32_t)(dy[pass] - 1 - y0[pass])) / (uint32_t)dy[pass];
        }
        for (uint32_t y = 0; width && y < height; y++) {
            int number = filter >= 0 ? filter : (int)(random_next(&seed) % 5);
            if (filter == MOSTLY_PAETH && random_next(&seed) % 4)
                number = GF_PNG_ROW_PAETH;
            raw[n++] = (unsigned char)number;
            for (size_t i = 0; i < row_bytes(k, width); i++) {
                uint32_t v = random_next(&seed);
                raw[n++] = (unsigned char)(v & 64 ? v >> 8 : v >> 8 & 3);
            }
        }
    }
    return n;
}

static size_t pack(const unsigned char *raw, size_t n, int level, unsigned char *out, size_t room) {
    uLongf made = room;
    compress2(out, &made, raw, n, level);
    return made;
}

/* A stream as IDATs of `piece` bytes, with the end. */
static void add_data(struct file *f, const unsigned char *stream, size_t n, size_t piece) {
    for (size_t at = 0; at < n; at += piece)
        add_chunk(f, "IDAT", stream + at, n - at < piece ? n - at : piece);
    add_chunk(f, "IEND", NULL, 0);
}

static unsigned char raw[1 << 17], stream[1 << 17];
static struct file file;

/* Reads what is in `file` from a block of its own, for a checker of memory to see. */
static int compare_file(const char *what, long at) {
    unsigned char *tight = malloc(file.n ? file.n : 1);
    memcpy(tight, file.data, file.n);
    int verdict = compare(tight, file.n, what, at);
    free(tight);
    return verdict;
}

/* ------------------------------------------------------- good pictures */

static void test_kinds(void) {
    static const int colors[][2] = {{0, 1}, {0, 2}, {0, 4}, {0, 8},  {0, 16}, {2, 8}, {2, 16},
                                    {3, 1}, {3, 8}, {4, 8}, {4, 16}, {6, 8},  {6, 16}};
    static const uint32_t widths[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 64, 100};
    for (size_t c = 0; c < sizeof colors / sizeof *colors; c++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            for (int variant = 0; variant < 9; variant++) {
                struct kind k = {colors[c][0], colors[c][1], variant == 7, widths[i], 19};
                int filter = variant < 5 ? variant : variant == 8 ? MOSTLY_PAETH : -1;
                size_t n = pack(raw, make_rows(&k, filter, raw), variant, stream, sizeof stream);
                add_header(&file, &k);
                add_data(&file, stream, n, variant == 6 ? 7 : 100000);
                streams_ended = 0;
                CHECK_EQ(compare_file("kind", variant), GF_OK);
                /* Usual ones are not libpng's. */
                bool usual = k.color != 3 && k.depth >= 8 && !k.interlace;
                CHECK_MSG(streams_ended == (usual ? N_CODECS : 0), "color %d depth %d: %d", k.color,
                          k.depth, streams_ended);
            }
}

/* Several strips of rows, and rows longer than a strip. */
static void test_large(void) {
    static const struct kind kinds[] = {
        {0, 8, 0, 1000, 125}, {2, 16, 0, 300, 70}, {6, 8, 0, 31000, 1}, {0, 16, 0, 700, 90}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = pack(raw, make_rows(&kinds[i], -1, raw), 6, stream, sizeof stream);
        add_header(&file, &kinds[i]);
        add_data(&file, stream, n, 8192);
        streams_ended = 0;
        CHECK_EQ(compare_file("large", (long)i), GF_OK);
        CHECK_EQ(streams_ended, N_CODECS);
    }
    uint32_t size = 400; /* more than one strip of the writer and of the reader */
    struct gf_image image = image_make(GF_U16, 0, size, size, 3, 5), back;
    static const struct gf_write_options usual = {.level = -1, .threads = 2};
    CHECK_EQ(gf_image_write("large.png", &gf_format_png, &image, &usual, true), GF_OK);
    size_t n;
    unsigned char *data = file_get("large.png", &n);
    CHECK_EQ(compare(data, n, "written", 0), GF_OK);
    CHECK(read_by(codecs[N_CODECS - 1], data, n, &back) == GF_OK && image_same(&image, &back));
    /* Ends and faults after some of the eight strips are complete. */
    for (size_t cut = 0; cut < n; cut += n / 16)
        CHECK(compare(data, cut, "written and cut", (long)cut) != GF_OK);
    for (size_t at = n / 3; at < n; at += n / 9) {
        data[at] ^= 4;
        CHECK(compare(data, n, "written and changed", (long)at) != GF_OK);
        data[at] ^= 4;
    }
    gf_image_free(&image);
    gf_image_free(&back);
    free(data);
}

/* ------------------------------------------------------- faults */

static const struct kind small_kinds[] = {
    {0, 8, 0, 23, 17}, {2, 8, 0, 11, 9}, {6, 16, 0, 5, 7}, {4, 8, 0, 3, 40}};

/* Every cut of the file, every bit of it changed, and every bit of its stream with the checksum of
 * the chunk as it should be. */
static void test_cuts_and_flips(void) {
    for (size_t i = 0; i < sizeof small_kinds / sizeof *small_kinds; i++) {
        static struct file good;
        size_t n = pack(raw, make_rows(&small_kinds[i], -1, raw), 9, stream, sizeof stream);
        add_header(&file, &small_kinds[i]);
        size_t head = file.n;
        add_data(&file, stream, n, 100);
        good = file;
        for (file.n = 0; file.n < good.n; file.n++)
            CHECK(compare_file("cut", (long)file.n) != GF_OK);
        for (size_t bit = 0; bit < good.n * 8; bit += i ? 5 : 1) {
            if (!case_takes((long long)bit, 3))
                continue;
            file = good;
            file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            compare_file("bit", (long)bit);
        }
        for (size_t bit = 0; bit < n * 8; bit += i ? 5 : 1) {
            if (!case_takes((long long)bit, 3))
                continue;
            file.n = head;
            stream[bit / 8] ^= (unsigned char)(1u << bit % 8);
            add_data(&file, stream, n, 1000);
            stream[bit / 8] ^= (unsigned char)(1u << bit % 8);
            compare_file("bit of the stream", (long)bit); /* the last byte's spare bits are free */
        }
    }
}

/* The stream shorter or longer than the rows, in one chunk or several, and more behind it. */
static void test_stream_ends(void) {
    const struct kind *k = &small_kinds[0];
    size_t rows = make_rows(k, -1, raw), n = pack(raw, rows, 6, stream, sizeof stream);
    for (size_t piece = 1; piece < 1000; piece += piece < 9 ? 1 : 180)
        for (size_t length = n - 12; length <= n + 20; length++) {
            add_header(&file, k);
            memset(stream + n, length & 1 ? 0 : 0xa5, 20);
            add_data(&file, stream, length, piece);
            /* libpng takes some that lack a part of zlib's checksum. */
            int verdict = compare_file("stream cut or continued", (long)(length - n));
            CHECK(verdict == GF_OK || length != n);
        }
    for (size_t most = rows - 25; most <= rows + 50; most++) {
        memset(raw + rows, 0, 50);
        n = pack(raw, most, 6, stream, sizeof stream);
        add_header(&file, k);
        add_data(&file, stream, n, 1000);
        CHECK((compare_file("bytes of rows", (long)(most - rows)) == GF_OK) == (most == rows));
    }
    for (int filter = 0; filter < 256; filter += filter < 8 ? 1 : 31)
        for (int y = 0; y < 17; y += 8) {
            size_t size = make_rows(k, -1, raw);
            raw[y * 24] = (unsigned char)filter;
            add_header(&file, k);
            add_data(&file, stream, pack(raw, size, 6, stream, sizeof stream), 1000);
            CHECK((compare_file("filter", filter) == GF_OK) == (filter < 5));
        }
}

/* Every first byte of zlib's header with every second one that fits it, and with one that does not:
 * windows smaller than the distance of a match are among them. */
static void test_zlib_headers(void) {
    static const struct kind kinds[] = {{0, 8, 0, 4999, 8}, {0, 8, 0, 20, 9}};
    for (int i = 0; i < 2; i++) {
        size_t rows = make_rows(&kinds[i], 0, raw);
        if (i == 0)
            for (size_t at = 5000; at < rows; at++)
                raw[at] = raw[at - 5000];
        size_t n = pack(raw, rows, 9, stream, sizeof stream);
        for (int head = 0; head < 65536; head++) {
            if ((head % 31 && head % 31 != 7) || !case_takes(head / 31, 3))
                continue;
            stream[0] = (unsigned char)(head >> 8);
            stream[1] = (unsigned char)head;
            add_header(&file, &kinds[i]);
            add_data(&file, stream, n, head & 1 ? 1 : 1 << 16);
            if (head & 1 && n > 500)
                continue;
            compare_file("zlib header", head);
        }
    }
}

/* A chunk of each sort in each place, with a right and a wrong checksum. */
static void test_chunks(void) {
    static const char *const types[] = {"tRNS", "PLTE", "tEXt", "zTXt", "gAMA", "abCd", "abcd",
                                        "aBCd", "IHDR", "ABCD", "IDAT", "IEND", "a1Cd", "tIME",
                                        "sRGB", "bKGD", "hIST", "eXIf", "acTL", "fdAT", "\0\0\0\0"};
    static const char text[300] = "words";
    static const size_t sizes[] = {0, 1, 2, 3, 9, 300};
    static const struct kind kinds[] = {{0, 8, 0, 23, 17}, {2, 8, 0, 11, 9}, {3, 8, 0, 9, 9}};
    for (size_t k = 0; k < 3; k++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (int variant = 0; variant < 4 * 2 * 6; variant++) {
                int place = variant & 3, bad = variant >> 2 & 1;
                size_t n = pack(raw, make_rows(&kinds[k], -1, raw), 6, stream, sizeof stream);
                size_t mid = n / 2, at = 0;
                add_header(&file, &kinds[k]);
                for (int part = 0; part < 4; part++) {
                    if (part == place) {
                        add_chunk(&file, types[t], text, sizes[variant >> 3]);
                        at = file.n - 1;
                    }
                    if (part < 2)
                        add_chunk(&file, "IDAT", stream + (part ? mid : 0), part ? n - mid : mid);
                    if (part == 2)
                        add_chunk(&file, "IEND", NULL, 0);
                }
                file.data[at] ^= (unsigned char)bad;
                compare_file(types[t], variant);
            }
}

/* Lengths of chunks that the file does not have, at the limits of libpng. */
static void test_lengths(void) {
    static const uint32_t lengths[] = {400,     0xffff,     1000000,    7999999,   8000000,
                                       8000001, 0x7fffffff, 0x80000000, 0xffffffff};
    const struct kind *k = &small_kinds[0];
    size_t n = pack(raw, make_rows(k, -1, raw), 6, stream, sizeof stream);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int place = 0; place < 3; place++) {
            size_t at[3];
            add_header(&file, k);
            at[0] = file.n;
            add_chunk(&file, "IDAT", stream, 50);
            at[1] = file.n;
            add_chunk(&file, "IDAT", stream + 50, n - 50);
            at[2] = file.n;
            add_chunk(&file, "teXt", stream, 50);
            add_chunk(&file, "IEND", NULL, 0);
            put_be32(file.data + at[place], lengths[i]);
            CHECK(compare_file("length", (long)lengths[i]) != GF_OK);
        }
}

/* ------------------------------------------------------- files */

static void compare_path(const char *path) {
    size_t n;
    unsigned char *data = file_get(path, &n);
    if (!data)
        return;
    CHECK_MSG(compare(data, n, path, -1) <= 0, "%s", path);
    /* Every cut where the file is small, a hundred where it is not. */
    size_t step = n < 3000 ? 1 : n / 100;
    for (size_t cut = 0; cut < n; cut += step)
        if (case_takes((long long)(cut / step), step > 1 ? 5 : 1))
            compare(data, cut, path, (long)cut);
    free(data);
}

static void compare_folder(const char *path) {
    char name[PATH_MAX];
    DIR *d = opendir(path);
    if (!d) {
        compare_path(path);
        return;
    }
    for (const struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (n > 4 && !strcmp(e->d_name + n - 4, ".png"))
            compare_path(name);
    }
    closedir(d);
}

int main(int argc, char **argv) {
    RUN("the samples read as with libpng", compare_folder("samples"));
    for (int i = 1; i < argc; i++)
        RUN(case_name("%s reads as with libpng", argv[i]), compare_folder(argv[i]));
    scratch_enter();
    fed_share = 1;
    RUN("pictures of every kind read as with libpng", test_kinds());
    RUN("rows of several strips, and strips of one row, read as with libpng", test_large());
    fed_share = 11;
    RUN("every cut and every flipped bit reads as with libpng", test_cuts_and_flips());
    RUN("streams shorter or longer than the rows read as with libpng", test_stream_ends());
    RUN("every zlib header reads as with libpng", test_zlib_headers());
    RUN("every chunk in every place reads as with libpng", test_chunks());
    RUN("chunks of lengths that the file does not have read as with libpng", test_lengths());
    scratch_leave();
    RUN("pictures came piece by piece too", CHECK(getenv("TEST_ONLY") || fed > 150 * N_CODECS));
    return TEST_END();
}
