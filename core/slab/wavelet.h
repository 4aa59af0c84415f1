/* An inverse wavelet transform of a volume that does not fit memory: planes in their order, all levels
 * in one walk. Two planes of a level's finer side need two neighbouring planes of its bands, whose
 * approximation is the finer side of the next level; a few of these are kept.
 *
 *     struct gf_slab_wavelet w;
 *     rc = gf_slab_wavelet_make(&job, limit, &w);
 *     if (!rc)
 *         rc = gf_slab_wavelet_run(&w, &io, &report);
 *
 * Or in parts, each by itself, which have the planes of some pairs: of every level a part makes those that
 * its own need, one pair more than its share.
 *
 *     const int n = gf_dwt_parts(&job, 8);
 *     gf_slab_wavelet_part(&w, n, i, &part);
 *     rc = gf_slab_wavelet_run(&part, &io, &report);
 */
#ifndef GF_CORE_SLAB_WAVELET_H
#define GF_CORE_SLAB_WAVELET_H

#include "core/slab/io.h"

struct gf_slab_wavelet {
    struct gf_job job;
    int64_t pairs; /* of planes that are made at a time */
    int64_t memory_bytes, bytes_read, bytes_written;
    struct gf_span own; /* pairs of the finest level: all of them, or a part's */
    bool in_part;       /* whose planes are written in an order of its own */
    /* Planes of the bands that a part reads, with those that another one reads too. */
    int64_t planes_read;
};

/* NULL, or why a job cannot be run so. */
const char *gf_slab_wavelet_refuses(const struct gf_job *job);
/* GF_ENOMEM, with the need, where `memory` bytes do not hold two planes of each level. */
int gf_slab_wavelet_make(const struct gf_job *job, int64_t memory, struct gf_slab_wavelet *w);
/* Part i of n (gf_dwt_parts()), which makes as many pairs at a time as `all`, or all that it has. */
void gf_slab_wavelet_part(const struct gf_slab_wavelet *all, int n, int i,
                          struct gf_slab_wavelet *part);
/* The largest job that the backend is given. */
struct gf_job gf_slab_wavelet_chunk(const struct gf_slab_wavelet *w);
/* Calls read_rows(), write(), run() and moved() of io. */
int gf_slab_wavelet_run(const struct gf_slab_wavelet *w, const struct gf_slab_io *io,
                        struct gf_report *report);

#endif
