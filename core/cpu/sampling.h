/* The automatic display range: the bins of its sample (core/base/range_sample.h), computed before
 * the last pass from a few of that pass's lines, or read from the workspace where that already has
 * the spectrum.
 *
 *     rc = gf_cpu_sampling_make(p, threads, &p->sampling);
 *     …
 *     gf_cpu_sampling_place(p, memory);
 *     gf_cpu_sampling_lines(p, pass, threads);        or gf_cpu_sampling_read(p);
 *     gf_cpu_sampling_range(p, o, rms, range);
 *     gf_cpu_sampling_tile(p, &args, tile, scratch, &stats);      for each tile of that pass
 *     gf_cpu_sampling_free(p->sampling); */
#ifndef GF_CORE_CPU_SAMPLING_H
#define GF_CORE_CPU_SAMPLING_H

#include "core/base/range_sample.h"
#include "core/cpu/plan.h"

struct gf_cpu_sampling {
    struct gf_range_sample sample;
    int n_runs; /* of adjacent indices along rows, each in one tile */
    int *run;   /* the first of each, and the end */
    int64_t bytes;
    void *value;     /* all real and then all imaginary parts, in the kernels' precision */
    char *lines;     /* all transformed runs, one block of lanes each */
    size_t line_set; /* bytes of one */
    int n_lines;     /* how many there are */
    int32_t *kept;   /* by block of lanes of the pass: which of them it is, -1: none */
};

/* GF_ENOMEM. */
int gf_cpu_sampling_make(const struct gf_cpu_plan *p, struct gf_cpu_sampling **out);
void gf_cpu_sampling_free(struct gf_cpu_sampling *s); /* or NULL */

/* Fills the summary that `gpufft plan` prints before the pass that writes the output. */
void gf_cpu_sampling_summarise(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                               struct gf_pass_info *info);

/* The state of a run, which the plan's owner allocates, aligned to 64 bytes. */
int64_t gf_cpu_sampling_bytes(const struct gf_cpu_plan *p);
void gf_cpu_sampling_place(const struct gf_cpu_plan *p, char *memory);
/* Transforms the sampled lines of a bound pass, and keeps them. */
void gf_cpu_sampling_lines(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                           int threads);
/* Runs a tile of that pass, args being its own: of blocks that are kept only the last step. */
void gf_cpu_sampling_tile(const struct gf_cpu_plan *p, const struct gf_cpu_pass_args *args,
                          long tile, void *scratch, struct gf_cpu_stats *stats);
/* Takes the bins from the workspace. */
void gf_cpu_sampling_read(const struct gf_cpu_plan *p);
/* The range of output o from the bins; rms: gf_range_rms(). */
void gf_cpu_sampling_range(const struct gf_cpu_plan *p, int o, double rms, double range[2]);

#endif
