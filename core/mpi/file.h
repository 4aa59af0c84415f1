/* Where rows of a volume are in its file, and sums of files. Private to core/mpi. */
#ifndef GF_CORE_MPI_FILE_H
#define GF_CORE_MPI_FILE_H

#include "core/mpi/slabs.h"

/* Rows of so many bytes, `rows` in a plane. */
struct gf_file_map {
    const struct gf_spread_file *file;
    int64_t rows, row;
};

/* Where row y of plane z begins, and how many rows from there on follow without a gap. */
int64_t gf_file_at(const struct gf_file_map *m, int64_t z, int64_t y, int64_t *run);
/* Appends bytes to a list of n parts, to the last one where they follow it; returns how many there
 * are. */
int gf_file_add(struct gf_file_part *parts, int n, int64_t at, int64_t bytes);
/* The most parts that n rows of a plane are in. */
int64_t gf_file_most(const struct gf_file_map *m, int64_t n);

/* Reads or writes parts, which it changes, in pieces that are not too large for the transport, `most`
 * bytes being those of the rank that has the most. The ranks agree. */
int gf_file_transfer(struct gf_ranks *r, struct gf_file_part *parts, int n, int64_t most,
                     void *data, bool write);

/* The sum of bytes [at, at + bytes) of a file that all ranks have closed, each reading its share. The
 * ranks agree. */
int gf_file_crc(struct gf_ranks *r, const char *path, int64_t at, int64_t bytes, uint32_t *crc);

#endif
