/* The buffers of kernels/load.cl. */
#include "loadstore.glsl"

#if OUT_COMPLEX
#define element cplx
#else
#define element real
#endif
BUFFER(0, readonly restrict buffer, src_block, uint, src)
BUFFER(1, writeonly restrict buffer, dst_block, element, dst)
BUFFER(2, writeonly restrict buffer, energy_block, real, energy)
shared real tile[2 * GROUP];

#include "samples_in.glsl"

#define leave_energy(kept, lost, energy, tile) leave_both(kept, lost)
#define read_at(a, src, p, c, mirrored)        read_value(p, c, mirrored)
#define load_step(src, dst, energy, args)      main()
#include "load.cl"
