/* TIFFs that others write: every layout that libtiff can make of known samples must read as those.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static const struct gf_read_options any = {0};

struct layout {
    const char *mode; /* libtiff's: "wl" little-endian, "wb" big-endian, with "8" BigTIFF */
    uint16_t bits, format, samples, photometric, compression, predictor;
    bool planar;
    uint32_t tile; /* edge; 0: strips */
    uint32_t rows; /* a strip */
};

enum { WIDTH = 53, HEIGHT = 39 };

/* Stored bytes of sample (y, x, c): a hash, so that any mix-up shows. */
static uint64_t value_of(const struct layout *l, int y, int x, int c) {
    uint64_t h = (uint64_t)(y * 8191 + x * 131 + c * 17 + 5) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    if (l->format == SAMPLEFORMAT_IEEEFP && l->bits == 16)
        return h & 0x3bff; /* finite halves below 1 */
    if (l->format == SAMPLEFORMAT_IEEEFP && l->compression == COMPRESSION_LERC)
        return h & 0x3fffffff; /* finite floats below 2: LERC keeps no NaN's bits */
    return l->bits < 64 ? h & ((UINT64_C(1) << l->bits) - 1) : h;
}

static void pack(const struct layout *l, uint64_t v, unsigned char *row, int64_t i) {
    uint16_t half = (uint16_t)v;
    uint32_t word = (uint32_t)v;
    if (l->bits == 8) {
        row[i] = (unsigned char)v;
    } else if (l->bits == 16) {
        memcpy(row + 2 * i, &half, 2);
    } else if (l->bits == 32) {
        memcpy(row + 4 * i, &word, 4);
    } else if (l->bits == 64) {
        memcpy(row + 8 * i, &v, 8);
    } else if (l->bits == 24) {
        for (int k = 0; k < 3; k++)
            row[3 * i + k] = (unsigned char)(v >> 8 * k);
    } else {
        for (int k = 0; k < l->bits; k++) {
            int64_t bit = i * l->bits + k;
            unsigned on = v >> (l->bits - 1 - k) & 1;
            row[bit / 8] = (unsigned char)(row[bit / 8] | on << (7 - bit % 8));
        }
    }
}

/* Rows [y0, y0 + h) and columns [x0, x0 + w) of plane `c` (or of all samples) as stored. */
static void fill(const struct layout *l, int y0, int x0, int h, int w, int c, unsigned char *out) {
    int64_t per = l->planar ? 1 : l->samples, row = (w * per * l->bits + 7) / 8;
    memset(out, 0, (size_t)(h * row));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int k = 0; k < per; k++)
                if (y0 + y < HEIGHT && x0 + x < WIDTH)
                    pack(l, value_of(l, y0 + y, x0 + x, l->planar ? c : k), out + y * row,
                         x * per + k);
}

static void put_page(TIFF *tif, const struct layout *l) {
    unsigned char *data = malloc((size_t)WIDTH * HEIGHT * l->samples * 16 + 65536);
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, l->bits);
    TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, l->format);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, l->samples);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, l->photometric);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, l->compression);
    TIFFSetField(tif, TIFFTAG_PLANARCONFIG,
                 l->planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (l->predictor)
        TIFFSetField(tif, TIFFTAG_PREDICTOR, l->predictor);
    int planes = l->planar ? l->samples : 1, per = l->planar ? 1 : l->samples;
    if (l->tile) {
        int edge = (int)l->tile;
        TIFFSetField(tif, TIFFTAG_TILEWIDTH, edge);
        TIFFSetField(tif, TIFFTAG_TILELENGTH, edge);
        for (int c = 0; c < planes; c++)
            for (int y = 0; y < HEIGHT; y += edge)
                for (int x = 0; x < WIDTH; x += edge) {
                    fill(l, y, x, edge, edge, c, data);
                    TIFFWriteEncodedTile(
                        tif, TIFFComputeTile(tif, (uint32_t)x, (uint32_t)y, 0, (uint16_t)c), data,
                        (edge * per * l->bits + 7) / 8 * edge);
                }
    } else {
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, l->rows);
        for (int c = 0; c < planes; c++)
            for (int y = 0; y < HEIGHT; y += (int)l->rows) {
                int h = HEIGHT - y < (int)l->rows ? HEIGHT - y : (int)l->rows;
                fill(l, y, 0, h, WIDTH, c, data);
                TIFFWriteEncodedStrip(tif, TIFFComputeStrip(tif, (uint32_t)y, (uint16_t)c), data,
                                      (WIDTH * per * l->bits + 7) / 8 * h);
            }
    }
    TIFFWriteDirectory(tif);
    free(data);
}

static void put_tiff(const char *path, const struct layout *l, int pages) {
    TIFF *tif = TIFFOpen(path, l->mode);
    for (int i = 0; i < pages; i++)
        put_page(tif, l);
    TIFFClose(tif);
}

/* The bits, in the array's type, that reading makes of a stored sample c. */
static uint64_t expected(const struct layout *l, uint64_t v, int c) {
    const uint64_t most = (UINT64_C(1) << l->bits % 64) - 1;
    const bool gray = l->samples == 1 && l->format == SAMPLEFORMAT_UINT;
    if (l->photometric == PHOTOMETRIC_MINISWHITE && c == 0)
        v ^= most;
    if (gray && (l->bits == 1 || l->bits == 2 || l->bits == 4))
        return v * 255 / most;
    if (l->format == SAMPLEFORMAT_IEEEFP && l->bits == 16) {
        int exponent = (int)(v >> 10 & 31), fraction = (int)(v & 1023);
        float f = exponent ? ldexpf((float)(1024 + fraction), exponent - 25)
                           : ldexpf((float)fraction, -24);
        uint32_t bits;
        memcpy(&bits, &f, 4);
        return bits;
    }
    return v;
}

static void check_layout(const struct layout *l) {
    struct gf_image image;
    char name[96];
    snprintf(name, sizeof name, "%s bits %d format %d x%d ph %d comp %d%s tile %d rows %d", l->mode,
             l->bits, l->format, l->samples, l->photometric, l->compression,
             l->planar ? " planar" : "", (int)l->tile, (int)l->rows);
    put_tiff("l.tif", l, 1);
    int rc = gf_image_read("l.tif", &any, &image, NULL);
    CHECK_MSG(rc == GF_OK, "%s: %s", name, gf_message());
    if (rc)
        return;
    bool shape = image.px.rank == 3 && image.px.shape[0] == HEIGHT && image.px.shape[1] == WIDTH &&
                 image.px.shape[2] == l->samples && image.depth == l->bits;
    CHECK_MSG(shape, "%s", name);
    size_t size = gf_dtype_size(image.px.dtype);
    int wrong = 0;
    for (int y = 0; y < HEIGHT && shape; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < l->samples; c++) {
                uint64_t v = 0;
                memcpy(&v,
                       (char *)image.px.data + y * image.px.stride[0] + x * image.px.stride[1] +
                           c * image.px.stride[2],
                       size);
                wrong += v != expected(l, value_of(l, y, x, c), c);
            }
    CHECK_MSG(wrong == 0, "%s: %d samples differ", name, wrong);
    gf_image_free(&image);
}

static void test_layouts(void) {
    static const uint16_t depths[][2] = {{1, 1},  {2, 1},  {4, 1},  {6, 1},  {10, 1}, {12, 1},
                                         {14, 1}, {24, 1}, {8, 1},  {16, 1}, {32, 1}, {8, 2},
                                         {16, 2}, {32, 2}, {32, 3}, {64, 3}, {16, 3}, {64, 6}};
    static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW,
                                            COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS};
    static const char *const modes[] = {"wl", "wb", "wl8"};
    int n = 0;
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
        for (int samples = 1; samples <= 4; samples++)
            for (int tile = 0; tile <= 16; tile += 16)
                for (int planar = 0; planar < 2; planar++, n++) {
                    bool alone = samples == 1;
                    struct layout l = {.mode = modes[n % 3],
                                       .bits = depths[d][0],
                                       .format = depths[d][1],
                                       .samples = (uint16_t)samples,
                                       .photometric =
                                           samples == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK,
                                       .compression = compressions[n / 3 % 4],
                                       .planar = planar && !alone,
                                       .tile = (uint32_t)tile,
                                       .rows = n % 2 ? 7 : HEIGHT};
                    if (samples == 4)
                        l.photometric = PHOTOMETRIC_SEPARATED;
                    check_layout(&l);
                    if (l.format != SAMPLEFORMAT_IEEEFP && l.format != SAMPLEFORMAT_COMPLEXIEEEFP) {
                        l.photometric = PHOTOMETRIC_MINISWHITE;
                        check_layout(&l);
                    }
                    l.photometric = PHOTOMETRIC_MINISBLACK;
                    l.compression = COMPRESSION_LZW;
                    if ((l.bits == 8 || l.bits == 16 || l.bits == 32) && l.format < 3) {
                        l.predictor = PREDICTOR_HORIZONTAL;
                        check_layout(&l);
                    } else if (l.format == SAMPLEFORMAT_IEEEFP && l.mode[1] == 'l') {
                        /* (libtiff reads the big-endian ones rightly but may write them wrongly) */
                        l.predictor = PREDICTOR_FLOATINGPOINT;
                        check_layout(&l);
                    }
                }
}

/* Compressions that only some builds of libtiff have. */
static void test_rare_compressions(void) {
    static const struct {
        uint16_t number;
        const char *name;
    } rare[] = {{COMPRESSION_ZSTD, "zstd"}, {COMPRESSION_LERC, "lerc"}, {COMPRESSION_LZMA, "lzma"}};
    static const uint16_t depths[][2] = {{8, 1}, {16, 1}, {32, 1}, {8, 2}, {16, 2}, {32, 3}};
    for (int i = 0; i < 3; i++) {
        if (!TIFFIsCODECConfigured(rare[i].number)) {
            printf("tiff: %s is skipped: this libtiff lacks it\n", rare[i].name);
            continue;
        }
        for (int n = 0; n < 24; n++) {
            struct layout l = {.mode = n % 8 ? "wl" : "wb",
                               .bits = depths[n / 4][0],
                               .format = depths[n / 4][1],
                               .samples = n % 2 ? 3 : 1,
                               .photometric = n % 2 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK,
                               .compression = rare[i].number,
                               .planar = n % 8 == 5,
                               .tile = n % 4 / 2 * 16,
                               .rows = 7};
            check_layout(&l);
        }
    }
}

static const struct layout byte_layout = {
    "wl", 8, SAMPLEFORMAT_UINT, 1, PHOTOMETRIC_MINISBLACK, COMPRESSION_NONE, 0, false, 0, 10};

static void test_pages(void) {
    struct gf_image image;
    struct layout other = byte_layout;
    put_tiff("p.tif", &byte_layout, 3);
    CHECK_EQ(gf_image_read("p.tif", &any, &image, NULL), GF_OK);
    CHECK(image.ndim == 3 && image.px.shape[0] == 3 && image.px.shape[1] == HEIGHT);
    const unsigned char *p = image.px.data;
    CHECK(p && !memcmp(p, p + 2 * WIDTH * HEIGHT, WIDTH * HEIGHT));
    gf_image_free(&image);

    other.bits = 16;
    TIFF *tif = TIFFOpen("p.tif", "w");
    put_page(tif, &byte_layout);
    put_page(tif, &byte_layout);
    put_page(tif, &other);
    TIFFClose(tif);
    CHECK_EQ(gf_image_read("p.tif", &any, &image, NULL), GF_EINVAL);
    CHECK(strstr(gf_message(), "page 3") && strstr(gf_message(), "u16"));

    static const uint32_t kinds[] = {FILETYPE_REDUCEDIMAGE, FILETYPE_MASK, FILETYPE_PAGE};
    for (int i = 0; i < 3; i++) { /* a thumbnail or a mask is no second plane */
        tif = TIFFOpen("p.tif", "w");
        put_page(tif, &byte_layout);
        TIFFSetField(tif, TIFFTAG_SUBFILETYPE, kinds[i]);
        put_page(tif, i < 2 ? &other : &byte_layout);
        TIFFClose(tif);
        CHECK_EQ(gf_image_read("p.tif", &any, &image, NULL), GF_OK);
        CHECK(image.ndim == (i < 2 ? 2 : 3) && image.px.dtype == GF_U8);
        CHECK(!image.note == (kinds[i] != FILETYPE_MASK));
        gf_image_free(&image);
    }
}

/* Classic TIFF, little-endian: the last directory's link is set to the first directory. */
static void loop_pages(const char *path) {
    size_t n;
    unsigned char *d = file_get(path, &n);
    uint32_t first, at = 0;
    memcpy(&first, d + 4, 4);
    for (uint32_t next = first; next;) {
        uint16_t tags;
        memcpy(&tags, d + next, 2);
        at = next + 2 + 12u * tags;
        memcpy(&next, d + at, 4);
    }
    memcpy(d + at, &first, 4);
    file_put(path, d, n);
    free(d);
}

static void test_loop(void) {
    struct gf_image image;
    for (int pages = 1; pages <= 3; pages++) {
        TIFF *tif = TIFFOpen("l.tif", "wl");
        for (int i = 0; i < pages; i++)
            put_page(tif, &byte_layout);
        TIFFClose(tif);
        CHECK_EQ(gf_image_read("l.tif", &any, &image, NULL), GF_OK);
        gf_image_free(&image);
        loop_pages("l.tif");
        CHECK_EQ(gf_image_read("l.tif", &any, &image, NULL), GF_EFORMAT);
        CHECK(strstr(gf_message(), "loop"));
    }
}

/* Colours of 8 bits, of 16 bits, and 8-bit ones in the old way. */
static void test_palette(void) {
    static const int scales[] = {257, 256, 1, 0};
    struct layout l = byte_layout;
    l.photometric = PHOTOMETRIC_PALETTE;
    l.bits = 4;
    for (int s = 0; s < 4; s++) {
        uint16_t map[3][16];
        for (int i = 0; i < 16; i++)
            for (int c = 0; c < 3; c++)
                map[c][i] = (uint16_t)(scales[s] ? (i * 16 + c) * scales[s] : i * 4001 + c);
        TIFF *tif = TIFFOpen("c.tif", "wl");
        TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 4);
        TIFFSetField(tif, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
        put_page(tif, &l);
        TIFFClose(tif);
        struct gf_image image;
        CHECK_EQ(gf_image_read("c.tif", &any, &image, NULL), GF_OK);
        CHECK(image.px.shape[2] == 3 && image.color == GF_RGB &&
              image.px.dtype == (scales[s] ? GF_U8 : GF_U16));
        int wrong = 0;
        for (int i = 0; i < WIDTH * HEIGHT * 3 && image.px.data; i++) {
            int index = (int)value_of(&l, i / 3 / WIDTH, i / 3 % WIDTH, 0), c = i % 3;
            wrong += scales[s] ? ((unsigned char *)image.px.data)[i] != index * 16 + c
                               : ((uint16_t *)image.px.data)[i] != index * 4001 + c;
        }
        CHECK_EQ(wrong, 0);
        gf_image_free(&image);
    }
}

static void test_alpha(void) {
    static const uint16_t kinds[] = {EXTRASAMPLE_UNSPECIFIED, EXTRASAMPLE_ASSOCALPHA,
                                     EXTRASAMPLE_UNASSALPHA};
    for (int samples = 2; samples <= 4; samples += 2)
        for (int k = 0; k < 3; k++) {
            struct layout l = byte_layout;
            struct gf_image image;
            l.samples = (uint16_t)samples;
            l.photometric = samples == 4 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
            TIFF *tif = TIFFOpen("a.tif", "wl");
            TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, samples);
            TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, 1, &kinds[k]);
            put_page(tif, &l);
            TIFFClose(tif);
            CHECK_EQ(gf_image_read("a.tif", &any, &image, NULL), GF_OK);
            CHECK_EQ(image.alpha, k > 0);
            CHECK_EQ(image.color, k == 0 ? GF_OTHER_COLOR : samples == 4 ? GF_RGB : GF_GRAY);
            gf_image_free(&image);
        }
}

static void test_written(void) {
    struct gf_image image = image_make(GF_U8, 2, 5, 6, 4, 1), back;
    struct gf_write_options w = {.level = -1};
    image.color = GF_RGB;
    image.alpha = true;
    image.record = strdup("{\"gpufft\":1}");
    CHECK_EQ(gf_image_write("w.tif", &gf_format_tiff, &image, &w, true), GF_OK);
    TIFF *tif = TIFFOpen("w.tif", "r");
    uint16_t photometric = 0, n = 0, *extra = NULL;
    char *text = NULL;
    CHECK(TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &photometric) && photometric == PHOTOMETRIC_RGB);
    CHECK(TIFFGetField(tif, TIFFTAG_EXTRASAMPLES, &n, &extra) && n == 1 &&
          extra[0] == EXTRASAMPLE_UNASSALPHA);
    CHECK(TIFFGetField(tif, TIFFTAG_IMAGEDESCRIPTION, &text) && !strcmp(text, image.record));
    CHECK_EQ(TIFFNumberOfDirectories(tif), 2);
    TIFFClose(tif);
    CHECK_EQ(gf_image_read("w.tif", &any, &back, NULL), GF_OK);
    CHECK(back.alpha && back.color == GF_RGB && back.record && !strcmp(back.record, image.record));
    gf_image_free(&back);
    gf_image_free(&image);
}

/* Integers of three bytes are in the byte order of the file, as libtiff's own tools take them. */
static void test_three_bytes(void) {
    static const char *const modes[] = {"wl", "wb"};
    static const unsigned char stored[2][6] = {{3, 2, 1, 6, 5, 4}, {1, 2, 3, 4, 5, 6}};
    for (int big = 0; big < 2; big++) {
        const unsigned char samples[8] = {3, 2, 1, 6, 5, 4}; /* on a little-endian host */
        struct gf_image image;
        size_t n;
        TIFF *tif = TIFFOpen("3.tif", modes[big]);
        TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, 2);
        TIFFSetField(tif, TIFFTAG_IMAGELENGTH, 1);
        TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, 24);
        TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, 1);
        TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, 1);
        TIFFWriteRawStrip(tif, 0, (void *)(uintptr_t)(big ? stored[1] : samples), 6);
        TIFFClose(tif);
        unsigned char *file = file_get("3.tif", &n);
        CHECK(file && memmem(file, n, stored[big], 6));
        free(file);
        CHECK_EQ(gf_image_read("3.tif", &any, &image, NULL), GF_OK);
        const uint32_t *px = image.px.data;
        CHECK_EQ(image.px.dtype, GF_U32);
        CHECK(px && px[0] == 0x010203 && px[1] == 0x040506);
        gf_image_free(&image);
    }
}

/* libtiff's words for its own insides do not get out. */
static void test_messages(void) {
    static const struct {
        char bytes[32];
        size_t n;
    } bad[] = {
        {"II*\0\010\0\0\0\0\0\0\0\0\0", 14},
        {"II+\0\010\0\0\0\020\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32},
        {"II*\0\100\0\0\0", 8},
        {"II*\0\010\0\0\0\377\377", 10},
    };
    struct gf_image image;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        file_put("m.tif", bad[i].bytes, bad[i].n);
        int rc = gf_image_read("m.tif", &any, &image, NULL);
        CHECK_MSG(rc == GF_EFORMAT && !strstr(gf_message(), "elements") &&
                      !strstr(gf_message(), "TIFF_") && !strstr(gf_message(), "allocate") &&
                      strstr(gf_message(), "its directory") && message_is_good(gf_message()),
                  "%zu: %d %s", i, rc, gf_message());
    }
    /* A tag that no one can read: the photometric one becomes number 127. */
    size_t n;
    put_tiff("m.tif", &byte_layout, 1);
    unsigned char *file = file_get("m.tif", &n);
    uint32_t at;
    memcpy(&at, file + 4, 4);
    for (int tag = 0; tag < file[at]; tag++)
        if (file[at + 2 + 12 * tag] == 0x06 && file[at + 3 + 12 * tag] == 1)
            file[at + 2 + 12 * tag] = 127, file[at + 3 + 12 * tag] = 0, file[at + 4 + 12 * tag] = 0;
    file_put("m.tif", file, n);
    free(file);
    int rc = gf_image_read("m.tif", &any, &image, NULL);
    CHECK_MSG(rc == GF_EFORMAT && strstr(gf_message(), "a tag of its directory"), "%d %s", rc,
              gf_message());
    gf_image_free(&image);
}

/* No byte of a directory that is damaged makes the program speak of libtiff's insides. */
static void test_damaged_directory(void) {
    static const char *const jargon[] = {"anity check", "scanline", "number of strips", "TIFF_",
                                         "elements of"};
    static const unsigned char values[] = {0, 1, 7, 255};
    size_t n;
    put_tiff("m.tif", &byte_layout, 1);
    unsigned char *file = file_get("m.tif", &n);
    uint32_t at;
    int refused = 0;
    memcpy(&at, file + 4, 4);
    for (size_t i = at; i < at + 2 + 12 * (size_t)file[at]; i++)
        for (size_t k = 0; k < sizeof values; k++) {
            struct gf_image image;
            const unsigned char kept = file[i];
            file[i] = values[k];
            file_put("m.tif", file, n);
            file[i] = kept;
            int rc = gf_image_read("m.tif", &any, &image, NULL);
            gf_image_free(&image);
            refused += rc != 0;
            for (size_t j = 0; rc && j < sizeof jargon / sizeof *jargon; j++)
                CHECK_MSG(!strstr(gf_message(), jargon[j]), "byte %zu as %d: %s", i, values[k],
                          gf_message());
        }
    CHECK(refused > 50);
    free(file);
    unlink("m.tif");
}

/* Resolution without a unit is ImageJ's number of pixels in the unit of its lines. OME has sizes of
 * its own, and 1 : 1 without any unit is no size. Microscopes write a tag of their own. */
static void test_sizes(void) {
    enum { TEXT = TIFFTAG_IMAGEDESCRIPTION };
    static const struct {
        int tag;
        const char *text;
        float per_unit;
        double spacing;
        const char *unit;
    } cases[] = {
        {TEXT, "ImageJ=1.5\nimages=1\nunit=um\n", 4, 0.25, "um"},
        {TEXT, "ImageJ=1.5\nimages=1\nunit=um\n", 1, 1, "um"},
        {TEXT, "ImageJ=1.5\nimages=1\n", 1, 0, ""},
        {TEXT, "<OME><Pixels/></OME>", 1, 0, "um"},
        {TEXT, "<OME><Pixels/></OME>", 4, 0, "um"},
        {TEXT, "<OME><Pixels PhysicalSizeX='0'/></OME>", 1, 0, "um"},
        {TEXT, "<OME><Pixels PhysicalSizeX='2' PhysicalSizeXUnit='nm'/></OME>", 1, 2, "nm"},
        {34682, "[EScan]\r\nPixelWidth=1\r\n[Scan]\r\nPixelWidth=7.5e-009\r\n", 96, 7.5, "nm"},
        {34680, "PixelHeight=1\nPixelWidth = 5e-06\n", 96, 5000, "nm"},
        {34118, "0\r\nPixel Size = 9 nm\r\nImage Pixel Size = 2.5 \xb5m\r\n", 96, 2.5, "um"},
        {34118, "0\r\nPixel Size = 9 nm", 96, 9, "nm"},
        {34118, "0\r\nPixel Size = 9", 96, -1, ""},
        {34682, "[Scan]\nPixelWidth=0\n", 96, -1, ""},
    };
    const struct layout l = {.mode = "wl",
                             8,
                             SAMPLEFORMAT_UINT,
                             1,
                             PHOTOMETRIC_MINISBLACK,
                             COMPRESSION_NONE,
                             .rows = HEIGHT};
    char name[] = "scale";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t tag = (uint32_t)cases[i].tag;
        const TIFFFieldInfo info = {tag, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, name};
        struct gf_image image;
        TIFF *tif = TIFFOpen("sizes.tif", "wl");
        if (tag != TEXT)
            TIFFMergeFieldInfo(tif, &info, 1);
        TIFFSetField(tif, tag, cases[i].text);
        TIFFSetField(tif, TIFFTAG_XRESOLUTION, (double)cases[i].per_unit);
        TIFFSetField(tif, TIFFTAG_YRESOLUTION, (double)cases[i].per_unit);
        TIFFSetField(tif, TIFFTAG_RESOLUTIONUNIT, tag == TEXT ? RESUNIT_NONE : RESUNIT_INCH);
        put_page(tif, &l);
        TIFFClose(tif);
        CHECK_EQ(gf_image_read("sizes.tif", &any, &image, NULL), 0);
        const struct gf_axis none = {.spacing = -1};
        const struct gf_axis *x = image.axes.n ? &image.axes.axis[image.axes.n - 1] : &none;
        CHECK_MSG(fabs(x->spacing - cases[i].spacing) < 1e-9 && !strcmp(x->unit, cases[i].unit),
                  "%zu: %g %s", i, x->spacing, x->unit);
        gf_image_free(&image);
    }
}

int main(void) {
    TIFFSetWarningHandler(NULL);
    TIFFSetErrorHandler(NULL);
    scratch_enter();
    RUN("every layout of libtiff reads as its samples", test_layouts());
    RUN("compressions that this libtiff has are read, others refused", test_rare_compressions());
    RUN("equal pages are a volume, unequal ones are refused", test_pages());
    RUN("directories in a circle are refused", test_loop());
    RUN("palettes of 8 and 16 bits are expanded", test_palette());
    RUN("extra samples are alpha as their tag says", test_alpha());
    RUN("written TIFFs keep alpha, colour and record", test_written());
    RUN("integers of three bytes have the file's byte order", test_three_bytes());
    RUN("libtiff's words for its insides do not get out", test_messages());
    RUN("damaged directories are reported in plain words", test_damaged_directory());
    RUN("resolutions of ImageJ and OME are pixel sizes", test_sizes());
    scratch_leave();
    return TEST_END();
}
