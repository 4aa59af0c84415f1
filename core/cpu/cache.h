/* How much the CPU's caches hold, as far as plans depend on it. */
#ifndef GF_CORE_CPU_CACHE_H
#define GF_CORE_CPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* Half of the second-level cache in bytes, which a tile and its scratch should not outgrow. */
int64_t gf_cpu_cache_share(void);

/* Half of the last-level cache in bytes, for the other programs have their share too; not more than
 * half of what a group of cores has on today's CPUs, as a virtual machine may report the sum of
 * several groups'. */
int64_t gf_cpu_last_cache_share(void);

/* True when most of this many bytes, touched in one run, are still in the threads' caches at the
 * next run. Each thread should then get the same tiles again: data that another core has written
 * cost as much to read as memory. */
bool gf_cpu_stays_cached(int64_t bytes, int threads);

#endif
