/* The generic load step: an array of any type, order and layout to the work buffer's planes.
 *
 * Given by -D: IN_T, the samples' type, IN_COMPLEX for pairs of it; OUT_COMPLEX if the work buffer
 * holds pairs; STRAIGHT if both are reals in one order. Any number of groups strides over the
 * buffer; each leaves the energy of the Hermitian part and of the rest in `energy`. */
#include "energy.h"
#include "loadstore.h"

#if OUT_COMPLEX
#define element cplx
#else
#define element real
#endif

/* Returns the value at frequency or position p of channel c, or at its mirror image. */
INLINE cplx read_at(const struct loadstore_args *a, GLOBAL const IN_T *src, STRUCT(element_coord) p,
                    wide c, const bool mirrored) {
    UNROLL for (int i = 0; i < 3; i++) {
        if (mirrored && ARG(on)[i] != 0)
            p.at[i] = negated(p.at[i], ARG(n)[i]);
    }
    const bool folded = is_folded(a, p, ARG(array_half));
    wide at = c * ARG(stride)[3];
    UNROLL for (int i = 0; i < 3; i++) {
        wide k = folded && ARG(on)[i] != 0 ? negated(p.at[i], ARG(n)[i]) : p.at[i];
        k += ARG(centre)[i];
        at += (k >= ARG(n)[i] ? k - ARG(n)[i] : k) * ARG(stride)[i];
    }
#if IN_COMPLEX
    const cplx v = CPLX(READ_SAMPLE(2 * at), READ_SAMPLE(2 * at + 1));
    return folded ? conj_of(v) : v;
#else
    return CPLX(READ_SAMPLE(at), R(0));
#endif
}

KERNEL(GROUP, 1)
VOID load_step(GLOBAL const IN_T *src, GLOBAL element *dst, GLOBAL real *energy,
               const struct loadstore_args args TILE_PARAMETER(real)) {
    AWAIT_PREVIOUS();
    TILE_DECLARE(real)
    TAKE_ARGS(loadstore_args)
    const wide count = ARG(channels) * ARG(work)[0] * ARG(work)[1] * ARG(work)[2];
#if STRAIGHT
    const wide step = GROUPS * GROUP;
    for (wide i = GROUP_ID * GROUP + LOCAL_ID; i < count; i += 4 * step) {
        real v[4]; /* reads do not wait for writes */
        UNROLL for (int k = 0; k < 4; k++) {
            const wide at = i + k * step;
            v[k] = at < count ? READ_SAMPLE(at) : R(0);
        }
        UNROLL for (int k = 0; k < 4; k++) {
            if (i + k * step < count)
                SET(dst, i + k * step, v[k]);
        }
    }
#else
    real kept = R(0), lost = R(0);
    for (wide i = GROUP_ID * GROUP + LOCAL_ID; i < count; i += GROUPS * GROUP) {
        const STRUCT(element_coord) p = coord_of(i, ARG(work));
        cplx v = read_at(a, src, p, ARG(luma) != 0 ? 0 : p.channel, false);
        if (ARG(luma) != 0)
            v = CPLX(R(0.2126) * v.x + R(0.7152) * read_at(a, src, p, 1, false).x +
                         R(0.0722) * read_at(a, src, p, 2, false).x,
                     R(0));
        if (ARG(hermitian) != 0) {
            const cplx m = read_at(a, src, p, p.channel, true);
            const wide k = p.at[ARG(halved)];
            const bool once = ARG(work_half) == 0 || k == 0 || 2 * k == ARG(n)[ARG(halved)];
            const real weight = once ? R(0.5) : R(1);
            lost += weight * square_of(hermitian_part(v, CPLX(-m.x, -m.y)));
            v = hermitian_part(v, m);
            kept += weight * square_of(v);
        }
#if OUT_COMPLEX
        SET(dst, i, v);
#else
        SET(dst, i, v.x);
#endif
    }
    if (ARG(hermitian) == 0)
        return;
    leave_energy(kept, lost, energy, tile);
#endif
}
