/* A Fourier transform or a filter of a volume that no process holds whole, from file to file.
 *
 *     struct gf_spread s = {.ranks = &ranks, .backend = b, .context = context, .job = job,
 *                           .in = {"huge.npy", 128}, .out = {temporary, 128}};
 *     int rc = gf_spread_run(&s);
 *
 * Forward, every rank reads a slab of planes, transforms it along y and x, and sends each other rank
 * its rows; has then all z of its own rows, transforms them along z, and writes them where they belong
 * in the file. Inverse, the other way round; a filter does both. Where there are more ranks than
 * planes or rows several of them share a slab: each transforms some of its lines along x, and some
 * columns of it along y (core/mpi/slab.h). Nothing is transposed back: a spectrum's rows are in order
 * in the file, not in a rank.
 *
 * The numbers are those of the job in one process, bit for bit, where the backend packs(): each axis is
 * transformed by the same arithmetic in the same order, and real lines are paired as there (struct
 * gf_plan). Other backends run the parts as jobs of their own, without filters. */
#ifndef GF_CORE_MPI_VOLUME_H
#define GF_CORE_MPI_VOLUME_H

#include "core/base/backend.h"
#include "core/mpi/ranks.h"
#include "core/mpi/slab.h"

/* A file of samples, C order: rows of a volume one after the other, without a gap, or strips of rows,
 * each plane's first strip at its row 0. */
struct gf_spread_file {
    const char *path;
    int64_t at;           /* of the first sample; without meaning where there are strips */
    const int64_t *strip; /* NULL, or where each strip begins */
    int64_t strip_rows;
};

struct gf_spread {
    struct gf_ranks *ranks;
    const struct gf_backend *backend; /* with packs(), or one on a device */
    void *context;
    struct gf_job job;   /* of the whole volume; gf_spread_check() has passed it */
    struct gf_grid grid; /* of the ranks; 0: gf_grid_choose() does */
    bool zero_nonfinite; /* NaN and Inf of the input become 0 */
    struct gf_spread_file in;
    void (*swap)(struct gf_array *a); /* NULL, or the input to this machine's byte order */
    struct gf_spread_file out;        /* exists, and is long enough */

    /* Set by the run. */
    int64_t nonfinite, first_nonfinite; /* of the input: how many, and the first one's index */
    struct gf_report report;            /* clipped, imag_ratio */
    int64_t overflowed;                 /* float samples of the output that are Inf or NaN */
    uint32_t crc32;                     /* of the output's samples, on rank 0; not of strips */
    double ms_read, ms_transform, ms_write;
};

/* GF_EUNSUPP with the reason where such a job runs in one process only. A filter must have no table. */
int gf_spread_check(const struct gf_job *job);

/* On all ranks at once. Returns the same status on all of them; ranks->speaker has the message. Stops
 * after the input with GF_EINVAL where samples are not finite. */
int gf_spread_run(struct gf_spread *s);

/* How the ranks share a job whose backend pairs lines in groups of so many of `pair_axis`. */
struct gf_shares gf_spread_shares(const struct gf_job *job, int pair_axis, int64_t pair_lines);
/* Bytes of memory that the rank with the most takes. */
int64_t gf_spread_bytes(const struct gf_job *job, const struct gf_grid *grid);

#endif
