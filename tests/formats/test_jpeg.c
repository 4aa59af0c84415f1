/* JPEGs that libjpeg makes: what is read is what libjpeg decodes, turned as EXIF asks; and whatever
 * libjpeg warns of as damage is refused. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "tests/formats/files.h"
#include "tests/formats/read.h"
#include "tests/test.h"

static const struct gf_read_options modest = {.max_memory = 64 << 20};

struct kind {
    J_COLOR_SPACE from, stored; /* of the samples, of the file */
    bool subsampled, progressive;
    int restart;     /* MCUs between restart markers, 0: none */
    int orientation; /* 0: no EXIF */
    bool big_endian; /* of the EXIF */
    bool separate;   /* a sequential scan for each channel */
    bool single;     /* progressive: a scan for each coefficient and bit, more than are read */
    bool arithmetic;
};

enum { WIDTH = 61, HEIGHT = 43 };

static int channels_of(const struct kind *k) {
    return k->from == JCS_GRAYSCALE ? 1 : k->from == JCS_CMYK ? 4 : 3;
}

static void put_exif(struct jpeg_compress_struct *c, const struct kind *k) {
    /* The directory's second entry is the orientation. */
    unsigned char exif[] = "Exif\0\0II*\0\10\0\0\0\2\0"
                           "\x0f\1\2\0\2\0\0\0x\0\0\0"
                           "\x12\1\3\0\1\0\0\0\0\0\0\0"
                           "\0\0\0";
    static const unsigned char big[] = "Exif\0\0MM\0*\0\0\0\10\0\2"
                                       "\1\x0f\0\2\0\0\0\2x\0\0\0"
                                       "\1\x12\0\3\0\0\0\1\0\0\0\0"
                                       "\0\0\0";
    if (k->big_endian)
        memcpy(exif, big, sizeof exif);
    exif[36 + (k->big_endian ? 1 : 0)] = (unsigned char)k->orientation;
    jpeg_write_marker(c, JPEG_APP0 + 1, exif, sizeof exif);
}

static void choose(struct jpeg_compress_struct *c, const struct kind *k, jpeg_scan_info *scan) {
    jpeg_set_defaults(c);
    jpeg_set_colorspace(c, k->stored);
    jpeg_set_quality(c, 95, TRUE);
    for (int i = 0; i < c->num_components && !k->subsampled; i++)
        c->comp_info[i].h_samp_factor = c->comp_info[i].v_samp_factor = 1;
    c->restart_interval = (unsigned)k->restart;
    c->arith_code = k->arithmetic;
    if (k->progressive)
        jpeg_simple_progression(c);
    if (k->separate) {
        for (int i = 0; i < c->num_components; i++)
            scan[i] = (jpeg_scan_info){.comps_in_scan = 1, .component_index = {i}, .Se = 63};
        c->num_scans = c->num_components;
    }
    for (int i = 0; i < 2 * DCTSIZE2 && k->single; i++)
        scan[i] = (jpeg_scan_info){.comps_in_scan = 1,
                                   .Ss = i % DCTSIZE2,
                                   .Se = i % DCTSIZE2,
                                   .Ah = i >= DCTSIZE2,
                                   .Al = i < DCTSIZE2};
    if (k->single)
        c->num_scans = 2 * DCTSIZE2;
    if (c->num_scans && !k->progressive)
        c->scan_info = scan;
}

/* Waves and some noise. */
static unsigned char *samples_make(int channels) {
    unsigned char *p = malloc((size_t)(WIDTH * HEIGHT * channels));
    uint32_t seed = 7;
    for (int i = 0; i < WIDTH * HEIGHT * channels; i++) {
        int x = i / channels % WIDTH, y = i / channels / WIDTH, c = i % channels;
        p[i] = (unsigned char)((x * (3 + c) + y * y / 8 + 60 * c + random_next(&seed) % 8) & 255);
    }
    return p;
}

/* The file's bytes, for free(). */
static unsigned char *jpeg_make(const struct kind *k, size_t *n) {
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    jpeg_scan_info scan[2 * DCTSIZE2] = {0};
    unsigned char *out = NULL, *samples = samples_make(channels_of(k));
    unsigned long size = 0;
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &out, &size);
    c.image_width = WIDTH;
    c.image_height = HEIGHT;
    c.input_components = channels_of(k);
    c.in_color_space = k->from;
    choose(&c, k, scan);
    jpeg_start_compress(&c, TRUE);
    if (k->orientation)
        put_exif(&c, k);
    for (int y = 0; y < HEIGHT; y++) {
        JSAMPROW row = samples + y * WIDTH * channels_of(k);
        jpeg_write_scanlines(&c, &row, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    free(samples);
    *n = size;
    return out;
}

/* ---- the same by libjpeg alone, which goes on after damage and counts it ---- */

struct lenient {
    struct jpeg_error_mgr errors;
    jmp_buf escape;
    int damage;
};

static void lenient_error(j_common_ptr c) {
    longjmp(((struct lenient *)c->err)->escape, 1);
}

static void lenient_message(j_common_ptr c, int level) {
    if (level < 0 && c->err->msg_code != JWRN_EXTRANEOUS_DATA &&
        c->err->msg_code != JWRN_JFIF_MAJOR)
        ((struct lenient *)c->err)->damage++;
}

/* NULL: an error, or a picture that is not WIDTH x HEIGHT. */
static unsigned char *lenient_read(const unsigned char *data, size_t n, int *damage) {
    struct lenient l = {0};
    struct jpeg_decompress_struct c;
    unsigned char *volatile out = NULL;
    c.err = jpeg_std_error(&l.errors);
    l.errors.error_exit = lenient_error;
    l.errors.emit_message = lenient_message;
    jpeg_create_decompress(&c);
    if (setjmp(l.escape)) {
        free(out);
        out = NULL;
        goto end;
    }
    jpeg_mem_src(&c, data, n);
    jpeg_read_header(&c, TRUE);
    if (c.image_width != WIDTH || c.image_height != HEIGHT)
        goto end;
    c.do_block_smoothing = FALSE;
    jpeg_start_decompress(&c);
    out = malloc((size_t)(WIDTH * HEIGHT * c.output_components));
    for (int y = 0; y < HEIGHT; y++) {
        JSAMPROW row = out + y * WIDTH * c.output_components;
        jpeg_read_scanlines(&c, &row, 1);
    }
    jpeg_finish_decompress(&c);
end:
    jpeg_destroy_decompress(&c);
    *damage = l.damage;
    return out;
}

/* ---- the program's reader ---- */

static int read_bytes(const unsigned char *data, size_t n, const struct gf_read_options *o,
                      struct gf_image *image) {
    struct gf_source *source;
    *image = (struct gf_image){0};
    if (gf_source_open_memory(data, n, &source))
        return GF_ENOMEM;
    int rc = read_format(&gf_format_jpeg, source, o, image);
    gf_source_close(source);
    return rc;
}

/* Reads, drops the picture, and returns the status. */
static int status_of(const unsigned char *data, size_t n, const struct gf_read_options *o) {
    struct gf_image image;
    int rc = read_bytes(data, n, o, &image);
    CHECK_MSG(!rc || message_is_good(gf_message()), "'%s'", gf_message());
    gf_image_free(&image);
    return rc;
}

/* Stored sample (y, x) of a picture that is shown with its orientation: EXIF's own table, by the
 * place of the stored first row and first column. */
static void place_of(int orientation, int y, int x, int *shown_y, int *shown_x) {
    static const char row[] = "?TTBBLRRL", column[] = "?LRRLTTBB";
    *shown_y = *shown_x = 0;
    switch (row[orientation]) {
    case 'T':
        *shown_y = y;
        break;
    case 'B':
        *shown_y = HEIGHT - 1 - y;
        break;
    case 'L':
        *shown_x = y;
        break;
    default:
        *shown_x = HEIGHT - 1 - y;
    }
    switch (column[orientation]) {
    case 'L':
        *shown_x = x;
        break;
    case 'R':
        *shown_x = WIDTH - 1 - x;
        break;
    case 'T':
        *shown_y = x;
        break;
    default:
        *shown_y = WIDTH - 1 - x;
    }
}

static void check_kind(const struct kind *k, const char *what) {
    size_t n;
    int damage, wrong = 0, far = 0, channels = channels_of(k);
    int orientation = k->orientation >= 1 && k->orientation <= 8 ? k->orientation : 1;
    unsigned char *data = jpeg_make(k, &n), *want = lenient_read(data, n, &damage);
    unsigned char *original = samples_make(channels);
    struct gf_image image;
    CHECK_MSG(read_bytes(data, n, &modest, &image) == GF_OK, "%s: %s", what, gf_message());
    const int64_t *shape = image.px.shape;
    bool turned = orientation >= 5;
    CHECK_MSG(image.ndim == 2 && shape[0] == (turned ? WIDTH : HEIGHT) &&
                  shape[1] == (turned ? HEIGHT : WIDTH) && shape[2] == channels,
              "%s", what);
    CHECK(image.color == (channels == 1 ? GF_GRAY : channels == 3 ? GF_RGB : GF_OTHER_COLOR));
    CHECK(!image.alpha && image.depth == 8);
    const unsigned char *got = image.px.data;
    for (int i = 0; i < WIDTH * HEIGHT * channels && got && want; i++) {
        int c = i % channels, x = i / channels % WIDTH, y = i / channels / WIDTH, sy, sx;
        place_of(orientation, y, x, &sy, &sx);
        int v = got[(sy * shape[1] + sx) * channels + c];
        wrong += v != want[i];
        far += abs(v - original[i]) > 40;
    }
    CHECK_MSG(got && want && wrong == 0, "%s: %d samples differ", what, wrong);
    /* The waves wrap from 255 to 0, where a JPEG rings, and subsampled colour is blurred. */
    CHECK_MSG(far < WIDTH * HEIGHT * channels / (k->subsampled ? 3 : 10), "%s: %d are far", what,
              far);
    /* The quanta at quality 95 are 2 for the mean, 1 for the lowest three, 10 for the highest. */
    const uint8_t *r = image.rounding;
    CHECK_MSG(r[0] == 2 && r[1] == 1 && r[GF_ROUNDING_BANDS - 1] == 10, "%s: %d, %d, %d", what,
              r[0], r[1], r[GF_ROUNDING_BANDS - 1]);
    gf_image_free(&image);
    free(original);
    free(want);
    free(data);
}

static void test_kinds(void) {
    check_kind(&(struct kind){.from = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE}, "grey");
    check_kind(&(struct kind){.from = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE, .progressive = true},
               "grey, scans");
    check_kind(&(struct kind){.from = JCS_RGB, .stored = JCS_YCbCr, .subsampled = true}, "4:2:0");
    check_kind(&(struct kind){.from = JCS_RGB, .stored = JCS_YCbCr, .restart = 3},
               "4:4:4, restarts");
    check_kind(&(struct kind){.from = JCS_RGB, .stored = JCS_RGB}, "RGB");
    check_kind(&(struct kind){.from = JCS_CMYK, .stored = JCS_CMYK}, "CMYK");
    check_kind(&(struct kind){.from = JCS_CMYK, .stored = JCS_YCCK}, "YCCK");
    check_kind(
        &(struct kind){
            .from = JCS_RGB, .stored = JCS_YCbCr, .subsampled = true, .progressive = true},
        "progressive");
    check_kind(&(struct kind){.from = JCS_RGB, .stored = JCS_YCbCr, .separate = true},
               "scans of one channel");
    check_kind(&(struct kind){.from = JCS_RGB, .stored = JCS_YCbCr, .arithmetic = true},
               "arithmetic");
    check_kind(&(struct kind){.from = JCS_RGB,
                              .stored = JCS_YCbCr,
                              .subsampled = true,
                              .progressive = true,
                              .arithmetic = true,
                              .restart = 2},
               "arithmetic, progressive");
}

static void test_orientations(void) {
    for (int o = 0; o <= 9; o++) {
        check_kind(&(struct kind){.from = JCS_RGB, .stored = JCS_YCbCr, .orientation = o},
                   "turned");
        check_kind(&(struct kind){.from = JCS_GRAYSCALE,
                                  .stored = JCS_GRAYSCALE,
                                  .orientation = o,
                                  .big_endian = true,
                                  .progressive = true},
                   "turned grey");
    }
}

/* Cut at every twentieth, and without the last byte. */
static void test_cuts(void) {
    const struct kind kinds[] = {
        {.from = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE, .restart = 2},
        {.from = JCS_RGB, .stored = JCS_YCbCr, .subsampled = true, .orientation = 6},
        {.from = JCS_RGB, .stored = JCS_YCbCr, .progressive = true},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n;
        unsigned char *data = jpeg_make(&kinds[i], &n);
        for (size_t part = 0; part <= 20; part++) {
            size_t cut = part < 20 ? n * part / 20 : n - 1;
            unsigned char *tight = malloc(cut ? cut : 1);
            memcpy(tight, data, cut);
            CHECK_MSG(status_of(tight, cut, &modest) == GF_EFORMAT, "cut at %zu of %zu", cut, n);
            free(tight);
        }
        /* Cut, and ended all the same: an end marker in the middle of the codes. */
        data[n / 2] = 0xff;
        data[n / 2 + 1] = 0xd9;
        if (!kinds[i].progressive)
            CHECK_EQ(status_of(data, n / 2 + 2, &modest), GF_EFORMAT);
        free(data);
    }
}

/* A flipped bit is an error, or changes samples in a way that libjpeg sees nothing of: then, and only
 * then, the file is read. */
static void test_flips(void) {
    const struct kind kinds[] = {
        {.from = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE, .restart = 2},
        {.from = JCS_RGB, .stored = JCS_YCbCr, .subsampled = true},
        {.from = JCS_RGB, .stored = JCS_YCbCr, .progressive = true},
    };
    uint32_t seed = 5;
    int refused = 0, taken = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n;
        unsigned char *data = jpeg_make(&kinds[i], &n);
        for (int k = 0; k < 300; k++) {
            size_t at = random_next(&seed) % n;
            unsigned char bit = (unsigned char)(1 << random_next(&seed) % 8);
            struct gf_image image;
            int damage = 0;
            data[at] ^= bit;
            unsigned char *want = lenient_read(data, n, &damage);
            int rc = read_bytes(data, n, &modest, &image);
            CHECK_MSG(!rc || message_is_good(gf_message()), "'%s'", gf_message());
            if (rc == GF_OK && want) {
                int64_t bytes = gf_array_count(&image.px);
                CHECK_MSG(!damage && !memcmp(want, image.px.data, (size_t)bytes),
                          "byte %zu: damage was read", at);
                taken++;
            }
            if (damage)
                CHECK_MSG(rc == GF_EFORMAT, "byte %zu: %d warnings, %d", at, damage, rc);
            refused += rc != GF_OK;
            gf_image_free(&image);
            free(want);
            data[at] ^= bit;
        }
        free(data);
    }
    CHECK_MSG(refused > 100 && taken > 100, "%d refused, %d taken", refused, taken);
}

/* The offset of that marker's segment; 0: nowhere. */
static size_t find_marker(const unsigned char *data, size_t n, int marker, size_t from) {
    for (size_t i = from; i + 1 < n; i++)
        if (data[i] == 0xff && data[i + 1] == marker)
            return i;
    return 0;
}

static void test_extraneous(void) {
    size_t n, dht;
    unsigned char *data = jpeg_make(&(struct kind){.from = JCS_RGB, .stored = JCS_YCbCr}, &n),
                  *more = malloc(n + 4);
    dht = find_marker(data, n, 0xc4, 2);
    CHECK(dht > 0);
    memcpy(more, data, dht);
    memcpy(more + dht, "\1\2\3\4", 4);
    memcpy(more + dht + 4, data + dht, n - dht);
    struct gf_image a, b;
    CHECK_EQ(read_bytes(data, n, &modest, &a), GF_OK);
    CHECK_EQ(read_bytes(more, n + 4, &modest, &b), GF_OK);
    CHECK(a.px.data && b.px.data && image_same(&a, &b));
    gf_image_free(&a);
    gf_image_free(&b);
    memcpy(more, data, n - 2); /* before the end */
    memcpy(more + n - 2, "\1\2\3\4\xff\xd9", 6);
    CHECK_EQ(status_of(more, n + 4, &modest), GF_OK);
    free(more);
    free(data);
    data = jpeg_make(&(struct kind){.from = JCS_RGB, .stored = JCS_YCbCr, .progressive = true}, &n);
    more = malloc(n + 4);
    memcpy(more, data, n - 2); /* the last scan did not come to them */
    memcpy(more + n - 2, "\1\2\3\4\xff\xd9", 6);
    CHECK_EQ(status_of(more, n + 4, &modest), GF_EFORMAT);
    free(more);
    free(data);
}

enum { SOS = 0xda, MOST_MARKS = 400 };

/* The places of all SOS segments, the end of the file behind them. Returns how many. */
static int find_scans(const unsigned char *data, size_t n, size_t at[MOST_MARKS]) {
    int scans = 0;
    for (size_t i = find_marker(data, n, SOS, 2); i; i = find_marker(data, n, SOS, i + 2))
        at[scans++] = i;
    at[scans] = n - 2;
    return scans;
}

static const struct kind progressive[] = {
    {.from = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE, .progressive = true},
    {.from = JCS_RGB, .stored = JCS_YCbCr, .progressive = true},
    {.from = JCS_RGB, .stored = JCS_YCbCr, .subsampled = true, .progressive = true},
    {.from = JCS_RGB, .stored = JCS_YCbCr, .progressive = true, .restart = 3},
    {.from = JCS_RGB, .stored = JCS_YCbCr, .separate = true},
};
enum { PROGRESSIVE = sizeof progressive / sizeof *progressive };

/* Scans that are repeated, missing, or too many. */
static void test_scans(void) {
    size_t n, at[MOST_MARKS];
    for (int i = 0; i < PROGRESSIVE; i++) {
        unsigned char *data = jpeg_make(&progressive[i], &n), *other = malloc(2 * n);
        int scans = find_scans(data, n, at);
        CHECK_MSG(scans >= 3, "%d scans", scans);
        for (int k = 0; k < scans; k++) {
            const size_t length = at[k + 1] - at[k];
            memcpy(other, data, at[k]);
            memcpy(other + at[k], data + at[k + 1], n - at[k + 1]);
            CHECK_MSG(status_of(other, n - length, &modest) == GF_EFORMAT,
                      "scan %d of %d is missing", k, scans);
            memcpy(other, data, at[k + 1]);
            memcpy(other + at[k + 1], data + at[k], n - at[k]);
            CHECK_MSG(status_of(other, n + length, &modest) == GF_EFORMAT, "scan %d of %d is twice",
                      k, scans);
        }
        free(other);
        free(data);
    }
    unsigned char *data = jpeg_make(
        &(struct kind){.from = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE, .single = true}, &n);
    CHECK_EQ(status_of(data, n, &modest), GF_EUNSUPP);
    CHECK(strstr(gf_message(), "100 scans"));
    free(data);
}

/* The part of the file that the byte is in: the marker of its segment, or 0 in coded data. */
static int part_of(const unsigned char *data, size_t n, size_t byte) {
    for (size_t i = 2; i + 1 < n;) {
        const int marker = data[i + 1];
        const bool alone = marker == 0 || (marker >= 0xd0 && marker <= 0xd9);
        if (data[i] != 0xff || alone) { /* coded data, and the markers in it */
            if (byte == i || (alone && data[i] == 0xff && byte == i + 1))
                return data[i] == 0xff && marker ? marker : 0;
            i += data[i] == 0xff && alone ? 2 : 1;
            continue;
        }
        size_t length = 2 + (size_t)(data[i + 2] << 8 | data[i + 3]);
        if (byte < i + length)
            return marker;
        i += length;
    }
    return 0xd9;
}

/* One bit is wrong. Tables, sizes and coded data may then mean another picture; all else that is taken is
 * the same one. */
static void test_progressive_flips(void) {
    static int taken[256], changed[256], tried[256];
    const char *wanted = getenv("JPEG_FLIPS");
    const int flips = wanted ? atoi(wanted) : 50;
    uint32_t seed = 11;
    for (int i = 0; i < PROGRESSIVE; i++) {
        size_t n, at[MOST_MARKS];
        int damage;
        unsigned char *data = jpeg_make(&progressive[i], &n),
                      *want = lenient_read(data, n, &damage);
        const int scans = find_scans(data, n, at), headers = 80 * scans;
        for (int k = 0; k < flips + headers; k++) {
            size_t byte = k < flips ? random_next(&seed) % n
                                    : at[(k - flips) / 80] + (size_t)(k - flips) % 80 / 8;
            const int bit = k < flips ? 1 << random_next(&seed) % 8 : 1 << k % 8;
            const int part = part_of(data, n, byte);
            struct gf_image image;
            data[byte] ^= (unsigned char)bit;
            tried[part]++;
            if (read_bytes(data, n, &modest, &image) == GF_OK) {
                const bool same =
                    gf_array_count(&image.px) == WIDTH * HEIGHT * channels_of(&progressive[i]) &&
                    !memcmp(image.px.data, want, (size_t)gf_array_count(&image.px));
                taken[part]++;
                changed[part] += !same;
                const bool may =
                    part == 0 || part == 0xc4 || part == 0xdb || part == 0xc0 || part == 0xc2;
                CHECK_MSG(same || may,
                          "kind %d, byte %zu, bit %d of marker %02x: another picture is taken", i,
                          byte, bit, (unsigned)part);
                gf_image_free(&image);
            }
            data[byte] ^= (unsigned char)bit;
        }
        free(want);
        free(data);
    }
    for (int i = 0; i < 256 && wanted; i++)
        if (tried[i])
            printf("marker %02x: %d flips, %d taken, %d changed\n", (unsigned)i, tried[i], taken[i],
                   changed[i]);
}

/* Sizes are checked before memory is taken, the coefficients of progressive files among them. */
static void test_limits(void) {
    size_t n;
    struct gf_read_options o = {.max_memory = WIDTH * HEIGHT - 1};
    unsigned char *data =
        jpeg_make(&(struct kind){.from = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE}, &n);
    CHECK_EQ(status_of(data, n, &o), GF_ENOMEM);
    CHECK_EQ(status_of(data, n, &modest), GF_OK);
    size_t sof = find_marker(data, n, 0xc0, 2);
    CHECK(sof > 0);
    data[sof + 4] = 12; /* bits */
    CHECK_EQ(status_of(data, n, &modest), GF_EUNSUPP);
    data[sof + 4] = 8;
    memset(data + sof + 5, 0xee, 4); /* 61166 x 61166 */
    CHECK_EQ(status_of(data, n, &(struct gf_read_options){0}), GF_EFORMAT);
    CHECK(strstr(gf_message(), "cannot hold"));
    memset(data + sof + 5, 0, 4);
    CHECK_EQ(status_of(data, n, &modest), GF_EFORMAT);
    free(data);
    /* 1600 x 1600 takes 2.5 MB of samples and 5.1 MB of coefficients; the bytes behind the end make
     * the claim plausible. */
    data = jpeg_make(
        &(struct kind){.from = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE, .progressive = true}, &n);
    sof = find_marker(data, n, 0xc2, 2);
    CHECK(sof > 0);
    memcpy(data + sof + 5, "\6\x40\6\x40", 4);
    o.max_memory = 5 << 20;
    data = realloc(data, n + 4096);
    memset(data + n, 0, 4096);
    CHECK_EQ(status_of(data, n + 4096, &o), GF_ENOMEM);
    free(data);
}

/* Looked at only: the header tells the shape as it will be read. */
static void test_header(void) {
    size_t n;
    struct gf_read_options o = {.header_only = true};
    struct gf_image image;
    unsigned char *data =
        jpeg_make(&(struct kind){.from = JCS_RGB, .stored = JCS_YCbCr, .orientation = 8}, &n);
    CHECK_EQ(read_bytes(data, n, &o, &image), GF_OK);
    CHECK(!image.px.data && image.px.shape[0] == WIDTH && image.px.shape[1] == HEIGHT);
    gf_image_free(&image);
    free(data);
    CHECK(gf_format_by_suffix("a.JPG") == &gf_format_jpeg);
    CHECK(gf_format_sniff((const unsigned char *)"\xff\xd8\xff\xe0", 4) == &gf_format_jpeg);
}

int main(void) {
    RUN("JPEGs of every kind read as libjpeg decodes them", test_kinds());
    RUN("pictures are turned as EXIF asks", test_orientations());
    RUN("cut files are refused", test_cuts());
    RUN("a flipped bit is refused, unless libjpeg sees no damage", test_flips());
    RUN("extraneous bytes are refused", test_extraneous());
    RUN("repeated, missing and too many scans are refused", test_scans());
    RUN("a progressive file with a flipped bit is refused or the same picture",
        test_progressive_flips());
    RUN("sizes are checked before memory is taken", test_limits());
    RUN("the header gives the shape as it will be read", test_header());
    return TEST_END();
}
