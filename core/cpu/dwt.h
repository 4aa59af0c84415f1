/* The openmp backend's wavelet jobs: level after level, each one fused pass (core/cpu/dwt_level.h).
 *
 *     rc = gf_cpu_dwt_plan(plan, kernels, threads);
 *     if (!rc)
 *         rc = plan->ops->exec(plan, &in, out, &report); */
#ifndef GF_CORE_CPU_DWT_H
#define GF_CORE_CPU_DWT_H

#include "core/base/backend.h"
#include "core/wavelet/stream.h"
#include "kernels/cpu/cpu.h"

/* Plans plan->job; GF_ENOMEM. */
int gf_cpu_dwt_plan(struct gf_plan *plan, const struct gf_cpu_kernels *kernels, int threads);

/* The transform along time, frame by frame: each level keeps a window of the few planes that its next steps
 * along z need (Chrysafis and Ortega 2000, "Line-based, reduced memory, wavelet image compression"),
 * and emits each finished step at once. */
extern const struct gf_dwt_streamer gf_cpu_dwt_streamer;

#endif
