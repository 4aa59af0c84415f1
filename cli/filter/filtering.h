/* The parts of gpufft filter: options, masks and kernels from files, the filter for a picture's
 * size, the search for noise, the samples beyond the edges, and the filter as a picture. */
#ifndef GF_CLI_FILTER_FILTERING_H
#define GF_CLI_FILTER_FILTERING_H

#include <jansson.h>

#include "cli/batch/task.h"
#include "cli/options.h"
#include "core/filter/edges.h"
#include "core/restore/destripe.h"
#include "core/restore/noise.h"
#include "core/restore/tiles.h"
#include "core/restore/wiener.h"
#include "core/spectrum/screen.h"

struct gf_smooth_pages;

/* Parses a distance from the zero frequency: bins, "0.1c", "10%", "10A" or "0.3/mm"; false for other
 * texts. */
bool gf_radius_parse(const char *text, struct gf_radius *out);

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

enum { GF_MAX_NOTCHES = 60 };

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
    struct gf_notch left; /* the strongest wave of a regular thing; amplitude 0: none */
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

/* A task's filter state, from prepare() to the end of the task. */
struct gf_filtering {
    struct gf_filter_frame frame;
    struct gf_filter *of_pages;     /* page by page: for a group of pages; to be released */
    struct gf_filter *filter;       /* to be released */
    struct gf_smooth_pages *smooth; /* --edges=smooth in slabs, once the file is scanned; owned */
    struct gf_array input;          /* lengthened by --edges; no data if the picture's is used */
    struct gf_notches peaks;
    double period; /* of --descreen, in samples; 0: any */
    struct gf_restored restored;
    struct gf_tiles tiles;     /* Richardson-Lucy: of t->op.in */
    struct gf_array clean;     /* the samples without stripes; no data if none were found */
    struct gf_stripes stripes; /* of the first plane that has some; axis -1: none has */
    int64_t n_striped;         /* planes that have some */
};

/* ---- options.c ---- */

/* The options of a filter, which `gpufft plan` takes too, and those of its result. */
extern const struct gf_opt_group gf_opts_filter, gf_opts_filter_result;
/* Prints a note for each radius below a bin, which may be meant in another unit. */
void gf_filter_note_radii(const struct gf_settings *s);
/* The point-spread function, or NULL. */
const struct gf_filter_part *gf_filter_psf(const struct gf_settings *s);
/* True if the filter depends on the picture's samples: Wiener's. */
bool gf_filter_measures(const struct gf_settings *s);
/* True for Richardson-Lucy, whose job (t->op.inner) blurs tiles. */
bool gf_filter_iterates(const struct gf_settings *s);

/* ---- files.c: the pictures that --mask and --convolve name ---- */

/* Reads them into the settings, until gf_filter_free_files(), and chooses what --deconvolve does at
 * the edges. Logs a failure. */
int gf_filter_read_files(struct gf_settings *s);
/* GF_ENOMEM for a file that exceeds the memory limit, once the whole task does not. */
int gf_filter_check_file(const struct gf_filter_part *p);
void gf_filter_free_files(struct gf_settings *s);
/* The value of the pixel at `p`: grey, or the luma of red, green and blue, without alpha. */
double gf_filter_sample(const struct gf_image *image, const char *p);
/* The divisor that scales a mask's black to white to 0 to 1: the file's white, else an integer type's
 * largest number, 1 for floats. */
double gf_filter_mask_white(const struct gf_image *image);

/* ---- make.c: the options' filter for a picture's size ---- */

/* Makes a job's filter from the options and the peaks (may be NULL); the caller frees it. GF_EINVAL
 * if the picture's size does not allow it. */
int gf_filter_make(const struct gf_settings *s, const struct gf_job *job,
                   const struct gf_filter_frame *frame, const struct gf_notches *peaks,
                   struct gf_filter **out);
/* The same, but kept for pictures of the same shape; the caller releases it. */
int gf_filter_obtain(const struct gf_settings *s, const struct gf_job *job,
                     const struct gf_filter_frame *frame, struct gf_filter **out);
void gf_filter_release(struct gf_filter *f); /* frees it unless it is kept; takes NULL */
void gf_filter_forget(void);                 /* frees the kept ones that are not in use */
/* Makes t->filtering->filter the job's, and counts its table and the lengthened input in
 * t->op.extra_bytes. */
void gf_filter_use(struct gf_task *t, struct gf_job *job);

/* ---- parts.c: tables of masks and kernels ---- */

/* Runs one job on the CPU: run() of struct gf_filter_transform, whose context is the settings. */
int gf_filter_run_once(void *settings, const struct gf_job *job, const struct gf_array *in,
                       struct gf_array *out);

/* Multiplies the filter's table by all masks and kernels. Also the filter's make_part(), which
 * makes the table for a part of a spectrum that does not fit memory: the part transforms the
 * slowest axis of a volume, or of a picture taken as one (core/slab/plan.h). */
int gf_filter_make_table(const void *settings, const struct gf_job *job, struct gf_filter *filter);
/* Assigns a file's extents to the job's transformed axes, 1 to others; false if it has more. */
bool gf_filter_spread(const struct gf_job *job, const struct gf_filter_part *p, int64_t *extent);
/* Bytes of the masks and kernels in memory, and of a kernel's planes while they are transformed. */
int64_t gf_filter_parts_bytes(const struct gf_task *t, int64_t *kernel);

/* Multiplies by a kernel, or a point-spread function, centred at extent / 2. */
int gf_filter_times_part(const struct gf_settings *s, const struct gf_filter_part *p,
                         const struct gf_job *job, struct gf_filter *filter);

/* ---- deconvolve.c: --deconvolve ---- */

/* Refuses options that contradict each other or --deconvolve, and sets the default of --edges. */
int gf_filter_check(struct gf_settings *s);
/* Before the samples are read: counts the memory, and refuses what the job does not allow. */
int gf_filter_expect_restored(struct gf_task *t);
/* Measures the noise in t->op.in, which --edges has not lengthened yet. */
int gf_filter_measure_noise(struct gf_task *t);
/* From the lengthened t->op.in: Wiener's prior; or the restored picture, which replaces t->op.in. */
int gf_filter_restore(struct gf_task *t);
/* Adds the method and its numbers to the JSON line. */
void gf_filter_describe_restored(const struct gf_task *t, json_t *o);

/* ---- notch.c: --auto-notch and --descreen ---- */

/* True if one of the two was given. */
bool gf_filter_searches(const struct gf_settings *s);
/* Before the samples are read: plans for the most notches there may be, and counts the memory of
 * the search. GF_EINVAL if the job's axes do not allow it. */
int gf_filter_expect_notches(struct gf_task *t);
/* The job that takes t->op.in to half its spectrum, and that spectrum without samples. */
struct gf_job gf_filter_search_job(const struct gf_task *t, struct gf_array *out);
/* Finds the waves and screens in t->op.in's spectrum: t->filtering->peaks. */
int gf_filter_find_notches(struct gf_task *t);
/* Makes the screens' mask from the spectrum of the lengthened t->op.in. */
int gf_filter_mask_screens(struct gf_task *t);
/* Bytes of the screens' mask while the job runs, or before the search those of its table too. */
int64_t gf_filter_notch_bytes(const struct gf_task *t);
/* Bytes by which a screen that may be found lengthens the samples (gf_filter_edges()). */
int64_t gf_filter_screen_bytes(const struct gf_task *t);
/* Prints a line that says what was removed. */
void gf_filter_tell_notches(const struct gf_task *t);
/* Adds "notches" and "screens" to the JSON line. */
void gf_filter_describe_notches(const struct gf_task *t, json_t *o);

/* The job that takes t->op.in, or its luma, to one output, and that output without
 * samples. */
struct gf_job gf_filter_look_job(const struct gf_task *t, const struct gf_output *output, bool luma,
                                 struct gf_array *out);

/* ---- stripes.c: --destripe ---- */

/* Before the samples are read: counts the memory. GF_EINVAL for a line. */
int gf_filter_expect_stripes(struct gf_task *t);
/* Removes stripes from each plane of t->op.in, into t->filtering->clean, if there are any. */
int gf_filter_remove_stripes(struct gf_task *t);
/* Prints a line that says what was removed; adds "stripes" to the JSON line. */
void gf_filter_tell_stripes(const struct gf_task *t);
void gf_filter_describe_stripes(const struct gf_task *t, json_t *o);

/* ---- mask.c: --mask-out, the filter as a picture with frequency zero in its centre ---- */

/* Describes the filter on the picture's spectrum as product `p` of the task. */
int gf_filter_describe_mask(struct gf_task *t, struct gf_product *p);
/* Bytes that drawing it needs besides the product; 0 without --mask-out. */
int64_t gf_filter_mask_bytes(const struct gf_task *t);
int gf_filter_draw_mask(struct gf_task *t, struct gf_product *p);
/* The layout of a picture of a spectrum: from the centre or the corner, half or whole. */
struct gf_layout {
    bool centred, half;
};

/* The indices in half a spectrum of the picture's position `at` (C order) or of its mirror image,
 * and of the other one if the half contains both, else the same. */
void gf_filter_find_bin(const struct gf_job *job, const struct gf_array *half,
                        struct gf_layout layout, int64_t at, int64_t where[2]);

/* ---- paint.c: --paint ---- */

/* Finds how the files draw t->op.in's spectrum; zeroes the peaks' mask where they were painted. */
int gf_filter_paint(struct gf_task *t);

/* ---- input.c, pages.c: the picture's samples, and those beyond its edges ---- */

/* Notes in t->op.prepare_bytes that making the filter needs `bytes` besides the input. Once the
 * samples are read, checks the sum against the limit. */
int gf_filter_check_memory(struct gf_task *t, int64_t bytes);
/* The mode by which the samples are lengthened: instead of a mirror image Richardson-Lucy's tiles
 * mirror themselves; and a screen, once found, continues in phase instead of repeating. */
enum gf_edges gf_filter_edges(const struct gf_task *t);
/* Gives the job and its outputs the lengths that the mode needs. */
void gf_filter_set_lengths(struct gf_task *t);
/* Lengthens t->op.in by it, into t->filtering->input. */
int gf_filter_lengthen(struct gf_task *t);
/* The most bytes that it needs. */
int64_t gf_filter_lengthen_bytes(const struct gf_task *t);

/* The same unit by unit, for volumes and lines that are not in memory: read() and bytes() of struct
 * gf_task_input. scans(): true if read() first reads the whole file. */
int gf_filter_make_units(struct gf_task *t, const struct gf_unit_source *file, int64_t first,
                         struct gf_array *to);
int64_t gf_filter_make_units_bytes(const struct gf_task *t, int64_t limit);
bool gf_filter_scans(const struct gf_task *t);

/* ---- window.c: --window and --edges=smooth of fwd and stats, whose job's input is the file's samples
 * without their smooth part, times the window, as floats ---- */

extern const struct gf_opt_group gf_opts_window;
bool gf_window_is_asked(const struct gf_settings *s);
/* 1 for so few samples that a team of threads would only wait for each other. */
int gf_window_threads(const struct gf_settings *s, const struct gf_job *job);
/* Gives the job the changed samples' type. GF_EINVAL for the smooth part of complex samples. */
int gf_window_prepare(const struct gf_settings *s, struct gf_job *job);
/* Allocates `to`, the job's input, and makes it of `in`. With `centred` the mean of each channel is
 * subtracted first. */
int gf_window_make(const struct gf_settings *s, struct gf_runner *runner, const struct gf_job *job,
                   bool centred, const struct gf_array *in, struct gf_array *to);
/* Bytes of that input and of its making. */
int64_t gf_window_bytes(const struct gf_settings *s, const struct gf_job *job);
/* fwd's input, made in memory, or unit by unit if there is no smooth part. */
extern const struct gf_task_input gf_window_input;

/* Replaces `in` by the job's output; a job without axes leaves it. */
int gf_filter_run_over(struct gf_runner *runner, const struct gf_job *job, struct gf_array *in);
/* The job with the picture's shape instead of the lengthened one. */
struct gf_job gf_filter_picture_job(const struct gf_task *t);
/* Converts samples to the type of `to`. */
void gf_filter_take_in(int threads, const struct gf_array *in, struct gf_array *to);
/* Fills what is beyond the edges of `picture` in the lengthened `input` (gf_smooth_fill()), or if
 * that is NULL subtracts the picture's smooth part from it. The job has the picture's shape. */
int gf_filter_smooth(struct gf_runner *runner, const struct gf_job *job, int threads,
                     struct gf_array *picture, struct gf_array *input);
int64_t gf_filter_smooth_bytes(const struct gf_job *job);

#endif
