/* The arguments of kernels/load.cl and store.cl. */
#include "lang.glsl"
#include "args.h"

ARGS_ARE(loadstore_args)

#define is_folded(a, p, half_spectrum) is_folded_at(p, half_spectrum)
#define is_counted(a, p)               is_counted_at(p)
