/* The spectrum record: what is written comes back, and nothing else is believed. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/record.h"
#include "formats/record_file.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static const char plain[] =
    "{\"gpufft\":1,\"kind\":\"complex\",\"extents\":[512,256],\"channels\":1,\"color\":\"gray\","
    "\"type\":\"u8\",\"depth\":8,\"axes\":[0,1],\"norm\":\"backward\",\"shift\":false,"
    "\"half\":false,\"luma\":false,\"complex_input\":false,\"alpha\":\"none\"}";

static bool same(const struct gf_record *a, const struct gf_record *b) {
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] != b->shape[i])
            return false;
    return a->version == b->version && a->kind == b->kind && a->ndim == b->ndim &&
           a->channels == b->channels && a->color == b->color && a->dtype == b->dtype &&
           a->depth == b->depth && a->axes == b->axes && a->norm == b->norm &&
           a->shift == b->shift && a->half == b->half && a->luma == b->luma &&
           a->complex_input == b->complex_input && a->alpha == b->alpha && a->smooth == b->smooth &&
           a->window.shape == b->window.shape && a->window.parameter == b->window.parameter;
}

static struct gf_record random_record(uint32_t *seed) {
    struct gf_record r = {.version = 1};
    r.kind = (enum gf_kind)(random_next(seed) % (GF_COMPLEX + 1));
    r.ndim = 1 + (int)(random_next(seed) % 3);
    for (int i = 0; i < r.ndim; i++)
        r.shape[i] = 1 + random_next(seed) % 100000;
    static const int channels[] = {1, 3, 4};
    r.color = (enum gf_color)(random_next(seed) % 3);
    r.channels = channels[r.color];
    r.dtype = (enum gf_dtype)(random_next(seed) % GF_N_DTYPES);
    r.complex_input = gf_dtype_is_complex(r.dtype);
    r.depth = 1 + (int)(random_next(seed) % (8 * gf_dtype_size(r.dtype)));
    r.axes = 1 + random_next(seed) % ((1u << r.ndim) - 1);
    r.norm = (enum gf_norm)(random_next(seed) % 3);
    r.shift = random_next(seed) & 16;
    r.half = !r.complex_input && (random_next(seed) & 16);
    r.luma = r.channels == 1 && (random_next(seed) & 16);
    r.alpha = (enum gf_alpha)(random_next(seed) % 3);
    if (gf_dtype_is_integer(r.dtype) || random_next(seed) & 16)
        return r;
    r.smooth = !r.complex_input && (random_next(seed) & 16);
    r.window.shape = (enum gf_window_shape)(GF_WINDOW_HANN + random_next(seed) % 5);
    r.window.parameter = r.window.shape == GF_WINDOW_TUKEY    ? 0.25
                         : r.window.shape == GF_WINDOW_KAISER ? 8.5
                                                              : 0;
    r.version = GF_RECORD_WINDOW;
    return r;
}

/* A record of version 4, and what makes it one of nothing. */
static void test_window(void) {
    static const char record[] =
        "{\"gpufft\":4,\"kind\":\"complex\",\"extents\":[9],\"channels\":1,\"color\":\"gray\","
        "\"type\":\"f32\",\"depth\":8,\"axes\":[0],\"norm\":\"backward\",\"shift\":false,"
        "\"half\":false,\"luma\":false,\"complex_input\":false,\"alpha\":\"none\"";
    static const char *const good[] = {",\"window\":\"hann\"}", ",\"smooth\":true}",
                                       ",\"smooth\":true,\"window\":\"tukey:0.5\"}"};
    static const char *const bad[] = {"}",
                                      ",\"window\":\"none\"}",
                                      ",\"window\":\"han\"}",
                                      ",\"window\":\"kaiser:1e99\"}",
                                      ",\"window\":1}",
                                      ",\"window\":null}",
                                      ",\"smooth\":false}",
                                      ",\"smooth\":1}",
                                      ",\"window\":\"hann\",\"transform\":\"dwt\"}"};
    char text[1000];
    struct gf_record r;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "%s%s", record, good[i]);
        CHECK_MSG(!gf_record_parse(text, &r) && r.version == 4, "%s: %s", good[i], gf_message());
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "%s%s", record, bad[i]);
        CHECK_MSG(gf_record_parse(text, &r) == GF_EFORMAT, "%s", bad[i]);
    }
    snprintf(text, sizeof text, "%s%s", record, good[0]);
    memcpy(strstr(text, "f32"), "u16", 3); /* products with a window are no integers */
    CHECK_EQ(gf_record_parse(text, &r), GF_EFORMAT);
}

static void test_round_trip(void) {
    uint32_t seed = 1;
    for (int i = 0; i < 500; i++) {
        struct gf_record r = random_record(&seed), back = {0};
        char *text;
        CHECK_EQ(gf_record_format(&r, &text), GF_OK);
        CHECK(text && !strchr(text, '\n'));
        int rc = gf_record_parse(text, &back);
        CHECK_MSG(rc == GF_OK && same(&r, &back), "%s: %s", text, rc ? gf_message() : "differs");
        free(text);
    }
    struct gf_record r;
    CHECK_EQ(gf_record_parse(plain, &r), GF_OK);
    CHECK_EQ(r.shape[0], 512);
    CHECK_EQ(r.shape[1], 256);
    CHECK_EQ(r.axes, 3);
    CHECK_EQ(r.kind, GF_COMPLEX);
    char *text; /* the form is part of the file format */
    CHECK_EQ(gf_record_format(&r, &text), GF_OK);
    CHECK(text && !strcmp(text, plain));
    free(text);
}

/* `plain` with `from` replaced by `to`. */
static int parse_changed(const char *from, const char *to) {
    char text[1024];
    struct gf_record r;
    const char *at = strstr(plain, from);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - plain), plain, to, at + strlen(from));
    return gf_record_parse(text, &r);
}

static void test_fields(void) {
    static const char *const bad[][2] = {
        {"\"gpufft\":1", "\"gpufft\":2"},
        {"\"gpufft\":1", "\"gpufft\":0"},
        {"\"gpufft\":1", "\"gpufft\":1.0"},
        {"\"gpufft\":1", "\"gpufft\":\"1\""},
        {"\"gpufft\":1,", ""},
        {"\"complex\"", "\"Complex\""},
        {"\"complex\"", "7"},
        {"[512,256]", "[]"},
        {"[512,256]", "[1,2,3,4]"},
        {"[512,256]", "[0,1]"},
        {"[512,256]", "[-1,1]"},
        {"[512,256]", "[512.5,256]"},
        {"[512,256]", "[4611686018427387904,4]"},
        {"[512,256]", "[3000000000,3000000000]"},
        {"[512,256]", "\"512x256\""},
        {"\"channels\":1", "\"channels\":0"},
        {"\"channels\":1", "\"channels\":3"}, /* grey has one */
        {"\"channels\":1", "\"channels\":99999999999"},
        {"\"gray\"", "\"rgb\""},
        {"\"gray\"", "\"grey\""},
        {"\"u8\"", "\"u9\""},
        {"\"u8\"", "\"c64\""}, /* without complex_input */
        {"\"depth\":8", "\"depth\":9"},
        {"\"depth\":8", "\"depth\":-1"},
        {"[0,1]", "[0,0]"},
        {"[0,1]", "[2]"},
        {"[0,1]", "[-1]"},
        {"[0,1]", "[]"},
        {"[0,1]", "[64]"},
        {"\"backward\"", "null"},
        {"\"shift\":false", "\"shift\":0"},
        {"\"half\":false", "\"half\":\"false\""},
        {"\"half\":false,", ""},
        {"\"complex_input\":false", "\"complex_input\":true"},
        {"\"none\"", "\"\""},
        {"\"none\"}", "\"none\"} x"},
        {"\"none\"}", "\"none\",\"half\":true}"}, /* twice */
        {"\"none\"}", "\"none\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int rc = parse_changed(bad[i][0], bad[i][1]);
        CHECK_MSG(rc == GF_EFORMAT && message_is_good(gf_message()), "%s as %s: %d %s", bad[i][0],
                  bad[i][1], rc, gf_message());
    }
    CHECK_EQ(parse_changed("\"gpufft\":1", "\"gpufft\":5"), GF_EFORMAT);
    CHECK(strstr(gf_message(), "version 5"));
    CHECK_EQ(parse_changed("\"gpufft\":1", "\"gpufft\":4"), GF_EFORMAT); /* no window */
    CHECK_EQ(parse_changed("\"none\"}", "\"none\",\"window\":\"hann\"}"), GF_EFORMAT);
    CHECK_EQ(parse_changed("\"gpufft\":1", "\"gpufft\":2"), GF_EFORMAT); /* no wavelet's fields */
    /* what older writers called it; but one shape is enough */
    CHECK_EQ(parse_changed("extents", "shape"), GF_OK);
    CHECK_EQ(parse_changed("extents", "picture_shape"), GF_OK);
    CHECK_EQ(parse_changed("extents", "picture"), GF_EFORMAT);
    CHECK_EQ(parse_changed("\"none\"}", "\"none\",\"shape\":[512,256]}"), GF_EFORMAT);
    /* what a later writer of this version may add */
    CHECK_EQ(parse_changed("\"none\"}", "\"none\",\"note\":[1,{\"a\":null}]}"), GF_OK);
}

/* Fields that are right alone and wrong together. */
static void test_together(void) {
    static const struct {
        const char *record, *says;
    } bad[] = {
#define RECORD(channels, color, type, half, luma, is_complex, more) \
    "{\"gpufft\":" more ",\"kind\":\"real\",\"extents\":[20,24],\"channels\":" channels \
    ",\"color\":\"" color "\",\"type\":\"" type "\",\"depth\":8,\"axes\":[0,1]," \
    "\"norm\":\"backward\",\"shift\":false,\"half\":" half ",\"luma\":" luma \
    ",\"complex_input\":" is_complex ",\"alpha\":\"none\"}"
#define WAVELET \
    "2,\"transform\":\"dwt\",\"wavelet\":\"d4\",\"levels\":3,\"boundary\":\"zero\"," \
    "\"thresholded\":false"
        {RECORD("1", "gray", "u8", "true", "true", "false", "1"), NULL},
        {RECORD("3", "rgb", "u8", "false", "false", "false", "1"), NULL},
        {RECORD("3", "rgb", "u8", "false", "true", "false", "1"), "'luma'"},
        {RECORD("2", "other", "u8", "false", "true", "false", "1"), "'luma'"},
        {RECORD("1", "gray", "c64", "false", "false", "true", "1"), NULL},
        {RECORD("1", "gray", "c64", "true", "false", "true", "1"), "'half'"},
        {RECORD("1", "gray", "c64", "false", "false", "false", "1"), "'complex_input'"},
        {RECORD("1", "gray", "f32", "false", "false", "true", "1"), "'complex_input'"},
        {RECORD("4", "rgb", "u8", "false", "false", "false", "1"), "'color'"},
        {RECORD("1", "gray", "u8", "false", "false", "false", "1,\"channel_axis\":true"), NULL},
        {RECORD("3", "rgb", "u8", "false", "false", "false", "1,\"channel_axis\":true"),
         "'channel_axis'"},
        {RECORD("1", "gray", "u8", "false", "false", "false", WAVELET), NULL},
        {RECORD("1", "gray", "u8", "false", "true", "false", WAVELET), "'kind'"},
        {RECORD("1", "gray", "c64", "false", "false", "true", WAVELET), "'kind'"},
        {RECORD("1", "gray", "f32", "false", "false", "false", "4,\"smooth\":true"), NULL},
        {RECORD("1", "gray", "c64", "false", "false", "true", "4,\"smooth\":true"), "'window'"},
        {RECORD("1", "gray", "u8", "false", "false", "false", "1,\"white\":1"), NULL},
        {RECORD("1", "gray", "u8", "false", "false", "false", "1,\"white\":4294967295"), NULL},
        {RECORD("1", "gray", "u8", "false", "false", "false", "1,\"white\":4294967296"), "'white'"},
    };
    struct gf_record r;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const int rc = gf_record_parse(bad[i].record, &r);
        CHECK_MSG(bad[i].says ? rc == GF_EFORMAT && strstr(gf_message(), bad[i].says) : !rc,
                  "%s: %s", bad[i].record, rc ? gf_message() : "parsed");
    }
}

/* The data that a record beside a file describes, and words that it may not have. */
static void test_file(void) {
    static const char good[] = "{\"gpufft\":1,\"data\":{\"format\":\"npy\",\"type\":\"f32\","
                               "\"shape\":[2,3],\"channels\":1,"
                               "\"endian\":\"little\",\"bytes\":24,\"crc32\":\"00ffab09\"}}";
    static const char *const bad[][2] = {{"\"channels\":1", "\"channels\":0"},
                                         {"\"channels\":1", "\"channels\":65536"},
                                         {"00ffab09", "00ffab0"},
                                         {"00ffab09", "00ffab09x"},
                                         {"00ffab09", "00FFAB09"},
                                         {"\"bytes\":24", "\"bytes\":-1"},
                                         {"\"bytes\":24", "\"bytes\":24.0"},
                                         {"\"npy\"", "\"png\""},
                                         {"\"npy\"", "\"xyz\""},
                                         {"\"f32\"", "\"f31\""},
                                         {"\"little\"", "\"Little\""},
                                         {"[2,3]", "[]"},
                                         {"[2,3]", "[2,0]"},
                                         {"[2,3]", "[1,1,2,3]"},
                                         {"\"data\":{", "\"data\":[3],\"x\":{"}};
    struct gf_record_file f;
    char text[400];
    CHECK_EQ(gf_record_file_parse(good, sizeof good - 1, &f), GF_OK);
    CHECK(f.n == 1 && f.d[0].bytes == 24 && f.d[0].crc32 == 0x00ffab09 && f.d[0].layout.ndim == 2 &&
          f.d[0].layout.shape[1] == 3 && f.d[0].layout.dtype == GF_F32 &&
          !f.d[0].layout.big_endian);
    CHECK_STR(f.d[0].record, "{\"gpufft\":1}");
    gf_record_file_free(&f);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *at = strstr(good, bad[i][0]);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, bad[i][1],
                 at + strlen(bad[i][0]));
        const int rc = gf_record_file_parse(text, strlen(text), &f);
        CHECK_MSG(rc == GF_EFORMAT && !f.n && message_is_good(gf_message()), "%s", text);
    }
}

/* Gamma, the intent of sRGB and primaries at their ends. */
static void test_colors(void) {
    static const struct {
        const char *more;
        bool good;
    } colors[] = {{"\"srgb\":0", true},
                  {"\"srgb\":3", true},
                  {"\"srgb\":4", false},
                  {"\"srgb\":-1", false},
                  {"\"gamma\":1", true},
                  {"\"gamma\":2147483647", true},
                  {"\"gamma\":2147483648", false},
                  {"\"gamma\":0", false},
                  {"\"primaries\":[1,2,3,4,5,6,7,2147483647]", true},
                  {"\"primaries\":[1,2,3,4,5,6,7,2147483648]", false},
                  {"\"primaries\":[1,2,3,4,5,6,7]", false},
                  {"\"resolution\":[3,2,\"inch\"]", true},
                  {"\"resolution\":[3,2,\"foot\"]", false},
                  {"\"resolution\":[3,-2,\"inch\"]", false}};
    char to[100];
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) {
        snprintf(to, sizeof to, "\"none\",%s}", colors[i].more);
        CHECK_MSG(parse_changed("\"none\"}", to) == (colors[i].good ? GF_OK : GF_EFORMAT), "%s",
                  colors[i].more);
    }
}

static void test_mutations(void) {
    char text[sizeof plain];
    struct gf_record r;
    uint32_t seed = 11;
    int taken = 0;
    for (size_t n = 0; n < sizeof plain - 1; n++) {
        memcpy(text, plain, n);
        text[n] = 0;
        CHECK_EQ(gf_record_parse(text, &r), GF_EFORMAT);
    }
    for (int i = 0; i < 5000; i++) {
        memcpy(text, plain, sizeof plain);
        for (uint32_t k = random_next(&seed) % 4; k < 4; k++)
            text[random_next(&seed) % (sizeof plain - 1)] = (char)(32 + random_next(&seed) % 95);
        int rc = gf_record_parse(text, &r);
        if (rc) {
            CHECK(rc == GF_EFORMAT && message_is_good(gf_message()));
        } else { /* still a sane one */
            int64_t bytes;
            taken++;
            CHECK(r.version == 1 && r.ndim >= 1 && r.ndim <= 3 && r.axes && !(r.axes >> r.ndim));
            CHECK_EQ(gf_size_product(r.shape, r.ndim, r.channels, &bytes), GF_OK);
        }
    }
    CHECK(taken > 10 && taken < 2000);
    char *deep = malloc(100002);
    memset(deep, '[', 100001);
    deep[100001] = 0;
    CHECK_EQ(gf_record_parse(deep, &r), GF_EFORMAT);
    deep[5000] = 0;
    CHECK_EQ(gf_record_parse(deep, &r), GF_EFORMAT);
    CHECK_EQ(gf_record_parse("", &r), GF_EFORMAT);
    CHECK_EQ(gf_record_parse("[]", &r), GF_EFORMAT);
    CHECK_EQ(gf_record_parse("{}", &r), GF_EFORMAT);
    CHECK_EQ(gf_record_parse("\xff\xfe", &r), GF_EFORMAT);
    free(deep);
}

/* Wavelet records: there and back, and each of their own fields broken. */
static void test_wavelet(void) {
    static const char text[] =
        "{\"gpufft\":2,\"kind\":\"real\",\"extents\":[20,24],\"channels\":1,\"color\":"
        "\"gray\","
        "\"type\":\"u8\",\"depth\":8,\"axes\":[0,1],\"norm\":\"backward\",\"shift\":false,"
        "\"half\":false,\"luma\":false,\"complex_input\":false,\"alpha\":\"none\","
        "\"transform\":\"dwt\",\"wavelet\":\"d4\",\"levels\":3,\"boundary\":\"zero\","
        "\"thresholded\":true}";
    static const char *const bad[][2] = {
        {"\"levels\":3", "\"levels\":0"},
        {"\"levels\":3", "\"levels\":41"},
        {"\"levels\":3,", ""},
        {"\"zero\"", "\"none\""},
        {"\"d4\"", "\"db4\""},
        {"\"dwt\"", "\"fft\""},
        {":true}", ":1}"},
        {"\"real\"", "\"complex\""},
        {"\"shift\":false", "\"shift\":true"},
        {"\"half\":false", "\"half\":true"},
    };
    struct gf_record r;
    CHECK_EQ(gf_record_parse(text, &r), GF_OK);
    CHECK(r.version == 2 && r.is_wavelet && r.levels == 3 && r.boundary == GF_ZERO &&
          r.thresholded && r.shape[1] == 24);
    char *again;
    CHECK_EQ(gf_record_format(&r, &again), GF_OK);
    CHECK(again && !strcmp(again, text));
    free(again);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char changed[sizeof text + 64];
        const char *at = strstr(text, bad[i][0]);
        CHECK(at != NULL);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, bad[i][1],
                 at + strlen(bad[i][0]));
        CHECK_MSG(gf_record_parse(changed, &r) == GF_EFORMAT && message_is_good(gf_message()),
                  "%s as %s", bad[i][0], bad[i][1]);
    }
}

/* Version 3: the axes and the header of the picture's file come back; each is broken in turn. */
static void test_axes(void) {
    static const char *const bad[][2] = {
        {"\"name\":\"t\"", "\"name\":3"},        {"\"extent\":7", "\"extent\":0"},
        {"\"extent\":7", "\"extent\":-1"},       {"\"extent\":7", "\"extent\":9223372036854775807"},
        {"\"role\":\"time\"", "\"role\":\"x\""}, {"\"file_axes\":[", "\"file_axes\":[3,"},
        {"\"gpufft\":3", "\"gpufft\":4"},
    };
    static const char *const bad_header[][2] = {
        {"\"bytes\":900", "\"bytes\":899"},         {"\"bytes\":900", "\"bytes\":901"},
        {"\"bytes\":900", "\"bytes\":-1"},          {"\"bytes\":900", "\"bytes\":16777217"},
        {"\"crc32\":\"", "\"crc32\":\"1"},          {"\"deflated\":\"", "\"deflated\":\"A"},
        {"\"deflated\":\"", "\"deflated\":\"!!!!"}, {"\"format\":\"npy\"", "\"format\":\"xyz\""},
    };
    unsigned char header[900];
    uint32_t seed = 8;
    for (size_t i = 0; i < sizeof header; i++)
        header[i] = (unsigned char)(random_next(&seed) % 7);
    struct gf_record r, back;
    char *text;
    CHECK_EQ(gf_record_parse(plain, &r), GF_OK);
    gf_axes_start(&r.file_axes, 512, 256);
    gf_axes_add(&r.file_axes, "z", 5, 0.5, "um");
    gf_axes_add(&r.file_axes, "t", 7, 0.1, "s");
    r.metadata.header_format = "npy";
    r.metadata.header = header;
    r.metadata.header_bytes = sizeof header;
    r.metadata.more = true;
    CHECK_EQ(gf_record_format(&r, &text), GF_OK);
    CHECK(!strncmp(text, "{\"gpufft\":3,", 12));
    CHECK_EQ(gf_record_parse(text, &back), GF_OK);
    r.file_axes.named = true; /* by the time */
    CHECK(back.version == 3 && !back.metadata.header &&
          !memcmp(&back.file_axes, &r.file_axes, sizeof r.file_axes));
    struct gf_metadata m = {0};
    char *rows; /* of anything, are no pages */
    r.file_axes.axis[0].role = GF_SPACE;
    r.file_axes.axis[2].role = GF_OTHER_ROLE;
    CHECK(!gf_record_format(&r, &rows) && !gf_record_parse(rows, &back) && !back.file_axes.named &&
          back.file_axes.axis[2].role == GF_OTHER_ROLE);
    free(rows);
    CHECK_EQ(gf_record_header(text, &m), GF_OK);
    CHECK(m.header_bytes == sizeof header && !memcmp(m.header, header, sizeof header) &&
          !strcmp(m.header_format, "npy") && m.more);
    gf_metadata_free(&m);
    char *changed = malloc(strlen(text) + 64);
    for (size_t i = 0; i < sizeof bad / sizeof *bad + sizeof bad_header / sizeof *bad_header; i++) {
        const bool is_header = i >= sizeof bad / sizeof *bad;
        const char *const *pair = is_header ? bad_header[i - sizeof bad / sizeof *bad] : bad[i];
        const char *at = strstr(text, pair[0]);
        CHECK(at != NULL);
        sprintf(changed, "%.*s%s%s", (int)(at - text), text, pair[1], at + strlen(pair[0]));
        int rc = is_header ? gf_record_header(changed, &m) : gf_record_parse(changed, &back);
        CHECK_MSG(rc == GF_EFORMAT && !m.header && message_is_good(gf_message()), "%s as %s",
                  pair[0], pair[1]);
    }
    free(changed);
    free(text);
}

static int allocations_left;

static void *allocate(size_t n) {
    return allocations_left-- > 0 ? malloc(n) : NULL;
}

/* With each of the allocations of the JSON library failing, and all after it or none: an error, or
 * the right text. */
static void test_memory(void) {
    struct gf_record r;
    CHECK_EQ(gf_record_parse(plain, &r), GF_OK);
    json_set_alloc_funcs(allocate, free);
    int failed = 0;
    for (int n = 0; n < 1000; n++) {
        char *text = (char *)"";
        allocations_left = n;
        int rc = gf_record_format(&r, &text);
        CHECK_MSG(rc ? !text && message_is_good(gf_message()) : text && !strcmp(text, plain),
                  "%d allocations: %d %s", n, rc, text ? text : "");
        free(rc ? NULL : text);
        failed += rc != GF_OK;
        if (!rc)
            break;
    }
    CHECK(failed > 50 && failed < 999);
    json_set_alloc_funcs(malloc, free);
}

int main(void) {
    RUN("failed allocations give an error or the right text", test_memory());
    RUN("records come back as they were written", test_round_trip());
    RUN("records with windows are read, and changed ones refused", test_window());
    RUN("wavelet records come back, and broken fields are refused", test_wavelet());
    RUN("axes and headers come back, and broken fields are refused", test_axes());
    RUN("a broken field is refused", test_fields());
    RUN("cut and changed records are refused or the same", test_mutations());
    RUN("a record beside a file describes its data", test_file());
    RUN("gamma, intent and primaries are within their ends", test_colors());
    RUN("fields that are right alone are refused together", test_together());
    return TEST_END();
}
