/* The numbers that kernels/args.h repeats, held against the host's own. */
#include "core/filter/filter.h"
#include "core/gpu/plan/plan.h"

#define SAME(kernel, host) _Static_assert((kernel) == (int)(host), #kernel " is " #host)

SAME(KIND_MAGNITUDE, GF_MAGNITUDE);
SAME(KIND_PHASE, GF_PHASE);
SAME(KIND_POWER, GF_POWER);
SAME(KIND_REAL, GF_REAL);
SAME(KIND_IMAG, GF_IMAG);
SAME(SCALE_LOG, GF_SCALE_LOG);
SAME(SCALE_SQRT, GF_SCALE_SQRT);
SAME(PROFILE_GAUSSIAN, GF_GAUSSIAN);
SAME(PROFILE_IDEAL, GF_IDEAL);
SAME(PROFILE_BUTTERWORTH, GF_BUTTERWORTH);
SAME(BOUNDARY_PERIODIC, GF_PERIODIC);
SAME(BOUNDARY_ZERO, GF_ZERO);
SAME(THRESHOLD_HARD, GF_HARD);
SAME(THRESHOLD_SOFT, GF_SOFT);
SAME(ALGORITHM_PLAIN, GF_GPU_PLAIN);
SAME(ALGORITHM_BLUESTEIN, GF_GPU_BLUESTEIN);
SAME(ALGORITHM_RADER, GF_GPU_RADER);
SAME(ALGORITHM_BOTH_WAYS, GF_GPU_BOTH_WAYS);
SAME(OUTPUTS, GF_MAX_OUTPUTS);

/* PROFILE_MIXED is no profile of its own, and a filter's parameter shares its slot with none of the
 * others. */
_Static_assert(PROFILE_MIXED > (int)GF_BUTTERWORTH, "mixed profiles have a number of their own");
_Static_assert(PARAM_ROUNDING < GF_GPU_PARAMS_EACH && PARAM_LIMIT < GF_GPU_PARAMS_EACH,
               "an output has room for its parameters");
