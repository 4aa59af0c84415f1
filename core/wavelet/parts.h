/* A forward wavelet transform along time in parts, each a stream of its own (core/wavelet/stream.h): a part
 * reads some planes more than its share, and has the coefficients of its share of every level's steps
 * as the whole has them.
 *
 *     const int n = gf_dwt_parts(&job, 8);
 *     struct gf_dwt_part part;
 *     gf_dwt_part(&job, n, i, &part);                      part.job is the stream's
 *     for (int64_t k = 0; k < part.job.shape[0]; k++)
 *         push plane gf_dwt_part_plane(&part, k) of the whole
 *     gf_dwt_part_place(&part, &box)                       of each box that is emitted
 *
 * Shares begin at multiples of 2^levels planes, so that a step of the part is one of the whole. Step k
 * of a level needs planes 2 k - s to 2 k - s + 3 of the finer one (core/wavelet/dwt.h), hence of the
 * input up to 2 (2^levels - 1) before the share, or half as many on each side where the boundary is
 * periodic: what else the part computes at its own ends is nobody's. A periodic line's ends
 * need each other: part 0 has the last planes beside the first, and the line closes there. */
#ifndef GF_CORE_WAVELET_PARTS_H
#define GF_CORE_WAVELET_PARTS_H

#include "core/base/span.h"
#include "core/wavelet/stream.h"

struct gf_dwt_part {
    struct gf_job job;
    /* Planes of the whole, those of planes[1] pushed after those of planes[0]; and which of them are
     * the part's share. */
    struct gf_span planes[2], own[2];
    int64_t all; /* planes of the whole */
    struct gf_dwt_axis axis;
};

/* How many parts, at most `most`, whose shares are at least eight times what they read beside; 1: the
 * whole is one. For jobs that gf_dwt_stream_refuses() does not refuse. */
int gf_dwt_parts(const struct gf_job *job, int most);
/* Part i of n. */
void gf_dwt_part(const struct gf_job *job, int n, int i, struct gf_dwt_part *part);
/* Planes that the part reads beside its share. */
int64_t gf_dwt_part_beside(const struct gf_dwt_part *part);

/* Which plane of the whole is the part's plane k. */
int64_t gf_dwt_part_plane(const struct gf_dwt_part *part, int64_t k);
/* Sets a box's place to that in the whole; false where it is not of the part's share. */
bool gf_dwt_part_place(const struct gf_dwt_part *part, struct gf_dwt_box *box);

#endif
