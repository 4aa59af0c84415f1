/* Wavelets plane by plane: of volumes that do not fit memory, that come frame by frame, or that several devices or
 * processes share, and of such pictures, each of whose rows is a plane. dwt pushes planes through a stream
 * (cli/commands/dwt_planes.c), idwt makes them from chunks of bands (cli/commands/idwt_planes.c); both run parts of
 * a task between its reader and its outputs, by the task's own device, or dealt to several:
 *
 *     struct gf_planes_work p = {.t = t, .parts = n, .run = run_part};
 *     rc = gf_planes_run(&p);
 */
#ifndef GF_CLI_COMMANDS_PLANES_H
#define GF_CLI_COMMANDS_PLANES_H

#include "cli/batch/shared_output.h"
#include "core/slab/wavelet.h"

/* A thread that runs parts on a device, and what it counts and times: milliseconds, samples. */
struct gf_planes_hand {
    struct gf_task *t; /* of which nothing is changed */
    struct gf_reader *reader;
    struct gf_runner *runner;
    int threads;
    int64_t at; /* which plane of the input was read last, or failed */
    double ms_read, ms_transform, ms_write, ms_waited;
    double peak; /* planes in memory, at most */
    int64_t overflowed[GF_MAX_OUTPUTS], clipped[GF_MAX_OUTPUTS];
};

struct gf_planes_work {
    struct gf_task *t;
    int parts; /* dealt to the task's devices, or one for each process; 0: one, which its own has */
    bool in_order; /* planes are written in their order: to files with {page}, pipes, compressed */
    /* Runs a part: 0, or its failure, which nothing on another device mends. */
    int (*run)(const struct gf_planes_work *p, struct gf_planes_hand *hand, int part);
    struct gf_slab_wavelet inverse; /* of an inverse: how planes are made */

    /* Set by gf_planes_run(): */
    const struct gf_shared_output *out; /* of each; without a volume with {page} */
    struct gf_planes_hand sum;          /* of all; the longest transform */
};

/* Writes the outputs, complete or not at all, and adds what was counted to the task. */
int gf_planes_run(struct gf_planes_work *p);
/* Whether devices share the task, whose samples each of them can read. */
static inline bool gf_planes_may_share(const struct gf_task *t) {
    return t->job.ndim == 3 && t->deal && t->deal->n > 1 && gf_task_is_at_hand(t);
}
/* Whether the task is done plane by plane or not at all. */
static inline bool gf_planes_must(const struct gf_task *t) {
    return t->state == GF_TASK_TOO_LARGE || t->ranks;
}
/* The failure of one that must and cannot, for that reason: the thread's message has the need of one that is too
 * large. */
int gf_planes_refuse(const struct gf_task *t, const char *why);
/* NULL, or why planes of the input cannot be read by themselves. */
const char *gf_planes_unread(const struct gf_task *t);
/* Into how many parts devices or processes share the task; 0: they do not. */
int gf_planes_parts(const struct gf_task *t);
static inline const char *gf_planes_unit(const struct gf_task *t) {
    return t->job.ndim == 2 ? "rows" : "planes";
}
/* Moves a box of planes to its place in the output: rows of a picture, each of which is a plane, to its one page. */
struct gf_volume_box gf_planes_box(const struct gf_task *t, const struct gf_volume_box *box);
/* Into how many parts they cut the job: as many for each of equal devices; 0 where one does not transform plane by
 * plane. */
int gf_planes_count(const struct gf_job *job, const struct gf_deal *d);
/* The hands of each device: a stream reads ahead and writes by threads of its own; of an inverse one hand reads
 * and writes while the other's part is on the device. */
static inline int gf_planes_hands(const struct gf_job *job) {
    return job->direction == GF_FORWARD ? 1 : 2;
}
/* The threads of a hand on the CPU, which leaves some to those that copy for the other devices, read and
 * write; `d` NULL: the task's own device alone. */
int gf_planes_threads(const struct gf_task *t, const struct gf_deal *d);

/* The stream() of dwt's hooks. Streams volumes of any file that has pages if they are too large; those
 * that cannot be streamed fail with both reasons. */
int gf_dwt_planes_stream(struct gf_task *t);
/* NULL, or why all of a task has to be in memory. Others than frames and raw volumes are done plane by plane only if
 * they `must`: too large, or by several processes. */
const char *gf_dwt_planes_refuses(const struct gf_task *t, bool must);
/* Bytes of host memory for the stream of each of so many devices. */
int64_t gf_dwt_planes_room(const struct gf_task *t, int devices);
/* Bytes that a planned task takes plane by plane; -1 where it is refused. */
int64_t gf_dwt_planes_bytes(const struct gf_task *t, bool must);

/* The stream() of idwt's hooks: of tasks that are too large, which else fail with both reasons, and those that
 * several devices share. */
int gf_idwt_planes_stream(struct gf_task *t);
const char *gf_idwt_planes_refuses(const struct gf_task *t);
/* Describes how; false where a planned task cannot be done so. */
bool gf_idwt_planes_plan(const struct gf_task *t, struct gf_slab_wavelet *w);
/* In how many parts these devices share it, 0: not, and how each hand makes its own. */
int gf_idwt_planes_count(const struct gf_task *t, const struct gf_deal *d,
                         struct gf_slab_wavelet *w);

#endif
