/* Helpers for a command's prepare() (cli/batch/task.h). They derive the job, and the shapes of
 * its outputs, from the header; an inverse job from the record (core/api/picture.h). */
#ifndef GF_CLI_BATCH_DESCRIBE_H
#define GF_CLI_BATCH_DESCRIBE_H

#include "cli/batch/task.h"
#include "core/api/picture.h"

/* Sets the job's direction, shape, type and precision from the header and the options. */
void gf_task_begin_job(struct gf_task *t, enum gf_direction direction);
/* Gives product[i].image the shape of the job's output i, including an alpha plane, and `color`.
 * GF_EINVAL if the format cannot hold it. */
int gf_task_describe(struct gf_task *t, int i, enum gf_color color);
/* Sets the job's channels to all but alpha, or with --color to their luma, and sets t->op.in. */
int gf_task_take_channels(struct gf_task *t);
/* Sets t->op.in to the first channels of `px`, a view of image.px in the job's shape; the rest is
 * alpha. */
void gf_task_split(struct gf_task *t, const struct gf_array *px, int64_t channels);

/* Gives product i the type, alpha, colour and shape of the picture that `r` (or NULL) describes. */
int gf_task_describe_restored(struct gf_task *t, int i, const struct gf_record *r);
/* The prepare() of an inverse takes the job from the record, or guesses it from the options. */
struct gf_inverse {
    /* Refuses input that the transform cannot have made; `r` may be NULL. */
    int (*check_input)(const struct gf_task *t, const struct gf_record *r);
    /* Refuses options that contradict the record, from which t->op.job was taken. */
    int (*check_options)(struct gf_task *t, const struct gf_record *r);
    int (*guess_job)(struct gf_task *t);
};
int gf_task_prepare_inverse(struct gf_task *t, const struct gf_inverse *how);
/* Its check(): GF_EINVAL if samples do not fit the type of an output, unless --depth or t->op.lossy
 * allows clipping. Notes what the format does not keep. */
int gf_task_check_restored(struct gf_task *t);
/* With --verbose prints how many samples of output i were clipped. */
void gf_task_tell_clipped(const struct gf_task *t, int i);
/* The numbers that output i can have: its type, or "0..1023"; returns `text`. */
const char *gf_task_range_name(const struct gf_task *t, int i, char text[24]);
/* Prints a note for each thing of the picture that product i's format does not keep. */
void gf_task_note_lost(const struct gf_task *t, int i);

#endif
