/* One input on its way to its outputs: read, prepared as a job, run, written.
 *
 *     gf_task_preview   header only: the job, what it needs      nothing big is allocated
 *     gf_task_read      samples, NaN refused or mended
 *     gf_task_ready     the job again, of what was read
 *     gf_task_run       outputs allocated, backend run
 *     gf_task_write     every output to its file                                            */
#ifndef GF_CLI_BATCH_TASK_H
#define GF_CLI_BATCH_TASK_H

#include "core/session/runner.h"
#include "cli/batch/targets.h"
#include "formats/record.h"

struct gf_product {
    enum gf_kind kind;
    const char *label; /* {kind} */
    bool bands;        /* path is where they go, without their names */
    bool aside;        /* none of the job's outputs: made by the transform's check() */
    const struct gf_format *format;
    char *path; /* with {page} left as it stands */
    const struct gf_template *where;
    const char *in;        /* the input's name, for {page} paths */
    int64_t page;          /* which picture of its file that is, likewise */
    bool noise;            /* a spectrum: encoders need not look for structure */
    bool alpha_plane;      /* one channel more than the job's: alpha, as a plane like any other */
    struct gf_image image; /* px has samples from the run until it is written */
    int64_t shape[GF_MAX_RANK];
    bool has_record;
    struct gf_record record;
};

struct gf_task;

/* What fwd and inv do differently. */
struct gf_task_hooks {
    const char *name;
    enum gf_kind default_kind; /* of --out */
    const char *label;         /* for {kind}; NULL: the kind's name */
    /* From t->image (with or without samples): t->job, t->in, and each product's image. */
    int (*prepare)(struct gf_task *t);
    /* Looks at t->report before anything is written. */
    int (*check)(struct gf_task *t);
    /* NULL, or does the whole task without holding its samples in memory; sets *done to false and
     * returns 0 where that is not possible. */
    int (*stream)(struct gf_task *t, bool *done);
    /* NULL, or frees what prepare() left with the task. */
    void (*free)(struct gf_task *t);
};

extern const struct gf_task_hooks gf_hooks_forward, gf_hooks_inverse, gf_hooks_dwt, gf_hooks_idwt,
    gf_hooks_filter;

struct gf_filtering;

struct gf_task {
    const struct gf_settings *s;
    const struct gf_task_hooks *transform;
    const struct gf_targets *targets;
    struct gf_runner *runner;
    char *const *read; /* the files: one, or all with --frames, or magnitude and phase */
    int n_read;
    const char *name; /* of what is read, for messages */
    /* A PNM file of several pictures is read one by one; each is a task. */
    struct gf_source *source; /* open as long as more may follow */
    const struct gf_format *format;
    int64_t page;          /* which of them, from 0 */
    struct gf_image image; /* what was read; alpha included */
    struct gf_array in;    /* the part of image.px that is transformed: all but alpha */
    struct gf_array
        alpha; /* the alpha channel of image.px to be kept (rank ndim + 1), or no data */
    struct gf_job job;
    bool recorded; /* inverse: the spectrum came with a record */
    bool streamed; /* dwt: frame by frame, on the processor */
    bool lossy;    /* idwt: a threshold was or is at work */
    bool skipped;  /* --resume: the outputs are there and newer than what is read */
    int64_t need;  /* bytes of arrays and workspace; -1: not known before it is read */
    struct gf_product product[GF_MAX_OUTPUTS];
    struct gf_report report;
    int64_t overflowed[GF_MAX_OUTPUTS]; /* float samples of each output that are Inf or NaN */
    double ms_decode, ms_transform, ms_encode;
    struct gf_filtering *filtering; /* filter's own */
    int64_t extra_bytes;            /* taken by what prepare() makes beside the arrays */
    int64_t
        prepare_bytes; /* the most that prepare() takes at once, the input included; freed then */
};

int gf_task_preview(struct gf_task *t);
/* For stream(): the job of what the headers say, whatever memory it would take in one piece. */
int gf_task_outline(struct gf_task *t);
int gf_task_read(struct gf_task *t);
int gf_task_ready(struct gf_task *t);
int gf_task_run(struct gf_task *t);
/* For `gpufft plan`: the job and the plan for t->image, whatever memory that would take. */
int gf_task_plan(struct gf_task *t);
int gf_task_write(struct gf_task *t);
/* 1 where the file has another picture, which the task is about from here on; 0 where it has none,
 * a negative status for what is no picture. May wait for a pipe. */
int gf_task_more(struct gf_task *t);
/* resume.c: every output is there, complete, and newer than all that is read. */
bool gf_task_up_to_date(const struct gf_task *t);
void gf_task_free(struct gf_task *t);

/* For prepare(): sets product[i].image to the shape of the job's output i (with its alpha plane),
 * of `color`, and refuses what the format cannot hold. */
int gf_task_describe(struct gf_task *t, int i, enum gf_color color);
/* For prepare(): the job's channels and t->in are all but alpha, which becomes t->alpha; or their
 * luma, as --color says. */
int gf_task_take_channels(struct gf_task *t);
/* For prepare(): the precision that --precision or the type of the input says. */
enum gf_precision gf_task_precision(const struct gf_settings *s, enum gf_dtype dtype);

/* load.c: one picture; several pictures as planes of a volume; a spectrum from its two float
 * parts. `header_only` leaves px.data NULL. */
int gf_load_picture(const struct gf_settings *s, const char *path, bool header_only,
                    struct gf_image *image);
int gf_load_frames(const struct gf_settings *s, char *const *paths, int n, bool header_only,
                   struct gf_image *image);
/* One more plane of that volume, finite. */
int gf_load_frame(const struct gf_settings *s, const char *path, const struct gf_image *volume,
                  struct gf_image *plane);
int gf_load_pair(const struct gf_settings *s, bool header_only, struct gf_image *image);
/* Lays samples out in the rank and shape that a record tells; formats without room for leading axes
 * of extent 1 lose them, others gain one. GF_EFORMAT where they differ otherwise. */
int gf_image_match(struct gf_array *px, int rank, const int64_t *shape);
/* Refuses or mends NaN and Inf as --nan says. */
int gf_load_finite(const struct gf_settings *s, struct gf_image *image);

/* store.c: writes one product, in one file or one per page. */
int gf_product_write(const struct gf_settings *s, struct gf_product *p);
/* Calls `visit` for the real name of every file that the prepared task is to write, with the number
 * of its target; ends with the first that does not return 0, and returns that. */
typedef int gf_file_visit(void *user, int i, const struct gf_product *p, const char *path);
int gf_task_each_file(const struct gf_task *t, gf_file_visit *visit, void *user);
/* dwt.c: every band of a product into a file of its own; makes the folder. */
int gf_bands_write(const struct gf_task *t, const struct gf_product *p);
/* DIR/{stem}_aa3.tif and its like, to be freed; NULL without memory. */
struct gf_dwt_band;
char *gf_band_path(const struct gf_product *p, const struct gf_dwt_band *band);
/* With {page}: whether each plane has a record of its own. */
bool gf_page_has_record(const struct gf_product *p);
/* GF_EINVAL with the ways out when the product's format cannot hold it. */
int gf_product_accepts(const struct gf_product *p);

#endif
