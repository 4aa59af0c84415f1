/* Memory that nobody has written yet is cleared by the kernel, a page at a time, by the thread that
 * meets it first. Several threads that copy into such memory side by side meet the same huge page
 * and wait for one of them.
 *
 *     gf_populate(a.data, (size_t)gf_array_bytes(&a), 16); */
#ifndef GF_CORE_BASE_POPULATE_H
#define GF_CORE_BASE_POPULATE_H

#include <stddef.h>

/* Has the whole pages of the range cleared on so many threads; what is there stays as it is. Does
 * nothing where the kernel cannot (before Linux 5.14). */
void gf_populate(void *at, size_t bytes, int threads);

#endif
