/* How long a job in host memory takes on one device of a list and on all of them: pure arithmetic on bytes and
 * rates. Copies in both directions, passes and what devices send each other overlap within a walk, so that
 * a walk takes as long as the slowest of them; the host's threads fill and empty the buffers of all devices; a job that fits one device is copied there, transformed and
 * copied back.
 *
 *     struct gf_gpu_load load = {.in = 4e9, .out = 8e9, .exchange = 4e9, .passes = 2e10, .walks = 2};
 *     struct gf_plan_times t = gf_gpu_team_predict(&load, 2, 1, &first, &slowest);
 *     … t.several < t.one …
 */
#ifndef GF_CORE_GPU_TEAM_TIME_H
#define GF_CORE_GPU_TEAM_TIME_H

#include "core/base/backend.h"

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
