/* Plans of the openmp backend: a job as passes over tiles of lines.
 *
 * core/cpu/make.h makes a plan, core/cpu/bind.h points its passes at the arrays of a run, and the
 * kernels (kernels/cpu/cpu.h) run each pass tile by tile. Axes are numbered as the job's spatial
 * ones, slowest first, and axis ndim is the channels. */
#ifndef GF_CORE_CPU_PLAN_H
#define GF_CORE_CPU_PLAN_H

#include "core/base/backend.h"
#include "core/cpu/ways.h"
#include "kernels/cpu/cpu.h"

/* One read and write of the data: transforms along `axis`, or without a line (args.line NULL) an
 * extraction or a search for the display range. */
struct gf_cpu_pass {
    struct gf_cpu_pass_args args; /* data and strides of its ends are bound at run time */
    int axis, lane, outer[2];     /* of the lines, of the lines in a tile, of the tiles; -1: none */
    bool from_input;
    int output;           /* -1: to the workspace */
    bool range_from_zero; /* the display range ends at the zero frequency, known before this pass */
    bool range_sampled;   /* it is taken from a few of this pass's lines: core/cpu/sampling.h */
    bool filters;         /* transforms, multiplies by the filter, and transforms back */
    bool with_next;       /* runs together with the next pass, plane by plane */
    bool from_plane, to_plane;
    bool is_column; /* core/cpu/column.h */
    bool folds; /* its lanes run over two axes where the arrays allow that: struct gf_cpu_fold */
    int row_groups;  /* args.groups where args.rows transform lines from array to array */
    bool stream;     /* its result is too large to be in cache when it is read again */
    bool may_stream; /* GF_CPU_PAST_CACHES is for it */
    struct gf_pass_info summary;
};

/* How a complex array between passes is laid out. The innermost axis is cut into blocks of LANES
 * neighbours (kernels/cpu/cpu.h); its stride is a block's over LANES. Consecutive blocks along the
 * `fast` axis of make.c are adjacent in memory: a pass across the blocks reads or writes the lines
 * of that axis from end to end. */
struct gf_cpu_layout {
    ptrdiff_t stride[GF_MAX_RANK]; /* bytes, by axis */
    int64_t bytes;
    /* In the input's memory (kernels/cpu/cpu.h): `bytes` is then only what does not fit there. */
    long band, rest_from;
    ptrdiff_t row_bytes;
};

/* Waking a team of threads takes about ten microseconds, in which one thread does this many points. A
 * team that still waits for work begins sooner: struct gf_cpu_ways. */
enum { GF_CPU_WORTH_A_TEAM = 1 << 15 };
static inline int64_t gf_cpu_points(const struct gf_job *job) {
    int64_t points = job->channels;
    for (int i = 0; i < job->ndim; i++)
        points *= job->shape[i];
    return points;
}

struct gf_cpu_filter;
struct gf_cpu_share;
struct gf_cpu_sampling;

struct gf_cpu_plan {
    struct gf_job job;
    const struct gf_cpu_kernels *kernels;
    bool lean; /* the output array is the workspace */
    /* Half spectra without their last column, until the last pass or until the second one: struct
     * gf_cpu_pass_args. */
    bool packed, packed_within;
    bool packed_back;         /* of an inverse: its first pass packs, as the last one reads them */
    int64_t column_at;        /* core/cpu/column.h: where it is in the workspace; 0: nowhere */
    int half;                 /* axis that the arithmetic halves, -1 for complex jobs */
    int inner;                /* the workspace's innermost axis */
    long extent[GF_MAX_RANK]; /* of the spectrum as the arithmetic has it; channels last */
    int n_passes;
    struct gf_cpu_pass pass[GF_MAX_PASSES];
    struct gf_cpu_line *line[GF_MAX_DIMS]; /* by axis; NULL where not transformed */
    struct gf_cpu_row *rows;               /* of the innermost axis; NULL: none */
    struct gf_cpu_layout work;             /* between passes; bytes 0 when there is only one */
    struct gf_array plain;                 /* the workspace where it is no blocks; rank 0: it is */
    struct gf_cpu_layout plane;            /* between joined passes: one plane for each thread */
    struct gf_cpu_filter *filter;          /* NULL: none */
    struct gf_cpu_sampling *sampling;      /* NULL: no output's range is sampled */
    size_t scratch_bytes;                  /* for one thread */
    struct gf_cpu_ways ways;
    struct gf_cpu_share *shares;  /* of the threads; allocated by the first run */
    char *work_data, *plane_data; /* allocated by the first run */
    char *scratch;                /* of all threads, behind the workspace */
    bool bound; /* the passes point at these arrays: the input, then the outputs */
    struct gf_array bound_to[1 + GF_MAX_OUTPUTS];
    char *banded; /* instead of a spent input that cannot be written; allocated by the first run */
};

#endif
