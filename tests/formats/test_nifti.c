/* NIfTI and Analyze: headers made here, field by field. usage: test_nifti [long] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "formats/image.h"
#include "tests/formats/files.h"
#include "tests/test.h"

enum { X = 7, Y = 5, Z = 3, T = 2, NUMBERS = X * Y * Z * T, ROOM = 1 << 16 };

static const struct gf_read_options usual = {.max_memory = 64 << 20};
static const struct gf_write_options writes = {.level = -1};

/* Offsets in NIfTI-1 and NIfTI-2, and the bytes of dim, of floats and of vox_offset. */
static const struct places {
    int size, type, bits, dim, spacing, offset, slope, inter, units, shown, descrip, magic;
    int dim_bytes, real_bytes;
} places[2] = {
    {348, 70, 72, 40, 76, 108, 112, 116, 123, 124, 148, 344, 2, 4},
    {540, 12, 14, 16, 104, 168, 176, 184, 500, 192, 240, 4, 8, 8},
};

/* A file in the making: the header, the extender, the samples. */
struct made {
    const struct places *p;
    bool big;
    size_t n;
    unsigned char byte[ROOM];
};

static void put_int(struct made *m, int at, int bytes, int64_t v) {
    for (int i = 0; i < bytes; i++)
        m->byte[at + (m->big ? bytes - 1 - i : i)] = (unsigned char)((uint64_t)v >> (8 * i));
}

static void put_float(struct made *m, int at, int bytes, double v) {
    float f = (float)v;
    uint32_t narrow;
    uint64_t wide;
    memcpy(&narrow, &f, 4);
    memcpy(&wide, &v, 8);
    put_int(m, at, bytes, bytes == 4 ? (int64_t)narrow : (int64_t)wide);
}

static void put_offset(struct made *m, double at) {
    if (m->p == places)
        put_float(m, m->p->offset, 4, at);
    else
        put_int(m, m->p->offset, 8, (int64_t)at);
}

static void put_dims(struct made *m, int n, const int64_t *extent) {
    put_int(m, m->p->dim, m->p->dim_bytes, n);
    for (int i = 0; i < 7; i++)
        put_int(m, m->p->dim + (i + 1) * m->p->dim_bytes, m->p->dim_bytes, i < n ? extent[i] : 1);
}

/* A header of X, Y, Z and T in mm and ms, with `size` bytes of samples behind it. */
static void make(struct made *m, int version, bool big, int type, int bits) {
    static const double spacing[] = {1, 2, -3, 4, 250};
    *m = (struct made){.p = &places[version - 1], .big = big};
    const struct places *p = m->p;
    put_int(m, 0, 4, p->size);
    memcpy(m->byte + p->magic, version == 1 ? "n+1" : "n+2\0\r\n\032\n", version == 1 ? 4 : 8);
    put_int(m, p->type, 2, type);
    put_int(m, p->bits, 2, bits);
    put_dims(m, 4, (const int64_t[]){X, Y, Z, T});
    for (int i = 0; i < 5; i++)
        put_float(m, p->spacing + i * p->real_bytes, p->real_bytes, spacing[i]);
    put_int(m, p->units, version == 1 ? 1 : 4, 2 + 16);
    put_float(m, p->shown, p->real_bytes, 77);
    put_float(m, p->shown + p->real_bytes, p->real_bytes, 66);
    memcpy(m->byte + p->descrip, "a phantom", 9);
    put_offset(m, p->size + 4);
    m->n = (size_t)p->size + 4 + (size_t)NUMBERS * (size_t)bits / 8;
    uint32_t seed = 5;
    for (size_t i = (size_t)p->size + 4; i < m->n; i++)
        m->byte[i] = (unsigned char)(random_next(&seed) % 60); /* no NaN, no large integers */
}

static int read_file(const char *path, struct gf_image *image) {
    return gf_image_read(path, &usual, image, NULL);
}

static int read_made(const struct made *m, struct gf_image *image) {
    file_put("m.nii", m->byte, m->n);
    return read_file("m.nii", image);
}

/* Refused in one line that has these words. */
static void refuse(const struct made *m, const char *words) {
    struct gf_image image;
    int rc = read_made(m, &image);
    CHECK_MSG(rc < 0 && message_is_good(gf_message()) && strstr(gf_message(), words),
              "%s, not '%s'", rc ? gf_message() : "read", words);
    gf_image_free(&image);
}

/* ---- what is read ---- */

static double number(const struct made *m, size_t i, const char *kind, int bytes) {
    const unsigned char *p = m->byte + m->p->size + 4 + i * (size_t)bytes;
    uint64_t v = 0;
    double wide;
    float narrow;
    for (int b = 0; b < bytes; b++)
        v |= (uint64_t)p[m->big ? bytes - 1 - b : b] << (8 * b);
    const uint32_t low = (uint32_t)v;
    memcpy(&narrow, &low, 4);
    memcpy(&wide, &v, 8);
    return *kind == 'f' ? bytes == 4 ? (double)narrow : wide : (double)v;
}

static double sample(const struct gf_image *image, size_t i) {
    const void *p = image->px.data;
    switch (image->px.dtype) {
    case GF_U8:
        return ((const uint8_t *)p)[i];
    case GF_I8:
        return ((const int8_t *)p)[i];
    case GF_U16:
        return ((const uint16_t *)p)[i];
    case GF_I16:
        return ((const int16_t *)p)[i];
    case GF_U32:
        return ((const uint32_t *)p)[i];
    case GF_I32:
        return ((const int32_t *)p)[i];
    case GF_F32:
    case GF_C64:
        return (double)((const float *)p)[i];
    default:
        return ((const double *)p)[i];
    }
}

static const struct type {
    int code, bits, parts; /* numbers or channels a sample */
    const char *kind;
    enum gf_dtype dtype;
} types[] = {
    {2, 8, 1, "u", GF_U8},      {256, 8, 1, "i", GF_I8},    {512, 16, 1, "u", GF_U16},
    {4, 16, 1, "i", GF_I16},    {768, 32, 1, "u", GF_U32},  {8, 32, 1, "i", GF_I32},
    {1280, 64, 1, "u", GF_F64}, {1024, 64, 1, "i", GF_F64}, {16, 32, 1, "f", GF_F32},
    {64, 64, 1, "f", GF_F64},   {32, 64, 2, "f", GF_C64},   {1792, 128, 2, "f", GF_C128},
    {128, 24, 3, "u", GF_U8},   {2304, 32, 4, "u", GF_U8},
};
enum { N_TYPES = sizeof types / sizeof *types };

static bool same_numbers(const struct made *m, const struct type *t, const struct gf_image *image,
                         double slope, double inter) {
    const int bytes = t->bits / 8 / t->parts;
    bool same = true;
    for (size_t i = 0; i < NUMBERS * (size_t)t->parts && same; i++) {
        const double want = number(m, i, t->kind, bytes) * slope + inter, is = sample(image, i);
        same = fabs(is - want) <= 1e-6 * fabs(want);
    }
    return same;
}

static void test_types(void) {
    static struct made m;
    for (int i = 0; i < 4 * N_TYPES; i++) {
        const struct type *t = &types[i / 4];
        struct gf_image image;
        make(&m, 1 + i % 2, i / 2 % 2, t->code, t->bits);
        if (t->bits == 64 && *t->kind != 'f') /* below 2^53 */
            for (int k = 0; k < 2 * NUMBERS; k += 2)
                memset(m.byte + m.p->size + 4 + 4 * k + (m.big ? 0 : 6), 0, 2);
        CHECK_MSG(!read_made(&m, &image), "type %d: %s", t->code, gf_message());
        if (!image.px.data)
            continue;
        CHECK_MSG(image.px.dtype == t->dtype && image.ndim == 3 && image.px.shape[0] == T * Z &&
                      image.px.shape[1] == Y && image.px.shape[2] == X &&
                      image.px.shape[3] == (*t->kind == 'u' ? t->parts : 1),
                  "type %d", t->code);
        CHECK_MSG(same_numbers(&m, t, &image, 1, 0), "numbers of type %d", t->code);
        gf_image_free(&image);
    }
    make(&m, 1, false, 1536, 128);
    refuse(&m, "type 1536, of 128 bits");
    make(&m, 1, false, 2048, 256);
    refuse(&m, "type 2048, of 128 bits");
    make(&m, 1, false, 3, 8);
    refuse(&m, "type 3");
    make(&m, 1, false, 1024, 64);
    memset(m.byte + 352, 0x7f, 8);
    refuse(&m, "2^53");
}

static void test_scaling(void) {
    static const struct {
        double slope, inter, is_slope, is_inter;
    } cases[] = {{0.5, -3, 0.5, -3}, {0, 9, 1, 0}, {NAN, 9, 1, 0},
                 {2, 0, 2, 0},       {1, 4, 1, 4}, {-2, 9, -2, 9}};
    static struct made m;
    for (int i = 0; i < 6 * 10; i++) {
        const struct type *t = &types[i / 6];
        struct gf_image image;
        if (t->bits == 64)
            continue;
        make(&m, 1 + i % 2, i / 2 % 2, t->code, t->bits);
        put_float(&m, m.p->slope, m.p->real_bytes, cases[i % 6].slope);
        put_float(&m, m.p->inter, m.p->real_bytes, cases[i % 6].inter);
        CHECK_MSG(!read_made(&m, &image), "%s", gf_message());
        const bool scaled =
            cases[i % 6].is_slope < 1 || cases[i % 6].is_slope > 1 || cases[i % 6].is_inter > 0;
        const enum gf_dtype want = !scaled                              ? t->dtype
                                   : t->bits < 32 || t->dtype == GF_F32 ? GF_F32
                                                                        : GF_F64;
        CHECK_EQ(image.px.dtype, want);
        CHECK(same_numbers(&m, t, &image, cases[i % 6].is_slope, cases[i % 6].is_inter));
        gf_image_free(&image);
    }
    make(&m, 1, false, 32, 64);
    put_float(&m, 112, 4, 2);
    refuse(&m, "scaled complex");
    make(&m, 1, false, 4, 16);
    put_float(&m, 112, 4, 2);
    put_float(&m, 116, 4, NAN);
    refuse(&m, "scl_inter is not a finite number");
}

/* "t 2 by 250 ms, z 3 by 4 mm, …" */
static const char *axes_of(const struct gf_image *image) {
    static char line[300];
    size_t n = 0;
    line[0] = 0;
    for (int i = 0; i < image->axes.n; i++) {
        const struct gf_axis *a = &image->axes.axis[i];
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%s %lld", i ? ", " : "", a->name,
                              (long long)a->extent);
        if (a->spacing > 0)
            n += (size_t)snprintf(line + n, sizeof line - n, " by %g %s", a->spacing, a->unit);
    }
    return line;
}

static void test_dims(void) {
    static const struct {
        int n, ndim;
        int64_t extent[7];
        bool named;
        const char *axes;
    } cases[] = {
        {1, 1, {210}, false, "x 210 by 2 mm"},
        {2, 2, {14, 15}, false, "y 15 by 3 mm, x 14 by 2 mm"},
        {3, 2, {14, 15, 1}, false, "y 15 by 3 mm, x 14 by 2 mm"},
        {3, 3, {7, 5, 6}, false, "z 6 by 4 mm, y 5 by 3 mm, x 7 by 2 mm"},
        {4, 3, {7, 5, 1, 6}, true, "t 6 by 250 ms, z 1 by 4 mm, y 5 by 3 mm, x 7 by 2 mm"},
        {5, 3, {7, 5, 2, 1, 3}, true, "c 3, t 1 by 250 ms, z 2 by 4 mm, y 5 by 3 mm, x 7 by 2 mm"},
        {7, 3, {7, 5, 3, 2, 1, 1, 1}, true, "t 2 by 250 ms, z 3 by 4 mm, y 5 by 3 mm, x 7 by 2 mm"},
        {7,
         3,
         {7, 5, 1, 1, 1, 3, 2},
         true,
         "v 2, u 3, c 1, t 1 by 250 ms, z 1 by 4 mm, y 5 by 3 mm, x 7 by 2 mm"},
    };
    static struct made m;
    for (int i = 0; i < 16; i++) {
        struct gf_image image;
        make(&m, 1 + i % 2, false, 4, 16);
        put_dims(&m, cases[i / 2].n, cases[i / 2].extent);
        CHECK_MSG(!read_made(&m, &image), "%s", gf_message());
        CHECK_MSG(!strcmp(axes_of(&image), cases[i / 2].axes), "%s", axes_of(&image));
        CHECK(image.ndim == cases[i / 2].ndim && image.axes.named == cases[i / 2].named);
        gf_image_free(&image);
    }
    static const int64_t lies[][8] = {{0},
                                      {8, 7, 5, 6},
                                      {-1, 7},
                                      {3, 0, 5, 6},
                                      {3, 7, -5, 6},
                                      {3, 7, 5, 7},
                                      {3, 7, 5, 5},
                                      {3, 32767, 32767, 32767},
                                      {7, 32767, 32767, 32767, 32767, 32767, 32767, 32767}};
    for (int i = 0; i < 18; i++) {
        make(&m, 1 + i % 2, false, 4, 16);
        put_dims(&m, (int)lies[i / 2][0], lies[i / 2] + 1);
        refuse(&m, "");
    }
    static const char *const units[] = {"", "m", "mm", "um", "", "s", "ms", "us"};
    for (int i = 1; i < 8; i++) {
        struct gf_image image;
        make(&m, 1, i % 2, 4, 16);
        put_int(&m, m.p->units, 1, i < 4 ? i : (i - 4) << 3);
        CHECK(!read_made(&m, &image) && !strcmp(image.axes.axis[i < 4 ? 3 : 0].unit, units[i]));
        gf_image_free(&image);
    }
    make(&m, 2, false, 4, 16);
    put_dims(&m, 3, (const int64_t[]){INT64_MAX, INT64_MAX, 4});
    refuse(&m, "");
}

static void test_offsets(void) {
    static const double bad[] = {-1, 0, 300, NAN, INFINITY, 1e30, 0x1p53, 353};
    static struct made m;
    struct gf_image image;
    for (int i = 0; i < 8; i++) {
        make(&m, 1, i % 2, 4, 16);
        put_offset(&m, bad[i]);
        refuse(&m, "");
    }
    make(&m, 2, false, 4, 16);
    put_int(&m, m.p->offset, 8, INT64_MIN);
    refuse(&m, "samples at byte");
    /* An extension, and the spare bytes behind it. */
    make(&m, 1, true, 4, 16);
    memmove(m.byte + 352 + 64, m.byte + 352, NUMBERS * 2);
    memset(m.byte + 352, 0, 64);
    m.byte[348] = 1;
    put_int(&m, 352, 4, 48);
    put_int(&m, 356, 4, 6);
    memcpy(m.byte + 360, "a comment", 9);
    put_offset(&m, 352 + 64);
    m.n += 64;
    CHECK(!read_made(&m, &image) && image.metadata.header_bytes == 352 + 64);
    image.metadata.header_bytes = 352 + 64;
    CHECK(!gf_image_write("e.nii", &gf_format_nifti, &image, &writes, true));
    gf_image_free(&image);
    size_t n;
    unsigned char *e = file_get("e.nii", &n);
    CHECK(n == m.n && e[348] == 1 && gf_get_number(e + 352, 4, false) == 48 &&
          gf_get_number(e + 356, 4, false) == 6 && !memcmp(e + 360, "a comment", 9));
    free(e);
}

/* ---- what is written ---- */

static void test_back(void) {
    static struct made m;
    for (int i = 0; i < 4 * 12; i++) {
        const struct type *t = &types[i / 4];
        struct gf_image image, back;
        make(&m, 1 + i % 2, i / 2 % 2, t->code, t->bits);
        if (t->bits == 64 && *t->kind != 'f')
            continue;
        CHECK(!read_made(&m, &image));
        CHECK_MSG(!gf_image_write("b.nii", &gf_format_nifti, &image, &writes, true), "%s",
                  gf_message());
        CHECK_MSG(!read_file("b.nii", &back), "%s", gf_message());
        CHECK(image_same(&image, &back) && !strcmp(axes_of(&back), axes_of(&image)));
        size_t n;
        unsigned char *b = file_get("b.nii", &n);
        const struct places *p = m.p;
        CHECK(gf_get_number(b, 4, false) == (unsigned)p->size);
        CHECK(gf_get_number(b + p->type, 2, false) == (unsigned)t->code);
        CHECK(!memcmp(b + p->descrip, "a phantom", 10));
        CHECK(gf_get_real(b + p->spacing + 4 * p->real_bytes, p->real_bytes, false) == 250);
        CHECK(gf_get_real(b + p->shown, p->real_bytes, false) == 0);
        CHECK(gf_get_real(b + p->shown + p->real_bytes, p->real_bytes, false) == 0);
        CHECK(gf_get_real(b + p->slope, p->real_bytes, false) == 1);
        free(b);
        gf_image_free(&image);
        gf_image_free(&back);
    }
    /* Without a header and axes the spacing is 1. */
    struct gf_image plain = image_make(GF_F32, 3, 4, 5, 1, 1);
    CHECK(!gf_image_write("b.nii", &gf_format_nifti, &plain, &writes, true));
    size_t n;
    unsigned char *b = file_get("b.nii", &n);
    for (int i = 1; i < 8; i++)
        CHECK(gf_get_real(b + 76 + 4 * i, 4, false) == 1);
    CHECK(b[123] == 0 && n == 352 + 240);
    free(b);
    gf_image_free(&plain);
    plain = image_make(GF_U8, 0, 1, 32767, 1, 1);
    CHECK(!gf_image_write("b.nii", &gf_format_nifti, &plain, &writes, true));
    gf_image_free(&plain);
    plain = image_make(GF_U8, 0, 1, 32768, 1, 1);
    CHECK(gf_image_write("b.nii", &gf_format_nifti, &plain, &writes, true) < 0 &&
          strstr(gf_message(), "32767"));
    gf_image_free(&plain);
}

/* A scaled file that is restored has its own numbers and slope again. */
static void test_restored(void) {
    static struct made m;
    for (int i = 0; i < 4; i++) {
        struct gf_image image;
        make(&m, 1 + i % 2, i / 2, 4, 16);
        put_float(&m, m.p->slope, m.p->real_bytes, 0.25);
        put_float(&m, m.p->inter, m.p->real_bytes, 10);
        CHECK(!read_made(&m, &image));
        image.restores = true;
        CHECK(!gf_image_write("r.nii", &gf_format_nifti, &image, &writes, true));
        size_t n;
        unsigned char *r = file_get("r.nii", &n);
        CHECK(gf_get_number(r + m.p->type, 2, false) == 4 &&
              gf_get_real(r + m.p->slope, m.p->real_bytes, false) == 0.25 &&
              gf_get_real(r + m.p->inter, m.p->real_bytes, false) == 10);
        const size_t at = n - NUMBERS * 2;
        for (size_t k = 0; k < NUMBERS; k++)
            CHECK_EQ(gf_get_number(r + at + 2 * k, 2, false),
                     gf_get_number(m.byte + m.p->size + 4 + 2 * k, 2, m.big));
        free(r);
        gf_image_free(&image);
    }
}

/* ---- pairs, Analyze, gzip ---- */

static void test_pairs(void) {
    static struct made m;
    struct gf_image one, two;
    make(&m, 1, true, 4, 16);
    CHECK(!read_made(&m, &one));
    memcpy(m.byte + 344, "ni1", 4);
    put_offset(&m, 0);
    static const char *const names[][2] = {
        {"p.hdr", "p.img"}, {"p.img", "p.hdr"}, {"Q.HDR", "Q.IMG"}, {"Q.IMG", "Q.HDR"}};
    for (int i = 0; i < 4; i++) {
        file_put(names[i / 2 * 2][0], m.byte, 352);
        file_put(names[i / 2 * 2][1], m.byte + 352, m.n - 352);
        CHECK_MSG(!read_file(names[i][0], &two), "%s", gf_message());
        CHECK(two.px.data && image_same(&one, &two));
        gf_image_free(&two);
        unlink(names[i][1]);
        CHECK(read_file(names[i][0], &two) < 0 && message_is_good(gf_message()));
        file_put(names[i / 2 * 2][1], m.byte + 352, 100);
        file_put(names[i / 2 * 2][0], m.byte, 352);
        CHECK(read_file(names[i][0], &two) < 0 && strstr(gf_message(), "promises"));
    }
    file_put("p.dat", m.byte, 352);
    CHECK(read_file("p.dat", &two) < 0 && strstr(gf_message(), "without its samples"));
    gf_image_free(&one);
}

/* A pair is the .nii in two parts: its fields but for magic and offset, and its samples. */
static void test_pairs_written(void) {
    static struct made m;
    for (int i = 0; i < 8; i++) {
        const char *name = i % 2 ? "o.img" : "o.hdr";
        struct gf_image image, back;
        make(&m, 1 + i / 4, i / 2 % 2, 4, 16);
        put_float(&m, m.p->slope, m.p->real_bytes, 0.25);
        CHECK(!read_made(&m, &image));
        image.restores = true;
        CHECK(!gf_image_write("o.nii", &gf_format_nifti, &image, &writes, true));
        CHECK_MSG(!gf_image_write(name, &gf_format_nifti, &image, &writes, true), "%s",
                  gf_message());
        CHECK_MSG(!read_file(name, &back), "%s", gf_message());
        CHECK(image_same(&image, &back) && !strcmp(axes_of(&back), axes_of(&image)));
        size_t n, n_header, n_samples, size = (size_t)m.p->size;
        unsigned char *whole = file_get("o.nii", &n), *header = file_get("o.hdr", &n_header),
                      *samples = file_get("o.img", &n_samples);
        CHECK(n_header == size + 4 && n_samples == NUMBERS * 2);
        CHECK(!memcmp(samples, whole + n - n_samples, n_samples));
        CHECK(!memcmp(header + m.p->magic, i < 4 ? "ni1" : "ni2\0\r\n\032\n", i < 4 ? 4 : 8));
        header[m.p->magic + 1] = '+';
        CHECK(gf_get_number(header + m.p->offset, i < 4 ? 4 : 8, false) == 0);
        memcpy(header + m.p->offset, whole + m.p->offset, i < 4 ? 4 : 8);
        CHECK(!memcmp(header, whole, n_header));
        CHECK(gf_get_real(header + m.p->slope, m.p->real_bytes, false) == 0.25);
        free(whole);
        free(header);
        free(samples);
        gf_image_free(&image);
        gf_image_free(&back);
    }
}

/* Analyze's other fields are not NIfTI's. */
static void test_analyze(void) {
    static struct made m;
    struct gf_image image;
    make(&m, 1, false, 4, 16);
    memset(m.byte + 108, 0x41, 40);
    memset(m.byte + 252, 0x41, 92);
    memset(m.byte + 344, 0, 4);
    put_float(&m, 108, 4, 0);
    file_put("a.img", m.byte + 352, m.n - 352);
    double first[4] = {0};
    static const float scales[] = {0.25, INFINITY, NAN, 0}; /* SPM's */
    for (int i = 0; i < 4; i++) {
        put_float(&m, 112, 4, (double)scales[i]);
        file_put("a.hdr", m.byte, 348);
        CHECK_MSG(!read_file("a.hdr", &image), "%s", gf_message());
        CHECK((image.px.dtype == GF_F32) == !i);
        first[i] = sample(&image, 1);
        gf_image_free(&image);
    }
    CHECK(first[3] > 0 || first[3] < 0);
    CHECK(first[0] == first[3] / 4 && first[1] == first[3] && first[2] == first[3]);
    CHECK_MSG(!read_file("a.hdr", &image), "%s", gf_message());
    CHECK(image.px.dtype == GF_I16);
    CHECK(!gf_image_write("a.nii", &gf_format_nifti, &image, &writes, true));
    gf_image_free(&image);
    size_t n;
    unsigned char *a = file_get("a.nii", &n);
    CHECK(!memcmp(a + 148, "a phantom", 10) && gf_get_real(a + 80, 4, false) == 2);
    for (int i = 252; i < 344; i++)
        CHECK(a[i] == 0);
    CHECK(gf_get_number(a + 120, 4, false) == 0);
    free(a);
}

static size_t pack(const struct made *m, size_t n, unsigned char *to) {
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)m->byte, .avail_in = (uInt)n};
    z.next_out = to;
    z.avail_out = ROOM;
    CHECK(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK &&
          deflate(&z, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&z);
    return ROOM - z.avail_out;
}

static void test_packed(void) {
    static struct made m;
    static unsigned char packed[ROOM];
    struct gf_image one, two;
    make(&m, 2, true, 16, 32);
    CHECK(!read_made(&m, &one));
    size_t n = pack(&m, m.n, packed);
    file_put("g.nii.gz", packed, n);
    CHECK_MSG(!read_file("g.nii.gz", &two) && image_same(&one, &two), "%s", gf_message());
    gf_image_free(&two);
    for (size_t cut = n - 12; cut < n; cut++) { /* within the checksum, and before it */
        file_put("g.nii.gz", packed, cut);
        CHECK(read_file("g.nii.gz", &two) < 0 && strstr(gf_message(), "ends early"));
    }
    for (size_t at = n - 8; at < n; at++) {
        packed[at] ^= 1;
        file_put("g.nii.gz", packed, n);
        CHECK(read_file("g.nii.gz", &two) < 0 && message_is_good(gf_message()));
        packed[at] ^= 1;
    }
    file_put("g.nii.gz", packed, pack(&m, m.n + 1, packed));
    CHECK(read_file("g.nii.gz", &two) < 0 && strstr(gf_message(), "more data"));
    file_put("g.nii.gz", packed, pack(&m, m.n - 1, packed));
    CHECK(read_file("g.nii.gz", &two) < 0 && strstr(gf_message(), "the data has"));
    CHECK(!gf_image_write("w.nii.gz", &gf_format_nifti, &one, &writes, true));
    CHECK(!read_file("w.nii.gz", &two) && image_same(&one, &two));
    gf_image_free(&one);
    gf_image_free(&two);
}

/* ---- hostile ---- */

static void test_cuts(void) {
    static struct made m;
    struct gf_image image;
    for (int version = 1; version <= 2; version++) {
        make(&m, version, false, 4, 16);
        for (size_t cut = 0; cut < m.n; cut += cut < 600 ? 1 : 17) {
            file_put("c.nii", m.byte, cut);
            CHECK_MSG(read_file("c.nii", &image) < 0 && message_is_good(gf_message()), "cut at %zu",
                      cut);
        }
    }
}

static void test_flips(int flips) {
    static struct made m, good;
    uint32_t seed = 17;
    for (int i = 0; i < flips; i++) {
        const struct type *t = &types[i % N_TYPES];
        struct gf_image image = {0};
        make(&good, 1 + i % 2, i / 2 % 2, t->code, t->bits);
        m = good;
        for (uint32_t k = 1 + random_next(&seed) % 4; k; k--)
            m.byte[random_next(&seed) % (size_t)m.p->size] ^=
                (unsigned char)(1 << random_next(&seed) % 8);
        const int rc = read_made(&m, &image);
        CHECK_MSG(!rc || message_is_good(gf_message()), "flip %d: %s", i, gf_message());
        if (!rc && gf_dtype_is_integer(image.px.dtype) && image.px.shape[image.ndim] == 1)
            CHECK(!gf_image_write("f.nii", &gf_format_nifti, &image, &writes, true) ||
                  message_is_good(gf_message()));
        gf_image_free(&image);
    }
}

int main(int argc, char **argv) {
    scratch_enter();
    RUN("every type is read in both byte orders and versions", test_types());
    RUN("slope and intercept apply as the standard says", test_scaling());
    RUN("dimensions have their axes", test_dims());
    RUN("offsets that lie are refused", test_offsets());
    RUN("a file that is written back has its header", test_back());
    RUN("a scaled file that is restored has its own numbers and slope", test_restored());
    RUN("a header and its samples are read as a pair", test_pairs());
    RUN("a written pair is the .nii in two parts", test_pairs_written());
    RUN("Analyze's other fields are not read as NIfTI's", test_analyze());
    RUN("a .nii.gz reads as the .nii", test_packed());
    RUN("cut files are refused", test_cuts());
    RUN("changed files are refused or read",
        test_flips(argc > 1 && !strcmp(argv[1], "long") ? 5000 : 200));
    scratch_leave();
    return TEST_END();
}
