/* Finds the cheapest plans, in ascending order of cost. A plan is a sequence of decisions, each
 * taking its cheapest, second, third … alternative. Its successors advance one decision: the last
 * one that is not at its cheapest, or a later one. Every sequence is thus generated once (Lawler
 * 1972, A procedure for computing the K best solutions to discrete optimization problems). */

#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "core/gpu/plan/make.h"

enum { MOST = 512 }; /* plans made; some jobs have more */

/* Each decision that departs from the cheapest adds `changed`, so plans of similar cost that differ
 * in one decision come first. The search begins with the neighbours of the estimated best plan that
 * cost less than `far` times as much: if one estimate is wrong, the others may be right. */
static const double changed = 0.05, far = 1.3;

struct node {
    struct gf_gpu_choices choices;
    int from, changes; /* first decision that may still change; departures from the cheapest */
    double cost, rank;
    bool expanded;
};

struct search {
    const struct gf_job *job;
    const struct gf_gpu_props *props;
    struct node *node;
    int n;
};

bool gf_gpu_can_choose(const struct gf_job *job) {
    bool parts = job->whole.axes || job->line || job->elsewhere || job->in_pitch || job->out_pitch;
    for (int i = 0; i < job->n_out; i++)
        parts = parts || job->out[i].packed || job->out[i].packed_within;
    return job->op == GF_FFT && !parts;
}

/* Adds the plan of a script, if it exists and fits in the list. */
static int add(struct search *s, const struct node *parent, const char *script, int from,
               int changes) {
    struct gf_gpu_plan *p;
    struct node *node = &s->node[s->n];
    if (s->n == MOST)
        return GF_EUNSUPP;
    *node = (struct node){.choices = {.script = script}, .from = from, .changes = changes};
    int rc = gf_gpu_plan_make_chosen(s->job, s->props, &node->choices, &p);
    if (rc)
        return rc;
    node->cost = gf_gpu_plan_cost(p);
    node->rank = node->cost * (1 + changed * changes);
    if (changes == 1 && parent == s->node && node->cost < far * parent->cost)
        node->rank = parent->cost;
    gf_gpu_plan_free(p);
    s->n++;
    return 0;
}

static void expand(struct search *s, struct node *node) {
    node->expanded = true;
    for (int i = node->from; i < node->choices.n; i++) {
        struct gf_gpu_choices changed = node->choices;
        char script[GF_GPU_SCRIPT];
        if (!changed.next[i][0])
            continue;
        memcpy(changed.taken[i], changed.next[i], GF_GPU_NAME);
        changed.n = i + 1;
        if (gf_gpu_choices_text(&changed, script))
            add(s, node, script, i, node->changes + (i > node->from || !node->changes));
    }
}

static struct node *cheapest(const struct search *s) {
    struct node *best = NULL;
    for (int i = 0; i < s->n; i++)
        if (!s->node[i].expanded && (!best || s->node[i].rank < best->rank))
            best = &s->node[i];
    return best;
}

static bool take(const struct node *node, struct gf_gpu_candidate *to) {
    to->cost = node->cost;
    return gf_gpu_choices_text(&node->choices, to->script);
}

int gf_gpu_candidates(const struct gf_job *job, const struct gf_gpu_props *props,
                      struct gf_gpu_candidate list[GF_GPU_CANDIDATES]) {
    struct search s = {job, props, calloc(MOST, sizeof *s.node), 0};
    struct node *node;
    const char *way;
    int n = 0;
    if (!s.node)
        return gf_no_memory();
    int rc = add(&s, NULL, NULL, 1, 0);
    if (!rc && take(s.node, list))
        n++;
    for (int i = 0; !rc && (way = gf_gpu_plan_way(i)); i++)
        if (strcmp(way, s.node->choices.taken[0]))
            add(&s, NULL, way, 1, 0);
    while (!rc && n && n < GF_GPU_CANDIDATES && (node = cheapest(&s))) {
        n += node != s.node && take(node, &list[n]);
        expand(&s, node);
    }
    free(s.node);
    return rc ? rc : n;
}
