/* A task takes one input to its outputs. It is a state machine; each step runs once:
 *
 *     state        step        work                                             other ends
 *     NAMED        describe    reads the header; makes the job, the products    SKIPPED: outputs are up to date
 *     DESCRIBED    place       checks the outputs' places, the arrays' sizes    TOO_LARGE for the memory
 *     PLACED       plan        plans the job within the memory limit            TOO_LARGE
 *     PLANNED      read        reads the samples, or prepares to decode them during the transform; completes the
 *                              part of the job that depends on samples, and plans it
 *     READY        transform   allocates the outputs and runs the backend
 *     TRANSFORMED  write       writes every output to its file
 *     WRITTEN
 *
 * Nothing large is allocated before the job is planned. A task that runs page by page (t->pages.at_once,
 * cli/batch/slabs.h) becomes READY without samples, then WRITTEN. The command's stream() takes a task that is
 * streamed from DESCRIBED to WRITTEN; stream() or cli/batch/slabs.h one that is TOO_LARGE. */
#ifndef GF_CLI_BATCH_TASK_H
#define GF_CLI_BATCH_TASK_H

#include "core/base/ranks.h"
#include "cli/batch/load.h"
#include "cli/batch/resume.h"

struct gf_task;
struct json_t;

/* A source of units: pages of a volume, rows of a picture, or samples counted through all lines; contiguous and
 * finite. read() reads to->shape[0] of them and returns 0 or a code. */
struct gf_unit_source {
    int (*read)(void *user, int64_t first, struct gf_array *to);
    void *user;
};

enum gf_task_state {
    GF_TASK_NAMED,
    GF_TASK_DESCRIBED,
    GF_TASK_PLACED,
    GF_TASK_PLANNED, /* or its device is still being opened */
    GF_TASK_READY,
    GF_TASK_TRANSFORMED,
    GF_TASK_WRITTEN,
    GF_TASK_SKIPPED,   /* --resume: the outputs exist */
    GF_TASK_TOO_LARGE, /* in one piece, for the memory limit; the step failed with GF_ENOMEM */
};

/* Makes the samples that a job begins with from those of a file, all of which it needs first. If a volume is taken
 * page by page, each lot of pages is a part of the task. */
struct gf_task_input {
    /* Completes what depends on the samples, which are bound, in t->in and t->job. For a part without samples
     * completes only its job, as far as its plan needs it, and extra_bytes. */
    int (*take)(struct gf_task *t);
    void (*drop)(struct gf_task *t); /* frees what prepare() and take() made */
    /* Makes units `first` and following of the job's input from units of the file. Zero units only make the
     * scan that t->scans announces. bytes(): the memory that takes; a larger limit leaves more of it. */
    int (*read)(struct gf_task *t, const struct gf_unit_source *below, int64_t first,
                struct gf_array *to);
    int64_t (*bytes)(const struct gf_task *t, int64_t limit);
};

/* The contribution of a command to its tasks. */
struct gf_task_hooks {
    const char *name;
    enum gf_kind default_kind; /* of --out */
    const char *label;         /* for {kind}; NULL: the kind's name */
    bool keeps_type;           /* outputs in a folder (--out=DIR/) keep the input's suffix */
    bool prints; /* no outputs are required: stream() takes every task, and prints what it finds */
    /* From the header in t->image fills in t->job, t->in, each product's image, and t->refuses. Called once. */
    int (*prepare)(struct gf_task *t);
    const struct gf_task_input *input; /* NULL: the job begins with the file's own samples */
    /* Checks t->report after the run, before outputs are completed. */
    int (*check)(struct gf_task *t);
    /* NULL, or runs a task that is DESCRIBED or TOO_LARGE without holding its samples in memory. Returns 0 and
     * leaves the state of a DESCRIBED one if the usual steps serve it better. */
    int (*stream)(struct gf_task *t);
};

struct gf_filtering;

/* A volume whose planes are transformed separately. */
struct gf_paging {
    int64_t at_once;     /* pages that are transformed together; 0: all samples are in memory */
    int64_t slots;       /* lots of so many pages in memory, being read or written */
    struct gf_job job;   /* of one lot */
    int64_t extra_bytes; /* besides their arrays and workspace */
    const char *refused; /* the reason against it, or NULL */
    bool always;         /* set by prepare(): t->job cannot run on all samples in memory */
};

struct gf_task {
    enum gf_task_state state;
    const struct gf_settings *s;
    const struct gf_task_hooks *hooks;
    const struct gf_targets *targets;
    struct gf_runner *runner;
    struct gf_deal *deal;      /* NULL, or devices that share the task's pages, */
    struct gf_runner *runners; /* and a runner for each */
    struct gf_deal *among;     /* all devices of the run, of which the task may use one */
    char *const *read;         /* the files: one, or all with --frames, or magnitude and phase */
    int n_read;
    const char *name; /* of the input, for messages */
    /* Open from the header to the samples, and as long as more pictures may follow: each picture of a PNM
     * stream is a task. */
    struct gf_reader reader;
    int64_t page;          /* the picture's number in its file, from 0 */
    struct gf_image image; /* the input, alpha included */
    struct gf_task *whole; /* the task of a part, which has no reader and no products */
    struct gf_array in;    /* the part of image.px that is transformed: all but alpha */
    struct gf_array
        alpha;      /* the alpha channel of image.px (rank ndim + 1) if it is kept, or no data */
    bool has_alpha; /* after the channels of `in` */
    struct gf_job job;
    /* NULL, or the reasons against transforming pages, and slabs (cli/batch/slabs.h), separately. */
    struct {
        const char *pages, *slabs;
    } refuses;
    bool scans; /* input->read() scans the whole file before it makes the first unit */
    struct gf_paging pages;
    struct gf_resume resume;
    bool by_time;           /* SKIPPED because the outputs are newer */
    bool streamed;          /* dwt: frame by frame */
    bool dealt;             /* streamed in parts, by several devices */
    struct gf_ranks *ranks; /* NULL, or the processes that share it */
    bool lossy;             /* idwt: a threshold is or was applied */
    struct gf_feed feed;    /* of samples that are decoded while the job runs */
    bool untouched;         /* filter: nothing to do; the outputs are copies of the samples */
    int64_t need;           /* bytes of arrays and workspace; -1: unknown before it is read */
    struct gf_product product[GF_MAX_OUTPUTS];
    struct gf_report report;
    int64_t overflowed[GF_MAX_OUTPUTS]; /* float samples of each output that are Inf or NaN */
    double ms_decode, ms_transform, ms_encode;
    struct gf_filtering *filtering; /* filter's own */
    struct json_t *also;            /* NULL, or the command's keys for the JSON line; owned */
    double ms_prepare;              /* filter: of prepare() and take() */
    int64_t prepare_bytes; /* the most memory that prepare() and take() use, input included */
    int64_t extra_bytes;   /* of what prepare() makes besides the arrays */
};

/* ---- steps ---- */

/* Runs the steps up to that state; stops early if the task is skipped, or on failure. */
int gf_task_advance(struct gf_task *t, enum gf_task_state to);
/* Advances to PLANNED, or not at all if it is not at hand. Sets t->need. */
int gf_task_preview(struct gf_task *t);
/* For --dry-run: reads the header and checks the products; for a pipe only names the products. Reads no sample
 * and writes nothing. */
int gf_task_dry_run(struct gf_task *t);
/* Gives it to another worker, whose runner has no plan for it yet. */
void gf_task_hand_over(struct gf_task *t, const struct gf_settings *s, struct gf_runner *runner);
/* For `gpufft plan`: makes the job and the plan for t->image, whatever memory that would take. */
int gf_task_plan(struct gf_task *t);
/* Makes it the task of the file's next picture and returns 1; 0 if there is none, a negative status for
 * anything else. May wait for a pipe. */
int gf_task_more(struct gf_task *t);
void gf_task_free(struct gf_task *t);

/* ---- parts of the steps ---- */

/* The files it writes, once it is prepared. */
struct gf_outputs gf_task_outputs(const struct gf_task *t);
/* Gives the views that prepare() described the samples of t->image; and has the input take them. */
void gf_task_bind(struct gf_task *t);
int gf_task_take(struct gf_task *t);
/* Frees what the input made. */
void gf_task_drop(struct gf_task *t);
/* Counts the float samples of an output, or of a part of it, that are Inf or NaN. */
int64_t gf_task_overflowed(const struct gf_task *t, const struct gf_array *out);
/* Output i, or some pages of it, as the backend sees it. After the run complete() counts its overflowed samples
 * and adds alpha. */
struct gf_array gf_task_without_alpha(const struct gf_task *t, int i, const struct gf_array *out);
void gf_task_complete(struct gf_task *t, int i, const struct gf_array *out,
                      const struct gf_array *alpha);

/* ---- memory (task_pages.c) ---- */

/* Bytes of the arrays that are read into and written from, and of all else but the plan's workspace. */
int64_t gf_task_in_bytes(const struct gf_task *t);
int64_t gf_task_out_bytes(const struct gf_task *t);
int64_t gf_task_extra_bytes(const struct gf_task *t);
/* Bytes of a page and its spectrum, if a display range is found before the arrays are allocated. */
int64_t gf_task_looking_bytes(const struct gf_task *t);
/* True if the one output can replace the samples, which spares the kernel clearing as much memory. */
bool gf_task_fits_input(const struct gf_task *t);

/* ---- pages (task_pages.c) ---- */

/* True if all input is in files, which can be read at any time and more than once; a pipe is read once. */
bool gf_task_is_at_hand(const struct gf_task *t);
/* For prepare(), once the outputs are described: NULL, or why all samples have to be in memory. */
const char *gf_task_refuses_pages(const struct gf_task *t);
/* NULL, or why an output is not written page by page (`in_order`), or in boxes that come in any order. */
const char *gf_task_refuses_outputs(const struct gf_task *t, bool in_order);
/* NULL, or why --nan=mean cannot mend parts of them. */
const char *gf_task_refuses_mean(const struct gf_task *t);
/* Fills in t->pages; and reduces the pages taken at once, false if that is impossible. */
int gf_task_choose_pages(struct gf_task *t);
bool gf_task_take_fewer_pages(struct gf_task *t);
/* The job that is planned: of these pages, or of all samples. */
struct gf_job *gf_task_planned(struct gf_task *t);
/* A part of n pages, for a runner; px: their samples, or NULL. */
struct gf_task gf_task_part(struct gf_task *t, struct gf_runner *runner, int64_t n, void *px);
/* The number of threads that run pages on device i of the deal. */
int gf_task_streams(const struct gf_task *t, int i);
/* After parts were dealt: makes the task's runner that of a device that had one, for the report. */
void gf_task_choose_reported(struct gf_task *t);

/* ---- reports (report.c): --verbose on stderr, --json on stdout ---- */

void gf_report_done(const struct gf_task *t);
/* For a task that --resume skips or that --dry-run examined: prints what it would read and write to stdout. */
void gf_report_not_run(const struct gf_task *t);
/* Prints the JSON line of a task that failed; its message has gone to stderr. */
void gf_report_lost(const struct gf_task *t);
/* The same for a file without a task. */
void gf_report_failed(const struct gf_settings *s, const char *name);
/* After a run that several devices shared, prints their shares and units (--verbose), and each device that
 * failed if the others did its work. */
void gf_deal_print(struct gf_deal *d);

#endif
