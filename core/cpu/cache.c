/* How much the CPU's caches hold. */
#include "core/cpu/cache.h"

#include <unistd.h>

int64_t gf_cpu_cache_share(void) {
    long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return (cache > 0 ? cache : 1 << 20) / 2;
}

bool gf_cpu_stays_cached(int64_t bytes, int threads) {
    return bytes <= 4 * gf_cpu_cache_share() * threads;
}
