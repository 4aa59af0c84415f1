/* Mirror images of samples of every type. */
#include "core/base/value/halves.h"

bool gf_half_leads(int64_t page, int64_t pages, int64_t row, int64_t mirror) {
    const int64_t nearest = row < mirror ? row : mirror;
    if (row == mirror)
        return 2 * page <= pages;
    return (row == nearest) == (nearest % 2 == 1);
}

#define MIRROR(name, type, expression) \
    static void name(char *to, int64_t to_step, const char *from, int64_t step, int64_t n) { \
        for (int64_t i = 0; i < n; i++, to -= to_step, from += step) { \
            type v; \
            memcpy(&v, from, sizeof v); \
            v = (type)(expression); \
            memcpy(to, &v, sizeof v); \
        } \
    }
MIRROR(same_8, uint8_t, v)
MIRROR(same_16, uint16_t, v)
MIRROR(same_32, uint32_t, v)
MIRROR(same_64, uint64_t, v)
MIRROR(opposite_8, uint8_t, UINT8_MAX - v) /* about mid-grey */
MIRROR(opposite_16, uint16_t, UINT16_MAX - v)
MIRROR(opposite_32, float, -v)
MIRROR(opposite_64, double, -v)

struct single {
    float re, im;
};
MIRROR(conjugate_64, struct single, ((struct single){v.re, -v.im}))
MIRROR(conjugate_128, struct gf_number, ((struct gf_number){v.re, -v.im}))

gf_mirror_fn *gf_half_mirror(enum gf_kind kind, enum gf_dtype t) {
    static gf_mirror_fn *const mirrors[GF_N_DTYPES][2] = {
        [GF_U8] = {same_8, opposite_8},
        [GF_I8] = {same_8},
        [GF_U16] = {same_16, opposite_16},
        [GF_I16] = {same_16},
        [GF_U32] = {same_32},
        [GF_I32] = {same_32},
        [GF_F32] = {same_32, opposite_32},
        [GF_F64] = {same_64, opposite_64},
        [GF_C64] = {conjugate_64, conjugate_64},
        [GF_C128] = {conjugate_128, conjugate_128},
    };
    return mirrors[t][kind == GF_PHASE || kind == GF_IMAG];
}

void gf_half_mirror_columns(enum gf_kind kind, enum gf_dtype dtype, int64_t channels,
                            const void *from, int64_t n, void *to) {
    const int64_t size = (int64_t)gf_dtype_size(dtype), column = channels * size;
    gf_mirror_fn *const mirror = gf_half_mirror(kind, dtype);
    if (mirror == conjugate_64 && channels == 1) { /* constants, so that the loop becomes vectors */
        conjugate_64((char *)to + (n - 1) * 8, 8, from, 8, n);
        return;
    }
    for (int64_t c = 0; c < channels; c++)
        mirror((char *)to + (n - 1) * column + c * size, column, (const char *)from + c * size,
               column, n);
}
