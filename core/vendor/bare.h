/* Transforms by a library on a device, from the input's buffer to the output's: what entrants of
 * `gpufft bench` that do nothing else share. A plan's impl begins with a struct gf_gpu_run of no
 * passes, for the buffers:
 *
 *     struct impl {
 *         struct gf_gpu_run run;
 *         …
 *     };
 *     int rc = gf_bare_begin(c, job, &ops, sizeof(struct impl), &plan);
 *     if (!rc) rc = make(plan->impl);
 *     if (!rc) rc = gf_bare_end(c, plan, work_bytes, "clFFT");                                */
#ifndef GF_CORE_VENDOR_BARE_H
#define GF_CORE_VENDOR_BARE_H

#include "core/gpu/run.h"

/* GF_EUNSUPP for jobs that need passes of their own. */
int gf_bare_check(const struct gf_job *job);
/* A plan with an impl of so many bytes, all zero but for run.plan, which has the job and the device alone; NULL
 * with GF_ENOMEM's message. */
struct gf_plan *gf_bare_new(struct gf_gpu_context *c, const struct gf_job *job,
                            const struct gf_plan_ops *ops, size_t bytes);
/* The same, and the sizes of its buffers; as
 * gf_bare_check(). Nothing to drop after a failure. */
int gf_bare_begin(struct gf_gpu_context *c, const struct gf_job *job, const struct gf_plan_ops *ops,
                  size_t bytes, struct gf_plan **plan);
/* Checks that the device has room for the buffers and `beside`, and lists the library as one pass. */
int gf_bare_end(const struct gf_gpu_context *c, struct gf_plan *plan, int64_t beside,
                const char *what);

#endif
