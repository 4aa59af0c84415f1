/* Numbers of choices in options and arguments, for the host, the kernels and the shaders.
 * core/gpu/plan/mirrored.c checks those that repeat a host's enum. */
#ifndef CODES_H
#define CODES_H

#define GROUP          256 /* work items of a group in generic steps */
#define GENERAL_STAGES 6   /* of fft_general, at most */
#define OUTPUTS        7   /* at most */
#define COUNTERS       256 /* of clipped samples; a group uses its number modulo this */

/* How a tile transforms lines, numbered as in core/gpu/plan/tile.h. */
#define ALGORITHM_PLAIN     0
#define ALGORITHM_BLUESTEIN 1
#define ALGORITHM_RADER     2
#define ALGORITHM_BOTH_WAYS 3 /* times a table between the two */

#define LOAD_COMPLEX     0
#define LOAD_PAIR        1 /* two real samples as a complex one */
#define LOAD_REAL        2 /* zero imaginary part */
#define LOAD_UNTANGLE    3 /* separates a line and its mirror image, packed in pairs along it */
#define LOAD_HERMITIAN   4 /* a whole line from its half and its mirror image's */
#define LOAD_TWO_HALVES  5 /* half spectra of two real lines, the second times i */
#define STORE_COMPLEX    0
#define STORE_PAIR       1
#define STORE_HALVES     2 /* the non-redundant halves of a line and its mirror image */
#define STORE_TANGLE     3 /* packs pairs along the line, its own and the mirror image's */
#define STORE_TWO_HALVES 4 /* spectra of two real lines that were one complex one */
#define STORE_ROW_HALVES 6 /* a real line's spectrum, whose neighbours were paired */
#define STORE_SAMPLE     5 /* one number a point: a picture, an array of floats */
#define LOAD_PACKED      6 /* filter_pass: separates a packed line and its mirror image */
#define STORE_PACKED     7 /* and packs them again */
#define LOAD_ROW_HALVES  8 /* a real line's spectrum, whose neighbours become pairs */

/* Four-step twiddles are in one table, or two by the exponent's digits. If neighbouring lines need
 * different ones, reads would scatter: then two tables by line serve results p below points / last
 * radix, and their steps of that size. */
#define SPLIT_BY_LINE 3

/* Up to so many points a table has all powers of a stage's twiddle: BASE in tile.h. */
#define MOST_DIRECT 16

/* Kinds and scales are numbered as in core/base/job/job.h. */
#define KIND_MAGNITUDE 0
#define KIND_PHASE     1
#define KIND_POWER     2
#define KIND_REAL      3
#define KIND_IMAG      4
#define SCALE_LOG      0
#define SCALE_SQRT     2

/* The parameter buffer, in reals from an output's first. */
#define PARAM_SCALE    0 /* the norm's factor */
#define PARAM_LOW      1 /* the display range, unscaled */
#define PARAM_HIGH     2
#define PARAM_RMS      3 /* of all bins' magnitudes, for an automatic range */
#define PARAM_ROUNDING 4 /* magnitude of rounding errors, if most bins are below it */
#define PARAM_OFFSET   3 /* output 0: added to the zero frequency by a filter */
#define PARAM_LIMIT    3 /* or a threshold for wavelet details */

/* A filter: factors evaluated on the fly, or a table of the half spectrum. */
#define FILTER_FACTORS 0
#define FILTER_REALS   1
#define FILTER_COMPLEX 2

/* A low pass among a filter's values, in reals, before its axes' values. A factor c0 + ca a + cab a
 * b has two, its coefficients with the first. */
#define FILTER_C0      0
#define FILTER_CA      1
#define FILTER_CAB     2
#define FILTER_PROFILE 3 /* of profiles.h */
#define FILTER_ORDER   4
#define FILTER_LIMIT   5
#define FILTER_INVERSE 6 /* 1 / limit */
#define FILTER_HEAD    8

/* Boundaries and thresholds of wavelets are numbered as in core/base/job/job.h. */
#define BOUNDARY_PERIODIC 0
#define BOUNDARY_ZERO     2
#define THRESHOLD_HARD    1
#define THRESHOLD_SOFT    2

/* Keys for quantiles: a positive number's upper bits, in two digits. */
#define SAMPLE_DIGIT  11
#define SAMPLE_DIGITS (1 << SAMPLE_DIGIT)
#define SAMPLE_SUMS   (SAMPLE_DIGITS + SAMPLE_DIGITS / 32) /* a histogram's words in a tile */

#endif
