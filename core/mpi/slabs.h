/* What the two directions of a spread transform share: a rank's part of the data, the exchange between
 * its two halves, and rows of the spectrum's file. Private to core/mpi. */
#ifndef GF_CORE_MPI_SLABS_H
#define GF_CORE_MPI_SLABS_H

#include "core/mpi/slab.h"
#include "core/mpi/volume.h"

/* Planes, the last planes, and rows alternate. */
enum { GF_SLABS_PLANS = 3 };

struct gf_slabs {
    struct gf_spread *s;
    struct gf_ranks *ranks;
    int64_t nz, ny, nx;
    int64_t channels; /* of the spectrum */
    bool real;        /* the arithmetic runs on half spectra; rows are with their mirror images */
    bool packed;      /* as gf_output.packed */
    int64_t unit;     /* planes that are never parted */
    struct gf_span planes;
    struct gf_rows rows;
    enum gf_dtype type;                   /* complex, in the job's precision */
    int64_t cols;                         /* frequencies of a row between the transforms */
    int64_t point;                        /* bytes of one of them, all channels */
    int64_t row;                          /* bytes of a row of them */
    char *by_rows;                        /* z, own rows, x, channel */
    char *by_planes;                      /* own planes, y, x, channel */
    struct gf_plan *plan[GF_SLABS_PLANS]; /* of the last jobs, in turn */
    int next_plan;
};

/* Plans the whole job for what depends on it, and allocates by_rows and by_planes. */
int gf_slabs_open(struct gf_spread *s, struct gf_slabs *v);
void gf_slabs_close(struct gf_slabs *v);

/* Runs a job, whose plan is kept for the next one. */
int gf_slabs_transform(struct gf_slabs *v, const struct gf_job *job, const struct gf_array *in,
                       struct gf_array *out, struct gf_report *report);
/* The job of a part of the axes, from and to complex numbers of `type`, without a factor. */
struct gf_job gf_slabs_job(const struct gf_slabs *v, int64_t nz, int64_t ny, unsigned axes);
/* A contiguous array of spatial extents z, y, x and the spectrum's channels. */
struct gf_array gf_slabs_array(const struct gf_slabs *v, void *data, enum gf_dtype type, int64_t nz,
                               int64_t ny, int64_t nx);

/* The planes that are worked on at a time, for rows of `row` bytes, and how often that is done by the
 * rank with the most planes. */
int64_t gf_slabs_chunk(const struct gf_slabs *v, int64_t plane_bytes, int64_t *rounds);

/* The exchange: from planes to rows, and back. gf_slabs_expect_*() comes first; gf_slabs_send_planes()
 * for planes first .. first + n of the own ones, in order, each once; or gf_slabs_send_rows(), which
 * with `transform` runs z of some rows while those before them are under way. gf_slabs_arrive() waits
 * for all. */
int gf_slabs_expect_rows(struct gf_slabs *v);
int gf_slabs_send_planes(struct gf_slabs *v, int64_t first, int64_t n);
int gf_slabs_expect_planes(struct gf_slabs *v);
int gf_slabs_send_rows(struct gf_slabs *v, bool transform);
int gf_slabs_arrive(struct gf_slabs *v);

/* Forward, from own planes that are in memory (z, y, x, channel, of the job's input type) to by_rows:
 * planes are sent off in chunks while the next ones are transformed. Without what symmetry asks of the
 * result. Any number of times. */
int gf_slabs_forward(struct gf_slabs *v, const struct gf_array *planes);
/* The two halves of it: the two inner axes of planes first .. first + n of the own ones, which are in
 * `in`, to by_planes; z of all own rows, in place. */
int gf_slabs_planes(struct gf_slabs *v, const struct gf_array *in, int64_t first);
int gf_slabs_rows(struct gf_slabs *v);

/* GF_EINVAL on all ranks where the input of one had samples that are not finite. */
int gf_slabs_refuse_nonfinite(struct gf_slabs *v);

/* Collective access to bytes at .. at + bytes of the file, `most` of which the rank with the most has.
 */
int gf_slabs_read(struct gf_slabs *v, int64_t at, int64_t bytes, int64_t most, char *data);
int gf_slabs_write(struct gf_slabs *v, int64_t at, int64_t bytes, int64_t most, const char *data);

/* The own rows of the spectrum's file, in the file's order, where they may be shifted. */
struct gf_file_rows {
    int64_t planes, rows;     /* of the file; own rows of each plane */
    int64_t row;              /* bytes */
    int64_t *y;               /* frequency of own row i of a plane, in the order of the file */
    int64_t *at;              /* its place in the plane */
    int64_t shift_z, shift_x; /* where the frequency 0 is */
    int64_t chunk, rounds;    /* rows that are read or written at a time; how often, on any rank */
    struct gf_file_part *parts; /* room for a chunk's */
};

/* Samples have `sample` bytes; `half`: rows are half spectra, whose halved axis is never shifted. */
int gf_file_rows_open(const struct gf_slabs *v, bool shifted, bool half, int64_t sample,
                      struct gf_file_rows *f);
void gf_file_rows_close(struct gf_file_rows *f);
/* The rows that round `i` of this rank has: from *first on; returns how many, perhaps none. */
int64_t gf_file_rows_round(const struct gf_file_rows *f, int64_t i, int64_t *first);
/* Frequencies z and y of row i of all. */
void gf_file_rows_index(const struct gf_file_rows *f, int64_t i, int64_t *z, int64_t *y);
/* Fills f->parts for n rows from `first` on; returns how many parts. */
int gf_file_rows_parts(const struct gf_file_rows *f, int64_t base, int64_t full_rows, int64_t first,
                       int64_t n);

/* The sum of the whole output on rank 0, from those of its pieces. `sum`: of each run of own rows in a
 * plane, GF_MOST_RUNS a plane. */
enum { GF_MOST_RUNS = 4 };
int gf_file_rows_sum(const struct gf_slabs *v, const struct gf_file_rows *f, const uint32_t *sum,
                     uint32_t *out);
/* Continues the sums of the runs that rows first .. first + n are in. */
void gf_file_rows_add(const struct gf_file_rows *f, int64_t first, int64_t n, const char *data,
                      uint32_t *sum);

#endif
