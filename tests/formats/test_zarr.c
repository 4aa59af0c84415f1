/* Zarr folders that the test makes itself: every type, codec and key, parts of pages, missing chunks,
 * levels, and folders that lie. usage: test_zarr [long] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/sample_value.h"
#include "core/base/status.h"
#include "formats/files.h"
#include "formats/io/guard.h"
#include "tests/formats/files.h"
#include "tests/test.h"

enum codec { PLAIN, ZLIB, GZIP, ZSTD, BLOSC, SUM, N_CODECS };
static const char *const codec_names[] = {"", "zlib", "gzip", "zstd", "blosc", "crc32c"};
static const struct gf_read_options modest = {.max_memory = 64 << 20};

static const struct {
    const char *code, *name;
    enum gf_dtype dtype;
    int size;
    char kind; /* of stored numbers: u, i, f; h: 16-bit float; c */
} types[] = {{"b1", "bool", GF_U8, 1, 'u'},       {"u1", "uint8", GF_U8, 1, 'u'},
             {"i1", "int8", GF_I8, 1, 'i'},       {"u2", "uint16", GF_U16, 2, 'u'},
             {"i2", "int16", GF_I16, 2, 'i'},     {"u4", "uint32", GF_U32, 4, 'u'},
             {"i4", "int32", GF_I32, 4, 'i'},     {"u8", "uint64", GF_F64, 8, 'u'},
             {"i8", "int64", GF_F64, 8, 'i'},     {"f2", "float16", GF_F32, 2, 'h'},
             {"f4", "float32", GF_F32, 4, 'f'},   {"f8", "float64", GF_F64, 8, 'f'},
             {"c8", "complex64", GF_C64, 8, 'c'}, {"c16", "complex128", GF_C128, 16, 'c'}};
enum { N_TYPES = sizeof types / sizeof *types, U2 = 3 };

struct made {
    int version, type, rank;
    int shape[5], chunk[5];
    enum codec codec;
    bool big, v2_keys;
    char separator;
    const char *fill, *more; /* metadata as text */
};

static const struct made usual = {
    .version = 2, .type = U2, .rank = 3, .shape = {5, 7, 11}, .chunk = {2, 3, 4}, .separator = '.'};

/* The number at an index of the array, small enough for every type. */
static int number_at(const struct made *m, const int *index) {
    int i = 0;
    for (int k = 0; k < m->rank; k++)
        i = i * m->shape[k] + index[k];
    return i * 7 % 101;
}

/* Stores v and, of a complex number, v + 1. */
static void put_number(const struct made *m, int v, unsigned char *to) {
    const int parts = types[m->type].kind == 'c' ? 2 : 1, size = types[m->type].size / parts;
    for (int part = 0; part < parts; part++, v++, to += size) {
        const float f = (float)v;
        const double d = v;
        uint64_t bits = (uint64_t)v;
        uint32_t bits32;
        int e = 0;
        if (strchr("fc", types[m->type].kind) && size == 4)
            memcpy(&bits32, &f, 4), bits = bits32;
        else if (strchr("fc", types[m->type].kind))
            memcpy(&bits, &d, 8);
        else if (types[m->type].kind == 'h' && v) /* 1.xxx * 2^e */
            for (bits = 0; v >> (e + 1); e++)
                ;
        if (types[m->type].kind == 'h' && v)
            bits = (uint64_t)(e + 15) << 10 | (((uint64_t)v << 10 >> e) & 1023);
        for (int i = 0; i < size; i++)
            to[i] = (unsigned char)(bits >> 8 * (m->big ? size - 1 - i : i));
    }
}

static uint32_t sum_of(const unsigned char *p, size_t n) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n * 8; i++) {
        const uint32_t bit = (crc ^ p[i / 8] >> i % 8) & 1;
        crc = crc >> 1 ^ (bit ? 0x82f63b78 : 0);
    }
    return ~crc;
}

static void put_little(unsigned char *to, uint64_t v, int size) {
    for (int i = 0; i < size; i++)
        to[i] = (unsigned char)(v >> 8 * i);
}

/* Packs n bytes; Zstandard and Blosc have a form that only stores. Returns the packed size. */
static size_t pack(enum codec codec, const unsigned char *from, size_t n, unsigned char *to) {
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)from, .avail_in = (uInt)n};
    memcpy(to, from, n);
    switch (codec) {
    case ZLIB:
    case GZIP:
        z.next_out = to;
        z.avail_out = 1 << 16;
        deflateInit2(&z, 6, Z_DEFLATED, codec == GZIP ? 31 : 15, 8, Z_DEFAULT_STRATEGY);
        deflate(&z, Z_FINISH);
        deflateEnd(&z);
        return z.total_out;
    case ZSTD: /* a single segment, its size in four bytes, one last raw block */
        memcpy(to, "\x28\xb5\x2f\xfd\xa0", 5);
        put_little(to + 5, n, 4);
        put_little(to + 9, n << 3 | 1, 3);
        memcpy(to + 12, from, n);
        return n + 12;
    case BLOSC: /* version 2, copied, samples of one byte */
        memcpy(to, "\x02\x01\x02\x01", 4);
        put_little(to + 4, n, 4);
        put_little(to + 8, n, 4);
        put_little(to + 12, n + 16, 4);
        memcpy(to + 16, from, n);
        return n + 16;
    case SUM:
        put_little(to + n, sum_of(from, n), 4);
        return n + 4;
    default:
        return n;
    }
}

static void list_text(const int *v, int n, char *text) {
    for (int i = 0; i < n; i++)
        text += sprintf(text, "%s%d", i ? "," : "", v[i]);
}

static void write_metadata(const char *folder, const struct made *m) {
    char path[256], text[2048], shape[64], chunk[64], packed[128] = "";
    list_text(m->shape, m->rank, shape);
    list_text(m->chunk, m->rank, chunk);
    mkdir(folder, 0777);
    if (m->codec)
        snprintf(packed, sizeof packed,
                 m->version == 2 ? "{\"id\":\"%s\"}" : ",{\"name\":\"%s\",\"configuration\":{}}",
                 codec_names[m->codec]);
    if (m->version == 2)
        snprintf(text, sizeof text,
                 "{\"zarr_format\":2,\"shape\":[%s],\"chunks\":[%s],\"dtype\":\"%c%s\","
                 "\"compressor\":%s,\"fill_value\":%s,\"order\":\"C\",\"filters\":null,"
                 "\"dimension_separator\":\"%c\"%s}",
                 shape, chunk, "<>||"[m->big + (types[m->type].size == 1) * 2], types[m->type].code,
                 m->codec ? packed : "null", m->fill ? m->fill : "0", m->separator,
                 m->more ? m->more : "");
    else
        snprintf(
            text, sizeof text,
            "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[%s],\"data_type\":\"%s\","
            "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[%s]}},"
            "\"chunk_key_encoding\":{\"name\":\"%s\",\"configuration\":{\"separator\":\"%c\"}},"
            "\"fill_value\":%s,\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":"
            "\"%s\"}}%s]%s}",
            shape, types[m->type].name, chunk, m->v2_keys ? "v2" : "default", m->separator,
            m->fill ? m->fill : "0", m->big ? "big" : "little", packed, m->more ? m->more : "");
    snprintf(path, sizeof path, "%s/%s", folder, m->version == 2 ? ".zarray" : "zarr.json");
    file_put(path, text, strlen(text));
}

/* The path of a chunk; makes the folders on the way. */
static void chunk_path(const char *folder, const struct made *m, const int *at, char path[256]) {
    const bool prefix = m->version == 3 && !m->v2_keys;
    int n = snprintf(path, 256, "%s/%s", folder, prefix ? "c" : "");
    for (int k = 0; k < m->rank; k++) {
        if (prefix || k)
            path[n++] = m->separator;
        path[n] = 0;
        if (m->separator == '/') {
            path[n - 1] = 0;
            mkdir(path, 0777);
            path[n - 1] = '/';
        }
        n += sprintf(path + n, "%d", at[k]);
    }
}

/* Samples beyond the array's edge are 255. */
static void write_chunk(const char *folder, const struct made *m, const int *at) {
    static unsigned char plain[1 << 16], packed[1 << 17];
    const size_t size = (size_t)types[m->type].size;
    char path[256];
    int n = 1;
    for (int k = 0; k < m->rank; k++)
        n *= m->chunk[k];
    memset(plain, 255, sizeof plain);
    for (int i = 0; i < n; i++) {
        int index[5], rest = i;
        bool inside = true;
        for (int k = m->rank - 1; k >= 0; k--) {
            index[k] = at[k] * m->chunk[k] + rest % m->chunk[k];
            inside = inside && index[k] < m->shape[k];
            rest /= m->chunk[k];
        }
        if (inside || types[m->type].kind == 'u' || types[m->type].kind == 'i')
            put_number(m, inside ? number_at(m, index) : 0, plain + (size_t)i * size);
    }
    chunk_path(folder, m, at, path);
    file_put(path, packed, pack(m->codec, plain, (size_t)n * size, packed));
}

static void write_array(const char *folder, const struct made *m) {
    int at[5] = {0}, k = 0;
    write_metadata(folder, m);
    while (k >= 0) {
        write_chunk(folder, m, at);
        for (k = m->rank - 1; k >= 0 && ++at[k] * m->chunk[k] >= m->shape[k]; k--)
            at[k] = 0;
    }
}

/* True if n samples from sample `first` on are the array's. */
static bool samples_right(const struct made *m, const void *p, int64_t first, int64_t n) {
    const enum gf_dtype dtype = types[m->type].dtype;
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

/* A run of shapes and chunks that do not divide them. */
static struct made nth(int n) {
    static const struct made shapes[] = {
        {.rank = 1, .shape = {50}, .chunk = {16}},
        {.rank = 2, .shape = {9, 13}, .chunk = {4, 5}},
        {.rank = 2, .shape = {9, 13}, .chunk = {16, 16}},
        {.rank = 3, .shape = {5, 7, 11}, .chunk = {2, 3, 4}},
        {.rank = 4, .shape = {2, 5, 4, 6}, .chunk = {1, 2, 4, 4}},
        {.rank = 5, .shape = {3, 2, 4, 5, 6}, .chunk = {2, 1, 3, 5, 4}},
    };
    struct made m = shapes[n % 6];
    m.separator = n % 2 ? '/' : '.';
    m.v2_keys = n % 4 == 1;
    return m;
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
                    CHECK_MSG(!rc && image.px.dtype == types[type].dtype &&
                                  samples_right(&m, image.px.data, 0, gf_array_count(&image.px)),
                              "%d %s %s %d rank %d: %s", version, types[type].name,
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
                CHECK(!gf_file_read_pages(file, &image, from, some, buffer) &&
                      samples_right(&m, buffer, from * page, some * page));
            }
            CHECK_EQ(gf_file_read_pages(file, &image, 0, 1, buffer), 0);
            folder_remove("p.zarr");
            CHECK_EQ(gf_file_read_pages(file, &image, 1, 1, buffer), 0);
            CHECK(samples_right(&m, buffer, page, page));
            if (n == 5) { /* the other time of the chunks, if memory allows */
                CHECK_EQ(gf_file_read_pages(file, &image, 8, 1, buffer), 0);
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
                 {"u1", "300", 255, 0}};
    static const char *const bad[] = {"\"AAAA\"", "\"NaN\"", "[1]", "{}", "\"Infinity\""};
    struct made m = {.version = 2, .rank = 2, .shape = {3, 4}, .chunk = {2, 3}, .separator = '.'};
    struct gf_image image;
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        for (m.type = 0; strcmp(types[m.type].code, fills[i].type); m.type++)
            ;
        m.fill = fills[i].fill;
        write_metadata("f.zarr", &m);
        CHECK_EQ(gf_image_read("f.zarr", &modest, &image, NULL), 0);
        const char *last = gf_array_at(&image.px, 11);
        const double v = gf_sample_get(last, image.px.dtype);
        const double w = gf_dtype_is_complex(image.px.dtype)
                             ? gf_sample_get(last + gf_dtype_size(image.px.dtype) / 2,
                                             gf_dtype_real(image.px.dtype))
                             : 0;
        CHECK_MSG((v == fills[i].want || (isnan(v) && isnan(fills[i].want))) &&
                      w == fills[i].imaginary,
                  "%s of %s is %g %g", fills[i].fill, fills[i].type, v, w);
        gf_image_free(&image);
    }
    m.type = U2;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        m.fill = bad[i];
        write_metadata("f.zarr", &m);
        CHECK(fails("f.zarr", "a fill value"));
    }
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
        {2, "[5,7,11]", "[1000000,1000000,11]", "needs"},
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
    CHECK(fails("k.zarr", "is a directory"));
    folder_remove("k.zarr");
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
    CHECK(!strcmp(a[1].name, "depth") && a[1].role == GF_SPACE && !strcmp(a[1].unit, "um"));
    CHECK(!strcmp(a[2].name, "y") && a[2].spacing == y && !strcmp(a[2].unit, "um"));
    CHECK(a[3].extent == width && a[3].spacing == 0 && !*a[3].unit);
    gf_image_free(&image);
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
    gf_guard_end();
    folder_remove("g.zarr");
}

int main(int argc, char **argv) {
    const bool is_long = argc > 1 && !strcmp(argv[1], "long");
    scratch_enter();
    test_types();
    test_pages();
    test_fill();
    test_lies();
    test_damage(is_long ? 5000 : 40); /* ten times */
    test_chunk_files();
    test_levels();
    test_guard();
    scratch_leave();
    return TEST_END();
}
