/* Names the planner's decisions, so that a plan can be written down and made again. Where the
 * planner takes the cheapest alternative, it offers each:
 *
 *     struct gf_gpu_decision d = gf_gpu_decision_begin(p);
 *     for (each alternative)
 *         if (gf_gpu_decision_offer(&d, cost, "%dx%d", lines, threads))
 *             best = alternative;
 *     int rc = gf_gpu_decision_end(&d);
 *
 * The names taken, separated by spaces, are the plan's script. Without gf_gpu_choices, and for
 * trial passes, the planner decides by cost and records nothing. */
#ifndef GF_CORE_GPU_PLAN_DECISION_H
#define GF_CORE_GPU_PLAN_DECISION_H

#include "core/gpu/plan/plan.h"

enum {
    GF_GPU_SCRIPT = 512,     /* bytes of a script, with its zero */
    GF_GPU_NAME = 24,        /* of an alternative's name */
    GF_GPU_DECISIONS = 24,   /* most of a plan */
    GF_GPU_ALTERNATIVES = 40 /* of a decision: dearer ones are no choice */
};

/* The script that a plan follows, and the decisions taken. */
struct gf_gpu_choices {
    const char *script; /* first decisions; later ones, or with NULL all, go by cost */
    int n;
    char taken[GF_GPU_DECISIONS][GF_GPU_NAME];
    char next[GF_GPU_DECISIONS][GF_GPU_NAME]; /* the next dearer alternative; "": none */
};

struct gf_gpu_decision {
    struct gf_gpu_choices *choices; /* NULL: not recorded */
    char wanted[GF_GPU_NAME];       /* by the script; "": the cheapest */
    char taken[GF_GPU_NAME];
    bool found;
    double least;
    int n; /* offered, rising by cost */
    struct gf_gpu_alternative {
        double cost;
        char name[GF_GPU_NAME];
    } alternative[GF_GPU_ALTERNATIVES];
};

/* NULL: the decision is not recorded. */
struct gf_gpu_decision gf_gpu_decision_begin(const struct gf_gpu_plan *p);
/* True if the caller should take this alternative instead of the last taken. Names have no
   space. */
bool gf_gpu_decision_offer(struct gf_gpu_decision *d, double cost, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
/* GF_EUNSUPP: none was offered, or none of the script's name. */
int gf_gpu_decision_end(struct gf_gpu_decision *d);

/* The whole script; false: too long. */
bool gf_gpu_choices_text(const struct gf_gpu_choices *c, char script[GF_GPU_SCRIPT]);
/* Word `i`; "" beyond the end, or if too long for a name. */
void gf_gpu_script_word(const char *script, int i, char word[GF_GPU_NAME]);

/* ---- candidates.c: plans that are expected to be the cheapest ---- */

enum { GF_GPU_CANDIDATES = 12 };

struct gf_gpu_candidate {
    char script[GF_GPU_SCRIPT];
    double cost; /* gf_gpu_plan_cost() */
};

/* True for an FFT that is not part of a larger one. */
bool gf_gpu_can_choose(const struct gf_job *job);
/* Lists the plan made without measuring, then others in ascending order of cost. Returns their
 * number, or a negative code if the job has no plan. */
int gf_gpu_candidates(const struct gf_job *job, const struct gf_gpu_props *props,
                      struct gf_gpu_candidate list[GF_GPU_CANDIDATES]);

#endif
