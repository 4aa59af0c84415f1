/* TIFFs of GDAL and of radar: strips and tiles that are not stored, numbers for no data, complex
 * integers; and camera raws. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static const struct gf_read_options any = {0};

/* A little-endian TIFF of 4x4 samples of `bits` bits in tiles of 16 bytes or, if `tile` is 0, in a
 * strip a row, the first of which is stored. `text`: GDAL_NODATA. */
static struct gf_image read_sparse(uint16_t bits, uint16_t format, uint16_t photometric, bool tile,
                                   const char *text, const void *row, bool missing, int *rc) {
    unsigned char file[512] = "II*\0\200";
    struct gf_image image = {0};
    const uint32_t bytes = tile ? 16u * 16 * bits / 8 : bits / 2u, blocks = tile ? 1 : 4;
    const uint32_t tags[][4] = {
        {256, 4, 1, 4},
        {257, 4, 1, 4},
        {258, 3, 1, bits},
        {262, 3, 1, photometric},
        {tile ? 322 : 273, 4, tile ? 1 : 4, tile ? 16 : 400},
        {tile ? 323 : 278, 4, 1, tile ? 16 : 1},
        {tile ? 324 : 279, 4, blocks, tile ? 0 : 416},
        {tile ? 325 : 339, tile ? 4 : 3, 1, tile ? 0 : format},
        {tile ? 339 : 42113, tile ? 3 : 2, tile ? 1 : 8, tile ? format : 432},
        {42113, 2, 8, 432}};
    const int n = (text ? 9 : 8) + tile;
    const uint32_t at[4] = {440}, stored[4] = {missing ? 0 : bytes, missing ? 9 : 0};
    file[128] = (unsigned char)n;
    for (int i = 0; i < n; i++) {
        unsigned char *p = file + 130 + 12 * i;
        memcpy(p, (uint16_t[]){(uint16_t)tags[i][0], (uint16_t)tags[i][1]}, 4);
        memcpy(p + 4, &tags[i][2], 8);
    }
    memcpy(file + 400, at, 16);
    memcpy(file + 416, stored, 16);
    snprintf((char *)file + 432, 8, "%s", text ? text : "");
    memcpy(file + 440, row, bits / 2);
    file_put("s.tif", file, sizeof file);
    *rc = gf_image_read("s.tif", &any, &image, NULL);
    return image;
}

/* Strips and tiles that are not stored are GDAL_NODATA, or 0; samples of that number are NaN. */
static void test_sparse(void) {
    static const unsigned char bytes[4] = {7, 0, 255, 8};
    static const float floats[4] = {-9999, 1, 2.5f, -3.4028235e38f};
    static const uint16_t halves[4] = {0x3c00, 0xc000, 0, 0x3800};
    static const int16_t shorts[4] = {-32768, 1, -1, 32767};
    int rc;
    struct gf_image image = read_sparse(8, 1, 1, false, NULL, bytes, false, &rc);
    CHECK_EQ(rc, GF_OK);
    CHECK(image.px.dtype == GF_U8 && !memcmp(image.px.data, bytes, 4) &&
          !memcmp((char *)image.px.data + 4, "\0\0\0\0\0\0\0\0\0\0\0", 12));
    gf_image_free(&image);
    image = read_sparse(8, 1, 1, true, NULL, bytes, false, &rc);
    CHECK(rc == GF_OK && image.px.dtype == GF_U8 && !((unsigned char *)image.px.data)[5]);
    gf_image_free(&image);
    image = read_sparse(8, 1, 0, false, "7", bytes, false, &rc); /* MinIsWhite */
    const float *f = image.px.data;
    CHECK_EQ(rc, GF_OK);
    CHECK(image.px.dtype == GF_F32 && image.white > 254 && isnan(f[0]) && f[1] == 255 &&
          f[2] == 0 && f[3] == 247 && isnan(f[4]) && isnan(f[15]));
    gf_image_free(&image);
    image = read_sparse(8, 1, 1, false, "-9999", bytes, false, &rc); /* no sample can have it */
    CHECK(rc == GF_OK && image.px.dtype == GF_U8);
    gf_image_free(&image);
    static const char *const texts[] = {"7.5", "256", "-1", "7e20", "nan", "seven", "255", " 7\n"};
    for (int i = 0; i < 8; i++) {
        image = read_sparse(8, 1, 1, false, texts[i], bytes, false, &rc);
        f = image.px.data;
        CHECK_EQ(rc, GF_OK);
        CHECK_MSG(image.px.dtype == (i < 6 ? GF_U8 : GF_F32), "%s", texts[i]);
        CHECK_MSG(i < 6 || (isnan(f[i == 6 ? 2 : 0]) && f[3] == 8), "%s", texts[i]);
        gf_image_free(&image);
    }
    image = read_sparse(32, 3, 1, false, "-9999", floats, false, &rc);
    f = image.px.data;
    CHECK(rc == GF_OK && isnan(f[0]) && f[1] == 1 && f[2] == 2.5f && isnan(f[7]));
    gf_image_free(&image);
    image = read_sparse(32, 3, 0, false, NULL, floats, false, &rc);
    f = image.px.data;
    CHECK(rc == GF_OK && f[0] == 10000 && f[1] == 0 && f[2] == -1.5f && f[4] == 1);
    gf_image_free(&image);
    image = read_sparse(16, 2, 1, false, "-32768", shorts, false, &rc);
    f = image.px.data;
    CHECK(rc == GF_OK && image.px.dtype == GF_F32 && isnan(f[0]) && f[1] == 1 && f[3] == 32767);
    gf_image_free(&image);
    image = read_sparse(16, 3, 1, false, "-2", halves, false, &rc);
    f = image.px.data;
    CHECK(rc == GF_OK && image.px.dtype == GF_F32 && f[0] == 1 && isnan(f[1]) && f[3] == 0.5f);
    gf_image_free(&image);
    read_sparse(8, 1, 1, false, NULL, bytes, true, &rc); /* at byte 0, but not empty */
    CHECK(rc == GF_EFORMAT && strstr(gf_message(), "byte 0"));
}

/* Interpretations of the samples that are not read. */
static void test_refused(void) {
    static const unsigned char row[4] = {0};
    unsigned char samples[12] = {0};
    int rc;
    struct gf_image image;
    TIFF *tif = TIFFOpen("y.tif", "w");
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 2);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 2);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, 3);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR);
    TIFFSetField(tif, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
    TIFFWriteRawStrip(tif, 0, samples, 12);
    TIFFClose(tif);
    CHECK_EQ(gf_image_read("y.tif", &any, &image, NULL), GF_EUNSUPP);
    CHECK_HAS(gf_message(), "YCbCr without JPEG");
    read_sparse(8, 1, PHOTOMETRIC_LOGL, false, NULL, row, false, &rc);
    CHECK_EQ(rc, GF_EUNSUPP);
    CHECK_HAS(gf_message(), "LogLuv");
    read_sparse(8, 1, PHOTOMETRIC_LOGLUV, false, NULL, row, false, &rc);
    CHECK_EQ(rc, GF_EUNSUPP);
    read_sparse(8, 1, PHOTOMETRIC_RGB, false, NULL, row, false, &rc);
    CHECK_EQ(rc, GF_EFORMAT);
    CHECK_HAS(gf_message(), "RGB with 1 samples");
    read_sparse(8, 5, PHOTOMETRIC_MINISBLACK, false, NULL, row, false, &rc);
    CHECK_EQ(rc, GF_EUNSUPP);
    CHECK_HAS(gf_message(), "complex integers of 8 bits");
}

/* Two numbers a sample, of both byte orders. */
static void test_complex_integers(void) {
    for (int i = 0; i < 6; i++) {
        const uint16_t bits = (uint16_t)(16 << i / 2);
        TIFF *tif = TIFFOpen("c.tif", i % 2 ? "wb" : "wl");
        unsigned char row[16] = {0};
        struct gf_image image;
        TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 1);
        TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
        TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, bits);
        TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_COMPLEXINT);
        TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, 1);
        for (int k = 0; k < 2; k++) /* 3 and -2 */
            for (int b = 0; b < bits / 16; b++)
                row[k * bits / 16 + b] = k ? 0xff : 0;
        row[i % 2 ? bits / 16 - 1 : 0] = 3;
        row[i % 2 ? bits / 8 - 1 : bits / 16] = 0xfe;
        TIFFWriteRawStrip(tif, 0, row, bits / 8);
        TIFFClose(tif);
        CHECK_EQ(gf_image_read("c.tif", &any, &image, NULL), GF_OK);
        CHECK_EQ(image.px.dtype, bits == 64 ? GF_C128 : GF_C64);
        const float *f = image.px.data;
        const double *d = image.px.data;
        CHECK_MSG(bits == 64 ? d[0] == 3 && d[1] == -2 : f[0] == 3 && f[1] == -2, "%d", i);
        gf_image_free(&image);
    }
}

/* A page of one sample, with what says that it is a camera's raw picture. */
static void put_raw(int kind) {
    static const unsigned char version[4] = {1, 4, 0, 0};
    static const uint64_t none = 0;
    unsigned char file[128] = "II*\0\020\0\0\0CR\2\0\0\0\0\0\7";
    const uint16_t tags[7][2] = {{256, 1}, {257, 1}, {258, 8}, {262, 1},
                                 {273, 0}, {278, 1}, {279, 1}};
    for (int i = 0; i < 7; i++)
        memcpy(file + 18 + 12 * i, (uint16_t[]){tags[i][0], 3, 1, 0, tags[i][1], 0}, 12);
    file[18 + 12 * 4 + 8] = 110;
    TIFF *tif = TIFFOpen("r.tif", "wl");
    for (int page = 0; page < 1 + (kind > 1); page++) {
        TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 1);
        TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
        TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tif, TIFFTAG_PHOTOMETRIC,
                     page && kind == 2 ? PHOTOMETRIC_CFA : PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, 1);
        if (kind == 1)
            TIFFSetField(tif, TIFFTAG_DNGVERSION, version);
        if (kind > 1 && !page)
            TIFFSetField(tif, TIFFTAG_SUBIFD, 1, &none);
        TIFFWriteRawStrip(tif, 0, file, 1);
        TIFFWriteDirectory(tif);
    }
    TIFFClose(tif);
    if (kind == 0)
        file_put("r.tif", file, sizeof file);
}

/* Camera raws are refused by name; SubIFDs of other pages, such as a pyramid's, are no raws. */
static void test_raws(void) {
    static const char *const names[] = {"CR2", "DNG", "NEF"};
    for (int kind = 0; kind < 4; kind++) {
        struct gf_image image = {0};
        put_raw(kind);
        int rc = gf_image_read("r.tif", &any, &image, NULL);
        if (kind < 3)
            CHECK_MSG(rc == GF_EUNSUPP && strstr(gf_message(), names[kind]), "%d: %s", kind,
                      gf_message());
        else
            CHECK_EQ(rc, GF_OK);
        gf_image_free(&image);
    }
}

/* Writes a 2x1 picture with two EXIF tags. */
static void put_exif(const char *mode) {
    uint64_t at = 0;
    TIFF *tif = TIFFOpen("e.tif", mode);
    CHECK(tif);
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 2);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tif, TIFFTAG_EXIFIFD, at);
    TIFFSetField(tif, TIFFTAG_STONITS, 1.0);
    CHECK(TIFFWriteRawStrip(tif, 0, (char[]){1, 2}, 2) == 2 && TIFFWriteDirectory(tif));
    TIFFCreateEXIFDirectory(tif);
    TIFFSetField(tif, EXIFTAG_EXPOSURETIME, 0.125);
    TIFFSetField(tif, EXIFTAG_USERCOMMENT, 11, "ASCII\0\0\0odd");
    CHECK(TIFFWriteCustomDirectory(tif, &at) && TIFFSetDirectory(tif, 0));
    TIFFSetField(tif, TIFFTAG_EXIFIFD, at);
    CHECK(TIFFRewriteDirectory(tif));
    TIFFClose(tif);
}

static void test_exif(const char *mode, bool ome) {
    const struct gf_write_options options = {.level = -1, .ome = ome};
    struct gf_image image;
    uint64_t at = 0;
    float time = 0;
    uint32_t n = 0;
    void *comment = NULL;
    char names[GF_HEADER_NAMES] = "";
    put_exif(mode);
    CHECK_EQ(gf_image_read("e.tif", &any, &image, NULL), GF_OK);
    CHECK(image.metadata.lost[0] == TIFFTAG_STONITS && !image.metadata.lost[1]);
    gf_format_tiff.name_header(&image.metadata, names);
    CHECK(!strcmp(names, "EXIF"));
    CHECK_EQ(gf_image_write("o.tif", &gf_format_tiff, &image, &options, true), GF_OK);
    image.record = strdup("{}");
    image.texts = true; /* as of a spectrum */
    CHECK_EQ(gf_image_write("s.tif", &gf_format_tiff, &image, &options, true), GF_OK);
    gf_image_free(&image);
    TIFF *tif = TIFFOpen("o.tif", "r");
    CHECK(tif && TIFFGetField(tif, TIFFTAG_EXIFIFD, &at) && at % 2 == 0);
    CHECK(TIFFReadEXIFDirectory(tif, at) && TIFFGetField(tif, EXIFTAG_EXPOSURETIME, &time));
    CHECK(TIFFGetField(tif, EXIFTAG_USERCOMMENT, &n, &comment));
    CHECK(time > 0.12f && time < 0.13f && n == 11 && !memcmp(comment, "ASCII\0\0\0odd", 11));
    TIFFClose(tif);
    tif = TIFFOpen("s.tif", "r");
    CHECK(tif && !TIFFGetField(tif, TIFFTAG_EXIFIFD, &at));
    TIFFClose(tif);
}

/* The orientation of pages goes from TIFF to TIFF, and its odd numbers do not. */
static void test_orientation(void) {
    static const struct gf_write_options usual = {.level = -1};
    for (unsigned o = 0; o < 10; o++) {
        struct gf_image image;
        char names[GF_HEADER_NAMES] = "";
        uint16_t found = 0;
        TIFF *tif = TIFFOpen("t.tif", o % 2 ? "wb" : "wl");
        for (int page = 0; page < 2; page++) {
            TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 2);
            TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
            TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
            TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
            if (o >= 1 && o <= 8)
                TIFFSetField(tif, TIFFTAG_ORIENTATION, (int)o);
            TIFFWriteScanline(tif, "ab", 0, 0);
            TIFFWriteDirectory(tif);
        }
        TIFFClose(tif);
        CHECK(!gf_image_read("t.tif", &any, &image, NULL));
        if (image.metadata.header)
            gf_format_tiff.name_header(&image.metadata, names);
        CHECK(!strcmp(names, o >= 2 && o <= 8 ? "orientation" : ""));
        CHECK(!gf_image_write("o.tif", &gf_format_tiff, &image, &usual, true));
        gf_image_free(&image);
        tif = TIFFOpen("o.tif", "r");
        for (int page = 0; page < 2; page++) {
            CHECK(TIFFSetDirectory(tif, (tdir_t)page) &&
                  TIFFGetField(tif, TIFFTAG_ORIENTATION, &found));
            CHECK_EQ(found, o >= 1 && o <= 8 ? o : 1);
        }
        TIFFClose(tif);
    }
}

int main(void) {
    scratch_enter();
    RUN("strips and tiles that are not stored are nodata, or 0", test_sparse());
    RUN("samples of unknown meaning are refused", test_refused());
    RUN("complex integers are read in both byte orders", test_complex_integers());
    RUN("camera raws are refused by name", test_raws());
    RUN("an orientation goes from TIFF to TIFF", test_orientation());
    RUN("EXIF goes from TIFF to TIFF", test_exif("wl", false), test_exif("wb8", true));
    scratch_leave();
    return TEST_END();
}
