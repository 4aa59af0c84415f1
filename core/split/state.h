/* State shared by the walks of a run in slabs: progress, pieces, lines along the slowest axis.
 * Private to core/split/. */
#ifndef GF_CORE_SPLIT_STATE_H
#define GF_CORE_SPLIT_STATE_H

#include "core/split/split.h"
#include "kernels/cpu/root.h"

struct gf_slab_state {
    const struct gf_slab_plan *plan;
    /* a picture's plan while `plan` is that of its rows, or NULL */
    const struct gf_slab_plan *columns;
    const struct gf_slab_io *io;
    struct gf_report *report;
    int walk; /* index of the one that runs */
    int64_t moved;
    bool scans;               /* searching for display ranges: the exchange stays unchanged */
    struct gf_ranges range;   /* forward only */
    struct gf_filter *filter; /* a copy with the table of one part at a time, or NULL */
    struct gf_roots roots;    /* of a line's length */
    double energy[2];         /* of a full spectrum's Hermitian part, and of the rest */
};

/* Counts bytes moved; announces the next get(). */
void gf_slab_moved(struct gf_slab_state *r, int64_t bytes);
void gf_slab_expect(const struct gf_slab_state *r, int64_t at, int64_t bytes);
/* A walk over n parts, and the buffers that it needs. */
struct gf_slab_walk {
    int (*part)(struct gf_slab_state *r, int64_t k, void *user);
    void *user;
    int64_t n;
    struct {
        void *memory;  /* pointer to set */
        int64_t bytes; /* 0: leaves it NULL */
    } room[GF_MAX_OUTPUTS + 3];
};
/* Runs this rank's share of the parts in ascending order. GF_ENOMEM. */
int gf_slab_walk(struct gf_slab_state *r, const struct gf_slab_walk *w);
/* Runs a job on contiguous arrays; the second also adds its clipped samples to the run's report. */
int gf_slab_run_job(const struct gf_slab_io *io, const struct gf_job *job, void *in,
                    void *const *out, struct gf_report *report);
int gf_slab_run_part(struct gf_slab_state *r, const struct gf_job *job, void *in, void *const *out);

/* Copies whole pages to or from the pieces of all blocks, through `piece`, of
 * gf_slab_largest_piece() bytes. */
int gf_slab_move_pages(struct gf_slab_state *r, const struct gf_slab_plan *p,
                       const struct gf_span *pages, char *data, char *piece, bool puts);

/* Transforms a block along the slowest axis, in place, unscaled. */
int gf_slab_run_lines(struct gf_slab_state *r, int64_t rows, int64_t width, void *lines);
int gf_slab_run_block(struct gf_slab_state *r, int64_t rows, void *data);

/* Reads block k of the exchange into *data, or points *data into the exchange. */
int gf_slab_get_block(struct gf_slab_state *r, int64_t k, const struct gf_slab_block *b,
                      void **data);
/* Writes the block's rows of some pages, [page][row of the block][sample], to output i, or reads
 * them from the input if i is -1. */
int gf_slab_move_block(struct gf_slab_state *r, int i, const struct gf_slab_block *b,
                       struct gf_span pages, char *data);
/* Makes the table of a part in r->filter. */
int gf_slab_filter_table(struct gf_slab_state *r, const struct gf_job *part);

/* Converts numbers, [rows][columns], to samples of output i; during a scan to floats, of which the
 * largest is kept. */
int gf_slab_convert(struct gf_slab_state *r, int i, const int64_t rows_columns[2], void *numbers,
                    void *samples);

/* ---- long lines ---- */

/* The walks over long lines. */
int gf_slab_line_walk(struct gf_slab_state *r, enum gf_slab_step step);
int gf_slab_line_transform_rows(struct gf_slab_state *r);

/* ---- blocks as rows of the spectrum: unpacking, mirror images, shifts ---- */

/* [page][row of the block][number], all pages. */
struct gf_slab_spectrum {
    const struct gf_slab_plan *plan;
    struct gf_slab_block block;
    char *data;
    int64_t row_bytes; /* in `data` */
    int threads;
};

/* Makes complex rows of output i, unscaled, from pages of the block: half or full, shifted along
 * x. */
void gf_slab_expand(const struct gf_slab_spectrum *s, int i, int64_t first, int64_t count,
                    void *to);
/* Unpacks columns 0 and n/2 of all pages from rows of row_bytes: [page][row][2]. */
void gf_slab_ends(const struct gf_slab_spectrum *s, void *to);
/* Makes rows of output 0 from samples: columns 1 .. n/2 - 1 from `s`, columns 0 and n/2 of all
 * pages from `ends`. Negative frequencies have equal samples. */
void gf_slab_join(const struct gf_slab_spectrum *s, const char *ends, int64_t first, int64_t count,
                  void *to);

/* Halves full rows of an inverse's input: takes the Hermitian part (F(k) + conj F(-k)) / 2 and adds
 * its energy, and that of the rest, to `energy`. */
void gf_slab_hermitian(const struct gf_slab_spectrum *full, void *half, double energy[2]);

#endif
