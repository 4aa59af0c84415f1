/* Plans for a device that this machine lacks: a backend that has the device's properties and plans
 * for it as the real one would, but runs nothing.
 *
 *     struct gf_assumed_device d;
 *     int rc = gf_assume("h200", "cuda", &d);
 *     if (!rc) rc = gf_request_one(env, &request, d.list, "cuda", NULL); */
#ifndef GF_CORE_ENGINE_ASSUME_H
#define GF_CORE_ENGINE_ASSUME_H

#include "core/base/job/backend.h"

struct gf_assumed_device {
    struct gf_gpu_props props;
    double copy; /* bytes read plus written a second by a copy */
    struct gf_backend backend;
    const struct gf_backend *list[2]; /* of it alone */
};

/* Makes the backend "cuda" or "opencl" on the device `name`, with built-in properties; `device` must
 * stay where it is. GF_EUSAGE for other names. */
int gf_assume(const char *name, const char *backend, struct gf_assumed_device *device);

#endif
