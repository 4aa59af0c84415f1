/* Pages cleared ahead of their first use, several at a time. */
#include "core/base/populate.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/huge_page.h"

void gf_populate(void *at, size_t bytes, int threads) {
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = ((uintptr_t)at + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)at + bytes) / page * page;
    const uintptr_t huge = first / GF_HUGE_PAGE * GF_HUGE_PAGE;
    if (first >= end)
        return;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (uintptr_t k = huge; k < end; k += GF_HUGE_PAGE) {
        const uintptr_t from = k < first ? first : k;
        const uintptr_t to = k + GF_HUGE_PAGE < end ? k + GF_HUGE_PAGE : end;
        madvise((void *)from, to - from, MADV_POPULATE_WRITE);
    }
#else
    (void)at, (void)bytes, (void)threads;
#endif
}
