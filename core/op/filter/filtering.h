/* gpufft filter as an operation: it looks for noise in the samples, continues them beyond their edges,
 * and makes the filter for their size; then a job transforms, multiplies and transforms back. Or it
 * restores them by itself.
 *
 *     struct gf_filter_options options = {.n_parts = 1, .part = {{.what = GF_PSF_MADE, …}}};
 *     struct gf_filter_maker maker;
 *     struct gf_operation op = {&gf_operation_filter, .crew = crew, .of = about, .shared = &maker};
 *     gf_filter_maker_open(&maker, &options);
 *     op.job = …                                    axes, channels, precision, outputs
 *     rc = gf_operation_apply(&op, &samples, out);
 *     gf_filter_maker_close(&maker); */
#ifndef GF_CORE_OP_FILTER_FILTERING_H
#define GF_CORE_OP_FILTER_FILTERING_H

#include <pthread.h>

#include "core/op/filter/options.h"
#include "core/op/operation.h"
#include "core/restore/destripe.h"
#include "core/restore/noise.h"
#include "core/restore/tiles.h"
#include "core/restore/wiener.h"
#include "core/spectrum/screen.h"

struct gf_smooth_pages;

/* The picture to which the filter's numbers refer. */
struct gf_filter_frame {
    int64_t shape[GF_MAX_DIMS]; /* of the picture; the job's may be longer */
    enum gf_dtype dtype;        /* of its samples: defines white, */
    double white;               /* if this is 0 */
    /* The distance of samples, in metres, degrees or seconds, and which; 0: unknown. */
    double spacing[GF_MAX_DIMS];
    char kind[GF_MAX_DIMS];
    bool oblique;  /* see struct gf_axes */
    bool in_parts; /* masks and kernels are only checked; parts of the job make their tables */
    /* Wiener: NULL before the samples are read. The filter takes the blur's table. */
    const struct gf_prior *prior;
    struct gf_array *transfer;
};

/* A wave that is subtracted from the samples; the notch removes what is left of it. */
struct gf_notch {
    double at[GF_MAX_DIMS]; /* bins from the centre, by the picture's axes */
    double radius;          /* of a gaussian, in bins; 0: no notch */
    double strength;        /* relative to its surroundings */
    double amplitude;       /* in sample units, once it is fitted */
    bool varies;            /* over the picture */
};

/* Factors of half the spectrum of a picture, or of the lengthened one; or no data. */
struct gf_peaks_mask {
    struct gf_array px;
    int64_t extent[GF_MAX_DIMS]; /* of the whole spectrum */
};

/* The waves and screens that --auto-notch and --descreen remove from a picture. */
struct gf_notches {
    bool expected; /* the search has not run: n is the most there may be */
    int n;
    struct gf_notch notch[GF_MAX_NOTCHES];
    int n_hidden;         /* the last of them are weaker than the picture */
    double *factor;       /* of their cosine and sine, by wave and channel; or NULL */
    struct gf_notch left; /* the strongest wave of a regular structure; amplitude 0: none */
    double varying;       /* the period of screens that were left since it varies; 0: none */
    int n_screens;
    struct gf_screen screen[GF_MAX_SCREENS];
    struct gf_own_power own; /* the power of the picture below the screens */
    struct gf_peaks_mask screens, painted;
};

/* The result of --deconvolve: the noise and, for Wiener, the spectrum. */
struct gf_restored {
    struct gf_noise noise;
    struct gf_prior prior;
    struct gf_array transfer;
    int iterations;
};

/* The state of an operation, from describe() to drop(). */
struct gf_filtering {
    struct gf_filter_frame frame;
    struct gf_filter *of_pages;     /* page by page: for a group of pages; to be released */
    struct gf_filter *filter;       /* to be released */
    struct gf_smooth_pages *smooth; /* --edges=smooth in slabs, once all is scanned; owned */
    struct gf_array input;          /* lengthened by --edges; no data if the picture's is used */
    struct gf_notches peaks;
    double period; /* of --descreen, in samples; 0: any */
    struct gf_restored restored;
    struct gf_tiles tiles;     /* Richardson-Lucy: of op->in */
    struct gf_array clean;     /* the samples without stripes; no data if none were found */
    struct gf_stripes stripes; /* of the first plane that has some; axis -1: none has */
    int64_t n_striped;         /* planes that have some */
};

enum { GF_FILTERS_KEPT = 8 };

/* The filters of a run, which all its operations share: a backend keeps its plan while the filter is
 * the same. Any thread may use it. */
struct gf_filter_maker {
    const struct gf_filter_options *options;

    /* Private. */
    pthread_mutex_t lock, sampling;
    int64_t clock;
    struct gf_filter_kept {
        uint64_t key;
        struct gf_filter *filter;
        int users;
        int64_t used; /* by the clock */
    } kept[GF_FILTERS_KEPT];
};

static inline struct gf_filtering *gf_filtering_of(const struct gf_operation *op) {
    return op->state;
}
static inline const struct gf_filter_options *gf_filter_options_of(const struct gf_operation *op) {
    return ((const struct gf_filter_maker *)op->shared)->options;
}

/* ---- filter.c: the steps ---- */

/* The operation, of which op->shared is the maker, whose options are these. */
extern const struct gf_operation_kind gf_operation_filter;

/* ---- make.c: the options' filter for a picture's size ---- */

void gf_filter_maker_open(struct gf_filter_maker *m, const struct gf_filter_options *options);
void gf_filter_maker_close(struct gf_filter_maker *m);

/* Makes a job's filter from the options and the peaks (may be NULL); the caller frees it. GF_EINVAL
 * if the picture's size does not allow it. */
int gf_filter_make(struct gf_filter_maker *m, const struct gf_job *job, int threads,
                   const struct gf_filter_frame *frame, const struct gf_notches *peaks,
                   struct gf_filter **out);
/* The same, but kept for pictures of the same shape; the caller releases it. */
int gf_filter_obtain(struct gf_filter_maker *m, const struct gf_job *job, int threads,
                     const struct gf_filter_frame *frame, struct gf_filter **out);
/* Frees it unless it is kept; takes NULL. */
void gf_filter_release(struct gf_filter_maker *m, struct gf_filter *f);
void gf_filter_forget(struct gf_filter_maker *m); /* frees the kept ones that are not in use */
/* Makes the operation's filter the job's, and counts its table and the lengthened input in
 * op->extra_bytes. */
void gf_filter_use(struct gf_operation *op, struct gf_job *job);

/* ---- pictures.c: what masks and kernels are made of ---- */

/* Gives a part that names a picture its samples, channels last: grey, or luma of three if `rgb`. Masks
 * are 1 at white (gf_filter_white()), and kernels are scaled to sum 1. Without data its samples are 0.
 * GF_EINVAL, GF_ENOMEM. */
int gf_filter_give(struct gf_filter_part *p, const struct gf_array *px, bool rgb, double white);
/* Once it has them, or for other parts: samples a kernel that is made, and chooses what --deconvolve
 * does at the edges. */
int gf_filter_finish(struct gf_filter_options *o, struct gf_filter_part *p);
void gf_filter_free_parts(struct gf_filter_options *o);
/* GF_EINVAL for complex samples, other channels, NaN and Inf. */
int gf_filter_check_picture(const struct gf_array *px, bool rgb);
/* The value of the pixel at `p`: grey or luma. */
double gf_filter_pixel(const struct gf_array *px, const char *p);
/* White, or if it is 0 that of the type: an integer's largest number, 1 for floats. */
double gf_filter_white(enum gf_dtype dtype, double white);

/* ---- parts.c: tables of masks and kernels ---- */

/* Runs one job on the CPU, whatever backend runs the filter: run() of struct gf_filter_transform,
 * whose context is the number of threads. */
int gf_filter_run_here(void *threads, const struct gf_job *job, const struct gf_array *in,
                       struct gf_array *out);
/* Multiplies the filter's table by all masks and kernels: the filter's make_part(), whose `maker` is
 * the options. It also makes the table for a part of a spectrum that does not fit memory: the part
 * transforms the slowest axis of a volume, or of a picture taken as one (core/schedule/plan.h). */
int gf_filter_make_table(const void *options, const struct gf_job *job, int threads,
                         struct gf_filter *filter);
/* Assigns a file's extents to the job's transformed axes, 1 to others; false if it has more. */
bool gf_filter_spread(const struct gf_job *job, const struct gf_filter_part *p, int64_t *extent);
/* Bytes of the masks and kernels in memory, and of a kernel's planes while they are transformed. */
int64_t gf_filter_parts_bytes(const struct gf_operation *op, int64_t *kernel);

/* Append a Gaussian blur of that deviation in pixels, or what --deconvolve undoes: a factor or a table. */
int gf_filter_add_blur(struct gf_filter *f, const struct gf_job *job, double pixels);
int gf_filter_add_psf(const struct gf_filter_options *o, const struct gf_job *job, int threads,
                      struct gf_filter *f);
/* Makes the table of an empty filter, or of a part (`whole`): the spectrum of what --deconvolve undoes. */
int gf_filter_take_psf(const struct gf_filter_options *o, const struct gf_job *job, int threads,
                       struct gf_filter *f);

/* ---- deconvolve.c: restores a blurred picture ---- */

/* Before the samples are read: counts the memory, and refuses what the job does not allow. */
int gf_filter_expect_restored(struct gf_operation *op);
/* Measures the noise in op->in, which is not lengthened yet. */
int gf_filter_measure_noise(struct gf_operation *op);
/* From the lengthened op->in: Wiener's prior; or the restored picture, which replaces op->in. */
int gf_filter_restore(struct gf_operation *op);

/* ---- notch.c: waves and screens ---- */

/* Before the samples are read: plans for the most notches there may be, and counts the memory of
 * the search. GF_EINVAL if the job's axes do not allow it. */
int gf_filter_expect_notches(struct gf_operation *op);
/* The job that takes op->in to half its spectrum, and that spectrum without samples. */
struct gf_job gf_filter_search_job(const struct gf_operation *op, struct gf_array *out);
/* The job that takes op->in, or its luma, to one output, and that output without samples. */
struct gf_job gf_filter_look_job(const struct gf_operation *op, const struct gf_output *output,
                                 bool luma, struct gf_array *out);
/* Finds the waves and screens in op->in's spectrum: peaks. */
int gf_filter_find_notches(struct gf_operation *op);
/* Makes the screens' mask from the spectrum of the lengthened op->in. */
int gf_filter_mask_screens(struct gf_operation *op);
/* Bytes of the screens' mask while the job runs, or before the search those of its table too. */
int64_t gf_filter_notch_bytes(const struct gf_operation *op);
/* Bytes by which a screen that may be found lengthens the samples (gf_filter_edges()). */
int64_t gf_filter_screen_bytes(const struct gf_operation *op);

/* ---- stripes.c ---- */

/* Before the samples are read: counts the memory. GF_EINVAL for a line. */
int gf_filter_expect_stripes(struct gf_operation *op);
/* Removes stripes from each plane of op->in, into `clean`, if there are any. */
int gf_filter_remove_stripes(struct gf_operation *op);
/* Planes, in each of which stripes are looked for. */
int64_t gf_filter_planes(const struct gf_operation *op);

/* ---- paint.c: pictures of the spectrum in which frequencies were painted black ---- */

/* Finds how the files draw op->in's spectrum; zeroes the peaks' mask where they were painted. */
int gf_filter_paint(struct gf_operation *op);

/* ---- lengthen.c, units.c: the picture's samples, and those beyond its edges ---- */

/* Notes in op->prepare_bytes that making the filter needs `bytes` besides the samples. Once these
 * are read, checks the sum against the limit. */
int gf_filter_check_memory(struct gf_operation *op, int64_t bytes);
/* The mode by which the samples are lengthened: instead of a mirror image Richardson-Lucy's tiles
 * mirror themselves; and a screen, once found, continues in phase instead of repeating. */
enum gf_edges gf_filter_edges(const struct gf_operation *op);
/* Gives the job the lengths that the mode needs. */
void gf_filter_set_lengths(struct gf_operation *op);
/* Lengthens op->in by it, into `input`. */
int gf_filter_lengthen(struct gf_operation *op);
/* The most bytes that it needs. */
int64_t gf_filter_lengthen_bytes(const struct gf_operation *op);
/* The job with the picture's shape instead of the lengthened one. */
struct gf_job gf_filter_picture_job(const struct gf_operation *op);

/* Replaces `in` by the job's output; a job without axes leaves it. */
int gf_filter_run_over(struct gf_runner *runner, const struct gf_job *job, struct gf_array *in);
/* Converts samples to the type of `to`. */
void gf_filter_take_in(int threads, const struct gf_array *in, struct gf_array *to);
/* Fills what is beyond the edges of `picture` in the lengthened `input` (gf_smooth_fill()), or if
 * that is NULL subtracts the picture's smooth part from it. The job has the picture's shape. */
int gf_filter_smooth(struct gf_runner *runner, const struct gf_job *job, int threads,
                     struct gf_array *picture, struct gf_array *input);
int64_t gf_filter_smooth_bytes(const struct gf_job *job);

/* The same unit by unit, for volumes and lines that are not in memory. Makes units `first` and
 * following of the job's input from the samples; for zero units only the scan that op->scans
 * announces. */
int gf_filter_make_units(struct gf_operation *op, const struct gf_unit_source *below, int64_t first,
                         struct gf_array *to);
/* The bytes that it needs within a limit. */
int64_t gf_filter_make_units_bytes(const struct gf_operation *op, int64_t limit);
/* True if it first reads all samples. */
bool gf_filter_scans(const struct gf_operation *op);

/* ---- values.c: the filter on the picture's spectrum ---- */

/* Takes values, real or complex doubles, of a whole half spectrum or of a part (`whole`) of it. */
typedef int gf_filter_take_values(void *user, const struct gf_job *job,
                                  const struct gf_array *values);
/* Calls take() for all of half the spectrum of the picture, axes that are not transformed having one
 * sample; if it comes in parts, for as many rows as need about `memory` bytes. */
int gf_filter_values(const struct gf_operation *op, int64_t memory, gf_filter_take_values *take,
                     void *user);
/* False if the filter depends on the samples. */
bool gf_filter_values_in_parts(const struct gf_operation *op);

#endif
