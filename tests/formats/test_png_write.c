/* PNGs as each codec writes them: libpng reads them back, and their bytes depend on the picture and the
 * options alone. */
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/png/png.h"
#include "formats/png/codec.h"
#include "tests/formats/codecs.h"
#include "tests/formats/files.h"
#include "tests/formats/read.h"
#include "tests/test.h"

static int read_back(const void *data, size_t n, struct gf_image *image) {
    static const struct gf_read_options modest = {.max_memory = 64 << 20};
    struct gf_source *source;
    *image = (struct gf_image){0};
    if (gf_source_open_memory(data, n, &source))
        return GF_ENOMEM;
    struct gf_decoder d;
    int rc = read_rest(gf_png_open_by(NULL, &d, source, &modest, image), &d, &modest, image);
    gf_source_close(source);
    return rc;
}

static size_t written_size(const struct gf_codec *codec, const struct gf_image *image,
                           const struct gf_write_options *o) {
    struct gf_sink *sink;
    struct gf_image back;
    size_t n = 0;
    CHECK_EQ(gf_sink_open("w.png", true, &sink), GF_OK);
    int rc = gf_png_write_by(codec, sink, image, o);
    CHECK_EQ(rc, GF_OK);
    CHECK_EQ(gf_sink_commit(sink), GF_OK);
    unsigned char *data = file_get("w.png", &n);
    rc = read_back(data, n, &back);
    CHECK_MSG(rc == GF_OK && image_same(image, &back), "%s: %s", codec->name,
              rc ? gf_message() : "other samples");
    gf_image_free(&back);
    free(data);
    return n;
}

static bool same_bytes(const struct gf_codec *codec, const struct gf_image *image,
                       struct gf_write_options o) {
    size_t n;
    o.threads = 1;
    written_size(codec, image, &o);
    unsigned char *first = file_get("w.png", &n);
    o.threads = 3;
    written_size(codec, image, &o);
    bool same = file_is("w.png", first, n);
    free(first);
    return same;
}

/* The better of zlib's quick strategies. */
static size_t size_by_zlib(const struct gf_image *image, struct gf_write_options o) {
    o.level = 1;
    o.strategy = GF_PNG_RLE;
    size_t runs = written_size(&gf_codec_zlib, image, &o);
    o.strategy = GF_PNG_HUFFMAN;
    size_t bytes = written_size(&gf_codec_zlib, image, &o);
    return bytes < runs ? bytes : runs;
}

/* Noise, a narrow histogram, flat areas, few rare values (long codes), and one value alone. */
static void paint(struct gf_image *image, int look) {
    unsigned char *p = image->px.data;
    size_t n = (size_t)image->px.shape[0] * (size_t)image->px.stride[0];
    for (size_t i = 0; i < n; i++)
        switch (look) {
        case 1:
            p[i] = (unsigned char)(128u + (p[i] & 15u) - (p[i] >> 4));
            break;
        case 2:
            p[i] = (unsigned char)(i / 999);
            break;
        case 3:
            p[i] =
                (unsigned char)(__builtin_ctz((unsigned)i * 2654435769u | 1u << 24) + p[i] / 128);
            break;
        case 4:
            p[i] = 77;
            break;
        default:
            break;
        }
}

/* libpng reads what each codec wrote; the bytes do not depend on the threads. */
static void test_writing(void) {
    for (int variant = 0; variant < 4 * 2 * 2 * 5; variant++) {
        if (!case_takes(variant, 3))
            continue;
        int64_t c = (variant & 3) + 1;
        enum gf_dtype type = variant & 4 ? GF_U16 : GF_U8;
        struct gf_write_options o = {.level = -1, .threads = 1, .noise = variant >> 3 & 1};
        struct gf_image image = image_make(type, 0, 300, 511, c, 9);
        image.alpha = c == 2 || c == 4;
        image.color = c > 2 ? GF_RGB : GF_GRAY;
        paint(&image, variant >> 4);
        size_t by_zlib = size_by_zlib(&image, o);
        for (int i = 0; i < N_CODECS; i++) {
            size_t size = written_size(codecs[i], &image, &o);
            /* Without noise zlib's strategies choose from more filters. */
            double raw = 300.0 * 511 * (double)c * (type == GF_U16 ? 2 : 1);
            CHECK_MSG(!o.noise || (double)size <= 1.03 * (double)by_zlib + 0.015 * raw,
                      "variant %d: %zu, %zu by zlib", variant, size, by_zlib);
            CHECK_MSG(same_bytes(codecs[i], &image, o), "variant %d", variant);
        }
        gf_image_free(&image);
    }
    struct gf_image one = image_make(GF_U8, 0, 1, 1, 1, 9);
    struct gf_write_options o = {.level = -1};
    for (int i = 0; i < N_CODECS; i++)
        CHECK(written_size(codecs[i], &one, &o) < 100);
    gf_image_free(&one);
}

/* Levels and strategies are zlib's with every codec: the same bytes. */
static void test_levels(void) {
    struct gf_image image = image_make(GF_U8, 0, 100, 3000, 1, 2);
    for (int s = GF_PNG_AUTO; s <= GF_PNG_DEFAULT; s++)
        for (int level = -1; level < 10; level += 5) {
            struct gf_write_options o = {.level = level, .strategy = (enum gf_png_strategy)s};
            if (s == GF_PNG_AUTO && level < 0)
                continue;
            size_t n, by_zlib = written_size(&gf_codec_zlib, &image, &o);
            unsigned char *data = file_get("w.png", &n);
            CHECK_EQ(written_size(codecs[N_CODECS - 1], &image, &o), by_zlib);
            CHECK(file_is("w.png", data, n));
            free(data);
        }
    gf_image_free(&image);
}

static size_t deflate_strip(struct gf_deflate *d, const unsigned char *in, size_t n, bool last,
                            unsigned char *out) {
    size_t made = gf_deflate_strip(d, in, n, last, out);
    CHECK(made > 0 && made <= gf_deflate_bound(n));
    return made;
}

/* The quick deflate of short strips, where a match more or less shows: the same bytes wherever its
 * state is, whatever was there before and whatever lies around the strip. */
static void test_addresses(void) {
    enum { STATES = 100, STRIPS = 150, MOST = 120, ROOM = 4096 };
    static unsigned char around[MOST + 128], first[ROOM], made[ROOM];
    const struct gf_codec *codec = gf_codec_best();
    struct gf_deflate_options options = {.quick = codec->deflate ? codec : NULL, .level = 1};
    struct gf_deflate *states[STATES];
    for (int i = 0; i < STATES; i++)
        CHECK((states[i] = gf_deflate_new(&options)) != NULL);
    uint32_t seed = 3;
    int different = 0;
    CHECK(gf_deflate_bound(MOST) <= ROOM);
    for (uint32_t strip = 0; strip < STRIPS; strip++) {
        unsigned char bytes[MOST];
        size_t n = 1 + random_next(&seed) % MOST, n_first = 0;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)(random_next(&seed) >> 9) & 1;
        for (int i = 0; i < STATES; i++) {
            unsigned char *in = around + random_next(&seed) % 64;
            memset(around, i, sizeof around);
            memcpy(in, bytes, n);
            size_t got = deflate_strip(states[i], in, n, strip & 1, i ? made : first);
            n_first = i ? n_first : got;
            different += i && (got != n_first || memcmp(made, first, got) != 0);
        }
    }
    CHECK_MSG(different == 0, "%d of %d differ", different, STRIPS * (STATES - 1));
    for (int i = 0; i < STATES; i++)
        gf_deflate_free(states[i]);
}

int main(void) {
    scratch_enter();
    RUN("libpng reads what each codec writes", test_writing());
    RUN("levels and strategies give zlib's bytes", test_levels());
    RUN("the quick deflate gives the same bytes at any address", test_addresses());
    scratch_leave();
    return TEST_END();
}
