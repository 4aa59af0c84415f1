/* Ranks that are threads of one process: a struct gf_transport without MPI. */
#ifndef GF_TESTS_THREAD_RANKS_H
#define GF_TESTS_THREAD_RANKS_H

#include "core/base/job/ranks.h"

enum { THREAD_RANKS_MOST = 8 };

/* Calls body(user, ranks) on n threads, each a rank, and returns when all have returned. */
void thread_ranks_run(int n, void (*body)(void *user, struct gf_ranks *ranks), void *user);

#endif
