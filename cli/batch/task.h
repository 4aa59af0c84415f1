/* A task takes one input to its outputs. It is a state machine whose steps run once each:
 *
 *     state        step        work                                        other ends
 *     NAMED        describe    reads the header; makes job and products    SKIPPED: up to date
 *     DESCRIBED    place       checks outputs' places and arrays' sizes    TOO_LARGE for memory
 *     PLACED       plan        plans the job within the memory limit       TOO_LARGE
 *     PLANNED      read        reads the samples, or prepares to decode them during the
 *                              transform; completes the job from them and plans it
 *     READY        transform   allocates the outputs and runs the backend
 *     TRANSFORMED  write       writes every output to its file
 *     WRITTEN
 *
 * No large array is allocated before the job is planned. A task that runs page by page
 * (gf_task_at_once(t), cli/batch/pages.h) becomes READY without samples, then WRITTEN. The command's
 * stream() takes a streamed task from DESCRIBED to WRITTEN; stream() or cli/batch/slabs.h runs one
 * that is TOO_LARGE. */
#ifndef GF_CLI_BATCH_TASK_H
#define GF_CLI_BATCH_TASK_H

#include "core/base/job/ranks.h"
#include "cli/batch/load.h"
#include "cli/batch/resume.h"

struct gf_task;
struct json_t;

enum gf_task_state {
    GF_TASK_NAMED,
    GF_TASK_DESCRIBED,
    GF_TASK_PLACED,
    GF_TASK_PLANNED, /* or planned later, as its device is still being opened */
    GF_TASK_READY,
    GF_TASK_TRANSFORMED,
    GF_TASK_WRITTEN,
    GF_TASK_SKIPPED,   /* --resume: the outputs exist */
    GF_TASK_TOO_LARGE, /* exceeds the memory limit in one piece; the step failed with GF_ENOMEM */
};

/* A command's contribution to its tasks. */
struct gf_task_hooks {
    const char *name;
    enum gf_kind default_kind; /* of --out */
    const char *label;         /* for {kind}; NULL: the kind's name */
    bool keeps_type;           /* outputs in a folder (--out=DIR/) keep the input's suffix */
    bool puts_back;            /* outputs have the samples' places, so --nan=keep is possible */
    bool prints;               /* stream() runs every task, and prints; outputs are not required */
    /* Called once: fills in t->op.job, t->op.in, each product's image and t->op.refuses from t->image. */
    int (*prepare)(struct gf_task *t);
    /* NULL, or completes the products from what t->op made of the samples, and says what it found. */
    void (*taken)(struct gf_task *t);
    /* Checks t->op.report after the run, before outputs are completed, and draws some. */
    int (*check)(struct gf_task *t);
    /* NULL, or draws the product that is no output of the job, if there is one: into a file, or NULL: as the
     * product's picture. */
    int (*draw_aside)(struct gf_task *t, struct gf_volume *volume);
    /* NULL, or runs a DESCRIBED or TOO_LARGE task without holding its samples in memory. Returns 0
     * without changing the state of a DESCRIBED task that the usual steps serve better. */
    int (*stream)(struct gf_task *t);
};

struct gf_series;
struct gf_shared_output;

struct gf_task {
    enum gf_task_state state;
    const struct gf_settings *s;
    const struct gf_task_hooks *hooks;
    const struct gf_targets *targets;
    struct gf_operation op;    /* on op.in, the samples of image.px but for alpha */
    struct gf_engine *deal;    /* NULL, or the run's, if its devices share the task's pages */
    struct gf_runner *runners; /* one for each of them */
    char *const *read;         /* the files: one, or all with --frames */
    int n_read;
    const char *name; /* of the input, for messages */
    /* Open until the samples are read, or if more pictures may follow (each is a task) longer. */
    struct gf_reader reader;
    struct gf_image image;     /* the input, alpha included */
    int64_t page;              /* the picture's number in its file, from 0 */
    struct gf_series *series;  /* outputs that other tasks of the file write too, or NULL */
    struct gf_operation group; /* page by page: on the pages that are transformed together */
    struct gf_resume resume;
    struct gf_ranks *ranks; /* NULL, or the processes that share the task */
    struct gf_product product[GF_MAX_OUTPUTS];
    struct json_t *also; /* NULL, or the command's keys for the JSON line; owned */
};

/* The pages that are transformed together; 0: all samples at once. */
static inline int64_t gf_task_at_once(const struct gf_task *t) {
    return t->group.job.shape[0];
}

/* ---- steps ---- */

/* Runs the steps up to that state; stops early if the task is skipped, or on failure. */
int gf_task_advance(struct gf_task *t, enum gf_task_state to);
/* Advances to PLANNED, unless the input is a pipe. Sets t->op.need. */
int gf_task_preview(struct gf_task *t);
/* For --dry-run: reads the header and checks the products, but not a pipe's. Writes no file. */
int gf_task_dry_run(struct gf_task *t);
/* Gives the task to another worker, whose runner has no plan for it yet. */
void gf_task_hand_over(struct gf_task *t, const struct gf_settings *s, struct gf_runner *runner);
/* For `gpufft plan`: makes the job and the plan for t->image, regardless of the memory limit. */
int gf_task_plan(struct gf_task *t);
/* Makes it the task of the file's next picture and returns 1; returns 0 if none follows, or a
 * negative status. May wait for a pipe. */
int gf_task_more(struct gf_task *t);
void gf_task_free(struct gf_task *t);

/* ---- parts of the steps ---- */

/* The task's products, once it is prepared. */
struct gf_outputs gf_task_outputs(const struct gf_task *t);
/* A view of the alpha among samples of all channels, or no data. */
struct gf_array gf_task_alpha(const struct gf_task *t, const struct gf_array *px);
/* Lets the operation complete its input and its job from the task's samples. */
int gf_task_take(struct gf_task *t);
/* With --nan=keep makes the samples of an output NaN that had holes, of an input with these. */
void gf_task_put_back(const struct gf_task *t, struct gf_array *out, const unsigned char *hole);
/* Counts the Inf and NaN in a float output, or in a part of it. */
int64_t gf_task_overflowed(const struct gf_task *t, const struct gf_array *out);
/* Returns a view of output i, or of some of its pages, without alpha: the backend writes that. */
struct gf_array gf_task_without_alpha(const struct gf_task *t, int i, const struct gf_array *out);
/* After the run: clips output i, or some of its pages, at a white below its type's. */
void gf_task_clip(const struct gf_task *t, int i, const struct gf_array *out,
                  struct gf_operation *op);
/* After the run: counts overflowed samples of output i, or of some of its pages, and adds alpha. */
void gf_task_complete(const struct gf_task *t, int i, const struct gf_array *out,
                      const struct gf_array *alpha, struct gf_operation *op);

/* ---- memory (task_pages.c) ---- */

/* Bytes of the input and of the output arrays that are in memory. */
int64_t gf_task_in_bytes(const struct gf_task *t);
int64_t gf_task_out_bytes(const struct gf_task *t);
/* Bytes of all else but the plan's workspace. */
int64_t gf_task_extra_bytes(const struct gf_task *t);
/* Bytes of a page and its spectrum if a range is sampled before the arrays are allocated, or 0. */
int64_t gf_task_looking_bytes(const struct gf_task *t);
/* True if the only output can replace the samples, which saves the kernel clearing more memory. */
bool gf_task_fits_input(const struct gf_task *t);

/* ---- pages (task_pages.c) ---- */

/* True if all input is in files, which can be read at any time and repeatedly, unlike pipes. */
bool gf_task_is_at_hand(const struct gf_task *t);
/* For prepare(), once the outputs are described: NULL, or why all samples must be in memory. */
const char *gf_task_refuses_pages(const struct gf_task *t);
/* NULL, or why an output cannot be written page by page (`in_order`), or in boxes in any order. */
const char *gf_task_refuses_outputs(const struct gf_task *t, bool in_order);
/* NULL, or why the input cannot be read in such units. */
const char *gf_task_refuses_input(const struct gf_task *t, enum gf_unit unit);
/* Fills in t->group unless pages are refused. */
int gf_task_choose_pages(struct gf_task *t);
/* Reduces the pages in memory; false if there are as few as possible. */
bool gf_task_take_fewer_pages(struct gf_task *t);
/* The job to plan: of a group of pages, of all samples, or t->op.inner. */
struct gf_job *gf_task_planned(struct gf_task *t);
/* The operation on n pages, for a runner, without samples. */
struct gf_operation gf_task_pages(struct gf_task *t, struct gf_runner *runner, int64_t n);
/* The number of threads that drive device i of the deal. */
int gf_task_streams(const struct gf_task *t, int i);
/* After parts were dealt makes t->op.crew.runner, for the report, that of a device that had parts. */
void gf_task_choose_reported(struct gf_task *t);

/* ---- series (series.c): outputs that hold all volumes of a file (times or channels), each of which
 * is a task; they are written one after the other into one file, complete or absent ---- */

/* True if output i is one file for all volumes. */
bool gf_series_joins(const struct gf_task *t, int i);
/* NULL, or why it cannot be. */
const char *gf_series_refuses(const struct gf_task *t, int i);
/* True if another volume of the file follows this one. */
bool gf_series_goes_on(const struct gf_task *t);
/* Closes the reader unless it does. */
void gf_series_close(struct gf_task *t);
/* True if the file's planes come volume by volume; also for a file of one volume. */
bool gf_series_is_in_order(const struct gf_task *t);
/* Output i as its file has it: with the planes and axes of all volumes, if they are joined. */
struct gf_product gf_series_product(const struct gf_task *t, int i);
/* The number of plane z of the task's output i in its file. */
int64_t gf_series_place(const struct gf_task *t, int i, int64_t z);
/* Writes the task's volume into output i: opens the file for the first one, commits it after the
 * last. t->series owns the file in between. */
int gf_series_write(struct gf_task *t, int i);
/* The same for a volume that is written in parts: sets *out to the file of the volumes before it
 * and returns 1, or 0 if there is none; keeps it for the next volume, or aborts it. */
int gf_series_take(struct gf_task *t, int i, bool in_order, struct gf_shared_output *out);
int gf_series_keep(struct gf_task *t, int i, const struct gf_shared_output *out);
/* Aborts what is not committed; takes NULL. */
void gf_series_free(struct gf_series *s);

/* ---- reports (report.c): --verbose on stderr, --json on stdout ---- */

void gf_report_done(const struct gf_task *t);
/* Prints to stdout what a task would read and write that --resume skipped or --dry-run examined. */
void gf_report_not_run(const struct gf_task *t);
/* Adds to a report the backend that ran the task, and the devices or processes that shared it;
 * returns the report. */
struct json_t *gf_report_where(const struct gf_task *t, struct json_t *o);
/* Prints the JSON line of a failed task, whose message was printed to stderr. */
void gf_report_lost(const struct gf_task *t);
/* The same for a failed file without a task. */
void gf_report_failed(const struct gf_settings *s, const char *name);
/* Prints shares and units of a run's devices (--verbose), and each device that failed. */
void gf_deal_print(struct gf_engine *e);

#endif
