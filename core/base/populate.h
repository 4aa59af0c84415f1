/* Memory that nobody has written yet is cleared by the kernel, a page at a time, by the thread that meets it
 * first. Several threads that copy into such memory side by side meet the same huge page and wait for
 * one of them.
 *
 *     gf_populate(a.data, (size_t)gf_array_bytes(&a), 16);
 *
 *     struct gf_populating p;                     or concurrently with what comes first
 *     gf_populate_begin(&p, a.data, (size_t)gf_array_bytes(&a), 8);
 *     …
 *     gf_populate_end(&p);                                                                           */
#ifndef GF_CORE_BASE_POPULATE_H
#define GF_CORE_BASE_POPULATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Has the whole pages of the range cleared on so many threads; what is there stays as it is. Does nothing
 * where the kernel cannot (before Linux 5.14). */
void gf_populate(void *at, size_t bytes, int threads);

/* A thread that does so, with its own team. */
struct gf_populating {
    pthread_t thread;
    bool under_way;
    void *at;
    size_t bytes;
    int threads;
};

/* The memory must stay until end(). Does nothing where no thread can be started. */
void gf_populate_begin(struct gf_populating *p, void *at, size_t bytes, int threads);
/* Waits for the thread. */
void gf_populate_end(struct gf_populating *p);

#endif
