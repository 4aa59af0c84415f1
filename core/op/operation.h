/* An operation on one input, under way: it turns an array of samples into the arrays that a job
 * makes of them. Its caller, a command's task or a program, reads and writes the arrays.
 *
 *     struct gf_window_options hann = {.window = {GF_WINDOW_HANN}};
 *     struct gf_operation op = {.kind = &gf_operation_window, .shared = &hann,
 *                               .crew = {.runner = &runner, .threads = 4},
 *                               .job = {.ndim = 2, .shape = {480, 640}, .channels = 1, .axes = 3,
 *                                       .in_dtype = GF_U8, .n_out = 1, .out = {{GF_MAGNITUDE, GF_F32}}}};
 *     struct gf_array magnitude = {0};
 *     rc = gf_operation_apply(&op, &picture, &magnitude);        picture: u8 (y, x, channel)
 *     gf_operation_drop(&op);
 *     gf_array_free(&magnitude); */
#ifndef GF_CORE_OP_OPERATION_H
#define GF_CORE_OP_OPERATION_H

#include "core/op/crew.h"
#include "core/op/facts.h"
#include "core/op/option.h"

/* A source of units: pages of a volume, rows of a picture, or samples counted through all lines.
 * read() reads to->shape[0] of them, contiguous and finite, and returns 0 or a status. */
struct gf_unit_source {
    int (*read)(void *user, int64_t first, struct gf_array *to);
    void *user;
};

/* An operation's samples, as far as they are known. */
struct gf_operand {
    struct gf_array px;  /* shape and type, without data; channels last, with those passed on */
    bool alpha;          /* a channel is passed on */
    unsigned char *hole; /* NULL, or which samples were NaN or Inf; the caller's */
    double white;        /* 0: the type's largest number, 1 for floats */
    bool rgb;
    uint8_t rounding[GF_ROUNDING_BANDS]; /* of a lossy file, as gf_rounding_make() says; else 0 */
    double spacing[GF_MAX_DIMS];         /* metres, degrees or seconds, and which; 0: unknown */
    char kind[GF_MAX_DIMS];
    const char *unit; /* of reports; NULL: one of those */
    bool oblique;     /* the axes are not at right angles */
    double dpi;       /* along x; 0: unknown */
};

struct gf_operation;

/* An operation: its options and its steps; NULL: nothing is to do. core/op/operations.h runs them all
 * alike. */
struct gf_operation_kind {
    const char *name;
    struct {
        const struct gf_opt *rows;
        size_t bytes;         /* of their structure, */
        const void *defaults; /* which begins as this; NULL: zeros */
        /* Refuses options that contradict each other, and sets those that depend on others. */
        int (*check)(void *options);
    } options;
    struct {
        int least, most; /* arrays beside the samples, such as a template */
        /* Makes op->shared, for all inputs of a run, of the options and of n such arrays, channels last,
         * which both outlive it; NULL: it is the options. close() frees it, after a failure too. */
        int (*open)(void *options, const struct gf_array *with, int n, void **shared);
        void (*close)(void *shared);
    } with;
    bool measures;      /* it has no output but its facts */
    enum gf_kind gives; /* else of its output, unless the caller asks for another */
    /* From op->of and a job of its shape, with axes, channels, precision: completes the job but for
     * its outputs, and the refusals. */
    int (*describe)(struct gf_operation *op);
    /* Once the outputs are described: counts the memory, and makes what all samples share unless
     * op->by_pages. */
    int (*expect)(struct gf_operation *op);
    /* Completes op->in and op->job from the samples op->in. Of some pages (op->whole) without
     * samples, only what a plan needs. */
    int (*take)(struct gf_operation *op);
    /* Makes units `first` and following of the job's input from the samples. For zero units only
     * makes the scan that op->scans announces. room(): the memory that it needs within a limit. */
    int (*read)(struct gf_operation *op, const struct gf_unit_source *below, int64_t first,
                struct gf_array *to);
    int64_t (*room)(const struct gf_operation *op, int64_t limit);
    /* NULL, or makes the output, if take() did not. */
    int (*make)(struct gf_operation *op, struct gf_array *out);
    size_t state;                          /* bytes of op->state, zeros before describe() */
    void (*drop)(struct gf_operation *op); /* frees what the state has */
    /* Adds the facts that take() found; the values stay the operation's. */
    void (*facts)(const struct gf_operation *op, struct gf_facts *to);
};

struct gf_operation {
    const struct gf_operation_kind *kind; /* NULL: the job takes the samples as they are */
    struct gf_crew crew; /* held: bytes of the samples, with those that are only passed on */
    struct gf_operand of;
    struct gf_array in; /* the job's input; without data until it is read */
    int64_t page;       /* its number from 1 on in a stack like the further arrays; else 0 */
    int64_t times;      /* that take() is called, if it may be called again; 0 counts as 1 */
    struct gf_job job;  /* takes `in` to the outputs */
    struct gf_operation *whole; /* the operation of which this one takes some pages */
    /* NULL, or a job with which take() makes the outputs, `in`; &job: it does all by itself. */
    struct gf_job *inner;
    void *shared; /* the operation's, for all inputs of a run */
    void *state;  /* its own, for this input */
    /* NULL, or takes a sentence for whoever uses the result. */
    void (*note)(void *caller, const char *text);
    void *caller;
    bool divides;       /* the caller runs the job in slabs if it does not fit memory, */
    bool divided;       /* or at any rate, as others have a share */
    int64_t beside;     /* bytes that the caller needs while the job runs */
    bool by_pages;      /* the caller takes some pages at a time at any rate */
    int64_t page_bytes; /* what a page then needs besides its samples */
    int64_t slots;      /* some pages: how many such parts the caller has in memory */
    bool untouched;     /* nothing was found; the outputs are copies of the samples */
    bool scans; /* all samples are read once before the first unit is made; jobs make units */
    /* The reasons against taking some pages at a time, and against slabs, or NULL. */
    struct {
        const char *pages, *slabs;
    } refuses;
    struct gf_feed feed;  /* the caller's: produces samples while the job runs */
    bool streamed, dealt; /* the caller ran it frame by frame, or in parts on several devices */
    bool lossy;           /* coefficients were dropped, so that samples may exceed their range */
    struct {
        double decode, prepare, transform, encode;
    } ms;                               /* by the caller's clock */
    struct gf_report report;            /* of the run */
    int64_t overflowed[GF_MAX_OUTPUTS]; /* float samples of each output that are Inf or NaN */
    int64_t need;          /* bytes of all arrays and workspace; -1: unknown until they are read */
    int64_t prepare_bytes; /* the most memory until the job begins, with the samples */
    int64_t extra_bytes;   /* held besides the arrays until it ends */
};

/* The precision that suits samples of a type. */
enum gf_precision gf_operation_precision(enum gf_dtype samples);

/* Sets the distances of samples along each axis in the unit of reports, and if they are alike. Returns the
 * unit; NULL, and 0, if a distance is unknown. */
const char *gf_operand_spacing(const struct gf_operand *of, double spacing[GF_MAX_DIMS],
                               bool *alike);

/* Its kind's steps; without a kind they do nothing. */
int gf_operation_describe(struct gf_operation *op);
int gf_operation_take(struct gf_operation *op);
void gf_operation_drop(struct gf_operation *op);
/* The shape of output i, without the samples that were added for the transform. */
void gf_operation_out_shape(const struct gf_operation *op, int i, int64_t shape[GF_MAX_RANK]);
/* Bytes of the outputs, as long as the job's, with what is passed on. */
int64_t gf_operation_out_bytes(const struct gf_operation *op);
/* Runs the planned job from op->in to `out`, or copies what the operation made; then the report counts
 * only what was clipped. */
int gf_operation_run(struct gf_operation *op, struct gf_array *out);
/* All steps on samples in memory, channels last. Needs kind, crew,
 * shared, and the job of their shape: axes, channels, precision, outputs. Fills `out`, one array for each
 * of the job's outputs: one without data is allocated, and the caller frees it; after a failure there is
 * none. The caller drops the operation. GF_ENOMEM, or what the operation refuses. */
int gf_operation_apply(struct gf_operation *op, const struct gf_array *in, struct gf_array *out);

/* The steps before the samples are read, for an array of that shape and
 * type. Sets op->need. The caller drops the operation. */
int gf_operation_expect(struct gf_operation *op, const struct gf_array *like);

#endif
