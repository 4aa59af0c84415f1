/* Zarr folders that the test makes itself: every type, codec and key, parts of pages, missing chunks,
 * levels, and folders that lie. usage: test_zarr [long] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"
#include "formats/files.h"
#include "formats/io/guard.h"
#include "tests/formats/files.h"
#include "tests/formats/zarr_made.h"
#include "tests/test.h"

static const struct gf_read_options modest = {.max_memory = 64 << 20};

static const struct made usual = {
    .version = 2, .type = U2, .rank = 3, .shape = {5, 7, 11}, .chunk = {2, 3, 4}, .separator = '.'};
/* True if n samples from sample `first` on are the array's. */
static bool samples_right(const struct made *m, const void *p, int64_t first, int64_t n) {
    const enum gf_dtype dtype = zarr_types[m->type].dtype;
    const size_t size = gf_dtype_size(dtype);
    bool right = true;
    for (int64_t i = 0; i < n && right; i++) {
        const char *at = (const char *)p + (size_t)i * size;
        const double want = (double)((first + i) * 7 % 101);
        right = fabs(gf_sample_get(at, dtype) - want) < 1e-9;
        if (gf_dtype_is_complex(dtype))
            right =
                right && fabs(gf_sample_get(at + size / 2, gf_dtype_real(dtype)) - want - 1) < 1e-9;
    }
    return right;
}

static void test_types(void) {
    bool missing[N_CODECS] = {false};
    struct gf_image image;
    int n = 0;
    for (int version = 2; version <= 3; version++)
        for (int type = 0; type < N_TYPES; type++)
            for (int codec = 0; codec < N_CODECS; codec++)
                for (int big = 0; big < 2; big++, n++) {
                    if (codec == (version == 2 ? SUM : ZLIB) || (big && codec % 2))
                        continue;
                    struct made m = nth(n);
                    m.version = version;
                    m.type = type;
                    m.codec = (enum codec)codec;
                    m.big = big;
                    write_array("t.zarr", &m);
                    int rc = gf_image_read("t.zarr", &modest, &image, NULL);
                    folder_remove("t.zarr");
                    if (rc == GF_EIO && strstr(gf_message(), "install lib")) {
                        if (!missing[codec])
                            printf("zarr: %s is skipped: %s\n", codec_names[codec], gf_message());
                        missing[codec] = true;
                        continue;
                    }
                    CHECK_MSG(!rc && image.px.dtype == zarr_types[type].dtype &&
                                  samples_right(&m, image.px.data, 0, gf_array_count(&image.px)),
                              "%d %s %s %d rank %d: %s", version, zarr_types[type].name,
                              codec_names[codec], big, m.rank, rc ? gf_message() : "numbers");
                    gf_image_free(&image);
                }
}

/* Pages in pieces, in any order; pages of a run are read without their chunks being decoded again. */
static void test_pages(void) {
    struct gf_image image;
    struct gf_file *file;
    uint32_t seed = 5;
    char buffer[1 << 12];
    for (int n = 3; n < 6; n++)
        for (int small = 0; small < 2; small++) {
            struct made m = nth(n);
            struct gf_read_options o = {.max_memory = small ? 400 : 64 << 20};
            m.version = 2;
            m.type = U2;
            write_array("p.zarr", &m);
            CHECK_EQ(gf_file_open("p.zarr", &o, &file, &image), 0);
            const int64_t page = image.px.stride[0] / 2, pages = image.px.shape[0];
            for (int i = 0; i < 60; i++) {
                const int64_t from = random_next(&seed) % pages;
                const int64_t some = 1 + random_next(&seed) % (pages - from);
                CHECK(!gf_file_read_part(file, &image, GF_PAGE, from, some, buffer) &&
                      samples_right(&m, buffer, from * page, some * page));
            }
            CHECK_EQ(gf_file_read_part(file, &image, GF_PAGE, 0, 1, buffer), 0);
            folder_remove("p.zarr");
            CHECK_EQ(gf_file_read_part(file, &image, GF_PAGE, 1, 1, buffer), 0);
            CHECK(samples_right(&m, buffer, page, page));
            if (n == 5) { /* the other time of the chunks, if memory allows */
                CHECK_EQ(gf_file_read_part(file, &image, GF_PAGE, 8, 1, buffer), 0);
                CHECK_EQ(samples_right(&m, buffer, 8 * page, page), !small);
            }
            gf_file_close(file);
            gf_image_free(&image);
        }
}

/* Reads the whole folder; true if it fails with one good line that has `text`. */
static bool fails(const char *folder, const char *text) {
    struct gf_image image = {0};
    int rc = gf_image_read(folder, &modest, &image, NULL);
    gf_image_free(&image);
    const bool good = rc < 0 && message_is_good(gf_message()) && strstr(gf_message(), text);
    if (!good)
        fprintf(stderr, "%s, wanted '%s'\n", rc ? gf_message() : "no failure", text);
    return good;
}

static void set_fill(struct made *m, const char *type, const char *fill) {
    for (m->type = 0; strcmp(zarr_types[m->type].code, type); m->type++)
        ;
    m->fill = fill;
    write_metadata("f.zarr", m);
}

static void check_fill(const struct made *m, double want, double imaginary) {
    struct gf_image image;
    int rc = gf_image_read("f.zarr", &modest, &image, NULL);
    CHECK_MSG(!rc, "%s: %s", m->fill, rc ? gf_message() : "");
    if (rc)
        return;
    const enum gf_dtype dtype = image.px.dtype;
    const char *last = gf_array_at(&image.px, 11);
    const double v = gf_sample_get(last, dtype);
    const double w = gf_dtype_is_complex(dtype)
                         ? gf_sample_get(last + gf_dtype_size(dtype) / 2, gf_dtype_real(dtype))
                         : 0;
    CHECK_MSG((v == want || (isnan(v) && isnan(want))) && w == imaginary, "%s is %g %g", m->fill, v,
              w);
    gf_image_free(&image);
}

static void test_fill(void) {
    static const struct {
        const char *type, *fill;
        double want, imaginary;
    } fills[] = {{"u2", "7", 7, 0},
                 {"i1", "-3", -3, 0},
                 {"f4", "\"NaN\"", NAN, 0},
                 {"f8", "\"Infinity\"", INFINITY, 0},
                 {"f4", "\"-Infinity\"", -INFINITY, 0},
                 {"f2", "0.1", 0.0999755859375, 0},
                 {"c8", "[1.5,-2]", 1.5, -2},
                 {"c16", "3", 3, 0},
                 {"u1", "null", 0, 0},
                 {"b1", "true", 1, 0},
                 {"i8", "-5", -5, 0},
                 {"u1", "255.0", 255, 0},
                 {"u2", "\"0\"", 0, 0},
                 {"i2", "\"-300\"", -300, 0},
                 {"f4", "\"1.5\"", 1.5, 0},
                 {"f4", "\"0x3fc00000\"", 1.5, 0},
                 {"f8", "\"0xBFF8000000000000\"", -1.5, 0},
                 {"f2", "\"0x3e00\"", 1.5, 0},
                 {"f4", "\"0x7fc00001\"", NAN, 0},
                 {"c8", "[\"0x3fc00000\",\"-2\"]", 1.5, -2}};
    static const struct {
        const char *type, *fill;
    } bad[] = {{"u2", "\"AAAA\""},
               {"u2", "\"NaN\""},
               {"u2", "[1]"},
               {"u2", "{}"},
               {"u2", "\"Infinity\""},
               {"u1", "300"},
               {"u1", "-1"},
               {"u1", "1.5"},
               {"u2", "\"\""},
               {"u2", "\"1e\""},
               {"u2", "\"0x0001\""},
               {"f4", "\"0x3fc0\""},
               {"f4", "\"0x3fc0000g\""},
               {"f4", "\"inf\""},
               {"f4", "1e300"},
               {"f2", "65536"},
               {"i8", "-9223372036854775808"},
               {"i8", "9007199254740993"},
               {"c8", "[1,\"x\"]"},
               {"c8", "[\"x\",1]"},
               {"c8", "[1]"}};
    struct made m = {.rank = 2, .shape = {3, 4}, .chunk = {2, 3}};
    for (size_t i = 0; i < 4 * sizeof fills / sizeof *fills; i++) {
        m.version = i % 4 < 2 ? 2 : 3;
        m.big = i % 2; /* which the fill value does not follow */
        m.separator = "./"[i / 4 % 2];
        set_fill(&m, fills[i / 4].type, fills[i / 4].fill);
        check_fill(&m, fills[i / 4].want, fills[i / 4].imaginary);
        folder_remove("f.zarr");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        set_fill(&m, bad[i].type, bad[i].fill);
        CHECK_MSG(fails("f.zarr", "its fill value is no"), "%s: %s", bad[i].type, bad[i].fill);
    }
    struct gf_image image;
    write_array("f.zarr", &m); /* and no chunk needs it */
    CHECK_EQ(gf_image_read("f.zarr", &modest, &image, NULL), 0);
    gf_image_free(&image);
    folder_remove("f.zarr");
}

/* Writes `text` with `old` replaced. */
static void put_replaced(const char *path, const char *text, const char *old, const char *new) {
    char out[4096];
    const char *at = strstr(text, old);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    file_put(path, out, strlen(out));
}

static void test_lies(void) {
    static const struct {
        int version;
        const char *old, *new, *says;
    } lies[] = {
        {2, "[5,7,11]", "[5,7]", "shape"},
        {2, "[5,7,11]", "[]", "shape"},
        {2, "[5,7,11]", "[0,7,11]", "shape"},
        {2, "[5,7,11]", "[-5,7,11]", "shape"},
        {2, "[5,7,11]", "[5.5,7,11]", "shape"},
        {2, "[5,7,11]", "[1,1,1,1,1,1,5,7,11]", "shape"},
        {2, "[5,7,11]", "[4611686018427387904,4611686018427387904,11]", ""},
        {2, "[5,7,11]", "[1000000,1000000,11]", "rechunk"},
        {2, "[2,3,4]", "[0,3,4]", "shape"},
        {2, "[2,3,4]", "[2,3,4611686018427387904]", "gigabyte"},
        {2, "[2,3,4]", "[1024,1024,1024]", "gigabyte"},
        {2, "[2,3,4]", "[512,1024,1024]", "needs"},
        {2, "<u2", "", "samples of type ''"},
        {2, "<u2", "<", "samples of type"},
        {2, "<u2", "<q7", "samples of type"},
        {2, "<u2", "a\\nb", "samples of type 'a?b'"},
        {2, "\"<u2\"", "[[\"a\",\"<u2\"]]", "structured"},
        {2, "\"C\"", "\"F\"", "Fortran"},
        {2, "\"filters\":null", "\"filters\":[{\"id\":\"delta\"}]", "filters"},
        {2, "\"compressor\":null", "\"compressor\":{\"id\":\"lzma\"}", "'lzma'"},
        {2, "\"compressor\":null", "\"compressor\":{\"id\":\"a\\nb\"}", "'a?b'"},
        {2, "\"compressor\":null", "\"compressor\":{}", "compressor"},
        {2, "separator\":\".", "separator\":\"..", "separator"},
        {2, "separator\":\".", "separator\":\"-", "separator"},
        {2, "format\":2", "format\":4", "version"},
        {2, "format\":2", "format\":2,\"zarr_format\":2", "no JSON object"},
        {2, "{", "[", "no JSON object"},
        {3, "regular", "rectangular", "chunk_grid"},
        {3, "\"default\"", "\"fanout\"", "chunk_key_encoding"},
        {3, "uint16", "r16", "samples of type"},
        {3, "\"bytes\"", "\"vlen\"", "codecs"},
        {3, "\"bytes\"", "\"transpose\"", "'transpose'"},
        {3, "\"bytes\"", "\"sharding_indexed\"", "'sharding_indexed'"},
        {3, "\"little\"", "\"middle\"", "codecs"},
        {3, "}]}", "},{\"name\":\"gzip\"},{\"name\":\"zlib\"}]}", "more than once"},
        {3, "}]}", "},{\"name\":\"crc32c\"},{\"name\":\"gzip\"}]}", "'crc32c'"},
        {3, "}]}", "},{\"name\":\"bytes\"}]}", "codecs"},
        {3, "}]}", "}],\"storage_transformers\":[{}]}", "storage"},
        {3, "}]}", "}],\"dimension_names\":[\"y\",\"x\"]}", "axes"},
        {3, "}]}", "}],\"dimension_names\":[\"y\",\"x\",\"c\"]}", "channels along the last"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct made m = usual;
        m.version = lies[i].version;
        write_array("l.zarr", &m);
        const char *path = m.version == 2 ? "l.zarr/.zarray" : "l.zarr/zarr.json";
        size_t n;
        char *text = (char *)file_get(path, &n);
        put_replaced(path, text, lies[i].old, lies[i].new);
        CHECK(fails("l.zarr", lies[i].says));
        free(text);
        folder_remove("l.zarr");
    }
}

/* Metadata and chunks: cut at each byte, and with bits flipped. */
static void test_damage(int flips) {
    static const enum codec codecs[] = {PLAIN, GZIP, ZSTD, BLOSC, SUM};
    uint32_t seed = 7;
    for (size_t c = 0; c < sizeof codecs / sizeof *codecs; c++) {
        struct made m = usual;
        m.version = 3;
        m.codec = codecs[c];
        m.v2_keys = true;
        write_array("x.zarr", &m);
        for (int chunk = 0; chunk < 2; chunk++) {
            const char *path = chunk ? "x.zarr/0.1.0" : "x.zarr/zarr.json";
            size_t n;
            unsigned char *good = file_get(path, &n), *data = malloc(n);
            for (size_t cut = 0; cut < n && (chunk || m.codec == PLAIN); cut++) {
                file_put(path, good, cut);
                CHECK_MSG(fails("x.zarr", ""), "cut at %zu", cut);
            }
            for (int i = 0; i < flips; i++) {
                struct gf_image image = {0};
                memcpy(data, good, n);
                data[random_next(&seed) % n] ^= (unsigned char)(1 << random_next(&seed) % 8);
                file_put(path, data, n);
                int rc = gf_image_read("x.zarr", &modest, &image, NULL);
                CHECK_MSG(!rc || message_is_good(gf_message()), "'%s'", gf_message());
                CHECK(rc || !chunk || m.codec != SUM);
                gf_image_free(&image);
            }
            file_put(path, good, n);
            free(good);
            free(data);
        }
        folder_remove("x.zarr");
    }
}

/* `made` is 0 if something was put in the first chunk's place, which is removed again. */
static void check_chunk(int made, const char *says) {
    CHECK(!made && fails("k.zarr", says));
    CHECK_EQ(remove("k.zarr/0.0.0"), 0);
}

static void test_chunk_files(void) {
    static unsigned char zeros[1 << 16], packed[1 << 17];
    const char *chunk = "k.zarr/0.0.0", *misfit = "chunk '0.0.0': does not unpack to its size";
    struct made m = usual;
    m.codec = GZIP;
    write_array("k.zarr", &m);
    file_put(chunk, packed, pack(GZIP, zeros, sizeof zeros, packed));
    check_chunk(0, misfit);
    file_put(chunk, packed, pack(GZIP, zeros, 47, packed));
    CHECK(fails("k.zarr", misfit));
    check_chunk(truncate(chunk, 1LL << 40), "chunk '0.0.0': a file of more than ");
    check_chunk(mkfifo(chunk, 0666), "chunk '0.0.0': is no file");
    check_chunk(symlink("/dev/zero", chunk), "chunk '0.0.0': is no file");
    check_chunk(symlink("gone", chunk), "chunk '0.0.0': is no file");
    check_chunk(mkdir(chunk, 0777), "chunk '0.0.0': is no file");
    CHECK(!unlink("k.zarr/.zarray") && !mkfifo("k.zarr/.zarray", 0666));
    CHECK(fails("k.zarr", "its '.zarray' is no file"));
    folder_remove("k.zarr");
}

/* Missing chunks of an array that has millions take no look each; stored ones among them are found. */
static void test_many_chunks(void) {
    static const struct made arrays[] = {
        {.version = 2,
         .type = U2,
         .rank = 3,
         .shape = {4000000, 1, 1},
         .chunk = {1, 1, 1},
         .separator = '.'},
        {.version = 3,
         .type = U2,
         .rank = 3,
         .shape = {1, 2000, 2000},
         .chunk = {1, 1, 1},
         .separator = '/'},
        {.version = 2,
         .type = U2,
         .rank = 5,
         .shape = {3, 100, 40, 3, 5},
         .chunk = {2, 1, 3, 2, 2},
         .separator = '/'},
        {.version = 3,
         .type = U2,
         .rank = 4,
         .shape = {9, 1000, 3, 5},
         .chunk = {1, 4, 2, 2},
         .separator = '.'},
    };
    static const int share[] = {1, 5, 9}; /* of the chunks along each axis, in tenths */
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        struct made m = arrays[i];
        struct gf_image image;
        bool right = true;
        m.fill = "4242";
        write_metadata("m.zarr", &m);
        for (size_t k = 0; k < sizeof share / sizeof *share; k++) {
            int at[5];
            for (int axis = 0; axis < m.rank; axis++)
                at[axis] = (m.shape[axis] + m.chunk[axis] - 1) / m.chunk[axis] * share[k] / 10;
            write_chunk("m.zarr", &m, at);
        }
        CHECK_EQ(gf_image_read("m.zarr", &modest, &image, NULL), 0);
        for (int64_t n = 0; n < gf_array_count(&image.px) && right; n++) {
            int index[5], hit = 0;
            int64_t rest = n;
            for (int axis = m.rank - 1; axis >= 0; axis--) {
                index[axis] = (int)(rest % m.shape[axis]);
                rest /= m.shape[axis];
            }
            for (size_t k = 0; k < sizeof share / sizeof *share; k++) {
                bool in = true;
                for (int axis = 0; axis < m.rank; axis++)
                    in = in && index[axis] / m.chunk[axis] == (m.shape[axis] + m.chunk[axis] - 1) /
                                                                  m.chunk[axis] * share[k] / 10;
                hit |= in;
            }
            const uint16_t v = ((const uint16_t *)image.px.data)[n];
            right = v == (hit ? n * 7 % 101 : 4242);
        }
        CHECK_MSG(right, "array %zu", i);
        gf_image_free(&image);
        folder_remove("m.zarr");
    }
    struct made m = arrays[0];
    m.shape[0] = 2000000000;
    write_metadata("m.zarr", &m);
    CHECK(fails("m.zarr", "2e+09 chunks of 1 samples; rechunk it"));
    folder_remove("m.zarr");
}

/* A group of two levels, the larger one second. */
static void write_group(int version, const char *path) {
    static const char levels[] =
        "\"multiscales\":[{\"axes\":[{\"name\":\"T\",\"type\":\"time\",\"unit\":\"second\"},"
        "{\"name\":\"depth\",\"type\":\"space\",\"unit\":\"micrometer\"},"
        "{\"name\":\"y\",\"type\":\"space\",\"unit\":\"micrometer\"},"
        "{\"name\":\"x\",\"type\":\"space\"}],\"datasets\":["
        "{\"path\":\"1\",\"coordinateTransformations\":[{\"type\":\"scale\",\"scale\":[1,2,2,2]}]},"
        "{\"path\":\"%s\",\"coordinateTransformations\":[{\"type\":\"scale\",\"scale\":[1,1,1,1]},"
        "{\"type\":\"translation\",\"translation\":[9,9,9,9]}]}],"
        "\"coordinateTransformations\":[{\"type\":\"scale\",\"scale\":[0.5,3,0.25,1]}]}]";
    struct made m = nth(4), half = m;
    char text[2048], name[1536];
    m.version = half.version = version;
    m.type = half.type = U2;
    half.shape[3] = 3;
    mkdir("g.zarr", 0777);
    mkdir("g.zarr/s0", 0777);
    write_array("g.zarr/1", &half);
    write_array("g.zarr/s0/image", &m);
    snprintf(name, sizeof name, levels, path);
    snprintf(text, sizeof text,
             version == 2 ? "{%s}"
                          : "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":"
                            "{\"ome\":{\"version\":\"0.5\",%s}}}",
             name);
    file_put(version == 2 ? "g.zarr/.zattrs" : "g.zarr/zarr.json", text, strlen(text));
}

static void check_axes(const char *path, int64_t width, double y) {
    struct gf_image image;
    int rc = gf_image_read(path, &modest, &image, NULL);
    CHECK_MSG(!rc, "%s: %s", path, rc ? gf_message() : "");
    if (rc)
        return;
    const struct gf_axis *a = image.axes.axis;
    CHECK(image.axes.n == 4 && image.axes.named && image.ndim == 3);
    CHECK(!strcmp(a[0].name, "t") && a[0].role == GF_TIME && a[0].spacing == 0.5);
    CHECK(!strcmp(a[1].name, "depth") && a[1].role == GF_SPACE && !strcmp(a[1].unit, "um") &&
          a[1].spacing == 12 * y);
    CHECK(!strcmp(a[2].name, "y") && a[2].spacing == y && !strcmp(a[2].unit, "um"));
    CHECK(a[3].extent == width && a[3].spacing == 0 && !*a[3].unit);
    gf_image_free(&image);
}

/* The spacing along y for other scales of the level or of all; 0 if it is not known. */
static void test_scales(void) {
    static const struct {
        const char *old, *new;
        double y;
    } scales[] = {
        {"[0.5,3,0.25,1]", "[0.5,3,0.125,1]", 0.125},
        {"[1,1,1,1]}", "[1,1,2,1]},{\"type\":\"scale\",\"scale\":[1,1,3,1]}", 1.5},
        {"],\"coordinateTransformations\"", "],\"x\"", 1},
        {"\"scale\":[1,1,1,1]", "\"path\":\"scales\"", 0},
        {"\"scale\":[1,1,1,1]", "\"scale\":[1,1]", 0},
        {"\"type\":\"scale\",\"scale\":[1,1,1,1]", "\"type\":\"affine\",\"affine\":[1]", 0},
        {"[1,1,1,1]", "[1,1,-1,1]", 0},
    };
    struct gf_image image;
    size_t n;
    write_group(2, "s0/image");
    char *text = (char *)file_get("g.zarr/.zattrs", &n);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        put_replaced("g.zarr/.zattrs", text, scales[i].old, scales[i].new);
        CHECK_EQ(gf_image_read("g.zarr", &modest, &image, NULL), 0);
        CHECK_MSG(image.axes.axis[2].spacing == scales[i].y, "%zu: %g", i,
                  image.axes.axis[2].spacing);
        gf_image_free(&image);
    }
    /* Neither has a list. */
    for (char *at = text; (at = strstr(at, "coordinateTransformations"));)
        *at = 'x';
    file_put("g.zarr/.zattrs", text, n);
    CHECK(!gf_image_read("g.zarr", &modest, &image, NULL) && !(image.axes.axis[2].spacing > 0));
    gf_image_free(&image);
    free(text);
    folder_remove("g.zarr");
}

static void put_text(const char *path, const char *text) {
    file_put(path, text, strlen(text));
}

/* Groups of images are refused with the path of one, which is read. */
static void test_groups(void) {
    static const char scales[] = "{\"multiscales\":[{\"datasets\":[{\"path\":\"0\"}]}]}";
    struct gf_image image;
    struct made m = usual;
    CHECK(!mkdir("b.zarr", 0777) && !mkdir("b.zarr/OME", 0777) && !mkdir("b.zarr/s1", 0777));
    put_text("b.zarr/.zattrs", "{\"bioformats2raw.layout\":3}");
    CHECK(fails("b.zarr", "holds several series; name one, such as 'b.zarr/0'"));
    put_text("b.zarr/OME/.zattrs", "{\"series\":[\"s1\",\"s2\"]}");
    CHECK(fails("b.zarr", "holds 2 series; name one, such as 'b.zarr/s1'"));
    put_text("b.zarr/s1/.zattrs", scales);
    write_array("b.zarr/s1/0", &m);
    CHECK_EQ(gf_image_read("b.zarr/s1", &modest, &image, NULL), 0);
    gf_image_free(&image);
    put_text("b.zarr/.zattrs", "{\"plate\":{\"wells\":[{\"path\":\"A/1\"},{\"path\":\"A/2\"}]}}");
    CHECK(fails("b.zarr", "without an image's levels"));
    CHECK(!mkdir("b.zarr/A", 0777) && !mkdir("b.zarr/A/1", 0777) &&
          !rename("b.zarr/s1", "b.zarr/A/1/f"));
    put_text("b.zarr/A/1/.zattrs", "{\"well\":{\"images\":[{\"path\":\"f\"}]}}");
    CHECK(fails("b.zarr", "a plate of 2 wells; name an image of one, such as 'b.zarr/A/1/f'"));
    CHECK(fails("b.zarr/A/1", "a well of 1 images; name one, such as 'b.zarr/A/1/f'"));
    CHECK_EQ(gf_image_read("b.zarr/A/1/f", &modest, &image, NULL), 0);
    gf_image_free(&image);
    put_text("b.zarr/.zattrs", "{\"plate\":{\"wells\":[{\"path\":\"../x\"}]}}");
    CHECK(fails("b.zarr", "without an image's levels"));
    unlink("b.zarr/.zattrs");
    put_text("b.zarr/zarr.json",
             "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"ome\":"
             "{\"version\":\"0.5\",\"bioformats2raw.layout\":3}}}");
    CHECK(fails("b.zarr", "holds 2 series"));
    folder_remove("b.zarr");
}

static void test_levels(void) {
    static const char *const outside[] = {"../g.zarr/1", "/etc", "s0/../1", "", "a//b", "none"};
    for (int version = 2; version <= 3; version++) {
        write_group(version, "s0/image");
        check_axes("g.zarr", 6, 0.25);
        check_axes("./g.zarr/", 6, 0.25);
        check_axes("g.zarr/s0/image", 6, 0.25);
        check_axes("g.zarr/1", 3, 0.5);
        check_axes("g.zarr/1/", 3, 0.5);
        CHECK_EQ(chdir("g.zarr/1"), 0);
        check_axes(".", 3, 0.5);
        CHECK_EQ(chdir("../.."), 0);
        for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
            write_group(version, outside[i]);
            CHECK(fails("g.zarr", i < 5 ? "bad 'path'" : "has no array"));
        }
        folder_remove("g.zarr");
    }
    static char large[(1 << 20) + 1] = "{}";
    memset(large + 2, ' ', sizeof large - 2);
    CHECK(!mkdir("g.zarr", 0777) && fails("g.zarr", "is a directory"));
    file_put("g.zarr/.zgroup", "{\"zarr_format\":2}", 17);
    CHECK(fails("g.zarr", "without an image's levels"));
    file_put("g.zarr/.zattrs", large, sizeof large);
    CHECK(fails("g.zarr", "1 MiB"));
    folder_remove("g.zarr");
}

/* Files below a folder that is read are never written. */
static void test_guard(void) {
    const struct gf_claimant who = {.in = "g.zarr", .what = "x"};
    struct gf_claimant other;
    write_group(2, "s0/image");
    CHECK(!symlink("g.zarr", "link") && !symlink("g.zarr/new", "to_file"));
    gf_guard_begin();
    CHECK_EQ(gf_guard_read("link", "link"), 0);
    const char *const inside[] = {"g.zarr/x",         "./g.zarr/1/x.npy",     "link/s0/x",
                                  "g.zarr/no/such/x", "g.zarr/../g.zarr/1/x", "to_file"};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        CHECK_MSG(gf_guard_claim(inside[i], &who, &other) == GF_EUSAGE &&
                      strstr(gf_message(), "is in the input 'link'"),
                  "%s: %s", inside[i], gf_message());
    CHECK_EQ(gf_guard_open("g.zarr/x"), GF_EIO);
    const char *const outside[] = {"x.npy", "g.zarr/../y.npy", "g.zarr.npy", "/gone/x"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        CHECK_EQ(gf_guard_claim(outside[i], &who, &other), 0);
    gf_guard_begin(); /* the same folder is no input */
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        CHECK_MSG(gf_guard_claim(inside[i], &who, &other) == GF_EUSAGE &&
                      strstr(gf_message(), "is in a Zarr folder"),
                  "%s: %s", inside[i], gf_message());
        CHECK_EQ(gf_guard_open(inside[i]), GF_EIO);
    }
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        CHECK_EQ(gf_guard_claim(outside[i], &who, &other), 0);
    gf_guard_end();
    folder_remove("g.zarr");
}

int main(int argc, char **argv) {
    const bool is_long = argc > 1 && !strcmp(argv[1], "long");
    scratch_enter();
    RUN("every type, codec and version is read", test_types());
    RUN("pages are read in pieces and in any order", test_pages());
    RUN("missing chunks have the fill value", test_fill());
    RUN("metadata that lies is refused with the reason", test_lies());
    RUN("cut and changed metadata and chunks are refused or read",
        test_damage(is_long ? 5000 : 40)); /* ten times */
    RUN("chunks that do not unpack to their size are refused", test_chunk_files());
    RUN("arrays of millions of missing chunks are read at once", test_many_chunks());
    RUN("scales of levels multiply, or are unknown", test_scales());
    RUN("groups of images are refused with the path of one", test_groups());
    RUN("the level that was asked for is read", test_levels());
    RUN("files below a folder that is read are never written", test_guard());
    scratch_leave();
    return TEST_END();
}
