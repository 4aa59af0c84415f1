/* The buffers of kernels/range.cl. */
#include "lang.glsl"
#include "args.h"

ARGS_ARE(range_args)

#ifdef REALS
#define element real
#else
#define element cplx
#endif
/* One buffer has both if there is a single group. */
#ifdef ENTRY_range_last
BUFFER(0, buffer, found_block, real, found)
BUFFER_OR(1, buffer, params_block, real, params, found)
BUFFER(2, buffer, src_block, element, src)
#else
BUFFER(0, readonly restrict buffer, src_block, element, src)
BUFFER(1, buffer, found_block, real, found)
BUFFER_OR(2, buffer, params_block, real, params, found)
#endif
shared real tile[GROUP];

#define largest_of(tile, v, sum)             group_largest(v, sum)
#define row_offset(a, row)                   offset_of(row)
#define range_scan(src, found, params, args) scan()
#define range_zero(src, found, params, args) zero()
#define range_last(found, params, args)      last()
#include "range.cl"

void main() {
#ifdef ENTRY_range_last
    last();
#elif defined ENTRY_range_zero
    zero();
#else
    scan();
#endif
}
