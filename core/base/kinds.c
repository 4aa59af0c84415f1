/* Names of kinds, norms and boundaries. */
#include "core/base/kinds.h"

const char *const gf_kind_names[] = {"magnitude", "phase", "power", "real", "imag", "complex", 0};
const char *const gf_norm_names[] = {"backward", "ortho", "forward", 0};
const char *const gf_boundary_names[] = {"periodic", "symmetric", "zero", 0};

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
