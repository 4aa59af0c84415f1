/* Memory that is cleared ahead: whole pages of the range are there, what was written stays, and neither side
 * of it is touched. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/pages.h"
#include "tests/test.h"

enum { BYTES = 9 << 20, FIRST = 12345, LENGTH = (7 << 20) + 77 };

/* Whether the kernel can: asked of one page. */
static bool is_possible(void *page) {
#ifdef MADV_POPULATE_WRITE
    return !madvise(page, (size_t)sysconf(_SC_PAGESIZE), MADV_POPULATE_WRITE);
#else
    (void)page;
    return false;
#endif
}

static void check_range(int threads) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t first = (FIRST + page - 1) / page, end = (FIRST + (size_t)LENGTH) / page;
    unsigned char resident[BYTES / 4096], *at;
    at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || !is_possible(at)) {
        printf("populate: skipped: this kernel does not clear pages ahead\n");
        return;
    }
    madvise(at, BYTES, MADV_NOHUGEPAGE); /* which would be there as a whole */
    memset(at + 5 * page, 7, page);
    gf_populate(at + FIRST, LENGTH, threads);
    CHECK(!mincore(at, BYTES, resident));
    size_t there = 0, beside = 0, kept = 0;
    for (size_t i = 1; i < BYTES / page; i++)
        *(i >= first && i < end ? &there : &beside) += resident[i] & 1;
    CHECK_EQ(there, end - first);
    CHECK_EQ(beside, 0);
    for (size_t i = 0; i < page; i++)
        kept += at[5 * page + i] == 7 && !at[6 * page + i];
    CHECK_EQ(kept, page);
    munmap(at, BYTES);
}

int main(void) {
    for (int threads = 1; threads <= 4; threads += 3)
        RUN(case_name("%d threads clear whole pages and nothing beside them", threads),
            check_range(threads));
    gf_populate(NULL, 0, 4);
    return TEST_END();
}
