/* Which backend `auto` picks for a job, and why:
 *
 *     struct gf_choice choice;
 *     struct gf_outlook outlook = {.backends = gf_backends, .runs = 100};
 *     rc = gf_auto_choose(&job, &outlook, &choice);
 *     choice.why                           "about 500 ms with the copies on NVIDIA H200, …" */
#ifndef GF_CORE_ENGINE_AUTO_H
#define GF_CORE_ENGINE_AUTO_H

#include "core/engine/backends.h"

/* Seconds assumed for opening a context without a measurement. */
extern const double gf_context_seconds;

/* The circumstances that auto considers beside the job. */
struct gf_outlook {
    const struct gf_environment *environment;
    const struct gf_backend *const *backends;
    const char *device;    /* the only device to consider, a number or part of a name; NULL: any */
    int threads;           /* as in struct gf_backend_options */
    int64_t device_memory; /* likewise */
    int64_t runs;          /* such jobs left, including this one */
    bool open;             /* a device's context is already open */
    bool untuned;          /* ignore the record of speeds (core/engine/speeds.h) */
    /* True if no kernels are cached and must be compiled. Called only if it matters. NULL:
     * false. */
    bool (*is_cold)(const struct gf_environment *env);
};

struct gf_choice {
    const struct gf_backend *backend;
    char why[GF_REASON]; /* one line; callers print the backend's name beside it */
    /* The message that lists the devices if no usable backend has outlook->device; else "". */
    char no_device[GF_REASON];
};

/* Picks a GPU if the CPU would take longer than opening a context and copying, and the device has
 * enough memory. Opens no context, and ignores GPUs if the CPU is faster anyway. GF_EABSENT if no
 * backend is usable. */
int gf_auto_choose(const struct gf_job *job, const struct gf_outlook *outlook,
                   struct gf_choice *choice);

#endif
