/* For a command's prepare() (cli/batch/task.h): from the header that was read to the job, the shapes of its
 * outputs and their records; and for an inverse from the record back to the job. */
#ifndef GF_CLI_BATCH_DESCRIBE_H
#define GF_CLI_BATCH_DESCRIBE_H

#include "cli/batch/task.h"
#include "formats/record.h"

/* The job's direction, shape, type and precision, as the header and the options say. */
void gf_task_begin_job(struct gf_task *t, enum gf_direction direction);
/* Sets product[i].image to the shape of the job's output i (with its alpha plane),
 * of `color`, and refuses what the format cannot hold. */
int gf_task_describe(struct gf_task *t, int i, enum gf_color color);
/* The job's channels and t->in are all but alpha, or their luma with --color. */
int gf_task_take_channels(struct gf_task *t);
/* t->in is the first `channels` channels of `px`, a view of image.px in the job's
 * shape; one behind them is alpha. */
void gf_task_split(struct gf_task *t, const struct gf_array *px, int64_t channels);
/* The same for the file of a recorded job, whose samples are laid out as the record tells, with one
 * channel more for alpha. GF_EFORMAT where they differ. */
int gf_task_take_recorded(struct gf_task *t, bool alpha);
/* The record of the file, or NULL: the image has the picture's metadata, its profile being
 * that of the file. */
void gf_task_take_metadata(struct gf_task *t, const struct gf_record *r);
/* Options for axes may repeat those of the record, whose job this is. */
int gf_task_check_axes(const struct gf_settings *s, const struct gf_job *job);
/* The precision of --precision, or the one that suits the type of the input. */
enum gf_precision gf_task_precision(const struct gf_settings *s, enum gf_dtype dtype);

/* For an inverse: type, alpha, colour and shape of product i, as those of the picture in the record, which may be
 * NULL. */
int gf_task_describe_restored(struct gf_task *t, int i, const struct gf_record *r);
/* After the run: GF_EINVAL where samples of output i do not fit its type. */
int gf_task_fail_clipped(const struct gf_task *t, int i);
/* A note where the format of product i drops the alpha channel. */
void gf_task_note_alpha(const struct gf_task *t, int i);

/* The record of output `i` of a forward job on `image`; alpha_kept: the image's alpha channel is written as
 * the last plane of the output. Its kinds, norms and boundaries have the numbers of the job's. */
struct gf_record gf_record_of_job(const struct gf_job *job, int i, const struct gf_image *image,
                                  bool alpha_kept);
/* Sets op, ndim, shape, channels and axes of the inverse job, and the record's properties of its input:
 * norm, shift and half of a spectrum, levels and boundary of wavelet coefficients. */
void gf_job_of_record(const struct gf_record *record, struct gf_job *job);

#endif
