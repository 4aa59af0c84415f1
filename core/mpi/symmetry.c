/* Symmetry of spectra, point by point. */
#include "core/mpi/symmetry.h"

#include "core/base/halves.h"

static bool is_double(const struct gf_slabs *v) {
    return v->type == GF_C128;
}

void gf_unpack_pair(const struct gf_slabs *v, char *x, char *y, char *p, char *q) {
    for (int64_t c = 0; c < v->channels; c++) {
        struct gf_number a, b;
        gf_half_unpack(gf_number_get(x, c, is_double(v)), gf_number_get(y, c, is_double(v)),
                       is_double(v), &a, &b);
        gf_number_put(y, c, is_double(v), gf_number_conjugate(a));
        gf_number_put(x, c, is_double(v), a);
        gf_number_put(q, c, is_double(v), gf_number_conjugate(b));
        gf_number_put(p, c, is_double(v), b);
    }
}

void gf_drop_imaginary(const struct gf_slabs *v, char *value) {
    for (int64_t c = 0; c < v->channels; c++)
        gf_number_put(value, c, is_double(v),
                      (struct gf_number){gf_number_get(value, c, is_double(v)).re, 0});
}

void gf_join_pair(const struct gf_slabs *v, const char *a, const char *b, char *to, double weight,
                  double energy[2]) {
    for (int64_t c = 0; c < v->channels; c++)
        gf_number_put(to, c, is_double(v),
                      gf_half_hermitian(gf_number_get(a, c, is_double(v)),
                                        gf_number_get(b, c, is_double(v)), is_double(v), weight,
                                        energy));
}

void gf_join_pairs(const struct gf_slabs *v, char *a, char *b, double energy[2]) {
    for (int64_t c = 0; c < v->channels; c++) {
        const struct gf_number f = gf_number_get(a, c, is_double(v));
        const struct gf_number g = gf_number_get(b, c, is_double(v));
        gf_number_put(a, c, is_double(v), gf_half_hermitian(f, g, is_double(v), 1, energy));
        gf_number_put(b, c, is_double(v), gf_half_hermitian(g, f, is_double(v), 1, energy));
    }
}
