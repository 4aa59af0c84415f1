/* Argument blocks that the host passes to kernels by value. Both include this file, so the
 * blocks hold only 64-bit integers: every compiler lays those out alike. */
#ifndef ARGS_H
#define ARGS_H

#include "codes.h"

#ifdef GF_HOST
#include <stdint.h>
typedef int64_t wide;
#else
#include "lang.h"
#endif

/* One of the indices that choose a line. */
struct index_args {
    wide count;   /* how many there are */
    wide in, out; /* strides, in elements of the source and of the destination */
    wide size; /* of the frequency axis that it runs along, 0 where it is none: for mirror images */
    wide centre;              /* where that axis' zero frequency is put, 0 in the corner */
    wide point_in, point_out; /* what one step adds to the point's coordinate: a split axis' part */
    wide turn;                /* what one step adds to the four-step twiddle's exponent */
    wide filter;              /* filter_args.at of the axis that it runs along */
    wide counted; /* samples of indices below it are counted where they clip, see COUNTED */
};

/* A filter over the half spectrum. */
struct filter_args {
    wide factors; /* how many are evaluated */
    wide values;  /* where the first one's first low pass is in the buffer, in reals */
    wide each;    /* reals of a low pass */
    wide at[3];   /* z, y, x: where an axis' values begin in a low pass, 0 where it has none; of a
                   * table: the strides */
};

/* The lines of an automatic display range's sample, of a pass that takes no others. Which indices of an
 * axis are in the sample is listed among the integers, the zero first. */
struct sample_lines {
    wide tiles;
    wide count[5]; /* indices of the sample in place of index[i].count */
    wide
        size[5]; /* as index[i].size, of the sample: an index and size minus it are mirror images */
    wide list[5];   /* which they are: offset among the integers */
    wide stride[5]; /* from one to the next among the sample's bins */
    wide bins; /* where the integers tell which bin along a line a coordinate is, or -1: none */
    wide stride_along; /* from one of these bins to the next */
};

struct pass_args {
    struct index_args index[5]; /* the fast index first: its neighbours are closest in memory */
    wide in_point, out_point;   /* strides from point to point */
    wide axis_size;             /* the axis' whole length, in points */
    wide axis_in,
        axis_out; /* strides of a coordinate along it, for endpoints that need coordinates */
    wide step_in, step_out; /* coordinates from point to point */
    /* From a sample to its partner, the imaginary part of a packed pair; or between joined rows of
     * neighbouring blocks of y. */
    wide pair_in, pair_out;
    wide lone;       /* the last pair where it lacks its partner, else -1 */
    wide lone_index; /* which of the five indices counts pairs, -1 none */
    /* For each of a pair's samples: only points below this number are counted if they clip. */
    wide counted[2];
    wide pair_counted; /* the lone_index's `counted` for a pair's second sample */
    wide own_index;    /* which is a mirrored axis of half its extent, see line.own; -1 none */
    wide table_stage;  /* offsets into the table, in elements: the stages' twiddles */
    wide table_split, table_split_low, split_bits; /* four-step twiddles: two tables, low bits; see
                                                    * SPLIT_BY_LINE for its two */
    wide table_fold, table_fold_low, fold_bits; /* likewise those of a folded axis in parts; or one
                                                    * table, of the axis that ACROSS is about; or
                                                    * z's and y's where rows are joined */
    wide table_in, table_out, limit;  /* multiplier tables by coordinate, and where they end */
    wide table_chirp, table_spectrum; /* Bluestein's and Rader's in a tile */
    wide order;                       /* Rader's permutations: offset in their buffer */
    wide params;                      /* first parameter of the output */
    struct filter_args filter;
    wide filter_along; /* filter.at of the pass's own axis */
    /* fft_general: what the other kernels are compiled for. */
    wide points, lines; /* of the tile; more points than the axis has: Bluestein's convolution */
    wide stages, radix[GENERAL_STAGES];
    wide rows_in, rows_out;
    struct sample_lines sample;
    wide elsewhere_first, elsewhere_count; /* ELSEWHERE: coordinates of the points that are there */
};

/* Two passes in one launch, see fft_chain.cl. Tiles of both are counted along the strips and, within
 * one, along the axis' other part, `inner` of them; in a pass's own count the latter are `below`
 * apart. */
struct chain_args {
    struct pass_args first, second;
    wide strips, tiles; /* strips, and how many of them lie along the fast index */
    wide lag;           /* the second pass follows so many strips later, */
    wide slots, slot;   /* and so many strips are between the two, of so many elements */
    wide inner[2], below[2];
};

/* A filter on a work buffer's planes. */
struct filter_multiply_args {
    struct filter_args filter;
    wide n[3], on[3]; /* as in loadstore_args */
    wide work[3];     /* extents of the work buffer */
    wide channels;
    wide halved; /* the axis along which the filter has half a spectrum */
};

/* Between planes of columns, [channel][number][column], and the rows of a long line's matrix,
 * [column][number][channel], see transpose.cl. */
struct transpose_args {
    wide columns, channels;
    wide n;       /* points of a column */
    wide height;  /* numbers that the planes have of one: all, or half a spectrum */
    wide numbers; /* and that the rows have */
    wide first;   /* the number of the first column among those of the whole line */
    wide table_split, table_split_low, split_bits; /* the line's twiddles, as in pass_args */
};

/* The generic load and store steps. */
struct loadstore_args {
    wide n[3];       /* the picture's extents; z, y, x, missing ones 1 */
    wide on[3];      /* 1 where the axis is transformed */
    wide centre[3];  /* where the array has the zero frequency, 0 in the corner */
    wide work[3];    /* extents of the work buffer */
    wide array[3];   /* extents of the array */
    wide stride[4];  /* of the array, in elements: z, y, x, channel */
    wide channels;   /* of the work buffer */
    wide halved;     /* the axis that half spectra halve */
    wide work_half;  /* the work buffer holds half a spectrum */
    wide array_half; /* the array does */
    wide luma;       /* Rec.709 luma of three channels */
    wide hermitian;  /* the Hermitian part of the array's spectrum is taken */
    wide real;       /* the spectrum is that of reals: bins that mirror themselves are real */
    wide counted[3]; /* samples of coordinates below these are counted where they clip */
    wide kind, scale, display;
    wide params;   /* the output's first parameter */
    wide counters; /* and where its clipped samples are counted */
};

/* One level of the wavelet transform; axes in the order walk, row, x, see kernels/wavelet.h.
 * Strides and offsets in elements; rows are dense. */
struct wave_args {
    wide n[3], m[3]; /* samples along each, and of a band */
    wide channels;   /* of a sample, adjacent */
    wide columns;    /* work items along x */
    wide rows;       /* bands' rows, pairs of rows, or independent rows */
    wide steps;      /* along the walk */
    wide fine[2];    /* the finer side: from plane to plane, row to row */
    wide packed[2];  /* the packed coefficients */
    wide low[2];     /* the approximation */
    wide detail[3];  /* from a band to the one that is detail along that axis, packed */
    wide strip;      /* steps of an item */
    wide width_bits; /* 1 << so many items of a group are adjacent along x, */
    wide blocks;     /* and so many groups */
    wide inner;      /* the faster one of the other two indices: strips, or tiles of rows */
    wide counters;   /* where clipped samples are counted */
};

/* The sample of bins that an automatic display range is found in (core/base/range_sample.h). Axes
 * are x, y, z and channels, the order that the bins are in. */
struct sample_args {
    wide count;     /* bins */
    wide extent[4]; /* how many of each axis' indices */
    wide index[4];  /* where these are among the integers */
    wide weight;    /* and where the bins' weights are */
    wide stride[4]; /* from index to index in the work buffer, elements */
    wide kind;
    wide params; /* where the output's parameters start */
};

/* The search for the largest value. */
struct range_args {
    wide count;  /* values a row, a frequency that is searched or summed over */
    wide stride; /* from one to the next, elements */
    wide rows;   /* how many rows, in up to four nested loops, innermost first */
    wide extent[4], step[4];
    wide kind;
    wide params; /* where the output's parameters start */
    wide found;  /* where the first group leaves its value */
    wide groups; /* range_last: how many left a value */
};

#endif
