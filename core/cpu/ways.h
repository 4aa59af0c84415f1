/* Chooses among ways to run a plan by trying them out in its runs. Which is the fastest depends on
 * how soon one core sees what another has written. That takes six times as long where cores share no
 * cache, and the cores of a virtual machine move. Results are the same in every way.
 *
 *     unsigned way = gf_cpu_ways_begin(&ways);
 *     run(way);
 *     gf_cpu_ways_end(&ways);                                                               */
#ifndef GF_CORE_CPU_WAYS_H
#define GF_CORE_CPU_WAYS_H

enum { GF_CPU_MAX_WAYS = 3 };

enum gf_cpu_way {
    GF_CPU_TEAM = 1,       /* with all threads, not one */
    GF_CPU_PAST_CACHES = 2 /* passes write the workspace past the caches */
};

struct gf_cpu_ways {
    int n; /* 0: nothing to choose */
    unsigned way[GF_CPU_MAX_WAYS];
    int chosen, tried; /* which way is used, or tried now */
    int runs;          /* of this way in this trial, or since the last trial */
    double start, least[GF_CPU_MAX_WAYS];
    enum { GF_CPU_WAYS_TRY, GF_CPU_WAYS_KEEP } state;
};

/* Adds a way; the first is preferred where they are alike. */
void gf_cpu_ways_add(struct gf_cpu_ways *w, unsigned way);
/* The way of the run that begins. */
unsigned gf_cpu_ways_begin(struct gf_cpu_ways *w);
void gf_cpu_ways_end(struct gf_cpu_ways *w);

#endif
