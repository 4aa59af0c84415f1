/* Helpers for a command's prepare() (cli/batch/task.h). They derive from the header the job, the shapes of its
 * outputs and their records, and for an inverse the job from the record. */
#ifndef GF_CLI_BATCH_DESCRIBE_H
#define GF_CLI_BATCH_DESCRIBE_H

#include "cli/batch/task.h"
#include "formats/record.h"

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
/* The same for a file with a record, in whose shape the samples are laid out, with a further channel for alpha.
 * GF_EFORMAT if they differ from it. */
int gf_task_take_recorded(struct gf_task *t, bool alpha);
/* Gives the image the metadata of the record, but leaves its profile; `r` may be NULL. */
void gf_task_take_metadata(struct gf_task *t, const struct gf_record *r);
/* GF_EINVAL if --axes or --dims differ from the axes of a record's job. */
int gf_task_check_axes(const struct gf_settings *s, const struct gf_job *job);
/* --precision, or the precision that suits the type of the input. */
enum gf_precision gf_task_precision(const struct gf_settings *s, enum gf_dtype dtype);

/* For an inverse: gives product i the type, alpha, colour and shape of the picture that the record describes; `r`
 * may be NULL. */
int gf_task_describe_restored(struct gf_task *t, int i, const struct gf_record *r);
/* After the run: GF_EINVAL, since samples of output i do not fit its type. */
int gf_task_fail_clipped(const struct gf_task *t, int i);
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
