/* From the options to the filter of a picture's size.
 *
 *     rc = gf_filter_obtain(settings, &job, &frame, &filter);
 *     …
 *     gf_filter_release(filter); */
#ifndef GF_CLI_FILTER_MAKE_H
#define GF_CLI_FILTER_MAKE_H

#include "cli/filter/notches.h"
#include "cli/settings.h"
#include "core/filter/filter.h"

/* The picture that the filter's numbers are meant for. */
struct gf_filter_frame {
    int64_t shape[GF_MAX_DIMS]; /* of the picture; the job's may be longer */
    enum gf_dtype dtype;        /* of its samples: what white is */
    bool in_parts; /* masks and kernels are checked, and left to the parts of the job */
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

#endif
