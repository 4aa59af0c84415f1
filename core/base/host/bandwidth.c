/* How fast this machine copies: the best of several runs over arrays larger than the caches. */
#include "core/base/host/bandwidth.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/value/array.h"
#include "core/base/host/memory.h"
#include "core/base/value/status.h"
#include "core/base/value/pages.h"

enum { RUNS = 5, GRAIN = 4096 };

/* Upper bound of the last-level cache of `threads` threads, one each. The C library counts all
 * caches of the CPU model, of which a virtual machine may have few; the kernel reports the real
 * size. */
static int64_t last_cache(int threads) {
    int64_t cache = 0, kib = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    FILE *f = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "re");
    if (f && (fscanf(f, "%" SCNd64 "K", &kib) != 1 || kib < 1 || kib > INT64_C(1) << 32))
        kib = 0;
    if (f)
        fclose(f);
    return kib && kib * 1024 * threads < cache ? kib * 1024 * threads : cache;
}

/* Twice the cache, so that little of the data is still cached in the next run. */
static int64_t size_to_copy(int threads) {
    int64_t least = INT64_C(64) << 20, cache = last_cache(threads);
    int64_t bytes = cache > least / 2 ? 2 * cache : least;
    while (bytes > least / 8 && 3 * bytes > gf_memory_available())
        bytes /= 2;
    return bytes / GRAIN * GRAIN;
}

static double run(char *to, const char *from, int64_t bytes, int threads, bool streaming) {
    double start = omp_get_wtime();
#pragma omp parallel num_threads(threads)
    {
        int64_t grains = bytes / GRAIN, me = omp_get_thread_num(), all = omp_get_num_threads();
        size_t first = (size_t)(grains * me / all * GRAIN);
        size_t count = (size_t)(grains * (me + 1) / all * GRAIN) - first;
        if (streaming)
            gf_copy_streaming(to + first, from + first, count);
        else
            memcpy(to + first, from + first, count);
    }
    return omp_get_wtime() - start;
}

int gf_bandwidth_copy(int threads, double *bytes_a_second) {
    int64_t bytes = size_to_copy(threads);
    char *from = gf_alloc((size_t)bytes), *to = gf_alloc((size_t)bytes);
    double best = 0;
    int rc = 0;
    *bytes_a_second = 0;
    if (!from || !to) {
        rc = gf_fail(GF_ENOMEM, "no memory to measure the copy bandwidth");
        goto out;
    }
    /* Untouched pages all map to one zero page; the first write allocates them. */
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < bytes; i += GRAIN) {
        memset(from + i, (int)(i / GRAIN) | 1, GRAIN);
        memset(to + i, 0, GRAIN);
    }
    for (int i = 0; i < 2 * RUNS; i++) {
        double rate = 2 * (double)bytes / run(to, from, bytes, threads, i & 1);
        best = rate > best ? rate : best;
    }
    *bytes_a_second = best;
out:
    gf_free(from);
    gf_free(to);
    return rc;
}
