/* How the openmp backend cuts a job into passes over the CPU kernels' tiles. */
#ifndef GF_CORE_CPU_PLAN_H
#define GF_CORE_CPU_PLAN_H

#include "core/base/backend.h"
#include "kernels/cpu/cpu.h"

/* One pass: along `axis` (or, without a transform, an extraction or a search for the range). */
struct gf_cpu_step {
    struct gf_cpu_pass pass; /* its ends' data and outer strides are bound at run time */
    int axis, lane, outer[2];
    bool from_input;
    int output;           /* -1: to the workspace */
    bool range_from_zero; /* the display range ends at the zero frequency, known before this pass */
    bool filters;         /* goes there and back, with the filter in between */
    bool with_next;       /* run together with the next step, plane by plane */
    bool from_plane, to_plane;
    bool stream; /* its result is too large to be in cache when it is read again */
    struct gf_pass_info summary;
};

/* Where the elements of a complex array between passes stand. The innermost axis comes in blocks of
 * LANES neighbours (kernels/cpu/cpu.h); its stride is a block's over LANES. The blocks that follow
 * each other on the `fast` axis are neighbours in memory: it is the one whose lines a pass across
 * the blocks reads or writes from end to end. */
struct gf_cpu_layout {
    ptrdiff_t stride[GF_MAX_RANK]; /* bytes, by axis */
    int64_t bytes;
    /* In the input's place (kernels/cpu/cpu.h); `bytes` is then what finds no room there. */
    long band, rest_from;
    ptrdiff_t row_bytes;
};

struct gf_cpu_filter;

/* Axes are the job's spatial ones and, as axis ndim, the channels. */
struct gf_cpu_plan {
    struct gf_job job;
    const struct gf_cpu_kernels *kernels;
    bool lean;                /* the output array is the workspace */
    bool packed;              /* half spectra without their last column: see struct gf_cpu_pass */
    int half;                 /* axis that the arithmetic halves, -1 for complex jobs */
    int inner;                /* the workspace's innermost axis */
    long extent[GF_MAX_RANK]; /* of the spectrum as the arithmetic has it; channels last */
    int n_steps;
    struct gf_cpu_step step[GF_MAX_PASSES];
    struct gf_cpu_line *line[GF_MAX_DIMS];  /* by axis; NULL where not transformed */
    struct gf_cpu_layout work;              /* between passes; bytes 0 when there is only one */
    struct gf_cpu_layout plane;             /* between joined passes: one plane for each thread */
    struct gf_cpu_filter *filter;           /* NULL: none */
    size_t scratch_bytes;                   /* a thread */
    bool stays;                             /* see gf_cpu_stays_cached() */
    char *work_data, *plane_data, *scratch; /* taken at the first run */
    char *banded; /* where a spent input cannot be written: room like its own; taken likewise */
};

/* Plans; the caller frees with gf_cpu_plan_free(), which also takes NULL. */
int gf_cpu_plan_make(const struct gf_job *job, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_plan **out);
void gf_cpu_plan_free(struct gf_cpu_plan *p);

/* True when this many bytes, touched in one run, are at the next one mostly where this one left
 * them: then each thread should get the same tiles again, for what another core has written costs
 * as much to read as memory does. */
bool gf_cpu_stays_cached(int64_t bytes, int threads);

/* Fills in the step's summary: plans and layouts are made. cpu_summary.c */
void gf_cpu_step_summarise(const struct gf_cpu_plan *p, struct gf_cpu_step *s);

/* Points the step's ends at the arrays of this run. */
void gf_cpu_step_bind(const struct gf_cpu_plan *p, struct gf_cpu_step *s, const struct gf_array *in,
                      struct gf_array *out);
/* Sets factor, gain and limits of the step's output for a display range that ends at `high`. */
void gf_cpu_step_display(const struct gf_cpu_plan *p, struct gf_cpu_step *s, double high);
/* Of samples that are never negative, no frequency is larger than the zero frequency: its value
 * as the output's kind has it, summed from the workspace before step s, which is the last. */
double gf_cpu_zero_frequency(const struct gf_cpu_plan *p, const struct gf_cpu_step *s,
                             const struct gf_output *o);

#endif
