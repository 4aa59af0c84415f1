/* Paths and names, as the system takes them. */
#ifndef GF_CORE_BASE_HOST_PATH_H
#define GF_CORE_BASE_HOST_PATH_H

#include <stdbool.h>
#include <string.h>

/* True for a path that does not depend on the current folder; on Windows it may begin with "C:". */
static inline bool gf_path_is_absolute(const char *path) {
#ifdef _WIN32
    if (path[0] && path[1] == ':')
        path += 2;
#endif
    return *path == '/';
}

/* Orders names in a folder. 0 if they are one file's, which on Windows may differ in case. */
#ifdef _WIN32
int gf_name_compare(const char *a, const char *b);
#else
static inline int gf_name_compare(const char *a, const char *b) {
    return strcmp(a, b);
}
#endif

#endif
