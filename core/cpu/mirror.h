/* The kernels' values for a job's types, kinds and scales. kernels/ includes nothing of core/ and
 * has its own enums; assertions guard the casts.
 *
 *     end.type = gf_cpu_sample_of(array.dtype); */
#ifndef GF_CORE_CPU_MIRROR_H
#define GF_CORE_CPU_MIRROR_H

#include "core/base/value/factor.h"
#include "core/base/job/job.h"
#include "kernels/cpu/cpu.h"

#define GF_MIRRORS(ours, theirs) \
    _Static_assert((int)(ours) == (int)(theirs), "kernels/cpu/cpu.h: " #ours " is not " #theirs)

GF_MIRRORS(GF_CPU_U8, GF_U8);
GF_MIRRORS(GF_CPU_I8, GF_I8);
GF_MIRRORS(GF_CPU_U16, GF_U16);
GF_MIRRORS(GF_CPU_I16, GF_I16);
GF_MIRRORS(GF_CPU_U32, GF_U32);
GF_MIRRORS(GF_CPU_I32, GF_I32);
GF_MIRRORS(GF_CPU_F32, GF_F32);
GF_MIRRORS(GF_CPU_F64, GF_F64);
GF_MIRRORS(GF_CPU_C64, GF_C64);
GF_MIRRORS(GF_CPU_C128, GF_C128);
GF_MIRRORS(GF_CPU_WORK, GF_N_DTYPES);

static inline enum gf_cpu_sample gf_cpu_sample_of(enum gf_dtype t) {
    return (enum gf_cpu_sample)t;
}

GF_MIRRORS(GF_CPU_MAGNITUDE, GF_MAGNITUDE);
GF_MIRRORS(GF_CPU_PHASE, GF_PHASE);
GF_MIRRORS(GF_CPU_POWER, GF_POWER);
GF_MIRRORS(GF_CPU_REAL, GF_REAL);
GF_MIRRORS(GF_CPU_IMAG, GF_IMAG);
GF_MIRRORS(GF_CPU_COMPLEX, GF_COMPLEX);
GF_MIRRORS(GF_CPU_COMPLEX + 1, GF_N_KINDS);

static inline enum gf_cpu_value gf_cpu_value_of(enum gf_kind k) {
    return (enum gf_cpu_value)k;
}

/* Zero is linear in the kernels, log in the job. */
static inline enum gf_cpu_curve gf_cpu_curve_of(enum gf_scale s) {
    return s == GF_SCALE_LOG ? GF_CPU_LOG : s == GF_SCALE_SQRT ? GF_CPU_SQRT : GF_CPU_LINEAR;
}

/* A line has room and radices for the factors found by core/base/value/factor.h. */
GF_MIRRORS(GF_CPU_MAX_STAGES, GF_MAX_STAGES);
GF_MIRRORS(GF_CPU_MAX_RADIX, GF_MAX_RADIX);

#endif
