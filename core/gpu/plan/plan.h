/* The types of a GPU plan: a job as launches of kernels on one device. make.h makes one,
 * core/gpu/run.h runs it.
 *
 * Real samples are transformed as half as many complex ones: neighbours along the last transformed
 * axis h are real and imaginary part, the other axes are transformed as they are, and the pass
 * along h, last forward and first back, takes each line with its mirror image and separates the two
 * (Cooley, Lewis and Welch 1970). So the half spectrum costs no ninth block, and the pass along h
 * moves whole rows. If h is the only transformed axis, two lines make one or, in lines too long for
 * a tile, two neighbours one complex number. Long lines are split over passes (Bailey 1990,
 * four-step); lengths with large primes become convolutions, in a tile if they fit. Columns of
 * which few fit a tile leave their last radix, 2, to the pass along the rows, which makes rows k
 * and k + n/2 of the same two rows, one after the other. Two passes that meet in planes or strips
 * of columns become one launch if the data between them is large: it then stays in the second-level
 * cache.
 *
 * A filter's last axis forward is its first one back, so one pass transforms it, multiplies, and
 * transforms it back: three passes for a picture. That axis is h, on packed pairs; or, where its
 * columns would be too narrow in the other passes, h comes first and last, as half spectra written
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
    GF_GPU_TABLES,    /* complex: twiddles, chirps, spectra; a filter's factors */
    GF_GPU_ORDER,     /* Rader's permutations, 32-bit integers */
    GF_GPU_PARAMS,    /* reals: PARAM_ in kernels/codes.h */
    GF_GPU_COUNTERS,  /* clipped samples, 32-bit integers */
    GF_GPU_FOUND,     /* partial results of a search for a range, or a sample's keys */
    GF_GPU_ENERGY,    /* energies of a spectrum's parts, from the load step */
    GF_GPU_CHAIN,     /* chains' counters, 32-bit integers, zero between runs */
    GF_GPU_ELSEWHERE, /* some of the first pass's points: elsewhere.h */
    GF_GPU_FILTER,    /* a filter's table over the half spectrum */
    GF_GPU_OUT,       /* and on, one an output */
    GF_GPU_N_BUFFERS = GF_GPU_OUT + GF_MAX_OUTPUTS
};

enum { GF_GPU_GROUPS = 1024, GF_GPU_PARAMS_EACH = 5, GF_GPU_MAX_CHAINS = 2 };

/* A pass's task, and its member of gf_gpu_pass.args. */
enum gf_gpu_pass_kind {
    GF_GPU_PASS_AXIS,        /* args.pass: transforms lines along one axis */
    GF_GPU_PASS_FILTER_AXIS, /* args.pass: and multiplies and transforms back */
    GF_GPU_PASS_LOAD,        /* args.loadstore: the generic first step */
    GF_GPU_PASS_STORE,       /* args.loadstore: the generic last step */
    GF_GPU_PASS_RANGE,       /* args.range: the largest value, group by group */
    GF_GPU_PASS_RANGE_LAST,  /* args.range: the largest of the groups' values */
    GF_GPU_PASS_SAMPLE,      /* args.sample: the sizes of a sample's bins */
    GF_GPU_PASS_SELECT,      /* args.sample: their quantiles */
    GF_GPU_PASS_MULTIPLY,    /* args.filter: multiplies a spectrum by a filter */
    GF_GPU_PASS_WAVELET,     /* args.wave: one level */
    GF_GPU_PASS_TRANSPOSE,   /* args.transpose: a long line's columns to rows, or back */
    GF_GPU_PASS_CHAIN,       /* args.chain: two passes along an axis in one launch */
    GF_GPU_PASS_VENDOR       /* args.loadstore: a step beside a vendor's library */
};

/* One launch: reads its data once and writes it once. The host's description; the kernel receives
 * the same facts as options (-DLOAD=…). */
struct gf_gpu_pass {
    enum gf_gpu_pass_kind kind;
    int load, store;         /* axis passes: LOAD_… and STORE_… of kernels/codes.h */
    int indices;             /* likewise: args.pass.index in use */
    bool plain, far;         /* likewise: nothing but a transform; offsets beyond 32 bits */
    bool by_line;            /* likewise: SPLIT_BY_LINE */
    bool folded;             /* likewise: lines with their mirror images, or sums of pairs */
    struct gf_gpu_tile tile; /* likewise */
    struct gf_kernel_request kernel;
    int64_t groups;
    int group;
    int64_t local_bytes;
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
    int output;    /* whose clipped samples are counted; -1: none */
    bool energy;   /* stores the energies of the input's parts */
    bool unlisted; /* second half of a search: not listed by `gpufft plan` */
    struct gf_pass_info summary;
    double cost; /* bytes over the access pattern's share of the copy bandwidth */
};

/* A tile that holds planes whole, for passes along both their axes; between these, in the layout of
 * the first one's tile. */
struct gf_gpu_planes {
    int count, resident;        /* planes of a tile; tiles of a compute unit */
    struct gf_gpu_tile tile[2]; /* of as many work items */
    int64_t local_bytes, groups;
    double cost;
};

/* The tables that a plan needs, and their offsets; values are computed on upload: tables.h. */
struct gf_gpu_tables {
    struct gf_gpu_table {
        int what;
        int64_t a[10]; /* what's parameters */
        int64_t at, count;
        double *own; /* given; NULL: computed */
    } * table;
    int n, room;
    int64_t count, order_count; /* complex values; integers */
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
    struct gf_gpu_choices *choices; /* while it is made: decision.h; or NULL */
    bool gaps;                      /* parts of the output are cleared, as no pass writes them */
    bool host_share;           /* wavelets: `job` is only the device's share: core/gpu/dwt_host.h */
    struct filter_args filter; /* GF_FILTER: its values */
    int filter_form, filter_profile; /* FILTER_…, PROFILE_… */
    int64_t filter_first;            /* gf_gpu_filter_move() */
    bool filter_bands;
};

/* Bytes of buffers [first, end). */
static inline int64_t gf_gpu_plan_bytes(const struct gf_gpu_plan *p, int first, int end) {
    int64_t bytes = 0;
    for (int i = first; i < end; i++)
        bytes += p->bytes[i];
    return bytes;
}

#endif
