/* A picture in tiles that overlap, for convolutions with a short kernel: a circular convolution of
 * a tile is that of the picture, but for the kernel's reach at the tile's ends (overlap-save,
 * Stockham 1966, High-speed convolution and correlation). What the tiles have beyond the picture's
 * edges, its mirror image or its other side, is kept beside it: tiles are views.
 *
 *     struct gf_tiles tiles;
 *     gf_tiles_init(&tiles, &job, reach, mirrors, threads, false);
 *     gf_tiles_extend(&tiles, picture);
 *     for (int64_t k = 0; k < tiles.jobs; k++) {
 *         const struct gf_array in = gf_tiles_view(&tiles, k, picture);
 *         …                                                      tiles.job from in to out
 *         gf_tiles_use(&tiles, k, out.data, use_row, NULL);
 *     }
 *
 * Pictures are floats in C order, their channels one after the other. */
#ifndef GF_CORE_RESTORE_TILES_H
#define GF_CORE_RESTORE_TILES_H

#include "core/base/job/job.h"

enum { GF_TILE_AXES = 4 }; /* channel, z, y, x */

struct gf_tiles {
    struct gf_job job; /* from f32 to f32, of `batch` tiles; ndim 3; the caller adds the filter */
    int64_t n, jobs;   /* of tiles in all, and of jobs */
    int64_t batch;     /* tiles in a job: neighbours along axis `along` */
    int along, place;  /* their place among the job's axes */
    int64_t pieces;    /* of a tile: rows that follow each other */
    int hands;         /* threads that each run jobs, */
    int threads;       /* and threads that share one */
    bool mirrors;
    /* along the axes */
    int64_t shape[GF_TILE_AXES];  /* samples of the picture */
    int64_t whole[GF_TILE_AXES];  /* with those beyond its edges */
    int64_t extent[GF_TILE_AXES]; /* samples of a tile */
    int64_t reach[GF_TILE_AXES];  /* of these, before those that are right */
    int64_t step[GF_TILE_AXES];   /* that are right */
    int64_t count[GF_TILE_AXES];  /* tiles */
};

/* For a picture of the job's shape, axes and channels, and a kernel of that reach along each axis:
 * the most samples from its centre to an end. `on_device`: jobs run on a GPU. */
void gf_tiles_init(struct gf_tiles *t, const struct gf_job *job, const int64_t *reach, bool mirrors,
                   int threads, bool on_device);

/* Samples of a picture with what continues it. */
int64_t gf_tiles_samples(const struct gf_tiles *t);
/* The index of the picture's sample (c, z, y, x). */
int64_t gf_tiles_at(const struct gf_tiles *t, const int64_t index[GF_TILE_AXES]);
/* Continues a picture beyond its edges. */
void gf_tiles_extend(const struct gf_tiles *t, float *picture);

/* The input of job number k. */
struct gf_array gf_tiles_view(const struct gf_tiles *t, int64_t k, float *picture);

/* A row of samples that are right: row[i] is for picture[at + i]. */
typedef void gf_tile_row(void *user, int64_t piece, int64_t at, const float *row, int64_t n);

/* Passes the rows of job k's tiles in its contiguous output: those of a piece in order, pieces side
 * by side. Each sample of the picture is in one row of all jobs together. There are n times `pieces`
 * of them. */
void gf_tiles_use(const struct gf_tiles *t, int64_t k, const float *from, gf_tile_row *use,
                  void *user);

#endif
