/* Numbers stored in other types: halves, 64-bit integers, blanks, byte orders, signs. */
#include <math.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static const struct gf_coding half = {.coded = true, .type = GF_STORED_F16, .slope = 1};

static void test_halves(void) {
    static const struct {
        double v;
        uint16_t bits;
        double back;
    } halves[] = {
        {1, 0x3c00, 1},
        {-2, 0xc000, -2},
        {0, 0, 0},
        {1 + 0x1p-10, 0x3c01, 1 + 0x1p-10},
        {1 + 0x1p-11, 0x3c00, 1}, /* ties go to even */
        {1 + 0x3p-11, 0x3c02, 1 + 0x1p-9},
        {65504, 0x7bff, 65504},
        {65519, 0x7bff, 65504},
        {65520, 0x7c00, INFINITY},
        {-1e9, 0xfc00, -INFINITY},
        {0x1p-14, 0x0400, 0x1p-14}, /* the smallest normal one, and below */
        {0x3ffp-24, 0x03ff, 0x3ffp-24},
        {0x7ffp-25, 0x0400, 0x1p-14},
        {0x1p-24, 1, 0x1p-24},
        {0x1p-25, 0, 0},
        {0x3p-25, 2, 0x1p-23},
    };
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        uint16_t bits = 0;
        double back = -1;
        gf_coding_encode(&half, &halves[i].v, 1, GF_F64, &bits);
        CHECK_EQ(gf_coding_decode(&half, &bits, 1, GF_F64, &back), GF_OK);
        CHECK_MSG(bits == halves[i].bits && back == halves[i].back, "%a is %04x, which is %a",
                  halves[i].v, (unsigned)bits, back);
    }
    const double special[] = {NAN, -0.0};
    uint16_t bits[2];
    gf_coding_encode(&half, special, 2, GF_F64, bits);
    CHECK((bits[0] & 0x7c00) == 0x7c00 && (bits[0] & 0x3ff) && bits[1] == 0x8000);
}

/* Doubles that no integer of a file is are clamped, and integers that no double is are refused. */
static void test_wide(void) {
    const struct gf_coding i64 = {.coded = true, .type = GF_STORED_I64, .slope = 1},
                           u64 = {.coded = true, .type = GF_STORED_U64, .slope = 1};
    const double v[] = {-5.5, 1e300, -1e300, NAN, 2.5, INFINITY};
    const int64_t most = INT64_C(1) << 53;
    const int64_t want_i[] = {-6, most, -most, 0, 2, most}, want_u[] = {0, most, 0, 0, 2, most};
    int64_t is[6];
    double back;
    gf_coding_encode(&i64, v, 6, GF_F64, is);
    CHECK(!memcmp(is, want_i, sizeof is));
    gf_coding_encode(&u64, v, 6, GF_F64, is);
    CHECK(!memcmp(is, want_u, sizeof is));
    static const struct {
        uint64_t bits;
        bool i64, u64;
    } edges[] = {{UINT64_C(1) << 53, true, true},
                 {(UINT64_C(1) << 53) + 1, false, false},
                 {-(UINT64_C(1) << 53), true, false},
                 {-(UINT64_C(1) << 53) - 1, false, false}};
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(gf_coding_decode(&i64, &edges[i].bits, 1, GF_F64, &back),
                 edges[i].i64 ? GF_OK : GF_EUNSUPP);
        CHECK_EQ(gf_coding_decode(&u64, &edges[i].bits, 1, GF_F64, &back),
                 edges[i].u64 ? GF_OK : GF_EUNSUPP);
    }
}

static void test_blanks(void) {
    struct gf_coding c = {.coded = true,
                          .type = (enum gf_stored)GF_I16,
                          .slope = 0.5,
                          .offset = 10,
                          .has_blank = true,
                          .blank = -7};
    const int16_t stored[] = {-7, 4, -8};
    int16_t again[3];
    float v[3];
    CHECK_EQ(gf_coding_decode(&c, stored, 3, GF_F32, v), GF_OK);
    CHECK(isnan(v[0]) && v[1] == 12 && v[2] == 6);
    gf_coding_encode(&c, v, 3, GF_F32, again);
    CHECK(!memcmp(again, stored, sizeof stored));
    c.has_blank = false;
    gf_coding_encode(&c, v, 3, GF_F32, again);
    CHECK(again[0] == 0 && again[1] == 4);
    const uint16_t minus = 0xc000;
    struct gf_coding h = half;
    h.has_blank = true;
    h.real_blank = -2;
    CHECK(!gf_coding_decode(&h, &minus, 1, GF_F32, v) && isnan(v[0]));
    CHECK_EQ(gf_coding_bytes(&h, GF_F32), 2);
    CHECK_EQ(gf_coding_bytes(&c, GF_F32), 2);
}

/* Runs around the length that vectors take. */
static void test_swaps(void) {
    for (size_t size = 1; size <= 8; size *= 2)
        for (size_t n = 0; n < 20; n++) {
            unsigned char data[8 * 20 + 1], flipped[8 * 20 + 1];
            bool right = true;
            for (size_t i = 0; i < sizeof data; i++)
                data[i] = flipped[i] = (unsigned char)(i * 7);
            gf_swap_bytes(data, n, size);
            gf_flip_signs(flipped, n, size);
            const size_t top = gf_host_is_big_endian() ? 0 : size - 1;
            for (size_t i = 0; i < sizeof data; i++) {
                const bool in = i < n * size;
                const size_t from = in ? i / size * size + size - 1 - i % size : i;
                right = right && data[i] == (unsigned char)(from * 7) &&
                        flipped[i] == (unsigned char)(i * 7 ^ (in && i % size == top ? 128 : 0));
            }
            CHECK_MSG(right, "%zu numbers of %zu bytes", n, size);
        }
}

/* Numbers of a header in either byte order. */
static void test_numbers(void) {
    static const unsigned char bytes[8] = {0xff, 0xfe, 0, 1, 2, 3, 4, 5};
    unsigned char to[8] = {0};
    CHECK_EQ(gf_get_integer(bytes, 2, true), -2);
    CHECK_EQ(gf_get_integer(bytes, 2, false), -257);
    CHECK_EQ(gf_get_integer(bytes + 2, 4, true), 0x10203);
    CHECK_EQ(gf_get_integer(bytes, 8, true), INT64_C(-0x1fffefdfcfbfb));
    gf_put_integer(to, 4, -2);
    CHECK(!memcmp(to, "\xfe\xff\xff\xff\0", 5));
    gf_put_real(to, 4, -2);
    CHECK(!memcmp(to, "\0\0\0\xc0\0", 5) && gf_get_real(to, 4, false) == -2);
    gf_put_real(to, 8, 0.1);
    CHECK(gf_get_real(to, 8, false) == 0.1);
    gf_swap_bytes(to, 1, 8);
    CHECK(gf_get_real(to, 8, true) == 0.1);
}

int main(void) {
    RUN("halves are rounded to the nearest, ties to even", test_halves());
    RUN("64-bit integers are exact to 2^53", test_wide());
    RUN("a blank is NaN and NaN a blank", test_blanks());
    RUN("bytes are swapped and signs flipped to the last number", test_swaps());
    RUN("numbers of headers are read and put in either order", test_numbers());
    return TEST_END();
}
