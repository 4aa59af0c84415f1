/* Pictures of files as signals of one channel (core/op/signal.h transforms them), for commands that
 * analyse a picture (stats) or compare two.
 *
 *     s->other.with = "ref.png";
 *     int rc = gf_signal_load_other(s, false, NULL);       s->other.px
 *     gf_signal_drop_other(s);
 *
 * signal.c */
#ifndef GF_CLI_COMPARE_SIGNAL_H
#define GF_CLI_COMPARE_SIGNAL_H

#include "cli/batch/task.h"
#include "core/op/operations.h"

/* Allocates *px unless it has data, C-contiguous, of rank image->ndim, in the samples' unit: the only channel, or
 * Rec.709 luma of red, green and blue; never alpha. f32, or f64 by gf_settings_precision(). Memory
 * is the caller's to check. GF_EINVAL for complex samples or other channels. */
int gf_signal_make(const struct gf_settings *s, const struct gf_image *image, struct gf_array *px);
/* Makes signals of the files that inputs are compared with, s->other.with and weights, unless they are
 * NULL: the only picture, volume or line of each, which is no spectrum. Applies --nan and logs a
 * failure. Only if `alike` do options that describe raw inputs apply. Integers of weights become 0 to
 * 1, black to white. The caller checks the limit, with all the rest, and drops s->other after a failure
 * too. */
int gf_signal_load_other(struct gf_settings *s, bool alike, const char *weights);
void gf_signal_drop_other(struct gf_settings *s);
/* Opens s->other.op, the operation of that name, with views of these signals. */
int gf_signal_open(struct gf_settings *s, const char *name, void *options);
/* Runs a command with such an operation, in double unless --precision is given; returns an exit code. */
int gf_signal_run(const struct gf_task_hooks *hooks, struct gf_settings *s,
                  struct gf_signal_options *options, const char *weights, char **operands, int n);
/* The unit in which the file gives the distance of samples along all ndim axes, and the distances;
 * NULL, and 0, if it does not. Sets *alike, unless it is NULL, if the distances agree. The text is the
 * image's. */
const char *gf_signal_spacing(const struct gf_image *image, int ndim, double spacing[GF_MAX_DIMS],
                              bool *alike);

/* The prepare() of a task that prints: refuses spectra and coefficients, describes the run's operation if it
 * is open, and gives the names of --radial and frc --out the picture's axes. */
int gf_signal_prepare(struct gf_task *t);
/* True if --dims=2 takes the task's volume page by page. */
bool gf_signal_by_pages(const struct gf_task *t);
/* The image that visit() gets: the input, or with gf_signal_by_pages() a page, without samples. */
struct gf_image gf_signal_visited(const struct gf_task *t);
/* Makes t->op the run's operation on that image, without samples; frees what it was. */
int gf_signal_describe(struct gf_task *t);
/* The same in visit(), with samples: then gf_signal_facts() adds what it found to a report. */
int gf_signal_apply(struct gf_task *t, const char *name, int64_t page);
struct json_t *gf_signal_facts(const struct gf_task *t, struct json_t *report);
/* Reads a DESCRIBED task's input as t->image and calls visit() for it: all at once with page -1 or,
 * with gf_signal_by_pages(), for each page, named "IN[3]". Applies --nan. Stops at the first
 * failure; else the task is WRITTEN. A walk, unless it is NULL, takes the pages instead. Allocates
 * and writes the products whose arrays prepare() described, which visit() or the walk fills. `need`:
 * the bytes of all that, which must be within the limit; 0: visit() checks them. */
typedef int gf_signal_visit(struct gf_task *t, const char *name, int64_t page);
typedef int gf_signal_walk(struct gf_task *t);
int gf_signal_each(struct gf_task *t, int64_t need, gf_signal_visit *visit, gf_signal_walk *walk);
/* The same without a walk, by what the described operation needs. */
int gf_signal_stream(struct gf_task *t, gf_signal_visit *visit);
/* Makes page z of a volume an image of its own, and applies --nan. `image` is all zero, or a page
 * that was read before, whose array it keeps. The caller frees image->px. */
int gf_signal_read_page(struct gf_task *t, const struct gf_image *volume, int64_t z,
                        struct gf_image *image);
/* "IN[3]"; returns `name`. */
const char *gf_signal_page_name(const struct gf_task *t, int64_t z, char *name, size_t size);

/* The first keys of a report, which the caller frees: the input, its page if that is not -1, and
 * the command. */
struct json_t *gf_signal_report(const struct gf_task *t, const char *in, int64_t page);
/* Prints a report below its heading, the name unless that is NULL, and frees it. An output that is
 * stdout has that for itself. */
void gf_signal_print(const struct gf_task *t, const char *name, const char *form,
                     struct json_t *report);
/* Writes curves to target 0's file for a page, or -1: by its suffix as a plot or, by report(user),
 * as JSON or a table by the form `csv`. */
struct gf_plot;
int gf_signal_save(const struct gf_task *t, int64_t page, const struct gf_plot *plot,
                   const char *csv, struct json_t *(*report)(const void *user), const void *user);

#endif
