/* plan: the parts of a wavelet transform that are dealt to several devices (cli/commands/planes.h). */
#ifndef GF_CLI_COMMANDS_PLAN_PARTS_H
#define GF_CLI_COMMANDS_PLAN_PARTS_H

#include "cli/batch/task.h"

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

#endif
