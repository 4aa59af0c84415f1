/* Every format: what is written comes back, to the byte where the bytes are promised, and what
 * is on the disk when that fails. */
#include <fcntl.h>
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/value/status.h"
#include "formats/checksum.h"
#include "formats/files.h"
#include "formats/record.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static const struct gf_read_options any = {0};
static const struct gf_write_options usual = {.level = -1, .jpeg_quality = 100, .threads = 1};

/* Reads back; on failure prints why and returns an empty image. */
static struct gf_image load(const char *path, const struct gf_read_options *options) {
    struct gf_image image;
    int rc = gf_image_read(path, options, &image, NULL);
    CHECK_MSG(rc == GF_OK, "%s: %s", path, gf_message());
    return image;
}

static struct gf_read_options options_for(const struct gf_format *f, const struct gf_image *image) {
    struct gf_read_options o = {0};
    int64_t channels = image->px.shape[image->ndim];
    o.channels_last = (f == &gf_format_npy || f == &gf_format_raw) && channels > 1;
    if (f == &gf_format_raw) {
        o.raw.ndim = image->ndim + o.channels_last;
        for (int i = 0; i < o.raw.ndim; i++)
            o.raw.shape[i] = image->px.shape[i];
        o.raw.dtype = image->px.dtype;
    }
    return o;
}

/* JPEG does not keep every bit; test_jpeg.c is about it. */
static void round_trip(const struct gf_format *f, const struct gf_image *image,
                       const struct gf_write_options *w) {
    char path[32];
    if (f == &gf_format_jpeg)
        return;
    snprintf(path, sizeof path, "rt.%.3s", f->name);
    struct gf_read_options o = options_for(f, image);
    o.raw.big_endian = w->big_endian;
    int rc = gf_image_write(path, f, image, w, true);
    CHECK_MSG(rc == GF_OK, "write %s: %s", path, gf_message());
    if (rc)
        return;
    const struct gf_format *found = NULL;
    struct gf_image back;
    rc = gf_image_read(path, &o, &back, &found);
    CHECK_MSG(rc == GF_OK, "read %s: %s", path, gf_message());
    CHECK(found == f);
    struct gf_image line = *image;
    if (!rc && image->ndim == 1 && back.ndim == 2) { /* a line comes back as a picture of one row */
        line.ndim = 2;
        line.px.rank = 3;
        line.px.shape[2] = image->px.shape[1];
        line.px.shape[1] = image->px.shape[0];
        line.px.shape[0] = 1;
        line.px.stride[2] = image->px.stride[1];
        line.px.stride[1] = image->px.stride[0];
        line.px.stride[0] = 0;
    }
    CHECK_MSG(!rc && image_same(&line, &back), "%s %s x%lld of %lldx%lld", f->name,
              gf_dtype_name(image->px.dtype), (long long)image->px.shape[image->ndim],
              (long long)image->px.shape[0], (long long)image->px.shape[1]);
    CHECK(rc || f->channels == 1 || back.alpha == image->alpha);
    gf_image_free(&back);
    o.header_only = true;
    rc = gf_image_read(path, &o, &back, NULL);
    CHECK(rc == GF_OK && !back.px.data && back.px.dtype == image->px.dtype &&
          back.px.rank == line.px.rank && back.px.shape[1] == line.px.shape[1]);
    gf_image_free(&back);
}

static void test_round_trips(void) {
    static const int64_t shapes[][3] = {{0, 0, 1},  {0, 0, 37}, {0, 1, 1}, {0, 5, 7},
                                        {0, 64, 3}, {3, 4, 5},  {2, 1, 9}, {0, 700, 515}};
    for (int i = 0; gf_formats[i]; i++)
        for (int t = 0; t < GF_N_DTYPES; t++)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                for (int64_t c = 1; c <= 5; c++) {
                    struct gf_image image = image_make((enum gf_dtype)t, shapes[s][0], shapes[s][1],
                                                       shapes[s][2], c, (uint32_t)(s + 1));
                    bool fixed = gf_formats[i]->channels != 1;
                    image.alpha = fixed && (c == 2 || c == 4);
                    if (image.alpha)
                        image.color = c == 2 ? GF_GRAY : GF_RGB;
                    bool heavy = s == 7 && (c > 1 || t > GF_U16);
                    bool no_raw = gf_formats[i] == &gf_format_raw && image.ndim == 3 && c > 1;
                    if (!heavy && !no_raw && gf_format_accepts(gf_formats[i], &image) == GF_OK) {
                        round_trip(gf_formats[i], &image, &usual);
                        if (gf_formats[i] == &gf_format_raw) {
                            struct gf_write_options w = usual;
                            w.big_endian = true;
                            round_trip(gf_formats[i], &image, &w);
                        }
                    }
                    gf_image_free(&image);
                }
}

/* Views: every second column, a mirrored row, channels apart. */
static void test_views(void) {
    for (int i = 0; gf_formats[i]; i++)
        for (int t = 0; t < GF_N_DTYPES; t++) {
            struct gf_image image = image_make((enum gf_dtype)t, 0, 60, 44, 3, 5), view = image;
            view.px.base = NULL;
            view.px.shape[1] /= 2;
            view.px.stride[1] *= 2;
            if (gf_format_accepts(gf_formats[i], &view) == GF_OK)
                round_trip(gf_formats[i], &view, &usual);
            view = image;
            view.px.base = NULL;
            view.px.data = (char *)view.px.data + 59 * view.px.stride[0];
            view.px.stride[0] = -view.px.stride[0];
            if (gf_format_accepts(gf_formats[i], &view) == GF_OK)
                round_trip(gf_formats[i], &view, &usual);
            gf_image_free(&image);
        }
}

static void test_compression(void) {
    struct gf_image smooth = image_make(GF_U8, 0, 400, 777, 3, 1);
    for (int64_t i = 0; i < gf_array_count(&smooth.px); i++) /* gradients and flat parts */
        ((unsigned char *)smooth.px.data)[i] =
            (unsigned char)(i % 9000 < 4000 ? 7 : (i / 2331) + i % 3 * (i % 2331 / 40));
    struct gf_image deep = image_make(GF_U16, 0, 211, 300, 1, 9);
    for (int s = GF_PNG_AUTO; s <= GF_PNG_DEFAULT; s++)
        for (int level = -1; level <= 6; level += level < 1 ? 1 : 5)
            for (int noise = 0; noise < 2; noise++) {
                struct gf_write_options w = {.level = level,
                                             .strategy = (enum gf_png_strategy)s,
                                             .noise = noise,
                                             .threads = 1 + level % 3};
                round_trip(&gf_format_png, &smooth, &w);
                round_trip(&gf_format_png, &deep, &w);
            }
    /* The number of threads does not show in the bytes. */
    struct gf_write_options w = usual;
    size_t n;
    for (w.threads = 0; w.threads < 5; w.threads++) {
        char path[16];
        snprintf(path, sizeof path, "th%d.png", w.threads & 7);
        CHECK_EQ(gf_image_write(path, &gf_format_png, &smooth, &w, true), GF_OK);
        unsigned char *first = file_get("th0.png", &n);
        CHECK(n < 400 * 777 * 3 / 2); /* it compresses */
        CHECK(file_is(path, first, n));
        free(first);
    }
    static const char *const names[] = {"none", "deflate", "lzw"};
    for (int i = 0; i < 3; i++) {
        struct gf_write_options t = {.level = i ? 6 : -1};
        strcpy(t.tiff_compression, names[i]);
        round_trip(&gf_format_tiff, &smooth, &t);
        round_trip(&gf_format_tiff, &deep, &t);
    }
    struct gf_write_options t = {.tiff_compression = "jpeg"};
    CHECK_EQ(gf_image_write("x.tif", &gf_format_tiff, &deep, &t, true), GF_EUSAGE);
    CHECK(access("x.tif", F_OK) != 0);
    gf_image_free(&smooth);
    gf_image_free(&deep);
}

/* Runs of every length around the encoder's thresholds, and blocks of one value. */
static void test_runs(void) {
    struct gf_image image = image_make(GF_U8, 0, 300, 1000, 1, 4);
    unsigned char *p = image.px.data;
    uint32_t seed = 5;
    for (int64_t i = 0, n = 1; i < 300000; n = n % 800 + 1) {
        unsigned char v = (unsigned char)random_next(&seed);
        for (int64_t k = 0; k < n && i < 300000; k++)
            p[i++] = v;
        if (i < 300000 && n % 3)
            p[i++] = (unsigned char)(v + 1);
    }
    struct gf_write_options w = {.level = -1, .noise = true, .threads = 1};
    round_trip(&gf_format_png, &image, &w);
    memset(p, 9, 300000);
    round_trip(&gf_format_png, &image, &w);
    /* Frequencies that grow like Fibonacci's make codes that must be shortened. */
    int64_t at = 0;
    for (int64_t v = 0, a = 1, b = 1; v < 24 && at < 200000; v++) {
        for (int64_t k = 0; k < a && at < 300000; k++)
            p[at++] = (unsigned char)(v * 11);
        int64_t next = a + b;
        a = b;
        b = next;
    }
    for (int64_t i = at - 1; i > 0; i--) { /* shuffled, so that they are literals */
        int64_t j = random_next(&seed) % (uint32_t)(i + 1);
        unsigned char v = p[i];
        p[i] = p[j];
        p[j] = v;
    }
    round_trip(&gf_format_png, &image, &w);
    gf_image_free(&image);
}

static void test_bytes(void) {
    static const unsigned char npy[] = "\x93NUMPY\x01\0v\0{'descr': '<u2', 'fortran_order': False, "
                                       "'shape': (2, 3), }";
    uint16_t v[6] = {1, 2, 3, 0x0405, 5, 65535};
    int64_t shape[3] = {2, 3, 1};
    struct gf_image image = {.px = gf_array_wrap(v, GF_U16, 3, shape), .ndim = 2};
    size_t n;
    CHECK_EQ(gf_image_write("b.npy", &gf_format_npy, &image, &usual, true), GF_OK);
    unsigned char *got = file_get("b.npy", &n);
    CHECK_EQ(n, 128 + 12);
    CHECK(got && !memcmp(got, npy, sizeof npy - 1) && got[127] == '\n' && got[126] == ' ');
    CHECK(got && !memcmp(got + 128, "\1\0\2\0\3\0\5\4\5\0\xff\xff", 12));
    free(got);
    CHECK_EQ(gf_image_write("b.pgm", &gf_format_pnm, &image, &usual, true), GF_OK);
    CHECK(file_is("b.pgm", "P5\n3 2\n65535\n\0\1\0\2\0\3\4\5\0\5\xff\xff", 25));
    CHECK_EQ(gf_image_write("b.raw", &gf_format_raw, &image, &usual, true), GF_OK);
    CHECK(file_is("b.raw", "\1\0\2\0\3\0\5\4\5\0\xff\xff", 12));
    float f[2] = {1, -2};
    int64_t column[3] = {2, 1, 1};
    struct gf_image floats = {.px = gf_array_wrap(f, GF_F32, 3, column), .ndim = 2};
    CHECK_EQ(gf_image_write("b.pfm", &gf_format_pfm, &floats, &usual, true), GF_OK);
    CHECK(file_is("b.pfm", "Pf\n1 2\n-1.0\n\0\0\0\xc0\0\0\x80\x3f", 20)); /* bottom row first */
    CHECK_EQ(gf_image_write("b.tif", &gf_format_tiff, &image, &usual, true), GF_OK);
    got = file_get("b.tif", &n);
    CHECK(got && !memcmp(got, "II*\0", 4) && memmem(got, n, v, 12));
    free(got);
}

/* Small files by hand, and what must come of them. */
struct sample {
    const char *text;
    size_t n;
    int64_t y, x, channels;
    enum gf_dtype dtype;
    const void *samples;
    size_t bytes;
};
#define TEXT(s) s, sizeof(s) - 1

static void check_sample(const struct sample *s, const struct gf_read_options *o) {
    file_put("sample", s->text, s->n);
    struct gf_image image = load("sample", o);
    CHECK_MSG(image.px.data && image.px.dtype == s->dtype && image.px.shape[0] == s->y &&
                  image.px.shape[1] == s->x && image.px.shape[2] == s->channels &&
                  !memcmp(image.px.data, s->samples, s->bytes),
              "%.40s", s->text);
    gf_image_free(&image);
}

static void test_samples(void) {
    static const uint16_t wide[] = {1, 300, 1000};
    static const uint16_t sixteen[] = {0x0102, 0x0304};
    static const float floats[] = {1, -2}, six[] = {1, -2, 1, -2, 1, -2};
    static const double wholes[] = {-3, 9007199254740992, 7, 9007199254740992};
    static const struct sample samples[] = {
        {TEXT("P2\n# a remark\n3 1 # another\n9\n0 5\n9"), 1, 3, 1, GF_U8, "\0\5\x9", 3},
        {TEXT("P2 3 1 1000 1\t300\n1000 \n\n"), 1, 3, 1, GF_U16, wide, 6},
        {TEXT("P3 1 2 255 1 2 3  4 5 6"), 2, 1, 3, GF_U8, "\1\2\3\4\5\6", 6},
        {TEXT("P1 3 2 101\n0 1 0"), 2, 3, 1, GF_U8, "\0\xff\0\xff\0\xff", 6},
        {TEXT("P4 9 2\n\xaa\x80\x55\x00"), 2, 9, 1, GF_U8,
         "\0\xff\0\xff\0\xff\0\xff\0\xff\0\xff\0\xff\0\xff\0\xff", 18},
        {TEXT("P5 2 1 255 \n#"), 1, 2, 1, GF_U8, "\n#", 2},
        {TEXT("P4 8 2\n\xaa\x01"), 2, 8, 1, GF_U8,
         "\0\xff\0\xff\0\xff\0\xff\xff\xff\xff\xff\xff\xff\xff\0", 16},
        {TEXT("P2 2 1 9 1 # CR\r2"), 1, 2, 1, GF_U8, "\1\2", 2},
        {TEXT("P5 # ends at CR\r2 1#\r98\nab"), 1, 2, 1, GF_U8, "ab", 2},
        {TEXT("P5 2 1 100\nab\n"), 1, 2, 1, GF_U8, "ab", 2},
        {TEXT("P5 2 1 772\n\1\2\3\4"), 1, 2, 1, GF_U16, sixteen, 4},
        {TEXT("P5 2 1 65535\n\1\2\3\4"), 1, 2, 1, GF_U16, sixteen, 4},
        {TEXT("P6 1 1 255\nabc"), 1, 1, 3, GF_U8, "abc", 3},
        {TEXT("P7\nWIDTH 1\n# x\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcd"),
         1, 1, 4, GF_U8, "abcd", 4},
        {TEXT("Pf\n1 2\n-1.0\n\0\0\0\xc0\0\0\x80\x3f"), 2, 1, 1, GF_F32, floats, 8},
        {TEXT("Pf 1 2 1e0\n\xc0\0\0\0\x3f\x80\0\0"), 2, 1, 1, GF_F32, floats, 8},
        {TEXT("PF 2 1 -.5\n\0\0\x80\x3f\0\0\0\xc0\0\0\x80\x3f\0\0\0\xc0\0\0\x80\x3f\0\0\0\xc0"), 1,
         2, 3, GF_F32, six, 24},
        {TEXT("Pf 2 1 +1.5E-3\n\x3f\x80\0\0\xc0\0\0\0"), 1, 2, 1, GF_F32, floats, 8},
        {TEXT("\x93NUMPY\x03\0\x3f\0\0\0{'shape':(1,2),'fortran_order':False,'descr':'>u2',}"
              "          \n\1\2\3\4"),
         1, 2, 1, GF_U16, sixteen, 4},
        {TEXT("\x93NUMPY\x02\0\x3f\0\0\0{\"shape\":(1,2),'fortran_order':False,'descr':'>u2',}"
              "          \n\1\2\3\4"),
         1, 2, 1, GF_U16, sixteen, 4},
        {TEXT("\x93NUMPY\x01\0\x3b\0{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n"
              "adbecf"),
         2, 3, 1, GF_U8, "abcdef", 6},
        {TEXT("\x93NUMPY\x01\x00>\x00{'descr': '<i8', 'fortran_order': False, 'shape': (1L, 2L), "
              "}\x0a\xfd\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00 \x00"),
         1, 2, 1, GF_F64, wholes, 16},
        {TEXT("\x93NUMPY\x01\x00<\x00{'descr': '>u8', 'fortran_order': False, 'shape': (1, 2), "
              "}\x0a\x00\x00\x00\x00\x00\x00\x00\x07\x00 \x00\x00\x00\x00\x00\x00"),
         1, 2, 1, GF_F64, wholes + 2, 16},
        {TEXT("\x93NUMPY\x01\x00<\x00{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), "
              "}\x0a\x00<\x00\xc0"),
         1, 2, 1, GF_F32, floats, 8},
        {TEXT("\x93NUMPY\x01\x00<\x00{'descr': '|b1', 'fortran_order': False, 'shape': (1, 2), "
              "}\x0a\x01\x00"),
         1, 2, 1, GF_U8, "\1\0", 2},
        {TEXT("\x93NUMPY\x01\x00"
              "A\x00{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 2, 3), }\x0a"
              "abcdefghijklmnopqrstuvwx"),
         4, 2, 3, GF_U8, "aiqemucksgowbjrfnvdlthpx", 24},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        check_sample(&samples[i], &any);
    struct gf_read_options o = {
        .raw = {.ndim = 2, .shape = {1, 2}, .dtype = GF_U16, .big_endian = true, .offset = 3}};
    check_sample(&(struct sample){TEXT("abc\1\2\3\4"), 1, 2, 1, GF_U16, sixteen, 4}, &o);
    struct gf_image image;
    o.raw.offset = INT64_MAX - 4; /* the last that counts */
    CHECK_EQ(gf_image_read("sample", &o, &image, NULL), GF_EFORMAT);
    CHECK_HAS(gf_message(), "come to 9223372036854775807");
    o.raw.offset++;
    CHECK_EQ(gf_image_read("sample", &o, &image, NULL), GF_EUSAGE);
    CHECK_HAS(gf_message(), "63 bits");
    o.raw.offset = -1;
    CHECK_EQ(gf_image_read("sample", &o, &image, NULL), GF_EUSAGE);
    CHECK_HAS(gf_message(), "before the start");
}

/* Checksums in shares, whose last one is longer, and of two files in a row. */
static void test_sums(void) {
    enum { N = (3 << 20) + 2 };
    unsigned char *data = malloc(N);
    uint32_t seed = 3, sum;
    for (size_t i = 0; i < N; i++)
        data[i] = (unsigned char)random_next(&seed);
    const uint32_t want = (uint32_t)crc32(0, data, N), begin = (uint32_t)crc32(0, data, 7);
    struct gf_chain chain = {NULL, NULL};
    struct gf_source *first = NULL, *second = NULL;
    file_put("first", data, 1000);
    file_put("second", data + 1000, N - 1000);
    CHECK(!gf_source_open("first", &first) && !gf_source_open("second", &second));
    chain.first = first;
    chain.second = second;
    CHECK_EQ(gf_chain_size(&chain), N);
    for (int threads = 1; threads < 5; threads++) {
        CHECK_EQ(gf_crc32(0, data, N, threads), want);
        CHECK_EQ(gf_crc32(begin, data + 7, N - 7, threads), want);
        CHECK(!gf_crc32_source(&chain, N, threads, &sum) && sum == want);
    }
    CHECK(!gf_crc32_part(&chain, 990, 1010, &sum) && sum == crc32(0, data + 990, 20));
    CHECK(!gf_crc32_part(&chain, 0, 1000, &sum) && sum == crc32(0, data, 1000));
    CHECK(!gf_crc32_part(&chain, 1000, N, &sum) && sum == crc32(0, data + 1000, N - 1000));
    CHECK_EQ(gf_crc32_source(&chain, N + 1, 2, &sum), GF_EFORMAT);
    gf_source_close(first);
    gf_source_close(second);
    free(data);
}

static void test_npy_refused(void) {
    static const struct {
        const char *text;
        size_t n;
        const char *says;
    } bad[] = {
        {TEXT("\x93NUMPY\x01\x00:\x00{'descr': '<i8', 'fortran_order': False, 'shape': (1,), "
              "}\x0a\x01\x00\x00\x00\x00\x00 \x00"),
         "2^53"},
        {TEXT("\x93NUMPY\x01\x00:\x00{'descr': '<i8', 'fortran_order': False, 'shape': (1,), "
              "}\x0a\xff\xff\xff\xff\xff\xff\xdf\xff"),
         "2^53"},
        {TEXT("\x93NUMPY\x01\x00:\x00{'descr': '<u8', 'fortran_order': False, 'shape': (1,), "
              "}\x0a\xff\xff\xff\xff\xff\xff\xff\xff"),
         "2^53"},
        {TEXT("\x93NUMPY\x01\x00Q\x00{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, "
              "1, 1, 1, 1, 1, 1), }\x0a"
              "a"),
         "rank 9 (1 to 8"},
        {TEXT("\x93NUMPY\x01\x00\x43\x00{'descr': [('a', '|u1')], 'fortran_order': False, 'shape': "
              "(1,), }\x0a"
              "a"),
         "structured records"},
        {TEXT("\x93NUMPY\x01\x01\x3a\x00{}"), ".npy version 1.1"},
        {TEXT("\x93NUMPY\x04\x00\x3a\x00{}"), ".npy version 4.0"},
        {TEXT("\x93NUMPY\x02\x00\x01\0\1\0{}"), "more than 64 KiB"},
        {TEXT("\x93NUMPY\x01\x00\4\0{}\0\n"), "a zero byte"},
    };
    struct gf_image image;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        file_put("sample", bad[i].text, bad[i].n);
        CHECK(gf_image_read("sample", &any, &image, NULL) < 0);
        CHECK_MSG(strstr(gf_message(), bad[i].says), "%s", gf_message());
    }
}

/* Writes a PNG by libpng's own encoder, to see what else than our writer makes. */
static void put_png(const char *path, int color, int depth, int interlace, bool transparent,
                    uint32_t width, uint32_t height, const unsigned char *rows, size_t row) {
    FILE *f = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_color palette[4] = {{1, 2, 3}, {40, 50, 60}, {255, 0, 9}, {7, 7, 7}};
    png_byte alpha[2] = {0, 128};
    png_color_16 gray = {.gray = 1};
    png_init_io(png, f);
    png_set_IHDR(png, info, width, height, depth, color, interlace, 0, 0);
    if (color == PNG_COLOR_TYPE_PALETTE) {
        png_set_PLTE(png, info, palette, 4);
        if (transparent)
            png_set_tRNS(png, info, alpha, 2, NULL);
    } else if (transparent) {
        png_set_tRNS(png, info, NULL, 0, &gray);
    }
    png_write_info(png, info);
    png_bytep pointers[16];
    for (uint32_t y = 0; y < height; y++)
        pointers[y] = (png_bytep)(uintptr_t)(rows + y * row);
    png_write_image(png, pointers);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(f);
}

static void test_png_kinds(void) {
    static const unsigned char two_bits[] = {0x1b, 0x1b}; /* 0 1 2 3 */
    struct gf_image image;
    for (int interlace = 0; interlace < 2; interlace++) {
        put_png("k.png", PNG_COLOR_TYPE_PALETTE, 2, interlace, false, 4, 2, two_bits, 1);
        image = load("k.png", &any);
        CHECK(image.px.shape[2] == 3 && !image.alpha && image.depth == 8 && image.color == GF_RGB);
        CHECK(!memcmp(image.px.data, "\1\2\3\x28\x32\x3c\xff\0\x9\7\7\7", 12));
        gf_image_free(&image);
        put_png("k.png", PNG_COLOR_TYPE_PALETTE, 2, interlace, true, 4, 2, two_bits, 1);
        image = load("k.png", &any);
        CHECK(image.px.shape[2] == 4 && image.alpha && image.color == GF_RGB);
        CHECK(!memcmp(image.px.data, "\1\2\3\0\x28\x32\x3c\x80\xff\0\x9\xff\7\7\7\xff", 16));
        gf_image_free(&image);
        put_png("k.png", PNG_COLOR_TYPE_GRAY, 2, interlace, false, 4, 2, two_bits, 1);
        image = load("k.png", &any);
        CHECK(image.px.shape[2] == 1 && image.depth == 2 && image.color == GF_GRAY);
        CHECK(!memcmp(image.px.data, "\0\x55\xaa\xff\0\x55\xaa\xff", 8));
        gf_image_free(&image);
        put_png("k.png", PNG_COLOR_TYPE_GRAY, 2, interlace, true, 4, 2, two_bits, 1);
        image = load("k.png", &any);
        CHECK(image.px.shape[2] == 2 && image.alpha);
        CHECK(!memcmp(image.px.data, "\0\xff\x55\0\xaa\xff\xff\xff", 8));
        gf_image_free(&image);
    }
    unsigned char deep[16 * 9 * 8];
    uint32_t seed = 8;
    for (size_t i = 0; i < sizeof deep; i++)
        deep[i] = (unsigned char)random_next(&seed);
    put_png("k.png", PNG_COLOR_TYPE_RGB_ALPHA, 16, 1, false, 9, 16, deep, 72);
    image = load("k.png", &any);
    CHECK(image.px.dtype == GF_U16 && image.px.shape[2] == 4);
    size_t wrong = 0;
    for (size_t i = 0; image.px.data && i < sizeof deep / 2; i++)
        wrong += ((uint16_t *)image.px.data)[i] != (deep[2 * i] << 8 | deep[2 * i + 1]);
    CHECK_EQ(wrong, 0);
    gf_image_free(&image);
}

static void test_lookup(void) {
    CHECK(gf_format_by_suffix("a/b.PNG") == &gf_format_png);
    CHECK(gf_format_by_suffix("a.tar.tiff") == &gf_format_tiff);
    CHECK(gf_format_by_suffix("x.Ppm") == &gf_format_pnm);
    CHECK(!gf_format_by_suffix("a.png/b") && !gf_format_by_suffix("png") &&
          !gf_format_by_suffix("x."));
    CHECK(gf_format_by_name("tif") == &gf_format_tiff &&
          gf_format_by_name("pgm") == &gf_format_pnm);
    CHECK(!gf_format_by_name("") && !gf_format_by_name("gif") && !gf_format_by_name("ti"));
    struct gf_image image = image_make(GF_C64, 0, 2, 2, 1, 1);
    CHECK_EQ(gf_format_accepts(&gf_format_png, &image), GF_EINVAL);
    CHECK(strstr(gf_message(), "u8 u16") && strstr(gf_message(), "c64"));
    gf_image_free(&image);
    image = image_make(GF_U8, 2, 2, 2, 1, 1);
    CHECK_EQ(gf_format_accepts(&gf_format_png, &image), GF_EINVAL);
    CHECK(strstr(gf_message(), "{page}"));
    gf_image_free(&image);
    image = image_make(GF_U8, 0, 2, 2, 4, 1);
    CHECK_EQ(gf_format_accepts(&gf_format_png, &image), GF_EINVAL); /* CMYK is no RGBA */
    gf_image_free(&image);
    image = image_make(GF_U8, 0, 2, 2, 3, 1);
    CHECK_EQ(gf_image_write("c.pgm", &gf_format_pnm, &image, &usual, true), GF_EINVAL);
    CHECK(access("c.pgm", F_OK) != 0);
    gf_image_free(&image);
}

/* The disk fills up at every possible moment: the old file stays, nothing else does. */
static void test_disk_full(void) {
    struct gf_image image = image_make(GF_U8, 0, 300, 1100, 1, 6);
    struct gf_image floats = image_make(GF_F32, 0, 300, 400, 1, 6);
    struct rlimit old, limit;
    getrlimit(RLIMIT_FSIZE, &old);
    for (int i = 0; gf_formats[i]; i++) {
        char path[16];
        if (!gf_formats[i]->write && !gf_formats[i]->put_pages)
            continue;
        snprintf(path, sizeof path, "full.%.3s", gf_formats[i]->name);
        file_put(path, "old", 3);
        int before = scratch_count();
        static const rlim_t sizes[] = {0, 1, 7, 100, 5000, 65535, 65536, 131072, 320000};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            limit = old;
            limit.rlim_cur = sizes[k];
            setrlimit(RLIMIT_FSIZE, &limit);
            const struct gf_image *what = gf_formats[i]->dtypes >> GF_U8 & 1 ? &image : &floats;
            int rc = gf_image_write(path, gf_formats[i], what, &usual, true);
            setrlimit(RLIMIT_FSIZE, &old);
            CHECK_MSG(rc == GF_EIO && strstr(gf_message(), "file too large"), "%s at %d: %s", path,
                      (int)sizes[k], gf_message());
            CHECK(file_is(path, "old", 3));
            CHECK_EQ(scratch_count(), before);
        }
    }
    gf_image_free(&image);
    gf_image_free(&floats);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    scratch_enter();
    RUN("what is written comes back in every format, type and shape", test_round_trips());
    RUN("strided, mirrored and planar views are written as such", test_views());
    RUN("compression options give the same samples in fewer bytes", test_compression());
    RUN("runs of every length are packed and unpacked", test_runs());
    RUN("files have the bytes that are promised", test_bytes());
    RUN("files of other programs have known samples", test_samples());
    RUN("checksums in shares and of two files are those of the whole", test_sums());
    RUN("npy headers that are wrong are refused with the reason", test_npy_refused());
    RUN("PNGs of every kind are expanded", test_png_kinds());
    RUN("formats are found by suffix", test_lookup());
    RUN("on a full disk the old file stays", test_disk_full());
    scratch_leave();
    return TEST_END();
}
