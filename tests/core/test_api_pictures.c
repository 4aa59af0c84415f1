/* Pictures by the library's header alone: written and read again in several types, spectra that come back by their
 * records, alpha, and bad input. */
#include <stdlib.h>
#include <unistd.h>

#include "core/api/gpufft.h"
#include "tests/test.h"

enum { H = 11, W = 14 };

static struct gpufft *library;
static char folder[] = "/tmp/test_api.XXXXXX";

static const char *path_of(const char *name) {
    static char path[2][256];
    static int which;
    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", folder, name);
    return path[which];
}

static struct gpufft_array array_of(int type, int64_t channels, void *data) {
    return (struct gpufft_array){.size = sizeof(struct gpufft_array),
                                 .type = type,
                                 .rank = 3,
                                 .shape = {H, W, channels},
                                 .data = data,
                                 .channels = 1};
}

static void fill(unsigned char *to, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        to[i] = (unsigned char)(i * i * 31 + i * 7);
}

/* Reads a file, and a view of its samples. */
static struct gpufft_image *read_back(const char *name, struct gpufft_array *a) {
    struct gpufft_image *image;
    const int rc = gpufft_image_read(library, path_of(name), &image);
    CHECK_MSG(!rc, "%s: %s", name, gpufft_message());
    *a = (struct gpufft_array){.size = sizeof *a};
    if (!rc)
        CHECK_EQ(gpufft_image_samples(image, a), 0);
    return image;
}

static void test_types(const char *name, int type, int64_t channels) {
    static const size_t size[] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 16};
    static unsigned char bytes[H * W * 4 * 8], turned[sizeof bytes];
    struct gpufft_array a = array_of(type, channels, bytes), b;
    const size_t n = (size_t)(H * W * channels) * size[type];
    fill(bytes, (int64_t)n);
    for (size_t i = 0; i < n && type == GPUFFT_F32; i++) /* finite */
        ((float *)(void *)bytes)[i / 4] = (float)(i / 4) / 7;
    CHECK_EQ(gpufft_array_bytes(&a), n);
    /* from the last row to the first */
    const size_t row = n / H;
    for (int y = 0; y < H; y++)
        memcpy(turned + (size_t)y * row, bytes + (size_t)(H - 1 - y) * row, row);
    a.data = turned + (H - 1) * row;
    a.stride[2] = (int64_t)size[type];
    a.stride[1] = (int64_t)size[type] * channels;
    a.stride[0] = -(int64_t)row;
    CHECK_MSG(!gpufft_image_write(library, path_of(name), &a, NULL), "%s: %s", name,
              gpufft_message());
    struct gpufft_image *image = read_back(name, &b);
    CHECK(b.type == type && b.rank == 3 && b.shape[0] == H && b.shape[2] == channels);
    CHECK(b.data && !memcmp(b.data, bytes, n));
    gpufft_image_free(image);
}

/* A picture's spectrum, written with its record, comes back bit for bit. */
static void test_spectrum(const char *name, int64_t channels, bool half) {
    static unsigned char bytes[H * W * 4], again[H * W * 4];
    static float spectrum[H * W * 4 * 2], samples[H * W * 4];
    struct gpufft_array a = array_of(GPUFFT_U8, channels, bytes), b, s;
    struct gpufft_transform t = {.size = sizeof t,
                                 .in_type = GPUFFT_U8,
                                 .out_type = GPUFFT_C64,
                                 .rank = 3,
                                 .shape = {H, W, channels},
                                 .n_axes = 2,
                                 .axes = {0, 1},
                                 .half = half,
                                 .norm = GPUFFT_NORM_ORTHO};
    struct gpufft_plan *plan;
    struct gpufft_bound *bound;
    fill(bytes, H * W * channels);
    CHECK_EQ(gpufft_image_write(library, path_of("in.png"), &a, NULL), 0);
    struct gpufft_image *picture = read_back("in.png", &a);
    NEED(a.data && !gpufft_plan_make(library, &t, &plan) &&
         !gpufft_plan_bind(plan, a.data, spectrum, &bound) && !gpufft_run(bound));
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    s = array_of(GPUFFT_C64, channels, spectrum);
    s.shape[1] = half ? W / 2 + 1 : W;
    s.image = picture;
    CHECK_MSG(!gpufft_image_write(library, path_of(name), &s, &t), "%s: %s", name,
              gpufft_message());
    s.shape[0]--;
    CHECK_EQ(gpufft_image_write(library, path_of("o.npy"), &s, &t), GPUFFT_EINVAL);
    gpufft_image_free(picture);
    struct gpufft_image *read = read_back(name, &b);
    CHECK(gpufft_image_record(read) != NULL);
    struct gpufft_transform back = {.size = sizeof back};
    CHECK_MSG(!gpufft_image_inverse(read, &back), "%s: %s", name, gpufft_message());
    CHECK(back.half == half && back.norm == GPUFFT_NORM_ORTHO && back.n_axes == 2);
    CHECK_EQ(gpufft_plan_make(library, &back, &plan), 0);
    NEED(b.data && !gpufft_plan_bind(plan, b.data, samples, &bound) && !gpufft_run(bound));
    gpufft_bound_free(bound);
    gpufft_plan_free(plan);
    for (int i = 0; i < H * W * channels; i++)
        again[i] = (unsigned char)(samples[i] + 0.5F);
    CHECK(!memcmp(again, bytes, (size_t)(H * W * channels)));
    b = array_of(GPUFFT_U8, channels, again);
    b.image = read;
    CHECK_EQ(gpufft_image_write(library, path_of("back.png"), &b, NULL), 0);
    gpufft_image_free(read);
    gpufft_image_free(read_back("back.png", &b));
}

/* A filter passes alpha on to what has room for it. */
static void test_alpha(void) {
    static unsigned char bytes[H * W * 4], out[H * W * 4];
    struct gpufft_array a = array_of(GPUFFT_U8, 4, bytes), to = {.size = sizeof to};
    struct gpufft_operation *o;
    fill(bytes, sizeof bytes);
    CHECK_EQ(gpufft_image_write(library, path_of("alpha.png"), &a, NULL), GPUFFT_EINVAL);
    a.channels = 2;
    CHECK_EQ(gpufft_image_write(library, path_of("alpha.png"), &a, NULL), 0);
    struct gpufft_image *image = read_back("alpha.png", &a);
    NEED(!gpufft_operation_open(library, "filter", (const char *const[]){"lowpass=3", NULL}, NULL,
                                0, &o));
    CHECK_EQ(gpufft_operation_describe(o, &a, &to, NULL), 0);
    CHECK(to.shape[2] == 4 && to.channels == 2 && to.image == image);
    to.data = out;
    CHECK_EQ(gpufft_operation_run(o, &a, &to), 0);
    int same = 0;
    for (int i = 0; i < H * W; i++)
        same += out[4 * i + 3] == bytes[4 * i + 3];
    CHECK_EQ(same, H * W);
    to.shape[2] = 3; /* without */
    to.channels = 1;
    CHECK_EQ(gpufft_operation_run(o, &a, &to), 0);
    to.shape[2] = 4;
    to.channels = 2;
    to.type = GPUFFT_U16;
    to.data = malloc(sizeof out * 2);
    CHECK_EQ(gpufft_operation_run(o, &a, &to), GPUFFT_EUNSUPP);
    free(to.data);
    gpufft_operation_free(o);
    gpufft_image_free(image);
}

/* The unit of a volume's axes is that of its facts, also once the volume is gone. */
static void test_unit(void) {
    static float samples[4 * H * W];
    struct gpufft_array a = array_of(GPUFFT_F32, 1, samples), b;
    struct gpufft_fact f = {.size = sizeof f};
    struct gpufft_operation *o;
    const char *unit = "";
    double spacing = 0;
    for (int i = 0; i < 4 * H * W; i++)
        samples[i] = (float)(i % 17);
    a.channels = 0;
    a.shape[0] = 4;
    a.shape[1] = H;
    a.shape[2] = W;
    CHECK_EQ(gpufft_image_write(library, path_of("v.mrc"), &a, NULL), 0);
    FILE *file = fopen(path_of("v.mrc"), "r+b"); /* 2 A a sample: the cell's lengths */
    const float cell[3] = {2 * W, 2 * H, 2 * 4};
    NEED(file && !fseek(file, 40, SEEK_SET) && fwrite(cell, sizeof cell, 1, file) == 1 &&
         !fclose(file));
    struct gpufft_image *image = read_back("v.mrc", &b);
    CHECK_EQ(gpufft_image_spacing(image, 1, &spacing, &unit), 0);
    CHECK_MSG(spacing > 1.99 && spacing < 2.01 && !strcmp(unit, "A"), "%g %s", spacing, unit);
    NEED(!gpufft_operation_open(library, "frc", NULL, &b, 1, &o));
    CHECK_MSG(!gpufft_operation_run(o, &b, NULL), "%s", gpufft_message());
    gpufft_image_free(image);
    int in_unit = 0;
    for (int64_t i = 0; gpufft_operation_fact(o, i, &f) > 0; i++)
        in_unit += f.unit && strstr(f.unit, "A") != NULL;
    CHECK_MSG(in_unit > 0, "no fact in A");
    gpufft_operation_free(o);
}

static void test_refused(void) {
    static unsigned char bytes[H * W * 4];
    struct gpufft_array a = array_of(GPUFFT_U8, 1, bytes);
    struct gpufft_image *image;
    struct gpufft_transform t = {.size = sizeof t};
    const char *unit;
    double spacing;
    CHECK_EQ(gpufft_image_read(library, path_of("absent.png"), &image), GPUFFT_EIO);
    CHECK(!image);
    CHECK_EQ(gpufft_image_read(library, NULL, &image), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_image_read(library, "-", &image), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_image_read(NULL, "x.png", &image), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_image_read(library, "x.png", NULL), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_image_write(library, path_of("o.webp"), &a, NULL), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_image_write(library, "-", &a, NULL), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_image_write(library, path_of("o.png"), NULL, NULL), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_image_write(library, path_of("o.png"), &a, &t), GPUFFT_EINVAL);
    a.type = GPUFFT_C64;
    CHECK_EQ(gpufft_image_write(library, path_of("o.png"), &a, NULL), GPUFFT_EINVAL);
    CHECK(access(path_of("o.png"), F_OK));
    a.type = GPUFFT_U8;
    CHECK_EQ(gpufft_image_write(library, path_of("o.png"), &a, NULL), 0);
    image = read_back("o.png", &a);
    CHECK(!gpufft_image_record(image));
    CHECK_EQ(gpufft_image_inverse(image, &t), GPUFFT_EINVAL);
    CHECK_EQ(gpufft_image_inverse(NULL, &t), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_image_spacing(image, 0, &spacing, &unit), 0);
    CHECK(spacing <= 0 && !*unit);
    CHECK_EQ(gpufft_image_spacing(image, 2, &spacing, &unit), GPUFFT_EUSAGE);
    CHECK_EQ(gpufft_image_samples(NULL, &a), GPUFFT_EUSAGE);
    gpufft_image_free(image);
    gpufft_image_free(NULL);
}

int main(void) {
    const struct gpufft_options options = {
        .size = sizeof options, .backend = "openmp", .threads = 2};
    NEED(mkdtemp(folder) && !gpufft_open(&options, &library));
    RUN("png: bytes come back", test_types("a.png", GPUFFT_U8, 3));
    RUN("tiff: 16 bits come back", test_types("a.tif", GPUFFT_U16, 1));
    RUN("npy: floats come back", test_types("a.npy", GPUFFT_F32, 1));
    RUN("mrc: floats come back", test_types("a.mrc", GPUFFT_F32, 1));
    RUN("a spectrum comes back from npy", test_spectrum("s.npy", 1, false));
    RUN("a half spectrum comes back from npy", test_spectrum("h.npy", 1, true));
    RUN("a colour spectrum comes back from TIFF", test_spectrum("s.tif", 3, false));
    RUN("alpha is passed on", test_alpha());
    RUN("facts have the unit of a volume", test_unit());
    RUN("bad input is refused", test_refused());
    gpufft_close(library);
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) ? 1 : TEST_END();
}
