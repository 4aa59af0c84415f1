/* TIFF at its limits: last strips, and compression as strong as it gets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "tests/formats/files.h"
#include "tests/test.h"

/* A strip has the rows that the page has left, and no more. */
static void test_last_strip(void) {
    struct gf_image image = image_make(GF_U8, 0, 2200, 2000, 1, 1);
    struct gf_write_options w = {.level = -1};
    uint32_t rows = 0;
    CHECK_EQ(gf_image_write("w.tif", &gf_format_tiff, &image, &w, true), GF_OK);
    gf_image_free(&image);
    TIFF *tif = TIFFOpen("w.tif", "r");
    CHECK_EQ(TIFFNumberOfStrips(tif), 2);
    CHECK(TIFFGetField(tif, TIFFTAG_ROWSPERSTRIP, &rows) && rows > 1100 && rows < 2200);
    CHECK_EQ(TIFFGetStrileByteCount(tif, 0), 2000 * (uint64_t)rows);
    CHECK_EQ(TIFFGetStrileByteCount(tif, 1), 2000 * (2200 - (uint64_t)rows));
    TIFFClose(tif);
}

/* A page of zeros is as small as its compression makes it, and twice the rows do not fit in that. */
static void test_ratios(void) {
    static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_PACKBITS,
                                            COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE};
    enum { EDGE = 2048 };
    void *zeros = calloc(EDGE, EDGE);
    for (size_t i = 0; i < 2 * sizeof compressions / sizeof *compressions; i++) {
        const int height = EDGE << i % 2;
        struct gf_read_options head = {.header_only = true};
        struct gf_image image;
        TIFF *tif = TIFFOpen("w.tif", "w");
        TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, EDGE);
        TIFFSetField(tif, TIFFTAG_IMAGELENGTH, height);
        TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tif, TIFFTAG_COMPRESSION, compressions[i / 2]);
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, height);
        TIFFWriteEncodedStrip(tif, 0, zeros, EDGE * EDGE);
        TIFFClose(tif);
        const int rc = gf_image_read("w.tif", &head, &image, NULL);
        CHECK_MSG(i % 2 ? rc == GF_EFORMAT && strstr(gf_message(), "cannot hold") : !rc, "%d: %s",
                  (int)compressions[i / 2], rc ? gf_message() : "read");
    }
    free(zeros);
}

/* Writes and reads an image, and frees it. */
static struct gf_image through(struct gf_image *image, bool ome) {
    const struct gf_write_options w = {.level = -1, .ome = ome};
    struct gf_image back;
    CHECK_MSG(!gf_image_write("w.tif", &gf_format_tiff, image, &w, true), "%s", gf_message());
    CHECK_MSG(!gf_image_read("w.tif", &(struct gf_read_options){0}, &back, NULL), "%s",
              gf_message());
    gf_image_free(image);
    return back;
}

/* Alpha is the last of several extra samples, and a colour's profile suits a picture that has it. */
static void test_extra(void) {
    struct gf_image image = image_make(GF_U8, 0, 3, 4, 5, 1);
    image.color = GF_RGB;
    image.alpha = true;
    image = through(&image, false);
    CHECK(image.alpha && image.color == GF_OTHER_COLOR && image.px.shape[2] == 5);
    gf_image_free(&image);
    image = image_make(GF_U8, 0, 3, 4, 4, 1);
    image.color = GF_RGB;
    image.alpha = true;
    image.metadata.profile_bytes = 200;
    image.metadata.profile = calloc(1, 200);
    image.metadata.profile[3] = 200;
    memcpy(image.metadata.profile + 16, "RGB ", 4);
    memcpy(image.metadata.profile + 36, "acsp", 4);
    image = through(&image, false);
    CHECK(image.alpha && image.color == GF_RGB && image.metadata.profile_bytes == 200);
    gf_image_free(&image);
}

/* Three channels, of which the last is alpha in the first `with` of three pages. */
static void test_mixed(int with) {
    static const uint16_t alpha[2] = {0, EXTRASAMPLE_UNASSALPHA}, none[2] = {0, 0};
    unsigned char samples[3] = {1, 2, 3};
    struct gf_image image;
    TIFF *tif = TIFFOpen("w.tif", "w");
    for (int i = 0; i < 3; i++) {
        TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 1);
        TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
        TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, 3);
        TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, 2, i < with ? alpha : none);
        TIFFWriteRawStrip(tif, 0, samples, 3);
        TIFFWriteDirectory(tif);
    }
    TIFFClose(tif);
    const int rc = gf_image_read("w.tif", &(struct gf_read_options){0}, &image, NULL);
    CHECK_EQ(rc, with % 3 ? GF_EINVAL : GF_OK);
    if (rc)
        CHECK_HAS(gf_message(), with == 1 ? "page 2 is" : "page 3 is");
    CHECK(rc || (image.px.shape[0] == 3 && image.alpha == (with == 3)));
    gf_image_free(&image);
}

/* Texts that fit into their entry, and longer ones; orientation to its last value. */
static void test_texts(const char *mode) {
    static const char *const texts[] = {"", "ab", "abc", "abcd", "abcdefg", "abcdefgh"};
    for (uint16_t i = 0; i < 6; i++) {
        struct gf_image image;
        const char *text = NULL;
        TIFF *tif = TIFFOpen("t.tif", mode);
        TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 1);
        TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
        TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tif, TIFFTAG_ORIENTATION, i + 3);
        TIFFSetField(tif, TIFFTAG_ARTIST, texts[i]);
        TIFFSetField(tif, TIFFTAG_COPYRIGHT, "someone else's");
        TIFFWriteRawStrip(tif, 0, &(char){7}, 1);
        TIFFClose(tif);
        CHECK_EQ(gf_image_read("t.tif", &(struct gf_read_options){0}, &image, NULL), GF_OK);
        CHECK_EQ(image.orientation, i + 3);
        image = through(&image, false);
        gf_image_free(&image);
        tif = TIFFOpen("w.tif", "r");
        CHECK(TIFFGetField(tif, TIFFTAG_ARTIST, &text));
        CHECK_STR(text, texts[i]);
        CHECK(TIFFGetField(tif, TIFFTAG_COPYRIGHT, &text));
        CHECK_STR(text, "someone else's");
        TIFFClose(tif);
    }
}

static void put(unsigned char *p, int bytes, uint32_t v, bool big) {
    for (int i = 0; i < bytes; i++)
        p[i] = (unsigned char)(v >> 8 * (big ? bytes - 1 - i : i));
}

/* A stack that ImageJ lists one page of: 3 pages of 2 samples each, 1 to 6. */
static void test_unlisted(bool big) {
    enum { TEXT = 160, SAMPLES = 200, SIZE = SAMPLES + 12 };
    static const char text[] = "ImageJ=1.5\nimages=3\nslices=3\n";
    static const uint32_t tags[][3] = {{256, 1, 2},       {257, 1, 1}, {258, 1, 16},
                                       {259, 1, 1},       {262, 1, 1}, {270, sizeof text, TEXT},
                                       {273, 1, SAMPLES}, {277, 1, 1}, {278, 1, 1},
                                       {279, 1, 4}};
    unsigned char file[SIZE] = {0};
    memcpy(file, big ? "MM\0*" : "II*", 4);
    put(file + 4, 4, 8, big);
    put(file + 8, 2, 10, big);
    for (int i = 0; i < 10; i++) {
        unsigned char *entry = file + 10 + 12 * i;
        put(entry, 2, tags[i][0], big);
        put(entry + 2, 2, tags[i][0] == 270 ? 2 : 4, big);
        put(entry + 4, 4, tags[i][1], big);
        put(entry + 8, 4, tags[i][2], big);
    }
    memcpy(file + TEXT, text, sizeof text);
    for (uint32_t i = 0; i < 6; i++)
        put(file + SAMPLES + 2 * i, 2, i + 1, big);
    struct gf_image image;
    file_put("u.tif", file, SIZE);
    CHECK_MSG(!gf_image_read("u.tif", &(struct gf_read_options){0}, &image, NULL), "%s",
              gf_message());
    const uint16_t want[] = {1, 2, 3, 4, 5, 6};
    CHECK(image.px.shape[0] == 3 && !memcmp(image.px.data, want, sizeof want));
    gf_image_free(&image);
    file_put("u.tif", file, SIZE - 1);
    CHECK_EQ(gf_image_read("u.tif", &(struct gf_read_options){0}, &image, NULL), GF_EUNSUPP);
    CHECK_HAS(gf_message(), "has 3 pages, and the file lists 1");
}

/* Axes of a stack, as ImageJ and as OME describe them. */
static void test_axes(bool ome) {
    struct gf_image image = image_make(GF_U16, 2 * 3 * 4, 5, 6, 1, 1);
    gf_axes_start(&image.axes, 5, 6);
    image.axes.axis[0].spacing = image.axes.axis[1].spacing = 0.25;
    strcpy(image.axes.axis[0].unit, "um");
    strcpy(image.axes.axis[1].unit, "um");
    gf_axes_add(&image.axes, "c", 2, 0, "");
    gf_axes_add(&image.axes, "z", 3, 2, "nm");
    gf_axes_add(&image.axes, "t", 4, 0.5, "s");
    image.axes.named = true;
    const struct gf_axes was = image.axes;
    image = through(&image, ome);
    CHECK(image.axes.n == 5 && image.axes.named);
    for (int i = 0; i < 5; i++) {
        const struct gf_axis *a = &image.axes.axis[i], *b = &was.axis[i];
        CHECK_STR(a->name, b->name);
        CHECK(a->extent == b->extent && fabs(a->spacing - b->spacing) < 1e-6);
        CHECK(!(b->spacing > 0) || !strcmp(a->unit, b->unit));
    }
    gf_image_free(&image);
    int channels = 0;
    size_t n;
    char *file = (char *)file_get("w.tif", &n), *at = file;
    while ((at = memmem(at, n - (size_t)(at - file), "<Channel ", 9))) {
        channels++;
        at++;
    }
    CHECK_EQ(channels, ome ? 2 : 0);
    free(file);
}

int main(void) {
    TIFFSetWarningHandler(NULL);
    scratch_enter();
    RUN("a strip has the rows that the page has left", test_last_strip());
    RUN("zeros are read from as few bytes as their compression makes", test_ratios());
    RUN("alpha is the last extra sample, and takes no profile away", test_extra());
    for (int with = 0; with <= 3; with++)
        RUN(case_name("pages of which %d of 3 have alpha are a volume or refused", with),
            test_mixed(with));
    RUN("texts of any length are kept in little-endian files", test_texts("wl"));
    RUN("texts of any length are kept in big-endian files", test_texts("wb"));
    RUN("texts of any length are kept in BigTIFFs", test_texts("wl8"));
    RUN("ImageJ's little-endian pages that are not listed are read", test_unlisted(false));
    RUN("ImageJ's big-endian pages that are not listed are read", test_unlisted(true));
    RUN("a stack's axes come back from ImageJ's description", test_axes(false));
    RUN("a stack's axes come back from OME's description", test_axes(true));
    scratch_leave();
    return TEST_END();
}
