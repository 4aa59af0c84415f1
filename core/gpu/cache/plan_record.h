/* Plans that were measured, kept from run to run beside the built kernels by the planner's and the kernels'
 * checksum, interface, device, driver, compiler and job. A record is a script (core/gpu/plan/decision.h) with
 * the times that were measured. Nothing here can make a run fail: a record that is no plan counts as none. */
#ifndef GF_CORE_GPU_PLAN_RECORD_H
#define GF_CORE_GPU_PLAN_RECORD_H

#include "core/gpu/plan/decision.h"

struct gf_gpu_plan_record {
    char script[GF_GPU_SCRIPT];
    double ms,
        estimate_ms; /* of one run: by this plan, by the one that is expected to be fastest */
    bool noisy;      /* which are not to be trusted: nobody uses it */
};

bool gf_gpu_plan_record_find(const struct gf_gpu *api, const struct gf_gpu_props *props,
                             const struct gf_job *job, struct gf_gpu_plan_record *r);
/* Replaces it. False where it could not be kept. */
bool gf_gpu_plan_record_keep(const struct gf_gpu *api, const struct gf_gpu_props *props,
                             const struct gf_job *job, const struct gf_gpu_plan_record *r);
bool gf_gpu_plan_records_any(void);
/* All records, of whatever device, as a text for gf_gpu_plan_records_import(), in memory that the caller frees;
 * NULL without memory. */
char *gf_gpu_plan_records_export(void);
/* Keeps the records of such a text, and counts those that were kept and those of another program. Checks it as
 * a stranger's: GF_EFORMAT, and none is kept, where a line is no record; GF_EIO where they cannot be kept. */
int gf_gpu_plan_records_import(const char *text, size_t bytes, int *kept, int *others);
/* Deletes all records. 1: there were any, 0: there was none, or a negative code. */
int gf_gpu_plan_records_forget(void);

#endif
