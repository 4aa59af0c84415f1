/* FITS: every type, axes, units of a file, cards, and damaged headers. usage: test_fits [long] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"
#include "formats/files.h"
#include "tests/formats/files.h"
#include "tests/formats/fits_make.h"
#include "tests/formats/read.h"
#include "tests/test.h"

static int read_file(const unsigned char *data, size_t n, struct gf_image *image) {
    struct gf_source *source;
    *image = (struct gf_image){0};
    int rc = gf_source_open_memory(data, n, &source);
    if (!rc)
        rc = read_format(&gf_format_fits, source, &modest, image);
    gf_source_close(source);
    return rc;
}

/* ---- types ---- */

#define PICTURE "SIMPLE  =                    T|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2|"

/* Four stored samples, what they become, and what a picture that was made from it stores. */
static const struct {
    const char *cards, *bytes;
    int size;
    enum gf_dtype dtype;
    double want[4];
} types[] = {
    {"BITPIX  = 8", "\0\1\x80\xff", 1, GF_U8, {0, 1, 128, 255}},
    {"BITPIX  = 8|BZERO   = -128.0", "\0\1\x80\xff", 1, GF_I8, {-128, -127, 0, 127}},
    {"BITPIX  = 16", "\0\1\x80\0\xff\xff\1\0", 2, GF_I16, {1, -32768, -1, 256}},
    {"BITPIX  = 16|BZERO   = 3.2768E4 / unsigned",
     "\0\1\x80\0\xff\xff\x7f\xff",
     2,
     GF_U16,
     {32769, 0, 32767, 65535}},
    {"BITPIX  = 32",
     "\0\0\0\1\x80\0\0\0\xff\xff\xff\xfe\0\1\0\0",
     4,
     GF_I32,
     {1, -2147483648.0, -2, 65536}},
    {"BITPIX  = 32|BZERO   = 2147483648|BSCALE  = 1.",
     "\x80\0\0\0\x7f\xff\xff\xff\0\0\0\0\0\0\0\1",
     4,
     GF_U32,
     {0, 4294967295.0, 2147483648.0, 2147483649.0}},
    {"BITPIX  = 64",
     "\0\0\0\0\0\0\0\1\xff\xff\xff\xff\xff\xff\xff\xff\0\x1f\xff\xff\xff\xff\xff\xff\0\0\0\1\0\0\0",
     8,
     GF_F64,
     {1, -1, 9007199254740991.0, 4294967296.0}},
    {"BITPIX  = 64|BZERO   = 9223372036854775808",
     "\x80\0\0\0\0\0\0\1\x80\0\0\0\0\0\0\0\x80\0\0\0\0\0\1\0\x80\0\0\1\0\0\0",
     8,
     GF_F64,
     {1, 0, 256, 4294967296.0}},
    {"BITPIX  = -32", "\x3f\x80\0\0\xc0\0\0\0\x7f\xc0\0\0\0\0\0", 4, GF_F32, {1, -2, NAN, 0}},
    {"BITPIX  = -64",
     "\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0\x7f\xf8\0\0\0\0\0\0\0\0\0\0\0\0\0",
     8,
     GF_F64,
     {1, -2, NAN, 0}},
    {"BITPIX  = 8|BLANK   = 128", "\0\1\x80\xff", 1, GF_F32, {0, 1, NAN, 255}},
    {"BITPIX  = 8|BLANK   = 300", "\0\1\x80\xff", 1, GF_U8, {0, 1, 128, 255}},
    {"BITPIX  = 16|BSCALE  = 0.25|BZERO   = 1.0D1",
     "\0\4\xff\xfc\0\0\0\1",
     2,
     GF_F32,
     {11, 9, 10, 10.25}},
    {"BITPIX  = 16|BZERO   = 32768|BLANK   = -32768",
     "\0\1\x80\0\xff\xff\x7f\xff",
     2,
     GF_F32,
     {32769, NAN, 32767, 65535}},
    {"BITPIX  = 32|BSCALE  = -2|BLANK   = 7",
     "\0\0\0\7\0\0\0\1\0\0\0\0\xff\xff\xff\xff",
     4,
     GF_F64,
     {NAN, -2, 0, 2}},
    {"BITPIX  = 32|BLANK   = 7",
     "\0\0\0\7\1\0\0\1\0\0\0\0\xff\xff\xff\xff",
     4,
     GF_F64,
     {NAN, 16777217, 0, -1}},
    {"BITPIX  = 64|BLANK   = -9223372036854775808",
     "\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\xff\xff\xff\xff\xff\xff\xff\xff",
     8,
     GF_F64,
     {NAN, 0, 2, -1}},
    {"BITPIX  = 64|BZERO   = 9.223372036854775808E18|BLANK   = -9223372036854775807",
     "\x80\0\0\0\0\0\0\1\x80\0\0\0\0\0\0\0\x80\0\0\0\0\0\1\0\x80\0\0\1\0\0\0",
     8,
     GF_F64,
     {NAN, 0, 256, 4294967296.0}},
    {"BITPIX  = -32|BSCALE  = 2",
     "\x3f\x80\0\0\xc0\0\0\0\x7f\xc0\0\0\0\0\0",
     4,
     GF_F32,
     {2, -4, NAN, 0}},
    {"BITPIX  = -64|BZERO   = 1.5",
     "\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0\x7f\xf8\0\0\0\0\0\0\0\0\0\0\0\0\0",
     8,
     GF_F64,
     {2.5, -0.5, NAN, 1.5}},
};

static void test_types(void) {
    char cards[400];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const size_t n = 4 * (size_t)types[i].size;
        struct gf_image image;
        snprintf(cards, sizeof cards, PICTURE "%s|OBJECT  = 'M 13'", types[i].cards);
        start(cards, types[i].bytes, n);
        CHECK_MSG(read_file(file, size, &image) == GF_OK, "%s: %s", cards, gf_message());
        CHECK_MSG(image.px.dtype == types[i].dtype, "%s: %s", cards, gf_dtype_name(image.px.dtype));
        CHECK_EQ(image.depth, 8 * types[i].size);
        for (int k = 0; k < 4 && image.px.data; k++) {
            const char *at = (char *)image.px.data + (size_t)k * gf_dtype_size(image.px.dtype);
            const double v = gf_sample_get(at, image.px.dtype), want = types[i].want[k];
            CHECK_MSG(isnan(want) ? isnan(v) : v >= want && v <= want, "%s: %d is %.17g", cards, k,
                      v);
        }
        /* The same numbers are stored again. */
        size_t all;
        image.restores = true;
        CHECK_EQ(gf_image_write("back.fits", &gf_format_fits, &image, &usual, true), GF_OK);
        unsigned char *back = file_get("back.fits", &all);
        CHECK_MSG(all == 2 * BLOCK && !memcmp(back + BLOCK, file + BLOCK, BLOCK), "%s: other bytes",
                  cards);
        struct gf_image again;
        CHECK_MSG(read_file(back, all, &again) == GF_OK, "%s: %s", cards, gf_message());
        CHECK_EQ(again.px.dtype, image.px.dtype);
        CHECK_EQ(again.depth, image.depth);
        CHECK(strstr((char *)again.metadata.header, "OBJECT  = 'M 13'"));
        gf_image_free(&again);
        gf_image_free(&image);
        free(back);
    }
}

/* ---- axes ---- */

static const struct {
    const char *cards, *want;
    bool named;
} axes[] = {
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 2", "y 2, x 3", false},
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 1", "y 1, x 3", false},
    {"NAXIS   = 1|NAXIS1  = 5|CDELT1  = 2|CUNIT1  = 'Mm'", "x 5 by 2 Mm", false},
    {"NAXIS   = 1|NAXIS1  = 5|CDELT1  = 2|CUNIT1  = 'Angstrom'", "x 5 by 2 A", false},
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 2|CTYPE1  = 'RA---TAN'|CTYPE2  =  'DEC--TAN'|"
     "CDELT1  = -0.001|CDELT2  = 1.0D-3",
     "y 2 by 3.6 arcsec, x 3 by 3.6 arcsec", false},
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 2|CTYPE1  = 'RA'|CTYPE2  = 'HPLT-TAN'|CDELT1  = 0.1|"
     "CDELT2  = 0.5|CUNIT2  =   'arcsec  '/ a comment",
     "y 2 by 0.5 arcsec, x 3 by 360 arcsec", false},
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 2|CD1_1   = 3E-4|CD2_1   = 4E-4|CD2_2   = 1E-3|"
     "CUNIT1  = 'deg'|CUNIT2  = 'degree'|CDELT1  = 7",
     "y 2 by 3.6 arcsec, x 3 by 1.8 arcsec", false},
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 2|PC1_1   = -3E-4|PC2_1   = 4E-4|PC2_2   = 1E-3|"
     "CUNIT1  = 'deg'|CUNIT2  = 'deg'|CDELT1  = 1.0|CDELT2  = 1.0",
     "y 2 by 3.6 arcsec, x 3 by 1.8 arcsec", false},
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 2|PC1_2   = 1|PC2_2   = 0|PC2_1   = -1|PC1_1   = 0|"
     "CUNIT1  = 'arcsec'|CUNIT2  = 'arcsec'|CDELT1  = 2|CDELT2  = 5",
     "y 2 by 2 arcsec, x 3 by 5 arcsec", false},
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 2|PC1_1   = 0.5|PC2_2   = 0.25|CUNIT1  = 'mm'|"
     "CUNIT2  = 'mm'",
     "y 2 by 0.25 mm, x 3 by 0.5 mm", false},
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 2|CD1_1   = '3E-4'|CD2_1   = 4E-4|CD2_2   = 1E-3|"
     "CUNIT1  = 'deg'|CUNIT2  = 'deg'|CDELT1  = 7",
     "y 2 by 3.6 arcsec, x 3", false},
    {"NAXIS   = 3|NAXIS1  = 3|NAXIS2  = 2|NAXIS3  = 4", "z 4, y 2, x 3", false},
    {"NAXIS   = 3|NAXIS1  = 3|NAXIS2  = 2|NAXIS3  = 4|CTYPE3  = 'VELO-LSR'|CDELT3  = 5|"
     "CUNIT3  = 'm/s'",
     "f 4 by 5 m/s, y 2, x 3", true},
    {"NAXIS   = 4|NAXIS1  = 3|NAXIS2  = 2|NAXIS3  = 4|NAXIS4  = 1|CTYPE4  = 'STOKES'|"
     "CTYPE3  = 'FREQ'",
     "f 4, y 2, x 3", true},
    {"NAXIS   = 4|NAXIS1  = 3|NAXIS2  = 2|NAXIS3  = 2|NAXIS4  = 2|CTYPE4  = 'STOKES'|"
     "CTYPE3  = 'TIME'|CDELT3  = 0.5|CUNIT3  = 's'",
     "c 2, t 2 by 0.5 s, y 2, x 3", true},
    {"NAXIS   = 4|NAXIS1  = 3|NAXIS2  = 2|NAXIS3  = 4|NAXIS4  = 2", "n 2, z 4, y 2, x 3", true},
    {"NAXIS   = 5|NAXIS1  = 3|NAXIS2  = 2|NAXIS3  = 1|NAXIS4  = 2|NAXIS5  = 2|CTYPE3  = 'FREQ'|"
     "CTYPE4  = 'FREQ'",
     "n 2, f4 2, f 1, y 2, x 3", true},
    {"NAXIS   = 4|NAXIS1  = 3|NAXIS2  = 2|NAXIS3  = 1|NAXIS4  = 2|CTYPE3  = 'PIXELS'|"
     "CTYPE4  = 'TIME'",
     "t 2, n 1, y 2, x 3", true},
    {"NAXIS   = 3|NAXIS1  = 3|NAXIS2  = 2|NAXIS3  = 4|CTYPE3  = 'LAMBDA'", "n 4, y 2, x 3", true},
    {"NAXIS   = 3|NAXIS1  = 3|NAXIS2  = 2|NAXIS3  = 4|CTYPE3  = 'LINEAR'", "z 4, y 2, x 3", false},
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 2|CDELT1  = 0.5|CUNIT1  = 'DEGREE'|CDELT2  = 4|"
     "CUNIT2  = 'ARCSEC'",
     "y 2 by 4 arcsec, x 3 by 1800 arcsec", false},
    {"NAXIS   = 2|NAXIS1  = 3|NAXIS2  = 2|CDELT1  = 1E400|CUNIT1  = 'mm'|CDELT2  = 0|"
     "CUNIT2  = 'mm'",
     "y 2, x 3", false},
    {"NAXIS   = 9|NAXIS1  = 3|NAXIS2  = 2|NAXIS3  = 1|NAXIS4  = 1|NAXIS5  = 1|NAXIS6  = 1|"
     "NAXIS7  = 1|NAXIS8  = 1|NAXIS9  = 1",
     "y 2, x 3", false},
};

static void test_axes(void) {
    static const unsigned char zeros[64];
    char cards[1000], is[400];
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        struct gf_image image;
        size_t n = 0;
        snprintf(cards, sizeof cards, "SIMPLE  = T|BITPIX  = 8|%s", axes[i].cards);
        start(cards, zeros, sizeof zeros);
        CHECK_MSG(read_file(file, size, &image) == GF_OK, "%s: %s", cards, gf_message());
        is[0] = 0;
        for (int k = 0; k < image.axes.n; k++) {
            const struct gf_axis *a = &image.axes.axis[k];
            n += (size_t)snprintf(is + n, sizeof is - n, "%s%s %lld", n ? ", " : "", a->name,
                                  (long long)a->extent);
            if (a->spacing > 0)
                n += (size_t)snprintf(is + n, sizeof is - n, " by %g %s", a->spacing, a->unit);
        }
        CHECK_MSG(!strcmp(is, axes[i].want), "'%s', not '%s'", is, axes[i].want);
        CHECK_MSG(image.axes.named == axes[i].named, "%s", is);
        CHECK(!image.note == !strstr(axes[i].cards, "LAMBDA"));
        gf_image_free(&image);
    }
}

/* ---- units of a file ---- */

/* The image that is read, by its first sample; its cards are those of its unit. */
static void test_units(void) {
    static const unsigned char table[3300];
    struct gf_image image;
    start("SIMPLE  = T|BITPIX  = 8|NAXIS   = 0|EXTEND  = T", "", 0);
    add_unit(TABLE, table, sizeof table);
    add_unit("XTENSION= 'IMAGE   '|" EXTENSION "|EXTNAME = 'SCI'", "\7\1\1\1", 4);
    add_unit("XTENSION= 'IMAGE   '|" EXTENSION "|EXTNAME = 'ERROR_OF_THE_FIRST_CHIP_OF_TWO'",
             "\3\1\1\1", 4);
    add_unit("XTENSION= 'IMAGE   '|" EXTENSION "|EXTVER  = 2|EXTNAME = 'SCI'", "\5\1\1\1", 4);
    static const char *const parts[] = {"2]",
                                        "4]",
                                        "sci]",
                                        "SCI,1]",
                                        "SCI,2]",
                                        "ERROR_OF_THE_FIRST_CHIP_OF_TWO,1]",
                                        "SCI,3]",
                                        "SCI,2x]",
                                        "SCI,]",
                                        "SC,1]",
                                        "ERROR_OF_THE_FIRST_CHIP]"};
    static const int firsts[] = {7, 5, 7, 7, 5, 3};
    file_put("parts.fits", file, size);
    for (int i = 0; i < 11; i++) {
        struct gf_read_options options = modest;
        char path[48];
        snprintf(path, sizeof path, "parts.fits[%s", parts[i]);
        const int rc = gf_image_read(path, &options, &image, NULL);
        CHECK_MSG(i < 6 ? !rc && *(unsigned char *)image.px.data == firsts[i] : rc < 0, "%s: %s",
                  path, gf_message());
        gf_image_free(&image);
    }
    CHECK_MSG(read_file(file, size, &image) == GF_OK, "%s", gf_message());
    CHECK_EQ(*(unsigned char *)image.px.data, 7);
    CHECK_EQ(image.metadata.header_bytes, (8 + 4) * CARD); /* and the primary unit's */
    CHECK_EQ(gf_image_write("one.fits", &gf_format_fits, &image, &usual, true), GF_OK);
    gf_image_free(&image);
    size_t n;
    char *text = (char *)file_get("one.fits", &n); /* a primary one now */
    CHECK(!strncmp(text, "SIMPLE  = ", 10) && !strstr(text, "XTENSION") &&
          !strstr(text, "PCOUNT") && strstr(text, "EXTNAME = 'SCI'"));
    free(text);
}

/* ---- what is refused ---- */

static const struct {
    const char *cards, *says;
} bad[] = {
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 0", "without an image"},
    {"SIMPLE  = T|BITPIX  = 8", "no NAXIS"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = -1", "no NAXIS"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 1000", "no NAXIS"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 2|NAXIS1  = 2", "no NAXIS2"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = -2", "no NAXIS2"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2.5", "no NAXIS2"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 99999999999999999999", "no NAXIS2"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = '2'", "no NAXIS2"},
    {"SIMPLE  = T|BITPIX  = 24|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2", "no BITPIX of"},
    {"SIMPLE  = T|BITPIX  = -9223372036854775808|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2", "63 bits"},
    {"SIMPLE  = T|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2", "no BITPIX of"},
    {"SIMPLE  = T|BITPIX  = 16|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2|BSCALE  = 0", "BSCALE is 0"},
    {"SIMPLE  = T|BITPIX  = 16|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2|BSCALE  = NaN",
     "BSCALE is not a finite number"},
    {"SIMPLE  = T|BITPIX  = -32|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2|BSCALE  = 1E999",
     "BSCALE is not a finite number"},
    {"SIMPLE  = T|BITPIX  = 16|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2|BZERO   = '32768'",
     "BZERO is not a finite number"},
    {"SIMPLE  = T|BITPIX  = 16|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2|BLANK   = many",
     "BLANK is not an integer"},
    {"SIMPLE  = T|BITPIX  = 16|NAXIS   = 2|NAXIS1  = 9|NAXIS2  = 1000", "its header promises"},
    {"SIMPLE  = T|BITPIX  = -64|NAXIS   = 2|NAXIS1  = 4294967296|NAXIS2  = 4294967296", ""},
    {"SIMPLE  = T|BITPIX  = -64|NAXIS   = 2|NAXIS1  = 100000000|NAXIS2  = 100000000",
     "its header promises"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 4|NAXIS1  = 2|NAXIS2  = 2|NAXIS3  = 9223372036854775807|"
     "NAXIS4  = 2",
     "63 bits"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 1|NAXIS1  = 0|PCOUNT  = 9223372036854775807", "63 bits"},
    {"SIMPLE  = T|BITPIX  = 64|NAXIS   = 1|NAXIS1  = 0|PCOUNT  = 10|GCOUNT  = -1", "63 bits"},
    {"SIMPLE  = F|BITPIX  = 9223372036854775807|NAXIS   = 1|NAXIS1  = 1", "63 bits"},
    {"SIMPLE  = T|BITPIX  = 64|NAXIS   = 2|NAXIS1  = 1|NAXIS2  = 1", "beyond 2^53"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 9|NAXIS1  = 1|NAXIS2  = 1|NAXIS3  = 1|NAXIS4  = 1|"
     "NAXIS5  = 1|NAXIS6  = 1|NAXIS7  = 1|NAXIS8  = 1|NAXIS9  = 2",
     "more than 8 axes"},
    {"SIMPLE  = T|BITPIX  = 8|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2|COMMENT \t", "no text"},
};

static void test_refused(void) {
    static const unsigned char data[64] = "\x7f\xff\xff\xff\xff\xff\xff\xff";
    struct gf_image image;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        start(bad[i].cards, data, sizeof data);
        if (!strcmp(bad[i].says, "without an image"))
            size = BLOCK;
        int rc = read_file(file, size, &image);
        CHECK_MSG(rc < 0 && message_is_good(gf_message()) && strstr(gf_message(), bad[i].says),
                  "%s: %d '%s'", bad[i].cards, rc, gf_message());
        gf_image_free(&image);
    }
    start("SIMPLE  = T|BITPIX  = 8|NAXIS   = 0", "", 0);
    add_unit(TABLE, data, 64);
    CHECK(read_file(file, size, &image) < 0 && message_is_good(gf_message()));
    start(PICTURE "BITPIX  = 8", "abcd", 4);
    memcpy(file + 5 * CARD, "NOEND   ", 8); /* and so on to the end of the file */
    CHECK(read_file(file, BLOCK, &image) < 0 && strstr(gf_message(), "ends within a header"));
}

/* ---- damage ---- */

/* Every sample is looked at, which a checker of uninitialised memory sees. */
static int look(const unsigned char *data, size_t n) {
    struct gf_image image;
    unsigned sum = 0;
    int rc = read_file(data, n, &image);
    const unsigned char *p = image.px.data;
    for (int64_t i = 0; !rc && i < gf_array_bytes(&image.px); i++)
        sum += p[i];
    gf_image_free(&image);
    CHECK_MSG(rc <= 0 && (!rc || message_is_good(gf_message())), "'%s', %u", gf_message(), sum);
    return rc;
}

static void test_damage(bool is_long) {
    static unsigned char changed[MOST];
    static const unsigned char data[4 * 8 * 9];
    uint32_t seed = 5;
    start("SIMPLE  = T|BITPIX  = 8|NAXIS   = 0", "", 0);
    add_unit(TABLE, file, 3300);
    add_unit("XTENSION= 'IMAGE   '|BITPIX  = 32|NAXIS   = 2|NAXIS1  = 8|NAXIS2  = 9|PCOUNT  = 0|"
             "GCOUNT  = 1|BSCALE  = 0.5|BZERO   = 3|BLANK   = -7|CTYPE1  = 'RA---TAN'|"
             "CDELT1  = 0.1|CD2_2   = 3|CUNIT2  = 'deg'|EXTNAME = 'SCI'",
             data, sizeof data);
    const size_t samples = size - BLOCK;
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *tight = malloc(cut + 1); /* for a checker to see what is read behind it */
        memcpy(tight, file, cut);
        const int rc = look(tight, cut);
        CHECK_MSG((rc == GF_OK) == (cut >= samples + sizeof data), "cut at %zu: %d", cut, rc);
        free(tight);
    }
    for (int i = 0; i < (is_long ? 5000 : 200); i++) {
        memcpy(changed, file, size);
        for (uint32_t k = random_next(&seed) % 3; k < 3; k++) {
            const size_t at = random_next(&seed) % size;
            changed[at] ^= (unsigned char)(1 << random_next(&seed) % 8);
        }
        look(changed, size);
    }
    for (int i = 0; i < (is_long ? 5000 : 200); i++) { /* numbers of the cards */
        memcpy(changed, file, size);
        const size_t card = random_next(&seed) % 14;
        snprintf((char *)changed + samples - BLOCK + card * CARD + 10, 40, "%.*g",
                 (int)(random_next(&seed) % 20),
                 ldexp((double)random_next(&seed) - 0x1p31, (int)(random_next(&seed) % 80) - 31));
        look(changed, size);
    }
}

/* ---- writing ---- */

static bool says(const char *text, size_t n, const char *card) {
    for (size_t at = 0; at + CARD <= n && at < BLOCK; at += CARD)
        if (!strncmp(text + at, card, strlen(card)))
            return true;
    return false;
}

static void test_written(void) {
    static const enum gf_dtype held[] = {GF_U8,  GF_I8,  GF_U16, GF_I16,
                                         GF_U32, GF_I32, GF_F32, GF_F64};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        for (int depth = 0; depth < 4; depth += 3) {
            struct gf_image image = image_make(held[i], depth, 9, 11, 1, 3), back;
            gf_axes_start(&image.axes, 9, 11);
            if (depth)
                gf_axes_add(&image.axes, "z", depth, 0.1, "um");
            image.axes.axis[depth > 0].spacing = 7.2; /* y */
            strcpy(image.axes.axis[depth > 0].unit, "arcsec");
            image.axes.axis[image.axes.n - 1].spacing = 2;
            strcpy(image.axes.axis[image.axes.n - 1].unit, "'");
            CHECK_EQ(gf_image_write("w.fits", &gf_format_fits, &image, &usual, true), GF_OK);
            size_t n;
            char *text = (char *)file_get("w.fits", &n);
            CHECK_EQ(n % BLOCK, 0);
            CHECK(says(text, n, "CDELT2  =                0.002 ") &&
                  says(text, n, "CUNIT2  = 'deg     '"));
            CHECK(says(text, n, "CDELT1  =                    2 ") && !says(text, n, "CUNIT1"));
            CHECK(!depth || (says(text, n, "CDELT3  =                  0.1 ") &&
                             says(text, n, "CUNIT3  = 'um      '")));
            CHECK_MSG(gf_image_read("w.fits", &modest, &back, NULL) == GF_OK, "%s", gf_message());
            CHECK(image_same(&image, &back));
            gf_image_free(&back);
            free(text);
            gf_image_free(&image);
        }
    struct gf_image image = image_make(GF_U8, 0, 2, 2, 1, 3), back;
    gf_axes_start(&image.axes, 2, 2); /* in as many digits as it takes */
    image.axes.axis[0].spacing = 0.1 + 0.2;
    image.axes.axis[1].spacing = 1e-300 / 3;
    strcpy(image.axes.axis[0].unit, "A");
    strcpy(image.axes.axis[1].unit, "mm");
    CHECK_EQ(gf_image_write("w.fits", &gf_format_fits, &image, &usual, true), GF_OK);
    CHECK_EQ(gf_image_read("w.fits", &modest, &back, NULL), GF_OK);
    CHECK(!memcmp(image.axes.axis, back.axes.axis, 2 * sizeof *back.axes.axis));
    gf_image_free(&back);
    gf_image_free(&image);
    size_t size;
    char *text = (char *)file_get("w.fits", &size);
    CHECK(says(text, size, "CUNIT2  = 'Angstrom'"));
    free(text);
    image = image_make(GF_C64, 0, 9, 11, 1, 3);
    CHECK_EQ(gf_image_write("c.fits", &gf_format_fits, &image, &usual, true), GF_EINVAL);
    gf_image_free(&image);
}

/* Rows in any order give the same file, also if the last ones are never written. */
static void test_boxes(void) {
    struct gf_image image = image_make(GF_U16, 0, 90, 110, 1, 3), empty = image;
    for (int last = 0; last < 2; last++) {
        struct gf_volume *v;
        if (last)
            memset((char *)image.px.data + 89 * 220, 0, 220);
        CHECK_EQ(gf_image_write("a.fits", &gf_format_fits, &image, &usual, true), GF_OK);
        empty.px.data = NULL;
        CHECK_EQ(gf_volume_create("b.fits", &gf_format_fits, &empty, &usual, true, &v), GF_OK);
        for (int64_t y = 89 - last; y >= 0; y--)
            gf_volume_write(v, &(struct gf_volume_box){.y = y, .height = 1, .width = 110},
                            (char *)image.px.data + y * 220, 220);
        if (last) /* which stores a sample of 0 as -32768 */
            gf_volume_write(v, &(struct gf_volume_box){.y = 89, .height = 1, .width = 110},
                            (char *)image.px.data + (size_t)89 * 220, 220);
        CHECK_EQ(gf_volume_commit(v), GF_OK);
        size_t n;
        unsigned char *a = file_get("a.fits", &n);
        CHECK(file_is("b.fits", a, n));
        free(a);
    }
    gf_image_free(&image);
}

int main(int argc, char **argv) {
    const bool is_long = argc > 1 && !strcmp(argv[1], "long");
    scratch_enter();
    RUN("every type is read in both directions of scaling", test_types());
    RUN("axes have their names, spacings and units", test_axes());
    RUN("the first image among a file's units is read", test_units());
    RUN("headers that lie are refused with the reason", test_refused());
    RUN("cut and changed files are refused or read", test_damage(is_long));
    RUN("what is written reads back", test_written());
    RUN("rows in any order give the same file", test_boxes());
    scratch_leave();
    return TEST_END();
}
