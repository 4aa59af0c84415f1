/* The source text of a kernel as one file, because NVRTC and OpenCL open none.
 *
 *     char *text;
 *     int rc = gf_kernel_source("fft_plain.cl", &text);
 *     …
 *     free(text);
 */
#ifndef GF_CORE_GPU_KERNEL_SOURCE_H
#define GF_CORE_GPU_KERNEL_SOURCE_H

/* Returns the text of kernels/`file` with each #include "…" replaced by that file, or by nothing
 * where its own guard would leave it out, and #line markers in between, from the program itself or
 * from the kernel folder of core/base/process.h. The caller frees it. */
int gf_kernel_source(const char *file, char **text);

struct gf_kernel_file {
    const char *name;          /* "fft_plain.cl"; NULL ends the table */
    const unsigned char *text; /* ends with a zero */
};

extern const struct gf_kernel_file gf_kernel_files[];
/* A checksum of core/gpu/plan/ and kernels/: kept plans with another one belong to another program. */
extern const char gf_planner_sum[];

#endif
