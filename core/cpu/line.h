/* From a length to the CPU kernels' tables.
 *
 *     struct gf_cpu_line *line = gf_cpu_line_plan(1080, 32);    single precision
 *     gf_cpu_line_free(line); */
#ifndef GF_CORE_CPU_LINE_H
#define GF_CORE_CPU_LINE_H

#include "kernels/cpu/cpu.h"

/* Chooses the algorithm and builds the tables of n points for reals of `bits` bits. The caller
 * frees with gf_cpu_line_free(). NULL when memory is short. */
struct gf_cpu_line *gf_cpu_line_plan(long n, int bits);

/* The tables to transform lines of n points within vectors; NULL where that serves no such lines.
 * False when memory is short: other kernels would round differently. */
bool gf_cpu_row_plan(long n, const struct gf_cpu_kernels *kernels, struct gf_cpu_row **rows);
/* The same for one line by itself, of smooth length: struct gf_cpu_split. */
bool gf_cpu_split_plan(long n, const struct gf_cpu_kernels *kernels, struct gf_cpu_row **rows);

#endif
