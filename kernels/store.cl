/* The generic store step: the work buffer to an array of any type, order and kind.
 *
 * Given by -D: OUT_T, the samples' type, OUT_COMPLEX for pairs of it; IN_COMPLEX if the work buffer
 * holds pairs; OUT_INTEGER with OUT_LOW and OUT_HIGH. */
#include "loadstore.h"

#if IN_COMPLEX
typedef cplx element;
#else
typedef real element;
#endif

INLINE cplx frequency_at(const struct loadstore_args *a, GLOBAL const element *src,
                         const struct element_coord *p) {
    wide k[3];
    int self = 1;
    UNROLL for (int i = 0; i < 3; i++) {
        k[i] = p->at[i] - a->centre[i];
        k[i] = k[i] < 0 ? k[i] + a->n[i] : k[i];
        self &= !a->on[i] || k[i] == 0 || 2 * k[i] == a->n[i];
    }
    (void)self; /* reals have none */
    int folded = a->work_half && 2 * k[a->halved] > a->n[a->halved];
    wide at = p->channel;
    UNROLL for (int i = 0; i < 3; i++) {
        if (folded && a->on[i])
            k[i] = negated(k[i], a->n[i]);
        at = at * a->work[i] + k[i];
    }
#if IN_COMPLEX
    cplx v = folded ? conj_of(src[at]) : src[at];
    if (a->real && self)
        v.y = R(0);
    return v;
#else
    return CPLX(src[at], R(0));
#endif
}

KERNEL(GROUP, 1)
VOID store_step(GLOBAL const element *src, GLOBAL OUT_T *dst, GLOBAL const real *params,
                GLOBAL uint *counters, const struct loadstore_args args) {
    AWAIT_PREVIOUS();
    const struct loadstore_args *a = &args;
    const wide count = a->channels * a->array[0] * a->array[1] * a->array[2];
    const real scale = params[a->params + PARAM_SCALE];
    const real low = params[a->params + PARAM_LOW], high = params[a->params + PARAM_HIGH];
    const struct shade shade = shade_of((int)a->kind, (int)a->scale, low, high);
    int clipped = 0;
    for (wide i = GROUP_ID * GROUP + LOCAL_ID; i < count; i += GROUPS * GROUP) {
        struct element_coord p = coord_of(i, a->array);
        cplx v = scaled_by(frequency_at(a, src, &p), scale);
        wide at = p.at[0] * a->stride[0] + p.at[1] * a->stride[1] + p.at[2] * a->stride[2] +
                  p.channel * a->stride[3];
#if OUT_COMPLEX
        dst[2 * at] = (OUT_T)v.x;
        dst[2 * at + 1] = (OUT_T)v.y;
#else
        real number = value_of(v, (int)a->kind);
#if OUT_INTEGER
        if (a->display) {
            number = displayed(number, (int)a->kind, (int)a->scale, shade) * R(OUT_HIGH);
            number = floor(number + R(0.5));
        } else {
            number = round(number);
            if (!(number >= R(OUT_LOW) && number <= R(OUT_HIGH)))
                clipped += is_counted(a, &p);
        }
        /* INT32_MAX is not representable as a float; 2^31 is used */
        dst[at] = !(number > R(OUT_LOW))   ? (OUT_T)(OUT_LOW)
                  : number >= R(OUT_HIGH) ? (OUT_T)(OUT_HIGH)
                                          : (OUT_T)number;
#else
        dst[at] = (OUT_T)number;
#endif
#endif
    }
    if (clipped)
        ATOMIC_ADD(&counters[a->counters + GROUP_ID % COUNTERS], (uint)clipped);
    (void)shade;
}
