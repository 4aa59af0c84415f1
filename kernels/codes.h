/* The numbers that name choices in options and arguments: the host, the kernels and the shaders
 * include them. core/gpu/plan/mirrored.c checks the codes that repeat an enum of the host. */
#ifndef CODES_H
#define CODES_H

#define GROUP          256 /* work items of a group in the generic steps */
#define GENERAL_STAGES 6   /* of fft_general, at most */
#define OUTPUTS        7   /* at most */
#define COUNTERS       256 /* counters of clipped samples; a group uses its number modulo this */

/* How a tile transforms its lines, numbered as in core/gpu/plan/tile.h. */
#define ALGORITHM_PLAIN     0
#define ALGORITHM_BLUESTEIN 1
#define ALGORITHM_RADER     2
#define ALGORITHM_BOTH_WAYS 3 /* transformed, times a table, and transformed back */

#define LOAD_COMPLEX     0
#define LOAD_PAIR        1 /* two real samples are one complex one */
#define LOAD_REAL        2 /* the imaginary part is zero */
#define LOAD_UNTANGLE    3 /* a line and its mirror image, packed in pairs along it, apart again */
#define LOAD_HERMITIAN   4 /* a whole line from the halves of it and its mirror image */
#define LOAD_TWO_HALVES  5 /* two half spectra of real lines, the second times i */
#define STORE_COMPLEX    0
#define STORE_PAIR       1
#define STORE_HALVES     2 /* of a line and its mirror image, the halves that are not redundant */
#define STORE_TANGLE     3 /* packs pairs along the line, its own and the mirror image's */
#define STORE_TWO_HALVES 4 /* the spectra of two real lines that were one complex one */
#define STORE_ROW_HALVES 6 /* the spectrum of one real line whose neighbours were paired */
#define STORE_SAMPLE     5 /* one number a point, as a picture or an array of floats */
#define LOAD_PACKED      6 /* filter_pass: a packed line and its mirror image, untangled */
#define STORE_PACKED     7 /* and the two packed again */
#define LOAD_ROW_HALVES  8 /* the spectrum of a real line whose neighbours become pairs */

/* Four-step twiddles are in one table, or in two by the digits of the exponent. If neighbouring
 * lines need different twiddles, reading them would scatter over the table; then there are two
 * tables by line: for the results p below points / last radix, and for their steps of that size. */
#define SPLIT_BY_LINE 3

/* Up to so many points, the table has all powers of a stage's twiddle, see BASE in tile.h. */
#define MOST_DIRECT 16

/* Kinds and scales are numbered as in core/base/job.h. */
#define KIND_MAGNITUDE 0
#define KIND_PHASE     1
#define KIND_POWER     2
#define KIND_REAL      3
#define KIND_IMAG      4
#define SCALE_LOG      0
#define SCALE_SQRT     2

/* The parameter buffer, `real` by `real`, from an output's first on. */
#define PARAM_SCALE    0 /* the norm's factor */
#define PARAM_LOW      1 /* the display range, unscaled units */
#define PARAM_HIGH     2
#define PARAM_RMS      3 /* of all bins' magnitudes, for an automatic range */
#define PARAM_ROUNDING 4 /* magnitudes of rounding errors in it, where most bins are below that */
#define PARAM_OFFSET   3 /* output 0's: the number that a filter adds to the zero frequency */
#define PARAM_LIMIT    3 /* or the threshold of a wavelet's details */

/* A filter's factors: evaluated on the fly, or a table of the half spectrum. */
#define FILTER_FACTORS 0
#define FILTER_REALS   1
#define FILTER_COMPLEX 2

/* A low pass among a filter's values, real by real; then come the axes' values. A factor is two of
 * them, a and b: c0 + ca a + cab a b, whose coefficients are with the first. */
#define FILTER_C0      0
#define FILTER_CA      1
#define FILTER_CAB     2
#define FILTER_PROFILE 3 /* of profiles.h */
#define FILTER_ORDER   4
#define FILTER_LIMIT   5
#define FILTER_INVERSE 6 /* 1 / limit */
#define FILTER_HEAD    8

/* Boundaries and thresholds of wavelets are numbered as in core/base/job.h. */
#define BOUNDARY_PERIODIC 0
#define BOUNDARY_ZERO     2
#define THRESHOLD_HARD    1
#define THRESHOLD_SOFT    2

/* Keys for finding quantiles: the upper bits of a positive number, in two digits. */
#define SAMPLE_DIGIT  11
#define SAMPLE_DIGITS (1 << SAMPLE_DIGIT)
#define SAMPLE_SUMS                                                                                \
    (SAMPLE_DIGITS + SAMPLE_DIGITS / 32) /* words of a histogram in a tile's memory */

#endif
