/* Plans for a device that this machine lacks: a backend that has the device's properties and plans
 * for it as the real one would, but runs nothing.
 *
 *     struct gf_assumed_device d;
 *     int rc = gf_assume_known("h200", "cuda", &d);
 *     if (!rc) rc = gf_assume_backend("cuda", &d);
 *     if (!rc) rc = gf_request_one(&request, d.list, "cuda", NULL); */
#ifndef GF_CORE_ENGINE_ASSUME_H
#define GF_CORE_ENGINE_ASSUME_H

#include "core/base/job/backend.h"

struct gf_assumed_device {
    struct gf_gpu_props props;
    double copy; /* bytes read plus written a second by a copy; 0: unknown */
    /* Set by gf_assume_backend(). */
    struct gf_backend backend;
    const struct gf_backend *list[2]; /* of it alone */
};

/* The built-in properties of the device `name` as that backend reports them; GF_EABSENT with the
 * known names. */
int gf_assume_known(const char *name, const char *backend, struct gf_assumed_device *device);
/* GF_EINVAL if no device can have these properties. */
int gf_assume_check(const struct gf_assumed_device *device);
/* Makes the backend `name`, "cuda" or "opencl", on that device, which must stay where it is;
 * GF_EUSAGE for other names. */
int gf_assume_backend(const char *name, struct gf_assumed_device *device);

#endif
