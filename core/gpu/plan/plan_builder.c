/* Trials of passes. */
#include "core/gpu/plan/plan_builder.h"

struct gf_gpu_trial gf_gpu_trial_begin(struct gf_gpu_plan *p) {
    struct gf_gpu_trial trial = {.n_passes = p->n_passes, .nested = p->trial};
    memcpy(trial.bytes, p->bytes, sizeof trial.bytes);
    p->trial = true;
    return trial;
}

double gf_gpu_trial_end(struct gf_gpu_plan *p, const struct gf_gpu_trial *trial) {
    double cost = 0;
    for (int i = trial->n_passes; i < p->n_passes; i++)
        cost += p->pass[i].cost;
    p->n_passes = trial->n_passes;
    p->trial = trial->nested;
    memcpy(p->bytes, trial->bytes, sizeof trial->bytes);
    return cost;
}
