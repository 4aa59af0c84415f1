/* Plans a GF_FILTER job with a backend's own transforms: forward to a half spectrum in memory,
 * times the filter's table, and back. Serves every job, but is slower than fused passes, as every
 * pass reads and writes the whole spectrum.
 *
 *     rc = gf_filter_compose_plan(plan, threads); */
#ifndef GF_CORE_FILTER_COMPOSE_H
#define GF_CORE_FILTER_COMPOSE_H

#include "core/base/job/backend.h"
#include "core/base/job/loadstore.h"
#include "core/base/job/part_job.h"

/* The number that the offset adds to the zero frequency of each spectrum; 0 for a part without
 * it. */
double gf_filter_zero(const struct gf_job *job);

/* Multiplies half spectra in a work buffer by a table from gf_filter_tabulate() and adds `zero` to
 * their zero frequencies. */
void gf_filter_multiply(const struct gf_job *job, const struct gf_array *table, double zero,
                        const struct gf_work *w, int threads);

/* Conjugates n complex numbers. A forward transform between two such calls is an inverse. */
void gf_filter_conjugate(void *numbers, int64_t n, bool is_double, int threads);
/* As in struct gf_backend: a plan of two plans by the same backend, in one context, with the table's
 * product between them; for a part of a spectrum (struct gf_job, `whole`) one plan that runs twice,
 * in the output. Returns their status. */
int gf_filter_compose_plan(struct gf_plan *plan, int threads);

#endif
