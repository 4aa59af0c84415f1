/* The types of a GPU plan: a job as launches of kernels on one device. core/gpu/plan/make.h makes
 * one, core/gpu/run.h runs it.
 *
 * Real samples are transformed as complex ones half their number: neighbours along the last
 * transformed axis h are packed as real and imaginary part, all other axes are transformed as they
 * are, and the pass along h, last on the way forward and first on the way back, takes each line
 * together with its mirror image and separates the two (Cooley, Lewis and Welch 1970). So the
 * half spectrum costs no ninth block, and the pass along h reads and writes whole rows. Where h is
 * the only transformed axis, two lines make one; or, of lines too long for a tile, two neighbours
 * make one complex number. Long lines are split over passes (Bailey's four
 * steps, 1990), lengths with large primes become convolutions, in the tile where they fit.
 * Columns of which few fit a tile leave their last radix, 2, to the pass along the rows, which takes
 * rows k and k + n/2 of the result one after the other: both are made of the same two rows.
 * Two passes that meet in planes or in strips of columns become one launch where what is between them
 * is large: it then stays in the second-level cache.
 *
 * A filter's last axis forward is its first one back, so one pass transforms it, multiplies and
 * transforms it back: three passes for a picture. That axis is h, on packed pairs; or, where its
 * columns would be too narrow in the other passes, h comes first and last, as half spectra written
 * column by column, and the other axis is transformed both ways along them. Where no tile holds
 * that, a separate pass multiplies half spectra in memory. */
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
    GF_GPU_TABLES,    /* complex values: twiddles, chirps, spectra; a filter's factors */
    GF_GPU_ORDER,     /* Rader's permutations, 32-bit integers */
    GF_GPU_PARAMS,    /* reals, see PARAM_ in kernels/args.h */
    GF_GPU_COUNTERS,  /* clipped samples, 32-bit integers */
    GF_GPU_FOUND,     /* the partial results of the search for a range, or a sample's keys */
    GF_GPU_ENERGY,    /* the energies of a spectrum's parts, from the load step */
    GF_GPU_CHAIN,     /* what chains count, 32-bit integers, zero between runs */
    GF_GPU_ELSEWHERE, /* where the first pass reads some points, see core/gpu/plan/elsewhere.h */
    GF_GPU_FILTER,    /* a filter's values over the half spectrum, where a table holds them */
    GF_GPU_OUT,       /* and the following, one an output */
    GF_GPU_N_BUFFERS = GF_GPU_OUT + GF_MAX_OUTPUTS
};

enum { GF_GPU_GROUPS = 1024, GF_GPU_PARAMS_EACH = 5, GF_GPU_MAX_CHAINS = 2 };

/* Which member of gf_gpu_pass.args a pass uses, and what it does. */
enum gf_gpu_pass_kind {
    GF_GPU_PASS_AXIS,        /* args.pass: transforms lines along one axis */
    GF_GPU_PASS_FILTER_AXIS, /* args.pass: transforms them, multiplies and transforms back */
    GF_GPU_PASS_LOAD,        /* args.loadstore: the generic first step */
    GF_GPU_PASS_STORE,       /* args.loadstore: the generic last step */
    GF_GPU_PASS_RANGE,       /* args.range: searches for the largest value, group by group */
    GF_GPU_PASS_RANGE_LAST,  /* args.range: the largest of the groups' values */
    GF_GPU_PASS_SAMPLE,      /* args.sample: the sizes of a sample's bins */
    GF_GPU_PASS_SELECT,      /* args.sample: their quantiles */
    GF_GPU_PASS_MULTIPLY,    /* args.filter: multiplies a spectrum by a filter */
    GF_GPU_PASS_WAVELET,     /* args.wave: one level */
    GF_GPU_PASS_TRANSPOSE,   /* args.transpose: a long line's columns to rows, or back */
    GF_GPU_PASS_CHAIN,       /* args.chain: two passes along an axis in one launch */
    GF_GPU_PASS_VENDOR       /* args.loadstore: a step beside a vendor's library */
};

/* One launch: reads its data once and writes it once. The fields describe the pass to the host; the
 * kernel receives the same facts as options (-DLOAD=…). */
struct gf_gpu_pass {
    enum gf_gpu_pass_kind kind;
    int load, store;         /* of passes along an axis: LOAD_… and STORE_… of kernels/args.h */
    int indices;             /* likewise: how many of args.pass.index count */
    bool plain, far;         /* likewise: a transform and nothing else; offsets beyond 32 bits */
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
    int chain;     /* 1 + which chain launches this pass and the next one; 0 none */
    int output;    /* the output whose clipped samples are counted; -1: none */
    bool energy;   /* stores the energies of the input's parts in GF_GPU_ENERGY */
    bool unlisted; /* the second half of a search: not a pass of its own in `gpufft plan` */
    struct gf_pass_info summary;
    double cost; /* bytes over the share of the copy bandwidth that the access pattern reaches */
};

/* A tile that holds planes whole, for two passes along their axes; between them, they are in the layout of
 * the first one's tile. */
struct gf_gpu_planes {
    int count, resident;        /* planes of a tile, tiles of a compute unit */
    struct gf_gpu_tile tile[2]; /* of as many work items */
    int64_t local_bytes, groups;
    double cost;
};

/* Which tables a plan needs, and where each begins in the buffers; their values are computed when
 * they are uploaded, see core/gpu/plan/tables.h. */
struct gf_gpu_tables {
    struct gf_gpu_table {
        int what;
        int64_t a[10]; /* of what */
        int64_t at, count;
        double *own; /* given values; NULL: computed */
    } * table;
    int n, room;
    int64_t count, order_count; /* complex values, and integers, in all */
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
    bool general; /* kernels of any length are preferred, which are compiled once */
    bool trial;   /* passes are added only to learn their cost: no tables are made */
    struct gf_gpu_choices *choices; /* while it is made, see core/gpu/plan/decision.h; or NULL */
    bool gaps;       /* no pass writes some parts of the output: they are cleared first */
    bool host_share; /* wavelets: `job` is only the device's share, see core/gpu/dwt_host.h */
    struct filter_args filter;       /* GF_FILTER: where its passes find the values */
    int filter_form, filter_profile; /* FILTER_…, PROFILE_… */
    int64_t filter_first;            /* see gf_gpu_filter_move() */
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
