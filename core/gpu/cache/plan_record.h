/* Measured plans, kept beside the built kernels. The key is the checksum of planner and kernels,
 * the API, device, driver, compiler and job; the record is a script (core/gpu/plan/decision.h) with
 * the measured times. Failures never fail a run: an invalid record counts as none. */
#ifndef GF_CORE_GPU_PLAN_RECORD_H
#define GF_CORE_GPU_PLAN_RECORD_H

#include "core/gpu/plan/decision.h"

struct gf_gpu_plan_record {
    char script[GF_GPU_SCRIPT];
    double ms, estimate_ms; /* times of this plan, and of the one that is expected to be fastest */
    bool noisy;             /* the times are unreliable: the record is not used */
};

bool gf_gpu_plan_record_find(const struct gf_gpu *api, const struct gf_gpu_props *props,
                             const struct gf_job *job, struct gf_gpu_plan_record *r);
/* Replaces the record. False if it cannot be written. */
bool gf_gpu_plan_record_keep(const struct gf_gpu *api, const struct gf_gpu_props *props,
                             const struct gf_job *job, const struct gf_gpu_plan_record *r);
bool gf_gpu_plan_records_any(const struct gf_environment *env);
/* Returns all devices' records as a text for gf_gpu_plan_records_import(), which the caller frees;
 * NULL if memory is short. */
char *gf_gpu_plan_records_export(const struct gf_environment *env);
/* Keeps the records of such a text, which is untrusted, and counts those kept and those of another
 * program. GF_EFORMAT, and none is kept, if a line is no record. GF_EIO if they cannot be
 * written. */
int gf_gpu_plan_records_import(const struct gf_environment *env, const char *text, size_t bytes,
                               int *kept, int *others);
/* Deletes all records. Returns 1 if there were any, 0 if not, or a negative code. */
int gf_gpu_plan_records_forget(const struct gf_environment *env);

#endif
