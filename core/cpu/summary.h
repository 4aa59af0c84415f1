/* Summaries of the openmp backend's passes for `gpufft plan`. */
#ifndef GF_CORE_CPU_SUMMARY_H
#define GF_CORE_CPU_SUMMARY_H

#include "core/cpu/plan.h"

/* Fills pass->summary: its text, and the bytes that it reads and writes. The plan's passes, layouts
 * and filter are made. */
void gf_cpu_pass_summarise(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass);

#endif
