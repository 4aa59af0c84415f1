/* Display ranges of a spectrum in slabs. An automatic range comes from sampled lines along the
 * slowest axis, which the walk over pages keeps. The full range of samples that are never negative
 * comes from the zero frequency; other full ranges need a walk over the blocks. Used by core/split/
 * and core/gpu/. */
#ifndef GF_CORE_SCHEDULE_RANGE_H
#define GF_CORE_SCHEDULE_RANGE_H

#include "core/base/job/range_sample.h"
#include "core/schedule/plan.h"

struct gf_slab_range {
    const struct gf_slab_plan *plan;
    /* some output has an automatic range; a full one that ends at the zero frequency */
    bool samples, zeros;
    struct gf_range_planes sampled;
    struct gf_range_energy *energy; /* of each input page, if `samples`; NULL for a line */
    int64_t lines;                  /* numbers kept of a page */
    char *kept;                     /* [page][row][column, channel] at the sample's indices */
    double *zero; /* by channel and index of the axes not transformed, n_zeros in all */
    int64_t n_zeros;
    double of[GF_MAX_OUTPUTS][2];
};

/* Bytes of the kept lines, or a negative status. */
int64_t gf_slab_range_bytes(const struct gf_slab_plan *p);
/* True for an output whose range needs a walk over all blocks. */
bool gf_slab_range_scans(const struct gf_job *job, int i);

int gf_slab_range_open(const struct gf_slab_plan *p, struct gf_slab_range *r);
void gf_slab_range_close(struct gf_slab_range *r);
/* Takes input pages from `first` on, and their spectra, in ascending order. */
void gf_slab_range_input(struct gf_slab_range *r, int64_t first, const struct gf_array *in);
void gf_slab_range_pages(struct gf_slab_range *r, int64_t first, int64_t count, const char *pages);
/* Gives every rank the pages of all; ranks may be NULL. */
int gf_slab_range_join(struct gf_slab_range *r, struct gf_ranks *ranks);
/* The kept lines, to be transformed in place along the slowest axis. data is NULL if there are
 * none, as for long lines, which set sampled.value instead. */
struct gf_array gf_slab_range_lines(const struct gf_slab_range *r);
/* Then sets of[] for all outputs except those that gf_slab_range_scans() names. */
void gf_slab_range_find(struct gf_slab_range *r);

#endif
