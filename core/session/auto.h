/* Which backend `auto` picks for a job, and why:
 *
 *     struct gf_choice choice;
 *     rc = gf_auto_choose(&job, &(struct gf_outlook){.backends = gf_backends, .runs = 100}, &choice);
 *     choice.why                           "about 500 ms with the copies on NVIDIA H200, …" */
#ifndef GF_CORE_SESSION_AUTO_H
#define GF_CORE_SESSION_AUTO_H

#include "core/session/backends.h"

/* Seconds that a context takes to open, where that was not measured. */
extern const double gf_context_seconds;

/* The circumstances that auto weighs beside the job. */
struct gf_outlook {
    const struct gf_backend *const *backends;
    const char *device; /* the only device to consider, by number or part of its name; NULL: any */
    int threads;        /* as in struct gf_backend_options */
    int64_t device_memory; /* likewise */
    int64_t runs;          /* such jobs ahead, this one included */
    bool open;             /* a device's context is open already */
    bool untuned;          /* ignore the record of speeds (core/session/record.h) */
    /* Whether no kernels are kept from earlier runs, and are compiled first; asked where it decides.
     * NULL: some are. */
    bool (*is_cold)(void);
};

struct gf_choice {
    const struct gf_backend *backend;
    char why[GF_REASON]; /* one line, for callers that print the backend's name beside it */
    /* outlook->device was looked for, and usable backends do not have it: which devices there are;
     * else "". */
    char no_device[GF_REASON];
};

/* Picks a GPU where the CPU would take longer than opening a context and the copies do, and the
 * device has the memory. Opens no context, and looks for no GPU as long as the CPU is done sooner
 * anyway. GF_EABSENT where nothing is usable. */
int gf_auto_choose(const struct gf_job *job, const struct gf_outlook *outlook,
                   struct gf_choice *choice);

#endif
