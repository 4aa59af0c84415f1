/* The generic first and last steps and the search for a range, as passes. */
#ifndef GF_CORE_GPU_PLAN_LOADSTORE_H
#define GF_CORE_GPU_PLAN_LOADSTORE_H

#include "core/gpu/plan/space.h"

/* Appends the pass that fills the work buffer from the input: with reals, else complex numbers;
 * with half a spectrum, else the whole. */
int gf_gpu_add_load(struct gf_gpu_plan *p, const struct gf_gpu_space *work, bool real, bool half);
/* Appends the pass that writes an output out of such a buffer. */
int gf_gpu_add_store(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work, bool real,
                     bool half);
/* Appends the search for the upper end of an output's range over the whole work buffer; or, unless
 * `axis` is -1, over the zero-frequency lines of packed pairs along that axis. */
int gf_gpu_add_range(struct gf_gpu_plan *p, int output, const struct gf_gpu_space *work, bool real,
                     int axis);

#endif
