/* Several devices of one interface that share a job: the first one's context leads, and opens the others
 * when a job needs them: one whose arrays do not fit the first device.
 *
 *     void *context;
 *     const char *const both[] = {"0", "1"};
 *     int rc = gf_gpu_team_open(&gf_gpu_cuda, &(struct gf_backend_options){.devices = both, .n_devices = 2},
 *                               &context);
 *     struct gf_gpu_shared *p;
 *     if (!rc) rc = gf_gpu_team_plan(context, &job, false, &p);
 *     if (!rc) rc = gf_gpu_shared_exec(p, &in, out, &report);
 *     gf_gpu_shared_drop(p);
 *     gf_gpu_team_close(context);
 */
#ifndef GF_CORE_GPU_TEAM_H
#define GF_CORE_GPU_TEAM_H

#include "core/gpu/slab.h"

/* As gf_gpu_run_open() and the like; one device, unless options->devices names several. */
int gf_gpu_team_open(const struct gf_gpu *api, const struct gf_backend_options *options,
                     void **context);
void gf_gpu_team_close(void *context);
bool gf_gpu_team_lost(void *context);

/* As gf_backend_options.resident. */
bool gf_gpu_team_is_resident(const struct gf_gpu_context *c);
bool gf_gpu_team_is_natural(const struct gf_gpu_context *c); /* and in natural order */

/* resident: the arrays stay in the devices' memory. GF_EUNSUPP for a job that is not shared, and where there is one
 * device; GF_ENOMEM where it does not fit all of them. The context outlives the plan. */
int gf_gpu_team_plan(struct gf_gpu_context *c, const struct gf_job *job, bool resident,
                     struct gf_gpu_shared **plan);
/* How long the first device of the list, and all of them, are expected to take for a job that several can
 * share; all 0 where there is one device. Opens none. */
struct gf_plan_times gf_gpu_team_times(const struct gf_gpu_context *c, const struct gf_job *job);
/* As gf_on_device.link. */
int gf_gpu_team_link(void *context, int64_t bytes, double *speed);
/* Whether all should share a job that fits one. */
bool gf_gpu_team_gains(const struct gf_gpu_context *c, const struct gf_plan_times *times);

/* ---- how long a job in host memory takes on one device of a list and on all of them: arithmetic on bytes and rates.
 * Copies in both directions, passes and what devices send each other overlap within a walk, so that a walk takes as
 * long as the slowest of them; the host's threads fill and empty the buffers of all devices; a job that fits one
 * device is copied there, transformed and copied back. ---- */

/* Bytes: of the arrays, of what is between two walks, and as many as could be copied in the time of the passes. */
struct gf_gpu_load {
    double in, out, exchange, passes;
    int walks; /* where devices share it */
    bool fits; /* one device, as a whole */
};

/* closed: those of the devices whose contexts are opened for it. The first device does the job alone, the
 * slowest one decides how long all of them take. Rates that are not known are assumed: the host
 * copies 25 GB/s, for several devices too, a link is as fast as that, memory copies at 1000 GB/s, and a
 * context takes 0.4 s. */
struct gf_plan_times gf_gpu_team_predict(const struct gf_gpu_load *load, int devices, int closed,
                                         const struct gf_device_rates *first,
                                         const struct gf_device_rates *slowest);

#endif
