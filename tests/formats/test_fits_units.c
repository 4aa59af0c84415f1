/* FITS files of several units: what goes along beside a changed image, and compressed images. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/value/status.h"
#include "formats/files.h"
#include "formats/io/isolated.h"
#include "tests/formats/files.h"
#include "tests/formats/fits_make.h"
#include "tests/test.h"

/* A changed image stays among the file's other units, whose bytes do not change. */
static void test_rest(void) {
    static const unsigned char table[3300] = "a table";
    static const char *const old[] = {"DATASUM = '6'", "CHECKSUM", "DATAM",  "BSCALE",
                                      "BZERO",         "BLANK",    "GROUPS", "'old&'"};
    struct gf_image image;
    start(
        "SIMPLE  = T|BITPIX  = 8|NAXIS   = 0|EXTEND  = T|TELESCOP= 'HST'|NEXTEND = 4|CTYPE1  = 'X'|"
        "HISTORY first",
        "", 0);
    add_unit("XTENSION= 'IMAGE   '|" EXTENSION "|EXTNAME = 'SCI'|DATASUM = '5'", "\7\1\1\1", 4);
    const size_t begin = size;
    add_unit("XTENSION= 'IMAGE   '|BITPIX  = 8|NAXIS   = 4|NAXIS1  = 2|NAXIS2  = 2|NAXIS3  = 1|"
             "NAXIS4  = 1|PCOUNT  = 0|GCOUNT  = 1|EXTNAME = 'SCI'|EXTVER  = 2|DATASUM = '6'|"
             "CHECKSUM= 'a'|DATAMIN = 1|DATAMAX = 5|BSCALE  = 1|BZERO   = 0|BLANK   = 300|"
             "CONTINUE  'old&'|GROUPS  = F|OBSERVER= 'x&'|CONTINUE  'new'|HISTORY second",
             "\5\1\1\1", 4);
    const size_t end = size;
    add_unit(TABLE, table, sizeof table);
    memset(file + size, 'x', 100); /* what follows the last unit */
    size += 100;
    for (int i = 0; i < 3; i++) {
        size_t n;
        file_put("rest.fits", file, size);
        CHECK_MSG(!gf_image_read("rest.fits[SCI,2]", &modest, &image, NULL), "%s", gf_message());
        unlink("rest.fits");
        ((unsigned char *)image.px.data)[0] = 9;
        if (i == 2) { /* as from a pipe */
            gf_rest_free(image.metadata.rest);
            image.metadata.rest = NULL;
        }
        struct gf_volume *v;
        int rc = i ? gf_image_write("out.fits", &gf_format_fits, &image, &usual, true)
                   : gf_volume_create("out.fits", &gf_format_fits, &image, &usual, true, &v);
        const struct gf_volume_box box = {.height = 2, .width = 2};
        if (!i && !rc)
            rc = gf_volume_write(v, &box, image.px.data, 2);
        gf_image_free(&image); /* a volume does not need it */
        if (!i && !rc)
            rc = gf_volume_commit(v);
        CHECK_MSG(!rc, "%s", gf_message());
        char *out = (char *)file_get("out.fits", &n);
        const char *header = i < 2 ? out + begin : out;
        CHECK_EQ(n, i < 2 ? size : 2 * BLOCK);
        CHECK(!strncmp(header, i < 2 ? "XTENSION= 'IMAGE   '" : "SIMPLE  = ", 10));
        CHECK(strstr(header, "NAXIS4  =                    1") && strstr(header, "EXTVER  = 2"));
        for (size_t k = 0; k < sizeof old / sizeof *old; k++)
            CHECK_MSG(!strstr(header, old[k]), "%s is kept", old[k]);
        CHECK(header[BLOCK] == 9 && header[BLOCK + 4] == 0);
        CHECK(strstr(header, "CONTINUE  'new'") && strstr(header, "HISTORY second"));
        if (i < 2)
            CHECK(!memcmp(out, file, begin) && !memcmp(out + end, file + end, size - end));
        else
            CHECK(strstr(out, "TELESCOP= 'HST'") && strstr(out, "HISTORY first") &&
                  !strstr(out, "NEXTEND") && !strstr(out, "CTYPE1"));
        free(out);
    }
}

/* A changed primary image before the smallest unit there is. */
static void test_primary(void) {
    struct gf_image image;
    start("SIMPLE  = T|BITPIX  = 8|NAXIS   = 2|NAXIS1  = 2|NAXIS2  = 2", "\7\1\1\1", 4);
    const size_t end = size;
    add_unit("XTENSION= 'IMAGE   '|BITPIX  = 8|NAXIS   = 0|PCOUNT  = 0|GCOUNT  = 1", "", 0);
    CHECK_EQ(size, end + BLOCK);
    file_put("first.fits", file, size);
    CHECK_EQ(gf_image_read("first.fits", &modest, &image, NULL), GF_OK);
    CHECK(image.metadata.more);
    CHECK_EQ(gf_image_write("out.fits", &gf_format_fits, &image, &usual, true), GF_OK);
    gf_image_free(&image);
    size_t n;
    char *out = (char *)file_get("out.fits", &n);
    CHECK_EQ(n, size);
    CHECK(strstr(out, "EXTEND  =                    T") && !memcmp(out + end, file + end, BLOCK));
    free(out);
}

/* Appends a table of three rows, each of which is packed by gzip, of a 2x1x1x3 image of unsigned numbers of
 * 16 bits. `flip` damages it. */
static void add_packed(const char *method, uint32_t sum, int flip) {
    static unsigned char heap[512], table[512];
    char cards[1500];
    size_t at = 0;
    for (int y = 0; y < 3; y++) {
        unsigned char row[4] = {0x80, (unsigned char)y, 0x7f, 0xff}; /* y, -1 of 32768 */
        z_stream z = {.next_in = row, .avail_in = 4, .next_out = heap + at, .avail_out = 100};
        CHECK(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK &&
              deflate(&z, Z_FINISH) == Z_STREAM_END);
        deflateEnd(&z);
        gf_put_big_endian(table + 8 * y, 100 - z.avail_out);
        gf_put_big_endian(table + 8 * y + 4, (uint32_t)at);
        at += 100 - z.avail_out;
    }
    memcpy(table + 24, heap, at);
    if (*method == 'H') /* claims 65535x65535 numbers */
        memcpy(table + 24, "\xdd\x99\0\0\xff\xff\0\0\xff\xff\0\0\0\1\0\0\0\0\0\0\0\1\x10\x10\x10",
               25);
    snprintf(cards, sizeof cards,
             "XTENSION= 'BINTABLE'|BITPIX  = 8|NAXIS   = 2|NAXIS1  = 8|NAXIS2  = 3|PCOUNT  = %zu|"
             "GCOUNT  = 1|TFIELDS = 1|TTYPE1  = 'COMPRESSED_DATA'|TFORM1  = '1PB(40)'|ZIMAGE  = T|"
             "ZTENSION= 'IMAGE'|ZBITPIX = 16|ZNAXIS  = 4|ZNAXIS1 = 2|ZNAXIS2 = 1|ZNAXIS3 = "
             "1|ZNAXIS4 = 3|"
             "ZCMPTYPE= '%s'|ZTILE1  = 2|ZTILE2  = 1|ZTILE3  = 1|ZTILE4  = 1|"
             "ZHECKSUM= 'a'|ZDATASUM= '1'|ZQUANTIZ= 'NO_DITHER'|ZDITHER0= 1|"
             "ZNAME1  = 'BLOCKSIZE'|ZVAL1   = 32|ZPCOUNT = 0|ZGCOUNT = 1|"
             "BZERO   = 32768|BSCALE  = 1|EXTNAME = 'SCI'|OBJECT  = 'M 13'|DATASUM = '%.0lu'",
             at, method, (unsigned long)sum);
    table[26] ^= (unsigned char)flip;
    add_unit(cards, table, 24 + at);
}

/* The sum of a unit's 32-bit words, folded. */
static uint32_t sum_of(size_t from, size_t to) {
    uint64_t sum = 0;
    for (; from < to; from += 4)
        sum += gf_get_big_endian(file + from);
    while (sum >> 32)
        sum = (sum & UINT32_MAX) + (sum >> 32);
    return (uint32_t)sum;
}

static void test_packed(void) {
    static const char primary[] = "SIMPLE  = T|BITPIX  = 8|NAXIS   = 0|EXTEND  = T";
    struct gf_image image;
    start(primary, "", 0);
    add_packed("GZIP_1", 0, 0);
    const uint32_t sum = sum_of(size - BLOCK, size);
    start(primary, "", 0);
    add_packed("GZIP_1", sum, 0);
    const size_t end = size;
    add_unit("XTENSION= 'IMAGE   '|" EXTENSION, "\3\1\1\1", 4);
    file_put("z.fits", file, size);
    if (gf_image_read("z.fits", &modest, &image, NULL) && strstr(gf_message(), "libcfitsio10")) {
        puts("test_fits: compressed images are not tested: there is no libcfitsio");
        return;
    }
    const uint16_t want[] = {0, 65535, 1, 65535, 2, 65535};
    CHECK_MSG(image.px.data && image.px.dtype == GF_U16 &&
                  !memcmp(image.px.data, want, sizeof want),
              "%s", gf_message());
    CHECK(!strcmp(image.compression, "GZIP_1"));
    image.restores = true;
    CHECK(!gf_image_write("o.fits", &gf_format_fits, &image, &usual, true));
    gf_image_free(&image);
    size_t n;
    char *out = (char *)file_get("o.fits", &n);
    CHECK(n == 5 * BLOCK && !memcmp(out + 3 * BLOCK, file + end, size - end));
    CHECK(!strncmp(out + BLOCK, "XTENSION= 'IMAGE   '", 20) &&
          strstr(out + BLOCK, "OBJECT  = 'M 13'"));
    for (const char *card = out + BLOCK; strncmp(card, "END ", 4); card += CARD)
        CHECK_MSG(*card != 'Z' && *card != 'T', "%.80s", card);
    free(out);
    start(primary, "", 0);
    add_packed("GZIP_1", sum, 1);
    file_put("z.fits", file, size);
    CHECK(gf_image_read("z.fits", &modest, &image, NULL) &&
          strstr(gf_message(), "DATASUM differs"));
    file_put("z.fits", file, size - BLOCK);
    CHECK(gf_image_read("z.fits", &modest, &image, NULL) && strstr(gf_message(), "it ends within"));
    start(primary, "", 0);
    add_packed("HCOMPRESS_1", 0, 0); /* crashes libcfitsio 4.2 */
    file_put("z.fits", file, size);
    CHECK(gf_image_read("z.fits", &modest, &image, NULL) &&
          strstr(gf_message(), "broken compressed FITS image: libcfitsio"));
}

/* A picture that was aligned lies where its reference does. */
static void test_place(void) {
    struct gf_metadata m = {.header = NULL}, reference = {.header = NULL};
    start("SIMPLE  = T|OBJECT  = 'a'|CTYPE1  = 'X'|CD1_12  = 3|CRPIXEL = 5|CRVAL2A = 4", "", 0);
    CHECK(!gf_header_copy(&m, gf_format_fits.name, file, 6 * CARD));
    start("SIMPLE  = T|OBJECT  = 'b'|A_0_2   = 7|LONPOLE = 180.0|NAXIS   = 2", "", 0);
    CHECK(!gf_header_copy(&reference, gf_format_fits.name, file, 5 * CARD));
    CHECK(!gf_format_fits.place(&m, &reference));
    const char *text = (const char *)m.header;
    CHECK_EQ(m.header_bytes, 5 * CARD);
    CHECK(strstr(text, "OBJECT  = 'a'") && strstr(text, "CRPIXEL") && strstr(text, "A_0_2") &&
          strstr(text, "LONPOLE") && !strstr(text, "CTYPE1"));
    gf_metadata_free(&reference);
    CHECK_EQ(gf_format_fits.place(&m, &reference), 1);
    CHECK_EQ(m.header_bytes, 3 * CARD);
    CHECK_EQ(gf_format_fits.place(&reference, &m), 0);
    gf_metadata_free(&m);
}

/* Pages that are left out move the reference pixels of their axis, in all systems of coordinates. */
static void test_skip(void) {
    struct gf_metadata m = {.header = NULL};
    start("XTENSION= 'IMAGE'|CRPIX3  = 1.5 / pixel|CRPIX3B =   -2|CRPIX33 = 7|CRPIX2  = 8|"
          "CRVAL4  = 9|SIMPLE  = T|CRPIX3  = 7",
          "", 0);
    CHECK(!gf_header_copy(&m, gf_format_fits.name, file, 8 * CARD));
    CHECK(!gf_format_fits.skip(&m, 2, 3));
    CHECK(strstr((char *)m.header, "CRPIX3  =                 -1.5 "));
    CHECK(strstr((char *)m.header, "CRPIX3B =                   -5 "));
    CHECK(strstr((char *)m.header, "CRPIX33 = 7"));
    CHECK(strstr((char *)m.header, "CRPIX2  = 8"));
    CHECK(strstr((char *)m.header, "CRPIX3  = 7")); /* the primary unit's */
    CHECK_EQ(m.header_bytes, 8 * CARD);
    CHECK(!gf_format_fits.skip(&m, 3, 2)); /* by default 0 */
    CHECK_EQ(m.header_bytes, 9 * CARD);
    CHECK(strstr((char *)m.header, "CRPIX4  =                   -2 "));
    CHECK(!memcmp(m.header + 7 * CARD, "SIMPLE", 6));
    CHECK(!gf_format_fits.skip(&m, 4, 2));
    CHECK_EQ(m.header_bytes, 9 * CARD);
    gf_metadata_free(&m);
}

static int fill_or_crash(const void *user, size_t n, void *to) {
    memset(to, *(const int *)user, n);
    if (*(const int *)user == 'x')
        raise(SIGSEGV);
    return 7;
}

static void test_isolated(void) {
    char text[4] = "";
    int result;
    CHECK(!gf_isolated(fill_or_crash, &(int){'a'}, 3, text, &result) && result == 7);
    CHECK(!strcmp(text, "aaa"));
    CHECK(!gf_isolated(fill_or_crash, &(int){'x'}, 3, text, &result) && result == -1);
}

int main(void) {
    scratch_enter();
    RUN("a changed image stays among the file's other units", test_rest());
    RUN("a changed primary image keeps the units behind it", test_primary());
    RUN("an aligned picture lies where its reference does", test_place());
    RUN("coordinates move by the pages that are left out", test_skip());
    RUN("compressed images are read, and damaged ones refused", test_packed());
    RUN("a crash in a child is reported", test_isolated());
    scratch_leave();
    return TEST_END();
}
