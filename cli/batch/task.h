/* One input on its way to its outputs: a machine that takes one step after the other, each once.
 *
 *     NAMED        describe    the header: the job, the products          SKIPPED where they are up to date
 *     DESCRIBED    place       the outputs' places, the arrays' sizes     TOO_LARGE for the memory
 *     PLACED       plan        within what memory is left                 TOO_LARGE likewise
 *     PLANNED      read        the samples, or a start with decoding them
 *     READ         complete    what of the job depends on samples, and its plan
 *     READY        transform   outputs allocated, backend run
 *     TRANSFORMED  write       every output to its file
 *     WRITTEN
 *
 * Until it is planned nothing large is allocated. A task that is done page by page (t->pages.at_once,
 * cli/batch/pages.h) is READY without samples, and WRITTEN next; one that is streamed (the command's stream())
 * goes from DESCRIBED there, and one that is TOO_LARGE from there (stream(), cli/batch/slabs.h). */
#ifndef GF_CLI_BATCH_TASK_H
#define GF_CLI_BATCH_TASK_H

#include "core/deal/deal.h"
#include "core/mpi/ranks.h"
#include "core/session/runner.h"
#include "cli/batch/load.h"
#include "cli/batch/resume.h"
#include "cli/batch/targets.h"

struct gf_task;
struct json_t;

/* Units of a file, contiguous and finite: pages of a volume, rows of a picture, samples counted through all
 * lines. Reads to->shape[0] of them: 0 or a code. */
struct gf_unit_source {
    int (*read)(void *user, int64_t first, struct gf_array *to);
    void *user;
};

enum gf_task_state {
    GF_TASK_NAMED,
    GF_TASK_DESCRIBED,
    GF_TASK_PLACED,
    GF_TASK_PLANNED, /* or the device that it is planned on is being opened meanwhile */
    GF_TASK_READ,
    GF_TASK_READY,
    GF_TASK_TRANSFORMED,
    GF_TASK_WRITTEN,
    GF_TASK_SKIPPED,   /* --resume: the outputs are there */
    GF_TASK_TOO_LARGE, /* for the memory limit, in one piece; the step failed with GF_ENOMEM */
};

/* The samples that a job begins with, made of those of a file. Of a volume that is taken page by page, each lot of
 * pages is a part of the task. */
struct gf_task_input {
    bool waits; /* the job is complete only when all samples are there: it cannot begin before */
    /* Completes what depends on the samples of t->in and t->job, which gf_task_bind() brings in; of a part
     * without samples its job alone, as far as it is planned, and extra_bytes. */
    int (*take)(struct gf_task *t);
    void (*drop)(struct gf_task *t); /* frees what prepare() and take() left */
    /* Units from `first` on of the job's input, from units of the source below, the file's; none of them makes
     * what t->looks tells of. And the bytes that takes: within a limit what is left grows with it. */
    int (*read)(struct gf_task *t, const struct gf_unit_source *below, int64_t first,
                struct gf_array *to);
    int64_t (*bytes)(const struct gf_task *t, int64_t limit);
};

/* The file's own samples. */
extern const struct gf_task_input gf_input_plain;

/* A command's steps of a task. */
struct gf_task_hooks {
    const char *name;
    enum gf_kind default_kind; /* of --out */
    const char *label;         /* for {kind}; NULL: the kind's name */
    bool keeps_type;           /* a folder as --out takes the input's own suffix, not png */
    bool spreads;              /* several processes can share a volume's task */
    /* From the header in t->image: t->job, t->in, each product's image, t->refuses, and t->input where it is not
     * the plain one. Called once. */
    int (*prepare)(struct gf_task *t);
    /* Looks at t->report before anything is complete. */
    int (*check)(struct gf_task *t);
    /* NULL, or does a task that is described, or too large, without holding its samples in memory; 0 with its
     * state unchanged where one that is described had better go the usual way. */
    int (*stream)(struct gf_task *t);
};

struct gf_filtering;

/* A volume whose planes are transformed by themselves. */
struct gf_paging {
    int64_t at_once;     /* pages that are transformed together; 0: all samples are in memory */
    int64_t slots;       /* how many times as many are in memory, read or to be written */
    struct gf_job job;   /* of so many */
    int64_t extra_bytes; /* beside their arrays and workspace */
    const char *refused; /* why not; NULL: it can be done */
    bool always;         /* set by prepare(): t->job is not for all samples in memory */
};

struct gf_task {
    enum gf_task_state state;
    const struct gf_settings *s;
    const struct gf_task_hooks *hooks;
    const struct gf_targets *targets;
    struct gf_runner *runner;
    struct gf_deal *deal;      /* NULL, or devices that share the task's pages, */
    struct gf_runner *runners; /* and a runner for each */
    struct gf_deal *among;     /* the devices of the run, one of which it may have whole */
    char *const *read;         /* the files: one, or all with --frames, or magnitude and phase */
    int n_read;
    const char *name; /* of what is read, for messages */
    /* Open from the header to the samples, and as long as more pictures may follow: those of a PNM
     * file are read one by one, each is a task. */
    struct gf_reader reader;
    int64_t page;          /* which of them, from 0 */
    struct gf_image image; /* what was read; alpha included */
    const struct gf_task_input *input;
    struct gf_task *whole; /* of a part, which has no reader and no products: its task */
    struct gf_array in;    /* the part of image.px that is transformed: all but alpha */
    struct gf_array
        alpha;      /* the alpha channel of image.px to be kept (rank ndim + 1), or no data */
    bool has_alpha; /* behind the channels of `in` */
    struct gf_job job;
    /* NULL, or the reasons why pages, each as the whole would be, and slabs (cli/batch/slabs.h) are not taken by
     * themselves. */
    struct {
        const char *pages, *slabs;
    } refuses;
    bool looks; /* before units of the input are read, all units of the file are looked at */
    struct gf_paging pages;
    struct gf_resume resume;
    bool by_time;           /* skipped, as far as times tell */
    bool streamed;          /* dwt: frame by frame */
    bool dealt;             /* of that: in parts, to several devices */
    struct gf_ranks *ranks; /* the processes that share it; NULL: it is this one's alone */
    bool lossy;             /* idwt: a threshold is or was applied */
    struct gf_feed feed;    /* of samples that are decoded while the job runs */
    bool untouched;         /* filter: nothing to be done; the outputs are copies of the samples */
    int64_t need;           /* bytes of arrays and workspace; -1: not known before it is read */
    struct gf_product product[GF_MAX_OUTPUTS];
    struct gf_report report;
    int64_t overflowed[GF_MAX_OUTPUTS]; /* float samples of each output that are Inf or NaN */
    double ms_decode, ms_transform, ms_encode;
    struct gf_filtering *filtering; /* filter's own */
    struct json_t *also;            /* NULL, or the command's keys of the JSON line; owned */
    double ms_prepare;              /* of prepare() and take(), where filtering is */
    int64_t prepare_bytes; /* the most that prepare() and take() take at once, input included */
    int64_t extra_bytes;   /* of what prepare() makes beside the arrays */
};

/* The files it writes, once it is prepared. */
struct gf_outputs gf_task_outputs(const struct gf_task *t);
/* Takes the steps to that state, from where the task is; ends before where it is skipped, or fails. */
int gf_task_advance(struct gf_task *t, enum gf_task_state to);
/* Whether the header can be read before there is room for the samples: a pipe is read once. */
bool gf_task_is_at_hand(const struct gf_task *t);
/* As far as PLANNED, or NAMED if it is not at hand. t->need is what it will take. */
int gf_task_preview(struct gf_task *t);
/* For --dry-run: the header, the products, and whether they could be written; of a pipe the products'
 * names alone. No sample is read, and nothing written. */
int gf_task_look(struct gf_task *t);
/* Another worker goes on with it, on a runner of its own, which has no plan for it. */
void gf_task_hand_over(struct gf_task *t, const struct gf_settings *s, struct gf_runner *runner);
/* For `gpufft plan`: the job and the plan for t->image, without regard to the memory it would take. */
int gf_task_plan(struct gf_task *t);
/* For prepare(), once the outputs are described: NULL, or why all samples have to be in memory. */
const char *gf_task_refuses_pages(const struct gf_task *t);
/* Bytes of the arrays that are read into and written from, and of what else is beside the plan's
 * workspace. */
int64_t gf_task_in_bytes(const struct gf_task *t);
int64_t gf_task_out_bytes(const struct gf_task *t);
int64_t gf_task_extra_bytes(const struct gf_task *t);
/* Whether the one output can be where the samples are, which saves the time in which the kernel clears as much
 * memory. */
bool gf_task_fits_input(const struct gf_task *t);
/* The pages taken at a time: t->pages filled in; fewer of them, false where it is one already, or all
 * or nothing; the job that is planned, of these or of all samples; and a page with its spectrum,
 * where a display range is found before the arrays are taken. */
int gf_task_choose_pages(struct gf_task *t);
/* A part of n pages, for a runner; px: their samples, or none. */
struct gf_task gf_task_part(struct gf_task *t, struct gf_runner *runner, int64_t n, void *px);
/* The views that prepare() described get the samples of t->image. */
void gf_task_bind(struct gf_task *t);
/* How many threads have device i of the deal run pages. */
int gf_task_streams(const struct gf_task *t, int i);
/* Once its parts were dealt: the runner of the report, whose name of a backend is that of a device that had a
 * part. */
void gf_task_choose_reported(struct gf_task *t);
/* Whether the files can be opened and read once more. */
bool gf_task_is_read_again(const struct gf_task *t);
bool gf_task_take_fewer_pages(struct gf_task *t);
struct gf_job *gf_task_planned(struct gf_task *t);
int64_t gf_task_looking_bytes(const struct gf_task *t);
/* Float samples of an output, or a part of it, that are Inf or NaN. */
int64_t gf_task_overflowed(const struct gf_task *t, const struct gf_array *out);
/* Output i, or some pages of it, as the backend sees it; and what is done once that has run: samples
 * that overflowed are counted, alpha is put beside the others. */
struct gf_array gf_task_without_alpha(const struct gf_task *t, int i, const struct gf_array *out);
void gf_task_complete(struct gf_task *t, int i, const struct gf_array *out,
                      const struct gf_array *alpha);
/* 1 where the file has another picture, which the task is about from here on; 0 where it has none,
 * a negative status for what is not a picture. May wait for a pipe. */
int gf_task_more(struct gf_task *t);
void gf_task_free(struct gf_task *t);

#endif
