/* Names on Windows: paths, wildcards and libraries. Nothing here calls Windows, so that it can be tested everywhere. */
#ifndef GF_CORE_BASE_HOST_WINDOWS_NAMES_H
#define GF_CORE_BASE_HOST_WINDOWS_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* True for "C:" and for what begins with it. */
static inline bool gf_windows_has_drive(const char *path) {
    return ((path[0] | 32) >= 'a' && (path[0] | 32) <= 'z') && path[1] == ':';
}

/* Makes a path of POSIX one of Windows: "\" for "/", "NUL" for "/dev/null", and "C:/" for "C:", which is what remains
 * of "C:/a" without its last part; Windows takes it as the current folder of that drive. False if it does not fit. */
static inline bool gf_windows_path(const char *path, char *out, size_t size) {
    const bool drive = gf_windows_has_drive(path) && !path[2];
    const int n =
        snprintf(out, size, "%s%s", strcmp(path, "/dev/null") ? path : "NUL", drive ? "/" : "");
    for (char *p = out; n > 0 && *p; p++)
        *p = *p == '/' ? '\\' : *p;
    return n >= 0 && (size_t)n < size;
}

/* The other direction: a program that knows "/" alone can take the path apart. */
static inline void gf_windows_to_slashes(char *path) {
    for (; *path; path++)
        *path = *path == '\\' ? '/' : *path;
}

static inline unsigned gf_windows_lower(uint16_t c) {
    return c >= 'A' && c <= 'Z' ? c + 32u : c;
}

/* Matches a name in UTF-16 with a pattern of * and ?, without regard to the case of ASCII. As in a shell, names that
 * begin with a dot match only if the pattern does. */
static inline bool gf_windows_matches(const uint16_t *pattern, const uint16_t *name) {
    const uint16_t *star = NULL, *again = NULL;
    if (*name == '.' && *pattern != '.')
        return false;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            again = name;
        } else if (*pattern &&
                   (*pattern == '?' || gf_windows_lower(*pattern) == gf_windows_lower(*name))) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

/* The name on Windows of a library that Linux knows as libNAME.so.VERSION; "" if it has none. Others stay. */
static inline const char *gf_windows_library(const char *soname) {
    static const char *const known[][2] = {
        {"libOpenCL.so.1", "OpenCL.dll"},
        {"libcuda.so.1", "nvcuda.dll"},
        {"libnvrtc.so.13", "nvrtc64_130_0.dll"},
        {"libnvrtc.so.12", "nvrtc64_120_0.dll"},
        {"libnvrtc.so.11.2", "nvrtc64_112_0.dll"},
        {"libcufft.so.12", "cufft64_12.dll"},
        {"libcufft.so.11", "cufft64_11.dll"},
        {"libcufft.so.10", "cufft64_10.dll"},
        {"libvulkan.so.1", "vulkan-1.dll"},
        {"libshaderc.so.1", "shaderc_shared.dll"},
        {"libnvidia-ml.so.1", "nvml.dll"},
        {"libfftw3f.so.3", "libfftw3f-3.dll"},
        {"libfftw3.so.3", "libfftw3-3.dll"},
        {"libmkl_rt.so.2", "mkl_rt.2.dll"},
        {"libzstd.so.1", "libzstd.dll"},
        {"libblosc.so.1", "libblosc.dll"},
        {"libdxvk_dxgi.so.0", "dxgi.dll"},
        {"libdxvk_d3d11.so.0", "d3d11.dll"},
        {"libvkd3d-shader.so.1", "libvkd3d-shader-1.dll"},
        {"libcfitsio.so.10", "libcfitsio-10.dll"},
        {"libclFFT.so.2", "clFFT.dll"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(soname, known[i][0]))
            return known[i][1];
    return strstr(soname, ".so") && !strchr(soname, '/') ? "" : soname;
}

#endif
