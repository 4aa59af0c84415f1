/* Finds the fastest way to run a plan by trials during its runs. It depends on how soon one core
 * sees another's writes, which takes six times longer without a shared cache; and the cores of a
 * virtual machine move. All ways give the same results.
 *
 *     unsigned way = gf_cpu_ways_begin(&ways);
 *     run(way);
 *     gf_cpu_ways_end(&ways); */
#ifndef GF_CORE_CPU_WAYS_H
#define GF_CORE_CPU_WAYS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { GF_CPU_MAX_WAYS = 3 };

enum gf_cpu_way {
    GF_CPU_TEAM = 1,       /* with all threads instead of one */
    GF_CPU_PAST_CACHES = 2 /* passes write the workspace past the caches */
};

struct gf_cpu_ways {
    int n; /* 0: nothing to choose */
    unsigned way[GF_CPU_MAX_WAYS];
    int chosen, tried; /* in use; on trial, n between trials */
    int runs;          /* of this way in this trial, or since the last trial */
    double start, least[GF_CPU_MAX_WAYS];
};

/* Adds a way; the first one stays unless another is clearly faster. */
void gf_cpu_ways_add(struct gf_cpu_ways *w, unsigned way);
/* The way for the run about to begin. */
unsigned gf_cpu_ways_begin(struct gf_cpu_ways *w);
void gf_cpu_ways_end(struct gf_cpu_ways *w);

/* Distributes the chunks of a parallel loop. Each thread first takes its own share, the same in
 * every run, so that its caches still hold it; then whatever others have left.
 *
 *     gf_cpu_share_out(shares, threads, chunks);          before the threads begin
 *     for (long c, end; gf_cpu_share_take(shares, threads, me, at_once, &c, &end);)
 *         for (; c < end; c++)
 *             run(c); */

/* One thread's share, in a separate cache line. */
struct gf_cpu_share {
    _Alignas(64) atomic_long next;
    int64_t end;
};

static inline void gf_cpu_share_out(struct gf_cpu_share *shares, int threads, int64_t chunks) {
    for (int t = 0; t < threads; t++) {
        atomic_store_explicit(&shares[t].next, chunks * t / threads, memory_order_relaxed);
        shares[t].end = chunks * (t + 1) / threads;
    }
}

/* Takes up to `at_once` chunks, *first to *end - 1. False if none are left. */
static inline bool gf_cpu_share_take(struct gf_cpu_share *shares, int threads, int me,
                                     int64_t at_once, int64_t *first, int64_t *end) {
    for (int i = 0; i < threads; i++) {
        struct gf_cpu_share *s = &shares[me + i < threads ? me + i : me + i - threads];
        if (atomic_load_explicit(&s->next, memory_order_relaxed) >= s->end)
            continue;
        *first = atomic_fetch_add_explicit(&s->next, at_once, memory_order_relaxed);
        *end = *first + at_once < s->end ? *first + at_once : s->end;
        if (*first < s->end)
            return true;
    }
    return false;
}

#endif
