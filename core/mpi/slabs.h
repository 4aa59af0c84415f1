/* What the directions of a spread transform share: a rank's part of the data, and the exchanges
 * between its parts. Private to core/mpi. */
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
    bool real;        /* the arithmetic runs on half spectra */
    bool mirrored;    /* rows are with their mirror images */
    /* As gf_output's. Columns of a packed spectrum have no frequency n / 2; of one that is packed
     * within, the ranks that have the frequency 0 put it behind their columns when y is done. */
    bool packed, packed_within;
    struct gf_shares shares;
    struct gf_grid grid;
    int down, across; /* this rank's place in it; -1: it has none, and no data */
    struct gf_span planes;
    struct gf_span lines; /* of own planes, while x is transformed */
    struct gf_rows rows;
    struct gf_span columns; /* frequencies x */
    enum gf_dtype type;     /* complex, in the job's precision */
    int64_t width;          /* numbers of a line that has been transformed along x */
    int64_t cols;           /* own ones of them, and the frequency n / 2 that is put behind them */
    int64_t point;          /* bytes of one of them, all channels */
    int64_t row;            /* bytes of a row of `cols` */
    char *by_rows;   /* z, own rows, x, channel; before and after, messages across the grid */
    char *by_planes; /* own planes, y, x, channel */
    char *rest;      /* by_planes before it has that: the mirror images of by_rows */
    struct gf_plan *plan[GF_SLABS_PLANS]; /* of the last jobs, in turn */
    int next_plan;
};

/* Plans the whole job for what depends on it, and allocates by_rows and by_planes. */
int gf_slabs_open(struct gf_spread *s, struct gf_slabs *v);
void gf_slabs_close(struct gf_slabs *v);

/* Which of the own columns a frequency x is, -1: none. The frequency n / 2 of a packed spectrum, which
 * belongs to the frequency 0, is column `cols`. */
int64_t gf_slabs_column(const struct gf_slabs *v, int64_t x);
/* The shares of a rank across the grid. */
struct gf_span gf_slabs_lines(const struct gf_slabs *v, int across);
struct gf_span gf_slabs_columns(const struct gf_slabs *v, int across);

/* Runs a job, whose plan is kept for the next one. */
int gf_slabs_transform(struct gf_slabs *v, const struct gf_job *job, const struct gf_array *in,
                       struct gf_array *out, struct gf_report *report);
/* The job of a part of the axes, from and to `cols` complex numbers of `type`, without a factor. */
struct gf_job gf_slabs_job(const struct gf_slabs *v, int64_t nz, int64_t ny, unsigned axes,
                           enum gf_direction direction);
/* A contiguous array of spatial extents z, y, x and the spectrum's channels. */
struct gf_array gf_slabs_array(const struct gf_slabs *v, void *data, enum gf_dtype type, int64_t nz,
                               int64_t ny, int64_t nx);

/* The planes that are worked on at a time, of so many bytes, and how often that is done by the rank
 * with the most planes. */
int64_t gf_slabs_chunk(const struct gf_slabs *v, int64_t plane_bytes, int64_t *rounds);

/* The exchange down the grid: from planes to rows, and back. gf_slabs_expect_*() comes first;
 * gf_slabs_send_planes() for planes first .. first + n of the own ones, in order, each once; or
 * gf_slabs_send_rows(), which with `transform` runs z of some rows (and a filter) while those before
 * them are under way. gf_slabs_arrive() waits for all. */
int gf_slabs_expect_rows(struct gf_slabs *v);
int gf_slabs_send_planes(struct gf_slabs *v, int64_t first, int64_t n);
int gf_slabs_expect_planes(struct gf_slabs *v);
int gf_slabs_send_rows(struct gf_slabs *v, bool transform);
int gf_slabs_arrive(struct gf_slabs *v);
/* All of it from rows to planes; the ranks agree. */
int gf_slabs_exchange_rows(struct gf_slabs *v);

/* Forward, from own planes that are in memory (z, y, x, channel, of the job's input type) to by_rows:
 * planes are sent off in chunks while the next ones are transformed. Without what symmetry asks of the
 * result. Any number of times; slabs alone. */
int gf_slabs_forward(struct gf_slabs *v, const struct gf_array *planes);
/* The two halves of it: the two inner axes of planes first .. first + n of the own ones, which are in
 * `in`, to by_planes; z of all own rows, in place. */
int gf_slabs_planes(struct gf_slabs *v, const struct gf_array *in, int64_t first);
int gf_slabs_rows(struct gf_slabs *v);

/* GF_EINVAL on all ranks where the input of one had samples that are not finite. */
int gf_slabs_refuse_nonfinite(struct gf_slabs *v);

#endif
