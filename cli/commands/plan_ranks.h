/* `gpufft plan --ranks=P`: a volume or a picture that P processes share. */
#ifndef GF_CLI_COMMANDS_PLAN_RANKS_H
#define GF_CLI_COMMANDS_PLAN_RANKS_H

#include "cli/batch/task.h"

/* A prediction for `ranks` machines like this one. Times are in seconds, bytes those of the rank that
 * has the most. */
struct gf_ranks_plan {
    int ranks;
    double link, copy;       /* bytes a second: of the network at each rank, and of memory here */
    double alone;            /* the passes in one process */
    double passes, exchange; /* a rank's */
    int exchanges;           /* of so many bytes */
    double together;         /* the exchange runs beside the passes over planes */
    int64_t bytes_sent, bytes_needed;
    int64_t most;   /* ranks that have something to do */
    int64_t enough; /* from here on twice as many save less than a tenth */
};

/* Predicts a planned task by the ranks and the link of its settings; `moved`: bytes that the plan of one process reads
 * and writes. Measures this machine's memory, which takes about a second. GF_EUNSUPP for a job that processes do not
 * share, GF_ENOMEM where their memory of so many bytes each is too little. */
int gf_ranks_plan(const struct gf_task *t, int64_t moved, struct gf_ranks_plan *out);

#endif
