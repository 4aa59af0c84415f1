/* The source text of a kernel, flat: NVRTC and OpenCL open no files.
 *
 *     char *text;
 *     int rc = gf_kernel_source("fft_plain.cl", &text);
 *     …
 *     free(text);
 */
#ifndef GF_CORE_GPU_KERNEL_SOURCE_H
#define GF_CORE_GPU_KERNEL_SOURCE_H

/* The text of kernels/`file` with its #include "…" lines replaced by the files they name (again at
 * each mention: the files guard themselves where once is enough) and #line markers in between. From
 * the program itself, or from the kernel folder of core/base/process.h while working on them. The caller frees it. */
int gf_kernel_source(const char *file, char **text);

#endif
