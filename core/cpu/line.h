/* From a length to the CPU kernels' tables. */
#ifndef GF_CORE_CPU_LINE_H
#define GF_CORE_CPU_LINE_H

#include "kernels/cpu/cpu.h"

/* Plans and builds the transform of n points for kernels of `bits` precision; the caller frees it
 * with gf_cpu_line_free(). NULL when memory is short. */
struct gf_cpu_line *gf_cpu_line_plan(long n, int bits);

#endif
