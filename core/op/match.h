/* Finds a template in lines, pictures and volumes: the score of every place, and the best ones.
 *
 * The score is normalised cross-correlation of signals (core/op/signal.h); core/compare/match.h has its
 * sources. A prepared template is constant, for any number of signals and threads. match.c */
#ifndef GF_CORE_OP_MATCH_H
#define GF_CORE_OP_MATCH_H

#include "core/op/signal.h"

struct gf_match_options {
    struct gf_signal_options signal; /* double by default */
    int peaks;                       /* the most that are listed */
    double least;                    /* the score that one of them has at least */
};
extern const struct gf_match_options gf_match_defaults;
extern const struct gf_opt gf_match_rows[];

/* The operation; it takes the template and its weights, 0 or more, and gives the map of scores, of n - m + 1
 * samples an axis. */
extern const struct gf_operation_kind gf_operation_match;

#endif
