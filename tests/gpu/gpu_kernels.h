/* The kernels that the GPUs' planner asks for, each kind of options once, for compilers. */
#ifndef GF_TESTS_GPU_KERNELS_H
#define GF_TESTS_GPU_KERNELS_H

/* One line a kernel, file and options. */
void gpu_kernels_list(void);
/* A kernel's source as compilers get it; returns what main() does. */
int gpu_kernels_print(const char *file);

/* A sample through NVRTC, where there is one, for each architecture: those of the named jobs, of
 * some filters and wavelets, and of so many random jobs. A warning is a failed check;
 * returns what main() does, after printing how many there are. */
int gpu_kernels_compile(int random);

#endif
