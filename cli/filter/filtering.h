/* The parts of gpufft filter: its options, masks and kernels from files, the filter of a picture's size, the
 * search for periodic noise, the samples beyond the edges, and the filter as a picture. */
#ifndef GF_CLI_FILTER_FILTERING_H
#define GF_CLI_FILTER_FILTERING_H

#include <jansson.h>

#include "cli/batch/task.h"
#include "cli/options.h"
#include "core/spectrum/screen.h"

struct gf_smooth_pages;

/* The picture that the filter's numbers are meant for. */
struct gf_filter_frame {
    int64_t shape[GF_MAX_DIMS]; /* of the picture; the job's may be longer */
    enum gf_dtype dtype;        /* of its samples: defines white */
    bool
        in_parts; /* masks and kernels are only checked; each part of the job makes its own table */
};

/* A wave that is subtracted from the samples; the notch removes what is left of it. */
struct gf_notch {
    double at[GF_MAX_DIMS]; /* bins from the centre, by the picture's axes */
    double radius;          /* bins; of a gaussian; 0: no notch */
    double strength;        /* over its surroundings */
    double amplitude;       /* in sample units, once it is fitted */
};

enum { GF_MAX_NOTCHES = 60 };

/* The waves and screens that --auto-notch and --descreen remove from a picture. */
struct gf_notches {
    bool expected; /* the search has not run: as many as there may be */
    int n;
    struct gf_notch notch[GF_MAX_NOTCHES];
    int n_hidden;         /* the last of them are weaker than the picture */
    double *factor;       /* of their cosine and sine: for each wave, for each channel; or NULL */
    struct gf_notch left; /* the strongest wave of a regular thing; amplitude 0: there is none */
    int n_screens;
    struct gf_screen screen[GF_MAX_SCREENS];
    struct gf_array mask; /* of the screens, over half the spectrum of the picture; or no data */
};

/* The state of the filter with a task, from prepare() to the end of the task. */
struct gf_filtering {
    struct gf_filter_frame frame;
    struct gf_filter *of_pages; /* page by page: for as many as are taken at once; to be released */
    struct gf_filter *filter;   /* to be released */
    struct gf_smooth_pages *smooth; /* --edges=smooth page by page, once all were read; owned */
    struct gf_array input; /* lengthened by --edges; no data where the picture itself will do */
    struct gf_notches peaks;
    double period; /* of --descreen, in samples; 0: any */
};

/* ---- options.c ---- */

/* The rows of a filter, which `gpufft plan` takes too, and those of its result. */
extern const struct gf_opt_group gf_opts_filter, gf_opts_filter_result;
/* Prints a line for each radius that is less than a bin, where another unit may have been meant. */
void gf_filter_note_radii(const struct gf_settings *s);

/* ---- files.c: the pictures that --mask and --convolve name ---- */

/* Reads them; they stay with the settings until gf_filter_free_files(). Logs what is wrong. */
int gf_filter_read_files(struct gf_settings *s);
void gf_filter_free_files(struct gf_settings *s);
/* The number at a place: grey, or the luma of red, green and blue; alpha does not count. `p` is its
 * first channel, in the image's layout. */
double gf_filter_sample(const struct gf_image *image, const char *p);
/* The divisor of a mask's samples: black to white is 0 to 1; floats are taken as they are. */
double gf_filter_mask_white(enum gf_dtype dtype);

/* ---- make.c: from the options to the filter of a picture's size ---- */

/* The filter of the options, and of the peaks (may be NULL), for a job; the caller frees. GF_EINVAL
 * where the picture's size does not allow it. */
int gf_filter_make(const struct gf_settings *s, const struct gf_job *job,
                   const struct gf_filter_frame *frame, const struct gf_notches *peaks,
                   struct gf_filter **out);
/* The same, kept for pictures of the same shape: gf_filter_release() it. */
int gf_filter_obtain(const struct gf_settings *s, const struct gf_job *job,
                     const struct gf_filter_frame *frame, struct gf_filter **out);
void gf_filter_release(struct gf_filter *f); /* frees it where it is not a kept one; or NULL */
void gf_filter_forget(void);                 /* at the end: those that were kept */

/* ---- parts.c: tables of masks and kernels ---- */

/* Multiplies the filter's table by all masks and kernels. As the make_part() of the filter it makes the table
 * of a part of a spectrum that does not fit memory; the part transforms the slowest axis, of a volume or of a
 * picture taken as one (core/slab/plan.h). */
int gf_filter_make_table(const void *settings, const struct gf_job *job, struct gf_filter *filter);
/* The extents of a file's samples by the job's axes, 1 where none is transformed; false if the file has
 * further axes. */
bool gf_filter_spread(const struct gf_job *job, const struct gf_filter_part *p, int64_t *extent);
/* Bytes of the masks and kernels that are in memory meanwhile, and of a kernel's plane. */
int64_t gf_filter_parts_bytes(const struct gf_task *t);

/* ---- notch.c: --auto-notch and --descreen ---- */

/* True if one of the two was given. */
bool gf_filter_searches(const struct gf_settings *s);
/* Before the samples are read: plans for as many notches as there may be, and counts the memory of the
 * search. GF_EINVAL where the job's axes do not allow it. */
int gf_filter_expect_notches(struct gf_task *t);
/* Puts the waves and screens of t->in's own spectrum into t->filtering->peaks. */
int gf_filter_find_notches(struct gf_task *t);
/* Bytes of the screens' mask while the job runs, and of its table until that is made. */
int64_t gf_filter_notch_bytes(const struct gf_task *t);
/* Prints one line on what was removed. */
void gf_filter_tell_notches(const struct gf_task *t);
/* Adds "notches" and "screens" to the JSON line. */
void gf_filter_describe_notches(const struct gf_task *t, json_t *o);

/* ---- mask.c: --mask-out, the filter as a picture with frequency zero in its centre ---- */

/* Describes the mask on the picture's own spectrum as product `p` of the task. */
int gf_filter_describe_mask(struct gf_task *t, struct gf_product *p);
/* Bytes of drawing it, besides the product; 0 without --mask-out. */
int64_t gf_filter_mask_bytes(const struct gf_task *t);
int gf_filter_draw_mask(struct gf_task *t, struct gf_product *p);

/* ---- input.c, pages.c: the picture's samples, and those beyond its edges ---- */

/* Notes in t->prepare_bytes the memory of the input and of `bytes` beside it while the filter is made; once
 * the samples are read, checks it against the limit. */
int gf_filter_check_memory(struct gf_task *t, int64_t bytes);
/* Lengthens t->in by --edges, into t->filtering->input. */
int gf_filter_lengthen(struct gf_task *t);
/* Bytes that takes, at most. */
int64_t gf_filter_lengthen_bytes(const struct gf_task *t);

/* The same unit by unit, for volumes and lines that are not in memory: read() and bytes() of struct
 * gf_task_input, and whether they read the whole file first. */
int gf_filter_make_units(struct gf_task *t, const struct gf_unit_source *file, int64_t first,
                         struct gf_array *to);
int64_t gf_filter_make_units_bytes(const struct gf_task *t, int64_t limit);
bool gf_filter_scans(const struct gf_task *t);

/* Replaces `in` by the job's output; a job that transforms nothing leaves it. */
int gf_filter_run_over(struct gf_runner *runner, const struct gf_job *job, struct gf_array *in);
/* The job with the picture's own shape, for the smooth part. */
struct gf_job gf_filter_picture_job(const struct gf_task *t);
/* Converts the picture's samples to the type of `to`. */
void gf_filter_take_in(const struct gf_task *t, const struct gf_array *in, struct gf_array *to);

#endif
