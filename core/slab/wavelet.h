/* An inverse wavelet transform of a volume that does not fit memory: planes in their order, all levels
 * in one walk. Two planes of a level's finer side need two neighbouring planes of its bands, whose
 * approximation is the finer side of the next level; a few of these are kept.
 *
 *     struct gf_slab_wavelet w;
 *     rc = gf_slab_wavelet_make(&job, limit, &w);
 *     if (!rc)
 *         rc = gf_slab_wavelet_run(&w, &io, &report);
 */
#ifndef GF_CORE_SLAB_WAVELET_H
#define GF_CORE_SLAB_WAVELET_H

#include "core/slab/io.h"

struct gf_slab_wavelet {
    struct gf_job job;
    int64_t pairs; /* of planes that are made at a time */
    int64_t memory_bytes, bytes_read, bytes_written;
};

/* NULL, or why a job cannot be run so. */
const char *gf_slab_wavelet_refuses(const struct gf_job *job);
/* GF_ENOMEM, with the need, where `memory` bytes do not hold two planes of each level. */
int gf_slab_wavelet_make(const struct gf_job *job, int64_t memory, struct gf_slab_wavelet *w);
/* Calls read_rows(), write(), run() and moved() of io. */
int gf_slab_wavelet_run(const struct gf_slab_wavelet *w, const struct gf_slab_io *io,
                        struct gf_report *report);

#endif
