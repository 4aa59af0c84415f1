/* The parts of `gpufft plan`. */
#ifndef GF_CLI_COMMANDS_PLAN_H
#define GF_CLI_COMMANDS_PLAN_H

#include "cli/batch/task.h"
#include "core/session/assume.h"
#include "core/slab/plan.h"

/* The device that --assume names: a file with what `gpufft devices --json` printed, its entry of
 * --backend and --device; or else a built-in name. */
int gf_plan_assume(const struct gf_settings *s, struct gf_assumed_device *device);

/* ---- the parts of a wavelet transform that are dealt to several devices (cli/commands/planes.h) ---- */

/* A device's share of them. */
struct gf_plan_parts_device {
    char name[96];
    int64_t parts;               /* -1: as many as its first ones tell */
    int64_t bytes_device, bytes; /* of its memory; of the host's */
};

struct gf_plan_parts {
    int n; /* 0: it is not dealt */
    int64_t most,
        beside; /* planes of the longest part's share; of a part, that another one has too */
    int n_devices;
    struct gf_plan_parts_device device[GF_DEAL_MOST];
};

/* Opens the devices. GF_ENOMEM and the like where one does not take a stream. */
int gf_plan_parts(const struct gf_task *t, struct gf_plan_parts *p);

/* ---- a volume or a picture that the processes of --ranks=P share ---- */

/* A prediction for `ranks` machines like this one. Times are in seconds, bytes those of the rank that
 * has the most. */
struct gf_ranks_plan {
    int ranks;
    struct gf_slab_plan slabs; /* of all; without walks for wavelets */
    double link, copy;         /* bytes a second: of the network at each rank, and of memory here */
    double alone;              /* the passes in one process */
    double passes, exchange;   /* a rank's */
    int exchanges;             /* of so many bytes */
    double together;           /* the exchange runs beside the passes over planes */
    int64_t bytes_sent, bytes_needed;
    int64_t most;   /* ranks that have something to do */
    int64_t enough; /* from here on twice as many save less than a tenth */
};

/* Predicts a planned task by the ranks and the link of its settings; `moved`: bytes that the plan of one process reads
 * and writes. Measures this machine's memory, which takes about a second. GF_EUNSUPP for a job that processes do not
 * share, GF_ENOMEM where their memory of so many bytes each is too little. */
int gf_ranks_plan(const struct gf_task *t, int64_t moved, struct gf_ranks_plan *out);

/* ---- the report on a task that is planned ---- */

/* Bytes that all passes read and write. */
int64_t gf_plan_moved(const struct gf_task *t);
/* On stdout, as text or JSON. `parts`, `ranks`: how others share the job; with n or ranks 0 they do not. */
void gf_plan_print(const char *name, struct gf_task *t, const struct gf_plan_parts *parts,
                   const struct gf_ranks_plan *ranks);

#endif
