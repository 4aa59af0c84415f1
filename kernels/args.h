/* Argument blocks that the host passes to kernels by value. Both include this file: 64-bit integers
 * are laid out alike by every compiler. */
#ifndef ARGS_H
#define ARGS_H

#include "codes.h"

#ifdef GF_HOST
#include <stdint.h>
typedef int64_t wide;
#else
#include "lang.h"
#endif

/* The generic load and store steps. */
struct loadstore_args {
    wide n[3];       /* the picture's extents; z, y, x, missing ones 1 */
    wide on[3];      /* 1: the axis is transformed */
    wide centre[3];  /* where the array has the zero frequency; 0: in the corner */
    wide work[3];    /* extents of the work buffer */
    wide array[3];   /* extents of the array */
    wide stride[4];  /* of the array, in elements: z, y, x, channel */
    wide channels;   /* of the work buffer */
    wide halved;     /* axis of half spectra */
    wide work_half;  /* the work buffer has half a spectrum */
    wide array_half; /* the array has */
    wide luma;       /* Rec.709 luma of three channels */
    wide hermitian;  /* take the Hermitian part of the array's spectrum */
    wide reals;      /* the spectrum is of reals: bins that mirror themselves are real */
    wide counted[3]; /* samples of lower coordinates count if they clip */
    wide kind, scale, display;
    wide params;   /* the output's first */
    wide counters; /* the output's first, for clipped samples */
};

/* A display range's sample of bins (core/base/job/range_sample.h). Axes are x, y, z and channels, as
 * the bins are ordered. */
struct sample_args {
    wide count;     /* bins */
    wide extent[4]; /* number of each axis' indices */
    wide index[4];  /* where the integers list them */
    wide weight;    /* and the bins' weights */
    wide stride[4]; /* from index to index of the work buffer, elements */
    wide kind;
    wide params; /* the output's first */
};

/* The search for the largest value. */
struct range_args {
    wide count;  /* values searched or summed in a row */
    wide stride; /* from one to the next, elements */
    wide rows;   /* in up to four nested loops, innermost first */
    wide extent[4], step[4];
    wide kind;
    wide params; /* the output's first */
    wide found;  /* where the first group leaves its value */
    wide groups; /* range_last: groups that left a value */
};

/* kernels/gl/pass.glsl has those of a pass, without GLSL's keywords. */
#ifndef IS_GLSL

/* An index that chooses a line. */
struct index_args {
    wide count;   /* how many there are */
    wide in, out; /* strides in elements of source and destination */
    wide size;    /* of the frequency axis along which it runs; 0: none, no mirror images */
    wide centre;  /* where that axis has its zero frequency; 0: in the corner */
    wide point_in, point_out; /* a step's share of the point's coordinate: a split axis' part */
    wide turn;                /* and of the four-step twiddle's exponent */
    wide filter;              /* filter_args.at of its axis */
    wide counted;             /* samples of lower indices count if they clip: COUNTED */
};

/* A filter over the half spectrum. */
struct filter_args {
    wide factors; /* number of evaluated ones */
    wide values;  /* where the first one's first low pass begins, in reals */
    wide each;    /* reals of a low pass */
    wide at[3];   /* z, y, x: an axis' first value in a low pass, 0: none; a table's strides */
};

/* The lines of a display range's sample, for a pass over these alone. The integers list an axis'
 * sampled indices, the zero first. */
struct sample_lines {
    wide tiles;
    wide count[5];     /* replaces index[i].count */
    wide size[5];      /* of the sample, as index[i].size: i and size - i are mirror images */
    wide list[5];      /* where the integers list them */
    wide stride[5];    /* from one to the next among the sample's bins */
    wide bins;         /* where the integers map a coordinate to its bin, -1: none */
    wide stride_along; /* from a bin to the next */
};

struct pass_args {
    struct index_args index[5]; /* fast index first: its neighbours are closest in memory */
    wide in_point, out_point;   /* strides from point to point */
    wide axis_size;             /* the axis' length in points */
    wide axis_in, axis_out;     /* strides of a coordinate, for endpoints that need these */
    wide step_in, step_out;     /* coordinates from point to point */
    /* From a sample to the imaginary part of its pair; or between joined rows of neighbouring
     * blocks of y. */
    wide pair_in, pair_out;
    wide lone;       /* the last pair if it lacks its partner, else -1 */
    wide lone_index; /* the index that counts pairs; -1: none */
    /* Only points below count if they clip, for each of a pair's samples. */
    wide counted[2];
    wide pair_counted; /* lone_index's `counted` for a pair's second sample */
    wide own_index;    /* the index of a mirrored axis of half its extent (line.own); -1: none */
    wide table_stage;  /* offset of the stages' twiddles in the table, in elements */
    wide table_split, table_split_low, split_bits; /* four-step twiddles: two tables, low bits;
                                                    * SPLIT_BY_LINE has others */
    wide table_fold, table_fold_low, fold_bits; /* likewise a folded axis'; or one table, of ACROSS'
                                                 * axis; or z's and y's of joined rows */
    wide table_in, table_out, limit;            /* multiplier tables by coordinate, and their end */
    wide table_chirp, table_spectrum;           /* in a tile: Bluestein's and Rader's */
    wide order;                                 /* Rader's permutations in their buffer */
    wide params;                                /* the output's first parameter */
    struct filter_args filter;
    wide filter_along; /* filter.at of the pass's own axis */
    /* fft_general: the options of the other kernels. */
    wide points, lines; /* of the tile; more points than the axis has: Bluestein's convolution */
    wide stages, radix[GENERAL_STAGES];
    wide rows_in, rows_out;
    struct sample_lines sample;
    wide elsewhere_first, elsewhere_count; /* ELSEWHERE: coordinates of the points that are there */
};

/* Two passes in one launch (fft_chain.cl). Tiles of both are counted along the strips and, within
 * one, along the axis' other part, `inner` of them; in a pass's own count these are `below`
 * apart. */
struct chain_args {
    struct pass_args first, second;
    wide strips, tiles; /* how many, and how many along the fast index */
    wide lag;           /* the second pass follows this many strips later */
    wide slots, slot;   /* strips between the two, and elements of one */
    wide inner[2], below[2];
};

/* A filter on a work buffer's planes. */
struct filter_multiply_args {
    struct filter_args filter;
    wide n[3], on[3]; /* as in loadstore_args */
    wide work[3];     /* extents of the work buffer */
    wide channels;
    wide halved; /* the axis with half a spectrum of the filter */
};

/* Between planes of columns, [channel][number][column], and rows of a long line's matrix,
 * [column][number][channel]: transpose.cl. */
struct transpose_args {
    wide columns, channels;
    wide n;       /* points of a column */
    wide height;  /* numbers that the planes have of a column: all, or half a spectrum */
    wide numbers; /* those that the rows have */
    wide first;   /* the first column's number in the whole line */
    wide table_split, table_split_low, split_bits; /* the line's twiddles, as in pass_args */
};

/* A level of the wavelet transform; axes in the order walk, row, x (wavelet.h). Strides and offsets
 * in elements; rows are dense. */
struct wave_args {
    wide n[3], m[3]; /* samples along each; and of a band */
    wide channels;   /* of a sample, adjacent */
    wide columns;    /* work items along x */
    wide rows;       /* bands' rows, pairs of rows, or independent rows */
    wide steps;      /* along the walk */
    wide fine[2];    /* the finer side: from plane to plane, row to row */
    wide packed[2];  /* the packed coefficients */
    wide low[2];     /* the approximation */
    wide detail[3];  /* from a band to its detail along that axis, packed */
    wide strip;      /* steps of an item */
    wide width_bits; /* 1 << these are a group's adjacent items along x */
    wide blocks;     /* groups along x */
    wide inner;      /* the faster of the other two indices: strips, or tiles of rows */
    wide counters;   /* for clipped samples */
};

#endif
#endif
