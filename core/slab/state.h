/* State that the walks of a run in slabs share: progress, pieces, lines along the slowest axis.
 * Private to core/slab/. */
#ifndef GF_CORE_SLAB_STATE_H
#define GF_CORE_SLAB_STATE_H

#include "core/slab/range.h"
#include "kernels/cpu/root.h"

struct gf_slab_state {
    const struct gf_slab_plan *plan;
    const struct gf_slab_plan *columns; /* a picture's, while `plan` is that of its rows; or NULL */
    const struct gf_slab_io *io;
    struct gf_report *report;
    int64_t moved;
    bool scans;                 /* for a display range: the exchange stays as it is */
    struct gf_slab_range range; /* forward */
    double energy[2];           /* of a full spectrum's Hermitian part, and of the rest */
};

/* After a scan: the largest values that any rank found become those of all. */
int gf_slab_join_largest(struct gf_slab_state *r);
/* After a walk: the status of all ranks. */
static inline int gf_slab_turn(struct gf_slab_state *r, int rc) {
    return r->io->ranks ? r->io->turn(r->io->user, rc) : rc;
}

static inline int64_t gf_slab_row_bytes(const struct gf_slab_plan *p) {
    return p->width * p->number;
}

static inline enum gf_dtype gf_slab_number(const struct gf_slab_plan *p) {
    return gf_job_number(&p->job);
}

/* Bytes of a row of output i, or, if i is -1, of an inverse's input. */
int64_t gf_slab_outer_row(const struct gf_slab_plan *p, int i);

static inline int64_t gf_slab_most_rows(const struct gf_slab_plan *p) {
    return (p->paired ? 2 : 1) * p->block_units;
}

/* Bytes of the exchange where they are, or NULL. */
static inline void *gf_slab_lend(const struct gf_slab_state *r, int64_t at, int64_t bytes) {
    return r->io->lend ? r->io->lend(r->io->user, at, bytes) : NULL;
}
/* So many bytes were moved; the next get() will be for those. */
void gf_slab_moved(struct gf_slab_state *r, int64_t bytes);
void gf_slab_expect(const struct gf_slab_state *r, int64_t at, int64_t bytes);
/* A walk: its buffers, which are freed at its end, and what is done with each of its n parts. */
struct gf_slab_walk {
    int (*part)(struct gf_slab_state *r, int64_t k, void *user);
    void *user;
    int64_t n;
    struct {
        void *memory;  /* a pointer to be set */
        int64_t bytes; /* 0: it stays NULL */
    } room[GF_MAX_OUTPUTS + 3];
};
/* This member's share of the parts, in ascending order; GF_ENOMEM. */
int gf_slab_walk(struct gf_slab_state *r, const struct gf_slab_walk *w);
/* A part of the job, from a contiguous array to contiguous ones, whose samples that did not fit are counted. */
int gf_slab_run_part(struct gf_slab_state *r, const struct gf_job *job, void *in, void *const *out);
int64_t gf_slab_longest(const struct gf_slab_plan *p); /* pages of a slab */

/* Pages with all their rows, to the pieces of all blocks or from them; bytes that `piece` has room for, of
 * `count` pages. */
int gf_slab_move_pages(struct gf_slab_state *r, const struct gf_slab_plan *p,
                       const struct gf_span *pages, char *data, char *piece, bool puts);
int64_t gf_slab_largest_piece(const struct gf_slab_plan *p, int64_t count);

/* The part that transforms all axes but the slowest of `count` pages, or `back`. */
struct gf_job gf_slab_pages_job(const struct gf_slab_plan *p, bool back, int64_t count);
/* Transforms the slowest axis of a block, in place and without the norm's factor. */
int gf_slab_run_lines(struct gf_slab_state *r, int64_t rows, int64_t width, void *lines);
int gf_slab_run_block(struct gf_slab_state *r, int64_t rows, void *data);

/* Reads block k from the exchange into *data, or points that at the exchange's own memory. */
int gf_slab_get_block(struct gf_slab_state *r, int64_t k, const struct gf_slab_block *b,
                      void **data);
/* Writes the block's rows of some pages, [page][row of the block][sample], to output i, or reads them from the input if i
 * is -1. */
int gf_slab_move_block(struct gf_slab_state *r, int i, const struct gf_slab_block *b,
                       struct gf_span pages, char *data);
/* The walks of an inverse; gf_slab_inverse_slabs() is a filter's last one too. */
int gf_slab_inverse_blocks(struct gf_slab_state *r);
int gf_slab_inverse_slabs(struct gf_slab_state *r);
/* Runs a picture's walk over slabs of rows as one over the blocks of gf_slab_rows_plan(). */
int gf_slab_by_rows(struct gf_slab_state *r, int (*walk)(struct gf_slab_state *r));
/* The rows of such a block from the exchange or to it, by way of `piece`, of so many bytes; 0 of a volume. */
int gf_slab_move_rows(struct gf_slab_state *r, const struct gf_slab_block *b, char *data,
                      void *piece, bool puts);
int64_t gf_slab_row_piece(const struct gf_slab_state *r);

/* The plan's filter for its parts, which have a table each; the caller frees. */
int gf_slab_filter_of(const struct gf_slab_plan *p, struct gf_filter **out);
/* The table of a part's values. */
int gf_slab_filter_table(struct gf_slab_state *r, const struct gf_job *part,
                         struct gf_filter *filter);
/* The second walk of a filter and of a picture: blocks that stay in their place. */
int gf_slab_blocks_in_place(struct gf_slab_state *r);

/* Numbers, [rows][columns], to output i's samples, or for the display range's walk to floats, whose largest
 * is kept: the norm, the kind and the type, all of them number by number. */
int gf_slab_convert(struct gf_slab_state *r, int i, const int64_t rows_columns[2], void *numbers,
                    void *samples);
/* True when the numbers are the output as they are. */
bool gf_slab_is_output(const struct gf_slab_plan *p, int i);

/* ---- long lines ---- */

/* For core/slab/make.c: why such a job is refused, and its extents, which are the lines'; then its parts, of so much
 * memory less what is kept: GF_ENOMEM with all that they need in *needed, or with a message and 0 there. */
const char *gf_slab_line_refuses(const struct gf_job *job);
void gf_slab_line_describe(struct gf_slab_plan *p);
int gf_slab_line_fit(struct gf_slab_plan *p, int64_t memory, int64_t kept, int64_t *needed);

/* Rows of the whole matrix: the plan's pages, of real samples twice these. */
int64_t gf_slab_line_rows(const struct gf_slab_plan *p);
/* The job of `count` columns: from samples to numbers or, `inverse`, back to all outputs; and whether it
 * runs in place. */
struct gf_job gf_slab_line_columns_job(const struct gf_slab_plan *p, int64_t count, bool inverse);
/* The job of a row; is_real: of one that is half a spectrum of real numbers, to which or from which it is. */
struct gf_job gf_slab_line_row_job(const struct gf_slab_plan *p, bool is_real, bool inverse);
bool gf_slab_line_in_place(const struct gf_slab_plan *p, bool inverse);
/* Bytes of a frequency or a sample in output i. */
int64_t gf_slab_line_out_bytes(const struct gf_slab_plan *p, int i);

/* The walks over long lines. */
int gf_slab_line_run(struct gf_slab_state *r);
int gf_slab_line_transform_rows(struct gf_slab_state *r);

/* ---- a block as rows of the spectrum: the unpacked column, the mirror image, the zero frequency in the centre ---- */

/* [page][row of the block][number], all pages. */
struct gf_slab_spectrum {
    const struct gf_slab_plan *plan;
    struct gf_slab_block block;
    char *data;
    int64_t row_bytes; /* of `data` */
    int threads;
};

/* Pages first .. first + count - 1 of the block as rows of output i, complex and without the norm's
 * factor: half or full, columns shifted where the output is. */
void gf_slab_expand(const struct gf_slab_spectrum *s, int i, int64_t first, int64_t count,
                    void *to);
/* Unpacks the columns 0 and n/2 of all pages from packed columns, [page][row][`row_bytes`], as complex:
 * [page][row][2]. */
void gf_slab_ends(const struct gf_slab_spectrum *s, void *to);
/* Pages first .. first + count - 1 as rows of output 0 from its samples: those of columns 0 .. n/2 - 1 in `s`,
 * of which column 0 is not used, and of columns 0 and n/2 of all pages in `ends`. Samples of negative
 * frequencies are equal. */
void gf_slab_join(const struct gf_slab_spectrum *s, const char *ends, int64_t first, int64_t count,
                  void *to);
/* Columns of an output's row. */
int64_t gf_slab_columns(const struct gf_slab_plan *p, int i);

/* Inverse: full rows, laid out as the block's, to the half of their Hermitian part,
 * (F(k) + conj F(-k)) / 2. Adds to `energy` that of this part, and of the rest. */
void gf_slab_hermitian(const struct gf_slab_spectrum *full, void *half, double energy[2]);

/* ---- arithmetic of long lines beside the transforms: twiddles, pairs of real rows, numbers of rows to their places
 * in the line. Numbers are complex; nothing allocates. ---- */

/* columns[count][width] of row k1, the first one being column `first`: times
 * exp(-+2 pi i k1 i2 / n). */
struct gf_line_twiddle {
    const struct gf_roots *roots; /* of the line's samples */
    int64_t row, first, count, width;
    bool inverse, is_double;
    int threads;
};
void gf_line_twiddle(const struct gf_line_twiddle *t, void *columns);

/* Rows 0 and n1/2 of the columns' half spectra are real: a[i] and b[i] become (a + b) / 2 and (a - b) / 2,
 * samples i2 and i2 + n2 of the real line of 2 n2 samples whose spectrum is that of both rows. They stay in
 * the rows' memory as reals side by side. Or back. */
void gf_line_fold(void *a, void *b, int64_t count, bool is_double, bool back);

/* Runs of a few rows, each in `staged` at a multiple of `stride` bytes, and a part of the line: number j of
 * run i is at place at + step j. Mirrored runs are backwards, and conjugates. */
struct gf_line_weave {
    int n;
    int64_t step, stride, point; /* bytes of a point, all channels of `number` bytes */
    int64_t number;
    int threads;
    struct {
        int64_t at, count;
        bool mirrored;
    } run[GF_SLAB_STAGED];
};
void gf_line_weave(const struct gf_line_weave *w, char *staged, char *line, bool to_line);

#endif
