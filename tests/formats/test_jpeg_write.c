/* JPEGs that are written: what they hold, and what they refuse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "tests/formats/files.h"
#include "tests/test.h"

/* A picture without edges, which a JPEG keeps to a few levels. */
static struct gf_image waves_make(int64_t height, int64_t width, int64_t channels) {
    struct gf_image image = image_make(GF_U8, 0, height, width, channels, 3);
    unsigned char *p = image.px.data;
    for (int64_t i = 0; i < height * width * channels; i++) {
        double x = (double)(i / channels % width), y = (double)(i / channels / width);
        p[i] = (unsigned char)(128 + 100 * sin(x / (9 + (double)(i % channels))) * cos(y / 11));
    }
    image.color = channels == 3 ? GF_RGB : GF_GRAY;
    return image;
}

static int farthest(const struct gf_image *a, const struct gf_image *b) {
    int far = 0;
    for (int64_t y = 0; y < a->px.shape[0]; y++)
        for (int64_t x = 0; x < a->px.shape[1]; x++)
            for (int64_t c = 0; c < a->px.shape[2]; c++) {
                int64_t at[2] = {0, 0};
                const struct gf_array *px[2] = {&a->px, &b->px};
                for (int k = 0; k < 2; k++)
                    at[k] = y * px[k]->stride[0] + x * px[k]->stride[1] + c * px[k]->stride[2];
                int d = ((const unsigned char *)a->px.data)[at[0]] -
                        ((const unsigned char *)b->px.data)[at[1]];
                far = abs(d) > far ? abs(d) : far;
            }
    return far;
}

/* Baseline, in full resolution for all channels. */
static void check_header(const unsigned char *data, size_t n, int channels) {
    const unsigned char *sof = memmem(data, n, "\xff\xc0", 2);
    CHECK(sof && sof[9] == channels);
    for (int i = 0; i < channels && sof; i++)
        CHECK_EQ(sof[11 + 3 * i], 0x11);
}

/* The size of the file. */
static size_t check_written(const struct gf_image *image, int quality, int most) {
    const struct gf_write_options o = {.level = -1, .jpeg_quality = quality};
    struct gf_image back;
    size_t n = 0, again_n = 0;
    CHECK_MSG(gf_image_write("w.jpg", &gf_format_jpeg, image, &o, true) == GF_OK, "%s",
              gf_message());
    CHECK_EQ(gf_image_write("again.jpg", &gf_format_jpeg, image, &o, true), GF_OK);
    unsigned char *data = file_get("w.jpg", &n), *again = file_get("again.jpg", &again_n);
    CHECK(data && again && n == again_n && !memcmp(data, again, n));
    check_header(data, n, (int)image->px.shape[2]);
    CHECK(!memmem(data, n, "\xff\xc4\0\x1f", 4)); /* no Huffman table of the standard's */
    CHECK(data && !memcmp(data + 6, "JFIF\0\1", 6));
    data[11] = 2; /* a later version of JFIF is read too */
    file_put("w.jpg", data, n);
    CHECK_EQ(gf_image_read("w.jpg", &(struct gf_read_options){0}, &back, NULL), GF_OK);
    CHECK(back.color == image->color && back.ndim == 2 &&
          !memcmp(back.px.shape, image->px.shape, 3 * sizeof *back.px.shape));
    CHECK_MSG(back.px.data && farthest(image, &back) <= most, "quality %d: %d levels away", quality,
              farthest(image, &back));
    gf_image_free(&back);
    free(again);
    free(data);
    return n;
}

static void test_written(void) {
    scratch_enter();
    for (int channels = 1; channels <= 3; channels += 2) {
        struct gf_image image = waves_make(77, 130, channels), view = image, one;
        size_t rough = check_written(&image, 5, 90), usual = check_written(&image, 92, 8);
        CHECK(rough < usual && usual < check_written(&image, 100, 4));
        CHECK_EQ(check_written(&image, 0, 8), usual); /* 92 is the default */
        /* Views: every second column, rows upwards. */
        view.px.base = NULL;
        view.px.shape[1] /= 2;
        view.px.stride[1] *= 2;
        check_written(&view, 92, 12);
        view = image;
        view.px.base = NULL;
        view.px.data = (char *)view.px.data + 76 * view.px.stride[0];
        view.px.stride[0] = -view.px.stride[0];
        check_written(&view, 92, 8);
        one = waves_make(1, 1, channels);
        check_written(&one, 92, 8);
        gf_image_free(&one);
        gf_image_free(&image);
    }
    scratch_leave();
}

static void refuse(struct gf_image image, const char *what) {
    struct gf_write_options o = {.level = -1};
    CHECK_EQ(gf_image_write("x.jpg", &gf_format_jpeg, &image, &o, true), GF_EINVAL);
    CHECK_MSG(strstr(gf_message(), what) && strstr(gf_message(), ".tif"), "'%s'", gf_message());
    CHECK_EQ(scratch_count(), 0);
    gf_image_free(&image);
}

static void test_refusals(void) {
    scratch_enter();
    refuse(image_make(GF_U16, 0, 4, 4, 1, 1), "holds u8, not u16");
    refuse(image_make(GF_F32, 0, 4, 4, 1, 1), "holds u8, not f32");
    refuse(image_make(GF_C64, 0, 4, 4, 1, 1), "holds u8, not c64");
    refuse(image_make(GF_U8, 2, 4, 4, 1, 1), "volume");
    refuse(image_make(GF_U8, 0, 4, 4, 4, 1), "4 channels");
    refuse(image_make(GF_U8, 0, 1, 65501, 1, 1), "at most 65500");
    scratch_leave();
}

int main(void) {
    RUN("written JPEGs are close to the picture, by quality", test_written());
    RUN("types and shapes that JPEG lacks are refused", test_refusals());
    return TEST_END();
}
