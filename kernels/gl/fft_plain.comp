/* kernels/fft_plain.cl in GLSL, with the options of kernels/pass.h; POINTS is LENGTH. */
#include "lang.glsl"
#include "codes.h"
#include "complex.h"

KERNEL(THREADS, 1)

#include "pass.glsl"
#include "radix.glsl"
#include "unroll.glsl"
#include "tile.glsl"
#include "source.glsl"
#include "sink.glsl"

void main() {
    AWAIT_PREVIOUS();
    const share from = own_share(ROWS_IN), to = own_share(ROWS_OUT);
    from_line = line_at(uint(GROUP_ID), from.line);
    load_line(from.first);
    transform(from, to);
#if ROWS_IN == ROWS_OUT
    to_line = from_line;
#else
    to_line = line_at(uint(GROUP_ID), to.line);
#endif
#if STORE == STORE_SAMPLE && DISPLAY
    shades = shade_of(KIND, SCALE, GET(params, args.params + PARAM_LOW),
                      GET(params, args.params + PARAM_HIGH));
#endif
    store_line(to);
    if (clipped != 0)
        ADD_TO(counters, GROUP_ID % COUNTERS, uint(clipped));
}
