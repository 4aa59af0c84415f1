/* The buffers of kernels/store.cl. */
#include "loadstore.glsl"

#if IN_COMPLEX
#define element cplx
#else
#define element real
#endif
BUFFER(0, readonly restrict buffer, src_block, element, src)
BUFFER(1, restrict buffer, dst_block, uint, dst)
BUFFER(2, readonly restrict buffer, params_block, real, params)
BUFFER(3, restrict buffer, counters_block, uint, counters)

#include "samples_out.glsl"

#define row_of(a, k)                                 store_row_of(k)
#define store_step(src, dst, params, counters, args) main()
#include "store.cl"
