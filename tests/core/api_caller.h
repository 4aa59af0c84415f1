/* A thread that makes random calls of the library, right and wrong ones, of what is its own and of a library and
 * plans that all threads share. Its arrays are never shorter than what it says of them.
 *
 *     struct caller c = {.number = 1, .state = seed};
 *     caller_arm(&c);
 *     caller_judge(&c, "run", gpufft_run(NULL), GPUFFT_EUSAGE);        c.wrong counts other results
 *
 * The linker's --wrap leads its allocations to api_caller.c, where they fail on demand. */
#ifndef GF_TESTS_API_CALLER_H
#define GF_TESTS_API_CALLER_H

#include <pthread.h>

#include "core/api/gpufft.h"
#include "tests/test.h"

enum { POOL = 6, ROOM = 1 << 16 };

struct plan {
    struct gpufft_plan *plan;
    struct gpufft_transform t;
    int64_t low[2], high[2]; /* bytes around the first element, of input and output */
    int library;             /* its number; 0: the shared one */
};

struct caller {
    int number;
    uint64_t state;
    int64_t calls, wrong, good, canceled, starved;
    char first[256];        /* the first wrong result */
    struct gpufft *library; /* its own; NULL: closed */
    int serial;             /* the number of its own, or of the next one */
    struct plan plan[POOL];
    struct bound {
        struct gpufft_bound *bound;
        struct plan of;
        const char *in, *out;
        uint32_t result; /* checksum of a run's output; 0: unknown */
    } bound[POOL];
    struct op {
        struct gpufft_operation *op;
        int library;
    } op[POOL];
    struct gpufft_image *image;
    int image_library;
    _Alignas(64) char memory[ROOM];
};

extern struct caller_shared {
    pthread_rwlock_t lock; /* of `library`, not of what was made from it */
    struct gpufft *library;
    struct plan plan[POOL];
} caller_shared;
extern _Alignas(64) char caller_input[ROOM]; /* never written while threads call */

/* ---- one call ---- */

extern _Thread_local int64_t caller_ticks; /* until the next call is canceled */
extern _Thread_local int caller_starves;   /* at its nth allocation; 0: none fails */
extern _Thread_local bool caller_starved;

int64_t caller_pick(struct caller *c, int64_t n); /* 0 to n - 1 */
int64_t caller_any(struct caller *c);
/* A struct's size as a caller may mistake it. One that is larger than the struct is the caller's word for it. */
size_t caller_size(struct caller *c, size_t right);
int caller_tick(void *user, double done);
/* Before a call: some tick may cancel it, or an allocation fail. */
void caller_arm(struct caller *c);

enum { UNKNOWN = 0, FAILS = 1 };
/* Takes the result of a call, and returns it. expected: the code, UNKNOWN, or FAILS with any. */
int caller_judge(struct caller *c, const char *name, int rc, int expected);
/* The result to expect of a call on something that was made from a library, whose end is found before anything else. */
int caller_expect(const struct caller *c, int library, int expected);

/* Borrows a library, or NULL; *number becomes its number. */
struct gpufft *caller_borrow(struct caller *c, int *number);
void caller_give_back(void);

/* ---- calls ---- */

/* Opens the thread's own library or closes it; now and then all threads' one is closed. */
void caller_library(struct caller *c);
struct gpufft_transform caller_transform(struct caller *c);
void caller_make_plan(struct caller *c, struct gpufft *library, int number, struct plan *p);
void caller_plan(struct caller *c);
void caller_bound(struct caller *c);

#endif
