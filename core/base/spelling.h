/* How far a mistyped word is from a name, for messages that suggest one.
 *
 *     if (gf_spelling_distance("fftx", "fftw", true) < 2) … did you mean 'fftw'? */
#ifndef GF_CORE_BASE_SPELLING_H
#define GF_CORE_BASE_SPELLING_H

#include <stdbool.h>

/* The edit distance, a swap of neighbours counting as one (optimal string alignment); INT_MAX for
 * words of more than 40 characters. any_case: letters that differ only in case are equal. */
int gf_spelling_distance(const char *a, const char *b, bool any_case);

#endif
