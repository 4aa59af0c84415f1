/* Names of kinds, norms, boundaries and wavelets. */
#include "core/base/value/kinds.h"

#include <math.h>

const char *const gf_kind_names[] = {"magnitude", "phase", "power", "real", "imag", "complex", 0};
const char *const gf_norm_names[] = {"backward", "ortho", "forward", 0};
const char *const gf_boundary_names[] = {"periodic", "symmetric", "zero", 0};
#define NAME_OF(NAME, taps, name, also, alias, what, h) name,
const char *const gf_wavelet_names[] = {WAVELETS(NAME_OF) 0};

static const char *name_of(const char *const *names, int n, int i) {
    return i >= 0 && i < n ? names[i] : "?";
}

const char *gf_kind_name(enum gf_kind k) {
    return name_of(gf_kind_names, GF_N_KINDS, (int)k);
}

const char *gf_norm_name(enum gf_norm n) {
    return name_of(gf_norm_names, GF_NORM_FORWARD + 1, (int)n);
}

const char *gf_boundary_name(enum gf_boundary b) {
    return name_of(gf_boundary_names, GF_ZERO + 1, (int)b);
}

void gf_rounding_make(const uint16_t quantum[64], uint8_t rounding[GF_ROUNDING_BANDS]) {
    double sum[GF_ROUNDING_BANDS] = {0};
    int count[GF_ROUNDING_BANDS] = {0};
    for (int k = 0; k < 64; k++) {
        const long band = lround(hypot(k % 8, k / 8));
        sum[band] += pow(quantum[k], 2);
        count[band] += quantum[k] > 0;
    }
    for (int i = 0; i < GF_ROUNDING_BANDS; i++)
        rounding[i] = count[i] ? (uint8_t)fmin(round(sqrt(sum[i] / count[i])), UINT8_MAX)
                      : i      ? rounding[i - 1]
                               : 0;
}
