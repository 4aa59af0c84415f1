/* A picture in tiles that overlap, for convolutions with a short kernel: a circular convolution of
 * a tile is that of the picture, but for the kernel's reach at the tile's ends (overlap-save,
 * Stockham 1966, High-speed convolution and correlation). Tiles stay in caches, and what is beyond
 * the picture's edges, its mirror image or its other side, is made where a tile needs it.
 *
 *     struct gf_tiles tiles;
 *     gf_tiles_init(&tiles, &job, reach, mirrors, threads);
 *     for (int64_t first = 0; first < tiles.n; first += tiles.batch) {
 *         gf_tiles_fill(&tiles, first, picture, false, in);       in: the input of tiles.job
 *         …                                                       tiles.job from in to out
 *         for (int64_t i = 0; gf_tiles_row(&tiles, first, row, false, out, &r); i++) …
 *     }
 *
 * Pictures are floats in C order, their channels one after the other. */
#ifndef GF_CORE_RESTORE_TILES_H
#define GF_CORE_RESTORE_TILES_H

#include "core/base/job.h"

enum { GF_TILE_AXES = 4 }; /* channel, z, y, x */

struct gf_tiles {
    struct gf_job job; /* from f32 to f32, of `batch` tiles; ndim 3; the caller adds the filter */
    int64_t n, batch;  /* tiles in all, and in a job */
    int threads;
    bool mirrors;
    /* Along the axes: samples of the picture and of a tile, samples that a tile has before those
     * which are right and how many of these, and tiles. */
    int64_t shape[GF_TILE_AXES], extent[GF_TILE_AXES], reach[GF_TILE_AXES], step[GF_TILE_AXES],
        count[GF_TILE_AXES];
    int64_t stride[GF_TILE_AXES], next; /* of a job's arrays: along the axes, between two tiles */
};

/* For a picture of the job's shape, axes and channels, and a kernel of that reach along each axis:
 * the most samples from its centre to an end. */
void gf_tiles_init(struct gf_tiles *t, const struct gf_job *job, const int64_t *reach, bool mirrors,
                   int threads);

/* Fills `to` with the tiles from `first` on. `reversed` mirrors each tile, so that the kernel acts
 * as its mirror image; gf_tiles_row() then turns the result back. */
void gf_tiles_fill(const struct gf_tiles *t, int64_t first, const float *picture, bool reversed,
                   float *to);

/* A row of samples that are right: picture[at + i] is tile[i], or tile[-i] if it is reversed. */
struct gf_tile_row {
    int64_t at, n;
    const float *tile;
};
/* Row `row` of the tile's, from 0 on; false if there are no more. `slot`: its number in the job. */
bool gf_tiles_row(const struct gf_tiles *t, int64_t tile, int64_t slot, int64_t row, bool reversed,
                  const float *from, struct gf_tile_row *r);

#endif
