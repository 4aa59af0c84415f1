/* Plans of the openmp backend: a job as passes over tiles of lines.
 *
 * make.c makes a plan, bind.c points its passes at a run's arrays, and the kernels
 * (kernels/cpu/cpu.h) run each pass tile by tile. Axes are the job's spatial ones, slowest first;
 * axis ndim is the channels. Wavelets and long lines have plans of their own (dwt.h, long.h).
 *
 *     struct gf_cpu_plan *p;
 *     rc = gf_cpu_plan_make(&job, gf_cpu_kernels_find(32, NULL), threads, &p);
 *     if (!rc)
 *         rc = gf_cpu_run(p, threads, &(struct gf_cpu_run){&in, NULL, out, &report, NULL});
 *     gf_cpu_plan_free(p);
 *
 * Functions that return int return 0 or GF_ENOMEM; only those and new tables can fail. */
#ifndef GF_CORE_CPU_PLAN_H
#define GF_CORE_CPU_PLAN_H

#include "core/base/backend.h"
#include "core/base/range_sample.h"
#include "core/cpu/ways.h"
#include "kernels/cpu/cpu.h"

/* One read and write of the data: transforms along `axis`, or, if args.line is NULL, an extraction
 * or a search for the display range. */
struct gf_cpu_pass {
    struct gf_cpu_pass_args args; /* its ends are bound at run time */
    int axis, lane, outer[2];     /* of a line, a tile's lines, the tiles; -1: none */
    bool from_input;
    int output;           /* -1: to the workspace */
    bool range_from_zero; /* the display range ends at the zero frequency */
    bool range_sampled;   /* the range comes from a sample of this pass's lines */
    bool filters;         /* transforms, multiplies, transforms back */
    bool with_next;       /* joined with the next pass, plane by plane */
    bool from_plane, to_plane;
    bool is_column;  /* one of column.c's */
    bool folds;      /* lanes run over two axes if the arrays allow: struct gf_cpu_fold */
    int row_groups;  /* args.groups if args.rows transform from array to array */
    bool stream;     /* writes past the caches */
    bool may_stream; /* does so in GF_CPU_PAST_CACHES */
    struct gf_pass_info summary;
};

/* Layout of the complex workspace. The innermost axis is cut into blocks of LANES neighbours
 * (kernels/cpu/cpu.h); its stride is a block's over LANES. Blocks along the `fast` axis are
 * adjacent in memory: a pass across the blocks reads or writes its lines contiguously. */
struct gf_cpu_layout {
    ptrdiff_t stride[GF_MAX_RANK]; /* bytes, by axis */
    int64_t bytes;
    /* If the input's memory is the workspace: `bytes` is what does not fit there. */
    long band, rest_from;
    ptrdiff_t row_bytes;
};

static inline bool gf_cpu_transforms(const struct gf_job *job, int axis) {
    return axis >= 0 && axis < job->ndim && (job->axes >> axis & 1);
}
/* Transformed axes longer than one point. */
static inline int gf_cpu_count_axes(const struct gf_job *job) {
    int n = 0;
    for (int i = 0; i < job->ndim; i++)
        n += gf_cpu_transforms(job, i) && job->shape[i] > 1;
    return n;
}

/* One thread transforms this many points in the 10 us that waking a team takes. A team that still
 * waits begins sooner: struct gf_cpu_ways. */
enum { GF_CPU_WORTH_A_TEAM = 1 << 15 };
static inline int64_t gf_cpu_points(const struct gf_job *job) {
    int64_t points = job->channels;
    for (int i = 0; i < job->ndim; i++)
        points *= job->shape[i];
    return points;
}

/* A filter for the pass that transforms along the last axis, multiplies, and transforms back
 * (kernels/cpu/gain.h). A few factors are evaluated in the pass; others become a table in the order
 * in which the pass reads the workspace. */
struct gf_cpu_filter {
    struct gf_cpu_gain gain;
    void *values, *table; /* owned; `gain` points at them */
    int64_t bytes;        /* of the table */
};

/* The automatic display range's sample of bins (core/base/range_sample.h): computed before the last
 * pass from a few of its lines, or read from the workspace if that holds the spectrum. */
struct gf_cpu_sampling {
    struct gf_range_sample sample;
    int n_runs; /* runs of adjacent indices along rows, each within a tile */
    int *run;   /* first index of each, and the end */
    int64_t bytes;
    void *value;     /* all real, then all imaginary parts, in the kernels' precision */
    char *lines;     /* transformed runs, a block of lanes each */
    size_t line_set; /* bytes of one */
    int n_lines;
    int32_t *kept; /* by the pass's block of lanes: which line; -1: none */
};

struct gf_cpu_plan {
    struct gf_job job;
    const struct gf_cpu_kernels *kernels;
    bool lean; /* the output array is the workspace */
    /* Half spectra lack their last column until the last pass, or until the second:
     * gf_cpu_pass_args. */
    bool packed, packed_within;
    bool packed_back;         /* an inverse's first pass packs what its last one reads */
    int64_t column_at;        /* column.c: offset in the workspace; 0: none */
    int half;                 /* axis that the arithmetic halves, -1 for complex jobs */
    int inner;                /* the workspace's innermost axis */
    long extent[GF_MAX_RANK]; /* of the spectrum as computed; channels last */
    int n_passes;
    struct gf_cpu_pass pass[GF_MAX_PASSES];
    struct gf_cpu_line *line[GF_MAX_DIMS]; /* by axis; NULL: not transformed */
    struct gf_cpu_row *rows;               /* for the innermost axis; NULL: none */
    struct gf_cpu_layout work;             /* between passes; bytes 0 with only one */
    struct gf_array plain;                 /* the workspace as plain rows; rank 0: as blocks */
    struct gf_cpu_layout plane;            /* between joined passes, one for each thread */
    struct gf_cpu_filter *filter;          /* NULL: none */
    struct gf_cpu_sampling *sampling;      /* NULL: no output's range is sampled */
    size_t scratch_bytes;                  /* for one thread */
    struct gf_cpu_ways ways;
    struct gf_cpu_share *shares;  /* of the threads; allocated by the first run */
    char *work_data, *plane_data; /* allocated by the first run */
    char *scratch;                /* of all threads, behind the workspace */
    bool bound;                   /* passes point at these arrays: the input, then the outputs */
    struct gf_array bound_to[1 + GF_MAX_OUTPUTS];
    char *banded; /* replaces a spent input that cannot be written; allocated by the first run */
};

/* ---- make.c ---- */

/* Plans a validated job, a Fourier transform or one that gf_cpu_filter_fuses(), and builds its
 * tables; allocates no workspace. The caller frees the plan. */
int gf_cpu_plan_make(const struct gf_job *job, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_plan **out);
/* How the job's plan packs half spectra. */
enum gf_packing gf_cpu_packs(const struct gf_job *job, const struct gf_cpu_kernels *kernels);
void gf_cpu_plan_free(struct gf_cpu_plan *p); /* or NULL; frees its runs' memory too */

/* ---- line.c: the kernels' tables for a length, for reals of `bits` bits; NULL: no memory. The
 * caller frees them. ---- */

/* The kernels for the job's precision; NULL: GF_EABSENT, with its message. */
const struct gf_cpu_kernels *gf_cpu_kernels_for(const struct gf_job *job);
struct gf_cpu_line *gf_cpu_line_plan(long n, int bits);
/* Tables to transform lines of n points within vectors; *rows NULL: such lines are not served.
 * False without memory: other kernels would round differently. */
bool gf_cpu_row_plan(long n, const struct gf_cpu_kernels *kernels, struct gf_cpu_row **rows);
/* The same for one line of smooth length: struct gf_cpu_split. */
bool gf_cpu_split_plan(long n, const struct gf_cpu_kernels *kernels, struct gf_cpu_row **rows);

/* ---- layout.c ---- */

/* Half of the second-level cache in bytes: the most that a tile and its scratch should take. */
int64_t gf_cpu_cache_share(void);
/* Half of the last-level cache in bytes, the rest being for other programs; at most half of a core
 * group's, as a virtual machine may report the sum of several groups'. */
int64_t gf_cpu_last_cache_share(void);

/* Lays out blocks: adjacent along `fast` (-1: none), then along the innermost axis, then the
 * others, last one first. Axes in `planes` get stride 0: all their indices share one plane. */
int gf_cpu_layout_blocks(const struct gf_cpu_plan *p, int fast, unsigned planes,
                         struct gf_cpu_layout *l);
/* True for volumes from half spectra along z, then rows: the first pass runs over a plane's rows as
 * one, the second transforms rows within vectors. Measured: 17 ms become 12 at 64x512x512. Blocks
 * are read faster by a pass across them. */
bool gf_cpu_layout_is_plain(const struct gf_cpu_plan *p);
/* Picks the workspace's fast axis: that of the first pass that reads across its blocks, for
 * contiguous reads, else of the first that writes so. */
int gf_cpu_layout_workspace(struct gf_cpu_plan *p);

/* ---- column.c: the last column of half spectra by itself. An inverse of n points on the halved
 * axis has n / 2 + 1 columns: whole blocks and one more, which would cost every pass a block. Two
 * short passes transform it along z and y, over an array of one number a row, before the others; it
 * joins them where rows become real. Results are the same as in a block. ---- */

/* True for jobs that gain by it. */
bool gf_cpu_column_pays(const struct gf_cpu_plan *p);
/* Puts the two passes before the plan's others, which were chosen with one column less, and makes
 * room in the workspace. */
void gf_cpu_column_add(struct gf_cpu_plan *p);
/* Points one of the two passes at a run's arrays. */
void gf_cpu_column_bind(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                        const struct gf_array *in);
/* The column for a pass along rows. */
struct gf_cpu_column gf_cpu_column_of(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass);

/* ---- filter.c ---- */

/* False for jobs that core/filter/compose.h runs: one axis with a table, unless part of a job of
 * more axes. */
bool gf_cpu_filter_fuses(const struct gf_job *job);
/* The filter of p->job for `pass`, whose axes and form are set; the caller frees it. */
int gf_cpu_filter_make(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass, int threads,
                       struct gf_cpu_filter **out);
void gf_cpu_filter_free(struct gf_cpu_filter *f); /* or NULL */

/* ---- bind.c: what is known only when a pass runs ---- */

/* Points the pass's ends at a run's arrays. */
void gf_cpu_pass_bind(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                      const struct gf_array *in, struct gf_array *out);
/* Sets factor, gain and limits of the pass's output for a display range in unscaled units. */
void gf_cpu_pass_display(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                         const double range[2]);
/* The block of LANES real parts of the workspace that has an index along every axis. */
const char *gf_cpu_work_at(const struct gf_cpu_plan *p, const long index[GF_MAX_RANK]);
/* End of the display range of samples that are never negative, whose largest frequency is the zero
 * frequency: its value in output `o`, summed from the workspace before the last pass. */
double gf_cpu_zero_frequency(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                             const struct gf_output *o);

/* ---- sampling.c: gf_cpu_sampling_place() before a run; _lines() or _read(), then _range() before
 * the last pass, and _tile() for each of its tiles ---- */

int gf_cpu_sampling_make(const struct gf_cpu_plan *p, struct gf_cpu_sampling **out);
void gf_cpu_sampling_free(struct gf_cpu_sampling *s); /* or NULL */
/* Fills the summary for `gpufft plan`, before the pass that writes the output. */
void gf_cpu_sampling_summarise(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                               struct gf_pass_info *info);
/* A run's state, which the plan's owner allocates, aligned to 64 bytes. */
int64_t gf_cpu_sampling_bytes(const struct gf_cpu_plan *p);
void gf_cpu_sampling_place(const struct gf_cpu_plan *p, char *memory);
/* Transforms the sampled lines of a bound pass, and keeps them. */
void gf_cpu_sampling_lines(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                           int threads);
/* Runs a tile of that pass; kept blocks get only the last step. */
void gf_cpu_sampling_tile(const struct gf_cpu_plan *p, const struct gf_cpu_pass_args *args,
                          long tile, void *scratch, struct gf_cpu_stats *stats);
/* Takes the bins from the workspace. */
void gf_cpu_sampling_read(const struct gf_cpu_plan *p);
/* The range of output o; rms: gf_range_rms(). */
void gf_cpu_sampling_range(const struct gf_cpu_plan *p, int o, double rms, double range[2]);

/* ---- run.c ---- */

/* A run's arrays, as the plan's job has them, and where its passes' seconds go (NULL: nowhere). */
struct gf_cpu_run {
    const struct gf_array *in;
    struct gf_feed *feed; /* makes the input meanwhile; NULL: it is there */
    struct gf_array *out; /* job.n_out */
    struct gf_report *report;
    double *seconds;
};

/* GF_ENOMEM only on a plan's first run, which allocates the workspace; the plan owns it. */
int gf_cpu_run(struct gf_cpu_plan *p, int threads, const struct gf_cpu_run *run);
/* Threads that a run of the job uses; `first`: the plan's first run. */
int gf_cpu_team_for(const struct gf_job *job, bool first, int threads);

#endif
