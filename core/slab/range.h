/* The display ranges of a spectrum in slabs. An automatic one is found in the lines along the slowest
 * axis that its sample is on, which the walk over the pages keeps; a full one of samples that are
 * never negative in the zero frequency. Other full ones take a walk over the blocks of their own.
 * For core/slab/ and core/gpu/. */
#ifndef GF_CORE_SLAB_RANGE_H
#define GF_CORE_SLAB_RANGE_H

#include "core/base/range_sample.h"
#include "core/slab/io.h"

struct gf_slab_range {
    const struct gf_slab_plan *plan;
    bool samples, zeros; /* some output's range is automatic; ends at the zero frequency */
    struct gf_range_planes sampled;
    struct gf_range_energy *energy; /* of each page of the input, where `samples`; not of a line */
    int64_t lines;                  /* numbers of a page that are kept */
    char *kept;                     /* [page][row][column, channel] of the sample's indices */
    double *zero; /* by channel and index of axes that are not transformed; n_zeros of them */
    int64_t n_zeros;
    double of[GF_MAX_OUTPUTS][2];
};

/* Bytes that the lines take; a negative status without memory. */
int64_t gf_slab_range_bytes(const struct gf_slab_plan *p);
/* True for an output whose range a walk over all blocks finds. */
bool gf_slab_range_scans(const struct gf_job *job, int i);

int gf_slab_range_open(const struct gf_slab_plan *p, struct gf_slab_range *r);
void gf_slab_range_close(struct gf_slab_range *r);
/* Input pages from `first` on, and their spectra, in ascending order. */
void gf_slab_range_input(struct gf_slab_range *r, int64_t first, const struct gf_array *in);
void gf_slab_range_pages(struct gf_slab_range *r, int64_t first, int64_t count, const char *pages);
/* When all ranks have their pages: each gets those of the others. NULL: there are none. */
int gf_slab_range_join(struct gf_slab_range *r, struct gf_ranks *ranks);
/* The lines as an array whose slowest axis is to be transformed in place; data NULL: none, as of a long line, whose
 * user fills sampled.value. */
struct gf_array gf_slab_range_lines(const struct gf_slab_range *r);
/* After that: of[] of all outputs but those that are scanned. */
void gf_slab_range_find(struct gf_slab_range *r);

#endif
