/* gpufft register: the state that its files share. register.c walks over the inputs,
 * register_report.c prints. */
#ifndef GF_CLI_COMPARE_REGISTERING_H
#define GF_CLI_COMPARE_REGISTERING_H

#include "cli/compare/signal.h"

enum { GF_REGISTER_HANDS = 64 }; /* the most that share the pages of a stack */

/* A picture or page and what was found. */
struct gf_moving_frame {
    struct gf_image image;
    struct gf_array ref, px; /* --to=previous: the last frame that is not blank; the frame */
    struct gf_array moved;   /* --mean without --out: the aligned page */
    struct gf_found found;
    bool blank; /* all its samples are equal */
    struct gf_failure failed;
};

/* The state of a run: the reference, and what the frames were found to be. A stack's pages are
 * measured, those of one channel if it has several, and then the others are moved. */
struct gf_registering {
    struct gf_task *t;
    struct gf_array ref;
    int hands, frames; /* frames in memory */
    /* Each hand's operation and, of a stack, runner; the last: frames that follow each other. */
    struct gf_operation op[GF_REGISTER_HANDS + 1];
    struct gf_signals with[GF_REGISTER_HANDS + 1]; /* its reference */
    struct gf_runner runner[GF_REGISTER_HANDS + 1];
    struct gf_moving_frame frame[2 * GF_REGISTER_HANDS];
    struct { /* page = group / stride * channels * stride + at * stride + group % stride */
        int64_t stride, channels, at;
    } by;
    int64_t groups, last; /* measured pages; the last one that was aligned, -1: none */
    struct gf_found *found;
    double *sum;         /* --mean: of the aligned pages, by channel; or NULL */
    struct json_t *rows; /* of --csv, or NULL */
    bool lost;           /* a row is not complete, for want of memory */
    bool printed;
};

/* True if a file of aligned pictures is written, which is target 0. */
static inline bool gf_register_writes(const struct gf_task *t) {
    return t->targets->n > t->targets->n_aside;
}

/* Prints the row of a page, or -1, and adds it to g->rows. */
void gf_register_print(struct gf_registering *g, const struct gf_found *f, int64_t page);
/* Writes g->rows to --csv, which is the last target. */
int gf_register_save(struct gf_registering *g);

#endif
