/* Calls of a library that may crash on damaged files, in a child process. */
#ifndef GF_FORMATS_IO_ISOLATED_H
#define GF_FORMATS_IO_ISOLATED_H

#include <stddef.h>

/* Sets the n bytes at `to`, and *result, to those of work(user, n, to) in a child, which changes nothing
 * else; *result is -1 if it crashes. GF_ENOMEM, GF_EIO. */
int gf_isolated(int (*work)(const void *user, size_t n, void *to), const void *user, size_t n,
                void *to, int *result);

#endif
