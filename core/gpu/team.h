/* Several devices of one interface that share a job. The first one's context leads, and opens the
 * others for the first job that they share.
 *
 *     void *context = NULL;
 *     const char *const both[] = {"0", "1"};
 *     int rc = gf_gpu_team_open(
 *         &gf_gpu_cuda, &(struct gf_backend_options){.devices = both, .n_devices = 2}, &context);
 *     struct gf_gpu_shared *p = NULL;
 *     if (!rc) rc = gf_gpu_team_plan(context, &job, false, &p);
 *     if (!rc) rc = gf_gpu_shared_exec(p, &in, out, &report);
 *     gf_gpu_shared_drop(p);
 *     gf_gpu_team_close(context); */
#ifndef GF_CORE_GPU_TEAM_H
#define GF_CORE_GPU_TEAM_H

#include "core/gpu/slab.h"

/* As gf_gpu_run_open(), close() and lost(), for one device unless options->devices names
 * several. */
int gf_gpu_team_open(const struct gf_gpu *api, const struct gf_backend_options *options,
                     void **context);
void gf_gpu_team_close(void *context);
int gf_gpu_team_lost(void *context);

/* resident: the arrays stay in the devices' memory. GF_EUNSUPP if the job cannot be shared or there
 * is one device, GF_ENOMEM if it does not fit all of them. The context outlives the plan. */
int gf_gpu_team_plan(struct gf_gpu_context *c, const struct gf_job *job, bool resident,
                     struct gf_gpu_shared **plan);
/* Predicts the times of the first device and of all of them for a job that can be shared; all 0 for
 * one device. Opens none. */
struct gf_plan_times gf_gpu_team_times(const struct gf_gpu_context *c, const struct gf_job *job);
/* As gf_on_device.link. */
int gf_gpu_team_link(void *context, int64_t bytes, double *speed);
/* True if all should share a job that fits one. */
bool gf_gpu_team_gains(const struct gf_gpu_context *c, const struct gf_plan_times *times);

/* ---- predicted times of a job in host memory, from bytes and rates. In each walk copies both
 * ways, passes and the exchange overlap, so it takes as long as the slowest of them. The host's
 * threads serve the buffers of all devices. A job that fits one device is uploaded, transformed and
 * downloaded in turn. ---- */

/* Bytes: arrays, exchange, and what could be copied in the time of the passes. */
struct gf_gpu_load {
    double in, out, exchange, passes;
    int walks; /* if devices share the job */
    bool fits; /* the whole job fits one device */
};

/* For tests. closed: devices whose contexts must be opened. `first` is the rates of a device alone, `slowest`
 * of the one that limits all. Unknown rates are assumed: the host copies 25 GB/s in all, a link
 * too, memory 1000 GB/s, a context opens in 0.4 s. */
struct gf_plan_times gf_gpu_team_predict(const struct gf_gpu_load *load, int devices, int closed,
                                         const struct gf_device_rates *first,
                                         const struct gf_device_rates *slowest);

#endif
