/* State shared by the walks of a run in slabs: progress, pieces, lines along the slowest axis.
 * Private to core/split/. */
#ifndef GF_CORE_SPLIT_STATE_H
#define GF_CORE_SPLIT_STATE_H

#include <pthread.h>

#include "core/split/split.h"
#include "kernels/cpu/root.h"

struct gf_slab_state {
    const struct gf_slab_plan *plan;
    /* a picture's plan while `plan` is that of its rows, or NULL */
    const struct gf_slab_plan *columns;
    const struct gf_slab_io *io;
    struct gf_report *report;
    int threads; /* for work on single numbers, beside those that read and write: more would spin
                  * between short steps on their cores */
    int walk;    /* index of the one that runs */
    pthread_mutex_t lock;
    int64_t moved;            /* under the lock */
    bool scans;               /* searching for display ranges: the exchange stays unchanged */
    struct gf_ranges range;   /* forward only */
    struct gf_filter *filter; /* a copy with the table of one part at a time, or NULL */
    struct gf_roots roots;    /* of a line's length */
    double energy[2];         /* of a full spectrum's Hermitian part, and of the rest */
};

/* Counts bytes moved, on any thread; announces the next get(). */
void gf_slab_moved(struct gf_slab_state *r, int64_t bytes);
void gf_slab_expect(const struct gf_slab_state *r, int64_t at, int64_t bytes);

/* ---- a walk ---- */

enum { GF_SLAB_ROOMS = GF_MAX_OUTPUTS + 5 };

/* A part of a walk, at a step. `room`: its buffers, which read() may exchange for other memory. */
struct gf_slab_part {
    int64_t index, step;
    bool lent;  /* room[0] is in the exchange */
    void *user; /* the walk's */
    void *room[GF_SLAB_ROOMS];
};
typedef int gf_slab_part_fn(struct gf_slab_state *r, struct gf_slab_part *part);

/* A walk over n parts: each is read, then worked on and written step by step. With several slots
 * (struct gf_slab_plan) a thread reads the next part and another writes the last step meanwhile. */
struct gf_slab_walk {
    gf_slab_part_fn *read, *work, *write; /* read and write may be NULL */
    void *user;                           /* for work that the steps share */
    int64_t n, steps;                     /* steps 0: 1 */
    int slots;                            /* 0: the plan's */
    bool writes_input;                    /* write() uses what read() made, too */
    struct {
        int64_t bytes; /* 0: leaves it NULL */
        /* made by read(): a buffer for each slot of parts; by work() for write(): for each slot of
         * steps; used by one of the three alone: one */
        enum { GF_SLAB_ALONE, GF_SLAB_READ, GF_SLAB_WRITTEN } of;
    } room[GF_SLAB_ROOMS];
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

/* Reads a block of the exchange into room[0], or points that into the exchange. */
int gf_slab_get_block(struct gf_slab_state *r, struct gf_slab_part *part);
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
int gf_slab_line_walk(struct gf_slab_state *r, unsigned step);
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
