/* Blocks on one huge page, taken and given back like a stack. */
#include "core/base/huge_page.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Sanitizers see what is beyond the end of a block of malloc(), not of one of these. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || !defined MADV_HUGEPAGE
static const bool usable = false;
#else
static const bool usable = true;
#endif

/* Before each block. */
struct head {
    _Alignas(64) size_t bytes; /* with the head */
    size_t before;             /* those of the block before */
    bool given_back;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(char *) page; /* stays until the process ends */
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
