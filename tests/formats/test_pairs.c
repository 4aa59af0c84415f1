/* A .npy or raw file and its record: together they are read, apart or mixed up they are refused. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "formats/record.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static const struct gf_read_options any = {0};
static const struct gf_write_options usual = {.level = -1};
static const struct gf_record record = {.version = 1,
                                        .kind = GF_COMPLEX,
                                        .ndim = 2,
                                        .shape = {8, 9},
                                        .channels = 3,
                                        .color = GF_RGB,
                                        .dtype = GF_U8,
                                        .depth = 8,
                                        .axes = 3,
                                        .shift = true};

static struct gf_image spectrum(uint32_t seed) {
    struct gf_image image = image_make(GF_C64, 0, 8, 9, 3, seed);
    CHECK_EQ(gf_record_format(&record, &image.record), GF_OK);
    return image;
}

static int read_rc(const char *path) {
    struct gf_image image;
    int rc = gf_image_read(path, &any, &image, NULL);
    gf_image_free(&image);
    return rc;
}

static void test_together(const struct gf_format *f, const char *path, bool big) {
    char beside[64];
    struct gf_image image = spectrum(1), back;
    struct gf_write_options w = usual;
    struct gf_record r;
    const struct gf_format *found;
    w.big_endian = big;
    snprintf(beside, sizeof beside, "%s.json", path);
    CHECK_EQ(gf_image_write(path, f, &image, &w, true), GF_OK);
    int rc = gf_image_read(path, &any, &back, &found); /* without a word on shape or channels */
    CHECK_MSG(rc == GF_OK && found == f && image_same(&image, &back), "%s: %s", path, gf_message());
    CHECK(!rc && back.record && gf_record_parse(back.record, &r) == GF_OK && r.shift &&
          r.channels == 3 && !strcmp(back.record, image.record));
    CHECK((access(beside, F_OK) == 0) == f->record_beside);
    gf_image_free(&back);
    struct gf_read_options o = {.header_only = true};
    CHECK_EQ(gf_image_read(path, &o, &back, NULL), GF_OK);
    CHECK(back.record && !back.px.data);
    gf_image_free(&back);
    gf_image_free(&image);
}

static void change_byte(const char *path, size_t at) {
    size_t n;
    unsigned char *data = file_get(path, &n);
    data[at < n ? at : n - 1] ^= 1;
    file_put(path, data, n);
    free(data);
}

static void test_mismatch(const struct gf_format *f, const char *path) {
    char beside[64], other[64];
    size_t n;
    struct gf_image a = spectrum(1), b = spectrum(2);
    snprintf(beside, sizeof beside, "%s.json", path);
    snprintf(other, sizeof other, "other.%s", f->name);
    CHECK_EQ(gf_image_write(path, f, &a, &usual, true), GF_OK);
    CHECK_EQ(gf_image_write(other, f, &b, &usual, true), GF_OK);
    CHECK_EQ(read_rc(path), GF_OK);
    change_byte(path, 400);
    CHECK_EQ(read_rc(path), GF_EFORMAT);
    CHECK(strstr(gf_message(), "checksum"));
    change_byte(path, 400);
    CHECK_EQ(read_rc(path), GF_OK);
    CHECK_EQ(truncate(path, 500), 0);
    CHECK_EQ(read_rc(path), GF_EFORMAT);
    CHECK(strstr(gf_message(), "500"));
    CHECK_EQ(rename(other, path), 0); /* the same size, another spectrum */
    CHECK_EQ(read_rc(path), GF_EFORMAT);
    CHECK(message_is_good(gf_message()));
    /* Writing again makes the pair good again. */
    CHECK_EQ(gf_image_write(path, f, &b, &usual, true), GF_OK);
    CHECK_EQ(read_rc(path), GF_OK);
    /* Without a record the old one is removed: it would describe data that is no longer there. */
    free(b.record);
    b.record = NULL;
    CHECK_EQ(gf_image_write(path, f, &b, &usual, true), GF_OK);
    CHECK(access(beside, F_OK) != 0);
    /* Damage to the record itself. */
    CHECK_EQ(gf_image_write(path, f, &a, &usual, true), GF_OK);
    unsigned char *text = file_get(beside, &n);
    for (size_t cut = 0; cut < n - 2; cut += 13) {
        file_put(beside, text, cut);
        int rc = read_rc(path);
        /* cut before it names itself, it may be anyone's broken JSON; a raw file then is nothing */
        CHECK(rc == GF_EFORMAT || (cut > 0 && cut < 12 && f == &gf_format_npy));
    }
    free(text);
    unlink(path);
    unlink(beside);
    unlink(other);
    char other_beside[80];
    snprintf(other_beside, sizeof other_beside, "%s.json", other);
    unlink(other_beside);
    gf_image_free(&a);
    gf_image_free(&b);
}

/* A JSON file of someone else's is neither read as a record nor written over. */
static void test_foreign(void) {
    struct gf_image image = spectrum(1), plain = image_make(GF_F32, 0, 3, 3, 1, 1);
    file_put("x.npy.json", "{\"author\": 1}\n", 14);
    CHECK_EQ(gf_image_write("x.npy", &gf_format_npy, &plain, &usual, true), GF_OK);
    CHECK_EQ(read_rc("x.npy"), GF_OK);
    CHECK_EQ(gf_image_write("x.npy", &gf_format_npy, &image, &usual, true), GF_EIO);
    CHECK(strstr(gf_message(), "x.npy.json"));
    CHECK(file_is("x.npy.json", "{\"author\": 1}\n", 14));
    CHECK_EQ(read_rc("x.npy"), GF_OK);
    unlink("x.npy.json");
    mkdir("x.npy.json", 0755);
    CHECK(gf_image_write("x.npy", &gf_format_npy, &image, &usual, true) < 0);
    CHECK(message_is_good(gf_message()));
    rmdir("x.npy.json");
    CHECK_EQ(read_rc("x.npy"), GF_OK);
    unlink("x.npy");
    gf_image_free(&image);
    gf_image_free(&plain);
}

static void test_no_clobber(void) {
    struct gf_image image = spectrum(1);
    CHECK_EQ(gf_image_write("n.npy", &gf_format_npy, &image, &usual, false), GF_OK);
    CHECK_EQ(gf_image_write("n.npy", &gf_format_npy, &image, &usual, false), GF_EIO);
    CHECK_EQ(read_rc("n.npy"), GF_OK);
    unlink("n.npy"); /* the record alone is someone's file, too */
    CHECK_EQ(gf_image_write("n.npy", &gf_format_npy, &image, &usual, false), GF_EIO);
    CHECK(access("n.npy", F_OK) != 0);
    CHECK_EQ(scratch_count(), 1);
    unlink("n.npy.json");
    gf_image_free(&image);
}

/* Pictures drop a record, a TIFF keeps it inside. */
static void test_elsewhere(void) {
    struct gf_image image = image_make(GF_U8, 0, 8, 9, 3, 1), back;
    CHECK_EQ(gf_record_format(&record, &image.record), GF_OK);
    CHECK_EQ(gf_image_write("p.png", &gf_format_png, &image, &usual, true), GF_OK);
    CHECK_EQ(gf_image_read("p.png", &any, &back, NULL), GF_OK);
    CHECK(!back.record);
    gf_image_free(&back);
    CHECK_EQ(scratch_count(), 1);
    unlink("p.png");
    test_together(&gf_format_tiff, "t.tif", false);
    unlink("t.tif");
    gf_image_free(&image);
}

static void test_claims(void) {
    static const char *const bad[] = {
        "{\"gpufft\":1,\"data\":{}}",
        "{\"gpufft\":1,\"data\":7}",
        "{\"gpufft\":1}",
        "{\"gpufft\":1,\"data\":{\"format\":\"raw\",\"type\":\"c64\",\"shape\":[1000000000,"
        "1000000000],\"channels\":1,\"endian\":\"little\",\"bytes\":8,\"crc32\":\"00000000\"}}",
        "{\"gpufft\":1,\"data\":{\"format\":\"raw\",\"type\":\"c64\",\"shape\":["
        "9223372036854775807,"
        "3],\"channels\":65535,\"endian\":\"little\",\"bytes\":8,\"crc32\":\"cb2cbb96\"}}",
        "{\"gpufft\":1,\"data\":{\"format\":\"png\",\"type\":\"u8\",\"shape\":[8,1],"
        "\"channels\":1,\"endian\":\"little\",\"bytes\":8,\"crc32\":\"cb2cbb96\"}}",
        "{\"gpufft\":1,\"data\":{\"format\":\"raw\",\"type\":\"u8\",\"shape\":[8,1],"
        "\"channels\":1,\"endian\":\"little\",\"bytes\":8,\"crc32\":\"CB2CBB96\"}}",
    };
    file_put("c.raw", "12345678", 8);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        file_put("c.raw.json", bad[i], strlen(bad[i]));
        int rc = read_rc("c.raw");
        CHECK_MSG(rc < 0 && message_is_good(gf_message()), "%zu: %s", i, gf_message());
    }
    unlink("c.raw.json");
    CHECK_EQ(read_rc("c.raw"), GF_EFORMAT);
    unlink("c.raw");
}

/* Changes one byte or a whole start, to NUL or otherwise, or, where the length may change (`kind` 5
 * and more), takes bytes away; returns the new length. */
static size_t mutate(int kind, size_t at, uint32_t *seed, char *text, size_t n) {
    char printable = (char)(32 + random_next(seed) % 95);
    switch (kind) {
    case 0:
        text[at] = (char)(text[at] ^ 1 << random_next(seed) % 7);
        return n;
    case 1:
        text[at] = printable;
        return n;
    case 2: /* the first sixth, at most */
        memset(text, printable, at / 6 + 1);
        return n;
    case 3:
        text[at] = 0;
        return n;
    case 4:
        memset(text, 0, at / 6 + 1);
        return n;
    case 5:
        memmove(text + at, text + at + 1, n - at - 1);
        return n - 1;
    case 6:
        return at;
    default:
        memmove(text, text + at / 6, n - at / 6);
        return n - at / 6;
    }
}

/* However a record is damaged, its data is refused or has a record (that inv refuses or believes):
 * it is never taken for a file without one. */
static void sweep(const char *path, const char *in, size_t begin, size_t n, int kinds) {
    size_t size;
    unsigned char *whole = file_get(in, &size);
    char *text = malloc(size);
    uint32_t seed = 5;
    int silent = 0, refused = 0;
    for (size_t at = 0; at < n; at++)
        for (int kind = 0; kind < kinds; kind++) {
            struct gf_image image;
            struct gf_record r;
            memcpy(text, whole, size);
            size_t left = mutate(kind, at, &seed, text + begin, n);
            file_put(in, text, size - n + left);
            int rc = gf_image_read(path, &any, &image, NULL);
            refused += rc || (image.record && gf_record_parse(image.record, &r));
            if (!rc && !image.record) {
                silent++;
                CHECK_MSG(false, "%s: taken as no record: %.60s", path, text + begin);
            }
            gf_image_free(&image);
        }
    CHECK_MSG(silent == 0 && refused > (int)n, "%s: %d silent, %d refused", path, silent, refused);
    file_put(in, whole, size);
    CHECK_EQ(read_rc(path), GF_OK);
    free(text);
    free(whole);
}

static void test_damaged_start(void) {
    struct gf_image image = spectrum(7);
    size_t size, n = strlen(image.record);
    CHECK_EQ(gf_image_write("d.tif", &gf_format_tiff, &image, &usual, true), GF_OK);
    unsigned char *whole = file_get("d.tif", &size);
    unsigned char *at = memmem(whole, size, image.record, n);
    CHECK(at != NULL);
    if (at)
        sweep("d.tif", "d.tif", (size_t)(at - whole), n, 5);
    free(whole);
    CHECK_EQ(gf_image_write("d.npy", &gf_format_npy, &image, &usual, true), GF_OK);
    free(file_get("d.npy.json", &size));
    sweep("d.npy", "d.npy.json", 0, size, 8);
    /* Texts that others write beside their data, or as a TIFF's description, are ignored. */
    static const char *const foreign[] = {"{\"shape\": [8, 9, 3], \"axes\": \"YXS\"}", "{\"a\"",
                                          "[\"kind\", \"norm\"]", "made with gpufft"};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        struct gf_image back;
        file_put("d.npy.json", foreign[i], strlen(foreign[i]));
        CHECK_EQ(gf_image_read("d.npy", &any, &back, NULL), GF_OK);
        CHECK(!back.record);
        gf_image_free(&back);
    }
    gf_image_free(&image);
    unlink("d.tif");
    unlink("d.npy");
    unlink("d.npy.json");
}

int main(void) {
    scratch_enter();
    RUN("a .npy file and its record are read together",
        test_together(&gf_format_npy, "a.npy", false));
    RUN("a raw file and its record are read together",
        test_together(&gf_format_raw, "a.raw", false));
    RUN("a raw file of the other byte order and its record are read together",
        test_together(&gf_format_raw, "b.raw", true));
    RUN("a raw file of any suffix and its record are read together",
        test_together(&gf_format_raw, "c.whatever", false));
    unlink("a.npy");
    unlink("a.npy.json");
    unlink("a.raw");
    unlink("a.raw.json");
    unlink("b.raw");
    unlink("b.raw.json");
    unlink("c.whatever");
    unlink("c.whatever.json");
    RUN("nothing else is left", CHECK_EQ(scratch_count(), 0));
    RUN("a .npy file with another one's record is refused", test_mismatch(&gf_format_npy, "m.npy"));
    RUN("a raw file with another one's record is refused", test_mismatch(&gf_format_raw, "m.raw"));
    RUN("someone else's JSON file is neither read nor written over", test_foreign());
    RUN("neither file of a pair is written over unasked", test_no_clobber());
    RUN("pictures drop a record, and TIFF keeps it inside", test_elsewhere());
    RUN("records that claim other data are refused", test_claims());
    RUN("a damaged record in a TIFF is refused", test_damaged_start());
    RUN("nothing is left over", CHECK_EQ(scratch_count(), 0));
    scratch_leave();
    return TEST_END();
}
