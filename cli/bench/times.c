/* Medians, and tests whether to trust them. */
#include "cli/bench/bench.h"

#include <stdlib.h>

#include "core/base/host/clock.h"

struct gf_times gf_times_of(double *seconds, int n) {
    if (n < 1)
        return (struct gf_times){0};
    qsort(seconds, (size_t)n, sizeof *seconds, gf_ascending);
    return (struct gf_times){.runs = n,
                             .least = seconds[0],
                             .median = (seconds[(n - 1) / 2] + seconds[n / 2]) / 2,
                             .p90 = seconds[(9 * n + 9) / 10 - 1]};
}

bool gf_times_are_noisy(const struct gf_times *t) {
    return t->median > 2 * t->least;
}

const struct gf_times *gf_times_quieter(const struct gf_times *a, const struct gf_times *b) {
    return b->median * a->least < a->median * b->least ? b : a;
}

bool gf_trend_breaks(const struct gf_trend *before, const struct gf_trend *row) {
    double step = row->points / before->points;
    return before->rate > 0 && before->axes == row->axes && step <= 16 && step >= 1. / 16 &&
           row->rate < before->rate / 4;
}
