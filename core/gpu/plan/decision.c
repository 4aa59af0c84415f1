/* Records named alternatives with their costs: the one taken and the next dearer. */
#include "core/gpu/plan/decision.h"

#include <stdarg.h>
#include <string.h>

#include "core/base/value/status.h"

void gf_gpu_script_word(const char *script, int i, char word[GF_GPU_NAME]) {
    const char *at = script ? script : "";
    while (i-- > 0 && *at) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    const size_t n = strcspn(at, " ");
    snprintf(word, GF_GPU_NAME, "%.*s", n < GF_GPU_NAME ? (int)n : 0, at);
}

bool gf_gpu_choices_text(const struct gf_gpu_choices *c, char script[GF_GPU_SCRIPT]) {
    size_t used = 0;
    for (int i = 0; i < c->n && used < GF_GPU_SCRIPT; i++)
        used += (size_t)snprintf(script + used, GF_GPU_SCRIPT - used, "%s%s", i ? " " : "",
                                 c->taken[i]);
    return c->n && used < GF_GPU_SCRIPT;
}

struct gf_gpu_decision gf_gpu_decision_begin(const struct gf_gpu_plan *p) {
    struct gf_gpu_decision d;
    d.choices = p && !p->trial ? p->choices : NULL;
    d.wanted[0] = d.taken[0] = 0;
    d.found = false;
    d.least = 1e300;
    d.n = 0;
    if (d.choices)
        gf_gpu_script_word(d.choices->script, d.choices->n, d.wanted);
    return d;
}

/* Inserts in ascending order of cost, after equal ones. */
static void insert(struct gf_gpu_decision *d, double cost, const char *name) {
    int at = d->n;
    while (at > 0 && d->alternative[at - 1].cost > cost)
        at--;
    if (at == GF_GPU_ALTERNATIVES)
        return;
    d->n += d->n < GF_GPU_ALTERNATIVES;
    memmove(&d->alternative[at + 1], &d->alternative[at],
            (size_t)(d->n - 1 - at) * sizeof d->alternative[0]);
    d->alternative[at].cost = cost;
    snprintf(d->alternative[at].name, GF_GPU_NAME, "%s", name);
}

bool gf_gpu_decision_offer(struct gf_gpu_decision *d, double cost, const char *format, ...) {
    bool takes = cost < d->least;
    if (d->choices) {
        char name[GF_GPU_NAME];
        va_list ap;
        va_start(ap, format);
        vsnprintf(name, sizeof name, format, ap);
        va_end(ap);
        insert(d, cost, name);
        takes = d->wanted[0] ? !d->found && !strcmp(name, d->wanted) : takes;
        if (takes)
            memcpy(d->taken, name, sizeof name);
    }
    if (takes)
        d->least = cost;
    d->found = d->found || takes;
    return takes;
}

int gf_gpu_decision_end(struct gf_gpu_decision *d) {
    struct gf_gpu_choices *c = d->choices;
    if (!d->found)
        return gf_fail(GF_EUNSUPP, "a plan has no alternative '%s'", d->wanted);
    if (!c)
        return 0;
    if (c->n == GF_GPU_DECISIONS)
        return gf_fail(GF_EUNSUPP, "a plan of more than %d decisions", GF_GPU_DECISIONS);
    int i = 0;
    while (i < d->n && strcmp(d->alternative[i].name, d->taken))
        i++;
    memcpy(c->taken[c->n], d->taken, GF_GPU_NAME);
    snprintf(c->next[c->n], GF_GPU_NAME, "%s", i + 1 < d->n ? d->alternative[i + 1].name : "");
    c->n++;
    return 0;
}
