/* A kernel's source as one text, because NVRTC and OpenCL open no files.
 *
 *     char *text;
 *     int rc = gf_kernel_source(env, "fft_plain.cl", &text);
 *     …
 *     free(text);
 */
#ifndef GF_CORE_GPU_KERNEL_SOURCE_H
#define GF_CORE_GPU_KERNEL_SOURCE_H

#include "core/base/host/environment.h"

/* Sets *text, which the caller frees, to kernels/`file` with #line markers and each #include "…"
 * replaced by that file, or by nothing if its guard would skip it. Files are embedded in the
 * program, or read from the kernel folder of core/base/host/environment.h. */
int gf_kernel_source(const struct gf_environment *env, const char *file, char **text);

struct gf_kernel_file {
    const char *name;          /* "load.comp"; NULL ends the table */
    const char *path;          /* "gl/load.comp", within kernels/ */
    const unsigned char *text; /* ends with a zero */
};

extern const struct gf_kernel_file gf_kernel_files[];
/* A checksum of core/gpu/plan/ and kernels/: kept plans with another belong to another program. */
extern const char gf_planner_sum[];

#endif
