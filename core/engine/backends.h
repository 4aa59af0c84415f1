/* The list of backends, and searches for a backend or a device:
 *
 *     const struct gf_backend *b;
 *     struct gf_gpu_props device;
 *     int rc = gf_backend_find(env, "opencl", &b);
 *     if (!rc) rc = gf_backend_device(env, b, "4090", &device); */
#ifndef GF_CORE_ENGINE_BACKENDS_H
#define GF_CORE_ENGINE_BACKENDS_H

#include "core/base/job/backend.h"

enum { GF_MAX_BACKENDS = 16 };

/* NULL-terminated, in the order of `gpufft devices`. Functions with a list accept this one or a
 * test's. */
extern const struct gf_backend *const gf_backends[];

/* Finds a backend by name. GF_EUSAGE with the list of names for an unknown name; GF_EABSENT with
 * reason and remedy if it is not usable. */
int gf_backend_find(const struct gf_environment *env, const char *name,
                    const struct gf_backend **out);
/* The same in a list. `installed`: does not start the driver, so open() may still fail. */
int gf_backend_find_in(const struct gf_environment *env, const struct gf_backend *const *list,
                       const char *name, bool installed, const struct gf_backend **out);
/* 0, or GF_EABSENT with the backend's reason and remedy. */
int gf_backend_usable(const struct gf_environment *env, const struct gf_backend *b);

/* The backend that auto prefers after `last` (NULL: the first) on devices or in host memory; NULL
 * after the last. */
const struct gf_backend *gf_backend_next(const struct gf_backend *const *list, bool devices,
                                         const struct gf_backend *last);

/* Lists a usable backend's devices and returns their number; 0 if it lists none. Opens no
 * context. */
int gf_backend_devices(const struct gf_environment *env, const struct gf_backend *b,
                       struct gf_gpu_props props[GF_GPU_MAX_DEVICES]);
/* Finds the device called `name` (as in struct gf_backend_options); GF_EABSENT with a list of
 * devices. Opens no context. */
int gf_backend_device(const struct gf_environment *env, const struct gf_backend *b,
                      const char *name, struct gf_gpu_props *props);

/* Calls see(path, description) for every file that backends may read: FFTW's wisdom, and kernel
 * sources if they have a folder. Stops at the first nonzero status and returns it. */
int gf_backend_files(const struct gf_environment *env,
                     int (*see)(const char *path, const char *what));

/* "12 kernels, 340 KiB in /home/…/gpufft", or why there is no cache, for `gpufft devices`. */
void gf_backend_cache_text(const struct gf_environment *env, char text[GF_REASON]);

#endif
