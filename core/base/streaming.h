/* A copy of memory that is not read again soon: past the caches, which spares the read of every
 * line before it is overwritten. */
#ifndef GF_CORE_BASE_STREAMING_H
#define GF_CORE_BASE_STREAMING_H

#include <stddef.h>

/* As memcpy(). */
void gf_copy_streaming(void *to, const void *from, size_t bytes);

#endif
