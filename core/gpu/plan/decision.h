/* Names the planner's decisions, so that a plan can be recorded and made again. To take the
 * cheapest alternative, the planner offers each:
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
    GF_GPU_SCRIPT = 512,     /* bytes of a script, with its terminator */
    GF_GPU_NAME = 24,        /* bytes of a name, likewise */
    GF_GPU_DECISIONS = 24,   /* maximum for a plan */
    GF_GPU_ALTERNATIVES = 40 /* maximum for a decision; dearer ones are dropped */
};

/* The script to follow and the decisions taken. */
struct gf_gpu_choices {
    const char *script; /* decisions beyond its end, or all if NULL, go by cost */
    int n;
    char taken[GF_GPU_DECISIONS][GF_GPU_NAME];
    char next[GF_GPU_DECISIONS][GF_GPU_NAME]; /* next dearer alternative; "": none */
};

struct gf_gpu_decision {
    struct gf_gpu_choices *choices; /* NULL: not recorded */
    char wanted[GF_GPU_NAME];       /* by the script; "": the cheapest */
    char taken[GF_GPU_NAME];
    bool found;
    double least;
    int n; /* alternatives, in ascending order of cost */
    struct gf_gpu_alternative {
        double cost;
        char name[GF_GPU_NAME];
    } alternative[GF_GPU_ALTERNATIVES];
};

/* Starts a decision, unrecorded if p is NULL. */
struct gf_gpu_decision gf_gpu_decision_begin(const struct gf_gpu_plan *p);
/* True if the caller should take this alternative instead of the previous one. Names contain no
 * spaces. */
bool gf_gpu_decision_offer(struct gf_gpu_decision *d, double cost, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
/* GF_EUNSUPP: no alternative was offered, or none with the script's name. */
int gf_gpu_decision_end(struct gf_gpu_decision *d);

/* Writes the whole script; false if it is too long. */
bool gf_gpu_choices_text(const struct gf_gpu_choices *c, char script[GF_GPU_SCRIPT]);
/* Copies word `i`; "" beyond the end or if too long for a name. */
void gf_gpu_script_word(const char *script, int i, char word[GF_GPU_NAME]);

/* ---- candidates.c: the plans with the lowest estimated cost ---- */

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
