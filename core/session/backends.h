/* The list of backends, and how to find one of them or one of their devices:
 *
 *     const struct gf_backend *b;
 *     struct gf_gpu_props device;
 *     int rc = gf_backend_find("opencl", &b);
 *     if (!rc) rc = gf_backend_device(b, "4090", &device); */
#ifndef GF_CORE_SESSION_BACKENDS_H
#define GF_CORE_SESSION_BACKENDS_H

#include "core/base/backend.h"

enum { GF_MAX_BACKENDS = 16 };

/* NULL-terminated, in the order of `gpufft devices`. Functions that take a list take this one or a
 * test's. */
extern const struct gf_backend *const gf_backends[];

/* Finds a backend by name; GF_EUSAGE with the list of names when there is none of that name,
 * GF_EABSENT with reason and remedy when it is not usable here. */
int gf_backend_find(const char *name, const struct gf_backend **out);
/* The same in a list. `installed`: does not start the driver, open() finds out whether it works. */
int gf_backend_find_in(const struct gf_backend *const *list, const char *name, bool installed,
                       const struct gf_backend **out);
/* Returns 0, or GF_EABSENT with the backend's reason and remedy. */
int gf_backend_usable(const struct gf_backend *b);

/* Returns the backend that auto prefers after `last` (NULL: the first one), among those on devices
 * or among those in host memory; NULL after the last. */
const struct gf_backend *gf_backend_next(const struct gf_backend *const *list, bool devices,
                                         const struct gf_backend *last);

/* Lists the devices of a usable backend and returns their number; 0 if it lists none. Opens no
 * context. */
int gf_backend_devices(const struct gf_backend *b, struct gf_gpu_props props[GF_GPU_MAX_DEVICES]);
/* Finds the device that `name` (as in struct gf_backend_options) names; GF_EABSENT with a list of
 * those present. Opens no context. */
int gf_backend_device(const struct gf_backend *b, const char *name, struct gf_gpu_props *props);
/* Finds the automatic backend that has this device; GF_EABSENT if none has. */
int gf_backend_of_device(const struct gf_backend *const *list, const char *name,
                         const struct gf_backend **out);

/* Calls see(path, what it is) for every file that backends may read: FFTW's wisdom, and kernel
 * sources where a folder of them is named. Stops at the first status that is not 0, and returns
 * it. */
int gf_backend_files(int (*see)(const char *path, const char *what));

/* "12 kernels, 340 KiB in /home/…/gpufft", or why there is none, for `gpufft devices`. */
void gf_backend_cache_text(char text[GF_REASON]);

#endif
