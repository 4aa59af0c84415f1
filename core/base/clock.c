/* The monotonic clock, in milliseconds. */
#include "core/base/clock.h"

#include <time.h>

double gf_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
