/* PAM's tuple types, and pictures that follow each other in a file. */
#include <stdio.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static const struct gf_read_options any = {0};
static const struct gf_write_options usual = {.level = -1};
#define TEXT(s) s, sizeof(s) - 1

static struct gf_image load(const char *path, const struct gf_read_options *options) {
    struct gf_image image;
    CHECK_MSG(!gf_image_read(path, options, &image, NULL), "%s: %s", path, gf_message());
    return image;
}

/* Tuple types that name other channels than there are say nothing of colour or alpha. */
static void test_tuples(void) {
    static const struct {
        const char *type;
        int channels;
        enum gf_color color;
        bool alpha;
    } tuples[] = {
        {"BLACKANDWHITE", 1, GF_GRAY, false},    {"BLACKANDWHITE_ALPHA", 2, GF_GRAY, true},
        {"GRAYSCALE", 1, GF_GRAY, false},        {"GRAYSCALE", 2, GF_OTHER_COLOR, false},
        {"GRAYSCALE_ALPHA", 2, GF_GRAY, true},   {"RGB", 3, GF_RGB, false},
        {"RGB", 4, GF_OTHER_COLOR, false},       {"RGB_ALPHA", 4, GF_RGB, true},
        {"RGB_ALPHA", 5, GF_OTHER_COLOR, false}, {"DEPTH_MAP", 1, GF_GRAY, false},
        {"HSV", 3, GF_OTHER_COLOR, false}};
    char text[200];
    for (size_t i = 0; i < sizeof tuples / sizeof *tuples; i++) {
        const int n = snprintf(text, sizeof text,
                               "P7\nWIDTH 1\nHEIGHT 1\nDEPTH %d\nMAXVAL 255\nTUPLTYPE %s\n"
                               "ENDHDR\nabcde",
                               tuples[i].channels, tuples[i].type);
        file_put("sample", text, (size_t)(n - 5 + tuples[i].channels));
        struct gf_image image = load("sample", &any);
        CHECK_MSG(image.color == tuples[i].color && image.alpha == tuples[i].alpha, "%s of %d",
                  tuples[i].type, tuples[i].channels);
        gf_image_free(&image);
    }
    struct gf_image gray = image_make(GF_U8, 0, 1, 1, 1, 1);
    CHECK_EQ(gf_image_write("c.pam", &gf_format_pnm, &gray, &usual, true), GF_EINVAL);
    CHECK_HAS(gf_message(), "no .pam is written");
    CHECK_EQ(gf_image_write("c.pbm", &gf_format_pnm, &gray, &usual, true), GF_EINVAL);
    gf_image_free(&gray);
}

/* Frames that are not like the first. */
static void test_frames(void) {
    static const struct {
        const char *text;
        size_t n;
        const char *says;
    } bad[] = {
        {TEXT("P5 1 1 255\naP5 1 1 254\nb"), "frame 1 is P5 of 1x1, maximum 254"},
        {TEXT("P5 1 1 255\naP5 2 1 255\nbc"), "frame 1 is P5 of 1x2"},
        {TEXT("P4 1 1\naP5 1 1 255\nb"), "frame 1 is P5"},
        {TEXT("P5 1 1 255\naP5 1 1 255\n"), "frame 1: unexpected end"},
        {TEXT("P2 1 1 255\n1\n"), "plain PNM"},
        {TEXT("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 9\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\1\2"
              "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 9\nENDHDR\n\1\2"),
         "frame 1 is P7"}};
    const struct gf_read_options options = {.frames = true};
    struct gf_image image;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        file_put("sample", bad[i].text, bad[i].n);
        CHECK(gf_image_read("sample", &options, &image, NULL) < 0);
        CHECK_HAS(gf_message(), bad[i].says);
    }
    file_put("sample", "P4 8 1\n\xf0 P4 8 1\n\x0f\n", 18);
    image = load("sample", &options);
    CHECK(image.ndim == 3 && image.px.shape[0] == 2 && image.depth == 1 &&
          !memcmp(image.px.data, "\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 16));
    gf_image_free(&image);
}

/* Pictures that follow each other in a file, of which the second one's header is broken. */
static void test_more(void) {
    const struct gf_read_options options = {.several = true};
    struct gf_image image;
    struct gf_file *file;
    file_put("sample", "P5 1 1 255\naP5 1 x 255\nb", 23);
    CHECK_EQ(gf_file_open("sample", &options, &file, &image), GF_OK);
    CHECK_EQ(gf_file_read(file, &image, NULL), GF_OK);
    gf_image_free(&image);
    CHECK_EQ(gf_file_more(file), 1);
    CHECK_EQ(gf_file_next(file, &image), GF_EFORMAT);
    CHECK(gf_file_more(file) != 0); /* and no crash */
    gf_file_close(file);
}

int main(void) {
    scratch_enter();
    RUN("tuple types give colour and alpha", test_tuples());
    RUN("frames of a stream are alike", test_frames());
    RUN("a picture behind a broken one is looked for", test_more());
    scratch_leave();
    return TEST_END();
}
