/* Helpers for a command's prepare() (cli/batch/task.h). They derive from the header the job, the shapes of its
 * outputs and their records, and for an inverse the job from the record. */
#ifndef GF_CLI_BATCH_DESCRIBE_H
#define GF_CLI_BATCH_DESCRIBE_H

#include "cli/batch/task.h"

/* Sets the job's direction, shape, type and precision from the header and the options. */
void gf_task_begin_job(struct gf_task *t, enum gf_direction direction);
/* Gives product[i].image the shape of the job's output i, its alpha plane included, and `color`; refuses what the
 * format cannot hold. */
int gf_task_describe(struct gf_task *t, int i, enum gf_color color);
/* Makes all channels but alpha the job's, or their luma with --color, and t->in. */
int gf_task_take_channels(struct gf_task *t);
/* Sets t->in to the first `channels` channels of `px`, a view of image.px in the job's shape; a further one is
 * alpha. */
void gf_task_split(struct gf_task *t, const struct gf_array *px, int64_t channels);

/* For a picture that comes back: gives product i the type, alpha, colour and shape of the picture that the record describes; `r`
 * may be NULL. */
int gf_task_describe_restored(struct gf_task *t, int i, const struct gf_record *r);
/* The prepare() of an inverse: its job is that of the record, or a guess from the options. */
struct gf_inverse {
    /* Refuses input that is no result of the transform; `r` may be NULL. */
    int (*check_input)(const struct gf_task *t, const struct gf_record *r);
    /* Refuses options that contradict the record, whose job the task has. */
    int (*check_options)(struct gf_task *t, const struct gf_record *r);
    int (*guess_job)(struct gf_task *t);
};
int gf_task_prepare_inverse(struct gf_task *t, const struct gf_inverse *how);
/* Its check(): GF_EINVAL if samples do not fit the type of an output, unless --depth or t->lossy lets them be clipped;
 * notes a dropped alpha channel. */
int gf_task_check_restored(struct gf_task *t);
/* Prints with --verbose how many samples of output i were clipped. */
void gf_task_tell_clipped(const struct gf_task *t, int i);
/* Prints a note if the format of product i drops the alpha channel. */
void gf_task_note_alpha(const struct gf_task *t, int i);

/* The record of output `i` of a forward job on `image`; alpha_kept: the image's alpha channel is written as
 * the last plane of the output. Its kinds, norms and boundaries have the numbers of the job's. */
struct gf_record gf_record_of_job(const struct gf_job *job, int i, const struct gf_image *image,
                                  bool alpha_kept);
/* Sets op, ndim, shape, channels and axes of the inverse job, and the record's properties of its input:
 * norm, shift and half of a spectrum, levels and boundary of wavelet coefficients. */
void gf_job_of_record(const struct gf_record *record, struct gf_job *job);

#endif
