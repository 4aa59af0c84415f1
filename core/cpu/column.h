/* The last column of half spectra by itself, where it would be a block of its own in every pass.
 *
 * An inverse whose halved axis has n points has n / 2 + 1 columns: whole blocks, and one column more.
 * That column is transformed along z and y on its own, by two short passes over an array of one number
 * a row, before the others, and joins them where the rows become real. Each line is computed as it
 * would be in a block: the results are the same. */
#ifndef GF_CORE_CPU_COLUMN_H
#define GF_CORE_CPU_COLUMN_H

#include "core/cpu/plan.h"

/* True for jobs that gain by it. */
bool gf_cpu_column_pays(const struct gf_cpu_plan *p);
/* Puts the two passes before the plan's others, which have been chosen with one column less, and makes
 * room in the workspace. */
void gf_cpu_column_add(struct gf_cpu_plan *p);
/* Points one of the two passes at the arrays of a run. */
void gf_cpu_column_bind(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                        const struct gf_array *in);
/* The place in which a pass along rows finds the column. */
struct gf_cpu_column gf_cpu_column_of(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass);

#endif
