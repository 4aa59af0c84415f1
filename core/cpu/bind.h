/* The arguments of a pass that are known only when it runs: arrays, and the outputs' display ranges.
 *
 *     gf_cpu_pass_bind(p, &p->pass[i], in, out);
 *     gf_cpu_pass_display(p, &p->pass[i], range);
 *     kernels run p->pass[i].args
 *
 * Nothing here can fail. */
#ifndef GF_CORE_CPU_BIND_H
#define GF_CORE_CPU_BIND_H

#include "core/cpu/plan.h"

/* Points the pass's ends at the arrays of this run. */
void gf_cpu_pass_bind(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                      const struct gf_array *in, struct gf_array *out);

/* Sets factor, gain and limits of the pass's output for a display range in unscaled units. */
void gf_cpu_pass_display(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                         const double range[2]);

/* The display range's end of samples that are never negative, for which no frequency is larger than
 * the zero frequency: its value as output `o` has it, summed from the workspace before the last
 * pass runs. */
double gf_cpu_zero_frequency(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                             const struct gf_output *o);

#endif
