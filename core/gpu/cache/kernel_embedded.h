/* The kernels' sources inside the program: a table that the Makefile writes from kernels/. */
#ifndef GF_CORE_GPU_KERNEL_EMBEDDED_H
#define GF_CORE_GPU_KERNEL_EMBEDDED_H

struct gf_kernel_file {
    const char *name;          /* "fft_plain.cl"; NULL ends the table */
    const unsigned char *text; /* ends with a zero */
};

extern const struct gf_kernel_file gf_kernel_files[];
/* A checksum of core/gpu/plan/ and kernels/: kept plans with another one belong to another program. */
extern const char gf_planner_sum[];

#endif
