/* A list of facts that grows. */
#include "core/op/facts.h"

#include <stdlib.h>

void gf_facts_add(struct gf_facts *f, struct gf_fact fact) {
    if (f->n == f->room) {
        const int64_t room = 2 * f->room + 16;
        struct gf_fact *more = realloc(f->fact, (size_t)room * sizeof *more);
        f->missed |= !more;
        if (!more)
            return;
        f->fact = more;
        f->room = room;
    }
    f->fact[f->n++] = fact;
}

void gf_facts_begin(struct gf_facts *f, const char *key, enum gf_fact_kind kind, int64_t rows) {
    f->open[f->depth++] = f->n;
    gf_facts_add(f, (struct gf_fact){.key = key, .kind = kind, .rows = rows});
}

void gf_facts_end(struct gf_facts *f) {
    const int64_t at = f->open[--f->depth];
    if (!f->missed)
        f->fact[at].within = f->n - at - 1;
}

void gf_facts_free(struct gf_facts *f) {
    free(f->fact);
    *f = (struct gf_facts){0};
}
