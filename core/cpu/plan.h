/* Plans of the openmp backend: a job as passes over tiles of lines.
 *
 * core/cpu/make.c makes a plan, core/cpu/bind.c points its passes at the arrays of a run, and the
 * kernels (kernels/cpu/cpu.h) run each pass tile by tile. Axes are numbered as the job's spatial
 * ones, slowest first, and axis ndim is the channels. Wavelets and long lines have plans of their own
 * (core/cpu/dwt.h, core/cpu/long.h).
 *
 *     struct gf_cpu_plan *p;
 *     rc = gf_cpu_plan_make(&job, gf_cpu_kernels_find(32, NULL), threads, &p);
 *     if (!rc)
 *         rc = gf_cpu_run(p, threads, &(struct gf_cpu_run){&in, NULL, out, &report, NULL});
 *     gf_cpu_plan_free(p);
 *
 * Functions that return int return 0 or GF_ENOMEM; none but those and new tables can fail. */
#ifndef GF_CORE_CPU_PLAN_H
#define GF_CORE_CPU_PLAN_H

#include "core/base/backend.h"
#include "core/base/range_sample.h"
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

static inline bool gf_cpu_transforms(const struct gf_job *job, int axis) {
    return axis >= 0 && axis < job->ndim && (job->axes >> axis & 1);
}
/* Transformed axes that are longer than a point. */
static inline int gf_cpu_count_axes(const struct gf_job *job) {
    int n = 0;
    for (int i = 0; i < job->ndim; i++)
        n += gf_cpu_transforms(job, i) && job->shape[i] > 1;
    return n;
}

/* Waking a team of threads takes about ten microseconds, in which one thread does this many points. A
 * team that still waits for work begins sooner: struct gf_cpu_ways. */
enum { GF_CPU_WORTH_A_TEAM = 1 << 15 };
static inline int64_t gf_cpu_points(const struct gf_job *job) {
    int64_t points = job->channels;
    for (int i = 0; i < job->ndim; i++)
        points *= job->shape[i];
    return points;
}

/* A filter for the pass that transforms along the last axis, multiplies, and transforms back
 * (kernels/cpu/gain.h). A few factors are evaluated during the pass; other filters become a table in the
 * order in which the pass reads the workspace. */
struct gf_cpu_filter {
    struct gf_cpu_gain gain;
    void *values, *table; /* what `gain` points at; owned */
    int64_t bytes;        /* of the table, which every run reads */
};

/* The automatic display range: the bins of its sample (core/base/range_sample.h), computed before
 * the last pass from a few of that pass's lines, or read from the workspace where that already has
 * the spectrum. */
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
    struct gf_cpu_share *shares;  /* core/cpu/ways.h: of the threads; allocated by the first run */
    char *work_data, *plane_data; /* allocated by the first run */
    char *scratch;                /* of all threads, behind the workspace */
    bool bound; /* the passes point at these arrays: the input, then the outputs */
    struct gf_array bound_to[1 + GF_MAX_OUTPUTS];
    char *banded; /* instead of a spent input that cannot be written; allocated by the first run */
};

/* ---- make.c ---- */

/* Plans a job that gf_job_validate() passed, and that is a Fourier transform or gf_cpu_filter_fuses(), and
 * builds its tables. Allocates no workspace. The caller frees the plan. */
int gf_cpu_plan_make(const struct gf_job *job, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_plan **out);
/* How a plan for the job packs its half spectra. */
enum gf_packing gf_cpu_packs(const struct gf_job *job, const struct gf_cpu_kernels *kernels);
void gf_cpu_plan_free(struct gf_cpu_plan *p); /* or NULL; frees the memory of its runs too */

/* ---- line.c: from a length to the kernels' tables for reals of `bits` bits; NULL when memory is short.
 * The caller frees them. ---- */

struct gf_cpu_line *gf_cpu_line_plan(long n, int bits);
/* The tables to transform lines of n points within vectors; NULL where that serves no such lines.
 * False when memory is short: other kernels would round differently. */
bool gf_cpu_row_plan(long n, const struct gf_cpu_kernels *kernels, struct gf_cpu_row **rows);
/* The same for one line by itself, of smooth length: struct gf_cpu_split. */
bool gf_cpu_split_plan(long n, const struct gf_cpu_kernels *kernels, struct gf_cpu_row **rows);

/* ---- layout.c: how the numbers between a plan's passes are laid out, when these are known ---- */

/* Half of the second-level cache in bytes, which a tile and its scratch should not outgrow. */
int64_t gf_cpu_cache_share(void);
/* Half of the last-level cache in bytes, for the other programs have their share too; not more than
 * half of what a group of cores has on today's CPUs, as a virtual machine may report the sum of
 * several groups'. */
int64_t gf_cpu_last_cache_share(void);

/* Lays out blocks: adjacent along `fast` (-1: none), then along the innermost axis, then along the
 * others, the last one first. Axes in `planes` get the stride 0: all their indices share one plane. */
int gf_cpu_layout_blocks(const struct gf_cpu_plan *p, int fast, unsigned planes,
                         struct gf_cpu_layout *l);
/* Half spectra of volumes from planes along z to rows: the first pass runs over a plane's rows as one,
 * the second one transforms rows within vectors. Measured: 17 ms become 12 at 64x512x512. Blocks are
 * read faster where a pass across them follows. */
bool gf_cpu_layout_is_plain(const struct gf_cpu_plan *p);
/* The workspace's fast axis is that of the first pass that reads it across its blocks, so that the
 * read is contiguous; without one, that of the first pass that writes it so. */
int gf_cpu_layout_workspace(struct gf_cpu_plan *p);

/* ---- column.c: the last column of half spectra by itself, where it would be a block of its own in every
 * pass. An inverse whose halved axis has n points has n / 2 + 1 columns: whole blocks, and one column more.
 * That column is transformed along z and y on its own, by two short passes over an array of one number
 * a row, before the others, and joins them where the rows become real. Each line is computed as it
 * would be in a block: the results are the same. ---- */

/* True for jobs that gain by it. */
bool gf_cpu_column_pays(const struct gf_cpu_plan *p);
/* Puts the two passes before the plan's others, which have been chosen with one column less, and makes
 * room in the workspace. */
void gf_cpu_column_add(struct gf_cpu_plan *p);
/* Points one of the two passes at the arrays of a run. */
void gf_cpu_column_bind(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                        const struct gf_array *in);
/* The place in which a pass along rows finds the column. */
struct gf_cpu_column gf_cpu_column_of(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass);

/* ---- filter.c ---- */

/* False for jobs that core/filter/compose.h runs: one axis, with a table, unless they are a part of one
 * of more axes. */
bool gf_cpu_filter_fuses(const struct gf_job *job);
/* The filter of p->job for `pass`, whose axes and form are set. The caller frees it. */
int gf_cpu_filter_make(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass, int threads,
                       struct gf_cpu_filter **out);
void gf_cpu_filter_free(struct gf_cpu_filter *f); /* or NULL */

/* ---- bind.c: what is known only when a pass runs ---- */

/* Points the pass's ends at the arrays of this run. */
void gf_cpu_pass_bind(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                      const struct gf_array *in, struct gf_array *out);
/* Sets factor, gain and limits of the pass's output for a display range in unscaled units. */
void gf_cpu_pass_display(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                         const double range[2]);
/* The block of LANES real parts of the workspace that has an index along every axis. */
const char *gf_cpu_work_at(const struct gf_cpu_plan *p, const long index[GF_MAX_RANK]);
/* The display range's end of samples that are never negative, for which no frequency is larger than
 * the zero frequency: its value as output `o` has it, summed from the workspace before the last
 * pass runs. */
double gf_cpu_zero_frequency(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                             const struct gf_output *o);

/* ---- sampling.c: gf_cpu_sampling_place() before a run; _lines() or _read(), then _range() before the last
 * pass, and _tile() for each of its tiles ---- */

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

/* ---- run.c ---- */

/* The arrays of a run, as the plan's job has them, and where to note its passes' seconds (NULL: nowhere). */
struct gf_cpu_run {
    const struct gf_array *in;
    struct gf_feed *feed; /* makes the input meanwhile; NULL: it is there */
    struct gf_array *out; /* job.n_out */
    struct gf_report *report;
    double *seconds;
};

/* GF_ENOMEM, only of a plan's first run: it allocates the workspace, which the plan then owns. */
int gf_cpu_run(struct gf_cpu_plan *p, int threads, const struct gf_cpu_run *run);
/* How many of the threads a run of the job uses; `first` is the plan's first run. */
int gf_cpu_team_for(const struct gf_job *job, bool first, int threads);

#endif
