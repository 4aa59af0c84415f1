/* Measures the plans of a job that are expected to be the cheapest, and keeps the fastest one for
 * gf_gpu_run_make(). */
#ifndef GF_CORE_GPU_CHOOSE_H
#define GF_CORE_GPU_CHOOSE_H

#include "core/gpu/run.h"

/* If the context measures plans, this job has a choice and no record yet (or the context measures again), up to
 * GF_GPU_CANDIDATES plans run in alternation on random samples, and the one to be used is kept in
 * the cache. Returns how many ran; 0 also where memory is short, or the context has spent its two minutes. */
int gf_gpu_choose(struct gf_gpu_context *c, const struct gf_job *job);

#endif
