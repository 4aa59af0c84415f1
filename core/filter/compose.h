/* A GF_FILTER job composed of a backend's own transforms: forward to a half spectrum in memory, a
 * product with the filter's table, and back. Right for every job; slower than a backend's fused
 * passes, as every pass reads and writes the whole spectrum.
 *
 *     rc = gf_filter_compose_plan(&backend, context, &job, threads, plan, &c);
 *     rc = gf_filter_compose_run(c, &in, out, &report);
 *     gf_filter_compose_free(c); */
#ifndef GF_CORE_FILTER_COMPOSE_H
#define GF_CORE_FILTER_COMPOSE_H

#include "core/base/backend.h"
#include "core/base/loadstore.h"

/* The jobs of the two transforms around the product: samples to an unscaled complex half spectrum,
 * and that to the job's outputs, with the factor 1 / N. */
void gf_filter_split(const struct gf_job *job, struct gf_job *forward, struct gf_job *inverse);

/* What the offset adds to the zero frequency of every spectrum. */
double gf_filter_zero(const struct gf_job *job);

/* Multiplies the half spectra of a work buffer by a table as gf_filter_tabulate() makes it, and
 * adds `zero` to their zero frequencies. */
void gf_filter_multiply(const struct gf_job *job, const struct gf_array *table, double zero,
                        const struct gf_work *w, int threads);

struct gf_filter_compose;

/* Plans both transforms with b->plan(), tabulates the filter and fills in plan's passes. Returns
 * what those return. The caller frees with gf_filter_compose_free(), which also takes NULL, before
 * it closes the context. */
int gf_filter_compose_plan(const struct gf_backend *b, void *context, const struct gf_job *job,
                           int threads, struct gf_plan *plan, struct gf_filter_compose **out);
int gf_filter_compose_run(struct gf_filter_compose *c, const struct gf_array *in,
                          struct gf_array *out, struct gf_report *report);
/* The same in the backend's three parts, see struct gf_backend: the spectrum is multiplied by the
 * host, and `seconds` is the device's time alone. */
int gf_filter_compose_upload(struct gf_filter_compose *c, const struct gf_array *in);
int gf_filter_compose_on_device(struct gf_filter_compose *c, int times, double *seconds);
int gf_filter_compose_download(struct gf_filter_compose *c, struct gf_array *out,
                               struct gf_report *report);
void gf_filter_compose_free(struct gf_filter_compose *c);

#endif
