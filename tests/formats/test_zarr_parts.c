/* Zarr: which of several levels and images is read, and chunks that go. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"
#include "formats/files.h"
#include "tests/formats/files.h"
#include "tests/formats/zarr_made.h"
#include "tests/test.h"

static const struct gf_read_options modest = {.max_memory = 64 << 20};

/* A chunk that goes after the chunks were listed has the fill value, in either byte order. */
static void test_gone(const char *type) {
    char buffer[4 * 77 * 16];
    for (int big = 0; big < 2; big++) {
        struct gf_image image;
        struct gf_file *file;
        struct made m = {.version = 2,
                         .rank = 3,
                         .shape = {5, 7, 11},
                         .chunk = {2, 3, 4},
                         .separator = '.',
                         .fill = "258",
                         .big = big};
        while (strcmp(zarr_types[m.type].code, type))
            m.type++;
        write_array("f.zarr", &m);
        CHECK_EQ(gf_file_open("f.zarr", &modest, &file, &image), 0);
        CHECK_EQ(gf_file_read_part(file, &image, GF_PAGE, 0, 2, buffer), 0);
        CHECK_EQ(unlink("f.zarr/1.0.0"), 0);
        CHECK_EQ(gf_file_read_part(file, &image, GF_PAGE, 2, 2, buffer), 0);
        const double v = gf_sample_get(buffer, image.px.dtype);
        CHECK_MSG(fabs(v - 258) < 1e-9, "%s, %d: %g", type, big, v);
        gf_file_close(file);
        gf_image_free(&image);
        folder_remove("f.zarr");
    }
}

/* Arrays a of 3 columns, b and c of 4, in a group; the one that is read has `width` columns of
 * `spacing` um. */
static void check_level(const char *scales, int64_t width, double spacing) {
    struct made m = {
        .version = 2, .type = U2, .rank = 2, .shape = {2, 3}, .chunk = {2, 2}, .separator = '.'};
    struct gf_image image;
    char text[1000];
    mkdir("g.zarr", 0777);
    write_array("g.zarr/a", &m);
    m.shape[1] = 4;
    write_array("g.zarr/b", &m);
    write_array("g.zarr/c", &m);
    snprintf(text, sizeof text, "{\"multiscales\":[%s]}", scales);
    file_put("g.zarr/.zattrs", text, strlen(text));
    CHECK_EQ(gf_image_read("g.zarr", &modest, &image, NULL), 0);
    CHECK_EQ(image.px.shape[1], width);
    const double is = image.axes.n == 2 ? image.axes.axis[1].spacing : 0;
    CHECK_MSG(fabs(is - spacing) < 1e-12, "%g, not %g", is, spacing);
    gf_image_free(&image);
    folder_remove("g.zarr");
}

/* A file whose name is not written as a chunk's is none: the chunk has the fill value. */
static void test_odd_names(void) {
    static const char *const names[] = {"00.0.0", "0.0.00", "0.0",   "0.0.0.0", "0.0.0x",
                                        "+0.0.0", "3.0.0",  "0.3.0", "0.0.3"};
    struct made m = {.version = 2,
                     .type = U2,
                     .rank = 3,
                     .shape = {5, 7, 11},
                     .chunk = {2, 3, 4},
                     .separator = '.',
                     .fill = "9"};
    struct gf_image image;
    write_array("f.zarr", &m);
    CHECK_EQ(rename("f.zarr/0.0.0", "f.zarr/x"), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[32];
        snprintf(path, sizeof path, "f.zarr/%s", names[i]);
        file_put(path, "?", 1);
    }
    CHECK_EQ(gf_image_read("f.zarr", &modest, &image, NULL), 0);
    const uint16_t *p = image.px.data;
    CHECK(p && p[0] == 9 && p[3] == 9 && p[4] == 4 * 7 % 101 && p[2 * 77] == 2 * 77 * 7 % 101);
    gf_image_free(&image);
    folder_remove("f.zarr");
}

/* Axes of one index divide nothing. */
static void test_single(void) {
    for (int extent = 1; extent <= 2; extent++) {
        struct made m = {.version = 3,
                         .type = U2,
                         .rank = 4,
                         .shape = {extent, 3, 4, 5},
                         .chunk = {1, 1, 4, 5},
                         .separator = '/',
                         .more = ",\"dimension_names\":[\"c\",\"z\",\"y\",\"x\"]"};
        struct gf_image image;
        write_array("f.zarr", &m);
        CHECK_EQ(gf_image_read("f.zarr", &modest, &image, NULL), 0);
        CHECK_EQ(image.axes.named, extent > 1);
        CHECK(image.axes.n == 4 && image.axes.axis[0].role == GF_CHANNEL);
        gf_image_free(&image);
        folder_remove("f.zarr");
    }
}

#define SCALES(levels) \
    "{\"axes\":[{\"name\":\"y\"},{\"name\":\"x\",\"unit\":\"um\"}],\"datasets\":[" levels "]}"
#define LEVEL(path, x) \
    "{\"path\":\"" path "\",\"coordinateTransformations\":[{\"type\":\"scale\",\"scale\":[1," x \
    "]}]}"

int main(void) {
    scratch_enter();
    static const char *const types[] = {"u2", "i8", "f2", "c8"};
    for (int i = 0; i < 4; i++)
        RUN(case_name("a chunk of %s that goes has the fill value", types[i]), test_gone(types[i]));
    RUN("a file with an odd name is no chunk", test_odd_names());
    RUN("a channel axis of one index divides nothing", test_single());
    RUN("the largest level is read if it is the first",
        check_level(SCALES(LEVEL("b", "2") "," LEVEL("a", "3")), 4, 2));
    RUN("the largest level is read if it is the last",
        check_level(SCALES(LEVEL("a", "3") "," LEVEL("b", "2")), 4, 2));
    RUN("the first of two levels of one size is read",
        check_level(SCALES(LEVEL("b", "2") "," LEVEL("c", "5")), 4, 2));
    RUN("the first of several multiscales is read",
        check_level(SCALES(LEVEL("a", "3")) "," SCALES(LEVEL("b", "2")), 3, 3));
    scratch_leave();
    return TEST_END();
}
