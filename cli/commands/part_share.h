/* Parts of a task's volume, dealt to several devices: each reads, transforms and writes those that it takes.
 *
 *     const struct gf_part_work work = {.parts = n, .streams = 1, .run = run_part, .user = &own};
 *     rc = gf_part_share(t, &work, &sum);
 */
#ifndef GF_CLI_COMMANDS_PART_SHARE_H
#define GF_CLI_COMMANDS_PART_SHARE_H

#include "cli/batch/task.h"

/* What was counted and timed: milliseconds in all threads together, but for `ms_transform`, the longest. */
struct gf_part_sum {
    double ms_read, ms_transform, ms_write, ms_waited;
    double peak; /* planes in memory, at most */
    int64_t overflowed[GF_MAX_OUTPUTS], clipped[GF_MAX_OUTPUTS];
};

/* A thread that runs parts on a device. */
struct gf_part_hand {
    struct gf_task *t; /* of which nothing is changed */
    struct gf_reader *reader;
    struct gf_runner *runner;
    int threads;
    int64_t at; /* which plane of the input was read last, or failed */
    struct gf_part_sum sum;
};

struct gf_part_work {
    int parts;
    int streams; /* hands for each device: one reads and writes while the other's part is on the device */
    /* 0 or the failure of a part, which nothing on another device mends. */
    int (*run)(void *user, struct gf_part_hand *hand, int part);
    void *user;
};

/* Whether devices share the task, whose samples each of them can read. */
bool gf_part_may_share(const struct gf_task *t);
/* Whether each of them transforms volumes in parts. */
bool gf_part_streams(const struct gf_deal *d);
/* How many parts for so many that the job has at most: as many for each of equal devices. */
int gf_part_count(int most, const struct gf_deal *d);
/* The threads of a hand on the CPU, which leaves some to those that copy for the other devices, read and
 * write. */
int gf_part_threads(const struct gf_settings *s, const struct gf_deal *d, int streams);
/* Runs all parts, and adds what was counted to the task and to *sum. */
int gf_part_share(struct gf_task *t, const struct gf_part_work *work, struct gf_part_sum *sum);

#endif
