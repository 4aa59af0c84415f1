/* A transform of a volume that does not fit memory, as two walks over it, or a filter as three: which slabs, in which
 * order, and where the exchange between two axes is. core/slab/line.c has how lines are taken.
 *
 * A slab is a run of pages, that is of indices of the slowest axis. One walk goes slab by slab and
 * transforms all axes but the slowest. The other transforms that one, block by block: a block is some
 * rows of all pages. Forward the slabs come first, inverse the blocks, which is the order in which
 * an array in memory is transformed. In between the complex numbers are in the exchange, a file or
 * memory of exchange_bytes, in pieces: what a slab and a block have in common, [page][row][number].
 * The first walk writes pieces, the second reads all pieces of a slab or of a block in one run. A
 * filter's second walk puts the blocks back where they were, and a third one takes slabs from them.
 *
 *     struct gf_slab_plan p;
 *     int rc = gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, 96 << 20, 0, &p);
 *     for (int64_t i = 0; i < p.n_slabs; i++)
 *         for (int64_t k = 0; k < p.n_blocks; k++)
 *             … gf_slab_piece_at(&p, i, k) …
 *
 * A picture is a volume whose pages have one row, and a block some of its columns. Its second walk puts
 * the blocks back too. An inverse's first walk and all third ones take slabs of rows, with the negatives
 * of these where a mirror image is needed.
 *
 * A plan follows from the job's shape, axes, types and the memory alone. It owns nothing. */
#ifndef GF_CORE_SLAB_PLAN_H
#define GF_CORE_SLAB_PLAN_H

#include "core/base/span.h"
#include "core/divide/part_job.h"

/* Walks at most; rows of a long line that wait until their points are put side by side: one cache line; channels of a
 * line at most. */
enum { GF_SLAB_WALKS = 4, GF_SLAB_STAGED = 8, GF_SLAB_CHANNELS = 16 };

struct gf_slab_plan {
    struct gf_job job; /* of a volume, or of lines */
    bool picture;
    bool line; /* core/slab/line.c: a matrix of `pages` rows of `rows` points, `units` together */
    int64_t lines;       /* of these */
    int64_t pages, rows; /* of the spectrum between the walks; a picture's columns are its rows */
    int64_t kept_pages;  /* of the result, the first ones: the others were added for a filter */
    int64_t width;       /* complex numbers of a row there, channels included */
    int64_t number;      /* bytes of one */
    bool real;           /* they are half spectra */
    bool packed, packed_within;  /* struct gf_output */
    bool paired;                 /* a block has the negative frequency of each of its rows */
    bool direct;                 /* the transform of a block writes samples: core/slab/direct.c */
    int64_t slab_pages, n_slabs; /* pages of a slab; the last one has what is left too */
    int64_t units, block_units;  /* of which blocks are made: rows, or rows and their negatives */
    int64_t n_blocks;
    int64_t step_pages; /* of a block, which are made into output at a time */
    int64_t row_units;  /* a picture's: of the slabs of rows in its other walks */
    int64_t exchange_bytes, memory_bytes;
    bool looks;  /* the first walk only reads the input: gf_slab_plan_look() */
    int members; /* that share the parts, and keep the exchange in their memory; 0: one, in a file */
    int n_walks;
    struct {
        const char *what;
        int64_t bytes_read, bytes_written;
    } walk[GF_SLAB_WALKS];
};

/* The rows of a block, in its order: low .. low + n_low - 1, high .. high + n_high - 1. */
struct gf_slab_block {
    int64_t low, n_low, high, n_high;
    int64_t before; /* rows of the blocks before */
};

/* ---- from a job and the memory to a plan ---- */

/* True for jobs of a single axis, the last one. */
bool gf_slab_is_line(const struct gf_job *job);
/* NULL when a job can be run in slabs, or the reason why not. */
const char *gf_slab_refuses(const struct gf_job *job);
/* The backend of the parts: what it packs() of a volume or picture, and, unless NULL, the bytes of workspace that its
 * plan for a part takes, or -1 where it does not tell. All zero: one that is not known. */
struct gf_slab_worker {
    enum gf_packing packs;
    int64_t (*workspace)(void *user, const struct gf_job *part);
    void *user;
};

/* For a job that is not refused. GF_ENOMEM when
 * `memory` bytes hold no slab or no block, or no row of any cut of a line. members: that share the parts, 0 for
 * none; `memory` is each one's, and has its share of the exchange too. */
int gf_slab_plan_make(const struct gf_job *job, const struct gf_slab_worker *worker, int64_t memory,
                      int members, struct gf_slab_plan *p);
/* The job that a backend runs for the largest part of walk i, of a filter's blocks that of the transform; false where it
 * runs none. */
bool gf_slab_part_job(const struct gf_slab_plan *p, int i, struct gf_job *job);
/* Puts a walk before a filter's that reads so many bytes of the input, for what is made of all of it. */
void gf_slab_plan_look(struct gf_slab_plan *p, int64_t bytes);

/* ---- parts ---- */

/* Pages of slab i; and those of a run of slabs. */
struct gf_span gf_slab_pages(const struct gf_slab_plan *p, int64_t i);
struct gf_span gf_slab_pages_of(const struct gf_slab_plan *p, struct gf_span slabs);
/* The offset in the exchange of the bytes that member i of `members` keeps, those of its parts of the second
 * walk; i = members: their end. */
int64_t gf_slab_owned_from(const struct gf_slab_plan *p, int members, int i);
struct gf_slab_block gf_slab_block(const struct gf_slab_plan *p, int64_t i);
/* How many parts n items are cut into, each of at most `most`: as few as there can be, and a multiple of the
 * members, so that all have as many. */
int64_t gf_slab_part_count(const struct gf_slab_plan *p, int64_t n, int64_t most);
/* The memory for parts: of what members exchange the caches should hold one. */
int64_t gf_slab_cached(const struct gf_slab_plan *p, int64_t memory);
static inline int64_t gf_slab_block_rows(const struct gf_slab_block *b) {
    return b->n_low + b->n_high;
}
static inline bool gf_slab_is_double(const struct gf_slab_plan *p) {
    return p->job.precision == GF_DOUBLE;
}
/* The picture as a volume of one page, its blocks being those slabs of rows. */
struct gf_slab_plan gf_slab_rows_plan(const struct gf_slab_plan *p);
/* The offset in the exchange of the piece that a slab and a block share, and its bytes; and that of some pages, in an
 * inverse those of a slab. */
int64_t gf_slab_piece_at(const struct gf_slab_plan *p, int64_t slab, int64_t block);
int64_t gf_slab_piece_bytes(const struct gf_slab_plan *p, int64_t slab, int64_t block);
int64_t gf_slab_place(const struct gf_slab_plan *p, const struct gf_span *pages, int64_t block);
/* Bytes that both walks read and write together. */
int64_t gf_slab_bytes_moved(const struct gf_slab_plan *p);

#endif
