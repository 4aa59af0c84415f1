/* The schedule of a Fourier transform or filter of an array that does not fit memory: the walks
 * over it, their parts, and the layout of the exchange between them. core/split/line.c describes
 * long lines.
 *
 * A slab is a run of pages (indices of the slowest axis); a block is some rows of all pages. One
 * walk transforms slabs along all axes but the slowest, the other transforms blocks along that one.
 * A forward transform takes the slabs first, an inverse the blocks, as for an array in memory.
 * Between the walks the complex numbers are kept in the exchange, a file or memory of
 * exchange_bytes, in pieces: what a slab and a block have in common, [page][row][number]. The first
 * walk writes piece by piece, the second reads all pieces of a slab or block in one run. The second
 * walk of a filter puts its blocks back in place, and a third reads slabs.
 *
 *     struct gf_slab_plan p;
 *     int rc = gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, 96 << 20, 0, &p);
 *     for (int64_t i = 0; i < p.n_slabs; i++)
 *         for (int64_t k = 0; k < p.n_blocks; k++)
 *             … gf_slab_piece_at(&p, i, k) …
 *
 * A picture is a volume with one row a page, and its blocks are columns. Its second walk also puts
 * blocks back. Its third walk, or the first of an inverse, reads slabs of rows, with their negative
 * frequencies if mirror images are needed.
 *
 * A plan depends only on the job's shape, axes and types and on the memory. It owns nothing. */
#ifndef GF_CORE_SCHEDULE_PLAN_H
#define GF_CORE_SCHEDULE_PLAN_H

#include "core/base/job/backend.h"
#include "core/base/job/part_job.h"
#include "core/base/job/range.h"

enum {
    GF_SLAB_WALKS = 4,      /* at most */
    GF_SLAB_MOST_SLOTS = 2, /* parts in memory at once */
    GF_SLAB_STAGED =
        8, /* rows of a long line that are interleaved together, to fill a cache line */
    GF_SLAB_CHANNELS = 16 /* of a line, at most */
};

/* The work of a walk: blocks, else slabs; from the job's input, else from the exchange; to its
 * outputs, else to the exchange; only for display ranges, or for what the input has to tell. */
enum { GF_SLAB_BLOCKS = 1, GF_SLAB_FROM_INPUT = 2, GF_SLAB_TO_OUTPUT = 4, GF_SLAB_SCANS = 8 };
enum gf_slab_step {
    /* reads the input: gf_slab_plan_look() */
    GF_SLAB_LOOK = GF_SLAB_FROM_INPUT | GF_SLAB_SCANS,
    /* slabs of pages, or columns of lines, from the input to the exchange */
    GF_SLAB_FORTH = GF_SLAB_FROM_INPUT,
    /* blocks, slabs of rows or slabs of lines, from an inverse's input */
    GF_SLAB_INPUT = GF_SLAB_BLOCKS | GF_SLAB_FROM_INPUT,
    /* blocks, or rows of lines, that are put back in the exchange */
    GF_SLAB_WITHIN = GF_SLAB_BLOCKS,
    /* blocks, slabs of rows or slabs of lines, to a spectrum; the same for display ranges */
    GF_SLAB_OUTPUT = GF_SLAB_BLOCKS | GF_SLAB_TO_OUTPUT,
    GF_SLAB_SCAN = GF_SLAB_OUTPUT | GF_SLAB_SCANS,
    /* slabs of pages, or columns of lines, from the exchange to the outputs */
    GF_SLAB_BACK = GF_SLAB_TO_OUTPUT
};

struct gf_slab_plan {
    struct gf_job job; /* as a volume's, or a line's */
    bool picture;
    /* A matrix of `pages` rows of `rows` points; `units` is their product. On devices the job is that of the
     * matrix. */
    bool line;
    int64_t lines;       /* number of lines */
    int64_t pages, rows; /* of the spectrum in the exchange; a picture's rows are its columns */
    int64_t kept_pages;  /* pages of the result that are written; a filter's padding follows */
    int64_t width;       /* complex numbers in a row of the exchange, all channels */
    int64_t number;      /* bytes of a complex number */
    bool real;           /* the exchange holds half spectra */
    bool odd;            /* a line of an odd number of real samples: it holds complex ones */
    bool packed, packed_within;  /* as in struct gf_output */
    bool paired;                 /* each block holds the negative frequency of each of its rows */
    bool direct;                 /* the transform of a block writes samples (core/split/run.c) */
    int64_t slab_pages, n_slabs; /* pages of a slab; the last may have more or fewer */
    /* rows, or pairs of a row and its negative, in all and in a block */
    int64_t units, block_units;
    int64_t n_blocks;
    int64_t step_pages; /* pages (of a line, points) converted to output at a time */
    int64_t row_units;  /* of a slab of rows, for pictures */
    /* parts in memory at once: with two, one is read and one written while one is transformed; rows
     * of a line, which have a walk of their own */
    int slots, row_slots;
    int64_t exchange_bytes, memory_bytes;
    int members; /* sharing the parts, with the exchange in their memory; 0: one, with a file */
    /* that the busiest member puts into others' memory in an exchange */
    int64_t sent_bytes, pieces;
    int n_walks;
    /* step: enum gf_slab_step, or other bits without an exchange */
    struct gf_pass_info walk[GF_SLAB_WALKS];
};

/* The rows of a block: low .. low + n_low - 1, then high .. high + n_high - 1. */
struct gf_slab_block {
    int64_t low, n_low, high, n_high;
    int64_t before; /* rows in the blocks before this one */
};

/* ---- from a job and the memory to a plan ---- */

/* True for a job whose only axis is the last. */
bool gf_slab_is_line(const struct gf_job *job);
/* A transform of a single page as a picture's, of a single row as a line's; so, too, of rows or columns of
 * a single sample, unless that changes a display range. */
struct gf_job gf_slab_without_single(const struct gf_job *job);
/* NULL, or why the job cannot run in slabs, after that. */
const char *gf_slab_refuses(const struct gf_job *job);
/* The backend of the parts: how it packs the half spectra of a volume or picture, and the workspace
 * in bytes of its plan for a part (NULL: unknown; -1: it cannot tell). */
struct gf_slab_worker {
    enum gf_packing packs;
    int64_t (*workspace)(void *user, const struct gf_job *part);
    void *user;
    bool makes_input; /* reading runs jobs on it too, so it waits for those of the parts */
};

/* Plans a job that gf_slab_refuses() accepts. GF_ENOMEM, with the need in the message, if `memory`
 * bytes hold no slab, block or row of a line. `members` share the parts, 0 for none; then `memory`
 * is that of each, including its share of the exchange. */
int gf_slab_plan_make(const struct gf_job *job, const struct gf_slab_worker *worker, int64_t memory,
                      int members, struct gf_slab_plan *p);
/* The backend's job for the largest part of walk i (of a filter's blocks, the transform); false if
 * the walk runs none. */
bool gf_slab_part_job(const struct gf_slab_plan *p, int i, struct gf_job *job);
/* Lists and names the walks by their steps: the first, 0 for a job of one walk; with `within` blocks that are put
 * back; with `scans` the last one for display ranges; the last. */
void gf_slab_list_steps(struct gf_slab_plan *p, unsigned first, bool within, bool scans,
                        unsigned last);
/* Puts a walk before the others that reads `bytes` of the input, for a filter or wavelet that needs all of it
 * first. */
void gf_slab_plan_look(struct gf_slab_plan *p, int64_t bytes, const char *what);

/* ---- parts ---- */

/* "40 slabs of pages, 3 blocks of rows" */
enum { GF_SLAB_TEXT = 80 };
const char *gf_slab_text(const struct gf_slab_plan *p, char text[GF_SLAB_TEXT]);

/* The pages of slab i, and of a run of slabs. */
struct gf_span gf_slab_pages(const struct gf_slab_plan *p, int64_t i);
struct gf_span gf_slab_pages_of(const struct gf_slab_plan *p, struct gf_span slabs);
/* The offset in the exchange of what member i keeps, the parts of the second walk that it works on;
 * i = members: the end. */
int64_t gf_slab_owned_from(const struct gf_slab_plan *p, int members, int i);
struct gf_slab_block gf_slab_block(const struct gf_slab_plan *p, int64_t i);
/* The least number of parts of at most `most` items each, a multiple of the members so that all
 * have as many. */
int64_t gf_slab_part_count(const struct gf_slab_plan *p, int64_t n, int64_t most);
/* The memory for a part: for members no more than their caches hold. */
int64_t gf_slab_cached(const struct gf_slab_plan *p, int64_t memory);
static inline int64_t gf_slab_block_rows(const struct gf_slab_block *b) {
    return b->n_low + b->n_high;
}
static inline bool gf_slab_is_double(const struct gf_slab_plan *p) {
    return p->job.precision == GF_DOUBLE;
}
/* The picture as a volume of one page, whose blocks are slabs of rows. */
struct gf_slab_plan gf_slab_rows_plan(const struct gf_slab_plan *p);
/* The offset in the exchange of the piece that a slab and a block share, and the offset for any
 * pages (of an inverse, those of a slab). */
int64_t gf_slab_piece_at(const struct gf_slab_plan *p, int64_t slab, int64_t block);
int64_t gf_slab_place(const struct gf_slab_plan *p, const struct gf_span *pages, int64_t block);
/* For tests: the bytes of that piece. */
int64_t gf_slab_piece_bytes(const struct gf_slab_plan *p, int64_t slab, int64_t block);
/* Seconds of all exchanges between members, of so many bytes a second to and from each. */
double gf_slab_exchange_seconds(const struct gf_slab_plan *p, double link);
/* Bytes read and written by all walks. */
static inline int64_t gf_slab_bytes_moved(const struct gf_slab_plan *p) {
    return gf_pass_bytes(p->walk, p->n_walks);
}

static inline int64_t gf_slab_row_bytes(const struct gf_slab_plan *p) {
    return p->width * p->number;
}
/* Columns of an output's row. */
int64_t gf_slab_columns(const struct gf_slab_plan *p, int i);
/* The parts of a spectrum that the first walk makes, for its display ranges, and `count` pages. */
static inline enum gf_ranges_of gf_slab_ranges(const struct gf_slab_plan *p) {
    return p->line ? GF_RANGES_WHOLE : p->packed ? GF_RANGES_PACKED : GF_RANGES_PAGES;
}
struct gf_array gf_slab_spectrum(const struct gf_slab_plan *p, int64_t count, void *pages);
/* Bytes of a row of output i, or of an inverse's input if i is -1. */
int64_t gf_slab_outer_row(const struct gf_slab_plan *p, int i);
/* True if the exchange's numbers are the output's samples. */
bool gf_slab_is_output(const struct gf_slab_plan *p, int i);
/* The most rows of a block. */
static inline int64_t gf_slab_most_rows(const struct gf_slab_plan *p) {
    return (p->paired ? 2 : 1) * p->block_units;
}
int64_t gf_slab_longest(const struct gf_slab_plan *p); /* pages of the longest slab */
/* The most bytes that `count` pages and a block have in common. */
int64_t gf_slab_largest_piece(const struct gf_slab_plan *p, int64_t count);

/* The job of `count` pages along all axes but the slowest; `back`: of the inverse. */
struct gf_job gf_slab_pages_job(const struct gf_slab_plan *p, bool back, int64_t count);

/* ---- parts on devices ---- */

/* True if a volume's slowest axis and others are transformed. */
static inline bool gf_slab_walks_twice(const struct gf_job *job) {
    return job->axes & 1 && job->axes != 1;
}
/* Plans a job, without the parts, their memory, and what the walks move. The exchange is in the
 * array's order, [page][row][column]: a picture has one row a page, a line's pages are the columns
 * of a matrix. A job of one walk has no exchange. natural: slabs come first in both directions. */
void gf_slab_plan_device(const struct gf_job *job, bool natural, struct gf_slab_plan *p);
/* True if output i's display range needs a walk of its own. */
bool gf_slab_device_scans(const struct gf_slab_plan *p, int i);

/* ---- long lines ---- */

/* Parts of gf_slab_refuses() and gf_slab_plan_make(). fit() returns GF_ENOMEM with the total need
 * in *needed, or with a message and 0 there. */
const char *gf_slab_line_refuses(const struct gf_job *job);
void gf_slab_line_describe(struct gf_slab_plan *p);
int gf_slab_line_fit(struct gf_slab_plan *p, int64_t memory, int64_t kept, int64_t *needed);

/* Frequencies of a line that the slabs have: none that are negatives of others of real samples. */
int64_t gf_slab_line_frequencies(const struct gf_slab_plan *p);
/* Rows of the whole matrix: twice the plan's pages for real samples. */
int64_t gf_slab_line_rows(const struct gf_slab_plan *p);
/* The job of `count` columns, from samples to numbers or back to all outputs; whether it runs in
 * place. */
struct gf_job gf_slab_line_columns_job(const struct gf_slab_plan *p, int64_t count, bool inverse);
/* The job of a row. is_real: the row is the half spectrum of real numbers. */
struct gf_job gf_slab_line_row_job(const struct gf_slab_plan *p, bool is_real, bool inverse);
bool gf_slab_line_in_place(const struct gf_slab_plan *p, bool inverse);
/* Bytes of one point of output i. */
int64_t gf_slab_line_out_bytes(const struct gf_slab_plan *p, int i);

#endif
