/* Numbers that a file stores in another type, or scaled. */
#include <math.h>
#include <string.h>

#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"
#include "formats/image.h"

enum { EXACT_BITS = 53 }; /* of a double */
static const double most_exact = 9007199254740992.0;

enum gf_dtype gf_coding_set(struct gf_coding *c, enum gf_stored type, double slope, double offset) {
    const bool scales = slope < 1 || slope > 1 || offset < 0 || offset > 0;
    *c = (struct gf_coding){.type = type, .slope = slope, .offset = offset};
    c->coded = scales || type >= GF_STORED_F16;
    if (!c->coded)
        return (enum gf_dtype)type;
    return gf_coding_bytes(c, GF_U8) <= 2 || type == (enum gf_stored)GF_F32 ? GF_F32 : GF_F64;
}

const char *const gf_numpy_names[GF_N_STORED][2] = {
    {"u1", "uint8"},     {"i1", "int8"},        {"u2", "uint16"},  {"i2", "int16"},
    {"u4", "uint32"},    {"i4", "int32"},       {"f4", "float32"}, {"f8", "float64"},
    {"c8", "complex64"}, {"c16", "complex128"}, {"f2", "float16"}, {"i8", "int64"},
    {"u8", "uint64"},
};

int gf_numpy_type(const char *text, bool by_name) {
    int i = GF_N_STORED - 1;
    while (i >= 0 && strcmp(text, gf_numpy_names[i][by_name]))
        i--;
    return strcmp(text, by_name ? "bool" : "b1") ? i : GF_U8;
}

size_t gf_coding_bytes(const struct gf_coding *c, enum gf_dtype dtype) {
    if (!c->coded)
        return gf_dtype_size(dtype);
    return c->type == GF_STORED_F16   ? 2
           : c->type >= GF_STORED_I64 ? 8
                                      : gf_dtype_size((enum gf_dtype)c->type);
}

/* IEEE 754 binary16: a sign bit, five bits of exponent, ten of fraction. */
static double from_half(uint16_t h) {
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const double v = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                    : ldexp(fraction, -24);
    return h >> 15 ? -v : v;
}

/* Rounds to the nearest, ties to even. */
static uint16_t to_half(double v) {
    const unsigned sign = signbit(v) ? 1u << 15 : 0, infinity = 31u << 10;
    int e = 0;
    v = fabs(v);
    if (isnan(v) || v >= 65520) /* which rounds up to 2^16 */
        return (uint16_t)(sign | infinity | (isnan(v) ? 512 : 0));
    (void)frexp(v, &e);
    e = e < -13 ? -13 : e; /* subnormal below 2^-14 */
    const unsigned n = (unsigned)nearbyint(ldexp(v, 11 - e));
    return (uint16_t)(sign | (n < 1024 ? n : n + ((unsigned)(e + 13) << 10)));
}

static bool is_integer(const struct gf_coding *c) {
    return c->type >= GF_STORED_I64 ||
           (c->type < GF_STORED_F16 && gf_dtype_is_integer((enum gf_dtype)c->type));
}

static bool is_blank(const struct gf_coding *c, double v) {
    const double blank = is_integer(c) ? (double)c->blank : c->real_blank;
    return c->has_blank && v >= blank && v <= blank;
}

/* One number as stored at `p`, in the host's byte order. */
static double get(const struct gf_coding *c, const void *p, bool *exact) {
    uint64_t bits;
    uint16_t half;
    if (c->type < GF_STORED_F16) {
        const double v = gf_sample_get(p, (enum gf_dtype)c->type);
        return is_blank(c, v) ? NAN : v;
    }
    if (c->type == GF_STORED_F16) {
        memcpy(&half, p, sizeof half);
        const double v = from_half(half);
        return is_blank(c, v) ? NAN : v;
    }
    memcpy(&bits, p, sizeof bits);
    if (c->has_blank && (int64_t)bits == c->blank)
        return NAN;
    const bool negative = c->type == GF_STORED_I64 && bits >> 63;
    const uint64_t size = negative ? -bits : bits;
    *exact = *exact && size <= UINT64_C(1) << EXACT_BITS;
    return negative ? -(double)size : (double)size;
}

static void put(const struct gf_coding *c, double v, void *p) {
    const bool is_int = is_integer(c), is_blank = isnan(v) && c->has_blank;
    if (is_blank || (isnan(v) && is_int))
        v = !is_blank ? 0 : is_int ? (double)c->blank : c->real_blank;
    if (c->type < GF_STORED_F16) {
        gf_sample_put(p, (enum gf_dtype)c->type, v);
        return;
    }
    const double low = c->type == GF_STORED_U64 ? 0 : -most_exact;
    const int64_t n = is_blank && is_int ? c->blank /* which no double may hold */
                      : is_int           ? (int64_t)rint(fmin(fmax(v, low), most_exact))
                                         : to_half(v);
    const uint16_t half = (uint16_t)n;
    memcpy(p, is_int ? (const void *)&n : &half, gf_coding_bytes(c, GF_U8));
}

int gf_coding_decode(const struct gf_coding *c, const void *stored, int64_t n, enum gf_dtype dtype,
                     void *to) {
    const size_t bytes = gf_coding_bytes(c, dtype), size = gf_dtype_size(dtype);
    const bool scales = c->slope < 1 || c->slope > 1 || c->offset < 0 || c->offset > 0;
    const char *p = stored;
    bool exact = true;
    for (int64_t i = 0; i < n; i++, p += bytes) {
        const double v = get(c, p, &exact);
        gf_sample_put((char *)to + (size_t)i * size, dtype, scales ? v * c->slope + c->offset : v);
    }
    return exact
               ? GF_OK
               : gf_fail(GF_EUNSUPP, "64-bit integers beyond 2^53, which no double holds exactly");
}

void gf_coding_encode(const struct gf_coding *c, const void *from, int64_t n, enum gf_dtype dtype,
                      void *stored) {
    const size_t bytes = gf_coding_bytes(c, dtype), size = gf_dtype_size(dtype);
    char *p = stored;
    for (int64_t i = 0; i < n; i++, p += bytes) {
        const double v = gf_sample_get((const char *)from + (size_t)i * size, dtype);
        put(c, isfinite(v) ? (v - c->offset) / c->slope : v, p);
    }
}

void gf_flip_signs(void *data, size_t n, size_t size) {
    unsigned char *p = (unsigned char *)data + (gf_host_is_big_endian() ? 0 : size - 1);
    for (; n > 0; n--, p += size)
        *p ^= 128;
}

#define SWAP(bits) \
    for (; n > 0; n--, p += bits / 8) { \
        uint##bits##_t v; \
        memcpy(&v, p, sizeof v); \
        v = __builtin_bswap##bits(v); \
        memcpy(p, &v, sizeof v); \
    }

void gf_swap_bytes(void *data, size_t n, size_t size) {
    unsigned char *p = data;
    if (size == 2) {
        /* The compiler does not vectorise this at -O2. */
        for (; n >= 8; n -= 8, p += 16) {
            uint16_t v __attribute__((vector_size(16)));
            memcpy(&v, p, 16);
            v = v << 8 | v >> 8;
            memcpy(p, &v, 16);
        }
        SWAP(16)
    } else if (size == 4) {
        SWAP(32)
    } else if (size == 8) {
        SWAP(64)
    }
}

void gf_swap_runs(void *header, const struct gf_header_run *runs) {
    for (; runs->size; runs++)
        gf_swap_bytes((unsigned char *)header + runs->at, (size_t)runs->count, (size_t)runs->size);
}

bool gf_host_is_big_endian(void) {
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}
