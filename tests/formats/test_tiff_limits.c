/* TIFF at its limits: last strips, and compression as strong as it gets. */
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "core/base/status.h"
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

int main(void) {
    scratch_enter();
    RUN("a strip has the rows that the page has left", test_last_strip());
    RUN("zeros are read from as few bytes as their compression makes", test_ratios());
    scratch_leave();
    return TEST_END();
}
