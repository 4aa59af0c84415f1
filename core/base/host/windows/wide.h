/* Between files.c and system.c, which implement posix.h. */
#ifndef GF_CORE_BASE_HOST_WINDOWS_WIDE_H
#define GF_CORE_BASE_HOST_WINDOWS_WIDE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Sets errno by GetLastError(); returns -1. */
int gf_windows_fail(void);
/* A path as Windows takes it, of any length; false, with errno, if it cannot be one. */
bool gf_windows_wide(const char *path, wchar_t out[PATH_MAX]);
/* UTF-16 as UTF-8 with slashes; false, with errno, if it does not fit. */
bool gf_windows_narrow(const wchar_t *text, char *out, size_t size);

#endif
