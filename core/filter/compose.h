/* A GF_FILTER job composed of a backend's own transforms: forward to a half spectrum in memory, a
 * product with the filter's table, and back. Right for every job; slower than a backend's fused
 * passes, as every pass reads and writes the whole spectrum.
 *
 *     rc = gf_filter_compose_plan(&backend, context, &job, threads, &plan); */
#ifndef GF_CORE_FILTER_COMPOSE_H
#define GF_CORE_FILTER_COMPOSE_H

#include "core/base/backend.h"
#include "core/base/loadstore.h"
#include "core/divide/part_job.h"

/* Returns the number that the offset adds to the zero frequency of every spectrum; 0 for a part
 * without it. */
double gf_filter_zero(const struct gf_job *job);

/* Multiplies the half spectra of a work buffer by a table as gf_filter_tabulate() makes it, and
 * adds `zero` to their zero frequencies. */
void gf_filter_multiply(const struct gf_job *job, const struct gf_array *table, double zero,
                        const struct gf_work *w, int threads);

/* Turns n complex numbers, of floats or doubles, into their conjugates: what is transformed forward
 * between two of these is transformed back. */
void gf_filter_conjugate(void *numbers, int64_t n, bool is_double, int threads);
/* A plan of two plans that b->plan() makes, both of one context, around a product with the filter's
 * table; of a part of a spectrum (struct gf_job, `whole`) one, which runs twice, in the output.
 * Returns what those return; the arrays of a whole filter are on a device between its parts where
 * theirs are. */
int gf_filter_compose_plan(const struct gf_backend *b, void *context, const struct gf_job *job,
                           int threads, struct gf_plan **out);

#endif
