/* MRC files, whose headers are made here: every mode, both byte orders, kinds of stacks, lies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "formats/record.h"
#include "formats/volume.h"
#include "tests/formats/files.h"
#include "tests/formats/read.h"
#include "tests/test.h"

enum { HEADER = 1024, MORE = 160, WIDTH = 7, HEIGHT = 5, DEPTH = 6, SAMPLES = 210, ROOM = 4096 };
enum { NZ = 8, MODE = 12, MX = 28, CELLA = 40, MAPC = 64, DMIN = 76, ISPG = 88, NSYMBT = 92 };
enum { NVERSION = 108, STAMP = 152, FLAGS = 156, ORIGIN = 196, MACHST = 212, RMS = 216 };
enum { NLABL = 220, LABEL = 224, IMOD = 1146047817 };

static const struct gf_write_options usual = {.level = -1};
static const struct gf_read_options modest = {.max_memory = 64 << 20};

static const struct {
    int mode, bytes;
    enum gf_dtype dtype;
} modes[] = {{0, 1, GF_I8},  {1, 2, GF_I16},  {2, 4, GF_F32}, {4, 8, GF_C64},
             {6, 2, GF_U16}, {12, 2, GF_F32}, {101, 1, GF_U8}};
enum { N_MODES = sizeof modes / sizeof *modes };

/* ---- files made here ---- */

static void put(unsigned char *p, int bytes, bool big, int64_t v) {
    for (int i = 0; i < bytes; i++)
        p[big ? bytes - 1 - i : i] = (unsigned char)((uint64_t)v >> 8 * i);
}

static void put_float(unsigned char *p, bool big, float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    put(p, 4, big, bits);
}

static int32_t get(const unsigned char *p, bool big) {
    return (int32_t)gf_get_number(p, 4, big);
}

static float get_float(const unsigned char *p) {
    const uint32_t bits = (uint32_t)gf_get_number(p, 4, false);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Sample i, which every mode holds. */
static int value(int mode, int64_t i) {
    return mode == 101 ? (int)(i * 7 % 16) : (int)(i * 37 % 251) - (mode == 6 ? 0 : 125);
}

/* A half of a whole number up to 2^11. */
static int half(int v) {
    int e = 0, n = abs(v);
    if (!n)
        return 0;
    for (; n >> (e + 1); e++)
        ;
    return (v < 0 ? 1 << 15 : 0) | (e + 15) << 10 | ((n << 10 >> e) & 1023);
}

static size_t put_samples(unsigned char *p, int mode, bool big) {
    const unsigned char *begin = p;
    for (int64_t i = 0; i < SAMPLES; i++) {
        const int v = value(mode, i);
        if (mode == 101) { /* rows of 7 in 4 bytes */
            if (i % WIDTH % 2)
                *p++ |= (unsigned char)(v << 4);
            else
                *p = (unsigned char)v;
            p += i % WIDTH == WIDTH - 1;
        } else if (mode == 2 || mode == 4) {
            put_float(p, big, (float)v);
            p += 4;
            if (mode == 4) {
                put_float(p, big, (float)-v);
                p += 4;
            }
        } else {
            const int bytes = mode == 0 ? 1 : 2;
            put(p, bytes, big, mode == 12 ? half(v) : v);
            p += bytes;
        }
    }
    return (size_t)(p - begin);
}

/* A file of 6 sections of 5 rows of 7 columns with an extended header; returns its size. */
static size_t make(unsigned char *p, int mode, bool big, int group, int mz) {
    static const int n[3] = {WIDTH, HEIGHT, DEPTH};
    memset(p, 0, ROOM);
    for (int i = 0; i < 3; i++) {
        const int intervals = i == 2 ? mz : n[i];
        put(p + 4 * i, 4, big, n[i]);
        put(p + MX + 4 * i, 4, big, intervals);
        put_float(p + CELLA + 4 * i, big, (float)intervals * (1.5f + (float)i));
        put_float(p + 52 + 4 * i, big, 90);
        put(p + MAPC + 4 * i, 4, big, i + 1);
        put_float(p + ORIGIN + 4 * i, big, -10.f * (float)i);
    }
    put(p + MODE, 4, big, mode);
    put(p + ISPG, 4, big, group);
    put(p + NSYMBT, 4, big, MORE);
    memcpy(p + 104, "SERI", 4);
    put(p + NVERSION, 4, big, 20140);
    memcpy(p + 208, big ? "MAP \x11\x11\0\0" : "MAP \x44\x44\0\0", 8);
    put(p + NLABL, 4, big, 1);
    memset(p + LABEL, ' ', 80);
    memcpy(p + LABEL, "a label", 7);
    for (int i = 0; i < MORE; i++)
        p[HEADER + i] = (unsigned char)(i + 1);
    return HEADER + MORE + put_samples(p + HEADER + MORE, mode, big);
}

static int read_bytes(const unsigned char *data, size_t n, struct gf_image *image) {
    struct gf_source *source;
    *image = (struct gf_image){0};
    if (gf_source_open_memory(data, n, &source))
        return GF_ENOMEM;
    int rc = read_format(&gf_format_mrc, source, &modest, image);
    gf_source_close(source);
    return rc;
}

/* "n 3, z 2 by 3.5 A, …" and roles: all that a header tells of axes. */
static const char *axes_of(const unsigned char *data, size_t n) {
    static char line[200];
    struct gf_image image;
    size_t at = 0;
    if (read_bytes(data, n, &image))
        return gf_message();
    for (int i = 0; i < image.axes.n; i++) {
        const struct gf_axis *a = &image.axes.axis[i];
        at += (size_t)snprintf(line + at, sizeof line - at, "%s%s %d", i ? ", " : "", a->name,
                               (int)a->extent);
        if (a->spacing > 0)
            at += (size_t)snprintf(line + at, sizeof line - at, " by %g %s", a->spacing, a->unit);
    }
    snprintf(line + at, sizeof line - at, "%s", image.axes.named ? ", named" : "");
    gf_image_free(&image);
    return line;
}

/* ---- tests ---- */

static bool has_values(const struct gf_image *image, int mode) {
    bool same = true;
    for (int64_t i = 0; i < SAMPLES && same; i++) {
        const int v = value(mode, i);
        const char *p = gf_array_at(&image->px, i);
        same = mode == 0     ? *(const int8_t *)p == v
               : mode == 1   ? *(const int16_t *)p == v
               : mode == 6   ? *(const uint16_t *)p == v
               : mode == 101 ? *(const uint8_t *)p == v
                             : !(*(const float *)p < (float)v) && !(*(const float *)p > (float)v);
        if (mode == 4)
            same = same && !(((const float *)p)[1] < (float)-v) && !(((const float *)p)[1] > -v);
    }
    return same;
}

static void test_modes(void) {
    unsigned char data[ROOM];
    struct gf_image image;
    for (int i = 0; i < N_MODES; i++)
        for (int big = 0; big < 2; big++) {
            const int mode = modes[i].mode;
            const size_t n = make(data, mode, big, 1, DEPTH);
            CHECK_EQ(read_bytes(data, n, &image), GF_OK);
            CHECK_MSG(image.px.dtype == modes[i].dtype && image.ndim == 3 &&
                          image.px.shape[0] == DEPTH && image.px.shape[1] == HEIGHT &&
                          image.px.shape[2] == WIDTH && image.color == GF_GRAY,
                      "mode %d", mode);
            CHECK_MSG(has_values(&image, mode), "mode %d, %d", mode, big);
            CHECK_EQ(image.depth, mode == 101 ? 4 : 8 * modes[i].bytes);
            CHECK(image.metadata.header_bytes == HEADER + MORE &&
                  !memcmp(image.metadata.header, data, HEADER + MORE) &&
                  !strcmp(image.metadata.header_format, "mrc"));
            gf_image_free(&image);
            put(data + MACHST, 2, false, big ? 0x4444 : 0x1111); /* a wrong stamp */
            CHECK_EQ(read_bytes(data, n, &image), GF_OK);
            CHECK_MSG(has_values(&image, mode), "mode %d, wrong stamp", mode);
            gf_image_free(&image);
            CHECK_EQ(read_bytes(data, n + 9, &image), GF_OK); /* trailing bytes */
            gf_image_free(&image);
            CHECK(gf_format_sniff(data, GF_LONG_SNIFF) == &gf_format_mrc);
            CHECK(!gf_format_sniff(data, GF_SNIFF));
        }
}

static void test_kinds(void) {
    unsigned char data[ROOM];
    size_t n = make(data, 1, false, 1, DEPTH);
#define AXES(text) CHECK_MSG(!strcmp(axes_of(data, n), text), "'%s'", axes_of(data, n))
    AXES("z 6 by 3.5 A, y 5 by 2.5 A, x 7 by 1.5 A");
    n = make(data, 1, true, 0, 1);
    AXES("n 6, y 5 by 2.5 A, x 7 by 1.5 A, named");
    n = make(data, 1, false, 401, 2);
    AXES("n 3, z 2 by 3.5 A, y 5 by 2.5 A, x 7 by 1.5 A, named");
    n = make(data, 1, false, 401, 4); /* not whole volumes */
    AXES("z 6 by 3.5 A, y 5 by 2.5 A, x 7 by 1.5 A");
    put(data + NZ, 4, false, 1);
    AXES("y 5 by 2.5 A, x 7 by 1.5 A");
    n = make(data, 1, false, 1, DEPTH);
    put(data + MAPC, 4, false, 3); /* columns along z, rows along x */
    put(data + MAPC + 4, 4, false, 1);
    put(data + MAPC + 8, 4, false, 2);
    AXES("y 6 by 2.5 A, x 5 by 1.5 A, z 7 by 3.5 A");
    put(data + MAPC + 8, 4, false, 3); /* z twice: the usual order */
    AXES("z 6 by 3.5 A, y 5 by 2.5 A, x 7 by 1.5 A");
    put(data + MX, 4, false, 0);
    put_float(data + CELLA + 4, false, -3);
    put_float(data + CELLA + 8, false, NAN);
    AXES("z 6, y 5, x 7");
}

/* Which sections are pictures, and the note where the space group has it otherwise. */
static void test_stacks(void) {
    static const struct {
        const char *name, *type;
        int group, mz, dims;
        bool pictures;
        const char *note; /* NULL: none */
    } files[] = {
        {"a.mrc", "", 1, DEPTH, 0, false, NULL},
        {"a.mrc", "", 0, 1, 0, true, NULL},
        {"a.mrc", "", 0, DEPTH, 0, false, "space group 0 means pictures, but MZ is NZ"},
        {"a.mrc", "FEI1", 0, DEPTH, 0, true, NULL},
        {"a.mrc", "FEI2", 0, DEPTH, 0, true, NULL},
        {"a.mrc", "FEI3", 0, DEPTH, 0, false, "space group 0 means pictures, but MZ is NZ"},
        {"a.mrc", "SERI", 0, DEPTH, 0, true, NULL},
        {"a.mrc", "SERI", 1, DEPTH, 0, false, NULL},
        {"a.mrc", "", 0, 3, 0, true, NULL},
        {"a.mrc", "", 1, 1, 0, true, "space group 1 means a volume, but MZ is 1"},
        {"a.mrcs", "", 1, DEPTH, 0, true, "its suffix is a stack's: its sections are pictures"},
        {"a.MRCS.gz", "", 0, DEPTH, 0, true, NULL},
        {"a.st", "", 0, DEPTH, 0, true, NULL},
        {"a.mrcs", "", 401, 4, 0, true, "MZ does not divide NZ"},
        {"a.mrcs", "", 1, DEPTH, 3, false, NULL},
        {"a.mrc", "", 0, 1, 3, false, NULL},
        {"a.mrc", "", 0, DEPTH, 2, false, NULL},
    };
    unsigned char data[ROOM];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct gf_read_options options = modest;
        struct gf_source *source;
        struct gf_image image = {0};
        const size_t n = make(data, 1, i % 2, files[i].group, files[i].mz);
        memcpy(data + 104, "\0\0\0", 4);
        memcpy(data + 104, files[i].type, strlen(files[i].type));
        options.path = files[i].name;
        options.dims = files[i].dims;
        CHECK_EQ(gf_source_open_memory(data, n, &source), GF_OK);
        CHECK_EQ(read_format(&gf_format_mrc, source, &options, &image), GF_OK);
        CHECK_MSG(image.axes.named == files[i].pictures, "%zu", i);
        CHECK_MSG(files[i].note ? image.note && strstr(image.note, files[i].note) : !image.note,
                  "%zu: %s", i, image.note);
        CHECK(files[i].pictures || image.axes.axis[0].spacing > 3);
        gf_image_free(&image);
        gf_source_close(source);
    }
    static const struct {
        int at, mz;
        bool oblique;
    } angles[] = {{52, DEPTH, true}, {56, DEPTH, true}, {60, DEPTH, true},
                  {52, 1, false},    {56, 1, false},    {60, 1, true}};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        struct gf_image image;
        const size_t n = make(data, 1, false, 1, angles[i].mz);
        put_float(data + angles[i].at, false, 100);
        CHECK_EQ(read_bytes(data, n, &image), GF_OK);
        CHECK_MSG(image.axes.oblique == angles[i].oblique, "%zu", i);
        gf_image_free(&image);
    }
}

/* Files without MAP: by their suffix and length, in the byte order that makes sense. */
static void test_unmarked(void) {
    unsigned char data[ROOM], *h;
    struct gf_image image;
    size_t n;
    for (int i = 0; i < N_MODES; i++)
        for (int big = 0; big < 2; big++) {
            n = make(data, modes[i].mode, big, 1, DEPTH);
            memcpy(data + 208, "|\x94\xf2\xc4\x11\x42\x4d\xc3", 8);
            file_put("old.mrc", data, n);
            CHECK_EQ(gf_image_read("old.mrc", &modest, &image, NULL), GF_OK);
            CHECK_MSG(has_values(&image, modes[i].mode), "mode %d, %d", modes[i].mode, big);
            gf_image_free(&image);
            file_put("old.mrc", data, n - 1);
            CHECK_EQ(gf_image_read("old.mrc", &modest, &image, NULL), GF_EFORMAT);
            CHECK(strstr(gf_message(), "no word MAP") && message_is_good(gf_message()));
            file_put("old.dat", data, n);
            CHECK_EQ(gf_image_read("old.dat", &modest, &image, NULL), GF_EFORMAT);
        }
    n = make(data, 1, true, 0, DEPTH); /* a tilt series keeps its group, but no origin */
    memset(data + 208, 0, 8);
    file_put("old.mrc", data, n);
    CHECK_EQ(gf_image_read("old.mrc", &modest, &image, NULL), GF_OK);
    CHECK_EQ(gf_image_write("new.mrc", &gf_format_mrc, &image, &usual, true), GF_OK);
    h = file_get("new.mrc", &n);
    CHECK(!memcmp(h + 208, "MAP \x44\x44", 6) && get(h + ORIGIN + 4, false) == 0);
    CHECK(get(h + ISPG, false) == 0 && get(h + MX + 8, false) == 1);
    free(h);
    gf_image_free(&image);
}

/* Four-bit rows of an odd width begin at whole bytes, also when pages are read. */
static void test_odd_rows(void) {
    unsigned char data[ROOM], pages[2 * HEIGHT * WIDTH];
    struct gf_image image;
    struct gf_file *file;
    const size_t n = make(data, 101, false, 1, DEPTH);
    struct gf_read_options head = modest;
    head.header_only = true;
    file_put("odd.mrc", data, n - 1);
    CHECK_EQ(gf_image_read("odd.mrc", &head, &image, NULL), GF_EFORMAT);
    file_put("odd.mrc", data, n);
    CHECK_EQ(gf_file_open("odd.mrc", &modest, &file, &image), GF_OK);
    CHECK_EQ(gf_file_read_part(file, &image, GF_PAGE, 3, 2, pages), GF_OK);
    for (int i = 0; i < 2 * HEIGHT * WIDTH; i++)
        CHECK_EQ(pages[i], value(101, 3 * HEIGHT * WIDTH + i));
    gf_file_close(file);
    gf_image_free(&image);
}

/* IMOD's flags: unsigned bytes, and two samples in one. */
static void test_imod(void) {
    unsigned char data[ROOM];
    struct gf_image image;
    for (int big = 0; big < 2; big++) {
        const size_t n = make(data, 0, big, 1, DEPTH);
        put(data + STAMP, 4, big, IMOD);
        CHECK_EQ(read_bytes(data, n, &image), GF_OK);
        CHECK(image.px.dtype == GF_U8 && *(uint8_t *)image.px.data == 256 - 125);
        CHECK(!image.centred_half);
        gf_image_free(&image);
        put(data + FLAGS, 4, big, 1);
        CHECK_EQ(read_bytes(data, n, &image), GF_OK);
        CHECK(image.px.dtype == GF_I8);
        gf_image_free(&image);
        put(data + FLAGS, 4, big, 17);
        CHECK_EQ(read_bytes(data, n, &image), GF_EUNSUPP);
    }
}

static void test_refused(void) {
    static const struct {
        int at;
        int64_t v;
        int rc;
        const char *says;
    } bad[] = {
        {MODE, 3, GF_EUNSUPP, "mode 3, complex integers"},
        {MODE, 16, GF_EUNSUPP, "mode 16, colours"},
        {MODE, 99, GF_EUNSUPP, "mode 99"},
        {MODE, -1, GF_EUNSUPP, "mode -1"},
        {0, 0, GF_EFORMAT, "0 columns"},
        {4, -5, GF_EFORMAT, "-5 columns"},
        {NZ, 0, GF_EFORMAT, "0 columns"},
        {NZ, 7, GF_EFORMAT, "promises 490"},
        {0, 0x40000000, GF_EFORMAT, "promises"},
        {0, 0x40000001, GF_EFORMAT, "columns"},
        {NSYMBT, -1, GF_EFORMAT, "extended header of -1"},
        {NSYMBT, 4096, GF_EFORMAT, "before its samples"},
        {NSYMBT, 0x7fffffff, GF_EFORMAT, "before its samples"},
    };
    unsigned char data[ROOM];
    struct gf_image image;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const size_t n = make(data, 1, false, 1, DEPTH);
        put(data + bad[i].at, 4, false, bad[i].v);
        const int rc = read_bytes(data, n, &image);
        CHECK_MSG(rc == bad[i].rc && strstr(gf_message(), bad[i].says) &&
                      message_is_good(gf_message()),
                  "%zu: %d %s", i, rc, gf_message());
    }
    for (int mode = 0; mode <= 101; mode += 101) { /* products beyond 63 bits */
        const size_t n = make(data, mode, false, 1, DEPTH);
        for (int k = 0; k < 3; k++)
            put(data + 4 * k, 4, false, 1 << 30);
        CHECK(read_bytes(data, n, &image) < 0 && message_is_good(gf_message()));
        put(data, 4, false, 4);
        CHECK(read_bytes(data, n, &image) < 0 && message_is_good(gf_message()));
    }
}

/* Cut at every byte of the header, and with flipped bits: one line each. */
static void test_damage(int flips) {
    unsigned char data[ROOM], good[ROOM];
    struct gf_image image;
    uint32_t seed = 7;
    for (int i = 0; i < N_MODES; i++) {
        const size_t n = make(good, modes[i].mode, i % 2, 401, 2);
        for (size_t cut = 0; cut < n; cut += cut <= HEADER + MORE ? 1 : 11) {
            unsigned char *tight = malloc(cut ? cut : 1); /* for a checker of bounds */
            memcpy(tight, good, cut);
            CHECK_MSG(read_bytes(tight, cut, &image) < 0 && message_is_good(gf_message()),
                      "mode %d cut at %zu", modes[i].mode, cut);
            free(tight);
        }
        for (int k = 0; k < flips; k++) {
            memcpy(data, good, n);
            for (uint32_t b = random_next(&seed) % 3; b < 3; b++) {
                const uint32_t bit = random_next(&seed) % (k % 2 ? 8 * 232 : 8 * (uint32_t)n);
                data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            }
            if (!read_bytes(data, n, &image))
                gf_image_free(&image);
            else
                CHECK_MSG(message_is_good(gf_message()), "'%s'", gf_message());
        }
    }
}

/* A header that a file had is in the file that is made from it; what changed is in it. */
static void test_kept(void) {
    unsigned char data[ROOM];
    struct gf_image image, back;
    for (int i = 0; i < N_MODES - 1; i++)
        for (int big = 0; big < 2; big++) {
            size_t n = make(data, modes[i].mode, big, 401, 2), size;
            put(data + STAMP, 4, big, IMOD);
            put(data + FLAGS, 4, big, 1 | 4);
            put(data + 128, 2, big, 0x1234); /* IMOD's 16-bit numbers */
            put(data + 192, 4, big, 0x12345678);
            CHECK_EQ(read_bytes(data, n, &image), GF_OK);
            image.restores = true;
            CHECK_EQ(gf_image_write("k.mrc", &gf_format_mrc, &image, &usual, true), GF_OK);
            unsigned char *file = file_get("k.mrc", &size), want[ROOM];
            CHECK_EQ(size, n);
            make(want, modes[i].mode, false, 401, 2);
            put(want + STAMP, 4, false, IMOD);
            put(want + FLAGS, 4, false, 1 | 4);
            put(want + 128, 2, false, 0x1234);
            put(want + 192, 4, false, 0x12345678);
            put(want + NVERSION, 4, false, 20141);
            memcpy(want + DMIN, file + DMIN, 12);
            memcpy(want + RMS, file + RMS, 4);
            for (size_t k = 0; k < n; k++)
                if (file[k] != want[k]) {
                    CHECK_MSG(false, "mode %d: byte %zu", modes[i].mode, k);
                    break;
                }
            double low = 1e9, high = -1e9, sum = 0, squares = 0;
            for (int64_t k = 0; k < SAMPLES; k++) {
                const double v = value(modes[i].mode, k);
                low = fmin(low, v);
                high = fmax(high, v);
                sum += v / SAMPLES;
                squares += v * v / SAMPLES;
            }
            if (modes[i].mode == 4) { /* not known */
                CHECK(get_float(file + DMIN) > get_float(file + DMIN + 4));
                CHECK(get_float(file + RMS) < 0);
            } else {
                CHECK(fabs((double)get_float(file + DMIN) - low) < 1e-9);
                CHECK(fabs((double)get_float(file + DMIN + 4) - high) < 1e-9);
                CHECK(fabs((double)get_float(file + DMIN + 8) - sum) < 1e-4);
                CHECK(fabs((double)get_float(file + RMS) - sqrt(squares - sum * sum)) < 1e-4);
            }
            CHECK_EQ(gf_image_read("k.mrc", &modest, &back, NULL), GF_OK);
            CHECK(image_same(&image, &back));
            free(file);
            gf_image_free(&image);
            gf_image_free(&back);
        }
}

/* New headers, by the axes of what is written. */
static void test_new(void) {
    size_t n;
    struct gf_image image = image_make(GF_F32, 4, 3, 5, 1, 1);
    gf_axes_start(&image.axes, 3, 5);
    image.axes.axis[1].spacing = 0.25;
    strcpy(image.axes.axis[1].unit, "nm");
    gf_axes_add(&image.axes, "z", 4, 2, "1/A");
    CHECK_EQ(gf_image_write("n.mrc", &gf_format_mrc, &image, &usual, true), GF_OK);
    unsigned char *h = file_get("n.mrc", &n);
    CHECK_EQ(n, HEADER + 4 * 60);
    CHECK(get(h + ISPG, false) == 1 && get(h + MX + 8, false) == 4 && get(h + NSYMBT, false) == 0);
    CHECK(fabs((double)get_float(h + CELLA) - 12.5) < 1e-6);
    CHECK(!(get_float(h + CELLA + 4) > 0) && !(get_float(h + CELLA + 8) > 0));
    CHECK(get(h + NLABL, false) == 1 && !memcmp(h + LABEL, "gpufft  ", 8));
    CHECK(get(h + NVERSION, false) == 20141 && !memcmp(h + MACHST, "\x44\x44", 2));
    CHECK(get(h + MAPC, false) == 1 && get(h + MAPC + 8, false) == 3);
    free(h);
    image.axes.n = 0; /* a stack of pictures */
    gf_axes_start(&image.axes, 3, 5);
    gf_axes_add(&image.axes, "t", 4, 2, "s");
    image.axes.named = true;
    ((float *)image.px.data)[7] = NAN;
    CHECK_EQ(gf_image_write("n.mrc", &gf_format_mrc, &image, &usual, true), GF_OK);
    h = file_get("n.mrc", &n);
    CHECK(get(h + ISPG, false) == 0 && get(h + MX + 8, false) == 1 && get(h + NZ, false) == 4);
    CHECK(get_float(h + DMIN) > get_float(h + DMIN + 4) && get_float(h + RMS) < 0);
    free(h);
    gf_image_free(&image);
    image = image_make(GF_U16, 0, 3, 5, 1, 1);
    CHECK_EQ(gf_image_write("n.mrc", &gf_format_mrc, &image, &usual, true), GF_OK);
    h = file_get("n.mrc", &n);
    CHECK(get(h + ISPG, false) == 0 && get(h + NZ, false) == 1 && get(h + MODE, false) == 6);
    free(h);
    gf_image_free(&image);
}

/* Page by page, and as boxes, whose statistics are not known: the same file otherwise. */
static void test_parts(void) {
    unsigned char *whole, *parts;
    size_t n, m;
    struct gf_volume *v;
    struct gf_image image = image_make(GF_I16, 4, 3, 5, 1, 5), like = image, page = image;
    like.px.data = like.px.base = NULL;
    gf_image_write("w.mrc", &gf_format_mrc, &image, &usual, true);
    whole = file_get("w.mrc", &n);
    for (int boxes = 0; boxes < 2; boxes++) {
        int rc = (boxes ? gf_volume_create : gf_volume_begin)("p.mrc", &gf_format_mrc, &like,
                                                              &usual, true, &v);
        for (int64_t z = 0; z < 4 && !rc; z++) {
            page.px = gf_array_slice(&image.px, 0, boxes ? 3 - z : z, 1);
            const struct gf_volume_box box = {.z = 3 - z, .height = 3, .width = 5};
            rc = boxes ? gf_volume_write(v, &box, page.px.data, 10) : gf_volume_put(v, z, &page);
        }
        CHECK_EQ(rc, GF_OK);
        CHECK_EQ(gf_volume_commit(v), GF_OK);
        parts = file_get("p.mrc", &m);
        CHECK(m == n && !memcmp(parts + HEADER, whole + HEADER, n - HEADER));
        CHECK(!memcmp(parts, whole, DMIN) && !memcmp(parts + 88, whole + 88, RMS - 88));
        CHECK(boxes ? get_float(parts + RMS) < 0 : !memcmp(parts, whole, HEADER));
        free(parts);
    }
    free(whole);
    gf_image_free(&image);
}

/* A spectrum's record has the checksum of the file with its statistics. */
static void test_record(void) {
    const struct gf_record record = {.version = 1,
                                     .kind = GF_MAGNITUDE,
                                     .ndim = 2,
                                     .shape = {8, 9},
                                     .channels = 1,
                                     .dtype = GF_U8,
                                     .depth = 8,
                                     .axes = 3};
    struct gf_image image = image_make(GF_F32, 0, 8, 9, 1, 3), back;
    size_t n;
    CHECK_EQ(gf_record_format(&record, &image.record), GF_OK);
    CHECK_EQ(gf_image_write("r.mrc", &gf_format_mrc, &image, &usual, true), GF_OK);
    CHECK_EQ(gf_image_read("r.mrc", &modest, &back, NULL), GF_OK);
    CHECK(image_same(&image, &back) && back.record);
    gf_image_free(&back);
    gf_image_free(&image);
    unsigned char *file = file_get("r.mrc", &n);
    CHECK(get_float(file + RMS) > 0);
    file[DMIN] ^= 1;
    file_put("r.mrc", file, n);
    CHECK_EQ(gf_image_read("r.mrc", &modest, &back, NULL), GF_EFORMAT);
    free(file);
}

int main(int argc, char **argv) {
    scratch_enter();
    RUN("every mode is read in both byte orders", test_modes());
    RUN("axes follow the header's kind", test_kinds());
    RUN("sections are pictures or planes as the space group says, or as a note says",
        test_stacks());
    RUN("files without MAP are read by their suffix and length", test_unmarked());
    RUN("four-bit rows of odd width begin at whole bytes", test_odd_rows());
    RUN("IMOD's flags mean unsigned bytes and two samples in one", test_imod());
    RUN("headers that lie are refused with the reason", test_refused());
    RUN("cut and changed files are refused or read",
        test_damage(argc > 1 && !strcmp(argv[1], "long") ? 5000 : 200));
    RUN("the header of a file goes to the file made from it", test_kept());
    RUN("new headers follow the axes of what is written", test_new());
    RUN("pages and boxes give the file written at once", test_parts());
    RUN("a record has the checksum of the file with its statistics", test_record());
    scratch_leave();
    return TEST_END();
}
