/* Plans of the openmp backend: a job as passes over tiles of lines.
 *
 * make.c makes a plan, which never changes. Runs use the memory of a gf_cpu_bound, which bind.c
 * binds to their arrays, and the kernels (kernels/cpu/cpu.h) run each pass tile by tile. Axes are
 * the job's spatial ones, slowest first; axis ndim is the channels. Wavelets and long lines have
 * other plans (dwt.h, long.h).
 *
 *     struct gf_cpu_plan *p;
 *     struct gf_cpu_bound *b = NULL;
 *     rc = gf_cpu_plan_make(&job, gf_cpu_kernels_find(32, NULL), threads, &p);
 *     if (!rc)
 *         rc = gf_cpu_bound_make(p, threads, &b);
 *     if (!rc)
 *         rc = gf_cpu_run(b, &(struct gf_cpu_run){&in, NULL, out, &report, NULL});
 *     gf_cpu_bound_free(b);
 *     gf_cpu_plan_free(p);
 *
 * Functions that return int return 0 or GF_ENOMEM; only those and table builders can fail. */
#ifndef GF_CORE_CPU_PLAN_H
#define GF_CORE_CPU_PLAN_H

#include <string.h>

#include "core/base/job/backend.h"
#include "core/base/job/range.h"
#include "core/cpu/ways.h"
#include "kernels/cpu/cpu.h"

/* One read and write of the data: a transform along `axis` or, if args.line is NULL, an extraction
 * or a search for the display range. */
struct gf_cpu_pass {
    struct gf_cpu_pass_args args; /* ends are set in a gf_cpu_bound only */
    int axis, lane, outer[2];     /* of a line, the lines of a tile, the tiles; -1: none */
    bool from_input;
    int output;           /* -1: to the workspace */
    bool range_from_zero; /* the display range ends at the zero frequency */
    bool range_sampled;   /* the range comes from a sample of this pass's lines */
    bool filters;         /* transforms, multiplies, transforms back */
    bool with_next;       /* joined with the next pass, plane by plane */
    bool from_plane, to_plane;
    bool is_column;  /* added by column.c */
    bool folds;      /* lanes run over two axes if the arrays allow it: struct gf_cpu_fold */
    int row_groups;  /* args.groups if args.rows transform from array to array */
    bool stream;     /* writes past the caches */
    bool may_stream; /* writes past the caches in GF_CPU_PAST_CACHES */
    struct gf_pass_info summary;
};

/* Layout of the complex workspace. The innermost axis is divided into blocks of LANES neighbours
 * (kernels/cpu/cpu.h); its stride is a block's divided by LANES. Blocks along the `fast` axis are
 * contiguous: a pass across the blocks accesses its lines sequentially. */
struct gf_cpu_layout {
    ptrdiff_t stride[GF_MAX_RANK]; /* bytes, by axis */
    int64_t bytes;
    /* If the input's memory is the workspace, `bytes` counts only what does not fit there. */
    int64_t band, rest_from;
    ptrdiff_t row_bytes;
};

static inline bool gf_cpu_transforms(const struct gf_job *job, int axis) {
    return axis >= 0 && axis < job->ndim && (job->axes >> axis & 1);
}
/* The number of transformed axes longer than one point. */
static inline int gf_cpu_count_axes(const struct gf_job *job) {
    int n = 0;
    for (int i = 0; i < job->ndim; i++)
        n += gf_cpu_transforms(job, i) && job->shape[i] > 1;
    return n;
}

/* One thread transforms this many points in the 10 us needed to wake a team. A team that is still
 * waiting starts sooner: struct gf_cpu_ways. */
enum { GF_CPU_WORTH_A_TEAM = 1 << 15 };
static inline int64_t gf_cpu_points(const struct gf_job *job) {
    int64_t points = job->channels;
    for (int i = 0; i < job->ndim; i++)
        points *= job->shape[i];
    return points;
}

/* A filter for the pass that transforms along the last axis, multiplies, and transforms back
 * (kernels/cpu/gain.h). A few factors are evaluated in the pass; otherwise they become a table in
 * the pass's reading order. */
struct gf_cpu_filter {
    struct gf_cpu_gain gain;
    void *values;  /* owned; referenced by `gain` */
    int64_t bytes; /* of a table */
};

/* The automatic display range's sample of bins (core/base/job/range_sample.h), computed before the last
 * pass from a few of its lines, or read from the workspace if that holds the spectrum. */
struct gf_cpu_sampling {
    struct gf_range_sample sample;
    int n_runs;      /* runs of adjacent indices along rows, each within a block of lanes */
    int *run;        /* first index of each, then the end */
    int n_lines;     /* transformed runs */
    size_t line_set; /* bytes of one */
    int64_t blocks;  /* of lanes in the pass; 0 if n_lines is */
};

/* A run's part of it. */
struct gf_cpu_sampled {
    struct gf_range_bins bins; /* in the kernels' precision */
    char *lines;               /* transformed runs, a block of lanes each */
    int32_t *kept;             /* for each of the pass's blocks its line; -1: none */
};

/* Constant once it is made, so that threads may share it. */
struct gf_cpu_plan {
    struct gf_job job;
    const struct gf_cpu_kernels *kernels;
    bool lean; /* the output array is the workspace */
    /* Half spectra lack their last column until the last pass, or until the second:
     * gf_cpu_pass_args. */
    bool packed, packed_within;
    bool packed_back;            /* an inverse's first pass packs what its last one reads */
    int64_t column_at;           /* column.c: offset in the workspace; 0: none */
    int half;                    /* axis halved by the arithmetic; -1 for complex jobs */
    int inner;                   /* the workspace's innermost axis */
    int64_t extent[GF_MAX_RANK]; /* of the computed spectrum; channels last */
    int n_passes;
    struct gf_cpu_pass pass[GF_MAX_PASSES];
    struct gf_cpu_line *line[GF_MAX_DIMS]; /* by axis; NULL: not transformed */
    struct gf_cpu_row *rows;               /* for the innermost axis; NULL: none */
    struct gf_cpu_layout work;             /* between passes; bytes is 0 for a single pass */
    struct gf_array plain;                 /* the workspace as plain rows; rank 0: as blocks */
    struct gf_cpu_layout plane;            /* between joined passes, one per thread */
    struct gf_cpu_filter *filter;          /* NULL: none */
    struct gf_cpu_sampling *sampling;      /* NULL: no sampled range */
    size_t scratch_bytes;                  /* per thread */
    struct gf_cpu_ways ways;               /* to try */
};

/* A plan with the memory for one run at a time, and its passes bound to the arrays of the last
 * run. */
struct gf_cpu_bound {
    const struct gf_cpu_plan *plan; /* outlives it */
    int threads;
    const struct gf_bound *asks; /* NULL, or whose tick() runs ask */
    struct gf_cpu_ways ways;     /* with the times of earlier runs */
    /* Allocated by the first run: */
    char *work_data, *plane_data;
    char *scratch; /* of all threads, after the workspace */
    struct gf_cpu_sampled sampled;
    struct gf_cpu_share *shares; /* one per thread */
    char *banded;                /* replaces a spent input that cannot be written */
    bool is_bound;               /* to the run's arrays; the caller clears it before others */
    struct gf_cpu_pass pass[];   /* the plan's */
};

/* ---- make.c ---- */

/* Plans a validated job, a Fourier transform or one that gf_cpu_filter_fuses(), and builds its
 * tables; allocates no workspace. The caller frees the plan. */
int gf_cpu_plan_make(const struct gf_job *job, const struct gf_cpu_kernels *kernels, int threads,
                     struct gf_cpu_plan **out);
/* How the job's plan packs half spectra. */
enum gf_packing gf_cpu_packs(const struct gf_job *job, const struct gf_cpu_kernels *kernels);
void gf_cpu_plan_free(struct gf_cpu_plan *p); /* may be NULL */

/* ---- line.c: the kernels' tables for a length and reals of `bits` bits; NULL: no memory. The
 * caller frees them. ---- */

/* The kernels for the job's precision; NULL, after GF_EABSENT's message, if the CPU lacks them. */
const struct gf_cpu_kernels *gf_cpu_kernels_for(const struct gf_job *job);
struct gf_cpu_line *gf_cpu_line_plan(int64_t n, int bits);
/* Builds tables to transform lines of n points within vectors, or `alone`, a single line of smooth
 * length: struct gf_cpu_split. *rows is NULL for unsupported lengths. False without memory: other
 * kernels would round differently. */
bool gf_cpu_row_plan(int64_t n, const struct gf_cpu_kernels *kernels, bool alone,
                     struct gf_cpu_row **rows);

/* ---- layout.c ---- */

/* Half of the second-level cache in bytes: the limit for a tile and its scratch. */
int64_t gf_cpu_cache_share(void);
/* Half of the last-level cache in bytes, leaving the rest to other programs; at most half of one
 * core group's, as a virtual machine may report the sum of several groups. */
int64_t gf_cpu_last_cache_share(void);
int64_t gf_cpu_last_cache(void); /* as the system reports it */

/* Lays out blocks: contiguous along `fast` (-1: none), then along the innermost axis, then the
 * others, last one first. Axes in `planes` get stride 0: all their indices share one plane. */
int gf_cpu_layout_blocks(const struct gf_cpu_plan *p, int fast, unsigned planes,
                         struct gf_cpu_layout *l);
/* True for volumes from half spectra along z, then rows: the first pass covers a plane's rows as
 * one, the second transforms rows within vectors. Measured: 17 ms become 12 at 64x512x512. A pass
 * across blocks reads them faster. */
bool gf_cpu_layout_is_plain(const struct gf_cpu_plan *p);
/* Chooses the workspace's fast axis: that of the first pass that reads across its blocks, for
 * contiguous reads, else of the first that writes across them. */
int gf_cpu_layout_workspace(struct gf_cpu_plan *p);

/* ---- column.c: the separate last column of half spectra. An inverse of n points on the halved
 * axis has n / 2 + 1 columns: whole blocks and one more, which would cost every pass a block. Two
 * short passes transform it along z and y, in an array of one number per row, before the others; it
 * rejoins them where rows become real. Results equal those of a block. ---- */

/* True for jobs that gain by it. */
bool gf_cpu_column_pays(const struct gf_cpu_plan *p);
/* Inserts the two passes before the others, which were planned with one column less, and enlarges
 * the workspace. */
void gf_cpu_column_add(struct gf_cpu_plan *p);
/* Binds one of the two passes to a run's arrays. */
void gf_cpu_column_bind(const struct gf_cpu_bound *b, struct gf_cpu_pass *pass,
                        const struct gf_array *in);
/* The column, for a pass along rows. */
struct gf_cpu_column gf_cpu_column_of(const struct gf_cpu_bound *b, const struct gf_cpu_pass *pass);

/* ---- filter.c ---- */

/* False for jobs that core/filter/compose.h runs: one axis with a table, unless it is part of a job
 * with more axes. */
bool gf_cpu_filter_fuses(const struct gf_job *job);
/* Makes the filter of p->job for `pass`, whose axes and form are set; the caller frees it. */
int gf_cpu_filter_make(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass, int threads,
                       struct gf_cpu_filter **out);
void gf_cpu_filter_free(struct gf_cpu_filter *f); /* may be NULL */

/* ---- bind.c: settings known only when a pass runs; passes are a gf_cpu_bound's ---- */

/* Binds the pass's ends to a run's arrays. */
void gf_cpu_pass_bind(const struct gf_cpu_bound *b, struct gf_cpu_pass *pass,
                      const struct gf_array *in, struct gf_array *out);
/* Sets the factor, gain and limits of the pass's output for a display range in unscaled units. */
void gf_cpu_pass_display(const struct gf_cpu_plan *p, struct gf_cpu_pass *pass,
                         const double range[2]);
/* The block of LANES real parts that contains the given index of the workspace. */
const char *gf_cpu_work_at(const struct gf_cpu_bound *b, const int64_t index[GF_MAX_RANK]);
/* The end of the display range of non-negative samples, whose largest frequency is zero: its value
 * in output `o`, summed from the workspace before the last pass. */
double gf_cpu_zero_frequency(const struct gf_cpu_bound *b, const struct gf_cpu_pass *pass,
                             const struct gf_output *o);

/* ---- sampling.c: call gf_cpu_sampling_place() before a run; _lines() or _read(), then
 * gf_range_find() before the last pass; _tile() for each of its tiles ---- */

int gf_cpu_sampling_make(const struct gf_cpu_plan *p, struct gf_cpu_sampling **out);
void gf_cpu_sampling_free(struct gf_cpu_sampling *s); /* may be NULL */
/* Fills the summary for `gpufft plan`, listed before the pass that writes the output. */
void gf_cpu_sampling_summarise(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass,
                               struct gf_pass_info *info);
/* Places a run's part at `memory`, aligned to 64 bytes, and returns its bytes. Without `to` only
 * counts them. */
int64_t gf_cpu_sampling_place(const struct gf_cpu_plan *p, char *memory, struct gf_cpu_sampled *to);
/* Transforms the sampled lines of a bound pass and keeps them. */
void gf_cpu_sampling_lines(const struct gf_cpu_bound *b, const struct gf_cpu_pass *pass,
                           int threads);
/* Runs a tile of that pass; kept blocks need only the store. */
void gf_cpu_sampling_tile(const struct gf_cpu_bound *b, const struct gf_cpu_pass_args *args,
                          int64_t tile, void *scratch, struct gf_cpu_stats *stats);
/* Reads the bins from the workspace. */
void gf_cpu_sampling_read(const struct gf_cpu_bound *b);

/* ---- run.c ---- */

/* A run's arrays, which match the plan's job, and where to store its passes' seconds (or NULL). */
struct gf_cpu_run {
    const struct gf_array *in;
    struct gf_feed *feed; /* produces the input during the run; NULL: it is complete */
    struct gf_array *out; /* job.n_out */
    struct gf_report *report;
    double *seconds;
};

/* Makes it without the memory for runs, which the first one allocates. The caller frees it. */
int gf_cpu_bound_make(const struct gf_cpu_plan *p, int threads, struct gf_cpu_bound **out);
void gf_cpu_bound_free(struct gf_cpu_bound *b); /* may be NULL */
/* Bytes of that memory. */
int64_t gf_cpu_bound_bytes(const struct gf_cpu_plan *p, int threads);
/* GF_ENOMEM only in the first run; GF_ECANCELED. */
int gf_cpu_run(struct gf_cpu_bound *b, const struct gf_cpu_run *run);
/* Threads for a run of the job; `first`: the first run. */
int gf_cpu_team_for(const struct gf_job *job, bool first, int threads);

#endif
