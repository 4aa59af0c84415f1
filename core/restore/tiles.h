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
 *         gf_tiles_use(&tiles, first, out, false, use_row, NULL);
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
    int hands;         /* threads that each run jobs, */
    int threads;       /* and threads that share one */
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
 * as its mirror image; gf_tiles_use() then passes the result as it was. */
void gf_tiles_fill(const struct gf_tiles *t, int64_t first, const float *picture, bool reversed,
                   float *to);

/* A row of samples that are right: picture[at + i] is row[i], or row[-i] if tiles are reversed. */
typedef void gf_tile_row(void *user, int64_t tile, int64_t at, const float *row, int64_t n);

/* Passes the rows of the tiles from `first` on: those of a tile in order, tiles side by side. */
void gf_tiles_use(const struct gf_tiles *t, int64_t first, const float *from, bool reversed,
                  gf_tile_row *use, void *user);

#endif
