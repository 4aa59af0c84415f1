/* Wavelets plane by plane: volumes that do not fit memory, come frame by frame, or are shared by
 * several devices or processes; also pictures, whose planes are their rows. dwt pushes planes
 * through a stream (cli/commands/dwt_planes.c); idwt makes them from chunks of bands
 * (cli/commands/idwt_planes.c). Both run parts of a task between its reader and its outputs, on the
 * task's own device or dealt to several:
 *
 *     struct gf_planes_work p = {.t = t, .parts = n, .run = run_part};
 *     rc = gf_planes_run(&p);
 */
#ifndef GF_CLI_COMMANDS_PLANES_H
#define GF_CLI_COMMANDS_PLANES_H

#include "cli/batch/shared_output.h"
#include "core/split/wavelet.h"
#include "core/wavelet/survey.h"

/* A thread that runs parts on a device, with its counters. */
struct gf_planes_hand {
    struct gf_task *t; /* read-only */
    struct gf_reader *reader;
    struct gf_runner *runner;
    int threads;
    int64_t at; /* plane of the input that was read last, or failed */
    double ms_read, ms_transform, ms_write, ms_waited;
    double peak; /* most planes in memory */
    int64_t overflowed[GF_MAX_OUTPUTS], clipped[GF_MAX_OUTPUTS];
};

struct gf_planes_work {
    struct gf_task *t;
    int parts;     /* dealt to the devices, or one per process; 0: one, on the task's own device */
    bool in_order; /* planes are written in order: files with {page}, pipes, compressed */
    /* Runs a part. No other device can repair its failure. */
    int (*run)(const struct gf_planes_work *p, struct gf_planes_hand *hand, int part);
    struct gf_slab_wavelet inverse; /* of an inverse: the chunks that make planes */
    /* Has the survey see this process's coefficients; NULL: run() does, and no more, while it wants
     * something. */
    int (*look)(const struct gf_planes_work *p);

    /* Set by gf_planes_run(): */
    struct gf_dwt_survey *survey; /* of the coefficients */
    const struct gf_shared_output
        *out; /* gf_shared_files(); volumes are NULL with {page}, of --bands */
    struct gf_dwt_band band[GF_MAX_BANDS]; /* n_bands, of --bands */
    int n_bands;
    struct gf_planes_hand sum; /* of all hands; ms_transform is the longest one's */
};

/* Finds what all coefficients decide, writes the outputs, complete or not at all, and adds the
 * counters to the task. */
int gf_planes_run(struct gf_planes_work *p);
/* True if several devices can share the task. */
static inline bool gf_planes_may_share(const struct gf_task *t) {
    return t->op.job.ndim == 3 && t->deal && gf_engine_devices(t->deal) > 1 &&
           gf_task_is_at_hand(t);
}
/* True if the task is done plane by plane or fails. */
static inline bool gf_planes_must(const struct gf_task *t) {
    return t->state == GF_TASK_TOO_LARGE || t->ranks;
}
/* Fails a task that must go plane by plane and cannot, because of `why`. For one that is too large,
 * gf_message() states the need. */
int gf_planes_refuse(const struct gf_task *t, const char *why);
/* Returns why a task is not surveyed before it is written: it need not go plane by plane, or a pipe is
 * read once; NULL: it is, or nothing is wanted. */
const char *gf_planes_unsurveyed(const struct gf_task *t);
/* Reads plane `at` of a volume, or row of a picture: (y, x, channel), with alpha. Allocates it unless it
 * has data. */
int gf_planes_read(struct gf_reader *reader, const struct gf_image *image, int64_t at,
                   struct gf_array *plane);
/* Returns the number of parts for devices or processes; 0: not shared. */
int gf_planes_parts(const struct gf_task *t);
static inline const char *gf_planes_unit(const struct gf_task *t) {
    return t->op.job.ndim == 2 ? "rows" : "planes";
}
/* Returns the box's place in the output. The planes of a picture are the rows of its only page. */
struct gf_volume_box gf_planes_box(const struct gf_task *t, const struct gf_volume_box *box);
/* Returns the number of parts for these devices, a multiple of theirs; 0 if one of them cannot
 * stream. */
int gf_planes_count(const struct gf_job *job, const struct gf_engine *e);
/* Hands per device: a stream reads ahead and writes with its own threads; in an inverse, one hand
 * reads and writes while the other's part is on the device. */
static inline int gf_planes_hands(const struct gf_job *job) {
    return job->direction == GF_FORWARD ? 1 : 2;
}
/* Returns the threads of a hand on the CPU; the rest copy for the other devices, read and write.
 * `e` NULL: the task's own device. */
int gf_planes_threads(const struct gf_task *t, const struct gf_engine *e);

/* dwt's stream() hook: streams frames, raw volumes, and what is too large. What cannot be streamed
 * fails with both reasons. */
int gf_dwt_planes_stream(struct gf_task *t);
/* Returns why the whole task must be in memory; NULL: it need not. Inputs other than frames and raw
 * volumes stream only if they `must`: too large, or several processes. */
const char *gf_dwt_planes_refuses(const struct gf_task *t, bool must);
/* Returns the bytes of host memory for the stream of each of `devices` devices. */
int64_t gf_dwt_planes_room(const struct gf_task *t, int devices);
/* Returns the bytes that a planned task needs plane by plane; -1 if it is refused. */
int64_t gf_dwt_planes_bytes(const struct gf_task *t, bool must);

/* idwt's stream() hook: streams tasks that are too large or that several devices share. */
int gf_idwt_planes_stream(struct gf_task *t);
const char *gf_idwt_planes_refuses(const struct gf_task *t);
/* Describes the chunks of a planned task; false if it cannot go plane by plane. */
bool gf_idwt_planes_plan(const struct gf_task *t, struct gf_slab_wavelet *w);
/* Returns the number of parts for these devices, 0: not shared; *w: the chunks of each hand. */
int gf_idwt_planes_count(const struct gf_task *t, const struct gf_engine *e,
                         struct gf_slab_wavelet *w);

#endif
