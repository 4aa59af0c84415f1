/* Finds a template in lines, pictures and volumes: the score of every place, and the best ones.
 *
 *     struct gf_signals t = {.with = {letter}};                     changes the array, which stays yours
 *     struct gf_matches m = {0};
 *     int rc = gf_match_template_prepare(&t);
 *     if (!rc)
 *         rc = gf_match_run(&crew, &t, &(struct gf_match_options){5, 0.5}, &page, &m);
 *     m.peak[0].at, m.peak[0].score
 *     gf_matches_free(&m);
 *
 * Signals (core/op/signal.h) of one type. A prepared template is constant, for any number of signals and
 * threads. The score is normalised cross-correlation (core/compare/match.h has its sources). match.c */
#ifndef GF_CORE_OP_MATCH_H
#define GF_CORE_OP_MATCH_H

#include "core/op/signal.h"

/* t->with: the template's samples, which become w (t - mean t), and w, 0 or more, or no data; makes
 * t->match. GF_EINVAL if the arrays differ in shape, all weights are 0, or the weighted samples are alike. */
int gf_match_template_prepare(struct gf_signals *t);
/* GF_EINVAL unless px, which needs no data, has the template's axes, each as long at least. */
int gf_match_template_fits(const struct gf_signals *t, const struct gf_array *px);

struct gf_match_options {
    int peaks;    /* the most that are listed */
    double least; /* the score that one of them has at least */
};
extern const struct gf_match_options gf_match_defaults;
extern const struct gf_opt gf_match_rows[];

struct gf_matches {
    struct gf_match_peak *peak;
    int n;
    double best;         /* none was listed, although some were asked for: the highest, 0 without */
    struct gf_array map; /* f32 or f64, of n - m + 1 samples an axis, not contiguous */
};

/* Bytes that a run takes beside crew->held, the workspace included; px needs no data. */
int64_t gf_match_bytes(const struct gf_crew *crew, const struct gf_signals *t,
                       const struct gf_array *px);
/* Fills *m, which the caller frees after a failure too. Spends px, which crew->held counts: its samples
 * change, and the array is freed. GF_EINVAL, GF_ENOMEM or a backend's status. */
int gf_match_run(const struct gf_crew *crew, const struct gf_signals *t,
                 const struct gf_match_options *o, struct gf_array *px, struct gf_matches *m);
void gf_matches_free(struct gf_matches *m);
/* "peaks" and "best", of a run. */
void gf_match_facts(const struct gf_signals *t, const struct gf_matches *m, struct gf_facts *f);

/* The operation; it takes the template and its weights, and gives the map. */
extern const struct gf_operation_kind gf_operation_match;

#endif
