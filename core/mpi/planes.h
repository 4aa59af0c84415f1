/* The samples' file: a rank's lines of its planes, read and transformed on the way to by_rows, or
 * transformed back on the way from by_planes and written, in chunks. Private to core/mpi. */
#ifndef GF_CORE_MPI_PLANES_H
#define GF_CORE_MPI_PLANES_H

#include "core/mpi/slabs.h"

struct gf_planes {
    struct gf_slabs *v;
    const struct gf_spread_file *file;
    int64_t chunk, rounds; /* planes at a time; how often, on any rank */
    int64_t most;          /* bytes of a chunk, on any rank */
    struct gf_array data;  /* room for a chunk: plane, own line, x, channel */
    struct gf_file_part *parts;
    char *lines; /* pencils: a chunk, transformed along x */
    uint32_t crc32;
};

/* Of a file of so many channels. */
int gf_planes_open(struct gf_slabs *v, const struct gf_spread_file *file, enum gf_dtype dtype,
                   int64_t channels, struct gf_planes *p);
void gf_planes_close(struct gf_planes *p);

/* File to by_rows: all but the transform along z. The ranks agree. */
int gf_planes_take(struct gf_planes *p);
/* by_planes to file: all but that. Closes the exchange and the file's part of the run's results. */
int gf_planes_give(struct gf_planes *p);
/* After that, and with the file closed: what the ranks found, together. */
int gf_planes_add_up(struct gf_planes *p);

#endif
