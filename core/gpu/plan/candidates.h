/* Lists the plans of a job that are expected to be the cheapest.
 *
 *     struct gf_gpu_candidate list[GF_GPU_CANDIDATES];
 *     int n = gf_gpu_candidates(&job, &props, list);
 *     for (int i = 0; i < n; i++)
 *         gf_gpu_plan_make_chosen(&job, &props, &(struct gf_gpu_choices){.script = list[i].script},
 * & */
#ifndef GF_CORE_GPU_PLAN_CANDIDATES_H
#define GF_CORE_GPU_PLAN_CANDIDATES_H

#include "core/gpu/plan/decision.h"

enum { GF_GPU_CANDIDATES = 12 };

struct gf_gpu_candidate {
    char script[GF_GPU_SCRIPT];
    double cost; /* as gf_gpu_plan_cost() */
};

/* Whether the job has a choice of plans: an FFT that is not part of a larger one. */
bool gf_gpu_can_choose(const struct gf_job *job);
/* Lists the plan that is made without measuring, then others in ascending order of cost. Returns
 * their number, or a negative code if the job has no plan at all. */
int gf_gpu_candidates(const struct gf_job *job, const struct gf_gpu_props *props,
                      struct gf_gpu_candidate list[GF_GPU_CANDIDATES]);

#endif
