/* Statistics of a row's measurements. */
#ifndef GF_CLI_RESULTS_TIMES_H
#define GF_CLI_RESULTS_TIMES_H

#include <stdbool.h>

struct gf_times {
    int runs;
    double median, least, p90; /* seconds; p90: nine runs in ten stay within */
};

/* Sorts the `n` times. */
struct gf_times gf_times_of(double *seconds, int n);
/* Whether the median exceeds twice the least: something else ran on the machine. */
bool gf_times_are_noisy(const struct gf_times *t);
/* The one whose median is nearer to its least. */
const struct gf_times *gf_times_quieter(const struct gf_times *a, const struct gf_times *b);

/* How fast a row was; rate 0: there is none. Rows of other axes do not compare. */
struct gf_trend {
    unsigned axes;
    double points, rate; /* operations a second */
};
/* Whether the row is at less than a quarter of the rate of the one before it, which had up to 16 times as
 * many points or as few. The end of a cache seldom costs as much. */
bool gf_trend_breaks(const struct gf_trend *before, const struct gf_trend *row);

#endif
