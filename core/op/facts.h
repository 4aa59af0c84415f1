/* The facts that an operation found: their keys, their units and where the values are, in a result that the
 * caller keeps.
 *
 *     struct gf_facts facts = {0};
 *     GF_FACT(&facts, "samples", NULL, &energy.samples);               a number
 *     GF_FACTS(&facts, "at", NULL, ndim, 0, 0, peak.at);               numbers of one value: a place
 *     gf_facts_begin(&facts, "rings", GF_FACT_TABLE, n);               a table of n rows
 *     GF_FACTS(&facts, "mean", NULL, 0, n, sizeof *ring, &ring->mean); a column of it
 *     gf_facts_end(&facts);
 *     gf_facts_free(&facts);
 *
 * A report prints them in this order; keys that begin with a dot only explain others to readers.
 * facts.c */
#ifndef GF_CORE_OP_FACTS_H
#define GF_CORE_OP_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gf_fact_kind {
    GF_FACT_REAL,   /* double; NaN: none */
    GF_FACT_LONG,   /* int64_t */
    GF_FACT_BOOL,   /* bool */
    GF_FACT_TEXT,   /* char[] */
    GF_FACT_RECORD, /* the facts that follow, as many as `within` */
    GF_FACT_TABLE,  /* the same, each a column */
    GF_FACT_LIST,   /* the same, each a record without a key */
};

struct gf_fact {
    const char *key, *unit; /* NULL: none */
    enum gf_fact_kind kind;
    int width;     /* 0: a value is one number; else a list of so many */
    int64_t rows;  /* of a table or a column, whose values are `stride` bytes apart */
    size_t stride; /* 0: one value */
    const void *data;
    int64_t within; /* facts that follow and belong to it, theirs included */
};

enum { GF_FACT_DEPTH = 4 };

struct gf_facts {
    int64_t n, room;
    struct gf_fact *fact;
    int depth;
    int64_t open[GF_FACT_DEPTH]; /* those that gf_facts_begin() began */
    bool missed;                 /* a fact is missing, for want of memory */
};

/* The kind of a value that is pointed to. */
#define GF_FACT_KIND(p) \
    _Generic(*(p), double \
             : GF_FACT_REAL, int64_t \
             : GF_FACT_LONG, bool \
             : GF_FACT_BOOL, char \
             : GF_FACT_TEXT)
#define GF_FACTS(f, name, of, numbers, n, step, p) \
    gf_facts_add(f, (struct gf_fact){.key = name, \
                                     .unit = of, \
                                     .kind = GF_FACT_KIND(p), \
                                     .width = numbers, \
                                     .rows = n, \
                                     .stride = step, \
                                     .data = p})
#define GF_FACT(f, name, of, p) GF_FACTS(f, name, of, 0, 0, 0, p)

void gf_facts_add(struct gf_facts *f, struct gf_fact fact);
/* Facts that are added until gf_facts_end() belong to a record, a list or a table of `rows`. */
void gf_facts_begin(struct gf_facts *f, const char *key, enum gf_fact_kind kind, int64_t rows);
void gf_facts_end(struct gf_facts *f);
void gf_facts_free(struct gf_facts *f);

#endif
