/* The types of a GPU plan, which is a job as kernel launches on one device. make.h makes one,
 * core/gpu/run.h runs it.
 *
 * Real samples are transformed as half as many complex ones: adjacent samples along the last
 * transformed axis h become real and imaginary parts, and the other axes are transformed as complex
 * data. The pass along h, last forward and first back, combines each line with its mirror image to
 * separate the two (Cooley, Lewis and Welch 1970). The half spectrum thus needs no extra column in
 * between, and the pass along h moves whole rows. If h is the only transformed axis, two lines, or
 * in lines too long for a tile two adjacent samples, form complex numbers. Long lines are split
 * over passes (Bailey 1990, four-step); lengths with large primes become convolutions, in a tile if
 * they fit. If few columns fit a tile, their last radix, 2, is left to the pass along the rows,
 * which computes rows k and k + n/2 from the same two rows in turn. Two passes that share planes or
 * strips of columns become one launch if the intermediate data is large, so that it stays in the
 * second-level cache.
 *
 * A filter's last axis forward is its first one back, so one pass transforms it, multiplies, and
 * transforms it back: three passes for a picture. That axis is h, on packed pairs. If the columns
 * of the other passes would be too narrow, h comes first and last instead: half spectra are written
 * column by column, and the other axis is filtered along them. If no tile holds that, a separate
 * pass multiplies half spectra in memory. */
#ifndef GF_CORE_GPU_PLAN_PLAN_H
#define GF_CORE_GPU_PLAN_PLAN_H

#define GF_HOST 1
#include "core/gpu/cache/kernel_cache.h"
#include "core/gpu/plan/tile.h"
#include "kernels/args.h"

/* The buffers of a plan. */
enum gf_gpu_buffer_id {
    GF_GPU_IN,
    GF_GPU_A,
    GF_GPU_B,
    GF_GPU_TABLES,    /* complex: twiddles, chirps, spectra; filter factors */
    GF_GPU_ORDER,     /* Rader's permutations, 32-bit integers */
    GF_GPU_PARAMS,    /* reals: PARAM_ in kernels/codes.h */
    GF_GPU_COUNTERS,  /* clipped samples, 32-bit integers */
    GF_GPU_FOUND,     /* partial results of a range search, or keys of a sample */
    GF_GPU_ENERGY,    /* energies of a spectrum's parts, from the load step */
    GF_GPU_CHAIN,     /* chain counters, 32-bit integers, zero between runs */
    GF_GPU_ELSEWHERE, /* some of the first pass's points: pass.h */
    GF_GPU_FILTER,    /* a filter's table over the half spectrum */
    GF_GPU_OUT,       /* and following, one per output */
    GF_GPU_N_BUFFERS = GF_GPU_OUT + GF_MAX_OUTPUTS
};

enum { GF_GPU_GROUPS = 1024, GF_GPU_PARAMS_EACH = 5, GF_GPU_MAX_CHAINS = 2 };

/* A pass's task and its member of gf_gpu_pass.args. */
enum gf_gpu_pass_kind {
    GF_GPU_PASS_AXIS,        /* args.pass: transforms lines along one axis */
    GF_GPU_PASS_FILTER_AXIS, /* args.pass: also multiplies and transforms back */
    GF_GPU_PASS_LOAD,        /* args.loadstore: generic first step */
    GF_GPU_PASS_STORE,       /* args.loadstore: generic last step */
    GF_GPU_PASS_RANGE,       /* args.range: largest value of each group */
    GF_GPU_PASS_RANGE_LAST,  /* args.range: largest of the groups' values */
    GF_GPU_PASS_SAMPLE,      /* args.sample: keys of a sample's bins */
    GF_GPU_PASS_SELECT,      /* args.sample: quantiles of the keys */
    GF_GPU_PASS_MULTIPLY,    /* args.filter: multiplies a spectrum by a filter */
    GF_GPU_PASS_WAVELET,     /* args.wave: one level */
    GF_GPU_PASS_TRANSPOSE,   /* args.transpose: columns of a long line to rows, or back */
    GF_GPU_PASS_CHAIN,       /* args.chain: two axis passes in one launch */
    GF_GPU_PASS_VENDOR       /* args.loadstore: a step around a vendor's library */
};

/* One launch, which reads its data once and writes it once. The kernel receives the same facts as
 * options (-DLOAD=…). */
struct gf_gpu_pass {
    enum gf_gpu_pass_kind kind;
    int load, store;         /* axis passes: LOAD_… and STORE_… of kernels/codes.h */
    int indices;             /* axis passes: args.pass.index in use */
    bool plain, far;         /* axis passes: only a transform; offsets beyond 32 bits */
    bool by_line;            /* axis passes: SPLIT_BY_LINE */
    bool folded;             /* axis passes: lines with their mirror images, or sums of pairs */
    struct gf_gpu_tile tile; /* axis passes */
    struct gf_kernel_request kernel;
    int64_t groups;
    int group;
    int n_buffers;
    enum gf_gpu_buffer_id buffer[GF_GPU_MAX_BUFFERS]; /* the first is read, the second written */
    union {
        struct pass_args pass;
        struct chain_args chain;
        struct loadstore_args loadstore;
        struct range_args range;
        struct sample_args sample;
        struct filter_multiply_args filter;
        struct transpose_args transpose;
        struct wave_args wave;
    } args;
    size_t args_bytes;
    int chain;     /* 1 + the chain that launches this pass and the next; 0: none */
    int output;    /* output whose clipped samples are counted; -1: none */
    bool energy;   /* stores the energies of the input's parts */
    bool unlisted; /* second half of a search, omitted by `gpufft plan` */
    struct gf_pass_info summary;
    double cost; /* bytes divided by the access pattern's share of the copy bandwidth */
};

/* A tile that holds whole planes, for the passes along both their axes. Between the passes it has
 * the layout of the first one's tile. */
struct gf_gpu_planes {
    int count, resident;        /* planes per tile; tiles per compute unit */
    struct gf_gpu_tile tile[2]; /* with equally many work items */
    int64_t local_bytes, groups;
    double cost;
};

/* The tables of a plan and their offsets. Values are computed on upload: tables.h. */
struct gf_gpu_tables {
    struct gf_gpu_table {
        int what;
        int64_t a[10]; /* parameters, depending on `what` */
        int64_t at, count;
        double *own; /* given values; NULL: computed */
    } * table;
    int n, room;
    int64_t count, order_count; /* complex values; integers */
    int failed;                 /* GF_ENOMEM if a table could not be added, else 0 */
};

struct gf_gpu_plan {
    struct gf_job job;
    struct gf_gpu_props props;
    int n_passes;
    struct gf_gpu_pass pass[GF_MAX_PASSES];
    int n_chains;
    struct gf_gpu_pass chain[GF_GPU_MAX_CHAINS];
    int64_t bytes[GF_GPU_N_BUFFERS];
    struct gf_gpu_tables tables;
    bool general;                   /* prefers kernels of any length, compiled once */
    bool trial;                     /* passes are added only to learn their cost: no tables */
    struct gf_gpu_choices *choices; /* during planning only, may be NULL: decision.h */
    bool gaps;                      /* parts of the output that no pass writes must be cleared */
    bool host_share;                /* wavelets: `job` is only the device's share: core/gpu/dwt.h */
    struct filter_args filter;      /* GF_FILTER: its values */
    int filter_form, filter_profile; /* FILTER_…, PROFILE_… */
    int64_t filter_first;            /* gf_gpu_filter_move() */
    bool filter_bands;
};

/* Bytes of a real number in the job's precision; complex ones have twice that. */
static inline int gf_gpu_word(const struct gf_job *job) {
    return job->precision == GF_DOUBLE ? 8 : 4;
}
/* Total bytes of buffers [first, end). */
static inline int64_t gf_gpu_plan_bytes(const struct gf_gpu_plan *p, int first, int end) {
    int64_t bytes = 0;
    for (int i = first; i < end; i++)
        bytes += p->bytes[i];
    return bytes;
}

#endif
