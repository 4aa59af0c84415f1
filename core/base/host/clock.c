/* The monotonic clock, in milliseconds. */
#include "core/base/host/clock.h"

#include <time.h>

static double ms_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

double gf_now_ms(void) {
    return ms_of(CLOCK_MONOTONIC);
}

double gf_thread_ms(void) {
    return ms_of(CLOCK_THREAD_CPUTIME_ID);
}

int gf_ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
