/* Resolution, gamma and profile: carried between the formats, and hostile ones left out of pictures
 * that are read all the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/value/status.h"
#include "formats/jpeg/jpeg.h"
#include "formats/files.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static const struct gf_read_options any = {0};
static const struct gf_write_options usual = {.level = -1};

static void put32(unsigned char *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> 8 * (3 - i));
}

/* A profile of n bytes with a name of version 2, for free(). */
static unsigned char *profile_make(const char *space, size_t n, uint32_t seed) {
    static const char name[] = "made for the tests";
    unsigned char *p = malloc(n);
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)random_next(&seed);
    put32(p, (uint32_t)n);
    memcpy(p + 16, space, 4);
    memcpy(p + 36, "acsp", 4);
    put32(p + 128, 1);
    memcpy(p + 132, "desc", 4);
    put32(p + 136, 144);
    put32(p + 140, 12 + sizeof name);
    memcpy(p + 144, "desc\0\0\0\0", 8);
    put32(p + 152, sizeof name);
    memcpy(p + 156, name, sizeof name);
    return p;
}

static struct gf_image picture(int64_t channels) {
    struct gf_image image = image_make(GF_U8, 0, 5, 7, channels, 1);
    image.color = channels == 3 ? GF_RGB : GF_GRAY;
    return image;
}

/* Written and read back; the caller frees. */
static struct gf_image through(const struct gf_format *f, const struct gf_image *image) {
    struct gf_image back;
    CHECK_MSG(gf_image_write("x", f, image, &usual, true) == GF_OK, "%s", gf_message());
    CHECK_MSG(gf_image_read("x", &any, &back, NULL) == GF_OK, "%s: %s", f->name, gf_message());
    return back;
}

static void check_resolution(const struct gf_format *f, struct gf_resolution in, double x, double y,
                             enum gf_resolution_unit unit) {
    struct gf_image image = picture(1), back;
    image.metadata.resolution = in;
    back = through(f, &image);
    const struct gf_resolution *r = &back.metadata.resolution;
    CHECK_MSG(fabs(r->x - x) < 1e-4 * x && fabs(r->y - y) < 1e-4 * y && r->unit == unit,
              "%s of %g x %g: %g x %g in %d", f->name, in.x, in.y, r->x, r->y, (int)r->unit);
    gf_image_free(&back);
    gf_image_free(&image);
}

static void check_no_resolution(const struct gf_format *f, struct gf_resolution in) {
    struct gf_image image = picture(1), back;
    image.metadata.resolution = in;
    back = through(f, &image);
    CHECK_MSG(back.metadata.resolution.x == 0, "%s: %g", f->name, back.metadata.resolution.x);
    gf_image_free(&back);
    gf_image_free(&image);
}

static void test_resolutions(void) {
    const struct gf_resolution inch = {300, 150, GF_INCH}, fine = {118.11, 50, GF_CENTIMETRE},
                               metre = {11811, 2835, GF_METRE}, wide = {2, 1, GF_UNIT_NONE};
    check_resolution(&gf_format_png, inch, 11811, 5906, GF_METRE);
    check_resolution(&gf_format_png, fine, 11811, 5000, GF_METRE);
    check_resolution(&gf_format_png, metre, 11811, 2835, GF_METRE);
    check_resolution(&gf_format_png, wide, 2, 1, GF_UNIT_NONE);
    check_resolution(&gf_format_tiff, inch, 300, 150, GF_INCH);
    check_resolution(&gf_format_tiff, fine, 118.11, 50, GF_CENTIMETRE);
    check_resolution(&gf_format_tiff, metre, 118.11, 28.35, GF_CENTIMETRE);
    check_resolution(&gf_format_tiff, wide, 2, 1, GF_UNIT_NONE);
    check_resolution(&gf_format_jpeg, inch, 300, 150, GF_INCH);
    check_resolution(&gf_format_jpeg, fine, 300, 127, GF_INCH);
    check_resolution(&gf_format_jpeg, metre, 300, 72, GF_INCH);
    check_resolution(&gf_format_jpeg, (struct gf_resolution){40, 50, GF_CENTIMETRE}, 40, 50,
                     GF_CENTIMETRE);
    check_resolution(&gf_format_jpeg, wide, 2, 1, GF_UNIT_NONE);
    /* Resolutions that the format's numbers cannot hold, and absent ones. */
    check_no_resolution(&gf_format_png, (struct gf_resolution){1e9, 1e9, GF_INCH});
    check_no_resolution(&gf_format_png, (struct gf_resolution){1.5, 1, GF_UNIT_NONE});
    check_no_resolution(&gf_format_jpeg, (struct gf_resolution){0.1, 0.1, GF_INCH});
    check_no_resolution(&gf_format_jpeg, (struct gf_resolution){70000, 70000, GF_INCH});
    for (int i = 0; gf_formats[i]; i++)
        if (!gf_formats[i]->needs_layout && gf_formats[i]->dtypes >> GF_U8 & 1)
            check_no_resolution(gf_formats[i], (struct gf_resolution){0});
    struct gf_resolution r = {0};
    gf_resolution_set(&r, NAN, 1, GF_INCH);
    gf_resolution_set(&r, INFINITY, 1, GF_INCH);
    gf_resolution_set(&r, -1, 1, GF_INCH);
    gf_resolution_set(&r, 5, 5, GF_UNIT_NONE);
    gf_resolution_set(&r, 1.1e9, 1, GF_INCH);
    gf_resolution_set(&r, 1, 1.1e9, GF_INCH);
    CHECK(r.x == 0);
    gf_resolution_set(&r, 1e9, 1e9, GF_INCH);
    CHECK(r.x == 1e9);
}

static bool has_profile(const struct gf_image *image, const unsigned char *profile, size_t n) {
    const struct gf_metadata *m = &image->metadata;
    return m->profile_bytes == n && m->profile && !memcmp(m->profile, profile, n);
}

static void test_profiles(void) {
    static const struct gf_format *const formats[] = {&gf_format_png, &gf_format_tiff,
                                                      &gf_format_jpeg};
    static const size_t sizes[] = {200, 65519, 65520, 200001, GF_MOST_PROFILE};
    char text[80], space[5];
    for (size_t f = 0; f < 3; f++)
        for (size_t s = 0; s < 5; s++)
            for (int64_t channels = 1; channels <= 3; channels += 2) {
                struct gf_image image = picture(channels), back, other;
                image.metadata.profile_bytes = sizes[s];
                image.metadata.profile =
                    profile_make(channels == 3 ? "RGB " : "GRAY", sizes[s], (uint32_t)s);
                back = through(formats[f], &image);
                CHECK_MSG(has_profile(&back, image.metadata.profile, sizes[s]), "%s: %zu of %zu",
                          formats[f]->name, back.metadata.profile_bytes, sizes[s]);
                CHECK(!strcmp(gf_profile_name(&back.metadata, text, sizeof text),
                              "made for the tests"));
                gf_profile_space(&back.metadata, space);
                CHECK(!strcmp(space, channels == 3 ? "RGB " : "GRAY"));
                gf_image_free(&back);
                /* A profile of colour does not suit a grey picture, nor the other way round. */
                other = picture(4 - channels);
                other.metadata = image.metadata;
                back = through(formats[f], &other);
                CHECK(!back.metadata.profile);
                gf_image_free(&back);
                other.metadata = (struct gf_metadata){0};
                gf_image_free(&other);
                gf_image_free(&image);
            }
}

/* Metadata that PNG alone has. */
static void test_gamma(void) {
    struct gf_image image = picture(3), back;
    struct gf_metadata *m = &image.metadata;
    m->gamma = 45455;
    m->has_primaries = true;
    for (size_t i = 0; i < 8; i++)
        put32(m->primaries + 4 * i, 31270 + (uint32_t)i);
    m->srgb = true;
    m->intent = 2;
    back = through(&gf_format_png, &image);
    CHECK(back.metadata.gamma == 45455 && back.metadata.srgb && back.metadata.intent == 2 &&
          back.metadata.has_primaries && !memcmp(back.metadata.primaries, m->primaries, 32));
    gf_image_free(&back);
    back = through(&gf_format_tiff, &image);
    CHECK(!back.metadata.gamma && !back.metadata.srgb && !back.metadata.has_primaries);
    gf_image_free(&back);
    gf_image_free(&image);
}

/* A volume's pages have its resolution each, its profile once. */
static void test_pages(void) {
    struct gf_image volume = image_make(GF_U8, 3, 5, 7, 1, 1), back;
    volume.metadata.resolution = (struct gf_resolution){96, 96, GF_INCH};
    volume.metadata.profile_bytes = 3000;
    volume.metadata.profile = profile_make("GRAY", 3000, 5);
    back = through(&gf_format_tiff, &volume);
    CHECK(image_same(&volume, &back) && has_profile(&back, volume.metadata.profile, 3000));
    CHECK(back.metadata.resolution.x == 96);
    gf_image_free(&back);
    gf_image_free(&volume);
}

/* ---- hostile files ---- */

/* The 7x5 picture as a PNG with a chunk put before its samples. */
static void png_with(const char *type, const void *body, size_t n, int times) {
    struct gf_image image = picture(3);
    size_t size, at = 33; /* behind the signature and IHDR */
    CHECK_EQ(gf_image_write("p.png", &gf_format_png, &image, &usual, true), GF_OK);
    unsigned char *old = file_get("p.png", &size);
    unsigned char *out = malloc(size + (size_t)times * (n + 12));
    memcpy(out, old, at);
    for (int i = 0; i < times; i++) {
        unsigned char *p = out + at + (size_t)i * (n + 12);
        put32(p, (uint32_t)n);
        memcpy(p + 4, type, 4);
        if (n)
            memcpy(p + 8, body, n);
        put32(p + 8 + n, (uint32_t)crc32(0, p + 4, (uInt)(4 + n)));
    }
    memcpy(out + at + (size_t)times * (n + 12), old + at, size - at);
    file_put("h.png", out, size + (size_t)times * (n + 12));
    free(out);
    free(old);
    gf_image_free(&image);
}

/* Reads h.png, whose samples are what they were; the caller frees. */
static struct gf_image hostile_read(const char *name) {
    struct gf_image image, want = picture(3);
    CHECK_MSG(gf_image_read(name, &any, &image, NULL) == GF_OK, "%s", gf_message());
    CHECK(image.px.data && image_same(&image, &want));
    gf_image_free(&want);
    return image;
}

static void check_ignored(const char *type, const void *body, size_t n) {
    png_with(type, body, n, 1);
    struct gf_image image = hostile_read("h.png");
    const struct gf_metadata *m = &image.metadata;
    CHECK_MSG(!m->profile && !m->gamma && !m->srgb && !m->has_primaries && m->resolution.x == 0,
              "%s of %zu bytes", type, n);
    gf_image_free(&image);
}

/* iCCP's body: a name, and `n` bytes deflated. */
static size_t iccp_make(const void *data, size_t n, unsigned char *out, size_t room) {
    uLongf packed = (uLongf)(room - 3);
    memcpy(out, "n\0", 3);
    CHECK_EQ(compress2(out + 3, &packed, data, (uLong)n, 9), Z_OK);
    return packed + 3;
}

static void test_hostile_png(void) {
    static unsigned char body[300000];
    unsigned char *profile = profile_make("RGB ", 2000, 1), *zeros = calloc(1, 64 << 20);
    check_ignored("pHYs", "\0\0\1\0\0\0\1", 8);
    check_ignored("pHYs", "\0\0\0\0\0\0\0\1\1", 9);
    check_ignored("pHYs", "\0\0\1\0\0\0\1\0\2", 9);
    check_ignored("gAMA", "", 0);
    check_ignored("gAMA", "\xff\xff\xff\xff", 4);
    check_ignored("sRGB", "\4", 1);
    memset(body, 0xff, 32);
    check_ignored("cHRM", body, 32);
    /* A profile cut short, of another size than it claims, without its mark, of a method unknown, with a
     * name without an end, and no deflate. */
    size_t n = iccp_make(profile, 2000, body, sizeof body);
    png_with("iCCP", body, n, 1);
    struct gf_image image = hostile_read("h.png");
    CHECK(has_profile(&image, profile, 2000));
    gf_image_free(&image);
    check_ignored("iCCP", body, n / 2);
    check_ignored("iCCP", body, 3);
    body[2] = 1;
    check_ignored("iCCP", body, n);
    memset(body, 'n', 100);
    check_ignored("iCCP", body, 100);
    memcpy(body, "n\0\0 this is no deflate", 22);
    check_ignored("iCCP", body, 22);
    put32(profile, 2001);
    check_ignored("iCCP", body, iccp_make(profile, 2000, body, sizeof body));
    put32(profile, 0xffffffff);
    check_ignored("iCCP", body, iccp_make(profile, 2000, body, sizeof body));
    put32(profile, 2000);
    profile[36] = 'A';
    check_ignored("iCCP", body, iccp_make(profile, 2000, body, sizeof body));
    /* 64 MiB in 65 KB: no more is unpacked than the first four bytes tell. */
    put32(zeros, 64 << 20);
    memcpy(zeros + 36, "acsp", 4);
    check_ignored("iCCP", body, iccp_make(zeros, 64 << 20, body, sizeof body));
    /* The first of several counts. */
    png_with("gAMA", "\0\0\xb1\x8f", 4, 3);
    image = hostile_read("h.png");
    CHECK_EQ(image.metadata.gamma, 45455);
    gf_image_free(&image);
    free(zeros);
    free(profile);
}

/* A JPEG with APP2 segments in front: `order` names the parts, `count` how many there are to be. */
static void jpeg_with(const char *order, int count, const unsigned char *profile, size_t part) {
    struct gf_image image = picture(3);
    size_t size, at = 2;
    CHECK_EQ(gf_image_write("p.jpg", &gf_format_jpeg, &image, &usual, true), GF_OK);
    unsigned char *old = file_get("p.jpg", &size);
    unsigned char *out = malloc(size + strlen(order) * (part + 18));
    memcpy(out, old, at);
    for (const char *p = order; *p; p++, at += part + 18) {
        int number = *p - '0';
        memcpy(out + at, "\xff\xe2", 2);
        out[at + 2] = (unsigned char)((part + 16) >> 8);
        out[at + 3] = (unsigned char)(part + 16);
        memcpy(out + at + 4, "ICC_PROFILE", 12);
        out[at + 16] = (unsigned char)number;
        out[at + 17] = (unsigned char)count;
        memcpy(out + at + 18, profile + (size_t)(number > 0 ? number - 1 : 0) * part, part);
    }
    memcpy(out + at, old + 2, size - 2);
    file_put("h.jpg", out, at + size - 2);
    free(out);
    free(old);
    gf_image_free(&image);
}

static void test_hostile_jpeg(void) {
    static const struct {
        const char *order;
        int count;
        bool good;
    } cases[] = {{"123", 3, true},  {"12", 3, false},  {"132", 3, false}, {"1233", 3, false},
                 {"023", 3, false}, {"123", 4, false}, {"123", 0, false}, {"1", 1, false}};
    unsigned char *profile = profile_make("RGB ", 3000, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gf_image image;
        jpeg_with(cases[i].order, cases[i].count, profile, 1000);
        CHECK_MSG(gf_image_read("h.jpg", &any, &image, NULL) == GF_OK, "%s", gf_message());
        CHECK_MSG(has_profile(&image, profile, 3000) == cases[i].good &&
                      (image.metadata.profile != NULL) == cases[i].good,
                  "parts %s of %d", cases[i].order, cases[i].count);
        gf_image_free(&image);
    }
    free(profile);
}

/* The directory's entries: resolution at offset `at`, in centimetres, turned by a quarter. */
static struct gf_exif exif_read(uint32_t at, uint32_t divisor, size_t cut) {
    unsigned char p[] = "Exif\0\0MM\0*\0\0\0\10\0\4"
                        "\1\x12\0\3\0\0\0\1\0\6\0\0"
                        "\1\x1a\0\5\0\0\0\1\0\0\0\0"
                        "\1\x1b\0\5\0\0\0\1\0\0\0\0"
                        "\1\x28\0\3\0\0\0\1\0\3\0\0"
                        "\0\0\0\0\0\0\1\0\0\0\0\0"; /* the end, 256 / divisor */
    put32(p + 36, at);
    put32(p + 48, at);
    put32(p + 72, divisor);
    return gf_exif_read(p, cut ? cut : 76);
}

static void test_exif(void) {
    struct gf_exif e = exif_read(62, 2, 0);
    CHECK(e.orientation == 6 && e.resolution.x == 128 && e.resolution.y == 128 &&
          e.resolution.unit == GF_CENTIMETRE);
    CHECK(exif_read(62, 0, 0).resolution.x == 0);
    CHECK(exif_read(63, 2, 0).resolution.x == 0);
    CHECK(exif_read(0xfffffffc, 2, 0).resolution.x == 0);
    for (size_t cut = 1; cut < 76; cut++)
        CHECK(exif_read(62, 2, cut).resolution.x == 0);
}

static void put(unsigned char *p, int bytes, uint32_t v, bool big) {
    for (int i = 0; i < bytes; i++)
        p[i] = (unsigned char)(v >> 8 * (big ? bytes - 1 - i : i));
}

static void put_entry(unsigned char *p, uint32_t tag, uint32_t type, uint32_t count, uint32_t v,
                      bool big) {
    put(p, 2, tag, big);
    put(p + 2, 2, type, big);
    put(p + 4, 4, count, big);
    put(p + 8, type == 3 ? 2 : 4, v, big);
}

/* A maker's name of 12 bytes at 62, orientation 6, a directory of EXIF at 74 with a value of 8 bytes at 92,
 * and a thumbnail's directory at 100; all from the sixth byte on. */
enum { EXIF_BYTES = 6 + 118, EXIF_NEEDED = 6 + 100 };
static void exif_make(unsigned char p[EXIF_BYTES], bool big) {
    memset(p, 0, EXIF_BYTES);
    memcpy(p, big ? "Exif\0\0MM\0*" : "Exif\0\0II*", 10);
    p += 6;
    put(p + 4, 4, 8, big);
    put(p + 8, 2, 3, big);
    put_entry(p + 10, 0x10f, 2, 12, 62, big);
    put_entry(p + 22, 0x112, 3, 1, 6, big);
    put_entry(p + 34, 0x8769, 4, 1, 74, big);
    put(p + 46, 4, 100, big);
    memcpy(p + 62, "maker's name", 12);
    put(p + 74, 2, 1, big);
    put_entry(p + 76, 0x9286, 7, 8, 92, big);
    memcpy(p + 92, "comment.", 8);
    put(p + 100, 2, 1, big);
    put_entry(p + 102, 0x112, 3, 1, 6, big);
}

/* On the heap, as long as it is, so that reading beyond it shows. */
static bool settle(const unsigned char *p, size_t n, unsigned char *after) {
    unsigned char *tight = malloc(n);
    memcpy(tight, p, n);
    bool good = gf_exif_settle(tight, n);
    CHECK(good ? gf_exif_read(tight, n).orientation <= 1 : !memcmp(tight, p, n));
    memcpy(after, tight, n);
    free(tight);
    return good;
}

static void test_exif_settled(bool big) {
    unsigned char p[EXIF_BYTES], want[EXIF_BYTES], got[EXIF_BYTES];
    exif_make(p, big);
    exif_make(want, big);
    put(want + 36, 2, 1, big);
    put(want + 52, 4, 0, big);
    CHECK_EQ(gf_exif_read(p, EXIF_BYTES).orientation, 6);
    CHECK(settle(p, EXIF_BYTES, got) && !memcmp(got, want, EXIF_BYTES));
    for (size_t cut = 1; cut < EXIF_BYTES; cut++)
        CHECK_EQ(settle(p, cut, got), cut >= EXIF_NEEDED);
    put_entry(p + 16, 0x112, 4, 1, 3, big); /* twice, and of another type */
    CHECK(settle(p, EXIF_BYTES, got) && !memcmp(got + 18, want + 30, 10));
    static const struct {
        size_t at;
        int bytes;
        uint32_t v;
    } damage[] = {{10, 4, 0xffffffff}, {10, 4, EXIF_BYTES}, {14, 2, 0xffff}, {48, 4, 8},
                  {48, 4, 0xfffffffe}, {24, 4, 0xffffff00}, {80, 2, 200},    {90, 4, 111},
                  {6, 1, 'X'},         {86, 4, 0x20000001}};
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        exif_make(p, big);
        put(p + damage[i].at, damage[i].bytes, damage[i].v, big);
        CHECK_MSG(!settle(p, EXIF_BYTES, got), "damage %zu", i);
    }
    uint32_t seed = 3;
    for (int i = 0; i < 5000; i++) {
        exif_make(p, big);
        for (int k = 0; k < 3; k++)
            p[6 + random_next(&seed) % (EXIF_BYTES - 6)] = (unsigned char)random_next(&seed);
        settle(p, EXIF_BYTES, got);
    }
}

/* From JPEG to JPEG, with a profile that takes several segments. */
static void test_jpeg_to_jpeg(void) {
    struct gf_image image = picture(3), back;
    unsigned char p[EXIF_BYTES], want[EXIF_BYTES];
    exif_make(p, true);
    CHECK(settle(p, EXIF_BYTES, want));
    struct gf_metadata *m = &image.metadata;
    m->profile_bytes = 150000;
    m->profile = profile_make("RGB ", m->profile_bytes, 1);
    const unsigned char head[4] = {0xff, 0xe1, 0, EXIF_BYTES + 2};
    CHECK_EQ(gf_header_append(m, gf_format_jpeg.name, head, 4), GF_OK);
    /* as a reader would not have it, to see what it makes of it */
    CHECK_EQ(gf_header_append(m, gf_format_jpeg.name, p, EXIF_BYTES), GF_OK);
    CHECK_EQ(gf_image_write("x.jpg", &gf_format_jpeg, &image, &usual, true), GF_OK);
    CHECK_EQ(gf_image_read("x.jpg", &(struct gf_read_options){0}, &back, NULL), GF_OK);
    CHECK(back.turned && back.orientation == 6 && !back.metadata.exif_damaged);
    CHECK(back.metadata.header_bytes == 4 + EXIF_BYTES &&
          !memcmp(back.metadata.header + 4, want, EXIF_BYTES));
    CHECK(back.metadata.profile && back.metadata.profile_bytes == 150000 &&
          !memcmp(back.metadata.profile, m->profile, 150000));
    gf_image_free(&back);
    m->header[4 + 15] = 99;
    CHECK_EQ(gf_image_write("x.jpg", &gf_format_jpeg, &image, &usual, true), GF_OK);
    CHECK_EQ(gf_image_read("x.jpg", &(struct gf_read_options){0}, &back, NULL), GF_OK);
    CHECK(!back.metadata.header && back.metadata.exif_damaged);
    gf_image_free(&back);
    gf_image_free(&image);
}

/* The profile counts where memory is limited. */
static void test_limit(void) {
    struct gf_image image = picture(3), back;
    struct gf_read_options o = {.max_memory = 200000};
    image.metadata.profile_bytes = 60000;
    image.metadata.profile = profile_make("RGB ", 60000, 1);
    CHECK_EQ(gf_image_write("x.png", &gf_format_png, &image, &usual, true), GF_OK);
    CHECK_EQ(gf_image_read("x.png", &o, &back, NULL), GF_OK);
    gf_image_free(&back);
    o.max_memory = 100000;
    CHECK_EQ(gf_image_read("x.png", &o, &back, NULL), GF_ENOMEM);
    gf_image_free(&image);
}

/* Pixels of a screen and a printer are no length; those of a scanner of films are. */
static void test_spacing(void) {
    static const struct {
        struct gf_resolution r;
        char kind[2];
        double spacing;
    } cases[] = {{{300, 150, GF_INCH}, "pp", 0.0254 / 300},
                 {{12000, 12000, GF_INCH}, "pp", 0.0254 / 12000},
                 {{100, 12001, GF_INCH}, "mm", 0.0254 / 100},
                 {{1e5, 1e4, GF_CENTIMETRE}, "mm", 1e-7},
                 {{2, 1, GF_UNIT_NONE}, "", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gf_image image = picture(1);
        char kind = 0;
        image.metadata.resolution = cases[i].r;
        const double is = gf_image_spacing(&image, 1, &kind);
        CHECK_MSG(fabs(is - cases[i].spacing) <= 1e-9 * is && kind == cases[i].kind[0],
                  "%zu: %g %c", i, is, kind ? kind : '-');
        CHECK(!(is > 0) ||
              fabs(gf_image_spacing(&image, 0, &kind) / is - cases[i].r.x / cases[i].r.y) < 1e-9);
        gf_image_free(&image);
    }
}

/* Names: of version 4, with bytes that are no letters, and where the tag points outside. */
static void test_names(void) {
    struct gf_metadata m = {.profile_bytes = 300, .profile = profile_make("RGB ", 300, 3)};
    char text[80], small[5];
    memcpy(m.profile + 144, "mluc\0\0\0\0\0\0\0\1\0\0\0\14enUS\0\0\0\6\0\0\0\34\0A\0\n\1B", 34);
    put32(m.profile + 140, 60);
    CHECK(!strcmp(gf_profile_name(&m, text, sizeof text), "A??"));
    put32(m.profile + 164, 1000);
    CHECK(!*gf_profile_name(&m, text, sizeof text));
    put32(m.profile + 140, 0xffffffff);
    CHECK(!*gf_profile_name(&m, text, sizeof text));
    put32(m.profile + 128, 0xffffffff);
    memcpy(m.profile + 132, "xxxx", 4);
    CHECK(!*gf_profile_name(&m, text, sizeof text));
    gf_metadata_free(&m);
    m = (struct gf_metadata){.profile_bytes = 300, .profile = profile_make("RGB ", 300, 3)};
    CHECK(!strcmp(gf_profile_name(&m, small, sizeof small), "made"));
    gf_metadata_free(&m);
    CHECK(!*gf_profile_name(&m, text, sizeof text));
}

int main(void) {
    scratch_enter();
    RUN("resolutions are carried in each format's units", test_resolutions());
    RUN("colour profiles of any size are carried", test_profiles());
    RUN("gamma and primaries are carried in PNG", test_gamma());
    RUN("a volume's pages have its resolution each, its profile once", test_pages());
    RUN("bad PNG metadata is left out of a picture that is read", test_hostile_png());
    RUN("bad JPEG metadata is left out of a picture that is read", test_hostile_jpeg());
    RUN("EXIF gives orientation and resolution", test_exif());
    RUN("little-endian EXIF is kept with orientation 1", test_exif_settled(false));
    RUN("big-endian EXIF is kept with orientation 1", test_exif_settled(true));
    RUN("metadata goes from JPEG to JPEG", test_jpeg_to_jpeg());
    RUN("a profile counts towards --max-memory", test_limit());
    RUN("fine resolutions are lengths, coarse ones are not", test_spacing());
    RUN("profiles of any version have a name", test_names());
    scratch_leave();
    return TEST_END();
}
