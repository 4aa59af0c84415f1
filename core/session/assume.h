/* Plans for a device that is not here: a backend that knows the device's facts, plans for it as
 * another backend would, and runs nothing.
 *
 *     struct gf_assumed_device d;
 *     const struct gf_backend *list[2] = {NULL, NULL};
 *     int rc = gf_assume_known("h200", "cuda", &d);
 *     if (!rc) rc = gf_assume_backend("cuda", &d, &list[0]);
 *     if (!rc) rc = gf_session_open(&session, &(struct gf_session_options){.backends = list, …});
 */
#ifndef GF_CORE_SESSION_ASSUME_H
#define GF_CORE_SESSION_ASSUME_H

#include "core/base/backend.h"

struct gf_assumed_device {
    struct gf_gpu_props props;
    double copy; /* bytes read plus written a second, when it copies; 0: not known */
};

/* The built-in facts of the device `name` as that backend reports them; GF_EABSENT with the names
 * there are. */
int gf_assume_known(const char *name, const char *backend, struct gf_assumed_device *device);
/* GF_EINVAL for facts that no device has. */
int gf_assume_check(const struct gf_assumed_device *device);
/* The backend `name`, "cuda" or "opencl", on that device; GF_EUSAGE for another. One for the
 * process: the next call replaces it. */
int gf_assume_backend(const char *name, const struct gf_assumed_device *device,
                      const struct gf_backend **backend);
/* The device's facts, of the last such backend. */
const struct gf_gpu_props *gf_assumed(void);

#endif
