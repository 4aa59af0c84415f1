/* An automatic display range from a spectrum in the work buffer: range_gather takes keys of a
 * sample's bins, range_select, one group, finds their quantiles.
 *
 * Given by -D: KIND; THREADS for range_select, else the kernel is range_gather. */
#include "args.h"
#include "range_key.h"
#ifndef THREADS

/* Returns the work buffer's offset of the i-th combination of four indices. */
INLINE wide element_at(const struct sample_args *a, GLOBAL const int *order, wide i) {
    wide at = 0;
    UNROLL for (int k = 0; k < 4; k++) {
        const wide next = i / ARG(extent)[k];
        at += GET(order, ARG(index)[k] + i - next * ARG(extent)[k]) * ARG(stride)[k];
        i = next;
    }
    return at;
}

/* An item takes one bin. */
KERNEL(GROUP, 1)
VOID range_gather(GLOBAL const cplx *src, GLOBAL uint *found, GLOBAL const real *params,
                  GLOBAL const int *order, const struct sample_args args) {
    AWAIT_PREVIOUS();
    TAKE_ARGS(sample_args)
    const wide bin = GROUP_ID * GROUP + LOCAL_ID;
    if (bin < ARG(count))
        SET(found, bin,
            range_key(scaled_by(GET(src, element_at(a, order, bin)),
                                GET(params, ARG(params) + PARAM_SCALE)),
                      KIND));
}

#else
#include "quantiles.h"

/* The tile has QUANTILE_WORDS. The next launch, which may begin early, awaits this one. */
KERNEL(THREADS, 1)
VOID range_select(GLOBAL const uint *found, GLOBAL real *params, GLOBAL const int *order,
                  const struct sample_args args TILE_PARAMETER(uint)) {
    BEGIN_NEXT();
    TILE_DECLARE(uint)
    struct keys k;
    struct some_keys some;
    real range[2];
    k.key = found;
    k.weight = order + args.weight;
    k.count = args.count;
    take_weights(&k, LOCAL_ID, &some);
    clear_words(tile, QUANTILE_WORDS);
    BARRIER();
    AWAIT();
    take_keys(&k, LOCAL_ID, &some);
    find_range(&k, tile, &some, params[args.params + PARAM_RMS],
               params[args.params + PARAM_ROUNDING], range);
    if (LOCAL_ID == 0) {
        params[args.params + PARAM_LOW] = range[0];
        params[args.params + PARAM_HIGH] = range[1];
    }
}

#endif
