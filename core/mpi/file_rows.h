/* The rows of a spectrum's file that a rank has, and its columns of them: their order there, and their
 * checksums. Private to core/mpi. */
#ifndef GF_CORE_MPI_FILE_ROWS_H
#define GF_CORE_MPI_FILE_ROWS_H

#include "core/mpi/file.h"

/* Own columns of the file that follow one another there and in memory. */
struct gf_column_run {
    int64_t file;   /* the first one's index in a row of the file */
    int64_t at, n;  /* and among the rank's columns of the file */
    int64_t column; /* the first one's number in struct gf_slabs */
    bool mirrored;  /* they are the conjugates of `column`, `column` - 1, … of the mirror image */
};
enum { GF_MOST_COLUMN_RUNS = 16 };

struct gf_file_rows {
    struct gf_file_map map;
    int64_t planes, rows;  /* of the file; own rows of each plane */
    int64_t columns;       /* own ones of a row of the file */
    int64_t point, row;    /* bytes of one, and of all of them */
    int64_t *y;            /* frequency of own row i of a plane, in the order of the file */
    int64_t *at;           /* its place in the plane */
    int64_t shift_z;       /* where the frequency 0 is */
    int64_t chunk, rounds; /* rows that are read or written at a time; how often, on any rank */
    struct gf_column_run run[GF_MOST_COLUMN_RUNS];
    int runs;
    struct gf_file_part *parts; /* room for a chunk's */
};

/* Samples have `sample` bytes; `half`: rows are half spectra, whose halved axis is never shifted. */
int gf_file_rows_open(const struct gf_slabs *v, const struct gf_spread_file *file, bool shifted,
                      bool half, int64_t sample, struct gf_file_rows *f);
void gf_file_rows_close(struct gf_file_rows *f);
/* The rows that round `i` of this rank has: from *first on; returns how many, perhaps none. */
int64_t gf_file_rows_round(const struct gf_file_rows *f, int64_t i, int64_t *first);
/* Frequencies z and y of row i of all. */
void gf_file_rows_index(const struct gf_file_rows *f, int64_t i, int64_t *z, int64_t *y);
/* Fills f->parts for n rows from `first` on; returns how many parts. */
int gf_file_rows_parts(const struct gf_file_rows *f, int64_t first, int64_t n);
/* The index in the file, as rows without a gap, of own column `c` of row i. */
int64_t gf_file_rows_place(const struct gf_file_rows *f, int64_t i, int64_t c);

/* The sum of the whole output on rank 0, from those of its pieces, of ranks that have whole rows. `sum`:
 * of each run of own rows in a plane, GF_MOST_RUNS a plane. */
enum { GF_MOST_RUNS = 4 };
int gf_file_rows_sum(const struct gf_slabs *v, const struct gf_file_rows *f, const uint32_t *sum,
                     uint32_t *out);
/* Continues the sums of the runs that rows first .. first + n are in. */
void gf_file_rows_add(const struct gf_file_rows *f, int64_t first, int64_t n, const char *data,
                      uint32_t *sum);

#endif
