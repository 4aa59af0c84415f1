/* The openmp backend's wavelet jobs: level after level, each one fused pass (core/cpu/dwt_level.h).
 *
 *     rc = gf_cpu_dwt_plan(&job, kernels, threads, plan, &d);
 *     if (!rc)
 *         rc = gf_cpu_dwt_run(d, &in, out, &report);
 *     gf_cpu_dwt_free(d);
 *
 * Functions return 0 or GF_ENOMEM. */
#ifndef GF_CORE_CPU_DWT_H
#define GF_CORE_CPU_DWT_H

#include "core/base/backend.h"
#include "core/wavelet/stream.h"
#include "kernels/cpu/cpu.h"

struct gf_cpu_dwt;

/* Fills the plan's passes and workspace_bytes. The caller frees *out with gf_cpu_dwt_free(), after
 * a failure too. */
int gf_cpu_dwt_plan(const struct gf_job *job, const struct gf_cpu_kernels *kernels, int threads,
                    struct gf_plan *plan, struct gf_cpu_dwt **out);
int gf_cpu_dwt_run(struct gf_cpu_dwt *d, const struct gf_array *in, struct gf_array *out,
                   struct gf_report *report);
void gf_cpu_dwt_free(struct gf_cpu_dwt *d); /* or NULL */

/* The transform along time, frame by frame: each level keeps a window of the few planes that its next steps
 * along z need (Chrysafis and Ortega 2000, "Line-based, reduced memory, wavelet image compression"),
 * and emits each finished step at once. */
extern const struct gf_dwt_streamer gf_cpu_dwt_streamer;

#endif
