/* For a command's prepare() (cli/batch/task.h): from the header that was read to the job and to the
 * shapes of its outputs. */
#ifndef GF_CLI_BATCH_DESCRIBE_H
#define GF_CLI_BATCH_DESCRIBE_H

#include "cli/batch/task.h"

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
/* The precision of --precision, or the one that suits the type of the input. */
enum gf_precision gf_task_precision(const struct gf_settings *s, enum gf_dtype dtype);

#endif
