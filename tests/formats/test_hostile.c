/* Broken and malicious files: one line and no more, at once, whatever the bytes are. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "tests/formats/files.h"
#include "tests/formats/read.h"
#include "tests/test.h"

static const struct gf_write_options usual = {.level = -1};
static const struct gf_read_options modest = {.max_memory = 64 << 20};

/* Reads from memory; every sample is looked at, which a checker of uninitialised memory sees. */
static int read_bytes(const struct gf_format *f, const unsigned char *data, size_t n,
                      const struct gf_read_options *o) {
    static volatile unsigned sink;
    struct gf_source *source;
    struct gf_image image = {0};
    if (gf_source_open_memory(data, n, &source))
        return GF_ENOMEM;
    int rc = read_format(f, source, o, &image);
    if (!rc && image.px.data) {
        const unsigned char *p = image.px.data;
        int64_t bytes = gf_array_count(&image.px) * (int64_t)gf_dtype_size(image.px.dtype);
        unsigned sum = 0;
        for (int64_t i = 0; i < bytes; i++)
            sum = sum * 31 + p[i];
        if (sum == 1)
            sink++;
    }
    gf_image_free(&image);
    gf_source_close(source);
    return rc;
}

static struct gf_read_options raw_options(void) {
    struct gf_read_options o = modest;
    o.raw.ndim = 2;
    o.raw.shape[0] = 9;
    o.raw.shape[1] = 11;
    o.raw.dtype = GF_U16;
    return o;
}

/* Cuts and changes a good file in every way; returns how many changed ones were read all the same.
 */
static int torture(const struct gf_format *f, const char *path, bool cuts_fail) {
    struct gf_read_options o = f == &gf_format_raw ? raw_options() : modest;
    size_t n;
    unsigned char *good = file_get(path, &n), *data = malloc(n + 16);
    uint32_t seed = 99;
    int taken = 0;
    CHECK_MSG(read_bytes(f, good, n, &o) == GF_OK, "%s: %s", path, gf_message());
    for (size_t cut = 0; cut < n; cut += cut < 200 ? 1 : 37) {
        memcpy(data, good, cut); /* at the end of a block of its own, for a checker to see */
        unsigned char *tight = malloc(cut ? cut : 1);
        memcpy(tight, good, cut);
        int rc = read_bytes(f, tight, cut, &o);
        CHECK_MSG((rc < 0 || !cuts_fail) && (!rc || message_is_good(gf_message())), "%s cut at %zu",
                  path, cut);
        free(tight);
    }
    for (int i = 0; i < 400; i++) {
        memcpy(data, good, n);
        for (uint32_t k = random_next(&seed) % 3; k < 3; k++) {
            size_t at = random_next(&seed) % (i % 2 && n > 200 ? 200 : n);
            static const unsigned char nasty[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '9', '-'};
            data[at] = random_next(&seed) & 1 ? nasty[random_next(&seed) % sizeof nasty]
                                              : (unsigned char)(random_next(&seed) >> 8);
        }
        int rc = read_bytes(f, data, n, &o);
        taken += rc == GF_OK;
        CHECK_MSG(rc == GF_OK || message_is_good(gf_message()), "%s: '%s'", path, gf_message());
    }
    free(data);
    free(good);
    return taken;
}

static void test_torture(void) {
    struct gf_image image = image_make(GF_U16, 0, 9, 11, 1, 3);
    struct gf_image color = image_make(GF_U8, 0, 31, 17, 3, 3);
    struct gf_image floats = image_make(GF_F32, 0, 9, 11, 3, 3);
    struct gf_image volume = image_make(GF_C64, 3, 9, 11, 1, 3);
    struct gf_write_options deflate = usual;
    strcpy(deflate.tiff_compression, "deflate");
    gf_image_write("t.png", &gf_format_png, &image, &usual, true);
    CHECK(torture(&gf_format_png, "t.png", true) < 40);
    gf_image_write("t.png", &gf_format_png, &color, &usual, true);
    CHECK(torture(&gf_format_png, "t.png", true) < 40);
    gf_image_write("t.tif", &gf_format_tiff, &image, &usual, true);
    torture(&gf_format_tiff, "t.tif", true);
    gf_image_write("t.tif", &gf_format_tiff, &color, &deflate, true);
    torture(&gf_format_tiff, "t.tif", true);
    gf_image_write("t.tif", &gf_format_tiff, &volume, &usual, true);
    torture(&gf_format_tiff, "t.tif", true);
    gf_image_write("t.pgm", &gf_format_pnm, &image, &usual, true);
    torture(&gf_format_pnm, "t.pgm", true);
    gf_image_write("t.pfm", &gf_format_pfm, &floats, &usual, true);
    torture(&gf_format_pfm, "t.pfm", true);
    gf_image_write("t.npy", &gf_format_npy, &volume, &usual, true);
    torture(&gf_format_npy, "t.npy", true);
    gf_image_write("t.nii", &gf_format_nifti, &volume, &usual, true);
    torture(&gf_format_nifti, "t.nii", true);
    gf_image_write("t.nii", &gf_format_nifti, &image, &usual, true);
    torture(&gf_format_nifti, "t.nii", true);
    gf_image_write("t.fits", &gf_format_fits, &image, &usual, true);
    torture(&gf_format_fits, "t.fits", false); /* cut in its padding it is whole */
    gf_image_write("t.mrc", &gf_format_mrc, &volume, &usual, true);
    torture(&gf_format_mrc, "t.mrc", true);
    gf_image_write("t.mrc", &gf_format_mrc, &image, &usual, true);
    torture(&gf_format_mrc, "t.mrc", true);
    gf_image_write("t.raw", &gf_format_raw, &image, &usual, true);
    torture(&gf_format_raw, "t.raw", true);
    static const char plain[] =
        "P3\n# c\n4 3\n255\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "
        "20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36\n";
    file_put("t.ppm", plain, sizeof plain - 1);
    torture(&gf_format_pnm, "t.ppm", false); /* cut within its last number it is still whole */
    gf_image_free(&image);
    gf_image_free(&color);
    gf_image_free(&floats);
    gf_image_free(&volume);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void put_be32(unsigned char *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> (24 - 8 * i));
}

static size_t png_chunk(unsigned char *p, const char *type, const void *data, size_t n) {
    put_be32(p, (uint32_t)n);
    memcpy(p + 4, type, 4);
    if (n)
        memcpy(p + 8, data, n);
    put_be32(p + 8 + n, (uint32_t)crc32(0, p + 4, (uInt)n + 4));
    return n + 12;
}

/* A PNG of that size, depth and colour type whose data is the given zlib stream. */
static size_t make_png(unsigned char *p, uint32_t width, uint32_t height, int depth, int color,
                       int interlace, const void *data, size_t n) {
    unsigned char head[13] = {0};
    put_be32(head, width);
    put_be32(head + 4, height);
    head[8] = (unsigned char)depth;
    head[9] = (unsigned char)color;
    head[12] = (unsigned char)interlace;
    memcpy(p, "\x89PNG\r\n\x1a\n", 8);
    size_t at = 8;
    at += png_chunk(p + at, "IHDR", head, 13);
    at += png_chunk(p + at, "IDAT", data, n);
    return at + png_chunk(p + at, "IEND", NULL, 0);
}

static const struct gf_format *last_format;

static int read_file(const unsigned char *data, size_t n, const struct gf_read_options *o) {
    struct gf_image image;
    file_put("claim", data, n);
    int rc = gf_image_read("claim", o, &image, &last_format);
    gf_image_free(&image);
    return rc;
}

/* The same bytes through a FIFO: there the size of the file is no help. */
static int read_fifo(const unsigned char *data, size_t n, const struct gf_read_options *o) {
    struct gf_image image;
    mkfifo("fifo", 0644);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open("fifo", O_WRONLY);
        _exit(write(fd, data, n) != (ssize_t)n);
    }
    int rc = gf_image_read("fifo", o, &image, &last_format);
    gf_image_free(&image);
    waitpid(pid, NULL, 0);
    unlink("fifo");
    return rc;
}

/* Tiny files that claim what would take days and exabytes. */
static void test_claims(void) {
    unsigned char png[256], tiff[256];
    static const unsigned char nothing[] = {0x78, 1, 3, 0, 0, 0, 0, 1};
    size_t n_png = make_png(png, 1000000000, 1000000000, 8, 0, 0, nothing, sizeof nothing);
    struct gf_image one = image_make(GF_U8, 0, 1, 1, 1, 1);
    gf_image_write("one.tif", &gf_format_tiff, &one, &usual, true);
    gf_image_free(&one);
    size_t n_tiff;
    unsigned char *small = file_get("one.tif", &n_tiff);
    memcpy(tiff, small, n_tiff < sizeof tiff ? n_tiff : sizeof tiff);
    free(small);
    for (size_t i = 0; i + 12 <= n_tiff; i++) /* width, height, rows a strip: tags 256, 257, 278 */
        if ((tiff[i] < 2 || tiff[i] == 22) && tiff[i + 1] == 1 &&
            (tiff[i + 2] == 3 || tiff[i + 2] == 4) && tiff[i + 4] == 1 && tiff[i + 8] == 1) {
            tiff[i + 2] = 4;
            memcpy(tiff + i + 8, "\0\xca\x9a\x3b", 4);
        }
    struct {
        const char *name;
        const void *data;
        size_t n;
    } claims[] = {
        {"png", png, n_png},
        {"tiff", tiff, n_tiff},
        {"pgm", "P5\n1000000000 1000000000\n255\n0123456789", 39},
        {"plain", "P2 2000000000 2000000000 255 1 2 3", 34},
        {"pam", "P7\nWIDTH 2000000000\nHEIGHT 2000000000\nDEPTH 65535\nMAXVAL 65535\nENDHDR\n", 70},
        {"pfm", "Pf\n1000000000 1000000000\n-1.0\n0123", 33},
        {"npy",
         "\x93NUMPY\x01\0\x76\0{'descr': '<c16', 'fortran_order': False, 'shape': (1000000000, "
         "1000000000), }                                         \n",
         128},
    };
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        for (int limited = 0; limited < 2; limited++) {
            struct gf_read_options none = {0};
            const struct gf_read_options *o = limited ? &modest : &none;
            double start = seconds();
            int rc = read_file(claims[i].data, claims[i].n, o);
            CHECK_MSG(rc < 0 && message_is_good(gf_message()), "%s: %d", claims[i].name, rc);
            CHECK_MSG(last_format && strcmp(last_format->name, "raw"), "%s", claims[i].name);
            rc = read_fifo(claims[i].data, claims[i].n, &modest);
            CHECK_MSG(rc < 0 && message_is_good(gf_message()), "%s: %d", claims[i].name, rc);
            double took = seconds() - start;
            CHECK_MSG(took < 0.5, "%s took %.3f s", claims[i].name, took);
        }
}

/* Damage inside a PNG, and its messages. */
static void test_png(void) {
    unsigned char rows[4 * 5] = {0}, stream[64], png[256];
    uLongf n = sizeof stream;
    compress(stream, &n, rows, sizeof rows);
    size_t size = make_png(png, 4, 4, 8, 0, 0, stream, n);
    CHECK_EQ(read_file(png, size, &modest), GF_OK);
    png[8 + 25 + 8 + n]++; /* IDAT's checksum */
    CHECK_EQ(read_file(png, size, &modest), GF_EFORMAT);
    CHECK(!strcmp(gf_message(), "not a PNG: bad CRC in IDAT"));
    size = make_png(png, 4, 5, 8, 0, 0, stream, n); /* a row too few */
    CHECK_EQ(read_file(png, size, &modest), GF_EFORMAT);
    size = make_png(png, 4, 3, 8, 0, 0, stream, n); /* a row too many */
    CHECK_EQ(read_file(png, size, &modest), GF_EFORMAT);
    size = make_png(png, 4, 4, 8, 0, 0, stream, n - 4); /* without its checksum */
    CHECK_EQ(read_file(png, size, &modest), GF_EFORMAT);
    stream[n - 1]++; /* with a wrong one */
    size = make_png(png, 4, 4, 8, 0, 0, stream, n);
    CHECK_EQ(read_file(png, size, &modest), GF_EFORMAT);
    size = make_png(png, 4, 4, 7, 0, 0, stream, n);
    CHECK_EQ(read_file(png, size, &modest), GF_EFORMAT);
    size = make_png(png, 4, 4, 8, 3, 0, stream, n); /* a palette picture without a palette */
    CHECK_EQ(read_file(png, size, &modest), GF_EFORMAT);
    size = make_png(png, 0, 4, 8, 0, 0, stream, n);
    CHECK_EQ(read_file(png, size, &modest), GF_EFORMAT);
}

static void test_words(void) {
    static const struct {
        const char *text;
        size_t n;
        const char *says;
    } bad[] = {
        {"P5 2 2 255\nabc", 14, "end of file"},
        {"P5 2 2 255\nabcde", 16, "data after"},
        {"P5 2 2 255\nabcdP5", 17, "more than one picture"},
        {"P5 2 2 100\nabc\xff", 15, "above the maximum"},
        {"P5 2 2 70000\nabcd", 17, "70000"},
        {"P5 -2 2 255\nabcd", 16, "'-2'"},
        {"P2 2 1 9\n3 10", 13, "above the maximum"},
        {"P2 2 1 9\n3 x", 12, "no number"},
        {"P2 2 1 9\n3 4 5", 14, "data after"},
        {"P1 2 1 12", 9, "no number"},
        {"Pf 1 1 0.0\nabcd", 15, "scale"},
        {"Pf 1 1 nan\nabcd", 15, "scale"},
        {"P7\nWIDTH 1\nWIDTH 1\n", 19, "WIDTH"},
        {"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nENDHDR\na", 37, "MAXVAL"},
        {"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\na", 61, "RGB"},
        {"Pf 1 1 1.2.3\nabcd", 17, "scale"},
        {"Pf 1 1 1e\nabcd", 14, "scale"},
        {"Pf 1 1 .\nabcd", 13, "scale"},
        {"Pf 1 1 1e5x\nabcd", 16, "scale"},
        {"P5 0 2 255\n", 11, "0 is not within"},
        {"P5 2 0 255\n", 11, "0 is not within"},
        {"P5 1 1 0\na", 10, "0 is not within"},
        {"P5 1 1 65536\nab", 15, "65536"},
        {"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\na", 72,
         "with 1 channels"},
        {"", 0, "empty"},
        {"GIF89a", 6, "GIF file, which gpufft does not read"},
        {"no picture", 10, "known format"},
        {"II*\0\0\0\0\0", 8, "not a TIFF"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int rc = read_file((const unsigned char *)bad[i].text, bad[i].n, &modest);
        CHECK_MSG(rc < 0 && message_is_good(gf_message()) && strstr(gf_message(), bad[i].says),
                  "%.20s: %d %s", bad[i].text, rc, gf_message());
    }
    file_put("x.png", "no picture", 10);
    struct gf_image image;
    CHECK_EQ(gf_image_read("x.png", &modest, &image, NULL), GF_EFORMAT);
    CHECK(strstr(gf_message(), "not a PNG"));
}

static void test_npy_headers(void) {
    static const char *const bad[] = {
        "",
        "{",
        "{}",
        "[]",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), } x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2,, ), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 2, 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2LL, 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), 'shape': (2, 2), }",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 2), }",
        "{'descr': '<f4', 'fortran_order': False, }",
        "{'descr': '<f3', 'fortran_order': False, 'shape': (2, 2), }",
        "{'descr': '<c160', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }",
        "{'descr': '<', 'fortran_order': False, 'shape': (2, 2), }",
        "{'descr': '', 'fortran_order': False, 'shape': (2, 2), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2), }",
        "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2, 2), }",
        "{'more': 1, 'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
    };
    static const char good[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        const char *text = i ? bad[i - 1] : good;
        unsigned char file[256] = "\x93NUMPY\x01";
        size_t n = strlen(text);
        file[8] = (unsigned char)n;
        memcpy(file + 10, text, n);
        int rc = read_file(file, 10 + n + 16, &modest);
        CHECK_MSG((rc == GF_OK) == (i == 0) && (!rc || message_is_good(gf_message())), "%s: %d %s",
                  text, rc, gf_message());
    }
}

static void test_limits(void) {
    struct gf_image image = image_make(GF_U8, 0, 100, 100, 1, 1), back;
    static const char *const names[] = {"l.png", "l.tif", "l.pgm", "l.npy"};
    for (int i = 0; i < 4; i++) {
        struct gf_read_options o = {.max_memory = 9999};
        gf_image_write(names[i], gf_format_by_suffix(names[i]), &image, &usual, true);
        CHECK_EQ(gf_image_read(names[i], &o, &back, NULL), GF_ENOMEM);
        CHECK_MSG(message_is_good(gf_message()), "%s", gf_message());
        o.max_memory = 100000;
        CHECK_EQ(gf_image_read(names[i], &o, &back, NULL), GF_OK);
        gf_image_free(&back);
    }
    gf_image_free(&image);
}

int main(void) {
    scratch_enter();
    RUN("cut and changed files of each format end in one line", test_torture());
    RUN("tiny files that claim exabytes are refused at once", test_claims());
    RUN("damage inside a PNG is reported", test_png());
    RUN("texts in the place of numbers are refused", test_words());
    RUN("npy headers that are no dictionary are refused", test_npy_headers());
    RUN("files above --max-memory are refused", test_limits());
    scratch_leave();
    return TEST_END();
}
