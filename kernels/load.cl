/* The generic load step: an array of any type, order and layout to the work buffer's planes.
 *
 * Given by -D: IN_T, the samples' type, IN_COMPLEX for pairs of it; OUT_COMPLEX if the work buffer
 * holds pairs. Any number of groups strides over the buffer; each leaves the energy of the
 * Hermitian part and of the rest in `energy`. */
#include "loadstore.h"

#if OUT_COMPLEX
typedef cplx element;
#else
typedef real element;
#endif

/* Returns the value at frequency or position (z, y, x) of channel c, or at its mirror image. */
INLINE cplx read_at(const struct loadstore_args *a, GLOBAL const IN_T *src, wide z, wide y, wide x,
                    wide c, int mirrored) {
    wide k[3] = {z, y, x};
    UNROLL for (int i = 0; i < 3; i++) {
        if (mirrored && a->on[i])
            k[i] = negated(k[i], a->n[i]);
    }
    int folded = a->array_half && 2 * k[a->halved] > a->n[a->halved];
    wide at = c * a->stride[3];
    UNROLL for (int i = 0; i < 3; i++) {
        if (folded && a->on[i])
            k[i] = negated(k[i], a->n[i]);
        k[i] += a->centre[i];
        at += (k[i] >= a->n[i] ? k[i] - a->n[i] : k[i]) * a->stride[i];
    }
#if IN_COMPLEX
    cplx v = CPLX((real)src[2 * at], (real)src[2 * at + 1]);
    return folded ? conj_of(v) : v;
#else
    return CPLX((real)src[at], R(0));
#endif
}

KERNEL(GROUP, 1)
VOID load_step(GLOBAL const IN_T *src, GLOBAL element *dst, GLOBAL real *energy,
               const struct loadstore_args args TILE_PARAMETER(real)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(real)
    const struct loadstore_args *a = &args;
    const wide count = a->channels * a->work[0] * a->work[1] * a->work[2];
    real kept = R(0), lost = R(0);
    for (wide i = GROUP_ID * GROUP + LOCAL_ID; i < count; i += GROUPS * GROUP) {
        struct element_coord p = coord_of(i, a->work);
        cplx v;
        if (a->luma) {
            v = read_at(a, src, p.at[0], p.at[1], p.at[2], 0, 0);
            cplx g = read_at(a, src, p.at[0], p.at[1], p.at[2], 1, 0);
            cplx b = read_at(a, src, p.at[0], p.at[1], p.at[2], 2, 0);
            v = CPLX(R(0.2126) * v.x + R(0.7152) * g.x + R(0.0722) * b.x, R(0));
        } else {
            v = read_at(a, src, p.at[0], p.at[1], p.at[2], p.channel, 0);
        }
        if (a->hermitian) {
            cplx m = read_at(a, src, p.at[0], p.at[1], p.at[2], p.channel, 1);
            wide k = p.at[a->halved];
            real weight = !a->work_half || k == 0 || 2 * k == a->n[a->halved] ? R(0.5) : R(1);
            v = hermitian_part(v, m, weight, &kept, &lost);
        }
#if OUT_COMPLEX
        dst[i] = v;
#else
        dst[i] = v.x;
#endif
    }
    if (!a->hermitian)
        return;
    leave_energy(kept, lost, energy, tile);
}
