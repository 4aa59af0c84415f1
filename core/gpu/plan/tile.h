/* Plans a tile: how a work group transforms `lines` lines of `length` points. Pure functions; the
 * kernels are fft_*.cl and filter_pass.cl.
 *
 *     struct gf_gpu_tile_request request = {.length = 4096, .lines = 2, .rows_in = true};
 *     struct gf_gpu_tile tile;
 *     int rc = gf_gpu_tile_plan(&request, &props, &tile); */
#ifndef GF_CORE_GPU_PLAN_TILE_H
#define GF_CORE_GPU_PLAN_TILE_H

#include "core/gpu/gpu.h"

enum { GF_GPU_MAX_STAGES = 6, GF_GPU_MAX_MEMBERS = 3 };

enum gf_gpu_algorithm {
    GF_GPU_PLAIN,
    GF_GPU_BLUESTEIN,
    GF_GPU_RADER,
    GF_GPU_BOTH_WAYS /* forward, times a table, and back */
};

struct gf_gpu_tile_request {
    int64_t length; /* points per line */
    int lines;      /* adjacent work items take adjacent points, not lines */
    bool rows_in;   /* neighbouring work items take neighbouring points, not lines */
    bool rows_out;
    /* GF_GPU_PLAIN: the group reads, or writes, rows in memory order; rows_in, rows_out is
     * false. */
    bool coalesced_in, coalesced_out;
    bool paired;   /* results pass through the tile once more */
    bool staged;   /* points pass through the tile first */
    bool both;     /* GF_GPU_BOTH_WAYS */
    bool filtered; /* forward, multiplied in registers, and back */
    int sides;     /* lines that share a work item's butterflies; 0 means 1 */
    int threads;   /* 0: any number */
    int words;     /* 1: real, 2: complex, 0: either */
    enum gf_precision precision;
};

struct gf_gpu_tile {
    int64_t length;
    int lines;
    bool rows_in, rows_out;
    bool coalesced_in, coalesced_out;
    enum gf_gpu_algorithm algorithm;
    int points; /* of the FFT: the length, or that of the convolution */
    /* GF_GPU_RADER: the length is a prime times `members`. Transforms over the members come first,
     * with these radices, then as many convolutions of prime - 1 points. */
    int members, member_stages, member_radix[GF_GPU_MAX_MEMBERS];
    int threads;
    int stages, radix[GF_GPU_MAX_STAGES];
    int held;                                 /* points per work item */
    bool whole;                               /* the tile holds complex words */
    int pad_every, index_stride, line_stride; /* layout, in words */
    int sides, side_stride;                   /* distance of the second side, in words */
    int64_t local_bytes;
    int resident; /* tiles processed concurrently by a compute unit */
    int bound;    /* the same for the compiler, which then leaves each more registers */
    double work;  /* arithmetic and exchanges per point; an exchange is about 1 */
};

/* Groups with this much local memory that fit a compute unit, which reserves some for each. */
static inline int gf_gpu_groups_fit(const struct gf_gpu_props *props, int64_t local_bytes) {
    enum { BESIDE = 1024 };
    return (int)(props->unit_local_bytes / (local_bytes + BESIDE));
}

/* GF_EUNSUPP without a message: no such tile fits the device. */
int gf_gpu_tile_plan(const struct gf_gpu_tile_request *request, const struct gf_gpu_props *props,
                     struct gf_gpu_tile *tile);

/* True if n has prime factors 2 to 31, which straight-line DFTs serve. */
bool gf_gpu_has_codelets(int64_t n);

/* Writes "4096 = 16·16·16", "4001: Rader over 4000 = 16·10·5·5", "218 = 2·109: Rader over 108 =
 * 12·9"; for a line of `joined` tiles "4096 = 2·16·8·16". */
void gf_gpu_tile_describe(const struct gf_gpu_tile *tile, int joined, char *text, size_t size);

#endif
