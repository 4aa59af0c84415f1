/* Finds the magnitude of some rank among many numbers by their bits, some in each pass over them:
 *
 *     struct gf_dwt_rank r;
 *     int rc = gf_dwt_rank_begin(&r, false, 16, 99);   the hundredth largest
 *     do
 *         gf_dwt_rank_count(&r, numbers, n);           all numbers, in any order and any pieces
 *     while (gf_dwt_rank_next(&r));
 *     double magnitude = gf_dwt_rank_end(&r); */
#ifndef GF_CORE_WAVELET_RANK_H
#define GF_CORE_WAVELET_RANK_H

#include <stdbool.h>
#include <stdint.h>

struct gf_dwt_rank {
    bool is_double;
    int bits;        /* of a digit; the last one may have fewer */
    int top, low;    /* of the next digit: bits low .. top - 1 */
    uint64_t prefix; /* the digits that are known */
    int64_t rank;    /* among the magnitudes that begin with them; 0: the largest */
    int64_t *count;  /* of each next digit */
};

/* Digits of that many bits, so that floats take 32 / bits passes. GF_ENOMEM. */
int gf_dwt_rank_begin(struct gf_dwt_rank *r, bool is_double, int bits, int64_t rank);
/* n contiguous floats, or doubles. */
void gf_dwt_rank_count(struct gf_dwt_rank *r, const void *numbers, int64_t n);
/* Ends a pass; true if another one is needed. */
bool gf_dwt_rank_next(struct gf_dwt_rank *r);
/* Frees the counts and returns the magnitude. */
double gf_dwt_rank_end(struct gf_dwt_rank *r);

#endif
