/* The parts of `gpufft plan`. */
#ifndef GF_CLI_COMMANDS_PLAN_H
#define GF_CLI_COMMANDS_PLAN_H

#include "cli/batch/task.h"
#include "core/engine/assume.h"
#include "core/schedule/plan.h"

/* ---- a wavelet transform dealt to several devices (cli/commands/planes.h) ---- */

/* A device's share of the parts. */
struct gf_plan_parts_device {
    char name[96];
    int64_t parts;               /* -1: depends on its measured speed */
    int64_t bytes_device, bytes; /* device memory; host memory */
};

struct gf_plan_parts {
    int n; /* parts; 0: not dealt */
    int64_t most,
        beside; /* most planes in a part; most planes that a part reads beyond its share */
    int n_devices;
    struct gf_plan_parts_device device[GF_REQUEST_MOST];
};

/* Opens the devices and sizes their parts. GF_ENOMEM and the like if a device cannot run a part. */
int gf_plan_parts(const struct gf_task *t, struct gf_plan_parts *p);

/* ---- a job shared by the processes of --ranks=P ---- */

/* A prediction for `ranks` machines like this one. Times are in seconds; bytes are those of the
 * busiest rank. */
struct gf_ranks_plan {
    int ranks;
    struct gf_slab_plan slabs; /* the whole job; no walks for wavelets */
    double link, copy;         /* bytes a second: each rank's network, this machine's memory copy */
    double alone;              /* the passes in one process */
    double passes, exchange;   /* of a rank */
    int exchanges;             /* of bytes_sent each */
    double together;           /* total time */
    int64_t bytes_sent, bytes_needed;
    int64_t most;   /* most ranks with work */
    int64_t enough; /* from here on, twice as many ranks save less than a tenth */
};

/* Predicts a planned task from --ranks and --link; `moved`: bytes that one process reads and
 * writes. Measures memory bandwidth for about a second. GF_EUNSUPP if processes cannot share the
 * job, GF_ENOMEM. */
int gf_ranks_plan(const struct gf_task *t, int64_t moved, struct gf_ranks_plan *out);

/* ---- the report on a task that is planned ---- */

/* Returns the bytes that all passes read and write. */
int64_t gf_plan_moved(const struct gf_task *t);
/* Prints the report as text or JSON. `parts` with n 0, `ranks` with ranks 0: not shared. */
void gf_plan_print(const char *name, struct gf_task *t, const struct gf_plan_parts *parts,
                   const struct gf_ranks_plan *ranks);

#endif
