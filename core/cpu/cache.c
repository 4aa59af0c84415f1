/* How much the CPU's caches hold. */
#include "core/cpu/cache.h"

#include <unistd.h>

int64_t gf_cpu_cache_share(void) {
    long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return (cache > 0 ? cache : 1 << 20) / 2;
}

int64_t gf_cpu_last_cache_share(void) {
    const int64_t most = 16 << 20, least = 1 << 20;
    int64_t share = sysconf(_SC_LEVEL3_CACHE_SIZE) / 2;
    return share > most ? most : share > least ? share : least;
}

bool gf_cpu_stays_cached(int64_t bytes, int threads) {
    return bytes <= 4 * gf_cpu_cache_share() * threads;
}
