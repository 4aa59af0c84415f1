/* An inverse wavelet transform of a volume that does not fit memory: planes in ascending order,
 * all levels in one walk. Two planes of a level's finer side need two neighbouring planes of its
 * bands, whose approximation is the finer side of the next level. A few planes of each level are
 * kept.
 *
 *     struct gf_slab_wavelet w;
 *     rc = gf_slab_wavelet_make(&job, limit, &w);
 *     if (!rc)
 *         rc = gf_slab_wavelet_run(&w, &io, &report);
 *
 * Independent parts share the finest level's pairs of planes. Each makes the coarser planes that
 * its share needs, one pair a level more than the share.
 *
 *     const int n = gf_dwt_parts(&job, 8);
 *     gf_slab_wavelet_part(&w, n, i, &part);
 *     rc = gf_slab_wavelet_run(&part, &io, &report); */
#ifndef GF_CORE_SPLIT_WAVELET_H
#define GF_CORE_SPLIT_WAVELET_H

#include "core/split/split.h"

struct gf_slab_wavelet {
    struct gf_job job;
    int64_t pairs; /* of planes made at a time */
    int64_t memory_bytes, bytes_read, bytes_written;
    struct gf_span own; /* pairs of the finest level to make */
    bool in_part;       /* planes are written in the part's own order */
    /* planes of the bands read, including those that other parts read too */
    int64_t planes_read;
};

/* NULL, or why the job cannot run this way. */
const char *gf_slab_wavelet_refuses(const struct gf_job *job);
/* GF_ENOMEM, with the need, if `memory` does not hold two planes of each level. */
int gf_slab_wavelet_make(const struct gf_job *job, int64_t memory, struct gf_slab_wavelet *w);
/* Makes so many pairs at a time, in as much memory as that takes. */
void gf_slab_wavelet_take(struct gf_slab_wavelet *w, int64_t pairs);
/* Part i of n (gf_dwt_parts()), which makes as many pairs at a time as `all`, if it has as many. */
void gf_slab_wavelet_part(const struct gf_slab_wavelet *all, int n, int i,
                          struct gf_slab_wavelet *part);
/* The largest job that the backend runs. */
struct gf_job gf_slab_wavelet_chunk(const struct gf_slab_wavelet *w);
/* Uses io's read_rows(), write(), run() and moved(). */
int gf_slab_wavelet_run(const struct gf_slab_wavelet *w, const struct gf_slab_io *io,
                        struct gf_report *report);

#endif
