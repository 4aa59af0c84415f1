/* Trials of ways to run a plan. */
#include "core/cpu/ways.h"

#include <math.h>

#include "core/base/host/clock.h"

/* A way's first run does not count: cache lines are still where another way left them. */
enum { RUNS_A_TRIAL = 5, RUNS_BETWEEN = 300 };

void gf_cpu_ways_add(struct gf_cpu_ways *w, unsigned way) {
    w->way[w->n++] = way;
}

unsigned gf_cpu_ways_begin(struct gf_cpu_ways *w) {
    if (w->tried == w->n)
        return w->way[w->chosen];
    w->start = gf_now_ms();
    return w->way[w->tried];
}

static void choose(struct gf_cpu_ways *w) {
    const double clearly = 0.95;
    w->chosen = 0;
    for (int i = 1; i < w->n; i++)
        if (w->least[i] < w->least[w->chosen] * clearly)
            w->chosen = i;
}

void gf_cpu_ways_end(struct gf_cpu_ways *w) {
    w->runs++;
    if (w->tried == w->n) {
        if (w->runs == RUNS_BETWEEN)
            w->tried = w->runs = 0;
        return;
    }
    if (w->runs == 1)
        w->least[w->tried] = INFINITY;
    else
        w->least[w->tried] = fmin(w->least[w->tried], gf_now_ms() - w->start);
    if (w->runs < RUNS_A_TRIAL)
        return;
    w->runs = 0;
    if (++w->tried == w->n)
        choose(w);
}
