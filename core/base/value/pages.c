/* Blocks on one huge page, taken and given back like a stack; pages cleared ahead of their first
 * use, several at a time; copies with streaming stores where the CPU has them. */
#include "core/base/value/pages.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Sanitizers see accesses beyond a block of malloc(), but not beyond one of these. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || !defined MADV_HUGEPAGE
static const bool usable = false;
#else
static const bool usable = true;
#endif

/* Precedes each block. */
struct head {
    _Alignas(64) size_t bytes; /* including the head */
    size_t before;             /* of the previous block */
    bool given_back;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(char *) page; /* lasts until the process ends */
static bool tried;
static size_t used, last; /* bytes; of the last block */

static void open_page(void) {
    tried = true;
    char *p = usable ? aligned_alloc(GF_HUGE_PAGE, GF_HUGE_PAGE) : NULL;
#ifdef MADV_HUGEPAGE
    if (p)
        madvise(p, GF_HUGE_PAGE, MADV_HUGEPAGE);
#endif
    atomic_store(&page, p);
}

void *gf_huge_page_take(size_t bytes, bool opens) {
    const size_t all = sizeof(struct head) + (bytes + 63) / 64 * 64;
    struct head *h = NULL;
    if (bytes > GF_HUGE_PAGE || (!opens && !atomic_load(&page)))
        return NULL;
    pthread_mutex_lock(&lock);
    if (!tried)
        open_page();
    char *p = atomic_load(&page);
    if (p && all <= GF_HUGE_PAGE - used) {
        h = (struct head *)(void *)(p + used);
        *h = (struct head){.bytes = all, .before = last};
        used += all;
        last = all;
    }
    pthread_mutex_unlock(&lock);
    return h ? h + 1 : NULL;
}

bool gf_huge_page_give(void *block) {
    char *p = atomic_load(&page);
    if (!p || (char *)block < p || (char *)block >= p + GF_HUGE_PAGE)
        return false;
    pthread_mutex_lock(&lock);
    struct head *h = (struct head *)block - 1;
    h->given_back = true;
    while (used > 0 && (h = (struct head *)(void *)(p + used - last))->given_back) {
        used -= last;
        last = h->before;
    }
    pthread_mutex_unlock(&lock);
    return true;
}

/* ---- clearing ahead ---- */

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

/* ---- copies ---- */

enum { LEAST = 1024, VECTOR = 16, LINE = 64 };

void gf_copy_streaming(void *to, const void *from, size_t bytes) {
#ifdef __SSE2__
    if (bytes >= LEAST) {
        char *t = to;
        const char *f = from;
        const size_t head = -(uintptr_t)to % LINE, lines = (bytes - head) / LINE * LINE;
        memcpy(t, f, head);
        t += head;
        f += head;
        for (size_t i = 0; i < lines; i += LINE)
            for (size_t j = i; j < i + LINE; j += VECTOR)
                _mm_stream_si128((__m128i *)(t + j), _mm_loadu_si128((const __m128i *)(f + j)));
        _mm_sfence();
        to = t + lines;
        from = f + lines;
        bytes -= head + lines;
    }
#endif
    memcpy(to, from, bytes);
}
