/* gpufft filter: what its options say, and the filter that they make for a picture. */
#ifndef GF_CLI_FILTER_FILTER_H
#define GF_CLI_FILTER_FILTER_H

#include "cli/batch/task.h"
#include "core/filter/edges.h"
#include "core/filter/table.h"

/* ---- options.c ---- */

/* The rows of a filter, which plan takes too; those of its result; and --skip, an --offset in raw
 * files. */
extern const struct gf_opt_group gf_opts_filter, gf_opts_filter_result, gf_opts_skip;
const char *gf_filter_option(enum gf_filter_what what); /* "--lowpass" */

/* ---- filter_make.c ---- */

/* A peak of the spectrum that --auto-notch takes out. */
struct gf_notch {
    int64_t at[GF_MAX_DIMS]; /* bins from the centre, by the picture's axes */
    double radius;           /* bins; of a gaussian */
    double strength, power;  /* over the middle of its ring, 0 for a sum of others; |F|^2 */
};

enum { GF_MAX_NOTCHES = 60 };

struct gf_notches {
    int n;
    struct gf_notch notch[GF_MAX_NOTCHES];
};

/* The picture as the filter's numbers are meant for it. */
struct gf_filter_frame {
    int64_t shape[GF_MAX_DIMS]; /* of the picture; the job's may be longer */
    enum gf_dtype dtype;        /* of its samples: what white is */
};

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

/* ---- filter_files.c ---- */

/* Reads the files of --mask and --convolve; they stay with the settings. Says what is wrong. */
int gf_filter_read_files(struct gf_settings *s);
void gf_filter_free_files(struct gf_settings *s);

/* ---- filter_input.c: what stands before the transform ---- */

/* A task's own, between prepare() and its end. */
struct gf_filtering {
    struct gf_filter_frame frame;
    struct gf_filter *filter; /* to be released, or freed where it is the file's own */
    bool own;
    struct gf_array input; /* lengthened by --edges; no data where the picture itself will do */
    struct gf_notches peaks;
    double ms; /* that all this took */
};

/* t->in lengthened as --edges says, into f->input. */
int gf_filter_lengthen(struct gf_task *t);
/* Bytes that takes, at most. */
int64_t gf_filter_lengthen_bytes(const struct gf_task *t);

/* Notes in t->prepare_bytes what the input and `bytes` beside it take while the filter is made; once
 * the samples are there it is held to the limit. */
int gf_filter_check_memory(struct gf_task *t, int64_t bytes);

/* ---- filter_notch.c ---- */

/* --auto-notch: the peaks of t->in's own spectrum. */
int gf_filter_find_notches(struct gf_task *t);

/* ---- filter_mask.c ---- */

/* --mask-out: the filter on the picture's own spectrum, centred, as product `p` of the task. */
int gf_filter_describe_mask(struct gf_task *t, struct gf_product *p);
/* Bytes that takes, beside the product; 0 without --mask-out. */
int64_t gf_filter_mask_bytes(const struct gf_task *t);
int gf_filter_draw_mask(struct gf_task *t, struct gf_product *p);

#endif
