/* Radix selection of magnitudes. */
#include "core/wavelet/rank.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"

/* Bits of magnitudes sort as magnitudes do; a float's are in the upper half. */
static uint64_t magnitude_bits(const char *p, bool is_double) {
    uint64_t w;
    uint32_t v;
    if (is_double) {
        memcpy(&w, p, sizeof w);
        return w & (UINT64_MAX >> 1);
    }
    memcpy(&v, p, sizeof v);
    return (uint64_t)(v & (UINT32_MAX >> 1)) << 32;
}

int gf_dwt_rank_begin(struct gf_dwt_rank *r, bool is_double, int bits, int64_t rank) {
    *r = (struct gf_dwt_rank){.is_double = is_double,
                              .bits = bits,
                              .top = 64,
                              .low = 64 - bits,
                              .rank = rank,
                              .count = calloc((size_t)1 << bits, sizeof *r->count)};
    return r->count ? 0 : gf_no_memory();
}

void gf_dwt_rank_count(struct gf_dwt_rank *r, const void *numbers, int64_t n) {
    const bool is_double = r->is_double;
    const int top = r->top, low = r->low;
    const uint64_t mask = (UINT64_C(1) << (top - low)) - 1;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t b =
            magnitude_bits((const char *)numbers + i * (is_double ? 8 : 4), is_double);
        if (top == 64 || b >> top == r->prefix)
            r->count[b >> low & mask]++;
    }
}

bool gf_dwt_rank_next(struct gf_dwt_rank *r) {
    const int end = r->is_double ? 0 : 32;
    int digit = (1 << r->bits) - 1;
    for (; digit > 0 && r->rank >= r->count[digit]; digit--)
        r->rank -= r->count[digit];
    r->prefix = r->prefix << (r->top - r->low) | (uint64_t)digit;
    r->top = r->low;
    r->low = r->top - r->bits > end ? r->top - r->bits : end;
    memset(r->count, 0, sizeof *r->count << r->bits);
    return r->top > end;
}

double gf_dwt_rank_end(struct gf_dwt_rank *r) {
    const uint32_t bits = (uint32_t)r->prefix;
    double wide;
    float v;
    free(r->count);
    r->count = NULL;
    memcpy(&wide, &r->prefix, sizeof wide);
    memcpy(&v, &bits, sizeof v);
    return r->is_double ? wide : (double)v;
}
