/* Plans one tile: how a work group transforms `lines` lines of `length` points together. Pure
 * functions; the kernels that run it are kernels/fft_*.cl and filter_pass.cl.
 *
 *     struct gf_gpu_tile_request request = {.length = 4096, .lines = 2, .rows_in = true};
 *     struct gf_gpu_tile tile;
 *     int rc = gf_gpu_tile_plan(&request, &props, &tile);
 */
#ifndef GF_CORE_GPU_PLAN_TILE_H
#define GF_CORE_GPU_PLAN_TILE_H

#include "core/gpu/gpu.h"

enum { GF_GPU_MAX_STAGES = 6, GF_GPU_MAX_MEMBERS = 3 };

enum gf_gpu_algorithm {
    GF_GPU_PLAIN,
    GF_GPU_BLUESTEIN,
    GF_GPU_RADER,
    GF_GPU_BOTH_WAYS /* transformed, multiplied by a table and transformed back */
};

/* The task of a tile. */
struct gf_gpu_tile_request {
    int64_t length; /* points of a line */
    int lines;      /* in the tile together */
    bool rows_in;   /* neighbouring work items take neighbouring points, else lines */
    bool rows_out;
    /* Rows of GF_GPU_PLAIN that are read, or written, by the group's items together in the order of
     * memory; rows_in, rows_out is false. */
    bool coalesced_in, coalesced_out;
    bool paired;   /* the results go through the tile once more */
    bool staged;   /* the points go through it first */
    bool both;     /* GF_GPU_BOTH_WAYS */
    bool filtered; /* transformed, multiplied in registers, and transformed back */
    int sides;     /* lines that a work item transforms with the same butterflies; 0 is 1 */
    int threads;   /* work items that it must have; 0: any number */
    int words;     /* that it must hold: 1 real ones, 2 complex ones; 0: either */
    enum gf_precision precision;
};

struct gf_gpu_tile {
    int64_t length;
    int lines;
    bool rows_in, rows_out;
    bool coalesced_in, coalesced_out;
    enum gf_gpu_algorithm algorithm;
    int points; /* of the FFT: the length, or the convolution's */
    /* GF_GPU_RADER: the length is a prime times so many, which are transformed first, with these
     * radices; the FFT is then of as many convolutions, of prime - 1 points each. */
    int members, member_stages, member_radix[GF_GPU_MAX_MEMBERS];
    int threads;
    int stages, radix[GF_GPU_MAX_STAGES];
    int held;                                 /* points that a work item holds */
    bool whole;                               /* the tile holds complex words */
    int pad_every, index_stride, line_stride; /* the tile's layout, in words */
    int sides, side_stride;                   /* and of a second side, in words */
    int64_t local_bytes;
    int resident; /* how many of them a compute unit can work on at once */
    double work;  /* arithmetic and exchanges of a point; one exchange costs about 1 */
};

/* How many groups with so much local memory fit a compute unit, which reserves some for each. */
static inline int gf_gpu_groups_fit(const struct gf_gpu_props *props, int64_t local_bytes) {
    enum { BESIDE = 1024 };
    return (int)(props->unit_local_bytes / (local_bytes + BESIDE));
}

/* GF_EUNSUPP (without a message) when no such tile fits the device. */
int gf_gpu_tile_plan(const struct gf_gpu_tile_request *request, const struct gf_gpu_props *props,
                     struct gf_gpu_tile *tile);

/* True when radices with a straight-line DFT make up n: its primes are 2 to 31. */
bool gf_gpu_has_codelets(int64_t n);

/* "4096 = 16·16·16", "4001: Rader over 4000 = 16·10·5·5", "218 = 2·109: Rader over 108 = 12·9" */
void gf_gpu_tile_describe(const struct gf_gpu_tile *tile, char *text, size_t size);
/* The same for a line combined from two of them: "4096 = 2·16·8·16" */
void gf_gpu_tile_describe_twice(const struct gf_gpu_tile *tile, char *text, size_t size);

#endif
