/* gpufft register: the state that its files share. register.c walks over the inputs; estimate.c finds
 * how one lies on the reference:
 *
 *     r->ref = &ref, r->in = &px, r->f = &frame;
 *     rc = gf_register_estimate(r);          frame.found
 *     gf_register_free_hand(r); */
#ifndef GF_CLI_COMPARE_REGISTERING_H
#define GF_CLI_COMPARE_REGISTERING_H

#include "cli/compare/signal.h"
#include "core/compare/correlate.h"
#include "core/compare/motion.h"

enum gf_estimate { SHIFT, RIGID, SIMILARITY };
enum { PREVIOUS = 1, EDGE = 1 };

/* Signals: the picture in place, and the polar samples of two. */
enum { MOVED, POLAR, N_ARRAYS = POLAR + 2 };
/* Runners of a hand, each of which keeps its plan. */
enum { FORWARD, FIRST, INVERSE, ALIGNING, N_RUNNERS };
enum { MOST_HANDS = 64 };

/* Pictures of so many samples a side are first looked for at half their size, which takes a quarter
 * of the time, unless the peak there is lower than SURE. */
enum { HALVED = 256, SURE = 20 };

/* The arrays of a correlation, allocated for the first pair. */
struct gf_correlating_work {
    struct gf_array px;       /* a tapered signal, or the surface */
    struct gf_spectrum kept;  /* of the reference, if `ready` */
    float *share;             /* of its rings */
    struct gf_spectrum of[2]; /* of the reference and the other one */
    double energy;            /* of of[0] */
    bool ready, near;         /* near: of[0] is the reference behind the window of small shifts */
};

/* How a picture or page lies on the reference. */
struct gf_found {
    struct gf_motion motion;
    double height, coefficient;
    bool inverted, aligned; /* not aligned: the motion is a neighbour's */
    const char *backend;
};

/* A picture or page and what was found. */
struct gf_moving_frame {
    struct gf_image image;
    struct gf_array ref, px; /* --to=previous: the last frame that is not blank; the frame */
    struct gf_array moved;   /* --mean without --out: the aligned page */
    struct gf_found found;
    bool blank; /* all its samples are equal */
    struct gf_failure failed;
};

/* A thread that registers frames. */
struct gf_hand {
    struct gf_registering *all;
    struct gf_moving_frame *f;
    const struct gf_array *ref, *in;
    struct gf_runner own[N_RUNNERS], *runner[N_RUNNERS];
    struct gf_array array[N_ARRAYS];
    struct gf_correlating_work pictures, halves,
        polars; /* halves: pictures of half the size, f32 */
};

/* The state of a run: the reference, and what the frames were found to be. A stack's pages are
 * measured, those of one channel if it has several, and then the others are moved. */
struct gf_registering {
    struct gf_task *t;
    struct gf_array ref;
    struct gf_metadata place; /* the reference's, of which aligned pictures get the coordinates */
    struct gf_image volume, like;        /* like: a page, for its axes */
    int threads, hands, frames;          /* threads of a hand; frames in memory */
    int64_t bytes;                       /* of all arrays */
    struct gf_hand hand[MOST_HANDS + 1]; /* the last one aligns frames that follow each other */
    struct gf_moving_frame frame[2 * MOST_HANDS];
    struct { /* page = group / stride * channels * stride + at * stride + group % stride */
        int64_t stride, channels, at;
    } by;
    int64_t groups, last; /* measured pages; the last one that was aligned, -1: none */
    struct gf_found *found;
    double *sum;         /* --mean: of the aligned pages, by channel; or NULL */
    struct json_t *rows; /* of --csv, or NULL */
    bool printed;
};

/* True for pictures that are first looked for at half their size. */
static inline bool gf_register_has_halves(int rank, const int64_t *shape, bool is_single) {
    return rank == 2 && is_single && shape[0] >= HALVED && shape[1] >= HALVED;
}

/* True if a file of aligned pictures is written, which is target 0. */
static inline bool gf_register_writes(const struct gf_task *t) {
    return t->targets->n > t->targets->n_aside;
}

/* Registers r->in, and fills r->f->found. GF_EINVAL if it has nothing in common with the reference,
 * GF_ENOMEM or worse. */
int gf_register_estimate(struct gf_hand *r);
void gf_register_free_hand(struct gf_hand *r);

/* Prints the row of a page, or -1, and adds it to g->rows. `image` gives the axes. */
void gf_register_print(struct gf_registering *g, const struct gf_image *image,
                       const struct gf_found *f, int64_t page);
/* Writes g->rows to --csv, which is the last target. */
int gf_register_save(struct gf_registering *g);

/* ---- align.c: aligned pictures, volumes and lines ---- */

struct gf_aligning {
    struct gf_runner *runner; /* keeps its plan for pictures of one shape */
    const struct gf_motion *motion;
    enum gf_precision precision;
    int threads;
    bool edge;    /* what IN does not show is the sample of its edge; else 0 */
    int64_t held; /* bytes of the caller's arrays, which count towards the memory limit */
};

/* Bytes that aligning `in`, with the channels last, takes beside it and the result. */
int64_t gf_align_bytes(bool shifts, enum gf_precision precision, const struct gf_array *in,
                       enum gf_dtype out);
/* Makes `out` of `in`, both with the channels last: IN(p - shift). GF_ENOMEM. */
int gf_align_shift(const struct gf_aligning *a, const struct gf_array *in, struct gf_array *out);
/* Rotates, scales and shifts a picture. */
int gf_align_move(const struct gf_aligning *a, const struct gf_array *in, struct gf_array *out);

#endif
