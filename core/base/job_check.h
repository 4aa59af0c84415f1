/* Whether a job can be run at all, and whether arrays suit it.
 *
 *     int rc = gf_job_validate(&job);                  who plans asks this first
 *     if (!rc)
 *         rc = gf_filter_validate(&job);              the filter's values: core/filter/filter.h
 *     …
 *     rc = gf_job_check_arrays(&plan->job, in, out);   every exec() asks this first
 *
 * Each returns 0, or a negative code with the reason in gf_message(). Nothing is changed. */
#ifndef GF_CORE_BASE_JOB_CHECK_H
#define GF_CORE_BASE_JOB_CHECK_H

#include "core/base/job.h"

/* GF_EINVAL for a job that no backend could run, GF_ENOMEM for one whose arrays do not fit 62 bits.
 * A GF_FILTER job's filter need only exist. */
int gf_job_validate(const struct gf_job *job);

/* GF_EINVAL when an array differs from the job in type or shape; out[] has job->n_out entries. */
int gf_job_check_arrays(const struct gf_job *job, const struct gf_array *in,
                        const struct gf_array *out);

/* As gf_job_validate(), for a backend that does not pack() half spectra, GF_EUNSUPP, and has these
 * operations alone (bits: 1 << enum gf_op); for others GF_EUNABLE, naming the backend that can. */
int gf_job_check_ops(const struct gf_job *job, unsigned ops);

#endif
