/* Memory that is cleared ahead: whole pages of the range are there, what was written stays, and neither side
 * of it is touched. Streaming copies at every alignment, and the stack of blocks on the huge page. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/value/pages.h"
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

/* Copies all bytes and touches none beside them, whatever the alignments and the rest after whole lines. */
static void check_copy(size_t to_at, size_t from_at, size_t bytes) {
    enum { ROOM = 4096, BESIDE = 0xa5 };
    static unsigned char _Alignas(64) from[ROOM], to[ROOM];
    size_t wrong = 0;
    for (size_t i = 0; i < ROOM; i++)
        from[i] = (unsigned char)(i * 7 + i / 251);
    memset(to, BESIDE, sizeof to);
    gf_copy_streaming(to + to_at, from + from_at, bytes);
    for (size_t i = 0; i < ROOM; i++)
        wrong += to[i] != (i >= to_at && i < to_at + bytes ? from[i - to_at + from_at] : BESIDE);
    CHECK_MSG(!wrong, "%zu bytes from %zu to %zu: %zu are wrong", bytes, from_at, to_at, wrong);
}

static void check_copies(void) {
    static const size_t bytes[] = {0, 1, 1023, 1024, 1025, 1087, 1088, 1100, 2047, 3001};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (size_t at = 64; at < 128; at += 7)
            for (size_t from = 64; from < 128; from += 21)
                check_copy(at, from, bytes[i]);
}

/* Blocks that are given back out of order leave room again once those after them are back. */
static void check_stack(void) {
    enum { SOME = 1000, MORE = 5000, MOST = GF_HUGE_PAGE - 64 };
    char *a = gf_huge_page_take(SOME, true), *b = gf_huge_page_take(MORE, false);
    if (!a) { /* sanitizers, and kernels without huge pages */
        CHECK(!b);
        return;
    }
    char *c = gf_huge_page_take(SOME, false);
    CHECK(b >= a + SOME && c >= b + MORE && (size_t)b % 64 == 0);
    CHECK(!gf_huge_page_take(MOST, false) && !gf_huge_page_give(&c));
    CHECK(gf_huge_page_give(b) && gf_huge_page_give(c));
    CHECK(gf_huge_page_take(MORE, false) == (void *)b);
    CHECK(gf_huge_page_give(a) && !gf_huge_page_take(MOST, false) && gf_huge_page_give(b));
    CHECK(gf_huge_page_take(MOST, false) == (void *)a);
    CHECK(gf_huge_page_give(a));
}

int main(void) {
    for (int threads = 1; threads <= 4; threads += 3)
        RUN(case_name("%d threads clear whole pages and nothing beside them", threads),
            check_range(threads));
    gf_populate(NULL, 0, 4);
    RUN("streaming copies take all bytes and no others", check_copies());
    RUN("blocks on the huge page are taken and given back like a stack", check_stack());
    return TEST_END();
}
