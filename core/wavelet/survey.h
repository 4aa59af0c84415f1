/* Finds what has to be known of all coefficients before the first is written: the limit of a threshold by
 * share, and the extremes of each band for a picture of them. Coefficients come in boxes, in any
 * order, walk after walk, until nothing is wanted:
 *
 *     struct gf_dwt_survey s;
 *     int rc = gf_dwt_survey_open(&s, &job);
 *     while (!rc && gf_dwt_survey_wants(&s)) {
 *         … run gf_dwt_survey_job(&s), and of each box gf_dwt_survey_box(&s, &box);
 *         rc = gf_dwt_survey_next(&s, NULL);
 *     }
 *     … run gf_dwt_survey_job(&s), and of each box of a picture gf_dwt_survey_show(&s, &box);
 *     gf_dwt_survey_close(&s); */
#ifndef GF_CORE_WAVELET_SURVEY_H
#define GF_CORE_WAVELET_SURVEY_H

#include <pthread.h>

#include "core/base/job/ranks.h"
#include "core/wavelet/rank.h"
#include "core/wavelet/stream.h"

struct gf_dwt_survey {
    struct gf_job job;   /* with what has been found of its threshold */
    bool selects, looks; /* the share's limit, the bands' extremes are wanted */
    struct gf_dwt_layout layout;
    struct gf_dwt_rank rank;
    double low[GF_MAX_LEVELS + 1][1 << GF_MAX_DIMS], high[GF_MAX_LEVELS + 1][1 << GF_MAX_DIMS];
    pthread_mutex_t lock;
};

/* For jobs of three axes and one output. */

/* Its walks, and the bytes that it needs. */
int gf_dwt_survey_walks(const struct gf_job *job);
int64_t gf_dwt_survey_bytes(const struct gf_job *job);
/* GF_ENOMEM. Also for jobs that want nothing. close() takes an all-zero struct. */
int gf_dwt_survey_open(struct gf_dwt_survey *s, const struct gf_job *job);
void gf_dwt_survey_close(struct gf_dwt_survey *s);
static inline bool gf_dwt_survey_wants(const struct gf_dwt_survey *s) {
    return s->selects || s->looks;
}
/* The job of the next walk, whose coefficients are floats, those of a picture too. */
struct gf_job gf_dwt_survey_job(const struct gf_dwt_survey *s);
/* Looks at a box of coefficients, on any thread. */
void gf_dwt_survey_box(struct gf_dwt_survey *s, const struct gf_dwt_box *box);
/* The same of a plane z of the packed array: (y, x, channel), C-contiguous. */
void gf_dwt_survey_plane(struct gf_dwt_survey *s, int64_t z, const struct gf_array *plane);
/* Ends a walk, of all ranks together if there are several. */
int gf_dwt_survey_next(struct gf_dwt_survey *s, struct gf_ranks *ranks);
/* Makes a box of coefficients the picture's samples, in place: rows stay where they are. */
void gf_dwt_survey_show(const struct gf_dwt_survey *s, const struct gf_dwt_box *box);

#endif
