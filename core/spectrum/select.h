/* The middle of unsorted numbers. */
#ifndef GF_CORE_SPECTRUM_SELECT_H
#define GF_CORE_SPECTRUM_SELECT_H

#include <stdint.h>

/* The k-th smallest of n; reorders v. */
float gf_select_float(float *v, int64_t n, int64_t k);

#endif
